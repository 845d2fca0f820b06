/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topology.c - the topology command as a program of its own, for the system tests.
 */
#include <config.h>
#include "sim/gen/cmd_topology.h"

int
main(int argc, char **argv)
{
	return sim_cmd_topology(argc, argv);
}
