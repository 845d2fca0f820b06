/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca_wire.h - frames of virtual adapters, to and from bytes (sim/serve/vca_frame.h).
 * Room: sim/serve.  Pure.
 *
 * vca_frame.h has the layout, which the kernel module shares; here a frame becomes a struct in host
 * order and back.  A frame comes from outside the program, so decoding checks its length, version,
 * kind and reserved bytes.  vca.c is the user: it checks ports and addresses and hands packets to
 * sim/hw.
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

/* Writes a whole frame; unused bytes are 0. */
void vca_frame_encode(uint8_t w[static VCA_FRAME_BYTES], const struct vca_frame *f);
/* Reads a frame of 'bytes' bytes.  Returns 0, or -EBADMSG for another length or version, an unknown
 * kind, or reserved bytes that are not 0.  The caller checks ports and addresses. */
int vca_frame_decode(const uint8_t *w, size_t bytes, struct vca_frame *f);

/*
 * Convert the hop pointer of a directed-route SMP between its value at the interface of sim/hw and
 * its value on the link of the adapter: vca_route_to_cable() for a packet that arrives at the
 * adapter, vca_route_from_cable() for one that leaves it.  Other MADs do not change.
 */
void vca_route_to_cable(uint8_t mad[256]);
void vca_route_from_cable(uint8_t mad[256]);

#endif
