/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts.h - forwarding tables of switches: reads them from many switches at once, and prints them as
 * text and as rows.
 * Room: diags/tools. ibroute and dump_fts print tables; ibfindnodesusing and check_lft_balance only
 * read them.
 *
 * A 'struct fts' is one switch and a range of LIDs of one of its tables. A tool fills in the
 * switch, calls fts_plan() to fit the range to the tables of the switch, fts_read() to read all
 * planned tables at once, and then reads entries by fts_port() and fts_mcast_port() or prints the
 * table by fts_show(). fts_clear() frees what fts_read() allocated.
 *
 * Table blocks that were not answered are marked, and their entries differ from entries without a
 * port. Names of destinations come from a callback, fts_who: ibroute requests each LID, tools with
 * a whole fabric use a fts_directory.
 */
#ifndef HEDDLE_DIAGS_TOOLS_FTS_H
#define HEDDLE_DIAGS_TOOLS_FTS_H

#include "diags/fabric/fabric.h"

struct fts_want {
	/* -a also LIDs without a port; -n without destinations; -M MFTs instead of LFTs */
	bool all, brief, multicast;
	uint32_t first, last;           /* range of LIDs; 0: from the first, to the last */
};

/* A switch and a range of one of its tables. */
struct fts {
	struct diag_addr addr;
	uint64_t guid;
	char name[DIAG_NAME_BYTES];
	uint8_t nports;
	struct switch_info info;
	bool multicast;
	uint32_t first, last;           /* range of LIDs, inclusive; empty if last < first */
	/* first block and number of blocks; 64 LIDs or 32 multicast LIDs each */
	uint32_t block, nblocks;
	uint8_t positions;              /* number of groups of 16 ports in an MFT; 1 for an LFT */
	uint8_t *data; /* 64 bytes per block and position, positions adjacent; NULL until read */
	bool *known;                    /* by block and position: it was answered */
	uint32_t left;                  /* blocks not answered yet */
	/* blocks without an answer; consecutive time-outs up to now */
	uint32_t unanswered, lost;
};

/* The port to which a LID leads. */
#define FTS_TEXT_BYTES (DIAG_NAME_BYTES + 80)
struct fts_dest {
	bool known;                     /* false: the port is unknown, and only 'text' is set */
	uint8_t type;                   /* node type as in NodeInfo */
	uint8_t lmc;
	uint16_t base_lid;
	uint16_t text_bytes;
	uint64_t port_guid;
	char name[DIAG_NAME_BYTES];
	char text[FTS_TEXT_BYTES];      /* printed after LID and port */
};
/* Returns the port of a LID. The result stays valid at least until the next call. */
typedef const struct fts_dest *fts_who(struct diag *d, void *arg, uint16_t lid);
/* Set 'text' of a destination: from the other members, or the given text for an unknown port. */
void fts_dest_known(struct fts_dest *dest);
void fts_dest_unknown(struct fts_dest *dest, const char *text);

/* Handle options 'a', 'n', 'M' (-ENOENT: another option) and the operands "[first [last]]". They
 * return 0 or an exit status. */
int fts_option(struct fts_want *w, int id);
int fts_range(struct diag *d, struct fts_want *w, int argc, char **argv);
/* Sets the range of 't' to the part of 'w' that the switch has. The caller has set 'addr', 'guid',
 * 'name', 'nports' and 'info'. */
void fts_plan(struct diag *d, const struct fts_want *w, struct fts *t);
/*
 * Reads 'n' planned tables at once. Returns 0 or the status of a reported failure. Blocks without
 * an answer are reported; after several consecutive time-outs no more blocks of that switch are
 * requested. 'ready' (may be NULL) is called for each table in order, as soon as it and all tables
 * before it are complete, while others are still being read; it may clear the table.
 */
typedef void fts_ready(struct diag *d, void *arg, struct fts *t);
int fts_read(struct diag *d, struct fts *t, size_t n, fts_ready *ready, void *arg);
/* Returns the output port of a LID: 255 for an entry without a port, -1 if the entry was not
 * read. */
int fts_port(const struct fts *t, uint32_t lid);
/* Reports whether the entry of a multicast LID contains a port; false also if it was not read. */
bool fts_mcast_port(const struct fts *t, uint32_t mlid, unsigned port);
/* Prints the table as text, and adds one row to "switches" and one row per LID to "routes". 'who'
 * (with 'arg') names destinations; with -n and for MFTs it is not called. */
void fts_show(struct diag *d, const struct fts_want *w, const struct fts *t, fts_who *who,
	void *arg);
/* Frees the blocks of a table and empties it. */
void fts_clear(struct fts *t);

/* ---- for tools that have the whole fabric ---- */

/* The end ports of a fabric by LID. */
struct fts_directory {
	const struct diag_fabric *f;
	uint32_t *port;                 /* by LID: index of the port, or FAB_NONE */
	/* by LID: the destinations looked up so far, since tables of many switches contain the same
	 * LIDs */
	struct fts_dest **dest;
};
/* Makes the directory; 'f' is borrowed. The caller frees it by fts_directory_clear(). */
void fts_directory_make(struct fts_directory *y, const struct diag_fabric *f);
void fts_directory_clear(struct fts_directory *y);
fts_who fts_directory_who;              /* 'arg' is the directory */
/* Fills and plans '*t' for a switch of the fabric. Returns false if no route to the switch or no
 * SwitchInfo is known. */
bool fts_of_node(struct diag *d, const struct fts_want *w, const struct fab_node *n, struct fts *t);

#endif
