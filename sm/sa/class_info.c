/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * class_info.c - ClassPortInfo: the capabilities of this subnet administration.
 * Room: sm/sa.  Pure.
 */
#include <config.h>
#include "sm/sa/sa_int.h"

/* Nothing is redirected: LID and GID of the redirection are 0. */
uint16_t
sa_class_info(struct sa_ctx *c)
{
	struct class_port_info info = {
		.base_version = MAD_BASE_VERSION, .class_version = CLASS_VERSION_SA,
		.resp_time = c->x->v.resp_time & RESP_TIME_MAX,
		.capability_mask = CLASS_CAP_MASK2 | SA_CLASS_CAP_UD_MULTICAST |
			SA_CLASS_CAP_MULTIPATH | SA_CLASS_CAP_PORT_INFO_MATCH,
		/* fields and rate codes that answers have, and that masks are matched by "has all
		 * of these" */
		.capability_mask2 = SA_CLASS_CAP2_MFT_TOP | SA_CLASS_CAP2_ADDITIONAL_GUIDS |
			SA_CLASS_CAP2_FULL_PORT_INFO | SA_CLASS_CAP2_EXTENDED_SPEEDS |
			SA_CLASS_CAP2_PORT_INFO_MATCH2 | SA_CLASS_CAP2_SEND_ONLY_FULL |
			SA_CLASS_CAP2_WIDTH_2X | SA_CLASS_CAP2_HDR | SA_CLASS_CAP2_NDR |
			(c->x->v.qos ? SA_CLASS_CAP2_QOS : 0),
		.redirect_qp = QPN_GSI, .redirect_qkey = QKEY_GSI, .trap_qkey = QKEY_GSI,
	};
	uint8_t w[CLASS_PORT_INFO_BYTES] = { 0 };

	class_port_info_encode(w, &info);
	sa_put_row(c, w, sizeof(w));
	return STATUS_OK;
}
