/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * heddlectl.h - the program heddlectl, callable from tests.
 * Room: cli.
 *
 * heddlectl makes calls of io.heddle.Manager (sm/ctl) on heddled's control socket, by ctlclient,
 * and prints the reply as JSON or as text (show.h).  It has no state of its own and never sends a
 * MAD. Everything but main() is in heddlectl_run(), with its output as parameters, so that tests
 * call it in their own process.
 */
#ifndef HEDDLE_CLI_HEDDLECTL_H
#define HEDDLE_CLI_HEDDLECTL_H

#include <stdio.h>

/* Runs one command line (argv[0] is the program's name).  Writes replies to 'out' and errors to
 * 'err'.  Blocks until the reply or a time-out.  Returns the exit status. */
int heddlectl_run(int argc, char **argv, FILE *out, FILE *err);

#endif
