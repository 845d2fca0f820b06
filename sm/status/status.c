/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * status.c - the document about the state of the subnet and of this SM.
 * Room: sm/status. In: const views of the rooms. Out: JSON as in sm/ctl/io.heddle.Manager.varlink.
 */
#include <config.h>
#include <stdio.h>
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/status/ends.h"
#include "sm/status/report.h"
#include "sm/status/status.h"
#include "sm/sweep/release.h"

#define PROBLEMS_SHOWN 20

enum sweep_outcome
status_outcome(const struct sweep *w)
{
	return w->history.sweeps ? w->last.outcome : OUTCOME_RUNNING;
}

const char *
status_outcome_text(enum sweep_outcome o)
{
	switch (o) {
	case OUTCOME_RUNNING:
		return "running";
	case OUTCOME_UP:
		return "up";
	case OUTCOME_PARTIAL:
		return "partial";
	case OUTCOME_REFUSED:
		return "refused";
	case OUTCOME_STANDBY:
		return "standby";
	case OUTCOME_NO_FABRIC:
		return "no fabric";
	}
	return "?";
}

int
status_exit(const struct sweep *w)
{
	switch (status_outcome(w)) {
	case OUTCOME_UP:
		return 0;
	case OUTCOME_PARTIAL:
		return 3;
	case OUTCOME_REFUSED:
	case OUTCOME_STANDBY:
		return 1;
	case OUTCOME_RUNNING:
	case OUTCOME_NO_FABRIC:
		break;
	}
	return 255;
}

void
status_line(const struct subnet *n, const struct sweep *w, char *buf, size_t len)
{
	if (!w->history.sweeps && n->served.early)
		snprintf(buf, len, "%s, first sweep, serving from stored state",
			ha_state_text(*n->role));
	else if (!w->history.sweeps)
		snprintf(buf, len, "%s, first sweep", ha_state_text(*n->role));
	else if (n->served.s)
		snprintf(buf, len,
			"%s, %s, %u switches, %u host ports, sweep %u, %u not configured",
			ha_state_text(*n->role), status_outcome_text(w->last.outcome),
			n->served.s->nswitches, n->served.s->nhosts, w->history.sweeps,
			w->last.nproblems);
	else
		snprintf(buf, len, "%s, %s", ha_state_text(*n->role),
			status_outcome_text(w->last.outcome));
}

static const char *
state_word(const struct status_view *v)
{
	switch (v->election->ha.state) {
	case HA_NOTACTIVE:
		return "not_active";
	case HA_DISCOVERING:
		return "discovering";
	case HA_STANDBY:
		return "standby";
	case HA_MASTER:
		return "master";
	}
	return "not_active";
}

static const char *
subnet_word(const struct status_view *v)
{
	switch (status_outcome(v->sweep)) {
	case OUTCOME_UP:
		return "up";
	case OUTCOME_PARTIAL:
		return "partial";
	case OUTCOME_STANDBY:
		if (v->sweep->release.state == RELEASE_DONE)
			break;
		return v->election->ha.state != HA_DISCOVERING && v->election->ha.unanswered <= 1 ?
			"up" :
			"down";
	case OUTCOME_RUNNING:
	case OUTCOME_REFUSED:
	case OUTCOME_NO_FABRIC:
		break;
	}
	return "down";
}

static json_t *
waiting_json(const struct status_view *v)
{
	if (v->sweep->release.state == RELEASE_DONE)
		return json_string("heddlectl resume: the subnet was released");
	switch (status_outcome(v->sweep)) {
	case OUTCOME_RUNNING:
		return json_string(v->net->served.early ?
				"the first sweep; serving from stored state" :
				"the first sweep");
	case OUTCOME_REFUSED:
		return json_string(v->sweep->last.refusal);
	case OUTCOME_NO_FABRIC:
		return json_string("a link at our own port");
	case OUTCOME_UP:
	case OUTCOME_PARTIAL:
	case OUTCOME_STANDBY:
		break;
	}
	return json_null();
}

static json_t *
master_json(const struct status_view *v)
{
	for (unsigned i = 0; v->election->ha.state == HA_STANDBY && i < v->election->nanswers; i++)
		if (v->election->answers[i].guid == v->election->ha.master_guid)
			return json_pack("{s:o, s:n, s:i, s:s}", "guid",
				ends_guid_json(v->election->ha.master_guid), "lid", "priority",
				v->election->answers[i].priority, "state", "master");
	return json_null();
}

static json_t *
last_sweep_json(const struct status_view *v, struct monotime now)
{
	const struct sweep_result *r = &v->sweep->last;

	if (!v->sweep->history.sweeps)
		return json_null();
	return json_pack("{s:i, s:s, s:f, s:f}", "number", v->sweep->history.sweeps, "reason",
		r->why, "took_s", (double)monotime_sub_us(r->ended, r->started) / 1e6,
		"ended_s_ago", (double)monotime_sub_us(now, r->ended) / 1e6);
}

/* The last sweep that changed forwarding tables in use. */
static json_t *
last_reroute_json(const struct moves_last *r, struct monotime now)
{
	if (!r->sweep)
		return json_null();
	return json_pack("{s:i, s:s, s:f, s:o}", "number", r->sweep, "reason", r->why,
		"ended_s_ago", (double)monotime_sub_us(now, r->ended) / 1e6, "moves",
		score_moves_to_json(&r->moves));
}

static json_t *
verify_short_json(const struct status_view *v)
{
	const struct verify_result *r = &v->sweep->last.verify;

	if (!v->sweep->last.verified)
		return json_null();
	return json_pack("{s:b, s:s, s:I, s:I, s:I}", "ok", r->ok, "scope",
		r->scope == VERIFY_ALL ? "all" : "hosts", "unreachable", (json_int_t)r->unreachable,
		"loops", (json_int_t)r->loops, "credit_loops", (json_int_t)r->credit_loops);
}

static json_t *
problems_json(const struct status_view *v)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < v->sweep->last.nproblems && i < PROBLEMS_SHOWN; i++) {
		const struct sweep_problem *f = &v->sweep->last.problems[i];

		json_array_append_new(a,
			json_pack("{s:o, s:s, s:o, s:s}", "guid",
				f->at.guid ? ends_guid_json(f->at.guid) : json_null(),
				"description", f->at.description, "path",
				ends_path_json(f->at.path, f->at.hop_count), "reason", f->reason));
	}
	return a;
}

static json_t *
mads_short_json(const struct status_view *v)
{
	const struct txn_counts *n = &txn_stats(v->net->txn)->all;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "sent",
		(json_int_t)(n->sent + v->net->outbox.sent), "received",
		(json_int_t)(n->received + v->notify->traps + v->sa_stats->requests), "retried",
		(json_int_t)n->retried, "timed_out", (json_int_t)n->timed_out, "dropped",
		(json_int_t)v->net->outbox.dropped, "unknown", (json_int_t)v->unknown_mads);
}

static json_t *
sa_json(const struct sa_stats *s, const struct sa_index *x)
{
	json_t *o = json_object();

#define C(name) json_object_set_new(o, #name, json_integer((json_int_t)s->name));
	SA_COUNTERS(C)
#undef C
	json_object_set_new(o, "index_bytes", json_integer(x ? (json_int_t)sa_index_bytes(x) : 0));
	return o;
}

static json_t *
traps_json(const struct status_view *v)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "received", (json_int_t)v->notify->traps, "forged",
		(json_int_t)v->notify->traps_forged, "repeated",
		(json_int_t)traps_repeated(v->notify->trap_kinds), "reports_lost",
		(json_int_t)reports_lost(v->notify->reports));
}

json_t *
status_json(const struct status_view *v, struct monotime now)
{
	const struct snapshot *s = v->net->served.s;
	const struct io_port *p = &v->net->port;
	json_t *ports = report_ports_json(&v->sweep->last.counts);
	json_t *o = json_pack("{s:s, s:s, s:o, s:s, s:i, s:s, s:i, s:o, s:i, s:i, s:o, s:b, s:o}",
		"state", state_word(v), "subnet", subnet_word(v), "waiting", waiting_json(v),
		"version", PACKAGE_VERSION, "pid", v->process.pid, "ca", p->ca_name, "port",
		p->port, "port_guid", ends_guid_json(p->port_guid), "lid",
		v->net->served.plan ? v->net->served.plan->sm_lid : p->lid, "priority",
		v->election->ha.conf.priority, "master", master_json(v), "sweeping",
		!sweep_is_idle(v->sweep), "last_sweep", last_sweep_json(v, now));
	json_t *rest = json_pack(
		"{s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:i, s:o, s:i, s:o, s:o, s:o, s:o, s:o}",
		"nodes", s ? s->nnodes : 0, "switches", s ? s->nswitches : 0, "hosts",
		s ? s->nhosts : 0, "links", s ? s->nlinks : 0, "lids",
		v->net->served.plan ? v->net->served.plan->nlids : 0, "ports", ports, "engine",
		v->net->served.plan ? json_string(v->net->served.plan->engine) : json_null(),
		"verify", verify_short_json(v), "mads", mads_short_json(v), "troubles",
		problems_json(v), "troubles_total", v->sweep->last.nproblems, "missing",
		missing_json(v->watch->missing, now, v->process.wall), "missing_total",
		(int)missing_count(v->watch->missing), "flapping",
		flaps_json(v->watch->flaps, now, v->process.wall), "flapping_total",
		(int)flaps_count(v->watch->flaps), "sa", sa_json(v->sa_stats, v->net->served.sa),
		"strangers", untrusted_sm_json(&v->election->untrusted), "traps", traps_json(v),
		"cm", echo_json(v->echo, v->net), "lid_changes",
		renumber_json(&v->sweep->renumbered, now));

	json_object_update(o, rest);
	json_decref(rest);
	json_object_set_new(o, "choice",
		v->sweep->last.chain.n ? chain_json(&v->sweep->last.chain) : json_null());
	json_object_set_new(o, "standbys", standbys_json(&v->election->standbys, now));
	json_object_set_new(o, "disabled_by",
		v->election->ha.disabled_by ? ends_guid_json(v->election->ha.disabled_by) :
					      json_null());
	json_object_set_new(o, "keys", release_keys_json(v->sweep));
	json_object_set_new(o, "held", json_boolean(v->sweep->history.topology.held));
	json_object_set_new(o, "last_reroute", last_reroute_json(&v->sweep->history.moves, now));
	return o;
}

json_t *
status_json_without_port(int pid)
{
	static const struct sa_stats nothing;
	json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:i, s:n, s:n, s:n, s:n, s:i, s:n, s:b, s:n}",
		"state", "not_active", "subnet", "down", "waiting", "no InfiniBand port", "version",
		PACKAGE_VERSION, "pid", pid, "ca", "port", "port_guid", "lid", "priority", 0,
		"master", "sweeping", 0, "last_sweep");
	json_t *rest = json_pack(
		"{s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}, s:n, s:n, s:{s:i, s:i, s:i, s:i, s:i, s:i}, "
		"s:[], s:i, s:[], s:i, s:[], s:i, s:o, "
		"s:[], s:{s:i, s:i, s:i, s:i}, s:o, s:o}",
		"nodes", 0, "switches", 0, "hosts", 0, "links", 0, "lids", 0, "ports", "active", 0,
		"armed", 0, "init", 0, "down", 0, "unlinked", 0, "engine", "verify", "mads", "sent",
		0, "received", 0, "retried", 0, "timed_out", 0, "dropped", 0, "unknown", 0,
		"troubles", "troubles_total", 0, "missing", "missing_total", 0, "flapping",
		"flapping_total", 0, "sa", sa_json(&nothing, NULL), "strangers", "traps",
		"received", 0, "forged", 0, "repeated", 0, "reports_lost", 0, "cm",
		echo_json(NULL, NULL), "lid_changes", renumber_json(NULL, MONOTIME_NEVER));

	json_object_update(o, rest);
	json_decref(rest);
	json_object_set_new(o, "choice", json_null());
	json_object_set_new(o, "standbys", json_array());
	json_object_set_new(o, "disabled_by", json_null());
	json_object_set_new(o, "keys", json_null());
	json_object_set_new(o, "held", json_false());
	json_object_set_new(o, "last_reroute", json_null());
	return o;
}

struct served_view
status_served_view(const struct subnet *n, const struct sweep *w)
{
	const struct served *v = &n->served;

	return (struct served_view){ v->s, v->plan, v->sa, n->conf->subnet_prefix,
		w->history.sweeps };
}
