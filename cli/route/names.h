/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * names.h - finds nodes and ports by the names that users type.
 * Room: cli/route.
 *
 * A node is named by its description, or by its GUID in hexadecimal with 0x; a port GUID names its
 * node, too.  Descriptions need not be unique; one that names several nodes is refused, with two of
 * their GUIDs.
 */
#ifndef HEDDLE_CLI_ROUTE_NAMES_H
#define HEDDLE_CLI_ROUTE_NAMES_H

#include "cli/route/tool.h"
#include "fabric/snapshot/tables.h"

#define NAMES_BYTES 200

/* The description of a node as printable text, or its GUID if it has none.  Returns 'buf'. */
const char *names_node(const struct fab_node *n, char buf[static NAMES_BYTES]);
/* "leaf-0-0 port 3".  Returns 'buf'. */
const char *names_port(const struct snapshot *s, uint32_t port, char buf[static NAMES_BYTES]);
/* {node_guid, name, port}: owned by the caller. */
json_t *names_port_json(const struct snapshot *s, uint32_t port);
json_t *names_guid_json(uint64_t guid);
/* The index of the node that 'text' names.  0, or the status of a reported failure. */
int names_find_node(struct tool *t, const struct snapshot *s, const char *text, uint32_t *node);
/* The end port of a node, or of a LID in decimal: port 0 of a switch, the first linked port of
 * another node, or the port with that GUID. */
int names_find_end(struct tool *t, const struct snapshot *s, const struct lid_map *lids,
	const char *text, uint32_t *port);

#endif
