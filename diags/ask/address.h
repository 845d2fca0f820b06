/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * address.h - from what an operator types to an address: LID, directed route, GUID, name.
 * Room: diags/ask.  GUIDs and names are resolved by the SA.
 */
#ifndef HEDDLE_DIAGS_ASK_ADDRESS_H
#define HEDDLE_DIAGS_ASK_ADDRESS_H

#include "diags/core/addr.h"

struct diag;

/*
 * Reads an operand as -L, -D or -G say. "lid:5" and "guid:0x..." say themselves what they are. A
 * word that is no number, or "node:NAME", is a name of the node name map or a description that the
 * SA knows. 0, or the exit status of a failure that is already reported.
 */
int diag_address(struct diag *d, const char *text, struct diag_addr *a);
/* "LID" and "0,1,4": a route that begins at that LID (smpquery -c). */
int diag_address_combined(struct diag *d, const char *lid, const char *path, struct diag_addr *a);
/* The subnet manager: -s, else what our port says.  0 or the status of a reported failure. */
int diag_addr_sm(struct diag *d, struct diag_addr *a);
/* Asks the SA for the LID of a port GUID.  0, -ENOENT (not there), or another negative errno
 * (reported). */
int diag_addr_guid(struct diag *d, uint64_t port_guid, struct diag_addr *a);

#endif
