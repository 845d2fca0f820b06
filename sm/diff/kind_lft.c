/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_lft.c - blocks of linear forwarding tables.  The block with the SM's own LID comes first.
 * Room: sm/diff.  Pure.  The subject of a change is the switch, its block the block of 64 LIDs.
 *
 * No image of the written blocks is kept, because it would be a second copy of all tables.  As long
 * as every block of a switch took effect, the plan's row is what the switch holds.  Otherwise the
 * table counts as unknown, and the next sweep reads it.  docs/wire.md: LinearForwardingTable.
 */
#include <config.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/bits.h"

#define LFT_BLOCK_LIDS 64
/* Consecutive Sets go to different switches, but to few enough that their tables stay in cache. */
#define LFT_STRIPE 64

static const uint8_t *
wanted_block(const struct plan *plan, uint32_t sw, uint32_t block)
{
	return fwd_row(&plan->fwd, sw) + (size_t)block * LFT_BLOCK_LIDS;
}

static bool
block_differs(const struct diff_view *v, uint32_t sw, uint32_t b)
{
	const struct fab_node *n = diff_switch(v->s, sw);

	if (!diff_switch_planned(n))
		return false;
	if (!n->lft || b >= n->lft_blocks)
		return true;            /* unknown: after a reset the table may hold anything */
	return memcmp(n->lft + (size_t)b * LFT_BLOCK_LIDS, wanted_block(v->plan, sw, b),
		LFT_BLOCK_LIDS) != 0;
}

static enum change_phase
block_phase(uint32_t block, uint32_t sm_block)
{
	return block == sm_block ? CHANGE_LFT_SM : CHANGE_LFT;
}

static void
find_blocks(const struct diff_view *v, struct changes *out)
{
	uint32_t blocks = v->plan->fwd.top / LFT_BLOCK_LIDS + 1u;
	uint32_t sm_block = v->plan->sm_lid / LFT_BLOCK_LIDS, n = v->s->nswitches;

	for (uint32_t first = 0; first < n; first += LFT_STRIPE) {
		uint32_t last = first + LFT_STRIPE < n ? first + LFT_STRIPE : n;

		for (uint32_t b = 0; b < blocks; b++)
			for (uint32_t sw = first; sw < last; sw++)
				if (block_differs(v, sw, b))
					diff_add(out, block_phase(b, sm_block), sw, b);
	}
}

static const uint8_t *
block_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	(void)k;
	(void)buf;
	return wanted_block(v->plan, c->subject, c->block);
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
	.modifier = diff_block_modifier, .reported = diff_block_reported, \
	.payload = block_payload, .took_effect = diff_answer_is_payload, \
	.observe = observe_block, .forget = forget_table

const struct change_kind change_kind_lft_sm = { .name = "lft_sm", LFT_KIND, .find = find_blocks };
const struct change_kind change_kind_lft = { .name = "lft", LFT_KIND };
