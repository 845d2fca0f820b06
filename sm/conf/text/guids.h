/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guids.h - files of GUIDs, one a line, as OpenSM has them.
 * Room: sm/conf/text.
 */
#ifndef HEDDLE_SM_CONF_TEXT_GUIDS_H
#define HEDDLE_SM_CONF_TEXT_GUIDS_H

#include <stddef.h>
#include <stdint.h>
#include "sm/conf/text/error.h"
#include "util/arena.h"

/* Reads 'path' into an array in 'a', sorted, each GUID once.  Empty lines and lines that begin with
 * '#' are passed over; after the GUID a line may go on behind a blank or '#'.  A bad line is a
 * warning that names file and line, and is passed over.  Negative errno: the file cannot be read;
 * e->text says so. */
int conf_guids_read(
	const char *path, struct arena *a, const uint64_t **guids, size_t *n, struct conf_error *e);

#endif
