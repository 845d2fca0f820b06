/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * state.c - area qp-state: every state transition with its required attributes, without each of
 * them, with each optional one, with each forbidden one; values out of range.
 * Room: verbs/conform/cases.  Rows are generated from verbs/conform/kit/qp_rules.c.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"
#include "verbs/conform/kit/qp_rules.h"

static const struct {
	enum ibv_qp_type type;
	const char *name;
	uint64_t needs;
} types[] = {
	{ IBV_QPT_RC, "rc", VERBS_CAP(RC) },
	{ IBV_QPT_UC, "uc", VERBS_CAP(UC) },
	{ IBV_QPT_UD, "ud", VERBS_CAP(UD) },
};

/* Indices of value[]: the type, from, to, and a mask of attributes. */
enum { TYPE, FROM, TO, BITS };

static bool
start_state_enter(struct kit *k, const struct conform_case *c)
{
	k->pair.type = (enum ibv_qp_type)c->value[TYPE];
	kit_pair_make(k);
	if (c->value[FROM] == IBV_QPS_SQE)
		kit_walk(k, &k->b, IBV_QPS_RTS);
	return kit_walk(k, &k->a, (enum ibv_qp_state)c->value[FROM]);
}

/* Attributes for 'to' and the mask of the required ones. */
static int
transition_attributes(struct kit *k, const struct conform_case *c, struct ibv_qp_attr *attr)
{
	const struct qp_rule *rule = qp_rules_find((enum ibv_qp_state)c->value[FROM],
		(enum ibv_qp_state)c->value[TO]);
	int mask = kit_attr(k, &k->a, (enum ibv_qp_state)c->value[TO], attr);

	attr->cur_qp_state = (enum ibv_qp_state)c->value[FROM];
	if (rule)
		mask |= rule->required[qp_rules_column((enum ibv_qp_type)c->value[TYPE])];
	return mask;
}

static void
say_state(struct kit *k, int ret)
{
	kit_say_result(k, "modify", ret);
	kit_say(k, "%s", verbs_qp_state_name(kit_state(k, &k->a)));
}

/* Modifies with the required attributes, without those of BITS that are required and with those
 * that are not. */
static void
run_change(struct kit *k, const struct conform_case *c)
{
	struct ibv_qp_attr attr;
	int mask;

	if (!start_state_enter(k, c))
		return;
	mask = transition_attributes(k, c, &attr);
	say_state(k, k->ops->modify_qp(k->a.qp, &attr, mask ^ (int)c->value[BITS]));
}

static void
run_useless(struct kit *k, const struct conform_case *c)
{
	struct ibv_qp_attr attr;
	int mask, bits = (int)c->value[BITS];

	if (!start_state_enter(k, c))
		return;
	mask = transition_attributes(k, c, &attr);
	for (int bit = 1; bit <= bits; bit <<= 1) {
		if (!(bits & bit) || k->ops->modify_qp(k->a.qp, &attr, mask | bit))
			continue;
		kit_say(k, "takes %s", qp_rules_attribute_name(bit));
		return;
	}
	kit_say(k, "all refused");
}

/* ---- rows from the rules ---- */

static char *
name_lower(char *s)
{
	for (char *p = s; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return s;
}

static void
transition_add(struct case_list *l, size_t t, const struct qp_rule *r, const char *how, int bits,
	uint64_t needs, char *expected, void (*run)(struct kit *, const struct conform_case *))
{
	struct conform_case c = { .needs = types[t].needs | needs, .run = run,
		.value = { (long)types[t].type, (long)r->from, (long)r->to, bits } };

	c.name = case_list_keep(l,
		name_lower(xasprintf("qp-state/%s-%s-to-%s%s", types[t].name,
		qp_rules_state_name(r->from), qp_rules_state_name(r->to), how)));
	c.expected = case_list_keep(l, expected);
	case_list_add(l, &c);
}

/* Only a send error leads to SQE, and a reliable connection goes to ERR instead. */
static bool
state_reachable(size_t t, enum ibv_qp_state s)
{
	return s != IBV_QPS_SQE || types[t].type != IBV_QPT_RC;
}

static void
add_matrix(struct case_list *l, size_t t)
{
	for (enum ibv_qp_state from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++) {
		for (enum ibv_qp_state to = IBV_QPS_RESET; to <= IBV_QPS_ERR &&
			    state_reachable(t, from); to++) {
			bool valid = qp_rules_find(from, to);
			const struct qp_rule pair = { .from = from, .to = to };

			transition_add(l, t, &pair, "", 0, 0,
				xasprintf("modify %s; %s", valid ? "ok" : "EINVAL",
				qp_rules_state_name(valid ? to : from)), run_change);
		}
	}
}

static uint64_t
needs_of(int bit)
{
	return bit & (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE) ? VERBS_CAP(ALT_PATH) : 0;
}

static void
add_rule(struct case_list *l, size_t t, const struct qp_rule *r)
{
	int column = qp_rules_column(types[t].type), required = r->required[column],
		optional = r->optional[column];
	char *how;

	for (int bit = 1; bit <= QP_RULES_ATTRIBUTES; bit <<= 1) {
		if (!((required | optional) & bit))
			continue;
		how = xasprintf("-%s-%s", required & bit ? "without" : "with",
			qp_rules_attribute_name(bit));
		transition_add(l, t, r, how, bit, needs_of(bit),
			required & bit ? xasprintf("modify EINVAL; %s",
			qp_rules_state_name(r->from)) : xasprintf("modify ok; %s",
			qp_rules_state_name(r->to)), run_change);
		free(how);
	}
	transition_add(l, t, r, "-with-what-has-no-use",
		QP_RULES_ATTRIBUTES & ~(required | optional), 0, xstrdup("all refused"),
		run_useless);
}

/* ---- values ---- */

static void
run_value(struct kit *k, const struct conform_case *c)
{
	struct ibv_device_attr limits = { 0 };
	struct ibv_port_attr port = { 0 };
	struct ibv_qp_attr attr;
	int mask;

	if (!start_state_enter(k, c))
		return;
	kit_must(k, "query_device", k->ops->query_device(k->a.dev, &limits));
	kit_must(k, "query_port", k->ops->query_port(k->a.dev, k->a.dev->port, &port));
	mask = transition_attributes(k, c, &attr);
	switch (c->value[BITS]) {
	case 0:
		attr.port_num = 0;
		break;
	case 1:
		attr.port_num = (uint8_t)(limits.phys_port_cnt + 1);
		break;
	case 2:
		attr.pkey_index = port.pkey_tbl_len;
		break;
	case 3:
		attr.path_mtu = 0;
		break;
	case 4:
		attr.path_mtu = IBV_MTU_4096 + 1;
		break;
	case 5:
		attr.min_rnr_timer = 32;
		break;
	case 6:
		attr.max_dest_rd_atomic = (uint8_t)(limits.max_qp_rd_atom + 1);
		break;
	case 7:
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh.sgid_index = (uint8_t)port.gid_tbl_len;
		break;
	case 8:
		attr.ah_attr.port_num = (uint8_t)(limits.phys_port_cnt + 1);
		break;
	case 9:
		attr.timeout = 32;
		break;
	case 10:
		attr.retry_cnt = 8;
		break;
	case 11:
		attr.rnr_retry = 8;
		break;
	case 12:
		attr.max_rd_atomic = (uint8_t)(limits.max_qp_init_rd_atom + 1);
		break;
	case 13:
		attr.cur_qp_state = IBV_QPS_RTR;
		mask |= IBV_QP_CUR_STATE;
		break;
	case 14:
		attr.qp_access_flags = 0x40000000;
		break;
	case 15:
		attr.qp_state = IBV_QPS_ERR + 1;
		break;
	default:
		break;
	}
	say_state(k, k->ops->modify_qp(k->a.qp, &attr, mask));
}

#define V(what, from, to, n) { "qp-state/rc-" what, VERBS_CAP(RC), "modify EINVAL; " #from, \
	run_value, \
	.value = { IBV_QPT_RC, IBV_QPS_##from, IBV_QPS_##to, n } }

static const struct conform_case values[] = {
	V("port-0", RESET, INIT, 0),
	V("port-past-the-last", RESET, INIT, 1),
	V("pkey-index-past-the-table", RESET, INIT, 2),
	V("access-flags-unknown", RESET, INIT, 14),
	V("path-mtu-0", INIT, RTR, 3),
	V("path-mtu-unknown", INIT, RTR, 4),
	V("rnr-timer-32", INIT, RTR, 5),
	V("responder-depth-past-the-limit", INIT, RTR, 6),
	V("gid-index-past-the-table", INIT, RTR, 7),
	V("address-port-past-the-last", INIT, RTR, 8),
	V("timeout-32", RTR, RTS, 9),
	V("retry-count-8", RTR, RTS, 10),
	V("rnr-retry-8", RTR, RTS, 11),
	V("initiator-depth-past-the-limit", RTR, RTS, 12),
	V("another-current-state", RTS, RTS, 13),
	V("no-such-state", RTS, RTS, 15),
};

/* ---- attributes that are reported and stored ---- */

static void
run_query(struct kit *k, const struct conform_case *c)
{
	struct ibv_qp_attr set, got;
	struct ibv_qp_init_attr init;

	(void)c;
	k->pair.rnr_timer = 9;
	k->pair.retry = 3;
	k->pair.rnr_retry = 5;
	if (!kit_pair_connect(k))
		return;
	memset(&got, 0, sizeof(got));
	memset(&init, 0, sizeof(init));
	kit_attr(k, &k->a, IBV_QPS_RTS, &set);
	if (!kit_must(k, "query_qp",
		    k->ops->query_qp(k->a.qp, &got, QP_RULES_ATTRIBUTES | IBV_QP_STATE | IBV_QP_CAP,
		    &init)))
		return;
#define SAME(member) do { if (got.member != set.member) kit_say(k, #member " %ld", \
	(long)got.member); } while (0)
	SAME(qp_state);
	SAME(path_mtu);
	SAME(rq_psn);
	SAME(sq_psn);
	SAME(dest_qp_num);
	SAME(qp_access_flags);
	SAME(pkey_index);
	SAME(max_rd_atomic);
	SAME(max_dest_rd_atomic);
	SAME(min_rnr_timer);
	SAME(port_num);
	SAME(timeout);
	SAME(retry_cnt);
	SAME(rnr_retry);
	SAME(ah_attr.is_global);
	SAME(ah_attr.port_num);
#undef SAME
	if (got.cap.max_send_wr < k->pair.cap.max_send_wr ||
		    got.cap.max_recv_sge < k->pair.cap.max_recv_sge)
		kit_say(k, "less capacity than was asked for");
	if (init.sq_sig_all != k->pair.sig_all || init.qp_type != k->pair.type)
		kit_say(k, "another sq_sig_all or type");
	kit_say(k, "told");
}

/* A used queue pair works again after RESET, and its old receives are gone without completions. */
static void
run_reset_forgets(struct kit *k, const struct conform_case *c)
{
	k->pair.type = (enum ibv_qp_type)c->value[TYPE];
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 3; i++)
		kit_recv(k, &k->b, i, 0, 64);
	kit_must(k, "RESET", kit_to_state(k, &k->b, IBV_QPS_RESET));
	kit_must(k, "RESET", kit_to_state(k, &k->a, IBV_QPS_RESET));
	kit_say_quiet(k, "receiver", k->b.rcq);
	kit_walk(k, &k->b, IBV_QPS_RTS);
	kit_walk(k, &k->a, IBV_QPS_RTS);
	kit_recv(k, &k->b, 77, 0, 64);
	if (k->pair.type != IBV_QPT_UD) {
		struct ibv_wc wc;

		kit_send(k, &k->a, 78, 0, 32);
		kit_must_succeed(k, k->a.scq, &wc);
		kit_must_succeed(k, k->b.rcq, &wc);
		if (!k->broken)
			kit_say(k, "then wr_id %u", (unsigned)wc.wr_id);
	}
}

static const struct conform_case others[] = {
	{ "qp-state/query-tells-what-was-set", VERBS_CAP(RC), "told", run_query, .value = { 0 } },
	{ "qp-state/rc-reset-forgets", VERBS_CAP(RC), "receiver none; then wr_id 77",
		run_reset_forgets, .value = { IBV_QPT_RC } },
	{ "qp-state/uc-reset-forgets", VERBS_CAP(UC), "receiver none; then wr_id 77",
		run_reset_forgets, .value = { IBV_QPT_UC } },
	{ "qp-state/ud-reset-forgets", VERBS_CAP(UD), "receiver none", run_reset_forgets,
		.value = { IBV_QPT_UD } },
};

void
cases_state(struct case_list *l)
{
	for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
		add_matrix(l, t);
		for (enum ibv_qp_state from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++) {
			for (enum ibv_qp_state to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++) {
				const struct qp_rule *r = qp_rules_find(from, to);

				if (r && state_reachable(t, from))
					add_rule(l, t, r);
			}
		}
	}
	CASE_ADD_ALL(l, values);
	CASE_ADD_ALL(l, others);
}
