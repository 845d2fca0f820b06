/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * say.h - appends lines to a struct conf_error.
 * Room: sm/conf/text.
 *
 * Every parser of the configuration reports through these two functions, so that all messages have
 * the same form. They only add the line: whether the configuration is rejected is decided by the
 * errno that the parser returns.
 */
#ifndef HEDDLE_SM_CONF_TEXT_SAY_H
#define HEDDLE_SM_CONF_TEXT_SAY_H

#include "sm/conf/text/error.h"

/* 'file' for messages about the command line, or about no single file */
#define CONF_COMMAND_LINE "heddled"

/* Each appends a line "FILE:LINE: error: ..." or "... warning: ..."; with 'line' 0, "FILE:
 * error: ...". Adds the newline, and replaces control characters with '?'. */
void conf_say_error(struct conf_error *e, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void conf_say_warning(struct conf_error *e, const char *file, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
