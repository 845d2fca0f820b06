/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue_column.c - columns: in and out of tables, and their loads.
 * Room: sm/route/nue.  Pure.
 */
#include <config.h>
#include <string.h>
#include "sm/route/nue/nue_column.h"

#define NO_PLACE 255                    /* a switch has at most 254 ports */

void
nue_columns_init(struct nue_columns *c, const struct route_model *m, struct nue_search *s,
	struct fwd_tables *out, struct arena *a)
{
	const struct swgraph *g = &m->g;
	uint32_t nports = 0;

	memset(c, 0, sizeof(*c));
	c->net = s->net;
	c->search = s;
	c->out = out;
	c->place = arena_array(a, g->nsw, 256);
	memset(c->place, NO_PLACE, (size_t)g->nsw * 256);
	c->sources = arena_array(a, g->nsw, sizeof(*c->sources));
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		c->sources[sw] = g->host_first[sw + 1] - g->host_first[sw];
		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
			for (uint32_t i = 0; i < g->groups[k].nports; i++, nports++)
				c->place[sw * 256 + g->ports[g->groups[k].first_port + i]] =
					(uint8_t)(k - g->group_first[sw]);
	}
	c->load = arena_array(a, (size_t)c->net->n + 1, sizeof(*c->load));
	c->port_load = arena_array(a, (size_t)nports + 1, sizeof(*c->port_load));
	c->sum = arena_array(a, g->nsw, sizeof(*c->sum));
	c->waits = arena_array(a, g->nsw, sizeof(*c->waits));
	c->ready = arena_array(a, g->nsw, sizeof(*c->ready));
	nue_columns_clear(c);
}

void
nue_columns_clear(struct nue_columns *c)
{
	const struct swgraph *g = c->net->g;

	c->most = 0;
	for (uint32_t k = 0; k < c->net->n; k++) {
		c->load[k] = 0;
		c->search->cost[k] = NUE_HOP;
		memset(c->port_load + g->groups[k].first_port, 0,
			g->groups[k].nports * sizeof(*c->port_load));
	}
}

uint32_t
nue_column_channel(const struct nue_columns *c, uint32_t sw, uint8_t port)
{
	uint8_t place = c->place[sw * 256 + port];

	return place == NO_PLACE ? NUE_NONE : c->net->g->group_first[sw] + place;
}

/* Of switches in the order in which they were settled. */
static uint32_t
sum_settled(struct nue_columns *c, const uint32_t **list)
{
	const struct nue_search *s = c->search;

	for (uint32_t sw = 0; sw < c->net->g->nsw; sw++)
		c->sum[sw] = c->sources[sw];
	for (uint32_t i = s->nsettled; i-- > 1;)
		c->sum[chanorder_to(c->net, s->next[s->settled[i]])] += c->sum[s->settled[i]];
	*list = s->settled + 1;
	return s->nsettled - 1;
}

/* Hosts behind each switch: sum[s] becomes the number of hosts whose path leads through s.  '*list'
 * becomes the switches that have a next hop; returns their number. */
static uint32_t
sum_sources(struct nue_columns *c, const uint32_t **list)
{
	const uint32_t *next = c->search->next;
	uint32_t nsw = c->net->g->nsw, n = 0;

	if (c->search->ordered)
		return sum_settled(c, list);
	*list = c->ready;
	memset(c->waits, 0, nsw * sizeof(*c->waits));
	for (uint32_t sw = 0; sw < nsw; sw++) {
		c->sum[sw] = c->sources[sw];
		if (next[sw] < c->net->n)
			c->waits[chanorder_to(c->net, next[sw])]++;
	}
	for (uint32_t sw = 0; sw < nsw; sw++)
		if (!c->waits[sw] && next[sw] < c->net->n)
			c->ready[n++] = sw;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = chanorder_to(c->net, next[c->ready[i]]);

		c->sum[to] += c->sum[c->ready[i]];
		if (--c->waits[to] == 0 && next[to] < c->net->n)
			c->ready[n++] = to;
	}
	return n;
}

void
nue_column_load(struct nue_columns *c, int64_t weight)
{
	const uint32_t *list;
	uint32_t n = sum_sources(c, &list);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t chan = c->search->next[list[i]];
		uint64_t each;

		c->load[chan] += (uint64_t)((int64_t)c->sum[list[i]] * weight);
		each = c->load[chan] * (c->weight ? c->weight[chan] : 1) /
			c->net->g->groups[chan].nports;
		c->search->cost[chan] = NUE_HOP + each;
		c->most = each > c->most ? each : c->most;
	}
}

/* The index into ports[] of the port by which 'sw' sends on 'chan'. */
static uint32_t
choose_port(const struct nue_columns *c, uint32_t chan, uint8_t kept)
{
	const struct swgraph *g = c->net->g;
	const struct swgraph_group *group = &g->groups[chan];
	uint32_t best = group->first_port;

	if (group->nports == 1)
		return best;
	for (uint32_t i = best; i < group->first_port + group->nports; i++) {
		if (g->ports[i] == kept)
			return i;
		if (c->port_load[i] < c->port_load[best])
			best = i;
	}
	return best;
}

void
nue_column_write(struct nue_columns *c, const struct nue_dest *d, const struct fwd_tables *previous)
{
	const struct swgraph *g = c->net->g;

	if (d->host)
		nue_column_load(c, 1);
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint32_t chan = c->search->next[sw], port;
		uint8_t kept = previous && d->lid <= previous->top ?
			fwd_row(previous, sw)[d->lid] : FAB_LFT_DROP;
		uint8_t *entry = &fwd_row(c->out, sw)[d->lid];

		if (chan >= c->net->n) {
			*entry = chan == NUE_HERE ? d->via : FAB_LFT_DROP;
			continue;
		}
		port = choose_port(c, chan, kept);
		*entry = g->ports[port];
		if (d->host)
			c->port_load[port] += c->sum[sw];
	}
}

void
nue_column_take(struct nue_columns *c, const struct nue_dest *d)
{
	const struct swgraph *g = c->net->g;

	c->search->ordered = false;
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint8_t port = fwd_row(c->out, sw)[d->lid];

		c->search->next[sw] = sw == d->sw ? NUE_HERE : nue_column_channel(c, sw, port);
	}
	nue_column_load(c, -1);
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (c->search->next[sw] < c->net->n) {
			uint32_t chan = c->search->next[sw];

			c->port_load[choose_port(c, chan, fwd_row(c->out, sw)[d->lid])] -=
				c->sum[sw];
		}
}

void
nue_column_keep(struct nue_columns *c, const struct nue_dest *d, const struct fwd_tables *tables)
{
	const struct swgraph *g = c->net->g;
	uint32_t *seen = c->waits;

	nue_search_begin(c->search, d->sw);
	if (d->lid > tables->top)
		return;
	memset(seen, 0, g->nsw * sizeof(*seen));
	for (uint32_t first = 0; first < g->nsw; first++) {
		uint32_t n = 0, sw = first, chan;

		/* forwards to a switch that is settled, seen before or wrong, then back */
		while (c->search->next[sw] == NUE_NONE && !seen[sw]) {
			chan = nue_column_channel(c, sw, fwd_row(tables, sw)[d->lid]);
			seen[sw] = 1;
			if (chan == NUE_NONE)
				break;
			c->ready[n++] = sw;
			sw = chanorder_to(c->net, chan);
		}
		if (c->search->next[sw] == NUE_NONE)
			continue;
		do {
			sw = n ? c->ready[--n] : NUE_NONE;
		} while (sw != NUE_NONE && nue_search_keep(c->search, sw,
			nue_column_channel(c, sw, fwd_row(tables, sw)[d->lid])));
	}
}

void
nue_column_copy(struct nue_columns *c, const struct nue_dest *from, const struct nue_dest *to)
{
	for (uint32_t sw = 0; sw < c->net->g->nsw; sw++) {
		uint8_t *row = fwd_row(c->out, sw);

		row[to->lid] = sw == to->sw ? to->via : row[from->lid];
	}
}
