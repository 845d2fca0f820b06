/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attr.h - attribute tables: the form of a row, and what the preprocessor generates from the rows.
 * Room: libmad/attr.  Pure.
 *
 * The layout of an attribute of a management class is in one place, a .def file with a row per
 * field: name, C type, first bit, width, whether a Set can change it, how it is printed.  The
 * preprocessor generates everything else from the rows, so decoder, encoder, text, JSON and tests
 * cannot disagree.  For attribute x there are:
 *   struct x                 host order, one member per row
 *   struct x x_decode(const uint8_t *w)             total: every X_BYTES bytes decode
 *   void x_encode(uint8_t *w, const struct x *)     every row into w; other bits do not change
 *   void x_patch(uint8_t *w, const struct x *)      only rows that a Set can change (RW, ZK)
 *   bool x_set_equal(const uint8_t *a, const uint8_t *b)    equal in every RW row
 *   x_at_ROW, x_bits_ROW     position of the row: first bit, number of bits to its end
 *   x_item_ROW, x_stride_ROW of an array: bits of an element, bits from one element to the next
 *   x_comp_ROW, x_ncomp_ROW  its component in SA component masks; see SA_COMP in sa_attr.h
 *   const struct attr_desc x_desc    the rows as data: text, JSON, random values, the oracle
 * Rows:
 *   F(member, C type, first bit, width, access, printer, label)
 *   FA(member, C type, first bit, width, count, stride in bits, access, printer, label)
 *      an array of integers
 *   FB(member, bytes, first bit, access, printer, label)
 *      an array of bytes
 *   FS(member, attribute, bytes, first bit)
 *      another attribute, embedded at a byte boundary
 * Rows of SA records have one more column, the number of their component: the bit of the component
 * mask by which a query names the field.  In an embedded attribute the number is relative to the
 * component of the FS row.  If the row is divided into several components of equal width, a second
 * number says how many.  Rows without a component do not have these columns.
 *
 * Access: RO is never changed by a Set.  RW is written as given.  ZK: in a Set, zero keeps the
 * present value.  The label is the field name that smpquery and perfquery print.  Meaning of the
 * values: codes.h.  Description of the layouts: docs/wire.md.
 */
#ifndef HEDDLE_LIBMAD_ATTR_ATTR_H
#define HEDDLE_LIBMAD_ATTR_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>
#include "libmad/wire/wire.h"

enum attr_access { ATTR_RO, ATTR_RW, ATTR_ZK };

/* How a value is printed.  COUNTER saturates; WORDS is a counter of 4-octet words.  Link widths and
 * speeds have three printers each: active (no suffix), supported (SUP) and enabled (EN). */
#define ATTR_PRINTERS(P) \
	P(DEC) P(HEX) P(FLAG) P(LID) P(GUID) P(GID) P(PKEY) P(SECRET) P(TEXT) P(BYTES) P(COUNTER) \
	P(WORDS) \
	P(NODE_TYPE) P(PORT_CAPS) P(PORT_CAPS2) P(PORT_STATE) P(PHYS_STATE) P(LINK_DOWN_STATE) \
	P(LINK_WIDTH) P(LINK_WIDTH_SUP) P(LINK_WIDTH_EN) P(LINK_SPEED) P(LINK_SPEED_SUP) \
	P(LINK_SPEED_EN) \
	P(LINK_SPEED_EXT) P(LINK_SPEED_EXT_SUP) P(LINK_SPEED_EXT_EN) \
	P(LINK_SPEED_EXT2) P(LINK_SPEED_EXT2_SUP) P(LINK_SPEED_EXT2_EN) \
	P(MTU) P(VLS) P(OPER_VLS) P(RATE) P(SELECTOR) P(SM_STATE) P(FEC_MODE) P(NOTICE_TYPE) \
	P(SAMPLE_STATUS) \
	P(CM_TRANSPORT) P(CM_MESSAGE) P(CM_REJECT) P(CM_FAILOVER) P(CM_APR_STATUS) P(CM_SIDR_STATUS)

enum attr_printer {
#define P(name) ATTR_SHOW_##name,
	ATTR_PRINTERS(P)
#undef P
};

struct attr_desc;

struct attr_field {
	const char *name;
	const char *label;              /* NULL for an embedded attribute */
	uint16_t first_bit, width;      /* bytes rows: width 8 */
	uint16_t count, stride;         /* 1 and 0 for a plain field */
	uint16_t offset, size;          /* of the member (of its first element) in the struct */
	uint8_t access, printer;
	bool bytes;                     /* FB row */
	const struct attr_desc *sub;    /* FS row: the embedded attribute; otherwise NULL */
};

struct attr_desc {
	const char *name;               /* "PortInfo" */
	uint16_t id;                    /* attribute id in its class */
	uint16_t bytes;                 /* of the image */
	uint16_t struct_bytes;
	uint16_t nfields;
	const struct attr_field *fields;
	/* The generated functions, for callers that only have the table; 's' points to a struct
	 * x. */
	void (*decode)(const uint8_t *w, void *s);
	void (*encode)(uint8_t *w, const void *s);
	void (*patch)(uint8_t *w, const void *s);
	bool (*set_equal)(const uint8_t *a, const uint8_t *b);
};

/* ATTR_GET(port_info, state, w) reads one row of an image without decoding the rest.  ATTR_SET
 * writes one row.  Neither works for arrays, bytes and embedded attributes.  ATTR_AT is the offset
 * of the first byte of any row. */
#define ATTR_GET(attribute, row, w) wire_bits_get(w, attribute##_at_##row, attribute##_bits_##row)
#define ATTR_SET(attribute, row, w, v) wire_bits_put(w, attribute##_at_##row, attribute##_bits_##row, v)
#define ATTR_AT(attribute, row) (attribute##_at_##row / 8)
/* The same for element 'i' of an array, as in ATTR_GET_ITEM(pkey_table, pkey, block, 3). */
#define ATTR_GET_ITEM(attribute, row, w, i) \
	attr_item_get(w, attribute##_at_##row, attribute##_stride_##row, attribute##_item_##row, i)
#define ATTR_SET_ITEM(attribute, row, w, i, v) \
	attr_item_put( \
		w, attribute##_at_##row, attribute##_stride_##row, attribute##_item_##row, i, v)

/* These serve the two macros above: constants except 'i', so that what remains is one load or one
 * store where elements begin at bytes. */
WIRE_INLINE uint64_t
attr_item_get(const uint8_t *w, unsigned first, unsigned stride, unsigned width, size_t i)
{
	size_t bit = first + i * stride;

	return wire_bits_get(w + bit / 8, bit % 8, width);
}

WIRE_INLINE void
attr_item_put(uint8_t *w, unsigned first, unsigned stride, unsigned width, size_t i, uint64_t v)
{
	size_t bit = first + i * stride;

	wire_bits_put(w + bit / 8, bit % 8, width, v);
}

/* Element 'i' of one row of the struct 's'.  Slower than the generated functions; printers and
 * tests use it. */
uint64_t attr_get(const struct attr_field *f, const void *s, unsigned i);
/* Stores 'v' there, cut to the row's width. */
void attr_put(const struct attr_field *f, void *s, unsigned i, uint64_t v);
/* The row named 'name', or NULL.  Embedded attributes are not searched. */
const struct attr_field *attr_field_find(const struct attr_desc *d, const char *name);

/* A JSON object {member: value}, owned by the caller.  SECRET rows are null unless 'secrets'.
 * GUIDs, GIDs, keys and masks are strings; an enumeration has two members, a word and member_raw
 * (the word is null if the code has none); link masks and capabilities list their bits; an embedded
 * attribute is an object; a COUNTER is {value, width, saturated}, a WORDS counter {words, bytes,
 * width, saturated}. */
json_t *attr_to_json(const struct attr_desc *d, const void *s, bool secrets);
/* A JSON integer.  jansson's integers are signed: values above 2^63-1 become 2^63-1. */
json_t *attr_json_integer(uint64_t v);
/* Sets 'key' of object 'o' to the text in 'bytes'; if bytes had to be replaced, also key_hex. */
void attr_json_set_text(json_t *o, const char *key, const uint8_t *bytes, size_t n);

/* The value of one row as text for people ("Active", "4X", "2048"); NUL-terminated, cut to 'len'.
 * Returns its length. */
size_t attr_value_text(const struct attr_field *f, uint64_t v, char *buf, size_t len);
/* The name of bit 'bit' of a capability mask ("IsSM"), or NULL.  'printer': PORT_CAPS or
 * PORT_CAPS2. */
const char *attr_bit_name(enum attr_printer printer, unsigned bit);
/* The word of an enumeration's code for JSON ("Active", "4x", "NDR"), or NULL if the code has
 * none. */
const char *attr_word(enum attr_printer printer, uint64_t v);
/* True if a printer shows codes as words. */
bool attr_is_enumeration(enum attr_printer printer);
/* For a printer of link masks: the number of bits that have a word, and in '*single' the printer
 * for a single bit.  0 for any other printer. */
unsigned attr_mask_bits(enum attr_printer printer, enum attr_printer *single);
/* Gb/s x 10 of a rate code (2.5 Gb/s: 25), 0 for a reserved code. */
unsigned attr_rate_tenths(uint8_t code);
/* Bytes of an MTU code 1..5; 0 for other codes. */
unsigned attr_mtu_bytes(uint8_t code);

/* An address of 16 bytes as 8 groups of 4 hex digits; buf of at least 40 bytes. */
#define ATTR_GID_TEXT_BYTES 40
void attr_gid_text(const uint8_t gid[16], char *buf);
/* 'bytes' up to the first NUL as valid UTF-8 into 'out' (3 * n + 1 bytes).  Each byte that is not
 * part of a valid sequence becomes U+FFFD; true if there was one. */
#define ATTR_TEXT_BYTES(n) (3 * (n) + 1)
bool attr_text_clean(const uint8_t *bytes, size_t n, char *out);

#endif
