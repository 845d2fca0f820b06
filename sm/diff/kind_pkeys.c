/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_pkeys.c - blocks of P_Key tables that differ.
 * Room: sm/diff.  Pure.  The subject of a change is the port, its block the block of 32 P_Keys.
 *
 * This is the first phase: a port that became ACTIVE with an old table would drop or accept packets
 * of the wrong partitions.  docs/partitions.md, docs/wire.md: P_KeyTable.
 */
#include <config.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/xalloc.h"

static uint8_t *
known_block(const struct snapshot *s, const struct change *c)
{
	return s->pkey_blocks[s->ports[c->subject].pkeys + c->block];
}

static void
find_port_blocks(const struct diff_view *v, uint32_t port, struct changes *out)
{
	uint32_t blocks = pkey_plan_blocks(&v->plan->pkeys, port);

	for (uint32_t b = 0; b < blocks; b++)
		if (memcmp(pkey_plan_block(&v->plan->pkeys, port, b),
			    known_block(v->s, &(struct change){ port, b }), PKEY_TABLE_BYTES))
			diff_add(out, CHANGE_PKEYS, port, b);
}

static void
find_blocks(const struct diff_view *v, struct changes *out)
{
	for (uint32_t p = 0; p < v->plan->pkeys.nports; p++)
		if (pkey_plan_blocks(&v->plan->pkeys, p) &&
			!pkey_plan_holds(&v->plan->pkeys, v->s, p) &&
			diff_port_planned(v->s, &v->s->ports[p]))
			find_port_blocks(v, p, out);
}

/*
 * The modifier names port and block for a switch, but only the block for an adapter, where the
 * route determines the port.
 */
static uint32_t
block_modifier(const struct diff_view *v, const struct change *c, bool fallback)
{
	const struct fab_port *p = &v->s->ports[c->subject];

	(void)fallback;
	return c->block | (fab_is_switch(&v->s->nodes[p->node]) ? (uint32_t)p->num << 16 : 0);
}

static const uint8_t *
block_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	(void)k;
	(void)buf;
	if (c->block >= pkey_plan_blocks(&v->plan->pkeys, c->subject))
		bug("diff: a P_Key change for a port that has none");
	return pkey_plan_block(&v->plan->pkeys, c->subject, c->block);
}

static void
observe_block(struct observed *o, const struct change *c, const struct change_answer *answer)
{
	memcpy(known_block(o->s, c), answer->data, PKEY_TABLE_BYTES);
}

const struct change_kind change_kind_pkeys = {
	.name = "pkeys", .subject = CHANGE_OF_PORT, .attribute = PKEY_TABLE_ID,
	.find = find_blocks, .modifier = block_modifier, .payload = block_payload,
	.took_effect = diff_answer_is_payload, .observe = observe_block,
};
