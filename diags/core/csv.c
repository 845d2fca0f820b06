/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * csv.c - prints an array of objects as a table: a header line, then one line per object.
 * Room: diags/core. Members of nested objects become columns such as "peer.lid". An array becomes
 * its elements, separated by blanks.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/csv.h"
#include "util/xalloc.h"

/* The columns, in the order of their first appearance. */
struct columns {
	json_t *seen;           /* path -> true, in insertion order */
};

static void
collect(struct columns *c, const char *prefix, json_t *o)
{
	const char *key;
	json_t *v;
	char *path;

	json_object_foreach(o, key, v) {
		path = xasprintf("%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_is_object(v))
			collect(c, path, v);
		else if (!json_object_get(c->seen, path))
			json_object_set_new(c->seen, path, json_true());
		free(path);
	}
}

/* A column that is null in one row and an object in another is replaced by the columns of the
 * object. */
static void
drop_parents(struct columns *c)
{
	const char *key;
	json_t *v, *parents = json_object();
	char *path, *dot;

	json_object_foreach(c->seen, key, v) {
		path = xstrdup(key);
		while ((dot = strrchr(path, '.'))) {
			*dot = '\0';
			json_object_set_new(parents, path, json_true());
		}
		free(path);
	}
	json_object_foreach(parents, key, v)
		json_object_del(c->seen, key);
	json_decref(parents);
}

static json_t *
lookup(json_t *o, const char *path)
{
	char *copy = xstrdup(path), *p = copy, *dot;

	while (o && (dot = strchr(p, '.'))) {
		*dot = '\0';
		o = json_object_get(o, p);
		p = dot + 1;
	}
	o = o ? json_object_get(o, p) : NULL;
	free(copy);
	return o;
}

static bool
is_control(char c)
{
	return (unsigned char)c < ' ' || c == '\177';
}

static bool
is_plain(const char *text)
{
	while (*text && *text != ',' && *text != '"' && !is_control(*text))
		text++;
	return !*text;
}

/* Node descriptions may contain terminal escape sequences, so control characters become blanks, as
 * in text. */
static void
put_cell(FILE *f, const char *text)
{
	if (is_plain(text)) {
		fputs(text, f);
		return;
	}
	putc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', f);
		putc(is_control(*text) ? ' ' : *text, f);
	}
	putc('"', f);
}

static char *
value_text(json_t *v)
{
	char *text, *all, *one;
	json_t *item;
	size_t i;

	if (!v || json_is_null(v))
		return xstrdup("");
	if (json_is_string(v))
		return xstrdup(json_string_value(v));
	if (json_is_array(v)) {
		all = xstrdup("");
		json_array_foreach(v, i, item) {
			one = value_text(item);
			text = xasprintf("%s%s%s", all, i ? " " : "", one);
			free(one);
			free(all);
			all = text;
		}
		return all;
	}
	text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
	return text ? text : xstrdup("");
}

void
diag_csv_print(FILE *f, json_t *rows)
{
	struct columns c = { json_object() };
	const char *path, *comma = "";
	json_t *row, *v;
	char *text;
	size_t i;

	json_array_foreach(rows, i, row)
		collect(&c, "", row);
	drop_parents(&c);
	json_object_foreach(c.seen, path, v) {
		fputs(comma, f);
		put_cell(f, path);
		comma = ",";
	}
	if (*comma)
		putc('\n', f);
	json_array_foreach(rows, i, row) {
		comma = "";
		json_object_foreach(c.seen, path, v) {
			text = value_text(lookup(row, path));
			fputs(comma, f);
			put_cell(f, text);
			free(text);
			comma = ",";
		}
		putc('\n', f);
	}
	json_decref(c.seen);
}
