/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vl_tables.c - SL-to-VL and VL arbitration tables across sweeps.
 * Room: sm/planner.  In: snapshots, configuration.  Out: requests; the VL tables of
 * the plan.
 */
#include <config.h>
#include <stdio.h>
#include "sm/conf/conf.h"
#include "sm/plan/qos_groups.h"
#include "sm/planner/lanes.h"
#include "sm/planner/vl_tables.h"

#define PLAIN_WEIGHT 4                  /* of 64 bytes: a packet of 256 bytes */

void
vl_tables_abandon(struct vl_tables *v, struct subnet *n)
{
	if (v->reader)                   /* its requests borrow routes of the snapshot */
		subnet_cancel(n, OWN_QOS);
	qos_reader_free(v->reader);
	v->reader = NULL;
}

void
vl_tables_look(struct sweep_job *j)
{
	struct qos_read_conf c = { .mkeys = j->in.mkeys,
		.skip_optimized = j->in.conf->use_optimized_slvl };

	if (!j->in.conf->qos && !j->in.known_tables)
		return;
	j->look.tables = qos_tables_next(j->in.known_tables, j->in.served, j->fresh);
	if (j->in.conf->qos)
		j->look.reader = qos_reader_new(j->fresh, j->look.tables, &c);
}

void
vl_tables_take(struct vl_tables *v, struct observed *o, struct look_made *l)
{
	o->qos = l->tables;
	v->reader = l->reader;
	l->tables = NULL;
	l->reader = NULL;
}

bool
vl_tables_pump(struct vl_tables *v, struct subnet *n)
{
	struct txn_req r;

	while (v->reader && txn_pending(n->txn) < subnet_pending_max(n) &&
		qos_reader_next(v->reader, &r))
		subnet_submit(n, &r, OWN_QOS);
	if (v->reader && !qos_reader_done(v->reader))
		return false;
	qos_reader_free(v->reader);
	v->reader = NULL;
	return true;
}

void
vl_tables_on_end(struct vl_tables *v, const struct txn_end *e)
{
	if (v->reader)
		qos_reader_end(v->reader, e);
}

/* Without QoS: all SLs have VL 0, unless the routing needs more, and all VLs have the same
 * weight. */
static struct qos_family
plain_family(void)
{
	struct qos_family f = { .max_vls = QOS_VLS_MAX };

	f.sl2vl.set = f.low.set = f.high.set = true;
	f.low.n = QOS_VLS_MAX;
	for (uint8_t vl = 0; vl < QOS_VLS_MAX; vl++) {
		f.low.e[vl].vl = vl;
		f.low.e[vl].weight = PLAIN_WEIGHT;
	}
	return f;
}

void
vl_tables_families(
	const struct conf *c, const struct plan *p, struct arena *a, struct qos_plan *out)
{
	struct qos_conf q = { .optimized = c->use_optimized_slvl,
		.quiet = c->suppress_sl2vl_mad_status_errors };

	lanes_levels(c, &q.lanes);
	q.lanes.plan = p->fwd.lanes;
	/* any SL is legal on any path: as with one VL, nothing depends on how hosts use VLs */
	q.between_switches = !c->qos && p->fwd.lanes && !p->fwd.lanes->sl;
	for (unsigned k = 0; k < QOS_KINDS; k++)
		q.family[k] = c->qos ? conf_qos_family(c, (enum qos_kind)k) : plain_family();
	qos_plan_make(p->snapshot, &p->links, &q, a, out);
}

void
vl_tables_plan(const struct sweep_job *j, struct plan *p)
{
	const struct conf *c = j->in.conf;

	if (!c->qos && !p->fwd.lanes && !j->in.lanes_used)
		return;
	vl_tables_families(c, p, &p->arena, &p->qos);
	if (c->qos && c->qos_policy && (c->qos_policy->nvlarb || c->qos_policy->nsl2vl)) {
		struct qos_groups *g =
			qos_groups_new(p->snapshot, &p->pkeys, c->partitions, c->qos_policy);

		p->qos.scopes = qos_scopes_make(p->snapshot, g, &p->arena);
		qos_groups_free(g);
	}
	qos_plan_starving(&p->qos, p->snapshot, p->qos.starving);
}

void
vl_tables_log(const struct log *l, const struct qos_plan *q)
{
	static const char *const whose[QOS_KINDS] = {
		[QOS_CA] = "ports of channel adapters", [QOS_ROUTER] = "ports of routers",
		[QOS_SW0] = "enhanced ports 0", [QOS_SWE] = "cabled ports of switches",
	};
	static const char *const keys[QOS_KINDS] = {
		[QOS_CA] = "qos_ca",
		[QOS_ROUTER] = "qos_rtr",
		[QOS_SW0] = "qos_sw0",
		[QOS_SWE] = "qos_swe",
	};

	for (unsigned k = 0; k < QOS_KINDS; k++) {
		char sls[64] = "";
		size_t n = 0;

		if (!q->starving[k].ports)
			continue;
		for (unsigned sl = 0; sl < QOS_SLS; sl++)
			if (q->starving[k].sls >> sl & 1)
				n += (size_t)snprintf(
					sls + n, sizeof(sls) - n, "%s%u", n ? "," : "", sl);
		log_line(l, LOG_WARN, "plan",
			"%u %s: SL %s would never leave, its lanes have no weight in the entries that "
			"a port has; see %s_vlarb_high, %s_vlarb_low, qos-setup",
			q->starving[k].ports, whose[k], sls, keys[k], keys[k]);
	}
}

void
vl_tables_planned(struct observed *o, const struct plan *p)
{
	if (p->qos.on && !o->qos)       /* qos came with a reload after they would have been read */
		o->qos = qos_tables_next(NULL, NULL, o->s);
}
