/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * probes.h - finds the port of a switch that has changed.
 * Room: sm/watch.  Pure.
 *
 * A trap 128 names a switch, but no port.  The first trap causes a sweep, which reads every port.
 * If a switch sends more traps, a probe reads its ports between sweeps, and the changes are counted
 * for each link (flaps.h).  Once a link of the switch flaps, traps of the switch cause no sweep:
 * the probe reads the ports, and only a change of another port causes a sweep.
 */
#ifndef HEDDLE_SM_WATCH_PROBES_H
#define HEDDLE_SM_WATCH_PROBES_H

#include "sm/subnet/subnet.h"

struct flaps;
struct missing;
struct probes;

/* Borrows both. */
struct probes *probes_new(struct flaps *flaps, const struct missing *missing);
void probes_free(struct probes *x);             /* NULL is fine */
/* Clears all probes and all flapping links. */
void probes_reset(struct probes *x);
/*
 * A trap 128, or a light sweep (tid 0), reports that a port of that node of the served snapshot has
 * changed.  True: the node has a flapping link, so a probe reads its ports, and requests a sweep
 * only for a change of another link.  False: the caller requests a sweep.
 */
bool probes_trap(struct probes *x, const struct subnet *net, uint32_t node, uint64_t tid);
/* A sweep that began at 'began' has read all ports of 's', except of nodes that it kept. */
void probes_swept(
	struct probes *x, struct subnet *net, const struct snapshot *s, struct monotime began);
/* Sends requests that are due.  'idle': no sweep is in progress. */
void probes_pump(struct probes *x, struct subnet *net, bool idle);
void probes_on_end(struct probes *x, struct subnet *net, const struct txn_end *e);
bool probes_deadline(
	const struct probes *x, const struct subnet *net, bool idle, struct monotime *at);

#endif
