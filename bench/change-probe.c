/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * change-probe.c - measures what a manager computes after a failure, without a fabric: routes again,
 * the proof, blocks that differ, the order of their writes, the disruption.
 * Room: bench.  For profiling; not installed.
 *
 * Usage: change-probe SPEC|FILE ENGINE [THREADS [ROUNDS [LOSS]]].  A link between switches, a switch
 * without hosts, a leaf and a host are lost one after another, each back before the next; ROUNDS
 * times; with LOSS (link, spine, leaf, host) only that.  Prints one JSON object for each loss and
 * each return: *_ms are milliseconds of CPU.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "fabric/score/score_moves.h"
#include "fabric/snapshot/observed.h"
#include "fabric/snapshot/part.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "sim/gen/gen.h"
#include "sm/diff/diff.h"
#include "sm/route/route.h"
#include "util/pool.h"
#include "util/xalloc.h"

/* What a sweep finds, and what it plans. */
struct view {
	struct snapshot *s;
	struct plan plan;
	struct arena arena;
};

struct probe {
	const struct route_engine *e;
	const struct stripes *stripes;
	struct snapshot *whole;
	struct intended *intended;
	struct route_state *state;
	struct verify_kept *kept;
	struct view was;
	const struct lid_id *ids;       /* of the whole fabric */
	uint32_t nids;
	struct arena arena;
	bool failed;
};

static double
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
view_clear(struct view *v)
{
	plan_drop_tables(&v->plan);
	arena_clear(&v->arena);
	snapshot_free(v->s);
}

/* The tables of the switches are those of the view before. */
static void
take_tables(struct snapshot *s, const struct view *before)
{
	for (uint32_t i = 0; before->s && i < s->nswitches; i++) {
		struct fab_node *n = &s->nodes[s->switches[i]];
		uint32_t node = snapshot_node_by_guid(before->s, n->guid);
		struct switch_info si = switch_info_decode(n->switch_info);

		if (node == FAB_NONE)
			continue;
		si.lft_top = before->plan.fwd.top;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
		n->lft = fwd_row(&before->plan.fwd, before->s->nodes[node].sw);
		n->lft_blocks = before->plan.fwd.top / LFT_BLOCK_BYTES + 1u;
	}
}

/* As sm/planner/inputs.c: the tables before, without a copy where the switches are the same. */
static void
find_previous(const struct view *was, struct view *v, struct fwd_tables *now)
{
	bool same = was->plan.fwd.nswitches == v->s->nswitches &&
		v->plan.lids.top <= was->plan.fwd.top;

	for (uint32_t i = 0; same && i < v->s->nswitches; i++)
		same = v->s->nodes[v->s->switches[i]].lft == fwd_row(&was->plan.fwd, i);
	if (same)
		*now = was->plan.fwd;
	else
		fwd_tables_observed(v->s, &v->plan.lids, &v->arena, now);
}

/* As sm/planner/routes.c. */
static void
note_step(struct view *v, const struct fwd_tables *now, const struct route_report *r)
{
	struct plan_block *b = arena_array(&v->arena, r->nchanged, sizeof(*b));

	fwd_rows_hold(v->plan.fwd.rows);
	if (!r->again || !now->rows)
		return;
	for (uint32_t i = 0; i < r->nchanged; i++)
		b[i] = (struct plan_block){ r->changed[i].sw, r->changed[i].block };
	v->plan.step.from = fwd_rows_hold(now->rows);
	v->plan.step.blocks = b;
	v->plan.step.nblocks = r->nchanged;
}

static void
find_absent(const struct probe *p, struct view *v, struct route_in *in)
{
	struct route_absent *a = arena_array(&v->arena, p->nids, sizeof(*a));

	in->absent = a;
	for (uint32_t i = 0; i < p->nids; i++) {
		uint32_t at = intended_host_find(p->intended, p->ids[i].port_guid), node;
		const struct intended_host *h = at == INTENDED_NONE ? NULL : &p->intended->hosts[at];

		if (!h || snapshot_port_by_guid(v->s, p->ids[i].port_guid) != FAB_NONE)
			continue;
		node = snapshot_node_by_guid(v->s, p->intended->sw[h->sw].guid);
		if (node != FAB_NONE)
			a[in->nabsent++] = (struct route_absent){ p->ids[i].base_lid,
				v->s->nodes[node].sw, h->port };
	}
}

static double
lap(double *at)
{
	double now = cpu_ms(), took = now - *at;

	*at = now;
	return took;
}

static void
make_plan(struct probe *p, struct view *v, bool first)
{
	struct lid_ids stored = { p->ids, p->nids };
	struct lid_conf lc = { .lmc = 0 };
	struct lid_report lr;
	struct lid_ids out;

	if (plan_lids(v->s, first ? NULL : &stored, &lc, &v->arena, &v->plan.lids, &lr) != 0)
		exit(2);
	v->plan.snapshot = v->s;
	v->plan.sm_lid = v->plan.lids.base[v->s->sm_port];
	if (!first)
		return;
	plan_lids_to_store(v->s, &v->plan.lids, NULL, &p->arena, &out);
	p->ids = out.rows;
	p->nids = out.n;
}

static json_t *
order_json(const struct changes *c, uint32_t nblocks)
{
	const struct order_report *r = c->ordered ? &c->ordered->order.report : NULL;

	return r ? json_pack("{s:i, s:i, s:i, s:i, s:I, s:i, s:I, s:b, s:i}", "writes",
			   (int)r->writes, "waves", (int)r->waves, "double", (int)r->double_writes, "cycles",
			   (int)r->mixed_cycles, "drained", (json_int_t)r->drained, "drains",
			   (int)r->drains, "dropped",
			   (json_int_t)r->dropped, "unsafe", r->unsafe, "blocks", (int)nblocks) :
		   json_null();
}

/* The moves between the view before and 'v'. */
static json_t *
moves_json(const struct probe *p, const struct view *v)
{
	struct score_side from = { p->was.s, &p->was.plan.lids, &p->was.plan.fwd };
	struct score_side to = { v->s, &v->plan.lids, &v->plan.fwd };
	struct score_moves m;

	score_moves(&from, &to, p->stripes, &m);
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "entries", (json_int_t)m.entries, "blocks",
		(json_int_t)m.blocks, "needed", (json_int_t)m.blocks_needed, "broken",
		(json_int_t)m.broken, "needless", (json_int_t)m.needless, "restored",
		(json_int_t)m.restored);
}

/* One sweep: 'name' says what happened before it. */
static void
probe_event(struct probe *p, const char *name, struct snapshot *s)
{
	struct view v = { .s = s };
	struct fwd_tables now = { 0 };
	struct route_report r;
	struct verify_result proof;
	struct changes c = { .total = 0 };
	struct observed_tables tables;
	struct observed *o;
	struct route_in in = { .snapshot = s, .lids = &v.plan.lids, .intended = p->intended,
		.stripes = p->stripes, .state = &p->state };
	struct verify_in vi = { .snapshot = s, .lids = &v.plan.lids, .tables = &v.plan.fwd,
		.scope = p->e->scope, .stripes = p->stripes, .kept = &p->kept };
	double at, route, prove, diff, score;
	json_t *j;

	take_tables(s, &p->was);
	make_plan(p, &v, !p->was.s);
	if (p->was.s)
		find_previous(&p->was, &v, &now);
	in.previous = p->was.s ? &now : NULL;
	find_absent(p, &v, &in);
	at = cpu_ms();
	p->e->run(&in, &v.arena, &v.plan.fwd, &r);
	route = lap(&at);
	if (r.code != ROUTE_OK) {
		printf("%s\n", r.sentence);
		exit(1);
	}
	note_step(&v, &now, &r);
	verify_again(&vi, &proof);
	v.plan.step.turns = verify_kept_turns(p->kept);
	prove = lap(&at);
	observed_tables_init(&tables);
	o = observed_new(s, &tables);
	change_kinds[CHANGE_LFT_SM]->find(
		&(struct diff_view){ .s = s, .observed = o, .plan = &v.plan }, &c);
	diff = lap(&at);
	plan_end_step(&v.plan);
	j = p->was.s ? moves_json(p, &v) : json_null();
	score = lap(&at);
	j = json_pack("{s:s, s:b, s:f, s:f, s:f, s:f, s:b, s:b, s:I, s:I, s:o, s:o}", "event", name,
		"again", r.again, "route_ms", route, "proof_ms", prove, "diff_order_ms", diff,
		"moves_ms", score, "ok", proof.ok, "partial", proof.partial, "changed",
		(json_int_t)proof.changed, "credit_loops", (json_int_t)proof.credit_loops, "order",
		order_json(&c, (uint32_t)c.total), "moves", j);
	json_dumpf(j, stdout, JSON_REAL_PRECISION(4));
	putchar('\n');
	json_decref(j);
	changes_clear(&c);
	observed_free(o);
	observed_tables_clear(&tables);
	view_clear(&p->was);
	p->was = v;
}

static bool
has_hosts(const struct snapshot *s, uint32_t node)
{
	for (uint32_t i = 1; i <= s->nodes[node].nports; i++) {
		uint32_t peer = s->ports[s->nodes[node].first_port + i].peer;

		if (peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[peer].node]))
			return true;
	}
	return false;
}

enum loss { LOSE_LINK, LOSE_SPINE, LOSE_LEAF, LOSE_HOST, LOSSES };

/* Some node of the kind, another one in each round; of a link an end. */
static uint32_t
pick(const struct probe *p, enum loss what, uint32_t round)
{
	const struct snapshot *s = p->whole;

	for (uint32_t i = round * 7919 + 17;; i++) {
		uint32_t node = (uint32_t)((uint64_t)i * 2654435761u >> 7) % s->nnodes;
		bool sw = fab_is_switch(&s->nodes[node]);

		if (s->ports[s->sm_port].node == node)
			continue;
		if (what == LOSE_HOST ? !sw : sw && has_hosts(s, node) == (what == LOSE_LEAF))
			return node;
	}
}

static struct snapshot *
lose(const struct probe *p, enum loss what, uint32_t round)
{
	const struct snapshot *s = p->whole;
	bool *node = xcalloc(s->nnodes, sizeof(*node)), *port = xcalloc(s->nports, sizeof(*port));
	struct snapshot *made;

	memset(node, true, s->nnodes);
	for (uint32_t i = 0; i < s->nports; i++)
		port[i] = s->ports[i].peer != FAB_NONE;
	if (what == LOSE_LINK) {
		uint32_t n = pick(p, LOSE_SPINE, round), i = s->nodes[n].first_port + 1;

		port[i] = port[s->ports[i].peer] = false;
	} else if (what < LOSSES) {
		uint32_t n = pick(p, what, round);

		node[n] = false;
		for (unsigned i = 1; i <= s->nodes[n].nports; i++) {
			uint32_t at = s->nodes[n].first_port + i, peer = s->ports[at].peer;

			port[at] = false;
			if (peer == FAB_NONE)
				continue;
			port[peer] = false;
			if (!fab_is_switch(&s->nodes[s->ports[peer].node]))
				node[s->ports[peer].node] = false;
		}
	}
	made = part_make(s, node, port);
	free(node);
	free(port);
	return made;
}

int
main(int argc, char **argv)
{
	static const char *const names[] = { "link", "spine", "leaf", "host" };
	struct probe p = { .arena = ARENA_INIT };
	struct topo_error te = { "" };
	struct pool *pool;
	struct topo t;
	char name[32];

	if (argc < 3 || !(p.e = route_find(argv[2], te.text, sizeof(te.text)))) {
		fprintf(stderr, "usage: change-probe SPEC|FILE ENGINE [THREADS [ROUNDS [LOSS]]]\n%s\n", te.text);
		return 2;
	}
	if (gen_or_read(argv[1], &t, &te) != 0 || topo_to_snapshot(&t, FAB_NONE, 2, &p.whole) != 0) {
		fprintf(stderr, "change-probe: %s\n", te.text);
		return 2;
	}
	topo_clear(&t);
	pool = pool_new(argc > 3 ? (unsigned)atoi(argv[3]) : 1);
	p.stripes = pool_stripes(pool);
	p.intended = intended_learn(p.whole, NULL);
	probe_event(&p, "whole", lose(&p, LOSSES, 0));
	for (int round = 0; round < (argc > 4 ? atoi(argv[4]) : 1); round++)
		for (int what = 0; what < LOSSES; what++) {
			if (argc > 5 && strcmp(argv[5], names[what]) != 0)
				continue;
			snprintf(name, sizeof(name), "%s lost", names[what]);
			probe_event(&p, name, lose(&p, (enum loss)what, (uint32_t)round));
			snprintf(name, sizeof(name), "%s back", names[what]);
			probe_event(&p, name, lose(&p, LOSSES, 0));
		}
	view_clear(&p.was);
	route_state_free(p.state);
	verify_kept_free(p.kept);
	intended_free(p.intended);
	arena_clear(&p.arena);
	snapshot_free(p.whole);
	pool_free(pool);
	return p.failed;
}
