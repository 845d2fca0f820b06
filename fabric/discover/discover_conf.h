/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_conf.h - what the caller of a discovery chooses, and what it remembers for it.
 * Room: fabric/discover.  Pure.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_DISCOVER_CONF_H
#define HEDDLE_FABRIC_DISCOVER_DISCOVER_CONF_H

#include "fabric/snapshot/mkeys.h"

/* Whether a node takes PORT_INFO_EXTENDED_SPEEDS.  NO: its CapabilityMask does not say so;
 * REFUSED: it does, but the node refused it. */
enum discover_extended { DISCOVER_EXTENDED_UNKNOWN, DISCOVER_EXTENDED_NO, DISCOVER_EXTENDED_YES,
	DISCOVER_EXTENDED_REFUSED };
/* A node GUID, and the port of a switch behind which the node with that GUID is. */
struct discover_place {
	uint64_t guid, at_guid;
	uint8_t at_port;
};

struct discover_conf {
	bool want_desc, want_pkeys, want_lft;
	/* false: PortInfo only where it tells what is cabled (not port 0, not hosts) */
	bool want_ports;
	/* for reading protected ports, and for renewing the lease of their keys */
	struct mkeys mkeys;
	/* Questions open at once, 0 no limit.  A few times txn's window keeps it busy, and the
	 * fewer are open, the fewer cables are looked at from both ends at the same time. */
	uint32_t window;
	uint32_t target_base;           /* the requests' 'target' numbers begin here */
	/*
	 * A part of the fabric: the sweep begins at the end of this route (0 hops: at our own port)
	 * and looks behind ports of nodes less than 'reach' cables away from there; 0: of all.
	 * sm_port of the snapshot is then where the route ends, which need not be ours.
	 */
	uint8_t from_hops, from[DGRAM_PATH_BYTES];
	unsigned reach;
	/* What is known of a node from an earlier sweep; may be NULL. */
	enum discover_extended (*known_extended)(void *arg, uint64_t node_guid);
	/* Remembers the LFT of a switch from an earlier sweep: returns blocks * 64 bytes that
	 * stay as they are until discover_take() (which copies them), or NULL.  Too few blocks
	 * for 'lft_top' count as NULL.  May be NULL. */
	const uint8_t *(*remembered_lft)(void *arg, uint64_t node_guid, uint16_t lft_top,
		uint32_t *blocks);
	void *arg;
	/*
	 * One node for each GUID, one end port for each port GUID: of several, the one that
	 * 'before' (or 'known', which counts first) has in that place stays, if it still answers;
	 * it also stays while its link is up and it is silent.  Where neither knows the GUID: the
	 * one whose link is furthest up (a link that was never configured is INIT), then the one
	 * behind the switch with the lowest GUID, then behind its lowest port.  All others are left
	 * out and reported.  False: the node that was met first; end ports all stay.
	 */
	bool one_per_guid;
	const struct snapshot *before;  /* stays as it is until discover_take(); NULL: none */
	const struct discover_place *known;     /* copied */
	uint32_t nknown;
};

#endif
