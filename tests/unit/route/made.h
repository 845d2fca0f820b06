/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * made.h - snapshots for tests: from a generator's SPEC, damaged and shuffled on demand.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_MADE_H
#define HEDDLE_TESTS_UNIT_ROUTE_MADE_H

#include "fabric/snapshot/snapshot.h"

struct made_how {
	unsigned cut_percent;           /* links between switches that are taken away */
	uint32_t seed;                  /* which ones; also the GUIDs when 'scramble' */
	bool shuffle;                   /* ports[] in another order, as another discovery would find them */
	uint32_t shuffle_seed;
	bool scramble;                  /* GUIDs dealt out at random */
	uint16_t lft_cap;               /* 0: 0xC000 */
};

/* Fails the test when the SPEC is not one. 'how' may be NULL. */
struct snapshot *made_snapshot(const char *spec, const struct made_how *how);
/* A fixed generator: equal seeds, equal numbers. */
uint32_t made_random(uint32_t *state);
void made_free(struct snapshot *s);
/* Takes away the link at a port, if there is one. */
void made_unplug(struct snapshot *s, uint32_t port);
/* Exchanges the links of two ports that are not linked to each other; one of them may have none. */
void made_exchange(struct snapshot *s, uint32_t a, uint32_t b);
/* True when every switch reaches every other by some links. */
bool made_connected(const struct snapshot *s);
/* Hops from switch to switch (ordinals) by a plain search; UINT32_MAX: no path. */
uint32_t made_hops(const struct snapshot *s, uint32_t from, uint32_t to);

#endif
