/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_mft.c - rows of multicast forwarding tables that differ from the trees of the groups.
 * Room: sm/diff.  Pure.  The subject of a change is the switch, its block the row
 * (sm/mcast/mcast.h).
 *
 * When a tree changes, phase MFT_CUT first removes the old entries that the new tree lacks, then
 * phase MFT writes the new ones.  A mixture of entries of two trees can contain a loop, in which
 * packets multiply; a part of one tree cannot.  docs/routing.md: multicast.
 */
#include <config.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/bits.h"

#define BLOCK_WORDS (512 / 64)          /* blocks of a multicast table */

/* The blocks with at least one known row: usually few of hundreds. */
static void
known_blocks(const struct mft_seen *t, uint64_t guid, uint64_t set[static BLOCK_WORDS])
{
	uint32_t row;

	memset(set, 0, BLOCK_WORDS * sizeof(*set));
	for (uint32_t i = 0; mft_seen_at(t, guid, i, &row); i++)
		bits_set(set, mft_row_block(row));
}

static void
find_row(const struct diff_view *v, uint32_t sw, uint32_t row, struct changes *out)
{
	bool removes, adds;

	plan_mcast_compare(v->plan->mcast, v->observed->tables->mft, sw, row, &removes, &adds);
	if (removes)
		diff_add(out, CHANGE_MFT_CUT, sw, row);
	if (adds)
		diff_add(out, CHANGE_MFT, sw, row);
}

static void
find_rows(const struct diff_view *v, struct changes *out)
{
	const struct mcast_plan *trees = v->plan->mcast;
	uint32_t blocks = trees ? plan_mcast_blocks(trees) : 0;
	uint64_t known[BLOCK_WORDS];

	for (uint32_t sw = 0; blocks && sw < v->s->nswitches; sw++) {
		const struct fab_node *n = diff_switch(v->s, sw);
		uint32_t positions = plan_mcast_positions(trees, sw);

		if (!diff_switch_planned(n))
			continue;
		known_blocks(v->observed->tables->mft, n->guid, known);
		for (uint32_t b = 0; b < blocks; b++)
			for (uint32_t k = 0; k < positions; k++)
				if (bits_test(known, b) || plan_mcast_wants(trees, sw, b))
					find_row(v, sw, mft_row_of(b, k), out);
	}
}

void
diff_groups(const struct observed *o, const struct plan *plan, struct changes *out)
{
	uint32_t sw, row;

	memset(out, 0, sizeof(*out));
	while (plan_mcast_take(plan->mcast, &sw, &row))
		if (plan_mcast_differs(plan->mcast, o->tables->mft, sw, row))
			diff_add(out, CHANGE_MFT, sw, row);
}

static const uint8_t *
cut_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	(void)k;
	plan_mcast_cut(v->plan->mcast, v->observed->tables->mft, c->subject, c->block, buf);
	return buf;
}

static const uint8_t *
row_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	const uint8_t *row = plan_mcast_row(v->plan->mcast, c->subject, c->block);

	(void)k;
	memset(buf, 0, CHANGE_BYTES);
	return row ? row : buf;
}

static void
observe_row(struct observed *o, const struct change *c, const struct change_answer *answer)
{
	mft_seen_put(o->tables->mft, diff_switch(o->s, c->subject)->guid, c->block, answer->data);
}

static void
forget_row(struct observed *o, const struct change *c)
{
	mft_seen_put(o->tables->mft, diff_switch(o->s, c->subject)->guid, c->block, NULL);
}

#define MFT_KIND \
	.subject = CHANGE_OF_SWITCH, .attribute = MFT_BLOCK_ID, \
	.registered = true, .keeps_sent = true, \
	.modifier = diff_block_modifier, .took_effect = diff_answer_is_payload, \
	.observe = observe_row, .forget = forget_row

const struct change_kind change_kind_mft_cut = {
	.name = "mft_cut", MFT_KIND, .find = find_rows, .payload = cut_payload,
};
const struct change_kind change_kind_mft = { .name = "mft", MFT_KIND, .payload = row_payload };
