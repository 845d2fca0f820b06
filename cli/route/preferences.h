/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * preferences.h - options of engines: the files of GUIDs, weights and tables of heddled.conf.
 * Room: cli/route.
 *
 * heddled passes over what it does not understand or find, because a fabric must be routed.  Here
 * somebody waits for the answer, so the first such line is a failure.
 */
#ifndef HEDDLE_CLI_ROUTE_PREFERENCES_H
#define HEDDLE_CLI_ROUTE_PREFERENCES_H

#include "cli/route/scene.h"

/* Reads the files that the options name into c->files and c->conf.  0, or the status of a reported
 * failure. */
int preferences_read(struct tool *t, struct scene *c);
/* Whether the topology, and what is intended, have what the files name. */
int preferences_check(struct tool *t, const struct scene *c);

#endif
