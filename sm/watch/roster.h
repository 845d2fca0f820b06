/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roster.h - which nodes and links a snapshot has, in a form that outlives it, and what differs
 * between two of them.
 * Room: sm/watch.  Pure.  Const once made; made on any thread.
 */
#ifndef HEDDLE_SM_WATCH_ROSTER_H
#define HEDDLE_SM_WATCH_ROSTER_H

#include "fabric/snapshot/snapshot.h"

#define ROSTER_NAME_BYTES (NODE_DESC_BYTES * 3 + 1)
#define ROSTER_PLACE_BYTES (ROSTER_NAME_BYTES + 16)

/* A node, and the port before it on the way from the SM; at_guid 0: the SM's own node. */
struct roster_node {
	uint64_t guid, at_guid;
	uint8_t at_port, port;          /* port: of the node itself */
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

/* What of 's' can be planned: nodes that were left out are not in it. */
struct roster *roster_new(const struct snapshot *s);
void roster_free(struct roster *r);             /* NULL is fine */
const struct roster_node *roster_find(const struct roster *r, uint64_t guid);

int roster_link_cmp(const struct roster_link *a, const struct roster_link *b);
/* Calls back for what one has and the other has not, both in ascending order. */
struct roster_differ {
	void (*lost_node)(void *arg, const struct roster_node *was);
	void (*new_node)(void *arg, const struct roster_node *is);
	void (*same_node)(void *arg, const struct roster_node *was, const struct roster_node *is);
	/* Both its nodes are still there. */
	void (*lost_link)(void *arg, const struct roster_link *was);
	/* Both its nodes were there already. */
	void (*new_link)(void *arg, const struct roster_link *is);
	void *arg;
};
void roster_compare(
	const struct roster *was, const struct roster *is, const struct roster_differ *d);

/* The description as printable text, or the GUID when there is none. */
const char *roster_name(uint64_t guid, const uint8_t desc[static NODE_DESC_BYTES],
	char buf[static ROSTER_NAME_BYTES]);
/* "leaf-1 port 3"; the name is that in 'r', else the GUID. */
const char *roster_place(
	const struct roster *r, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES]);

#endif
