/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * capture.c - recorded answers by key, sorted at the first search.
 * Room: fabric/snapshot.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/capture_impl.h"
#include "libmad/attr/sm_attr.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define BLOCK_BYTES 64
#define BLOCKS_MAX 768u            /* of 64 LIDs: all unicast ones */

struct capture *
capture_new(void)
{
	return xcalloc(1, sizeof(struct capture));
}

void
capture_free(struct capture *c)
{
	if (!c)
		return;
	arena_clear(&c->arena);
	free(c->v);
	free(c);
}

void
capture_add(struct capture *c, const struct capture_key *k, uint16_t status, const uint8_t *data,
	size_t bytes)
{
	struct capture_answer *a;
	uint8_t *copy;

	if (bytes > CAPTURE_DATA_BYTES)
		bytes = CAPTURE_DATA_BYTES;
	while (bytes && !data[bytes - 1])
		bytes--;
	GROW(c->v, c->n, c->room, 256);
	a = &c->v[c->n++];
	*a = (struct capture_answer){ .key = *k, .status = status, .bytes = (uint16_t)bytes };
	if (bytes) {
		copy = arena_alloc(&c->arena, bytes);
		memcpy(copy, data, bytes);
		a->data = copy;
	}
	c->sorted = false;
}

static int
value_cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
key_cmp(const struct capture_key *a, const struct capture_key *b)
{
	int r = value_cmp((uint64_t)a->node << 8 | a->port, (uint64_t)b->node << 8 | b->port);

	if (!r)
		r = value_cmp((uint64_t)a->mgmt_class << 16 | a->attr_id,
			(uint64_t)b->mgmt_class << 16 | b->attr_id);
	return r ? r : value_cmp(capture_place(a), capture_place(b));
}

static int
answer_cmp(const void *a, const void *b)
{
	const struct capture_answer *x = a, *y = b;

	return key_cmp(&x->key, &y->key);
}

/* Merges the later half behind the earlier: a stable sort, so that of equal keys the first one
 * stays. */
static void
answers_merge(struct capture_answer *v, struct capture_answer *tmp, size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	answers_merge(v, tmp, half);
	answers_merge(v + half, tmp, n - half);
	memcpy(tmp, v, n * sizeof(*v));
	while (i < half || j < n)
		v[k++] = j == n || (i < half && answer_cmp(&tmp[i], &tmp[j]) <= 0) ? tmp[i++] :
			tmp[j++];
}

void
capture_sort(struct capture *c)
{
	struct capture_answer *tmp;
	size_t kept = 0;

	if (c->sorted || !c->n)
		return;
	tmp = xcalloc(c->n, sizeof(*tmp));
	answers_merge(c->v, tmp, c->n);
	free(tmp);
	for (size_t i = 0; i < c->n; i++)
		if (!kept || key_cmp(&c->v[kept - 1].key, &c->v[i].key))
			c->v[kept++] = c->v[i];
	c->n = kept;
	c->sorted = true;
}

const struct capture_answer *
capture_find(struct capture *c, const struct capture_key *k)
{
	const struct capture_answer want = { .key = *k };

	capture_sort(c);
	return c->n ? bsearch(&want, c->v, c->n, sizeof(*c->v), answer_cmp) : NULL;
}

size_t
capture_count(struct capture *c)
{
	capture_sort(c);
	return c->n;
}

/* ---- what a snapshot has room for ---- */

/* Answers 0, 1, ... of an attribute in a row, each 'high' or'ed with its number, copied to 'to'
 * (NULL: only counted). */
static uint32_t
blocks_find(struct capture *c, uint32_t node, uint8_t port, uint16_t attr_id, uint32_t high,
	uint8_t *to)
{
	struct capture_key k = { .node = node, .port = port, .mgmt_class = CLASS_SM_LID,
		.attr_id = attr_id, .modifier = high };
	const struct capture_answer *a;
	uint32_t n = 0;

	for (; n < BLOCKS_MAX && (a = capture_find(c, &k)) && !a->status; n++, k.modifier++)
		if (to && a->bytes)
			memcpy(to + (size_t)n * BLOCK_BYTES, a->data, a->bytes < BLOCK_BYTES ?
				a->bytes : BLOCK_BYTES);
	return n;
}

static void
fill_lft(struct capture *c, struct snapshot *s, uint32_t node)
{
	struct fab_node *n = &s->nodes[node];
	uint32_t count = fab_is_switch(n) ? blocks_find(c, node, 0, LFT_BLOCK_ID, 0, NULL) : 0;
	uint8_t *lft;

	if (!count)
		return;
	lft = arena_array(&s->arena, count, BLOCK_BYTES);
	blocks_find(c, node, 0, LFT_BLOCK_ID, 0, lft);
	n->lft = lft;
	n->lft_blocks = count;
	n->flags |= FAB_NODE_LFT;
}

static uint32_t
pkeys_fill(struct capture *c, const struct snapshot *s, const struct fab_port *p, uint8_t *to)
{
	bool sw = fab_is_switch(&s->nodes[p->node]);

	return blocks_find(c, p->node, sw ? 0 : p->num, PKEY_TABLE_ID, sw ? (uint32_t)p->num << 16 :
		0, to);
}

static void
fill_pkeys(struct capture *c, struct snapshot *s)
{
	uint32_t total = 0, n;

	for (uint32_t i = 0; i < s->nports; i++)
		total += pkeys_fill(c, s, &s->ports[i], NULL);
	if (!total)
		return;
	s->pkey_blocks = arena_array(&s->arena, total + 1u, sizeof(*s->pkey_blocks));
	s->npkey_blocks = 0;
	for (uint32_t i = 0; i < s->nports; i++) {
		n = pkeys_fill(c, s, &s->ports[i], s->pkey_blocks[s->npkey_blocks]);
		if (!n)
			continue;
		s->ports[i].pkeys = s->npkey_blocks;
		s->ports[i].more_pkeys = (uint16_t)(n - 1);
		s->ports[i].flags |= FAB_PORT_PKEYS;
		s->npkey_blocks += n;
	}
}

void
capture_fill(struct capture *c, struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nnodes; i++)
		fill_lft(c, s, i);
	fill_pkeys(c, s);
}
