/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_again.c - from the turns of tables that were verified to those of the next ones.
 * Room: fabric/verify.  Pure.  In: what was kept, new tables.  Out: turns, LIDs with a wrong entry.
 *
 * A turn belongs to an entry and to the entry for the same LID at the switch behind it.  So the
 * kept turns, without those over ports that lead elsewhere now, and the turns of all entries that
 * differ, each with the switch behind it and with the neighbours that send to it, contain every
 * turn of the new tables.  They may contain turns that only older tables made: if there is a cycle,
 * the caller collects all turns anew.
 *
 * Entries are compared with the kept tables, not with what the switches hold or with what an engine
 * reports: the proof depends only on its own data.  An entry counts as different, too, if its
 * port leads elsewhere, or if its switch was not there.  Of a LID that another node owns, that is
 * reached by another port or that had a wrong entry, all entries are checked.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/verify/verify_kept.h"
#include "fabric/verify/verify_scan.h"
#include "util/bits.h"
#include "util/xalloc.h"

/* At most 1 of this many LIDs may need a check of all entries: beyond that, a scan is faster. */
#define COLUMNS_SHARE 8

struct follow {
	const struct verify_kept *k;
	struct verify_run *v;
	const struct fwd_tables *f;
	uint32_t *was;                  /* [nsw]: the kept number of a switch; FAB_NONE */
	uint32_t *now;                  /* [kept ports]: the number of a kept port; FAB_NONE */
	bool *elsewhere;                /* [nports]: the port leads to another port than before */
	uint8_t *end;                   /* [nsw]: some port of the switch does */
	uint8_t *as_before;             /* [nsw]: no entry differs, no port leads elsewhere */
};

/* ---- what corresponds ---- */

static void
match_switches(struct follow *w)
{
	const struct verify_kept *k = w->k;
	const struct chan_graph *g = &w->v->g;
	uint32_t old = 0;

	memset(w->now, 0xff, k->nports * sizeof(*w->now));
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint64_t guid = w->v->s->nodes[w->v->s->switches[sw]].guid;
		uint32_t n = g->first[sw + 1] - g->first[sw];

		while (old < k->nsw && k->guid[old] < guid)
			old++;
		w->was[sw] = FAB_NONE;
		if (old == k->nsw || k->guid[old] != guid || k->first[old + 1] - k->first[old] != n)
			continue;
		w->was[sw] = old;
		for (uint32_t i = 0; i < n; i++)
			w->now[k->first[old] + i] = g->first[sw] + i;
	}
}

static uint32_t
port_now(const struct follow *w, uint32_t kept)
{
	return kept == FAB_NONE ? FAB_NONE : w->now[kept];
}

/* The turns of the switches that were there, without those over ports that lead elsewhere. */
static void
take_turns(struct follow *w)
{
	struct chan_graph *g = &w->v->g;
	const uint64_t *bits = (const uint64_t *)(const void *)fwd_rows_bytes(w->k->turns);
	size_t at = 0;

	for (uint32_t sw = 0, old = 0; sw < g->nsw; sw++) {
		if (w->was[sw] == FAB_NONE)
			continue;
		for (; old < w->was[sw]; old++) {
			size_t n = w->k->first[old + 1] - w->k->first[old];

			at += n * ((n + 63) / 64);
		}
		memcpy(&g->bits[g->word[sw]], bits + at,
			(g->word[sw + 1] - g->word[sw]) * sizeof(*bits));
	}
}

/* Whether a port, kept as 'old', leads to the same port as before, or to no switch as before. */
static bool
leads_on(const struct follow *w, uint32_t old, uint32_t c)
{
	uint32_t far = w->k->far[old], is = w->v->g.hop[c].chan;

	return far == FAB_NONE || is == FAB_NONE ? far == is : w->now[far] == is;
}

static void
find_elsewhere(struct follow *w)
{
	struct chan_graph *g = &w->v->g;

	for (uint32_t c = 0; c < g->nports; c++) {
		uint32_t sw = g->sw[c], old = w->was[sw], num = c - g->first[sw];

		if (old != FAB_NONE && leads_on(w, w->k->first[old] + num, c))
			continue;
		w->elsewhere[c] = true;
		w->end[sw] = 1;
		memset(chan_graph_row(g, sw, num), 0, chan_graph_words(g, sw) * sizeof(*g->bits));
		for (uint32_t in = 0; in < g->first[sw + 1] - g->first[sw]; in++)
			bits_clear(chan_graph_row(g, sw, in), num);
	}
}

/* ---- turns ---- */

static uint8_t
entry(const struct follow *w, uint32_t sw, uint32_t lid)
{
	return lid <= w->f->top ? fwd_row(w->f, sw)[lid] : FAB_LFT_DROP;
}

/* The turn of packets that 'sw' sends on, or where they end. */
static void
add_sent(struct follow *w, uint32_t sw, uint32_t lid)
{
	struct chan_graph *g = &w->v->g;
	uint8_t out = entry(w, sw, lid);
	const struct chan_hop *h = chan_graph_hop(g, sw, out);

	if (h && h->sw != FAB_NONE)
		chan_graph_add(g, h->sw, h->chan - g->first[h->sw], entry(w, h->sw, lid));
	else if (verify_exit(w->v->s, w->v->l, sw, lid, out) != WALK_ARRIVED)
		bits_set(w->v->bad, lid);
}

/* The turns of packets that neighbours send to 'sw'. */
static void
add_received(struct follow *w, uint32_t sw, uint32_t lid)
{
	struct chan_graph *g = &w->v->g;
	uint8_t out = entry(w, sw, lid);
	const struct chan_hop *h = chan_graph_hop(g, sw, out);

	if (!h || h->chan == FAB_NONE)
		return;
	for (uint32_t in = 1; in < g->first[sw + 1] - g->first[sw]; in++) {
		const struct chan_hop *from = &g->hop[g->first[sw] + in];

		if (from->sw != FAB_NONE &&
			entry(w, from->sw, lid) == from->chan - g->first[from->sw])
			chan_graph_add(g, sw, in, out);
	}
}

static void
follow_entry(struct follow *w, uint32_t sw, uint32_t lid)
{
	if (w->v->l->owner[lid] == FAB_NONE)
		return;
	bits_set(w->v->changed, lid);
	add_sent(w, sw, lid);
	add_received(w, sw, lid);
}

/* ---- which entries ---- */

/* The entries lo .. hi - 1 of both rows. */
static void
follow_entries(struct follow *w, uint32_t sw, const uint8_t *old, uint32_t lo, uint32_t hi)
{
	const bool *elsewhere = &w->elsewhere[w->v->g.first[sw]];
	uint32_t nports = w->v->g.first[sw + 1] - w->v->g.first[sw];

	for (uint32_t lid = lo; lid < hi; lid++) {
		uint8_t is = entry(w, sw, lid);

		if (!old || lid > w->k->tables.top || old[lid] != is ||
			(is < nports && elsewhere[is]))
			follow_entry(w, sw, lid);
	}
}

/* Entries up to this LID can be compared. */
static uint32_t
compared(const struct follow *w)
{
	return w->f->top < w->k->tables.top ? w->f->top : w->k->tables.top;
}

/* Most rows are as before: they are compared in stripes, which takes as long as to read them. */
static void
compare_part(void *data, unsigned i, unsigned n)
{
	struct follow *w = data;
	uint32_t top = w->v->l->top, end = stripes_first(w->v->g.nsw, i + 1, n);

	for (uint32_t sw = stripes_first(w->v->g.nsw, i, n); sw < end; sw++)
		w->as_before[sw] = w->was[sw] != FAB_NONE && !w->end[sw] && top <= compared(w) &&
			memcmp(fwd_row(&w->k->tables, w->was[sw]) + 1, fwd_row(w->f, sw) + 1,
				top) == 0;
}

static void
follow_row(struct follow *w, uint32_t sw)
{
	uint32_t top = w->v->l->top, was = w->was[sw], same = compared(w);
	const uint8_t *old = was == FAB_NONE ? NULL : fwd_row(&w->k->tables, was);
	const uint8_t *row = fwd_row(w->f, sw);

	for (uint32_t lo = 0; lo <= top; lo += VERIFY_BLOCK) {
		uint32_t hi = lo + VERIFY_BLOCK <= top ? lo + VERIFY_BLOCK : top + 1;

		if (!old || w->end[sw] || hi - 1 > same || memcmp(old + lo, row + lo, hi - lo) != 0)
			follow_entries(w, sw, old, lo ? lo : 1, hi);
	}
}

/* Marks the LIDs all of whose entries are to be checked.  Returns their number. */
static uint32_t
find_columns(const struct follow *w, uint64_t *which)
{
	const struct verify_kept *k = w->k;
	uint32_t n = 0;

	for (uint32_t lid = 1; lid <= w->v->l->top; lid++) {
		uint64_t owner = verify_owner_guid(w->v, lid);

		if (!owner || (lid <= k->top && k->owner[lid] == owner && !bits_test(k->bad, lid) &&
				port_now(w, k->at[lid]) == verify_owner_at(w->v, lid)))
			continue;
		bits_set(which, lid);
		n++;
	}
	return n;
}

static void
follow_column(struct follow *w, uint32_t lid)
{
	bits_set(w->v->changed, lid);
	for (uint32_t sw = 0; sw < w->v->g.nsw; sw++)
		add_sent(w, sw, lid);
}

bool
verify_kept_follow(const struct verify_kept *k, struct verify_run *v, uint64_t *starts)
{
	struct follow w = { .k = k, .v = v, .f = v->f[0] };
	struct arena *a = &v->arena;
	size_t words = BITS_WORDS(v->l->top + 1u);
	uint64_t *columns = arena_array(a, words, sizeof(*columns)), *base;

	w.was = arena_array(a, v->g.nsw, sizeof(*w.was));
	w.now = arena_array(a, k->nports, sizeof(*w.now));
	w.elsewhere = arena_array(a, v->g.nports, sizeof(*w.elsewhere));
	w.end = arena_alloc(a, v->g.nsw);
	w.as_before = arena_alloc(a, v->g.nsw);
	match_switches(&w);
	if (find_columns(&w, columns) > v->l->top / COLUMNS_SHARE)
		return false;
	v->changed = arena_array(a, words, sizeof(*v->changed));
	take_turns(&w);
	find_elsewhere(&w);
	base = xmemdup(v->g.bits, v->g.word[v->g.nsw] * sizeof(*base));
	stripes_each(v->stripes, compare_part, &w);
	for (uint32_t sw = 0; sw < v->g.nsw; sw++)
		if (!w.as_before[sw])
			follow_row(&w, sw);
	for (size_t lid = bits_next(columns, v->l->top + 1u, 0); lid <= v->l->top;
		lid = bits_next(columns, v->l->top + 1u, lid + 1))
		follow_column(&w, (uint32_t)lid);
	chan_graph_added(&v->g, base, starts);
	free(base);
	return true;
}
