/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * planner.c - LIDs, then the first engine whose tables the verifier accepts.
 * Room: sm/daemon.  In: m->fresh.  Out: m->fresh_plan, or a refusal that names engine and reason.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define PORT_STATE_ACTIVE 4

static int64_t
clock_us(const struct manager *m)
{
	return m->c.clock ? m->c.clock(m->c.clock_arg).us : m->now.us;
}

static struct link_conf
links_of(const struct conf *c)
{
	return (struct link_conf){
		.subnet_prefix = c->subnet_prefix, .mkey = c->m_key, .mkey_lease_period_s = (uint16_t)c->m_key_lease_period_s,
		.mkey_protect = c->m_key ? 1 : 0, .max_op_vls = (uint8_t)c->max_op_vls,
		.subnet_timeout = (uint8_t)c->subnet_timeout, .hoq_life = (uint8_t)c->head_of_queue_lifetime,
		.leaf_hoq_life = (uint8_t)c->leaf_head_of_queue_lifetime, .vl_stall_count = (uint8_t)c->vl_stall_count,
		.leaf_vl_stall_count = (uint8_t)c->leaf_vl_stall_count,
		.local_phy_errors = (uint8_t)c->local_phy_errors_threshold,
		.overrun_errors = (uint8_t)c->overrun_errors_threshold,
		.force_width = (uint8_t)c->force_link_width, .force_speed = (uint8_t)c->force_link_speed,
		.force_speed_ext = (uint8_t)c->force_link_speed_ext,
	};
}

static int
lids(struct manager *m, struct plan *p)
{
	struct lid_ids stored = { m->lids, m->nlids };
	struct lid_conf c = { (uint8_t)m->conf->lmc, m->conf->lmc_esp0, m->reassign };
	int64_t t = clock_us(m);
	int err = plan_lids(m->fresh, &stored, &c, &p->arena, &p->lids, &m->cur.lid);

	m->cur.phase_us[PHASE_LIDS] += clock_us(m) - t;
	if (err < 0) {
		snprintf(m->cur.refusal, sizeof(m->cur.refusal), "%u LIDs are needed at lmc %u, a subnet has %u",
			m->cur.lid.needed, m->conf->lmc, LID_UCAST_MAX);
		return err;
	}
	p->sm_lid = p->lids.base[m->fresh->sm_port];
	p->nlids = m->cur.lid.lids;
	return 0;
}

/* What refuted the tables, in a sentence. */
static void
refuse(struct manager *m, const char *engine, const struct verify_result *v)
{
	int n = snprintf(m->cur.refusal, sizeof(m->cur.refusal),
		"engine %s: its tables were refused (scope %s): %llu unreachable, %llu loops, %llu credit loops", engine,
		v->scope == VERIFY_ALL ? "all" : "hosts", (unsigned long long)v->unreachable,
		(unsigned long long)v->loops, (unsigned long long)v->credit_loops);

	if (!v->ncycle || n < 0 || (size_t)n >= sizeof(m->cur.refusal))
		return;
	n += snprintf(m->cur.refusal + n, sizeof(m->cur.refusal) - (size_t)n, "; cycle of channels into");
	for (unsigned i = 0; i < v->ncycle && i < 4 && (size_t)n < sizeof(m->cur.refusal); i++) {
		const struct fab_port *q = &m->fresh->ports[v->cycle[i]];

		n += snprintf(m->cur.refusal + n, sizeof(m->cur.refusal) - (size_t)n, " 0x%016llx[%u]",
			(unsigned long long)m->fresh->nodes[q->node].guid, q->num);
	}
}

static bool
try_engine(struct manager *m, struct plan *p, const struct route_engine *e)
{
	struct route_conf c = { m->conf->root_guids, (uint32_t)m->conf->nroot_guids };
	struct route_in in = { m->fresh, &p->lids, &c };
	int64_t t = clock_us(m);
	enum route_code code = e->run(&in, &p->fwd_arena, &p->fwd, &m->cur.route);

	m->cur.phase_us[PHASE_ROUTE] += clock_us(m) - t;
	if (code != ROUTE_OK) {
		snprintf(m->cur.refusal, sizeof(m->cur.refusal), "engine %s refuses: %s: %s", e->name,
			route_code_text(code), m->cur.route.sentence);
		return false;
	}
	t = clock_us(m);
	verify_tables(m->fresh, &p->lids, &p->fwd, e->scope, &m->cur.verify);
	m->cur.verified = true;
	m->cur.phase_us[PHASE_VERIFY] += clock_us(m) - t;
	if (!m->cur.verify.ok)
		refuse(m, e->name, &m->cur.verify);
	return m->cur.verify.ok;
}

/* Two adapters back to back: LIDs and links, but nothing to route. */
static bool
no_switches(struct manager *m, struct plan *p)
{
	if (m->fresh->nswitches)
		return false;
	p->fwd = (struct fwd_tables){ .stride = 64, .top = p->lids.top, .vls = 1 };
	m->cur.route.engine = "none";
	m->cur.verify = (struct verify_result){ .scope = VERIFY_HOSTS, .ok = true };
	m->cur.verified = true;
	return true;
}

static bool
route(struct manager *m, struct plan *p)
{
	char why[256];

	if (no_switches(m, p))
		return true;
	for (unsigned i = 0; i < m->conf->engines.n; i++) {
		const struct route_engine *e = route_find(m->conf->engines.name[i], why, sizeof(why));

		if (!e)
			snprintf(m->cur.refusal, sizeof(m->cur.refusal), "%s", why);
		else if (try_engine(m, p, e))
			return true;
		arena_clear(&p->fwd_arena);
		log_line(m->c.log, LOG_WARN, "route", "%s", m->cur.refusal);
	}
	return false;
}

/*
 * Whom a client's joins and subscriptions are gone with: everybody when a new master begins; later, a port that is new or was
 * away, one that obeys another manager's LID (a handover was lost, or our own LID has moved), one that was not told before.
 */
static bool
owes_registration(const struct manager *m, const struct plan *p, uint32_t port)
{
	const struct fab_port *fp = &m->fresh->ports[port];
	struct port_info now = port_info_decode(fp->info);
	uint32_t before = m->served ? snapshot_port_by_guid(m->served, fp->guid) : FAB_NONE;

	return !m->led || now.state < PORT_STATE_ACTIVE || now.master_sm_lid != p->sm_lid || before == FAB_NONE ||
		m->served->ports[before].peer == FAB_NONE || m->served->ports[before].flags & FAB_PORT_UNTOLD;
}

static void
reregister(struct manager *m, struct plan *p)
{
	uint64_t *set = arena_array(&p->arena, BITS_WORDS(m->fresh->nports) + 1, sizeof(*set));

	for (uint32_t i = 0; i < m->fresh->nports; i++) {
		const struct fab_port *fp = &m->fresh->ports[i];

		if (!fab_is_switch(&m->fresh->nodes[fp->node]) && snapshot_is_endport(m->fresh, fp) &&
		    owes_registration(m, p, i))
			bits_set(set, i);
	}
	p->reregister = set;
}

/* No longer than some letters of the log a sweep: the report has them all. */
#define PKEY_WARNINGS_MAX 10

static void
pkeys(struct manager *m, struct plan *p)
{
	struct pkey_conf c = planner_pkey_conf(m->conf);
	int64_t t = clock_us(m);

	pkey_plan_make(m->fresh, &c, &p->arena, &p->pkeys);
	m->cur.phase_us[PHASE_LIDS] += clock_us(m) - t;
	for (uint32_t i = 0; i < p->pkeys.ntroubles && i < PKEY_WARNINGS_MAX; i++) {
		const struct pkey_trouble *k = &p->pkeys.troubles[i];
		const struct fab_port *port = &m->fresh->ports[k->port];

		log_line(m->c.log, LOG_WARN, "plan", "node 0x%016llx port %u: %u P_Keys are wanted and there is room for %u; %s",
			(unsigned long long)m->fresh->nodes[port->node].guid, port->num, k->wanted, k->room,
			planner_pkey_text((enum pkey_trouble_kind)k->kind));
	}
}

struct pkey_conf
planner_pkey_conf(const struct conf *c)
{
	return (struct pkey_conf){ c->partitions, c->part_enforce, c->allow_both_pkeys, c->keep_pkey_indexes };
}

const char *
planner_pkey_text(enum pkey_trouble_kind k)
{
	return k == PKEY_OVERFLOW ? "those that do not fit are left out" : "partitions are not enforced there";
}

int
planner_run(struct manager *m)
{
	struct plan *p = xcalloc(1, sizeof(*p));

	p->snapshot = m->fresh;
	p->links = links_of(m->conf);
	p->packet_life_time = (uint8_t)m->conf->packet_life_time;
	if (lids(m, p) < 0 || !route(m, p)) {
		plan_free(p);
		return -EINVAL;
	}
	reregister(m, p);
	pkeys(m, p);
	m->cur.refusal[0] = '\0';
	p->engine = m->cur.route.engine;
	m->fresh_plan = p;
	groups_plan(m);
	return 0;
}
