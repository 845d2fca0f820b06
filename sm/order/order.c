/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * order.c - orders the writes of all blocks, and gives them priorities.
 * Room: sm/order.  Pure.  In: blocks that differ, old and wanted tables.  Out: writes with their
 * predecessors, a report.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/order/order_int.h"

/* Consecutive writes go to different switches, but to few enough that their tables stay in cache.
 */
#define STRIPE_SWITCHES 64
#define WAVE_MAX 0xffff
#define DRAINS_MAX 3

static const uint8_t no_entries[ORDER_BLOCK_LIDS] = {
	[0 ... ORDER_BLOCK_LIDS - 1] = FAB_LFT_DROP,
};

static uint64_t
differing_entries(const uint8_t *a, const uint8_t *b)
{
	uint64_t m = 0;

	for (unsigned i = 0; i < ORDER_BLOCK_LIDS; i++)
		m |= (uint64_t)(a[i] != b[i]) << i;
	return m;
}

static void
leave_block(struct order_view *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		v->changed[v->list[i].sw] = 0;
}

void
order_view_set(struct order_ctx *ctx, uint32_t block)
{
	struct order_view *v = &ctx->view;

	leave_block(v);
	v->block = block;
	v->list = ctx->sorted + ctx->block_first[block];
	v->n = ctx->block_first[block + 1] - ctx->block_first[block];
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t sw = v->list[i].sw;
		const uint8_t *held = order_held_block(ctx, sw, block);

		v->changed[sw] = differing_entries(held ? held : no_entries,
			fwd_row(ctx->in->wanted, sw) + (size_t)block * ORDER_BLOCK_LIDS);
		v->local[sw] = i;
	}
}

/* Sorts in->blocks by block number, and keeps the given order, by switch, within each number. */
static void
sort_blocks(struct order_ctx *ctx)
{
	const struct order_in *in = ctx->in;
	uint32_t *at;

	ctx->nblocks = in->wanted->top / ORDER_BLOCK_LIDS + 1u;
	ctx->block_first = arena_array(ctx->scratch, ctx->nblocks + 2u, sizeof(*at));
	ctx->sorted = arena_array(ctx->scratch, in->nblocks + 1u, sizeof(*ctx->sorted));
	at = ctx->block_first + 1;
	for (uint32_t i = 0; i < in->nblocks; i++)
		at[in->blocks[i].block + 1]++;
	for (uint32_t b = 0; b < ctx->nblocks; b++)
		at[b + 1] += at[b];
	for (uint32_t i = 0; i < in->nblocks; i++)
		ctx->sorted[at[in->blocks[i].block]++] = in->blocks[i];
}

static void
context_init(struct order_ctx *ctx, const struct order_in *in, struct arena *scratch)
{
	const struct snapshot *s = in->s;
	const struct fab_port *sm = &s->ports[s->sm_port];
	uint32_t n = s->nswitches;

	*ctx = (struct order_ctx){ .in = in, .scratch = scratch };
	sort_blocks(ctx);
	chan_graph_init(&ctx->graph, s, scratch);
	ctx->held = arena_array(scratch, n, sizeof(*ctx->held));
	for (uint32_t sw = 0; sw < n; sw++) {
		const struct fab_node *node = &s->nodes[s->switches[sw]];

		ctx->held[sw] = (struct order_held){ node->lft, node->lft ? node->lft_blocks : 0 };
	}
	ctx->view.changed = arena_array(scratch, n, sizeof(*ctx->view.changed));
	ctx->view.local = arena_array(scratch, n, sizeof(*ctx->view.local));
	ctx->sm_sw = s->nodes[sm->node].sw;
	if (ctx->sm_sw == FAB_NONE && sm->peer != FAB_NONE)
		ctx->sm_sw = s->nodes[s->ports[sm->peer].node].sw;
}

/* Returns true if one of the blocks is known, so that packets may follow its entries. */
static bool
any_is_held(const struct order_in *in)
{
	for (uint32_t i = 0; i < in->nblocks; i++) {
		const struct fab_node *n = &in->s->nodes[in->s->switches[in->blocks[i].sw]];

		if (n->lft && in->blocks[i].block < n->lft_blocks)
			return true;
	}
	return false;
}

static void
keep_order(const struct order_in *in, struct arena *a, struct order *out)
{
	out->writes = arena_array(a, in->nblocks + 1u, sizeof(*out->writes));
	out->nwrites = in->nblocks;
	for (uint32_t i = 0; i < in->nblocks; i++)
		out->writes[i] = (struct order_write){
			.sw = in->blocks[i].sw,
			.block = in->blocks[i].block,
		};
	out->report = (struct order_report){ .writes = in->nblocks, .waves = in->nblocks > 0 };
}

/* ---- priorities ---- */

struct ranked {
	uint64_t key;
	uint32_t index;
};

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Returns true if the write only makes entries drop, so that no packet waits for it. */
static bool
only_drops(const struct order_ctx *ctx, const struct order_write *w)
{
	const uint8_t *old = order_held_block(ctx, w->sw, w->block);
	const uint8_t *new = fwd_row(ctx->in->wanted, w->sw) + (size_t)w->block *ORDER_BLOCK_LIDS;

	for (unsigned i = 0; i < ORDER_BLOCK_LIDS; i++)
		if (new[i] != FAB_LFT_DROP &&new[i] != (old ? old : no_entries)[i])
			return false;
	return true;
}

/* 'drains': drain times that begin after the write, one after the other. */
static uint64_t
priority(const struct order_ctx *ctx, const struct order_write *w, uint32_t wave, uint32_t drains)
{
	uint64_t key = (uint64_t)w->late << 1 | (uint64_t)w->last;

	key = key << 2 | (drains < DRAINS_MAX ? DRAINS_MAX - drains : 0);
	key = key << 1 | (!w->image && only_drops(ctx, w));
	key = key << 16 | (wave < WAVE_MAX ? wave : WAVE_MAX);
	key = key << 14 | w->sw / STRIPE_SWITCHES;
	key = key << 12 | w->block;
	return key << 16 | (w->sw & 0xffff);
}

/* By write: the drain times that begin after it, one after the other; those of late ones apart. */
static uint32_t *
find_drains(const struct order_ctx *ctx, const struct order_list *l)
{
	uint32_t *drains = arena_array(ctx->scratch, l->n + 1u, sizeof(*drains));

	for (uint32_t i = l->n; i-- > 0;)       /* predecessors stand before */
		for (uint32_t k = 0; k < l->v[i].npreds; k++) {
			uint32_t p = l->preds[l->v[i].pred_first + k];
			uint32_t n = drains[i] + ORDER_PRED_DRAINS(p);

			if (drains[ORDER_PRED_WRITE(p)] < n)
				drains[ORDER_PRED_WRITE(p)] = n;
		}
	return drains;
}

static uint32_t
most_drains(const struct order_list *l, const uint32_t *drains)
{
	uint32_t most = 0;
	bool late = false;

	for (uint32_t i = 0; i < l->n; i++) {
		most = drains[i] > most ? drains[i] : most;
		late |= l->v[i].late;
	}
	return most + late;
}

/* Sorts the writes by priority, and gives their predecessors the new indices. */
static void
rank_writes(const struct order_ctx *ctx, struct order_list *l, struct arena *a, struct order *out)
{
	struct ranked *r = arena_array(ctx->scratch, l->n + 1u, sizeof(*r));
	uint32_t *at = arena_array(ctx->scratch, l->n + 1u, sizeof(*at));
	const uint32_t *drains = find_drains(ctx, l);

	for (uint32_t i = 0; i < l->n; i++)
		r[i] = (struct ranked){ priority(ctx, &l->v[i], l->wave[i], drains[i]), i };
	qsort(r, l->n, sizeof(*r), compare_ranked);
	out->report.drains = most_drains(l, drains);
	out->writes = arena_array(a, l->n + 1u, sizeof(*out->writes));
	for (uint32_t i = 0; i < l->n; i++) {
		out->writes[i] = l->v[r[i].index];
		at[r[i].index] = i;
	}
	out->nwrites = l->n;
	for (uint32_t i = 0; i < l->npreds; i++)
		l->preds[i] = ORDER_PRED(
			at[ORDER_PRED_WRITE(l->preds[i])], ORDER_PRED_DRAINS(l->preds[i]));
	out->preds = l->preds;
	out->images = l->images;
	out->nimages = l->nimages;
}

/* The writes of the manager's own path are the last ones, if no other write waits for them. */
static void
mark_last(const struct order_ctx *ctx, struct order_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		l->v[i].last = l->v[i].sw == ctx->sm_sw ||
			l->v[i].block == ctx->in->sm_lid / ORDER_BLOCK_LIDS;
	for (uint32_t i = l->n; i-- > 0;)       /* predecessors stand before */
		for (uint32_t k = 0; !l->v[i].last && k < l->v[i].npreds; k++)
			l->v[ORDER_PRED_WRITE(l->preds[l->v[i].pred_first + k])].last = false;
}

void
order_make(const struct order_in *in, struct arena *a, struct order *out)
{
	struct arena scratch = ARENA_INIT;
	struct order_list list = { .a = a };
	struct order_scheduler *sc;
	struct order_ctx ctx;

	memset(out, 0, sizeof(*out));
	if (!any_is_held(in)) {
		keep_order(in, a, out);
		return;
	}
	context_init(&ctx, in, &scratch);
	out->report.ordered = true;
	if (!in->loops_only)
		order_mixed_find(&ctx, &out->report);
	sc = order_scheduler_new(&ctx);
	for (uint32_t b = 0; b < ctx.nblocks; b++) {
		if (ctx.block_first[b] == ctx.block_first[b + 1])
			continue;
		order_view_set(&ctx, b);
		order_block_schedule(sc, &list, &out->report);
	}
	mark_last(&ctx, &list);
	for (uint32_t i = 0; i < list.n; i++)
		if (list.wave[i] + 1 > out->report.waves)
			out->report.waves = list.wave[i] + 1;
	rank_writes(&ctx, &list, a, out);
	out->report.writes = list.n;
	out->report.double_writes = list.n - in->nblocks;
	arena_clear(&scratch);
}
