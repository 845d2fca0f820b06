/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lines.c - what managers log at the default level, kept for tests.
 * Room: tests.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/scenario/lines.h"
#include "util/xalloc.h"

static void
keep_line(void *arg, enum log_level level, const char *room, const char *line)
{
	struct lines *l = arg;
	size_t len = strlen(line);

	if (l->w->trace || level <= LOG_NOTE)
		printf("# [%.6f] %s: %s\n", (double)l->w->now.us / 1e6, room, line);
	if (level > LOG_NOTE)
		return;
	l->text = xreallocarray(l->text, l->bytes + len + 2, 1);
	memcpy(l->text + l->bytes, line, len);
	memcpy(l->text + l->bytes + len, "\n", 2);
	l->bytes += len + 1;
	l->n++;
}

void
lines_keep(struct lines *l, struct world *w)
{
	memset(l, 0, sizeof(*l));
	l->w = w;
	w->log = (struct log){ LOG_DETAIL, keep_line, l };
}

unsigned
lines_with(const struct lines *l, const char *what)
{
	unsigned n = 0;

	for (const char *at = l->text; at && (at = strstr(at, what)) != NULL; n++)
		if (!(at = strchr(at, '\n')))
			break;
	return n;
}

void
lines_forget(struct lines *l)
{
	free(l->text);
	l->text = NULL;
	l->bytes = l->n = 0;
}

void
lines_clear(struct lines *l)
{
	lines_forget(l);
}
