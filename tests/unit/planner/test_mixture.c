/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mixture.c - old and new tables together, when one of them uses several VLs.
 */
#include <config.h>
#include <string.h>
#include "sm/planner/mixture.h"
#include "sm/planner/planner.h"
#include "sm/route/model/engine.h"
#include "tests/unit/subnet/served.h"
#include "tests/unit/test.h"
#include "util/xalloc.h"

static struct served_bed b;
static struct sweep_job *j;
static struct partition part = { .name = "", .pkey = 0x7fff };
static struct partitions parts = { .v = &part, .n = 1 };

static void
bed_make(const char *spec)
{
	served_make(&b, spec);
	j = xcalloc(1, sizeof(*j));
	j->in.conf = b.conf;
	j->in.given = b.net.now;
	j->fresh = b.s;
	b.conf->partitions = &parts;
	for (uint32_t p = 0; p < b.s->nports; p++) {
		struct port_info pi = port_info_decode(b.s->ports[p].info);

		if (!(b.s->ports[p].flags & FAB_PORT_INFO))
			continue;
		pi.vl_cap = 4;
		pi.vlarb_low_cap = 8;
		pi.capability_mask = PORT_CAP_SL_MAPPING;
		port_info_encode(b.s->ports[p].info, &pi);
	}
}

static void
bed_clear(void)
{
	group_trees_clear(&j->trees);
	sweep_kept_clear(&j->kept);
	free(j);
	served_clear(&b);
}

/* The plan of an engine; owned by the caller. */
static const struct plan *
plan_by(const char *engine)
{
	const struct plan *p;

	b.conf->engines = (struct conf_engines){ .n = 1, .name = { engine }, .no_fallback = true };
	group_trees_clear(&j->trees);
	planner_make_plan(j);
	p = j->plan;
	j->plan = NULL;
	assert_non_null(p);
	assert_int_equal(j->cur.mixture.vls, 0);        /* the switches hold no tables */
	return p;
}

static const struct verify_result *
check_mixture(const struct fwd_tables *was, const struct plan *p)
{
	struct route_in in = { .snapshot = b.s, .lids = &p->lids, .previous = was };

	memset(&j->cur.mixture, 0xff, sizeof(j->cur.mixture));
	mixture_check(j, p, &in);
	return &j->cur.mixture;
}

static void
nothing_is_replaced(void **state)
{
	const struct plan *p;

	(void)state;
	bed_make("torus:5x5,hosts=1");
	p = plan_by("torus-2qos");
	assert_non_null(p->fwd.lanes);
	assert_int_equal(check_mixture(NULL, p)->vls, 0);
	assert_int_equal(check_mixture(&p->fwd, p)->vls, 0);
	/* Ports of other classes: other VLs, with the same entries. */
	if (p->fwd.lanes->port_class) {
		struct lane_plan other = *p->fwd.lanes;
		struct fwd_tables was = p->fwd;

		other.port_class = calloc(b.s->nports, 1);
		was.lanes = &other;
		assert_int_equal(check_mixture(&was, p)->vls, 2);
		free(other.port_class);
	} else {
		fail_msg("the engine has no classes of ports");
	}
	plan_free(p);
	bed_clear();
}

static void
one_vl_is_left_to_the_order_of_writes(void **state)
{
	const struct plan *p, *q;

	(void)state;
	bed_make("torus:5x5,hosts=1");
	p = plan_by("updn");
	q = plan_by("dnup");
	assert_null(p->fwd.lanes);
	assert_null(q->fwd.lanes);
	assert_int_equal(check_mixture(&p->fwd, q)->vls, 0);
	plan_free(p);
	plan_free(q);
	bed_clear();
}

/* Both are free of credit loops; a packet by the dateline's rules may meet one that climbs a tree. */
static void
tables_of_another_engine_are_mixed(void **state)
{
	const struct plan *old, *new;
	const struct verify_result *v;
	struct order_report r = { .ordered = true };

	(void)state;
	bed_make("torus:5x5,hosts=1");
	old = plan_by("updn");
	new = plan_by("torus-2qos");
	v = check_mixture(&old->fwd, new);
	assert_int_equal(v->vls, 2);
	assert_true(v->changed > 0);
	assert_int_equal(v->unreachable + v->loops, 0);
	assert_true(v->credit_loops > 0 && v->ncycle > 2);
	mixture_report(v, &r);
	assert_true(r.unsafe);
	assert_int_equal(r.mixed_cycles, v->credit_loops);
	assert_int_equal(r.ncycle, v->ncycle);
	for (unsigned i = 0; i < v->ncycle && i < ORDER_CYCLE_MAX; i++)
		assert_int_equal(r.cycle[i], v->cycle[i]);
	v = check_mixture(&new->fwd, old);              /* and back */
	assert_int_equal(v->vls, 2);
	assert_true(v->credit_loops > 0);
	plan_free(old);
	plan_free(new);
	bed_clear();
}

/* Entries of one destination that go another shortest way: the VLs keep all mixtures apart. */
static void
a_mixture_without_a_cycle_is_safe(void **state)
{
	const struct plan *p;
	const struct verify_result *v;
	struct fwd_tables was;
	struct arena a = ARENA_INIT;
	struct order_report r = { .ordered = true };
	uint32_t lid = 0;

	(void)state;
	bed_make("torus:5x5,hosts=1");
	p = plan_by("torus-2qos");
	was = p->fwd;
	was.rows = NULL;
	was.port = arena_array(&a, was.nswitches, was.stride);
	memcpy(was.port, p->fwd.port, (size_t)was.nswitches * was.stride);
	do
		lid++;
	while (p->lids.owner[lid] == FAB_NONE ||
		b.s->nodes[b.s->ports[p->lids.owner[lid]].node].sw != FAB_NONE);
	fwd_row(&was, 0)[lid] = fwd_row(&was, 0)[lid] == FAB_LFT_DROP ? 1 : FAB_LFT_DROP;
	v = check_mixture(&was, p);
	assert_int_equal(v->vls, 2);
	assert_int_equal(v->changed, 1);
	assert_int_equal(v->credit_loops, 0);
	mixture_report(v, &r);
	assert_false(r.unsafe);
	assert_int_equal(r.ncycle, 0);
	arena_clear(&a);
	plan_free(p);
	bed_clear();
}

/* The same entries on other VLs: the report names the cycle, although no table is written. */
static void
check_lanes_alone(const struct plan *p, const struct lane_plan *lanes, bool sound)
{
	struct fwd_tables was = p->fwd;
	struct verify_in in = { .snapshot = b.s, .lids = &p->lids, .tables = &was,
		.scope = VERIFY_HOSTS };
	struct order_report r = { .ordered = true };
	const struct verify_result *v;
	struct verify_result alone;

	was.lanes = lanes;
	verify_check(&in, &alone);
	assert_int_equal(alone.credit_loops == 0, sound);
	v = check_mixture(&was, p);
	assert_int_equal(v->vls, p->fwd.lanes->nvls);
	assert_int_equal(v->unreachable + v->loops, 0);
	assert_true(v->credit_loops > 0 && v->ncycle > 2);
	for (unsigned i = 0; i < v->ncycle; i++)        /* from each channel to the next */
		assert_int_equal(b.s->ports[v->cycle[i]].node,
			b.s->ports[b.s->ports[v->cycle[(i + 1) % v->ncycle]].peer].node);
	mixture_report(v, &r);
	assert_true(r.unsafe);
	assert_int_equal(r.mixed_cycles, v->credit_loops);
	assert_int_equal(r.ncycle, v->ncycle);
	assert_memory_equal(r.cycle, v->cycle,
		(v->ncycle < ORDER_CYCLE_MAX ? v->ncycle : ORDER_CYCLE_MAX) * sizeof(*r.cycle));
}

/*
 * Packets of torus-2qos take VL 0 into a ring and VL 1 on it, by the SL-to-VL tables alone.  With
 * the two exchanged there is no credit loop either, but a mixture goes round a ring twice.
 */
static void
other_sl_to_vl_tables_make_a_cycle(void **state)
{
	const struct plan *p;
	struct lane_plan other;

	(void)state;
	bed_make("torus:5x5,hosts=1");
	p = plan_by("torus-2qos");
	other = *p->fwd.lanes;
	assert_null(other.sl);
	assert_int_equal(other.nvls, 2);
	for (unsigned i = 0; i < sizeof(other.vl); i++) {
		uint8_t *vl = &((uint8_t *)other.vl)[i];

		*vl ^= *vl < 2;
	}
	check_lanes_alone(p, &other, true);
	plan_free(p);
	bed_clear();
}

/*
 * The paths of lash share no cycle within an SL.  With the SLs of all paths exchanged they do not
 * either, but a mixture has every path on every SL.
 */
static void
other_sls_make_a_cycle(void **state)
{
	const struct plan *p;
	struct lane_plan other;
	size_t n;

	(void)state;
	bed_make("torus:5,hosts=1");
	p = plan_by("lash");
	other = *p->fwd.lanes;
	assert_int_equal(other.nvls, 2);
	assert_non_null(other.sl);
	n = (size_t)other.nswitches * other.nswitches;
	other.sl = malloc(n);
	assert_non_null(other.sl);
	for (size_t i = 0; i < n; i++)
		other.sl[i] = p->fwd.lanes->sl[i] ^ 1;
	check_lanes_alone(p, &other, true);
	free(other.sl);
	other.sl = NULL;                                /* every SL on every path */
	check_lanes_alone(p, &other, false);
	plan_free(p);
	bed_clear();
}

/* The tables before had one VL, without a lane plan or by one without classes of ports. */
static void
more_vls_are_a_mixture(void **state)
{
	const struct plan *p;
	struct lane_plan other;

	(void)state;
	bed_make("torus:5x5,hosts=1");
	p = plan_by("torus-2qos");
	check_lanes_alone(p, NULL, false);
	other = *p->fwd.lanes;
	other.port_class = NULL;
	check_lanes_alone(p, &other, false);
	plan_free(p);
	bed_clear();
}

/* The tables before were for other SLs: they are looked at together, too. */
static void
other_sls_in_use_are_a_mixture(void **state)
{
	const struct plan *p;
	struct lane_plan other;
	struct fwd_tables was;

	(void)state;
	bed_make("torus:5x5,hosts=1");
	p = plan_by("torus-2qos");
	was = p->fwd;
	other = *p->fwd.lanes;
	was.lanes = &other;
	assert_int_equal(check_mixture(&was, p)->vls, 0);       /* the same in other memory */
	other.sls ^= 2;                         /* SL 1 */
	assert_int_equal(check_mixture(&was, p)->vls, 2);
	plan_free(p);
	bed_clear();
}

static void
what_was_not_checked_changes_no_report(void **state)
{
	struct verify_result v = { .vls = 0, .credit_loops = 3, .ncycle = 2 };
	struct order_report r = { .ordered = true, .mixed_cycles = 5, .ncycle = 4, .unsafe = true };

	(void)state;
	mixture_report(&v, &r);
	assert_true(r.unsafe);
	assert_int_equal(r.mixed_cycles, 5);
	assert_int_equal(r.ncycle, 4);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_replaced),
		cmocka_unit_test(one_vl_is_left_to_the_order_of_writes),
		cmocka_unit_test(tables_of_another_engine_are_mixed),
		cmocka_unit_test(a_mixture_without_a_cycle_is_safe),
		cmocka_unit_test(other_sl_to_vl_tables_make_a_cycle),
		cmocka_unit_test(other_sls_make_a_cycle),
		cmocka_unit_test(more_vls_are_a_mixture),
		cmocka_unit_test(other_sls_in_use_are_a_mixture),
		cmocka_unit_test(what_was_not_checked_changes_no_report),
	};

	return cmocka_run_group_tests_name("mixture", tests, NULL, NULL);
}
