/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * expect.c - see expect.h.
 * Room: verbs/meas.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs/meas/expect.h"

static const struct {
	const char *name, *unit;
	bool speed, lat, bw;
} figures[] = {
#define ROW(id, name, unit, speed, lat, bw) [MEAS_FIGURE_##id] = { name, unit, speed, lat, bw },
	MEAS_FIGURES(ROW)
#undef ROW
};

/* The factor of a number's suffix to the figure's unit. */
static const struct {
	const char *figure_unit, *suffix;
	double factor;
} units[] = {
	{ "Gb/s", "Gb/s", 1 }, { "Gb/s", "Mb/s", 1e-3 }, { "Gb/s", "GB/s", 8 },
		{ "Gb/s", "MB/s", 8e-3 },
	{ "Gb/s", "MiB/s", 8 * 1048576e-9 }, { "Gb/s", "GiB/s", 8 * 1073741824e-9 },
	{ "us", "ns", 1e-3 }, { "us", "us", 1 }, { "us", "ms", 1e3 }, { "us", "s", 1e6 },
	{ "Mpps", "Mpps", 1 }, { "Mpps", "kpps", 1e-3 }, { "Mpps", "pps", 1e-6 },
};

const char *
meas_figure_name(enum meas_figure f)
{
	return figures[f].name;
}

const char *
meas_figure_unit(enum meas_figure f)
{
	return figures[f].unit;
}

static int
find_figure(const char *s, size_t n)
{
	for (int i = 0; i < MEAS_FIGURE_KINDS; i++)
		if (strlen(figures[i].name) == n && !strncmp(s, figures[i].name, n))
			return i;
	return -1;
}

/* Reads a relation.  Returns its number of characters; 0: none. */
static size_t
relation_read(const char *s, enum meas_relation *r)
{
	bool equal = (*s == '<' || *s == '>') && s[1] == '=';

	if (*s == '<')
		*r = equal ? MEAS_LE : MEAS_LT;
	else if (*s == '>')
		*r = equal ? MEAS_GE : MEAS_GT;
	else
		return 0;
	return equal ? 2 : 1;
}

static bool
unit_scale(const char *suffix, const char *unit, double *v)
{
	if (!*suffix)
		return true;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].figure_unit, unit) && !strcmp(units[i].suffix, suffix)) {
			*v *= units[i].factor;
			return true;
		}
	return false;
}

/* NULL, or what is wrong with the term. */
static const char *
parse_term(struct meas_term *t, bool lat)
{
	const char *s = t->text;
	size_t n = strcspn(s, "@<>"), used;
	int f = find_figure(s, n);
	char *end;

	if (f < 0)
		return "begins with no figure that is known";
	if (!(lat ? figures[f].lat : figures[f].bw))
		return "is about a figure that this test does not measure";
	t->figure = (enum meas_figure)f;
	s += n;
	if (*s == '@') {
		unsigned long v = strtoul(s + 1, &end, 10);

		if (end == s + 1 || s[1] < '0' || s[1] > '9' || !v || v > UINT32_MAX)
			return "has no size of messages after the @";
		t->size = (uint32_t)v;
		s = end;
	}
	used = relation_read(s, &t->relation);
	if (!used)
		return "needs one of < <= > >=";
	s += used;
	t->bound = strtod(s, &end);
	if (end == s || !isfinite(t->bound) || t->bound < 0)
		return "needs a number after the relation";
	if (!unit_scale(end, figures[f].unit, &t->bound))
		return "has a unit that the figure cannot be in";
	return NULL;
}

int
meas_expect_parse(struct meas_expect *e, const char *text, bool lat, char *why, size_t why_bytes)
{
	const char *s = text;

	for (;;) {
		struct meas_term *t = &e->terms[e->n];
		size_t n = strcspn(s, ",");
		const char *wrong;

		if (e->n == MEAS_TERMS_MAX) {
			snprintf(why, why_bytes, "--expect: more than %d terms", MEAS_TERMS_MAX);
			return -EINVAL;
		}
		memset(t, 0, sizeof(*t));
		if (!n || n >= sizeof(t->text)) {
			snprintf(why, why_bytes, "--expect: a term is %s",
				n ? "too long" : "empty");
			return -EINVAL;
		}
		memcpy(t->text, s, n);
		wrong = parse_term(t, lat);
		if (wrong) {
			snprintf(why, why_bytes, "--expect: \"%s\" %s", t->text, wrong);
			return -EINVAL;
		}
		e->n++;
		if (!s[n])
			return 0;
		s += n + 1;
	}
}

const struct meas_term *
meas_expect_speed(const struct meas_expect *e)
{
	for (unsigned i = 0; i < e->n; i++)
		if (figures[e->terms[i].figure].speed)
			return &e->terms[i];
	return NULL;
}

bool
meas_term_holds(const struct meas_term *t, double value)
{
	switch (t->relation) {
	case MEAS_LT:
		return value < t->bound;
	case MEAS_LE:
		return value <= t->bound;
	case MEAS_GT:
		return value > t->bound;
	case MEAS_GE:
		return value >= t->bound;
	}
	return false;
}
