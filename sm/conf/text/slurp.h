/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * slurp.h - all of a file at once.
 * Room: sm/conf/text.
 */
#ifndef HEDDLE_SM_CONF_TEXT_SLURP_H
#define HEDDLE_SM_CONF_TEXT_SLURP_H

#include <stddef.h>

struct conf_error;

/* The content of 'file', '*len' bytes, malloc'd: 0, or a negative errno and nothing (-EFBIG above
 * 64 MiB).  'e' says why, but for -ENOENT: what it means that there is no file, the caller
 * knows. */
int conf_slurp(const char *file, char **text, size_t *len, struct conf_error *e);

#endif
