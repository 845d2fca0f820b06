/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flaps.c - detects flapping links.
 * Room: sm/watch.
 * In: changes of links; time.  Out: the links that flap; log lines when a link begins and ends to
 * flap; when to sweep.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/watch/flaps.h"
#include "util/xalloc.h"

struct flap {
	struct roster_end end[2];       /* the second may be unknown (guid 0) */
	/* For each end, a ring with the times of the last changes that it reported. */
	struct monotime at[2][FLAPS_CHANGES + 1];
	unsigned n[2];                  /* number of changes reported by each end */
	struct monotime last, began;    /* the last change; when it began to flap */
	struct monotime look;           /* when it is checked next */
	int64_t look_us;
	bool on;
	char text[2 * ROSTER_PLACE_BYTES + 4];
};

struct flaps {
	struct flap *v;
	uint32_t n, cap, non;
};

struct flaps *
flaps_new(void)
{
	return xcalloc(1, sizeof(struct flaps));
}

void
flaps_forget(struct flaps *x)
{
	free(x->v);
	memset(x, 0, sizeof(*x));
}

void
flaps_free(struct flaps *x)
{
	if (!x)
		return;
	flaps_forget(x);
	free(x);
}

static bool
is_end(const struct flap *f, uint64_t guid, uint8_t port, unsigned *side)
{
	for (*side = 0; *side < 2; ++*side)
		if (f->end[*side].guid == guid && f->end[*side].port == port)
			return true;
	return false;
}

static void
flap_drop(struct flaps *x, struct flap *f)
{
	x->non -= f->on;
	*f = x->v[--x->n];
}

/*
 * Adds a link.  In a full table, replaces links without a change within the window.  NULL: the
 * table is full.
 */
static struct flap *
flap_add(struct flaps *x, struct monotime now)
{
	for (uint32_t i = 0; x->n == FLAPS_MAX && i < x->n; i++)
		if (!x->v[i].on && monotime_sub_us(now, x->v[i].last) > FLAPS_WINDOW_US)
			flap_drop(x, &x->v[i]);
	if (x->n == FLAPS_MAX)
		return NULL;
	if (x->n == x->cap) {
		x->cap = x->cap ? x->cap * 2 : 16;
		x->v = xreallocarray(x->v, x->cap, sizeof(*x->v));
	}
	memset(&x->v[x->n], 0, sizeof(*x->v));
	return &x->v[x->n++];
}

/* Changes that one end has reported within the window. */
static unsigned
changes_recent(const struct flap *f, unsigned side, struct monotime now)
{
	unsigned n = 0;

	for (unsigned i = 0; i <= FLAPS_CHANGES && i < f->n[side]; i++)
		n += monotime_sub_us(now, f->at[side][i]) <= FLAPS_WINDOW_US;
	return n;
}

static unsigned
changes_total(const struct flap *f)
{
	return f->n[0] > f->n[1] ? f->n[0] : f->n[1];
}

static void
flapping_begin(struct flaps *x, struct flap *f, unsigned n, const struct flaps_now *w)
{
	char a[ROSTER_PLACE_BYTES], b[ROSTER_PLACE_BYTES];
	/* By convention the end with the lower GUID comes first. */
	unsigned first = f->end[1].guid && f->end[1].guid < f->end[0].guid;

	f->on = true;
	f->began = w->now;
	f->look_us = FLAPS_LOOK_US;
	f->look = monotime_add_us(w->now, f->look_us);
	x->non++;
	w->place(w->arg, f->end[first].guid, f->end[first].port, a);
	if (f->end[1].guid)
		snprintf(f->text, sizeof(f->text), "%s - %s", a,
			w->place(w->arg, f->end[!first].guid, f->end[!first].port, b));
	else
		snprintf(f->text, sizeof(f->text), "%s", a);
	log_line(w->log, LOG_WARN, "fabric",
		"link flapping: %s: %u changes within %d s; it causes no sweeps until it has been quiet for %d s",
		f->text, n, (int)(FLAPS_WINDOW_US / 1000000), (int)(FLAPS_QUIET_US / 1000000));
}

bool
flaps_changed(struct flaps *x, struct roster_end at, struct roster_end other, unsigned n,
	const struct flaps_now *w)
{
	struct flap *f = NULL;
	unsigned side = 0;

	for (uint32_t i = 0; i < x->n && !f; i++)
		if (is_end(&x->v[i], at.guid, at.port, &side))
			f = &x->v[i];
	if (!f) {
		f = flap_add(x, w->now);
		if (!f)
			return false;
		f->end[0] = at;
		side = 0;
	}
	if (other.guid && !f->on)
		f->end[!side] = other;
	for (unsigned i = 0; i < n; i++)
		f->at[side][f->n[side]++ % (FLAPS_CHANGES + 1)] = w->now;
	f->last = w->now;
	n = changes_recent(f, side, w->now);
	if (f->on || n <= FLAPS_CHANGES)
		return false;
	flapping_begin(x, f, n, w);
	return true;
}

uint8_t
flaps_only(const struct flaps *x, uint64_t guid, struct monotime now)
{
	uint8_t port = 0;

	for (uint32_t i = 0; i < x->n; i++)
		for (unsigned side = 0; side < 2; side++) {
			const struct flap *f = &x->v[i];

			if (f->end[side].guid != guid ||
				(!f->on && monotime_sub_us(now, f->last) > FLAPS_WINDOW_US))
				continue;
			if (port)
				return 0;
			port = f->end[side].port;
		}
	return port;
}

void
flaps_still(struct flaps *x, uint64_t guid, struct monotime now)
{
	for (uint32_t i = 0; x->non && i < x->n; i++)
		if (x->v[i].on && (x->v[i].end[0].guid == guid || x->v[i].end[1].guid == guid))
			x->v[i].last = now;
}

bool
flaps_at(const struct flaps *x, uint64_t guid, uint8_t port)
{
	unsigned side;

	for (uint32_t i = 0; x->non && i < x->n; i++)
		if (x->v[i].on && is_end(&x->v[i], guid, port, &side))
			return true;
	return false;
}

bool
flaps_of(const struct flaps *x, uint64_t guid)
{
	for (uint32_t i = 0; x->non && i < x->n; i++)
		if (x->v[i].on && (x->v[i].end[0].guid == guid || x->v[i].end[1].guid == guid))
			return true;
	return false;
}

bool
flaps_tick(struct flaps *x, struct monotime now, const struct log *log)
{
	bool sweep = false;

	for (uint32_t i = 0; x->non && i < x->n;) {
		struct flap *f = &x->v[i];

		if (f->on && monotime_sub_us(now, f->last) >= FLAPS_QUIET_US) {
			log_line(log, LOG_NOTE, "fabric",
				"link quiet: %s: no change for %d s, %u changes in all", f->text,
				(int)(FLAPS_QUIET_US / 1000000), changes_total(f));
			flap_drop(x, f);
			sweep = true;
			continue;
		}
		if (f->on && monotime_reached(now, f->look)) {
			f->look_us = f->look_us * 2 < FLAPS_LOOK_MAX_US ? f->look_us * 2 :
									  FLAPS_LOOK_MAX_US;
			f->look = monotime_add_us(now, f->look_us);
			sweep = true;
		}
		i++;
	}
	return sweep;
}

bool
flaps_deadline(const struct flaps *x, struct monotime *at)
{
	*at = MONOTIME_NEVER;
	for (uint32_t i = 0; x->non && i < x->n; i++)
		if (x->v[i].on)
			*at = monotime_min(*at, monotime_min(x->v[i].look, monotime_add_us(x->v[i].last, FLAPS_QUIET_US)));
	return x->non > 0;
}

uint32_t
flaps_ends(const struct flaps *x, struct plan_end **out)
{
	uint32_t n = 0;

	*out = x->non ? xcalloc(x->non, sizeof(**out)) : NULL;
	for (uint32_t i = 0; x->non && i < x->n; i++)
		if (x->v[i].on)
			(*out)[n++] = (struct plan_end){ x->v[i].end[0].guid, x->v[i].end[0].port };
	return n;
}

uint32_t
flaps_count(const struct flaps *x)
{
	return x->non;
}

json_t *
flaps_json(const struct flaps *x, struct monotime now, time_t wall)
{
	json_t *a = json_array();

	for (uint32_t i = 0; x->non && i < x->n && json_array_size(a) < FLAPS_LISTED; i++) {
		const struct flap *f = &x->v[i];
		time_t since = wall - (time_t)(monotime_sub_us(now, f->began) / 1000000);
		char text[32];
		struct tm tm;

		if (!f->on)
			continue;
		gmtime_r(&since, &tm);
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
		json_array_append_new(a,
			json_pack("{s:s, s:i, s:s, s:f}", "link", f->text, "changes",
				(int)changes_total(f), "since", text, "quiet_s",
				(double)monotime_sub_us(now, f->last) / 1e6));
	}
	return a;
}
