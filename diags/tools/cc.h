/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cc.h - congestion control, as ibccquery and ibccconfig ask for it.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_CC_H
#define HEDDLE_DIAGS_TOOLS_CC_H

#include "diags/core/addr.h"
#include "libmad/attr/cc_attr.h"
#include "libmad/mad/dgram.h"

/* A datagram's bytes from the CC_Key on, and where the data begins among them: the log's,
 * everything else's. */
#define CC_KEYED_BYTES DGRAM_KEYED_BYTES
#define CC_DATA_OFFSET (DGRAM_GMP_AT - DGRAM_KEYED_AT)
#define CC_LOG_OFFSET (CC_LOG_AT - DGRAM_KEYED_AT)
#define CC_KEY_BYTES 8

/* The state of both tools: diag_state(). */
struct cc_state {
	uint64_t key; /* -c */
};

/* Get: 0 and the whole in 'keyed', or a negative errno (reported). */
int cc_get(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t keyed[static CC_KEYED_BYTES]);
/* Set of what is at CC_DATA_OFFSET of 'keyed', which becomes the answer. */
int cc_set(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t keyed[static CC_KEYED_BYTES]);
/* Takes -c KEY. 0, or the status of a reported failure; -ENOENT: another option. */
int cc_option(struct diag *d, int id, const char *value);
/* The number of ports of a switch: 0, or the exit status of a reported failure ('what' does not
 * work). */
int cc_switch_ports(struct diag *d, const struct diag_addr *to, const char *what, unsigned *ports);
/* Decoded, as an object. */
json_t *cc_json(struct diag *d, const struct attr_desc *desc, const uint8_t *image);

#endif
