/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_run.c - ibhcatest bw and lat: a client, a server for one test, or both in this process.
 * Room: verbs/ibhcatest.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "util/xalloc.h"
#include "verbs/ibhcatest/ibhcatest.h"

#define DIAL_MS 5000

static const char rule[] =
	"---------------------------------------------------------------------------------------\n";

/* State for printing results while a test runs. */
struct show {
	struct report *r;
	json_t *rows;
	bool begun;
};

/* ---- running ---- */

void
run_client(struct meas_session *s, const struct verbs_choice *c,
	const struct verbs_choice *server_choice, int fd, const char *peer, uint32_t silence_ms)
{
	struct meas_session *server = server_choice ? xcalloc(1, sizeof(*server)) : NULL;
	struct meas_loop l = { .world = c->world, .n = 1, .sessions = { s },
		.server = { .fd = -1 } };
	int both[2];

	s->client = true;
	s->choice = *c;
	if (server) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both))
			bug("no pair of sockets: %s", strerror(errno));
		server->choice = *server_choice;
		server->gid_index = -1;
		server->local = s->local = true;
		meas_session_begin(server, both[1], "client", meas_real_ns(), silence_ms);
		l.sessions[l.n++] = server;
		fd = both[0];
		peer = server_choice->device[0] ? server_choice->device : "the other end";
	}
	meas_session_begin(s, fd, peer, meas_real_ns(), silence_ms);
	meas_loop_run(&l);
	meas_session_end(s);
	if (server) {
		meas_session_end(server);
		meas_session_free_results(server);
		free(server);
	}
}

bool
run_try_device(struct report *r, const struct verbs_choice *c)
{
	char why[VERBS_WHY_BYTES];
	struct meas_end *e = xcalloc(1, sizeof(*e));
	int bad = meas_end_open(e, c, why);

	if (bad && bad != -ENETDOWN)
		report_error(r, EXIT_FATAL, "no_device", "%s", why);
	else if (bad)
		report_text(r, "NOTE: %s\n", why);      /* the port may come up later */
	if (!bad) {
		report_local(r, &e->facts);
		meas_end_close(e);
	}
	free(e);
	return !bad || bad == -ENETDOWN;
}

/* ---- telling ---- */

static void
show_end(const struct report *r, const char *which, const struct meas_facts *f,
	const struct meas_gid *g)
{
	char gid[40];

	meas_gid_text(g->raw, gid, sizeof(gid));
	report_text(r, " %-8s %s %s port %u (%s%s%s), %s, %s %s %s, MTU %u, LID %u\n", which,
		f->host, f->device, f->port, f->provider, f->firmware[0] ? " " : "", f->firmware,
		f->state, f->gids.infiniband ? "InfiniBand" : "Ethernet", f->width, f->speed,
		f->mtu_bytes, f->gids.lid);
	report_text(r, "          GID index %u (%s) %s\n", g->index, meas_gid_kind(g), gid);
}

static void
show_test(const struct report *r, const struct meas_session *s)
{
	const struct meas_test *t = &s->test;
	const char *emulated = s->end.facts.emulated[0] ? s->end.facts.emulated :
		s->end.peer.emulated;

	report_text(r, "%s                    RDMA %s %s Test\n", rule, meas_op_name(t->op),
		t->mode == MEAS_BW ? t->bidirectional ?
		"Bidirectional Bandwidth" : "Bandwidth" : "Latency");
	show_end(r, "local:", &s->end.facts, &s->end.route.a);
	show_end(r, "remote:", &s->end.peer, &s->end.route.b);
	report_text(r, " %s, %u queue pair%s, depth %u and %u, path MTU %u, inline %u, connected "
		"by %s%s%s\n", meas_transport_name(t->transport), t->qps, t->qps > 1 ? "s" : "",
		t->tx_depth, t->rx_depth, s->end.mtu_bytes, s->end.inline_bytes,
		meas_connect_name(t->connect), t->validate ? ", every byte checked" : "",
		t->events ? ", by events" : "");
	if (t->rate_mbps)
		report_text(r, " no more than %.3f Gb/s from each end that sends\n",
			t->rate_mbps / 1e3);
	if (s->note[0])
		report_text(r, " NOTE: %s\n", s->note);
	if (*emulated)
		report_text(r, " EMULATED: %s\n", emulated);
	report_text(r, "%s", rule);
	if (r->ask->json == ASK_TEXT)
		meas_row_header(stdout, t->mode, r->ask->gbits);
}

static void
show_row(struct show *w, const json_t *row, enum meas_mode mode)
{
	double lost = 0;

	if (w->r->ask->json != ASK_TEXT)
		return;
	meas_row_text(stdout, row, mode, w->r->ask->gbits);
	if (meas_row_figure(row, MEAS_FIGURE_LOST, &lost) && lost > 0)
		printf("          %.0f messages were lost on the way\n", lost);
	if (w->r->ask->histogram)
		meas_row_histogram(stdout, row);
	fflush(stdout);
}

static void
on_result(struct meas_session *s, const struct meas_result *result, void *arg)
{
	struct show *w = arg;
	json_t *row = meas_row_json(result, &s->test);

	if (!w->begun)
		show_test(w->r, s);
	w->begun = true;
	show_row(w, row, s->test.mode);
	json_array_append_new(w->rows, row);
}

static void
session_report(struct report *r, const struct meas_session *s)
{
	const char *emulated = s->end.facts.emulated[0] ? s->end.facts.emulated :
		s->end.peer.emulated;
	bool met = s->end.peer.device[0];

	json_object_set_new(r->doc, "test", meas_test_json(&s->test));
	json_object_set_new(r->doc, "client", report_facts(s->client ? &s->end.facts : &s->end.peer,
		met ? &s->end.route : NULL, s->client));
	json_object_set_new(r->doc, "server",
		met || !s->client ? report_facts(s->client ? &s->end.peer : &s->end.facts,
		met ? &s->end.route : NULL, !s->client) : json_null());
	json_object_set_new(r->doc, "mtu", s->end.mtu_bytes ? json_integer(s->end.mtu_bytes) :
		json_null());
	json_object_set_new(r->doc, "inline_bytes", json_integer(s->end.inline_bytes));
	json_object_set_new(r->doc, "emulated", json_boolean(*emulated));
	json_object_set_new(r->doc, "emulated_why", *emulated ? json_string(emulated) :
		json_null());
	json_object_set_new(r->doc, "note", s->note[0] ? json_string(s->note) : json_null());
	report_local(r, &s->end.facts);
}

/* Sets the keys of a document whose session did not happen, to null. */
static void
keys_set_null(struct report *r)
{
	static const char *const keys[] = { "test", "client", "server", "mtu", "inline_bytes",
		"emulated", "emulated_why", "note" };

	json_object_set_new(r->doc, "role", json_string("none"));
	json_object_set_new(r->doc, "results", json_array());
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set_new(r->doc, keys[i], json_null());
}

static json_t *
summary_of(const json_t *rows)
{
	double v, lost = 0, corrupt = 0;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		lost += meas_row_figure(row, MEAS_FIGURE_LOST, &v) ? v : 0;
		corrupt += meas_row_figure(row, MEAS_FIGURE_CORRUPT, &v) ? v : 0;
	}
	return json_pack("{s:i,s:I,s:I}", "results", (int)json_array_size(rows), "lost",
		(json_int_t)lost, "corrupt", (json_int_t)corrupt);
}

/* ---- client, or both ends ---- */

/* Chooses the other end's device in this process: the named one, or the second, or the same one. */
static int
loop_device_choose(const char *text, struct verbs_choice *other)
{
	const char *second = other->world->ops->device_name(other->world, 1),
		*colon = text ? strchr(text, ':') : NULL;
	unsigned long port = 0;
	char *end;

	other->port = 0;
	if (!text) {
		if (second)
			snprintf(other->device, sizeof(other->device), "%s", second);
		return 0;
	}
	if (colon) {
		port = strtoul(colon + 1, &end, 10);
		if (colon[1] < '0' || colon[1] > '9' || *end || port < 1 || port > 254)
			return -EINVAL;
	}
	if ((colon ? (size_t)(colon - text) : strlen(text)) >= sizeof(other->device) ||
		    colon == text || !*text)
		return -EINVAL;
	snprintf(other->device, sizeof(other->device), "%.*s", colon ? (int)(colon - text) :
		(int)strlen(text), text);
	other->port = (uint8_t)port;
	return 0;
}

static int
client_run(struct report *r, const struct ask *a, const struct verbs_choice *c, const char *host)
{
	struct meas_session *s = xcalloc(1, sizeof(*s));
	struct show w = { .r = r, .rows = json_array() };
	struct verbs_choice other = *c;
	char name[256], why[MEAS_WHY_BYTES];
	uint16_t port = a->port;
	int fd = -1, status;

	json_object_set_new(r->doc, "role", json_string(host ? "client" : "loop"));
	json_object_set(r->doc, "results", w.rows);
	if (host && meas_split_host(host, name, sizeof(name), &port))
		report_error(r, EXIT_USAGE, "usage", "\"%s\" is no HOST[:PORT]", host);
	else if (host && (fd = meas_dial(name, port, DIAL_MS, why)) < 0)
		report_error(r, EXIT_FATAL, "io", "%s", why);
	if (!host && loop_device_choose(a->loop, &other))
		report_error(r, EXIT_USAGE, "usage", "--loop: \"%s\" is no DEVICE[:PORT]", a->loop);
	if (r->status == EXIT_OK) {
		s->test = a->test;
		s->gid_index = a->gid_index;
		s->expect = &a->expect;
		s->typed_depth = a->typed_depth;
		s->each = on_result;
		s->arg = &w;
		run_client(s, c, host ? NULL : &other, fd, host, a->silence_ms);
		session_report(r, s);
		if (s->status != EXIT_OK)
			report_error(r, s->status, s->code, "%s", s->why);
		meas_session_free_results(s);
	}
	for (size_t i = 0; i < json_array_size(w.rows); i++)
		report_verdict(r, &a->expect, json_array_get(w.rows, i), "");
	if (w.begun)
		report_text(r, "%s", rule);
	status = report_end(r, summary_of(w.rows));
	json_decref(w.rows);
	free(s);
	return status;
}

/* ---- server for one test ---- */

struct serving {
	struct report *r;
	json_t *rows;
	unsigned wanted, ended;
};

static void
client_over(struct meas_loop *l, struct meas_session *s)
{
	struct serving *v = l->arg;
	struct show w = { .r = v->r };
	json_t *row;

	if (s->status != EXIT_OK && s->end.dev == NULL && s->status != EXIT_USAGE &&
		    s->status != EXIT_FATAL) {
		/* Not an ibhcatest client, such as a port scan: keep waiting. */
		report_text(v->r, "%s: not a client: %s\n", s->chan.peer, s->why);
		return;
	}
	session_report(v->r, s);
	if (s->nresults)
		show_test(v->r, s);
	if (s->nresults && s->test.mode == MEAS_LAT)
		report_text(v->r, " (%s has the times)\n", s->chan.peer);
	for (unsigned i = 0; i < s->nresults; i++) {
		row = meas_row_json(&s->results[i], &s->test);
		if (s->test.mode == MEAS_BW)
			show_row(&w, row, s->test.mode);
		json_object_set_new(row, "from", json_string(s->chan.peer));
		json_array_append_new(v->rows, row);
	}
	if (s->status != EXIT_OK)
		report_error(v->r, s->status, s->code, "%s", s->why);
	if (++v->ended == v->wanted || s->status != EXIT_OK)
		l->stop = true;
}

/* Adds up what all clients of a run measured together. */
static void
show_sum(const struct report *r, const json_t *rows, unsigned clients)
{
	double gbps = 0, v;
	json_t *row;
	size_t i;

	if (clients < 2)
		return;
	json_array_foreach((json_t *)rows, i, row)
		gbps += meas_row_figure(row, MEAS_FIGURE_BW, &v) ? v : 0;
	if (gbps > 0)
		report_text(r, " %u clients together: %.2f Gb/s\n", clients, gbps);
}

static int
server_run(struct report *r, const struct ask *a, const struct verbs_choice *c)
{
	struct serving v = { .r = r, .rows = json_array(), .wanted = a->clients };
	struct meas_loop l = { .world = c->world, .arg = &v };
	struct meas_limits limits = { .memory_bytes = a->limits.memory_bytes,
		.run_ms = MEAS_DURATION_MAX_MS };
	char why[MEAS_WHY_BYTES];
	uint16_t bound;
	int status;

	if (limits.memory_bytes < a->test.memory_bytes)
		limits.memory_bytes = a->test.memory_bytes;
	json_object_set_new(r->doc, "role", json_string("server"));
	json_object_set(r->doc, "results", v.rows);
	l.server = (struct meas_server){ .at_once = a->clients, .choice = *c,
		.gid_index = a->gid_index, .hold = a->clients > 1, .limits = &limits,
		.silence_ms = a->silence_ms, .over = client_over };
	l.until_ns = a->wait_s ? meas_real_ns() + a->wait_s * UINT64_C(1000000000) : 0;
	l.server.fd = -1;
	if (run_try_device(r, c) && (l.server.fd = meas_listen(a->bind, a->port, &bound, why)) < 0)
		report_error(r, EXIT_FATAL, "io", "%s", why);
	if (l.server.fd >= 0) {
		fprintf(a->json == ASK_TEXT ? stdout : stderr,
			"waiting for %u client%s on port %u\n", a->clients,
			a->clients > 1 ? "s" : "", bound);
		fflush(stdout);
		meas_loop_run(&l);
		close(l.server.fd);
	}
	if (meas_signalled())
		report_error(r, EXIT_PARTIAL, "io", "interrupted");
	else if (l.server.fd >= 0 && !l.stop)
		report_error(r, EXIT_PARTIAL, "timeout", "not all clients came within %u s",
			a->wait_s);
	for (unsigned i = 0; i < l.n; i++)
		meas_session_stop(l.sessions[i], EXIT_PARTIAL, "io", "the server ends",
			meas_real_ns());
	meas_loop_clear(&l);
	show_sum(r, v.rows, a->clients);
	for (size_t i = 0; i < json_array_size(v.rows); i++)
		report_verdict(r, &a->expect, json_array_get(v.rows, i), "");
	status = report_end(r, summary_of(v.rows));
	json_decref(v.rows);
	return status;
}

/* ---- the commands ---- */

static int
command_run(int argc, char **argv, const char *command, const char *about)
{
	static const char *const usage[] = { "[OPTION...] HOST[:PORT]", "[OPTION...]",
		"[OPTION...] --loop DEVICE[:PORT]", NULL };
	char why[VERBS_WHY_BYTES];
	const char *wrong;
	struct verbs_choice c;
	struct report r;
	struct ask a;
	int status = ask_read(&a, command, about, usage, ASK_BACKEND | ASK_TEST | ASK_CLIENT,
		keys_set_null, argc, argv);
	bool both;

	if (status >= 0)
		goto out;
	meas_signals();
	report_begin(&r, &a, NULL);
	keys_set_null(&r);
	wrong = a.noperands > 1 ? "one HOST at most" : a.loop && a.noperands ?
		"--loop or a HOST, not both" : meas_test_wrong(&a.test);
	both = !a.noperands && (a.loop || (!strcmp(a.backend, "soft") && !a.server_given));
	if (wrong) {
		report_error(&r, EXIT_USAGE, "usage", "%s", wrong);
		status = report_end(&r, NULL);
		goto out;
	}
	status = verbs_backend_find(a.backend, a.test.seed, &c, why);
	if (status) {
		report_error(&r, status == -EINVAL ? EXIT_USAGE : EXIT_FATAL,
			status == -EINVAL ? "usage" : "no_device", "%s", why);
		status = report_end(&r, NULL);
		goto out;
	}
	status = a.noperands || both ? client_run(&r, &a, &c, both ? NULL : a.operands[0]) :
		server_run(&r, &a, &c);
	c.world->ops->world_free(c.world);
out:
	ask_clear(&a);
	return status;
}

int
cmd_bw(int argc, char **argv)
{
	return command_run(argc, argv, "bw",
		"Measures bandwidth between two hosts, or two devices of this one");
}

int
cmd_lat(int argc, char **argv)
{
	return command_run(argc, argv, "lat",
		"Measures latency between two hosts, or two devices of this one");
}
