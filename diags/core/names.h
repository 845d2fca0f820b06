/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * names.h - names of nodes: the node name map, else the node description.
 * Room: diags/core. The map is read when the first name is wanted, or at the start if the command
 * line names it.
 */
#ifndef HEDDLE_DIAGS_CORE_NAMES_H
#define HEDDLE_DIAGS_CORE_NAMES_H

#include <stdint.h>

struct diag;
struct diag_names;

#define DIAG_NAME_BYTES 257
/* The name of a node: the map's, else the description with blanks for what cannot be printed. 
 * Returns 'buf'. */
const char *diag_name(struct diag *d, uint64_t node_guid, const uint8_t desc[64],
	char buf[static DIAG_NAME_BYTES]);
/* The node GUID that the map gives to a name; 0 none. */
uint64_t diag_name_guid(struct diag *d, const char *name);
/* Reads the map if that was not done.  0, or the status of a failure that is reported: a file that
 * was named must be there. */
int diag_names_load(struct diag *d);
void diag_names_free(struct diag_names *n); /* NULL is fine */

#endif
