/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibv.h - the operations of verbs/ops.h over libibverbs.
 * Room: verbs/ibv (prefix ibvb_).
 *
 * libibverbs is loaded at run time: a program linked with this room starts without the library
 * and reports what is missing.  world.c has the devices, probe.c their capabilities, memory.c
 * and queue.c the objects, load.c and lib.c the loading; rcm.h is librdmacm in the same way.
 * Faults, hooks and knobs return -ENOTSUP: use tc and ip for those.
 */
#ifndef HEDDLE_VERBS_IBV_IBV_H
#define HEDDLE_VERBS_IBV_IBV_H

#include <stddef.h>
#include <stdint.h>
#include "verbs/ops.h"

/* Makes a world of all devices of this machine.  'why' (why_bytes) is a sentence on failure.
 * -ENOENT: libibverbs cannot be loaded.  -ENODEV: there is no device (or no list of them). */
int ibvb_world_new(struct verbs_world **world, char *why, size_t why_bytes);

/* Selects port 'port' of 'dev' for later use, and chooses its GID.  -ENODEV: no such port. */
int ibvb_use_port(struct verbs_dev *dev, uint8_t port);

/* "rxe", "siw", or the kernel driver's name; "unknown". */
const char *ibvb_provider(const struct verbs_dev *dev);
/* NULL, or a sentence that says why the device's speeds mean nothing. */
const char *ibvb_emulated(const struct verbs_dev *dev);

/* True when the port is iWARP: it connects through rdma_cm only. */
bool ibvb_is_iwarp(const struct verbs_dev *dev);

/* The descriptor of the device's asynchronous events. */
int ibvb_async_fd(const struct verbs_dev *dev);

#endif
