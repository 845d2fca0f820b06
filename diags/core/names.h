/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * names.h - names of nodes: from the node name map, otherwise the node description.
 * Room: diags/core. The map is read when the first name is needed, or at the start if the command
 * line names it.
 *
 * Every name that a tool prints comes from diag_name(), so that a node has the same name in text,
 * JSON and messages, and that a description cannot control the terminal.
 */
#ifndef HEDDLE_DIAGS_CORE_NAMES_H
#define HEDDLE_DIAGS_CORE_NAMES_H

#include <stdint.h>

struct diag;
struct diag_names;

#define DIAG_NAME_BYTES 257
/* Writes the name of a node to 'buf': the one of the map, otherwise the description with blanks
 * instead of unprintable characters. Returns 'buf'. */
const char *diag_name(struct diag *d, uint64_t node_guid, const uint8_t desc[64],
	char buf[static DIAG_NAME_BYTES]);
/* Returns the node GUID that the map has for a name; 0: none. */
uint64_t diag_name_guid(struct diag *d, const char *name);
/* Reads the map unless that was done. Returns 0 or the status of a reported failure; a file named
 * by an option must exist. */
int diag_names_load(struct diag *d);
void diag_names_free(struct diag_names *n); /* accepts NULL */

#endif
