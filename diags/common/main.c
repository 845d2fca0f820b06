/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * main.c - the main of every diagnostics program; the program itself brings 'diag_tool'.
 * Room: diags.
 */
#include <config.h>
#include "diags/common/tool.h"

int
main(int argc, char **argv)
{
	return diag_main(&diag_tool, argc, argv);
}
