/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * say.c - formats lines and appends them to a struct conf_error.
 * Room: sm/conf/text.  Pure.
 */
#include <config.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/text/say.h"
#include "util/xalloc.h"

#define LINE_BYTES 1024

/* The buffer to which a line is appended. */
struct sink {
	char **text;
	size_t *len, *room;
};

static void
append_line(const struct sink *to, const char *file, unsigned at, const char *kind, const char *fmt,
	va_list ap)
{
	char line[LINE_BYTES], number[16] = "";
	size_t n;

	if (at)
		snprintf(number, sizeof(number), ":%u", at);
	n = (size_t)snprintf(line, sizeof(line), "%.512s%s: %s: ", file, number, kind);
	vsnprintf(line + n, sizeof(line) - n, fmt, ap);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			*p = '?';
	n = strlen(line);
	if (*to->len + n + 2 > *to->room) {
		*to->room = 2 * (*to->len + n + 2);
		*to->text = xrealloc(*to->text, *to->room);
	}
	memcpy(*to->text + *to->len, line, n);
	memcpy(*to->text + *to->len + n, "\n", 2);
	*to->len += n + 1;
}

void
conf_say_error(struct conf_error *e, const char *file, unsigned line, const char *fmt, ...)
{
	struct sink to = { &e->text, &e->text_len, &e->text_room };
	va_list ap;

	e->nerrors++;
	va_start(ap, fmt);
	append_line(&to, file, line, "error", fmt, ap);
	va_end(ap);
}

void
conf_say_warning(struct conf_error *e, const char *file, unsigned line, const char *fmt, ...)
{
	struct sink to = { &e->warnings, &e->warnings_len, &e->warnings_room };
	va_list ap;

	if (++e->nwarnings > CONF_WARNINGS_MAX + 1)
		return;
	if (e->nwarnings > CONF_WARNINGS_MAX)
		fmt = "there are more warnings, which are not shown";
	va_start(ap, fmt);
	append_line(&to, file, line, "warning", fmt, ap);
	va_end(ap);
}

static void
log_lines(const char *text, enum log_level level, const struct log *l)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		log_line(l, level, "conf", "%.*s", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

void
conf_error_log(const struct conf_error *e, const struct log *l)
{
	log_lines(e->warnings, LOG_WARN, l);
	log_lines(e->text, LOG_ERROR, l);
}

void
conf_error_clear(struct conf_error *e)
{
	free(e->text);
	free(e->warnings);
	*e = (struct conf_error)CONF_ERROR_INIT;
}
