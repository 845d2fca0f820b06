/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topology_doc.c - the document about the intended topology.
 * Room: sm/status.  In: const views of the sweep and its topology.  Out: JSON as in
 * sm/ctl/io.heddle.Manager.varlink.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/status/topology_doc.h"
#include "util/guid.h"

#define TEXT_BYTES (2 * ROSTER_PLACE_BYTES + 32)

struct names {
	const struct snapshot *s; /* NULL: none is served */
	const struct missing *missing;
};

/* A node by its name in the fabric, or the one it had; by its GUID if it never had one. */
static void
name_node(const struct names *x, uint64_t guid, char buf[static ROSTER_NAME_BYTES])
{
	uint32_t node = x->s ? snapshot_node_by_guid(x->s, guid) : FAB_NONE;
	char place[ROSTER_PLACE_BYTES];

	if (node != FAB_NONE) {
		roster_name(guid, x->s->nodes[node].desc, buf);
		return;
	}
	missing_place(x->missing, guid, 0, place);
	place[strlen(place) - strlen(" port 0")] = '\0';
	snprintf(buf, ROSTER_NAME_BYTES, "%.*s", (int)ROSTER_NAME_BYTES - 1, place);
}

/* The host of a port GUID; of a missing one, what was last seen at its place. */
static void
name_host(
	const struct names *x, const struct intended_change *c, char buf[static ROSTER_NAME_BYTES])
{
	uint32_t port = x->s ? snapshot_port_by_guid(x->s, c->guid) : FAB_NONE;

	if (port != FAB_NONE)
		name_node(x, x->s->nodes[x->s->ports[port].node].guid, buf);
	else if (!missing_behind(x->missing, c->other, c->other_port, buf))
		snprintf(buf, ROSTER_NAME_BYTES, "0x%016llx", (unsigned long long)c->guid);
}

static void
describe(const struct names *x, const struct intended_change *c, char text[static TEXT_BYTES])
{
	char one[ROSTER_NAME_BYTES], other[ROSTER_NAME_BYTES] = "";

	if (c->other)
		name_node(x, c->other, other);
	switch (c->kind) {
	case INTENDED_MISSING_SWITCH:
	case INTENDED_NEW_SWITCH:
		name_node(x, c->guid, one);
		snprintf(text, TEXT_BYTES, "%s", one);
		return;
	case INTENDED_MISSING_HOST:
	case INTENDED_NEW_HOST:
	case INTENDED_MOVED_HOST:
		name_host(x, c, one);
		snprintf(text, TEXT_BYTES, "%s at %s port %u", one, other, c->other_port);
		return;
	case INTENDED_MISSING_LINK:
	case INTENDED_NEW_LINK:
		name_node(x, c->guid, one);
		snprintf(text, TEXT_BYTES, "%s port %u - %s port %u", one, c->port, other,
			c->other_port);
		return;
	case INTENDED_OTHER_PEER:
	case INTENDED_CHANGE_KINDS:
		name_node(x, c->guid, one);
		snprintf(text, TEXT_BYTES, "%s port %u leads to %s", one, c->port, other);
		return;
	}
}

static json_t *
change_json(const struct names *x, const struct intended_change *c)
{
	char text[TEXT_BYTES];

	describe(x, c, text);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "kind", intended_change_text(c->kind),
		"guid", guid_to_json(c->guid), "port",
		c->port ? json_integer(c->port) : json_null(), "other",
		guid_or_null_to_json(c->other), "other_port",
		c->other_port ? json_integer(c->other_port) : json_null(), "text", text);
}

/* The first changes of the kinds from 'first' to 'last', and their number as NAME_total. */
static void
add_list(json_t *o, const char *name, const struct names *x, const struct intended_diff *d,
	enum intended_change_kind first, enum intended_change_kind last)
{
	json_t *list = json_array();
	json_int_t total = 0;
	char member[32];

	for (uint32_t i = 0; d && i < d->n; i++) {
		if (d->v[i].kind < first || d->v[i].kind > last)
			continue;
		if (total++ < TOPOLOGY_LISTED)
			json_array_append_new(list, change_json(x, &d->v[i]));
	}
	json_object_set_new(o, name, list);
	snprintf(member, sizeof(member), "%s_total", name);
	json_object_set_new(o, member, json_integer(total));
}

static json_t *
counts_json(uint32_t switches, uint32_t links, uint32_t hosts)
{
	return json_pack("{s:I, s:I, s:I}", "switches", (json_int_t)switches, "links",
		(json_int_t)links, "hosts", (json_int_t)hosts);
}

json_t *
topology_doc_json(const struct subnet *n, const struct sweep *w)
{
	static const char *const wishes[] = { [TOPOLOGY_KEEP] = "none",
		[TOPOLOGY_ADOPT] = "adopt",
		[TOPOLOGY_REBALANCE] = "rebalance" };
	const struct topology *v = &w->history.topology;
	struct names x = { n->served.s, w->watch->missing };
	json_t *o = json_pack("{s:s, s:b, s:s, s:o, s:s*, s:o, s:o}", "state",
		!v->t              ? "none" :
			v->foreign ? "foreign" :
				     "learned",
		"held", v->held, "command", wishes[v->wish], "unread",
		v->unread[0] ? json_string(v->unread) : json_null(), "root_rule",
		v->t ? v->t->root_rule : NULL, "intended",
		v->t ? counts_json(v->t->nsw, v->t->nlinks, v->t->nhosts) : json_null(), "present",
		v->diff ? counts_json(v->diff->present, v->diff->links, v->diff->hosts) :
			  json_null());

	if (!v->t)
		json_object_set_new(o, "root_rule", json_null());
	add_list(o, "missing", &x, v->diff, INTENDED_MISSING_SWITCH, INTENDED_MISSING_HOST);
	add_list(o, "pending", &x, v->diff, INTENDED_NEW_SWITCH, INTENDED_OTHER_PEER);
	return o;
}
