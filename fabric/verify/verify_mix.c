/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_mix.c - columns of a change: packets that follow old and new entries in any mixture.
 * Room: fabric/verify.  Pure.  In: two sets of tables.  Out: LIDs that differ; turns of mixtures.
 *
 * While tables are written, a packet for a LID may arrive at a switch by the old or the new
 * entry of the switch before, and leave by the old or the new entry: four turns for each pair.
 * LIDs whose entries are the same everywhere have only the turns that they had.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify_run.h"
#include "util/bits.h"

void
verify_queue_put(struct verify_part *p, uint32_t sw)
{
	uint32_t nsw = p->v->g.nsw;

	if (p->queued[sw])
		return;
	p->queued[sw] = 1;
	p->queue[(p->head + p->nqueued++) % nsw] = sw;
}

uint32_t
verify_queue_get(struct verify_part *p)
{
	uint32_t sw;

	if (!p->nqueued)
		return FAB_NONE;
	sw = p->queue[p->head];
	p->head = (p->head + 1) % p->v->g.nsw;
	p->nqueued--;
	p->queued[sw] = 0;
	return sw;
}

void
verify_queue_sources(struct verify_part *p)
{
	p->head = 0;
	for (uint32_t i = 0; i < p->v->nsources; i++)
		verify_queue_put(p, p->v->sources[i]);
}

/* ---- which LIDs ---- */

static uint8_t
entry_at(const struct fwd_tables *f, uint32_t sw, uint32_t lid)
{
	return lid <= f->top ? fwd_row(f, sw)[lid] : FAB_LFT_DROP;
}

static uint64_t
differing(const struct verify_run *v, uint32_t sw, uint32_t lo, uint32_t hi)
{
	uint64_t word = 0;

	if (hi - 1 <= v->f[0]->top && hi - 1 <= v->f[1]->top &&
		memcmp(fwd_row(v->f[0], sw) + lo, fwd_row(v->f[1], sw) + lo, hi - lo) == 0)
		return 0;
	for (uint32_t lid = lo; lid < hi; lid++)
		if (entry_at(v->f[0], sw, lid) != entry_at(v->f[1], sw, lid))
			word |= (uint64_t)1 << (lid - lo);
	return word;
}

/* Each word of v->changed is written by one part. */
static void
find_part(void *data, unsigned i, unsigned n)
{
	struct verify_run *v = data;
	uint32_t words = v->l->top / 64 + 1;
	uint32_t lo = stripes_first(words, i, n), hi = stripes_first(words, i + 1, n);

	for (uint32_t sw = 0; sw < v->g.nsw; sw++)
		for (uint32_t w = lo; w < hi; w++) {
			uint32_t end = w * 64 + 64 < v->l->top + 1u ? w * 64 + 64 : v->l->top + 1u;

			v->changed[w] |= differing(v, sw, w * 64, end);
		}
}

void
verify_mix_find(struct verify_run *v)
{
	size_t words = BITS_WORDS(v->l->top + 1u);

	v->changed = arena_array(&v->arena, words, sizeof(*v->changed));
	stripes_each(v->stripes, find_part, v);
}

/* ---- mixtures ---- */

void
verify_mix_reach(struct verify_part *p, uint32_t lid)
{
	const struct chan_graph *g = &p->v->g;
	uint32_t sw;

	if (p->v->scope == VERIFY_ALL) {
		memset(p->reached, 1, g->nsw);
		return;
	}
	memset(p->reached, 0, g->nsw);
	verify_queue_sources(p);
	while ((sw = verify_queue_get(p)) != FAB_NONE) {
		p->reached[sw] = 1;
		for (unsigned t = 0; t < p->v->ntables; t++) {
			const struct chan_hop *h =
				chan_graph_hop(g, sw, verify_entry(p, t, sw, lid));

			if (h && h->sw != FAB_NONE && !p->reached[h->sw])
				verify_queue_put(p, h->sw);
		}
	}
}

/* A packet leaves 'sw' by 'h' and continues by either entry.  'scanned': the turn by new entries
 * is in the graph. */
static void
add_turns(struct verify_part *p, uint32_t lid, const struct chan_hop *h, bool scanned)
{
	uint8_t out[2] = { verify_entry(p, 0, h->sw, lid), verify_entry(p, 1, h->sw, lid) };
	uint32_t in = h->chan - p->g.first[h->sw];

	if (!scanned)
		chan_graph_add(&p->g, h->sw, in, out[0]);
	if (out[1] != out[0])
		chan_graph_add(&p->g, h->sw, in, out[1]);
}

void
verify_mix_add(struct verify_part *p, uint32_t lid)
{
	verify_mix_reach(p, lid);
	for (uint32_t sw = 0; sw < p->g.nsw; sw++) {
		uint8_t out[2] = { verify_entry(p, 0, sw, lid), verify_entry(p, 1, sw, lid) };
		const struct chan_hop *h = chan_graph_hop(&p->g, sw, out[0]);

		if (!p->reached[sw])
			continue;
		if (h && h->sw != FAB_NONE)
			add_turns(p, lid, h, p->v->scanned);
		h = out[1] == out[0] ? NULL : chan_graph_hop(&p->g, sw, out[1]);
		if (h && h->sw != FAB_NONE)
			add_turns(p, lid, h, false);
	}
}
