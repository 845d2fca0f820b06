/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.c - what happened, as documents.
 * Room: sm/daemon.  In: the last sweep.  Out: JSON for --report and the control socket.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

/* ---- failures ---- */

void
report_result_clear(struct manager_sweep_result *r)
{
	free(r->failed);
	json_decref(r->verify_doc);
	memset(r, 0, sizeof(*r));
}

static struct manager_failed *
failed_add(struct manager_sweep_result *r)
{
	if ((r->nfailed & (r->nfailed - 1)) == 0)
		r->failed = xreallocarray(r->failed, r->nfailed ? r->nfailed * 2u : 1u, sizeof(*r->failed));
	memset(&r->failed[r->nfailed], 0, sizeof(*r->failed));
	return &r->failed[r->nfailed++];
}

/* The end port that a trouble at port 'num' of a node is about: a switch has but one. */
static void
failed_port(struct manager_failed *f, const struct snapshot *s, uint32_t node, uint8_t num)
{
	const struct fab_node *n = &s->nodes[node];
	const struct fab_port *p = &s->ports[n->first_port + (fab_is_switch(n) || num > n->nports ? 0 : num)];

	f->port = num;
	f->port_guid = p->guid;
	f->lid = p->flags & FAB_PORT_INFO ? port_info_decode(p->info).lid : 0;
}

static void
failed_node(struct manager_failed *f, const struct fab_node *n)
{
	f->guid = n->guid;
	f->hop_count = n->hop_count;
	memcpy(f->path, n->path, sizeof(f->path));
	snapshot_desc_text(n, f->description, sizeof(f->description));
}

static void
attribute_text(uint16_t id, char *buf, size_t len)
{
	const char *name = id ? dgram_attr_name(CLASS_SM_DR, id) : NULL;

	if (name)
		snprintf(buf, len, "%s", name);
	else if (id)
		snprintf(buf, len, "0x%04x", id);
}

static const char *
trouble_code(enum fab_trouble_kind k)
{
	switch (k) {
	case FAB_MUTE:
	case FAB_UNANSWERED:
		return "timeout";
	case FAB_BAD_STATUS:
		return "mad_status";
	case FAB_BAD_REPLY:
		return "bad_reply";
	case FAB_DUPLICATE_GUID:
		return "duplicate_guid";
	case FAB_MOVED_CABLE:
		return "moved_cable";
	case FAB_TOO_FAR:
		return "too_far";
	}
	return "internal";
}

static void
add_trouble(struct manager *m, const struct fab_trouble *t)
{
	struct manager_failed *f = failed_add(&m->cur);
	uint32_t n = t->guid ? snapshot_node_by_guid(m->fresh, t->guid) : FAB_NONE;

	if (n != FAB_NONE) {
		failed_node(f, &m->fresh->nodes[n]);
		failed_port(f, m->fresh, n, t->port);
	}
	f->modifier = t->modifier;
	f->guid = t->guid;
	f->hop_count = t->hop_count;
	memcpy(f->path, t->path, sizeof(f->path));
	f->port = t->port;
	f->status = t->status;
	snprintf(f->code, sizeof(f->code), "%s", trouble_code((enum fab_trouble_kind)t->kind));
	snprintf(f->reason, sizeof(f->reason), "%s", t->reason);
	attribute_text(t->attr_id, f->attribute, sizeof(f->attribute));
	problems_place(m, t, f);
}

static uint16_t
attribute_of(const struct apply_failure *a)
{
	switch ((enum change_phase)a->phase) {
	case CHANGE_LFT:
	case CHANGE_LFT_SM:
		return LFT_BLOCK_ID;
	case CHANGE_MFT_CUT:
	case CHANGE_MFT:
		return MFT_BLOCK_ID;
	case CHANGE_GUIDS:
		return GUID_INFO_ID;
	case CHANGE_QOS:
		return a->change.block & CHANGE_QOS_VLARB ? VLARB_TABLE_ID : SLVL_TABLE_ID;
	case CHANGE_SWITCH_INFO:
		return SWITCH_INFO_ID;
	case CHANGE_PKEYS:
		return PKEY_TABLE_ID;
	case CHANGE_SM_LID:
	case CHANGE_LIDS:
	case CHANGE_LINKS:
	case CHANGE_ARM:
	case CHANGE_ACTIVATE:
		return PORT_INFO_ID;
	case CHANGE_PHASE_COUNT:
		break;
	}
	return 0;
}

static void
add_apply_failure(struct manager *m, const struct apply_failure *a)
{
	struct manager_failed *f = failed_add(&m->cur);
	char why[APPLY_END_TEXT_BYTES];

	failed_node(f, &m->fresh->nodes[a->node]);
	failed_port(f, m->fresh, a->node, a->port);
	f->modifier = a->phase == CHANGE_LFT || a->phase == CHANGE_LFT_SM ? a->change.block :
		a->phase == CHANGE_GUIDS ? a->change.block :
		a->phase == CHANGE_QOS ? a->change.block & ~CHANGE_QOS_VLARB :
		a->phase == CHANGE_SWITCH_INFO || a->phase == CHANGE_PKEYS ? 0 : a->port;
	f->status = a->status;
	snprintf(f->code, sizeof(f->code), "%s", a->end == TXN_END_STATUS ? "mad_status" :
		a->end == TXN_END_OK ? "bad_reply" : "timeout");
	apply_end_text(a, why);
	snprintf(f->reason, sizeof(f->reason), "Set in phase %s: %s", change_phase_text((enum change_phase)a->phase), why);
	attribute_text(attribute_of(a), f->attribute, sizeof(f->attribute));
}

static void
add_pkey_trouble(struct manager *m, const struct pkey_trouble *t)
{
	struct manager_failed *f = failed_add(&m->cur);
	const struct fab_port *p = &m->fresh->ports[t->port];

	failed_node(f, &m->fresh->nodes[p->node]);
	f->port = p->num;
	snprintf(f->code, sizeof(f->code), "pkey_overflow");
	snprintf(f->reason, sizeof(f->reason), "%u P_Keys are wanted and there is room for %u; %s", t->wanted, t->room,
		planner_pkey_text((enum pkey_trouble_kind)t->kind));
	attribute_text(PKEY_TABLE_ID, f->attribute, sizeof(f->attribute));
}

void
report_failures(struct manager *m)
{
	uint32_t n = 0;
	const struct apply_failure *a = m->apply ? apply_failures(m->apply, &n) : NULL;

	for (uint32_t i = 0; i < m->fresh->ntroubles; i++)
		add_trouble(m, &m->fresh->troubles[i]);
	for (uint32_t i = 0; i < m->nisolated; i++) {
		struct manager_failed *f = failed_add(&m->cur);

		failed_node(f, &m->fresh->nodes[m->isolated[i]]);
		snprintf(f->code, sizeof(f->code), "cut_off");
		snprintf(f->reason, sizeof(f->reason), "left out: it, or what connects it, did not answer what must be known");
	}
	for (uint32_t i = 0; i < n; i++)
		add_apply_failure(m, &a[i]);
	for (uint32_t i = 0; m->fresh_plan && i < m->fresh_plan->pkeys.ntroubles; i++)
		add_pkey_trouble(m, &m->fresh_plan->pkeys.troubles[i]);
}

/* ---- pieces ---- */

static json_t *
guid_json(uint64_t guid)
{
	return guid ? json_sprintf("0x%016llx", (unsigned long long)guid) : json_null();
}

static json_t *
path_json(const uint8_t *path, uint8_t hops)
{
	json_t *a;

	if (hops > DGRAM_HOPS_MAX)      /* there is no way there */
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
place_json(const struct manager_failed *f)
{
	if (!f->place_guid)
		return json_null();
	return json_pack("{s:o, s:i, s:s}", "guid", guid_json(f->place_guid), "port", f->place_port, "name", f->place);
}

static json_t *
failed_json(const struct manager_sweep_result *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < r->nfailed; i++) {
		const struct manager_failed *f = &r->failed[i];

		json_array_append_new(a, json_pack("{s:o, s:s, s:o, s:i, s:o, s:s, s:s?, s:s, s:o}",
			"guid", guid_json(f->guid), "description", f->description, "path", path_json(f->path, f->hop_count),
			"port", f->port, "place", place_json(f), "reason", f->reason, "attribute", f->attribute[0] ? f->attribute : NULL,
			"code", f->code, "mad_status", hex16_json(f->status)));
	}
	return a;
}

static void
count_ports(const struct snapshot *s, struct manager_counts *c)
{
	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];
		uint8_t state = port_info_decode(p->info).state;

		if (p->num == 0)
			continue;
		if (p->peer == FAB_NONE) {
			c->unlinked++;
			continue;
		}
		c->linked++;
		c->active += state == 4;
		c->armed += state == 3;
		c->init += state == 2;
		c->down += state < 2;
	}
}

/* What must outlive the snapshot of the sweep that ends. */
void
report_counts(const struct snapshot *s, struct manager_sweep_result *r)
{
	struct manager_counts *c = &r->counts;

	*c = (struct manager_counts){ .nodes = s->nnodes, .switches = s->nswitches, .hosts = s->nhosts, .links = s->nlinks };
	for (uint32_t i = 0; i < s->nnodes; i++) {
		c->cas += s->nodes[i].type == 1;
		c->routers += s->nodes[i].type == 3;
	}
	count_ports(s, c);
	if (r->verified)
		r->verify_doc = verify_to_json(s, &r->verify);
}

static json_t *
ports_json(const struct manager_counts *c)
{
	return json_pack("{s:i, s:i, s:i, s:i}", "active", (int)c->active, "armed", (int)c->armed, "init", (int)c->init, "down",
		(int)c->down);
}

json_t *
report_ports_json(const struct manager_counts *c)
{
	json_t *o = ports_json(c);

	json_object_set_new(o, "unlinked", json_integer(c->unlinked));
	return o;
}

static json_t *
mads_json(const struct manager *m)
{
	const struct txn_stats *s = txn_stats(m->net.txn);
	const struct txn_attr_stats *v;
	json_t *by = json_object();
	json_t *kinds = json_object();
	uint64_t wrong = 0;
	unsigned n;

	v = txn_attr_stats(m->net.txn, &n);
	for (unsigned i = 0; i < n; i++) {
		const char *name = dgram_attr_name(v[i].mgmt_class, v[i].attr_id);
		char text[48];

		if (name)
			snprintf(text, sizeof(text), "%s", name);
		else
			snprintf(text, sizeof(text), "0x%02x/0x%04x", v[i].mgmt_class, v[i].attr_id);
		json_object_set_new(by, text, json_integer((json_int_t)v[i].n.sent));
	}
	for (unsigned i = 0; i < TXN_MISMATCH_KINDS; i++) {
		wrong += s->mismatched[i];
		json_object_set_new(kinds, txn_mismatch_text((enum txn_mismatch)i), json_integer((json_int_t)s->mismatched[i]));
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
phases_json(const struct manager_sweep_result *r)
{
	static const char *const name[] = {
#define P(id, word) word,
		MANAGER_PHASES(P)
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

static const char *
outcome_text(enum manager_outcome o)
{
	switch (o) {
	case MANAGER_RUNNING:
		return "running";
	case MANAGER_UP:
		return "up";
	case MANAGER_PARTIAL:
		return "partial";
	case MANAGER_REFUSED:
		return "refused";
	case MANAGER_STANDBY:
		return "standby";
	case MANAGER_NO_FABRIC:
		return "no fabric";
	}
	return "?";
}

int
manager_exit_status(const struct manager *m)
{
	switch (manager_outcome(m)) {
	case MANAGER_UP:
		return 0;
	case MANAGER_PARTIAL:
		return 3;
	case MANAGER_REFUSED:
	case MANAGER_STANDBY:
		return 1;
	case MANAGER_RUNNING:
	case MANAGER_NO_FABRIC:
		break;
	}
	return 255;
}

static void
time_text(char *buf, size_t len)
{
	time_t t = time(NULL);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(buf, len, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static json_t *
local_json(const struct manager *m)
{
	const struct io_port *p = &m->net.port;

	return json_pack("{s:s, s:i, s:o, s:i, s:i}", "ca", p->ca_name, "port", p->port, "port_guid", guid_json(p->port_guid),
		"lid", m->net.served.plan ? m->net.served.plan->sm_lid : p->lid, "sm_lid", m->net.served.plan ? m->net.served.plan->sm_lid : p->sm_lid);
}

static json_t *
target_json(const struct manager_failed *f)
{
	return json_pack("{s:o, s:o, s:o, s:i, s:o, s:s?}", "node_guid", guid_json(f->guid), "port_guid", guid_json(f->port_guid),
		"lid", f->lid ? json_integer(f->lid) : json_null(), "port", f->port,
		"path", path_json(f->path, f->hop_count), "name", f->description[0] ? f->description : NULL);
}

static json_t *
errors_json(const struct manager_sweep_result *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < r->nfailed; i++) {
		const struct manager_failed *f = &r->failed[i];

		json_array_append_new(a, json_pack("{s:s, s:s, s:o, s:s?, s:o, s:o, s:s}", "severity", "error", "code", f->code,
			"target", target_json(f), "attribute", f->attribute[0] ? f->attribute : NULL,
			"modifier", f->attribute[0] ? json_integer(f->modifier) : json_null(),
			"mad_status", hex16_json(f->status), "message", f->reason));
	}
	if (r->refusal[0])
		json_array_append_new(a, json_pack("{s:s, s:s, s:n, s:n, s:n, s:n, s:s}", "severity", "error", "code", "refused",
			"target", "attribute", "modifier", "mad_status", "message", r->refusal));
	return a;
}

/* The same from run to run: from the code, and where it is. */
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
is_finding(const struct manager_failed *f)
{
	return strcmp(f->code, "duplicate_guid") == 0 || strcmp(f->code, "moved_cable") == 0;
}

/* What is wrong with the subnet itself, as against what we could not do. */
static json_t *
findings_json(const struct manager_sweep_result *r)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < r->nfailed; i++) {
		const struct manager_failed *f = &r->failed[i];

		if (is_finding(f))
			json_array_append_new(a, json_pack("{s:o, s:s, s:s, s:s, s:[o], s:n, s:n}",
				"id", finding_id(f->code, f->place_guid ? f->place_guid : f->guid, f->place_guid ? f->place_port : f->port), "severity", "error", "code", f->code,
				"message", f->reason, "ends", target_json(f), "value", "expected"));
	}
	if (r->refusal[0])
		json_array_append_new(a, json_pack("{s:o, s:s, s:s, s:s, s:[], s:n, s:n}", "id", finding_id("refused", 0, 0),
			"severity", "error", "code", "refused", "message", r->refusal, "ends", "value", "expected"));
	return a;
}

static json_t *
summary_json(const struct manager_sweep_result *r)
{
	const struct manager_counts *c = &r->counts;
	unsigned unanswered = 0, duplicates = 0, moved = 0;

	for (uint32_t i = 0; i < r->nfailed; i++) {
		unanswered += strcmp(r->failed[i].code, "timeout") == 0;
		duplicates += strcmp(r->failed[i].code, "duplicate_guid") == 0;
		moved += strcmp(r->failed[i].code, "moved_cable") == 0;
	}
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i}}", "nodes", (int)c->nodes, "switches", (int)c->switches,
		"cas", (int)c->cas, "routers", (int)c->routers, "ports", (int)(c->linked + c->unlinked), "links", (int)c->links,
		"unanswered", unanswered, "findings", "duplicate_guid", duplicates, "moved_cable", moved,
		"refused", r->refusal[0] ? 1 : 0);
}

static void
add_envelope(json_t *o, const struct manager *m, struct monotime now)
{
	const struct manager_sweep_result *r = &m->last;
	char t[32];

	time_text(t, sizeof(t));
	json_object_set_new(o, "schema", json_string("heddle.heddled"));
	json_object_set_new(o, "schema_version", json_string("1.0"));
	json_object_set_new(o, "tool", json_pack("{s:s, s:s}", "name", "heddled", "version", PACKAGE_VERSION));
	json_object_set_new(o, "time", json_string(t));
	json_object_set_new(o, "wall_ms", json_integer((monotime_sub_us(now, r->started)) / 1000));
	json_object_set_new(o, "source", json_string("live"));
	json_object_set_new(o, "local", local_json(m));
	json_object_set_new(o, "options", json_pack("{s:i, s:i, s:i}", "lmc", m->net.conf->lmc, "max_wire_smps",
		m->net.conf->max_wire_smps, "transaction_timeout", m->net.conf->transaction_timeout_ms));
	json_object_set_new(o, "mads", mads_json(m));
	json_object_set_new(o, "incomplete", json_boolean(r->outcome == MANAGER_PARTIAL));
	json_object_set_new(o, "errors", errors_json(r));
	json_object_set_new(o, "findings", findings_json(r));
	json_object_set_new(o, "summary", summary_json(r));
	json_object_set_new(o, "exit_status", json_integer(manager_exit_status(m)));
}

static json_t *
route_json(const struct manager_sweep_result *r)
{
	return json_pack("{s:s?, s:s, s:s, s:s?, s:I, s:I, s:I, s:I}", "engine", r->route.engine, "code",
		route_code_text(r->route.code), "sentence", r->route.sentence, "root_rule", r->route.root_rule,
		"roots", (json_int_t)r->route.nroots, "completed", (json_int_t)r->route.completed,
		"declared", (json_int_t)r->route.declared, "unreachable", (json_int_t)r->route.unreachable);
}

static void
add_usage(json_t *o, const struct manager_sweep_result *r)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	json_object_set_new(o, "wall_s", json_real((double)monotime_sub_us(r->ended, r->started) / 1e6));
	json_object_set_new(o, "cpu_s", json_real((double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6));
	json_object_set_new(o, "peak_rss_kib", json_integer(u.ru_maxrss));
}

json_t *
manager_report(const struct manager *m, struct monotime now)
{
	const struct manager_sweep_result *r = &m->last;
	const struct manager_counts *c = &r->counts;
	json_t *o = json_object();

	add_envelope(o, m, now);
	json_object_set_new(o, "outcome", json_string(outcome_text(r->outcome)));
	json_object_set_new(o, "nodes", json_integer(c->nodes));
	json_object_set_new(o, "switches", json_integer(c->switches));
	json_object_set_new(o, "hosts", json_integer(c->hosts));
	json_object_set_new(o, "links", json_integer(c->links));
	json_object_set_new(o, "lids", json_integer(m->net.served.plan ? r->lid.lids : 0));
	json_object_set_new(o, "lid_changes", renumber_json(m, now));
	json_object_set_new(o, "ports", ports_json(c));
	json_object_set_new(o, "ports_unlinked", json_integer(c->unlinked));
	json_object_set_new(o, "engine", r->route.engine ? json_string(r->route.engine) : json_null());
	json_object_set_new(o, "routing", route_json(r));
	json_object_set_new(o, "changes", json_integer((json_int_t)r->changes));
	json_object_set_new(o, "failed", failed_json(r));
	json_object_set_new(o, "verify", r->verify_doc ? json_incref(r->verify_doc) : json_null());
	json_object_set_new(o, "phases_s", phases_json(r));
	add_usage(o, r);
	return o;
}

void
manager_line(const struct manager *m, char *buf, size_t len)
{
	if (!m->sweeps)
		snprintf(buf, len, "%s, first sweep", ha_state_text(m->election.ha.state));
	else if (m->net.served.s)
		snprintf(buf, len, "%s, %s, %u switches, %u host ports, sweep %u, %u not configured", ha_state_text(m->election.ha.state),
			outcome_text(m->last.outcome), m->net.served.s->nswitches, m->net.served.s->nhosts, m->sweeps, m->last.nfailed);
	else
		snprintf(buf, len, "%s, %s", ha_state_text(m->election.ha.state), outcome_text(m->last.outcome));
}
