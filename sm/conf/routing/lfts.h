/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lfts.h - reads forwarding tables from text, for lfts_file and for heddle-route.
 * Room: sm/conf/routing (prefix lfts_).
 *
 * Read are the tables that dump_lfts, dump_fts and ibroute print (ours and those of
 * infiniband-diags), opensm-lfts.dump and opensm.fdbs of OpenSM, and what `heddle-route plan --out
 * lfts` prints.  A file has a title with the GUID of each switch, and a line with LID and port for
 * each entry; other lines mean nothing:
 *
 *   Unicast lids [0x0-0xe] of switch Lid 2 guid 0x0002c90000000001 (leaf-1):
 *   0x0001 003 : (Channel Adapter portguid 0x0002c90000000a01: 'host-1')    the comment is optional
 *   dump_ucast_routes: Switch 0x0002c90000000001
 *   0x0001 : 003  : 01   : yes
 *
 * Port GUIDs of comments say who owns a LID.  The result knows no fabric: whoever uses it looks
 * whether its switches and owners are there.
 */
#ifndef HEDDLE_SM_CONF_ROUTING_LFTS_H
#define HEDDLE_SM_CONF_ROUTING_LFTS_H

#include <stdbool.h>
#include <stdint.h>
#include "util/arena.h"

#define LFTS_LIDS 0xc000u               /* unicast LIDs are below this */
#define LFTS_DROP 255

struct conf_error;

struct lfts_table {
	uint64_t guid;                  /* of the switch */
	uint32_t line;                  /* of the title */
	uint32_t n;                     /* row[0 .. n - 1]; a multiple of 64 */
	uint8_t *row;                   /* by LID; LFTS_DROP: no entry */
};

struct lfts {
	const char *file;
	struct lfts_table *tables;      /* in the order of the file */
	uint32_t ntables;
	uint32_t top;                   /* highest LID with an entry */
	/* by LID: port GUID of its owner, 0 none; and the first line that says so */
	uint64_t *owner;
	uint32_t *owner_line;
	bool named;                     /* some LID has an owner */
	/* The first bad line, where reading stopped; 0: none. */
	uint32_t line;
	char fault[160];
};

/* Reads 'path'; all is owned by 'a'.  A bad line is no failure, but (*out)->line and fault.  A
 * negative errno: the file cannot be read. */
int lfts_read(const char *path, struct arena *a, struct lfts **out);

/* The same, reported: a failure as an error, a bad line as a warning, because it is for engine file
 * to refuse the tables. */
int lfts_load(const char *path, struct arena *a, const struct lfts **out, struct conf_error *e);

static inline uint8_t
lfts_port(const struct lfts_table *t, uint32_t lid)
{
	return lid < t->n ? t->row[lid] : LFTS_DROP;
}

#endif
