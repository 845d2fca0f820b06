/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * main.c - main() of heddle-sim; sim.c has the program, so that tests can link it.
 * Room: sim/serve.
 */
#include <config.h>
#include "sim/serve/sim.h"

int
main(int argc, char **argv)
{
	return sim_main(argc, argv);
}
