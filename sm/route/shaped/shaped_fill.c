/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shaped_fill.c - makes tables from an engine's formula, with detours around damage.
 * Room: sm/route/shaped.  Pure.  In: the formula.  Out: rows.
 *
 * Destinations are independent of each other.  For each one, every switch first uses the next
 * hop of the formula.  A switch is good if its walk arrives.  The walks of the others are mended
 * in rounds: a switch in front of the damage uses its best good neighbour, and all switches that
 * send through it become good too.  If no switch in front of the damage has a good neighbour,
 * any other switch may use one.  So few entries change, and a mended walk cannot loop, because
 * it joins a tree of good walks.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "sm/route/shaped/shaped.h"

enum state { UNSEEN, OPEN, GOOD, BAD };

/* One stripe of destinations and its scratch. */
struct part {
	uint32_t *next, *better, *stack;
	uint8_t *state;
	/* per switch: destinations there none of whose walks needed mending, by variant; 0: none */
	uint16_t (*like)[SHAPED_VARIANTS];
	uint64_t mended;
};

struct job {
	struct shaped *sh;
	const struct shaped_way *w;
	const struct fwd_tables *out;
	struct part *parts;
	uint32_t *lost; /* per destination: a switch with hosts that cannot reach it */
	const uint32_t *piece; /* per switch: connected part of the fabric */
	/* destinations of one switch and variant have the same entries elsewhere */
	bool same_ports;
};

/* Follows the walk of 's' and gives all of its switches the same state. */
static void
settle_walk(const struct shaped *sh, struct part *p, uint32_t s)
{
	uint32_t n = 0;
	enum state end = BAD;

	while (s != SHAPE_NOWHERE && p->state[s] == UNSEEN) {
		p->state[s] = OPEN;
		p->stack[n++] = s;
		s = p->next[s] == SHAPE_NOWHERE ? SHAPE_NOWHERE : sh->whole.groups[p->next[s]].to;
	}
	if (s != SHAPE_NOWHERE && p->state[s] == GOOD)
		end = GOOD;
	while (n)
		p->state[p->stack[--n]] = (uint8_t)end;
}

/* True: some live switch is bad. */
static bool
settle(const struct shaped *sh, struct part *p, uint32_t t)
{
	bool bad = false;

	for (uint32_t s = 0; s < sh->whole.nsw; s++)
		if (p->state[s] != GOOD)
			p->state[s] = UNSEEN;
	p->state[t] = GOOD;
	for (uint32_t s = 0; s < sh->whole.nsw; s++) {
		if (p->state[s] == UNSEEN)
			settle_walk(sh, p, s);
		bad |= p->state[s] == BAD && sh->now[s] != FAB_NONE;
	}
	return bad;
}

/* The group by which 's' reaches a good neighbour with least detour. */
static uint32_t
best_detour(const struct job *j, const struct part *p, uint32_t s, const struct shaped_dest *d)
{
	const struct swgraph *w = &j->sh->whole;
	uint32_t best = SHAPE_NOWHERE, least = SHAPED_NEVER;
	uint32_t first = w->group_first[s], n = w->group_first[s + 1] - first;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = first + (d->n + i) % n, cost;

		if (!shaped_works(j->sh, e) || p->state[w->groups[e].to] != GOOD)
			continue;
		cost = j->w->detour(j->sh, j->w->own, s, e, d);
		if (cost < least) {
			least = cost;
			best = e;
		}
	}
	return best;
}

/* Makes one round.  Returns false if no switch became good. */
static bool
mend_round(const struct job *j, struct part *p, const struct shaped_dest *d, bool stuck_only)
{
	const struct shaped *sh = j->sh;
	bool any = false;

	for (uint32_t s = 0; s < sh->whole.nsw; s++) {
		p->better[s] = SHAPE_NOWHERE;
		if (p->state[s] != BAD || sh->now[s] == FAB_NONE ||
			(stuck_only && p->next[s] != SHAPE_NOWHERE))
			continue;
		p->better[s] = best_detour(j, p, s, d);
		any |= p->better[s] != SHAPE_NOWHERE;
	}
	for (uint32_t s = 0; any && s < sh->whole.nsw; s++)
		if (p->better[s] != SHAPE_NOWHERE) {
			p->next[s] = p->better[s];
			p->mended++;
		}
	return any;
}

static void
mend(const struct job *j, struct part *p, const struct shaped_dest *d)
{
	while (mend_round(j, p, d, true) || mend_round(j, p, d, false))
		if (!settle(j->sh, p, d->sw))
			return;
}

/* The port of group 'e' for this destination: the intended one, or the next that works. */
static uint8_t
pick_port(const struct shaped *sh, uint32_t e, const struct shaped_dest *d)
{
	const struct swgraph_group *gr = &sh->whole.groups[e];
	uint32_t n = gr->nports, k = n > 1 ? (d->n + sh->turn[d->sw]) % n : 0;

	if (!sh->live[e])
		return sh->other[e];
	for (uint32_t i = 0; i < n; i++, k = k + 1 < n ? k + 1 : 0)
		if (sh->works[gr->first_port + k])
			return sh->whole.ports[gr->first_port + k];
	return FAB_LFT_DROP;
}

/* Finds the next hop of each switch.  False: some live switch does not arrive by the formula. */
static bool
find_hops(const struct job *j, struct part *p, const struct shaped_dest *d)
{
	const struct shaped *sh = j->sh;

	memset(p->state, UNSEEN, sh->whole.nsw);
	for (uint32_t s = 0; s < sh->whole.nsw; s++) {
		p->next[s] = SHAPE_NOWHERE;
		if (s == d->sw || sh->now[s] == FAB_NONE)
			continue;
		p->next[s] = j->w->hop(sh, j->w->own, s, d);
		if (!shaped_works(sh, p->next[s]))
			p->next[s] = SHAPE_NOWHERE;
	}
	return !settle(sh, p, d->sw);
}

/* The entries of an earlier destination of the same switch. */
static void
copy_dest(const struct job *j, uint16_t lid, const struct shaped_dest *d)
{
	uint32_t to = j->sh->now[d->sw];

	for (uint32_t o = 0; o < j->out->nswitches; o++) {
		uint8_t *row = fwd_row(j->out, o);

		row[d->lid] = o == to ? d->via : row[lid];
	}
}

/* The next hops of the formula, mended. */
static void
route_anew(const struct job *j, struct part *p, uint32_t i, uint16_t *like)
{
	const struct shaped *sh = j->sh;
	const struct shaped_dest *d = &sh->dests[i];

	if (find_hops(j, p, d))
		*like = sh->now[d->sw] == FAB_NONE ? 0 : d->lid;
	else
		mend(j, p, d);
	for (uint32_t s = 0; s < sh->whole.nsw; s++) {
		uint8_t *entry;

		if (sh->now[s] == FAB_NONE)
			continue;
		entry = &fwd_row(j->out, sh->now[s])[d->lid];
		*entry = s == d->sw ? d->via : FAB_LFT_DROP;
		if (s == d->sw)
			continue;
		if (p->state[s] == GOOD)
			*entry = pick_port(sh, p->next[s], d);
		else if (swgraph_is_leaf(&sh->m.g, sh->now[s]) &&
			j->piece[sh->now[s]] == j->piece[sh->now[d->sw]] &&
			j->lost[i] == SHAPE_NOWHERE)
			j->lost[i] = s;
	}
}

static void
route_dest(const struct job *j, struct part *p, uint32_t i)
{
	const struct shaped_dest *d = &j->sh->dests[i];
	uint16_t *like = &p->like[d->sw][j->same_ports ? j->w->variant(j->sh, d) : 0];

	if (j->same_ports && *like)
		copy_dest(j, *like, d);
	else
		route_anew(j, p, i, like);
}

static void
route_part(void *data, unsigned i, unsigned n)
{
	struct job *j = data;

	for (uint32_t d = stripes_first(j->sh->ndests, i, n);
		d < stripes_first(j->sh->ndests, i + 1, n); d++)
		route_dest(j, &j->parts[i], d);
}

/* Numbers the connected parts of the fabric. */
static uint32_t *
find_pieces(const struct swgraph *g, struct arena *a)
{
	uint32_t *piece = arena_array(a, g->nsw, sizeof(*piece));
	uint32_t *queue = arena_array(a, g->nsw, sizeof(*queue));

	memset(piece, 0xff, g->nsw * sizeof(*piece));
	for (uint32_t root = 0; root < g->nsw; root++) {
		uint32_t head = 0, tail = 0;

		if (piece[root] != UINT32_MAX)
			continue;
		piece[root] = root;
		queue[tail++] = root;
		while (head < tail) {
			uint32_t s = queue[head++];

			for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++)
				if (piece[g->groups[i].to] == UINT32_MAX) {
					piece[g->groups[i].to] = root;
					queue[tail++] = g->groups[i].to;
				}
		}
	}
	return piece;
}

static enum route_code
report_lost(const struct shaped *sh, const uint32_t *lost, struct route_report *r)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t i = 0; i < sh->ndests; i++) {
		if (lost[i] == SHAPE_NOWHERE)
			continue;
		first = first == UINT32_MAX ? i : first;
		r->unreachable++;
		route_evidence_add(r, shaped_node(sh, lost[i]), shaped_node(sh, sh->dests[i].sw),
			sh->dests[i].lid, 0);
	}
	if (!r->unreachable)
		return ROUTE_OK;
	return route_refuse(r, ROUTE_UNREACHABLE,
		"%" PRIu64
		" LIDs are connected but not reached by cables of the shape: from 0x%016" PRIx64
		" to LID %u at 0x%016" PRIx64 " for one",
		r->unreachable, sh->guid[lost[first]], sh->dests[first].lid,
		sh->guid[sh->dests[first].sw]);
}

/* Whether no switches are joined by parallel links, among which destinations take turns. */
static bool
has_single_links(const struct swgraph *w)
{
	for (uint32_t e = 0; e < w->group_first[w->nsw]; e++)
		if (w->groups[e].nports > 1)
			return false;
	return true;
}

enum route_code
shaped_fill(struct shaped *sh, const struct shaped_way *w, struct arena *a, struct fwd_tables *out,
	struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	unsigned nparts = stripes_count(sh->in->stripes);
	struct job j = { .sh = sh, .w = w, .out = out };
	size_t n = (size_t)sh->whole.nsw + 1;

	route_tables_init(&sh->m, a, out);
	memset(out->port, FAB_LFT_DROP, (size_t)out->nswitches * out->stride);
	j.parts = arena_array(&scratch, nparts, sizeof(*j.parts));
	for (unsigned i = 0; i < nparts; i++) {
		j.parts[i].next = arena_array(&scratch, n, sizeof(uint32_t));
		j.parts[i].better = arena_array(&scratch, n, sizeof(uint32_t));
		j.parts[i].stack = arena_array(&scratch, n, sizeof(uint32_t));
		j.parts[i].state = arena_array(&scratch, n, 1);
		j.parts[i].like = arena_array(&scratch, n, sizeof(*j.parts[i].like));
	}
	j.lost = arena_array(&scratch, (size_t)sh->ndests + 1, sizeof(*j.lost));
	memset(j.lost, 0xff, sh->ndests * sizeof(*j.lost));
	j.same_ports = w->variant && has_single_links(&sh->whole);
	j.piece = find_pieces(&sh->m.g, &scratch);
	stripes_each(sh->in->stripes, route_part, &j);
	sh->mended = 0;
	for (unsigned i = 0; i < nparts; i++)
		sh->mended += j.parts[i].mended;
	report_lost(sh, j.lost, r);
	arena_clear(&scratch);
	return r->code;
}
