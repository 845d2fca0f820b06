/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * targeted.h - targeted sweeps: read only the nodes that were reported, and what changed there.
 * Room: sm/sweep.  Pure.
 *
 * A trap or a light sweep names a switch.  A targeted sweep takes the served snapshot, reads that
 * switch again and follows what is new behind its ports (discover_conf.seed); all later steps are
 * those of a whole sweep.  Its cost depends on what has changed, not on the size of the fabric.
 *
 * Invariant: the snapshot it makes is the one that a whole sweep would make.  Where that is not
 * sure, the sweep is whole: before it begins (targeted_refusal()), or because what was read
 * contradicts the served snapshot or a request failed (begin.h).  The log says why.  A
 * targeted sweep that leaves a new problem is followed by a whole one.
 */
#ifndef HEDDLE_SM_SWEEP_TARGETED_H
#define HEDDLE_SM_SWEEP_TARGETED_H

#include "sm/sweep/sweep_parts.h"

/* Why the next sweep must be whole, static text; NULL: one that reads only the nodes in
 * schedule.places is sufficient. */
const char *targeted_refusal(const struct sweep *w);
/* Of a fresh snapshot: why a whole sweep is needed, static text; NULL: it is not. */
const char *targeted_contradiction(const struct snapshot *fresh);
#endif
