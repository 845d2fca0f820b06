/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lft_read.c - linear forwarding tables of switches.
 * Room: fabric/read.  Pure.  docs/wire.md: LinearForwardingTable.
 *
 * A subject is a switch with a table to read, by its number among those.  The cookie of a request
 * holds the subject and the block.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/lft_read.h"
#include "fabric/read/reader.h"
#include "util/xalloc.h"

#define BLOCK_SHIFT 32

struct table_read {
	struct reader_path path;
	uint32_t node;
	uint64_t mkey;                  /* made once: tables take turns */
	uint8_t *bytes;                 /* blocks * 64 */
	uint32_t next, blocks;          /* to be asked for next; of the table */
	uint32_t open;                  /* requests */
	bool queued;
	uint32_t failed;                /* requests without a good answer */
	struct txn_end first;           /* of those; without the reply */
	const uint8_t *expected;        /* what 'bytes' should be; NULL: nothing is expected */
};

struct lft_reader {
	struct reader base;
	struct table_read *v;           /* by subject */
	struct fwd_rows *rows;          /* all tables */
	bool expects, contradicted;     /* lft_reader_expect() was called; a table is another one */
};

static uint32_t
blocks_of(const struct fab_node *n)
{
	struct switch_info si = switch_info_decode(n->switch_info);

	if (!(n->flags & FAB_NODE_SWITCH_INFO) || n->lft || n->hop_count == FAB_NO_PATH)
		return 0;
	if (!si.lft_top || si.lft_top > LID_UCAST_MAX || si.lft_top >= si.lft_cap)
		return 0;
	return si.lft_top / LFT_BLOCK_BYTES + 1u;
}

static void
queue_table(struct lft_reader *r, uint32_t subject)
{
	struct table_read *t = &r->v[subject];

	if (t->queued || t->open >= LFT_READ_SIDE || t->next >= t->blocks)
		return;
	t->queued = true;
	reader_push(&r->base, subject);
}

struct lft_reader *
lft_reader_new(const struct snapshot *s, struct mkeys mkeys)
{
	const struct mkeys none = mkeys_one(0);
	struct lft_reader *r;
	size_t blocks = 0, at = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nswitches; i++) {
		uint32_t some = blocks_of(&s->nodes[s->switches[i]]);

		blocks += some;
		n += some != 0;
	}
	if (!n)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	reader_init(&r->base, "lft_read", s, &none, n);
	r->v = xcalloc(n, sizeof(*r->v));
	r->rows = fwd_rows_new(blocks * LFT_BLOCK_BYTES);
	n = 0;
	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *node = &s->nodes[s->switches[i]];
		uint32_t some = blocks_of(node);
		struct table_read *t = &r->v[n];

		if (!some)
			continue;
		t->blocks = some;
		t->node = s->switches[i];
		t->bytes = fwd_rows_bytes(r->rows) + at * LFT_BLOCK_BYTES;
		t->mkey = mkeys_of(&mkeys, s->ports[node->first_port].guid);
		t->path.hops = node->hop_count;
		memcpy(t->path.path, node->path, sizeof(t->path.path));
		at += t->blocks;
		n++;
	}
	while (n-- > 0)
		queue_table(r, n);
	return r;
}

void
lft_reader_free(struct lft_reader *r)
{
	if (!r)
		return;
	reader_clear(&r->base);
	free(r->v);
	fwd_rows_drop(r->rows);
	free(r);
}

bool
lft_reader_next(struct lft_reader *r, struct txn_req *q)
{
	struct table_read *t;
	uint32_t subject;

	if (!reader_take(&r->base, &subject))
		return false;
	t = &r->v[subject];
	t->queued = false;
	t->open++;
	reader_request_keyed(&r->base, q, t->node, LFT_BLOCK_ID, &t->path, t->mkey);
	q->modifier = t->next++;
	q->cookie = subject | (uint64_t)q->modifier << BLOCK_SHIFT;
	queue_table(r, subject);
	return true;
}

/*
 * Compares a table that is complete with what was expected: now, because its end still is in a
 * cache of the processor, and the caller has to wait for other tables anyway.
 */
static void
compare_table(struct lft_reader *r, const struct table_read *t)
{
	if (t->failed)
		r->contradicted = true;
	else if (!t->open && t->next == t->blocks &&
		memcmp(t->bytes, t->expected, (size_t)t->blocks * LFT_BLOCK_BYTES))
		r->contradicted = true;
}

void
lft_reader_end(struct lft_reader *r, const struct txn_end *e)
{
	struct txn_end by_subject = { .cookie = (uint32_t)e->cookie };
	uint32_t subject = reader_subject(&r->base, &by_subject);
	uint32_t block = (uint32_t)(e->cookie >> BLOCK_SHIFT);
	const uint8_t *image = reader_answer(&r->base, e);
	struct table_read *t = &r->v[subject];

	if (!t->open || block >= t->next)
		bug("lft_read: an end without a request");
	t->open--;
	if (image) {
		memcpy(t->bytes + (size_t)block * LFT_BLOCK_BYTES, image, LFT_BLOCK_BYTES);
	} else if (!t->failed++) {
		t->first = *e;
		t->first.reply = NULL;
	}
	queue_table(r, subject);
	if (t->expected)
		compare_table(r, t);
}

bool
lft_reader_done(const struct lft_reader *r)
{
	return reader_done(&r->base);
}

/* ---- what was read ---- */

static const char *
failure_text(const struct txn_end *e)
{
	if (e->kind == TXN_END_STATUS)
		return dgram_status_text(e->status, false);
	if (e->kind == TXN_END_TIMED_OUT && e->mismatched)
		return "only wrong answers";
	return e->kind == TXN_END_SEND_FAILED ? "could not be sent" : "no answer";
}

static void
add_problem(struct snapshot *s, const struct table_read *t)
{
	const struct fab_node *n = &s->nodes[t->node];
	const struct txn_end *e = &t->first;
	struct fab_problem p = {
		.kind = FAB_UNANSWERED,
		.hop_count = t->path.hops,
		.guid = n->guid,
		.attr_id = LFT_BLOCK_ID,
		.modifier = e->modifier,
		.count = t->failed,
	};

	if (e->kind == TXN_END_STATUS) {
		p.kind = FAB_BAD_STATUS;
		p.status = e->status;
	} else if (e->kind == TXN_END_TIMED_OUT && e->mismatched) {
		p.kind = FAB_BAD_REPLY;
	}
	memcpy(p.path, t->path.path, sizeof(p.path));
	snprintf(p.reason, sizeof(p.reason), "%s: %s", dgram_attr_name(CLASS_SM_DR, LFT_BLOCK_ID),
		failure_text(e));
	snapshot_add_problem(s, &p);
}

/* The tables of 's', which holds their memory.  One that holds that of others gets a copy. */
static uint8_t *
give_table(const struct lft_reader *r, const struct table_read *t, struct snapshot *s)
{
	size_t bytes = (size_t)t->blocks * LFT_BLOCK_BYTES;

	if (!s->lft_rows)
		s->lft_rows = fwd_rows_hold(r->rows);
	if (s->lft_rows == r->rows)
		return t->bytes;
	return memcpy(arena_array(&s->arena, t->blocks, LFT_BLOCK_BYTES), t->bytes, bytes);
}

void
lft_reader_take(struct lft_reader *r, struct snapshot *s)
{
	for (uint32_t i = 0; i < r->base.nsubjects; i++) {
		const struct table_read *t = &r->v[i];
		struct fab_node *n = &s->nodes[t->node];

		if (t->failed) {
			n->flags |= FAB_NODE_FAILED;
			add_problem(s, t);
			continue;
		}
		n->lft = give_table(r, t, s);
		n->lft_blocks = t->blocks;
		n->flags |= FAB_NODE_LFT;
	}
}

void
lft_reader_expect(struct lft_reader *r)
{
	r->expects = true;
	for (uint32_t i = 0; i < r->base.nsubjects; i++) {
		struct table_read *t = &r->v[i];
		const struct fab_node *n = &r->base.s->nodes[t->node];

		if (n->lft && n->lft_blocks == t->blocks) {
			t->expected = n->lft;
			compare_table(r, t);
		} else {
			r->contradicted = true;
		}
	}
}

bool
lft_reader_contradicts(const struct lft_reader *r)
{
	return r->contradicted;
}

bool
lft_reader_confirms(const struct lft_reader *r)
{
	return r->expects && !r->contradicted && lft_reader_done(r);
}
