/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sm_attr.c - makes the functions of the subnet management attributes from their rows.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/sm_attr.h"
#include "libmad/wire/wire.h"

#define ATTR_NAME node_info
#define ATTR_DEF "libmad/attr/node_info.def"
#define ATTR_BYTES NODE_INFO_BYTES
#define ATTR_TEXT "NodeInfo"
#define ATTR_ID NODE_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME node_desc
#define ATTR_DEF "libmad/attr/node_desc.def"
#define ATTR_BYTES NODE_DESC_BYTES
#define ATTR_TEXT "NodeDescription"
#define ATTR_ID NODE_DESC_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME switch_info
#define ATTR_DEF "libmad/attr/switch_info.def"
#define ATTR_BYTES SWITCH_INFO_BYTES
#define ATTR_TEXT "SwitchInfo"
#define ATTR_ID SWITCH_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME port_info
#define ATTR_DEF "libmad/attr/port_info.def"
#define ATTR_BYTES PORT_INFO_BYTES
#define ATTR_TEXT "PortInfo"
#define ATTR_ID PORT_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pkey_table
#define ATTR_DEF "libmad/attr/pkey_table.def"
#define ATTR_BYTES PKEY_TABLE_BYTES
#define ATTR_TEXT "P_KeyTable"
#define ATTR_ID PKEY_TABLE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME guid_info
#define ATTR_DEF "libmad/attr/guid_info.def"
#define ATTR_BYTES GUID_INFO_BYTES
#define ATTR_TEXT "GUIDInfo"
#define ATTR_ID GUID_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME lft_block
#define ATTR_DEF "libmad/attr/lft_block.def"
#define ATTR_BYTES LFT_BLOCK_BYTES
#define ATTR_TEXT "LinearForwardingTable"
#define ATTR_ID LFT_BLOCK_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME mft_block
#define ATTR_DEF "libmad/attr/mft_block.def"
#define ATTR_BYTES MFT_BLOCK_BYTES
#define ATTR_TEXT "MulticastForwardingTable"
#define ATTR_ID MFT_BLOCK_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME slvl_table
#define ATTR_DEF "libmad/attr/slvl_table.def"
#define ATTR_BYTES SLVL_TABLE_BYTES
#define ATTR_TEXT "SLtoVLMappingTable"
#define ATTR_ID SLVL_TABLE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vlarb_table
#define ATTR_DEF "libmad/attr/vlarb_table.def"
#define ATTR_BYTES VLARB_TABLE_BYTES
#define ATTR_TEXT "VLArbitrationTable"
#define ATTR_ID VLARB_TABLE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME sm_info
#define ATTR_DEF "libmad/attr/sm_info.def"
#define ATTR_BYTES SM_INFO_BYTES
#define ATTR_TEXT "SMInfo"
#define ATTR_ID SM_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME notice
#define ATTR_DEF "libmad/attr/notice.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"
