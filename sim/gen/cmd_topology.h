/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_topology.h - `heddle-sim topology SPEC|FILE`.
 * Room: sim/gen.
 *
 * The command shows what `heddle-sim serve` would simulate: it reads a SPEC or a file as gen.h
 * does, and writes ibnetdiscover's format (fabric/topo/topo.h).  It starts no server.
 */
#ifndef HEDDLE_SIM_GEN_CMD_TOPOLOGY_H
#define HEDDLE_SIM_GEN_CMD_TOPOLOGY_H

/*
 * Prints the topology that argv[1] describes or names; argv[0] is "topology".  Returns the
 * program's exit status: 0, 2 for a bad SPEC or FILE or usage (a sentence on stderr), 255 when the
 * output cannot be written.
 */
int sim_cmd_topology(int argc, char **argv);

#endif
