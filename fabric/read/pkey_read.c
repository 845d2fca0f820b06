/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey_read.c - the rest of the P_Key tables.
 * Room: fabric/read.  Pure.  docs/wire.md: P_KeyTable.
 *
 * A subject is a block of a table: the index of the ask times PKEY_BLOCKS_MAX, plus the block.  All
 * are ready from the beginning.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/pkey_read.h"
#include "fabric/read/reader.h"
#include "util/grow.h"
#include "util/xalloc.h"

struct asked {
	struct pkey_ask ask;
	uint32_t got;                   /* bit n: block n is known */
	uint32_t place;                 /* of block 0 in pkey_blocks[] */
	struct reader_path by;
};

struct failed {
	uint32_t asked, block;
	uint16_t status;
	uint8_t kind;                   /* enum fab_problem_kind */
};

struct pkey_reader {
	struct reader base;
	struct snapshot *s;             /* its pkey_blocks are made anew */
	struct asked *v;
	uint32_t n;
	struct failed *failed;
	uint32_t nfailed, failed_cap;
	bool settled;
};

/* Room for all tables, what is known of them in it. */
static void
make_room(struct pkey_reader *r)
{
	struct snapshot *s = r->s;
	uint8_t (*blocks)[PKEY_TABLE_BYTES];
	uint32_t total = s->npkey_blocks;

	for (uint32_t i = 0; i < r->n; i++) {
		r->v[i].place = total;
		total += r->v[i].ask.last + 1u;
	}
	blocks = arena_array(&s->arena, total, sizeof(*blocks));
	if (s->npkey_blocks)
		memcpy(blocks, s->pkey_blocks, (size_t)s->npkey_blocks * sizeof(*blocks));
	s->pkey_blocks = blocks;
	s->npkey_blocks = total;
	for (uint32_t i = 0; i < r->n; i++) {
		struct asked *a = &r->v[i];
		struct fab_port *p = &s->ports[a->ask.port];

		if (!a->ask.first)
			continue;
		memcpy(blocks[a->place], blocks[p->pkeys], sizeof(*blocks));
		p->pkeys = a->place;
		a->got = 1;
	}
}

struct pkey_reader *
pkey_reader_new(struct snapshot *s, const struct pkey_ask *asks, uint32_t n, struct mkeys mkeys)
{
	struct pkey_reader *r = xcalloc(1, sizeof(*r));

	reader_init(&r->base, "pkey_read", s, &mkeys, n * PKEY_BLOCKS_MAX);
	r->s = s;
	r->n = n;
	r->v = xcalloc((size_t)n + 1, sizeof(*r->v));
	for (uint32_t i = 0; i < n; i++) {
		if (asks[i].last >= PKEY_BLOCKS_MAX || asks[i].first > asks[i].last ||
		    asks[i].first > 1)
			bug("pkey_read: blocks %u to %u", asks[i].first, asks[i].last);
		r->v[i].ask = asks[i];
		r->v[i].by.hops = snapshot_port_path(s, asks[i].port, r->v[i].by.path);
	}
	make_room(r);
	for (uint32_t i = n; i-- > 0;)
		for (unsigned block = asks[i].last + 1u; block-- > asks[i].first;)
			reader_push(&r->base, i * PKEY_BLOCKS_MAX + block);
	return r;
}

void
pkey_reader_free(struct pkey_reader *r)
{
	if (!r)
		return;
	reader_clear(&r->base);
	free(r->failed);
	free(r->v);
	free(r);
}

bool
pkey_reader_next(struct pkey_reader *r, struct txn_req *q)
{
	const struct fab_port *p;
	const struct asked *a;
	uint32_t block;

	if (!reader_take(&r->base, &block))
		return false;
	a = &r->v[block / PKEY_BLOCKS_MAX];
	p = &r->s->ports[a->ask.port];
	reader_request(&r->base, q, a->ask.port, PKEY_TABLE_ID, a->by.path, a->by.hops);
	q->cookie = block;
	q->modifier = block % PKEY_BLOCKS_MAX;
	if (fab_is_switch(&r->s->nodes[p->node]))
		q->modifier |= (uint32_t)p->num << 16;
	return true;
}

static void
note_failure(struct pkey_reader *r, uint32_t asked, uint32_t block, const struct txn_end *e)
{
	GROW(r->failed, r->nfailed, r->failed_cap, 16);
	r->failed[r->nfailed++] = (struct failed){
		.asked = asked, .block = block, .status = e->kind == TXN_END_STATUS ? e->status : 0,
		.kind = e->kind == TXN_END_STATUS ? FAB_BAD_STATUS : FAB_UNANSWERED,
	};
}

void
pkey_reader_end(struct pkey_reader *r, const struct txn_end *e)
{
	uint32_t subject = reader_subject(&r->base, e), block = subject % PKEY_BLOCKS_MAX;
	const uint8_t *image = reader_answer(&r->base, e);
	uint32_t i = subject / PKEY_BLOCKS_MAX;

	if (image) {
		memcpy(r->s->pkey_blocks[r->v[i].place + block], image, PKEY_TABLE_BYTES);
		r->v[i].got |= UINT32_C(1) << block;
	} else {
		note_failure(r, i, block, e);
	}
}

static int
failed_cmp(const void *a, const void *b)
{
	const struct failed *x = a, *y = b;

	if (x->asked != y->asked)
		return x->asked < y->asked ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

/* One problem for each table, behind those of discovery. */
static void
tell_problems(struct pkey_reader *r)
{
	struct snapshot *s = r->s;
	struct fab_problem *all = arena_array(&s->arena, (size_t)s->nproblems + r->nfailed,
		sizeof(*all)), *t = NULL;

	if (s->nproblems)
		memcpy(all, s->problems, s->nproblems * sizeof(*all));
	s->problems = all;
	qsort(r->failed, r->nfailed, sizeof(*r->failed), failed_cmp);
	for (uint32_t i = 0; i < r->nfailed; i++) {
		const struct failed *f = &r->failed[i];
		const struct asked *a = &r->v[f->asked];

		if (i && r->failed[i - 1].asked == f->asked) {
			t->count++;
			continue;
		}
		t = &all[s->nproblems++];
		t->kind = f->kind;
		t->status = f->status;
		t->guid = s->nodes[s->ports[a->ask.port].node].guid;
		t->port = s->ports[a->ask.port].num;
		t->attr_id = PKEY_TABLE_ID;
		t->modifier = f->block;
		t->count = 1;
		t->hop_count = a->by.hops;
		memcpy(t->path, a->by.path, sizeof(t->path));
		snprintf(t->reason, sizeof(t->reason), "block %u of the P_Key table was not read",
			f->block);
	}
}

static void
settle_tables(struct pkey_reader *r)
{
	r->settled = true;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct asked *a = &r->v[i];
		struct fab_port *p = &r->s->ports[a->ask.port];
		unsigned known = 0;

		while (known <= a->ask.last && a->got >> known & 1)
			known++;
		if (!known)
			continue;
		p->pkeys = a->place;
		p->more_pkeys = (uint16_t)(known - 1);
		p->flags |= FAB_PORT_PKEYS;
	}
	if (r->nfailed)
		tell_problems(r);
}

bool
pkey_reader_done(struct pkey_reader *r)
{
	if (!reader_done(&r->base))
		return false;
	if (!r->settled)
		settle_tables(r);
	return true;
}
