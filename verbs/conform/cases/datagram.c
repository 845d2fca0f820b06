/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * datagram.c - areas ud (addresses, global routes, multicast) and keys (Q_Key, P_Key and their
 * counters).
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/transfer.h"

#define UD VERBS_CAP(UD)
#define GRH_BYTES 40
#define MULTICAST_QPN 0xffffffU
#define MLID 0xc005

/* One datagram of 64 bytes of pattern 'seed'; the errno of the post. */
static int
post_datagram(struct kit *k, struct kit_end *from, struct verbs_ah *ah, uint32_t qpn, uint32_t qkey,
	uint64_t seed)
{
	struct ibv_sge sge = kit_sge(from, 1024, 64);
	struct ibv_send_wr wr = { .wr_id = seed, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };

	if (k->broken || !ah)
		return -EINVAL;
	kit_pattern(from->buf + 1024, 64, seed);
	wr.wr.ud.ah = ah->ibv;
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = qkey;
	return kit_post(k, from, &wr);
}

static void
send_datagram(struct kit *k, struct verbs_ah *ah, uint32_t qpn, uint32_t qkey, uint64_t seed)
{
	struct ibv_wc wc;

	kit_must(k, "post_send", post_datagram(k, &k->a, ah, qpn, qkey, seed));
	kit_must_succeed(k, k->a.scq, &wc);
}

static bool
connect_pair(struct kit *k)
{
	k->pair.type = IBV_QPT_UD;
	return kit_pair_connect(k);
}

/* A wrong datagram is dropped silently and consumes no receive; the next right one arrives. */
static void
run_bad_then_good(struct kit *k, const struct conform_case *c)
{
	struct verbs_ah *ah;
	struct ibv_wc wc;

	if (!connect_pair(k))
		return;
	ah = kit_ah(k, &k->a, &k->b);
	kit_recv(k, &k->b, 1, 0, 128);
	send_datagram(k, ah, c->value[0] == BAD_QPN ? 0xfffff0 : k->b.qp->qp_num,
		c->value[0] == BAD_QKEY ? KIT_QKEY ^ 0x33333333 : KIT_QKEY, 5);
	kit_say_quiet(k, "wrong", k->b.rcq);
	send_datagram(k, ah, k->b.qp->qp_num, KIT_QKEY, 6);
	kit_say_wc(k, "right", k->b.rcq, &wc);
	kit_check(k, "data", k->b.buf + GRH_BYTES, 64, 6);
}

static void
run_no_receive(struct kit *k, const struct conform_case *c)
{
	struct verbs_ah *ah;
	struct ibv_wc wc;

	(void)c;
	if (!connect_pair(k))
		return;
	ah = kit_ah(k, &k->a, &k->b);
	send_datagram(k, ah, k->b.qp->qp_num, KIT_QKEY, 5);
	kit_pass(k, KIT_QUIET_US);
	kit_recv(k, &k->b, 1, 0, 128);
	send_datagram(k, ah, k->b.qp->qp_num, KIT_QKEY, 6);
	kit_say_wc(k, "receiver", k->b.rcq, &wc);
	kit_check(k, "data", k->b.buf + GRH_BYTES, 64, 6);
}

/* With a global route: the flag, and the GIDs in the first 40 bytes. */
static void
run_grh(struct kit *k, const struct conform_case *c)
{
	struct verbs_ah *ah;
	struct ibv_wc wc;
	const struct ibv_grh *grh;

	if (!connect_pair(k))
		return;
	k->grh = c->value[0];
	memset(k->b.buf, 0xee, GRH_BYTES);
	ah = kit_ah(k, &k->a, &k->b);
	kit_recv(k, &k->b, 1, 0, 128);
	send_datagram(k, ah, k->b.qp->qp_num, KIT_QKEY, 6);
	kit_must_succeed(k, k->b.rcq, &wc);
	if (k->broken)
		return;
	kit_say(k, "%s; %u bytes", wc.wc_flags & IBV_WC_GRH ? "GRH" : "no GRH", wc.byte_len);
	if (wc.slid != k->a.lid)
		kit_say(k, "slid %u", wc.slid);
	grh = (const struct ibv_grh *)(const void *)k->b.buf;
	if (wc.wc_flags & IBV_WC_GRH)
		kit_say(k, "sgid %s; dgid %s; next header %02x", memcmp(&grh->sgid, &k->a.gid, 16) ?
			"wrong" : "right", memcmp(&grh->dgid, &k->b.gid, 16) ? "wrong" : "right",
			grh->next_hdr);
}

/* The reply's address handle is made from the completion. */
static void
run_answer(struct kit *k, const struct conform_case *c)
{
	struct ibv_ah_attr attr;
	struct verbs_ah *ah, *back;
	struct ibv_wc wc, answer;

	(void)c;
	if (!connect_pair(k))
		return;
	ah = kit_ah(k, &k->a, &k->b);
	kit_recv(k, &k->b, 1, 0, 128);
	kit_recv(k, &k->a, 2, 0, 128);
	send_datagram(k, ah, k->b.qp->qp_num, KIT_QKEY, 6);
	kit_must_succeed(k, k->b.rcq, &wc);
	if (k->broken)
		return;
	attr = (struct ibv_ah_attr){ .dlid = wc.slid, .sl = wc.sl,
		.src_path_bits = wc.dlid_path_bits, .port_num = k->b.dev->port };
	if (wc.wc_flags & IBV_WC_GRH) {
		attr.is_global = 1;
		attr.grh = kit_address(k, &k->b, &k->a).grh;
	}
	if (!kit_must(k, "create_ah", k->ops->create_ah(k->b.pd, &attr, &back)))
		return;
	kit_take(k, KIT_AH, back);
	kit_must(k, "post_send", post_datagram(k, &k->b, back, wc.src_qp, KIT_QKEY, 8));
	kit_must_succeed(k, k->b.scq, &answer);
	kit_say_wc(k, "the answer", k->a.rcq, &answer);
	kit_check(k, "data", k->a.buf + GRH_BYTES, 64, 8);
}

/* ---- addresses ---- */

enum { AH_NO_GRH, AH_PORT, AH_GID_INDEX };

static void
run_ah(struct kit *k, const struct conform_case *c)
{
	struct ibv_device_attr limits = { .phys_port_cnt = 1 };
	struct ibv_port_attr port = { .gid_tbl_len = 1 };
	struct ibv_ah_attr attr = kit_address(k, &k->a, &k->b);
	struct verbs_ah *ah = NULL;
	int ret;

	kit_must(k, "query_device", k->ops->query_device(k->a.dev, &limits));
	kit_must(k, "query_port", k->ops->query_port(k->a.dev, k->a.dev->port, &port));
	if (c->value[0] == AH_NO_GRH)
		attr.is_global = 0;
	if (c->value[0] == AH_PORT)
		attr.port_num = (uint8_t)(limits.phys_port_cnt + 1);
	if (c->value[0] == AH_GID_INDEX) {
		attr.is_global = 1;
		attr.grh.dgid = k->b.gid;
		attr.grh.sgid_index = (uint8_t)port.gid_tbl_len;
	}
	ret = k->ops->create_ah(k->a.pd, &attr, &ah);
	if (!ret)
		kit_take(k, KIT_AH, ah);
	kit_say_result(k, "create_ah", ret);
	/* Ethernet has no addresses without a route */
	if (c->value[0] == AH_NO_GRH && k->grh)
		kit_say(k, "where a route is needed");
}

static void
run_ah_pd(struct kit *k, const struct conform_case *c)
{
	struct kit_end other_pd;
	struct verbs_ah *ah;
	struct ibv_wc wc;

	(void)c;
	if (!connect_pair(k))
		return;
	other_pd = k->a;
	other_pd.pd = kit_pd(k, &k->a);
	ah = other_pd.pd ? kit_ah(k, &other_pd, &k->b) : NULL;
	kit_must(k, "post_send", post_datagram(k, &k->a, ah, k->b.qp->qp_num, KIT_QKEY, 5));
	kit_say_wc(k, "sender", k->a.scq, &wc);
}

/* ---- multicast ---- */

static union ibv_gid
multicast_gid(void)
{
	return (union ibv_gid){ .raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0x12,
		0x34, 0x56, 0x78 } };
}

static struct verbs_ah *
group_ah(struct kit *k)
{
	struct ibv_ah_attr attr = { .dlid = MLID, .is_global = 1, .port_num = k->a.dev->port,
		.grh = { .dgid = multicast_gid(), .sgid_index = k->a.dev->gid_index,
		.hop_limit = 1 } };
	struct verbs_ah *ah;

	if (k->broken || !kit_must(k, "create_ah", k->ops->create_ah(k->a.pd, &attr, &ah)))
		return NULL;
	kit_take(k, KIT_AH, ah);
	return ah;
}

enum { MC_BOTH, MC_NONE, MC_DETACHED, MC_BAD_QKEY, MC_OTHER_GROUP, MC_TWICE };

/* Two queue pairs of B; datagrams of the group reach those that are attached. */
static void
run_multicast(struct kit *k, const struct conform_case *c)
{
	union ibv_gid gid = multicast_gid();
	struct verbs_qp_init init = { .type = IBV_QPT_UD };
	struct verbs_qp *v[2];
	struct verbs_cq *cq[2];
	struct verbs_ah *ah;
	struct ibv_wc wc;

	if (k->grh)
		kit_skip(k, "needs InfiniBand: on Ethernet the switch and the kernel must be told "
			"of a group, too, and verbs do not");
	if (c->value[0] == MC_OTHER_GROUP)
		gid.raw[15] ^= 1;
	if (!connect_pair(k))
		return;
	v[0] = k->b.qp, cq[0] = k->b.rcq;
	init.cap = k->pair.cap;
	init.send_cq = k->b.scq;
	cq[1] = init.recv_cq = k->b.rcq = kit_cq(k, &k->b, 16, NULL);
	v[1] = k->b.qp = k->broken ? NULL : kit_qp(k, &k->b, &init);
	kit_walk(k, &k->b, IBV_QPS_RTS);
	for (size_t i = 0; i < 2 && !k->broken; i++) {
		k->b.qp = v[i];
		kit_recv(k, &k->b, i, i * 256, 128);
		if (c->value[0] != MC_NONE)
			kit_must(k, "attach", k->ops->attach_mcast(v[i], &gid, MLID));
	}
	/* Whatever attach returns: the queue pair is attached once. */
	if (c->value[0] == MC_TWICE && !k->broken) {
		kit_recv(k, &k->b, 7, 512, 128);
		k->ops->attach_mcast(v[1], &gid, MLID);
	}
	if (c->value[0] == MC_DETACHED && !k->broken)
		kit_must(k, "detach", k->ops->detach_mcast(v[1], &gid, MLID));
	ah = group_ah(k);
	send_datagram(k, ah, MULTICAST_QPN, c->value[0] == MC_BAD_QKEY ? 0x7777 : KIT_QKEY, 9);
	for (size_t i = 0; i < 2 && !k->broken; i++) {
		bool expected = c->value[0] == MC_BOTH || c->value[0] == MC_TWICE ||
			(c->value[0] == MC_DETACHED && i == 0);

		if (expected) {
			kit_say_wc(k, i ? "second" : "first", cq[i], &wc);
			if (wc.status == IBV_WC_SUCCESS)
				kit_check(k, "data", k->b.buf + i * 256 + GRH_BYTES, 64, 9);
		} else {
			kit_say_quiet(k, i ? "second" : "first", cq[i]);
		}
	}
	if (c->value[0] == MC_TWICE)
		kit_say_quiet(k, "more", cq[1]);
	for (size_t i = 0; i < 2 && c->value[0] != MC_NONE; i++) {
		if (c->value[0] != MC_DETACHED || i == 0)
			k->ops->detach_mcast(v[i], &gid, MLID);
	}
}

enum { MC_RC, MC_NOT_ATTACHED, MC_UNICAST };

static void
run_multicast_refused(struct kit *k, const struct conform_case *c)
{
	union ibv_gid gid = multicast_gid();

	k->pair.type = c->value[0] == MC_RC ? IBV_QPT_RC : IBV_QPT_UD;
	if (!kit_pair_connect(k))
		return;
	if (c->value[0] == MC_UNICAST)
		gid = k->a.gid;
	if (c->value[0] == MC_NOT_ATTACHED)
		kit_say(k, "detach %s", k->ops->detach_mcast(k->b.qp, &gid, MLID) ? "refused" :
			"ok");
	else
		kit_say(k, "attach %s", k->ops->attach_mcast(k->b.qp, &gid, MLID) ? "refused" :
			"ok");
}

/* ---- keys ---- */

enum { P_RIGHT, P_OTHER, P_LIMITED_BOTH, P_LIMITED_ONE };

/* Sets entry 2 of the P_Key tables at both ends and uses it. */
static void
run_pkey(struct kit *k, const struct conform_case *c)
{
	static const uint16_t keys[][2] = { { 0x8123, 0x8123 }, { 0x8123, 0x8124 },
		{ 0x0123, 0x0123 }, { 0x8123, 0x0123 } };
	struct ibv_port_attr before = { .lid = 0 }, after = { .lid = 0 };
	struct verbs_ah *ah;
	struct ibv_wc wc;

	k->pair.type = (enum ibv_qp_type)c->value[0];
	k->pair.pkey_index_a = k->pair.pkey_index_b = 2;
	kit_must(k, "knob", k->ops->knob(k->a.dev, k->a.dev->port, VERBS_KNOB_PKEY,
		UINT64_C(2) << 16 | keys[c->value[1]][0]));
	kit_must(k, "knob", k->ops->knob(k->b.dev, k->b.dev->port, VERBS_KNOB_PKEY,
		UINT64_C(2) << 16 | keys[c->value[1]][1]));
	kit_must(k, "query_port", k->ops->query_port(k->b.dev, k->b.dev->port, &before));
	if (!kit_pair_connect(k))
		return;
	kit_recv(k, &k->b, 1, 0, 128);
	if (k->pair.type == IBV_QPT_UD) {
		ah = kit_ah(k, &k->a, &k->b);
		kit_must(k, "post_send", post_datagram(k, &k->a, ah, k->b.qp->qp_num, KIT_QKEY, 5));
	} else {
		kit_send(k, &k->a, 2, 0, 64);
	}
	kit_say_wc(k, "sender", k->a.scq, &wc);
	if (c->value[1] == P_RIGHT || c->value[1] == P_LIMITED_ONE)
		kit_say_wc(k, "receiver", k->b.rcq, &wc);
	else
		kit_say_quiet(k, "receiver", k->b.rcq);
	kit_must(k, "query_port", k->ops->query_port(k->b.dev, k->b.dev->port, &after));
	if (!k->broken && (k->b.dev->caps & VERBS_CAP(COUNTERS)))
		kit_say(k, "%s", after.bad_pkey_cntr != before.bad_pkey_cntr ? "counted" :
			"not counted");
}

static void
run_qkey_counter(struct kit *k, const struct conform_case *c)
{
	struct ibv_port_attr before = { .lid = 0 }, after = { .lid = 0 };
	struct verbs_ah *ah;

	if (!connect_pair(k))
		return;
	ah = kit_ah(k, &k->a, &k->b);
	kit_recv(k, &k->b, 1, 0, 128);
	kit_must(k, "query_port", k->ops->query_port(k->b.dev, k->b.dev->port, &before));
	for (long i = 0; i < c->value[0]; i++)
		send_datagram(k, ah, k->b.qp->qp_num, 0x5555, 5);
	kit_pass(k, KIT_QUIET_US);
	kit_must(k, "query_port", k->ops->query_port(k->b.dev, k->b.dev->port, &after));
	if (!k->broken)
		kit_say(k, "counted %u", after.qkey_viol_cntr - before.qkey_viol_cntr);
}

#define T(op, n, broken_, ...) transfer_run, \
	.transfer = { .type = IBV_QPT_UD, .opcode = IBV_WR_##op, .bytes = n, .broken = broken_, \
	__VA_ARGS__ }
#define MC (UD | VERBS_CAP(MCAST))
#define TWO (VERBS_CAP(KNOBS) | VERBS_CAP(TWO_DEVICES))
#define PKEY(type, what, n, expected) { "keys/" what, (uint64_t)1 << VERBS_CAP_BIT_##type | TWO, \
	expected, run_pkey, .value = { IBV_QPT_##type, n } }

static const struct conform_case rows[] = {
	{ "ud/without-global-route", UD | VERBS_CAP(GRH_OPTIONAL), "no GRH; 104 bytes", run_grh,
		.value = { 0 } },
	{ "ud/with-global-route", UD | VERBS_CAP(GRH_OPTIONAL),
		"GRH; 104 bytes; sgid right; dgid right; next header 1b", run_grh, .value = { 1 } },
	{ "ud/answer-to-a-completion", UD, "the answer SUCCESS", run_answer, .value = { 0 } },
	{ "ud/bad-queue-pair", UD, "wrong none; right SUCCESS", run_bad_then_good,
		.value = { BAD_QPN } },
	{ "ud/no-receive", UD, "receiver SUCCESS", run_no_receive, .value = { 0 } },
	{ "ud/peer-in-init", UD, "sender SUCCESS; receiver none", T(SEND, 64, PEER_INIT) },
	{ "ud/peer-in-err", UD, "sender SUCCESS; receiver WR_FLUSH_ERR", T(SEND, 64, PEER_ERR) },
	{ "ud/receive-too-small", UD, "sender SUCCESS; receiver none; A RTS; B RTS|sender SUCCESS; "
		"receiver LOC_LEN_ERR; A RTS; B ERR",
		T(SEND, 64, RECEIVE_SMALL, .states = true) },
	{ "ud/goes-on-after-bad-receive-key", UD,
		"sender SUCCESS; receiver LOC_PROT_ERR; A RTS; B ERR",
		T(SEND, 64, RECEIVE_BAD_LKEY, .states = true) },
	{ "ud/address-without-global-route", UD,
		"create_ah ok|create_ah EINVAL; where a route is needed", run_ah,
		.value = { AH_NO_GRH } },
	{ "ud/address-of-port-past-the-last", UD, "create_ah EINVAL", run_ah,
		.value = { AH_PORT } },
	{ "ud/address-with-gid-index-past-the-table", UD, "create_ah EINVAL", run_ah,
		.value = { AH_GID_INDEX } },
	{ "ud/address-of-another-pd", UD, "sender LOC_QP_OP_ERR", run_ah_pd, .value = { 0 } },
	{ "ud/multicast-to-both", MC, "first SUCCESS; second SUCCESS", run_multicast,
		.value = { MC_BOTH } },
	{ "ud/multicast-to-none", MC, "first none; second none", run_multicast,
		.value = { MC_NONE } },
	{ "ud/multicast-after-detaching", MC, "first SUCCESS; second none", run_multicast,
		.value = { MC_DETACHED } },
	{ "ud/multicast-of-another-group", MC, "first none; second none", run_multicast,
		.value = { MC_OTHER_GROUP } },
	{ "ud/multicast-attached-twice", MC, "first SUCCESS; second SUCCESS; more none",
		run_multicast, .value = { MC_TWICE } },
	{ "ud/multicast-with-bad-qkey", MC, "first none; second none", run_multicast,
		.value = { MC_BAD_QKEY } },
	{ "ud/multicast-of-a-reliable-connection", MC | VERBS_CAP(RC), "attach refused",
		run_multicast_refused, .value = { MC_RC } },
	{ "ud/multicast-detach-of-what-is-not-attached", MC, "detach refused",
		run_multicast_refused, .value = { MC_NOT_ATTACHED } },
	{ "ud/multicast-of-no-group", MC, "attach refused", run_multicast_refused,
		.value = { MC_UNICAST } },
	{ "keys/qkey-wrong-then-right", UD, "wrong none; right SUCCESS", run_bad_then_good,
		.value = { BAD_QKEY } },
	{ "keys/qkey-of-the-queue-pair-itself", UD, "sender SUCCESS; receiver SUCCESS",
		T(SEND, 64, QKEY_HIGH_BIT) },
	{ "keys/qkey-violations-are-counted", UD | VERBS_CAP(COUNTERS), "counted 3",
		run_qkey_counter, .value = { 3 } },
	PKEY(UD, "ud-pkey-right", P_RIGHT, "sender SUCCESS; receiver SUCCESS; not counted"),
	PKEY(UD, "ud-pkey-of-another-partition", P_OTHER, "sender SUCCESS; receiver none; counted"),
	PKEY(UD, "ud-pkey-both-limited", P_LIMITED_BOTH, "sender SUCCESS; receiver none; counted"),
	PKEY(UD, "ud-pkey-one-limited", P_LIMITED_ONE,
	"sender SUCCESS; receiver SUCCESS; not counted"), PKEY(UC, "uc-pkey-of-another-partition",
	P_OTHER, "sender SUCCESS; receiver none; counted"),
	PKEY(RC, "rc-pkey-right", P_RIGHT, "sender SUCCESS; receiver SUCCESS; not counted"),
	PKEY(RC, "rc-pkey-of-another-partition", P_OTHER,
	"sender RETRY_EXC_ERR; receiver none; counted"),
	PKEY(RC, "rc-pkey-both-limited", P_LIMITED_BOTH,
	"sender RETRY_EXC_ERR; receiver none; counted"),
	PKEY(RC, "rc-pkey-one-limited", P_LIMITED_ONE,
	"sender SUCCESS; receiver SUCCESS; not counted"),
};

void
cases_datagram(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
