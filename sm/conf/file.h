/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * file.h - reads heddled.conf.
 * Room: conf, private.
 *
 * libconfuse parses the syntax; options.def (table.h) checks the values.  A reader reports all
 * faults of a file, not only the first.
 */
#ifndef HEDDLE_SM_CONF_FILE_H
#define HEDDLE_SM_CONF_FILE_H

#include "sm/conf/conf.h"
#include "util/arena.h"

/* Writes the values of the file 'path' to 'c'.  A missing file is -ENOENT without a message;
 * every other failure has lines in 'e'. */
int conf_file_read(const char *path, struct conf *c, struct arena *a, struct conf_error *e);
/* Parses the 'len' bytes of 'text' as file content; 'path' is only a name for messages. */
int conf_file_parse(const char *path, const char *text, size_t len, struct conf *c, struct arena *a,
	struct conf_error *e);

#endif
