/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saquery.h - what the files of saquery know of one another.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_SAQUERY_H
#define HEDDLE_DIAGS_TOOLS_SAQUERY_H

#include <stdbool.h>
#include <stdint.h>
#include "diags/core/names.h"
#include "libmad/attr/sa_components.h"

/* What the command line asks for. */
enum saquery_command { BY_QUERY, NODES, CLASS_PORT_INFO, ISSM, GROUPS, MEMBERS };
enum saquery_nodes { ALL, LIDS, UNIQUE_LID, GUIDS, DESCRIPTIONS, NAME_OF_LID, NAME_OF_GUID };
struct saquery_value {
	bool given;
	uint64_t v;
	uint8_t bytes[16];
};
#define SAQUERY_WISHES 32

/* The tool's state: diag_state(). */
struct saquery {
	enum saquery_command command;
	enum saquery_nodes nodes;
	uint16_t attr_id; /* 0: as the operand says */
	char *src_to_dst;
	/* values of options, by the rows of saquery.c's table */
	struct saquery_value wish[SAQUERY_WISHES];
	struct saquery_leads *leads;               /* saquery_show.c: what its lines begin with */
};

/* The records of an answer: 'n' images, 'stride' bytes apart. */
struct sa_rows {
	uint8_t *answer;                /* the whole of it */
	const uint8_t *image;
	size_t n, stride;
};

/* Long enough for every record. */
#define SA_IMAGE_BYTES 256

/* A request under way: the record that is asked for, and the bits of its component mask. */
struct sa_ask {
	const struct sa_record_desc *desc;      /* of what is in the request */
	/* of what comes back: of a path's description its trace, else the same */
	const struct sa_record_desc *answer;
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
/* The LID that an operand means: a number, or the description of a node.  0 or the status of a
 * reported failure. */
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
void sa_show_row(struct diag *d, uint16_t attr_id, const uint8_t *image, const char *name,
	const char *role);
/* The name of a node record's node. */
const char *sa_show_name(struct diag *d, const uint8_t *image, char buf[static DIAG_NAME_BYTES]);

#endif
