/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_conf.h - the parameters of a discovery, and data that the caller keeps from earlier
 * sweeps.
 * Room: fabric/discover.  Pure.
 *
 * A struct of zeros is the smallest discovery: every node, every link, and the
 * PortInfo that shows the links.  The 'want_' members add what is read of each node.  Data of
 * earlier sweeps saves requests (cached LFTs, 'known_extended') and decides which of several nodes
 * with one GUID is kept ('known', 'before').  discover_new() copies the struct and the array
 * 'known'; all else that it points to belongs to the caller.  discover.h describes the sweep.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_DISCOVER_CONF_H
#define HEDDLE_FABRIC_DISCOVER_DISCOVER_CONF_H

#include "fabric/snapshot/mkeys.h"

/* Whether a node accepts PORT_INFO_EXTENDED_SPEEDS.  NO: its CapabilityMask lacks the bit.
 * REFUSED: it has the bit, but the node refused the request. */
enum discover_extended { DISCOVER_EXTENDED_UNKNOWN, DISCOVER_EXTENDED_NO, DISCOVER_EXTENDED_YES,
	DISCOVER_EXTENDED_REFUSED };
/* A node GUID, and the port of a switch behind which the node with that GUID is. */
struct discover_place {
	uint64_t guid, at_guid;
	uint8_t at_port;
};

struct discover_conf {
	bool want_desc, want_pkeys, want_lft;
	/* With 'want_lft': leaves tables that are not cached to fabric/read/lft_read.h. */
	bool lft_later;
	/* false: reads PortInfo only where it shows links (not of port 0 and hosts) */
	bool want_ports;
	/* M_Keys for reading protected ports, which also renews the lease of the keys */
	struct mkeys mkeys;
	/* Maximum number of open requests, 0: no limit.  A few times txn's window keeps it busy.
	 * With fewer open requests, fewer links are queried from both ends at the same time. */
	uint32_t window;
	uint32_t target_base;           /* the requests' 'target' numbers begin here */
	/*
	 * For a part of the fabric: the sweep begins at the end of this route (0 hops: at our own
	 * port) and follows the links of nodes that are less than 'reach' links away from there;
	 * 0: of all nodes.  sm_port of the snapshot is the port where the route ends, which may
	 * not be our own.
	 */
	uint8_t from_hops, from[DGRAM_PATH_BYTES];
	unsigned reach;
	/* Returns the result for a node from an earlier sweep; may be NULL. */
	enum discover_extended (*known_extended)(void *arg, uint64_t node_guid);
	/* Returns the cached LFT of a switch from an earlier sweep: blocks * 64 bytes that do not
	 * change until discover_take() copies or holds them, or NULL.  Too few blocks for 'lft_top' count as
	 * NULL.  May be NULL. */
	const uint8_t *(*cached_lft)(void *arg, uint64_t node_guid, uint16_t lft_top,
		uint32_t *blocks);
	/* What cached_lft() returns is part of these, which the snapshot will hold instead of making
	 * a copy.  NULL: it is not. */
	struct fwd_rows *cached_rows;
	void *arg;
	/*
	 * True: keeps one node per GUID and one end port per port GUID.  Of several it keeps the
	 * one that 'known', or else 'before', has in that place, if it answers, or if its link is
	 * up although it does not answer.  If neither has the GUID: the one with the highest link
	 * state (a link that was never configured is INIT), then the one behind the switch with the
	 * lowest GUID, then behind its lowest port.  All others are left out and reported.  False:
	 * keeps the node found first, and all end ports.
	 */
	bool one_per_guid;
	const struct snapshot *before;  /* must not change until discover_take(); NULL: none */
	const struct discover_place *known;     /* copied */
	uint32_t nknown;
	/*
	 * For what has changed since an earlier snapshot: its nodes and links count as found, and
	 * only nodes with these node GUIDs are read, with what is new behind their ports
	 * (discover_spoiled()).  'seed' was made by discover_take(), must not change until the next
	 * call of it, and has no problems other than FAB_UNRESPONSIVE; forwarding tables of nodes
	 * that were not read (FAB_NODE_KEPT) are not copied, but remain those of the seed.  NULL: a
	 * whole discovery.
	 */
	const struct snapshot *seed;
	const uint64_t *suspects;       /* used only by discover_new() */
	uint32_t nsuspects;
};

#endif
