/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * heddlectl.h - the program heddlectl, callable from tests.
 * Room: cli.
 */
#ifndef HEDDLE_CLI_HEDDLECTL_H
#define HEDDLE_CLI_HEDDLECTL_H

#include <stdio.h>

/* Runs one command line.  Answers go to 'out', errors to 'err'.  Returns the exit status. */
int heddlectl_run(int argc, char **argv, FILE *out, FILE *err);

#endif
