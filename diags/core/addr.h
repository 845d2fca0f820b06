/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * addr.h - where a request goes, as data: a LID, a directed route, or a route that begins at a LID.
 * Room: diags/core.  Pure.  diags/ask/address.h resolves what an operator types.
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
	uint16_t lid; /* LID, COMBINED: where the LID-routed part ends */
	uint8_t sl;
	uint16_t dr_slid, dr_dlid; /* as shown; PATH 65535, COMBINED: our LID and 65535 */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES]; /* path[0] = 0, hop_count more */
	bool grh;
	uint8_t gid[16];
	uint64_t guid; /* the GUID it was found by, else 0 */
};

struct diag_addr diag_addr_lid(uint16_t lid);
struct diag_addr diag_addr_path(const uint8_t *path, uint8_t hop_count);
/* Our own port: the path "0". */
struct diag_addr diag_addr_self(void);
/* {"lid", "path", "guid"}, null where there is none. */
json_t *diag_json_addr(const struct diag_addr *a);

/* Strict readers of operands.  False: not a number, or out of range; nothing is reported. */
bool diag_number(const char *text, uint64_t max, uint64_t *v);
/* "0,1,4" */
bool diag_path(const char *text, uint8_t path[static DGRAM_PATH_BYTES], uint8_t *hop_count);

#endif
