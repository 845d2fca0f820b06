/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * error.h - what is wrong in configuration files: lines that name file and line.
 * Room: sm/conf/text.  Filled by say.h; printed or logged as they are.
 */
#ifndef HEDDLE_SM_CONF_TEXT_ERROR_H
#define HEDDLE_SM_CONF_TEXT_ERROR_H

#include <stddef.h>
#include "util/log.h"

/* Warnings that one load reports; one further line says that there were more.  Errors have no such
 * limit: the file that they are about has one (CONF_FILE_BYTES_MAX), and files of another grammar
 * end at their first error. */
#define CONF_WARNINGS_MAX 10000

/* What went wrong: whole lines "FILE:LINE: error: ..." or "FILE:LINE: warning: ...", to be printed
 * as they are.  Without a line where it is about the whole file; the command line has the name
 * "heddled" for FILE. */
struct conf_error {
	char *text;                     /* errors; owned, NULL when there are none */
	/* as text: known keys that do nothing here, keys that need a restart */
	char *warnings;
	size_t text_len, text_room, warnings_len, warnings_room;
	unsigned nerrors, nwarnings;    /* warnings that are not shown count, too */
};

#define CONF_ERROR_INIT { .text = NULL }

void conf_error_clear(struct conf_error *e);
/* Logs each warning, then each error, as a line of its own. */
void conf_error_log(const struct conf_error *e, const struct log *l);

#endif
