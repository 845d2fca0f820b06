/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_subnet.c - targets and cookies by owner, keys of ports, and what is freed behind jobs.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/subnet/served.h"
#include "util/xalloc.h"

static struct served_bed b;
static const uint8_t no_path[DGRAM_PATH_BYTES];

static int
subnet_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	return 0;
}

static int
subnet_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

static void
submit_get(enum owner owner, uint32_t target, uint64_t cookie)
{
	struct txn_req r = {
		.target = target, .cookie = cookie, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET,
		.attr_id = NODE_INFO_ID, .path = no_path,
	};

	subnet_submit(&b.net, &r, owner);
}

/* Targets that owners count from 0 never meet: each has its own range, nodes come last. */
static void
targets_count_from_their_owner(void **state)
{
	static const struct {
		enum owner owner;
		uint32_t first;
	} rows[] = {
		{ OWN_DISCOVER, 0 }, { OWN_POLL, TARGET_POLL }, { OWN_HANDOVER, TARGET_HANDOVER },
		{ OWN_DESC, TARGET_DESC }, { OWN_PORT_STATE, TARGET_OWN }, { OWN_REPORT, TARGET_REPORTS },
		{ OWN_PROBE, TARGET_PROBES }, { OWN_APPLY, TARGET_NODES }, { OWN_SMINFO, TARGET_NODES },
		{ OWN_LIGHT, TARGET_NODES }, { OWN_PKEYS, TARGET_NODES }, { OWN_MFT, TARGET_NODES },
		{ OWN_QOS, TARGET_NODES }, { OWN_GUIDS, TARGET_NODES }, { OWN_LFT, TARGET_NODES },
	};

	(void)state;
	assert_int_equal(sizeof(rows) / sizeof(rows[0]), OWNER_COUNT - 1);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct txn_end e;
		struct dgram d;

		submit_get(rows[i].owner, 3, OWN_MASK - 5);
		assert_true(served_next(&b, &d));
		served_answer(&b, &d, STATUS_OK);
		assert_true(served_take_end(&b, rows[i].owner, &e));
		assert_true(e.cookie == OWN_MASK - 5);
		assert_int_equal(e.target, rows[i].first + 3);
	}
}

static void
cancelling_one_owner_leaves_the_others(void **state)
{
	struct txn_end e;
	struct dgram d;

	(void)state;
	submit_get(OWN_LIGHT, 1, 1);
	submit_get(OWN_APPLY, 2, 2);
	subnet_cancel(&b.net, OWN_LIGHT);
	assert_true(served_take_end(&b, OWN_LIGHT, &e));
	assert_int_equal(e.kind, TXN_END_CANCELLED);
	assert_false(txn_next_end(b.net.txn, &e));
	assert_true(served_next(&b, &d));
	served_answer(&b, &d, STATUS_OK);
	assert_true(served_take_end(&b, OWN_APPLY, &e));
	assert_int_equal(e.kind, TXN_END_OK);
	assert_int_equal(e.cookie, 2);
}

static uint64_t
key_by_guid(const struct mkeys *k, uint64_t guid)
{
	(void)k;
	return guid ^ 0x1111;
}

/* One key for all, one for each port, or none: and none is none although the ports' own keys are known. */
static void
keys_follow_the_configuration(void **state)
{
	(void)state;
	b.conf->m_key = 0;
	b.net.port_keys = (struct mkeys){ .of = key_by_guid };
	assert_false(subnet_protects(&b.net));
	assert_int_equal(subnet_mkey(&b.net, 7), 0);
	b.conf->m_key = 0x55;
	assert_true(subnet_protects(&b.net));
	assert_int_equal(subnet_mkey(&b.net, 7), 0x55);
	b.conf->m_key = CONF_MKEY_AUTO;
	assert_true(subnet_protects(&b.net));
	assert_int_equal(subnet_mkey(&b.net, 7), 7 ^ 0x1111);
	b.net.port_keys = (struct mkeys){ 0 };
	assert_false(subnet_protects(&b.net));
	assert_int_equal(subnet_mkey(&b.net, 7), 0);
}

static struct monotime
clock_of_test(void *arg)
{
	return *(struct monotime *)arg;
}

static void
without_a_clock_now_is_the_time(void **state)
{
	struct monotime t = { 42 };

	(void)state;
	assert_int_equal(subnet_clock_us(&b.net), b.net.now.us);
	b.net.clock = clock_of_test;
	b.net.clock_arg = &t;
	assert_int_equal(subnet_clock_us(&b.net), 42);
}

static void
rooms_may_submit_more_than_the_window(void **state)
{
	(void)state;
	b.conf->max_wire_smps = 4;
	assert_int_equal(subnet_pending_max(&b.net), 256);
	b.conf->max_wire_smps = 100;
	assert_int_equal(subnet_pending_max(&b.net), 400);
}

static unsigned readers_run;

static void
reader_run(struct job *j)
{
	(void)j;
	assert_non_null(b.net.served.s->nodes);         /* not freed yet: the sanitizer would see it */
	assert_true(b.net.served.s->nodes[0].guid != 0);
	readers_run++;
}

static void
reader_drop(struct job *j)
{
	free(j);
}

/* What is retired is freed by a job, after those that were handed out before, and not before it runs. */
static void
retired_things_outlive_earlier_jobs(void **state)
{
	struct job *reader = xcalloc(1, sizeof(*reader));
	struct retired r = { .s = b.s, .p = xcalloc(1, sizeof(struct plan)) };

	(void)state;
	readers_run = 0;
	*reader = (struct job){ .run = reader_run, .drop = reader_drop };
	subnet_hand_out(&b.net, reader);
	subnet_retire(&b.net, r);
	assert_ptr_equal(b.jobs, reader);
	assert_non_null(reader->next);
	assert_int_equal(served_run_jobs(&b), 2);
	assert_int_equal(readers_run, 1);
	b.s = NULL;
}

static void
nothing_to_retire_is_no_job(void **state)
{
	(void)state;
	subnet_retire(&b.net, (struct retired){ .s = NULL });
	assert_null(b.jobs);
}

/* A job that was never run (the program ends) frees the same when it is dropped. */
static void
dropping_frees_too(void **state)
{
	struct job *j;

	(void)state;
	subnet_retire(&b.net, (struct retired){ .s = b.s });
	j = b.jobs;
	assert_non_null(j);
	b.jobs = NULL;
	j->drop(j);
	b.s = NULL;
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, subnet_setup, subnet_teardown)
	const struct CMUnitTest tests[] = {
		T(targets_count_from_their_owner),
		T(cancelling_one_owner_leaves_the_others),
		T(keys_follow_the_configuration),
		T(without_a_clock_now_is_the_time),
		T(rooms_may_submit_more_than_the_window),
		T(retired_things_outlive_earlier_jobs),
		T(nothing_to_retire_is_no_job),
		T(dropping_frees_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
