/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * main.c - the main of every diagnostics program; the program itself defines 'diag_tool'.
 * Room: diags/tools.  Hands the room that asks (diags/ask) to the one that runs tools (diags/core).
 */
#include <config.h>
#include "diags/ask/asking.h"
#include "diags/core/tool.h"

int
main(int argc, char **argv)
{
	return diag_main(&diag_tool, &diag_asking_ports, argc, argv);
}
