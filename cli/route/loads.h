/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loads.h - pictures of a view: each link coloured by its share of the highest load.
 * Room: cli/route.
 *
 * The load of a port is the number of paths that leave by it when all hosts send to all
 * (fabric/score).  A link has the load of its busier direction.
 */
#ifndef HEDDLE_CLI_ROUTE_LOADS_H
#define HEDDLE_CLI_ROUTE_LOADS_H

#include "cli/route/view.h"

/* Draws 'v' in the form of 't' (TOOL_DOT or TOOL_SVG) to t->out. */
void loads_draw(struct tool *t, const struct view *v);

#endif
