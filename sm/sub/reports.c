/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reports.c - queues of reports to subscribers: one queue per subscriber's port, one report of each
 * in flight.
 * Room: sm/sub.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sub/reports.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/xalloc.h"

struct report_image {
	unsigned holds;
	uint8_t w[SA_NOTICE_BYTES];
};

struct report {
	uint32_t sub_id;
	struct report_image *image;
};

struct line {
	uint64_t port_guid;
	struct report *v;               /* a ring buffer */
	uint32_t first, n, cap;
	struct line *next;              /* next queue that has a report to send */
};

struct reports {
	struct line **lines;            /* sorted by GUID */
	uint32_t nlines, cap;
	struct line *ready, *ready_last;
	struct line *slot[REPORTS_SLOTS];
	unsigned nbusy;
	uint64_t lost;
};

struct reports *
reports_new(void)
{
	return xcalloc(1, sizeof(struct reports));
}

struct report_image *
reports_image(const uint8_t image[static SA_NOTICE_BYTES])
{
	struct report_image *i = xcalloc(1, sizeof(*i));

	i->holds = 1;
	memcpy(i->w, image, sizeof(i->w));
	return i;
}

void
reports_let_go(struct report_image *i)
{
	if (!--i->holds)
		free(i);
}

static void
line_free(struct line *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		reports_let_go(l->v[(l->first + i) % l->cap].image);
	free(l->v);
	free(l);
}

void
reports_free(struct reports *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nlines; i++)
		line_free(r->lines[i]);
	free(r->lines);
	free(r);
}

/* The index of that port's queue, or where it would be inserted. */
static uint32_t
place_of_line(const struct reports *r, uint64_t port_guid)
{
	uint32_t at;

	BISECT(at, r->nlines, r->lines[at]->port_guid < port_guid);
	return at;
}

static struct line *
line_of(struct reports *r, uint64_t port_guid)
{
	uint32_t i = place_of_line(r, port_guid);

	if (i < r->nlines && r->lines[i]->port_guid == port_guid)
		return r->lines[i];
	GROW(r->lines, r->nlines, r->cap, 16);
	memmove(&r->lines[i + 1], &r->lines[i], (r->nlines++ - i) * sizeof(struct line *));
	r->lines[i] = xcalloc(1, sizeof(struct line));
	r->lines[i]->port_guid = port_guid;
	return r->lines[i];
}

static void
line_remove(struct reports *r, struct line *l)
{
	uint32_t i = place_of_line(r, l->port_guid);

	memmove(&r->lines[i], &r->lines[i + 1], (--r->nlines - i) * sizeof(struct line *));
	line_free(l);
}

static void
make_ready(struct reports *r, struct line *l)
{
	l->next = NULL;
	if (r->ready)
		r->ready_last->next = l;
	else
		r->ready = l;
	r->ready_last = l;
}

static void
line_grow(struct line *l)
{
	uint32_t cap = (uint32_t)grow_capacity(l->cap, l->cap + 1u, 4, REPORTS_LINE_MAX);
	struct report *v = xcalloc(cap, sizeof(*v));

	for (uint32_t i = 0; i < l->n; i++)
		v[i] = l->v[(l->first + i) % l->cap];
	free(l->v);
	l->v = v;
	l->cap = cap;
	l->first = 0;
}

bool
reports_put(struct reports *r, const struct inform_sub *s, struct report_image *image)
{
	struct line *l = line_of(r, s->port_guid);

	if (l->n == REPORTS_LINE_MAX) {
		r->lost++;
		return false;
	}
	if (l->n == l->cap)
		line_grow(l);
	image->holds++;
	l->v[(l->first + l->n) % l->cap] = (struct report){ s->id, image };
	if (!l->n++)
		make_ready(r, l);
	return true;
}

bool
reports_next(
	struct reports *r, unsigned most, unsigned *slot, uint32_t *sub_id, const uint8_t **image)
{
	struct line *l = r->ready;

	if (!l || r->nbusy >= most || r->nbusy >= REPORTS_SLOTS)
		return false;
	for (*slot = 0; r->slot[*slot]; ++*slot)
		;
	r->ready = l->next;
	r->slot[*slot] = l;
	r->nbusy++;
	*sub_id = l->v[l->first].sub_id;
	*image = l->v[l->first].image->w;
	return true;
}

void
reports_done(struct reports *r, unsigned slot)
{
	struct line *l = slot < REPORTS_SLOTS ? r->slot[slot] : NULL;

	if (!l)
		return;
	r->slot[slot] = NULL;
	r->nbusy--;
	reports_let_go(l->v[l->first].image);
	l->first = (l->first + 1) % l->cap;
	if (--l->n)
		make_ready(r, l);
	else
		line_remove(r, l);
}

uint64_t
reports_lost(const struct reports *r)
{
	return r->lost;
}
