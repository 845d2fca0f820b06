/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * soft.h - software adapters on one wire, with the semantics of the InfiniBand architecture.
 * Room: verbs/soft (prefix soft_).  Pure: no clock, no thread, no global state.  Two worlds with
 * the same options and the same calls give the same results, packet for packet.
 *
 * A world (world.c) is a virtual clock with timers, a set of adapters (device.c) and the wire
 * between them (port.c).  A work request goes from post.c to requester.c, which makes packets of
 * it; port.c sends them when their turn comes; receive.c hands those that arrive to responder.c,
 * uc.c or ud.c, and responses to response.c; answer.c sends what the responder owes; cq.c takes
 * the completions.  docs/softhca.md says what is implemented and what was decided where the
 * specification leaves a choice.
 */
#ifndef HEDDLE_VERBS_SOFT_SOFT_H
#define HEDDLE_VERBS_SOFT_SOFT_H

#include "verbs/ops.h"

struct soft_options {
	uint64_t seed;                  /* of the random faults */
	/* "soft0", "soft1", ..., of two ports each; 0: two devices */
	unsigned devices;
	uint32_t latency_ns;            /* from port to port; 0: 600 */
	uint32_t rate_mbps;             /* of every port; 0: 100,000 */
};

/* Makes an independent world; 'o' may be NULL.  world->ops->world_free() frees it. */
struct verbs_world *soft_world_new(const struct soft_options *o);

/* Injects a packet that a hook took from another world's port: whole, local route header to
 * VCRC; it is copied.  It arrives at the port that it is addressed to when time advances.  Any
 * bytes are accepted, and what is not a packet is dropped. */
void soft_arrive(struct verbs_world *w, const uint8_t *packet, size_t bytes);

#endif
