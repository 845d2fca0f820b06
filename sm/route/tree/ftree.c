/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ftree.c - engine ftree: a closed formula for trees (Dmodc).
 * Room: sm/route/tree.  Pure.
 *
 * Host t, at a switch with divider d and candidates C in the order of planes, has
 *	q = t / d,  neighbour C[q mod |C|],  link (q / |C|) mod (links to that neighbour)
 * With consecutive ids below each switch, and dividers that multiply the neighbours above on the
 * levels below, the hosts of any shift permutation share no link of a whole tree of constant
 * bisection.  Nothing else is read, so nothing else can change an entry.  LID i of a host (LMC)
 * takes the i-th next neighbour, then the next link.
 *
 * The LIDs of a row come in long stretches of consecutive LIDs and ids with equal candidates; such
 * a stretch is written from a pattern.
 */
#include <config.h>
#include <string.h>
#include "sm/route/tree/tree.h"
#include "sm/route/tree/tree_engines.h"

#define PATTERN_MAX 1024
#define PATTERN_LEAST 256

/* Ports by q, for one set of candidates. */
struct pattern {
	uint32_t n;                     /* candidates */
	const struct swgraph_group *group[FILL_GROUPS_MAX];
	/* q and q + period have the same port; 0: too long, nothing is in seq[] */
	uint32_t period, len;           /* 'len': used of seq[], a multiple of 'period' */
	uint8_t seq[PATTERN_MAX];
};

static uint8_t
pattern_port(const struct pattern *p, const uint8_t *ports, uint32_t q, uint32_t sub)
{
	const struct swgraph_group *g = p->group[(q + sub) % p->n];

	return ports[g->first_port + (q / p->n + sub / p->n) % g->nports];
}

static uint32_t
common_multiple(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b;

	while (y) {
		uint32_t rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

/* Collects the candidates of column 'c'. */
static void
list_groups(struct pattern *p, const struct fill *f, uint32_t c)
{
	p->n = 0;
	for (uint32_t b = 0; b < (f->ngroups + 7) / 8; b++)
		for (unsigned m = f->mask[(size_t)b * f->m->stride + c]; m; m &= m - 1)
			p->group[p->n++] = f->order[b * 8 + (uint32_t)__builtin_ctz(m)];
}

static void
make_pattern(struct pattern *p, const struct fill *f, uint32_t c)
{
	const uint8_t *ports = f->m->g.ports;
	uint32_t links = 1;

	list_groups(p, f, c);
	for (uint32_t k = 0; k < p->n && links <= PATTERN_MAX; k++)
		if (p->group[k]->nports > 1)
			links = common_multiple(links, p->group[k]->nports);
	p->period = 0;
	if (!p->n || links > PATTERN_MAX / p->n)
		return;
	p->period = p->len = links * p->n;
	if (links == 1)
		for (uint32_t q = 0; q < p->n; q++)
			p->seq[q] = ports[p->group[q]->first_port];
	else
		for (uint32_t q = 0; q < p->period; q++)
			p->seq[q] = pattern_port(p, ports, q, 0);
}

/* Repeats the pattern, so that long stretches are copied in large pieces. */
static void
lengthen_pattern(struct pattern *p)
{
	while (p->len < PATTERN_LEAST) {
		memcpy(p->seq + p->len, p->seq, p->len);
		p->len *= 2;
	}
}

/* Writes n entries with consecutive ids from 'id'. */
static void
write_run(struct pattern *p, uint32_t divider, uint32_t id, uint32_t n, uint8_t *row)
{
	uint32_t at, some;

	if (p->period == 1) {
		memset(row, p->seq[0], n);
		return;
	}
	at = id / divider % p->period;
	some = divider - id % divider;
	if (divider == 1 && n > p->len)
		lengthen_pattern(p);
	for (; divider == 1 && n; at = 0) {
		some = p->len - at < n ? p->len - at : n;
		memcpy(row, p->seq + at, some);
		row += some;
		n -= some;
	}
	for (; n; some = divider) {
		some = some < n ? some : n;
		memset(row, p->seq[at], some);
		row += some;
		n -= some;
		at = at + 1 == p->period ? 0 : at + 1;
	}
}

static void
write_hosts(const struct frame *f, const struct fill *c, struct pattern *p, uint32_t first,
	uint32_t end, uint8_t *row)
{
	const struct route_model *m = c->m;
	uint32_t divider = f->divider[c->sw];

	for (uint32_t col = first, next; col < end; col = next) {
		next = f->joined[col] < end ? f->joined[col] : end;
		if (f->run[col] && p->period) {
			uint32_t i = m->lid_first[col], n = m->lid_first[next] - i;

			if (n)
				write_run(p, divider, f->id[i], n, row + m->host_lids[i].lid);
			continue;
		}
		next = col + 1;
		for (uint32_t i = m->lid_first[col]; i < m->lid_first[col + 1]; i++)
			row[m->host_lids[i].lid] = pattern_port(
				p, m->g.ports, f->id[i] / divider, m->host_lids[i].sub);
	}
}

/* The LIDs of the switches themselves.  Most of their numbers follow each other. */
static void
write_own(const struct frame *f, const struct fill *c, const struct pattern *p, uint32_t first,
	uint32_t end, uint8_t *row)
{
	const struct route_model *m = c->m;
	uint32_t divider = f->divider[c->sw], last = UINT32_MAX - 1, rest = 0, at = 0;

	for (uint32_t col = first; col < end; col++) {
		uint32_t id = f->own_id[m->col_sw[col]], lid = m->own_first[col];

		if (p->period == 1 && m->own_n[col] == 1) {
			row[lid] = p->seq[0];
		} else if (p->period && m->own_n[col] == 1) {
			if (id != last + 1) {
				at = id / divider % p->period;
				rest = id % divider;
			} else if (++rest == divider) {
				at = at + 1 == p->period ? 0 : at + 1;
				rest = 0;
			}
			last = id;
			row[lid] = p->seq[at];
		} else {
			for (uint32_t i = 0; i < m->own_n[col]; i++)
				row[lid + i] = pattern_port(p, m->g.ports, id / divider, i);
		}
	}
}

typedef uint8_t loose_vec __attribute__((vector_size(16), may_alias, aligned(1)));

/* Marks the columns whose successor has other candidates. */
static void
mark_edges(const struct fill *c)
{
	uint32_t stride = c->m->stride, bytes = (c->ngroups + 7) / 8;

	for (uint32_t i = 0; i < stride; i += (uint32_t)sizeof(route_vec)) {
		route_vec edge = { 0 };

		for (uint32_t b = 0; b < bytes; b++) {
			const uint8_t *at = c->mask + (size_t)b * stride + i;

			edge |= *(const route_vec *)at ^ (route_vec)*(const loose_vec *)(at + 1);
		}
		*(route_vec *)(c->bound_up + i) = edge;
	}
}

static uint32_t
next_edge(const uint8_t *edge, uint32_t c, uint32_t n)
{
	while (c < n && c % 8 && !edge[c])
		c++;
	while (c + 8 <= n && c % 8 == 0) {
		uint64_t w;

		memcpy(&w, edge + c, sizeof(w));
		if (w)
			break;
		c += 8;
	}
	while (c < n && !edge[c])
		c++;
	return c;
}

static void
dmodc_row(const struct frame *f, struct fill *c, uint8_t *row)
{
	const struct route_model *m = c->m;
	struct pattern p;

	memset(row, FAB_LFT_DROP, m->table_stride);
	mark_edges(c);
	for (uint32_t col = 0, end; col < m->ncols; col = end) {
		end = next_edge(c->bound_up, col, m->ncols - 1) + 1;
		make_pattern(&p, c, col);
		if (!p.n)
			continue;
		write_hosts(f, c, &p, col, end, row);
		write_own(f, c, &p, col, end, row);
	}
	fill_own(c, row);
}

static void
dmodc_column(const struct frame *f, struct fill *c, uint32_t col, uint8_t *row)
{
	const struct route_model *m = c->m;
	uint32_t divider = f->divider[c->sw];
	struct pattern p;

	list_groups(&p, c, col);
	for (uint32_t i = m->lid_first[col]; i < m->lid_first[col + 1]; i++)
		row[m->host_lids[i].lid] = !p.n ? FAB_LFT_DROP :
						  pattern_port(&p, m->g.ports, f->id[i] / divider,
							  m->host_lids[i].sub);
	for (uint32_t i = 0; i < m->own_n[col]; i++)
		row[m->own_first[col] + i] = !p.n ? FAB_LFT_DROP :
						    pattern_port(&p, m->g.ports,
							    f->own_id[m->col_sw[col]] / divider, i);
}

/* Hops from the nearest switch with hosts, in the intended topology. */
static void
make_heights(const struct frame *f, uint16_t *height, struct arena *a)
{
	const struct swgraph *g = &f->whole.g;
	uint32_t *queue = arena_array(a, g->nsw, sizeof(*queue));
	uint32_t *leaves = arena_array(a, g->nsw, sizeof(*leaves)), n = 0;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (swgraph_is_leaf(g, sw))
			leaves[n++] = sw;
	swgraph_distances(g, leaves, n, height, queue);
}

static enum route_code
check_shape(const struct frame *f, const struct route_in *in, struct route_report *r)
{
	const struct swgraph *g = &f->whole.g;
	struct arena scratch = ARENA_INIT;
	uint16_t *height = arena_array(&scratch, g->nsw, sizeof(*height));
	uint64_t cables = 0, level = 0;

	make_heights(f, height, &scratch);
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
			uint32_t to = g->groups[k].to;

			cables += g->groups[k].nports;
			if (height[to] != height[sw])
				continue;
			level += g->groups[k].nports;
			if (to > sw)
				route_evidence_add(
					r, f->node[sw], f->node[to], 0, g->groups[k].nports);
		}
	arena_clear(&scratch);
	if (!f->now.lid_first[f->now.ncols])
		return route_refuse(r, ROUTE_NO_HOSTS, "there is no host: ftree goes by hosts");
	if ((in->conf && in->conf->nroots) || strcmp(f->t->root_rule, "given") == 0 ||
	    level * 20 <= cables) {
		r->nevidence = 0;
		return ROUTE_OK;
	}
	return route_refuse(r, ROUTE_SHAPE,
		"not a tree: %llu of %llu links between switches join switches equally far from "
		"hosts, more than 5 %%, and no roots are given",
		(unsigned long long)level / 2, (unsigned long long)cables / 2);
}

enum route_code
ftree_run(const struct route_in *in, struct arena *a, struct fwd_tables *out,
	struct route_report *r)
{
	static const struct tree_kind kind = {
		.name = "ftree", .check = check_shape, .row = dmodc_row, .column = dmodc_column,
	};

	return tree_run(&kind, in, a, out, r);
}
