/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loglimit.c - limits log lines that a peer can provoke: one per kind, source and second.
 * Room: util.  Pure: no clock.
 */
#include <config.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/loglimit.h"
#include "util/xalloc.h"

struct row {
	uint64_t source;
	struct monotime logged;         /* time of the line last logged */
	struct monotime last;           /* time of the last repetition */
	uint64_t more;                  /* repetitions since 'logged' */
	const char *room;
	enum log_level level;
	unsigned kind;
	bool used;
	/* by all sources of its kind that have no row of their own */
	bool shared;
	char text[LOG_LIMIT_TEXT];      /* the line before */
};

struct log_limit {
	struct row own[LOG_LIMIT_SOURCES], shared[LOG_LIMIT_KINDS];
	/* when the first row is to be reported, or MONOTIME_NEVER */
	struct monotime due;
	uint64_t suppressed;
};

struct log_limit *
log_limit_new(void)
{
	struct log_limit *t = xcalloc(1, sizeof(*t));

	t->due = MONOTIME_NEVER;
	return t;
}

void
log_limit_free(struct log_limit *t)
{
	free(t);
}

static bool
is_over(const struct row *r, struct monotime now)
{
	return !r->used || monotime_sub_us(now, r->logged) >= LOG_LIMIT_US;
}

/*
 * The row for that kind and source: its own, or a free one, whose second has passed without a
 * repetition.  If every row is in use, the row that the kind's other sources share.
 */
static struct row *
find_row(struct log_limit *t, unsigned kind, uint64_t source, struct monotime now)
{
	struct row *idle = NULL;

	for (unsigned i = 0; i < LOG_LIMIT_SOURCES; i++) {
		struct row *r = &t->own[i];

		if (r->used && r->kind == kind && r->source == source)
			return r;
		if (!idle && is_over(r, now) && !r->more)
			idle = r;
	}
	if (idle)
		*idle = (struct row){ .kind = kind, .source = source };
	return idle ? idle : &t->shared[kind];
}

/* Logs the row's text with the number of repetitions since the last line. */
static void
row_emit(struct row *r, const struct log *l, struct monotime now, struct monotime until)
{
	int64_t tenths = monotime_sub_us(until, r->logged) / (LOG_LIMIT_US / 10);

	if (r->more)
		log_line(l, r->level, r->room, "%s (%llu more%s in the last %lld.%lld s)", r->text,
			(unsigned long long)r->more, r->shared ? ", of several sources," : "",
			(long long)tenths / 10, (long long)tenths % 10);
	else
		log_line(l, r->level, r->room, "%s", r->text);
	r->more = 0;
	r->logged = now;
}

void
log_limit_line(struct log_limit *t, const struct log *l, enum log_level level, const char *room,
	unsigned kind, uint64_t source, struct monotime now, const char *fmt, ...)
{
	struct row *r;
	va_list ap;

	if (!l || !l->emit || level > l->max)
		return;
	if (kind >= LOG_LIMIT_KINDS)
		bug("loglimit: no kind %u", kind);
	r = find_row(t, kind, source, now);
	if (!is_over(r, now)) {
		r->more++;
		r->last = now;
		t->suppressed++;
		t->due = monotime_min(t->due, monotime_add_us(r->logged, LOG_LIMIT_US));
		return;
	}
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
	r->used = true;
	r->shared = r >= t->shared && r < t->shared + LOG_LIMIT_KINDS;
	r->kind = kind;
	r->room = room;
	r->level = level;
	row_emit(r, l, now, now);
}

static void
report_row(struct log_limit *t, struct row *r, const struct log *l, struct monotime now)
{
	if (!r->more)
		return;
	if (is_over(r, now))
		row_emit(r, l, now, r->last);
	else
		t->due = monotime_min(t->due, monotime_add_us(r->logged, LOG_LIMIT_US));
}

void
log_limit_tick(struct log_limit *t, const struct log *l, struct monotime now)
{
	if (!monotime_reached(now, t->due))
		return;
	t->due = MONOTIME_NEVER;
	for (unsigned i = 0; i < LOG_LIMIT_SOURCES; i++)
		report_row(t, &t->own[i], l, now);
	for (unsigned i = 0; i < LOG_LIMIT_KINDS; i++)
		report_row(t, &t->shared[i], l, now);
}

bool
log_limit_deadline(const struct log_limit *t, struct monotime *at)
{
	*at = t->due;
	return t->due.us != INT64_MAX;
}

uint64_t
log_limit_suppressed(const struct log_limit *t)
{
	return t->suppressed;
}
