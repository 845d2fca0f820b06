/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * message.h - the format of umad messages between the shim and the emulated kernel.
 * Room: sim/ring.  Pure.
 *
 * The shim (sim/shim) exchanges messages with the emulated kernel (sim/kmad) in records of shared
 * memory (ring.h).  This file defines the address of a message and the size limits for both ends.
 */
#ifndef HEDDLE_SIM_RING_MESSAGE_H
#define HEDDLE_SIM_RING_MESSAGE_H

#include <stdint.h>

#define MESSAGE_AGENTS 32               /* of one open device; ids are 0..31 */
#define MESSAGE_MAD_BYTES 256
#define MESSAGE_BYTES_MAX (64u << 20)   /* of one RMPP message */

/* The address in a umad header, in host order.  Without padding, because it is sent in shared
 * memory. */
struct message_addr {
	uint32_t qpn, qkey, flow_label;
	uint16_t lid, pkey_index;
	uint8_t sl, path_bits;
	uint8_t grh;                    /* 0 or not */
	uint8_t gid_index, hop_limit, traffic_class, pad[2];
	uint8_t gid[16];
};
_Static_assert(sizeof(struct message_addr) == 40, "no padding");

#endif
