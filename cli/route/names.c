/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * names.c - finds nodes by description, GUID or LID, and prints them.
 * Room: cli/route.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/route/names.h"
#include "util/nearest.h"
#include "util/optab.h"
#include "util/xalloc.h"

const char *
names_node(const struct fab_node *n, char buf[static NAMES_BYTES])
{
	snapshot_desc_text(n, buf, NAMES_BYTES);
	if (!*buf)
		snprintf(buf, NAMES_BYTES, "0x%016" PRIx64, n->guid);
	return buf;
}

const char *
names_port(const struct snapshot *s, uint32_t port, char buf[static NAMES_BYTES])
{
	const struct fab_port *p = &s->ports[port];
	size_t len;

	names_node(&s->nodes[p->node], buf);
	len = strlen(buf);
	if (len > NAMES_BYTES - 16)
		len = NAMES_BYTES - 16;
	snprintf(buf + len, NAMES_BYTES - len, " port %u", p->num);
	return buf;
}

json_t *
names_guid_json(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_string(text);
}

json_t *
names_port_json(const struct snapshot *s, uint32_t port)
{
	const struct fab_port *p = &s->ports[port];
	char name[NAMES_BYTES];

	return json_pack("{s:o, s:s, s:i}", "node_guid", names_guid_json(s->nodes[p->node].guid),
		"name", names_node(&s->nodes[p->node], name), "port", (int)p->num);
}

/* True if 'text' is 0x and hexadecimal digits. */
static bool
is_guid(const char *text, uint64_t *guid)
{
	char *end;

	if (strncmp(text, "0x", 2) != 0 || !text[2])
		return false;
	*guid = strtoull(text, &end, 16);
	return *end == '\0';
}

static int
find_guid(struct tool *t, const struct snapshot *s, uint64_t guid, uint32_t *node)
{
	uint32_t port;

	*node = snapshot_node_by_guid(s, guid);
	port = *node == FAB_NONE ? snapshot_port_by_guid(s, guid) : FAB_NONE;
	if (port != FAB_NONE)
		*node = s->ports[port].node;
	if (*node == FAB_NONE)
		return tool_fail(t, EXIT_USAGE, "not_found",
			"no node or port of %.80s has the GUID 0x%016" PRIx64, t->operands[0],
			guid);
	return 0;
}

int
names_find_node(struct tool *t, const struct snapshot *s, const char *text, uint32_t *node)
{
	struct nearest near = nearest_start(text);
	char name[NAMES_BYTES], best[NAMES_BYTES] = "";
	uint64_t guid;

	if (is_guid(text, &guid))
		return find_guid(t, s, guid, node);
	*node = FAB_NONE;
	for (uint32_t i = 0; i < s->nnodes; i++) {
		nearest_offer(&near, names_node(&s->nodes[i], name));
		if (near.best == name) /* a copy, as the buffer is used again */
			near.best = strcpy(best, name);
		if (strcmp(name, text) != 0)
			continue;
		if (*node != FAB_NONE)
			return tool_fail(t, EXIT_USAGE, "not_found",
				"'%.64s' names several nodes, 0x%016" PRIx64 " and 0x%016" PRIx64
				"; give a GUID",
				text, s->nodes[*node].guid, s->nodes[i].guid);
		*node = i;
	}
	if (*node != FAB_NONE)
		return 0;
	if (near.best)
		return tool_fail(t, EXIT_USAGE, "not_found",
			"no node of %.80s is called '%.64s'; did you mean '%.64s'?", t->operands[0],
			text, near.best);
	return tool_fail(t, EXIT_USAGE, "not_found", "no node of %.80s is called '%.64s'",
		t->operands[0], text);
}

static int
find_lid(struct tool *t, const struct lid_map *lids, const char *text, uint32_t *port)
{
	unsigned long lid = strtoul(text, NULL, 10);

	*port = lid <= lids->top ? lids->owner[lid] : FAB_NONE;
	if (*port == FAB_NONE)
		return tool_fail(t, EXIT_USAGE, "not_found", "no port has the LID %.20s", text);
	return 0;
}

int
names_find_end(struct tool *t, const struct snapshot *s, const struct lid_map *lids,
	const char *text, uint32_t *port)
{
	const struct fab_node *n;
	uint64_t guid;
	uint32_t node;
	int r;

	if (*text && text[strspn(text, "0123456789")] == '\0')
		return find_lid(t, lids, text, port);
	if (is_guid(text, &guid) && (*port = snapshot_port_by_guid(s, guid)) != FAB_NONE)
		return 0;
	r = names_find_node(t, s, text, &node);
	if (r)
		return r;
	n = &s->nodes[node];
	*port = n->first_port;
	for (unsigned i = 1; !fab_is_switch(n) && i <= n->nports; i++)
		if (s->ports[n->first_port + i].peer != FAB_NONE) {
			*port = n->first_port + i;
			return 0;
		}
	return fab_is_switch(n) ?
		0 :
		tool_fail(t, EXIT_USAGE, "not_found", "'%.64s' has no link", text);
}
