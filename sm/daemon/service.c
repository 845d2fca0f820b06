/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * service.c - interfaces of heddled: control calls, systemd, the store, the report.
 * Room: sm/daemon.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>
#include "sm/daemon/daemon_int.h"
#include "sm/status/status.h"
#include "util/guid.h"
#include "util/xalloc.h"

static int
no_device(json_t **reply)
{
	*reply = json_pack("{s:s}", "reason", "no InfiniBand port yet");
	return -EAGAIN;
}

/* Adds the values that only the daemon has. */
static void
add_own(struct daemon *d, json_t *o)
{
	struct store_status st;

	store_status(d->store, &st);
	json_object_set_new(o, "store", json_pack("{s:b, s:s, s:s, s:s}", "ok", st.ok, "state",
		st.ok ? "ok" : st.read ? "read_only" : "failed", "path", st.path, "why", st.why));
	json_object_set_new(o, "log", json_pack("{s:I, s:I}",
		"dropped", (json_int_t)logwriter_dropped(d->logwriter),
		"suppressed", d->manager ? (json_int_t)manager_log_suppressed(d->manager) : 0));
	json_object_set_new(
		o, "uptime_s", json_real((double)monotime_sub_us(daemon_now(), d->started) / 1e6));
}

static int
call_status(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	struct daemon *d = arg;

	(void)peer;
	(void)params;
	*reply = d->manager ? manager_status(d->manager, daemon_now()) : status_json_without_port((int)getpid());
	add_own(d, *reply);
	return 0;
}

static int
call_snapshot(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	struct daemon *d = arg;
	int err;

	(void)params;
	if (!d->manager)
		return no_device(reply);
	err = manager_make_document(d->manager, 0, ctl_reply_write, peer->ticket, reply);
	return err ? err : CTL_LATER;
}

static int
call_images(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	struct daemon *d = arg;
	int err;

	(void)params;
	if (!d->manager)
		return no_device(reply);
	err = manager_make_images(d->manager, ctl_reply_write, peer->ticket, reply);
	return err ? err : CTL_LATER;
}

static int
call_trace(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	struct daemon *d = arg;
	const char *from = json_string_value(json_object_get(params, "source"));
	const char *to = json_string_value(json_object_get(params, "destination"));

	(void)peer;
	if (!d->manager)
		return no_device(reply);
	if (!from || !to) {
		*reply = json_pack("{s:s}", "parameter", from ? "destination" : "source");
		return -EINVAL;
	}
	return manager_trace(d->manager, from, to, reply);
}

static int
call_paths(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	struct daemon *d = arg;
	const json_t *first = json_object_get(params, "first");
	int err;

	if (!d->manager)
		return no_device(reply);
	if (json_integer_value(first) < 1 || json_integer_value(first) > LID_UCAST_MAX) {
		*reply = json_pack("{s:s}", "parameter", "first");
		return -EINVAL;
	}
	err = manager_make_document(d->manager, (uint16_t)json_integer_value(first),
		ctl_reply_write, peer->ticket, reply);
	return err ? err : CTL_LATER;
}

void
service_documents(struct daemon *d)
{
	struct document doc;

	while (d->manager && manager_take_document(d->manager, &doc))
		ctl_answer(d->ctl, doc.ticket, doc.bytes, doc.len, daemon_now());
}

/* Calls that change the fabric or show a key require root or the user that heddled runs as. */
static bool
may_command(const struct ctl_peer *peer)
{
	return peer->uid == 0 || peer->uid == geteuid();
}

static int
command_manager(struct daemon *d, const struct ctl_peer *peer,
	void (*command)(struct manager *m, struct monotime now), json_t **reply)
{
	if (!may_command(peer))
		return -EACCES;
	if (!d->manager)
		return no_device(reply);
	command(d->manager, daemon_now());
	return 0;
}

static void
sweep_now(struct manager *m, struct monotime now)
{
	manager_sweep(m, "asked for", now);
}

static int
call_sweep(void *daemon, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)params;
	return command_manager(daemon, peer, sweep_now, reply);
}

static int
call_release(void *daemon, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)params;
	return command_manager(daemon, peer, manager_release, reply);
}

static int
call_resume(void *daemon, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)params;
	return command_manager(daemon, peer, manager_resume, reply);
}

static int
call_topology(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	struct daemon *d = arg;

	(void)peer;
	(void)params;
	if (!d->manager)
		return no_device(reply);
	*reply = manager_topology(d->manager);
	return 0;
}

/* Only the master knows the fabric well enough to say what is intended. */
static int
command_topology(struct daemon *d, const struct ctl_peer *peer,
	void (*command)(struct manager *m, struct monotime now), json_t **reply)
{
	if (may_command(peer) && d->manager && !manager_leads(d->manager)) {
		*reply = json_pack("{s:s}", "reason", "this manager is not the master");
		return -EAGAIN;
	}
	return command_manager(d, peer, command, reply);
}

static int
call_topology_adopt(void *daemon, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)params;
	return command_topology(daemon, peer, manager_topology_adopt, reply);
}

static int
call_topology_rebalance(void *daemon, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)params;
	return command_topology(daemon, peer, manager_topology_rebalance, reply);
}

static int
call_key(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	struct daemon *d = arg;
	const char *name = json_string_value(json_object_get(params, "port"));
	uint64_t guid, key;

	if (!may_command(peer))
		return -EACCES;
	if (!d->manager)
		return no_device(reply);
	if (!name) {
		*reply = json_pack("{s:s}", "parameter", "port");
		return -EINVAL;
	}
	if (!manager_port_key(d->manager, name, &guid, &key)) {
		*reply = json_pack("{s:s}", "what", name);
		return -ENOENT;
	}
	*reply = json_pack("{s:o, s:o}", "port_guid", guid_to_json(guid),
		"m_key", guid_to_json(key));
	return 0;
}

const struct ctl_method service_methods[] = {
	{ "io.heddle.Manager.Status", call_status },
	{ "io.heddle.Manager.Snapshot", call_snapshot },
	{ "io.heddle.Manager.Images", call_images },
	{ "io.heddle.Manager.Trace", call_trace },
	{ "io.heddle.Manager.Paths", call_paths },
	{ "io.heddle.Manager.Sweep", call_sweep },
	{ "io.heddle.Manager.Release", call_release },
	{ "io.heddle.Manager.Resume", call_resume },
	{ "io.heddle.Manager.Key", call_key },
	{ "io.heddle.Manager.Topology", call_topology },
	{ "io.heddle.Manager.TopologyAdopt", call_topology_adopt },
	{ "io.heddle.Manager.TopologyRebalance", call_topology_rebalance },
	{ "io.heddle.Manager.Reroute", call_sweep },    /* a heavy sweep recomputes the routes */
};
const unsigned service_nmethods = sizeof(service_methods) / sizeof(service_methods[0]);

void
service_notify(struct daemon *d)
{
	char line[160];

	if (d->manager)
		manager_line(d->manager, line, sizeof(line));
	else
		snprintf(line, sizeof(line), "waiting for an InfiniBand port");
	if (strcmp(line, d->noted) == 0)
		return;
	snprintf(d->noted, sizeof(d->noted), "%s", line);
	sd_notifyf(0, "STATUS=%s", line);
}

void
service_watchdog(struct daemon *d)
{
	if (d->watchdog_us && (!d->manager || manager_healthy(d->manager, daemon_now())))
		sd_notify(0, "WATCHDOG=1");
}

static void
store_groups(struct daemon *d, bool last)
{
	const struct mgid_row *rows;
	struct store_group *v;
	uint32_t n;

	if (!manager_take_groups(d->manager, last, &rows, &n))
		return;
	v = xcalloc((size_t)n + 1, sizeof(*v));
	for (uint32_t i = 0; i < n; i++) {
		memcpy(v[i].mgid, rows[i].mgid, sizeof(v[i].mgid));
		v[i].mlid = rows[i].mlid;
	}
	store_put_groups(d->store, v, n);
	free(v);
}

static void
store_topology(struct daemon *d)
{
	const char *text;
	size_t len;

	if (manager_take_topology(d->manager, &text, &len))
		store_put_topology(d->store, text, len);
}

static void
release_tables(void *arg)
{
	struct sa_stored_doc *doc = arg;

	sa_stored_doc_clear(doc);
	free(doc);
}

static void
store_tables(struct daemon *d, bool last)
{
	struct sa_stored_doc *doc = xcalloc(1, sizeof(*doc));

	if (manager_take_tables(d->manager, last, doc))
		store_file_put(d->tables, &(struct store_file_text){
			{ doc->head, doc->body }, { doc->head_bytes, doc->body_bytes },
			release_tables, doc });
	else
		free(doc);
}

void
service_store_last(struct daemon *d)
{
	if (!d->manager)
		return;
	store_groups(d, true);
	store_tables(d, true);
}

void
service_store(struct daemon *d)
{
	const struct lid_id *rows;
	struct store_lid *v;
	uint32_t n, kept = 0;

	store_groups(d, false);
	store_topology(d);
	store_tables(d, false);
	if (!manager_take_lids(d->manager, &rows, &n))
		return;
	v = xcalloc((size_t)n + 1, sizeof(*v));
	for (uint32_t i = 0; i < n; i++)
		if (!rows[i].lost)
			v[kept++] = (struct store_lid){ rows[i].port_guid, rows[i].base_lid,
				rows[i].lmc };
	store_put_lids(d->store, v, kept);
	free(d->store_rows);            /* a new manager gets these rows if the device returns */
	d->store_rows = v;
	d->nstore_rows = kept;
}

/* Writes to a temporary file and renames it, so that a reader never sees a partial report. */
static int
write_file(const char *path, json_t *o)
{
	char *tmp = xasprintf("%s.tmp", path);
	FILE *f = fopen(tmp, "w");
	int err = 0;

	if (!f) {
		err = -errno;
		free(tmp);
		return err;
	}
	if (json_dumpf(o, f, JSON_INDENT(2)) < 0 || fputc('\n', f) == EOF || fflush(f) == EOF ||
		fsync(fileno(f)) < 0)
		err = errno ? -errno : -EIO;
	if (fclose(f) == EOF && !err)
		err = -errno;
	if (!err && rename(tmp, path) < 0)
		err = -errno;
	if (err)
		unlink(tmp);
	free(tmp);
	return err;
}

int
service_write_report(struct daemon *d)
{
	int status = manager_exit_status(d->manager), err = 0;
	char line[160];
	json_t *o;

	store_flush(d->store);
	manager_line(d->manager, line, sizeof(line));
	log_line(&d->log, LOG_NOTE, "heddled", "%s", line);
	if (!d->conf->report)
		return status;
	o = manager_report(d->manager, daemon_now());
	if (strcmp(d->conf->report, "-") == 0) {
		if (json_dumpf(o, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF ||
			fflush(stdout) == EOF)
			err = -EIO;
	} else {
		err = write_file(d->conf->report, o);
	}
	json_decref(o);
	if (err < 0) {
		log_line(&d->log, LOG_ERROR, "heddled", "cannot write the report %s: %s",
			d->conf->report, strerror(-err));
		return 255;
	}
	return status;
}
