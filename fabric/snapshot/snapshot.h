/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot.h - the subnet as observed: nodes, ports and links in dense arrays with indices.
 * Room: fabric/snapshot.  Pure.
 *
 * Discovery, or a reader of a file, fills a snapshot and seals it; after that all rooms treat it as
 * const.
 *
 * nodes[] is sorted by node GUID, so the order of indices is the order of GUIDs.  ports[] holds,
 * for each node, its ports 0..nports in a row (port 0 of a CA is an unused slot).  Images are kept
 * as received, so that a Set can patch them.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_SNAPSHOT_H
#define HEDDLE_FABRIC_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include "fabric/snapshot/rows.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "util/arena.h"

#define FAB_NONE UINT32_MAX
#define FAB_LFT_DROP 255
#define FAB_NO_PATH 255

enum fab_port_flags {
	FAB_PORT_INFO = 1,              /* info[] was received */
	FAB_PORT_PKEYS = 2,             /* block 0 of its P_Key table was received */
	FAB_PORT_FAILED = 4,            /* a request about this port was never answered */
	FAB_PORT_UNTOLD = 8,            /* a Set of its PortInfo was not confirmed */
	/* the vendor's FDR10 is active (LinkSpeedActive shows QDR) */
	FAB_PORT_FDR10 = 16,
	/* the vendor's extended PortInfo lists FDR10 as supported */
	FAB_PORT_FDR10_SUPPORTED = 32,
	FAB_PORT_FDR10_ENABLED = 64,    /* the vendor's extended PortInfo lists FDR10 as enabled */
	FAB_PORT_EXTENDED = 128,        /* info[] came in answer to PORT_INFO_EXTENDED_SPEEDS */
};

struct fab_port {
	uint32_t node;                  /* index into nodes[] */
	uint32_t peer;                  /* index into ports[] of the other end, FAB_NONE */
	/* port GUID (switch: of port 0, the same in all its ports) */
	uint64_t guid;
	uint32_t pkeys;                 /* index of its block-0 image in pkey_blocks[], FAB_NONE */
	/* number of further blocks received, which follow it (fabric/read/pkey_read.h) */
	uint16_t more_pkeys;
	uint8_t num;                    /* port number */
	uint8_t flags;                  /* enum fab_port_flags */
	uint8_t info[PORT_INFO_BYTES];  /* PortInfo image, zeros when not received */
};

enum fab_node_flags {
	FAB_NODE_DESC = 1,              /* description received */
	FAB_NODE_SWITCH_INFO = 2,
	/* answered NodeInfo, but a later request was never answered */
	FAB_NODE_FAILED = 4,
	FAB_NODE_LFT = 8,               /* its LFT was read or is cached (lft != NULL) */
	/* it refused PORT_INFO_EXTENDED_SPEEDS, despite its CapabilityMask */
	FAB_NODE_NOT_EXTENDED = 64,
	FAB_NODE_LFT_KEPT = 32,         /* its LFT was not read: the caller's copy is current */
	/* not read: the sweep found what has changed, and this node is as the one before left it */
	FAB_NODE_KEPT = 128,
	/* left out of all planning, because no known path leads there (sm/plan/isolate.h) */
	FAB_NODE_CUT = 16,
};

struct fab_node {
	uint64_t guid, sys_guid;
	uint32_t first_port;            /* index into ports[] of port 0 */
	uint8_t type;                   /* enum attr_node_type */
	uint8_t nports;
	uint8_t flags;                  /* enum fab_node_flags */
	/* length of path; FAB_NO_PATH: not connected with the SM's port */
	uint8_t hop_count;
	/* the shortest directed route from the SM: path[0] = 0, path[1..hop_count] */
	uint8_t path[DGRAM_PATH_BYTES];
	uint32_t sw;                    /* ordinal among the switches, FAB_NONE for others */
	/* the port that path enters by (as in NodeInfo.LocalPortNum) */
	uint8_t entry_port;
	uint8_t node_info[NODE_INFO_BYTES];
	uint8_t desc[NODE_DESC_BYTES];
	uint8_t switch_info[SWITCH_INFO_BYTES];
	/* observed table, lft_blocks * 64 bytes, NULL unknown (FAB_NODE_LFT) */
	const uint8_t *lft;
	uint32_t lft_blocks;
};

/* Kinds of problems that a report shows: unanswered requests, contradictions, duplicates. */
enum fab_problem_kind {
	FAB_UNRESPONSIVE,                       /* no NodeInfo answer behind (guid, port) */
	FAB_UNANSWERED,                 /* an attribute of a known node timed out */
	FAB_BAD_STATUS, FAB_BAD_REPLY,  /* status; impossible counts, wrong attribute, ... */
	FAB_DUPLICATE_GUID,             /* two nodes with one GUID: the second place */
	FAB_MOVED_CABLE,                /* the far end changed during the sweep */
	FAB_TOO_FAR,                    /* more than 63 hops away */
};

struct fab_problem {
	uint8_t kind;                   /* enum fab_problem_kind */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES]; /* the route of the request */
	/* FAB_DUPLICATE_GUID, FAB_MOVED_CABLE: the place where the node was first; else 0 */
	uint8_t other_hop_count;
	uint8_t other_path[DGRAM_PATH_BYTES];
	/* of the node that was asked; of the node before it, if the node never answered; 0
	 * unknown */
	uint64_t guid;
	uint8_t port;                   /* of that node */
	uint16_t attr_id, status;
	uint32_t modifier;
	/* number of requests for this attribute with this result; port and modifier of the first */
	uint32_t count;
	char reason[96];                /* a sentence */
};

struct snapshot {
	struct arena arena;             /* owns everything below */
	/* held: rows that 'lft' of nodes may point into; NULL: it points into the arena, or borrows */
	struct fwd_rows *lft_rows;
	struct fab_node *nodes;         /* sorted by GUID */
	struct fab_port *ports;
	uint32_t *switches;             /* node indices, by GUID */
	uint8_t (*pkey_blocks)[PKEY_TABLE_BYTES];
	struct fab_problem *problems;   /* by GUID of the node, attribute, kind, modifier */
	uint32_t *endports;             /* indices of the end ports, by port GUID */
	uint32_t nendports;
	uint32_t nnodes, nports, nswitches, npkey_blocks, nproblems;
	uint32_t nhosts;                /* end ports of CAs and routers that are linked */
	/* number of links: pairs of ports that are each other's peer */
	uint32_t nlinks;
	/* index into ports[] of the port that the sweep started from */
	uint32_t sm_port;
	/* links were removed after it was sealed: endports[] and some paths may be older */
	bool unplugged;
};

static inline struct fab_port *
snapshot_port(const struct snapshot *s, uint32_t node, uint8_t num)
{
	return &s->ports[s->nodes[node].first_port + num];
}

static inline bool
fab_is_switch(const struct fab_node *n)
{
	return n->type == NODE_TYPE_SWITCH;
}

/* An end port, which owns LIDs. Port 0 of a switch that is not left out, a linked port of
 * anything else. */
static inline bool
snapshot_is_endport(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];

	return fab_is_switch(n) ? p->num == 0 && !(n->flags & FAB_NODE_CUT) : p->num > 0 &&
		p->peer != FAB_NONE;
}

void snapshot_free(struct snapshot *s);         /* NULL is fine */
/* Node index of a node GUID, FAB_NONE; binary search. */
uint32_t snapshot_node_by_guid(const struct snapshot *s, uint64_t guid);
/* Port index of an end port's GUID, FAB_NONE; binary search. */
uint32_t snapshot_port_by_guid(const struct snapshot *s, uint64_t port_guid);
/* The same for GUIDs that ascend from call to call: '*at' is 0 before the first. */
uint32_t snapshot_next_port_by_guid(const struct snapshot *s, uint64_t port_guid, uint32_t *at);
/*
 * A directed route that ends at this port: an adapter answers for the port at which a request
 * arrives.  Ports of a switch, and the port through which discovery reached an adapter, have the
 * node's route; any other port is reached over its own link.  Returns the hop count.
 */
uint8_t snapshot_port_path(const struct snapshot *s, uint32_t port,
	uint8_t path[static DGRAM_PATH_BYTES]);
/* The modifier for PortInfo of this port: its number, with PORT_INFO_EXTENDED_SPEEDS if the node
 * accepts it. */
uint32_t snapshot_port_modifier(const struct snapshot *s, uint32_t port);
/* The description as printable UTF-8 text: control characters and invalid bytes replaced; buf >=
 * 65 * 3. */
const char *snapshot_desc_text(const struct fab_node *n, char *buf, size_t len);
/* "0,1,4": a directed route as people write it. */
const char *fab_path_text(const uint8_t *path, uint8_t hop_count, char *buf, size_t len);

/* For rooms that make snapshots.  The caller fills in nodes[] (sorted; identity, flags and
 * first_port), ports[] (node, num, guid, peer, images) and sm_port; this function makes everything
 * else: switches, paths, the index of end ports, the counts. */
void snapshot_seal(struct snapshot *s);
/* A copy of a sealed snapshot, without forwarding tables and problems. */
struct snapshot *snapshot_copy(const struct snapshot *s);
/* Adds a copy of 'p' at its place in problems[], after discovery. */
void snapshot_add_problem(struct snapshot *s, const struct fab_problem *p);
/* Copies the P_Key blocks that 'from', the snapshot before, has of nodes with FAB_NODE_KEPT. */
void snapshot_keep_pkeys(struct snapshot *s, const struct snapshot *from);
/* Recomputes the shortest paths after peers were removed. */
void snapshot_find_paths(struct snapshot *s);

#endif
