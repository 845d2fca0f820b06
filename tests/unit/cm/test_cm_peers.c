/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm_peers.c - two ends under virtual time, with a network that loses, doubles and reorders, consumers that do
 * anything, and a peer that dies at each step: nothing hangs, everything is released once, and both ends agree, or
 * the one that does not know yet learns it by disconnecting.
 */
#include <config.h>
#include "tests/unit/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/cm/cm.h"
#include "tests/oracle/random.h"

#define SERVICE UINT64_C(0x10000000000000aa)
enum { WIRE = 512, CONNS = 64, STEPS_MAX = 20000 };

struct packet {
	struct monotime at;
	int to;
	struct dgram d;
};

/* What an end's consumer saw of one of its connections. */
struct seen {
	uint32_t id;
	bool up, over;
};

struct end {
	struct cm *c;
	struct seen seen[CONNS];
	unsigned nseen;
	bool deaf;                      /* its consumer answers nothing any more */
};

struct world {
	struct end e[2];
	struct packet wire[WIRE];
	unsigned nwire, delivered, die_at;
	int dies;                       /* the end that dies at step die_at, -1: none */
	struct monotime now;
	uint64_t rnd;
	unsigned loss, twice, reorder;  /* percent */
	bool mild;                      /* consumers accept */
};

static bool
chance(struct world *w, unsigned percent)
{
	return random_next(&w->rnd) % 100 < percent;
}

static struct cm *
end_new(int i, uint32_t id_start)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;

	f.ca_guid = 0x100 + (uint64_t)i;
	f.id_start = id_start;
	f.qpn_first = 0x100;
	f.qpn_count = 8192;
	f.consumer_us = 200000;
	f.exchange_max_us = 20000000;
	f.timewait_max_us = 1000000;
	c = cm_new(&f);
	assert_int_equal(cm_listen(c, SERVICE, UINT64_MAX, 0), 0);
	return c;
}

static void
world_begin(struct world *w, uint64_t seed)
{
	memset(w, 0, sizeof(*w));
	w->rnd = seed;
	w->dies = -1;
	for (int i = 0; i < 2; i++)
		w->e[i].c = end_new(i, (uint32_t)random_next(&w->rnd));
}

static void
world_end(struct world *w)
{
	for (int i = 0; i < 2; i++)
		cm_free(w->e[i].c);
}

static struct seen *
seen_of(struct end *e, uint32_t id)
{
	for (unsigned i = e->nseen; i-- > 0;)
		if (e->seen[i].id == id && !e->seen[i].over)
			return &e->seen[i];
	assert_true(e->nseen < CONNS);
	e->seen[e->nseen] = (struct seen){ .id = id };
	return &e->seen[e->nseen++];
}

static void
put_wire(struct world *w, int to, const struct dgram *d)
{
	unsigned copies = chance(w, w->loss) ? 0 : 1;

	if (chance(w, w->twice))
		copies++;
	for (; copies && w->nwire < WIRE; copies--) {
		struct packet *p = &w->wire[w->nwire++];

		*p = (struct packet){ monotime_add_us(w->now, chance(w, w->reorder) ? 1 + (int64_t)(random_next(&w->rnd) % 60000) : 10),
				      to, *d };
		p->d.addr.lid = (uint16_t)(2 - to);     /* who it came from */
	}
}

/* What a consumer does when asked. */
static void
consumer(struct world *w, int i, const struct cm_event *e)
{
	struct cm *c = w->e[i].c;
	struct cm_rep rep = { .resp_resources = 1 };
	unsigned mood = w->mild ? 0 : (unsigned)(random_next(&w->rnd) % 8);

	if (w->e[i].deaf || mood == 7)
		return;                         /* never answers */
	if (mood == 6)
		cm_delay(c, e->id, (uint8_t)(random_next(&w->rnd) % 16), w->now);
	switch ((int)e->kind) {
	case CM_EVENT_REQ:
		if (mood == 5)
			cm_reject(c, e->id, CM_REJECT_CONSUMER, NULL, 0, w->now);
		else
			assert_int_equal(cm_accept(c, e->id, &rep, w->now), 0);
		return;
	case CM_EVENT_REP:
		if (mood == 5)
			cm_abort(c, e->id, w->now);
		else
			assert_int_equal(cm_ready(c, e->id, w->now), 0);
		return;
	case CM_EVENT_DISCONNECT:
		assert_int_equal(cm_disconnected(c, e->id, w->now), 0);
		return;
	case CM_EVENT_LAP:
		cm_answer_path(c, e->id, 0, w->now);
		return;
	default:
		if (mood == 4)
			cm_abort(c, e->id, w->now);
		else if (mood == 3)
			cm_load_path(c, e->id, &(struct cm_lap){ .local_lid = 1 }, w->now);
	}
}

static void
drain(struct world *w, int i)
{
	struct cm_event e;
	struct dgram d;

	while (cm_next_event(w->e[i].c, &e)) {
		struct seen *s = seen_of(&w->e[i], e.id);

		if (e.kind == CM_EVENT_RELEASED)
			s->over = true;
		if (e.kind == CM_EVENT_ESTABLISHED)
			s->up = true;
		if (e.kind != CM_EVENT_RELEASED)
			consumer(w, i, &e);
	}
	while (cm_next_send(w->e[i].c, &d))
		put_wire(w, 1 - i, &d);
}

static bool
next_time(struct world *w, struct monotime *at)
{
	struct monotime t;

	*at = MONOTIME_NEVER;
	for (int i = 0; i < 2; i++)
		if (cm_deadline(w->e[i].c, &t))
			*at = monotime_min(*at, t);
	for (unsigned k = 0; k < w->nwire; k++)
		*at = monotime_min(*at, w->wire[k].at);
	return at->us != INT64_MAX;
}

/* An end dies and is born again without a memory of anything. */
static void
reborn(struct world *w, int i)
{
	cm_free(w->e[i].c);
	w->e[i].c = end_new(i, (uint32_t)random_next(&w->rnd));
	w->e[i].nseen = 0;
}

static void
peers_run(struct world *w)
{
	struct monotime at;
	unsigned steps = 0;

	for (drain(w, 0), drain(w, 1); next_time(w, &at); drain(w, 0), drain(w, 1)) {
		assert_true(++steps < STEPS_MAX);       /* else something goes on for ever */
		if (at.us > w->now.us)
			w->now = at;
		for (int i = 0; i < 2; i++)
			cm_tick(w->e[i].c, w->now);
		for (unsigned k = 0; k < w->nwire;) {
			struct packet p = w->wire[k];

			if (p.at.us > w->now.us) {
				k++;
				continue;
			}
			w->wire[k] = w->wire[--w->nwire];
			if (w->dies >= 0 && ++w->delivered == w->die_at)
				reborn(w, w->dies);
			assert_true(cm_receive(w->e[p.to].c, &p.d, w->now));
			drain(w, p.to);
		}
	}
}

static uint32_t
connect_out(struct world *w, int i)
{
	struct cm_ask a = {
		.addr = { .lid = (uint16_t)(2 - i), .qpn = 1 }, .packet_life = 10,
		.req = { .service_id = SERVICE, .remote_cm_timeout = 14, .local_cm_timeout = 14, .max_cm_retries = 4,
			 .primary = { .ack_timeout = 11 } },
	};
	uint32_t id;

	assert_int_equal(cm_connect(w->e[i].c, &a, w->now, &id), 0);
	seen_of(&w->e[i], id);
	return id;
}

/* No connection is anywhere between; those that are up are up at both ends, unless 'half' may be. */
static unsigned
check_settled(struct world *w, bool half)
{
	unsigned up[2] = { 0, 0 };

	for (int i = 0; i < 2; i++)
		for (unsigned k = 0; k < w->e[i].nseen; k++) {
			const struct seen *s = &w->e[i].seen[k];
			struct cm_ends a, b;

			if (s->over)
				continue;
			assert_int_equal(cm_state(w->e[i].c, s->id), CM_STATE_ESTABLISHED);
			up[i]++;
			assert_int_equal(cm_ends(w->e[i].c, s->id, &a), 0);
			if (half)
				continue;
			assert_int_equal(cm_state(w->e[1 - i].c, a.remote_id), CM_STATE_ESTABLISHED);
			assert_int_equal(cm_ends(w->e[1 - i].c, a.remote_id, &b), 0);
			assert_int_equal(b.remote_id, s->id);
			assert_int_equal(b.remote_qpn, a.local_qpn);
			assert_int_equal(a.remote_qpn, b.local_qpn);
		}
	for (int i = 0; i < 2; i++)
		assert_int_equal(cm_stats(w->e[i].c)->open, up[i]);
	return up[0] + up[1];
}

/* Who still thinks to be connected disconnects, and so learns what the other thinks. */
static void
disconnect_all(struct world *w)
{
	w->mild = true;
	for (int i = 0; i < 2; i++)
		for (unsigned k = 0; k < w->e[i].nseen; k++)
			if (!w->e[i].seen[k].over && cm_state(w->e[i].c, w->e[i].seen[k].id) == CM_STATE_ESTABLISHED)
				assert_int_equal(cm_disconnect(w->e[i].c, w->e[i].seen[k].id, w->now), 0);
	peers_run(w);
	assert_int_equal(check_settled(w, false), 0);
}

/* Doubled and reordered, but nothing lost: mild consumers are connected, and both ends agree. */
static void
reordered(void **state)
{
	uint64_t seed = random_seed();

	(void)state;
	for (unsigned n = 0; n < 500; n++) {
		struct world *w = calloc(1, sizeof(*w));

		world_begin(w, seed + n);
		w->mild = true;
		w->twice = 30;
		w->reorder = 40;
		for (int k = 0; k < 4; k++)
			connect_out(w, k & 1);
		peers_run(w);
		assert_int_equal(check_settled(w, false), 8);
		disconnect_all(w);
		world_end(w);
		free(w);
	}
}

/* Anything may happen; then it settles, and after disconnecting nothing is left. */
static void
wild(void **state)
{
	uint64_t seed = random_seed();

	(void)state;
	for (unsigned n = 0; n < 2000; n++) {
		struct world *w = calloc(1, sizeof(*w));

		world_begin(w, seed + 1000 + n);
		w->loss = n % 70;
		w->twice = n / 7 % 30;
		w->reorder = n / 3 % 60;
		for (int k = 0; k < 6; k++)
			connect_out(w, k & 1);
		peers_run(w);
		check_settled(w, true);
		w->loss = 0;
		disconnect_all(w);
		world_end(w);
		free(w);
	}
}

/* A peer that dies at the n-th message, each end, each n, comes back, and a new connection works at once or after
 * the old one was found stale. */
static void
dies_at_each_step(void **state)
{
	(void)state;
	for (int dies = 0; dies < 2; dies++)
		for (unsigned at = 1; at < 12; at++) {
			struct world *w = calloc(1, sizeof(*w));
			uint32_t id;

			world_begin(w, 77 + at);
			w->mild = true;
			w->dies = dies;
			w->die_at = at;
			connect_out(w, 0);
			peers_run(w);
			check_settled(w, true);
			disconnect_all(w);
			w->dies = -1;
			id = connect_out(w, 0);
			peers_run(w);
			assert_int_equal(cm_state(w->e[0].c, id), CM_STATE_ESTABLISHED);
			assert_int_equal(check_settled(w, false), 2);
			world_end(w);
			free(w);
		}
}

/* The other end is gone for good: the one that is left ends, whatever it waits for. */
static void
alone(void **state)
{
	(void)state;
	for (unsigned at = 0; at < 8; at++) {
		struct world *w = calloc(1, sizeof(*w));
		uint32_t id;

		world_begin(w, at);
		w->mild = true;
		id = connect_out(w, 0);
		drain(w, 0);
		for (unsigned k = 0; k < at && w->nwire; k++) {
			struct packet p = w->wire[--w->nwire];

			cm_receive(w->e[p.to].c, &p.d, w->now);
			drain(w, p.to);
		}
		w->loss = 100;
		w->nwire = 0;
		peers_run(w);
		if (cm_state(w->e[0].c, id) == CM_STATE_ESTABLISHED) {
			assert_int_equal(cm_disconnect(w->e[0].c, id, w->now), 0);
			peers_run(w);
		}
		assert_int_equal(cm_stats(w->e[0].c)->open, 0);
		world_end(w);
		free(w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reordered),
		cmocka_unit_test(wild),
		cmocka_unit_test(dies_at_each_step),
		cmocka_unit_test(alone),
	};

	return cmocka_run_group_tests_name("cm_peers", tests, NULL, NULL);
}
