/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * planner.c - computes the wanted state of the subnet.
 * Room: sm/planner.  In: a snapshot and the configuration, const.  Out: a plan, or a refusal that
 * names engine and reason.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "sm/registry/groups.h"
#include "sm/planner/lanes.h"
#include "sm/planner/planner.h"
#include "sm/planner/renumber.h"
#include "sm/planner/routes.h"
#include "sm/planner/trees.h"
#include "sm/planner/vl_tables.h"
#include "util/bits.h"
#include "util/xalloc.h"

/* Maximum number of P_Key warnings in the log of a sweep; the report has all of them. */
#define PKEY_WARNINGS_MAX 10

static int64_t
clock_us(const struct sweep_job *j)
{
	return j->in.clock ? j->in.clock(j->in.clock_arg).us : j->in.given.us;
}

static struct link_conf
links_of(const struct conf *c, const struct mkeys *k)
{
	return (struct link_conf){
		.subnet_prefix = c->subnet_prefix,
		.mkeys = *k,
		.mkey_lease_period_s = (uint16_t)c->m_key_lease_period_s,
		.mkey_protect = 1,
		.max_op_vls = (uint8_t)c->max_op_vls,
		.subnet_timeout = (uint8_t)c->subnet_timeout,
		.hoq_life = (uint8_t)c->head_of_queue_lifetime,
		.leaf_hoq_life = (uint8_t)c->leaf_head_of_queue_lifetime,
		.vl_stall_count = (uint8_t)c->vl_stall_count,
		.leaf_vl_stall_count = (uint8_t)c->leaf_vl_stall_count,
		.local_phy_errors = (uint8_t)c->local_phy_errors_threshold,
		.overrun_errors = (uint8_t)c->overrun_errors_threshold,
		.force_width = (uint8_t)c->force_link_width,
		.force_speed = (uint8_t)c->force_link_speed,
		.force_speed_ext = (uint8_t)c->force_link_speed_ext,
	};
}

static int
plan_lid_map(struct sweep_job *j, struct plan *p)
{
	struct lid_ids stored = { j->lids, j->nlids };
	struct lid_conf c = { (uint8_t)j->in.conf->lmc, j->in.conf->lmc_esp0, j->in.reassign,
		renumber_led(j->fresh, j->in.led ? j->in.served : NULL, &stored, &p->arena) };
	int64_t t = clock_us(j);
	int err = plan_lids(j->fresh, &stored, &c, &p->arena, &p->lids, &j->cur.lid);

	j->cur.phase_us[PHASE_LIDS] += clock_us(j) - t;
	if (err < 0) {
		snprintf(j->cur.refusal, sizeof(j->cur.refusal),
			"%u LIDs are needed at lmc %u, a subnet has %u", j->cur.lid.needed,
			j->in.conf->lmc, LID_UCAST_MAX);
		return err;
	}
	p->sm_lid = p->lids.base[j->fresh->sm_port];
	p->nlids = j->cur.lid.lids;
	return 0;
}

/*
 * Whether a port must be asked to register again.  A new master asks all ports.  Later these are
 * asked: ports that are new or were absent, ports whose MasterSMLID is not our LID (a handover was
 * lost, or our own LID has changed), and ports that could not be asked before.  'before': the index
 * that the port had in the sweep before; FAB_NONE: it was not there.
 */
static bool
owes_registration(
	const struct sweep_job *j, const struct plan *p, const struct fab_port *fp, uint32_t before)
{
	return !j->in.led || ATTR_GET(port_info, state, fp->info) < PORT_STATE_ACTIVE ||
		ATTR_GET(port_info, master_sm_lid, fp->info) != p->sm_lid || before == FAB_NONE ||
		j->in.served->ports[before].peer == FAB_NONE ||
		j->in.served->ports[before].flags & FAB_PORT_UNTOLD;
}

static void
plan_reregistration(struct sweep_job *j, struct plan *p)
{
	const struct snapshot *s = j->fresh, *served = j->in.served;
	uint64_t *set = arena_array(&p->arena, BITS_WORDS(s->nports) + 1, sizeof(*set));
	uint32_t at = 0;

	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *fp = &s->ports[s->endports[i]];

		if (!fab_is_switch(&s->nodes[fp->node]) && snapshot_is_endport(s, fp) &&
			owes_registration(j, p, fp,
				served ? snapshot_next_port_by_guid(served, fp->guid, &at) :
					 FAB_NONE))
			bits_set(set, s->endports[i]);
	}
	p->reregister = set;
}

static void
plan_partitions(struct sweep_job *j, struct plan *p)
{
	struct pkey_conf c = planner_pkey_conf(j->in.conf);
	int64_t t = clock_us(j);

	pkey_plan_make(j->fresh, &c, &p->arena, &p->pkeys);
	j->cur.phase_us[PHASE_LIDS] += clock_us(j) - t;
}

struct pkey_conf
planner_pkey_conf(const struct conf *c)
{
	return (struct pkey_conf){ c->partitions, c->part_enforce, c->allow_both_pkeys,
		c->keep_pkey_indexes };
}

const char *
planner_pkey_text(enum pkey_problem_kind k)
{
	return k == PKEY_OVERFLOW ? "those that do not fit are left out" :
				    "partitions are not enforced there";
}

void
planner_make_plan(struct sweep_job *j)
{
	struct plan *p = xcalloc(1, sizeof(*p));

	p->snapshot = j->fresh;
	p->mft_top = groups_mft_top(j->fresh);
	p->guids = j->in.guids;
	p->links = links_of(j->in.conf, &j->in.mkeys);
	p->packet_life_time = (uint8_t)j->in.conf->packet_life_time;
	if (plan_lid_map(j, p) < 0 || !routes_make(j, p)) {
		plan_free(p);
		j->err = -EINVAL;
		return;
	}
	plan_reregistration(j, p);
	plan_partitions(j, p);
	trees_make(j, p);
	vl_tables_plan(j, p);
	j->cur.refusal[0] = '\0';
	p->engine = j->cur.route.engine;
	j->plan = p;
}

/* Whether our own port is only a limited member of the default partition. */
static bool
self_is_limited(const struct sweep_job *j)
{
	uint32_t port = j->fresh->sm_port, blocks = pkey_plan_blocks(&j->plan->pkeys, port);
	bool limited = false;

	for (uint32_t i = 0; i < blocks * PKEY_BLOCK_KEYS; i++) {
		const uint8_t *block = pkey_plan_block(&j->plan->pkeys, port, i / PKEY_BLOCK_KEYS);
		uint64_t key = ATTR_GET_ITEM(pkey_table, pkey, block, i % PKEY_BLOCK_KEYS);

		if (key == PKEY_DEFAULT_FULL)
			return false;
		limited |= key == PKEY_DEFAULT_LIMITED;
	}
	return limited;
}

/*
 * Logs this once for each configuration.  It cannot be checked when the file is read, because the
 * file may name our port by its GUID.
 */
static void
log_limited_self(const struct subnet *n, const struct sweep_job *j, unsigned *logged)
{
	if (*logged == n->conf_age + 1 || !self_is_limited(j))
		return;
	*logged = n->conf_age + 1;
	log_line(n->log, LOG_WARN, "plan",
		"%s: our own port 0x%016llx is a limited member of Default: limited members cannot reach the "
		"subnet administration; add SELF=full",
		n->conf->partitions->file ? n->conf->partitions->file : "partitions",
		(unsigned long long)j->fresh->ports[j->fresh->sm_port].guid);
}

/*
 * Logs the shape and the engine used when they change, and why engines refused.  What
 * auto tries on every fabric, or tried in vain before, is detail.
 */
static void
log_chain(const struct subnet *n, const struct sweep_job *j, const struct chain *before)
{
	const struct chain *c = &j->cur.chain;
	char now[600], was[600];
	bool same;

	chain_text(c, now, sizeof(now));
	same = strcmp(now, chain_text(before, was, sizeof(was))) == 0;
	for (unsigned i = 0; i < c->n; i++) {
		uint8_t why = c->step[i].why;
		bool detail = why == CHAIN_GENERAL || (why == CHAIN_SHAPE && same);

		if (c->step[i].end == CHAIN_REFUSED)
			log_line(n->log, detail ? LOG_DETAIL : LOG_WARN, "route", "%s",
				c->step[i].said);
	}
	if (j->plan && now[0] && !same)
		log_line(n->log, LOG_NOTE, "route", "%s", now);
	if (c->unknown[0] && strcmp(c->unknown, before->unknown))
		log_line(n->log, LOG_WARN, "route", "%s", c->unknown);
	if (c->unserved[0] && strcmp(c->unserved, before->unserved))
		log_line(n->log, LOG_WARN, "route", "%s", c->unserved);
	if (c->groups.said[0] && strcmp(c->groups.said, before->groups.said))
		log_line(n->log, c->groups.refused ? LOG_WARN : LOG_NOTE, "route", "%s",
			c->groups.said);
}

void
planner_log(const struct subnet *n, const struct sweep_job *j, const struct chain *before,
	unsigned *limited_logged)
{
	log_chain(n, j, before);
	if (j->plan && j->refusals.trees[0])
		log_line(n->log, LOG_WARN, "mcast",
			"multicast tables stay as they are: new trees were refused: %s",
			j->refusals.trees);
	if (j->plan && j->refusals.root[0])
		log_line(n->log, LOG_WARN, "mcast", "%s", j->refusals.root);
	for (uint32_t i = 0; j->plan && i < j->plan->pkeys.nproblems && i < PKEY_WARNINGS_MAX;
		i++) {
		const struct pkey_problem *k = &j->plan->pkeys.problems[i];
		const struct fab_port *port = &j->fresh->ports[k->port];

		log_line(n->log, LOG_WARN, "plan",
			"node 0x%016llx port %u: %u P_Keys are wanted and there is room for %u; %s",
			(unsigned long long)j->fresh->nodes[port->node].guid, port->num, k->wanted,
			k->room, planner_pkey_text((enum pkey_problem_kind)k->kind));
	}
	if (j->plan) {
		log_limited_self(n, j, limited_logged);
		vl_tables_log(n->log, &j->plan->qos);
		lanes_log(n->log, j);
	}
}
