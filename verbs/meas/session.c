/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * session.c - what both halves of a session share: begin, turn, end, errors; see session.h.
 * Room: verbs/meas.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/meas/session.h"

#define MS_NS UINT64_C(1000000)
#define STEP_US 1000u                   /* a tunnel's clock advances in such steps */
#define CHAN_EVERY_NS UINT64_C(200000)  /* while messages are under way */
#define HELLO_MS 5000
#define LAST_WORDS_MS 200
#define BUSY_MS 30000                   /* registering gigabytes takes seconds */

void
meas_session_begin(struct meas_session *s, int fd, const char *peer, uint64_t real_ns,
	uint32_t silence_ms)
{
	s->begun_ns = real_ns;
	s->code = "internal";
	meas_chan_open(&s->chan, fd, peer, real_ns, silence_ms);
	meas_session_say(s, json_pack("{s:s,s:i,s:s}", "msg", "hello", "protocol", MEAS_PROTOCOL,
		"version", PACKAGE_VERSION), real_ns);
	meas_session_wait(s, MEAS_HELLO, HELLO_MS, real_ns);
}

void
meas_session_say(struct meas_session *s, json_t *o, uint64_t real_ns)
{
	if (!o)
		bug("a control message that cannot be made");
	meas_chan_send(&s->chan, o, real_ns);
}

void
meas_session_wait(struct meas_session *s, enum meas_state state, uint32_t ms, uint64_t real_ns)
{
	s->state = state;
	s->deadline_ns = ms ? real_ns + ms * MS_NS : 0;
}

void
meas_session_fail(struct meas_session *s, enum exit_status status, const char *code,
	const char *fmt, ...)
{
	va_list ap;

	if (s->state == MEAS_OVER)
		return;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
	s->status = status;
	s->code = code;
	s->state = MEAS_OVER;
	s->flowing = false;
}

void
meas_session_stop(struct meas_session *s, enum exit_status status, const char *code,
	const char *why, uint64_t real_ns)
{
	json_t *text;

	if (s->state == MEAS_OVER)
		return;
	meas_session_fail(s, status, code, "%s", why);
	text = json_string(s->why);
	meas_session_say(s, json_pack("{s:s,s:o,s:i}", "msg", "error", "message",
		text ? text : json_string("(a sentence that is no UTF-8)"), "exit", (int)status),
		real_ns);
}

void
meas_session_busy(struct meas_session *s, uint64_t real_ns)
{
	struct meas_session *other;

	if (!s->loop)
		meas_chan_busy(&s->chan, BUSY_MS, real_ns);
	for (unsigned i = 0; s->loop && (other = meas_loop_session(s->loop, i)); i++)
		if (other->state != MEAS_OVER)
			meas_chan_busy(&other->chan, BUSY_MS, real_ns);
}

/* ---- messages ---- */

static void
on_hello(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_reader r = meas_reader(o);
	uint64_t protocol = meas_read_int(&r, "protocol", 0, INT64_MAX);

	meas_read_text(&r, "version", s->peer_version, sizeof(s->peer_version));
	if (r.bad) {
		meas_session_fail(s, EXIT_PARTIAL, "bad_reply",
			"%s does not say which version it is", s->chan.peer);
		return;
	}
	if (protocol != MEAS_PROTOCOL) {
		meas_session_fail(s, EXIT_USAGE, "config", "%s runs ibhcatest %s (protocol %u), "
		"this is %s (protocol %u): install the same on both",
			s->chan.peer, s->peer_version, (unsigned)protocol, PACKAGE_VERSION,
			MEAS_PROTOCOL);
		return;
	}
	meas_session_wait(s, MEAS_OFFER, s->client ? 20000 : HELLO_MS, real_ns);
	if (s->client)
		meas_client_take(s, "hello", o, real_ns);
}

static void
error_said(struct meas_session *s, const json_t *o)
{
	struct meas_reader r = meas_reader(o);
	char text[sizeof(s->why)];
	int status;

	meas_read_text(&r, "message", text, sizeof(text) - sizeof(s->chan.peer) - 8);
	status = (int)meas_read_int(&r, "exit", 0, 255);
	if (r.bad || (status != EXIT_FINDINGS && status != EXIT_USAGE && status != EXIT_FATAL))
		status = EXIT_PARTIAL;
	meas_session_fail(s, (enum exit_status)status, status == EXIT_FATAL ? "no_device" : "io",
		"%s: %s", s->chan.peer, text);
}

static void
on_message(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	const char *msg = json_string_value(json_object_get(o, "msg"));

	if (!strcmp(msg, "error"))
		error_said(s, o);
	else if (s->state == MEAS_HELLO && !strcmp(msg, "hello"))
		on_hello(s, o, real_ns);
	else if (s->state == MEAS_HELLO)
		meas_session_fail(s, EXIT_PARTIAL, "bad_reply", "%s does not begin with a hello",
			s->chan.peer);
	else if (s->client)
		meas_client_take(s, msg, o, real_ns);
	else
		meas_server_take(s, msg, o, real_ns);
}

static int
listen_to(struct meas_session *s, uint64_t real_ns)
{
	int n = 0, r;
	json_t *o;

	while (s->state != MEAS_OVER && (r = meas_chan_turn(&s->chan, real_ns, &o)) != 0) {
		if (r < 0) {
			meas_session_fail(s, EXIT_PARTIAL, r == -ETIMEDOUT ? "timeout" :
				r == -EPROTO ? "bad_reply" : "io", "%s", s->chan.why);
			break;
		}
		on_message(s, o, real_ns);
		json_decref(o);
		n++;
	}
	return n;
}

int
meas_session_turn(struct meas_session *s, uint64_t real_ns)
{
	int n = 0, r;

	if (s->state == MEAS_OVER)
		return 0;
	meas_session_pass(s, real_ns);
	if (!s->flowing || s->tunnel || real_ns >= s->chan_ns) {
		n += listen_to(s, real_ns);
		s->chan_ns = real_ns + CHAN_EVERY_NS;
	}
	if (s->flowing && s->state != MEAS_OVER) {
		r = meas_flow_turn(&s->flow, real_ns);
		if (r < 0)
			meas_session_stop(s, EXIT_PARTIAL, "io", s->flow.why, real_ns);
		else
			n += r;
	}
	if (s->state == MEAS_ASKED)
		n += meas_relay_turn(s, real_ns);
	if (s->state != MEAS_OVER && s->client)
		meas_client_look(s, real_ns);
	else if (s->state != MEAS_OVER)
		meas_server_look(s, real_ns);
	if (s->state != MEAS_OVER && s->deadline_ns && real_ns > s->deadline_ns)
		meas_session_stop(s, EXIT_PARTIAL, "timeout",
			"the other end does not go on with the test", real_ns);
	return n;
}

void
meas_session_end(struct meas_session *s)
{
	if (s->prepared)
		/* For other sessions of the loop: memory is released. */
		meas_session_busy(s, s->chan.said_ns);
	if (s->child) {
		meas_session_end(s->child);
		meas_session_free_results(s->child);
		free(s->child);
		s->child = NULL;
	}
	if (s->chan.fd >= 0)
		meas_chan_flush(&s->chan, LAST_WORDS_MS);
	json_decref(s->early);
	s->early = NULL;
	meas_join_free(s->join);
	s->join = NULL;
	if (s->prepared)
		meas_flow_clear(&s->flow);
	s->flowing = s->prepared = false;
	meas_end_close(&s->end);
	meas_chan_close(&s->chan);
	if (s->tunnel)
		s->tunnel->ops->world_free(s->tunnel);
	s->tunnel = NULL;
}

void
meas_session_free_results(struct meas_session *s)
{
	for (unsigned i = 0; i < s->nresults; i++)
		free(s->results[i].hist);
	s->nresults = 0;
}

/* ---- the tunnel: software adapters of two processes, whose packets use the control connection
 *
 * Each end has its own world and uses a different device of it, so that their addresses differ.
 * The clocks follow real time in small steps, so that no timer of the adapters expires because
 * the machine was busy. */

void
meas_session_tunnel(struct meas_session *s, const char *device)
{
	s->tunnel = verbs_backend_tunnel_world(s->test.seed);
	s->choice.world = s->tunnel;
	snprintf(s->choice.device, sizeof(s->choice.device), "%s", device);
}

static enum verbs_verdict
on_packet_out(void *arg, uint8_t *packet, size_t bytes)
{
	struct meas_session *s = arg;

	meas_chan_packet(&s->chan, packet, bytes, s->tunnel_ns);
	return VERBS_DROP;
}

static void
on_packet_in(void *arg, const uint8_t *packet, size_t bytes)
{
	struct meas_session *s = arg;

	verbs_backend_arrive(s->tunnel, packet, bytes);
}

int
meas_session_join(struct meas_session *s, uint64_t real_ns, char *why)
{
	int r;

	if (!s->tunnel)
		return 0;
	s->tunnel_ns = real_ns;
	s->chan.packet = on_packet_in;
	s->chan.packet_arg = s;
	r = s->end.ops->hook(s->end.dev, s->end.dev->port, on_packet_out, s);
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "%s cannot be joined to the other process",
			s->end.facts.device);
	return r;
}

void
meas_session_pass(struct meas_session *s, uint64_t real_ns)
{
	uint64_t us = real_ns > s->tunnel_ns ? (real_ns - s->tunnel_ns) / 1000 : 0;

	if (!s->tunnel || !s->end.dev || !us)
		return;
	s->tunnel_ns = real_ns;
	s->end.ops->advance(s->tunnel, us < STEP_US ? (uint32_t)us : STEP_US);
}
