/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca_wire.h - frames of virtual adapters, to and from bytes (sim/serve/vca_frame.h).
 * Room: sim/serve.  Pure.
 */
#ifndef HEDDLE_SIM_SERVE_VCA_WIRE_H
#define HEDDLE_SIM_SERVE_VCA_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include "sim/hw/hw.h"
#include "sim/serve/vca_frame.h"

struct vca_frame {
	uint8_t kind, port;
	struct hw_packet packet;        /* MAD */
	uint32_t life;                  /* SET, PORT, LINK, from here on */
	uint16_t attr_id;               /* SET */
	uint32_t modifier;
	uint8_t data[VCA_DATA_BYTES];
};

void vca_frame_encode(uint8_t w[static VCA_FRAME_BYTES], const struct vca_frame *f);
/* -EBADMSG: another length or version, no such kind, or bytes that must be 0.  The caller checks
 * ports and addresses. */
int vca_frame_decode(const uint8_t *w, size_t bytes, struct vca_frame *f);

/* The hop pointer of a directed route, between what a client of sim/hw hands in and gets and
 * what is on the adapter's cable: of a packet that arrives there, and of one that leaves. */
void vca_route_to_cable(uint8_t mad[256]);
void vca_route_from_cable(uint8_t mad[256]);

#endif
