/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_routes.c - tables that the verifier refuses are never those of a plan, and what remains
 * says why.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include "tests/unit/test.h"
#include "sm/planner/planner.h"
#include "sm/planner/routes.h"
#include "sm/conf/routing/groups.h"
#include "util/xalloc.h"
#include "tests/unit/planner/given.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct sweep_job *j;
static struct plan *p;
static struct given g;

/* A plan with LIDs and no tables; engines file and, if wanted, another one. */
static void
make_beds(const char *spec, const char *second)
{
	served_make(&b, spec);
	j = xcalloc(1, sizeof(*j));
	p = xcalloc(1, sizeof(*p));
	j->in.conf = b.conf;
	j->in.given = b.net.now;
	j->in.led = true; /* nothing is in doubt */
	j->fresh = b.s;
	p->snapshot = b.s;
	p->lids = b.plan.lids;
	b.conf->engines = (struct conf_engines){
		.n = second ? 2 : 1,
		.name = { "file", second },
		.no_fallback = true,
	};
	b.conf->routing.lfts = &g.l;
}

static int
setup(void **state)
{
	(void)state;
	make_beds("torus:5,hosts=1", NULL);
	given_make(&g, b.s, &b.plan.lids);
	return 0;
}

static int
setup_tree(void **state)
{
	(void)state;
	make_beds("fattree:k=4,levels=3", NULL);
	g = (struct given){ .onward = NULL };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	plan_free(p);
	sweep_kept_clear(&j->kept);
	sweep_result_clear(&j->cur);
	topology_step_clear(&j->topology);
	free(j);
	b.conf->routing.lfts = NULL;
	given_clear(&g);
	served_clear(&b);
	return 0;
}

static void
name_engines(const char *first, const char *second)
{
	b.conf->engines = (struct conf_engines){
		.n = second ? 2 : 1,
		.name = { first, second },
		.no_fallback = true,
	};
}

/* Makes the routes again, as the plan of the next sweep. */
static bool
route_again(void)
{
	plan_drop_tables(p);
	j->cur.refusal[0] = '\0';
	return routes_make(j, p);
}

/* Nothing of the refused tables is left in the plan. */
static void
assert_no_tables(void)
{
	assert_int_equal(p->fwd.nswitches, 0);
	assert_null(p->fwd.port);
	assert_null(p->fwd.rows);
	assert_null(p->fwd.lanes);
	assert_null(p->step.from);
	assert_null(p->step.turns);
	assert_int_equal(j->cur.chain.step[0].end, CHAIN_REFUSED);
	assert_string_equal(j->cur.chain.step[0].said, j->cur.refusal);
	assert_null(chain_choice(&j->cur.chain));
}

/* Not by what was noted, but by the verifier again and from nothing. */
static void
assert_tables_are_legal(enum verify_scope scope)
{
	struct verify_result v;

	verify_tables(b.s, &p->lids, &p->fwd, scope, &v);
	assert_true(v.ok);
	assert_int_equal(p->fwd.nswitches, b.s->nswitches);
}

static void
a_cycle_of_channels_is_refused(void **state)
{
	char channel[48];

	(void)state;
	assert_false(routes_make(j, p));
	assert_no_tables();
	assert_true(j->cur.verified);
	assert_false(j->cur.verify.ok);
	assert_int_equal(j->cur.verify.unreachable, 0); /* every packet arrives */
	assert_int_equal(j->cur.verify.loops, 0);
	assert_int_equal(j->cur.verify.credit_loops, 1);
	assert_int_equal(j->cur.verify.ncycle, b.s->nswitches);
	assert_non_null(strstr(j->cur.refusal,
		"engine file: its tables were refused (scope hosts): "
		"0 unreachable, 0 loops, 1 credit loops; cycle of channels into 0x"));
	for (unsigned i = 0; i < 4; i++) {
		const struct fab_port *q = &b.s->ports[j->cur.verify.cycle[i]];

		snprintf(channel, sizeof(channel), " 0x%016" PRIx64 "[%u]",
			b.s->nodes[q->node].guid, q->num);
		assert_non_null(strstr(j->cur.refusal, channel));
	}
}

static void
a_loop_is_refused(void **state)
{
	uint16_t lid = b.plan.lids.base[served_host(&b, 2)];
	uint32_t sw = b.s->nodes[b.s->ports[b.s->ports[served_host(&b, 2)].peer].node].sw;

	(void)state;
	*given_entry(&g, sw, lid) = g.onward[sw]; /* past its own host */
	assert_false(routes_make(j, p));
	assert_no_tables();
	assert_int_equal(j->cur.verify.loops, 1);
	assert_non_null(strstr(j->cur.refusal, " 1 loops"));
}

static void
a_hole_is_refused(void **state)
{
	uint16_t lid = b.plan.lids.base[served_host(&b, 1)];

	(void)state;
	*given_entry(&g, b.s->nodes[b.s->ports[b.s->ports[served_host(&b, 3)].peer].node].sw, lid) =
		LFTS_DROP;
	assert_false(routes_make(j, p));
	assert_no_tables();
	assert_true(j->cur.verify.unreachable > 0);
	assert_null(strstr(j->cur.refusal, "0 unreachable"));
}

/* An entry for a port that the switch does not have, or that has no link, is refused before anyone
 * follows it. */
static void
ports_that_lead_nowhere_are_refused(void **state)
{
	static const uint8_t ports[] = { 200, 254 };

	(void)state;
	for (unsigned i = 0; i < sizeof(ports); i++) {
		*given_entry(&g, 0, b.plan.lids.base[served_host(&b, 1)]) = ports[i];
		assert_false(route_again());
		assert_no_tables();
		assert_non_null(strstr(j->cur.refusal, "engine file refuses: "));
		assert_non_null(strstr(j->cur.refusal, "which has no link"));
	}
}

/* A link of the tables is lost: they are of the fabric before. */
static void
tables_over_a_lost_link_are_refused(void **state)
{
	uint32_t end = b.s->nodes[b.s->switches[0]].first_port + g.onward[0];
	uint32_t other = b.s->ports[end].peer;

	(void)state;
	b.s->ports[end].peer = b.s->ports[other].peer = FAB_NONE;
	snapshot_seal(b.s);
	name_engines("file", "nue");
	assert_true(routes_make(j, p));
	assert_int_equal(j->cur.chain.step[0].end, CHAIN_REFUSED);
	assert_non_null(strstr(j->cur.chain.step[0].said, "which has no link"));
	assert_string_equal(chain_choice(&j->cur.chain)->name, "nue");
	assert_tables_are_legal(VERIFY_ALL);
}

/* The refused tables leave nothing in those of the engine that comes after. */
static void
the_next_engine_begins_afresh(void **state)
{
	bool differs = false;

	(void)state;
	name_engines("file", "nue");
	assert_true(routes_make(j, p));
	assert_int_equal(j->cur.chain.step[0].end, CHAIN_REFUSED);
	assert_non_null(strstr(j->cur.chain.step[0].said, "cycle of channels"));
	assert_string_equal(chain_choice(&j->cur.chain)->name, "nue");
	assert_true(j->cur.verify.ok);
	assert_int_equal(j->cur.verify.ncycle, 0);
	assert_tables_are_legal(VERIFY_ALL);
	assert_false(p->hosts_only);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		for (uint32_t lid = 1; lid <= b.plan.lids.top; lid++)
			differs |= fwd_row(&p->fwd, sw)[lid] != *given_entry(&g, sw, lid);
	assert_true(differs);
}

/*
 * Legal tables, then some with a cycle, then legal ones: what was kept of the first proof neither
 * excuses the second nor spoils the third.
 */
static void
a_kept_proof_excuses_nothing(void **state)
{
	(void)state;
	name_engines("nue", NULL);
	assert_true(routes_make(j, p));
	assert_non_null(j->kept.proof);
	name_engines("file", NULL);
	assert_false(route_again());
	assert_no_tables();
	assert_int_equal(j->cur.verify.credit_loops, 1);
	name_engines("nue", NULL);
	assert_true(route_again());
	assert_true(j->cur.verify.ok);
	assert_tables_are_legal(VERIFY_ALL);
}

/* The state of one engine is not given to another. */
static void
engines_keep_their_own_state(void **state)
{
	const char *before;

	(void)state;
	name_engines("nue", NULL);
	assert_true(routes_make(j, p));
	before = j->kept.engine;
	assert_string_equal(before, "nue");
	assert_true(route_again());
	assert_ptr_equal(j->kept.engine, before);
	name_engines("updn", NULL);
	assert_true(route_again());
	assert_string_equal(j->kept.engine, "updn");
	assert_tables_are_legal(VERIFY_ALL);
}

/* Two adapters back to back. */
static void
without_switches_there_is_nothing_to_route(void **state)
{
	struct snapshot none = { .nports = b.s->nports, .ports = b.s->ports, .nodes = b.s->nodes };

	(void)state;
	j->fresh = &none;
	assert_true(routes_make(j, p));
	assert_string_equal(j->cur.route.engine, "none");
	assert_true(j->cur.verified && j->cur.verify.ok);
	assert_int_equal(p->fwd.nswitches, 0);
	assert_int_equal(p->fwd.top, p->lids.top);
	assert_int_equal(j->cur.chain.n, 0);
	j->fresh = b.s;
}

/* Each switch shows these tables, and that another manager made them. */
static void
put_in_force(const struct fwd_tables *f)
{
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++) {
		struct fab_node *n = &b.s->nodes[b.s->switches[sw]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.lft_top = f->top;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
		n->lft = fwd_row(f, sw);
		n->lft_blocks = f->top / 64u + 1;
	}
	j->in.led = false;
}

/* A manager that begins keeps tables that are legal, though its own engine would make others. */
static void
legal_tables_in_force_stay(void **state)
{
	struct plan *before = p;

	(void)state;
	name_engines("updn", NULL);
	assert_true(routes_make(j, p));
	put_in_force(&before->fwd);
	p = xcalloc(1, sizeof(*p));
	p->snapshot = b.s;
	p->lids = b.plan.lids;
	name_engines("nue", NULL);
	assert_true(routes_make(j, p));
	assert_true(j->topology.held);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		assert_memory_equal(
			fwd_row(&p->fwd, sw) + 1, fwd_row(&before->fwd, sw) + 1, p->lids.top);
	assert_tables_are_legal(VERIFY_ALL);
	plan_free(before);
}

/* Tables in force with a cycle do not stay, whoever made them. */
static void
a_cycle_in_force_does_not_stay(void **state)
{
	struct fwd_tables f = {
		.nswitches = b.s->nswitches, .stride = g.l.tables[0].n, .top = b.plan.lids.top
	};

	(void)state;
	f.port = arena_array(&g.a, (size_t)f.nswitches * f.stride, 1);
	for (uint32_t sw = 0; sw < f.nswitches; sw++)
		memcpy(fwd_row(&f, sw), g.l.tables[sw].row, f.stride);
	put_in_force(&f);
	name_engines("nue", NULL);
	assert_true(routes_make(j, p));
	assert_true(j->cur.verify.ok);
	assert_tables_are_legal(VERIFY_ALL);
}

static const uint32_t ring[] = { 0, 1, 2, 3, 4 };

/* A group of the switches with these ordinals. */
static void
set_group(struct routing_groups *t, struct routing_group *group, uint32_t n, const uint32_t *sw)
{
	group->sw = arena_array(&g.a, n, sizeof(*group->sw));
	group->n = n;
	for (uint32_t i = 0; i < n; i++)
		group->sw[i].guid = b.s->nodes[b.s->switches[sw[i]]].guid;
	*t = (struct routing_groups){ .file = "groups", .group = group, .n = 1 };
	b.conf->routing.groups = t;
}

/* A copy of the tables of the plan. */
static uint8_t *
copy_tables(void)
{
	return arena_copy(&g.a, p->fwd.port, p->fwd.nswitches, p->fwd.stride);
}

static bool
differs_from(const uint8_t *was)
{
	return memcmp(was, p->fwd.port, (size_t)p->fwd.nswitches * p->fwd.stride) != 0;
}

/* Groups are in force if the verifier accepts them; nothing moves when it is computed again, and
 * what is left of them when they are gone is nothing. */
static void
a_group_has_an_engine_of_its_own(void **state)
{
	static const uint32_t pod[] = { 0, 1, 8, 9 }; /* two leaves and the switches above them */
	struct routing_group group = { .name = "pod", .engine = "minhop" };
	struct routing_groups t;
	const uint8_t *plain, *grouped;

	(void)state;
	name_engines("updn", NULL);
	assert_true(routes_make(j, p));
	plain = copy_tables();
	assert_string_equal(j->cur.chain.groups.said, "");
	set_group(&t, &group, 4, pod);
	assert_true(route_again());
	assert_true(j->cur.verify.ok);
	assert_tables_are_legal(VERIFY_HOSTS);
	assert_string_equal(chain_choice(&j->cur.chain)->name, "updn");
	assert_string_equal(j->cur.chain.groups.said, "group pod: engine minhop");
	assert_true(p->hosts_only);
	assert_true(differs_from(plain));
	assert_null(j->kept.s);
	assert_int_equal(j->kept.groups.n, 4);
	grouped = copy_tables();
	assert_true(route_again());
	assert_false(differs_from(grouped));
	b.conf->routing.groups = NULL;
	assert_true(route_again());
	assert_false(differs_from(plain));
	assert_string_equal(j->cur.chain.groups.said, "");
	assert_int_equal(j->kept.groups.n, 0);
	assert_false(p->hosts_only);
}

/* The shorter way round a ring is a cycle of channels: the verifier refuses the group, and the
 * engine's own tables are taken. */
static void
a_refused_group_is_left_out(void **state)
{
	struct routing_group group = { .name = "ring", .engine = "minhop" };
	struct chain before = { .n = 0 };
	struct routing_groups t;
	unsigned logged = 0;
	const uint8_t *plain;

	(void)state;
	name_engines("nue", NULL);
	assert_true(routes_make(j, p));
	plain = copy_tables();
	set_group(&t, &group, 5, ring);
	assert_true(route_again());
	assert_tables_are_legal(VERIFY_ALL);
	assert_false(differs_from(plain));
	assert_true(j->cur.verify.ok && !p->hosts_only);
	assert_true(!j->cur.chain.groups.in_force && j->cur.chain.groups.refused == 1);
	assert_non_null(strstr(j->cur.chain.groups.said,
		"group ring is not in force: engine nue: its tables were refused (scope hosts): "
		"0 unreachable, 0 loops, 2 credit loops"));
	planner_log(&b.net, j, &before, &logged);
	assert_non_null(strstr(b.said, "route: group ring is not in force"));
	b.conf->routing.groups = NULL;
}

/* Groups do not make an engine acceptable that refuses without them. */
static void
an_engine_with_groups_is_refused(void **state)
{
	struct routing_group group = { .name = "arc", .engine = "updn" };
	struct routing_groups t;

	(void)state;
	set_group(&t, &group, 2, ring);
	name_engines("file", NULL);
	assert_false(routes_make(j, p));
	assert_no_tables();
	assert_int_equal(j->kept.groups.n, 0);
	b.conf->routing.groups = NULL;
}

/* Tables of a manager that had no groups are held, and the groups are not in force. */
static void
groups_wait_while_tables_are_held(void **state)
{
	struct routing_group group = { .name = "ring", .engine = "updn" };
	struct plan *before = p;
	struct routing_groups t;

	(void)state;
	name_engines("nue", NULL);
	assert_true(routes_make(j, p));
	put_in_force(&before->fwd);
	p = xcalloc(1, sizeof(*p));
	p->snapshot = b.s;
	p->lids = b.plan.lids;
	set_group(&t, &group, 5, ring);
	assert_true(routes_make(j, p));
	assert_true(j->topology.held);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		assert_memory_equal(
			fwd_row(&p->fwd, sw) + 1, fwd_row(&before->fwd, sw) + 1, p->lids.top);
	if (!j->cur.chain.groups.in_force)
		assert_string_equal(j->cur.chain.groups.said,
			"group ring is not in force: "
			"the forwarding tables that were found are held");
	b.conf->routing.groups = NULL;
	plan_free(before);
}

/* What the planner makes of a refusal: no plan. */
static void
a_refusal_makes_no_plan(void **state)
{
	struct chain before = { .n = 0 };
	unsigned logged = 0;

	(void)state;
	planner_make_plan(j);
	assert_null(j->plan);
	assert_int_equal(j->err, -EINVAL);
	assert_non_null(strstr(j->cur.refusal, "cycle of channels into 0x"));
	planner_log(&b.net, j, &before, &logged);
	assert_non_null(strstr(b.said, "route: engine file: its tables were refused"));
	assert_int_equal(b.lines, 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_cycle_of_channels_is_refused),
		T(a_loop_is_refused),
		T(a_hole_is_refused),
		T(ports_that_lead_nowhere_are_refused),
		T(tables_over_a_lost_link_are_refused),
		T(the_next_engine_begins_afresh),
		T(a_kept_proof_excuses_nothing),
		T(engines_keep_their_own_state),
		T(without_switches_there_is_nothing_to_route),
		T(legal_tables_in_force_stay),
		T(a_cycle_in_force_does_not_stay),
		cmocka_unit_test_setup_teardown(
			a_group_has_an_engine_of_its_own, setup_tree, teardown),
		T(a_refused_group_is_left_out),
		T(an_engine_with_groups_is_refused),
		T(groups_wait_while_tables_are_held),
		T(a_refusal_makes_no_plan),
	};

	return cmocka_run_group_tests_name("sm/planner/routes", tests, NULL, NULL);
}
