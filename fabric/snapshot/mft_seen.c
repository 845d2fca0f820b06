/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mft_seen.c - cached contents of the multicast tables of switches.
 * Room: fabric/snapshot.  Pure.  In: rows that were read, or that answers to Sets showed.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/mft_seen.h"
#include "util/bisect.h"
#include "util/bits.h"
#include "util/grow.h"
#include "util/xalloc.h"

struct seen_row {
	uint32_t row;
	uint8_t image[MFT_BLOCK_BYTES];
};

struct seen_switch {
	uint64_t guid;
	struct seen_row *rows;          /* sorted */
	uint32_t n, cap;
};

struct mft_seen {
	struct seen_switch *v;          /* sorted by GUID */
	uint32_t n;
};

struct mft_seen *
mft_seen_new(void)
{
	return xcalloc(1, sizeof(struct mft_seen));
}

void
mft_seen_clear(struct mft_seen *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->v[i].rows);
	free(t->v);
	t->v = NULL;
	t->n = 0;
}

void
mft_seen_free(struct mft_seen *t)
{
	if (!t)
		return;
	mft_seen_clear(t);
	free(t);
}

static struct seen_switch *
find_switch(const struct mft_seen *t, uint64_t guid)
{
	uint32_t at;

	BISECT(at, t->n, t->v[at].guid < guid);
	return at < t->n && t->v[at].guid == guid ? &t->v[at] : NULL;
}

/* Where the row is, or would be. */
static uint32_t
place_of_row(const struct seen_switch *s, uint32_t row)
{
	uint32_t at;

	BISECT(at, s->n, s->rows[at].row < row);
	return at;
}

void
mft_seen_keep(struct mft_seen *t, const struct snapshot *s, const uint64_t *known)
{
	struct seen_switch *v = xcalloc((size_t)s->nswitches + 1, sizeof(*v));

	for (uint32_t sw = 0; sw < s->nswitches; sw++) {        /* snapshot order is GUID order */
		uint64_t guid = s->nodes[s->switches[sw]].guid;
		struct seen_switch *old = find_switch(t, guid);

		v[sw].guid = guid;
		if (!old || !bits_test(known, sw))
			continue;
		v[sw] = *old;
		old->rows = NULL;
		old->n = old->cap = 0;
	}
	mft_seen_clear(t);
	t->v = v;
	t->n = s->nswitches;
}

const uint8_t *
mft_seen_row(const struct mft_seen *t, uint64_t guid, uint32_t row)
{
	const struct seen_switch *s = find_switch(t, guid);
	uint32_t i;

	if (!s)
		return NULL;
	i = place_of_row(s, row);
	return i < s->n && s->rows[i].row == row ? s->rows[i].image : NULL;
}

const uint8_t *
mft_seen_at(const struct mft_seen *t, uint64_t guid, uint32_t i, uint32_t *row)
{
	const struct seen_switch *s = find_switch(t, guid);

	if (!s || i >= s->n)
		return NULL;
	*row = s->rows[i].row;
	return s->rows[i].image;
}

void
mft_seen_put(struct mft_seen *t, uint64_t guid, uint32_t row, const uint8_t *image)
{
	struct seen_switch *s = find_switch(t, guid);
	uint32_t i;
	bool there;

	if (!s)
		return;
	i = place_of_row(s, row);
	there = i < s->n && s->rows[i].row == row;
	if (!image) {
		if (there)
			memmove(&s->rows[i], &s->rows[i + 1], (--s->n - i) * sizeof(*s->rows));
		return;
	}
	if (!there) {
		GROW(s->rows, s->n, s->cap, 4);
		memmove(&s->rows[i + 1], &s->rows[i], (s->n - i) * sizeof(*s->rows));
		s->n++;
		s->rows[i].row = row;
	}
	memcpy(s->rows[i].image, image, MFT_BLOCK_BYTES);
}
