/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qp_rules.h - attributes that the specification requires and allows for each state transition
 * of queue pairs.
 * Room: verbs/conform/kit.  Pure.
 *
 * Written from the specification's table of state transitions and shared with no back end, so
 * that each can be checked against the other.
 */
#ifndef HEDDLE_VERBS_CONFORM_KIT_QP_RULES_H
#define HEDDLE_VERBS_CONFORM_KIT_QP_RULES_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* All attributes of ibv_modify_qp() except the state itself. */
#define QP_RULES_ATTRIBUTES (IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY | IBV_QP_ACCESS_FLAGS | \
	IBV_QP_PKEY_INDEX | IBV_QP_PORT | \
	IBV_QP_QKEY | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | \
	IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN | \
	IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_ALT_PATH | IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN | \
	IBV_QP_MAX_DEST_RD_ATOMIC | \
	IBV_QP_PATH_MIG_STATE | IBV_QP_DEST_QPN)

struct qp_rule {
	enum ibv_qp_state from, to;
	int required[3], optional[3];   /* by qp_rules_column() */
};

/* RC 0, UC 1, UD 2; -1 for others. */
int qp_rules_column(enum ibv_qp_type type);
/* The rule of one transition; NULL: there is no such transition. */
const struct qp_rule *qp_rules_find(enum ibv_qp_state from, enum ibv_qp_state to);
/* "INIT", and "AV" for IBV_QP_AV; both never NULL. */
const char *qp_rules_state_name(enum ibv_qp_state s);
const char *qp_rules_attribute_name(int bit);

#endif
