/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * relay.c - a server that runs a test towards another server, because somebody who is at neither end asked for it.
 * Room: verbs/meas.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "util/xalloc.h"
#include "verbs/meas/loop.h"
#include "verbs/meas/relay.h"
#include "verbs/meas/row.h"

#define NEXT_MS 60000
#define DIAL_MS 4000
#define ASK_EXTRA_S 600

/* ---- the server that is asked ---- */

void
meas_relay_take(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_reader r = meas_reader(o);
	char to[256], host[256], why[MEAS_WHY_BYTES];
	uint16_t port = MEAS_PORT;
	int fd;

	meas_read_text(&r, "to", to, sizeof(to));
	if (!s->limits || !s->limits->relay) {
		meas_session_stop(s, EXIT_PARTIAL, "rejected", "this server runs no tests for others", real_ns);
		return;
	}
	if (r.bad || meas_split_host(to, host, sizeof(host), &port)) {
		meas_session_stop(s, EXIT_USAGE, "bad_reply", "it is not said towards which server", real_ns);
		return;
	}
	if (meas_test_from_json(json_object_get(o, "test"), &s->test, why, sizeof(why)) || meas_server_allows(s, why)) {
		meas_session_stop(s, EXIT_USAGE, "config", why, real_ns);
		return;
	}
	meas_session_busy(s, real_ns);          /* names are looked up */
	fd = meas_dial_start(host, port, why);
	if (fd < 0) {
		meas_session_stop(s, EXIT_PARTIAL, "io", why, real_ns);
		return;
	}
	s->child = xcalloc(1, sizeof(*s->child));
	s->child->client = true;
	s->child->choice = s->choice;
	s->child->gid_index = s->gid_index;
	s->child->test = s->test;
	s->child->loop = s->loop;
	meas_session_begin(s->child, fd, to, real_ns, s->limits->silence_ms);
	meas_session_wait(s, MEAS_ASKED, 0, real_ns);
}

static void
say_answer(struct meas_session *s, uint64_t real_ns)
{
	const struct meas_session *c = s->child;
	const char *emulated = c->end.facts.emulated[0] ? c->end.facts.emulated : c->end.peer.emulated;
	json_t *rows = json_array(), *row;

	for (unsigned i = 0; i < c->nresults; i++) {
		row = meas_row_json(&c->results[i], &c->test);
		json_object_set_new(row, "histogram", json_array());    /* messages have a limit */
		json_array_append_new(rows, row);
	}
	meas_session_say(s, json_pack("{s:s,s:i,s:b,s:s,s:s,s:o}", "msg", "answer", "status", (int)c->status, "unanswered", !c->peer_version[0], "why",
		c->why, "emulated", emulated, "rows", rows), real_ns);
}

int
meas_relay_turn(struct meas_session *s, uint64_t real_ns)
{
	int n = meas_session_turn(s->child, real_ns);

	if (s->child->state != MEAS_OVER)
		return n;
	say_answer(s, real_ns);
	meas_session_end(s->child);
	meas_session_free_results(s->child);
	free(s->child);
	s->child = NULL;
	meas_session_wait(s, MEAS_OFFER, NEXT_MS, real_ns);
	return 1;
}

/* ---- who asks ---- */

static int
answer_fail(struct meas_answer *a, const char *why)
{
	snprintf(a->why, sizeof(a->why), "%s", why);
	a->status = EXIT_PARTIAL;
	a->code = "io";
	return -EIO;
}

/* The next message but signs of life, or a sentence. */
static json_t *
message_wait(struct meas_chan *c, uint64_t until_ns, struct meas_answer *a)
{
	json_t *o;
	int r;

	for (;;) {
		uint64_t now = meas_real_ns();
		struct pollfd p = { .fd = c->fd, .events = (short)(POLLIN | (meas_chan_full(c) ? POLLOUT : 0)) };

		r = meas_chan_turn(c, now, &o);
		if (r == 1)
			return o;
		if (r < 0 || now > until_ns || meas_signalled()) {
			answer_fail(a, r < 0 ? c->why : meas_signalled() ? "interrupted" : "the server does not come to an end");
			a->code = r == -ETIMEDOUT ? "timeout" : "io";
			return NULL;
		}
		poll(&p, 1, meas_chan_wait_ms(c, now));
	}
}

static int
take_answer(const json_t *o, const char *host, struct meas_answer *a)
{
	struct meas_reader r = meas_reader(o);
	char text[sizeof(a->why)];
	bool error = !strcmp(json_string_value(json_object_get(o, "msg")), "error");
	json_t *rows = json_object_get(o, "rows");
	json_t *row, *clean;
	size_t i;

	meas_read_text(&r, error ? "message" : "why", text, sizeof(text));
	a->status = (enum exit_status)meas_read_int(&r, error ? "exit" : "status", 0, 255);
	if (!error)
		meas_read_text(&r, "emulated", a->emulated, sizeof(a->emulated));
	if (!error)
		a->unanswered = meas_read_bool(&r, "unanswered");
	if (!error && (!json_is_array(rows) || json_array_size(rows) > MEAS_SIZES_MAX))
		meas_reader_bad(&r, "rows");
	if (r.bad)
		return answer_fail(a, "its answer cannot be read");
	json_array_foreach(rows, i, row) {
		clean = meas_row_clean(row);
		if (!clean)
			return answer_fail(a, "its answer cannot be read");
		json_array_append_new(a->rows, clean);
	}
	a->code = a->status == EXIT_FATAL ? "no_device" : "io";
	if (a->status != EXIT_OK)
		snprintf(a->why, sizeof(a->why), "%.80s: %.400s", host, text);
	return 0;
}

static int
hello_exchange(struct meas_chan *c, struct meas_answer *a)
{
	json_t *o;
	int r = 0;

	meas_chan_send(c, json_pack("{s:s,s:i,s:s}", "msg", "hello", "protocol", MEAS_PROTOCOL, "version", PACKAGE_VERSION), meas_real_ns());
	o = message_wait(c, meas_real_ns() + DIAL_MS * UINT64_C(1000000), a);
	if (!o)
		return -EIO;
	if (strcmp(json_string_value(json_object_get(o, "msg")), "hello"))
		r = answer_fail(a, "it does not begin with a hello");
	else if (json_integer_value(json_object_get(o, "protocol")) != MEAS_PROTOCOL) {
		r = answer_fail(a, "it runs another version of ibhcatest: install the same everywhere");
		a->status = EXIT_USAGE;
		a->code = "config";
	}
	json_decref(o);
	return r;
}

void
meas_ask(const char *host, uint16_t port, const char *to, const struct meas_test *t, uint32_t silence_ms, struct meas_answer *a)
{
	char why[MEAS_WHY_BYTES];
	struct meas_chan c;
	json_t *o = NULL;
	int fd;

	memset(a, 0, sizeof(*a));
	a->rows = json_array();
	fd = meas_dial(host, port, DIAL_MS, why);
	if (fd < 0) {
		answer_fail(a, why);
		a->unreachable = true;
		return;
	}
	meas_chan_open(&c, fd, host, meas_real_ns(), silence_ms);
	if (!hello_exchange(&c, a)) {
		meas_chan_send(&c, json_pack("{s:s,s:s,s:o}", "msg", "ask", "to", to, "test", meas_test_json(t)), meas_real_ns());
		o = message_wait(&c, meas_real_ns() + (ASK_EXTRA_S + t->duration_ms / 1000) * UINT64_C(1000000000), a);
	}
	if (o) {
		take_answer(o, host, a);
		meas_chan_send(&c, json_pack("{s:s}", "msg", "bye"), meas_real_ns());
		meas_chan_flush(&c, 100);
	}
	json_decref(o);
	meas_chan_close(&c);
}
