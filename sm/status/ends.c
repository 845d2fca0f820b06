/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ends.c - end ports by name, and nodes as JSON.
 * Room: sm/status. In: the served data. Out: ports, JSON.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sm/plan/plan.h"
#include "sm/status/ends.h"
#include "util/guid.h"

json_t *
ends_guid_json(uint64_t guid)
{
	return guid_to_json(guid);
}

json_t *
ends_description_json(const struct fab_node *n)
{
	char text[NODE_DESC_BYTES * 3 + 1];

	return json_string(snapshot_desc_text(n, text, sizeof(text)));
}

json_t *
ends_path_json(const uint8_t *path, uint8_t hops)
{
	char text[DGRAM_PATH_BYTES * 4];

	return json_string(fab_path_text(path, hops, text, sizeof(text)));
}

static uint32_t
first_endport(const struct snapshot *s, uint32_t node)
{
	const struct fab_node *n = &s->nodes[node];

	for (unsigned k = 0; k <= n->nports; k++)
		if (snapshot_is_endport(s, &s->ports[n->first_port + k]))
			return n->first_port + k;
	return FAB_NONE;
}

static uint32_t
end_by_description(const struct snapshot *s, const char *name)
{
	char text[NODE_DESC_BYTES * 3 + 1];
	uint32_t found = FAB_NONE;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		if (strcmp(snapshot_desc_text(&s->nodes[i], text, sizeof(text)), name))
			continue;
		if (found != FAB_NONE)
			return FAB_NONE;        /* ambiguous */
		found = i;
	}
	return found == FAB_NONE ? FAB_NONE : first_endport(s, found);
}

uint32_t
ends_by_name(const struct served_view *v, const char *name, uint16_t *lid)
{
	const struct snapshot *s = v->s;
	const struct lid_map *l = &v->plan->lids;
	char *rest;
	unsigned long long number;
	uint32_t p, n;

	errno = 0;
	number = strtoull(name, &rest, 0);
	if (*name && !*rest && !errno) {
		if (number <= l->top && number > 0) {
			*lid = (uint16_t)number;
			return l->owner[number];
		}
		p = snapshot_port_by_guid(s, number);
		if (p == FAB_NONE && (n = snapshot_node_by_guid(s, number)) != FAB_NONE)
			p = first_endport(s, n);
	} else {
		p = end_by_description(s, name);
	}
	if (p != FAB_NONE)
		*lid = l->base[p];
	return p;
}

json_t *
ends_json(const struct served_view *v, uint32_t p, uint16_t lid)
{
	const struct fab_port *port = &v->s->ports[p];
	const struct fab_node *n = &v->s->nodes[port->node];

	return json_pack("{s:o, s:i, s:o, s:i, s:o}", "guid", ends_guid_json(n->guid), "port",
		port->num, "port_guid", ends_guid_json(port->guid), "lid", lid, "description",
		ends_description_json(n));
}
