/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * changes.c - lists of changes, and functions that several kinds share.
 * Room: sm/diff.  Pure.  Independent of any single kind.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/xalloc.h"

void
diff_add(struct changes *c, enum change_phase phase, uint32_t subject, uint32_t block)
{
	struct change_list *l = &c->phase[phase];

	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap + l->cap / 2 : 64;
		l->v = xreallocarray(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = (struct change){ subject, block };
	c->total++;
}

void
changes_clear(struct changes *c)
{
	for (unsigned i = 0; i < CHANGE_PHASE_COUNT; i++)
		free(c->phase[i].v);
	if (c->ordered)
		arena_clear(&c->ordered->arena);
	free(c->ordered);
	memset(c, 0, sizeof(*c));
}

uint32_t
diff_block_modifier(const struct diff_view *v, const struct change *c, bool fallback)
{
	(void)v;
	(void)fallback;
	return c->block;
}

uint32_t
diff_block_reported(const struct change *c, uint8_t port)
{
	(void)port;
	return c->block;
}

bool
diff_answer_is_payload(const struct change_kind *k, const struct diff_view *v,
	const struct change *c, const uint8_t *sent, const uint8_t *data)
{
	uint8_t buf[CHANGE_BYTES];

	return memcmp(data, sent ? sent : k->payload(k, v, c, buf), CHANGE_BYTES) == 0;
}
