/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fill.c - from candidates to table rows: each LID takes the least loaded candidate port.
 * Room: sm/route/model.  Pure.  In: candidates per column.  Out: the row of one switch.
 *
 * Columns are filled in order, and within a column host by host.  Each LID takes the candidate port
 * that carries the fewest LIDs so far.  Ties go to the first in this order: the first links of all
 * candidates, in the engine's order of preference, then their second links, and so on.  Only this
 * switch's own counters are used, so rows are independent.
 *
 * If all switches began each turn with their first port, their choices would coincide: the leaves
 * would send every fourth host to the same aggregation switch, which would then send exactly these,
 * its own every fourth, over one link.  So above the leaves the order moves by one port with each
 * turn.  One level higher it moves by one port when the turns below have used all ports, and so on
 * for each level ('turn').
 *
 * Choosing the least loaded port again and again goes through a list level by level: all ports with
 * the lowest load in order, then all with the next.  While the same list is used without another
 * one in between, only the position in it is kept.  Once all its ports have equal load (FILL_FLAT),
 * they take turns, and their loads are updated when the list is left.
 *
 * Preferences of the configuration (prefs.h) change three things: some hosts are filled before all
 * columns, the ports of a list are in another order, and turns begin at another port.
 */
#include <config.h>
#include <string.h>
#include "sm/route/model/fill.h"
#include "sm/route/model/prefs.h"

#define TURN_MAX (1u << 30)

/* Number of links from a switch to switches one hop farther from the nearest host. */
static uint32_t
cables_up(const struct swgraph *g, const uint16_t *height, uint32_t sw)
{
	uint32_t n = 0;

	for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++)
		n += height[g->groups[i].to] > height[sw] ? g->groups[i].nports : 0;
	return n;
}

/* Per switch: the product of the links up on the levels between it and the switches with hosts;
 * 0 for the latter. */
static uint32_t *
make_turns(const struct route_model *m, struct arena *a)
{
	uint32_t *turn = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*turn));
	uint32_t *queue = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*queue)), *from = turn, n = 0,
		 reached;
	uint16_t *height = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*height));
	uint32_t product = 1, most = 0, storey = 1;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		if (swgraph_is_leaf(&m->g, sw))
			from[n++] = sw;
	reached = swgraph_distances(&m->g, from, n, height, queue);
	memset(turn, 0, m->g.nsw * sizeof(*turn));
	for (uint32_t i = 0; i < reached; i++) {                /* from the hosts outwards */
		uint32_t sw = queue[i], up;

		if (!height[sw])
			continue;
		if (height[sw] > storey) {
			product = most && product < TURN_MAX / most ? product * most : TURN_MAX;
			most = 0;
			storey = height[sw];
		}
		turn[sw] = product;
		up = cables_up(&m->g, height, sw);
		most = up > most ? up : most;
	}
	return turn;
}

void
fill_init_candidates(struct fill *f, const struct route_model *m, struct arena *a)
{
	memset(f, 0, sizeof(*f));
	f->m = m;
	f->mask = arena_array(a, FILL_GROUPS_MAX / 8 + 1, m->stride);
	f->bound_dn = arena_alloc(a, m->stride);
	f->bound_up = arena_alloc(a, m->stride);
}

void
fill_init(struct fill *f, const struct route_model *m, struct arena *a)
{
	uint32_t *turn;

	fill_init_candidates(f, m, a);
	turn = make_turns(m, a);
	for (uint32_t sw = 0; m->prefs && m->prefs->shift && sw < m->g.nsw; sw++)
		turn[sw] = turn[sw] ? turn[sw] : 1;
	f->turn = turn;
}

void
fill_init_as(struct fill *f, const struct fill *of, struct arena *a)
{
	fill_init_candidates(f, of->m, a);
	f->turn = of->turn;
}

void
fill_order(struct fill *f, uint32_t sw, const uint32_t *rank)
{
	const struct swgraph *g = &f->m->g;
	uint32_t n = 0;

	f->sw = sw;
	for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++) {
		const struct swgraph_group *gr = &g->groups[i];
		uint32_t at = n++;

		for (; rank && at > 0 && rank[f->order[at - 1]->to] > rank[gr->to]; at--)
			f->order[at] = f->order[at - 1];
		f->order[at] = gr;
		for (uint32_t k = 0; k < gr->nports; k++)
			f->neighbour[g->ports[gr->first_port + k]] = gr->to;
	}
	f->ngroups = n;
}

void
fill_begin(struct fill *f, uint32_t sw, const uint32_t *rank)
{
	fill_order(f, sw, rank);
	f->placed = prefs_port_keys(f->m->prefs, f->m, sw, f->place);
	f->have_key = false;
	f->state = FILL_UNKNOWN;
	memset(f->load, 0, sizeof(f->load));
	memset(f->mask, 0, (size_t)((f->ngroups + 7) / 8) * f->m->stride);
}

void
fill_below(struct fill *f, uint32_t k, const uint8_t *cost, const uint8_t *bound)
{
	route_vec *mask = (route_vec *)(f->mask + (size_t)(k / 8) * f->m->stride);
	const route_vec *c = (const route_vec *)cost, *b = (const route_vec *)bound;
	route_vec bit = (route_vec){ 0 } + (uint8_t)(1u << k % 8);

	for (uint32_t i = 0; i < f->m->stride / sizeof(route_vec); i++)
		mask[i] |= (route_vec)(c[i] < b[i]) & bit;
}

/* Sorts the list by place; equal places stay as they are. */
static void
sort_list(struct fill *f)
{
	for (uint32_t i = 1; i < f->nlist; i++) {
		uint8_t port = f->list[i];
		uint32_t at = i;

		for (; at > 0 && f->place[f->list[at - 1]] > f->place[port]; at--)
			f->list[at] = f->list[at - 1];
		f->list[at] = port;
	}
}

/* The ports of the candidates in 'f->key', in order of preference. */
static void
make_list(struct fill *f)
{
	const uint8_t *ports = f->m->g.ports;
	bool more = true;

	f->nlist = 0;
	for (uint32_t cable = 0; more; cable++) {
		more = false;
		for (uint32_t k = 0; k < f->ngroups; k++) {
			if (!(f->key[k / 64] >> k % 64 & 1) || cable >= f->order[k]->nports)
				continue;
			f->list[f->nlist++] = ports[f->order[k]->first_port + cable];
			more = true;
		}
	}
	if (f->placed)
		sort_list(f);
	memcpy(&f->list[f->nlist], f->list, f->nlist);
}

/* Sets where the order begins in the turn at this level. */
static void
begin_turn(struct fill *f)
{
	const struct prefs *p = f->m->prefs;
	uint32_t turn = f->turn[f->sw];

	f->at = 0;
	if (p && p->scatter)
		f->first = prefs_scatter(p, f->m, f->sw, f->level, f->nlist);
	else
		f->first = turn ? f->level / turn % f->nlist : 0;
}

/* Called when the list is left: adds what its ports took in turns to their loads. */
static void
settle_column(struct fill *f)
{
	if (f->state == FILL_FLAT)
		for (uint32_t i = 0; i < f->nlist; i++)
			f->load[f->list[f->first + i]] = f->level + (i < f->at);
	f->state = FILL_UNKNOWN;
}

/* Makes 'f->list' the list of column 'c'. */
static void
take_list(struct fill *f, uint32_t c)
{
	uint64_t key[4] = { 0 };

	for (uint32_t b = 0; b < (f->ngroups + 7) / 8; b++)
		key[b / 8] |= (uint64_t)f->mask[(size_t)b * f->m->stride + c] << b % 8 * 8;
	if (f->have_key && memcmp(key, f->key, sizeof(key)) == 0)
		return;
	memcpy(f->key, key, sizeof(key));
	f->have_key = true;
	settle_column(f);
	make_list(f);
}

/* Finds the lowest load and whether all ports have it; restarts the turn. */
static void
find_level(struct fill *f)
{
	uint32_t top = 0;

	f->level = UINT32_MAX;
	for (uint32_t i = 0; i < f->nlist; i++) {
		uint32_t load = f->load[f->list[i]];

		f->level = load < f->level ? load : f->level;
		top = load > top ? load : top;
	}
	f->state = f->level == top ? FILL_FLAT : FILL_RAGGED;
	begin_turn(f);
}

/* FILL_FLAT: the next port. */
static uint8_t
next_in_turn(struct fill *f)
{
	uint8_t port = f->list[f->first + f->at++];

	if (f->at == f->nlist) {
		f->level++;
		begin_turn(f);
	}
	return port;
}

/* FILL_RAGGED: the next port with the lowest load. May find that the list is flat. */
static uint8_t
least_loaded(struct fill *f)
{
	for (;;) {
		uint8_t port;

		if (f->at == f->nlist)
			find_level(f);
		if (f->state == FILL_FLAT)
			return next_in_turn(f);
		port = f->list[f->first + f->at++];
		if (f->load[port] == f->level) {
			f->load[port]++;
			return port;
		}
	}
}

static uint64_t
system_guid(const struct route_model *m, uint32_t sw)
{
	uint32_t node = route_node(m, sw);

	return node == FAB_NONE ? 0 : m->s->nodes[node].sys_guid;
}

/* How much a path through 'port' shares with the paths of the owner's earlier LIDs: 0 is best. */
static unsigned
column_likeness(const struct fill *f, uint8_t port, const uint8_t *taken, uint32_t ntaken)
{
	uint32_t to = f->neighbour[port];
	uint64_t sys = system_guid(f->m, to);
	unsigned worst = 0;

	for (uint32_t i = 0; i < ntaken; i++) {
		uint32_t other = f->neighbour[taken[i]];
		unsigned like = port == taken[i]                      ? 3 :
			to == other                                   ? 2 :
			sys && sys == system_guid(f->m, other) ? 1 :
								 0;

		worst = like > worst ? like : worst;
	}
	return worst;
}

/* LMC > 0: of the least loaded ports, the one whose path shares least with those of the owner's
 * other LIDs. */
static uint8_t
least_alike(struct fill *f, const uint8_t *taken, uint32_t ntaken)
{
	uint8_t best = f->list[0];
	unsigned best_like = UINT32_MAX;

	find_level(f);
	for (uint32_t i = 0; i < f->nlist && best_like; i++) {
		uint8_t port = f->list[f->first + i];
		unsigned like;

		if (f->load[port] != f->level)
			continue;
		like = column_likeness(f, port, taken, ntaken);
		if (like < best_like) {
			best = port;
			best_like = like;
		}
	}
	f->load[best]++;
	f->state = FILL_UNKNOWN;
	return best;
}

static void
fill_spread(struct fill *f, const struct route_lid *l, uint32_t n, uint8_t *row)
{
	uint8_t taken[128];

	for (uint32_t i = 0; i < n; i++) {
		taken[l[i].sub] = least_alike(f, taken, l[i].sub);
		row[l[i].lid] = taken[l[i].sub];
	}
}

/* All ports of the list have equal load and take turns: copies whole rounds. */
static void
fill_turns(struct fill *f, uint32_t n, uint8_t *row)
{
	while (n) {
		uint32_t some = f->nlist - f->at < n ? f->nlist - f->at : n;

		memcpy(row, &f->list[f->first + f->at], some);
		row += some;
		n -= some;
		f->at += some;
		if (f->at == f->nlist) {
			f->level++;
			begin_turn(f);
		}
	}
}

static void
fill_hosts(struct fill *f, uint32_t c, const struct route_lid *l, uint32_t n, uint8_t *row)
{
	uint32_t i = 0;

	if (f->nlist == 1) {
		uint8_t port = f->list[0];

		for (i = 0; i < n; i++)
			row[l[i].lid] = port;
		f->load[port] += n;
		return;
	}
	if (f->state == FILL_UNKNOWN)
		find_level(f);
	for (; i < n && f->state == FILL_RAGGED; i++)
		row[l[i].lid] = least_loaded(f);
	if (f->m->packed[c] && i < n) {
		fill_turns(f, n - i, row + l[i].lid);
		return;
	}
	for (; i < n; i++)
		row[l[i].lid] = next_in_turn(f);
}

/* LIDs of the switch itself do not count as load.  They take turns, so that management traffic
 * is spread over the links. */
static void
fill_switch(const struct fill *f, uint32_t c, uint8_t *row)
{
	uint32_t first = f->m->own_first[c];

	for (uint32_t i = 0; i < f->m->own_n[c]; i++)
		row[first + i] = f->list[(c + i) % f->nlist];
}

void
fill_own(const struct fill *f, uint8_t *row)
{
	const struct route_model *m = f->m;
	uint32_t c = m->sw_col[f->sw];

	for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
		row[m->host_lids[i].lid] = m->host_lids[i].via;
	for (uint32_t i = 0; i < m->own_n[c]; i++)
		row[m->own_first[c] + i] = 0;
}

/* The host LIDs from 'first' to 'end' of one column, whose list is taken. */
static void
fill_some(struct fill *f, uint32_t c, uint32_t first, uint32_t end, uint8_t *row)
{
	const struct route_lid *l = &f->m->host_lids[first];

	if (f->m->lmc)
		fill_spread(f, l, end - first, row);
	else
		fill_hosts(f, c, l, end - first, row);
}

/* Where the stretch from 'i' ends of LIDs that are early, or are not. */
static uint32_t
stretch_end(const struct prefs *p, uint32_t i, uint32_t end)
{
	bool early = p->is_early[i];

	while (i < end && p->is_early[i] == early)
		i++;
	return i;
}

/* The hosts that come before all others. */
static void
fill_early(struct fill *f, uint8_t *row)
{
	const struct route_model *m = f->m;
	const struct prefs *p = m->prefs;

	for (uint32_t k = 0; k < p->nearly; k++) {
		uint32_t c = p->early_col[k], i = p->early[k], end = i + 1;

		while (end < m->lid_first[c + 1] && m->host_lids[end].via == m->host_lids[i].via)
			end++;
		if (m->col_sw[c] == f->sw)
			continue;
		take_list(f, c);
		if (f->nlist)
			fill_some(f, c, i, end, row);
	}
}

/* The hosts of a column, whose list is taken. */
static void
fill_column(struct fill *f, uint32_t c, uint8_t *row)
{
	const struct prefs *p = f->m->prefs;
	uint32_t i = f->m->lid_first[c], end = f->m->lid_first[c + 1];

	if (!p || !p->nearly) {
		fill_some(f, c, i, end, row);
		return;
	}
	for (uint32_t next; i < end; i = next) {
		next = stretch_end(p, i, end);
		if (!p->is_early[i])
			fill_some(f, c, i, next, row);
	}
}

void
fill_row(struct fill *f, uint8_t *row)
{
	const struct route_model *m = f->m;

	memset(row, FAB_LFT_DROP, m->table_stride);
	if (m->prefs && m->prefs->nearly)
		fill_early(f, row);
	for (uint32_t c = 0; c < m->ncols; c++) {
		if (m->col_sw[c] == f->sw) {
			fill_own(f, row);
			continue;
		}
		take_list(f, c);
		if (!f->nlist)
			continue;
		fill_column(f, c, row);
		fill_switch(f, c, row);
	}
}
