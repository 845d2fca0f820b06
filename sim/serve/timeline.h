/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * timeline.h - executes a script of faults at its times.
 * Room: sim/serve.
 */
#ifndef HEDDLE_SIM_SERVE_TIMELINE_H
#define HEDDLE_SIM_SERVE_TIMELINE_H

#include "sim/serve/control.h"

/* Reads a script from a file and checks its commands.  0, or a negative errno and a sentence
 * with file and line. */
int timeline_read(const char *file, struct timeline **t, char why[CONTROL_WHY]);
void timeline_free(struct timeline *t);
/* Runs the commands that are due; the first call is time 0.  Failures are reported on standard
 * error, and the script continues. */
void timeline_run(struct server *s, struct monotime now);
/* When the next command is due; false: no more. */
bool timeline_deadline(const struct server *s, struct monotime *at);

#endif
