/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_groups.h - which ports the port-groups of qos-policy.conf mean, in one snapshot.
 * Room: sm/plan.  Pure.  In: the snapshot, the P_Keys that are planned, the policy.  Out: a set of
 * ports for each group.
 *
 * A switch is meant as a whole: with its port 0 all its ports are in the group.  A port-name that
 * says which of a switch's ports is meant puts that one and port 0 into the group.
 */
#ifndef HEDDLE_SM_PLAN_QOS_GROUPS_H
#define HEDDLE_SM_PLAN_QOS_GROUPS_H

#include "fabric/snapshot/snapshot.h"
#include "sm/conf/conf.h"
#include "sm/plan/pkey.h"
#include "util/bits.h"

struct qos_groups {
	const struct partitions *partitions;    /* borrowed, as is the policy */
	const struct qos_policy *policy;        /* NULL: there is no file */
	size_t words;                   /* of one set */
	uint64_t *bits;                 /* [ngroups][words]: a bit for each port index */
};

/*
 * Resolves all groups.  'keys' may be all zeros: then the tables that were read say who holds a
 * P_Key.  The caller's; partitions and policy must outlive it.
 */
struct qos_groups *qos_groups_new(const struct snapshot *s, const struct pkey_plan *keys,
	const struct partitions *partitions, const struct qos_policy *policy);
void qos_groups_free(struct qos_groups *g);     /* NULL is fine */

/* Whether 'port' (index) is in one of the groups. */
static inline bool
qos_groups_have(const struct qos_groups *g, const struct qos_groups_named *named, uint32_t port)
{
	for (uint32_t i = 0; i < named->n; i++)
		if (bits_test(g->bits + named->v[i] * g->words, port))
			return true;
	return false;
}

#endif
