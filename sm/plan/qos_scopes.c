/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_scopes.c - the values that qos-setup of a policy gives to single ports.
 * Room: sm/plan.  Pure.
 */
#include <config.h>
#include <string.h>
#include "sm/plan/qos_scopes.h"

struct sl2vl {
	/* by port index: packets that leave there; packets that entered there */
	const uint64_t *out, *in;
	/* by number of the input port, and of the output port, of a switch */
	uint64_t from[4], to[4];
	struct conf_sl2vl table;
};

struct qos_scopes {
	const struct snapshot *s;
	struct qos_vlarb_scope *vlarb;  /* copied without groups */
	uint32_t *low, *high, *limit;   /* by port index: 1 + index of the scope, 0: none */
	struct sl2vl *sl2vl;
	uint32_t nsl2vl;
};

/* Whether the port at the other end of the link is in one of the groups. */
static bool
faces_group(const struct snapshot *s, const struct qos_groups *g,
	const struct qos_groups_named *named, uint32_t port)
{
	return s->ports[port].peer != FAB_NONE && qos_groups_have(g, named, s->ports[port].peer);
}

static void
make_vlarb(struct qos_scopes *q, const struct qos_groups *g, struct arena *a)
{
	const struct qos_policy *p = g->policy;
	const struct snapshot *s = q->s;

	q->vlarb = arena_array(a, (size_t)p->nvlarb + 1, sizeof(*q->vlarb));
	q->low = arena_array(a, (size_t)s->nports + 1, sizeof(*q->low));
	q->high = arena_array(a, (size_t)s->nports + 1, sizeof(*q->high));
	q->limit = arena_array(a, (size_t)s->nports + 1, sizeof(*q->limit));
	for (uint32_t i = 0; i < p->nvlarb; i++) {
		const struct qos_vlarb_scope *v = &p->vlarb[i];

		q->vlarb[i] = (struct qos_vlarb_scope){
			.high = v->high,
			.low = v->low,
			.high_limit = v->high_limit,
			.has_high_limit = v->has_high_limit,
		};
		for (uint32_t port = 0; port < s->nports; port++) {
			if (!qos_groups_have(g, &v->groups, port) &&
			    !faces_group(s, g, &v->across, port))
				continue;
			if (v->low.set)
				q->low[port] = i + 1;
			if (v->high.set)
				q->high[port] = i + 1;
			if (v->has_high_limit)
				q->limit[port] = i + 1;
		}
	}
}

static void
make_sl2vl(struct qos_scopes *q, const struct qos_groups *g, struct arena *a)
{
	const struct qos_policy *p = g->policy;
	const struct snapshot *s = q->s;

	q->nsl2vl = p->nsl2vl;
	q->sl2vl = arena_array(a, (size_t)p->nsl2vl + 1, sizeof(*q->sl2vl));
	for (uint32_t i = 0; i < p->nsl2vl; i++) {
		const struct qos_sl2vl_scope *v = &p->sl2vl[i];
		uint64_t *out = arena_array(a, g->words, sizeof(*out)),
			 *in = arena_array(a, g->words, sizeof(*in));

		for (uint32_t port = 0; port < s->nports; port++) {
			if (qos_groups_have(g, &v->groups, port) ||
			    faces_group(s, g, &v->across_to, port))
				bits_set(out, port);
			if (faces_group(s, g, &v->across_from, port))
				bits_set(in, port);
		}
		q->sl2vl[i] = (struct sl2vl){ .out = out, .in = in, .table = v->table };
		memcpy(q->sl2vl[i].from, v->from, sizeof(v->from));
		memcpy(q->sl2vl[i].to, v->to, sizeof(v->to));
	}
}

const struct qos_scopes *
qos_scopes_make(const struct snapshot *s, const struct qos_groups *g, struct arena *a)
{
	struct qos_scopes *q;

	if (!g->policy || (!g->policy->nvlarb && !g->policy->nsl2vl))
		return NULL;
	q = arena_alloc(a, sizeof(*q));
	q->s = s;
	make_vlarb(q, g, a);
	make_sl2vl(q, g, a);
	return q;
}

const struct conf_vlarb *
qos_scopes_vlarb(const struct qos_scopes *q, uint32_t port, bool high)
{
	uint32_t i = !q ? 0 : high ? q->high[port] : q->low[port];

	if (!i)
		return NULL;
	return high ? &q->vlarb[i - 1].high : &q->vlarb[i - 1].low;
}

bool
qos_scopes_high_limit(const struct qos_scopes *q, uint32_t port, uint8_t *limit)
{
	if (!q || !q->limit[port])
		return false;
	*limit = q->vlarb[q->limit[port] - 1].high_limit;
	return true;
}

/* Host ports have no inputs, and their port numbers have no meaning here. */
static bool
means_port(const struct qos_scopes *q, const struct sl2vl *v, uint32_t port, uint8_t in)
{
	const struct fab_port *p = &q->s->ports[port];
	const struct fab_node *n = &q->s->nodes[p->node];

	if (!fab_is_switch(n))
		return bits_test(v->out, port);
	return bits_test(v->from, in) && bits_test(v->to, p->num) &&
		(bits_test(v->out, port) || bits_test(v->in, n->first_port + in));
}

const struct conf_sl2vl *
qos_scopes_sl2vl(const struct qos_scopes *q, uint32_t port, uint8_t in)
{
	for (uint32_t i = q ? q->nsl2vl : 0; i > 0; i--)
		if (means_port(q, &q->sl2vl[i - 1], port, in))
			return &q->sl2vl[i - 1].table;
	return NULL;
}

bool
qos_scopes_by_input(const struct qos_scopes *q)
{
	return q && q->nsl2vl;
}
