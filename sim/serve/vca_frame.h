/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca_frame.h - the frames between a virtual channel adapter and the simulated fabric.
 * Room: sim/serve.  The kernel module of tests/lab/kmod shares the file, so it includes no header
 * of Heddle.
 *
 * A virtual adapter (VCA) is one open descriptor: of the module's character device, or of a socket
 * whose other end acts as the module.  VCA_CREATE makes the adapter (on a socket: struct vca_create
 * as the first message), and closing the descriptor removes it.  After VCA_CREATE every read
 * returns, and every write accepts, exactly one frame of VCA_FRAME_BYTES; multi-byte fields are
 * big-endian.  A write fails with EINVAL if the frame is invalid, with EAGAIN while the adapter
 * cannot receive.
 *
 * The frames; "out" is from the adapter to the fabric, "in" the other direction:
 *
 *	MAD	both	a packet as on the link; a directed route has its hop pointer there
 *	SET	out	a Set that the adapter's agent has executed: attribute, modifier, 64 bytes
 *	PORT	out	PortInfo, after something other than a Set has changed its capabilities
 *	LINK	in	PortInfo as the link defines it: state DOWN or INIT, physical state, active
 *			width and speeds
 *
 * Every frame names the port.  LIFE counts the changes of a port's link, from 1.  A SET or PORT
 * frame carries the last LIFE that the adapter received; with an older LIFE it must not change the
 * state of a link that has been down since.
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
	/* SET, PORT, LINK; all other bytes are 0 */
	VCA_AT_ATTR = 4, VCA_AT_MODIFIER = 8, VCA_AT_LIFE = 12, VCA_AT_DATA = 64,
	VCA_GRH_BYTES = 40, VCA_MAD_BYTES = 256, VCA_DATA_BYTES = 64,
	VCA_FRAME_BYTES = 320,
};

#define VCA_FLAG_GRH 1                  /* the GRH is there */

/* The initial state of the adapter. */
struct vca_create {
	__u32 version;                  /* VCA_VERSION */
	__u32 nports;                   /* 1 to VCA_PORTS, and NodeInfo.NumPorts */
	__u64 port_guid[VCA_PORTS];
	/* images; LocalPortNum and PortGUID are filled in port by port */
	__u8 node_info[40];
	__u8 node_desc[64];
	__u8 port_info[VCA_PORTS][64];
};
_Static_assert(sizeof(struct vca_create) == 256, "the same in kernel and server");

/* Returns 0, -EINVAL for invalid data, or -EEXIST if the descriptor is an adapter already. */
#define VCA_CREATE _IOW('H', 0x51, struct vca_create)

#endif
