/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * backend.h - which world a command works in: what follows --backend, and what is to be said
 * about its devices.
 * Room: verbs/backend.
 */
#ifndef HEDDLE_VERBS_BACKEND_BACKEND_H
#define HEDDLE_VERBS_BACKEND_BACKEND_H

#include <stddef.h>
#include <stdint.h>
#include "verbs/ops.h"

#define VERBS_BACKEND_HELP "soft, verbs, or verbs:DEVICE[:PORT]"
#define VERBS_DEVICE_BYTES 64
#define VERBS_WHY_BYTES 256

struct verbs_choice {
	struct verbs_world *world;      /* free with world->ops->world_free(world) */
	/* as in the specification; "" when it names none: the first */
	char device[VERBS_DEVICE_BYTES];
	uint8_t port;                   /* likewise; 0: none */
};

/*
 * Makes the world that 'spec' names: "soft" (in this process, seeded with 'seed'), "verbs"
 * (libibverbs), "verbs:DEVICE", "verbs:DEVICE:PORT".  'why' (VERBS_WHY_BYTES) gets one sentence
 * on failure. -EINVAL: no such back end, or malformed (exit 2).  -ENOENT: libibverbs is not
 * installed.  -ENODEV: no device, or not that one.  -EACCES and others: the device cannot be
 * opened (all exit 255).
 */
int verbs_backend_find(const char *spec, uint64_t seed, struct verbs_choice *c, char *why);

/* Opens the device of the choice with its port, or the first one; as above. */
int verbs_backend_open(const struct verbs_choice *c, struct verbs_dev **dev, char *why);

/* The driver behind a device: "soft", "rxe", "siw", or the kernel's name ("mlx5_core");
 * "unknown".  Valid as long as the device. */
const char *verbs_backend_provider(const struct verbs_dev *dev);

/* True when its queue pairs can be connected through rdma_cm only (iWARP). */
bool verbs_backend_needs_cm(const struct verbs_dev *dev);

/* NULL, or why speeds of the device mean nothing: one sentence.  Valid as long as the device. */
const char *verbs_backend_emulated(const struct verbs_dev *dev);

/*
 * The software adapters of two processes can be on one wire: a hook (ops->hook) takes what
 * leaves a port and drops it, and what the other process sent arrives by this at the port that
 * it is addressed to.  The clock is then to be moved no faster than real time. Total: any bytes;
 * what is no packet is dropped.
 */
void verbs_backend_arrive(struct verbs_world *w, const uint8_t *packet, size_t bytes);
/* True for a world where verbs_backend_arrive() does something. */
bool verbs_backend_is_soft(const struct verbs_world *w);
/* A world of software adapters for one end of a tunnel. */
struct verbs_world *verbs_backend_tunnel_world(uint64_t seed);

#endif
