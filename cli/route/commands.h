/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * commands.h - the commands of heddle-route, one function each, for the table in run.c.
 * Room: cli/route.  Private to the room.
 *
 * Each returns the exit status: 0; 1 if routing is refused or the verifier rejects the tables; or
 * that of a reported failure.
 */
#ifndef HEDDLE_CLI_ROUTE_COMMANDS_H
#define HEDDLE_CLI_ROUTE_COMMANDS_H

#include "cli/route/tool.h"

int cmd_plan(struct tool *t);
int cmd_verify(struct tool *t);
int cmd_score(struct tool *t);
int cmd_diff(struct tool *t);
int cmd_whatif(struct tool *t);
int cmd_explain(struct tool *t);

#endif
