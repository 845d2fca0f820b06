/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid_read.c - GUID tables of ports.
 * Room: fabric/read.  Pure.  docs/wire.md: GUIDInfo.
 *
 * A cookie is the index of the port in the list.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/guid_read.h"
#include "util/xalloc.h"

enum { GUIDS_PER_BLOCK = 8 };

struct asked {
	uint32_t port;
	uint8_t block, blocks;          /* under way; how many there are */
	uint8_t cap;                    /* entries of all of them */
	uint8_t hops;
	uint8_t path[DGRAM_PATH_BYTES];
};

struct guid_reader {
	const struct snapshot *s;
	struct mkeys mkeys;
	struct asked *v;
	uint32_t n;
	uint32_t *ready;                /* a stack: whose next block is to be asked for */
	uint32_t nready;
	uint32_t open;
	struct guid_row *rows;
	uint32_t nrows, cap_rows;
};

void
guid_image_trim(uint8_t image[static GUID_INFO_BYTES], unsigned block, unsigned cap)
{
	for (unsigned i = 0; i < GUIDS_PER_BLOCK; i++)
		if (block * GUIDS_PER_BLOCK + i >= cap)
			wire_put64(image + 8 * i, 0);
}

struct guid_reader *
guid_reader_new(const struct snapshot *s, const uint32_t *ports, uint32_t n, struct mkeys mkeys)
{
	struct guid_reader *r = xcalloc(1, sizeof(*r));

	r->s = s;
	r->mkeys = mkeys;
	r->n = n;
	r->v = xcalloc((size_t)n + 1, sizeof(*r->v));
	r->ready = xcalloc((size_t)n + 1, sizeof(*r->ready));
	for (uint32_t i = 0; i < n; i++) {
		struct asked *a = &r->v[i];
		uint8_t cap = port_info_decode(s->ports[ports[i]].info).guid_cap;

		a->cap = cap;
		a->port = ports[i];
		a->blocks = (uint8_t)((cap + GUIDS_PER_BLOCK - 1) / GUIDS_PER_BLOCK);
		a->hops = snapshot_port_path(s, ports[i], a->path);
		if (a->blocks)
			r->ready[r->nready++] = i;
	}
	return r;
}

void
guid_reader_free(struct guid_reader *r)
{
	if (!r)
		return;
	free(r->v);
	free(r->ready);
	free(r->rows);
	free(r);
}

bool
guid_reader_next(struct guid_reader *r, struct txn_req *q)
{
	const struct asked *a;

	if (!r->nready)
		return false;
	memset(q, 0, sizeof(*q));
	q->cookie = r->ready[--r->nready];
	a = &r->v[q->cookie];
	q->target = r->s->ports[a->port].node;
	q->mgmt_class = CLASS_SM_DR;
	q->method = METHOD_GET;
	q->mkey = mkeys_of(&r->mkeys, r->s->ports[a->port].guid);
	q->attr_id = GUID_INFO_ID;
	q->modifier = a->block;
	q->hop_count = a->hops;
	q->path = a->path;
	r->open++;
	return true;
}

static bool
has_alias(const struct asked *a, const uint8_t *image)
{
	for (unsigned i = a->block ? 0 : 1; i < GUIDS_PER_BLOCK; i++)
		if (wire_get64(image + 8 * i))
			return true;
	return false;
}

void
guid_reader_end(struct guid_reader *r, const struct txn_end *e)
{
	uint32_t i = (uint32_t)e->cookie;
	uint8_t image[GUID_INFO_BYTES];
	struct asked *a;

	if (!r->open || e->cookie >= r->n)
		bug("guid_read: an end without a question");
	r->open--;
	a = &r->v[i];
	if (e->kind != TXN_END_OK)
		return;
	memcpy(image, e->reply->mad + 64, sizeof(image));
	guid_image_trim(image, a->block, a->cap);
	if (!has_alias(a, image))
		return;
	if (r->nrows == r->cap_rows) {
		r->cap_rows = r->cap_rows ? r->cap_rows * 2 : 64;
		r->rows = xreallocarray(r->rows, r->cap_rows, sizeof(*r->rows));
	}
	r->rows[r->nrows] = (struct guid_row){ .port = a->port, .block = a->block };
	memcpy(r->rows[r->nrows++].image, image, GUID_INFO_BYTES);
	if (++a->block < a->blocks)
		r->ready[r->nready++] = i;
}

bool
guid_reader_done(const struct guid_reader *r)
{
	return !r->open && !r->nready;
}

const struct guid_row *
guid_reader_rows(const struct guid_reader *r, uint32_t *n)
{
	*n = r->nrows;
	return r->rows;
}
