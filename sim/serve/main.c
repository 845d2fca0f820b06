/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * main.c - heddle-sim.
 */
#include <config.h>
#include "sim/serve/sim.h"

int
main(int argc, char **argv)
{
	return sim_main(argc, argv);
}
