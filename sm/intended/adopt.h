/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * adopt.h - how an intended topology changes: growth by rule, the rest on command.
 * Room: sm/intended (prefix intended_).  Pure.
 *
 * Three functions make another topology:
 * - intended_grow(), after every sweep, adds what moves no existing entry: hosts, and leaf switches
 *   below known switches.
 * - intended_rebalance(), on command, adds all growth, and keeps what is missing.  It numbers
 *   everything anew, so paths move.
 * - intended_learn() (intended.h), on command, learns the fabric as it is: what is missing is no
 *   longer intended.
 *
 * Invariant of intended_grow(): ranks, planes, dividers, leaf positions and ids of all switches
 * and hosts that stay are as before, and so are all links.  Damage is never adopted: the only host
 * that leaves is one whose port another host has taken.
 *
 * A new leaf switch is added if it has hosts; if all switches above it are known, of one rank, and
 * reached over ports that were free; if it has the rank of other leaves; and if it has no more
 * neighbours than the dividers above it allow.  Then no path between others leads through it, and
 * no number changes.
 */
#ifndef HEDDLE_SM_INTENDED_ADOPT_H
#define HEDDLE_SM_INTENDED_ADOPT_H

#include "sm/intended/intended.h"

struct intended_growth {
	uint32_t switches; /* new leaf switches */
	uint32_t hosts; /* new */
	uint32_t moved; /* known, at another port */
	/* missing hosts that are no longer intended, because another host has their port */
	uint32_t replaced;
};

/* NULL: there is nothing to adopt. */
struct intended *intended_grow(const struct intended *t, const struct snapshot *s,
	const struct intended_conf *c, struct intended_growth *g);
/* Learns the union of the topology and the fabric; if they contradict each other, the fabric is
 * used.  NULL: as intended_learn(). */
struct intended *intended_rebalance(
	const struct intended *t, const struct snapshot *s, const struct intended_conf *c);

#endif
