/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts.h - forwarding tables of switches: read side by side, shown as text and as rows.
 * Room: diags/tools.  Of ibroute and dump_fts, and of the tools that only read them.
 */
#ifndef HEDDLE_DIAGS_TOOLS_FTS_H
#define HEDDLE_DIAGS_TOOLS_FTS_H

#include "diags/fabric/fabric.h"

struct fts_want {
	bool all, brief, multicast;     /* also LIDs without a port; no destinations; MFTs */
	uint32_t first, last;           /* LIDs; 0 from the first, to the last */
};

/* A switch and a range of one of its tables. */
struct fts {
	struct diag_addr addr;
	uint64_t guid;
	char name[DIAG_NAME_BYTES];
	uint8_t nports;
	struct switch_info info;
	bool multicast;
	uint32_t first, last;           /* LIDs, inclusive; nothing when last < first */
	uint32_t block, nblocks;        /* blocks read: 64 LIDs, or 32 multicast LIDs */
	uint8_t positions;              /* multicast: groups of 16 ports */
	uint8_t *data; /* 64 bytes for each block, position by position; NULL: none was asked for */
	bool *known;                    /* whether it was answered */
	uint32_t left;                  /* blocks that are still to be answered */
	/* blocks without an answer; the last so many one after the other */
	uint32_t unanswered, lost;
};

/* Who a LID leads to. */
#define FTS_TEXT_BYTES (DIAG_NAME_BYTES + 80)
struct fts_dest {
	bool known;                     /* false: nobody knows, and only 'text' is there */
	uint8_t type;                   /* as in NodeInfo */
	uint8_t lmc;
	uint16_t base_lid;
	uint16_t text_bytes;
	uint64_t port_guid;
	char name[DIAG_NAME_BYTES];
	char text[FTS_TEXT_BYTES];      /* what is printed behind LID and port */
};
/* Who it is, until the next call at least. */
typedef const struct fts_dest *fts_who(struct diag *d, void *arg, uint16_t lid);
/* Makes the text: from all the rest, or of somebody unknown. */
void fts_dest_known(struct fts_dest *dest);
void fts_dest_unknown(struct fts_dest *dest, const char *text);

/* Options 'a', 'n', 'M' and the operands "[first [last]]".  0 or an exit status. */
int fts_option(struct fts_want *w, int id);
int fts_range(struct diag *d, struct fts_want *w, int argc, char **argv);
/* Fits the wanted range to the switch ('addr', 'guid', 'name', 'nports', 'info' are set). */
void fts_plan(struct diag *d, const struct fts_want *w, struct fts *t);
/*
 * Reads 'n' tables at once; 0, or the status of a failure that is reported. Blocks without an
 * answer are reported; of a switch that answers nothing any more the rest is not asked for. Each
 * table is handed to 'ready' (NULL: nobody) in turn, as soon as it and those before it are there,
 * while others are read; 'ready' may clear it.
 */
typedef void fts_ready(struct diag *d, void *arg, struct fts *t);
int fts_read(struct diag *d, struct fts *t, size_t n, fts_ready *ready, void *arg);
/* The port of a LID, 255 none; -1: not read. */
int fts_port(const struct fts *t, uint32_t lid);
/* Whether the multicast LID goes to a port; false also where not read. */
bool fts_mcast_port(const struct fts *t, uint32_t mlid, unsigned port);
/* Prints the table as text, a row in "switches" and rows in "routes". */
void fts_show(struct diag *d, const struct fts_want *w, const struct fts *t, fts_who *who,
	void *arg);
void fts_clear(struct fts *t);

/* ---- with a whole fabric at hand ---- */

/* The end ports by LID. */
struct fts_directory {
	const struct diag_fabric *f;
	uint32_t *port;                 /* index of the port of each LID, FAB_NONE */
	/* of each LID that was looked up: tables of many switches have the same ones */
	struct fts_dest **dest;
};
void fts_directory_make(struct fts_directory *y, const struct diag_fabric *f);
void fts_directory_clear(struct fts_directory *y);
fts_who fts_directory_who;              /* 'arg' is a directory */
/* Sets up '*t' for a switch of the fabric, planned.  False: it cannot be asked. */
bool fts_of_node(struct diag *d, const struct fts_want *w, const struct fab_node *n, struct fts *t);

#endif
