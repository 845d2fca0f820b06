/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_groups.h - resolves the port groups of qos-policy.conf in one snapshot.
 * Room: sm/plan.  Pure.  In: the snapshot, the planned P_Keys, the policy.  Out: a set of ports for
 * each group.
 *
 * A switch belongs to a group as a whole: if its port 0 is in the group, all its ports are.  A
 * port-name that names one port of a switch adds only that port and port 0.
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
 * Resolves all groups.  If 'keys' is all zeros, the tables that were read determine which ports
 * hold a P_Key.  The caller owns the result; partitions and policy must outlive it.
 */
struct qos_groups *qos_groups_new(const struct snapshot *s, const struct pkey_plan *keys,
	const struct partitions *partitions, const struct qos_policy *policy);
void qos_groups_free(struct qos_groups *g);     /* 'g' may be NULL */

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
