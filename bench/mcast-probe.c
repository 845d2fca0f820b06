/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast-probe.c - measures multicast trees without a fabric: many groups at once, joins one by one,
 * the next plan, and the verifier.
 * Room: bench.  For profiling; not installed.
 *
 * Usage: mcast-probe SPEC ENGINE GROUPS MEMBERS.  Prints one JSON object: *_s are seconds of CPU.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "fabric/verify/verify_trees.h"
#include "sim/gen/gen.h"
#include "sm/plan/lid.h"
#include "sm/mcast/mcast.h"
#include "sm/route/route.h"
#include "util/xalloc.h"

struct probe {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables f;
	struct route_report r;
	struct verify_in unicast;
	struct mcast_leaf *leaves;
	struct verify_member *members;
	struct verify_tree *trees;
	uint32_t groups, size, beyond;
};

static double
cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint32_t
draw(uint32_t *state)
{
	*state = *state * 1103515245u + 12345;
	return *state >> 8;
}

/* Members at random; a port may be drawn twice, as a port with an alias is. */
static void
draw_groups(struct probe *p)
{
	uint32_t *ends = xcalloc(p->s->nports + 1u, sizeof(*ends)), n = 0, state = 1;

	for (uint32_t i = 0; i < p->s->nports; i++)
		if (snapshot_is_endport(p->s, &p->s->ports[i]) && p->s->ports[i].peer != FAB_NONE &&
		    !fab_is_switch(&p->s->nodes[p->s->ports[i].node]))
			ends[n++] = i;
	p->leaves = xcalloc((size_t)p->groups * p->size + 1, sizeof(*p->leaves));
	p->members = xcalloc((size_t)p->groups * p->size + 1, sizeof(*p->members));
	p->trees = xcalloc(p->groups + 1u, sizeof(*p->trees));
	for (size_t i = 0; n && i < (size_t)p->groups * p->size; i++) {
		p->leaves[i] = (struct mcast_leaf){ ends[draw(&state) % n], true, false };
		p->members[i] = (struct verify_member){ p->leaves[i].port, true };
	}
	for (uint32_t i = 0; i < p->groups; i++)
		p->trees[i] = (struct verify_tree){ (uint16_t)(MLID_FIRST + i), 1,
			p->members + (size_t)i * p->size, p->size };
	free(ends);
}

static bool
route(struct probe *p, const char *engine)
{
	struct lid_conf lc = { .lmc = 0 };
	struct lid_report lr;
	struct route_in in = { .snapshot = p->s, .lids = &p->lids, .vls = 8 };
	const struct route_engine *e;
	char why[256];

	e = route_find(engine, why, sizeof(why));
	if (!e || plan_lids(p->s, NULL, &lc, &p->arena, &p->lids, &lr) < 0 ||
	    e->run(&in, &p->arena, &p->f, &p->r) != ROUTE_OK) {
		fprintf(stderr, "mcast-probe: %s\n", e ? p->r.sentence : why);
		return false;
	}
	p->unicast = (struct verify_in){
		.snapshot = p->s, .lids = &p->lids, .tables = &p->f, .scope = e->scope
	};
	return true;
}

static struct mcast_plan *
make_plan(struct probe *p, const struct mcast_plan *before)
{
	struct arena a = ARENA_INIT;
	struct chan_graph g;
	struct mcast_spans_in in = { .s = p->s, .rank = p->r.rank, .lanes = p->f.lanes, .sls = 1,
		.before = before ? plan_mcast_spans(before) : NULL };
	struct mcast_plan *m;

	if (!in.rank && verify_unicast_graph(&p->unicast, NULL, &g, &a))
		in.unicast = &g;
	m = plan_mcast_new(&in, &p->arena);
	plan_mcast_prepare(m);
	arena_clear(&a);
	return m;
}

static void
plan_groups(struct probe *p, struct mcast_plan *m, uint32_t size)
{
	for (uint32_t i = 0; i < p->groups; i++)
		p->beyond += plan_mcast_group(m, (uint16_t)(MLID_FIRST + i),
			p->leaves + (size_t)i * p->size, size);
}

static const uint8_t *
row_of(const void *m, uint32_t sw, uint32_t row)
{
	return plan_mcast_row(m, sw, row);
}

static void
run(struct probe *p, const char *spec, const char *engine)
{
	struct verify_trees_in in = { .unicast = p->unicast, .row = row_of, .trees = p->trees,
		.ntrees = p->groups };
	struct verify_trees_result r;
	struct mcast_plan *m, *next;
	double t[6];

	t[0] = cpu_seconds();
	m = make_plan(p, NULL);
	t[1] = cpu_seconds();
	plan_groups(p, m, p->size);
	t[2] = cpu_seconds();
	plan_groups(p, m, p->size - 1); /* the last leaves, and joins again */
	plan_groups(p, m, p->size);
	t[3] = cpu_seconds();
	next = make_plan(p, m);
	t[4] = cpu_seconds();
	in.rows = m;
	verify_trees(&in, &r);
	t[5] = cpu_seconds();
	printf("{\"spec\": \"%s\", \"engine\": \"%s\", \"groups\": %u, \"members\": %u, "
	       "\"spans\": %u, \"lacking\": %u, \"spans_s\": %.6f, \"groups_s\": %.6f, "
	       "\"changes\": %u, \"changes_s\": %.6f, \"next_spans_s\": %.6f, \"dropped\": %u, "
	       "\"verify_s\": %.6f, \"ok\": %s}\n",
		spec, engine, p->groups, p->size, plan_mcast_spans(m)->n,
		plan_mcast_spans(m)->lacking, t[1] - t[0], t[2] - t[1], 2 * p->groups, t[3] - t[2],
		t[4] - t[3], plan_mcast_spans(next)->dropped, t[5] - t[4], r.ok ? "true" : "false");
	if (!r.ok)
		fprintf(stderr, "mcast-probe: %s\n", r.sentence);
}

static void
let_forward(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nswitches; i++) {
		struct fab_node *n = &s->nodes[s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.mft_cap = 8192;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
}

int
main(int argc, char **argv)
{
	struct probe p = { .arena = ARENA_INIT };
	struct topo_error ge = { "" };
	struct topo t;

	if (argc != 5 || atoi(argv[3]) < 1 || atoi(argv[3]) > 8192 || atoi(argv[4]) < 2 ||
	    atoi(argv[4]) > 8192) {
		fprintf(stderr, "usage: mcast-probe SPEC ENGINE GROUPS MEMBERS\n");
		return 2;
	}
	if (gen_topology(argv[1], &t, &ge) != 0) {
		fprintf(stderr, "mcast-probe: %s\n", ge.text);
		return 2;
	}
	if (topo_to_snapshot(&t, FAB_NONE, 2, &p.s) != 0)
		return 2;
	topo_clear(&t);
	let_forward(p.s);
	p.groups = (uint32_t)atoi(argv[3]);
	p.size = (uint32_t)atoi(argv[4]);
	if (!route(&p, argv[2]))
		return 1;
	draw_groups(&p);
	run(&p, argv[1], argv[2]);
	free(p.leaves);
	free(p.members);
	free(p.trees);
	arena_clear(&p.arena);
	snapshot_free(p.s);
	return 0;
}
