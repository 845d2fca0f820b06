/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roster.h - the nodes and links of a snapshot, in a form that does not refer to it, and the
 * differences between two rosters.
 * Room: sm/watch.  Pure.  Const once made; made on any thread.
 *
 * A roster has GUIDs, ports and descriptions, no indices, so the roster of a sweep can be compared
 * with that of the sweep before after its snapshot was freed.  missing.h makes log lines from the
 * differences.
 */
#ifndef HEDDLE_SM_WATCH_ROSTER_H
#define HEDDLE_SM_WATCH_ROSTER_H

#include "fabric/snapshot/snapshot.h"

#define ROSTER_NAME_BYTES (NODE_DESC_BYTES * 3 + 1)
#define ROSTER_PLACE_BYTES (ROSTER_NAME_BYTES + 16)

/* A node, and the port before it on the route from the SM; at_guid 0: the SM's own node. */
struct roster_node {
	uint64_t guid, at_guid;
	uint8_t at_port, port;          /* port: the node's own port on that route */
	uint8_t type;
	uint8_t desc[NODE_DESC_BYTES];
};

/* A link: the end with the lower GUID, then the lower port, comes first. */
struct roster_end {
	uint64_t guid;
	uint8_t port;
};
struct roster_link {
	struct roster_end end[2];
};

struct roster {
	struct roster_node *nodes;      /* by GUID */
	struct roster_link *links;      /* by their ends */
	uint32_t nnodes, nlinks;
};

/* The nodes of 's' without those that were left out of the plan, and their links. */
struct roster *roster_new(const struct snapshot *s);
void roster_free(struct roster *r);             /* NULL is fine */
const struct roster_node *roster_find(const struct roster *r, uint64_t guid);

int roster_link_cmp(const struct roster_link *a, const struct roster_link *b);
/* Callbacks for the differences of two rosters, called in ascending order. */
struct roster_differ {
	void (*lost_node)(void *arg, const struct roster_node *was);
	void (*new_node)(void *arg, const struct roster_node *is);
	void (*same_node)(void *arg, const struct roster_node *was, const struct roster_node *is);
	/* A link is gone, and both its nodes are still present. */
	void (*lost_link)(void *arg, const struct roster_link *was);
	/* A link is new, and both its nodes were present before. */
	void (*new_link)(void *arg, const struct roster_link *is);
	void *arg;
};
void roster_compare(
	const struct roster *was, const struct roster *is, const struct roster_differ *d);

/* The description as printable text, or the GUID when there is none. */
const char *roster_name(uint64_t guid, const uint8_t desc[static NODE_DESC_BYTES],
	char buf[static ROSTER_NAME_BYTES]);
/* "leaf-1 port 3", with the name in 'r', or the GUID if 'r' does not have the node. */
const char *roster_place(
	const struct roster *r, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES]);

#endif
