/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes.c - VLs for routing engines, and lane plans that can be written.
 * Room: sm/planner.  In: the snapshot, the configuration, the plan served now.  Out: members of
 * struct route_in; refusals; switches that did not take SLtoVL tables.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "libmad/attr/attr.h"
#include "sm/apply/apply.h"
#include "sm/conf/conf.h"
#include "sm/route/model/engine.h"
#include "sm/planner/lanes.h"
#include "sm/planner/sweep_job.h"
#include "sm/planner/vl_tables.h"
#include "util/bits.h"

#define CAP_SL_MAPPING (UINT32_C(1) << 6)

/* ---- QoS levels ---- */

/* The SLs that partitions and the policy give to paths and groups. */
static uint16_t
sls_used(const struct conf *c)
{
	uint16_t used = 1;

	for (uint32_t i = 0; i < c->partitions->n; i++) {
		const struct partition *p = &c->partitions->v[i];

		used |= (uint16_t)(1u << (p->sl % QOS_SLS));
		for (uint32_t g = 0; g < p->ngroups; g++)
			used |= (uint16_t)(1u << (p->groups[g].sl % QOS_SLS));
	}
	for (uint32_t i = 0; c->qos_policy && i < c->qos_policy->nlevels; i++)
		used |= (uint16_t)(1u << (c->qos_policy->levels[i].sl % QOS_SLS));
	return used;
}

void
lanes_levels(const struct conf *c, struct qos_lanes *out)
{
	struct conf_sl2vl one = { .set = true };
	struct qos_family f;

	*out = (struct qos_lanes){ .plan = NULL };
	if (!c->qos) {
		qos_lanes_levels(out, 1, &one);
		return;
	}
	f = conf_qos_family(c, QOS_SWE);
	qos_lanes_levels(out, sls_used(c), &f.sl2vl);
}

/* ---- inputs of engines ---- */

static unsigned
vls_of_code(uint8_t code)
{
	return code >= 5 ? QOS_VLS_MAX : 1u << (code ? code - 1 : 0);
}

static bool
is_between_switches(const struct snapshot *s, uint32_t port)
{
	const struct fab_port *p = &s->ports[port];

	return p->num && p->peer != FAB_NONE && fab_is_switch(&s->nodes[p->node]) &&
		fab_is_switch(&s->nodes[s->ports[p->peer].node]) &&
		!(s->nodes[p->node].flags & FAB_NODE_CUT) &&
		!(s->nodes[s->ports[p->peer].node].flags & FAB_NODE_CUT);
}

/* The data VLs that this end of a link allows.  Nothing is negotiated with an end that was not
 * read. */
static unsigned
vls_of_end(const struct plan *p, const struct fab_port *port)
{
	uint8_t code = (uint8_t)ATTR_GET(port_info, vl_cap, port->info);

	if (!(port->flags & FAB_PORT_INFO))
		return vls_of_code(0);
	return vls_of_code(code < p->links.max_op_vls ? code : p->links.max_op_vls);
}

/* The data VLs that every link between switches will have.  Both of its ends count, so no port need
 * be compared with its peer. */
static unsigned
least_vls(const struct sweep_job *j, const struct plan *p)
{
	const struct snapshot *s = j->fresh;
	unsigned least = QOS_VLS_MAX;

	if (j->in.conf->qos)
		least = conf_qos_family(j->in.conf, QOS_SWE).max_vls;
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];

		for (uint32_t i = n->first_port + 1; i <= n->first_port + n->nports; i++) {
			unsigned vls = vls_of_end(p, &s->ports[i]);

			if (vls < least && is_between_switches(s, i))
				least = vls;
		}
	}
	return least;
}

static bool
is_faulty(const struct lane_faults *f, uint64_t guid)
{
	if (f->many)
		return true;
	for (unsigned i = 0; i < f->n; i++)
		if (f->v[i].guid == guid)
			return f->v[i].weight >= LANE_FAULT_FINAL;
	return false;
}

static bool
maps_sls(const struct sweep_job *j, uint32_t sw)
{
	const struct fab_node *n = &j->fresh->nodes[j->fresh->switches[sw]];
	const struct fab_port *p = &j->fresh->ports[n->first_port];

	return p->flags & FAB_PORT_INFO &&
		ATTR_GET(port_info, capability_mask, p->info) & CAP_SL_MAPPING &&
		!(j->in.conf_age == j->in.faults.conf_age && is_faulty(&j->in.faults, n->guid));
}

/* The switches that cannot map SLs; NULL: all can. */
static const uint64_t *
find_unable(const struct sweep_job *j, struct arena *a)
{
	uint64_t *set = NULL;

	for (uint32_t sw = 0; sw < j->fresh->nswitches; sw++) {
		if (maps_sls(j, sw))
			continue;
		if (!set)
			set = arena_array(a, BITS_WORDS(j->fresh->nswitches) + 1, sizeof(*set));
		bits_set(set, sw);
	}
	return set;
}

static uint8_t
least_sl(const struct lane_plan *p)
{
	uint8_t sl = 0;

	while (sl < LANE_SLS - 1 && !(p->sls >> sl & 1))
		sl++;
	return sl;
}

/* The node of 'was' that is 'node' of 's'; FAB_NONE: none. */
static const struct fab_node *
same_node(const struct snapshot *was, const struct fab_node *n)
{
	uint32_t i = snapshot_node_by_guid(was, n->guid);

	return i == FAB_NONE || was->nodes[i].nports != n->nports ? NULL : &was->nodes[i];
}

static void
carry_classes(struct lane_plan *to, const struct lane_plan *from, const struct snapshot *was,
	const struct snapshot *s, struct arena *a)
{
	to->port_class = arena_array(a, s->nports + 1u, 1);
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]], *old = same_node(was, n);

		for (unsigned i = 0; old && i <= n->nports; i++)
			to->port_class[n->first_port + i] = from->port_class[old->first_port + i];
	}
}

static void
carry_sls(struct lane_plan *to, const struct lane_plan *from, const struct snapshot *was,
	const struct snapshot *s, struct arena *a)
{
	uint32_t n = s->nswitches, *old = arena_array(a, n + 1u, sizeof(*old));

	to->sl = arena_array(a, n, n);
	for (uint32_t sw = 0; sw < n; sw++) {
		const struct fab_node *o = same_node(was, &s->nodes[s->switches[sw]]);

		old[sw] = o && o->sw < from->nswitches ? o->sw : FAB_NONE;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			to->sl[(size_t)i * n + k] = old[i] == FAB_NONE || old[k] == FAB_NONE ?
				least_sl(from) : lanes_sl(from, old[i], old[k]);
}

/* The lane plan that is served now, by the ordinals and ports of the fresh snapshot; NULL: none.
 * Switches that are new have the lowest SL. */
static const struct lane_plan *
lanes_now(const struct sweep_job *j, struct arena *a)
{
	const struct plan *p = j->in.served_plan;
	struct lane_plan *l;

	if (!p || !j->in.served || !p->fwd.lanes)
		return NULL;
	l = arena_alloc(a, sizeof(*l));
	*l = *p->fwd.lanes;
	l->nswitches = j->fresh->nswitches;
	if (l->port_class)
		carry_classes(l, p->fwd.lanes, j->in.served, j->fresh, a);
	if (l->sl)
		carry_sls(l, p->fwd.lanes, j->in.served, j->fresh, a);
	return l;
}

void
lanes_inputs(const struct sweep_job *j, const struct plan *p, struct arena *a, struct route_in *in)
{
	struct qos_lanes levels;
	struct fwd_tables *was;

	lanes_levels(j->in.conf, &levels);
	in->vls = (uint8_t)(least_vls(j, p) / levels.nlevels);
	in->no_sl2vl = find_unable(j, a);
	if (!in->previous)
		return;
	was = arena_alloc(a, sizeof(*was));
	*was = *in->previous;
	was->lanes = lanes_now(j, a);
	if (was->lanes)
		was->vls = was->lanes->nvls;
	in->previous = was;
}

/* ---- what can be written ---- */

/* The first switch that cannot map SLs; FAB_NONE: all can. */
static uint32_t
first_unable(const struct sweep_job *j, const struct route_in *in)
{
	for (uint32_t sw = 0; in->no_sl2vl && sw < j->fresh->nswitches; sw++)
		if (bits_test(in->no_sl2vl, sw))
			return sw;
	return FAB_NONE;
}

/* Switch ports whose arbitration tables would leave a VL of the lane plan without weight. */
static unsigned
count_starving(const struct sweep_job *j, struct plan *p)
{
	struct qos_starving starving[QOS_KINDS];
	struct arena a = ARENA_INIT;
	struct qos_plan q;

	vl_tables_families(j->in.conf, p, &a, &q);
	qos_plan_starving(&q, j->fresh, starving);
	arena_clear(&a);
	return starving[QOS_SWE].ports;
}

#define REFUSE(j, ...) (snprintf((j)->cur.refusal, sizeof((j)->cur.refusal), __VA_ARGS__), false)

bool
lanes_accept(struct sweep_job *j, struct plan *p, const struct route_in *in, const char *engine)
{
	const struct qos_policy *policy = j->in.conf->qos_policy;
	uint32_t sw = first_unable(j, in);
	struct qos_lanes levels;
	unsigned starving;

	if (p->fwd.lanes && p->fwd.lanes->nvls <= 1)
		p->fwd.lanes = NULL;
	if (!p->fwd.lanes)
		return true;
	lanes_levels(j->in.conf, &levels);
	if (p->fwd.lanes->nvls > in->vls)
		return REFUSE(j, "engine %s refuses: VLS: %u VLs are needed, and there are %u",
			engine, p->fwd.lanes->nvls, in->vls);
	if (sw != FAB_NONE)
		return REFUSE(j,
			"engine %s refuses: SL2VL: it needs %u VLs, and switch 0x%016llx does not map "
			"SLs to VLs",
			engine, p->fwd.lanes->nvls,
			(unsigned long long)j->fresh->nodes[j->fresh->switches[sw]].guid);
	if (p->fwd.lanes->sl && levels.nlevels > 1)
		return REFUSE(j,
			"engine %s refuses: VLS: it sets the SL of each path, and qos uses SLs of %u "
			"VLs; it can be combined with SLs of one VL only",
			engine, levels.nlevels);
	if (j->in.conf->qos && policy && policy->nsl2vl)
		return REFUSE(j,
			"engine %s refuses: SL2VL: it needs %u VLs, and %s has sl2vl-tables for "
			"single ports",
			engine, p->fwd.lanes->nvls, policy->file);
	starving = count_starving(j, p);
	if (starving)
		return REFUSE(j,
			"engine %s refuses: VLS: it needs %u VLs, and VL arbitration of %u switch ports "
			"has no weight for one of them",
			engine, p->fwd.lanes->nvls, starving);
	return true;
}

/* ---- the log ---- */

/* Pairs of switches whose SL is another one. */
static uint64_t
count_moved(const struct lane_plan *was, const struct lane_plan *is)
{
	uint64_t n = 0;

	for (uint32_t a = 0; a < is->nswitches; a++)
		for (uint32_t b = 0; b < is->nswitches; b++)
			n += lanes_sl(was, a, b) != lanes_sl(is, a, b);
	return n;
}

void
lanes_log(const struct log *l, const struct sweep_job *j)
{
	const struct lane_plan *is = j->plan->fwd.lanes, *was;
	struct arena a = ARENA_INIT;
	uint64_t moved;

	if (!is || !is->sl)
		return;
	was = lanes_now(j, &a);
	moved = was && was->sl ? count_moved(was, is) : 0;
	if (!was || !was->sl)
		log_line(l, LOG_WARN, "route",
			"engine %s sets the SL of each path: connections that use another SL than "
			"that of their path record may take part in a credit loop",
			j->plan->engine);
	else if (moved)
		log_line(l, LOG_WARN, "route",
			"the SL of paths between %llu pairs of switches changes: connections that do "
			"not query their paths again may take part in a credit loop",
			(unsigned long long)moved);
	arena_clear(&a);
}

/* ---- switches that do not take tables ---- */

static void
add_fault(struct lane_faults *f, uint64_t guid, unsigned weight)
{
	unsigned i = 0;

	while (i < f->n && f->v[i].guid != guid)
		i++;
	if (i == LANE_FAULTS_MAX) {
		f->many = true;
		return;
	}
	if (i == f->n) {
		f->v[f->n].guid = guid;
		f->v[f->n++].weight = 0;
	}
	if (f->v[i].weight < LANE_FAULT_FINAL)
		f->v[i].weight += weight;
}

void
lanes_note_faults(struct lane_faults *f, const struct apply *a, const struct snapshot *s,
	unsigned conf_age)
{
	struct lane_faults was = *f;
	const struct apply_failure *v;
	uint32_t n, last = FAB_NONE;

	v = apply_failures(a, &n);
	*f = (struct lane_faults){ .conf_age = conf_age };
	if (was.conf_age == conf_age) {
		f->many = was.many;
		for (unsigned i = 0; i < was.n; i++)
			if (apply_stopped(a) || was.v[i].weight >= LANE_FAULT_FINAL)
				f->v[f->n++] = was.v[i];
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!v[i].kind->stops || !fab_is_switch(&s->nodes[v[i].node]) || v[i].node == last)
			continue;
		last = v[i].node;
		add_fault(f, s->nodes[last].guid,
			v[i].end == TXN_END_STATUS || v[i].end == TXN_END_OK ? LANE_FAULT_FINAL : 1);
	}
}
