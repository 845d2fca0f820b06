/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * prefs.c - from lists of GUIDs and ports to numbers of the model.
 * Room: sm/route/model.  Pure.  In: struct route_conf, the model.  Out: struct prefs, weights of
 * links.
 */
#include <config.h>
#include <string.h>
#include "sm/conf/routing/lines.h"
#include "sm/route/model/prefs.h"

/* The switch of the model with that GUID; FAB_NONE: it is not there. */
static uint32_t
find_switch(const struct route_model *m, const uint32_t *sw_of, uint64_t guid)
{
	uint32_t node = snapshot_node_by_guid(m->s, guid);

	return node == FAB_NONE ? FAB_NONE : sw_of[node];
}

/* Per node of the snapshot: the number of the switch in the model. */
static uint32_t *
switches_index(const struct route_model *m, struct arena *a)
{
	uint32_t *sw_of = arena_array(a, (size_t)m->s->nnodes + 1, sizeof(*sw_of));

	memset(sw_of, 0xff, m->s->nnodes * sizeof(*sw_of));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		if (route_node(m, sw) != FAB_NONE)
			sw_of[route_node(m, sw)] = sw;
	return sw_of;
}

bool
prefs_place_present(const void *data, uint64_t guid, uint32_t *sw, uint8_t *via)
{
	const struct route_model *m = data;
	uint32_t port = snapshot_port_by_guid(m->s, guid), peer;

	peer = port == FAB_NONE ? FAB_NONE : m->s->ports[port].peer;
	if (peer == FAB_NONE || m->s->nodes[m->s->ports[peer].node].sw == FAB_NONE)
		return false;
	*sw = m->s->nodes[m->s->ports[peer].node].sw;
	*via = m->s->ports[peer].num;
	return *sw < m->g.nsw;
}

/* The LIDs of the host at that port come after those that are early already. */
static void
early_add(struct prefs *p, const struct route_model *m, uint32_t sw, uint8_t via)
{
	uint32_t c = m->sw_col[sw], end = m->lid_first[c + 1], i = m->lid_first[c];

	while (i < end && m->host_lids[i].via != via)
		i++;
	if (i == end || p->is_early[i])
		return;
	p->early[p->nearly] = i;
	p->early_col[p->nearly++] = c;
	for (; i < end && m->host_lids[i].via == via; i++)
		p->is_early[i] = true;
}

static void
early_make(struct prefs *p, const struct route_model *m, const struct routing_lines *order,
	prefs_place *place, const void *data, struct arena *a)
{
	uint32_t n = m->lid_first[m->ncols];

	p->early = arena_array(a, (size_t)n + 1, sizeof(*p->early));
	p->early_col = arena_array(a, (size_t)n + 1, sizeof(*p->early_col));
	p->is_early = arena_array(a, (size_t)n + 1, sizeof(*p->is_early));
	for (uint32_t i = 0; i < order->n; i++) {
		uint32_t sw;
		uint8_t via;

		if (place(data, order->line[i].guid, &sw, &via))
			early_add(p, m, sw, via);
	}
}

/* Of several lines of one switch the last counts. */
static void
ports_make(struct prefs *p, const struct route_model *m, const struct routing_lines *ports,
	struct arena *a)
{
	struct arena scratch = ARENA_INIT;
	const uint32_t *sw_of = switches_index(m, &scratch);

	p->ports = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*p->ports));
	for (uint32_t i = 0; i < ports->n; i++) {
		uint32_t sw = find_switch(m, sw_of, ports->line[i].guid);

		if (sw != FAB_NONE)
			p->ports[sw] = &ports->line[i];
	}
	arena_clear(&scratch);
}

const struct prefs *
prefs_make(const struct route_model *m, const struct route_conf *c, unsigned options,
	prefs_place *place, const void *data, struct arena *a)
{
	const struct routing_lines *order = c && options & ROUTE_OPTION_ORDER ? c->order : NULL;
	const struct routing_lines *ports = c && options & ROUTE_OPTION_PORTS ? c->ports : NULL;
	bool shift = c && options & ROUTE_OPTION_SHIFT && c->shift_ports;
	uint32_t scatter = c && options & ROUTE_OPTION_SCATTER ? c->scatter : 0;
	struct prefs *p;

	if (!order && !ports && !shift && !scatter)
		return NULL;
	p = arena_alloc(a, sizeof(*p));
	p->shift = shift;
	p->scatter = scatter;
	if (order)
		early_make(p, m, order, place, data, a);
	if (ports)
		ports_make(p, m, ports, a);
	return p;
}

/* A fixed function whose values look like chance (the finalizer of SplitMix64). */
static uint32_t
hash(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ b * 0x9e3779b97f4a7c15u) + 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(x >> 32);
}

static uint64_t
switch_guid(const struct route_model *m, uint32_t sw)
{
	return route_node(m, sw) == FAB_NONE ? 0 : m->s->nodes[route_node(m, sw)].guid;
}

bool
prefs_port_keys(
	const struct prefs *p, const struct route_model *m, uint32_t sw, uint32_t key[static 256])
{
	const struct routing_line *l = p && p->ports ? p->ports[sw] : NULL;

	if (!l && (!p || !p->scatter))
		return false;
	for (uint32_t port = 0; port < 256; port++)
		key[port] = p->scatter ? ROUTING_PORTS_MAX +
				(hash(p->scatter, switch_guid(m, sw) * 257 + port) >> 1) :
					 PREFS_LAST;
	for (uint32_t i = l ? l->n : 0; i-- > 0;)
		key[l->v[i]] = i;
	return true;
}

uint32_t
prefs_scatter(
	const struct prefs *p, const struct route_model *m, uint32_t sw, uint32_t turn, uint32_t n)
{
	return hash(hash(p->scatter, switch_guid(m, sw)), turn) % n;
}

/* Leaves the lightest of the group's links, by weight[] of its switch, and returns their weight.
 * Its ports move to '*at', which is not beyond them, so that ports[] has no holes. */
static uint8_t
group_weigh(struct route_model *m, struct swgraph_group *g, const uint8_t *weight, uint32_t *at)
{
	const uint8_t *port = &m->g.ports[g->first_port];
	uint8_t least = UINT8_MAX;
	uint32_t n = g->nports;

	for (uint32_t i = 0; i < n; i++)
		least = weight[port[i]] < least ? weight[port[i]] : least;
	g->first_port = *at;
	for (uint32_t i = 0; i < n; i++)
		if (weight[port[i]] == least)
			m->g.ports[(*at)++] = port[i];
	g->nports = *at - g->first_port;
	return least;
}

void
prefs_weigh(struct route_model *m, const struct route_conf *c, struct arena *a)
{
	struct arena scratch = ARENA_INIT;
	uint32_t ngroups = m->g.group_first[m->g.nsw], *sw_of, at = 0;
	uint8_t *weights, *weight;

	if (!c || !c->weights)
		return;
	sw_of = switches_index(m, &scratch);
	weight = arena_array(&scratch, (size_t)m->g.nsw + 1, 256);
	memset(weight, 1, (size_t)m->g.nsw * 256);
	for (uint32_t i = 0; i < c->weights->n; i++) {
		const struct routing_line *l = &c->weights->line[i];
		uint32_t sw = find_switch(m, sw_of, l->guid);

		if (sw != FAB_NONE)
			weight[(size_t)sw * 256 + l->v[0]] = (uint8_t)l->v[1];
	}
	weights = arena_array(a, (size_t)ngroups + 1, sizeof(*weights));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (uint32_t k = m->g.group_first[sw]; k < m->g.group_first[sw + 1]; k++)
			weights[k] =
				group_weigh(m, &m->g.groups[k], weight + (size_t)sw * 256, &at);
	m->weight = weights;
	arena_clear(&scratch);
}
