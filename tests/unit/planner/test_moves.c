/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_moves.c - when moved paths are counted, what is counted, and what the log says of it.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/planner/moves.h"
#include "sm/planner/planner.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

/* The sweep before and this one. */
static struct served_bed was, now;
static struct sweep_job *first, *j;

static void
plan_bed(struct served_bed *b, struct sweep_job **out)
{
	struct sweep_job *x = xcalloc(1, sizeof(*x));

	b->conf->engines = (struct conf_engines){ .n = 1, .name = { "updn" } };
	x->in.conf = b->conf;
	x->in.given = b->net.now;
	x->in.led = true;
	x->fresh = b->s;
	planner_make_plan(x);
	assert_non_null(x->plan);
	*out = x;
}

/* Plans both; the fabric of now is as the test has changed it. */
static void
plan_both(void)
{
	snapshot_seal(now.s);
	plan_bed(&was, &first);
	plan_bed(&now, &j);
	j->in.served = was.s;
	j->in.served_plan = first->plan;
	j->cur.order.ordered = true;
}

static int
setup(void **state)
{
	(void)state;
	first = j = NULL;
	served_make(&was, "fattree:k=4,levels=2");
	served_make(&now, "fattree:k=4,levels=2");
	return 0;
}

static void
free_job(struct sweep_job *x)
{
	if (!x)
		return;
	plan_free(x->plan);
	sweep_kept_clear(&x->kept);
	sweep_result_clear(&x->cur);
	topology_step_clear(&x->topology);
	free(x);
}

static int
teardown(void **state)
{
	(void)state;
	free_job(j);
	free_job(first);
	served_clear(&was);
	served_clear(&now);
	return 0;
}

/* Cuts the first cable between switches of the fabric of now. */
static void
cut_cable(void)
{
	const struct fab_node *n = &now.s->nodes[now.s->switches[0]];
	uint32_t end = n->first_port + 1, other;

	while (now.s->ports[end].peer == FAB_NONE ||
		!fab_is_switch(&now.s->nodes[now.s->ports[now.s->ports[end].peer].node]))
		end++;
	other = now.s->ports[end].peer;
	now.s->ports[end].peer = now.s->ports[other].peer = FAB_NONE;
}

static void
equal_tables_move_nothing(void **state)
{
	(void)state;
	plan_both();
	moves_count(j);
	assert_true(j->cur.moves_known);
	assert_true(j->cur.moves.pairs > 0);
	assert_int_equal(j->cur.moves.entries, 0);
	assert_int_equal(j->cur.moves.blocks, 0);
	assert_int_equal(j->cur.moves.moved, 0);
}

/* All pairs are whole again; those over the cable had to move. */
static void
a_lost_cable_breaks_paths(void **state)
{
	(void)state;
	cut_cable();
	plan_both();
	moves_count(j);
	assert_true(j->cur.moves_known);
	assert_true(j->cur.moves.broken > 0);
	assert_int_equal(j->cur.moves.moved, j->cur.moves.broken + j->cur.moves.needless);
	assert_int_equal(j->cur.moves.lost, 0);
	assert_true(j->cur.moves.entries > 0 && j->cur.moves.blocks > 0);
}

/* The pairs of a host that is not there any more are gone, and none of them is lost. */
static void
pairs_of_a_lost_host_are_gone(void **state)
{
	uint32_t port = served_host(&now, 3), peer = now.s->ports[port].peer, hosts = 0;

	(void)state;
	for (uint32_t i = 0; i < now.s->nendports; i++)
		hosts += !fab_is_switch(&now.s->nodes[now.s->ports[now.s->endports[i]].node]);
	now.s->ports[port].peer = now.s->ports[peer].peer = FAB_NONE;
	plan_both();
	moves_count(j);
	assert_true(j->cur.moves_known);
	assert_int_equal(j->cur.moves.pairs_gone, 2 * (hosts - 1));
	assert_int_equal(j->cur.moves.pairs, (hosts - 1) * (hosts - 2));
	assert_int_equal(j->cur.moves.lost, 0);
}

/* Only where tables that were in use are replaced: not in a fabric that comes up. */
static void
what_is_not_counted(void **state)
{
	struct plan empty = { .fwd = { .nswitches = 0 } };

	(void)state;
	plan_both();
	j->cur.order.ordered = false; /* no table in use was written */
	j->cur.moves_known = true;
	moves_count(j);
	assert_false(j->cur.moves_known);
	j->cur.order.ordered = true;
	j->in.served_plan = NULL;
	moves_count(j);
	assert_false(j->cur.moves_known);
	j->in.served_plan = &empty;
	moves_count(j);
	assert_false(j->cur.moves_known);
	j->in.served_plan = first->plan;
	j->in.served = NULL;
	moves_count(j);
	assert_false(j->cur.moves_known);
	moves_log(&now.log, &j->cur);
	assert_int_equal(now.lines, 0);
}

/* Each number in its own place. */
static void
the_log_has_the_counts(void **state)
{
	struct sweep_result r = { .moves_known = true };

	(void)state;
	r.moves = (struct score_moves){
		.entries = 1, .blocks = 2, .broken = 3, .needless = 4, .restored = 5, .lost = 6
	};
	moves_log(&now.log, &r);
	assert_int_equal(now.lines, 1);
	assert_string_equal(now.said,
		"route: routes changed: 1 entries in 2 blocks; paths between hosts that moved: "
		"3 were broken, 4 were whole; 5 restored, 6 lost");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(equal_tables_move_nothing),
		T(a_lost_cable_breaks_paths),
		T(pairs_of_a_lost_host_are_gone),
		T(what_is_not_counted),
		T(the_log_has_the_counts),
	};

	return cmocka_run_group_tests_name("sm/planner/moves", tests, NULL, NULL);
}
