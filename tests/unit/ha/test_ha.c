/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ha.c - election and takeover, event by event.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"
#include "sm/ha/ha.h"

#define POLL_US 1000000

static struct monotime
at(int64_t us)
{
	return (struct monotime){ us };
}

static struct ha
fresh(uint8_t priority, uint64_t guid)
{
	struct ha h;

	ha_init(&h, &(struct ha_conf){ .guid = guid, .priority = priority, .poll_us = POLL_US, .poll_tries = 3, .sm_key = 9 });
	return h;
}

static struct sm_info
sm(uint64_t guid, uint8_t priority, enum ha_state state)
{
	return (struct sm_info){ .guid = guid, .priority = priority, .state = (uint8_t)state };
}

static void
alone_leads(void **arg)
{
	struct ha h = fresh(0, 5);

	(void)arg;
	assert_int_equal(ha_discovered(&h, NULL, 0, at(0)), HA_CONFIGURE);
	assert_int_equal(h.state, HA_MASTER);
	assert_int_equal(ha_sm_info(&h, false).sm_key, 0);
	assert_int_equal(ha_sm_info(&h, true).sm_key, 9);
}

static void
election_table(void **arg)
{
	static const struct { struct sm_info other; enum ha_action want; } row[] = {
		{ { .guid = 4, .priority = 1, .state = HA_DISCOVERING }, HA_STAND_BY },   /* equal priority, lower GUID */
		{ { .guid = 6, .priority = 1, .state = HA_DISCOVERING }, HA_CONFIGURE },
		{ { .guid = 6, .priority = 2, .state = HA_STANDBY }, HA_STAND_BY },
		{ { .guid = 4, .priority = 0, .state = HA_STANDBY }, HA_CONFIGURE },
		{ { .guid = 6, .priority = 0, .state = HA_MASTER }, HA_STAND_BY },        /* a master is not challenged */
		{ { .guid = 4, .priority = 9, .state = HA_NOTACTIVE }, HA_CONFIGURE },
		/* host order: a GUID that is smaller only when its bytes are read backwards */
		{ { .guid = UINT64_C(0x0100000000000000), .priority = 1, .state = HA_DISCOVERING }, HA_CONFIGURE },
	};

	(void)arg;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct ha h = fresh(1, 5);

		assert_int_equal(ha_discovered(&h, &row[i].other, 1, at(0)), row[i].want);
	}
}

/* With another key nobody gets the subnet from us; a master is left alone all the same, or there would be two. */
static void
other_keys(void **arg)
{
	struct sm_info better = sm(9, 2, HA_STANDBY), master = sm(9, 2, HA_MASTER), rival = sm(9, 2, HA_DISCOVERING);
	struct ha h = fresh(1, 5);

	(void)arg;
	better.sm_key = master.sm_key = rival.sm_key = 8;
	assert_int_equal(ha_discovered(&h, &rival, 1, at(0)), HA_CONFIGURE);
	assert_int_equal(ha_discovered(&h, &better, 1, at(1)), HA_CONFIGURE);
	assert_int_equal(ha_discovered(&h, &master, 1, at(2)), HA_CONFIGURE);
	better.sm_key = 9;
	assert_int_equal(ha_discovered(&h, &better, 1, at(3)), HA_HAND_OVER);
	h = fresh(1, 5);
	assert_int_equal(ha_discovered(&h, &master, 1, at(0)), HA_STAND_BY);
	better.sm_key = 0;
	h = fresh(1, 5);
	assert_int_equal(ha_discovered(&h, NULL, 0, at(0)), HA_CONFIGURE);
	assert_int_equal(ha_discovered(&h, &better, 1, at(1)), HA_HAND_OVER);
	h = fresh(1, 5);
	h.conf.protects = true;         /* he does not show his, so he has not our M_Key */
	assert_int_equal(ha_discovered(&h, &better, 1, at(0)), HA_CONFIGURE);
	better.sm_key = 9;
	assert_int_equal(ha_discovered(&h, &better, 1, at(1)), HA_HAND_OVER);
}

/* How many polls it sends when none is answered, before it looks; and when. */
static unsigned
polls_until_sweep(struct ha *h, struct monotime *now)
{
	enum ha_action a;
	unsigned n = 0;

	for (;; n++) {
		assert_true(ha_deadline(h, now));
		a = ha_poll(h, *now);
		if (a != HA_POLL)
			break;
	}
	assert_int_equal(a, HA_SWEEP);
	return n;
}

static void
standby_takes_over(void **arg)
{
	struct ha h = fresh(0, 5);
	struct sm_info master = sm(7, 3, HA_MASTER);
	struct monotime now;

	(void)arg;
	assert_int_equal(ha_discovered(&h, &master, 1, at(0)), HA_STAND_BY);
	assert_int_equal(ha_poll(&h, at(POLL_US - 1)), HA_NOTHING);
	assert_int_equal(ha_poll(&h, at(POLL_US)), HA_POLL);
	assert_int_equal(ha_polled(&h, &master, at(POLL_US + 10)), HA_NOTHING);
	assert_int_equal(polls_until_sweep(&h, &now), 13);      /* and none of them waits for another */
	assert_in_range(now.us - POLL_US, POLL_US, POLL_US + 500000);
	assert_int_equal(h.state, HA_DISCOVERING);
	assert_int_equal(h.silent_guid, 7);
	assert_int_equal(ha_discovered(&h, NULL, 0, now), HA_CONFIGURE);
}

/* An answer to any of the polls, even the last one, shows that the master lives. */
static void
late_answer(void **arg)
{
	struct ha h = fresh(0, 5);
	struct sm_info master = sm(7, 3, HA_MASTER);
	struct monotime t;

	(void)arg;
	assert_int_equal(ha_discovered(&h, &master, 1, at(0)), HA_STAND_BY);
	for (unsigned i = 0; i < 13; i++) {
		assert_true(ha_deadline(&h, &t));
		assert_int_equal(ha_poll(&h, t), HA_POLL);
	}
	assert_int_equal(ha_polled(&h, &master, t), HA_NOTHING);
	assert_int_equal(ha_poll(&h, monotime_add_us(t, POLL_US - 1)), HA_NOTHING);
	assert_int_equal(ha_poll(&h, monotime_add_us(t, POLL_US)), HA_POLL);
	assert_int_equal(h.state, HA_STANDBY);
}

/* Who gave a false alarm waits longer the next time, until it has been quiet for a while. */
static void
false_alarms(void **arg)
{
	static const unsigned want[] = { 13, 25, 49, 97, 97 };
	struct ha h = fresh(0, 5);
	struct sm_info master = sm(7, 3, HA_MASTER);
	struct monotime now;

	(void)arg;
	assert_int_equal(ha_discovered(&h, &master, 1, at(0)), HA_STAND_BY);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(polls_until_sweep(&h, &now), want[i]);
		assert_int_equal(ha_discovered(&h, &master, 1, now), HA_STAND_BY);
	}
	now = monotime_add_us(now, 70 * POLL_US);
	assert_int_equal(ha_poll(&h, now), HA_POLL);
	assert_int_equal(ha_polled(&h, &master, now), HA_NOTHING);
	assert_int_equal(polls_until_sweep(&h, &now), 13);
}

static void
standby_looks_again_when_the_master_is_another(void **arg)
{
	struct ha h = fresh(0, 5);
	struct sm_info master = sm(7, 3, HA_MASTER), other = sm(8, 3, HA_MASTER), idle = sm(7, 3, HA_STANDBY);

	(void)arg;
	ha_discovered(&h, &master, 1, at(0));
	assert_int_equal(ha_polled(&h, &other, at(POLL_US)), HA_SWEEP);
	ha_discovered(&h, &master, 1, at(2 * POLL_US));
	assert_int_equal(ha_polled(&h, &idle, at(3 * POLL_US)), HA_SWEEP);
}

static void
master_hands_over_to_the_better(void **arg)
{
	struct ha h = fresh(1, 5);
	struct sm_info better = sm(9, 2, HA_STANDBY), worse = sm(3, 0, HA_MASTER), twin = sm(4, 1, HA_MASTER);

	(void)arg;
	ha_discovered(&h, NULL, 0, at(0));
	assert_int_equal(ha_discovered(&h, &worse, 1, at(1)), HA_CONFIGURE);
	assert_int_equal(ha_discovered(&h, &better, 1, at(2)), HA_HAND_OVER);
	assert_int_equal(h.other, 9);
	assert_int_equal(h.state, HA_STANDBY);
	h = fresh(1, 5);
	ha_discovered(&h, NULL, 0, at(0));
	assert_int_equal(ha_discovered(&h, &twin, 1, at(1)), HA_HAND_OVER);
}

static void
handover_survives_until_the_sweep_ends(void **arg)
{
	struct ha h = fresh(3, 5);
	struct sm_info old = sm(7, 1, HA_MASTER), other = sm(8, 1, HA_MASTER);
	uint16_t status;

	(void)arg;
	ha_discovered(&h, &old, 1, at(0));
	assert_int_equal(ha_set(&h, 1, &other, at(1), &status), HA_NOTHING);    /* it is not the master's to give */
	assert_int_equal(status, STATUS_BAD_VALUE);
	assert_int_equal(ha_set(&h, 1, &old, at(1), &status), HA_SWEEP);
	assert_int_equal(status, STATUS_OK);
	assert_int_equal(ha_discovered(&h, &old, 1, at(2)), HA_CONFIGURE);        /* it still says MASTER: no matter */
	assert_int_equal(h.state, HA_MASTER);
}

static void
sets_from_the_wrong_state_are_refused(void **arg)
{
	struct ha h = fresh(3, 5);
	uint16_t status;

	(void)arg;
	ha_discovered(&h, NULL, 0, at(0));
	for (uint32_t mod = 0; mod < 8; mod++) {
		struct sm_info s = sm(7, 9, mod == 2 ? HA_MASTER : HA_STANDBY), m = sm(7, 9, HA_MASTER);

		if (mod > 2) {          /* nobody makes a master stop leading */
			assert_int_equal(ha_set(&h, mod, &m, at(1), &status), HA_NOTHING);
			assert_int_equal(status, STATUS_BAD_VALUE);
		}

		assert_int_equal(ha_set(&h, mod, &s, at(1), &status), HA_NOTHING);
		assert_int_equal(status, STATUS_BAD_VALUE);
		assert_int_equal(h.state, HA_MASTER);
	}
	assert_int_equal(ha_set(&h, 3, &(struct sm_info){ .state = HA_MASTER }, at(1), &status), HA_NOTHING);
	assert_int_equal(status, STATUS_BAD_VALUE);     /* DISABLE is for those who stand by */
}

static void
disabled_and_woken(void **arg)
{
	struct ha h = fresh(0, 5);
	struct sm_info master = sm(7, 3, HA_MASTER), other = sm(8, 9, HA_MASTER);
	struct monotime now;
	uint16_t status;

	(void)arg;
	ha_discovered(&h, &master, 1, at(0));
	for (uint32_t mod = 3; mod < 6; mod++) {                /* the master's words, and nobody else's */
		assert_int_equal(ha_set(&h, mod, &other, at(1), &status), HA_NOTHING);
		assert_int_equal(status, STATUS_BAD_VALUE);
		assert_int_equal(h.state, HA_STANDBY);
	}
	assert_int_equal(ha_set(&h, 3, &master, at(1), &status), HA_NOTHING);
	assert_int_equal(h.state, HA_NOTACTIVE);
	assert_int_equal(h.disabled_by, 7);
	assert_int_equal(ha_discovered(&h, NULL, 0, at(2)), HA_NOTHING);
	assert_int_equal(ha_set(&h, 4, &other, at(3), &status), HA_NOTHING);
	assert_int_equal(h.state, HA_NOTACTIVE);
	assert_int_equal(ha_set(&h, 4, &master, at(3), &status), HA_STAND_BY);
	assert_int_equal(h.state, HA_STANDBY);
	assert_int_equal(h.disabled_by, 0);
	assert_int_equal(ha_set(&h, 3, &master, at(4), &status), HA_NOTHING);
	assert_int_equal(polls_until_sweep(&h, &now), 13);      /* the master is gone: it stands by again, and may lead */
	assert_int_equal(ha_discovered(&h, NULL, 0, now), HA_CONFIGURE);
}

/* At rest nothing wakes it but ha_resume(). */
static void
rests(void **arg)
{
	struct ha h = fresh(0, 5);
	struct sm_info master = sm(7, 3, HA_MASTER);
	struct monotime t;
	uint16_t status;

	(void)arg;
	ha_discovered(&h, &master, 1, at(0));
	ha_rest(&h);
	assert_false(ha_deadline(&h, &t));
	assert_int_equal(ha_poll(&h, at(100 * POLL_US)), HA_NOTHING);
	assert_int_equal(ha_discovered(&h, NULL, 0, at(2)), HA_NOTHING);
	for (uint32_t mod = 0; mod < 7; mod++)
		assert_int_equal(ha_set(&h, mod, &master, at(3), &status), HA_NOTHING);
	assert_int_equal(h.state, HA_NOTACTIVE);
	ha_resume(&h);
	assert_int_equal(ha_discovered(&h, NULL, 0, at(4)), HA_CONFIGURE);
}

/* Whoever dies soon after it got the subnet must stand by for a while before it gets it again, each time for longer. */
static void
lapses(void **arg)
{
	struct sm_info better = sm(9, 2, HA_STANDBY);
	struct monotime now = at(POLL_US);
	struct ha h = fresh(1, 5);
	int64_t waited_us, want_us = 0;

	(void)arg;
	ha_discovered(&h, NULL, 0, now);
	for (unsigned i = 0; i < 5; i++) {
		for (waited_us = 0; ha_discovered(&h, &better, 1, now) != HA_HAND_OVER; waited_us += POLL_US)
			now = monotime_add_us(now, POLL_US);
		assert_int_equal(waited_us, want_us);
		want_us = want_us ? want_us * 2 : 30 * POLL_US;
		now = monotime_add_us(now, 60 * POLL_US);
		h.next_poll = now;
		polls_until_sweep(&h, &now);
		assert_int_equal(ha_discovered(&h, NULL, 0, now), HA_CONFIGURE);
	}
	for (waited_us = 0; ha_discovered(&h, &better, 1, now) != HA_HAND_OVER; waited_us += POLL_US)
		now = monotime_add_us(now, POLL_US);
	now = monotime_add_us(now, 601 * POLL_US);      /* it led for ten minutes: that is forgotten */
	h.next_poll = now;
	polls_until_sweep(&h, &now);
	assert_int_equal(ha_discovered(&h, NULL, 0, now), HA_CONFIGURE);
	assert_int_equal(ha_discovered(&h, &better, 1, now), HA_HAND_OVER);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone_leads),
		cmocka_unit_test(election_table),
		cmocka_unit_test(other_keys), cmocka_unit_test(standby_takes_over),
		cmocka_unit_test(late_answer), cmocka_unit_test(false_alarms), cmocka_unit_test(rests), cmocka_unit_test(lapses),
		cmocka_unit_test(standby_looks_again_when_the_master_is_another),
		cmocka_unit_test(master_hands_over_to_the_better),
		cmocka_unit_test(handover_survives_until_the_sweep_ends),
		cmocka_unit_test(sets_from_the_wrong_state_are_refused),
		cmocka_unit_test(disabled_and_woken),
	};

	return cmocka_run_group_tests_name("ha", tests, NULL, NULL);
}
