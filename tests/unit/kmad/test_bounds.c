/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_bounds.c - programs that read nothing, acknowledge nothing and send without end: what they may
 * hold, and that the others go on; how long many transfers that end at once take.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/kmad/kmad.h"

enum { MIB = 1 << 20, LID_A = 1, LID_B = 4, NOBODY = 99 };

struct bench {
	struct rig rig;
	struct kmad *k;
	struct kmad_file *a, *b;                /* A.1 and B.1, an agent of CLASS_PING with RMPP each */
	uint8_t *mad;                           /* the longest message */
};

static struct kmad_reg
ping(uint64_t methods)
{
	return (struct kmad_reg){ .mgmt_class = CLASS_PING, .class_version = 1, .rmpp_version = 1, .oui = 0x001405, .qpn = 1,
		.methods = { methods } };
}

static int
bounds_setup(void **state)
{
	struct bench *t = calloc(1, sizeof(*t));
	struct kmad_reg r = ping(0);
	uint32_t id;

	rig_make(&t->rig, &(struct hw_conf){ .seed = 1 });
	rig_bring_up(&t->rig);
	t->k = kmad_new(t->rig.h);
	t->a = kmad_open(t->k, A, 1, NULL);
	t->b = kmad_open(t->k, B, 1, NULL);
	assert_int_equal(kmad_register(t->k, t->a, &r, &id), 0);
	r = ping(1 << METHOD_GET | 1 << METHOD_SEND);
	assert_int_equal(kmad_register(t->k, t->b, &r, &id), 0);
	t->mad = calloc(1, MESSAGE_BYTES_MAX + 1);
	assert_non_null(t->mad);
	*state = t;
	return 0;
}

static int
bounds_teardown(void **state)
{
	struct bench *t = *state;

	kmad_close(t->k, t->a);
	kmad_close(t->k, t->b);
	kmad_free(t->k);
	hw_free(t->rig.h);
	free(t->mad);
	free(t);
	return 0;
}

static int
ping_write(struct bench *t, struct kmad_file *f, uint8_t method, uint64_t tid, uint16_t lid,
	uint32_t timeout_ms, uint32_t bytes)
{
	struct kmad_head h = { .timeout_ms = timeout_ms, .addr = { .lid = lid, .qpn = 1 } };

	t->mad[0] = 1;
	t->mad[1] = CLASS_PING;
	t->mad[2] = 1;
	t->mad[3] = method;
	wire_put64(t->mad + 8, tid);
	wire_put32(t->mad + 36, 0x001405);
	t->mad[26] = bytes > MESSAGE_MAD_BYTES ? RMPP_FLAG_ACTIVE : 0;
	return kmad_write(t->k, f, &h, t->mad, bytes, t->rig.now);
}

/* Of one file, and of all: a send beyond it is refused, another's are taken. */
static void
sends_that_wait(void **state)
{
	struct bench *t = *state;
	struct kmad_file *more[8];
	struct kmad_reg r = ping(0);
	uint32_t id;

	for (uint32_t i = 0; i < KMAD_SENDS_MAX; i++)
		assert_int_equal(ping_write(t, t->a, METHOD_GET, i + 1, NOBODY, 3600000, 256), 0);
	assert_int_equal(
		ping_write(t, t->a, METHOD_GET, KMAD_SENDS_MAX + 1, NOBODY, 3600000, 256), -ENOMEM);
	assert_int_equal(kmad_stats(t->k)->over_limit, 1);
	assert_int_equal(ping_write(t, t->b, METHOD_GET, 1, NOBODY, 1000, 256), 0);
	for (unsigned f = 0; f < 8; f++) {      /* seven more abusers */
		more[f] = kmad_open(t->k, A, 1, NULL);
		assert_int_equal(kmad_register(t->k, more[f], &r, &id), 0);
		for (uint32_t i = 0; f < 7 && i < KMAD_SENDS_MAX - 1000; i++)
			assert_int_equal(
				ping_write(t, more[f], METHOD_GET, i + 1, NOBODY, 3600000, 256), 0);
	}
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(ping_write(t, more[7], METHOD_GET, i + 1, NOBODY, 1000, 256), 0);
	for (unsigned f = 0; f < 8; f++)
		kmad_close(t->k, more[f]);
	t->rig.now = monotime_add_us(t->rig.now, INT64_C(3600000000));
	kmad_tick(t->k, t->rig.now);
	assert_non_null(kmad_peek(t->a));
	assert_int_equal(ping_write(t, t->a, METHOD_GET, 1, NOBODY, 1000, 256), 0);
}

/* Nobody at that LID acknowledges: 64 MiB wait for it, and not a byte more; another LID is sent to. */
static void
unacknowledged_bytes(void **state)
{
	struct bench *t = *state;

	assert_int_equal(
		ping_write(t, t->a, METHOD_SEND, 1, NOBODY, 0, MESSAGE_BYTES_MAX + 1), -EINVAL);
	assert_int_equal(
		ping_write(t, t->a, METHOD_SEND, 1, NOBODY, 0, MESSAGE_BYTES_MAX - 300), 0);
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 2, NOBODY, 0, 301), -ENOMEM);
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 2, NOBODY, 0, 300), 0);
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 3, LID_B, 0, 5000), 0);
	for (unsigned i = 0; i < 50 && !kmad_peek(t->b); i++)
		kmad_tick(t->k, t->rig.now);
	assert_non_null(kmad_peek(t->b));
	assert_int_equal(kmad_peek(t->b)->bytes, 5000);
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 4, NOBODY + 1, 0, MESSAGE_BYTES_MAX), 0);
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 5, NOBODY + 2, 0, MESSAGE_BYTES_MAX), 0);
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 6, NOBODY + 3, 0, MESSAGE_BYTES_MAX), 0);
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 7, NOBODY + 4, 0, 300),
		-ENOMEM); /* 256 MiB of one agent */
	assert_int_equal(ping_write(t, t->b, METHOD_SEND, 1, NOBODY, 0, 300), 0); /* another's */
	for (unsigned i = 0; i < 40; i++) {
		t->rig.now = monotime_add_us(t->rig.now, 1000000);
		kmad_tick(t->k, t->rig.now);
	}
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 8, NOBODY, 0, MESSAGE_BYTES_MAX),
		0); /* they were given up */
}

/*
 * A program that never reads: its file takes 128 MiB, and what comes then is dropped; another file gets
 * everything.
 */
static void
a_program_that_never_reads(void **state)
{
	struct bench *t = *state;
	struct kmad_file *reader = kmad_open(t->k, B, 2, NULL);
	struct kmad_reg r = ping(1 << METHOD_SEND);
	uint32_t id, sent;

	assert_int_equal(kmad_register(t->k, reader, &r, &id), 0);
	for (sent = 0; sent < 140; sent += 4) {
		assert_int_equal(ping_write(t, t->a, METHOD_SEND, sent + 1, LID_B, 0, 4 * MIB), 0);
		for (unsigned i = 0; i < 1000 && kmad_stats(t->k)->received + kmad_stats(t->k)->overflowed <= sent / 4; i++)
			kmad_tick(t->k, t->rig.now);
	}
	assert_int_equal(kmad_stats(t->k)->received, 32);
	assert_int_equal(kmad_stats(t->k)->overflowed, 3);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(kmad_peek(t->b)->bytes, 4 * MIB);
		kmad_drop(t->k, t->b);
	}
	assert_null(kmad_peek(t->b));
	assert_int_equal(ping_write(t, t->a, METHOD_SEND, 1000, LID_B, 0, 4 * MIB), 0);
	for (unsigned i = 0; i < 1000 && !kmad_peek(t->b); i++)
		kmad_tick(t->k, t->rig.now);
	assert_non_null(kmad_peek(t->b));
	kmad_close(t->k, reader);
}

/* How long it takes when 'n' transfers that nobody acknowledged end at once, the oldest first. */
static double
ends_s(struct bench *t, uint32_t n)
{
	struct timespec begin, end;
	uint64_t expired = kmad_stats(t->k)->expired;
	double s;

	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(ping_write(t, t->a, METHOD_GET, i + 1, NOBODY, 1000, 300), 0);
		t->rig.now.us++;
	}
	t->rig.now = monotime_add_us(t->rig.now, 3000000);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	kmad_tick(t->k, t->rig.now);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	assert_int_equal(kmad_stats(t->k)->expired - expired, n);
	while (kmad_peek(t->a))
		kmad_drop(t->k, t->a);
	s = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	printf("# %u transfers end at once: %.1f ms\n", n, s * 1000);
	return s;
}

/* Four times as many take about four times as long, not sixteen times. */
static void
many_transfers_end_at_once(void **state)
{
	struct bench *t = *state;
	double few, many;

	ends_s(t, 1000);
	few = ends_s(t, 5000);
	many = ends_s(t, 20000);
	assert_true(many < 10 * few || many < 0.1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, bounds_setup, bounds_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(sends_that_wait), T(unacknowledged_bytes), T(a_program_that_never_reads), T(many_transfers_end_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
