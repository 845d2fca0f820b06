/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * problems.c - the problems of a sweep: collects them with their places, and logs each once.
 * Room: sm/sweep.  In: problems of discovery, failed Sets, partitions.  Out: sentences, log lines.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/planner/planner.h"
#include "sm/sweep/problems.h"
#include "util/xalloc.h"

#define PROBLEMS_NAMED 16               /* named in the log of a sweep; others are only counted */

/* ---- places ---- */

/*
 * The last port of a directed route, and the node it belongs to; false: the route does not lead
 * there.
 */
static bool
place_on_path(
	const struct snapshot *s, const uint8_t *path, uint8_t hops, uint64_t *guid, uint8_t *port)
{
	uint32_t node = s->ports[s->sm_port].node;

	if (!hops || hops > DGRAM_HOPS_MAX)
		return false;
	for (unsigned i = 1; i < hops; i++) {
		uint32_t peer = path[i] <= s->nodes[node].nports ?
			snapshot_port(s, node, path[i])->peer :
			FAB_NONE;

		if (peer == FAB_NONE)
			return false;
		node = s->ports[peer].node;
	}
	*guid = s->nodes[node].guid;
	*port = path[hops];
	return *port <= s->nodes[node].nports;
}

/* Uses the node names of this sweep. */
static const char *
place_text(
	const struct snapshot *s, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES])
{
	static const uint8_t none[NODE_DESC_BYTES];
	uint32_t n = snapshot_node_by_guid(s, guid);
	char name[ROSTER_NAME_BYTES];

	snprintf(buf, ROSTER_PLACE_BYTES, "%s port %u",
		roster_name(guid, n == FAB_NONE ? none : s->nodes[n].desc, name), port);
	return buf;
}

/* A node of unknown identity: it did not answer, or its answers were invalid. */
static void
name_unknown(const struct missing *known, const struct fab_problem *t, struct sweep_problem *f)
{
	char last[ROSTER_NAME_BYTES + 64] = "", name[ROSTER_NAME_BYTES];
	uint64_t guid = missing_behind(known, f->at.before_guid, f->at.before_port, name);

	f->at.guid = guid;
	if (guid) {
		snprintf(f->at.description, sizeof(f->at.description), "%s", name);
		snprintf(last, sizeof(last), ", last seen as %s (0x%016llx)", name,
			(unsigned long long)guid);
	}
	if (t->kind == FAB_UNRESPONSIVE)
		snprintf(f->reason, sizeof(f->reason), "no answer from the node behind %s%s",
			f->at.before, last);
	else
		snprintf(f->reason, sizeof(f->reason), "%s: from the node behind %s%s", t->reason,
			f->at.before, last);
}

/* The port before the node that keeps the GUID. */
static bool
keeper_place(const struct snapshot *s, const struct fab_problem *t, uint64_t *guid, uint8_t *port)
{
	uint32_t before = s->ports[s->sm_port].peer;

	if (t->other_hop_count || before == FAB_NONE)
		return place_on_path(s, t->other_path, t->other_hop_count, guid, port);
	*guid = s->nodes[s->ports[before].node].guid;   /* it is our own */
	*port = s->ports[before].num;
	return true;
}

static void
name_duplicate(const struct snapshot *s, const struct fab_problem *t, struct sweep_problem *f)
{
	char keeper[ROSTER_PLACE_BYTES];
	uint64_t guid;
	uint8_t port;

	f->at.guid = t->guid;
	if (!keeper_place(s, t, &guid, &port))
		snprintf(f->reason, sizeof(f->reason), "duplicate GUID 0x%016llx behind %s",
			(unsigned long long)t->guid, f->at.before);
	else
		snprintf(f->reason, sizeof(f->reason),
			"duplicate GUID 0x%016llx behind %s; the node served at %s keeps it",
			(unsigned long long)t->guid, f->at.before,
			place_text(s, guid, port, keeper));
}

static bool
is_known_by_place(const struct fab_problem *t)
{
	switch ((enum fab_problem_kind)t->kind) {
	case FAB_UNRESPONSIVE:
	case FAB_DUPLICATE_GUID:
	case FAB_TOO_FAR:
		return true;
	case FAB_BAD_STATUS:
	case FAB_BAD_REPLY:
		return t->attr_id == NODE_INFO_ID;
	case FAB_UNANSWERED:
	case FAB_MOVED_CABLE:
		break;
	}
	return false;
}

/* What is known of 't' by its place: fills in 'f'. */
static void
place_problem(
	const struct problem_sources *from, const struct fab_problem *t, struct sweep_problem *f)
{
	uint64_t guid;
	uint8_t port;

	if (!is_known_by_place(t) || !place_on_path(from->s, t->path, t->hop_count, &guid, &port))
		return;
	f->at.before_guid = guid;
	f->at.before_port = port;
	place_text(from->s, guid, port, f->at.before);
	f->at.description[0] = '\0';
	f->at.port_guid = 0;
	f->at.lid = 0;
	f->at.port = 0;
	if (t->kind == FAB_DUPLICATE_GUID)
		name_duplicate(from->s, t, f);
	else
		name_unknown(from->watch->missing, t, f);
}

/* ---- problems by their source ---- */

/* The end port of a problem at port 'num' of a node: a switch has only one end port. */
static void
set_port(struct problem_place *f, const struct snapshot *s, uint32_t node, uint8_t num)
{
	const struct fab_node *n = &s->nodes[node];
	const struct fab_port *p =
		&s->ports[n->first_port + (fab_is_switch(n) || num > n->nports ? 0 : num)];

	f->port = num;
	f->port_guid = p->guid;
	f->lid = p->flags & FAB_PORT_INFO ? port_info_decode(p->info).lid : 0;
}

static void
set_node(struct problem_place *f, const struct fab_node *n)
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
problem_code(enum fab_problem_kind k)
{
	switch (k) {
	case FAB_UNRESPONSIVE:
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
add_discovery_problem(
	struct sweep_result *r, const struct problem_sources *from, const struct fab_problem *t)
{
	struct sweep_problem *f = sweep_result_add(r);
	uint32_t n = t->guid ? snapshot_node_by_guid(from->s, t->guid) : FAB_NONE;

	if (n != FAB_NONE) {
		set_node(&f->at, &from->s->nodes[n]);
		set_port(&f->at, from->s, n, t->port);
	}
	f->modifier = t->modifier;
	f->at.guid = t->guid;
	f->at.hop_count = t->hop_count;
	memcpy(f->at.path, t->path, sizeof(f->at.path));
	f->at.port = t->port;
	f->status = t->status;
	snprintf(f->code, sizeof(f->code), "%s", problem_code((enum fab_problem_kind)t->kind));
	snprintf(f->reason, sizeof(f->reason), "%s", t->reason);
	attribute_text(t->attr_id, f->attribute, sizeof(f->attribute));
	place_problem(from, t, f);
}

static void
add_apply_failure(
	struct sweep_result *r, const struct problem_sources *from, const struct apply_failure *a)
{
	struct sweep_problem *f = sweep_result_add(r);
	char why[APPLY_END_TEXT_BYTES];

	set_node(&f->at, &from->s->nodes[a->node]);
	set_port(&f->at, from->s, a->node, a->port);
	f->modifier = change_reported(a->kind, &a->change, a->port);
	f->status = a->status;
	snprintf(f->code, sizeof(f->code), "%s", a->end == TXN_END_STATUS ? "mad_status" :
		a->end == TXN_END_OK ? "bad_reply" : "timeout");
	apply_end_text(a, why);
	snprintf(f->reason, sizeof(f->reason), "Set in phase %s: %s", a->kind->name, why);
	attribute_text(change_attribute(a->kind, &a->change), f->attribute, sizeof(f->attribute));
}

static void
add_pkey_problem(
	struct sweep_result *r, const struct problem_sources *from, const struct pkey_problem *t)
{
	struct sweep_problem *f = sweep_result_add(r);
	const struct fab_port *p = &from->s->ports[t->port];

	set_node(&f->at, &from->s->nodes[p->node]);
	f->at.port = p->num;
	snprintf(f->code, sizeof(f->code), "pkey_overflow");
	snprintf(f->reason, sizeof(f->reason), "%u P_Keys are wanted and there is room for %u; %s",
		t->wanted, t->room, planner_pkey_text((enum pkey_problem_kind)t->kind));
	attribute_text(PKEY_TABLE_ID, f->attribute, sizeof(f->attribute));
}

void
problems_collect(struct sweep_result *r, const struct problem_sources *from)
{
	uint32_t n = 0;
	const struct apply_failure *a = from->apply ? apply_failures(from->apply, &n) : NULL;

	for (uint32_t i = 0; i < from->s->nproblems; i++)
		add_discovery_problem(r, from, &from->s->problems[i]);
	for (uint32_t i = 0; i < from->nisolated; i++) {
		struct sweep_problem *f = sweep_result_add(r);

		set_node(&f->at, &from->s->nodes[from->isolated[i]]);
		snprintf(f->code, sizeof(f->code), "cut_off");
		snprintf(f->reason, sizeof(f->reason),
			"left out: it, or what connects it, did not answer what must be known");
	}
	for (uint32_t i = 0; i < n; i++)
		add_apply_failure(r, from, &a[i]);
	for (uint32_t i = 0; from->plan && i < from->plan->pkeys.nproblems; i++)
		add_pkey_problem(r, from, &from->plan->pkeys.problems[i]);
}

/* ---- the log ---- */

static int
failed_cmp(const void *x, const void *y)
{
	const struct sweep_problem *a = *(const struct sweep_problem *const *)x,
				   *b = *(const struct sweep_problem *const *)y;
	int c = strcmp(a->code, b->code);

	c = c ? c :
		a->at.before_guid != b->at.before_guid ?
		(a->at.before_guid < b->at.before_guid ? -1 : 1) :
		0;
	c = c ? c : (int)a->at.before_port - (int)b->at.before_port;
	c = c || a->at.before_guid       ? c :
		a->at.guid != b->at.guid ? (a->at.guid < b->at.guid ? -1 : 1) :
					   0;
	c = c ? c : (int)a->at.port - (int)b->at.port;
	return c ? c : strcmp(a->attribute, b->attribute);
}

/* Pointers to all of them, in order; the caller frees. */
static const struct sweep_problem **
sort_problems(const struct sweep_result *r)
{
	const struct sweep_problem **v = xcalloc(r->nproblems + 1u, sizeof(*v));

	for (uint32_t i = 0; i < r->nproblems; i++)
		v[i] = &r->problems[i];
	qsort(v, r->nproblems, sizeof(*v), failed_cmp);
	return v;
}

/*
 * Whether the problem was logged already: a flapping link when it began to flap, an unresponsive
 * node when it went missing.
 */
static bool
was_reported(const struct watch *w, const struct sweep_problem *f)
{
	char name[ROSTER_NAME_BYTES];

	if (!f->at.before_guid)
		return flaps_at(w->flaps, f->at.guid, f->at.port);
	return flaps_at(w->flaps, f->at.before_guid, f->at.before_port) ||
		(strcmp(f->code, "timeout") == 0 &&
			missing_behind(w->missing, f->at.before_guid, f->at.before_port, name));
}

void
problems_log(const struct sweep_result *r, const struct sweep_result *last, const struct watch *w,
	const struct log *log)
{
	const struct sweep_problem **was = sort_problems(last), **is = sort_problems(r);
	uint32_t seen = 0;

	for (uint32_t i = 0; i < r->nproblems; i++) {
		const struct sweep_problem *f = is[i];

		if ((last->nproblems &&
			    bsearch(&f, was, last->nproblems, sizeof(*was), failed_cmp)) ||
			was_reported(w, f) || seen++ >= PROBLEMS_NAMED)
			continue;
		if (f->at.before_guid)
			log_line(log, LOG_WARN, "fabric", "%s", f->reason);
		else
			log_line(log, LOG_WARN, "fabric", "%s (0x%016llx) port %u: %s: %s",
				f->at.description[0] ? f->at.description : "node",
				(unsigned long long)f->at.guid, f->at.port,
				f->attribute[0] ? f->attribute : f->code, f->reason);
	}
	if (seen > PROBLEMS_NAMED)
		log_line(log, LOG_WARN, "fabric", "%u more problems, see heddlectl status",
			seen - PROBLEMS_NAMED);
	free(was);
	free(is);
}
