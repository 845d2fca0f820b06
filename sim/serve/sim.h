/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sim.h - the subcommands of heddle-sim.
 * Room: sim/serve.
 *
 * sim_main() finds the subcommand by its word and calls it.  `topology` is in
 * sim/gen/cmd_topology.h.  Each function gets its own name in argv[0] and returns the program's
 * exit status.
 */
#ifndef HEDDLE_SIM_SERVE_SIM_H
#define HEDDLE_SIM_SERVE_SIM_H

/* Runs the subcommand that argv[1] names. */
int sim_main(int argc, char **argv);
/* Serves a simulated fabric until SIGTERM or SIGINT. */
int sim_cmd_serve(int argc, char **argv);
/* Runs a program as if on a node of a simulated fabric. */
int sim_cmd_exec(int argc, char **argv);
/* Sends a command to a running server and prints the reply. */
int sim_cmd_ctl(int argc, char **argv);

#endif
