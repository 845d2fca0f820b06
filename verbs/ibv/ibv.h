/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibv.h - the operations of verbs/ops.h over libibverbs, which is loaded when it is asked for: a
 * program that is linked with this starts without the library, and says what is missing.
 * Room: verbs/ibv (prefix ibvb_).
 *
 * In: the table's calls.  Out: libibverbs'.  Faults, hooks and knobs are -ENOTSUP: those are for
 * tc and ip, beside it.
 */
#ifndef HEDDLE_VERBS_IBV_IBV_H
#define HEDDLE_VERBS_IBV_IBV_H

#include <stddef.h>
#include <stdint.h>
#include "verbs/ops.h"

/* A world of all devices of this machine.  'why' (why_bytes) gets a sentence on failure.
 * -ENOENT: libibverbs cannot be loaded.  -ENODEV: there is no device (or no list of them). */
int ibvb_world_new(struct verbs_world **world, char *why, size_t why_bytes);

/* Makes port 'port' the one that 'dev' of a world from here is used by, and chooses its GID:
 * -ENODEV: no such port. */
int ibvb_use_port(struct verbs_dev *dev, uint8_t port);

/* "rxe", "siw", or the kernel driver's name; "unknown". */
const char *ibvb_provider(const struct verbs_dev *dev);
/* NULL, or a sentence: why its speeds mean nothing. */
const char *ibvb_emulated(const struct verbs_dev *dev);

/* True when the port speaks iWARP: connections come from rdma_cm only. */
bool ibvb_is_iwarp(const struct verbs_dev *dev);

/* The descriptor of its asynchronous events. */
int ibvb_async_fd(const struct verbs_dev *dev);

#endif
