/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * class_info.c - ClassPortInfo: what this subnet administration can do.
 * Room: sm/sa.  Pure.
 */
#include <config.h>
#include "sm/sa/sa_int.h"

enum { CAP_MASK2_VALID = 1 << 2, CAP_UD_MULTICAST = 1 << 9, CAP_MULTIPATH = 1 << 10, CAP_PORT_INFO_MATCH = 1 << 13 };
/* Fields and rate codes that answers have, and that capability masks are matched by "has all of these". */
enum {
	CAP2_QOS = 1 << 1, CAP2_MFT_TOP = 1 << 3, CAP2_ALIAS_GUIDS = 1 << 5, CAP2_FULL_PORT_INFO = 1 << 6, CAP2_EXT_SPEEDS = 1 << 7,
	CAP2_PORT_INFO_MATCH2 = 1 << 10, CAP2_SEND_ONLY_FULL = 1 << 12, CAP2_2X = 1 << 13, CAP2_HDR = 1 << 15, CAP2_NDR = 1 << 17,
};

/* Nothing is redirected: the LID and GID that would say so are 0. */
uint16_t
sa_class_info(struct sa_ctx *c)
{
	struct class_port_info info = {
		.base_version = 1, .class_version = 2, .resp_time = c->x->v.resp_time & 0x1f,
		.capability_mask = CAP_MASK2_VALID | CAP_UD_MULTICAST | CAP_MULTIPATH | CAP_PORT_INFO_MATCH,
		.capability_mask2 = CAP2_MFT_TOP | CAP2_ALIAS_GUIDS | CAP2_FULL_PORT_INFO | CAP2_EXT_SPEEDS | CAP2_PORT_INFO_MATCH2 |
			CAP2_SEND_ONLY_FULL | CAP2_2X | CAP2_HDR | CAP2_NDR | (c->x->v.qos ? CAP2_QOS : 0),
		.redirect_qp = QPN_GSI, .redirect_qkey = QKEY_GSI, .trap_qkey = QKEY_GSI,
	};
	uint8_t w[CLASS_PORT_INFO_BYTES] = { 0 };

	class_port_info_encode(w, &info);
	sa_put_row(c, w, sizeof(w));
	return STATUS_OK;
}
