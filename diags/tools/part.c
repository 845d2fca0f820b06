/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * part.c - the part of the fabric that -D, -G and -n select: found in a whole fabric, or discovered
 * alone.
 * Room: diags/tools. If the fabric is not known, only as many nodes are queried as infiniband-diags
 * queries.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/part.h"
#include "diags/tools/trace.h"
#include "libmad/attr/sm_attr.h"

#define ROUNDS_MAX 200          /* limit of rounds; a trace has 63 hops of a few facts each */

bool
part_is_wanted(const struct part *w)
{
	return w->guid || w->path || w->hops;
}

unsigned
part_reach(const struct part *w)
{
	return w->hops ? w->hops : 1;
}

/* ---- in a known fabric ---- */

static int
start_by_guid(struct diag *d, const struct part *w, const struct diag_fabric *f, uint32_t *node)
{
	uint64_t guid;

	if (!diag_number(w->guid, UINT64_MAX, &guid) || !guid)
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is no GUID", w->guid);
	for (uint32_t i = 0; i < f->s->nports; i++)
		if (f->s->ports[i].guid == guid && f->s->ports[i].flags & FAB_PORT_INFO) {
			*node = f->s->ports[i].node;
			return 0;
		}
	*node = snapshot_node_by_guid(f->s, guid);
	if (*node != FAB_NONE) {
		diag_warn(d, EXIT_OK, "usage", NULL, "%s is the GUID of a node, not of a port",
			w->guid);
		return 0;
	}
	return diag_fail(d, EXIT_FINDINGS, "not_found", "Failed to find port: %s", w->guid);
}

static int
start_by_path(struct diag *d, const struct part *w, const struct diag_fabric *f, uint32_t *node)
{
	uint8_t path[DGRAM_PATH_BYTES], hops;
	uint32_t at = f->s->sm_port;

	if (!diag_path(w->path, path, &hops))
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is no directed route like 0,1,4",
			w->path);
	if (hops && !fab_is_switch(fab_node_of(f, &f->s->ports[at])) &&
	    path[1] != f->s->ports[at].num)
		return diag_fail(d, EXIT_USAGE, "usage",
			"the route %s does not begin with our port, %u", w->path,
			f->s->ports[at].num);
	*node = f->s->ports[at].node;
	for (unsigned i = 1; i <= hops; i++) {
		const struct fab_node *n = &f->s->nodes[*node];

		at = (i == 1 || fab_is_switch(n)) && path[i] &&
			path[i] <= n->nports ? f->s->ports[n->first_port + path[i]].peer : FAB_NONE;
		if (at == FAB_NONE)
			return diag_fail(d, EXIT_PARTIAL, "timeout", "nothing answers at %s",
				w->path);
		*node = f->s->ports[at].node;
	}
	return 0;
}

int
part_start(struct diag *d, const struct part *w, const struct diag_fabric *f, uint32_t *node)
{
	*node = f->s->ports[f->s->sm_port].node;
	if (w->path)
		return start_by_path(d, w, f, node);
	return w->guid ? start_by_guid(d, w, f, node) : 0;
}

/* ---- by discovery ---- */

/* Finds the directed route to a port GUID by following the forwarding tables. Returns false if the
 * SA does not know the GUID or the tables do not lead there. */
static bool
route_to_guid(struct diag *d, const struct part *w, struct diag_addr *a)
{
	const struct trace_conf conf = { .mlid = 0 };
	struct facts k = { .d = d };
	struct trace t = { .end = TRACE_WAITING };
	struct diag_addr by_lid;
	uint64_t guid;

	if (!diag_number(w->guid, UINT64_MAX, &guid) || !guid || diag_addr_guid(d, guid, &by_lid))
		return false;
	for (unsigned round = 0; round < ROUNDS_MAX && t.end == TRACE_WAITING; round++) {
		trace_source(&k, &conf, by_lid.lid, &t);
		if (t.end == TRACE_WAITING && (!k.wanted || facts_fetch(&k)))
			break;
	}
	if (t.end == TRACE_FOUND)
		*a = diag_addr_path(t.step[t.nsteps - 1].at->path,
			t.step[t.nsteps - 1].at->hop_count);
	facts_clear(&k);
	return t.end == TRACE_FOUND;
}

/* Discovers the surroundings of the end of a route. An adapter does not forward packets, so the
 * nodes around it are discovered from the switch before it; '*node' is then the adapter. */
static int
around_route(struct diag *d, const struct part *w, const struct diag_addr *to,
	struct diag_fabric *f, uint32_t *node)
{
	bool beyond = w->all || (!w->guid && !w->path);
	struct diag_addr from = *to;
	unsigned reach = part_reach(w);
	uint8_t data[64];
	struct node_info i;
	int r;

	if (w->path && to->hop_count) {
		struct diag_reply reply;
		char label[DIAG_LABEL_BYTES];

		r = diag_query(d, &(struct diag_request){ .to = to, .attr_id = NODE_INFO_ID,
			.quiet = true }, &reply);
		if (!r)
			memcpy(data, reply.data, sizeof(data));
		diag_reply_clear(&reply);
		if (r)
			return diag_fail(d, EXIT_PARTIAL, "timeout", "nothing answers at %s (%s)",
				w->path,
				diag_label(to, label));
		i = node_info_decode(data);
		if (i.node_type != 2) {
			from.hop_count--;
			reach = reach > 1 ? reach - 1 : 1;
			r = diag_fabric_around(d, &from, reach, beyond && part_reach(w) > 1, f);
			*node = r ? FAB_NONE : snapshot_node_by_guid(f->s, i.node_guid);
			return r || *node != FAB_NONE ? r : diag_fail(d, EXIT_PARTIAL, "timeout",
				"nothing answers at %s", w->path);
		}
	}
	r = diag_fabric_around(d, &from, reach, beyond, f);
	if (!r)
		*node = f->s->ports[f->s->sm_port].node;
	return r;
}

static int
read_route(struct diag *d, const struct part *w, struct diag_addr *to)
{
	uint8_t path[DGRAM_PATH_BYTES], hops;
	const struct io_port *port;
	int r = diag_open(d);

	if (r)
		return r;
	if (!diag_path(w->path, path, &hops))
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is no directed route like 0,1,4",
			w->path);
	port = diag_port(d);
	if (hops && port->port && path[1] != port->port)
		return diag_fail(d, EXIT_USAGE, "usage",
			"the route %s does not begin with our port, %u", w->path, port->port);
	*to = diag_addr_path(path, hops);
	return 0;
}

int
part_fabric(struct diag *d, const struct part *w, struct diag_fabric *f, uint32_t *node)
{
	struct diag_addr to = diag_addr_self();
	uint64_t guid;
	int r;

	*node = FAB_NONE;
	/* The ends of a route may be anywhere in the fabric. */
	if (!part_is_wanted(w) || (diag_settings(d)->select && select_has(diag_settings(d)->select,
	    "route")))
		return diag_fabric(d, 0, f);
	if (diag_fabric_known(d, f, &r))
		return r;
	if (w->path) {
		r = read_route(d, w, &to);
		return r ? r : around_route(d, w, &to, f, node);
	}
	if (w->guid && (!diag_number(w->guid, UINT64_MAX, &guid) || !guid))
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is no GUID", w->guid);
	/* A GUID that is unknown to the SA may be a node GUID, so the whole fabric is
	 * discovered. */
	if (w->guid && !route_to_guid(d, w, &to))
		return diag_fabric(d, 0, f);
	return around_route(d, w, &to, f, node);
}
