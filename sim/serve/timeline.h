/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * timeline.h - executes a script of faults at its times.
 * Room: sim/serve.
 *
 * A script (`heddle-sim serve --faults`) is a list of times and commands; sim/script parses it, and
 * the commands are those of `heddle-sim ctl` (commands.c).  The event loop sleeps no longer than
 * timeline_deadline() says and then calls timeline_run().  Unknown commands and wrong numbers
 * of arguments are found when the script is read; other failures are reported when a command runs.
 */
#ifndef HEDDLE_SIM_SERVE_TIMELINE_H
#define HEDDLE_SIM_SERVE_TIMELINE_H

#include "sim/serve/control.h"

/* Reads a script from a file and checks its commands.  Returns 0 and '*t', which timeline_free()
 * frees, or a negative errno and a sentence with file and line. */
int timeline_read(const char *file, struct timeline **t, char why[CONTROL_WHY]);
void timeline_free(struct timeline *t);
/* Runs the commands that are due; the first call is time 0.  Failures are reported on standard
 * error, and the script continues. */
void timeline_run(struct server *s, struct monotime now);
/* Stores in '*at' when the next command is due.  False: there is none. */
bool timeline_deadline(const struct server *s, struct monotime *at);

#endif
