/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * soft.h - software adapters on one wire, with the semantics that the InfiniBand architecture
 * asks for.
 * Room: verbs/soft.  Pure: no clock, no thread, no global state.  Two worlds with the same
 * options and the same calls give the same results, to the packet.
 */
#ifndef HEDDLE_VERBS_SOFT_SOFT_H
#define HEDDLE_VERBS_SOFT_SOFT_H

#include "verbs/ops.h"

struct soft_options {
	uint64_t seed;                  /* of the faults by chance */
	/* "soft0", "soft1", ..., of two ports each; 0: two devices */
	unsigned devices;
	uint32_t latency_ns;            /* from port to port; 0: 600 */
	uint32_t rate_mbps;             /* of every port; 0: 100,000 */
};

/* A world of its own; 'o' may be NULL.  world->ops->world_free() ends it. */
struct verbs_world *soft_world_new(const struct soft_options *o);

/* Lets a packet arrive that a hook took from another world's port: whole, local route header to
 * VCRC, copied.  It goes to the port that it is addressed to, when time goes on; any bytes may
 * be given, and what is no packet is dropped. */
void soft_arrive(struct verbs_world *w, const uint8_t *packet, size_t bytes);

#endif
