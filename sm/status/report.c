/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.c - the document about the last sweep.
 * Room: sm/status.  In: const views of the rooms.  Out: JSON for heddled --report.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/status/report.h"
#include "sm/status/status.h"
#include "util/guid.h"

static json_t *
guid_json(uint64_t guid)
{
	return guid_or_null_to_json(guid);
}

static json_t *
path_json(const uint8_t *path, uint8_t hops)
{
	json_t *a;

	if (hops > DGRAM_HOPS_MAX)      /* there is no route */
		return json_null();
	a = json_array();
	for (unsigned i = 0; i <= hops && i < DGRAM_PATH_BYTES; i++)
		json_array_append_new(a, json_integer(path[i]));
	return a;
}

static json_t *
hex16_json(uint16_t v)
{
	return v ? json_sprintf("0x%04x", v) : json_null();
}

static json_t *
place_json(const struct sweep_problem *f)
{
	if (!f->at.before_guid)
		return json_null();
	return json_pack("{s:o, s:i, s:s}", "guid", guid_json(f->at.before_guid), "port",
		f->at.before_port, "name", f->at.before);
}

static json_t *
failed_json(const struct sweep_result *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < r->nproblems; i++) {
		const struct sweep_problem *f = &r->problems[i];

		json_array_append_new(a,
			json_pack("{s:o, s:s, s:o, s:i, s:o, s:s, s:s?, s:s, s:o}", "guid",
				guid_json(f->at.guid), "description", f->at.description, "path",
				path_json(f->at.path, f->at.hop_count), "port", f->at.port, "place",
				place_json(f), "reason", f->reason, "attribute",
				f->attribute[0] ? f->attribute : NULL, "code", f->code,
				"mad_status", hex16_json(f->status)));
	}
	return a;
}

static json_t *
ports_json(const struct subnet_counts *c)
{
	return json_pack("{s:i, s:i, s:i, s:i}", "active", (int)c->active, "armed", (int)c->armed,
		"init", (int)c->init, "down", (int)c->down);
}

json_t *
report_ports_json(const struct subnet_counts *c)
{
	json_t *o = ports_json(c);

	json_object_set_new(o, "unlinked", json_integer(c->unlinked));
	return o;
}

static json_t *
mads_json(const struct status_view *v)
{
	const struct txn_stats *s = txn_stats(v->net->txn);
	const struct txn_attr_stats *by_attr;
	json_t *by = json_object();
	json_t *kinds = json_object();
	uint64_t wrong = 0;
	unsigned n;

	by_attr = txn_attr_stats(v->net->txn, &n);
	for (unsigned i = 0; i < n; i++) {
		const char *name = dgram_attr_name(by_attr[i].mgmt_class, by_attr[i].attr_id);
		char text[48];

		if (name)
			snprintf(text, sizeof(text), "%s", name);
		else
			snprintf(text, sizeof(text), "0x%02x/0x%04x", by_attr[i].mgmt_class,
				by_attr[i].attr_id);
		json_object_set_new(by, text, json_integer((json_int_t)by_attr[i].n.sent));
	}
	for (unsigned i = 0; i < TXN_MISMATCH_KINDS; i++) {
		wrong += s->mismatched[i];
		json_object_set_new(kinds, txn_mismatch_text((enum txn_mismatch)i),
			json_integer((json_int_t)s->mismatched[i]));
	}
	/* "retries" and "timeouts" are what every program's document calls them. */
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
		"sent", (json_int_t)s->all.sent, "received", (json_int_t)s->all.received,
		"retried", (json_int_t)s->all.retried, "timed_out", (json_int_t)s->all.timed_out,
		"retries", (json_int_t)s->all.retried, "timeouts", (json_int_t)s->all.timed_out,
		"bad_status", (json_int_t)s->all.bad_status, "late", (json_int_t)s->late,
		"mismatched", (json_int_t)wrong, "mismatched_by_kind", kinds, "by_attribute", by);
}

static json_t *
phases_json(const struct sweep_result *r)
{
	static const char *const name[] = {
#define P(id, word) word,
		SWEEP_PHASES(P)
#undef P
	};
	json_t *o = json_object();

	for (unsigned i = 0; i < PHASE_COUNT; i++)
		json_object_set_new(o, name[i], json_real((double)r->phase_us[i] / 1e6));
	for (unsigned i = 0; i < CHANGE_PHASE_COUNT; i++) {
		char key[32];

		snprintf(key, sizeof(key), "apply_%s", change_phase_text((enum change_phase)i));
		json_object_set_new(o, key, json_real((double)r->apply_us[i] / 1e6));
	}
	return o;
}

static void
time_text(time_t t, char *buf, size_t len)
{
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(buf, len, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static json_t *
local_json(const struct status_view *v)
{
	const struct io_port *p = &v->net->port;

	return json_pack("{s:s, s:i, s:o, s:i, s:i}", "ca", p->ca_name, "port", p->port,
		"port_guid", guid_json(p->port_guid), "lid",
		v->net->served.plan ? v->net->served.plan->sm_lid : p->lid, "sm_lid",
		v->net->served.plan ? v->net->served.plan->sm_lid : p->sm_lid);
}

static json_t *
target_json(const struct sweep_problem *f)
{
	return json_pack("{s:o, s:o, s:o, s:i, s:o, s:s?}", "node_guid", guid_json(f->at.guid),
		"port_guid", guid_json(f->at.port_guid), "lid",
		f->at.lid ? json_integer(f->at.lid) : json_null(), "port", f->at.port, "path",
		path_json(f->at.path, f->at.hop_count), "name",
		f->at.description[0] ? f->at.description : NULL);
}

static json_t *
errors_json(const struct sweep_result *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < r->nproblems; i++) {
		const struct sweep_problem *f = &r->problems[i];

		json_array_append_new(a,
			json_pack("{s:s, s:s, s:o, s:s?, s:o, s:o, s:s}", "severity", "error",
				"code", f->code, "target", target_json(f), "attribute",
				f->attribute[0] ? f->attribute : NULL, "modifier",
				f->attribute[0] ? json_integer(f->modifier) : json_null(),
				"mad_status", hex16_json(f->status), "message", f->reason));
	}
	if (r->refusal[0])
		json_array_append_new(a,
			json_pack("{s:s, s:s, s:n, s:n, s:n, s:n, s:s}", "severity", "error",
				"code", "refused", "target", "attribute", "modifier", "mad_status",
				"message", r->refusal));
	return a;
}

/* Returns the id of a finding, from its code and location: the same in every run. */
static json_t *
finding_id(const char *code, uint64_t guid, uint8_t port)
{
	uint32_t h = UINT32_C(2166136261);

	for (; *code; code++)
		h = (h ^ (uint8_t)*code) * UINT32_C(16777619);
	for (unsigned i = 0; i < 8; i++)
		h = (h ^ (uint8_t)(guid >> 8 * i)) * UINT32_C(16777619);
	return json_sprintf("%08x", (h ^ port) * UINT32_C(16777619));
}

static bool
is_finding(const struct sweep_problem *f)
{
	return strcmp(f->code, "duplicate_guid") == 0 || strcmp(f->code, "moved_cable") == 0;
}

/* Returns the errors of the subnet itself. What heddled could not do is in "errors". */
static json_t *
findings_json(const struct sweep_result *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < r->nproblems; i++) {
		const struct sweep_problem *f = &r->problems[i];

		if (is_finding(f))
			json_array_append_new(a,
				json_pack("{s:o, s:s, s:s, s:s, s:[o], s:n, s:n}", "id",
					finding_id(f->code,
						f->at.before_guid ? f->at.before_guid : f->at.guid,
						f->at.before_guid ? f->at.before_port : f->at.port),
					"severity", "error", "code", f->code, "message", f->reason,
					"ends", target_json(f), "value", "expected"));
	}
	if (r->refusal[0])
		json_array_append_new(a,
			json_pack("{s:o, s:s, s:s, s:s, s:[], s:n, s:n}", "id",
				finding_id("refused", 0, 0), "severity", "error", "code", "refused",
				"message", r->refusal, "ends", "value", "expected"));
	return a;
}

static json_t *
summary_json(const struct sweep_result *r)
{
	const struct subnet_counts *c = &r->counts;
	unsigned unanswered = 0, duplicates = 0, moved = 0;

	for (uint32_t i = 0; i < r->nproblems; i++) {
		unanswered += strcmp(r->problems[i].code, "timeout") == 0;
		duplicates += strcmp(r->problems[i].code, "duplicate_guid") == 0;
		moved += strcmp(r->problems[i].code, "moved_cable") == 0;
	}
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i}}", "nodes",
		(int)c->nodes, "switches", (int)c->switches, "cas", (int)c->cas, "routers",
		(int)c->routers, "ports", (int)(c->linked + c->unlinked), "links", (int)c->links,
		"unanswered", unanswered, "findings", "duplicate_guid", duplicates, "moved_cable",
		moved, "refused", r->refusal[0] ? 1 : 0);
}

static void
add_envelope(json_t *o, const struct status_view *v, struct monotime now)
{
	const struct sweep_result *r = &v->sweep->last;
	char t[32];

	time_text(v->process.wall, t, sizeof(t));
	json_object_set_new(o, "schema", json_string("heddle.heddled"));
	json_object_set_new(o, "schema_version", json_string("1.0"));
	json_object_set_new(
		o, "tool", json_pack("{s:s, s:s}", "name", "heddled", "version", PACKAGE_VERSION));
	json_object_set_new(o, "time", json_string(t));
	json_object_set_new(o, "wall_ms", json_integer((monotime_sub_us(now, r->started)) / 1000));
	json_object_set_new(o, "source", json_string("live"));
	json_object_set_new(o, "local", local_json(v));
	json_object_set_new(o, "options",
		json_pack("{s:i, s:i, s:i}", "lmc", v->net->conf->lmc, "max_wire_smps",
			v->net->conf->max_wire_smps, "transaction_timeout",
			v->net->conf->transaction_timeout_ms));
	json_object_set_new(o, "mads", mads_json(v));
	json_object_set_new(o, "incomplete", json_boolean(r->outcome == OUTCOME_PARTIAL));
	json_object_set_new(o, "errors", errors_json(r));
	json_object_set_new(o, "findings", findings_json(r));
	json_object_set_new(o, "summary", summary_json(r));
	json_object_set_new(o, "exit_status", json_integer(status_exit(v->sweep)));
}

static json_t *
route_json(const struct sweep_result *r)
{
	return json_pack("{s:s?, s:s, s:s, s:s?, s:I, s:I, s:I, s:I, s:o}", "engine", r->route.engine,
		"code", route_code_text(r->route.code), "sentence", r->route.sentence, "root_rule",
		r->route.root_rule, "roots", (json_int_t)r->route.nroots, "completed",
		(json_int_t)r->route.completed, "declared", (json_int_t)r->route.declared,
		"unreachable", (json_int_t)r->route.unreachable, "choice", chain_json(&r->chain));
}

/* The ports that receive by the channels of a cycle, as far as they are known. */
static json_t *
cycle_json(const struct snapshot *s, const struct order_report *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; s && i < r->ncycle && i < ORDER_CYCLE_MAX; i++)
		if (r->cycle[i] < s->nports) {
			const struct fab_port *p = &s->ports[r->cycle[i]];

			json_array_append_new(a,
				json_pack("{s:o, s:i}", "node_guid",
					guid_json(s->nodes[p->node].guid), "port", p->num));
		}
	return a;
}

/* How tables were written that packets used meanwhile; null: there were none. */
static json_t *
order_json(const struct snapshot *s, const struct order_report *r)
{
	if (!r->ordered && !r->unsafe)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "writes",
		(json_int_t)r->writes, "waves", (json_int_t)r->waves, "double_writes",
		(json_int_t)r->double_writes, "mixed_cycles", (json_int_t)r->mixed_cycles,
		"drained", (json_int_t)r->drained, "dropped", (json_int_t)r->dropped, "safe",
		!r->unsafe, "cycle", cycle_json(s, r));
}

static void
add_usage(json_t *o, const struct sweep_result *r, const struct process_facts *p)
{
	json_object_set_new(
		o, "wall_s", json_real((double)monotime_sub_us(r->ended, r->started) / 1e6));
	json_object_set_new(o, "cpu_s", json_real(p->cpu_s));
	json_object_set_new(o, "peak_rss_kib", json_integer(p->peak_rss_kib));
}

json_t *
report_json(const struct status_view *v, struct monotime now)
{
	const struct sweep_result *r = &v->sweep->last;
	const struct subnet_counts *c = &r->counts;
	json_t *o = json_object();

	add_envelope(o, v, now);
	json_object_set_new(o, "outcome", json_string(status_outcome_text(r->outcome)));
	json_object_set_new(o, "nodes", json_integer(c->nodes));
	json_object_set_new(o, "switches", json_integer(c->switches));
	json_object_set_new(o, "hosts", json_integer(c->hosts));
	json_object_set_new(o, "links", json_integer(c->links));
	json_object_set_new(o, "lids", json_integer(v->net->served.plan ? r->lid.lids : 0));
	json_object_set_new(o, "lid_changes", renumber_json(&v->sweep->renumbered, now));
	json_object_set_new(o, "ports", ports_json(c));
	json_object_set_new(o, "ports_unlinked", json_integer(c->unlinked));
	json_object_set_new(
		o, "engine", r->route.engine ? json_string(r->route.engine) : json_null());
	json_object_set_new(o, "routing", route_json(r));
	json_object_set_new(o, "changes", json_integer((json_int_t)r->changes));
	json_object_set_new(o, "order", order_json(v->net->served.s, &r->order));
	json_object_set_new(
		o, "moves", r->moves_known ? score_moves_to_json(&r->moves) : json_null());
	json_object_set_new(o, "failed", failed_json(r));
	json_object_set_new(o, "verify", r->verify_doc ? json_incref(r->verify_doc) : json_null());
	json_object_set_new(o, "phases_s", phases_json(r));
	add_usage(o, r, &v->process);
	return o;
}

