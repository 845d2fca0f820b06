/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * changes.h - a random fabric in which things happen: cables are pulled, plugged, moved, nodes are
 * switched off and on, keep silent, and answer again.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_DISCOVER_CHANGES_H
#define HEDDLE_TESTS_UNIT_FABRIC_DISCOVER_CHANGES_H

#include "tests/unit/fabric/discover/sweeps.h"

#define CHANGES_SUSPECTS 64

struct cable {
	uint32_t a, b;                  /* nodes of the topology */
	uint8_t pa, pb;
	bool in;                        /* plugged, unless one of the nodes is off */
};

struct changes {
	struct fake f;
	uint64_t rnd;
	struct cable *cables;
	uint32_t ncables;
	bool *off, *mute;               /* by node */
	/* pulled when so many questions were asked, and plugged again after the discovery */
	uint32_t pull, when;
	uint64_t asked;                 /* a number made from all questions, in their order */
	uint64_t suspects[CHANGES_SUSPECTS];    /* of what has happened since changes_forget() */
	uint32_t nsuspects;
};

/* Switches with random cables, adapters with one or two ports; some are off at first. */
void changes_begin(struct changes *c, uint64_t seed);
void changes_end(struct changes *c);
uint32_t changes_random(struct changes *c, uint32_t n);
/* Something happens; the switches that would report it are suspects. */
void changes_happen(struct changes *c);
/* This happens: a node is switched off, or on; a cable is plugged, or pulled. */
void changes_switch(struct changes *c, uint32_t node);
void changes_cable(struct changes *c, uint32_t cable, bool in);
void changes_forget(struct changes *c);
/* What a targeted discovery finds.  'whole': everything is copied and sealed as after a whole
 * discovery. */
struct snapshot *changes_discover(struct changes *c, const struct snapshot *seed, bool whole);

#endif
