/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * slurp.h - reads a whole file.
 * Room: sm/conf/text.
 *
 * Parsers work on the complete text of a file, never on a stream. The limit protects against a path
 * that names something endless, such as a device.
 */
#ifndef HEDDLE_SM_CONF_TEXT_SLURP_H
#define HEDDLE_SM_CONF_TEXT_SLURP_H

#include <stddef.h>

struct conf_error;

/* Reads 'file' into '*text' ('*len' bytes, malloc'ed).  Returns 0 or a negative errno (-EFBIG
 * above 64 MiB).  'e' gets a message except for -ENOENT, which the caller interprets. */
int conf_slurp(const char *file, char **text, size_t *len, struct conf_error *e);

#endif
