/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tool.c - texts, failures, and the document of a run.
 * Room: cli/route.
 */
#include <config.h>
#include <stdarg.h>
#include <string.h>
#include "cli/route/tool.h"
#include "util/xalloc.h"

void
tool_text(struct tool *t, const char *fmt, ...)
{
	va_list ap;

	if (t->form != TOOL_TEXT)
		return;
	va_start(ap, fmt);
	vfprintf(t->out, fmt, ap);
	va_end(ap);
}

static void
sentence_make(char *line, size_t size, const char *fmt, va_list ap)
{
	vsnprintf(line, size, fmt, ap);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			*p = '?';
}

static json_t *
text_json(const char *text)
{
	json_t *j = json_string(text);

	return j ? j : json_string("?"); /* not UTF-8 */
}

int
tool_fail(struct tool *t, int status, const char *code, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	sentence_make(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(t->err, "heddle-route: %s\n", line);
	json_array_append_new(json_object_get(t->doc, "errors"),
		json_pack("{s:s, s:s, s:n, s:n, s:n, s:n, s:o}", "severity", "error", "code", code,
			"target", "attribute", "modifier", "mad_status", "message",
			text_json(line)));
	return status;
}

void
tool_finding(struct tool *t, const char *code, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	sentence_make(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (t->form == TOOL_TEXT)
		fprintf(t->out, "%s\n", line);
	else if (t->form != TOOL_JSON)
		fprintf(t->err, "heddle-route: %s\n", line);
	json_array_append_new(t->findings,
		json_pack("{s:s, s:s, s:o}", "severity", "error", "code", code, "message",
			text_json(line)));
}

void
tool_note(struct tool *t, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	sentence_make(line, sizeof(line), fmt, ap);
	va_end(ap);
	tool_text(t, "%s\n", line);
	json_array_append_new(json_object_get(t->doc, "notes"), text_json(line));
}

void
tool_document(struct tool *t, int status)
{
	json_t *errors = json_object_get(t->doc, "errors"), *head;
	struct timespec now;
	time_t date = time(NULL);
	char stamp[32] = "";
	struct tm tm;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (gmtime_r(&date, &tm))
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	head = json_pack(
		"{s:s, s:s, s:{s:s, s:s}, s:s, s:I, s:s, s:n, s:n, s:n, s:i, s:b, s:O, s:n}",
		"schema", "heddle.heddle-route", "schema_version", "1.0", "tool", "name",
		"heddle-route", "version", PACKAGE_VERSION, "time", stamp, "wall_ms",
		(json_int_t)((now.tv_sec - t->start.tv_sec) * 1000 +
			(now.tv_nsec - t->start.tv_nsec) / 1000000),
		"source", "file", "local", "options", "mads", "exit_status", status, "incomplete",
		json_array_size(errors) > 0, "findings", t->findings, "summary");
	if (!head)
		bug("heddle-route: no document");
	json_object_set_new(head, "command", t->command ? json_string(t->command) : json_null());
	json_object_update(head, t->doc);
	json_dumpf(head, t->out, JSON_INDENT(1));
	fputc('\n', t->out);
	json_decref(head);
}
