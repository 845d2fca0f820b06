/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * file.h - reads heddled.conf.
 * Room: conf, private.
 */
#ifndef HEDDLE_SM_CONF_FILE_H
#define HEDDLE_SM_CONF_FILE_H

#include "sm/conf/conf.h"
#include "util/arena.h"

/* Sets in 'c' what the file 'path' sets.  A file that is not there is -ENOENT without a word; every
 * other failure has lines in 'e'. */
int conf_file_read(const char *path, struct conf *c, struct arena *a, struct conf_error *e);
/* The same with the 'len' bytes of 'text' for the file's content; 'path' is a name for messages. */
int conf_file_parse(const char *path, const char *text, size_t len, struct conf *c, struct arena *a,
	struct conf_error *e);

#endif
