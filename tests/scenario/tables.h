/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tables.h - the forwarding tables of the simulated switches at one time, and which paths of hosts
 * have moved since.
 * Room: tests.
 *
 * A path that is still there, hop by hop, and is not taken any more has moved needlessly, unless
 * it is left for an intended port.
 */
#ifndef HEDDLE_TESTS_SCENARIO_TABLES_H
#define HEDDLE_TESTS_SCENARIO_TABLES_H

#include "tests/scenario/world.h"

struct tables {
	uint32_t nnodes, stride;
	uint8_t *port; /* [node][LID]; 255 where there is no entry, and in nodes that are off */
};

/* Pairs of a host's leaf and another host. */
struct table_moves {
	uint64_t pairs; /* that had a path */
	uint64_t broken; /* whose path is not there any more */
	/* moved from a path that is there to the intended port of the switch where they part: from
	 * there on, more can be missing */
	uint64_t back;
	uint64_t needless; /* moved from a path that is there to any other, or none */
	uint64_t lost; /* connected to the fabric, and without a path now */
};

void tables_take(const struct world *w, struct tables *t);
void tables_clear(struct tables *t);
/* The next node and its port; false: the packet is lost there. */
bool tables_next(const struct world *w, const uint8_t *row, uint32_t node, uint16_t lid,
	uint32_t *next, uint8_t *port);
/* 'intended' may be NULL. */
void tables_moves(const struct world *w, const struct tables *before, const struct tables *now,
	const struct tables *intended, struct table_moves *m);

#endif
