/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca_frame.h - the wire between a virtual channel adapter and the simulated fabric.
 * Shared by sim/serve (room of this file) and the kernel module of tests/lab/kmod, which is why it
 * includes nothing of ours.
 *
 * A virtual adapter (VCA) is one open descriptor: of the module's character device, or of a socket
 * whose other end plays the module.  It is made by VCA_CREATE (a socket: by sending struct
 * vca_create as its first message) and gone when the descriptor is closed.  After that every read
 * gives, and every write takes, exactly one frame of VCA_FRAME_BYTES, multi-byte fields big-endian.
 * A write fails with EINVAL if the frame makes no sense, with EAGAIN while the adapter cannot
 * receive.
 *
 *	kind	way	port	what
 *	MAD	both	its	a packet as it is on the cable.  A directed route has the hop pointer that it has there.
 *	SET	out	its	a Set that the adapter's agent has carried out: attribute, modifier, the 64 bytes that were sent.
 *	PORT	out	its	PortInfo as it is, after something other than a Set has changed its capabilities.
 *	LINK	in	its	PortInfo as the cable makes it: state DOWN or INIT, physical state, width and speeds in use.
 *
 * LIFE counts the changes of a port's link, from 1.  A SET or PORT frame carries the one that the
 * adapter knew: an older one must not move the state of a link that has been down since.
 */
#ifndef HEDDLE_SIM_SERVE_VCA_FRAME_H
#define HEDDLE_SIM_SERVE_VCA_FRAME_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define VCA_VERSION 1
#define VCA_DEVICE "/dev/heddle-vca"
#define VCA_PORTS 2                     /* at most */

enum vca_kind { VCA_MAD = 1, VCA_SET, VCA_PORT, VCA_LINK };

enum {
	VCA_AT_VERSION = 0, VCA_AT_KIND = 1, VCA_AT_PORT = 2,
	/* MAD */
	VCA_AT_SL = 3, VCA_AT_SLID = 4, VCA_AT_DLID = 6, VCA_AT_SRC_QP = 8, VCA_AT_DST_QP = 12,
		VCA_AT_QKEY = 16, VCA_AT_PKEY = 20,
	VCA_AT_FLAGS = 22, VCA_AT_ZERO = 23, VCA_AT_GRH = 24, VCA_AT_MAD = 64,
	/* SET, PORT, LINK; what is not named is 0 */
	VCA_AT_ATTR = 4, VCA_AT_MODIFIER = 8, VCA_AT_LIFE = 12, VCA_AT_DATA = 64,
	VCA_GRH_BYTES = 40, VCA_MAD_BYTES = 256, VCA_DATA_BYTES = 64,
	VCA_FRAME_BYTES = 320,
};

#define VCA_FLAG_GRH 1                  /* the GRH is there */

/* What the adapter is born as. */
struct vca_create {
	__u32 version;                  /* VCA_VERSION */
	__u32 nports;                   /* 1 to VCA_PORTS, and NodeInfo.NumPorts */
	__u64 port_guid[VCA_PORTS];
	/* images; LocalPortNum and PortGUID are filled in port by port */
	__u8 node_info[40];
	__u8 node_desc[64];
	__u8 port_info[VCA_PORTS][64];
};
_Static_assert(sizeof(struct vca_create) == 256, "the same for all who share it");

/* 0; -EINVAL: makes no sense; -EEXIST: this descriptor is an adapter already. */
#define VCA_CREATE _IOW('H', 0x51, struct vca_create)

#endif
