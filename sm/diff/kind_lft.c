/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_lft.c - blocks of linear forwarding tables.
 * Room: sm/diff.  Pure.  The subject of a change is the switch, its block the block of 64 LIDs.
 *
 * No image of the written blocks is kept, because it would be a second copy of all tables.  As long
 * as every block of a switch took effect, the plan's row is what the switch holds.  Otherwise the
 * table counts as unknown, and the next sweep reads it.  docs/wire.md: LinearForwardingTable.
 *
 * In a fabric that comes up, where no block is known, the block with the SM's own LID comes first.
 * Otherwise packets may follow the present tables, and sm/order says which write waits for which.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define LFT_BLOCK_LIDS 64
/* Consecutive Sets go to different switches, but to few enough that their tables stay in cache. */
#define LFT_STRIPE 64                   /* switches: the bits of a word */

/* What find_blocks() has found so far. */
struct found {
	const struct diff_view *v;
	struct changes *out;
	bool held;                      /* a switch holds one of the blocks */
	uint32_t blocks;                /* of each table */
	/* [stripes of switches][blocks]: those that are to be compared, a bit for each switch */
	uint64_t *maybe;
};

static const uint8_t *
wanted_block(const struct plan *plan, uint32_t sw, uint32_t block)
{
	return fwd_row(&plan->fwd, sw) + (size_t)block * LFT_BLOCK_LIDS;
}

static bool
block_differs(struct found *f, uint32_t sw, uint32_t b)
{
	const struct fab_node *n = diff_switch(f->v->s, sw);

	if (!diff_switch_planned(n))
		return false;
	if (!n->lft || b >= n->lft_blocks)
		return true;            /* unknown: after a reset the table may hold anything */
	if (memcmp(n->lft + (size_t)b * LFT_BLOCK_LIDS, wanted_block(f->v->plan, sw, b),
		    LFT_BLOCK_LIDS) == 0)
		return false;
	f->held = true;
	return true;
}

static enum change_phase
block_phase(uint32_t block, uint32_t sm_block)
{
	return block == sm_block ? CHANGE_LFT_SM : CHANGE_LFT;
}

/* All blocks in one list: those of the SM's LID, then the others. */
static uint32_t
collect_blocks(const struct changes *c, struct arena *a, struct order_block **out)
{
	const struct change_list *l[] = { &c->phase[CHANGE_LFT_SM], &c->phase[CHANGE_LFT] };
	uint32_t n = 0;

	*out = arena_array(a, (size_t)l[0]->n + l[1]->n + 1, sizeof(**out));
	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < l[k]->n; i++)
			(*out)[n++] = (struct order_block){ l[k]->v[i].subject, l[k]->v[i].block };
	return n;
}

/* Replaces the changes by writes that have an order; the SM's block is among the last of them. */
static void
order_blocks(const struct found *f)
{
	const struct diff_view *v = f->v;
	struct changes *out = f->out;
	struct change_order *o = xcalloc(1, sizeof(*o));
	struct arena scratch = ARENA_INIT;
	struct order_block *blocks;
	uint32_t n = collect_blocks(out, &scratch, &blocks);
	struct order_in in = {
		.s = v->s, .lids = &v->plan->lids, .wanted = &v->plan->fwd, .blocks = blocks,
		.nblocks = n, .scope = v->plan->hosts_only ? VERIFY_HOSTS : VERIFY_ALL,
		.loops_only = v->plan->fwd.lanes != NULL,
		.sm_lid = v->plan->sm_lid, .images_max = CHANGE_IMAGES_MAX,
		.turns = v->plan->hosts_only ? NULL : v->plan->step.turns,
	};

	o->phase = CHANGE_LFT;
	order_make(&in, &o->arena, &o->order);
	arena_clear(&scratch);
	out->phase[CHANGE_LFT_SM].n = out->phase[CHANGE_LFT].n = 0;
	out->total -= n;
	for (uint32_t i = 0; i < o->order.nwrites; i++) {
		const struct order_write *w = &o->order.writes[i];

		diff_add(out, CHANGE_LFT, w->sw, CHANGE_WITH_IMAGE(w->block, w->image));
	}
	out->ordered = o;
}

/* Whether the switch holds the tables that those of the plan differ from in some blocks only. */
static bool
holds_step(const struct found *f, uint32_t sw)
{
	const struct plan *p = f->v->plan;
	const struct fab_node *n = diff_switch(f->v->s, sw);

	return p->step.from && n->lft_blocks >= f->blocks &&
		n->lft == fwd_rows_bytes(p->step.from) + (size_t)sw * p->fwd.stride;
}

static void
mark_candidate(struct found *f, uint32_t sw, uint32_t b)
{
	f->maybe[(size_t)(sw / LFT_STRIPE) * f->blocks + b] |= UINT64_C(1) << (sw % LFT_STRIPE);
}

/* Marks the blocks to compare: all, or those of the step. */
static void
find_candidates(struct found *f)
{
	const struct plan_step *step = &f->v->plan->step;
	uint32_t n = f->v->s->nswitches;

	f->maybe = xcalloc((size_t)(n / LFT_STRIPE + 1) * f->blocks, sizeof(*f->maybe));
	for (uint32_t sw = 0; sw < n; sw++) {
		bool all = !holds_step(f, sw);

		for (uint32_t b = 0; all && b < f->blocks; b++)
			mark_candidate(f, sw, b);
	}
	for (uint32_t i = 0; step->from && i < step->nblocks; i++)
		if (step->blocks[i].block < f->blocks)
			mark_candidate(f, step->blocks[i].sw, step->blocks[i].block);
}

static void
find_blocks(const struct diff_view *v, struct changes *out)
{
	struct found f = { v, out, .blocks = v->plan->fwd.top / LFT_BLOCK_LIDS + 1u };
	uint32_t sm_block = v->plan->sm_lid / LFT_BLOCK_LIDS, n = v->s->nswitches;
	const uint64_t *maybe;

	find_candidates(&f);
	maybe = f.maybe;
	for (uint32_t first = 0; first < n; first += LFT_STRIPE)
		for (uint32_t b = 0; b < f.blocks; b++)
			for (uint64_t m = *maybe++; m; m &= m - 1) {
				uint32_t sw = first + (uint32_t)__builtin_ctzll(m);

				if (block_differs(&f, sw, b))
					diff_add(out, block_phase(b, sm_block), sw, b);
			}
	free(f.maybe);
	if (f.held)
		order_blocks(&f);
}

static uint32_t
block_modifier(const struct diff_view *v, const struct change *c, bool fallback)
{
	(void)v;
	(void)fallback;
	return CHANGE_BLOCK_OF(c);
}

static uint32_t
block_reported(const struct change *c, uint8_t port)
{
	(void)port;
	return CHANGE_BLOCK_OF(c);
}

static const uint8_t *
block_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	(void)k;
	(void)buf;
	if (CHANGE_IMAGE_OF(c) && v->order)
		return v->order->images[CHANGE_IMAGE_OF(c) - 1];
	return wanted_block(v->plan, c->subject, CHANGE_BLOCK_OF(c));
}

static void
forget_table(struct observed *o, const struct change *c)
{
	bits_set(o->lft_unknown, c->subject);
}

static void
observe_block(struct observed *o, const struct change *c, const struct change_answer *answer)
{
	if (!answer->effect)
		forget_table(o, c);
}

#define LFT_KIND \
	.subject = CHANGE_OF_SWITCH, .attribute = LFT_BLOCK_ID, .payload_borrowed = true, \
	.modifier = block_modifier, .reported = block_reported, \
	.payload = block_payload, .took_effect = diff_answer_is_payload, \
	.observe = observe_block, .forget = forget_table

const struct change_kind change_kind_lft_sm = { .name = "lft_sm", LFT_KIND, .find = find_blocks };
const struct change_kind change_kind_lft = { .name = "lft", LFT_KIND };
