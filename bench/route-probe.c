/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * route-probe.c - measures LID assignment, routing and verification without a fabric.
 * Room: bench.  For profiling; not installed.
 *
 * Usage: route-probe SPEC|FILE ENGINE [LMC [THREADS]].  Prints one JSON object: *_s are seconds of
 * CPU, route_wall_s is how long the engine took.  The intended topology is learned before.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "sim/gen/gen.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "util/pool.h"

struct probe {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct lid_report lr;
	struct fwd_tables f;
	struct route_report r;
	struct verify_result v;
	struct intended *intended;
	double lids_s, learn_s, route_s, route_wall_s, verify_s;
};

static double
clock_seconds(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
cpu_seconds(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void
probe_print(const char *spec, const struct probe *p)
{
	struct rusage use;
	json_t *j;

	getrusage(RUSAGE_SELF, &use);
	j = json_pack(
		"{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:I, s:I, s:I, s:o}",
		"fabric", spec, "engine", p->r.engine, "code", route_code_text(p->r.code),
		"sentence", p->r.sentence,
		"switches", (int)p->s->nswitches, "hosts", (int)p->s->nhosts, "lids",
		(int)p->lr.lids,
		"lids_s", p->lids_s, "learn_s", p->learn_s, "route_s", p->route_s, "route_wall_s",
		p->route_wall_s, "verify_s", p->verify_s,
		"peak_rss_kib", (int)use.ru_maxrss, "roots", (int)p->r.nroots, "completed",
		(json_int_t)p->r.completed,
		"declared", (json_int_t)p->r.declared, "unreachable", (json_int_t)p->r.unreachable,
		"verify", p->r.code == ROUTE_OK ? verify_to_json(p->s, &p->v) : json_null());
	json_dumpf(j, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(j);
}

static int
probe_run(struct probe *p, const struct route_engine *e, uint8_t lmc,
	const struct stripes *stripes)
{
	struct lid_conf lc = { .lmc = lmc };
	struct route_in in = { .snapshot = p->s, .lids = &p->lids, .stripes = stripes };
	double at = cpu_seconds(), now, begin;

	if (plan_lids(p->s, NULL, &lc, &p->arena, &p->lids, &p->lr) != 0) {
		fprintf(stderr, "route-probe: %" PRIu32 " LIDs are needed\n", p->lr.needed);
		return 2;
	}
	now = cpu_seconds();
	p->lids_s = now - at;
	in.intended = p->intended = intended_learn(p->s, NULL);
	p->learn_s = cpu_seconds() - now;
	begin = clock_seconds(CLOCK_MONOTONIC);
	now = cpu_seconds();
	e->run(&in, &p->arena, &p->f, &p->r);
	p->route_wall_s = clock_seconds(CLOCK_MONOTONIC) - begin;
	at = cpu_seconds();
	p->route_s = at - now;
	if (p->r.code != ROUTE_OK)
		return 1;
	verify_tables(p->s, &p->lids, &p->f, e->scope, &p->v);
	p->verify_s = cpu_seconds() - at;
	return p->v.ok ? 0 : 1;
}

int
main(int argc, char **argv)
{
	struct probe p = { .arena = ARENA_INIT };
	struct topo_error te = { "" };
	const struct route_engine *e;
	struct pool *pool;
	struct topo t;
	int status;

	if (argc < 3 || argc > 5 || !(e = route_find(argv[2], te.text, sizeof(te.text)))) {
		fprintf(stderr, "usage: route-probe SPEC|FILE ENGINE [LMC [THREADS]]\n%s\n", te.text);
		return 2;
	}
	if (gen_or_read(argv[1], &t, &te) != 0) {
		fprintf(stderr, "route-probe: %s\n", te.text);
		return 2;
	}
	if (topo_to_snapshot(&t, FAB_NONE, 2, &p.s) != 0)
		return 2;
	topo_clear(&t);
	pool = pool_new(argc > 4 ? (unsigned)atoi(argv[4]) : 1);
	status = probe_run(&p, e, (uint8_t)(argc > 3 ? atoi(argv[3]) : 0), pool_stripes(pool));
	pool_free(pool);
	if (status < 2)
		probe_print(argv[1], &p);
	intended_free(p.intended);
	arena_clear(&p.arena);
	snapshot_free(p.s);
	return status;
}
