/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rows.c - the rows of an answer: space for them, how many are needed, and whose paths are visible.
 * Room: sm/sa.  Pure.
 *
 * An answer begins in the datagram that will be sent, and moves to its own memory when it grows
 * longer.  All functions that make records (path.c, table_records.c, mcmember.c and others) append
 * them here; answer.c, which calls those, writes the header.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sa/sa_int.h"
#include "util/xalloc.h"

static void
answer_grow(struct sa_ctx *c)
{
	uint32_t room = c->room * 2 + c->stride;

	c->buf = xrealloc(c->buf == c->out->mad ? NULL : c->buf, room);
	if (c->room == DGRAM_BYTES)
		memcpy(c->buf, c->out->mad, c->bytes);
	c->room = room;
}

uint8_t *
sa_add_row(struct sa_ctx *c)
{
	if (c->bytes + c->stride > SA_ANSWER_BYTES_MAX) {
		c->too_much = true;
		return NULL;
	}
	if (c->bytes + c->stride > c->room)
		answer_grow(c);
	if (c->buf != c->out->mad)
		memset(c->buf + c->bytes, 0, c->stride);
	c->bytes += c->stride;
	c->nrows++;
	return c->buf + c->bytes - c->stride;
}

bool
sa_wants_row(const struct sa_ctx *c)
{
	return c->table || c->nrows < 2;
}

bool
sa_put_row(struct sa_ctx *c, const uint8_t *record, uint32_t bytes)
{
	uint8_t *w = sa_add_row(c);

	if (!w)
		return false;
	memcpy(w, record, bytes);
	return sa_wants_row(c);
}

bool
sa_own_paths(const struct sa_ctx *c, uint32_t src, uint32_t dst)
{
	if (!c->x->v.enhanced_trust || c->trusted)
		return true;
	return (src == c->requester || dst == c->requester) &&
		(!c->table || (src != FAB_NONE && dst != FAB_NONE));
}
