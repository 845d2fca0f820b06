/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table_round.c - one round of writing tables, and the answers that are held until it ends.
 * Room: sm/registry.  Pure.  In: changes of one phase, ends of transactions.  Out: Sets, answers.
 *
 * The cookie of a request is that of sm/apply, with the number of the round above it.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/registry/table_round.h"
#include "util/xalloc.h"

#define GEN_SHIFT 40
#define COOKIE_MASK ((UINT64_C(1) << GEN_SHIFT) - 1)

void
table_round_begin(struct table_round *r, struct subnet *net, struct changes *c)
{
	const struct change_list *l = &c->phase[r->phase];

	if (!c->total) {
		changes_clear(c);
		return;
	}
	r->list.n = l->n;
	r->list.v = xmemdup(l->v, l->n * sizeof(*l->v));
	r->apply = apply_new(net->served.observed, net->served.plan, c, subnet_mkeys(net),
		net->log);
}

bool
table_round_pump(struct table_round *r, struct subnet *net)
{
	struct txn_req q;

	while (r->apply && txn_pending(net->txn) < subnet_pending_max(net) &&
		apply_next(r->apply, &q)) {
		q.cookie |= (uint64_t)r->gen << GEN_SHIFT;
		subnet_submit(net, &q, r->owner);
	}
	return !r->apply || apply_done(r->apply);
}

void
table_round_take_end(struct table_round *r, const struct txn_end *e)
{
	struct txn_end own = *e;

	if (!r->apply || (uint16_t)(e->cookie >> GEN_SHIFT) != r->gen)
		return;
	own.cookie &= COOKIE_MASK;
	apply_end(r->apply, &own);
}

uint32_t
table_round_failed(const struct table_round *r)
{
	uint32_t n = 0;

	if (r->apply)
		apply_failures(r->apply, &n);
	return n;
}

void
table_round_finish(struct table_round *r)
{
	apply_free(r->apply);
	r->apply = NULL;
	free(r->list.v);
	r->list = (struct change_list){ NULL, 0, 0 };
	r->gen++;
}

void
table_round_cancel(struct table_round *r, struct subnet *net)
{
	subnet_cancel(net, r->owner);
	table_round_finish(r);
}

void *
table_round_room(void *v, uint32_t n, uint32_t *cap, size_t size)
{
	if (n == TABLE_ROUND_HELD_MAX)
		return NULL;
	if (n < *cap)
		return v;
	*cap = *cap ? *cap * 2 : 16;
	return xreallocarray(v, *cap, size);
}

static uint16_t *
held_of_source(struct table_round *r, const struct held_answer *h)
{
	return &r->held[h->addr.lid <= LID_UCAST_MAX ? h->addr.lid : 0];
}

bool
table_round_admit(struct table_round *r, const struct held_answer *h)
{
	uint16_t *n = held_of_source(r, h);

	if (*n >= TABLE_ROUND_HELD_SOURCE_MAX)
		return false;
	++*n;
	return true;
}

void
table_round_dismiss(struct table_round *r, const struct held_answer *h)
{
	--*held_of_source(r, h);
}

void
table_round_refuse(struct held_answer *h)
{
	struct dgram_sa_head head = dgram_sa_head_decode(h->mad);

	head.attr_offset = 0;
	dgram_sa_head_encode(h->mad, &head);
	memset(h->mad + SA_HEAD_BYTES, 0, SA_DATA_BYTES);
	dgram_set_status(h->mad, STATUS_SA_NO_RESOURCES);
}

void
table_round_answer(struct subnet *net, const struct held_answer *h)
{
	struct dgram to = { .addr = h->addr };

	outbox_put(&net->outbox, &to, h->mad, NULL, DGRAM_BYTES);
}
