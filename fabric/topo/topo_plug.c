/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_plug.c - joins the cables of a topology file.
 * Room: fabric/topo.  Pure.
 * In: nodes in a builder, port lines and aliases with the places they were read at.  Out: cables in
 * the builder, or a sentence about the first line that cannot be right.
 *
 * A cable may be named by one end or by both.  Named by both, each must lead to the other; named by
 * one, the other end must not be spoken for.  An end that is named nowhere takes the widths and
 * speeds of the end that is.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/topo/topo_plug.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define NO_PLUG UINT32_MAX

struct named {
	const char *id;
	uint32_t node;
};

/* The work of one topo_plugs_join(). */
struct join {
	struct topo_plugs *p;
	struct topo_builder *b;
	struct topo_error *e;
	struct named *ids;              /* sorted */
	uint32_t *plug_of_port;         /* by the builder's port index; NO_PLUG: no line names it */
};

int
topo_complain(struct topo_error *e, struct topo_place at, const char *fmt, ...)
{
	int used = at.line ? snprintf(e->text, sizeof(e->text), "%.100s:%" PRIu32 ": ", at.file,
		at.line)
		: snprintf(e->text, sizeof(e->text), "%.100s: ", at.file);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text + used, sizeof(e->text) - (size_t)used, fmt, ap);
	va_end(ap);
	for (char *s = e->text; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
	return -EINVAL;
}

static void *
plugs_grow(void *table, uint32_t count, uint32_t *cap, size_t size)
{
	if (count == *cap) {
		*cap = (uint32_t)grow_capacity(*cap, (size_t)count + 1, 64, UINT32_MAX);
		table = xreallocarray(table, *cap, size);
	}
	memset((char *)table + count * size, 0, size);
	return table;
}

struct topo_plug *
topo_plugs_add(struct topo_plugs *p)
{
	p->plugs = plugs_grow(p->plugs, p->nplugs, &p->plugs_cap, sizeof(*p->plugs));
	return &p->plugs[p->nplugs++];
}

struct topo_alias *
topo_plugs_add_alias(struct topo_plugs *p)
{
	p->aliases = plugs_grow(p->aliases, p->naliases, &p->aliases_cap, sizeof(*p->aliases));
	return &p->aliases[p->naliases++];
}

struct topo_place *
topo_plugs_add_node(struct topo_plugs *p)
{
	p->nodes = plugs_grow(p->nodes, p->nnodes, &p->nodes_cap, sizeof(*p->nodes));
	return &p->nodes[p->nnodes++];
}

void
topo_plugs_clear(struct topo_plugs *p)
{
	arena_clear(&p->arena);
	free(p->plugs);
	free(p->aliases);
	free(p->nodes);
	memset(p, 0, sizeof(*p));
}

static int
named_compare(const void *va, const void *vb)
{
	const struct named *a = va, *b = vb;

	return strcmp(a->id, b->id);
}

static int
alias_compare(const void *va, const void *vb)
{
	const struct topo_alias *a = va, *b = vb;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->place.line > b->place.line) - (a->place.line < b->place.line);
}

static const char *
node_id_of(struct join *j, uint32_t node)
{
	return topo_builder_at(j->b, node)->id;
}

static uint32_t
port_index(struct join *j, uint32_t node, uint8_t port)
{
	return topo_builder_at(j->b, node)->first_port + port;
}

static int
sort_ids(struct join *j)
{
	uint32_t count = topo_builder_count(j->b), first, second;

	j->ids = xcalloc(count + 1, sizeof(*j->ids));
	for (uint32_t i = 0; i < count; i++)
		j->ids[i] = (struct named){ node_id_of(j, i), i };
	qsort(j->ids, count, sizeof(*j->ids), named_compare);
	switch (topo_builder_clash(j->b, &first, &second)) {
	case TOPO_CLASH_ID:
		return topo_complain(j->e, j->p->nodes[second],
			"node id \"%s\" is already that of line %" PRIu32,
			node_id_of(j, second), j->p->nodes[first].line);
	case TOPO_CLASH_GUID:
		return topo_complain(j->e, j->p->nodes[second],
			"node \"%s\" has the GUID 0x%016" PRIx64 " of node \"%s\" (line %" PRIu32
			")",
			node_id_of(j, second), topo_builder_at(j->b, second)->guid,
			node_id_of(j, first), j->p->nodes[first].line);
	case TOPO_CLASH_PORT_GUID: /* only switches have plugged ports' GUIDs yet: their port 0 */
		return topo_complain(j->e, j->p->nodes[second],
			"port 0 of \"%s\" has the GUID of port 0 of \"%s\" (line %" PRIu32 ")",
			node_id_of(j, second), node_id_of(j, first), j->p->nodes[first].line);
	case TOPO_CLASH_NONE:
		break;
	}
	return 0;
}

static int
sort_aliases(struct join *j)
{
	struct topo_alias *v = j->p->aliases;

	if (j->p->naliases)
		qsort(v, j->p->naliases, sizeof(*v), alias_compare);
	for (uint32_t i = 1; i < j->p->naliases; i++)
		if (!strcmp(v[i - 1].name, v[i].name))
			return topo_complain(j->e, v[i].place,
				"alias \"%s\" is already that of line %" PRIu32,
				v[i].name, v[i - 1].place.line);
	return 0;
}

/* Turns an alias into node and port, or the id into a node; then the port must exist. */
static int
find_peer(struct join *j, struct topo_plug *plug, uint32_t *peer_node)
{
	uint8_t nports;

	if (strchr(plug->peer, '@')) {
		const struct topo_alias *hit;
		uint32_t i;

		BISECT(i, j->p->naliases, strcmp(j->p->aliases[i].name, plug->peer) < 0);
		hit = &j->p->aliases[i];
		if (i == j->p->naliases || strcmp(hit->name, plug->peer) != 0)
			return topo_complain(j->e, plug->place,
				"port %u leads to alias \"%s\", which no line defines", plug->port,
				plug->peer);
		*peer_node = hit->node;
		plug->peer_port = hit->port;
	} else {
		struct named key = { plug->peer, 0 };
		struct named *hit = bsearch(&key, j->ids, topo_builder_count(j->b), sizeof(key),
			named_compare);

		if (!hit)
			return topo_complain(j->e, plug->place,
				"port %u leads to \"%s\", which no line defines (is the file cut short?)",
				plug->port, plug->peer);
		*peer_node = hit->node;
	}
	nports = topo_builder_at(j->b, *peer_node)->nports;
	if (plug->peer_port > nports)
		return topo_complain(j->e, plug->place,
			"port %u leads to port %u of \"%s\", which has %u port%s",
			plug->port, plug->peer_port, node_id_of(j, *peer_node), nports,
			nports == 1 ? "" : "s");
	if (*peer_node == plug->node && plug->peer_port == plug->port)
		return topo_complain(j->e, plug->place, "port %u leads to itself", plug->port);
	return 0;
}

static int
mark_ports(struct join *j)
{
	uint32_t count = topo_builder_count(j->b), ports;

	ports = count ? port_index(j, count - 1, 0) + topo_builder_at(j->b, count - 1)->nports + 1 :
		0;
	j->plug_of_port = xmalloc(((size_t)ports + 1) * sizeof(*j->plug_of_port));
	for (uint32_t i = 0; i < ports; i++)
		j->plug_of_port[i] = NO_PLUG;
	for (uint32_t i = 0; i < j->p->nplugs; i++) {
		const struct topo_plug *plug = &j->p->plugs[i];
		uint32_t *mark = &j->plug_of_port[port_index(j, plug->node, plug->port)];

		if (*mark != NO_PLUG)
			return topo_complain(j->e, plug->place,
				"port %u of \"%s\" is connected twice (first on line %" PRIu32 ")",
				plug->port, node_id_of(j, plug->node),
				j->p->plugs[*mark].place.line);
		*mark = i;
	}
	return 0;
}

/* Two lines may both give a port's GUID: they must agree. */
static int
set_guid(struct join *j, const struct topo_plug *plug, uint32_t node, uint8_t port, uint64_t own,
	uint64_t other)
{
	uint64_t guid = own ? own : other;

	if (own && other && own != other)
		return topo_complain(j->e, plug->place,
			"the two ends disagree about the GUID of port %u of \"%s\": 0x%" PRIx64
			" and 0x%" PRIx64,
			port, node_id_of(j, node), own, other);
	if (guid && topo_builder_at(j->b, node)->type != TOPO_SWITCH)
		topo_builder_port(j->b, node, port)->guid = guid;
	return 0;
}

static void
set_lid(struct join *j, uint32_t node, uint8_t port, const struct topo_plug *own,
	uint16_t from_peer)
{
	bool is_switch = topo_builder_at(j->b, node)->type == TOPO_SWITCH;
	struct topo_port *p = topo_builder_port(j->b, node, is_switch ? 0 : port);

	if (own && !is_switch) {
		p->lid = own->lid;
		p->lmc = own->lmc;
	}
	if (!p->lid)
		p->lid = from_peer;
}

static void
set_speed(struct topo_port *p, const struct topo_caps *active)
{
	p->width = active->width;
	p->speed = active->speed;
	p->speed_ext = active->ext;
	p->speed_ext2 = active->ext2;
	p->fdr10 = active->fdr10;
}

/* Plugs in the cable that 'plug' names; 'other' is the line of the far end, or NULL. */
static int
join_one(struct join *j, const struct topo_plug *plug, uint32_t peer_node,
	const struct topo_plug *other)
{
	struct topo_caps active;
	int r;

	if (!topo_caps_meet(&plug->caps, other ? &other->caps : &plug->caps, &active))
		return topo_complain(j->e, plug->place,
			"port %u and port %u of \"%s\" have no %s in common",
			plug->port, plug->peer_port, node_id_of(j, peer_node), active.width ?
			"speed" : "width");
	r = topo_builder_cable(j->b, plug->node, plug->port, peer_node, plug->peer_port);
	if (r)
		return topo_complain(j->e, plug->place,
			"port %u leads to port %u of \"%s\", which is connected twice",
			plug->port, plug->peer_port, node_id_of(j, peer_node));
	r = set_guid(j, plug, plug->node, plug->port, plug->guid, other ? other->peer_guid : 0);
	if (!r)
		r = set_guid(j, plug, peer_node, plug->peer_port, other ? other->guid : 0,
			plug->peer_guid);
	set_lid(j, plug->node, plug->port, plug, other ? other->peer_lid : 0);
	set_lid(j, peer_node, plug->peer_port, other, plug->peer_lid);
	set_speed(topo_builder_port(j->b, plug->node, plug->port), &active);
	set_speed(topo_builder_port(j->b, peer_node, plug->peer_port), &active);
	return r;
}

static int
join_all(struct join *j)
{
	for (uint32_t i = 0; i < j->p->nplugs; i++) {
		struct topo_plug *plug = &j->p->plugs[i], *other;
		uint32_t peer_node, back_node, mark;
		int r = find_peer(j, plug, &peer_node);

		if (r)
			return r;
		mark = j->plug_of_port[port_index(j, peer_node, plug->peer_port)];
		other = mark == NO_PLUG ? NULL : &j->p->plugs[mark];
		if (other) {
			r = find_peer(j, other, &back_node);
			if (r)
				return r;
			if (back_node != plug->node || other->peer_port != plug->port)
				return topo_complain(j->e, plug->place,
					"port %u leads to port %u of \"%s\", but line %" PRIu32
					" has that port lead to port %u of \"%s\"", plug->port,
					plug->peer_port,
					node_id_of(j, peer_node), other->place.line,
					other->peer_port, node_id_of(j, back_node));
			if (mark < i)
				continue;       /* joined from the other end */
		}
		r = join_one(j, plug, peer_node, other);
		if (r)
			return r;
	}
	return 0;
}

static int
check_port_guids(struct join *j)
{
	uint32_t first, second;

	if (topo_builder_clash(j->b, &first, &second) == TOPO_CLASH_NONE)
		return 0;
	return topo_complain(j->e, j->p->nodes[second],
		"a port of \"%s\" has the GUID of a port of \"%s\" (line %" PRIu32 ")",
		node_id_of(j, second), node_id_of(j, first), j->p->nodes[first].line);
}

int
topo_plugs_join(struct topo_plugs *p, struct topo_builder *b, struct topo_error *e)
{
	struct join j = { p, b, e, NULL, NULL };
	int r = sort_ids(&j);

	if (!r)
		r = sort_aliases(&j);
	if (!r)
		r = mark_ports(&j);
	if (!r)
		r = join_all(&j);
	if (!r)
		r = check_port_guids(&j);
	free(j.ids);
	free(j.plug_of_port);
	return r;
}
