/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * grouped.c - fabrics with groups of switches.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/topo/snapshot_topo.h"
#include "libmad/attr/codes.h"
#include "sim/gen/gen.h"
#include "sm/plan/lid.h"
#include "tests/unit/route/grouped.h"

/* Adds the fabric of 'spec' with 'more' free ports at each switch; the index of its first node. */
static uint32_t
add_fabric(struct topo_builder *b, const char *spec, uint64_t base, uint8_t more)
{
	struct topo_error e = { "" };
	uint32_t first = topo_builder_count(b);
	struct topo t;

	if (gen_topology(spec, &t, &e) != 0)
		fail_msg("%s: %s", spec, e.text);
	for (uint32_t i = 0; i < t.nnodes; i++) {
		const struct topo_node *n = &t.nodes[i];

		topo_builder_node(b, (enum topo_node_type)n->type,
			(uint8_t)(n->nports + (n->type == TOPO_SWITCH ? more : 0)), n->guid + base,
			n->desc);
	}
	for (uint32_t i = 0; i < t.nnodes; i++)
		for (unsigned p = 1; p <= t.nodes[i].nports; p++) {
			const struct topo_port *q = topo_port(&t, i, (uint8_t)p);

			if (q->peer_node == TOPO_NONE || q->peer_node < i)
				continue;
			if (q->peer_node == i && q->peer_port < p)
				continue;
			assert_int_equal(topo_builder_cable(b, first + i, (uint8_t)p,
						 first + q->peer_node, q->peer_port),
				0);
		}
	topo_clear(&t);
	return first;
}

void
grouped_make(struct grouped *x, const char *spec, const char *second, uint32_t joins)
{
	struct topo_builder *b = topo_builder_new();
	struct lid_conf lc = { .lmc = 0 };
	struct lid_report lr;
	uint32_t at = 0;
	struct topo t;

	grouped_clear(x);
	add_fabric(b, spec, 0, 1);
	if (second)
		at = add_fabric(b, second, GROUPED_SECOND - 0x00fe1d0000000000ull, 1);
	for (uint32_t i = 0; i < joins; i++)
		assert_int_equal(topo_builder_cable(b, i, topo_builder_at(b, i)->nports, at + i,
					 topo_builder_at(b, at + i)->nports),
			0);
	assert_int_equal(topo_builder_take(b, &t), 0);
	assert_int_equal(topo_to_snapshot(&t, TOPO_NONE, PORT_STATE_INIT, &x->s), 0);
	topo_clear(&t);
	assert_int_equal(plan_lids(x->s, NULL, &lc, &x->arena, &x->lids, &lr), 0);
	x->groups.file = "groups";
	x->conf.groups = &x->groups;
	x->in = (struct route_in){ .snapshot = x->s, .lids = &x->lids, .conf = &x->conf, .vls = 8 };
}

void
grouped_clear(struct grouped *x)
{
	snapshot_free(x->s);
	arena_clear(&x->arena);
	memset(x, 0, sizeof(*x));
}

uint32_t
grouped_add(struct grouped *x, const char *name, const char *engine)
{
	x->groups.group = arena_grow(
		&x->arena, x->groups.group, x->groups.n, &x->room, 4, sizeof(*x->groups.group));
	x->groups.group[x->groups.n] = (struct routing_group){ .name = name, .engine = engine };
	x->groups.group[x->groups.n].sw =
		arena_array(&x->arena, x->s->nswitches + 1u, sizeof(struct routing_group_switch));
	return x->groups.n++;
}

void
grouped_add_switch(struct grouped *x, uint32_t group, uint64_t guid)
{
	struct routing_group *g = &x->groups.group[group];

	assert_true(g->n <= x->s->nswitches);
	g->sw[g->n++] = (struct routing_group_switch){ guid, g->n + 2 };
}

uint32_t
grouped_add_range(
	struct grouped *x, const char *name, const char *engine, uint64_t lo, uint64_t end)
{
	uint32_t g = grouped_add(x, name, engine);

	for (uint32_t i = 0; i < x->s->nswitches; i++) {
		uint64_t guid = x->s->nodes[x->s->switches[i]].guid;

		if (guid >= lo && guid < end)
			grouped_add_switch(x, g, guid);
	}
	return g;
}

enum route_code
grouped_route(struct grouped *x, const char *engine, struct groups_kept *kept)
{
	enum route_code code;
	char why[256];
	struct groups_kept after;
	struct verify_in v = { .snapshot = x->s, .lids = &x->lids, .tables = &x->f };

	x->whole = route_find(engine, why, sizeof(why));
	assert_non_null(x->whole);
	code = groups_run(&x->in, x->whole, kept, &after, &x->arena, &x->f, &x->r);
	assert_int_equal(code, x->r.code);
	if (kept) {
		groups_kept_clear(kept);
		*kept = after;
	} else {
		groups_kept_clear(&after);
	}
	if (code != ROUTE_OK)
		return code;
	v.scope = groups_scope(x->whole, &x->r.groups);
	verify_check(&v, &x->v);
	return code;
}

void
grouped_route_whole(struct grouped *x, const char *engine, struct fwd_tables *out)
{
	struct route_in in = x->in;
	struct route_report r;
	char why[256];

	assert_int_equal(
		route_find(engine, why, sizeof(why))->run(&in, &x->arena, out, &r), ROUTE_OK);
}

bool
grouped_has_switch(const struct grouped *x, uint32_t group, uint32_t sw)
{
	const struct routing_group *g = &x->groups.group[group];

	for (uint32_t i = 0; i < g->n; i++)
		if (g->sw[i].guid == x->s->nodes[x->s->switches[sw]].guid)
			return true;
	return false;
}

bool
grouped_has_lid(const struct grouped *x, uint32_t group, uint32_t lid)
{
	uint32_t port = x->lids.owner[lid], node;

	if (port == FAB_NONE)
		return false;
	node = x->s->ports[port].node;
	if (!fab_is_switch(&x->s->nodes[node]))
		node = x->s->ports[x->s->ports[port].peer].node;
	return fab_is_switch(&x->s->nodes[node]) &&
		grouped_has_switch(x, group, x->s->nodes[node].sw);
}

void
grouped_unplug(struct grouped *x, uint32_t port)
{
	uint32_t peer = x->s->ports[port].peer;

	assert_int_not_equal(peer, FAB_NONE);
	x->s->ports[port].peer = x->s->ports[peer].peer = FAB_NONE;
	x->s->nlinks--;
}
