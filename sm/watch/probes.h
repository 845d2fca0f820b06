/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * probes.h - which port of a switch has changed.
 * Room: sm/watch.  Pure.
 *
 * A trap 128 names a switch and no port.  The first one causes a sweep, which reads every port.  A
 * switch that sends more of them is asked for its ports between sweeps, so that changes are counted
 * link by link (flaps.h).  Once one of its links flaps, its traps cause no sweeps any more: it is
 * asked for its ports, and only a change of another port causes one.
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
/* No switch has sent a trap, no link flaps. */
void probes_reset(struct probes *x);
/*
 * A trap 128, or a light sweep (tid 0), says that a port of that node of the served snapshot has
 * changed.  True: it is looked at, and swept for only if the change is not that of a flapping link.
 */
bool probes_trap(struct probes *x, const struct subnet *net, uint32_t node, uint64_t tid);
/* A sweep that began at 'began' has read all ports of 's'. */
void probes_swept(
	struct probes *x, struct subnet *net, const struct snapshot *s, struct monotime began);
/* 'idle': no sweep is under way. */
void probes_pump(struct probes *x, struct subnet *net, bool idle);
void probes_on_end(struct probes *x, struct subnet *net, const struct txn_end *e);
bool probes_deadline(
	const struct probes *x, const struct subnet *net, bool idle, struct monotime *at);

#endif
