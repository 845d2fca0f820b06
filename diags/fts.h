/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts.h - forwarding tables of switches: read side by side, shown as text and as rows.
 * Room: diags.  Of ibroute and dump_fts, and of the tools that only read them.
 */
#ifndef HEDDLE_DIAGS_FTS_H
#define HEDDLE_DIAGS_FTS_H

#include "diags/common/fabric.h"

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
	uint8_t *data;                  /* 64 bytes for each block, position by position */
	bool *known;                    /* whether it was answered */
	uint32_t unanswered;
};

/* Who a LID leads to. */
struct fts_dest {
	uint64_t port_guid;
	uint8_t type;                   /* as in NodeInfo */
	uint8_t lmc;
	uint16_t base_lid;
	char name[DIAG_NAME_BYTES];
};
/* Fills '*dest'; false: nobody knows, and 'name' is what is printed instead. */
typedef bool fts_who(struct diag *d, void *arg, uint16_t lid, struct fts_dest *dest);

/* Options 'a', 'n', 'M' and the operands "[first [last]]".  0 or an exit status. */
int fts_option(struct fts_want *w, int id);
int fts_range(struct diag *d, struct fts_want *w, int argc, char **argv);
/* Fits the wanted range to the switch ('addr', 'guid', 'name', 'nports', 'info' are set). */
void fts_plan(struct diag *d, const struct fts_want *w, struct fts *t);
/* Reads 'n' tables at once; 0, or the status of a failure that is reported.  Blocks without an answer are reported. */
int fts_read(struct diag *d, struct fts *t, size_t n);
/* The port of a LID, 255 none; -1: not read. */
int fts_port(const struct fts *t, uint32_t lid);
/* Whether the multicast LID goes to a port; false also where not read. */
bool fts_mcast_port(const struct fts *t, uint32_t mlid, unsigned port);
/* Prints the table as text, a row in "switches" and rows in "routes". */
void fts_show(struct diag *d, const struct fts_want *w, const struct fts *t, fts_who *who, void *arg);
void fts_clear(struct fts *t);

/* ---- with a whole fabric at hand ---- */

/* The end ports by LID. */
struct fts_directory {
	const struct diag_fabric *f;
	uint32_t *port;                 /* index of the port of each LID, FAB_NONE */
	uint16_t *base;                 /* its base LID and LMC: looked at for each entry of each table */
	uint8_t *lmc;
};
void fts_directory_make(struct fts_directory *y, const struct diag_fabric *f);
void fts_directory_clear(struct fts_directory *y);
fts_who fts_directory_who;              /* 'arg' is a directory */
/* Sets up '*t' for a switch of the fabric, planned.  False: it cannot be asked. */
bool fts_of_node(struct diag *d, const struct fts_want *w, const struct fab_node *n, struct fts *t);

#endif
