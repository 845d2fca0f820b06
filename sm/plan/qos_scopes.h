/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_scopes.h - the values that the section qos-setup of a policy gives to single ports; they
 * override the families of keys.
 * Room: sm/plan.  Pure.  In: the policy, its groups in a snapshot.  Out: values for ports and pairs
 * of ports.  If several scopes match a port, the last one applies.
 */
#ifndef HEDDLE_SM_PLAN_QOS_SCOPES_H
#define HEDDLE_SM_PLAN_QOS_SCOPES_H

#include "sm/plan/qos_groups.h"

struct qos_scopes;

/* Returns NULL if the policy has no scopes.  Owned by 'a'; borrows 's', but neither groups nor
 * policy. */
const struct qos_scopes *qos_scopes_make(
	const struct snapshot *s, const struct qos_groups *g, struct arena *a);
/* The high or low arbitration table for that port (index); NULL: the policy gives none.  This
 * and the functions below accept NULL for 'q'. */
const struct conf_vlarb *qos_scopes_vlarb(const struct qos_scopes *q, uint32_t port, bool high);
bool qos_scopes_high_limit(const struct qos_scopes *q, uint32_t port, uint8_t *limit);
/* SL-to-VL table of packets that enter by port number 'in' and leave by 'port' of the same
 * switch. */
const struct conf_sl2vl *qos_scopes_sl2vl(const struct qos_scopes *q, uint32_t port, uint8_t in);
/* Whether tables may depend on the input port. */
bool qos_scopes_by_input(const struct qos_scopes *q);

#endif
