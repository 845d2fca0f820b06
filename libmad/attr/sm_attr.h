/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sm_attr.h - the attributes of the subnet management classes (0x01 and 0x81).
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 */
#ifndef HEDDLE_LIBMAD_ATTR_SM_ATTR_H
#define HEDDLE_LIBMAD_ATTR_SM_ATTR_H

#include "libmad/attr/attr.h"

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
#define MFT_BLOCK_ID 0x001b
#define MFT_BLOCK_BYTES 64
#define SLVL_TABLE_ID 0x0017
#define SLVL_TABLE_BYTES 8
#define VLARB_TABLE_ID 0x0018
#define VLARB_TABLE_BYTES 64
#define SM_INFO_ID 0x0020
#define SM_INFO_BYTES 24
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

#define ATTR_NAME notice
#define ATTR_DEF "libmad/attr/notice.def"
#define ATTR_BYTES NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#endif
