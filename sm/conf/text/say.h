/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * say.h - lines added to struct conf_error.
 * Room: sm/conf/text.
 */
#ifndef HEDDLE_SM_CONF_TEXT_SAY_H
#define HEDDLE_SM_CONF_TEXT_SAY_H

#include "sm/conf/text/error.h"

/* the 'file' of what is about the command line, or about no file alone */
#define CONF_COMMAND_LINE "heddled"

/* Each adds a line "FILE:LINE: error: ..." or "... warning: ..."; 'line' 0: "FILE: error: ...".
 * The newline is added here, control characters become '?'. */
void conf_say_error(struct conf_error *e, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void conf_say_warning(struct conf_error *e, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
