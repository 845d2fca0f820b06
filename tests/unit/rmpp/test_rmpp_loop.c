/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rmpp_loop.c - two ends over a line that loses, doubles, reorders and spoils, in virtual time, from fixed
 * seeds: what arrives is what was sent, once; every transfer ends; nothing is held when all is over.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/rmpp/rmpp.h"

enum { LINE = 8192, MESSAGES = 60 };

struct flying {
	int64_t at_us;
	int to;
	struct dgram d;
};

struct line {
	struct rmpp *end[2];
	struct flying *f;
	unsigned n;
	struct monotime now;
	uint64_t rng;
	unsigned loss, twice, spoil;    /* per mille */
	unsigned arrived[MESSAGES], ended[MESSAGES], acked;
};

static uint64_t
rnd(struct line *l)
{
	l->rng ^= l->rng << 13;
	l->rng ^= l->rng >> 7;
	l->rng ^= l->rng << 17;
	return l->rng;
}

static uint32_t
size_of(unsigned message)
{
	return 56 + (message * message * 37) % 60000;
}

static uint8_t
byte_of(unsigned message, uint32_t i)
{
	return (uint8_t)(message * 31 + i + i / 251);
}

static void
start(struct line *l, unsigned message)
{
	struct dgram d = { .addr = { .lid = message % 2 ? 1 : 2, .qpn = 1 }, .bytes = size_of(message) };
	uint8_t *m = calloc(1, d.bytes + 256);

	for (uint32_t i = 56; i < d.bytes; i++)
		m[i] = byte_of(message, i);
	dgram_head_encode(m, &(struct dgram_head){ .base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2,
		.method = message % 3 ? METHOD_GET_TABLE_RESP : METHOD_GET_MULTI, .tid = 1000 + message });
	memcpy(d.mad, m, 256);
	if (d.bytes > 256)
		d.more = m;
	else
		free(m);
	assert_int_equal(rmpp_send(l->end[message % 2], &d, message % 3 ? 0 : 3000, 30, message, l->now), 0);
}

static void
line_dgram_put(struct line *l, int from, const struct dgram *d)
{
	for (int copies = 1 + (rnd(l) % 1000 < l->twice); copies--;) {
		struct flying *f;

		if (rnd(l) % 1000 < l->loss)
			continue;
		assert_true(l->n < LINE);
		f = &l->f[l->n++];
		f->at_us = l->now.us + 100 + (int64_t)(rnd(l) % 2000);
		f->to = !from;
		f->d = *d;
		f->d.addr.lid = (uint16_t)(from + 1);   /* the receiver sees the source */
		if (rnd(l) % 1000 < l->spoil)
			f->d.mad[rnd(l) % 36] ^= (uint8_t)(1u << rnd(l) % 8);
	}
}

static void
arrived(struct line *l, const struct dgram *m)
{
	unsigned message = (unsigned)(dgram_tid(m->mad) - 1000);

	if (l->spoil)
		return;                 /* headers may be anybody's */
	assert_true(message < MESSAGES);
	assert_int_equal(m->bytes, size_of(message));
	for (uint32_t i = 56; i < m->bytes; i++)
		assert_int_equal((m->more ? m->more : m->mad)[i], byte_of(message, i));
	l->arrived[message]++;
}

static void
pull(struct line *l)
{
	struct rmpp_end e;
	struct dgram d;

	for (int i = 0; i < 2; i++) {
		while (rmpp_next_mad(l->end[i], &d, l->now))
			line_dgram_put(l, i, &d);
		while (rmpp_next_message(l->end[i], &d)) {
			arrived(l, &d);
			free(d.more);
		}
		while (rmpp_next_end(l->end[i], &e)) {
			assert_true(e.cookie < MESSAGES);
			l->ended[e.cookie]++;
			l->acked += e.kind == RMPP_END_ACKED;
			if (!l->spoil)
				assert_int_not_equal(e.kind, RMPP_END_REFUSED);
		}
	}
}

/* To the next thing that happens; false: nothing will. */
static bool
step(struct line *l)
{
	int64_t at = INT64_MAX;
	struct monotime t;

	for (unsigned i = 0; i < l->n; i++)
		if (l->f[i].at_us < at)
			at = l->f[i].at_us;
	for (int i = 0; i < 2; i++)
		if (rmpp_deadline(l->end[i], &t) && t.us < at)
			at = t.us;
	if (at == INT64_MAX)
		return false;
	l->now.us = at;
	for (unsigned i = 0; i < l->n;) {
		struct flying f = l->f[i];

		if (f.at_us > at) {
			i++;
			continue;
		}
		l->f[i] = l->f[--l->n];
		rmpp_receive(l->end[f.to], &f.d, l->now);
	}
	for (int i = 0; i < 2; i++)
		rmpp_tick(l->end[i], l->now);
	pull(l);
	return true;
}

static void
line_run(unsigned loss, unsigned twice, unsigned spoil, uint64_t seed)
{
	struct line *l = calloc(1, sizeof *l);
	struct rmpp_conf c = rmpp_conf_default();

	assert_non_null(l);
	print_message("loss %u twice %u spoil %u per mille, seed %u\n", loss, twice, spoil, (unsigned)seed);
	l->f = calloc(LINE, sizeof *l->f);
	c.total_us = 400000000;         /* a bad line needs longer than the usual 40 s */
	l->end[0] = rmpp_new(&c);
	l->end[1] = rmpp_new(&c);
	l->rng = seed;
	l->loss = loss;
	l->twice = twice;
	l->spoil = spoil;
	for (unsigned i = 0; i < MESSAGES; i++)
		start(l, i);
	pull(l);
	for (unsigned n = 0; step(l); n++)
		assert_true(n < 2000000);
	for (unsigned i = 0; i < MESSAGES; i++) {
		assert_int_equal(l->ended[i], 1);
		if (!spoil)
			assert_int_equal(l->arrived[i], 1);
	}
	if (!spoil)
		assert_int_equal(l->acked, MESSAGES);
	for (int i = 0; i < 2; i++) {
		const struct rmpp_stats *st = rmpp_stats(l->end[i]);

		assert_int_equal(st->open + st->sending, 0);
		assert_int_equal(st->bytes_held, 0);
		rmpp_free(l->end[i]);
	}
	free(l->f);
	free(l);
}

static void
clean_line(void **state)
{
	line_run(0, 0, 0, 1);
	(void)state;
}

static void
lossy_line(void **state)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		line_run(100, 50, 0, seed * 7919);
	line_run(300, 100, 0, 4711);
	(void)state;
}

static void
hostile_line(void **state)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		line_run(50, 50, 50, seed * 104729);
	(void)state;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_line), cmocka_unit_test(lossy_line), cmocka_unit_test(hostile_line),
	};

	return cmocka_run_group_tests_name("rmpp, loop", tests, NULL, NULL);
}
