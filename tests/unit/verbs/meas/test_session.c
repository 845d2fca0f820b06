/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_session.c - peers of a session that flood, repeat themselves, fall silent or read
 * nothing.  The test controls the time.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "verbs/backend/backend.h"
#include "verbs/meas/row.h"
#include "verbs/meas/run/counts.h"
#include "verbs/meas/session.h"
#include "verbs/soft/soft.h"

#define MS UINT64_C(1000000)
#define BEGIN_NS (UINT64_C(1000) * 1000 * MS)

static void
pair_of(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
}

static void
message_write(int fd, const char *body)
{
	json_t *o = json_loads(body, 0, NULL);
	size_t n;
	uint8_t *b = meas_frame(o, &n);

	assert_non_null(b);
	assert_int_equal(write(fd, b, n), n);
	json_decref(o);
	free(b);
}

static void
soft_choice(struct verbs_choice *c)
{
	char why[VERBS_WHY_BYTES];

	assert_int_equal(verbs_backend_find("soft", 1, c, why), 0);
}

static void
hello_twice(void **state)
{
	struct meas_session *s = calloc(1, sizeof(*s));
	int fds[2];

	(void)state;
	pair_of(fds);
	soft_choice(&s->choice);
	struct verbs_world *world = s->choice.world;
	s->client = true;
	s->gid_index = -1;
	s->test = meas_test_default(MEAS_LAT);
	meas_session_begin(s, fds[0], "peer", BEGIN_NS, 2000);
	for (int i = 0; i < 3; i++)
		message_write(fds[1], "{\"msg\":\"hello\",\"protocol\":1,\"version\":\"x\"}");
	meas_session_turn(s, BEGIN_NS);
	assert_int_equal(s->state, MEAS_OVER);
	assert_string_equal(s->code, "bad_reply");
	meas_session_end(s);
	free(s);
	world->ops->world_free(world);
	close(fds[1]);
}

/* ---- floods ---- */

static void
on_packet(void *arg, const uint8_t *b, size_t bytes)
{
	(void)b;
	*(unsigned *)arg += bytes == 4;
}

static void
packets_without_end(void **state)
{
	static uint8_t b[12 * 4096];
	struct meas_chan c;
	unsigned came = 0, sent, turns = 0;
	size_t bytes = 0;
	json_t *o;
	int fds[2];
	ssize_t n;

	(void)state;
	pair_of(fds);
	for (size_t i = 0; i < sizeof(b); i += 12)
		meas_packet_header(b + i, 4);
	while ((n = write(fds[1], b, sizeof(b))) > 0)
		bytes += (size_t)n;
	sent = (unsigned)(bytes / 12);
	assert_true(sent > 4096);
	meas_chan_open(&c, fds[0], "peer", BEGIN_NS, 2000);
	c.packet = on_packet;
	c.packet_arg = &came;
	assert_int_equal(meas_chan_turn(&c, BEGIN_NS, &o), 0);
	assert_in_range(came, 1, 2048);         /* other sessions get their turn */
	while (came < sent && turns++ < sent)
		assert_int_equal(meas_chan_turn(&c, BEGIN_NS, &o), 0);
	assert_int_equal(came, sent);
	meas_chan_close(&c);
	close(fds[1]);
}

static void
signs_of_life_without_end(void **state)
{
	enum { EACH = 8 + 15 };
	static uint8_t b[EACH * 4096];
	struct meas_chan c;
	size_t bytes = 0;
	unsigned turns = 0;
	json_t *o;
	int fds[2], r;
	ssize_t n;

	(void)state;
	pair_of(fds);
	for (size_t i = 0; i < sizeof(b); i += EACH)
		memcpy(b + i, "HVT1\0\0\0\x0f{\"msg\":\"alive\"}", EACH);
	while ((n = write(fds[1], b, sizeof(b))) > 0)
		bytes += (size_t)n;
	close(fds[1]);
	assert_true(bytes > sizeof(b));
	meas_chan_open(&c, fds[0], "peer", BEGIN_NS, 2000);
	while (!(r = meas_chan_turn(&c, BEGIN_NS, &o)))
		turns++;
	assert_int_equal(r, -ECONNRESET);       /* everything was read */
	assert_true(turns >= 2);
	meas_chan_close(&c);
}

/* Sending the last message has a limit, even if the peer reads it slowly. */
static void
slow_listener(void **state)
{
	enum { ALL = 4 << 20, PIECE = 16384, PAUSE_US = 8000 };         /* it needs 2 s and more */
	static uint8_t packet[4096], b[PIECE];
	struct meas_chan c;
	pid_t child;
	int fds[2];

	(void)state;
	pair_of(fds);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(fds[0]);
		fcntl(fds[1], F_SETFL, 0);
		while (read(fds[1], b, sizeof(b)) > 0)
			usleep(PAUSE_US);
		_exit(0);
	}
	close(fds[1]);
	meas_chan_open(&c, fds[0], "peer", BEGIN_NS, 2000);
	for (int i = 0; i < ALL / (int)sizeof(packet); i++)
		meas_chan_packet(&c, packet, sizeof(packet), BEGIN_NS);
	meas_chan_flush(&c, 200);
	assert_true(meas_chan_full(&c));
	meas_chan_close(&c);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* ---- what is told ---- */

static void
sums_stay_numbers(void **state)
{
	json_t *o = json_pack("[I,I]", (json_int_t)5, (json_int_t)INT64_MAX);
	uint64_t *sent;

	(void)state;
	assert_null(meas_sent_from_json(o, 2));
	json_array_set_new(o, 1, json_integer(7));
	sent = meas_sent_from_json(o, 2);
	assert_non_null(sent);
	assert_int_equal(sent[1], 7);
	free(sent);
	assert_null(meas_sent_from_json(o, 3));
	json_decref(o);
}

/* Rows of servers fit our schema, or are refused. */
static void
rows_of_others(void **state)
{
	static const char *const keys[] = { "size", "iterations", "bandwidth", "bandwidth_back",
		"latency_us", "counts", "counts_back" };
	struct meas_result r = { .size = 8, .iterations = 5,
		.rates = { .seconds = 0.5, .bytes_per_s = 1e9 }, .counts = { .sent = 5 },
		.bad = { .is = true, .message = 3 }, .hist = meas_hist_new() };
	struct meas_test t = meas_test_default(MEAS_BW);
	json_t *row, *clean;

	(void)state;
	meas_hist_add(r.hist, 1000);
	row = meas_row_json(&r, &t);
	free(r.hist);
	json_object_set_new(row, "histogram", json_array());
	clean = meas_row_clean(row);
	assert_true(json_equal(row, clean));
	json_decref(clean);
	json_object_set_new(row, "more", json_true());
	json_object_set_new(row, "histogram", json_string("#"));
	clean = meas_row_clean(row);
	assert_null(json_object_get(clean, "more"));
	assert_true(json_is_array(json_object_get(clean, "histogram")));
	json_decref(clean);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *was = json_incref(json_object_get(row, keys[i]));

		json_object_set_new(row, keys[i], json_integer(-1));
		assert_null(meas_row_clean(row));
		json_object_set_new(row, keys[i], was);
	}
	json_object_set_new(json_object_get(row, "bandwidth"), "mpps", json_real(-0.5));
	assert_null(meas_row_clean(row));
	assert_null(meas_row_clean(json_object_get(row, "more")));
	json_decref(row);
}

/* ---- an end that answers nothing, and lives ---- */

static enum verbs_verdict
on_packet_drop(void *arg, uint8_t *packet, size_t bytes)
{
	(void)arg;
	(void)packet;
	(void)bytes;
	return VERBS_DROP;
}

/* Both ends of a test over UD in one world. */
static void
begin_both(struct meas_session *ends[2], struct verbs_world *world, enum meas_mode mode,
	uint64_t iterations)
{
	int fds[2];

	pair_of(fds);
	for (int i = 0; i < 2; i++) {
		ends[i] = calloc(1, sizeof(*ends[i]));
		ends[i]->client = i == 0;
		ends[i]->local = true;
		ends[i]->gid_index = -1;
		ends[i]->choice.world = world;
		snprintf(ends[i]->choice.device, sizeof(ends[i]->choice.device), "soft%d", i);
	}
	ends[0]->test = meas_test_default(mode);
	ends[0]->test.transport = MEAS_UD;
	ends[0]->test.sizes[0] = 2048;
	ends[0]->test.iterations = iterations;
	for (int i = 0; i < 2; i++)
		meas_session_begin(ends[i], fds[i], "peer", BEGIN_NS, 2000);
}

static void
end_both(struct meas_session *ends[2], struct verbs_world *world)
{
	for (int i = 0; i < 2; i++) {
		meas_session_end(ends[i]);
		meas_session_free_results(ends[i]);
		free(ends[i]);
	}
	world->ops->world_free(world);
}

static void
never_an_answer(void **state)
{
	struct verbs_world *world = soft_world_new(NULL);
	struct meas_session *ends[2];
	uint64_t now = BEGIN_NS;
	bool hooked = false;

	(void)state;
	begin_both(ends, world, MEAS_LAT, 1000000);
	while (ends[0]->state != MEAS_OVER && now < BEGIN_NS + 40000 * MS) {
		for (int i = 0; i < 2; i++)
			meas_session_turn(ends[i], now);
		if (!hooked && ends[1]->state == MEAS_RUN) {
			assert_int_equal(world->ops->hook(ends[1]->end.dev, 1, on_packet_drop,
				NULL), 0);
			hooked = true;
		}
		world->ops->advance(world, 1000);
		now += MS;
	}
	assert_true(hooked);
	assert_int_equal(ends[0]->state, MEAS_OVER);
	assert_non_null(strstr(ends[0]->why, "no answer"));
	end_both(ends, world);
}

/* A live client with a run that has no end. */
static void
never_done(void **state)
{
	struct verbs_world *world = soft_world_new(NULL);
	struct meas_session *ends[2];
	uint64_t now = BEGIN_NS;
	char b[4096];

	(void)state;
	begin_both(ends, world, MEAS_BW, 0);
	ends[0]->test.duration_ms = 1000;
	for (int i = 0; i < 1000 && ends[1]->state != MEAS_RUN; i++, now += MS)
		for (int k = 0; k < 2; k++)
			meas_session_turn(ends[k], now);
	assert_int_equal(ends[1]->state, MEAS_RUN);
	while (ends[1]->state != MEAS_OVER && now < BEGIN_NS + 120000 * MS) {
		message_write(ends[0]->chan.fd, "{\"msg\":\"alive\"}");
		while (recv(ends[0]->chan.fd, b, sizeof(b), MSG_DONTWAIT) > 0)
			;
		meas_session_turn(ends[1], now);
		now += 200 * MS;
	}
	assert_int_equal(ends[1]->state, MEAS_OVER);
	assert_non_null(strstr(ends[1]->why, "does not go on"));
	end_both(ends, world);
}

/* A machine so busy that a microsecond of the adapters takes most of a second: no message counts
 * as lost, and no run as stuck. */
static void
slow_machine(void **state)
{
	struct verbs_world *world = soft_world_new(&(struct soft_options){ .latency_ns = 120000 });
	struct meas_session *ends[2];
	uint64_t now = BEGIN_NS;

	(void)state;
	begin_both(ends, world, MEAS_BW, 300);
	while (ends[0]->state != MEAS_OVER) {
		for (int i = 0; i < 2; i++)
			meas_session_turn(ends[i], now);
		world->ops->advance(world, 1);
		now += 350 * MS;
	}
	assert_string_equal(ends[0]->why, "");
	assert_int_equal(ends[0]->nresults, 1);
	assert_int_equal(ends[0]->results[0].peer_counts.received, 300);
	assert_int_equal(ends[0]->results[0].peer_counts.lost, 0);
	end_both(ends, world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_twice),
		cmocka_unit_test(packets_without_end),
		cmocka_unit_test(signs_of_life_without_end),
		cmocka_unit_test(slow_listener),
		cmocka_unit_test(sums_stay_numbers),
		cmocka_unit_test(rows_of_others),
		cmocka_unit_test(never_an_answer),
		cmocka_unit_test(never_done),
		cmocka_unit_test(slow_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
