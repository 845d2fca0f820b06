/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check.h - checks that an intended topology is consistent, and finds the use of its ports.
 * Room: sm/intended, private.  Pure.
 *
 * Invariant: in a valid topology each port of a switch is used at most once, for a link or for a
 * host.  struct intended_ports has the use of each port, so that no search is needed.
 */
#ifndef HEDDLE_SM_INTENDED_CHECK_H
#define HEDDLE_SM_INTENDED_CHECK_H

#include "sm/intended/intended.h"

/* Sorts links and hosts, and checks that GUIDs, planes, leaf positions, ids and ports are unique.
 * False with a sentence in 'why' (INTENDED_WHY_BYTES).  Switches are sorted and all indices and
 * port numbers within bounds. */
bool intended_check(struct intended *t, char *why);

/* The uses of all ports. */
struct intended_ports {
	uint32_t *first; /* per switch: where its port 1 is in use[] */
	/* 0: not used; 2 * index + 1: that link; 2 * index + 2: that host */
	uint32_t *use;
};

/* Owned by 'a'.  False: '*sw' and '*port' are used twice. */
bool intended_ports_make(const struct intended *t, struct arena *a, struct intended_ports *out,
	uint32_t *sw, uint8_t *port);

static inline uint32_t
intended_port_use(const struct intended_ports *u, uint32_t sw, uint8_t port)
{
	return u->use[u->first[sw] + port - 1];
}

static inline bool
intended_use_is_host(uint32_t use)
{
	return use && use % 2 == 0;
}

static inline bool
intended_use_is_link(uint32_t use)
{
	return use % 2 == 1;
}

/* The index of the link or host of a use that is not 0. */
static inline uint32_t
intended_use_index(uint32_t use)
{
	return (use - 1) / 2;
}

#endif
