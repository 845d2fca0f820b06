/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * relay.c - the server's side of remote tests: runs a test against another server as a client of
 * it, and returns the rows.
 * Room: verbs/meas.  remote.h is the side of the requester.
 */
#include <config.h>
#include <stdlib.h>
#include "util/xalloc.h"
#include "verbs/meas/row.h"
#include "verbs/meas/session.h"

#define NEXT_MS 60000

void
meas_relay_take(struct meas_session *s, const json_t *o, uint64_t real_ns)
{
	struct meas_reader r = meas_reader(o);
	char to[256], host[256], why[MEAS_WHY_BYTES];
	uint16_t port = MEAS_PORT;
	int fd;

	meas_read_text(&r, "to", to, sizeof(to));
	if (!s->limits || !s->limits->relay) {
		meas_session_stop(s, EXIT_PARTIAL, "rejected",
			"this server runs no tests for others", real_ns);
		return;
	}
	if (r.bad || meas_split_host(to, host, sizeof(host), &port)) {
		meas_session_stop(s, EXIT_USAGE, "bad_reply", "it is not said towards which server",
			real_ns);
		return;
	}
	if (meas_test_from_json(json_object_get(o, "test"), &s->test, why, sizeof(why)) ||
		    meas_server_allows(s, why)) {
		meas_session_stop(s, EXIT_USAGE, "config", why, real_ns);
		return;
	}
	meas_session_busy(s, real_ns);          /* names are resolved */
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
answer_send(struct meas_session *s, uint64_t real_ns)
{
	const struct meas_session *c = s->child;
	const char *emulated = c->end.facts.emulated[0] ? c->end.facts.emulated :
		c->end.peer.emulated;
	json_t *rows = json_array(), *row;

	for (unsigned i = 0; i < c->nresults; i++) {
		row = meas_row_json(&c->results[i], &c->test);
		/* messages are limited in size */
		json_object_set_new(row, "histogram", json_array());
		json_array_append_new(rows, row);
	}
	meas_session_say(s, json_pack("{s:s,s:i,s:b,s:s,s:s,s:o}", "msg", "answer", "status",
		(int)c->status, "unanswered", !c->peer_version[0], "why", c->why, "emulated",
		emulated, "rows", rows), real_ns);
}

int
meas_relay_turn(struct meas_session *s, uint64_t real_ns)
{
	int n = meas_session_turn(s->child, real_ns);

	if (s->child->state != MEAS_OVER)
		return n;
	answer_send(s, real_ns);
	meas_session_end(s->child);
	meas_session_free_results(s->child);
	free(s->child);
	s->child = NULL;
	meas_session_wait(s, MEAS_OFFER, NEXT_MS, real_ns);
	return 1;
}
