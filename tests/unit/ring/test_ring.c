/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ring.c - records through shared memory: in order, whole, round the end, and from an enemy.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sim/ring/ring.h"

struct pair {
	struct ring_shared *shared;
	struct ring_end out, in;
};

static int
ring_setup(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));

	p->shared = aligned_alloc(64, sizeof(*p->shared));
	memset(p->shared, 0, sizeof(*p->shared));
	ring_end_init(&p->out, p->shared);
	ring_end_init(&p->in, p->shared);
	*state = p;
	return 0;
}

static int
ring_teardown(void **state)
{
	struct pair *p = *state;

	free(p->shared);
	free(p);
	return 0;
}

static uint8_t payload[RING_CHUNK], got[RING_CHUNK];

static bool
record_put(struct pair *p, uint32_t n, uint32_t bytes)
{
	struct ring_head h = { .bytes = bytes, .total = n };

	for (uint32_t i = 0; i < bytes; i++)
		payload[i] = (uint8_t)(n + i);
	return ring_put(&p->out, &h, payload);
}

static bool
record_take(struct pair *p, uint32_t n, uint32_t bytes)
{
	struct ring_head h;

	if (!ring_peek(&p->in, &h))
		return false;
	assert_int_equal(h.total, n);
	assert_int_equal(h.bytes, bytes);
	memset(got, 0xee, bytes);
	ring_payload(&p->in, &h, got, h.bytes);
	for (uint32_t i = 0; i < bytes; i++)
		if (got[i] != (uint8_t)(n + i))
			fail_msg("record %u: byte %u", n, i);
	ring_drop(&p->in, &h);
	return true;
}

static void
nothing_is_seen_before_it_is_published(void **state)
{
	struct pair *p = *state;

	assert_false(ring_waiting(&p->in));
	assert_true(record_put(p, 1, 256));
	assert_false(ring_waiting(&p->in));
	ring_publish(&p->out);
	assert_true(ring_waiting(&p->in));
	assert_true(record_take(p, 1, 256));
	assert_false(record_take(p, 2, 0));
}

static void
records_of_all_lengths_come_round_the_end(void **state)
{
	struct pair *p = *state;
	uint32_t in = 0, out = 0;
	unsigned seed = 12345;

	while (in < 20000) {
		unsigned lengths[64];
		unsigned n = 1 + (seed = seed * 1103515245 + 12345) / 65536 % 60, k;

		for (k = 0; k < n; k++) {
			seed = seed * 1103515245 + 12345;
			lengths[k] = seed / 65536 % (k % 7 ? 300 : RING_CHUNK + 1);
			if (!record_put(p, out, lengths[k]))
				break;
			out++;
		}
		ring_publish(&p->out);
		for (unsigned i = 0; i < k; i++)
			assert_true(record_take(p, in++, lengths[i]));
		assert_false(record_take(p, 0, 0));
		ring_release(&p->in);
	}
	assert_true(p->in.mine > 10 * (uint64_t)RING_BYTES);
	assert_false(p->in.broken || p->out.broken);
}

static void
a_full_ring_takes_no_more(void **state)
{
	struct pair *p = *state;
	uint32_t n = 0;

	while (record_put(p, n, 256))
		n++;
	assert_in_range(n, RING_BYTES / 320 - 1, RING_BYTES / 320);
	ring_publish(&p->out);
	assert_true(record_take(p, 0, 256));
	assert_false(record_put(p, n, 256));                           /* taken, but not released */
	ring_release(&p->in);
	assert_true(record_put(p, n, 256));
	assert_false(record_put(p, n + 1, 256));
	ring_publish(&p->out);
	for (uint32_t i = 1; i <= n; i++)
		assert_true(record_take(p, i, 256));
	assert_false(p->out.broken || p->in.broken);
}

static void
a_doorbell_is_owed_once(void **state)
{
	struct pair *p = *state;

	assert_false(ring_wake_consumer(&p->out));
	ring_sleep(&p->in);
	assert_true(ring_wake_consumer(&p->out));
	assert_false(ring_wake_consumer(&p->out));
	ring_sleep(&p->in);
	ring_awake(&p->in);
	assert_false(ring_wake_consumer(&p->out));
	ring_starve(&p->out);
	assert_true(ring_wake_producer(&p->in));
	assert_false(ring_wake_producer(&p->in));
}

/* The flag is taken by one side or by the other, never by both. */
static void
a_sleeper_changes_its_mind(void **state)
{
	struct pair *p = *state;

	ring_sleep(&p->in);
	assert_true(ring_sleeps(&p->in));
	assert_true(ring_sleep_not(&p->in));
	assert_false(ring_wake_consumer(&p->out));
	ring_sleep(&p->in);
	assert_true(ring_wake_consumer(&p->out));
	assert_false(ring_sleep_not(&p->in));
	assert_false(ring_sleeps(&p->in));
}

/* What is written where ring_room() says is a record like any other, also where the ring comes round. */
static void
a_record_may_be_written_in_place(void **state)
{
	struct pair *p = *state;

	for (uint32_t n = 0; n < 5000; n++) {
		uint32_t bytes = n * 37 % 1000;
		struct ring_head *h = ring_room(&p->out, bytes);

		assert_non_null(h);
		*h = (struct ring_head){ .bytes = bytes, .total = n };
		for (uint32_t i = 0; i < bytes; i++)
			((uint8_t *)(h + 1))[i] = (uint8_t)(n + i);
		assert_false(record_take(p, n, bytes));
		ring_push(&p->out, bytes);
		ring_publish(&p->out);
		assert_true(record_take(p, n, bytes));
		ring_release(&p->in);
	}
	while (ring_room(&p->out, RING_CHUNK))
		ring_push(&p->out, RING_CHUNK);
	assert_in_range(p->out.mine - p->out.theirs, RING_BYTES - 2 * (RING_CHUNK + 64), RING_BYTES);
	assert_false(p->in.broken || p->out.broken);
}

/* Whatever the producer writes into the indices and the heads, the consumer stays within the ring. */
static void
an_evil_producer_is_found_out(void **state)
{
	static const uint64_t tails[] = { RING_BYTES + 1, RING_BYTES * 2, UINT64_MAX, UINT64_MAX - 63, 1, 63 };
	struct pair *p = *state;
	struct ring_head h;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		ring_end_init(&p->in, p->shared);
		atomic_store(&p->shared->tail, tails[i]);
		assert_false(ring_peek(&p->in, &h));
		assert_true(p->in.broken);
	}
	static const struct ring_head heads[] = {
		{ .bytes = RING_CHUNK + 1 }, { .bytes = UINT32_MAX }, { .bytes = RING_BYTES }, { .bytes = 257 },
		{ .bytes = UINT32_MAX, .flags = RING_FILLER }, { .bytes = RING_BYTES, .flags = RING_FILLER },
		{ .bytes = 512, .flags = RING_FILLER },
	};
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		ring_end_init(&p->in, p->shared);
		atomic_store(&p->shared->tail, 320);
		memcpy(p->shared->data, &heads[i], sizeof(heads[i]));
		assert_false(ring_peek(&p->in, &h));
		assert_true(p->in.broken);
	}
	p->in = (struct ring_end){ .shared = p->shared, .mine = RING_BYTES - 64 };      /* a record over the end */
	atomic_store(&p->shared->tail, RING_BYTES + 256);
	h = (struct ring_head){ .bytes = 256 };
	memcpy(p->shared->data + RING_BYTES - 64, &h, sizeof(h));
	assert_false(ring_peek(&p->in, &h));
	assert_true(p->in.broken);
}

static void
fillers_without_end_are_finite(void **state)
{
	struct pair *p = *state;
	const struct ring_head filler = { .flags = RING_FILLER };
	struct ring_head h;

	for (size_t i = 0; i < RING_BYTES; i += 64)
		memcpy(p->shared->data + i, &filler, sizeof(filler));
	atomic_store(&p->shared->tail, RING_BYTES);
	assert_false(ring_peek(&p->in, &h));
	assert_false(p->in.broken);
	assert_true(p->in.mine == RING_BYTES);
}

static void
an_evil_consumer_is_found_out(void **state)
{
	static const uint64_t heads[] = { UINT64_C(1) << 40, RING_BYTES * 2, 1u << 30 };
	struct pair *p = *state;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		ring_end_init(&p->out, p->shared);
		atomic_store(&p->shared->head, 0);
		while (record_put(p, 0, 256))
			;
		assert_false(p->out.broken);
		atomic_store(&p->shared->head, heads[i]);
		assert_false(record_put(p, 0, 256));
		assert_true(p->out.broken);
		assert_false(record_put(p, 0, 256));
	}
}

#define RING_TEST(f) cmocka_unit_test_setup_teardown(f, ring_setup, ring_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(nothing_is_seen_before_it_is_published),
		RING_TEST(records_of_all_lengths_come_round_the_end),
		RING_TEST(a_full_ring_takes_no_more),
		RING_TEST(a_doorbell_is_owed_once),
		RING_TEST(a_sleeper_changes_its_mind),
		RING_TEST(a_record_may_be_written_in_place),
		RING_TEST(an_evil_producer_is_found_out),
		RING_TEST(fillers_without_end_are_finite),
		RING_TEST(an_evil_consumer_is_found_out),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
