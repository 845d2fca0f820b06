/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_work.c - what happens while a step of a sweep is computed elsewhere: everything goes on, and the step is none the worse.
 * A job reads what it was given at its beginning or at its end: both must come to the same.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "sim/phys/phys.h"
#include "sm/ha/ha.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"

#define SECOND INT64_C(1000000)
#define JOB_US (SECOND / 5)
#define JOBS_OF_A_SWEEP 5               /* seal, look, plan, diff, index */

enum { SET_HANDOVER = 1, SET_DISCOVER = 5 };

static const bool both[] = { false, true };

static struct world_manager *
jobs_begin(struct world *w, bool late, const char *const *args)
{
	world_init(w, "fattree:k=4,levels=3", 1);
	w->job_us = JOB_US;
	w->job_late = late;
	w->keep_deliveries = true;
	return world_manager_start(w, NULL, args);
}

static struct world_manager *
begin_up(struct world *w, bool late, const char *const *args)
{
	struct world_manager *s = jobs_begin(w, late, args);

	assert_true(world_run_sweeps(w, s, 2, 20 * SECOND));    /* the second: once more after the first */
	world_run(w, 2 * JOB_US);
	assert_true(world_is_right(w));
	return s;
}

/* Lets time pass until the manager waits for the job 'n' (from 0) from now on. */
static bool
until_job(struct world *w, struct world_manager *s, unsigned n)
{
	struct monotime end = monotime_add_us(w->now, 20 * SECOND);
	unsigned seen = 0;
	bool was = false;

	while (w->now.us < end.us) {
		world_run(w, 500);
		if (manager_works(s->m) && !was && seen++ == n)
			return true;
		was = manager_works(s->m);
		if (was && s->njobs && w->now.us + 500 >= s->jobs[0].at.us) {   /* the next follows at once */
			world_run(w, 1000);
			was = false;
		}
	}
	return false;
}

/* Asks for the path from one host to another: the status, or -1 when nobody says anything within 'us'. */
static int
ask_path(struct world *w, struct world_manager *s, const char *from, const char *to, int64_t us)
{
	static uint64_t tid;
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = METHOD_GET, .tid = ++tid,
		.attr_id = PATH_RECORD_ID,
	};
	struct path_record p = { .slid = world_lid(w, from, 1), .dlid = world_lid(w, to, 1) };
	struct hw_packet q = { .slid = p.slid, .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct hw_delivery d;
	int status = -1;

	q.dlid = wire_get16(hw_port(w->hw, s->node, s->port)->info + PI_LID);
	dgram_head_encode(q.mad, &h);
	wire_put64(q.mad + 48, 1 << 4 | 1 << 5);
	path_record_encode(q.mad + SA_HEAD_BYTES, &p);
	assert_int_equal(hw_send(w->hw, world_node(w, from), 1, &q, w->now), 0);
	world_run(w, us);
	while (world_take_delivery(w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) == METHOD_GET_RESP &&
		    dgram_tid(d.packet.mad) == tid)
			status = dgram_status(d.packet.mad);
	return status;
}

static void
same_tables_early_late_or_at_once(void **arg)
{
	uint64_t tables[3];

	(void)arg;
	for (unsigned i = 0; i < 3; i++) {
		struct world_manager *s;
		struct world w;

		world_init(&w, "fattree:k=4,levels=3", 1);
		w.job_us = i ? JOB_US : 0;
		w.job_late = i == 2;
		s = world_manager_start(&w, NULL, NULL);
		assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
		assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
		assert_true(world_is_right(&w));
		tables[i] = world_tables(&w);
		if (i)
			assert_in_range(s->jobs_given, JOBS_OF_A_SWEEP, JOBS_OF_A_SWEEP + 1);
		world_clear(&w);
	}
	assert_true(tables[0] == tables[1] && tables[0] == tables[2]);
}

static void
answers_go_on(void **arg)
{
	(void)arg;
	for (unsigned late = 0; late < 2; late++)
		for (unsigned n = 0; n < JOBS_OF_A_SWEEP; n++) {
			struct world w;
			struct world_manager *s = begin_up(&w, both[late], NULL);
			unsigned sweeps = manager_sweeps(s->m);

			manager_sweep(s->m, "test", w.now);
			assert_true(until_job(&w, s, n));
			for (unsigned i = 0; i < 5; i++)
				assert_int_equal(ask_path(&w, s, "host-3", "host-12", 1000), STATUS_OK);
			assert_true(manager_works(s->m));
			assert_int_equal(manager_sweeps(s->m), sweeps);
			assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
			world_clear(&w);
		}
}

/* The configuration that a job reads goes when it has ended, not before; the next sweep has the new one. */
static void
reload(void **arg)
{
	static const char *const other[] = { "-l", "1", NULL };

	(void)arg;
	for (unsigned late = 0; late < 2; late++)
		for (unsigned n = 0; n < JOBS_OF_A_SWEEP; n++) {
			struct world w;
			struct world_manager *s = begin_up(&w, both[late], NULL);

			manager_sweep(s->m, "test", w.now);
			assert_true(until_job(&w, s, n));
			world_manager_reload(&w, s, other);
			world_run(&w, JOB_US / 4);
			world_manager_reload(&w, s, NULL);
			world_manager_reload(&w, s, other);
			assert_true(world_run_sweeps(&w, s, 2, 20 * SECOND));
			world_run(&w, 2 * SECOND);
			assert_true(world_is_right(&w));
			world_clear(&w);
		}
}

/* Stopped at any moment: what was handed out ends, or is dropped, without its manager. */
static void
stopped_at_any_moment(void **arg)
{
	(void)arg;
	for (unsigned late = 0; late < 2; late++)
		for (unsigned n = 0; n < JOBS_OF_A_SWEEP + 2; n++)
			for (unsigned then = 0; then < 2; then++) {
				struct world w;
				struct world_manager *s = jobs_begin(&w, both[late], NULL);

				assert_true(until_job(&w, s, n));
				world_manager_kill(&w, s);
				if (then)
					world_run(&w, 3 * SECOND);
				world_clear(&w);
			}
}

/* A sweep asked for, a trap, a link that goes while the plan is made: another sweep follows, and then all is right. */
static void
what_comes_meanwhile_is_not_lost(void **arg)
{
	(void)arg;
	for (unsigned late = 0; late < 2; late++)
		for (unsigned n = 0; n < JOBS_OF_A_SWEEP; n++) {
			struct world w;
			struct world_manager *s = begin_up(&w, both[late], NULL);

			manager_sweep(s->m, "test", w.now);
			assert_true(until_job(&w, s, n));
			assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "leaf-0-1"), 3, w.now), 0);
			manager_sweep(s->m, "test", w.now);
			assert_true(world_run_sweeps(&w, s, 2, 20 * SECOND));
			world_run(&w, 2 * SECOND);
			assert_true(world_is_right(&w));
			assert_int_equal(ask_path(&w, s, "host-3", "host-12", 1000), STATUS_OK);
			world_clear(&w);
		}
}

/* Told to look who leads while it plans: a master does not, and goes on. */
static void
discover_is_refused(void **arg)
{
	(void)arg;
	for (unsigned late = 0; late < 2; late++)
		for (unsigned n = 1; n < JOBS_OF_A_SWEEP - 1; n++) {    /* look, plan, diff */
			struct world w;
			struct world_manager *s = jobs_begin(&w, both[late], NULL);

			assert_true(until_job(&w, s, n));
			world_sm_info_set(&w, s, "host-9", SET_DISCOVER);
			assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
			assert_int_equal(manager_sweeps(s->m), 1);      /* the one that was under way */
			world_run(&w, 10 * SECOND);
			assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
			assert_true(world_is_right(&w));
			world_clear(&w);
		}
}

static void
handed_over_meanwhile(void **arg)
{
	(void)arg;
	for (unsigned n = 0; n < JOBS_OF_A_SWEEP; n++) {
		struct world w;
		struct world_manager *s = begin_up(&w, true, NULL);

		manager_sweep(s->m, "test", w.now);
		assert_true(until_job(&w, s, n));
		world_sm_info_set(&w, s, "host-9", SET_HANDOVER);
		assert_true(world_run_sweeps(&w, s, 2, 20 * SECOND));
		world_run(&w, 2 * SECOND);
		assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* What stood still begins again; the job it waited for ends for nobody. */
static void
stood_still(void **arg)
{
	(void)arg;
	for (unsigned late = 0; late < 2; late++) {
		struct world w;
		struct world_manager *s = begin_up(&w, both[late], NULL);

		w.job_us = 8 * SECOND;
		manager_sweep(s->m, "test", w.now);
		assert_true(until_job(&w, s, 0));
		w.job_us = JOB_US;
		w.frozen[0] = true;
		world_run(&w, 5 * SECOND);
		w.frozen[0] = false;
		assert_true(world_run_sweeps(&w, s, 1, 30 * SECOND));
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* To wait for long is not to stand still. */
static void
long_jobs(void **arg)
{
	struct world_manager *s;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	w.job_us = 30 * SECOND;
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 160 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static char *
write_text(int err, json_t *document, size_t *len)
{
	char *text = json_dumps(document, JSON_SORT_KEYS);

	assert_int_equal(err, 0);
	json_decref(document);
	*len = strlen(text);
	return text;
}

/* A document shows what was served when it was asked for, whatever comes meanwhile. */
static void
documents(void **arg)
{
	static const char *const lmc[] = { "-l", "1", NULL };

	(void)arg;
	for (unsigned late = 0; late < 2; late++)
		for (unsigned k = 0; k < 2; k++) {
			struct world w;
			struct world_manager *s = jobs_begin(&w, both[late], NULL);
			struct document d;
			json_t *reply = NULL, *now;
			char *text;
			size_t len;

			assert_int_equal(manager_make_document(s->m, (uint16_t)k, write_text, 1, &reply), -EAGAIN);
			json_decref(reply);
			assert_true(world_run_sweeps(&w, s, 2, 20 * SECOND));
			if (k)
				assert_int_equal(manager_paths(s->m, 1, &now), 0);
			else
				now = manager_snapshot(s->m);
			text = write_text(0, now, &len);
			w.job_us = 10 * SECOND;
			assert_int_equal(manager_make_document(s->m, (uint16_t)k, write_text, 77, &reply), 0);
			w.job_us = JOB_US;
			world_manager_reload(&w, s, lmc);
			assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "leaf-0-1"), 3, w.now), 0);
			world_run(&w, 5 * SECOND);
			assert_false(manager_take_document(s->m, &d));
			assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
			assert_true(manager_take_document(s->m, &d));
			assert_int_equal(d.ticket, 77);
			assert_string_equal(d.bytes, text);
			free(d.bytes);
			free(text);
			assert_false(manager_take_document(s->m, &d));
			assert_int_equal(manager_make_document(s->m, 0, write_text, 78, &reply), 0);
			if (k)          /* made, and nobody takes it */
				world_run(&w, SECOND);
			world_clear(&w);
		}
}

/* Who asks, goes away and asks again, a thousand times, keeps the worker busy for so long and no longer. */
static void
documents_have_a_limit(void **arg)
{
	struct world w;
	struct world_manager *s = begin_up(&w, false, NULL);
	struct document d;
	unsigned given = 0, made = 0;
	json_t *reply;

	(void)arg;
	for (unsigned i = 0; i < 2000; i++) {
		reply = NULL;
		if (manager_make_document(s->m, 0, write_text, i, &reply) == 0)
			given++;
		else
			assert_string_equal(json_string_value(json_object_get(reply, "reason")), "too many documents are being made");
		json_decref(reply);
	}
	assert_in_range(given, 8, 64);
	world_run(&w, (given + 1) * JOB_US);
	while (manager_take_document(s->m, &d)) {
		free(d.bytes);
		made++;
	}
	assert_int_equal(made, given);
	assert_int_equal(manager_make_document(s->m, 0, write_text, 1, &reply), 0);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_tables_early_late_or_at_once),
		cmocka_unit_test(answers_go_on),
		cmocka_unit_test(reload),
		cmocka_unit_test(stopped_at_any_moment),
		cmocka_unit_test(what_comes_meanwhile_is_not_lost),
		cmocka_unit_test(discover_is_refused),
		cmocka_unit_test(handed_over_meanwhile),
		cmocka_unit_test(stood_still),
		cmocka_unit_test(long_jobs),
		cmocka_unit_test(documents),
		cmocka_unit_test(documents_have_a_limit),
	};

	return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
