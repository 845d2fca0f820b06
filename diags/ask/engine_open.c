/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine_open.c - opens the port or the saved fabric that replaces it, and sets the retry policy.
 * Room: diags/ask.
 */
#include <config.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "diags/ask/engine.h"
#include "diags/ask/engine_int.h"
#include "diags/ask/replay.h"
#include "diags/ask/saved.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "util/xalloc.h"

void
engine_conf(struct diag *d, unsigned window, enum retry_tool how)
{
	const struct diag_settings *s = diag_settings(d);
	unsigned most = RETRY_TOOL_WINDOW * (1 + RETRY_TOOL_LATE_FACTOR);
	struct txn_conf c = retry_tool_conf(how, window, s->timeout_ms * INT64_C(1000),
		how == RETRY_TOOL_SWEEP && !s->outstanding);

	c.tid_start = (uint32_t)getpid() * 2654435761u ^ (uint32_t)time(NULL);
	if (!engine_of(d)->txn) {
		unsigned wanted = c.window_total;

		c.window_total = s->outstanding > most ? s->outstanding : most;
		engine_of(d)->txn = txn_new(&c);   /* large enough for every later setting */
		c.window_total = wanted;
	}
	txn_set_conf(engine_of(d)->txn, &c);
}

void
engine_open(struct diag *d, struct io *io, const struct io_port *port)
{
	struct engine *e = engine_of(d);

	e->io = io;
	if (port)
		e->port = *port;
	else
		io_port(io, &e->port);
	e->debug = diag_settings(d)->debug;
	e->since_us = diag_now_us();
	engine_conf(d, 0, RETRY_TOOL_SINGLE);
}

/* --load: opens the replay of the file. */
static int
open_saved(struct diag *d)
{
	struct saved saved;
	int r = diag_saved_read(d, diag_settings(d)->load, &saved);

	if (r)
		return r;
	snapshot_free(saved.twin);
	diag_source_set(d, "file");
	engine_of(d)->answers = saved.c != NULL;
	engine_open(d, replay_open(saved.s, saved.c), NULL);
	return 0;
}

int
diag_open(struct diag *d)
{
	char why[IO_WHY_BYTES] = "";
	struct io_port port;
	struct io *io;

	if (engine_of(d)->io)
		return 0;
	if (diag_settings(d)->load)
		return open_saved(d);
	if (io_umad_open_port(diag_settings(d)->ca, diag_settings(d)->port, &io, &port, why) < 0)
		return diag_fail(d, EXIT_FATAL, "no_device", "Failed to open '%s' port '%d': %s",
			diag_settings(d)->ca ? diag_settings(d)->ca : "(null)",
			diag_settings(d)->port < 0 ? 0 : diag_settings(d)->port, why);
	engine_open(d, io, &port);
	return 0;
}

bool
diag_can_ask(const struct diag *d)
{
	return !diag_settings(d)->load || engine_of(d)->answers;
}

bool
engine_is_open(const struct diag *d)
{
	return engine_of(d)->io;
}

void
engine_answers_set(struct diag *d, bool answers)
{
	engine_of(d)->answers |= answers;
}

bool
engine_has_answers(const struct diag *d)
{
	return engine_of(d)->answers;
}

void
engine_close(struct diag *d)
{
	struct engine *e = engine_of(d);

	if (!e->io)
		return;
	engine_targets_free(e);
	txn_free(e->txn);
	io_close(e->io);
	e->io = NULL;
}

const struct io_port *
diag_port(struct diag *d)
{
	return &engine_of(d)->port;
}

struct io *
diag_io(struct diag *d)
{
	return engine_of(d)->io;
}

struct txn *
engine_txn(struct diag *d)
{
	return engine_of(d)->txn;
}

uint32_t
engine_target_base(struct diag *d)
{
	return engine_of(d)->ntargets;
}

int
diag_class(struct diag *d, const struct io_class *c)
{
	char why[IO_WHY_BYTES] = "";
	int r = diag_open(d);

	if (r || engine_of(d)->classes[c->mgmt_class])
		return r;
	if (io_add_class(engine_of(d)->io, c, why) < 0)
		return diag_fail(d, EXIT_FATAL, "no_device", "%s", why);
	engine_of(d)->classes[c->mgmt_class] = true;
	return 0;
}

/* ---- for the document ---- */

json_t *
engine_json_mads(const struct diag *d)
{
	struct txn_counts n = { 0 };
	json_t *o = json_object();

	if (engine_of(d)->txn && !diag_settings(d)->load)
		n = txn_stats(engine_of(d)->txn)->all;
	json_object_set_new(o, "sent", json_integer((json_int_t)n.sent));
	json_object_set_new(o, "received", json_integer((json_int_t)n.received));
	json_object_set_new(o, "retries", json_integer((json_int_t)n.retried));
	json_object_set_new(o, "timeouts", json_integer((json_int_t)n.timed_out));
	json_object_set_new(o, "bad_status", json_integer((json_int_t)n.bad_status));
	return o;
}

json_t *
engine_json_local(const struct diag *d)
{
	const struct io_port *p;
	json_t *o;

	if (!engine_of(d)->io || diag_settings(d)->load)
		return json_null();
	p = &engine_of(d)->port;
	o = json_object();
	json_object_set_new(o, "ca", json_string_nocheck(p->ca_name));
	json_object_set_new(o, "port", json_integer(p->port));
	json_object_set_new(o, "port_guid", diag_json_guid(p->port_guid));
	json_object_set_new(o, "lid", json_integer(p->lid));
	json_object_set_new(o, "sm_lid", json_integer(p->sm_lid));
	return o;
}
