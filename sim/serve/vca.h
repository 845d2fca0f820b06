/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca.h - nodes of the fabric that are adapters of this machine's kernel: virtual channel adapters.
 * Room: sim/serve.
 * In: frames of a device.  Out: frames, and packets for sim/hw.
 *
 * The device belongs to the kernel module (tests/lab/kmod), or is a socket whose other end acts
 * as the module.  The device's agent answers SMPs and its kernel runs the programs; sim/hw
 * simulates everything between adapters.  A node that is switched off has no device, so its
 * adapter is removed from the kernel.  vca_frame.h has the frames, vca.c carries them, vca_wire.c
 * decodes them.
 */
#ifndef HEDDLE_SIM_SERVE_VCA_H
#define HEDDLE_SIM_SERVE_VCA_H

#include <jansson.h>
#include "sim/serve/server.h"
#include "sim/serve/vca_frame.h"

#define VCA_WHY 256

struct vca_stats {
	uint64_t in, out;               /* frames from and to the device */
	/* invalid frames, and packets that no kernel would send */
	uint64_t refused;
	uint64_t lost;                  /* frames that the device did not accept */
};

/* Gives the nodes 'names' ("host-0,host-1") to 'device'.  0 or a negative errno and a sentence. */
int vca_add(struct server *s, const char *device, const char *names, char why[VCA_WHY]);
/* Opens the devices, after the loop exists.  0 or a negative errno, reported on standard error. */
int vca_start(struct server *s);
/* Passes packets of the fabric to the devices. */
void vca_flush(struct server *s);
void vca_close_all(struct server *s);
/* For `ctl stats`: counters by id of the node; NULL if there are none. */
json_t *vca_json(const struct server *s);

#endif
