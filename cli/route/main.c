/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * main.c - the program heddle-route.
 * Room: cli/route.
 */
#include <config.h>
#include "cli/route/run.h"

int
main(int argc, char **argv)
{
	return run_route(argc, argv, stdout, stderr);
}
