/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * log.c - formats a line and passes it to the sink.
 * Room: util.  Lines longer than LINE_BYTES are cut; control characters from the network
 * are replaced by '?', so that a node's description cannot write to a terminal.
 */
#include <config.h>
#include <stdarg.h>
#include <stdio.h>
#include "util/log.h"

#define LINE_BYTES 1024

void
log_line(const struct log *l, enum log_level level, const char *room, const char *fmt, ...)
{
	char line[LINE_BYTES];
	va_list ap;

	if (!l || !l->emit || level > l->max)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < 32 || (unsigned char)*c == 127)
			*c = '?';
	l->emit(l->arg, level, room, line);
}
