/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid_read.c - GUID tables of ports.
 * Room: fabric/read.  Pure.  docs/wire.md: GUIDInfo.
 *
 * A subject is a port, by its index in the list.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/guid_read.h"
#include "fabric/read/reader.h"
#include "util/grow.h"
#include "util/xalloc.h"

enum { GUIDS_PER_BLOCK = 8 };

struct asked {
	uint32_t port;
	uint8_t block, blocks;          /* under way; how many there are */
	uint8_t cap;                    /* entries of all of them */
	struct reader_path by;
};

struct guid_reader {
	struct reader base;
	struct asked *v;
	struct guid_row *rows;
	uint32_t nrows, cap_rows;
};

void
guid_image_trim(uint8_t image[static GUID_INFO_BYTES], unsigned block, unsigned cap)
{
	struct guid_info t = guid_info_decode(image);

	for (unsigned i = 0; i < GUIDS_PER_BLOCK; i++)
		if (block * GUIDS_PER_BLOCK + i >= cap)
			t.guid[i] = 0;
	guid_info_encode(image, &t);
}

struct guid_reader *
guid_reader_new(const struct snapshot *s, const uint32_t *ports, uint32_t n, struct mkeys mkeys)
{
	struct guid_reader *r = xcalloc(1, sizeof(*r));

	reader_init(&r->base, "guid_read", s, &mkeys, n);
	r->v = xcalloc((size_t)n + 1, sizeof(*r->v));
	for (uint32_t i = 0; i < n; i++) {
		struct asked *a = &r->v[i];
		uint8_t cap = port_info_decode(s->ports[ports[i]].info).guid_cap;

		a->cap = cap;
		a->port = ports[i];
		a->blocks = (uint8_t)((cap + GUIDS_PER_BLOCK - 1) / GUIDS_PER_BLOCK);
		a->by.hops = snapshot_port_path(s, ports[i], a->by.path);
		if (a->blocks)
			reader_push(&r->base, i);
	}
	return r;
}

void
guid_reader_free(struct guid_reader *r)
{
	if (!r)
		return;
	reader_clear(&r->base);
	free(r->v);
	free(r->rows);
	free(r);
}

bool
guid_reader_next(struct guid_reader *r, struct txn_req *q)
{
	const struct asked *a;
	uint32_t i;

	if (!reader_take(&r->base, &i))
		return false;
	a = &r->v[i];
	reader_request(&r->base, q, a->port, GUID_INFO_ID, a->by.path, a->by.hops);
	q->cookie = i;
	q->modifier = a->block;
	return true;
}

static bool
has_alias(const struct asked *a, const uint8_t *image)
{
	struct guid_info t = guid_info_decode(image);

	for (unsigned i = a->block ? 0 : 1; i < GUIDS_PER_BLOCK; i++)
		if (t.guid[i])
			return true;
	return false;
}

void
guid_reader_end(struct guid_reader *r, const struct txn_end *e)
{
	uint32_t i = reader_subject(&r->base, e);
	const uint8_t *data = reader_answer(&r->base, e);
	struct asked *a = &r->v[i];
	uint8_t image[GUID_INFO_BYTES];

	if (!data)
		return;
	memcpy(image, data, sizeof(image));
	guid_image_trim(image, a->block, a->cap);
	if (!has_alias(a, image))
		return;
	GROW(r->rows, r->nrows, r->cap_rows, 64);
	r->rows[r->nrows] = (struct guid_row){ .port = a->port, .block = a->block };
	memcpy(r->rows[r->nrows++].image, image, GUID_INFO_BYTES);
	if (++a->block < a->blocks)
		reader_push(&r->base, i);
}

bool
guid_reader_done(const struct guid_reader *r)
{
	return reader_done(&r->base);
}

const struct guid_row *
guid_reader_rows(const struct guid_reader *r, uint32_t *n)
{
	*n = r->nrows;
	return r->rows;
}
