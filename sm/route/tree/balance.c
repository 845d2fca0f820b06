/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * balance.c - broken entries, placed by the loads of all links.
 * Room: sm/route/tree.  Pure.  In: settled tables, entries that may move.  Out: the same tables, more
 * even.
 *
 * The load of a link is the number of host pairs whose path takes it.  In each pass all LIDs are
 * taken in the order of columns, and for each the switches whose entry may move, farthest from the
 * host first: the pairs that pass such a switch are taken off the links of their path, and put on
 * that legal path where the sum of the squares of all loads grows least.  At switches with hosts a
 * port by which other hosts of the column are reached costs more, for the sake of shift permutations.
 * Of equal ports the present one stays.
 * Paths are those of settle.h at any time: from candidate to candidate, so without a loop.  The order
 * is that of the intended topology, so equal input gives equal bytes, with any number of stripes.
 */
#include <config.h>
#include <string.h>
#include "sm/route/tree/balance.h"
#include "util/bits.h"

#define PASSES 3
/* Links looked at, at most; then what is left stays where it was settled. */
#define STEPS_MAX (UINT64_C(1) << 25)
/* Each other host of the column that goes the same way adds one part in so many to the cost. */
#define SAME_WAY_SHARE 4

struct balance {
	const struct frame *f;
	const struct route_model *m;
	const struct updown *u;
	const uint64_t *open;
	size_t words;
	struct fwd_tables *t;
	uint32_t (*load)[256];          /* per switch and port */
	uint32_t (*peer)[256];          /* per switch and port: the switch behind it */
	uint32_t (*moved)[256];
	uint32_t *order, norder;        /* switches with a path to the column, farthest first */
	/* the entries of one column side by side: [nsw][width], of the host LIDs from 'first' on */
	uint8_t *way;
	uint32_t first, width;
	uint32_t *movable, nmovable;    /* of order[], those with some open entry in the column */
	uint32_t *flow;                 /* per switch: hosts that send to the LID through it */
	uint64_t steps;
	struct arena arena;
};

size_t
balance_words(const struct frame *f)
{
	return BITS_WORDS(f->now.lid_first[f->now.ncols]);
}

static void
find_peers(struct balance *b)
{
	const struct swgraph *g = &b->m->g;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
			for (uint32_t i = 0; i < g->groups[k].nports; i++)
				b->peer[sw][g->ports[g->groups[k].first_port + i]] =
					g->groups[k].to;
}

/* The most host LIDs of a column. */
static uint32_t
widest(const struct route_model *m)
{
	uint32_t most = 1;

	for (uint32_t c = 0; c < m->ncols; c++)
		if (m->lid_first[c + 1] - m->lid_first[c] > most)
			most = m->lid_first[c + 1] - m->lid_first[c];
	return most;
}

/* By the cost of column 'c', which falls with every hop. */
static void
order_switches(struct balance *b, uint32_t c)
{
	uint32_t first[ROUTE_INF + 2] = { 0 };

	for (uint32_t sw = 0; sw < b->m->g.nsw; sw++)
		first[ROUTE_INF - updown_cost(b->u, b->m, sw, c) + 1]++;
	b->norder = b->m->g.nsw - first[1];
	first[1] = 0;
	for (uint32_t i = 1; i <= ROUTE_INF; i++)
		first[i + 1] += first[i];
	for (uint32_t sw = 0; sw < b->m->g.nsw; sw++) {
		uint32_t cost = updown_cost(b->u, b->m, sw, c);

		if (cost != ROUTE_INF)
			b->order[first[ROUTE_INF - cost]++] = sw;
	}
}

/* Begins column 'c'. */
static void
take_column(struct balance *b, uint32_t c)
{
	const struct route_model *m = b->m;
	uint8_t *to;

	order_switches(b, c);
	b->first = m->lid_first[c];
	b->width = m->lid_first[c + 1] - b->first;
	for (uint32_t k = 0; k < b->norder; k++) {
		uint32_t sw = b->order[k];
		const uint8_t *row;

		if (b->f->node[sw] == FAB_NONE)
			continue;
		row = fwd_row(b->t, b->f->ordinal[sw]);
		to = b->way + (size_t)sw * b->width;
		if (m->packed[c])
			memcpy(to, row + m->host_lids[b->first].lid, b->width);
		for (uint32_t i = 0; !m->packed[c] && i < b->width; i++)
			to[i] = row[m->host_lids[b->first + i].lid];
	}
}

static uint8_t
port_of(const struct balance *b, uint32_t sw, uint32_t i)
{
	return b->way[(size_t)sw * b->width + i - b->first];
}

static void
set_port(struct balance *b, uint32_t sw, uint32_t i, uint8_t port)
{
	b->way[(size_t)sw * b->width + i - b->first] = port;
	fwd_row(b->t, b->f->ordinal[sw])[b->m->host_lids[i].lid] = port;
}

/* How many hosts send to host LID 'i', of column 'c', through each switch; 'count': adds them to
 * the loads. */
static void
find_flow(struct balance *b, uint32_t c, uint32_t i, bool count)
{
	const struct route_model *m = b->m;

	memset(b->flow, 0, m->g.nsw * sizeof(*b->flow));
	for (uint32_t k = 0; k < b->norder; k++) {
		uint32_t sw = b->order[k], col = m->sw_col[sw];
		uint8_t port;

		if (col == c || b->f->node[sw] == FAB_NONE)
			continue;
		b->flow[sw] += m->lid_first[col + 1] - m->lid_first[col];
		port = port_of(b, sw, i);
		b->flow[b->peer[sw][port]] += b->flow[sw];
		if (count)
			b->load[sw][port] += b->flow[sw];
	}
}

static void
count_loads(struct balance *b)
{
	for (uint32_t c = 0; c < b->m->ncols; c++) {
		if (b->m->lid_first[c] == b->m->lid_first[c + 1])
			continue;
		take_column(b, c);
		for (uint32_t i = b->m->lid_first[c]; i < b->m->lid_first[c + 1]; i++)
			find_flow(b, c, i, true);
	}
}

/* Adds 'n' to what the path from 'sw' carries. */
static void
change_path(struct balance *b, uint32_t sw, uint32_t c, uint32_t i, uint32_t n)
{
	for (uint32_t at = sw; b->m->sw_col[at] != c; at = b->peer[at][port_of(b, at, i)]) {
		b->load[at][port_of(b, at, i)] += n;
		if (at != sw)
			b->flow[at] += n;
	}
}
/* By how much the sum of squares grows when 'n' pairs go by 'port', divided by n. */
static uint64_t
path_cost(struct balance *b, uint32_t sw, uint8_t port, uint32_t c, uint32_t i, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t at = sw;

	for (;; port = port_of(b, at, i)) {
		sum += 2 * (uint64_t)b->load[at][port] + n;
		at = b->peer[at][port];
		b->steps++;
		if (b->m->sw_col[at] == c)
			return sum;
	}
}

/* At a switch with hosts, a shift permutation asks for all hosts of a column at once. */
static uint64_t
same_way(const struct balance *b, uint32_t sw, uint8_t port, uint32_t c, uint32_t i)
{
	uint64_t n = 0;

	if (!swgraph_is_leaf(&b->m->g, sw))
		return 0;
	for (uint32_t k = b->m->lid_first[c]; k < b->m->lid_first[c + 1]; k++)
		n += k != i && port_of(b, sw, k) == port;
	return n;
}

static uint64_t
port_cost(struct balance *b, uint32_t sw, uint8_t port, uint32_t c, uint32_t i)
{
	return path_cost(b, sw, port, c, i, b->flow[sw]) *
		(SAME_WAY_SHARE + same_way(b, sw, port, c, i));
}

static bool
is_candidate(const struct balance *b, uint32_t sw, uint32_t to, uint32_t c)
{
	size_t at = (size_t)to * b->m->stride + c;
	uint8_t dn = b->u->dn[(size_t)sw * b->m->stride + c];
	bool up = updown_is_up(b->u, sw, to);

	return dn != ROUTE_INF ? !up && b->u->dn[at] < dn :
				 up && b->u->r[at] < updown_cost(b->u, b->m, sw, c);
}

/* The legal port of least cost. */
static uint8_t
choose_port(struct balance *b, uint32_t sw, uint32_t c, uint32_t i)
{
	const struct swgraph *g = &b->m->g;
	uint8_t best = port_of(b, sw, i);
	uint64_t least = port_cost(b, sw, best, c, i);

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		const struct swgraph_group *to = &g->groups[k];

		for (uint32_t p = 0; p < to->nports && is_candidate(b, sw, to->to, c); p++) {
			uint64_t cost = port_cost(b, sw, g->ports[to->first_port + p], c, i);

			if (cost < least) {
				least = cost;
				best = g->ports[to->first_port + p];
			}
		}
	}
	return best;
}

static bool
place_entry(struct balance *b, uint32_t sw, uint32_t c, uint32_t i)
{
	uint8_t had = port_of(b, sw, i), port;

	change_path(b, sw, c, i, 0 - b->flow[sw]);
	port = choose_port(b, sw, c, i);
	if (port != had)
		set_port(b, sw, i, port);
	change_path(b, sw, c, i, b->flow[sw]);
	if (b->moved) {
		b->moved[sw][had]--;
		b->moved[sw][port]++;
	}
	return port != had;
}

/* Begins a column in which entries may move. */
static void
take_open_column(struct balance *b, uint32_t c)
{
	size_t end = b->m->lid_first[c + 1];

	take_column(b, c);
	b->nmovable = 0;
	for (uint32_t k = 0; k < b->norder; k++)
		if (bits_next(b->open + b->order[k] * b->words, end, b->first) < end)
			b->movable[b->nmovable++] = b->order[k];
}

static bool
place_lid(struct balance *b, uint32_t c, uint32_t i)
{
	bool any = false;

	find_flow(b, c, i, false);
	for (uint32_t k = 0; k < b->nmovable; k++) {
		uint32_t sw = b->movable[k];

		if (b->flow[sw] && bits_test(b->open + sw * b->words, i))
			any |= place_entry(b, sw, c, i);
	}
	return any;
}

/* Notes the LIDs with entries that may move. */
static bool
find_open(const struct balance *b, uint64_t *some)
{
	uint64_t any = 0;

	for (uint32_t sw = 0; sw < b->m->g.nsw; sw++)
		for (size_t w = 0; w < b->words; w++)
			any |= some[w] |= b->open[sw * b->words + w];
	return any != 0;
}

/* Whether anything moved. */
static bool
balance_pass(struct balance *b, const uint64_t *some)
{
	const struct route_model *m = b->m;
	bool any = false;

	for (uint32_t c = 0; c < m->ncols; c++) {
		size_t end = m->lid_first[c + 1], i = bits_next(some, end, m->lid_first[c]);

		if (i >= end)
			continue;
		take_open_column(b, c);
		for (; i < end && b->steps < STEPS_MAX; i = bits_next(some, end, i + 1))
			any |= place_lid(b, c, (uint32_t)i);
	}
	return any;
}

void
balance_tables(const struct frame *f, const struct updown *u, const uint64_t *open,
	struct fwd_tables *t, uint32_t (*moved)[256])
{
	struct balance b = { .f = f, .m = &f->now, .u = u, .open = open, .t = t, .moved = moved,
		.words = balance_words(f) };
	uint32_t nsw = f->now.g.nsw;
	uint64_t *some = arena_array(&b.arena, b.words, sizeof(*some));
	bool any = find_open(&b, some);

	b.load = arena_array(&b.arena, nsw, sizeof(*b.load));
	b.peer = arena_array(&b.arena, nsw, sizeof(*b.peer));
	b.order = arena_array(&b.arena, nsw, sizeof(*b.order));
	b.movable = arena_array(&b.arena, nsw, sizeof(*b.movable));
	b.way = arena_array(&b.arena, nsw, widest(&f->now));
	b.flow = arena_array(&b.arena, nsw, sizeof(*b.flow));
	if (any) {
		find_peers(&b);
		count_loads(&b);
	}
	for (unsigned pass = 0; any && pass < PASSES; pass++)
		any = balance_pass(&b, some);
	arena_clear(&b.arena);
}
