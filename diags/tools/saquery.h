/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saquery.h - the interface between the files of saquery.
 * Room: diags/tools.
 *
 * saquery.c parses the command line into a query (struct sa_ask): a record with some components
 * set, and the component mask. saquery_ask.c sends it to the SA and returns the records of the
 * answer (struct sa_rows). saquery_show.c prints records as text and as rows. The layouts and
 * component numbers of the records are in libmad/attr/sa_components.h.
 */
#ifndef HEDDLE_DIAGS_TOOLS_SAQUERY_H
#define HEDDLE_DIAGS_TOOLS_SAQUERY_H

#include <stdbool.h>
#include <stdint.h>
#include "diags/core/names.h"
#include "libmad/attr/sa_components.h"

/* The command, and for the listing of nodes its form. */
enum saquery_command { BY_QUERY, NODES, CLASS_PORT_INFO, ISSM, GROUPS, MEMBERS };
enum saquery_nodes { ALL, LIDS, UNIQUE_LID, GUIDS, DESCRIPTIONS, NAME_OF_LID, NAME_OF_GUID };
struct saquery_value {
	bool given;
	uint64_t v;
	uint8_t bytes[16];
};
#define SAQUERY_WISHES 32

/* The tool's state, as diag_state() returns it. */
struct saquery {
	enum saquery_command command;
	enum saquery_nodes nodes;
	uint16_t attr_id; /* attribute ID of the query; 0: the operand names it */
	char *src_to_dst;
	/* values of the options, by row of the table in saquery.c */
	struct saquery_value wish[SAQUERY_WISHES];
	/* built by saquery_show.c: the text before the values of each line */
	struct saquery_leads *leads;
};

/* The records of an answer: 'n' records, 'stride' bytes apart. */
struct sa_rows {
	uint8_t *answer;                /* allocated; the whole answer */
	const uint8_t *image;
	size_t n, stride;
};

/* The size of the largest record. */
#define SA_IMAGE_BYTES 256

/* A query: the record with the requested components, and its component mask. */
struct sa_ask {
	const struct sa_record_desc *desc;      /* record type of the request */
	/* record type of the answer: differs from 'desc' only for GetTraceTable, whose request is a
	 * PathRecord */
	const struct sa_record_desc *answer;
	uint8_t record[SA_IMAGE_BYTES];
	uint64_t mask;
	uint32_t modifier;
};

/* ---- saquery_ask.c ---- */
/* Returns a query for all records of an attribute; the program stops if there is no such record
 * type. */
struct sa_ask sa_ask_new(uint16_t attr_id);
/* Restrict the query to records whose component 'name' is 'v', or has the 16 bytes of 'gid'. */
void sa_ask_for(struct sa_ask *a, const char *name, uint64_t v);
void sa_ask_for_gid(struct sa_ask *a, const char *name, const uint8_t gid[16]);
/* Restricts the query by a component that has a selector, which is in the two bits above the value
 * ("mtu", 0x84: exactly 2048). */
void sa_ask_for_selected(struct sa_ask *a, const char *name, uint8_t v);
/* Sends the query as GetTable or GetTraceTable. Returns 0, and the caller frees '*rows' by
 * sa_rows_clear(), or the exit status of a reported failure. */
int sa_ask_table(struct diag *d, const struct sa_ask *a, struct sa_rows *rows);
/* Reads ClassPortInfo of the SA. Returns as sa_ask_table() does. */
int sa_ask_class_port_info(struct diag *d, uint8_t image[static CLASS_PORT_INFO_BYTES]);
/* Frees the answer; its records become invalid. */
void sa_rows_clear(struct sa_rows *rows);
/* Returns record 'i', all bytes of its attribute; it belongs to 'rows'. */
const uint8_t *sa_rows_at(const struct sa_rows *rows, size_t i);
/* Stores the LID that an operand means in '*lid': a number, or the description of a node, which the
 * SA is queried for. Returns 0 or the status of a reported failure. */
int sa_ask_lid(struct diag *d, const char *text, uint16_t *lid);

/* ---- saquery_show.c ---- */
/* Prints one record in the format of infiniband-diags. 'mft_top': switches have MulticastFDBTop. */
void sa_show(struct diag *d, uint16_t attr_id, const uint8_t *image, bool mft_top);
void sa_show_class_port_info(struct diag *d, const uint8_t *image);
/* The short forms of options -s, -g and -m. */
void sa_show_issm(struct diag *d, const uint8_t *image);
void sa_show_group(struct diag *d, const uint8_t *image);
void sa_show_member(struct diag *d, const uint8_t *image, const char *name);
/* Adds the record as a row of the document. 'name' is the name of its node (NULL: unknown), 'role'
 * its role (NULL: none). */
void sa_show_row(struct diag *d, uint16_t attr_id, const uint8_t *image, const char *name,
	const char *role);
/* Writes the name of the node of a NodeRecord to 'buf' and returns 'buf'. */
const char *sa_show_name(struct diag *d, const uint8_t *image, char buf[static DIAG_NAME_BYTES]);

#endif
