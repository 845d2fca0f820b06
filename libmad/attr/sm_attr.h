/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sm_attr.h - the attributes of the subnet management classes (0x01 and 0x81).
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 *
 * Each block below declares one attribute from its .def file; attr.h lists what it generates.
 * Names of values, such as port states, are in codes.h.
 */
#ifndef HEDDLE_LIBMAD_ATTR_SM_ATTR_H
#define HEDDLE_LIBMAD_ATTR_SM_ATTR_H

#include "libmad/attr/attr.h"
#include "libmad/attr/codes.h"

#define NODE_INFO_ID 0x0011
#define NODE_INFO_BYTES 40
#define NODE_DESC_ID 0x0010
#define NODE_DESC_BYTES 64
#define SWITCH_INFO_ID 0x0012
#define SWITCH_INFO_BYTES 20
#define PORT_INFO_ID 0x0015
#define PORT_INFO_BYTES 64
#define PKEY_TABLE_ID 0x0016
#define PKEY_TABLE_BYTES 64
#define GUID_INFO_ID 0x0014
#define GUID_INFO_BYTES 64
#define LFT_BLOCK_ID 0x0019
#define LFT_BLOCK_BYTES 64
#define RFT_BLOCK_ID 0x001a
#define RFT_BLOCK_BYTES 64
#define MFT_BLOCK_ID 0x001b
#define MFT_BLOCK_BYTES 64
#define SLVL_TABLE_ID 0x0017
#define SLVL_TABLE_BYTES 8
#define VLARB_TABLE_ID 0x0018
#define VLARB_TABLE_BYTES 64
#define SM_INFO_ID 0x0020
#define SM_INFO_BYTES 24
#define VENDOR_DIAG_ID 0x0030
#define VENDOR_DIAG_BYTES 64
#define LED_INFO_ID 0x0031
#define LED_INFO_BYTES 4
#define PORT_INFO_EXT_ID 0x0033
#define PORT_INFO_EXT_BYTES 64
#define SWITCH_PORT_STATE_ID 0x0034
#define SWITCH_PORT_STATE_BYTES 64
#define MLNX_EXT_PORT_INFO_ID 0xff90
#define MLNX_EXT_PORT_INFO_BYTES 64
#define NOTICE_ID 0x0002
#define NOTICE_BYTES 64

#define ATTR_NAME node_info
#define ATTR_DEF "libmad/attr/node_info.def"
#define ATTR_BYTES NODE_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME node_desc
#define ATTR_DEF "libmad/attr/node_desc.def"
#define ATTR_BYTES NODE_DESC_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME switch_info
#define ATTR_DEF "libmad/attr/switch_info.def"
#define ATTR_BYTES SWITCH_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME port_info
#define ATTR_DEF "libmad/attr/port_info.def"
#define ATTR_BYTES PORT_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pkey_table
#define ATTR_DEF "libmad/attr/pkey_table.def"
#define ATTR_BYTES PKEY_TABLE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME guid_info
#define ATTR_DEF "libmad/attr/guid_info.def"
#define ATTR_BYTES GUID_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME lft_block
#define ATTR_DEF "libmad/attr/lft_block.def"
#define ATTR_BYTES LFT_BLOCK_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME rft_block
#define ATTR_DEF "libmad/attr/rft_block.def"
#define ATTR_BYTES RFT_BLOCK_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME mft_block
#define ATTR_DEF "libmad/attr/mft_block.def"
#define ATTR_BYTES MFT_BLOCK_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME slvl_table
#define ATTR_DEF "libmad/attr/slvl_table.def"
#define ATTR_BYTES SLVL_TABLE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vlarb_table
#define ATTR_DEF "libmad/attr/vlarb_table.def"
#define ATTR_BYTES VLARB_TABLE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME sm_info
#define ATTR_DEF "libmad/attr/sm_info.def"
#define ATTR_BYTES SM_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vendor_diag
#define ATTR_DEF "libmad/attr/vendor_diag.def"
#define ATTR_BYTES VENDOR_DIAG_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME led_info
#define ATTR_DEF "libmad/attr/led_info.def"
#define ATTR_BYTES LED_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME port_info_ext
#define ATTR_DEF "libmad/attr/port_info_ext.def"
#define ATTR_BYTES PORT_INFO_EXT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME switch_port_state
#define ATTR_DEF "libmad/attr/switch_port_state.def"
#define ATTR_BYTES SWITCH_PORT_STATE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME mlnx_ext_port_info
#define ATTR_DEF "libmad/attr/mlnx_ext_port_info.def"
#define ATTR_BYTES MLNX_EXT_PORT_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME notice
#define ATTR_DEF "libmad/attr/notice.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

/* Details of notices.  Their rows count bits from the beginning of the Notice, so the functions
 * take the whole image of NOTICE_BYTES. */

#define ATTR_NAME trap_gid
#define ATTR_DEF "libmad/attr/trap_gid.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trap_link_change
#define ATTR_DEF "libmad/attr/trap_link_change.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trap_threshold
#define ATTR_DEF "libmad/attr/trap_threshold.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trap_local_change
#define ATTR_DEF "libmad/attr/trap_local_change.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trap_sys_guid
#define ATTR_DEF "libmad/attr/trap_sys_guid.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trap_bad_mkey
#define ATTR_DEF "libmad/attr/trap_bad_mkey.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trap_bad_key
#define ATTR_DEF "libmad/attr/trap_bad_key.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trap_switch_pkey
#define ATTR_DEF "libmad/attr/trap_switch_pkey.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

/* The attribute with the details of a generic notice, or NULL if that trap has none. */
const struct attr_desc *notice_details(uint16_t trap_number);
/* One row of such an attribute in the details of a decoded notice 'n', and where a row begins in
 * them: the rows are counted from the beginning of the notice. */
#define NOTICE_GET(n, attribute, row) \
	wire_bits_get((n)->details, attribute##_at_##row - notice_at_details, \
		attribute##_bits_##row)
#define NOTICE_AT(attribute, row) (ATTR_AT(attribute, row) - ATTR_AT(notice, details))

/* The VL of one SL in an SLtoVLMapping image, without decoding the rest. */
static inline unsigned
slvl_table_vl(const uint8_t w[static SLVL_TABLE_BYTES], unsigned sl)
{
	return sl & 1 ? w[sl / 2] & 0x0fu : w[sl / 2] >> 4;
}

/* All attributes above, ended by NULL. */
extern const struct attr_desc *const sm_attr_all[];

#endif
