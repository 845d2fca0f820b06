/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_limit.c - what a source may ask in a time: BUSY beyond it, others not touched, debts bounded.
 */
#include <config.h>
#include "tests/unit/sa/small.h"
#include "sm/sa/limit.h"

enum { GET = 1, SET = 2, DELETE = 0x15, MEMBER = 0x38, TABLE = 0x12, NODE = 0x11, SERVICE = 0x31, PATH = 0x35 };
#define RESP_US 268436                          /* 4.096 us * 2^16, and a bit */
#define SILENCE 0xffffffffu

static struct sa_limit *limit;

static int
limit_setup(void **state)
{
	limit = sa_limit_new();
	return small_setup(state);
}

static int
limit_teardown(void **state)
{
	sa_limit_free(limit);
	return small_teardown(state);
}

/* The status at 'us'; SILENCE: silence. */
static unsigned
at(struct small *b, const struct sa_limit_conf *c, int64_t us)
{
	small_drop(b);
	small_keep(b, sa_limit_answer(limit, c, (struct monotime){ us }, b->x, &b->w, &b->req,
		&b->answer));
	return b->bytes ? (unsigned)(b->out[4] << 8 | b->out[5]) : SILENCE;
}

/* How many of 'n' requests at once are served. */
static unsigned
served(struct small *b, const struct sa_limit_conf *c, int64_t us, unsigned n)
{
	unsigned ok = 0;

	while (n--)
		ok += at(b, c, us) == 0;
	return ok;
}

static void
ask(struct small *b, uint16_t from)
{
	small_ask(b, from, GET, NODE);
	small_where(b, 0, 0, 2, LID_ONE);
}

static void
test_burst_and_rate(void **state)
{
	static const struct sa_limit_conf c = { .rate = 1000, .burst = 10 };
	struct small *b = *state;

	ask(b, LID_ONE);
	assert_int_equal(served(b, &c, 5000000, 50), 11);       /* the last one on credit */
	assert_int_equal(served(b, &c, 5000999, 50), 0);
	assert_int_equal(served(b, &c, 5001000, 50), 1);
	assert_int_equal(served(b, &c, 5004000, 50), 3);
	assert_int_equal(b->stats.busy, 39 + 50 + 49 + 47);
	assert_int_equal(served(b, &c, 9000000, 50), 11);       /* silence fills the bucket, and no more */
	assert_int_equal(b->stats.requests, 250);
	assert_int_equal(b->stats.answered, 250);
}

/* Every byte of it. */
static void
test_busy(void **state)
{
	static const struct sa_limit_conf c = { .rate = 1, .burst = 1 };
	static const uint8_t head[56] = {
		1, 3, 2, 0x92, 0, 1, 0, 0, 0, 0, 0, 5, 0xca, 0xfe, 0, 1, 0, 0x11, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	};
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, NODE);
	small_where(b, 0, 0, 2, LID_ONE);
	assert_int_equal(served(b, &c, 0, 3), 2);
	assert_int_equal(b->bytes, 256);
	assert_memory_equal(b->out, head, 56);
	for (unsigned i = 56; i < 256; i++)
		assert_int_equal(b->out[i], 0);
	assert_int_equal(b->stats.busy, 1);
	assert_int_equal(b->stats.rows, 2);
}

static void
test_others_are_not_touched(void **state)
{
	static const struct sa_limit_conf c = { .rate = 100, .burst = 5 };
	struct small *b = *state;

	for (unsigned ms = 0; ms < 1000; ms++) {
		ask(b, LID_THREE_1);
		served(b, &c, ms * 1000, 100);                  /* a hundred a millisecond */
		if (ms % 50 == 0) {
			ask(b, LID_ONE);
			assert_int_equal(at(b, &c, ms * 1000), 0);
		}
	}
	assert_int_equal(b->stats.busy, 100000 - 6 - 99);
	ask(b, 0xffff);                                         /* nobody's LID is a bucket, too */
	assert_int_equal(at(b, &c, 1000000), 0x0700);
	ask(b, 0xc000);
	for (unsigned i = 0; i < 10; i++)
		at(b, &c, 1000000);
	assert_int_equal(at(b, &c, 1000000), 1);
}

/* Rows and what was looked at cost; whoever waits as long as ClassPortInfo says is served, whatever he had. */
static void
test_costs(void **state)
{
	static const struct sa_limit_conf c = { .rate = 10, .burst = 40 };
	struct small *b = *state;
	uint64_t looked;

	small_ask(b, LID_ONE, TABLE, PATH);                     /* all paths: 9 LIDs with each other */
	assert_int_equal(at(b, &c, 0), 0);
	assert_int_equal(b->stats.looked, 81);
	assert_int_equal(b->stats.rows, 81);                    /* 1 + 5 + 2 tokens */
	assert_int_equal(served(b, &c, 0, 100), 5);
	assert_int_equal(at(b, &c, RESP_US), 0);
	assert_int_equal(at(b, &c, RESP_US + 1), 1);
	looked = b->stats.looked;
	small_ask(b, LID_THREE_1, GET, NODE);                   /* no component narrows that */
	small_where(b, 14, 44, 4, 0x31323334);
	assert_int_equal(at(b, &c, 0), 0x0300);
	assert_int_equal(b->stats.looked - looked, 6);
	assert_true(served(b, &c, 0, 100) == 0 && b->stats.busy > 0);
}

/* Who asked too much for one kind of thing may still ask for the others. */
static void
test_kinds(void **state)
{
	static const struct sa_limit_conf c = { .rate = 1, .burst = 1 };
	struct small *b = *state;

	ask(b, LID_ONE);
	assert_int_equal(served(b, &c, 0, 10), 2);
	small_ask(b, LID_ONE, GET, PATH);
	small_where(b, 4, 40, 2, LID_BETA);
	small_where(b, 5, 42, 2, LID_ONE);
	assert_int_equal(served(b, &c, 0, 10), 2);
	small_ask(b, LID_ONE, SET, MEMBER);
	assert_true(at(b, &c, 0) != 1);
	assert_true(at(b, &c, 0) != 1);
	assert_int_equal(at(b, &c, 0), 1);
	small_ask(b, LID_ONE, DELETE, MEMBER);
	assert_int_equal(at(b, &c, 0), 1);
	assert_int_equal(b->stats.busy, 8 + 8 + 2);
}

/* No place to wait: BUSY, whoever asks. */
static void
test_no_place(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, NODE);
	small_drop(b);
	sa_limit_busy(b->x, &b->req, &b->stats, &b->answer);
	small_keep(b, true);
	assert_int_equal(b->bytes, 256);
	assert_int_equal(b->out[5], 1);
	assert_int_equal(b->out[3], 0x92);
	assert_int_equal(b->stats.busy, 1);
	assert_int_equal(b->stats.queue_full, 1);
	assert_int_equal(b->stats.answered, 1);
}

/* So many tables of services fit into the limit of a port, with the one that fills it. */
static unsigned
fill_port(struct small *b, uint16_t lid, int64_t us)
{
	static const struct sa_limit_conf none = { .rate = 0, .burst = 1 };
	unsigned n = 0;

	small_ask(b, lid, TABLE, SERVICE);
	while (n < 2000 && at(b, &none, us) == 0)
		n++;
	assert_int_equal(b->out[5], 1);         /* BUSY */
	return n;
}

/*
 * Nobody hears of an acknowledgement: long answers count for eight seconds.  One port has its share, by
 * bytes, and its short answers; the others have theirs; all together have no more than there is.
 */
static void
test_unacknowledged(void **state)
{
	static const uint16_t lids[] = { LID_TWO, LID_TWO + 1, LID_TWO + 2, LID_TWO + 3, LID_THREE_1, LID_THREE_2, LID_BETA };
	static const struct sa_limit_conf none = { .rate = 0, .burst = 1 };
	struct small *b = *state;
	uint64_t bytes, refused;
	unsigned most, all = 0;

	b->w.services = services_new();
	for (unsigned i = 0; i < 2000; i++) {
		struct service_record rec = { .id = i, .lease_s = SERVICE_LEASE_FOREVER };

		wire_put64(rec.gid, GID_PREFIX_DEFAULT);
		wire_put64(rec.gid + 8, 0x101);
		assert_int_equal(services_set(b->w.services, &rec, 0x101, true), 0);
	}
	small_index(b);
	small_ask(b, LID_ONE, TABLE, SERVICE);
	assert_int_equal(at(b, &none, 0), 0);
	bytes = b->bytes;
	assert_true(bytes > 2000 * 176);
	most = (unsigned)((SA_UNACKED_PORT_BYTES + bytes - 1) / bytes);
	assert_int_equal(fill_port(b, LID_ONE, 0), most - 1);
	refused = b->stats.unacked;
	assert_int_equal(refused, 1);
	assert_int_equal(b->stats.busy, refused);
	ask(b, LID_ONE);
	assert_int_equal(served(b, &none, 0, 1000), 1000);      /* what is short is answered */
	for (unsigned i = 0; i < sizeof(lids) / sizeof(lids[0]); i++)
		all += fill_port(b, lids[i], 0);
	assert_int_equal(all, (SA_UNACKED_BYTES + bytes - 1) / bytes - most);
	assert_int_equal(fill_port(b, LID_ALPHA, 0), 0);        /* eight have taken all there is */
	assert_int_equal(fill_port(b, LID_ALPHA, SA_UNACKED_US / 2), most);
	assert_in_range(fill_port(b, LID_ONE, SA_UNACKED_US / 2), most / 2 - 1, most / 2 + 1);
	assert_int_equal(fill_port(b, LID_ONE, 10 * SA_UNACKED_US), most);
	small_ask(b, LID_ONE, TABLE, SERVICE);
	memcpy(b->req.mad + 36, (const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }, 8);
	assert_int_equal(at(b, &none, 10 * SA_UNACKED_US), 0);  /* who knows the key */
	services_free(b->w.services);
	b->w.services = NULL;
}

static void
test_exempt(void **state)
{
	static const struct sa_limit_conf none = { .rate = 0, .burst = 1 }, c = { .rate = 1, .burst = 1 };
	struct small *b = *state;

	ask(b, LID_ONE);
	assert_int_equal(served(b, &none, 0, 1000), 1000);
	memcpy(b->req.mad + 36, (const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }, 8);
	assert_int_equal(served(b, &c, 0, 1000), 1000);         /* who knows the key */
	b->req.mad[36] ^= 1;
	assert_int_equal(at(b, &c, 0), SILENCE);               /* a wrong one is met with silence, not BUSY */
	ask(b, LID_ONE);
	assert_int_equal(served(b, &c, 0, 1000), 2);
	b->req.mad[3] = 0x81;                                   /* no request: silence */
	assert_int_equal(at(b, &c, 0), SILENCE);
	b->v.ready = false;
	small_index(b);
	ask(b, LID_ONE);
	assert_int_equal(at(b, &c, 0), SILENCE);
	assert_int_equal(b->stats.busy, 998);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, limit_setup, limit_teardown)
		T(test_burst_and_rate), T(test_busy), T(test_others_are_not_touched), T(test_costs), T(test_kinds), T(test_no_place), T(test_exempt),
		T(test_unacknowledged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
