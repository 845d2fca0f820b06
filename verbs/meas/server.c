/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * server.c - the server's half of a session: executes what a client requests, within its limits;
 * see session.h.
 * Room: verbs/meas.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs/meas/run/counts.h"
#include "verbs/meas/session.h"

#define NEXT_MS 60000
#define HELD_MS 600000
/* memory of a work request and its completion, in the device's queues and ours */
#define WR_BYTES 128

static void
test_refuse(struct meas_session *s, enum exit_status status, const char *code, const char *why,
	uint64_t real_ns)
{
	meas_session_stop(s, status, code, why, real_ns);
}

static void
on_offer(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	char why[VERBS_WHY_BYTES];
	int r = meas_facts_from_json(json_object_get(o, "facts"), &s->end.peer, why);
	struct meas_facts peer = s->end.peer;

	if (r) {
		test_refuse(s, EXIT_PARTIAL, "bad_reply", why, real_ns);
		return;
	}
	if (!s->local &&
		    verbs_backend_is_soft(s->choice.world) != json_is_true(json_object_get(o,
		    "tunnel"))) {
		test_refuse(s, EXIT_USAGE, "config", "one end is a software adapter, the other a "
			"device: they are on no common wire", real_ns);
		return;
	}
	if (!s->local && verbs_backend_is_soft(s->choice.world))
		meas_session_tunnel(s, "soft1");
	meas_session_busy(s, real_ns);
	r = meas_end_open(&s->end, &s->choice, why);
	if (!r)
		r = meas_session_join(s, real_ns, why);
	s->end.peer = peer;
	if (r) {
		test_refuse(s, EXIT_FATAL, "no_device", why, real_ns);
		return;
	}
	meas_session_say(s, json_pack("{s:s,s:o,s:i}", "msg", "offer", "facts",
		meas_facts_json(&s->end.facts), "gid_index", s->gid_index), real_ns);
	meas_session_wait(s, MEAS_NAMES, NEXT_MS, real_ns);
}

/* Reads the client's choice of a route; the GIDs it names must be in the tables. */
static int
route_read(struct meas_session *s, const json_t *o, char *why)
{
	struct meas_reader r = meas_reader(o);
	bool grh = meas_read_bool(&r, "grh");
	int client_index = (int)meas_read_int(&r, "client_index", 0, UINT8_MAX),
		index = (int)meas_read_int(&r, "server_index", 0, UINT8_MAX);
	char reason[VERBS_WHY_BYTES / 2];

	if (r.bad || meas_route_choose(&s->end.facts.gids, index, &s->end.peer.gids, client_index,
		    &s->end.route, reason, sizeof(reason))) {
		snprintf(why, VERBS_WHY_BYTES, "the route that was chosen is not possible: %s",
			r.bad ? r.bad : reason);
		return -EINVAL;
	}
	s->end.route.grh = grh;
	return 0;
}

int
meas_server_allows(const struct meas_session *s, char *why)
{
	const struct meas_test *t = &s->test;
	uint64_t queues = (uint64_t)t->qps * ((uint64_t)t->tx_depth + t->rx_depth) * WR_BYTES;

	if (!s->limits)
		return 0;
	if (queues > s->limits->memory_bytes) {
		snprintf(why, VERBS_WHY_BYTES,
		"%u queue pairs of %u and %u requests take about %" PRIu64
		" MiB, the server allows %" PRIu64, t->qps, t->tx_depth,
			t->rx_depth, queues >> 20, s->limits->memory_bytes >> 20);
		return -EPERM;
	}
	if (t->memory_bytes > s->limits->memory_bytes) {
		snprintf(why, VERBS_WHY_BYTES, "the test wants up to %" PRIu64
		" MiB of memory, the server allows %" PRIu64, t->memory_bytes >> 20,
			s->limits->memory_bytes >> 20);
		return -EPERM;
	}
	if (t->duration_ms > s->limits->run_ms) {
		snprintf(why, VERBS_WHY_BYTES,
			"a run of %u s is longer than the %u s that the server allows",
			t->duration_ms / 1000, s->limits->run_ms / 1000);
		return -EPERM;
	}
	return 0;
}

static void
names_send(struct meas_session *s, uint64_t real_ns)
{
	json_t *names = meas_end_names(&s->end);

	json_object_set_new(names, "msg", json_string("names"));
	json_object_set_new(names, "join", s->join ? meas_join_where(s->join) : json_null());
	meas_session_say(s, names, real_ns);
	meas_session_wait(s, s->join ? MEAS_JOIN : MEAS_IDLE, NEXT_MS, real_ns);
}

static void
on_test(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_facts peer = s->end.peer;
	char why[VERBS_WHY_BYTES];

	if (meas_test_from_json(json_object_get(o, "test"), &s->test, why, sizeof(why)) ||
		    meas_server_allows(s, why)) {
		test_refuse(s, EXIT_USAGE, "config", why, real_ns);
		return;
	}
	if (!s->test.mtu_bytes || s->test.mtu_bytes > s->end.facts.mtu_bytes ||
		    s->test.mtu_bytes & (s->test.mtu_bytes - 1) || s->test.mtu_bytes < 256) {
		test_refuse(s, EXIT_USAGE, "config", "the MTU of the test is not one of this port",
			real_ns);
		return;
	}
	s->end.mtu_bytes = s->test.mtu_bytes;
	if (route_read(s, json_object_get(o, "route"), why)) {
		test_refuse(s, EXIT_PARTIAL, "config", why, real_ns);
		return;
	}
	meas_session_busy(s, real_ns);
	if (meas_end_prepare(&s->end, &s->test, &peer, why)) {
		test_refuse(s, EXIT_PARTIAL, "unsupported", why, real_ns);
		return;
	}
	meas_flow_init(&s->flow, &s->end, false);
	s->flow.spins = s->end.facts.emulated[0] ? 1 : 64;
	s->prepared = true;
	meas_session_busy(s, real_ns);          /* the kernel may resolve addresses meanwhile */
	if (meas_end_learn(&s->end, json_object_get(o, "names"), why) ||
		    (s->test.connect == MEAS_BY_SOCKET ? meas_end_connect(&s->end, why) :
	    meas_join_new(&s->end, NULL, NULL, &s->join, why))) {
		test_refuse(s, EXIT_PARTIAL, "io", why, real_ns);
		return;
	}
	names_send(s, real_ns);
}

/* ---- a run ---- */

void
meas_session_release(struct meas_session *s, uint64_t real_ns)
{
	s->flowing = true;
	meas_flow_go(&s->flow, real_ns);
	meas_session_say(s, json_pack("{s:s}", "msg", "ready"), real_ns);
	/* By iterations: the time limit of the session applies. */
	meas_session_wait(s, MEAS_RUN, s->test.duration_ms ? s->test.duration_ms + NEXT_MS : 0,
		real_ns);
}

static void
on_run(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_reader r = meas_reader(o);
	uint64_t run = meas_read_int(&r, "run", 0, MEAS_SIZES_MAX),
		size = meas_read_int(&r, "size", 0, UINT32_MAX);

	if (r.bad || run != s->nresults + 1 || s->nresults >= s->test.nsizes ||
		    size != s->test.sizes[s->nresults]) {
		test_refuse(s, EXIT_PARTIAL, "bad_reply", "that is not the next run of the test",
			real_ns);
		return;
	}
	if (meas_flow_begin(&s->flow, (unsigned)run, (uint32_t)size, real_ns)) {
		test_refuse(s, EXIT_PARTIAL, "io", s->flow.why, real_ns);
		return;
	}
	if (s->hold)
		meas_session_wait(s, MEAS_HELD, HELD_MS, real_ns);
	else
		meas_session_release(s, real_ns);
}

static void
on_done(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_result *r = &s->results[s->nresults];
	uint64_t *sent = meas_sent_from_json(json_object_get(o, "sent"), s->test.qps);

	if (!sent || meas_rates_from_json(json_object_get(o, "rates"), &r->rates)) {
		free(sent);
		test_refuse(s, EXIT_PARTIAL, "bad_reply", "what was done cannot be read", real_ns);
		return;
	}
	meas_flow_peer_sent(&s->flow, sent, real_ns);
	free(sent);
	/* Messages from here have a time limit in the flow. */
	meas_session_wait(s, MEAS_DRAIN, 0, real_ns);
}

static void
join_poll(struct meas_session *s, uint64_t real_ns)
{
	char why[VERBS_WHY_BYTES];
	int r = meas_join_turn(s->join, real_ns, why);

	if (r < 0)
		test_refuse(s, EXIT_PARTIAL, "io", why, real_ns);
	if (r != 1)
		return;
	meas_session_wait(s, MEAS_IDLE, NEXT_MS, real_ns);
	if (s->early)
		on_run(s, s->early, real_ns);
	json_decref(s->early);
	s->early = NULL;
}

void
meas_server_look(struct meas_session *s, uint64_t real_ns)
{
	struct meas_result *r = &s->results[s->nresults];
	struct meas_rates rates;

	if (s->state == MEAS_JOIN)
		join_poll(s, real_ns);
	if (s->limits && s->limits->session_s && real_ns - s->begun_ns > s->limits->session_s *
		    UINT64_C(1000000000))
		test_refuse(s, EXIT_PARTIAL, "timeout",
			"the test takes longer than the server allows", real_ns);
	if (s->state != MEAS_DRAIN || !meas_flow_sent(&s->flow) ||
		    !meas_flow_received(&s->flow, real_ns))
		return;
	rates = meas_rate_result(&s->flow.rate);
	r->size = s->flow.size;
	r->iterations = s->flow.counts.received;
	r->peer_rates = rates;
	r->counts = s->flow.counts;
	r->bad = s->flow.bad;
	meas_session_say(s, json_pack("{s:s,s:o,s:o,s:o}", "msg", "result", "sent",
		meas_sent_json(&s->flow), "rates", meas_rates_json(&rates),
		"counts", meas_counts_json(&s->flow.counts, &s->flow.bad)), real_ns);
	s->nresults++;
	s->flowing = false;
	meas_session_wait(s, MEAS_IDLE, NEXT_MS, real_ns);
}

void
meas_server_take(struct meas_session *s, const char *msg, const json_t *o, uint64_t real_ns)
{
	if (s->state == MEAS_OFFER && !strcmp(msg, "offer")) {
		on_offer(s, o, real_ns);
	} else if (s->state == MEAS_OFFER && !strcmp(msg, "ask")) {
		meas_relay_take(s, o, real_ns);
	} else if (s->state == MEAS_NAMES && !strcmp(msg, "test")) {
		on_test(s, o, real_ns);
	} else if (s->state == MEAS_JOIN && !s->early && !strcmp(msg, "run")) {
		s->early = json_incref((json_t *)o);    /* its last step is still in flight */
	} else if (s->state == MEAS_IDLE && !strcmp(msg, "run")) {
		on_run(s, o, real_ns);
	} else if (s->state == MEAS_RUN && !strcmp(msg, "done")) {
		on_done(s, o, real_ns);
	} else if ((s->state == MEAS_IDLE || s->state == MEAS_OFFER) && !strcmp(msg, "bye")) {
		s->state = MEAS_OVER;
		s->status = EXIT_OK;
	} else {
		test_refuse(s, EXIT_PARTIAL, "bad_reply", "a message came when it cannot be",
			real_ns);
	}
}
