/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * world.h - managers and a simulated fabric in one process, under a virtual clock.
 * Room: tests.  One seed, one run; time passes only in world_run().
 */
#ifndef HEDDLE_TESTS_SCENARIO_WORLD_H
#define HEDDLE_TESTS_SCENARIO_WORLD_H

#include "fabric/topo.h"
#include "sim/hw/hw.h"
#include "sm/daemon/manager.h"

#define WORLD_MANAGERS_MAX 4

struct world_manager {
	struct manager *m;              /* NULL: killed */
	struct conf *conf;
	uint32_t node;
	uint8_t port;
	uint64_t smps;                  /* requests it sent */
	uint64_t sets;                  /* of them Sets */
	uint64_t lft_sets;
	unsigned reports;               /* sweeps ended */
};

struct world {
	struct topo topo;
	struct hw *hw;
	struct monotime now;
	struct world_manager sm[WORLD_MANAGERS_MAX];
	unsigned nsm;
	int64_t latency_us;
	bool trace;
};

void world_init(struct world *w, const char *spec, uint64_t seed);
void world_clear(struct world *w);
/* Starts a manager on a host (by description; NULL: the first) with 'args' like a command line ("-p", "3", NULL). */
struct world_manager *world_manager_start(struct world *w, const char *host, const char *const *args);
/* As kill -9: its IsSM goes with it. */
void world_manager_kill(struct world *w, struct world_manager *s);
/* Lets time pass. */
void world_run(struct world *w, int64_t us);
/* Lets time pass until the manager has ended 'n' more sweeps, 'limit_us' at most; false: it has not. */
bool world_run_sweeps(struct world *w, struct world_manager *s, unsigned n, int64_t limit_us);

/* Everything linked is ACTIVE, LIDs unique, no walk lost; prints what is wrong. */
bool world_is_right(struct world *w);

#endif
