/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos.c - wanted SLtoVL and VLArbitration tables.
 * Room: sm/plan.  Pure.
 */
#include <config.h>
#include <string.h>
#include "sm/plan/qos.h"

/* The number of data VLs that a code of VLCap or OperationalVLs means. */
static unsigned
vls_of_code(uint8_t code)
{
	return code >= 5 ? QOS_VLS_MAX : 1u << (code ? code - 1 : 0);
}

static uint8_t
fold_vl(uint8_t vl, unsigned vls)
{
	return (uint8_t)(vl == QOS_VL_DROP ? vl : vl % vls);
}

static void
fill_vlarb(uint8_t (*blocks)[VLARB_TABLE_BYTES], const struct conf_vlarb *v, unsigned vls)
{
	for (unsigned i = 0; i < v->n; i++) {
		uint8_t *e = &blocks[i / QOS_VLARB_BLOCK_ENTRIES][i % QOS_VLARB_BLOCK_ENTRIES * 2];

		e[0] = fold_vl(v->e[i].vl, vls);
		e[1] = v->e[i].weight;
	}
}

/* Fills the table and returns the service levels that it does not drop. */
static uint16_t
fill_slvl(uint8_t *slvl, const struct conf_sl2vl *v, unsigned vls)
{
	uint16_t sls = 0;

	memset(slvl, 0, SLVL_TABLE_BYTES);
	for (unsigned sl = 0; sl < QOS_SLS; sl++) {
		uint8_t vl = fold_vl(v->vl[sl], vls);

		slvl[sl / 2] |= (uint8_t)(sl & 1 ? vl : vl << 4);
		if (vl != QOS_VL_DROP)
			sls |= (uint16_t)(1u << sl);
	}
	return sls;
}

static void
fill_images(struct qos_images *im, const struct qos_family *f, unsigned vls)
{
	memset(im, 0, sizeof(*im));
	im->sls = fill_slvl(im->slvl, &f->sl2vl, vls);
	fill_vlarb(&im->vlarb[0], &f->low, vls);
	fill_vlarb(&im->vlarb[2], &f->high, vls);
}

static enum qos_kind
kind_of(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];

	if (fab_is_switch(n))
		return p->num ? QOS_SWE : QOS_SW0;
	return n->type == NODE_TYPE_ROUTER ? QOS_ROUTER : QOS_CA;
}

/* The code of the number of VLs that the port will have; 0: none are planned. */
static uint8_t
code_of(const struct snapshot *s, const struct link_conf *links, uint32_t port)
{
	const struct fab_port *p = &s->ports[port];
	const struct fab_node *n = &s->nodes[p->node];
	uint8_t cap;

	if (p->num)
		return plan_link_vls(s, links, port);
	if (!fab_is_switch(n) || !(p->flags & FAB_PORT_INFO) ||
	    !(n->flags & FAB_NODE_SWITCH_INFO) ||
	    !switch_info_decode(n->switch_info).enhanced_port0)
		return 0;
	cap = port_info_decode(p->info).vl_cap;
	return cap < links->max_op_vls ? cap : links->max_op_vls;
}

/* The tables that the lane plan needs at ports with so many VLs. */
static void
fill_lane_images(struct qos_lane_images *im, const struct qos_lanes *l, unsigned vls)
{
	struct conf_sl2vl v;

	for (unsigned in = 0; in < l->plan->nclasses; in++)
		for (unsigned out = 0; out < l->plan->nclasses; out++) {
			for (unsigned sl = 0; sl < QOS_SLS; sl++)
				v.vl[sl] = qos_lanes_vl(l, in, out, sl);
			fill_slvl(im->slvl[in][out], &v, vls);
		}
}

static void
make_lane_images(struct qos_plan *q, const struct snapshot *s, struct arena *a)
{
	for (uint32_t p = 0; q->lanes && p < s->nports; p++) {
		struct qos_lane_images *im;

		if (!q->vls[p] || q->lane_images[q->vls[p]])
			continue;
		im = arena_alloc(a, sizeof(*im));
		fill_lane_images(im, q->lanes, q->vls[p]);
		q->lane_images[q->vls[p]] = im;
	}
}

static bool
is_between_switches(const struct snapshot *s, const struct fab_port *p)
{
	return p->num && p->peer != FAB_NONE && fab_is_switch(&s->nodes[p->node]) &&
		fab_is_switch(&s->nodes[s->ports[p->peer].node]);
}

void
qos_plan_make(const struct snapshot *s, const struct link_conf *links, const struct qos_conf *c,
	struct arena *a, struct qos_plan *out)
{
	uint8_t *vls = arena_array(a, s->nports + 1u, 1),
		*kind = arena_array(a, s->nports + 1u, 1);

	*out = (struct qos_plan){
		.on = true, .optimized = c->optimized, .quiet = c->quiet && !c->lanes.plan,
		.vls = vls,
		.kind = kind,
	};
	if (c->lanes.plan) {
		struct qos_lanes *own = arena_alloc(a, sizeof(*own));

		*own = c->lanes;
		out->lanes = own;
	}
	for (unsigned k = 0; k < QOS_KINDS; k++) {
		struct qos_family f = c->family[k];

		out->high_limit[k] = f.high_limit;
		if (out->lanes) {
			f.low = qos_lanes_vlarb(out->lanes, &f.low);
			f.high = qos_lanes_vlarb(out->lanes, &f.high);
		}
		for (unsigned n = 1; n <= QOS_VLS_MAX; n++)
			fill_images(&out->images[k][n], &f, n);
	}
	for (uint32_t p = 0; p < s->nports; p++) {
		uint8_t code = code_of(s, links, p);
		unsigned n = vls_of_code(code);

		kind[p] = (uint8_t)kind_of(s, &s->ports[p]);
		if (n > c->family[kind[p]].max_vls)
			n = c->family[kind[p]].max_vls;
		if (!code || (c->between_switches && !is_between_switches(s, &s->ports[p])))
			n = 0;
		vls[p] = (uint8_t)n;
	}
	make_lane_images(out, s, a);
}

static const struct qos_images *
images_of(const struct qos_plan *q, uint32_t port)
{
	return qos_plan_has(q, port) ? &q->images[q->kind[port]][q->vls[port]] : NULL;
}

/* The table that the lane plan needs.  A host puts packets on the VL on which its switch would send
 * them back; links to hosts may have fewer VLs, because they are part of no cycle. */
static void
put_lanes(const struct qos_plan *q, const struct snapshot *s, const struct qos_table *t,
	uint8_t *image)
{
	const struct fab_port *p = &s->ports[t->port];
	const struct fab_node *n = &s->nodes[p->node];
	uint32_t out = fab_is_switch(n) ? t->port : p->peer;
	uint32_t in = fab_is_switch(n) ? n->first_port + t->in : p->peer;
	const uint8_t *class = q->lanes->plan->port_class;

	if (out == FAB_NONE)
		memset(image, 0, SLVL_TABLE_BYTES);
	else
		memcpy(image,
			q->lane_images[q->vls[t->port]]->slvl[class ? class[in] : 0]
							     [class ? class[out] : 0],
			SLVL_TABLE_BYTES);
}

static void
put_slvl(const struct qos_plan *q, const struct snapshot *s, const struct qos_table *t,
	const struct qos_images *im, uint8_t *image)
{
	const struct conf_sl2vl *own = qos_scopes_sl2vl(q->scopes, t->port, t->in);

	if (q->lanes)
		put_lanes(q, s, t, image);
	else if (own)
		fill_slvl(image, own, q->vls[t->port]);
	else
		memcpy(image, im->slvl, SLVL_TABLE_BYTES);
}

static void
put_vlarb(const struct qos_plan *q, const struct snapshot *s, const struct qos_table *t,
	const struct qos_images *im, uint8_t *image)
{
	bool high = t->block > QOS_VLARB_BLOCKS / 2;
	const struct conf_vlarb *own = qos_scopes_vlarb(q->scopes, t->port, high);
	uint8_t blocks[QOS_VLARB_BLOCKS / 2][VLARB_TABLE_BYTES] = { { 0 } };
	const uint8_t *from = im->vlarb[t->block - 1];

	if (own) {
		const struct conf_vlarb v = q->lanes ? qos_lanes_vlarb(q->lanes, own) : *own;

		fill_vlarb(blocks, &v, q->vls[t->port]);
		from = blocks[(t->block - 1) % (QOS_VLARB_BLOCKS / 2)];
	}
	memset(image, 0, VLARB_TABLE_BYTES);
	memcpy(image, from, 2 * (size_t)qos_vlarb_entries(&s->ports[t->port], t->block));
}

bool
qos_plan_table(const struct qos_plan *q, const struct snapshot *s, const struct qos_table *t,
	uint8_t *image)
{
	const struct qos_images *im = images_of(q, t->port);

	if (!im)
		return false;
	if (t->block)
		put_vlarb(q, s, t, im, image);
	else
		put_slvl(q, s, t, im, image);
	return true;
}

uint8_t
qos_plan_high_limit(const struct qos_plan *q, uint32_t port)
{
	uint8_t limit;

	return qos_scopes_high_limit(q->scopes, port, &limit) ? limit :
								q->high_limit[q->kind[port]];
}

bool
qos_plan_by_input(const struct qos_plan *q)
{
	return q->lanes ? q->lanes->plan->nclasses > 1 : qos_scopes_by_input(q->scopes);
}

/* With a lane plan only levels are dropped, from all ports alike. */
static uint16_t
sls_of_lanes(const struct qos_lanes *l)
{
	uint16_t sls = 0;

	for (unsigned sl = 0; sl < QOS_SLS; sl++)
		if (l->plan->sl || l->level[sl] != QOS_VL_DROP)
			sls |= (uint16_t)(1u << sl);
	return sls;
}

uint16_t
qos_plan_sls(const struct qos_plan *q, const struct snapshot *s, uint32_t port)
{
	const struct qos_images *im = images_of(q, port);
	const struct fab_node *n = &s->nodes[s->ports[port].node];
	uint16_t sls = UINT16_MAX;
	uint8_t unused[SLVL_TABLE_BYTES];

	if (!im)
		return UINT16_MAX;
	if (q->lanes)
		return sls_of_lanes(q->lanes);
	if (!qos_scopes_by_input(q->scopes))
		return im->sls;
	for (unsigned in = 0; in <= (fab_is_switch(n) ? n->nports : 0u); in++) {
		const struct conf_sl2vl *own;

		if (in && s->ports[n->first_port + in].peer == FAB_NONE)
			continue;               /* no packets enter there */
		own = qos_scopes_sl2vl(q->scopes, port, (uint8_t)in);
		sls &= own ? fill_slvl(unused, own, q->vls[port]) : im->sls;
	}
	return sls;
}

/* ---- VLs without weight ---- */

/* Bit n: VL n has a weight in one of the entries that the port has.  A port without entries
 * serves all VLs. */
static uint16_t
vls_served(const struct qos_plan *q, const struct snapshot *s, uint32_t port)
{
	uint8_t image[VLARB_TABLE_BYTES];
	unsigned entries = 0;
	uint16_t served = 0;

	for (unsigned b = 1; b <= QOS_VLARB_BLOCKS; b++) {
		struct qos_table t = { port, 0, (uint8_t)b };
		unsigned n = qos_vlarb_entries(&s->ports[port], b);

		if (!n || !qos_plan_table(q, s, &t, image))
			continue;
		entries += n;
		for (unsigned i = 0; i < n; i++)
			if (image[2 * i + 1])
				served |= (uint16_t)(1u << image[2 * i]);
	}
	return entries ? served : UINT16_MAX;
}

/* The service levels that the port puts on VLs outside 'served', from any input port. */
static uint16_t
levels_unserved(const struct qos_plan *q, const struct snapshot *s, uint32_t port, uint16_t served)
{
	const struct fab_node *n = &s->nodes[s->ports[port].node];
	unsigned last = fab_is_switch(n) && qos_plan_by_input(q) ? n->nports : 0;
	uint8_t image[SLVL_TABLE_BYTES];
	uint16_t sls = 0;

	for (unsigned in = 0; in <= last; in++) {
		struct qos_table t = { port, (uint8_t)in, 0 };

		if ((in && s->ports[n->first_port + in].peer == FAB_NONE) ||
		    !qos_plan_table(q, s, &t, image))
			continue;
		for (unsigned sl = 0; sl < QOS_SLS; sl++) {
			unsigned vl = sl & 1 ? image[sl / 2] & 0x0f : image[sl / 2] >> 4;

			if (vl != QOS_VL_DROP && !(served >> vl & 1))
				sls |= (uint16_t)(1u << sl);
		}
	}
	return sls;
}

/* The VLs that tables of the port may have. */
static uint16_t
vls_mapped(const struct qos_plan *q, uint32_t port)
{
	unsigned n = q->vls[port], lanes = q->lanes ? q->lanes->nlevels * q->lanes->plan->nvls : n;

	return (uint16_t)((1u << (lanes < n ? lanes : n)) - 1);
}

/* What vls_served() depends on, where no policy has tables for single ports. */
static uint32_t
arbitration_of(const struct qos_plan *q, const struct fab_port *p, uint32_t port)
{
	return (uint32_t)p->info[port_info_at_vlarb_low_cap / 8] << 24 |
		(uint32_t)p->info[port_info_at_vlarb_high_cap / 8] << 16 |
		(uint32_t)q->kind[port] << 8 | q->vls[port];
}

void
qos_plan_starving(
	const struct qos_plan *q, const struct snapshot *s, struct qos_starving out[QOS_KINDS])
{
	uint32_t before = 0;            /* no port that has VLs */
	uint16_t served = 0;

	memset(out, 0, QOS_KINDS * sizeof(*out));
	for (uint32_t p = 0; q->on && p < s->nports; p++) {
		uint16_t all = vls_mapped(q, p), sls = 0;
		uint32_t key = arbitration_of(q, &s->ports[p], p);

		if (!all)
			continue;
		if (key != before || q->scopes)
			served = vls_served(q, s, p);
		before = key;

		if (all & ~served)
			sls = levels_unserved(q, s, p, served);
		out[q->kind[p]].ports += sls != 0;
		out[q->kind[p]].sls |= sls;
	}
}
