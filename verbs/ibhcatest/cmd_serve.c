/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_serve.c - ibhcatest serve: a server for any number of tests.
 * Room: verbs/ibhcatest.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "verbs/ibhcatest/ibhcatest.h"

struct serving {
	struct report *r;
	unsigned well, failed;
};

/* Prints a line for each client.  The document only counts clients: there may be thousands. */
static void
on_session_over(struct meas_loop *l, struct meas_session *s)
{
	struct serving *v = l->arg;
	const struct meas_test *t = &s->test;
	char when[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	if (s->status == EXIT_OK)
		v->well++;
	else
		v->failed++;
	if (s->status != EXIT_OK)
		report_text(v->r, "%s %s: %s\n", when, s->chan.peer, s->why);
	else if (s->nresults)
		report_text(v->r, "%s %s: %s %s %s, %u size%s of messages\n", when, s->chan.peer,
			meas_mode_name(t->mode), meas_op_name(t->op),
			meas_transport_name(t->transport), s->nresults, s->nresults > 1 ? "s" : "");
	fflush(stdout);
}

static void
server_run(struct report *r, struct ask *a, const struct verbs_choice *c)
{
	struct serving v = { .r = r };
	struct meas_loop l = { .world = c->world, .arg = &v };
	char why[MEAS_WHY_BYTES];
	uint16_t bound;

	a->limits.relay = !a->no_relay;
	a->limits.silence_ms = a->silence_ms;
	l.server = (struct meas_server){ .at_once = a->clients, .choice = *c,
		.gid_index = a->gid_index, .limits = &a->limits,
		.silence_ms = a->silence_ms, .over = on_session_over };
	l.server.fd = meas_listen(a->bind, a->port, &bound, why);
	if (l.server.fd < 0) {
		report_error(r, EXIT_FATAL, "io", "%s", why);
		return;
	}
	fprintf(a->json == ASK_TEXT ? stdout : stderr, "serving on port %u\n", bound);
	fflush(stdout);
	meas_loop_run(&l);
	close(l.server.fd);
	meas_loop_clear(&l);
	json_object_set_new(r->doc, "clients", json_pack("{s:i,s:i}", "ok", (int)v.well, "failed",
		(int)v.failed));
}

static void
keys_set_null(struct report *r)
{
	json_object_set_new(r->doc, "clients", json_null());
}

int
cmd_serve(int argc, char **argv)
{
	static const char *const usage[] = { "[OPTION...]", NULL };
	char why[VERBS_WHY_BYTES];
	struct verbs_choice c;
	struct report r;
	struct ask a;
	int status = ask_read(&a, "serve",
		"Waits for bw, lat, pair and mesh of others until it is told to end", usage,
		ASK_BACKEND | ASK_SERVER, keys_set_null, argc, argv);

	if (status >= 0)
		goto out;
	meas_signals();
	report_begin(&r, &a, NULL);
	keys_set_null(&r);
	if (a.noperands)
		report_error(&r, EXIT_USAGE, "usage", "serve takes no operand");
	else if ((status = verbs_backend_find(a.backend, 0, &c, why)))
		report_error(&r, status == -EINVAL ? EXIT_USAGE : EXIT_FATAL,
			status == -EINVAL ? "usage" : "no_device", "%s", why);
	else {
		if (run_try_device(&r, &c))
			server_run(&r, &a, &c);
		c.world->ops->world_free(c.world);
	}
	status = report_end(&r, NULL);
out:
	ask_clear(&a);
	return status;
}
