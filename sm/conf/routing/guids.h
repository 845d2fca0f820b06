/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guids.h - reads files of GUIDs in OpenSM's format, one GUID per line.
 * Room: sm/conf/routing.
 *
 * Used for the list of root switches (root_guid_file), which operators may bring along from OpenSM.
 * One wrong line does not make a whole list useless, so it is skipped with a warning; a missing
 * file is an error.
 */
#ifndef HEDDLE_SM_CONF_ROUTING_GUIDS_H
#define HEDDLE_SM_CONF_ROUTING_GUIDS_H

#include <stddef.h>
#include <stdint.h>
#include "sm/conf/text/error.h"
#include "util/arena.h"

/* Reads 'path' into an array in 'a', sorted, without duplicates.  Skips empty lines and lines
 * that begin with '#', and ignores the rest of a line after a blank or '#' behind the GUID.  A
 * bad line is skipped with a warning that names file and line.  Returns a negative errno if the
 * file cannot be read; e->text gives the reason. */
int conf_guids_read(
	const char *path, struct arena *a, const uint64_t **guids, size_t *n, struct conf_error *e);

#endif
