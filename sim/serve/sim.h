/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sim.h - the subcommands of heddle-sim.  Each gets its own name in argv[0] and returns the exit
 * status.
 * Room: sim/serve.
 */
#ifndef HEDDLE_SIM_SERVE_SIM_H
#define HEDDLE_SIM_SERVE_SIM_H

int sim_main(int argc, char **argv);
int sim_cmd_serve(int argc, char **argv);
int sim_cmd_exec(int argc, char **argv);
int sim_cmd_ctl(int argc, char **argv);

#endif
