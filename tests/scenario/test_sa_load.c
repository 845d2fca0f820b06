/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sa_load.c - a host that asks without end is told BUSY; the others are served as ever.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/unit/test.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

/* Get(PathRecord) from 'slid' to 'dlid' comes in. */
static void
path_request_put(
	struct world *w, struct world_manager *s, uint16_t slid, uint16_t dlid, uint32_t tid)
{
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = METHOD_GET, .tid = tid,
		.attr_id = PATH_RECORD_ID,
	};
	struct path_record p = { .slid = slid, .dlid = dlid };
	uint8_t mad[DGRAM_BYTES] = { 0 };

	dgram_head_encode(mad, &h);
	wire_put64(mad + 48, 1 << 4 | 1 << 5);
	path_record_encode(mad + SA_HEAD_BYTES, &p);
	world_inject(w, s, mad, slid);
}

/* The status of the answer to Get(PathRecord) from 'slid' to 'dlid'. */
static unsigned
ask(struct world *w, struct world_manager *s, uint16_t slid, uint16_t dlid)
{
	struct dgram d;
	int timeout_ms;

	world_run(w, 0);                /* what the manager asks of its own port is answered */
	path_request_put(w, s, slid, dlid, 0x77);
	manager_tick(s->m, w->now);
	assert_true(manager_next_send(s->m, &d, &timeout_ms, w->now));
	assert_int_equal(dgram_class(d.mad), CLASS_SA);
	assert_int_equal(dgram_tid(d.mad), 0x77);
	assert_int_equal(d.addr.lid, slid);
	return dgram_status(d.mad);
}

static json_int_t
counter(struct world *w, struct world_manager *s, const char *name)
{
	json_t *status = manager_status(s->m, w->now);
	json_int_t n = json_integer_value(json_object_get(json_object_get(status, "sa"), name));

	json_decref(status);
	return n;
}

static void
one_abuser_does_not_stop_the_others(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint16_t abuser, other, us;
	unsigned busy = 0, served = 0;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 3 * SECOND);
	us = world_lid(&w, "host-0", 1);
	abuser = world_lid(&w, "host-3", 1);
	other = world_lid(&w, "host-9", 1);
	for (unsigned ms = 0; ms < 2000; ms++) {        /* 200,000 questions a second for two seconds */
		for (unsigned i = 0; i < 200; i++) {
			unsigned status = ask(&w, s, abuser, us);

			assert_true(status == STATUS_OK || status == STATUS_BUSY);
			busy += status == STATUS_BUSY;
			served += status == STATUS_OK;
		}
		for (unsigned i = 0; i < 10; i++)
			assert_int_equal(ask(&w, s, other, us), STATUS_OK);
		w.now = monotime_add_us(w.now, 1000);
	}
	assert_in_range(served, 100000 + 2 * 50000 - 100, 100000 + 2 * 50000 + 100);
	assert_int_equal(counter(&w, s, "busy"), busy);
	assert_int_equal(counter(&w, s, "answered"), 2000 * 210);
	w.now = monotime_add_us(w.now, 268436);         /* the response time that ClassPortInfo states */
	assert_int_equal(ask(&w, s, abuser, us), STATUS_OK);
	world_clear(&w);
}

/* What the device dropped because it is too long costs that request, and nothing of what hosts registered. */
static void
a_message_too_long_ends_nothing_else(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint16_t abuser, other, us;
	json_int_t before;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 3 * SECOND);
	us = world_lid(&w, "host-0", 1);
	abuser = world_lid(&w, "host-3", 1);
	other = world_lid(&w, "host-9", 1);
	before = counter(&w, s, "requests");
	for (unsigned i = 0; i < 1000; i++) {
		static const uint8_t methods[] = { METHOD_GET_MULTI, METHOD_REPORT, METHOD_GET_MULTI_RESP };
		struct dgram d = { .addr = { .lid = abuser, .qpn = 1 }, .status = EMSGSIZE, .bytes = 1u << 30,
			.mad = { 1, CLASS_SA, 2, methods[i % 3] } };

		wire_put64(d.mad + 8, i);
		manager_receive(s->m, &d, w.now);
		if (i % 100 == 0)
			assert_int_equal(ask(&w, s, other, us), STATUS_OK);
	}
	assert_int_equal(counter(&w, s, "silent_too_long"), 667);
	assert_int_equal(counter(&w, s, "requests"), before + 667 + 10);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	world_clear(&w);
}

/*
 * Eight hosts ask once in two milliseconds each; an abuser asks 'abuse' times in a millisecond.  An answer takes 5 us to
 * make, BUSY 1, the way to and fro 100 us.  How long the eight wait, at the 99th percentile.
 */
enum { OTHERS = 8, COST_US = 5, BUSY_US = 1, WAY_US = 100, ASKS = 400, PERIOD_US = 2000 };

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t
waited_us(struct world *w, struct world_manager *s, unsigned abuse)
{
	static int64_t came[OTHERS * ASKS], waited[OTHERS * ASKS];
	int64_t begin = w->now.us, abused = 0;
	uint16_t lid[OTHERS], abuser = world_lid(w, "host-15", 1), us = world_lid(w, "host-0", 1);
	unsigned asked[OTHERS] = { 0 }, open = 0, done = 0;

	for (unsigned i = 0; i < OTHERS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "host-%u", i + 1);
		lid[i] = world_lid(w, name, 1);
	}
	while (done < OTHERS * ASKS) {
		struct dgram d;
		int timeout_ms;

		/* What came in meanwhile, 256 at most, as the daemon takes it in; then answers are made, then again. */
		for (unsigned i = 0; i < OTHERS; i++)
			for (; asked[i] < ASKS && begin + asked[i] * PERIOD_US + i * 230 <= w->now.us; asked[i]++) {
				came[i * ASKS + asked[i]] = begin + asked[i] * PERIOD_US + i * 230;
				path_request_put(w, s, lid[i], us, 1 + i * ASKS + asked[i]);
				open++;
			}
		for (unsigned n = 0; n < 200 && abused * 1000 < (w->now.us - begin) * abuse; n++, abused++)
			path_request_put(w, s, abuser, us, 0xabcdef);
		manager_tick(s->m, w->now);
		while (manager_next_send(s->m, &d, &timeout_ms, w->now)) {
			if (dgram_class(d.mad) != CLASS_SA)
				continue;
			w->now.us += dgram_status(d.mad) == STATUS_BUSY ? BUSY_US : COST_US;
			if (dgram_tid(d.mad) == 0xabcdef)
				continue;
			assert_int_equal(dgram_status(d.mad), STATUS_OK);
			waited[done++] = w->now.us - came[dgram_tid(d.mad) - 1] + WAY_US;
			open--;
		}
		if (!manager_answers_wait(s->m))
			w->now.us += 1;
	}
	assert_int_equal(open, 0);
	qsort(waited, done, sizeof(*waited), by_value);
	return waited[done * 99 / 100];
}

static void
one_abuser_does_not_delay_the_others(void **arg)
{
	struct world_manager *s;
	struct world w;
	int64_t idle, abused;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 3 * SECOND);
	idle = waited_us(&w, s, 0);
	abused = waited_us(&w, s, 100);
	print_message("# p99 %lld us idle, %lld us beside 100,000 a second\n", (long long)idle, (long long)abused);
	assert_in_range(abused, 1, 2 * idle);
	abused = waited_us(&w, s, 1000);                /* five times what can be answered */
	print_message("# %lld us beside 1,000,000 a second\n", (long long)abused);
	assert_in_range(abused, 1, 3 * idle);
	assert_true(counter(&w, s, "queue_full") > 0);
	assert_int_equal(counter(&w, s, "requests"), counter(&w, s, "answered") + counter(&w, s, "silent_overload"));
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_abuser_does_not_stop_the_others),
		cmocka_unit_test(a_message_too_long_ends_nothing_else),
		cmocka_unit_test(one_abuser_does_not_delay_the_others),
	};

	return cmocka_run_group_tests_name("sa_load", tests, NULL, NULL);
}
