/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * say.c - lines added to struct conf_error.
 * Room: conf.  Pure.
 */
#include <config.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/say.h"
#include "util/xalloc.h"

#define LINE_BYTES 1024

static void
add(char **text, const char *fmt, va_list ap)
{
	char line[LINE_BYTES];
	size_t have = *text ? strlen(*text) : 0, n;

	vsnprintf(line, sizeof(line), fmt, ap);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			*p = '?';
	n = strlen(line);
	*text = xrealloc(*text, have + n + 2);
	memcpy(*text + have, line, n);
	memcpy(*text + have + n, "\n", 2);
}

void
conf_say_error(struct conf_error *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(&e->text, fmt, ap);
	va_end(ap);
}

void
conf_say_warning(struct conf_error *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(&e->warnings, fmt, ap);
	va_end(ap);
}

void
conf_error_clear(struct conf_error *e)
{
	free(e->text);
	free(e->warnings);
	*e = (struct conf_error)CONF_ERROR_INIT;
}
