/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * timeline.h - does what a script of faults says, at its times.
 * Room: sim/serve.
 */
#ifndef HEDDLE_SIM_SERVE_TIMELINE_H
#define HEDDLE_SIM_SERVE_TIMELINE_H

#include "sim/serve/control.h"

/* Reads the script of a file and looks at its commands.  0, or a negative errno and a sentence
 * with file and line. */
int timeline_read(const char *file, struct timeline **t, char why[CONTROL_WHY]);
void timeline_free(struct timeline *t);
/* Runs what is due; the first call is time 0.  What fails is said on standard error, and the
 * rest goes on. */
void timeline_run(struct server *s, struct monotime now);
/* When the next is due; false: no more. */
bool timeline_deadline(const struct server *s, struct monotime *at);

#endif
