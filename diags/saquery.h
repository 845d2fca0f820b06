/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saquery.h - what the files of saquery know of one another.
 * Room: diags.
 */
#ifndef HEDDLE_DIAGS_SAQUERY_H
#define HEDDLE_DIAGS_SAQUERY_H

#include "diags/common/diag.h"
#include "libmad/attr/sa_components.h"

/* The records of an answer: 'n' images, 'stride' bytes apart. */
struct sa_rows {
	uint8_t *answer;                /* the whole of it */
	const uint8_t *image;
	size_t n, stride;
};

/* Long enough for every record. */
#define SA_IMAGE_BYTES 256

/* A question under way: the record that is asked for, and the bits of its component mask. */
struct sa_ask {
	const struct sa_record_desc *desc;      /* of what is in the question */
	const struct sa_record_desc *answer;    /* of what comes back: of a path's description its trace, else the same */
	uint8_t record[SA_IMAGE_BYTES];
	uint64_t mask;
	uint32_t modifier;
};

/* saquery_ask.c */
struct sa_ask sa_ask_new(uint16_t attr_id);
/* Asks for component 'name' to be 'v', or the 16 bytes of a GID. */
void sa_ask_for(struct sa_ask *a, const char *name, uint64_t v);
void sa_ask_for_gid(struct sa_ask *a, const char *name, const uint8_t gid[16]);
/* Asks for a value with its selector in the two bits above it ("mtu", 0x84: exactly 2048). */
void sa_ask_for_selected(struct sa_ask *a, const char *name, uint8_t v);
/* GetTable: 0, '*rows' is the caller's to free; else the exit status of a reported failure. */
int sa_ask_table(struct diag *d, const struct sa_ask *a, struct sa_rows *rows);
/* Get(ClassPortInfo) of the SA.  As above. */
int sa_ask_class_port_info(struct diag *d, uint8_t image[static CLASS_PORT_INFO_BYTES]);
void sa_rows_clear(struct sa_rows *rows);
/* Record 'i': all the bytes of its attribute. */
const uint8_t *sa_rows_at(const struct sa_rows *rows, size_t i);
/* The LID that an operand means: a number, or the description of a node.  0 or the status of a reported failure. */
int sa_ask_lid(struct diag *d, const char *text, uint16_t *lid);

/* saquery_show.c */
/* One record as it is shown of old; 'mft_top': whether switches have MulticastFDBTop. */
void sa_show(struct diag *d, uint16_t attr_id, const uint8_t *image, bool mft_top);
void sa_show_class_port_info(struct diag *d, const uint8_t *image);
/* The short forms of -s, -g, -m. */
void sa_show_issm(struct diag *d, const uint8_t *image);
void sa_show_group(struct diag *d, const uint8_t *image);
void sa_show_member(struct diag *d, const uint8_t *image, const char *name);
/* The record as a row of the document; 'name': of the node, NULL unknown; 'role' NULL: none. */
void sa_show_row(struct diag *d, uint16_t attr_id, const uint8_t *image, const char *name, const char *role);
/* The name of a node record's node. */
const char *sa_show_name(struct diag *d, const uint8_t *image, char buf[static DIAG_NAME_BYTES]);

#endif
