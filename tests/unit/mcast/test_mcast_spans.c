/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcast_spans.c - groups on random fabrics beside every engine's tables: joins, leaves and failures.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/test.h"
#include "fabric/verify/verify_trees.h"
#include "sm/plan/lid.h"
#include "sm/mcast/mcast.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"

enum { GROUPS = 4, MEMBERS_MAX = 16, VLS = 8, FABRICS = 500, PORTS_MAX = 4096 };

/* One state of the fabric, with its unicast tables and its multicast plan. */
struct at {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables f;
	struct route_report r;
	enum verify_scope scope;
	struct chan_graph g;
	struct mcast_plan *p;
};

static struct at now, before;
/* How copies of the i-th member's packets get to the k-th: 0 they do not, otherwise a hash of the ports. */
struct paths {
	uint32_t hash[MEMBERS_MAX][MEMBERS_MAX];
	bool hit[MEMBERS_MAX][MEMBERS_MAX];     /* over a port that is going to be lost */
};

static struct mcast_leaf members[GROUPS][MEMBERS_MAX];
static uint32_t nmembers[GROUPS], ends[PORTS_MAX], nends, seed_now;
static struct paths paths[GROUPS];
static bool dead[PORTS_MAX];            /* ports that are going to be lost */
static struct {
	uint32_t fabrics, groups, steps, failures, pairs, forced, torn, beyond, behind;
} count;

static void
at_free(struct at *a)
{
	if (a->s)
		made_free(a->s);
	arena_clear(&a->arena);
	memset(a, 0, sizeof(*a));
}

static int
teardown(void **state)
{
	(void)state;
	at_free(&now);
	at_free(&before);
	return 0;
}

/* ---- fabrics ---- */

static const char *const shapes[] = {
	"fattree:k=4,levels=3", "fattree:k=8,levels=2", "xgft:m=4/4/2,w=1/2/2", "torus:4x4,hosts=2", "torus:3x3x3,hosts=1",
	"mesh:4x4,hosts=1", "mesh:3x3x2,hosts=1", "hypercube:d=4,hosts=1", "hyperx:4x4,hosts=1", "dragonfly:a=4,h=2,p=1",
	"torus:8,hosts=1",
};

static void
make_snapshot(const char *spec, const struct made_how *how)
{
	now.s = made_snapshot(spec, how);
	for (uint32_t i = 0; i < now.s->nswitches; i++) {
		struct fab_node *n = &now.s->nodes[now.s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.mft_cap = 1024;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	nends = 0;
	for (uint32_t i = 0; i < now.s->nports && nends < PORTS_MAX; i++)
		if (snapshot_is_endport(now.s, &now.s->ports[i]) && !fab_is_switch(&now.s->nodes[now.s->ports[i].node]) &&
			now.s->ports[i].peer != FAB_NONE)
			ends[nends++] = i;
}

/* Unicast tables that the verifier accepts; false: the engine has none. */
static bool
route(const struct route_engine *e)
{
	struct lid_conf lc = { .lmc = 0 };
	struct lid_report lr;
	struct route_in in = { .snapshot = now.s, .lids = &now.lids, .vls = VLS };
	struct verify_result v;

	assert_int_equal(plan_lids(now.s, NULL, &lc, &now.arena, &now.lids, &lr), 0);
	if (e->run(&in, &now.arena, &now.f, &now.r) != ROUTE_OK)
		return false;
	verify_tables(now.s, &now.lids, &now.f, e->scope, &v);
	now.scope = e->scope;
	return v.ok;
}

static struct verify_in
unicast_of(const struct at *a)
{
	return (struct verify_in){ .snapshot = a->s, .lids = &a->lids, .tables = &a->f, .scope = a->scope };
}

/* As the planner does: by ranks; if these leave switches with hosts out, by turns from then on. */
static void
plan(void)
{
	const struct mcast_spans *old = before.p ? plan_mcast_spans(before.p) : NULL;
	struct mcast_spans_in in = { .s = now.s, .rank = old && old->by_turns ? NULL : now.r.rank, .lanes = now.f.lanes,
		.sls = 1, .before = old };
	struct verify_in unicast = unicast_of(&now);

	assert_true(verify_unicast_graph(&unicast, NULL, &now.g, &now.arena));
	in.unicast = &now.g;
	now.p = plan_mcast_new(&in, &now.arena);
	plan_mcast_prepare(now.p);
	if (!in.rank || !plan_mcast_spans(now.p)->lacking)
		return;
	in.before = old ? old : plan_mcast_spans(now.p);
	in.rank = NULL;
	now.p = plan_mcast_new(&in, &now.arena);
	plan_mcast_prepare(now.p);
}

/* ---- the oracle: walks every copy ---- */

static bool
port_bit(uint32_t sw, uint16_t mlid, unsigned port)
{
	uint32_t i = mlid - MLID_FIRST;
	const uint8_t *row = plan_mcast_row(now.p, sw, mft_row_of(i / 32, port / 16));

	return row && wire_get16(row + i % 32 * 2) >> port % 16 & 1;
}

struct copies {
	unsigned got[PORTS_MAX];
	uint32_t hash[PORTS_MAX];
	bool hit[PORTS_MAX];
};

static struct copies copies;

static void
walk(uint16_t mlid, uint32_t sw, unsigned in, uint32_t hash, bool hit, unsigned depth)
{
	const struct fab_node *n = &now.s->nodes[now.s->switches[sw]];

	if (depth > now.s->nswitches)
		fail_msg("a packet goes round");
	for (unsigned k = 0; k <= n->nports; k++) {
		uint32_t port = n->first_port + k, to = k ? now.s->ports[port].peer : port;
		uint32_t h = (hash ^ port) * 16777619u + 1;
		bool over = hit || dead[port] || (to != FAB_NONE && dead[to]);

		if (k == in || !port_bit(sw, mlid, k))
			continue;
		if (to == FAB_NONE)
			fail_msg("a copy leaves by a port without a cable");
		if (k && fab_is_switch(&now.s->nodes[now.s->ports[to].node])) {
			walk(mlid, now.s->nodes[now.s->ports[to].node].sw, now.s->ports[to].num, h, over, depth + 1);
			continue;
		}
		copies.got[to]++;
		copies.hash[to] = h;
		copies.hit[to] = over;
	}
}

/* Every member that the plan says it reaches gets one copy of every packet of the others; nobody else does. */
static void
walk_group(uint32_t group, struct paths *x)
{
	uint16_t mlid = (uint16_t)(MLID_FIRST + group);
	const struct mcast_leaf *m = members[group];

	memset(x, 0, sizeof(*x));
	for (uint32_t i = 0; i < nmembers[group]; i++) {
		const struct fab_port *q = &now.s->ports[now.s->ports[m[i].port].peer];

		if (!plan_mcast_reaches(now.p, mlid, m[i].port))
			continue;
		memset(&copies, 0, sizeof(copies));
		walk(mlid, now.s->nodes[q->node].sw, q->num, 1, dead[now.s->ports[m[i].port].peer], 0);
		for (uint32_t k = 0; k < nmembers[group]; k++) {
			if (k == i || !m[k].hears || !plan_mcast_reaches(now.p, mlid, m[k].port))
				continue;
			if (copies.got[m[k].port] != 1)
				fail_msg("seed %u: %u copies", seed_now, copies.got[m[k].port]);
			x->hash[i][k] = copies.hash[m[k].port];
			x->hit[i][k] = copies.hit[m[k].port];
			copies.got[m[k].port] = 0;
		}
		for (uint32_t k = 0; k < now.s->nports; k++)
			if (copies.got[k])
				fail_msg("seed %u: a copy for no member", seed_now);
	}
}

static const uint8_t *
row_of(const void *p, uint32_t sw, uint32_t row)
{
	return plan_mcast_row(p, sw, row);
}

/* What the verifier says of all groups. */
static void
verify_all(const char *what)
{
	struct verify_tree t[GROUPS];
	struct verify_member v[GROUPS][MEMBERS_MAX];
	struct verify_trees_in in = { .unicast = unicast_of(&now), .row = row_of, .rows = now.p, .trees = t,
		.ntrees = GROUPS };
	struct verify_trees_result r;

	for (uint32_t g = 0; g < GROUPS; g++) {
		uint16_t mlid = (uint16_t)(MLID_FIRST + g);

		t[g] = (struct verify_tree){ .mlid = mlid, .sls = 1, .members = v[g] };
		for (uint32_t i = 0; i < nmembers[g]; i++)
			if (plan_mcast_reaches(now.p, mlid, members[g][i].port))
				v[g][t[g].nmembers++] = (struct verify_member){ members[g][i].port, members[g][i].hears };
	}
	verify_trees(&in, &r);
	if (!r.ok)
		fail_msg("seed %u: %s: %s", seed_now, what, r.sentence);
}

/* ---- what happens ---- */

static void
join(uint32_t group, uint32_t *random)
{
	struct mcast_leaf *m = members[group];
	uint32_t port = ends[made_random(random) % nends], n = nmembers[group];

	for (uint32_t i = 0; i < n; i++)
		if (m[i].port == port)
			return;
	if (n < MEMBERS_MAX && now.s->ports[port].peer != FAB_NONE)
		m[nmembers[group]++] = (struct mcast_leaf){ port, made_random(random) % 4 != 0, false };
}

/* The last member joined or left: the paths of the others are what they were. */
static void
step(uint32_t group, uint32_t *random)
{
	struct paths x;
	uint32_t n = nmembers[group], both;

	if (n > 2 && made_random(random) % 2)
		nmembers[group]--;
	else
		join(group, random);
	both = nmembers[group] < n ? nmembers[group] : n;
	count.beyond += plan_mcast_group(now.p, (uint16_t)(MLID_FIRST + group), members[group], nmembers[group]);
	walk_group(group, &x);
	for (uint32_t i = 0; i < both; i++)
		for (uint32_t k = 0; k < both; k++)
			if (x.hash[i][k] != paths[group].hash[i][k])
				fail_msg("seed %u: a join or a leave moved others", seed_now);
	paths[group] = x;
	count.steps++;
}

static void
plan_groups(void)
{
	for (uint32_t g = 0; g < GROUPS; g++)
		count.beyond += plan_mcast_group(now.p, (uint16_t)(MLID_FIRST + g), members[g], nmembers[g]);
}

static void
lose_port(uint32_t port)
{
	uint32_t peer = now.s->ports[port].peer;

	dead[port] = true;
	if (peer == FAB_NONE)
		return;
	dead[peer] = true;
}

/* Decides what is going to be lost: a cable between switches, or a switch. */
static void
choose_loss(uint32_t *random)
{
	uint32_t sw = made_random(random) % now.s->nswitches;
	const struct fab_node *n = &now.s->nodes[now.s->switches[sw]];
	bool whole = made_random(random) % 4 == 0;

	memset(dead, 0, sizeof(dead));
	for (unsigned tries = 0; tries < 50; tries++) {
		uint32_t port = n->first_port + 1 + made_random(random) % n->nports, peer = now.s->ports[port].peer;

		if (!whole && peer != FAB_NONE && fab_is_switch(&now.s->nodes[now.s->ports[peer].node])) {
			lose_port(port);
			return;
		}
	}
	for (unsigned k = 1; whole && k <= n->nports; k++)
		lose_port(n->first_port + k);
}

static void
link_lose(void)
{
	for (uint32_t i = 0; i < now.s->nports; i++)
		if (dead[i])
			now.s->ports[i].peer = FAB_NONE;
}

/* The ports of a span, by switch, as bits. */
static uint64_t (*ports_of(const struct mcast_span *t, struct arena *a))[4]
{
	const struct snapshot *s = before.s;
	uint64_t (*ports)[4] = arena_array(a, s->nswitches + 1u, sizeof(*ports));

	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		uint32_t port = s->nodes[s->switches[sw]].first_port + t->port[sw];
		unsigned num;

		if (t->above[sw] == FAB_NONE)
			continue;
		num = s->ports[s->ports[port].peer].num;
		ports[sw][t->port[sw] / 64] |= (uint64_t)1 << t->port[sw] % 64;
		ports[t->above[sw]][num / 64] |= (uint64_t)1 << num % 64;
	}
	return ports;
}

/* Whether the spans before, without what was lost, are legal beside the unicast tables now: an answer of its own. */
static bool
old_spans_are_legal(void)
{
	const struct mcast_spans *old = plan_mcast_spans(before.p);
	struct arena a = ARENA_INIT;
	struct chan_graph g = chan_graph_like(&now.g, &a);
	uint32_t *comp = arena_array(&a, g.nchans + 1u, sizeof(*comp));
	bool legal;

	chan_graph_merge(&g, &now.g, 0, g.nsw);
	for (uint32_t i = 0; i < old->n; i++) {
		uint64_t (*ports)[4] = ports_of(&old->v[i], &a);

		for (uint32_t sw = 0; sw < now.s->nswitches; sw++)
			for (unsigned in = 1; in < 256; in++)
				for (unsigned out = 1; out < 256 && ports[sw][in / 64] >> in % 64 & 1; out++)
					if (in != out && ports[sw][out / 64] >> out % 64 & 1 &&
						now.s->ports[now.s->nodes[now.s->switches[sw]].first_port + in].peer != FAB_NONE)
						chan_graph_add(&g, sw, in, out);
	}
	legal = chan_graph_components(&g, &a, comp) == 0;
	arena_clear(&a);
	return legal;
}

static bool
ranks_are_the_same(void)
{
	return !now.r.rank == !before.r.rank &&
		(plan_mcast_spans(now.p)->by_turns || !now.r.rank ||
			!memcmp(now.r.rank, before.r.rank, now.s->nswitches * sizeof(*now.r.rank)));
}

/* Whether the tree of the group could stay as it was, without what was lost. */
static bool
could_stay(uint32_t group)
{
	const struct mcast_spans *x = plan_mcast_spans(now.p), *old = plan_mcast_spans(before.p);

	assert_int_equal(x->n, old->n);
	if (!x->by_turns && x->v[group % x->n].root != old->v[group % x->n].root) {
		count.torn++;
		return false;
	}
	if (!ranks_are_the_same() || (x->by_turns && !now.f.lanes && !old_spans_are_legal()) ||
		(now.f.lanes && x->dropped)) {
		count.forced++;
		return false;
	}
	return true;
}

static bool
reaches(uint32_t group, uint32_t i)
{
	return plan_mcast_reaches(now.p, (uint16_t)(MLID_FIRST + group), members[group][i].port);
}

/* Whether the way from a member to the root of its span crossed what was lost. */
static bool
was_behind(uint32_t group, uint32_t i)
{
	const struct mcast_spans *old = plan_mcast_spans(before.p);
	const struct mcast_span *t = &old->v[group % old->n];
	const struct snapshot *s = before.s;
	uint32_t sw = s->nodes[s->ports[s->ports[members[group][i].port].peer].node].sw;

	for (; sw != t->root && t->above[sw] != FAB_NONE; sw = t->above[sw])
		if (dead[s->nodes[s->switches[sw]].first_port + t->port[sw]])
			return true;
	return sw != t->root;
}

/* Whoever is not behind what was lost gets its packets by the same way.  What is behind is a piece, and mostly stays one. */
static void
compare_paths(void)
{
	for (uint32_t g = 0; g < GROUPS; g++) {
		bool strict = could_stay(g);
		struct paths x;

		walk_group(g, &x);
		for (uint32_t i = 0; i < nmembers[g]; i++)
			for (uint32_t k = 0; k < nmembers[g]; k++) {
				count.pairs++;
				if (!strict || !reaches(g, i) || !reaches(g, k) || !paths[g].hash[i][k] ||
					paths[g].hit[i][k] || x.hash[i][k] == paths[g].hash[i][k])
					continue;
				if (!was_behind(g, i) && !was_behind(g, k))
					fail_msg("seed %u: a path moved that nothing was lost of", seed_now);
				count.behind++;
			}
		paths[g] = x;
	}
}

/* Members whose own port is gone are none any more. */
static void
drop_members(void)
{
	for (uint32_t g = 0; g < GROUPS; g++)
		for (uint32_t i = nmembers[g]; i-- > 0;)
			if (now.s->ports[members[g][i].port].peer == FAB_NONE) {
				members[g][i] = members[g][--nmembers[g]];
				for (uint32_t k = 0; k < MEMBERS_MAX; k++) {
					paths[g].hash[i][k] = paths[g].hash[nmembers[g]][k];
					paths[g].hit[i][k] = paths[g].hit[nmembers[g]][k];
				}
				for (uint32_t k = 0; k < MEMBERS_MAX; k++) {
					paths[g].hash[k][i] = paths[g].hash[k][nmembers[g]];
					paths[g].hit[k][i] = paths[g].hit[k][nmembers[g]];
				}
			}
}

static void
begin_groups(uint32_t *random)
{
	memset(nmembers, 0, sizeof(nmembers));
	for (uint32_t g = 0; g < GROUPS; g++)
		for (uint32_t i = made_random(random) % 10; i-- > 0;)
			join(g, random);
	plan_groups();
	for (uint32_t g = 0; g < GROUPS; g++)
		walk_group(g, &paths[g]);
}

static void
fabric(const char *spec, const struct made_how *how, const struct route_engine *e, uint32_t random)
{
	teardown(NULL);
	memset(dead, 0, sizeof(dead));
	make_snapshot(spec, how);
	assert_true(now.s->nports <= PORTS_MAX);
	if (!nends || !route(e))
		return;
	count.fabrics++;
	choose_loss(&random);
	plan();
	begin_groups(&random);
	verify_all("first");
	for (uint32_t i = 0; i < 12; i++)
		step(made_random(&random) % GROUPS, &random);
	verify_all("joins and leaves");
	before = now;
	memset(&now, 0, sizeof(now));
	make_snapshot(spec, how);
	link_lose();
	drop_members();
	if (!route(e))
		return;
	count.failures++;
	plan();
	plan_groups();
	verify_all("after a failure");
	compare_paths();
}

/* Each engine on five hundred fabrics, most of them random, the others damaged. */
static void
every_engine(void **state)
{
	uint32_t n;
	const struct route_engine *e = route_engines(&n);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		memset(&count, 0, sizeof(count));
		for (seed_now = 0; seed_now < test_share(FABRICS); seed_now++) {
			struct made_how how = { .cut_percent = seed_now % 5 * 4, .seed = seed_now, .scramble = seed_now & 1 };
			char spec[80];
			uint32_t random = seed_now * 977 + 5, sw = 6 + made_random(&random) % 14;

			snprintf(spec, sizeof(spec), "random:switches=%u,cables=%u,hosts=%u,seed=%u", sw,
				sw + made_random(&random) % (sw * 3 / 2), 1 + made_random(&random) % 2, seed_now);
			if (seed_now % 2)
				snprintf(spec, sizeof(spec), "%s", shapes[seed_now / 2 % (sizeof(shapes) / sizeof(shapes[0]))]);
			fabric(spec, &how, &e[i], random);
		}
		print_message("%-10s %u fabrics, %u joins and leaves, %u failures, %u pairs; trees forced to move by unicast "
			"or ranks %u times, torn %u times; %u pairs behind a loss moved; %u members beyond trees\n", e[i].name, count.fabrics,
			count.steps, count.failures, count.pairs, count.forced, count.torn, count.behind, count.beyond);
		assert_true(test_share(FABRICS) < FABRICS || !count.failures ||
			count.forced + count.torn < count.failures * GROUPS);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_engine, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
