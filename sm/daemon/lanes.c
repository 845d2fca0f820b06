/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes.c - SLtoVL and VLArbitration tables across sweeps: what is known of them, and reading what is not.
 * Room: sm/daemon.  In: m->fresh, configuration.  Out: questions; the part of the plan that is about lanes.
 * Without qos nothing is asked, kept or planned.
 */
#include <config.h>
#include <stdio.h>
#include "sm/daemon/manager_int.h"

void
lanes_abandon(struct manager *m)
{
	if (m->lanes)                   /* its questions borrow routes of m->fresh */
		subnet_cancel(&m->net, OWN_QOS);
	qos_reader_free(m->lanes);
	m->lanes = NULL;
	qos_tables_free(m->fresh_tables);
	m->fresh_tables = NULL;
}

void
lanes_look(struct sweep_job *j)
{
	struct qos_read_conf c = { .mkeys = j->mkeys, .skip_optimized = j->conf->use_optimized_slvl };

	if (!j->conf->qos)
		return;
	j->tables = qos_tables_next(j->known_tables, j->served, j->fresh);
	j->lanes = qos_reader_new(j->fresh, j->tables, &c);
}

void
lanes_take(struct manager *m, struct sweep_job *j)
{
	m->fresh_tables = j->tables;
	m->lanes = j->lanes;
	j->tables = NULL;
	j->lanes = NULL;
}

bool
lanes_pump(struct manager *m)
{
	struct txn_req r;

	while (m->lanes && txn_pending(m->net.txn) < subnet_pending_max(&m->net) && qos_reader_next(m->lanes, &r))
		subnet_submit(&m->net, &r, OWN_QOS);
	if (m->lanes && !qos_reader_done(m->lanes))
		return false;
	qos_reader_free(m->lanes);
	m->lanes = NULL;
	return true;
}

void
lanes_end(struct manager *m, const struct txn_end *e)
{
	if (m->lanes)
		qos_reader_end(m->lanes, e);
}

void
lanes_plan(const struct conf *c, struct plan *p)
{
	struct qos_conf q = { .optimized = c->use_optimized_slvl, .quiet = c->suppress_sl2vl_mad_status_errors };

	if (!c->qos)
		return;
	for (unsigned k = 0; k < QOS_KINDS; k++)
		q.family[k] = conf_qos_family(c, (enum qos_kind)k);
	qos_plan_make(p->snapshot, &p->links, &q, &p->arena, &p->qos);
	if (c->qos_policy && (c->qos_policy->nvlarb || c->qos_policy->nsl2vl)) {
		struct qos_groups *g = qos_groups_new(p->snapshot, &p->pkeys, c->partitions, c->qos_policy);

		p->qos.scopes = qos_scopes_make(p->snapshot, g, &p->arena);
		qos_groups_free(g);
	}
	qos_plan_starving(&p->qos, p->snapshot, p->qos.starving);
}

void
lanes_log(const struct manager *m, const struct qos_plan *q)
{
	static const char *const whose[QOS_KINDS] = {
		[QOS_CA] = "ports of channel adapters", [QOS_ROUTER] = "ports of routers",
		[QOS_SW0] = "enhanced ports 0", [QOS_SWE] = "cabled ports of switches",
	};
	static const char *const keys[QOS_KINDS] = {
		[QOS_CA] = "qos_ca", [QOS_ROUTER] = "qos_rtr", [QOS_SW0] = "qos_sw0", [QOS_SWE] = "qos_swe",
	};

	for (unsigned k = 0; k < QOS_KINDS; k++) {
		char sls[64] = "";
		size_t n = 0;

		if (!q->starving[k].ports)
			continue;
		for (unsigned sl = 0; sl < QOS_SLS; sl++)
			if (q->starving[k].sls >> sl & 1)
				n += (size_t)snprintf(sls + n, sizeof(sls) - n, "%s%u", n ? "," : "", sl);
		log_line(m->net.log, LOG_WARN, "plan", "%u %s: SL %s would never leave, its lanes have no weight in the entries that "
			"a port has; see %s_vlarb_high, %s_vlarb_low, qos-setup", q->starving[k].ports, whose[k], sls, keys[k], keys[k]);
	}
}

void
lanes_planned(struct manager *m)
{
	if (m->fresh_plan->qos.on && !m->fresh_tables)  /* qos came with a reload after they would have been read */
		m->fresh_tables = qos_tables_next(NULL, NULL, m->fresh);
	m->fresh_plan->qos_tables = m->fresh_tables;
	m->fresh_tables = NULL;
}
