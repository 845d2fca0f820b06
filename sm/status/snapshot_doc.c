/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_doc.c - nodes and ports of the served snapshot, as JSON.
 * Room: sm/status. In: the served data. Out: JSON as in sm/ctl/io.heddle.Manager.varlink.
 */
#include <config.h>
#include "sm/status/ends.h"
#include "sm/status/snapshot_doc.h"

static const char *
type_word(const struct fab_node *n)
{
	return n->type == NODE_TYPE_CA ? "ca" : n->type == NODE_TYPE_SWITCH ? "switch" : "router";
}

static const char *
port_state_word(uint8_t state)
{
	static const char *const word[] = { "no_change", "down", "init", "armed", "active",
		"active_defer" };

	return state < sizeof(word) / sizeof(word[0]) ? word[state] : "unknown";
}

static json_t *
port_json(const struct served_view *v, uint32_t p)
{
	const struct snapshot *s = v->s;
	const struct fab_port *port = &s->ports[p];
	bool read = port->flags & FAB_PORT_INFO, end = snapshot_is_endport(s, port);
	struct port_info pi = port_info_decode(port->info);
	json_t *peer = json_null();

	if (port->peer != FAB_NONE) {
		const struct fab_port *q = &s->ports[port->peer];

		peer = json_pack("{s:o, s:i}", "guid", ends_guid_json(s->nodes[q->node].guid),
			"port", q->num);
	}
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "port", port->num,
		"state", read ? json_string(port_state_word(pi.state)) : json_null(),
		"port_guid", end ? ends_guid_json(port->guid) : json_null(),
		"lid", end && read ? json_integer(pi.lid) : json_null(),
		"lmc", end && read ? json_integer(pi.lmc) : json_null(), "peer", peer);
}

static json_t *
node_json(const struct served_view *v, uint32_t i)
{
	const struct fab_node *n = &v->s->nodes[i];
	json_t *ports = json_array();

	for (unsigned k = fab_is_switch(n) ? 0 : 1; k <= n->nports; k++)
		json_array_append_new(ports, port_json(v, n->first_port + k));
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "guid", ends_guid_json(n->guid), "type",
		type_word(n), "description", ends_description_json(n), "path",
		ends_path_json(n->path, n->hop_count), "ports", ports);
}

json_t *
snapshot_doc_json(const struct served_view *v)
{
	const struct snapshot *s = v->s;
	json_t *nodes;

	if (!s)
		return NULL;
	nodes = json_array();
	for (uint32_t i = 0; i < s->nnodes; i++)
		json_array_append_new(nodes, node_json(v, i));
	return json_pack("{s:i, s:o, s:i, s:i, s:i, s:o}", "sweep", v->sweeps, "port_guid",
		ends_guid_json(s->ports[s->sm_port].guid), "switches", s->nswitches, "hosts",
		s->nhosts, "links", s->nlinks, "nodes", nodes);
}
