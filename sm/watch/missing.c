/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * missing.c - nodes and links that have disappeared from the subnet.
 * Room: sm/watch.
 * In: the roster of each sweep.  Out: log lines, the list for the status document.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>
#include "sm/watch/missing.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/guid.h"
#include "util/xalloc.h"

#define WHYS(W) \
	W(LINK_DOWN, "link down") W(SILENT, "no answer") W(SWITCH, "the switch it was behind is missing") \
	W(REPLACED, "another node is behind that port") W(FLAPPING, "link flapping") \
	W(UNUSABLE, "left out: it, or what connects it, did not answer a required query")
enum why {
#define W(name, text) WHY_##name,
	WHYS(W)
#undef W
};
static const char *const why_texts[] = {
#define W(name, text) [WHY_##name] = text,
	WHYS(W)
#undef W
};

/* Key of a node: its GUID.  Key of a link: the GUIDs and ports of both ends. */
struct key {
	uint64_t a, b, ports;
};
struct place {
	uint64_t guid, port;
};

struct entry {
	UT_hash_handle hh;              /* in the order in which they went missing */
	/* Nodes only; if several were lost behind one port, the last of them. */
	UT_hash_handle by_place;
	struct key key;
	struct place at;                /* the port before the node */
	struct roster_link link;        /* links only, otherwise 0 */
	struct monotime since;
	uint8_t type, why;
	bool placed;
	char name[ROSTER_PLACE_BYTES];  /* of the node, or a link's first end with its port */
	char other[ROSTER_PLACE_BYTES]; /* the place of the node, or a link's second end */
};

struct missing {
	struct roster *roster;          /* of the last sweep */
	struct entry *all, *places;
};

/* The changes that one sweep found. */
struct events {
	struct missing *x;
	const struct missing_sweep *w;
	const struct roster *is;
	const struct roster_node **lost, **found;
	uint32_t nlost, nfound;
	unsigned ndown, nup;            /* links, as logged */
};

const char *
missing_duration(int64_t us, char buf[static 24])
{
	long long s = us / 1000000;

	if (s < 120)
		snprintf(buf, 24, "%lld s", s);
	else if (s < 7200)
		snprintf(buf, 24, "%lld min", s / 60);
	else if (s < 172800)
		snprintf(buf, 24, "%lld h", s / 3600);
	else
		snprintf(buf, 24, "%lld days", s / 86400);
	return buf;
}

/* ---- the list ---- */

struct missing *
missing_new(void)
{
	return xcalloc(1, sizeof(struct missing));
}

static void
entry_drop(struct missing *x, struct entry *e)
{
	HASH_DELETE(hh, x->all, e);
	if (e->placed)
		HASH_DELETE(by_place, x->places, e);
	free(e);
}

void
missing_forget(struct missing *x)
{
	struct entry *e, *next;

	HASH_ITER(hh, x->all, e, next)
		entry_drop(x, e);
	roster_free(x->roster);
	x->roster = NULL;
}

void
missing_free(struct missing *x)
{
	if (!x)
		return;
	missing_forget(x);
	free(x);
}

static struct key
link_key(const struct roster_link *l)
{
	return (struct key){ l->end[0].guid, l->end[1].guid,
		(uint64_t)l->end[0].port << 8 | l->end[1].port };
}

static struct entry *
entry_find(const struct missing *x, struct key key)
{
	struct entry *e;

	HASH_FIND(hh, x->all, &key, sizeof(key), e);
	return e;
}

/* NULL: the list is full. */
static struct entry *
entry_add(struct missing *x, struct key key, struct monotime now)
{
	struct entry *e = entry_find(x, key);

	if (e)
		return e;
	if (HASH_COUNT(x->all) >= MISSING_MAX)
		return NULL;
	e = xcalloc(1, sizeof(*e));
	e->key = key;
	e->since = now;
	HASH_ADD(hh, x->all, key, sizeof(e->key), e);
	return e;
}

static void
entry_place(struct missing *x, struct entry *e, struct place at)
{
	struct entry *older;

	e->at = at;
	HASH_FIND(by_place, x->places, &e->at, sizeof(e->at), older);
	if (older) {
		HASH_DELETE(by_place, x->places, older);
		older->placed = false;
	}
	HASH_ADD(by_place, x->places, at, sizeof(e->at), e);
	e->placed = true;
}

/* ---- why ---- */

static bool
silent_behind(const struct snapshot *s, uint64_t guid, uint8_t port)
{
	uint32_t i;

	BISECT(i, s->nproblems, s->problems[i].guid < guid);
	for (; i < s->nproblems && s->problems[i].guid == guid; i++)
		if (s->problems[i].kind == FAB_UNRESPONSIVE && s->problems[i].port == port)
			return true;
	return false;
}

static enum why
why_node(const struct missing_sweep *w, const struct roster *is, uint64_t guid, struct place at)
{
	uint8_t port = (uint8_t)at.port;
	uint32_t n = snapshot_node_by_guid(w->s, at.guid);

	if (flaps_at(w->flaps, at.guid, port))
		return WHY_FLAPPING;
	if (snapshot_node_by_guid(w->s, guid) != FAB_NONE)
		return WHY_UNUSABLE;
	if (n == FAB_NONE || !roster_find(is, at.guid) || port > w->s->nodes[n].nports)
		return WHY_SWITCH;
	if (snapshot_port(w->s, n, port)->peer != FAB_NONE)
		return WHY_REPLACED;
	return silent_behind(w->s, at.guid, port) ? WHY_SILENT : WHY_LINK_DOWN;
}

static bool
link_flaps(const struct missing_sweep *w, const struct roster_link *l)
{
	return flaps_at(w->flaps, l->end[0].guid, l->end[0].port) ||
		flaps_at(w->flaps, l->end[1].guid, l->end[1].port);
}

/* ---- events ---- */

static const char *
kind_text(uint8_t type)
{
	return type == NODE_TYPE_SWITCH ? "switch" : "node";
}

static const struct roster *
names_of(const struct events *v)
{
	return v->x->roster;
}

/* The index in 'v', sorted by GUID, of the node with that GUID; n: none. */
static uint32_t
index_of(const struct roster_node *const *v, uint32_t n, uint64_t guid)
{
	uint32_t i;

	BISECT(i, n, v[i]->guid < guid);
	return i < n && v[i]->guid == guid ? i : n;
}

/* How many hosts of 'v' are behind each switch of 'v'. */
static uint32_t *
count_hosts(const struct roster_node *const *v, uint32_t n)
{
	uint32_t *hosts = xcalloc(n + 1u, sizeof(*hosts));

	for (uint32_t i = 0; i < n; i++)
		if (v[i]->type != NODE_TYPE_SWITCH)
			hosts[index_of(v, n, v[i]->at_guid)]++;
	return hosts;
}

static void
list_lost(struct events *v, const struct roster_node *was)
{
	struct entry *e = entry_add(v->x, (struct key){ was->guid, 0, 0 }, v->w->now);

	if (!e)
		return;
	e->type = was->type;
	roster_name(was->guid, was->desc, e->name);
	roster_place(names_of(v), was->at_guid, was->at_port, e->other);
	entry_place(v->x, e, (struct place){ was->at_guid, was->at_port });
	e->why = (uint8_t)why_node(v->w, v->is, was->guid, e->at);
}

static void
log_lost(const struct events *v, const struct roster_node *was, uint32_t hosts)
{
	struct place at = { was->at_guid, was->at_port };
	char name[ROSTER_NAME_BYTES], place[ROSTER_PLACE_BYTES], more[64] = "";

	if (hosts)
		snprintf(more, sizeof(more), "; %u host%s behind it lost", hosts,
			hosts == 1 ? "" : "s");
	log_line(v->w->log, LOG_NOTE, "fabric", "%s lost: %s (0x%016llx) behind %s: %s%s",
		kind_text(was->type), roster_name(was->guid, was->desc, name),
		(unsigned long long)was->guid,
		roster_place(names_of(v), was->at_guid, was->at_port, place),
		why_texts[why_node(v->w, v->is, was->guid, at)], more);
}

static void
log_found(const struct events *v, const struct roster_node *is, uint32_t hosts)
{
	const struct entry *e = entry_find(v->x, (struct key){ is->guid, 0, 0 });
	char name[ROSTER_NAME_BYTES], place[ROSTER_PLACE_BYTES], away[40] = "", more[64] = "",
								 for_how_long[24];

	if (hosts)
		snprintf(more, sizeof(more), "; %u host%s behind it", hosts, hosts == 1 ? "" : "s");
	if (e)
		snprintf(away, sizeof(away), ", away for %s",
			missing_duration(monotime_sub_us(v->w->now, e->since), for_how_long));
	log_line(v->w->log, LOG_NOTE, "fabric", "%s %s: %s (0x%016llx) behind %s%s%s",
		kind_text(is->type), e ? "back" : "found", roster_name(is->guid, is->desc, name),
		(unsigned long long)is->guid, roster_place(v->is, is->at_guid, is->at_port, place),
		away, more);
}

/*
 * Logs the switches of 'nodes' with the number of hosts behind each, then the hosts behind switches
 * that are not in 'nodes'.
 */
static void
log_nodes(const struct events *v, const struct roster_node *const *nodes, uint32_t n,
	const char *what,
	void (*log_one)(const struct events *, const struct roster_node *, uint32_t))
{
	uint32_t *hosts = count_hosts(nodes, n);

	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t seen = 0;

		for (uint32_t i = 0; i < n; i++) {
			const struct roster_node *r = nodes[i];

			if ((r->type == NODE_TYPE_SWITCH) != (pass == 0) ||
				flaps_at(v->w->flaps, r->at_guid, r->at_port) ||
				(pass && index_of(nodes, n, r->at_guid) < n))
				continue;
			if (seen++ < MISSING_NAMED)
				log_one(v, r, pass ? 0 : hosts[i]);
		}
		if (seen > MISSING_NAMED)
			log_line(v->w->log, LOG_NOTE, "fabric", "%u more %s %s",
				seen - MISSING_NAMED, pass ? "nodes" : "switches", what);
	}
	free(hosts);
}

static void
on_lost_node(void *arg, const struct roster_node *was)
{
	struct events *v = arg;

	v->lost[v->nlost++] = was;
}

static void
on_new_node(void *arg, const struct roster_node *is)
{
	struct events *v = arg;

	v->found[v->nfound++] = is;
}

/* Whether a host is behind another port.  Not for switches: any link can change their route. */
static bool
is_moved(const struct roster_node *was, const struct roster_node *is)
{
	return was && is && was->type != NODE_TYPE_SWITCH && was->port == is->port &&
		(was->at_guid != is->at_guid || was->at_port != is->at_port);
}

/* Whether the link belongs to a moved host: the move is logged instead of the link. */
static bool
moved_along(const struct events *v, const struct roster_link *l)
{
	for (unsigned i = 0; i < 2; i++)
		if (is_moved(roster_find(v->x->roster, l->end[i].guid),
			    roster_find(v->is, l->end[i].guid)))
			return true;
	return false;
}

static void
on_same_node(void *arg, const struct roster_node *was, const struct roster_node *is)
{
	char name[ROSTER_NAME_BYTES], from[ROSTER_PLACE_BYTES], to[ROSTER_PLACE_BYTES];
	const struct events *v = arg;

	if (!is_moved(was, is) || flaps_at(v->w->flaps, is->at_guid, is->at_port))
		return;
	log_line(v->w->log, LOG_NOTE, "fabric", "node moved: %s (0x%016llx) from %s to %s",
		roster_name(is->guid, is->desc, name), (unsigned long long)is->guid,
		roster_place(names_of(v), was->at_guid, was->at_port, from),
		roster_place(v->is, is->at_guid, is->at_port, to));
}

static void
on_lost_link(void *arg, const struct roster_link *was)
{
	char a[ROSTER_PLACE_BYTES], b[ROSTER_PLACE_BYTES];
	struct events *v = arg;
	struct entry *e;

	if (moved_along(v, was))
		return;
	e = entry_add(v->x, link_key(was), v->w->now);
	roster_place(names_of(v), was->end[0].guid, was->end[0].port, a);
	roster_place(names_of(v), was->end[1].guid, was->end[1].port, b);
	if (e) {
		e->link = *was;
		memcpy(e->name, a, sizeof(e->name));
		memcpy(e->other, b, sizeof(e->other));
		e->why = link_flaps(v->w, was) ? WHY_FLAPPING : WHY_LINK_DOWN;
	}
	if (!link_flaps(v->w, was) && v->ndown++ < MISSING_NAMED)
		log_line(v->w->log, LOG_NOTE, "fabric", "link down: %s - %s", a, b);
}

static void
on_new_link(void *arg, const struct roster_link *is)
{
	char a[ROSTER_PLACE_BYTES], b[ROSTER_PLACE_BYTES], how_long[24];
	struct events *v = arg;
	const struct entry *e = entry_find(v->x, link_key(is));

	if (link_flaps(v->w, is) || moved_along(v, is) || v->nup++ >= MISSING_NAMED)
		return;
	roster_place(v->is, is->end[0].guid, is->end[0].port, a);
	roster_place(v->is, is->end[1].guid, is->end[1].port, b);
	if (e)
		log_line(v->w->log, LOG_NOTE, "fabric", "link up: %s - %s, down for %s", a, b,
			missing_duration(monotime_sub_us(v->w->now, e->since), how_long));
	else
		log_line(v->w->log, LOG_NOTE, "fabric", "link up: %s - %s", a, b);
}

static void
log_more_links(const struct events *v)
{
	if (v->ndown > MISSING_NAMED)
		log_line(v->w->log, LOG_NOTE, "fabric", "%u more links down",
			v->ndown - MISSING_NAMED);
	if (v->nup > MISSING_NAMED)
		log_line(v->w->log, LOG_NOTE, "fabric", "%u more links up", v->nup - MISSING_NAMED);
}

/* ---- a sweep ---- */

static bool
port_linked(const struct snapshot *s, struct roster_end end)
{
	uint32_t n = snapshot_node_by_guid(s, end.guid);

	return n != FAB_NONE && end.port <= s->nodes[n].nports &&
		snapshot_port(s, n, end.port)->peer != FAB_NONE;
}

/* Whether the entry is still missing; if so, updates the reason. */
static bool
entry_holds(struct entry *e, const struct missing_sweep *w, const struct roster *is)
{
	if (monotime_sub_us(w->now, e->since) > (int64_t)MISSING_DAYS * 86400 * 1000000)
		return false;
	if (e->type) {
		e->why = (uint8_t)why_node(w, is, e->key.a, e->at);
		return !roster_find(is, e->key.a);
	}
	e->why = link_flaps(w, &e->link) ? WHY_FLAPPING : WHY_LINK_DOWN;
	/* If one of its nodes is gone, the node is missing, not the link. */
	return !port_linked(w->s, e->link.end[0]) && !port_linked(w->s, e->link.end[1]) &&
		roster_find(is, e->link.end[0].guid) && roster_find(is, e->link.end[1].guid);
}

static void
compare_rosters(struct missing *x, const struct roster *is, const struct missing_sweep *w)
{
	struct events v = { .x = x, .w = w, .is = is };
	struct roster_differ d = { on_lost_node, on_new_node, on_same_node, on_lost_link,
		on_new_link, &v };

	v.lost = xcalloc(x->roster->nnodes + 1u, sizeof(*v.lost));
	v.found = xcalloc(is->nnodes + 1u, sizeof(*v.found));
	roster_compare(x->roster, is, &d);
	log_more_links(&v);
	log_nodes(&v, v.lost, v.nlost, "lost", log_lost);
	log_nodes(&v, v.found, v.nfound, "found or back", log_found);
	for (uint32_t i = 0; i < v.nlost; i++)
		list_lost(&v, v.lost[i]);
	free(v.lost);
	free(v.found);
}

void
missing_swept(struct missing *x, struct roster *is, const struct missing_sweep *w)
{
	struct entry *e, *next;

	if (x->roster)
		compare_rosters(x, is, w);
	HASH_ITER(hh, x->all, e, next)
		if (!entry_holds(e, w, is))
			entry_drop(x, e);
	roster_free(x->roster);
	x->roster = is;
}

/* ---- queries ---- */

const char *
missing_place(const void *arg, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES])
{
	const struct missing *x = arg;
	const struct entry *e = entry_find(x, (struct key){ guid, 0, 0 });

	if (!e)
		return roster_place(x->roster, guid, port, buf);
	snprintf(buf, ROSTER_PLACE_BYTES, "%.*s port %u", ROSTER_NAME_BYTES - 1, e->name, port);
	return buf;
}

uint64_t
missing_behind(const struct missing *x, uint64_t at_guid, uint8_t at_port,
	char name[static ROSTER_NAME_BYTES])
{
	struct place at = { at_guid, at_port };
	const struct entry *e;

	HASH_FIND(by_place, x->places, &at, sizeof(at), e);
	if (!e)
		return 0;
	snprintf(name, ROSTER_NAME_BYTES, "%.*s", ROSTER_NAME_BYTES - 1, e->name);
	return e->key.a;
}

uint32_t
missing_silent(const struct missing *x, struct discover_place **out)
{
	uint32_t n = 0, cap = 0;

	*out = NULL;
	for (const struct entry *e = x->all; e; e = e->hh.next) {
		if (!e->type || e->why != WHY_SILENT)
			continue;
		GROW(*out, n, cap, 1);
		(*out)[n++] = (struct discover_place){ e->key.a, e->at.guid, (uint8_t)e->at.port };
	}
	return n;
}

uint32_t
missing_count(const struct missing *x)
{
	return HASH_COUNT(x->all);
}

static json_t *
entry_json(const struct entry *e, struct monotime now, time_t wall)
{
	int64_t us = monotime_sub_us(now, e->since);
	time_t since = wall - (time_t)(us / 1000000);
	char text[32];
	struct tm tm;

	gmtime_r(&since, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:f}", "kind",
		!e->type                            ? "link" :
			e->type == NODE_TYPE_SWITCH ? "switch" :
						      "node",
		"guid", e->type ? guid_to_json(e->key.a) : json_null(), "name", e->name, "place",
		e->other, "reason", why_texts[e->why], "since", text, "missing_s",
		(double)us / 1e6);
}

json_t *
missing_json(const struct missing *x, struct monotime now, time_t wall)
{
	json_t *a = json_array();

	for (const struct entry *e = x->all; e && json_array_size(a) < MISSING_LISTED;
		e = e->hh.next)
		json_array_append_new(a, entry_json(e, now, wall));
	return a;
}
