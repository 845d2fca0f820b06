/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * error.h - messages about configuration files: lines that name file and line.
 * Room: sm/conf/text.
 *
 * A struct conf_error collects errors and warnings of one load.  say.h appends lines; the caller
 * prints or logs them unchanged.
 */
#ifndef HEDDLE_SM_CONF_TEXT_ERROR_H
#define HEDDLE_SM_CONF_TEXT_ERROR_H

#include <stddef.h>
#include "util/log.h"

/* Maximum number of warnings that one load reports; one further line says that there were more.
 * Errors have no such limit: the file size limits them (CONF_FILE_BYTES_MAX), and parsers of the
 * other files stop at the first error. */
#define CONF_WARNINGS_MAX 10000

/* Whole lines "FILE:LINE: error: ..." or "FILE:LINE: warning: ...", to be printed unchanged.
 * The line number is left out if the message is about the whole file.  For the command line,
 * FILE is "heddled". */
struct conf_error {
	char *text;                     /* errors; owned, NULL when there are none */
	/* as text: keys that have no effect, keys that need a restart */
	char *warnings;
	size_t text_len, text_room, warnings_len, warnings_room;
	unsigned nerrors, nwarnings;    /* include warnings that are not shown */
};

#define CONF_ERROR_INIT { .text = NULL }

void conf_error_clear(struct conf_error *e);
/* Logs each warning, then each error, as a line of its own. */
void conf_error_log(const struct conf_error *e, const struct log *l);

#endif
