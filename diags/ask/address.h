/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * address.h - resolves an operand of the command line to an address: LID, directed route, GUID,
 * name.
 * Room: diags/ask.
 *
 * diags/core/addr.h has the address as data. GUIDs and node descriptions are resolved by queries to
 * the SA, so resolving may open the port and may fail like any request.
 */
#ifndef HEDDLE_DIAGS_ASK_ADDRESS_H
#define HEDDLE_DIAGS_ASK_ADDRESS_H

#include "diags/core/addr.h"

struct diag;

/* Resolves an operand as options -L, -D and -G say. Prefixes "lid:", "guid:" and "node:" override
 * these options. Any other word that is no number is a name from the node name map, or a node
 * description that the SA knows. Returns 0 or the exit status of a reported failure. */
int diag_address(struct diag *d, const char *text, struct diag_addr *a);
/* Makes an address from a LID and a directed route that begins there, "0,1,4" (smpquery -c).
 * Returns as diag_address() does. */
int diag_address_combined(struct diag *d, const char *lid, const char *path, struct diag_addr *a);
/* Stores the address of the SM: the LID of option -s, otherwise MasterSMLID of the own port.
 * Returns 0 or the status of a reported failure. */
int diag_addr_sm(struct diag *d, struct diag_addr *a);
/* Queries the SA for the LID and SL of a port GUID. Returns 0, -ENOENT (unknown GUID, not
 * reported), or another negative errno (reported). */
int diag_addr_guid(struct diag *d, uint64_t port_guid, struct diag_addr *a);

#endif
