/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score.h - how good a set of forwarding tables is: loads of links, bandwidth, path lengths.
 * Room: fabric/score.  Pure; integers only; equal input gives equal output for any number of
 * stripes.  Description: docs/routing.md.
 *
 * The load of a port is the number of paths that leave a switch by it towards another switch.
 * Links to hosts are not counted: no routing can change their loads.  A path leads from one host
 * port to the base LID of another; the path of the replies is that of the opposite pair and is not
 * counted twice.  Four patterns show the effect of the loads:
 *
 *   A2A   all hosts send to all others.  The highest load divided by the mean load shows what a
 *         busy fabric loses because of uneven loads.
 *   SP    shift permutations: host i sends to host i + n, in the given order of hosts.  Collective
 *         operations consist of them; 1 is ideal where the fabric has constant bisection.
 *   RP    random permutations with the seeds 1 to N of a fixed generator.
 *   EBB   effective bisection bandwidth: random halves of the hosts send to each other in pairs,
 *         and each pair gets 1 / (highest load on its path) of the bandwidth of a link.  The mean
 *         over all pairs and matchings, in millionths of the bandwidth of a link.
 *
 * Where to look next: score_moves.h compares two sets of tables.
 */
#ifndef HEDDLE_FABRIC_SCORE_SCORE_H
#define HEDDLE_FABRIC_SCORE_SCORE_H

#include "fabric/snapshot/tables.h"
#include "util/stripes.h"

#define SCORE_HOPS_MAX 64               /* links between switches on one path */
#define SCORE_LEVELS_MAX 32

struct score_in {
	const struct snapshot *snapshot;
	const struct lid_map *lids;
	const struct fwd_tables *tables;
	/* port indices of the hosts, in the order of the shift permutations; hosts without a LID or
	 * a switch are left out.  NULL: leaves in leaf order, hosts of a leaf by switch port */
	const uint32_t *hosts;
	uint32_t nhosts;
	/* by switch ordinal: the level of the switch; NULL: hops from the nearest switch with
	 * hosts */
	const uint16_t *level;
	/* shift permutations to try, spread over all of them; as many as there are hosts, or more:
	 * all.  0: none */
	uint32_t shifts;
	uint32_t permutations;          /* random permutations; 0: none */
	uint32_t matchings;             /* matchings for EBB; 0: none */
	const struct stripes *stripes;  /* NULL: one thread */
};

/* The highest loads of many permutations. */
struct score_perms {
	uint32_t n;                     /* permutations that were tried */
	uint32_t max;                   /* the highest load of any of them */
	uint32_t worst;                 /* the first that has it: the shift or the seed; 0: none */
	uint64_t sum;                   /* of the highest load of each */
};

/* All ports from switches of one level to switches of another. */
struct score_level {
	uint16_t from, to;
	uint32_t ports;
	uint32_t min, max;              /* A2A loads */
	uint64_t sum;
};

struct score_result {
	uint32_t switches, hosts;
	uint32_t ports;                 /* switch ports that lead to another switch */
	uint32_t vls;                   /* data VLs that the routing uses */
	uint64_t pairs, unreachable;    /* ordered pairs of hosts; those without a path */

	uint32_t a2a_max;
	uint32_t a2a_port;              /* the first port that has it; FAB_NONE */
	uint64_t a2a_sum;               /* over all 'ports' */
	uint32_t *a2a;                  /* by snapshot port index; owned by the arena */

	struct score_perms shift, rp;
	uint32_t matchings;
	uint32_t ebb_ppm;               /* mean */
	uint32_t ebb_error_ppm;         /* half of the 95 % interval of the mean */

	/* pairs by the number of links between switches on their path; the last one: or more */
	uint64_t hops[SCORE_HOPS_MAX + 1];
	uint64_t hops_sum;
	uint64_t shortest_sum;          /* of the same pairs, if all took shortest paths */

	/* by 'from', then 'to'; pairs of levels beyond SCORE_LEVELS_MAX are left out */
	struct score_level levels[SCORE_LEVELS_MAX];
	uint32_t nlevels;
};

/* Scores the tables; cannot fail on a sealed snapshot.  Arrays in 'r' are owned by 'a'. */
void score_tables(const struct score_in *in, struct arena *a, struct score_result *r);
/* {shift_max, a2a_max, rp_max, ebb, vls, hops, ...}: owned by the caller. */
json_t *score_to_json(const struct snapshot *s, const struct score_result *r);

#endif
