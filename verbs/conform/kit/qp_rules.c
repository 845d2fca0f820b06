/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qp_rules.c - attributes that the specification requires and allows for each state transition
 * of queue pairs.
 * Room: verbs/conform/kit.  Pure.
 */
#include <config.h>
#include "verbs/conform/kit/qp_rules.h"

#define S(from, to) IBV_QPS_##from, IBV_QPS_##to
#define PATH_OPTIONS (IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | \
	IBV_QP_PATH_MIG_STATE)
#define INIT_CONNECTED (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define INIT_DATAGRAM (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define RTR_CONNECTED (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define NOTHING { 0, 0, 0 }

/*        RC                          UC                          UD */
static const struct qp_rule rules[] = {
	{ S(RESET, RESET), NOTHING, NOTHING },
	{ S(RESET, INIT), { INIT_CONNECTED, INIT_CONNECTED, INIT_DATAGRAM }, NOTHING },
	{ S(INIT, RESET), NOTHING, NOTHING },
	{ S(INIT, INIT), NOTHING, { INIT_CONNECTED, INIT_CONNECTED, INIT_DATAGRAM } },
	{ S(INIT, RTR), { RTR_CONNECTED | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		RTR_CONNECTED, 0 },
		{ IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX,
			IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX,
			IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	{ S(INIT, ERR), NOTHING, NOTHING },
	{ S(RTR, RESET), NOTHING, NOTHING },
	{ S(RTR, RTS), { IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		IBV_QP_MAX_QP_RD_ATOMIC, IBV_QP_SQ_PSN,
		IBV_QP_SQ_PSN },
		{ PATH_OPTIONS | IBV_QP_MIN_RNR_TIMER, PATH_OPTIONS,
			IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	{ S(RTR, ERR), NOTHING, NOTHING },
	{ S(RTS, RESET), NOTHING, NOTHING },
	{ S(RTS, RTS), NOTHING, { PATH_OPTIONS | IBV_QP_MIN_RNR_TIMER, PATH_OPTIONS,
		IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	{ S(RTS, SQD), NOTHING, { IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY,
		IBV_QP_EN_SQD_ASYNC_NOTIFY } },
	{ S(RTS, ERR), NOTHING, NOTHING },
	{ S(SQD, RESET), NOTHING, NOTHING },
	{ S(SQD, RTS), NOTHING, { PATH_OPTIONS | IBV_QP_MIN_RNR_TIMER, PATH_OPTIONS,
		IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	{ S(SQD, SQD), NOTHING,
		{ IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
			IBV_QP_PKEY_INDEX | IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE,
		IBV_QP_AV | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX |
		IBV_QP_PATH_MIG_STATE, IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	{ S(SQD, ERR), NOTHING, NOTHING },
	{ S(SQE, RESET), NOTHING, NOTHING },
	{ S(SQE, RTS), NOTHING, { 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS,
		IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	{ S(SQE, ERR), NOTHING, NOTHING },
	{ S(ERR, RESET), NOTHING, NOTHING },
	{ S(ERR, ERR), NOTHING, NOTHING },
};

int
qp_rules_column(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ? 0 : type == IBV_QPT_UC ? 1 : type == IBV_QPT_UD ? 2 : -1;
}

const struct qp_rule *
qp_rules_find(enum ibv_qp_state from, enum ibv_qp_state to)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (rules[i].from == from && rules[i].to == to)
			return &rules[i];
	}
	return NULL;
}

const char *
qp_rules_state_name(enum ibv_qp_state s)
{
	static const char *const names[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };

	return (unsigned)s < sizeof(names) / sizeof(*names) ? names[s] : "unknown";
}

const char *
qp_rules_attribute_name(int bit)
{
	static const struct {
		int bit;
		const char *name;
	} names[] = {
		{ IBV_QP_CUR_STATE, "CUR_STATE" },
			{ IBV_QP_EN_SQD_ASYNC_NOTIFY, "EN_SQD_ASYNC_NOTIFY" },
		{ IBV_QP_ACCESS_FLAGS, "ACCESS_FLAGS" }, { IBV_QP_PKEY_INDEX, "PKEY_INDEX" },
			{ IBV_QP_PORT, "PORT" },
		{ IBV_QP_QKEY, "QKEY" }, { IBV_QP_AV, "AV" }, { IBV_QP_PATH_MTU, "PATH_MTU" },
			{ IBV_QP_TIMEOUT, "TIMEOUT" },
		{ IBV_QP_RETRY_CNT, "RETRY_CNT" }, { IBV_QP_RNR_RETRY, "RNR_RETRY" },
			{ IBV_QP_RQ_PSN, "RQ_PSN" },
		{ IBV_QP_MAX_QP_RD_ATOMIC, "MAX_QP_RD_ATOMIC" }, { IBV_QP_ALT_PATH, "ALT_PATH" },
		{ IBV_QP_MIN_RNR_TIMER, "MIN_RNR_TIMER" }, { IBV_QP_SQ_PSN, "SQ_PSN" },
		{ IBV_QP_MAX_DEST_RD_ATOMIC, "MAX_DEST_RD_ATOMIC" },
			{ IBV_QP_PATH_MIG_STATE, "PATH_MIG_STATE" },
		{ IBV_QP_DEST_QPN, "DEST_QPN" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].bit == bit)
			return names[i].name;
	}
	return "unknown";
}
