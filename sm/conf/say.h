/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * say.h - lines added to struct conf_error.
 * Room: conf, private.
 */
#ifndef HEDDLE_SM_CONF_SAY_H
#define HEDDLE_SM_CONF_SAY_H

#include "sm/conf/conf.h"

/* Each adds a line; the newline is added here, control characters become '?'. */
void conf_say_error(struct conf_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void conf_say_warning(struct conf_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
