/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gmp.c - the answer to a request on QP1, for the agents of all classes.
 * Room: sim/agents.  Pure.
 */
#include <config.h>
#include "sim/agents/agents.h"

void
gmp_answer(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, uint16_t status)
{
	uint8_t *m = p->mad, method = dgram_method(m), gid[16];
	uint16_t lid = p->slid;
	uint32_t qp = p->src_qp;

	dgram_set_status(m, status);
	dgram_set_method(m, method == METHOD_SET ? METHOD_GET_RESP : method | METHOD_RESP);
	p->slid = p->dlid;
	p->dlid = lid;
	p->src_qp = p->dst_qp;
	p->dst_qp = qp;
	p->pkey = pkey_match(h, node, hw_agent_port(h, node, port)->num, p->pkey);
	if (p->grh) {
		memcpy(gid, p->sgid, 16);
		memcpy(p->sgid, p->dgid, 16);
		memcpy(p->dgid, gid, 16);
		p->hop_limit = 64;
	}
}
