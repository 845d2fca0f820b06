/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * status.c - reports failures: the line on stderr, the entry in the document, the exit status.
 * Room: diags/core.
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/context.h"
#include "diags/core/json.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/attr.h"

#define SENTENCE_BYTES 600

/* Returns the rank of a status; an unknown status ranks highest. */
static int
status_rank(int status)
{
	static const int order[] = { EXIT_OK, EXIT_FINDINGS, EXIT_PARTIAL, EXIT_USAGE, EXIT_FATAL };

	for (int i = 0; i < (int)(sizeof(order) / sizeof(order[0])); i++)
		if (order[i] == status)
			return i;
	return 4;
}

int
diag_status_worse(int a, int b)
{
	return status_rank(a) >= status_rank(b) ? a : b;
}

void
diag_status_raise(struct diag *d, int status)
{
	d->status = diag_status_worse(d->status, status);
	if (status == EXIT_PARTIAL)
		d->incomplete = true;
}

int
diag_status(const struct diag *d)
{
	return d->status;
}

void
diag_incomplete(struct diag *d)
{
	diag_status_raise(d, EXIT_PARTIAL);
}

/* Returns the stream for fatal errors: stdout in text mode with --compat-stdout-errors, as in
 * infiniband-diags; otherwise stderr. */
static FILE *
error_stream(const struct diag *d)
{
	return d->set.errors_on_stdout && d->set.format == DIAG_TEXT ? stdout : stderr;
}

static json_t *
hex_or_null(uint64_t v)
{
	return v ? diag_json_guid(v) : json_null();
}

static json_t *
text_or_null(const char *s)
{
	char clean[ATTR_TEXT_BYTES(SENTENCE_BYTES)];

	if (!s)
		return json_null();
	attr_text_clean((const uint8_t *)s, strnlen(s, SENTENCE_BYTES), clean);
	return json_string(clean);
}

void
diag_error_add(struct diag *d, const char *severity, const char *code, const struct diag_where *w,
	const char *text)
{
	json_t *o = json_object(), *target = json_object(), *path = json_null();

	if (w->addr && w->addr->kind != DIAG_ADDR_LID) {
		path = json_array();
		for (unsigned i = 0; i <= w->addr->hop_count; i++)
			json_array_append_new(path, json_integer(w->addr->path[i]));
	}
	json_object_set_new(target, "node_guid", hex_or_null(w->node_guid));
	json_object_set_new(target, "port_guid", hex_or_null(w->port_guid));
	json_object_set_new(target, "lid", w->addr && w->addr->kind != DIAG_ADDR_PATH ?
		json_integer(w->addr->lid) : json_null());
	json_object_set_new(target, "port", w->port >= 0 ? json_integer(w->port) : json_null());
	json_object_set_new(target, "path", path);
	json_object_set_new(target, "name", text_or_null(w->name));
	json_object_set_new(o, "severity", json_string(severity));
	json_object_set_new(o, "code", json_string(code));
	json_object_set_new(o, "target", target);
	json_object_set_new(o, "attribute", text_or_null(w->attribute));
	json_object_set_new(o, "modifier", w->attribute ? json_integer(w->modifier) : json_null());
	json_object_set_new(o, "mad_status", w->mad_status ? diag_json_hex(w->mad_status,
		4) : json_null());
	json_object_set_new(o, "message", text_or_null(text));
	json_array_append_new(d->errors, o);
}

int
diag_fail(struct diag *d, int status, const char *code, const char *fmt, ...)
{
	char text[SENTENCE_BYTES];
	struct diag_where nowhere = DIAG_NOWHERE;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diag_progress_clear(d);
	fflush(stdout);
	fprintf(error_stream(d), "%s: iberror: failed: %s\n", d->program, text);
	diag_error_add(d, "error", code, &nowhere, text);
	diag_status_raise(d, status);
	return status;
}

int
diag_give_up(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	diag_progress_clear(d);
	fflush(stdout);
	fprintf(error_stream(d), "%s: iberror: failed: ", d->program);
	va_start(ap, fmt);
	vfprintf(error_stream(d), fmt, ap);
	va_end(ap);
	fputc('\n', error_stream(d));
	diag_status_raise(d, d->status ? d->status : EXIT_PARTIAL);
	return d->status;
}

int
diag_op_failed(struct diag *d, const char *what)
{
	return diag_give_up(d, "operation %s: %s", diag_word(d), what);
}

void
diag_warn(struct diag *d, int status, const char *code, const struct diag_where *w, const char *fmt,
	...)
{
	char text[SENTENCE_BYTES];
	struct diag_where nowhere = DIAG_NOWHERE;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!d->hushed) {
		diag_progress_clear(d);
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", d->program, text);
	}
	diag_error_add(d, status ? "error" : "warning", code, w ? w : &nowhere, text);
	diag_status_raise(d, status);
}

void
diag_hush(struct diag *d, bool hushed)
{
	d->hushed = hushed;
}

json_t *
diag_errors_take(struct diag *d)
{
	json_t *taken = d->errors;

	d->errors = json_array();
	return taken;
}

/* FNV-1a. */
uint64_t
diag_finding_id(const char *code, const char *object)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (const char *p = code; *p; p++)
		h = (h ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	h *= UINT64_C(0x100000001b3);
	for (const char *p = object; *p; p++)
		h = (h ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	return h;
}

void
diag_finding(struct diag *d, const char *severity, const char *code, const char *object,
	json_t *detail, const char *fmt, ...)
{
	static const char *const keys[] = { "ends", "value", "expected" };
	char text[SENTENCE_BYTES];
	json_t *o = json_object(), *v;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_object_set_new(o, "id", diag_json_guid(diag_finding_id(code, object)));
	json_object_set_new(o, "severity", json_string(severity));
	json_object_set_new(o, "code", json_string(code));
	json_object_set_new(o, "message", text_or_null(text));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		v = json_object_get(detail, keys[i]);
		json_object_set_new(o, keys[i], v ? json_incref(v) : i ? json_null() :
			json_array());
	}
	json_decref(detail);
	json_array_append_new(d->findings, o);
	diag_status_raise(d, strcmp(severity, "info") ? EXIT_FINDINGS : EXIT_OK);
}

const char *
diag_word(const struct diag *d)
{
	return d->word ? d->word : d->tool->name;
}
