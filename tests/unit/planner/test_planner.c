/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_planner.c - engines that are passed over with a reason, LIDs that do not fit, who registers again.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "sm/planner/planner.h"
#include "sm/planner/sweep_job.h"
#include "util/bits.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct sweep_job *j;

static int
setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	j = xcalloc(1, sizeof(*j));
	j->in.conf = b.conf;
	j->in.given = b.net.now;
	j->fresh = b.s;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	plan_free(j->plan);
	group_trees_clear(&j->trees);
	sweep_kept_clear(&j->kept);
	free(j);
	served_clear(&b);
	return 0;
}

static void
a_tree_is_planned(void **state)
{
	(void)state;
	planner_make_plan(j);
	assert_int_equal(j->err, 0);
	assert_non_null(j->plan);
	assert_string_equal(j->plan->engine, "ftree");
	assert_true(j->cur.verified && j->cur.verify.ok);
	assert_int_equal(j->cur.refusal[0], 0);
	assert_int_equal(j->cur.chain.step[0].end, CHAIN_TAKEN);
	assert_true(j->plan->sm_lid == j->plan->lids.base[b.s->sm_port]);
}

/* An engine that is not built is passed over, with a sentence; the next one's tables are taken. */
static void
an_unknown_engine_is_passed_over(void **state)
{
	struct chain before = { .n = 0 };
	unsigned logged = 0;

	(void)state;
	b.conf->engines = (struct conf_engines){ .n = 2, .name = { "none", "updn" } };
	planner_make_plan(j);
	assert_non_null(j->plan);
	assert_string_equal(j->plan->engine, "updn");
	assert_non_null(strstr(j->cur.chain.step[0].said, "there is no routing engine \"none\""));
	planner_log(&b.net, j, &before, &logged);
	assert_non_null(strstr(b.said, "route: engine updn, after none refused"));
	assert_int_equal(b.lines, 2);
	/* The refusal is logged each time, the choice once. */
	before = j->cur.chain;
	planner_log(&b.net, j, &before, &logged);
	assert_int_equal(b.lines, 3);
}

/* What auto saw and took is logged once; so is why the engine of the shape refused. */
static void
auto_says_what_it_saw(void **state)
{
	struct chain before = { .n = 0 };
	unsigned logged = 0;

	(void)state;
	served_clear(&b);
	served_make(&b, "dragonfly:a=4,h=2,p=1");
	j->in.conf = b.conf;
	j->fresh = b.s;
	planner_make_plan(j);
	assert_non_null(j->plan);
	planner_log(&b.net, j, &before, &logged);
	assert_non_null(strstr(b.said,
		"route: dragonfly of 9 groups and 36 switches, all 90 links present: engine "));
	before = j->cur.chain;
	*b.said = '\0';
	planner_log(&b.net, j, &before, &logged);
	assert_null(strstr(b.said, "all 90 links present: engine"));
}

/* Without an engine whose tables the verifier accepts there is no plan: nothing is written. */
static void
a_refusal_names_the_engine(void **state)
{
	(void)state;
	served_clear(&b);
	served_make(&b, "torus:5x5,hosts=1");
	j->in.conf = b.conf;
	j->fresh = b.s;
	b.conf->engines = (struct conf_engines){ .n = 1, .name = { "minhop" }, .no_fallback = true };
	planner_make_plan(j);
	assert_null(j->plan);
	assert_int_not_equal(j->err, 0);
	assert_non_null(strstr(j->cur.refusal, "engine minhop: its tables were refused"));
	assert_non_null(strstr(j->cur.refusal, "cycle of channels into 0x"));
	assert_string_equal(j->cur.chain.step[0].said, j->cur.refusal);
	assert_null(chain_choice(&j->cur.chain));
}

/* The same list without no_fallback ends with nue. */
static void
the_fallback_is_nue(void **state)
{
	(void)state;
	served_clear(&b);
	served_make(&b, "torus:5x5,hosts=1");
	j->in.conf = b.conf;
	j->fresh = b.s;
	b.conf->engines = (struct conf_engines){ .n = 1, .name = { "minhop" } };
	planner_make_plan(j);
	assert_non_null(j->plan);
	assert_string_equal(j->plan->engine, "nue");
	assert_int_equal(chain_choice(&j->cur.chain)->why, CHAIN_LAST);
	assert_int_equal(j->cur.refusal[0], 0);
}

/* The number of entries of a switch that leave by a port. */
static unsigned
entries_by(uint32_t sw, uint8_t port)
{
	unsigned n = 0;

	for (uint32_t lid = 1; lid <= j->plan->fwd.top; lid++)
		n += fwd_row(&j->plan->fwd, sw)[lid] == port;
	return n;
}

/* A link that came up narrow is avoided if that is wanted, and used if not. */
static void
throttled_links_are_avoided(void **state)
{
	const struct fab_node *n = &b.s->nodes[b.s->switches[0]];
	uint32_t port = n->first_port + 1;

	(void)state;
	while (b.s->ports[port].peer == FAB_NONE || b.s->nodes[b.s->ports[b.s->ports[port].peer].node].sw == FAB_NONE)
		port++;
	for (uint32_t i = 0; i < b.s->nports; i++) {
		struct fab_port *p = &b.s->ports[i];
		bool narrow = i == port || i == b.s->ports[port].peer;

		ATTR_SET(port_info, width_supported, p->info, LINK_WIDTH_1X | LINK_WIDTH_4X);
		ATTR_SET(port_info, width_active, p->info, narrow ? LINK_WIDTH_1X : LINK_WIDTH_4X);
		ATTR_SET(port_info, speed_ext_supported, p->info, 7);
		ATTR_SET(port_info, speed_ext_active, p->info, 4);
		p->flags |= FAB_PORT_INFO;
	}
	planner_make_plan(j);
	assert_non_null(j->plan);
	assert_true(entries_by(0, b.s->ports[port].num) > 0);
	plan_free(j->plan);
	j->plan = NULL;
	b.conf->avoid_throttled_links = true;
	planner_make_plan(j);
	assert_non_null(j->plan);
	assert_true(j->cur.verify.ok);
	assert_int_equal(entries_by(0, b.s->ports[port].num), 0);
}

static void
too_many_lids_are_refused(void **state)
{
	(void)state;
	b.conf->lmc = 9;
	planner_make_plan(j);
	assert_null(j->plan);
	assert_int_not_equal(j->err, 0);
}

static bool
registers_again(uint32_t port)
{
	return bits_test(j->plan->reregister, port);
}

/* A new master asks all; later only those that were away, were not told, or obeyed another manager. */
static void
clients_register_again_once(void **state)
{
	uint32_t obeys_other = served_host(&b, 2), untold = served_host(&b, 3), down = served_host(&b, 4);
	struct port_info info;

	(void)state;
	planner_make_plan(j);
	assert_true(registers_again(served_host(&b, 1)));
	plan_free(j->plan);
	j->plan = NULL;
	j->in.led = true;
	j->in.served = b.s;
	info = served_info(&b, obeys_other);
	info.master_sm_lid++;
	served_set_info(&b, obeys_other, info);
	b.s->ports[untold].flags |= FAB_PORT_UNTOLD;
	info = served_info(&b, down);
	info.state = PORT_STATE_INIT;
	served_set_info(&b, down, info);
	planner_make_plan(j);
	assert_false(registers_again(served_host(&b, 1)));
	assert_true(registers_again(obeys_other));
	assert_true(registers_again(untold));
	assert_true(registers_again(down));
	assert_false(registers_again(b.s->nodes[b.s->switches[0]].first_port));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_tree_is_planned),
		T(an_unknown_engine_is_passed_over),
		T(auto_says_what_it_saw),
		T(the_fallback_is_nue), T(throttled_links_are_avoided),
		T(a_refusal_names_the_engine),
		T(too_many_lids_are_refused),
		T(clients_register_again_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
