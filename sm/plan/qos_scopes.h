/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_scopes.h - what qos-setup of a policy says of single ports' tables, over what the families of
 * keys say of all.
 * Room: sm/plan.  Pure.  In: the policy, its groups in a snapshot.  Out: values for ports and pairs
 * of ports; the last scope that means a port counts.
 */
#ifndef HEDDLE_SM_PLAN_QOS_SCOPES_H
#define HEDDLE_SM_PLAN_QOS_SCOPES_H

#include "sm/plan/qos_groups.h"

struct qos_scopes;

/* NULL: there are none.  Owned by 'a'; it borrows 's', but neither groups nor policy. */
const struct qos_scopes *qos_scopes_make(
	const struct snapshot *s, const struct qos_groups *g, struct arena *a);
/* Arbitration of that port (index), 'high' or low; NULL: nothing is said.  So everywhere, also with
 * 'q' NULL. */
const struct conf_vlarb *qos_scopes_vlarb(const struct qos_scopes *q, uint32_t port, bool high);
bool qos_scopes_high_limit(const struct qos_scopes *q, uint32_t port, uint8_t *limit);
/* SL to VL of packets that leave by 'port' and came in by port number 'in' of the same switch. */
const struct conf_sl2vl *qos_scopes_sl2vl(const struct qos_scopes *q, uint32_t port, uint8_t in);
/* Whether tables may differ by the port that packets came in by. */
bool qos_scopes_by_input(const struct qos_scopes *q);

#endif
