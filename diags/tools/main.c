/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * main.c - main() of every diagnostics program; the program itself defines 'diag_tool'.
 * Room: diags/tools. It connects diags/ask, which sends requests, with diags/core, which runs
 * tools.
 */
#include <config.h>
#include "diags/ask/asking.h"
#include "diags/core/tool.h"

int
main(int argc, char **argv)
{
	return diag_main(&diag_tool, &diag_asking_ports, argc, argv);
}
