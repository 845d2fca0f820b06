/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lines.c - reads files whose lines begin with a GUID and go on with numbers.
 * Room: sm/conf/routing.
 */
#include <config.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/routing/lines.h"
#include "sm/conf/text/say.h"

#define BLANKS " \t\r\n"
#define LINE_BYTES_MAX 4096
#define LINES_MAX (1u << 20)

/* The numbers behind the GUID: how many, and their bounds. */
static const struct form {
	unsigned least, most;
	struct {
		uint32_t lo, hi; /* those after the second are as the second */
	} v[2];
	const char *expected;
} forms[] = {
	[ROUTING_ORDER] = { 0, 0, { { 0, 0 }, { 0, 0 } }, "a GUID" },
	[ROUTING_IDS] = { 1, 1, { { 0, UINT32_MAX }, { 0, 0 } }, "a GUID and an id" },
	[ROUTING_WEIGHTS] = { 2, 2, { { 1, ROUTING_PORTS_MAX }, { 1, ROUTING_WEIGHT_MAX } },
		"a GUID, a port from 1 to 254 and a weight from 1 to 255" },
	[ROUTING_PORTS] = { 1, ROUTING_PORTS_MAX,
		{ { 1, ROUTING_PORTS_MAX }, { 1, ROUTING_PORTS_MAX } },
		"a GUID and ports from 1 to 254" },
};

static bool
read_number(const char *word, uint64_t lo, uint64_t hi, uint64_t *out)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	*out = strtoull(word, &end, strncmp(word, "0x", 2) == 0 ? 16 : 10);
	return !*end && !errno && *out >= lo && *out <= hi;
}

/* 1: '*l' is read, its numbers in v[]; 0: an empty line; -1: another form.  Changes 'text'. */
static int
read_line(const struct form *f, char *text, struct routing_line *l, uint32_t *v)
{
	char *save = NULL, *word;
	uint64_t n;

	text[strcspn(text, "#")] = '\0';
	word = strtok_r(text, BLANKS, &save);
	if (!word)
		return 0;
	if (!read_number(word, 1, UINT64_MAX, &l->guid))
		return -1;
	l->n = 0;
	while ((word = strtok_r(NULL, BLANKS, &save))) {
		unsigned k = l->n ? 1 : 0;

		if (l->n == f->most || !read_number(word, f->v[k].lo, f->v[k].hi, &n))
			return -1;
		v[l->n++] = (uint32_t)n;
	}
	return l->n < f->least ? -1 : 1;
}

static void
add_line(struct routing_lines *t, uint32_t *cap, struct arena *a, const struct routing_line *l,
	const uint32_t *v)
{
	uint32_t *copy = arena_array(a, (size_t)l->n + 1, sizeof(*copy));

	memcpy(copy, v, l->n * sizeof(*copy));
	t->line = arena_grow(a, t->line, t->n, cap, 64, sizeof(*t->line));
	t->line[t->n] = *l;
	t->line[t->n++].v = copy;
}

/* A line that is too long, or has a zero byte in it, is of no form. */
static bool
is_text(const char *line, size_t len)
{
	return len <= LINE_BYTES_MAX && !memchr(line, '\0', len);
}

static void
read_lines(FILE *in, const struct form *f, struct arena *a, struct routing_lines *t,
	struct conf_error *e)
{
	uint32_t v[ROUTING_PORTS_MAX], cap = 0, number = 0;
	char *line = NULL, shown[48];
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, in)) >= 0 && number < LINES_MAX) {
		struct routing_line l = { .number = ++number };
		bool text = is_text(line, (size_t)len);
		int r;

		snprintf(shown, sizeof(shown), "%.*s", len > 41 ? 11 : (int)strcspn(line, "\r\n"),
			len > 41 ? "a long line" : line);
		r = text ? read_line(f, line, &l, v) : -1;
		if (r > 0)
			add_line(t, &cap, a, &l, v);
		else if (r < 0)
			conf_say_warning(e, t->file, number,
				"expected %s, got '%s'; the line is passed over", f->expected,
				shown);
	}
	free(line);
}

int
routing_lines_read(const char *path, enum routing_form form, struct arena *a,
	const struct routing_lines **out, struct conf_error *e)
{
	struct routing_lines *t = arena_alloc(a, sizeof(*t));
	FILE *in = fopen(path, "re");
	int err = 0;

	t->file = arena_strdup(a, path);
	if (in) {
		errno = 0;
		read_lines(in, &forms[form], a, t, e);
		if (ferror(in))
			err = errno ? -errno : -EIO;
		fclose(in);
	} else {
		err = -errno;
	}
	if (err)
		conf_say_error(e, path, 0, "%s", strerror(-err));
	else
		*out = t;
	return err;
}
