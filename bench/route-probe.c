/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * route-probe.c - measures LID assignment, routing and verification without a fabric, and the load of
 * all hosts sending to all.
 * Room: bench.  For profiling; not installed.
 *
 * Usage: route-probe SPEC|FILE ENGINE [LMC [THREADS [VLS]]].  Prints one JSON object: *_s are seconds of
 * CPU, route_wall_s is how long the engine took.  The intended topology is learned before.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Of all paths between hosts: those over the busiest switch port, and over all of them. */
struct a2a {
	uint64_t most, sum, ports;
};

/* Adds the paths of all hosts to 'lid' to load[], by port; the tables have no loop.  'sources'
 * and 'waits' are scratch per switch, 'ready' a queue. */
static void
a2a_column(const struct probe *p, uint16_t lid, uint64_t *load, uint64_t *sources, uint32_t *waits,
	uint32_t *ready)
{
	const struct snapshot *s = p->s;
	uint32_t nready = 0;

	memset(waits, 0, s->nswitches * sizeof(*waits));
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t sw = 0; sw < s->nswitches; sw++) {
			const struct fab_node *n = &s->nodes[s->switches[sw]];
			uint8_t out = fwd_row(&p->f, sw)[lid];
			uint32_t peer = out <= n->nports ? s->ports[n->first_port + out].peer : FAB_NONE;

			if (pass && !waits[sw])
				ready[nready++] = sw;
			if (pass || peer == FAB_NONE || s->nodes[s->ports[peer].node].sw == FAB_NONE)
				continue;
			waits[s->nodes[s->ports[peer].node].sw]++;
		}
	for (uint32_t i = 0; i < nready; i++) {
		const struct fab_node *n = &s->nodes[s->switches[ready[i]]];
		uint8_t out = fwd_row(&p->f, ready[i])[lid];
		uint32_t peer = out <= n->nports ? s->ports[n->first_port + out].peer : FAB_NONE, to;

		if (peer == FAB_NONE || (to = s->nodes[s->ports[peer].node].sw) == FAB_NONE)
			continue;
		load[n->first_port + out] += sources[ready[i]];
		sources[to] += sources[ready[i]];
		if (--waits[to] == 0)
			ready[nready++] = to;
	}
}

static struct a2a
a2a_measure(struct probe *p)
{
	const struct snapshot *s = p->s;
	uint64_t *load = arena_array(&p->arena, s->nports, sizeof(*load));
	uint64_t *hosts = arena_array(&p->arena, s->nswitches, sizeof(*hosts));
	uint64_t *sources = arena_array(&p->arena, s->nswitches, sizeof(*sources));
	uint32_t *waits = arena_array(&p->arena, s->nswitches, sizeof(*waits));
	uint32_t *ready = arena_array(&p->arena, s->nswitches, sizeof(*ready));
	struct a2a r = { 0 };

	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[i].node]))
			hosts[s->nodes[s->ports[s->ports[i].peer].node].sw]++;
	for (uint32_t lid = 1; lid <= p->lids.top; lid++) {
		uint32_t owner = p->lids.owner[lid];

		if (owner == FAB_NONE || fab_is_switch(&s->nodes[s->ports[owner].node]))
			continue;
		memcpy(sources, hosts, s->nswitches * sizeof(*sources));
		a2a_column(p, (uint16_t)lid, load, sources, waits, ready);
	}
	for (uint32_t i = 0; i < s->nports; i++) {
		if (s->ports[i].peer == FAB_NONE || !fab_is_switch(&s->nodes[s->ports[i].node]) ||
		    !fab_is_switch(&s->nodes[s->ports[s->ports[i].peer].node]))
			continue;
		r.most = load[i] > r.most ? load[i] : r.most;
		r.sum += load[i];
		r.ports++;
	}
	return r;
}

static void
probe_print(const char *spec, struct probe *p)
{
	struct a2a load = p->r.code == ROUTE_OK && !p->v.loops ? a2a_measure(p) : (struct a2a){ 0 };
	struct rusage use;
	json_t *j;

	getrusage(RUSAGE_SELF, &use);
	j = json_pack(
		"{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:I, s:I, s:I, "
		"s:I, s:f, s:o}",
		"fabric", spec, "engine", p->r.engine, "code", route_code_text(p->r.code),
		"sentence", p->r.sentence,
		"switches", (int)p->s->nswitches, "hosts", (int)p->s->nhosts, "lids",
		(int)p->lr.lids,
		"lids_s", p->lids_s, "learn_s", p->learn_s, "route_s", p->route_s, "route_wall_s",
		p->route_wall_s, "verify_s", p->verify_s,
		"peak_rss_kib", (int)use.ru_maxrss, "roots", (int)p->r.nroots, "completed",
		(json_int_t)p->r.completed,
		"declared", (json_int_t)p->r.declared, "unreachable", (json_int_t)p->r.unreachable,
		"a2a_max", (json_int_t)load.most, "a2a_max_mean",
		load.sum ? (double)load.most * (double)load.ports / (double)load.sum : 0.0,
		"verify", p->r.code == ROUTE_OK ? verify_to_json(p->s, &p->v) : json_null());
	json_dumpf(j, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(j);
}

static int
probe_run(struct probe *p, const struct route_engine *e, uint8_t lmc, uint8_t vls,
	const struct stripes *stripes)
{
	struct lid_conf lc = { .lmc = lmc };
	struct route_in in = { .snapshot = p->s, .lids = &p->lids, .vls = vls, .stripes = stripes };
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

	if (argc < 3 || argc > 6 || !(e = route_find(argv[2], te.text, sizeof(te.text)))) {
		fprintf(stderr, "usage: route-probe SPEC|FILE ENGINE [LMC [THREADS [VLS]]]\n%s\n", te.text);
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
	status = probe_run(&p, e, (uint8_t)(argc > 3 ? atoi(argv[3]) : 0),
		(uint8_t)(argc > 5 ? atoi(argv[5]) : 8), pool_stripes(pool));
	pool_free(pool);
	if (status < 2)
		probe_print(argv[1], &p);
	intended_free(p.intended);
	arena_clear(&p.arena);
	snapshot_free(p.s);
	return status;
}
