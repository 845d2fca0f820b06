/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * views.c - the functions by which the daemon reads a manager: documents, jobs, health, rows for
 * the store.
 * Room: sm/manager. In: the data of the rooms. Out: views of it for sm/status, and rows.
 */
#include <config.h>
#include "sm/conf/conf.h"
#include "sm/manager/manager_int.h"
#include "sm/status/ends.h"
#include "sm/status/report.h"
#include "sm/status/snapshot_doc.h"
#include "sm/status/status.h"
#include "sm/status/topology_doc.h"
#include "sm/status/trace.h"
#include "sm/planner/sweep_job.h"
#include "sm/sweep/early.h"

/* A manager is unhealthy if a request is open longer than all its tries may take together, plus
 * this time. */
#define UNHEALTHY_SLACK_US 5000000
#define JOB_US_MAX 300000000            /* limit of a job; the largest subnet takes seconds */

static struct status_view
view_of(const struct manager *m)
{
	struct status_view v = {
		.net = &m->net,
		.election = &m->election,
		.watch = &m->watch,
		.sweep = &m->sweep,
		.notify = &m->notify,
		.echo = &m->echo,
		.sa_stats = &m->requests.stats,
		.unknown_mads = m->unknown_mads,
	};

	if (m->process_facts)
		m->process_facts(m->process_arg, &v.process);
	return v;
}

json_t *
manager_status(const struct manager *m, struct monotime now)
{
	struct status_view v = view_of(m);

	return status_json(&v, now);
}

json_t *
manager_report(const struct manager *m, struct monotime now)
{
	struct status_view v = view_of(m);

	return report_json(&v, now);
}

json_t *
manager_snapshot(const struct manager *m)
{
	struct served_view v = status_served_view(&m->net, &m->sweep);

	return snapshot_doc_json(&v);
}

int
manager_trace(const struct manager *m, const char *from, const char *to, json_t **out)
{
	struct served_view v = status_served_view(&m->net, &m->sweep);

	return trace_json(&v, from, to, out);
}

json_t *
manager_topology(const struct manager *m)
{
	return topology_doc_json(&m->net, &m->sweep);
}

bool
manager_port_key(const struct manager *m, const char *name, uint64_t *port_guid, uint64_t *key)
{
	struct served_view v = status_served_view(&m->net, &m->sweep);
	uint16_t lid;
	uint32_t port = v.s ? ends_by_name(&v, name, &lid) : FAB_NONE;

	if (port == FAB_NONE)
		return false;
	*port_guid = v.s->ports[mkeys_end_port(v.s, port)].guid;
	*key = subnet_mkey(&m->net, *port_guid);
	return true;
}

void
manager_line(const struct manager *m, char *buf, size_t len)
{
	status_line(&m->net, &m->sweep, buf, len);
}

enum sweep_outcome
manager_outcome(const struct manager *m)
{
	return status_outcome(&m->sweep);
}

int
manager_exit_status(const struct manager *m)
{
	return status_exit(&m->sweep);
}

unsigned
manager_sweeps(const struct manager *m)
{
	return m->sweep.history.sweeps;
}

uint64_t
manager_log_suppressed(const struct manager *m)
{
	return log_limit_suppressed(m->net.log_limit);
}

/* ---- documents that jobs make ---- */

int
manager_paths(struct manager *m, uint16_t first, json_t **out)
{
	return documents_paths(&m->documents, &m->net, &m->sweep, first, out);
}

int
manager_make_document(
	struct manager *m, uint16_t first, document_write_fn *write, uint64_t ticket, json_t **out)
{
	struct document_request r = {
		.kind = first ? DOCUMENT_PATHS : DOCUMENT_SNAPSHOT,
		.first = first,
		.write = write,
		.ticket = ticket,
	};

	return documents_make(&m->documents, &m->net, &m->sweep, &r, out);
}

int
manager_make_images(struct manager *m, document_write_fn *write, uint64_t ticket, json_t **out)
{
	struct document_request r = { .kind = DOCUMENT_IMAGES, .write = write, .ticket = ticket };

	return documents_make(&m->documents, &m->net, &m->sweep, &r, out);
}

bool
manager_take_document(struct manager *m, struct document *d)
{
	return documents_take(&m->documents, d);
}

/* ---- jobs ---- */

void
manager_job_done(struct manager *m, struct job *j, struct monotime now)
{
	if (m && documents_on_job_end(&m->documents, &m->net.served, j))
		;
	else if (m && sweep_take_job(&m->sweep, j))
		m->net.now = now;
	else
		j->drop(j);
	if (m)
		manager_keep_descriptions(m);
}

void
manager_keep_descriptions(struct manager *m)
{
	if (!documents_are_open(&m->documents) && !sweep_reads_served(&m->sweep))
		descriptions_keep(&m->watch.descriptions, &m->net);
}

bool
manager_leads(const struct manager *m)
{
	return subnet_is_master(&m->net);
}

bool
manager_works(const struct manager *m)
{
	return sweep_works(&m->sweep);
}

bool
manager_awaits_answers(const struct manager *m)
{
	return !sweep_is_idle(&m->sweep) && !manager_works(m) && txn_stats(m->net.txn)->in_flight;
}

bool
manager_healthy(const struct manager *m, struct monotime now)
{
	const struct conf *c = m->net.conf;
	int64_t budget_us =
		(int64_t)c->transaction_timeout_ms * 1000 * 2 * loss_tries(&m->sweep.loss, c);
	struct monotime first;

	if (manager_works(m) && monotime_sub_us(now, m->sweep.job->in.given) > JOB_US_MAX)
		return false;
	if (!txn_oldest(m->net.txn, &first))
		return true;
	return monotime_sub_us(now, first) < budget_us + UNHEALTHY_SLACK_US;
}

/* ---- rows for the store ---- */

bool
manager_take_lids(struct manager *m, const struct lid_id **rows, uint32_t *n)
{
	struct stored_lids *l = &m->sweep.lids;
	bool changed = l->changed;

	l->changed = false;
	*rows = l->rows;
	*n = l->n;
	return changed;
}

bool
manager_take_groups(struct manager *m, bool last, const struct mgid_row **rows, uint32_t *n)
{
	return registry_take_mgids(&m->registry, m->net.now, last, rows, n);
}

bool
manager_take_topology(struct manager *m, const char **text, size_t *len)
{
	struct topology *t = &m->sweep.history.topology;
	bool changed = t->changed;

	t->changed = false;
	*text = t->text;
	*len = t->len;
	return changed;
}

bool
manager_take_tables(struct manager *m, bool last, struct sa_stored_doc *out)
{
	return early_store(&m->sweep, last, out);
}
