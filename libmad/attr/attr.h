/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attr.h - what every attribute has in common: the row of its list, and what is made from the rows.
 * Room: libmad/attr.  Pure.
 *
 * An attribute is one .def file, one row per field.  From it the preprocessor makes, for attribute 'x':
 *   struct x                                   host order, one member per row
 *   struct x x_decode(const uint8_t *w)        total: every X_BYTES bytes decode
 *   void x_encode(uint8_t *w, const struct x *)        every row into w; bits without a row are left alone
 *   void x_patch(uint8_t *w, const struct x *)         only what may be Set (RW, ZK); all else is kept
 *   bool x_set_equal(const uint8_t *a, const uint8_t *b)   equal in every RW row (ZK and RO are not compared)
 *   const struct attr_desc x_desc              the rows as data: text, JSON, random values, the oracle
 * Rows:
 *   F(member, C type, first bit, width, access, printer)
 *   FA(member, C type, first bit, width, count, stride in bits, access, printer)      an array of integers
 *   FB(member, bytes, first bit, access, printer)                                     bytes as they are
 * Access: RO never Set by us.  RW Set as given.  ZK in a Set, zero keeps the present value.
 */
#ifndef HEDDLE_LIBMAD_ATTR_ATTR_H
#define HEDDLE_LIBMAD_ATTR_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>

enum attr_access { ATTR_RO, ATTR_RW, ATTR_ZK };

#define ATTR_PRINTERS(P) \
	P(DEC) P(HEX) P(LID) P(GUID) P(GID) P(SECRET) P(TEXT) P(BYTES) P(NODE_TYPE) P(PORT_CAPS) \
	P(PORT_CAPS2) P(LINK_WIDTH) P(LINK_SPEED) P(LINK_SPEED_EXT) P(LINK_SPEED_EXT2) P(PORT_STATE) \
	P(PHYS_STATE) P(LINK_DOWN_STATE) P(MTU) P(VLS) P(RATE) P(PKEY) P(SM_STATE)

enum attr_printer {
#define P(name) ATTR_SHOW_##name,
	ATTR_PRINTERS(P)
#undef P
};

struct attr_field {
	const char *name;
	uint16_t first_bit, width;      /* bytes rows: width 8 */
	uint16_t count, stride;         /* 1 and 0 for a plain field */
	uint16_t offset, size;          /* of the member (of its first element) in the struct */
	uint8_t access, printer;
	bool bytes;                     /* FB row */
};

struct attr_desc {
	const char *name;               /* "PortInfo" */
	uint16_t id;                    /* attribute id in its class */
	uint16_t bytes;                 /* of the image */
	uint16_t struct_bytes;
	uint16_t nfields;
	const struct attr_field *fields;
};

/* Generic walks over a row table (slower than the made functions; used by printers and tests). */
uint64_t attr_get(const struct attr_field *f, const void *s, unsigned i);
void attr_put(const struct attr_field *f, void *s, unsigned i, uint64_t v);
/* A JSON object {member: value}, owned by the caller.  SECRET rows are null unless 'secrets'. */
json_t *attr_to_json(const struct attr_desc *d, const void *s, bool secrets);
/* The value of one row as people read it ("Active", "4X", "2048"); NUL-terminated, cut to 'len'. */
void attr_value_text(const struct attr_field *f, uint64_t v, char *buf, size_t len);
/* An address of 16 bytes as 8 groups of 4 hex digits; buf of at least 40 bytes. */
void attr_gid_text(const uint8_t gid[16], char *buf);

#endif
