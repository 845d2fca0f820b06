/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rounds.c - tables that are written beside the sweeps, in rounds.
 * Room: sm/daemon.  In: changes of one phase, ends of transactions.  Out: Sets, answers.
 *
 * A cookie is apply's with the number of the round above it.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

#define GEN_SHIFT 40
#define COOKIE_MASK ((UINT64_C(1) << GEN_SHIFT) - 1)

void
round_begin(struct manager *m, struct round *r, struct changes *c)
{
	const struct change_list *l = &c->phase[r->phase];

	if (!c->total) {
		changes_clear(c);
		return;
	}
	r->list.n = l->n;
	r->list.v = xmemdup(l->v, l->n * sizeof(*l->v));
	r->apply = apply_new(m->net.served.s, m->net.served.plan, c, subnet_mkeys(&m->net), m->net.log);
}

bool
round_pump(struct manager *m, struct round *r)
{
	struct txn_req q;

	while (r->apply && txn_pending(m->net.txn) < subnet_pending_max(&m->net) && apply_next(r->apply, &q)) {
		q.cookie |= (uint64_t)r->gen << GEN_SHIFT;
		subnet_submit(&m->net, &q, (enum owner)r->owner);
	}
	return !r->apply || apply_done(r->apply);
}

void
round_take_end(struct round *r, const struct txn_end *e)
{
	struct txn_end own = *e;

	if (!r->apply || (uint16_t)(e->cookie >> GEN_SHIFT) != r->gen)
		return;
	own.cookie &= COOKIE_MASK;
	apply_end(r->apply, &own);
}

uint32_t
round_failed(const struct round *r)
{
	uint32_t n = 0;

	if (r->apply)
		apply_failures(r->apply, &n);
	return n;
}

void
round_end(struct round *r)
{
	apply_free(r->apply);
	r->apply = NULL;
	free(r->list.v);
	r->list = (struct change_list){ NULL, 0, 0 };
	r->gen++;
}

void
round_cancel(struct manager *m, struct round *r)
{
	subnet_cancel(&m->net, (enum owner)r->owner);
	round_end(r);
}

void *
round_room(void *v, uint32_t n, uint32_t *cap, size_t size)
{
	if (n == ROUND_WAITING_MAX)
		return NULL;
	if (n < *cap)
		return v;
	*cap = *cap ? *cap * 2 : 16;
	return xreallocarray(v, *cap, size);
}

static uint16_t *
waiting_of(struct round *r, const struct waiting *w)
{
	return &r->waiting[w->addr.lid <= LID_UCAST_MAX ? w->addr.lid : 0];
}

bool
round_admit(struct round *r, const struct waiting *w)
{
	uint16_t *n = waiting_of(r, w);

	if (*n >= ROUND_WAITING_SOURCE_MAX)
		return false;
	++*n;
	return true;
}

void
round_dismiss(struct round *r, const struct waiting *w)
{
	--*waiting_of(r, w);
}

void
round_refuse(struct waiting *w)
{
	struct dgram_sa_head head = dgram_sa_head_decode(w->mad);

	head.attr_offset = 0;
	dgram_sa_head_encode(w->mad, &head);
	memset(w->mad + SA_HEAD_BYTES, 0, SA_DATA_BYTES);
	dgram_set_status(w->mad, STATUS_SA_NO_RESOURCES);
}

void
round_answer(struct manager *m, const struct waiting *w)
{
	struct dgram to = { .addr = w->addr };

	outbox_put(&m->net.outbox, &to, w->mad, NULL, DGRAM_BYTES);
}
