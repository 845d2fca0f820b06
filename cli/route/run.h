/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * run.h - the program heddle-route, callable from tests.
 * Room: cli/route (prefixes: the names of the files).
 *
 * heddle-route computes, checks and compares forwarding tables without a fabric: from a topology
 * and optionally from tables in a file.  It sends no datagrams and stores nothing.  Everything
 * except main() is in run_route(), which gets its output files as parameters, so that tests can
 * call it in their own process.
 *
 * A command is a row of 'commands' in run.c and a file cmd_NAME.c.  It opens a scene (scene.h: the
 * topology, whole and after the failures), makes a view of it (view.h: LIDs, tables, verdict), and
 * shows the result twice (tool.h): as text, and as members of the document for --json.
 */
#ifndef HEDDLE_CLI_ROUTE_RUN_H
#define HEDDLE_CLI_ROUTE_RUN_H

#include <stdio.h>

/* Runs one command line (argv[0] is the program's name).  Writes results to 'out' and errors to
 * 'err'.  Returns the exit status. */
int run_route(int argc, char **argv, FILE *out, FILE *err);

#endif
