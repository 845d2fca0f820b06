/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts.c - chooses the table blocks to be read, and reads them: many switches at once, few requests
 * to each.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/progress.h"
#include "diags/core/status.h"
#include "diags/tools/fts.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define LFT_LIDS 64
#define MFT_LIDS 32
#define MFT_PORTS 16
#define MFT_POSITION_SHIFT 28
#define OPEN_QUESTIONS 512
/* Switches that are read at the same time: enough to fill the window of requests with few requests
 * to each. */
#define GROUP 32
/* After this number of consecutive time-outs no more blocks of the switch are requested. */
#define LOST_MAX 4

int
fts_option(struct fts_want *w, int id)
{
	switch (id) {
	case 'a': w->all = true; return 0;
	case 'n': w->brief = true; return 0;
	case 'M': w->multicast = true; return 0;
	}
	return -ENOENT;
}

int
fts_range(struct diag *d, struct fts_want *w, int argc, char **argv)
{
	uint64_t v;

	for (int i = 0; i < argc && i < 2; i++) {
		if (!diag_number(argv[i], UINT16_MAX, &v))
			return diag_usage(d, "\"%s\" is not a LID", argv[i]);
		*(i ? &w->last : &w->first) = (uint32_t)v;
	}
	return argc > 2 ? diag_usage(d, "\"%s\" is more than a range of LIDs needs", argv[2]) : 0;
}

static void
plan_unicast(const struct fts_want *w, struct fts *t)
{
	t->first = w->first;
	t->last = w->last && w->last < t->info.lft_top ? w->last : t->info.lft_top;
	if (t->last > LID_UCAST_MAX)
		t->last = LID_UCAST_MAX;
	t->positions = 1;
	t->block = t->first / LFT_LIDS;
	t->nblocks = t->last >= t->first ? t->last / LFT_LIDS - t->block + 1 : 0;
}

static void
plan_multicast(struct diag *d, const struct fts_want *w, struct fts *t)
{
	uint32_t cap = MLID_FIRST + t->info.mft_cap - 1, top = t->info.mft_top;

	t->first = w->first ? w->first : MLID_FIRST;
	t->last = w->last && w->last < cap ? w->last : cap;
	if (!w->all && top && top < t->last && top >= MLID_FIRST - 1)
		t->last = top;
	if (t->first < MLID_FIRST) {
		diag_warn(d, EXIT_OK, "usage", NULL, "0x%x is no multicast LID: from 0x%x on",
			t->first, MLID_FIRST);
		t->first = MLID_FIRST;
	}
	if (t->last > MLID_LAST)
		t->last = MLID_LAST;
	t->positions = (uint8_t)(t->nports / MFT_PORTS + 1);
	t->block = (t->first - MLID_FIRST) / MFT_LIDS;
	t->nblocks = t->last >= t->first ? (t->last - MLID_FIRST) / MFT_LIDS - t->block + 1 :
		0;
}

void
fts_plan(struct diag *d, const struct fts_want *w, struct fts *t)
{
	t->multicast = w->multicast;
	if (w->multicast)
		plan_multicast(d, w, t);
	else
		plan_unicast(w, t);
}

/* ---- reading ---- */

/* Reads groups of switches: block 0 of each switch of the group, then block 1 of each, and so on.
 * In this way many switches work at the same time, and the first tables are complete early. */
struct reading {
	struct fts *t;
	size_t n;
	/* first switch of the current group, and the next switch to be requested from */
	size_t from, sw;
	/* current block, counted from the first one of each table, and the largest number of blocks
	 * of a table in the group */
	uint32_t turn, turns;
	size_t handed;                  /* tables passed to 'ready' so far */
	uint64_t open, answered, total;
	/* 'filling': block_fill() is running; 'over': the device failed, and no more requests are
	 * sent */
	bool filling, over;
	fts_ready *ready;
	void *arg;
};

struct question {
	struct reading *r;
	struct fts *t;
	uint32_t index;
};

static void
hand_over(struct diag *d, struct reading *r)
{
	for (; r->handed < r->n && !r->t[r->handed].left; r->handed++)
		if (r->ready)
			r->ready(d, r->arg, &r->t[r->handed]);
}

static void
table_lose(struct diag *d, struct fts *t)
{
	t->left--;
	t->unanswered++;
	diag_incomplete(d);
}

static void block_fill(struct diag *d, struct reading *r);

static void
answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *reply)
{
	struct question *a = arg;
	struct reading *r = a->r;
	struct fts *t = a->t;

	(void)q;
	if (reply->end == DIAG_OK) {
		memcpy(t->data + (size_t)a->index * 64, reply->data, 64);
		t->known[a->index] = true;
		t->left--;
		t->lost = 0;
	} else {
		table_lose(d, t);
		t->lost += reply->end == DIAG_TIMEOUT;
		r->over |= reply->end == DIAG_FAILED;
	}
	free(a);
	r->open--;
	r->answered++;
	diag_progress(d, "%llu of %llu blocks read", (unsigned long long)r->answered,
		(unsigned long long)r->total);
	block_fill(d, r);
	if (reply->end != DIAG_FAILED)
		hand_over(d, r);
}

static void
blocks_ask(struct diag *d, struct reading *r, struct fts *t, uint32_t index)
{
	struct question *a = xcalloc(1, sizeof(*a));
	uint32_t block = t->block + index / t->positions, position = index % t->positions;

	*a = (struct question){ .r = r, .t = t, .index = index };
	r->open++;
	diag_submit(d, &(struct diag_request){
		.to = &t->addr, .attr_id = t->multicast ? MFT_BLOCK_ID : LFT_BLOCK_ID,
		.modifier = t->multicast ? block | position << MFT_POSITION_SHIFT : block,
	}, answered, a);
}

/* Allocates the tables of the group that begins at 'r->from'. */
static void
begin_group(struct reading *r)
{
	r->turn = r->turns = 0;
	r->sw = r->from;
	for (size_t i = r->from; i < r->n && i < r->from + GROUP; i++) {
		struct fts *t = &r->t[i];

		t->data = xcalloc((size_t)t->left + 1, 64);
		t->known = xcalloc((size_t)t->left + 1, sizeof(*t->known));
		r->turns = t->left > r->turns ? t->left : r->turns;
	}
}

/* Returns the next table with a block to be requested, which is block 'r->turn'; NULL if all blocks
 * were requested. */
static struct fts *
next_block(struct reading *r)
{
	while (r->from < r->n) {
		size_t end = r->n < r->from + GROUP ? r->n : r->from + GROUP;

		for (; r->turn < r->turns; r->turn++, r->sw = r->from)
			while (r->sw < end) {
				struct fts *t = &r->t[r->sw++];

				if (r->turn < t->nblocks * t->positions)
					return t;
			}
		r->from = end;
		begin_group(r);
	}
	return NULL;
}

static void
block_fill(struct diag *d, struct reading *r)
{
	struct fts *t;

	if (r->filling)
		return;
	r->filling = true;
	while (r->open < OPEN_QUESTIONS && (t = next_block(r)))
		if (r->over || t->lost >= LOST_MAX)
			table_lose(d, t);
		else
			blocks_ask(d, r, t, r->turn);
	r->filling = false;
}

int
fts_read(struct diag *d, struct fts *t, size_t n, fts_ready *ready, void *arg)
{
	struct reading r = { .t = t, .n = n, .ready = ready, .arg = arg };
	int e = diag_open(d);

	if (e)
		return e;
	for (size_t i = 0; i < n; i++) {
		t[i].left = t[i].nblocks * t[i].positions;
		r.total += t[i].left;
	}
	begin_group(&r);
	block_fill(d, &r);
	e = diag_run(d);
	if (!e)
		hand_over(d, &r);
	return e ? EXIT_PARTIAL : 0;
}

/* ---- entries ---- */

int
fts_port(const struct fts *t, uint32_t lid)
{
	uint32_t i = lid / LFT_LIDS - t->block;

	if (t->multicast || lid / LFT_LIDS < t->block || i >= t->nblocks || !t->known ||
	    !t->known[i])
		return -1;
	return t->data[(size_t)i * 64 + lid % LFT_LIDS];
}

bool
fts_mcast_port(const struct fts *t, uint32_t mlid, unsigned port)
{
	uint32_t i = (mlid - MLID_FIRST) / MFT_LIDS - t->block;
	size_t at;

	if (!t->multicast || mlid < MLID_FIRST || i >= t->nblocks ||
	    port / MFT_PORTS >= t->positions)
		return false;
	at = (size_t)i * t->positions + port / MFT_PORTS;
	if (!t->known || !t->known[at])
		return false;
	return ATTR_GET_ITEM(mft_block, mask, t->data + at * MFT_BLOCK_BYTES,
		(mlid - MLID_FIRST) % MFT_LIDS) >> port % MFT_PORTS & 1;
}

void
fts_clear(struct fts *t)
{
	free(t->data);
	free(t->known);
	*t = (struct fts){ 0 };
}
