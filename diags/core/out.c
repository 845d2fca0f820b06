/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * out.c - the standard output: text, one JSON document, JSON lines, or a table.
 * Room: diags/core. docs/json.md describes the envelope.
 */
#include <config.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "diags/core/context.h"
#include "diags/core/csv.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/tool.h"
#include "util/xalloc.h"

#define SCHEMA_VERSION "1.0"
#define DOUBLE_INTEGER_MAX (INT64_C(1) << 53)

void
diag_text(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (d->set.format != DIAG_TEXT)
		return;
	diag_progress_clear(d);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

void
diag_write(struct diag *d, const char *text, size_t n)
{
	if (d->set.format != DIAG_TEXT)
		return;
	diag_progress_clear(d);
	fwrite_unlocked(text, 1, n, stdout);
}

bool
diag_is_text(const struct diag *d)
{
	return d->set.format == DIAG_TEXT;
}

json_t *
diag_doc(struct diag *d)
{
	return d->doc;
}

json_t *
diag_summary(struct diag *d)
{
	return d->summary;
}

void
diag_out_begin(struct diag *d)
{
	d->doc = json_object();
	d->summary = json_object();
	d->errors = json_array();
	d->findings = json_array();
	d->options = json_object();
	d->printed = json_object();
}

/* Converts numbers that exceed the 53 bits of a double into strings. */
static json_t *
safe_numbers(const json_t *v)
{
	const char *key;
	json_t *item, *o;
	char text[24];
	size_t i;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		o = json_object();
		json_object_foreach((json_t *)v, key, item)
			json_object_set_new_nocheck(o, key, safe_numbers(item));
		return o;
	case JSON_ARRAY:
		o = json_array();
		json_array_foreach(v, i, item)
			json_array_append_new(o, safe_numbers(item));
		return o;
	case JSON_INTEGER:
		if (json_integer_value(v) <= DOUBLE_INTEGER_MAX &&
		    json_integer_value(v) >= -DOUBLE_INTEGER_MAX)
			break;
		snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		return json_string(text);
	default:
		break;
	}
	return json_incref((json_t *)v);
}

static void
document_dump(const struct diag *d, json_t *o, size_t flags)
{
	json_t *safe = d->set.u64_strings ? safe_numbers(o) : json_incref(o);

	json_dumpf(safe, stdout, flags);
	putchar('\n');
	json_decref(safe);
}

static void
line_print(const struct diag *d, json_t *o)
{
	document_dump(d, o, JSON_COMPACT);
}

static json_t *
time_now(void)
{
	time_t t = time(NULL);
	struct tm tm;
	char text[32];

	gmtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

/* Makes the members of the envelope that do not depend on the outcome. */
static json_t *
envelope_begin(struct diag *d)
{
	json_t *o = json_object(), *tool = json_object();
	char schema[64];

	snprintf(schema, sizeof(schema), "heddle.%s", d->tool->name);
	json_object_set_new(tool, "name", json_string(d->tool->name));
	json_object_set_new(tool, "version", json_string(PACKAGE_VERSION));
	json_object_set_new(o, "schema", json_string(schema));
	json_object_set_new(o, "schema_version", json_string(SCHEMA_VERSION));
	json_object_set_new(o, "tool", tool);
	json_object_set_new(o, "time", time_now());
	return o;
}

static void
put_end(struct diag *d, json_t *o)
{
	json_object_set_new(o, "wall_ms", json_integer((diag_now_us() - d->start_us) / 1000));
	json_object_set_new(o, "exit_status", json_integer(d->status));
	json_object_set_new(o, "source", json_string(d->source));
	json_object_set_new(o, "local", d->asking ? d->asking->json_local(d) : json_null());
	json_object_set(o, "options", d->options);
	json_object_set_new(o, "mads", d->asking ? d->asking->json_mads(d) : json_null());
	json_object_set_new(o, "incomplete", json_boolean(d->incomplete));
	json_object_set(o, "errors", d->errors);
	json_object_set(o, "findings", d->findings);
	json_object_set(o, "summary", d->summary);
}

static void
header_print(struct diag *d)
{
	json_t *o, *typed;

	if (d->header_out)
		return;
	d->header_out = true;
	o = envelope_begin(d);
	typed = json_object();
	json_object_set_new(typed, "type", json_string("header"));
	json_object_update(typed, o);
	line_print(d, typed);
	json_decref(typed);
	json_decref(o);
}

/*
 * A compact document is written while it is made: first the head, then the tool's rows one by one,
 * then the rest. Rows of other arrays are kept as text until then, because as JSON values those of
 * a large fabric need ten times the memory.
 */
struct out_rows {
	struct out_rows *next;
	char *key, *text;
	size_t bytes, room;
};

static int
text_append(const char *text, size_t n, void *arg)
{
	struct out_rows *r = arg;

	if (n > r->room - r->bytes) {
		r->room = (r->bytes + n) + (r->bytes + n) / 2 + 4096;
		r->text = xrealloc(r->text, r->room);
	}
	memcpy(r->text + r->bytes, text, n);
	r->bytes += n;
	return 0;
}

static struct out_rows *
rows_find(const struct diag *d, const char *key)
{
	struct out_rows *r = d->rows;

	while (r && strcmp(r->key, key))
		r = r->next;
	return r;
}

/* Keeps a row as text; the document has null in its place. */
static void
keep_text(struct diag *d, const char *key, const json_t *row)
{
	struct out_rows *r = rows_find(d, key);

	if (!r) {
		r = xcalloc(1, sizeof(*r));
		r->key = xstrdup(key);
		r->next = d->rows;
		d->rows = r;
		json_object_set_new(d->doc, key, json_null());
	}
	if (r->bytes)
		text_append(",", 1, r);
	json_dump_callback(row, text_append, r, JSON_COMPACT);
}

void
diag_out_clear(struct diag *d)
{
	struct out_rows *r;

	while ((r = d->rows)) {
		d->rows = r->next;
		free(r->key);
		free(r->text);
		free(r);
	}
	json_decref(d->doc);
	json_decref(d->summary);
	json_decref(d->errors);
	json_decref(d->findings);
	json_decref(d->options);
	json_decref(d->printed);
}

/* Prints the members that are not printed yet; rows kept as text are printed as they are. */
static void
put_members(struct diag *d, const json_t *o)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)o, key, v) {
		const struct out_rows *r = json_is_null(v) ? rows_find(d, key) : NULL;

		if (json_object_get(d->printed, key))
			continue;
		printf("%c\"%s\":", json_object_size(d->printed) ? ',' : '{', key);
		json_object_set_new(d->printed, key, json_true());
		if (!r) {
			json_dumpf(v, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
			continue;
		}
		putchar('[');
		fwrite(r->text, 1, r->bytes, stdout);
		putchar(']');
	}
}

FILE *
diag_out_member(struct diag *d, const char *key)
{
	json_t *o;

	if (d->set.format != DIAG_JSON || d->set.pretty)
		return NULL;
	diag_progress_clear(d);
	if (!json_object_size(d->printed)) {
		o = envelope_begin(d);
		put_members(d, o);
		json_decref(o);
	}
	if (d->open_rows)
		putchar(']');
	d->open_rows = NULL;
	if (json_object_get(d->printed, key))
		bug("diags: member %s is written twice", key);
	printf(",\"%s\":", key);
	json_object_set_new(d->printed, key, json_true());
	json_object_del(d->doc, key);
	return stdout;
}

static void
put_row(struct diag *d, const char *key, const json_t *row)
{
	if (d->open_rows) {
		putchar(',');
	} else {
		diag_out_member(d, key);
		putchar('[');
		d->open_rows = d->tool->rows;
	}
	json_dumpf(row, stdout, JSON_COMPACT);
}

/* Adds a row to a compact document: prints it or keeps it as text. */
static void
put_or_keep(struct diag *d, const char *key, const json_t *row)
{
	json_t *safe = d->set.u64_strings ? safe_numbers(row) : NULL;

	if (d->tool->rows && !strcmp(key, d->tool->rows))
		put_row(d, key, safe ? safe : row);
	else
		keep_text(d, key, safe ? safe : row);
	json_decref(safe);
}

void
diag_row(struct diag *d, const char *key, json_t *row)
{
	json_t *array, *typed;

	if (d->set.format == DIAG_TEXT) {
		json_decref(row);
		return;
	}
	if (d->set.format == DIAG_JSON && !d->set.pretty &&
	    !json_array_size(json_object_get(d->doc, key))) {
		put_or_keep(d, key, row);
		json_decref(row);
		return;
	}
	if (d->set.format != DIAG_LINES) {
		array = json_object_get(d->doc, key);
		if (!array) {
			array = json_array();
			json_object_set_new(d->doc, key, array);
		}
		json_array_append_new(array, row);
		return;
	}
	header_print(d);
	typed = json_object();
	json_object_set_new(typed, "type", json_string(key));
	json_object_update(typed, row);
	line_print(d, typed);
	json_decref(typed);
	json_decref(row);
}

static void
end_json(struct diag *d)
{
	json_t *o = envelope_begin(d), *safe;

	put_end(d, o);
	json_object_update(o, d->doc);
	if (d->rows || json_object_size(d->printed)) {
		safe = d->set.u64_strings ? safe_numbers(o) : json_incref(o);
		if (d->open_rows)
			putchar(']');
		put_members(d, safe);
		fputs("}\n", stdout);
		json_decref(safe);
	} else {
		document_dump(d, o, d->set.pretty ? JSON_INDENT(2) : JSON_COMPACT);
	}
	json_decref(o);
}

/* Prints the arrays that were not printed row by row; the rest is in the trailer. */
static void
end_lines(struct diag *d)
{
	json_t *o = json_object(), *value, *row, *typed;
	const char *key;
	size_t i;

	header_print(d);
	json_object_set_new(o, "type", json_string("trailer"));
	put_end(d, o);
	json_object_foreach(d->doc, key, value) {
		if (!json_is_array(value)) {
			json_object_set(o, key, value);
			continue;
		}
		json_array_foreach(value, i, row) {
			typed = json_object();
			json_object_set_new(typed, "type", json_string(key));
			if (json_is_object(row))
				json_object_update(typed, row);
			else
				json_object_set(typed, "value", row);
			line_print(d, typed);
			json_decref(typed);
		}
	}
	line_print(d, o);
	json_decref(o);
}

/* Returns the array of the tool's rows, or the first array if another list was requested. */
static json_t *
main_array(struct diag *d)
{
	json_t *rows = json_object_get(d->doc, d->tool->rows ? d->tool->rows : ""), *v;
	const char *key;

	if (rows)
		return rows;
	json_object_foreach(d->doc, key, v)
		if (json_is_array(v))
			return v;
	return NULL;
}

void
diag_out_end(struct diag *d)
{
	switch (d->set.format) {
	case DIAG_TEXT:
		return;
	case DIAG_JSON:
		end_json(d);
		return;
	case DIAG_LINES:
		end_lines(d);
		return;
	case DIAG_CSV:
		diag_csv_print(stdout, main_array(d));
		return;
	}
}

void
diag_source_set(struct diag *d, const char *source)
{
	d->source = source;
}
