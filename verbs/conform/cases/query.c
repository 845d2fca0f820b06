/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * query.c - area query: attributes of device, port and tables, and whether limits are enforced.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"

static void
run_device(struct kit *k, const struct conform_case *c)
{
	struct ibv_device_attr a;

	(void)c;
	memset(&a, 0, sizeof(a));
	if (!kit_must(k, "query_device", k->ops->query_device(k->a.dev, &a)))
		return;
#define POSITIVE(member) do { if (a.member <= 0) kit_say(k, #member " %ld", (long)a.member); \
	} while (0)
	POSITIVE(max_qp);
	POSITIVE(max_qp_wr);
	POSITIVE(max_sge);
	POSITIVE(max_cq);
	POSITIVE(max_cqe);
	POSITIVE(max_mr);
	POSITIVE(max_pd);
	POSITIVE(max_ah);
	POSITIVE(phys_port_cnt);
	if (!a.max_mr_size)
		kit_say(k, "max_mr_size 0");
	if (k->a.dev->caps & VERBS_CAP(RC)) {
		POSITIVE(max_qp_rd_atom);
		POSITIVE(max_qp_init_rd_atom);
	}
	if (k->a.dev->caps & VERBS_CAP(SRQ)) {
		POSITIVE(max_srq);
		POSITIVE(max_srq_wr);
		POSITIVE(max_srq_sge);
	}
#undef POSITIVE
	if (a.max_pkeys < 1)
		kit_say(k, "max_pkeys 0");
	if (!(k->a.dev->caps & VERBS_CAP(ATOMIC)) != (a.atomic_cap == IBV_ATOMIC_NONE))
		kit_say(k, "atomic_cap %d", (int)a.atomic_cap);
	kit_say(k, "told");
}

static void
run_port(struct kit *k, const struct conform_case *c)
{
	struct ibv_port_attr p;

	(void)c;
	memset(&p, 0, sizeof(p));
	if (!kit_must(k, "query_port", k->ops->query_port(k->a.dev, k->a.dev->port, &p)))
		return;
	if (p.state != IBV_PORT_ACTIVE)
		kit_say(k, "state %d", (int)p.state);
	if (p.active_mtu < IBV_MTU_256 || p.active_mtu > p.max_mtu || p.max_mtu > IBV_MTU_4096)
		kit_say(k, "active_mtu %d of max_mtu %d", (int)p.active_mtu, (int)p.max_mtu);
	if (p.gid_tbl_len < 1 || p.pkey_tbl_len < 1 || !p.max_msg_sz)
		kit_say(k, "%d GIDs, %u P_Keys, max_msg_sz %u", p.gid_tbl_len, p.pkey_tbl_len,
			p.max_msg_sz);
	if (p.link_layer != IBV_LINK_LAYER_ETHERNET && (p.lid == 0 || p.lid >= 0xc000))
		kit_say(k, "lid %u", p.lid);
	kit_say(k, "told");
}

enum { PORT_0, PORT_PAST, GID_FIRST, GID_PAST, GID_BELOW, PKEY_FIRST, PKEY_PAST, PKEY_BELOW,
	GID_OF_PORT_PAST, PKEY_OF_PORT_PAST };

static void
run_index(struct kit *k, const struct conform_case *c)
{
	const struct verbs_ops *ops = k->ops;
	struct verbs_dev *dev = k->a.dev;
	struct ibv_device_attr a = { .phys_port_cnt = 1 };
	struct ibv_port_attr p = { .gid_tbl_len = 1, .pkey_tbl_len = 1 };
	struct ibv_gid_entry gid;
	uint8_t past;
	uint16_t pkey = 0;
	int ret = 0;

	memset(&gid, 0, sizeof(gid));
	kit_must(k, "query_device", ops->query_device(dev, &a));
	kit_must(k, "query_port", ops->query_port(dev, dev->port, &p));
	past = (uint8_t)(a.phys_port_cnt + 1);
	switch (c->value[0]) {
	case PORT_0:
		ret = ops->query_port(dev, 0, &p);
		break;
	case PORT_PAST:
		ret = ops->query_port(dev, past, &p);
		break;
	case GID_FIRST:
		ret = ops->query_gid(dev, dev->port, 0, &gid);
		if (!gid.gid.raw[0] && !gid.gid.raw[1] && !memcmp(gid.gid.raw, gid.gid.raw + 1, 15))
			kit_say(k, "empty");
		break;
	case GID_PAST:
		ret = ops->query_gid(dev, dev->port, p.gid_tbl_len, &gid);
		break;
	case GID_BELOW:
		ret = ops->query_gid(dev, dev->port, -1, &gid);
		break;
	case PKEY_FIRST:
		ret = ops->query_pkey(dev, dev->port, 0, &pkey);
		if (!(pkey & 0x7fff))
			kit_say(k, "P_Key %04x", pkey);
		break;
	case PKEY_PAST:
		ret = ops->query_pkey(dev, dev->port, p.pkey_tbl_len, &pkey);
		break;
	case PKEY_BELOW:
		ret = ops->query_pkey(dev, dev->port, -1, &pkey);
		break;
	case GID_OF_PORT_PAST:
		ret = ops->query_gid(dev, past, 0, &gid);
		break;
	default:
		ret = ops->query_pkey(dev, past, 0, &pkey);
		break;
	}
	kit_say(k, "%s", ret ? "refused" : "ok");
}

/* A device refuses more than its reported limits. */
enum { SEND_WR, RECV_WR, SEND_SGE, RECV_SGE, CQE, CQE_0, CQE_MINUS, SRQ_WR, SRQ_SGE };

static void
run_limit(struct kit *k, const struct conform_case *c)
{
	struct ibv_device_attr a;
	struct verbs_qp_init init = { .type = IBV_QPT_RC, .cap = kit_defaults(IBV_QPT_RC).cap };
	struct verbs_srq_init srq_init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct verbs_cq *cq = NULL;
	struct verbs_qp *qp = NULL;
	struct verbs_srq *srq = NULL;
	int ret;

	memset(&a, 0, sizeof(a));
	kit_must(k, "query_device", k->ops->query_device(k->a.dev, &a));
	init.send_cq = init.recv_cq = kit_cq(k, &k->a, 16, NULL);
	if (k->broken)
		return;
	switch (c->value[0]) {
	case SEND_WR:
		init.cap.max_send_wr = (uint32_t)a.max_qp_wr + 1;
		break;
	case RECV_WR:
		init.cap.max_recv_wr = (uint32_t)a.max_qp_wr + 1;
		break;
	case SEND_SGE:
		init.cap.max_send_sge = (uint32_t)a.max_sge + 1;
		break;
	case RECV_SGE:
		init.cap.max_recv_sge = (uint32_t)a.max_sge + 1;
		break;
	case SRQ_WR:
		srq_init.attr.max_wr = (uint32_t)a.max_srq_wr + 1;
		break;
	case SRQ_SGE:
		srq_init.attr.max_sge = (uint32_t)a.max_srq_sge + 1;
		break;
	default:
		break;
	}
	if (c->value[0] >= SRQ_WR) {
		ret = k->ops->create_srq(k->a.pd, &srq_init, &srq);
	} else if (c->value[0] >= CQE) {
		int cqe = c->value[0] == CQE ? a.max_cqe + 1 : c->value[0] == CQE_0 ? 0 : -1;

		ret = k->ops->create_cq(k->a.dev, cqe, NULL, &cq);
	} else {
		ret = k->ops->create_qp(k->a.pd, &init, &qp);
	}
	kit_say(k, "%s", ret ? "refused" : "ok");
	if (srq)
		kit_take(k, KIT_SRQ, srq);
	if (cq)
		kit_take(k, KIT_CQ, cq);
	if (qp)
		kit_take(k, KIT_QP, qp);
}

static const struct conform_case rows[] = {
	{ "query/device", 0, "told", run_device, .value = { 0 } },
	{ "query/port", 0, "told", run_port, .value = { 0 } },
	{ "query/port-0", 0, "refused", run_index, .value = { PORT_0 } },
	{ "query/port-past-the-last", 0, "refused", run_index, .value = { PORT_PAST } },
	{ "query/gid-first", 0, "ok", run_index, .value = { GID_FIRST } },
	{ "query/gid-past-the-table", 0, "refused", run_index, .value = { GID_PAST } },
	{ "query/gid-below-the-table", 0, "refused", run_index, .value = { GID_BELOW } },
	{ "query/gid-of-port-past-the-last", 0, "refused", run_index,
		.value = { GID_OF_PORT_PAST } },
	{ "query/pkey-first", 0, "ok", run_index, .value = { PKEY_FIRST } },
	{ "query/pkey-past-the-table", 0, "refused", run_index, .value = { PKEY_PAST } },
	{ "query/pkey-below-the-table", 0, "refused", run_index, .value = { PKEY_BELOW } },
	{ "query/pkey-of-port-past-the-last", 0, "refused", run_index,
		.value = { PKEY_OF_PORT_PAST } },
	{ "query/more-send-requests-than-max_qp_wr", VERBS_CAP(RC), "refused", run_limit,
		.value = { SEND_WR } },
	{ "query/more-receives-than-max_qp_wr", VERBS_CAP(RC), "refused", run_limit,
		.value = { RECV_WR } },
	{ "query/more-send-pieces-than-max_sge", VERBS_CAP(RC), "refused", run_limit,
		.value = { SEND_SGE } },
	{ "query/more-receive-pieces-than-max_sge", VERBS_CAP(RC), "refused", run_limit,
		.value = { RECV_SGE } },
	{ "query/more-completions-than-max_cqe", 0, "refused", run_limit, .value = { CQE } },
	{ "query/queue-of-0-completions", 0, "refused", run_limit, .value = { CQE_0 } },
	{ "query/queue-of-minus-1-completions", 0, "refused", run_limit, .value = { CQE_MINUS } },
	{ "query/more-shared-receives-than-max_srq_wr", VERBS_CAP(SRQ), "refused", run_limit,
		.value = { SRQ_WR } },
	{ "query/more-shared-pieces-than-max_srq_sge", VERBS_CAP(SRQ), "refused", run_limit,
		.value = { SRQ_SGE } },
};

void
cases_query(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
