/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * backend.h - selects the back end of a command.
 * Room: verbs/backend (prefix verbs_backend_).
 *
 * The programs above know verbs/ops.h only.  This room alone knows which back ends exist: it
 * turns the argument of --backend into a world with a device, and answers the few questions that
 * differ between them (driver, emulation, connection by rdma_cm).  A new back end implements
 * verbs/ops.h in a room of its own and gets a word here.
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
	/* as in the specification; "": none named, use the first */
	char device[VERBS_DEVICE_BYTES];
	uint8_t port;                   /* likewise; 0: none */
};

/* Makes the world that 'spec' names: "soft" (in this process, seeded with 'seed'), "verbs"
 * (libibverbs), "verbs:DEVICE", "verbs:DEVICE:PORT".  On failure 'why' (VERBS_WHY_BYTES) is one
 * sentence. -EINVAL: unknown back end, or malformed (exit 2).  -ENOENT: libibverbs is not
 * installed.  -ENODEV: no device, or not the named one.  -EACCES and others: the device cannot
 * be opened (all exit 255). */
int verbs_backend_find(const char *spec, uint64_t seed, struct verbs_choice *c, char *why);

/* Opens the device of the choice with its port, or the first device.  Errors as above. */
int verbs_backend_open(const struct verbs_choice *c, struct verbs_dev **dev, char *why);

/* The driver of a device: "soft", "rxe", "siw", or the kernel's name ("mlx5_core"); "unknown".
 * Valid as long as the device. */
const char *verbs_backend_provider(const struct verbs_dev *dev);

/* True when the device's queue pairs can be connected through rdma_cm only (iWARP). */
bool verbs_backend_needs_cm(const struct verbs_dev *dev);

/* NULL, or one sentence that says why speeds of the device mean nothing.  Valid as long as the
 * device. */
const char *verbs_backend_emulated(const struct verbs_dev *dev);

/* Software adapters of two processes can share one wire: a hook (ops->hook) takes and drops the
 * packets that leave a port, and this function delivers the packets of the other process to the
 * ports that they are addressed to.  The caller must not advance the clock faster than real
 * time. Total: accepts any bytes and drops what is not a packet. */
void verbs_backend_arrive(struct verbs_world *w, const uint8_t *packet, size_t bytes);
/* True for a world in which verbs_backend_arrive() has an effect. */
bool verbs_backend_is_soft(const struct verbs_world *w);
/* A world of software adapters for one end of a tunnel. */
struct verbs_world *verbs_backend_tunnel_world(uint64_t seed);

#endif
