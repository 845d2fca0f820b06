/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * intended.h - the intended topology: what the fabric is when nothing is broken.
 * Room: sm/intended (prefix intended_).  Pure: equal input gives equal bytes.
 *
 * Routing engines choose ports by formulas over ranks, planes, dividers and host ids.  If these
 * followed the present fabric, one lost link would change them everywhere, and nearly every path
 * would move.  So they are taken from the intended topology: learned from the first complete
 * sweep, stored, shared with the standby, and afterwards changed only by growth that moves no
 * path, or on command.  Damage never changes it.
 *
 * Invariant: switches are sorted by GUID, links by (a, aport), hosts by port GUID; so bisection
 * finds each, and two equal topologies are equal byte by byte.  Ranks, planes, dividers and ids are
 * stored, not derived again, so that growth does not move what exists.
 * Where to look next: learn.c (from a snapshot), sm/route/route.h (the engines that read it).
 */
#ifndef HEDDLE_SM_INTENDED_INTENDED_H
#define HEDDLE_SM_INTENDED_INTENDED_H

#include <stdbool.h>
#include "fabric/snapshot/snapshot.h"

#define INTENDED_NONE UINT32_MAX

struct intended_switch {
	uint64_t guid, system_guid;
	uint16_t rank;                  /* hops from the nearest root; 0: a root */
	uint8_t nports;
	/* Order of preference among the neighbours of a switch: those that belong to one plane
	 * (the same least switch at the top) follow each other.  Unique. */
	uint32_t plane;
	/* Product of the numbers of up groups on the path from the leaves; 1 for a leaf. */
	uint32_t divider;
	uint32_t leaf;                  /* position in the order of leaves; INTENDED_NONE: no hosts */
};

/* A link between two switches, once: a < b (indices into sw[]). */
struct intended_link {
	uint32_t a, b;
	uint8_t aport, bport;
};

enum intended_kind { INTENDED_COMPUTE, INTENDED_IO, INTENDED_OTHER, INTENDED_KINDS };

struct intended_host {
	uint64_t guid;                  /* of the port */
	uint32_t sw;                    /* index into sw[] */
	uint8_t port;                   /* of that switch */
	uint8_t kind;                   /* enum intended_kind; ids count within a kind */
	uint32_t id;                    /* leaves that share a subtree have adjacent ids */
};

struct intended {
	struct arena arena;             /* owns all arrays */
	uint32_t nsw, nlinks, nhosts;
	struct intended_switch *sw;
	struct intended_link *links;
	struct intended_host *hosts;
	/* "given", "histogram", "tree", "center"; static text */
	const char *root_rule;
};

/* The configuration for learning a fabric.  All lists may be empty. */
struct intended_conf {
	const uint64_t *roots;          /* node GUIDs of root switches; none: found by rule */
	uint32_t nroots;
	/* port or node GUIDs of compute hosts (none: all hosts that are not in 'io') and of
	 * hosts for input and output */
	const uint64_t *compute, *io;
	uint32_t ncompute, nio;
};

/* The intended topology of a fabric that is whole now.  'c' may be NULL.  NULL: there is no
 * switch, or none of the given roots is one.  The caller frees it. */
struct intended *intended_learn(const struct snapshot *s, const struct intended_conf *c);
/* Frees the topology; NULL is fine. */
void intended_free(struct intended *t);
/* The index of a switch, or of a host, by its GUID or port GUID; INTENDED_NONE: unknown. */
uint32_t intended_switch_find(const struct intended *t, uint64_t guid);
uint32_t intended_host_find(const struct intended *t, uint64_t port_guid);

/* Whether 'n' elements are equal, member by member: the bytes between members may have any value. */
bool intended_switches_equal(
	const struct intended_switch *a, const struct intended_switch *b, uint32_t n);
bool intended_links_equal(
	const struct intended_link *a, const struct intended_link *b, uint32_t n);
bool intended_hosts_equal(
	const struct intended_host *a, const struct intended_host *b, uint32_t n);

#endif
