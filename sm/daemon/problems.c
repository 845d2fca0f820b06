/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * problems.c - what a sweep could not do, named by its place, and logged once.
 * Room: sm/daemon.
 * In: troubles of discovery, failures of the last sweep and of this one.  Out: words, log lines.
 *
 * A node that does not say who it is, or whose word is not to be taken for it, is named by the port before it.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

#define PROBLEMS_NAMED 16               /* in the log of one sweep; the others are counted */

/* ---- places ---- */

/* The last port of a directed route, and the node it belongs to; false: the route does not lead there. */
static bool
place_on_path(const struct snapshot *s, const uint8_t *path, uint8_t hops, uint64_t *guid, uint8_t *port)
{
	uint32_t node = s->ports[s->sm_port].node;

	if (!hops || hops > DGRAM_HOPS_MAX)
		return false;
	for (unsigned i = 1; i < hops; i++) {
		uint32_t peer = path[i] <= s->nodes[node].nports ? snapshot_port(s, node, path[i])->peer : FAB_NONE;

		if (peer == FAB_NONE)
			return false;
		node = s->ports[peer].node;
	}
	*guid = s->nodes[node].guid;
	*port = path[hops];
	return *port <= s->nodes[node].nports;
}

/* In the names of this sweep. */
static const char *
place_text(const struct manager *m, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES])
{
	static const uint8_t none[NODE_DESC_BYTES];
	uint32_t n = snapshot_node_by_guid(m->fresh, guid);
	char name[ROSTER_NAME_BYTES];

	snprintf(buf, ROSTER_PLACE_BYTES, "%s port %u", roster_name(guid, n == FAB_NONE ? none : m->fresh->nodes[n].desc, name), port);
	return buf;
}

/* A node that has not answered, or not in a way that can be right, and never said who it is. */
static void
unknown_behind(const struct manager *m, const struct fab_trouble *t, struct manager_failed *f)
{
	char last[ROSTER_NAME_BYTES + 64] = "", name[ROSTER_NAME_BYTES];
	uint64_t guid = missing_behind(m->watch.missing, f->place_guid, f->place_port, name);

	f->guid = guid;
	if (guid) {
		snprintf(f->description, sizeof(f->description), "%s", name);
		snprintf(last, sizeof(last), ", last seen as %s (0x%016llx)", name, (unsigned long long)guid);
	}
	if (t->kind == FAB_MUTE)
		snprintf(f->reason, sizeof(f->reason), "no answer from the node behind %s%s", f->place, last);
	else
		snprintf(f->reason, sizeof(f->reason), "%s: from the node behind %s%s", t->reason, f->place, last);
}

/* The port before the node that keeps the GUID. */
static bool
keeper_place(const struct snapshot *s, const struct fab_trouble *t, uint64_t *guid, uint8_t *port)
{
	uint32_t before = s->ports[s->sm_port].peer;

	if (t->other_hop_count || before == FAB_NONE)
		return place_on_path(s, t->other_path, t->other_hop_count, guid, port);
	*guid = s->nodes[s->ports[before].node].guid;   /* it is our own */
	*port = s->ports[before].num;
	return true;
}

static void
duplicate_behind(const struct manager *m, const struct fab_trouble *t, struct manager_failed *f)
{
	char keeper[ROSTER_PLACE_BYTES];
	uint64_t guid;
	uint8_t port;

	f->guid = t->guid;
	if (!keeper_place(m->fresh, t, &guid, &port))
		snprintf(f->reason, sizeof(f->reason), "duplicate GUID 0x%016llx behind %s", (unsigned long long)t->guid, f->place);
	else
		snprintf(f->reason, sizeof(f->reason), "duplicate GUID 0x%016llx behind %s; the node served at %s keeps it",
			(unsigned long long)t->guid, f->place, place_text(m, guid, port, keeper));
}

static bool
is_known_by_place(const struct fab_trouble *t)
{
	switch ((enum fab_trouble_kind)t->kind) {
	case FAB_MUTE:
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

void
problems_place(const struct manager *m, const struct fab_trouble *t, struct manager_failed *f)
{
	uint64_t guid;
	uint8_t port;

	if (!is_known_by_place(t) || !place_on_path(m->fresh, t->path, t->hop_count, &guid, &port))
		return;
	f->place_guid = guid;
	f->place_port = port;
	place_text(m, guid, port, f->place);
	f->description[0] = '\0';
	f->port_guid = 0;
	f->lid = 0;
	f->port = 0;
	if (t->kind == FAB_DUPLICATE_GUID)
		duplicate_behind(m, t, f);
	else
		unknown_behind(m, t, f);
}

/* ---- the log ---- */

static int
failed_cmp(const void *x, const void *y)
{
	const struct manager_failed *a = *(const struct manager_failed *const *)x, *b = *(const struct manager_failed *const *)y;
	int c = strcmp(a->code, b->code);

	c = c ? c : a->place_guid != b->place_guid ? (a->place_guid < b->place_guid ? -1 : 1) : 0;
	c = c ? c : (int)a->place_port - (int)b->place_port;
	c = c || a->place_guid ? c : a->guid != b->guid ? (a->guid < b->guid ? -1 : 1) : 0;
	c = c ? c : (int)a->port - (int)b->port;
	return c ? c : strcmp(a->attribute, b->attribute);
}

/* Pointers to all of them, in order; the caller frees. */
static const struct manager_failed **
sorted(const struct manager_sweep_result *r)
{
	const struct manager_failed **v = xcalloc(r->nfailed + 1u, sizeof(*v));

	for (uint32_t i = 0; i < r->nfailed; i++)
		v[i] = &r->failed[i];
	qsort(v, r->nfailed, sizeof(*v), failed_cmp);
	return v;
}

/* That a link flaps was reported, and that a node is missing because it does not answer, when it went missing. */
static bool
was_reported(const struct manager *m, const struct manager_failed *f)
{
	char name[ROSTER_NAME_BYTES];

	if (!f->place_guid)
		return flaps_at(m->watch.flaps, f->guid, f->port);
	return flaps_at(m->watch.flaps, f->place_guid, f->place_port) || (strcmp(f->code, "timeout") == 0 &&
		missing_behind(m->watch.missing, f->place_guid, f->place_port, name));
}

void
problems_log(const struct manager *m)
{
	const struct manager_failed **was = sorted(&m->last), **is = sorted(&m->cur);
	uint32_t seen = 0;

	for (uint32_t i = 0; i < m->cur.nfailed; i++) {
		const struct manager_failed *f = is[i];

		if ((m->last.nfailed && bsearch(&f, was, m->last.nfailed, sizeof(*was), failed_cmp)) || was_reported(m, f) ||
		    seen++ >= PROBLEMS_NAMED)
			continue;
		if (f->place_guid)
			log_line(m->net.log, LOG_WARN, "fabric", "%s", f->reason);
		else
			log_line(m->net.log, LOG_WARN, "fabric", "%s (0x%016llx) port %u: %s: %s",
				f->description[0] ? f->description : "node", (unsigned long long)f->guid, f->port,
				f->attribute[0] ? f->attribute : f->code, f->reason);
	}
	if (seen > PROBLEMS_NAMED)
		log_line(m->net.log, LOG_WARN, "fabric", "%u more problems, see heddlectl status", seen - PROBLEMS_NAMED);
	free(was);
	free(is);
}
