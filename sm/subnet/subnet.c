/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * subnet.c - keys, transactions and jobs for all rooms of the manager.
 * Room: sm/subnet.  In: requests and jobs of the rooms.  Out: calls of txn and of the job runner.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/conf/conf.h"
#include "sm/intended/intended.h"
#include "sm/plan/plan.h"
#include "sm/plan/qos_groups.h"
#include "sm/sa/stored.h"
#include "sm/subnet/subnet.h"
#include "util/xalloc.h"

/* Limit of submitted requests (subnet_pending_max()) with the smallest window. */
#define PENDING_MIN 256

int64_t
subnet_clock_us(const struct subnet *n)
{
	return n->clock ? n->clock(n->clock_arg).us : n->now.us;
}

struct mkeys
subnet_mkeys(const struct subnet *n)
{
	return n->conf->m_key == CONF_MKEY_AUTO ? n->port_keys : mkeys_one(n->conf->m_key);
}

uint64_t
subnet_mkey(const struct subnet *n, uint64_t port_guid)
{
	struct mkeys k = subnet_mkeys(n);

	return mkeys_of(&k, port_guid);
}

bool
subnet_protects(const struct subnet *n)
{
	return n->conf->m_key == CONF_MKEY_AUTO ? n->port_keys.of != NULL : n->conf->m_key != 0;
}

/*
 * The first target of each owner.  Discovery has its own copy of the first target of nodes
 * (discover_conf.target_base).
 */
static const uint32_t target_base[OWNER_COUNT] = {
	[OWN_DISCOVER] = 0,
	[OWN_APPLY] = TARGET_NODES,
	[OWN_SMINFO] = TARGET_NODES,
	[OWN_POLL] = TARGET_POLL,
	[OWN_LIGHT] = TARGET_NODES,
	[OWN_DESC] = TARGET_DESC,
	[OWN_HANDOVER] = TARGET_HANDOVER,
	[OWN_PKEYS] = TARGET_NODES,
	[OWN_MFT] = TARGET_NODES,
	[OWN_REPORT] = TARGET_REPORTS,
	[OWN_QOS] = TARGET_NODES,
	[OWN_GUIDS] = TARGET_NODES,
	[OWN_PORT_STATE] = TARGET_OWN,
	[OWN_PROBE] = TARGET_PROBES,
	[OWN_LFT] = TARGET_NODES,
};

void
subnet_submit(struct subnet *n, struct txn_req *r, enum owner owner)
{
	if (r->cookie & ~OWN_MASK)
		bug("manager: a cookie of owner %d is too wide", (int)owner);
	r->cookie |= (uint64_t)owner << OWN_SHIFT;
	r->target += target_base[owner];
	txn_submit(n->txn, r, n->now);
}

uint32_t
subnet_pending_max(const struct subnet *n)
{
	uint32_t max = n->conf->max_wire_smps * 4;

	return (max < PENDING_MIN ? PENDING_MIN : max) + txn_stats(n->txn)->late_in_flight;
}

void
subnet_cancel(struct subnet *n, enum owner owner)
{
	txn_cancel_cookies(n->txn, ~OWN_MASK, (uint64_t)owner << OWN_SHIFT);
}

void
subnet_hand_out(struct subnet *n, struct job *j)
{
	n->run_job(n->job_arg, j);
}

/* ---- freeing by a job ---- */

struct retire_job {
	struct job job;                 /* first */
	struct retired r;
};

static void
retire_run(struct job *job)
{
	struct retired *r = &((struct retire_job *)job)->r;

	sa_early_free(r->e);
	sa_stored_free(r->d);
	sa_index_free(r->x);
	qos_groups_free(r->q);
	observed_free(r->o);
	snapshot_free(r->s);
	plan_free(r->p);
	intended_free(r->t);
	*r = (struct retired){ .s = NULL };
}

static void
retire_drop(struct job *job)
{
	retire_run(job);
	free(job);
}

void
subnet_retire(struct subnet *n, struct retired what)
{
	struct retire_job *r;

	if (!what.s && !what.p && !what.o && !what.x && !what.q && !what.t && !what.e &&
		!what.d)
		return;
	r = xcalloc(1, sizeof(*r));
	*r = (struct retire_job){ .job = { .run = retire_run, .drop = retire_drop }, .r = what };
	subnet_hand_out(n, &r->job);
}
