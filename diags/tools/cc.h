/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cc.h - requests of congestion control, shared by ibccquery and ibccconfig.
 * Room: diags/tools.
 *
 * Every datagram of the congestion control class carries a CC_Key in front of its data. The
 * functions here send the key that option -c gave (0 without it) with each request, so that the
 * tools handle only the data. The layouts of the attributes are in libmad/attr/cc_attr.h.
 *
 * A buffer 'keyed' holds the CC_KEYED_BYTES of a datagram from the CC_Key on. The data of an
 * attribute begins at CC_DATA_OFFSET of that buffer; only the congestion log begins at
 * CC_LOG_OFFSET.
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

/* The state of both tools, as diag_state() returns it. */
struct cc_state {
	uint64_t key; /* the CC_Key of option -c */
};

/* Sends a Get and fills 'keyed' with the answer. Returns 0 or a negative errno; the failure is
 * already reported. */
int cc_get(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t keyed[static CC_KEYED_BYTES]);
/* Sends a Set of the data that the caller put at CC_DATA_OFFSET of 'keyed', and overwrites 'keyed'
 * with the answer. Returns as cc_get() does. */
int cc_set(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t keyed[static CC_KEYED_BYTES]);
/* Handles option -c KEY. Returns 0, the exit status of a reported failure, or -ENOENT if 'id' is
 * another option. */
int cc_option(struct diag *d, int id, const char *value);
/* Reads NodeInfo and stores the number of ports of a switch in '*ports'. Returns 0 or the exit
 * status of a reported failure; a node that is no switch is one. 'what' names the operation in the
 * message. */
int cc_switch_ports(struct diag *d, const struct diag_addr *to, const char *what, unsigned *ports);
/* Decodes 'image', an attribute of layout 'desc', and returns it as a JSON object that the caller
 * owns. Keys are null unless -K is given. */
json_t *cc_json(struct diag *d, const struct attr_desc *desc, const uint8_t *image);

#endif
