/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * heddlectl_main.c - the program heddlectl.
 * Room: cli.
 */
#include <config.h>
#include "cli/heddlectl.h"

int
main(int argc, char **argv)
{
	return heddlectl_run(argc, argv, stdout, stderr);
}
