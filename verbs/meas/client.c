/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * client.c - the client's half of a session: the end whose operator typed the test; see
 * session.h.
 * Room: verbs/meas.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "verbs/meas/run/counts.h"
#include "verbs/meas/session.h"

#define ANSWER_MS 20000
#define JOIN_MS 30000
/* a server waits for its other clients; it has a timeout of its own */
#define READY_MS 600000
#define RESULT_MS 60000
/* one second: the other process may be scheduled late */
#define TUNNEL_TIMEOUT 18

static bool
reply_malformed(struct meas_session *s, const char *what)
{
	meas_session_fail(s, EXIT_PARTIAL, "bad_reply", "%s: its %s cannot be read", s->chan.peer,
		what);
	return false;
}

/* ---- before the first run ---- */

static void
offer_send(struct meas_session *s, uint64_t real_ns)
{
	char why[VERBS_WHY_BYTES];
	int r;

	if (verbs_backend_is_soft(s->choice.world) && !s->local) {
		meas_session_tunnel(s, "soft0");
		s->test.timeout = TUNNEL_TIMEOUT;
	}
	meas_session_busy(s, real_ns);
	r = meas_end_open(&s->end, &s->choice, why);
	if (!r)
		r = meas_session_join(s, real_ns, why);
	if (r) {
		meas_session_stop(s, EXIT_FATAL, "no_device", why, real_ns);
		return;
	}
	meas_session_say(s, json_pack("{s:s,s:o,s:b}", "msg", "offer", "facts",
		meas_facts_json(&s->end.facts), "tunnel", s->tunnel != NULL), real_ns);
	meas_session_wait(s, MEAS_OFFER, ANSWER_MS, real_ns);
}

static bool
expect_allowed(struct meas_session *s, const struct meas_facts *peer, uint64_t real_ns)
{
	const struct meas_term *t = s->expect ? meas_expect_speed(s->expect) : NULL;
	const char *why = s->end.facts.emulated[0] ? s->end.facts.emulated : peer->emulated;
	char text[400];

	if (!t || !*why)
		return true;
	snprintf(text, sizeof(text), "--expect \"%s\" is refused: %s", t->text, why);
	meas_session_stop(s, EXIT_USAGE, "usage", text, real_ns);
	return false;
}

/* Reduces depths that were not given as options to what both devices support. */
static void
fit_depths(struct meas_session *s, const struct meas_facts *peer)
{
	const struct meas_facts *f = &s->end.facts;
	uint32_t most = f->max_wr < peer->max_wr ? f->max_wr : peer->max_wr;
	struct meas_test *t = &s->test;

	if (s->typed_depth || (t->tx_depth <= most && t->rx_depth <= most))
		return;
	t->tx_depth = t->tx_depth < most ? t->tx_depth : most;
	t->rx_depth = t->rx_depth < most ? t->rx_depth : most;
	snprintf(s->note, sizeof(s->note),
		"depths reduced to %u and %u: that is what the devices have", t->tx_depth,
		t->rx_depth);
}

static bool
fit_mtu(struct meas_session *s, const struct meas_facts *peer, uint64_t real_ns)
{
	uint32_t most = s->end.facts.mtu_bytes < peer->mtu_bytes ? s->end.facts.mtu_bytes :
		peer->mtu_bytes;
	uint32_t largest = s->test.sizes[s->test.nsizes - 1];
	char why[VERBS_WHY_BYTES];

	if (s->test.mtu_bytes > most) {
		snprintf(why, sizeof(why),
		"an MTU of %u bytes is not possible: the ports have %u and %u", s->test.mtu_bytes,
		s->end.facts.mtu_bytes,
			peer->mtu_bytes);
		meas_session_stop(s, EXIT_USAGE, "usage", why, real_ns);
		return false;
	}
	if (!s->test.mtu_bytes)
		s->test.mtu_bytes = most;
	if (s->test.transport != MEAS_UD || largest <= s->test.mtu_bytes)
		return true;
	while (s->test.nsizes > 1 && s->test.sizes[s->test.nsizes - 1] > s->test.mtu_bytes)
		s->test.nsizes--;
	if (s->test.sizes[s->test.nsizes - 1] <= s->test.mtu_bytes) {
		snprintf(s->note, sizeof(s->note),
			"datagrams hold no more than the MTU: sizes end at %u",
			s->test.sizes[s->test.nsizes - 1]);
		return true;
	}
	snprintf(why, sizeof(why), "a datagram of %u bytes does not fit the MTU of %u", largest,
		s->test.mtu_bytes);
	meas_session_stop(s, EXIT_USAGE, "usage", why, real_ns);
	return false;
}

static void
test_send(struct meas_session *s, uint64_t real_ns)
{
	json_t *route = json_pack("{s:b,s:i,s:i}", "grh", s->end.route.grh, "client_index",
	s->end.route.a.index, "server_index",
		s->end.route.b.index);

	meas_session_say(s, json_pack("{s:s,s:o,s:o,s:o}", "msg", "test", "test",
		meas_test_json(&s->test), "route", route, "names", meas_end_names(&s->end)),
		real_ns);
	meas_session_wait(s, MEAS_NAMES, ANSWER_MS, real_ns);
}

static void
on_offer(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_facts peer;
	char why[VERBS_WHY_BYTES];
	const json_t *v = json_object_get(o, "gid_index");
	int peer_index = json_is_integer(v) && json_integer_value(v) >= 0 &&
		json_integer_value(v) <= 255 ? (int)json_integer_value(v) : -1;

	if (meas_facts_from_json(json_object_get(o, "facts"), &peer, why)) {
		meas_session_fail(s, EXIT_PARTIAL, "bad_reply", "%s: %s", s->chan.peer, why);
		return;
	}
	if (s->tunnel && strcmp(peer.provider, "soft")) {
		meas_session_stop(s, EXIT_USAGE, "config", "one end is a software adapter, the "
			"other a device: they are on no common wire", real_ns);
		return;
	}
	if ((s->end.facts.connected_by_cm_only || peer.connected_by_cm_only) &&
		    s->test.connect != MEAS_BY_RDMA_CM) {
		meas_session_stop(s, EXIT_USAGE, "usage",
			"iWARP devices are connected through rdma_cm only: see --rdma_cm", real_ns);
		return;
	}
	if (!expect_allowed(s, &peer, real_ns) || !fit_mtu(s, &peer, real_ns))
		return;
	fit_depths(s, &peer);
	if (meas_route_choose(&s->end.facts.gids, s->gid_index, &peer.gids, peer_index,
		    &s->end.route, why, sizeof(why))) {
		meas_session_stop(s, EXIT_PARTIAL, "config", why, real_ns);
		return;
	}
	meas_session_busy(s, real_ns);
	if (meas_end_prepare(&s->end, &s->test, &peer, why)) {
		meas_session_stop(s, EXIT_PARTIAL, "unsupported", why, real_ns);
		return;
	}
	s->end.mtu_bytes = s->test.mtu_bytes;
	meas_flow_init(&s->flow, &s->end, true);
	s->flow.spins = s->end.facts.emulated[0] ? 1 : 64;
	s->prepared = true;
	test_send(s, real_ns);
}

static void
next_run(struct meas_session *s, uint64_t real_ns)
{
	uint32_t size;

	if (s->nresults == s->test.nsizes) {
		meas_session_say(s, json_pack("{s:s}", "msg", "bye"), real_ns);
		s->state = MEAS_OVER;
		s->status = EXIT_OK;
		return;
	}
	size = s->test.sizes[s->nresults];
	if (meas_flow_begin(&s->flow, s->nresults + 1, size, real_ns)) {
		meas_session_stop(s, EXIT_PARTIAL, "io", s->flow.why, real_ns);
		return;
	}
	meas_session_say(s, json_pack("{s:s,s:i,s:I}", "msg", "run", "run", (int)s->nresults + 1,
		"size", (json_int_t)size), real_ns);
	meas_session_wait(s, MEAS_READY, READY_MS, real_ns);
}

static void
on_names(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	char why[VERBS_WHY_BYTES], address[64];

	if (meas_end_learn(&s->end, o, why)) {
		meas_session_fail(s, EXIT_PARTIAL, "bad_reply", "%s: %s", s->chan.peer, why);
		return;
	}
	if (s->test.connect != MEAS_BY_SOCKET) {
		meas_chan_address(&s->chan, address, sizeof(address));
		if (meas_join_new(&s->end, json_object_get(o, "join"), address, &s->join, why))
			meas_session_stop(s, EXIT_PARTIAL, "unsupported", why, real_ns);
		else
			meas_session_wait(s, MEAS_JOIN, JOIN_MS, real_ns);
		return;
	}
	meas_session_busy(s, real_ns);          /* the kernel may resolve addresses meanwhile */
	if (meas_end_connect(&s->end, why)) {
		meas_session_stop(s, EXIT_PARTIAL, "io", why, real_ns);
		return;
	}
	next_run(s, real_ns);
}

/* ---- a run ---- */

static void
keep_result(struct meas_session *s)
{
	struct meas_result *r = &s->results[s->nresults];

	r->size = s->flow.size;
	r->rates = meas_rate_result(&s->flow.rate);
	r->iterations = s->flow.rate.messages;
	r->counts = s->flow.counts;
	r->bad = s->flow.bad;
	r->hist = s->flow.hist;
	s->flow.hist = meas_hist_new();
	s->nresults++;
	if (s->each)
		s->each(s, r, s->arg);
}

static void
done_send(struct meas_session *s, uint64_t real_ns)
{
	struct meas_rates rates = meas_rate_result(&s->flow.rate);

	meas_session_say(s, json_pack("{s:s,s:o,s:o}", "msg", "done", "sent",
		meas_sent_json(&s->flow), "rates", meas_rates_json(&rates)), real_ns);
	meas_session_wait(s, MEAS_RESULT, RESULT_MS + s->test.duration_ms, real_ns);
}

static void
on_result(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_result *r = &s->results[s->nresults];
	uint64_t *sent = meas_sent_from_json(json_object_get(o, "sent"), s->test.qps);

	if (!sent || meas_counts_from_json(json_object_get(o, "counts"), &r->peer_counts,
		    &r->peer_bad) ||
	    meas_rates_from_json(json_object_get(o, "rates"), &r->peer_rates)) {
		free(sent);
		reply_malformed(s, "result");
		return;
	}
	meas_flow_peer_sent(&s->flow, sent, real_ns);
	free(sent);
	meas_session_wait(s, MEAS_DRAIN, RESULT_MS, real_ns);
}

static void
join_poll(struct meas_session *s, uint64_t real_ns)
{
	char why[VERBS_WHY_BYTES];
	int r = meas_join_turn(s->join, real_ns, why);

	if (r < 0)
		meas_session_stop(s, EXIT_PARTIAL, "io", why, real_ns);
	if (r != 1)
		return;
	snprintf(s->note, sizeof(s->note), "%s", s->join->note);
	next_run(s, real_ns);
}

void
meas_client_look(struct meas_session *s, uint64_t real_ns)
{
	if (s->state == MEAS_JOIN)
		join_poll(s, real_ns);
	if (s->state == MEAS_RUN && meas_flow_sent(&s->flow))
		done_send(s, real_ns);
	if (s->state == MEAS_DRAIN && meas_flow_received(&s->flow, real_ns)) {
		s->flowing = false;
		keep_result(s);
		next_run(s, real_ns);
	}
}

void
meas_client_take(struct meas_session *s, const char *msg, const json_t *o, uint64_t real_ns)
{
	/* the first offer only */
	if (s->state == MEAS_OFFER && !s->end.dev && !strcmp(msg, "hello")) {
		offer_send(s, real_ns);
	} else if (s->state == MEAS_OFFER && !strcmp(msg, "offer")) {
		on_offer(s, o, real_ns);
	} else if (s->state == MEAS_NAMES && !strcmp(msg, "names")) {
		on_names(s, o, real_ns);
	} else if (s->state == MEAS_READY && !strcmp(msg, "ready")) {
		s->flowing = true;
		meas_flow_go(&s->flow, real_ns);
		meas_session_wait(s, MEAS_RUN, 0, real_ns);
	} else if (s->state == MEAS_RESULT && !strcmp(msg, "result")) {
		on_result(s, o, real_ns);
	} else {
		meas_session_fail(s, EXIT_PARTIAL, "bad_reply",
			"%s says \"%.20s\" when that cannot be", s->chan.peer, msg);
	}
}
