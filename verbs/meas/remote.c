/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * remote.c - see remote.h.
 * Room: verbs/meas.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include "verbs/meas/loop.h"
#include "verbs/meas/remote.h"
#include "verbs/meas/row.h"

#define DIAL_MS 4000
#define ASK_EXTRA_S 600

static int
answer_fail(struct meas_remote *a, const char *why)
{
	snprintf(a->why, sizeof(a->why), "%s", why);
	a->status = EXIT_PARTIAL;
	a->code = "io";
	return -EIO;
}

/* Waits for the next message that is not a sign of life.  NULL: none, with a sentence in 'a'. */
static json_t *
message_wait(struct meas_chan *c, uint64_t until_ns, struct meas_remote *a)
{
	json_t *o;
	int r;

	for (;;) {
		uint64_t now = meas_real_ns();
		struct pollfd p = { .fd = c->fd,
			.events = (short)(POLLIN | (meas_chan_full(c) ? POLLOUT : 0)) };

		r = meas_chan_turn(c, now, &o);
		if (r == 1)
			return o;
		if (r < 0 || now > until_ns || meas_signalled()) {
			answer_fail(a, r < 0 ? c->why : meas_signalled() ? "interrupted" :
				"the server does not come to an end");
			a->code = r == -ETIMEDOUT ? "timeout" : "io";
			return NULL;
		}
		poll(&p, 1, meas_chan_wait_ms(c, now));
	}
}

static int
answer_read(const json_t *o, const char *host, struct meas_remote *a)
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
hello_exchange(struct meas_chan *c, struct meas_remote *a)
{
	json_t *o;
	int r = 0;

	meas_chan_send(c, json_pack("{s:s,s:i,s:s}", "msg", "hello", "protocol", MEAS_PROTOCOL,
		"version", PACKAGE_VERSION), meas_real_ns());
	o = message_wait(c, meas_real_ns() + DIAL_MS * UINT64_C(1000000), a);
	if (!o)
		return -EIO;
	if (strcmp(json_string_value(json_object_get(o, "msg")), "hello"))
		r = answer_fail(a, "it does not begin with a hello");
	else if (json_integer_value(json_object_get(o, "protocol")) != MEAS_PROTOCOL) {
		r = answer_fail(a,
			"it runs another version of ibhcatest: install the same everywhere");
		a->status = EXIT_USAGE;
		a->code = "config";
	}
	json_decref(o);
	return r;
}

void
meas_remote_test(const char *host, uint16_t port, const char *to, const struct meas_test *t,
	uint32_t silence_ms, struct meas_remote *a)
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
		meas_chan_send(&c, json_pack("{s:s,s:s,s:o}", "msg", "ask", "to", to, "test",
			meas_test_json(t)), meas_real_ns());
		o = message_wait(&c, meas_real_ns() + (ASK_EXTRA_S + t->duration_ms / 1000) *
			UINT64_C(1000000000), a);
	}
	if (o) {
		answer_read(o, host, a);
		meas_chan_send(&c, json_pack("{s:s}", "msg", "bye"), meas_real_ns());
		meas_chan_flush(&c, 100);
	}
	json_decref(o);
	meas_chan_close(&c);
}
