/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * addr.h - an address as data: a LID, a directed route, or a directed route that begins at a LID.
 * Room: diags/core. Pure. diags/ask/address.h resolves operands of the command line.
 *
 * An address is complete: whatever a request needs for its route is in it, so addresses can be
 * copied and stored, and the functions here need neither a port nor a fabric.
 */
#ifndef HEDDLE_DIAGS_CORE_ADDR_H
#define HEDDLE_DIAGS_CORE_ADDR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "libmad/mad/dgram.h"

enum diag_addr_kind { DIAG_ADDR_LID, DIAG_ADDR_PATH, DIAG_ADDR_COMBINED };
struct diag_addr {
	enum diag_addr_kind kind;
	uint16_t lid; /* LID, COMBINED: the LID to which the LID-routed part leads */
	uint8_t sl;
	uint16_t dr_slid, dr_dlid; /* as printed; PATH: 65535; COMBINED: the own LID and 65535 */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES]; /* path[0] is 0, then 'hop_count' output ports */
	bool grh;
	uint8_t gid[16];
	uint64_t guid; /* GUID from which the address was resolved, or 0 */
};

/* Make addresses; 'path' has path[0] = 0 and 'hop_count' output ports after it. */
struct diag_addr diag_addr_lid(uint16_t lid);
struct diag_addr diag_addr_path(const uint8_t *path, uint8_t hop_count);
/* The own port: the route "0". */
struct diag_addr diag_addr_self(void);
/* Returns {"lid", "path", "guid"}, with null for those that the address does not have; the caller
 * owns it. */
json_t *diag_json_addr(const struct diag_addr *a);

/* Strict parsers of operands. They return false for anything but a number in range, or a route;
 * nothing is reported. */
bool diag_number(const char *text, uint64_t max, uint64_t *v);
/* Parses a route such as "0,1,4". */
bool diag_path(const char *text, uint8_t path[static DGRAM_PATH_BYTES], uint8_t *hop_count);

#endif
