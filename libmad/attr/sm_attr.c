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

#define ATTR_NAME rft_block
#define ATTR_DEF "libmad/attr/rft_block.def"
#define ATTR_BYTES RFT_BLOCK_BYTES
#define ATTR_TEXT "RandomForwardingTable"
#define ATTR_ID RFT_BLOCK_ID
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

#define ATTR_NAME vendor_diag
#define ATTR_DEF "libmad/attr/vendor_diag.def"
#define ATTR_BYTES VENDOR_DIAG_BYTES
#define ATTR_TEXT "VendorDiag"
#define ATTR_ID VENDOR_DIAG_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME led_info
#define ATTR_DEF "libmad/attr/led_info.def"
#define ATTR_BYTES LED_INFO_BYTES
#define ATTR_TEXT "LedInfo"
#define ATTR_ID LED_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME port_info_ext
#define ATTR_DEF "libmad/attr/port_info_ext.def"
#define ATTR_BYTES PORT_INFO_EXT_BYTES
#define ATTR_TEXT "PortInfoExtended"
#define ATTR_ID PORT_INFO_EXT_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME switch_port_state
#define ATTR_DEF "libmad/attr/switch_port_state.def"
#define ATTR_BYTES SWITCH_PORT_STATE_BYTES
#define ATTR_TEXT "SwitchPortStateTable"
#define ATTR_ID SWITCH_PORT_STATE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME mlnx_ext_port_info
#define ATTR_DEF "libmad/attr/mlnx_ext_port_info.def"
#define ATTR_BYTES MLNX_EXT_PORT_INFO_BYTES
#define ATTR_TEXT "MlnxExtPortInfo"
#define ATTR_ID MLNX_EXT_PORT_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME notice
#define ATTR_DEF "libmad/attr/notice.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_gid
#define ATTR_DEF "libmad/attr/trap_gid.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 64-67"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_link_change
#define ATTR_DEF "libmad/attr/trap_link_change.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 128"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_threshold
#define ATTR_DEF "libmad/attr/trap_threshold.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 129-131"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_local_change
#define ATTR_DEF "libmad/attr/trap_local_change.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 144"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_sys_guid
#define ATTR_DEF "libmad/attr/trap_sys_guid.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 145"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_bad_mkey
#define ATTR_DEF "libmad/attr/trap_bad_mkey.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 256"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_bad_key
#define ATTR_DEF "libmad/attr/trap_bad_key.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 257-258"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trap_switch_pkey
#define ATTR_DEF "libmad/attr/trap_switch_pkey.def"
#define ATTR_BYTES NOTICE_BYTES
#define ATTR_TEXT "Notice 259"
#define ATTR_ID NOTICE_ID
#include "libmad/attr/attr_impl.h"

const struct attr_desc *const sm_attr_all[] = {
	&node_info_desc,
	&node_desc_desc,
	&switch_info_desc,
	&port_info_desc,
	&pkey_table_desc,
	&guid_info_desc,
	&lft_block_desc,
	&rft_block_desc,
	&mft_block_desc,
	&slvl_table_desc,
	&vlarb_table_desc,
	&sm_info_desc,
	&vendor_diag_desc,
	&led_info_desc,
	&port_info_ext_desc,
	&switch_port_state_desc,
	&mlnx_ext_port_info_desc,
	&notice_desc,
	&trap_gid_desc,
	&trap_link_change_desc,
	&trap_threshold_desc,
	&trap_local_change_desc,
	&trap_sys_guid_desc,
	&trap_bad_mkey_desc,
	&trap_bad_key_desc,
	&trap_switch_pkey_desc,
	NULL,
};

const struct attr_desc *
notice_details(uint16_t trap_number)
{
	static const struct {
		uint16_t first, last;
		const struct attr_desc *desc;
	} rows[] = {
		{ TRAP_GID_IN_SERVICE, TRAP_GROUP_DELETED, &trap_gid_desc },
		{ TRAP_LINK_STATE, TRAP_LINK_STATE, &trap_link_change_desc },
		{ TRAP_LINK_INTEGRITY, TRAP_FLOW_WATCHDOG, &trap_threshold_desc },
		{ TRAP_LOCAL_CHANGE, TRAP_LOCAL_CHANGE, &trap_local_change_desc },
		{ TRAP_SYSTEM_GUID, TRAP_SYSTEM_GUID, &trap_sys_guid_desc },
		{ TRAP_BAD_MKEY, TRAP_BAD_MKEY, &trap_bad_mkey_desc },
		{ TRAP_BAD_PKEY, TRAP_BAD_QKEY, &trap_bad_key_desc },
		{ TRAP_SWITCH_BAD_PKEY, TRAP_SWITCH_BAD_PKEY, &trap_switch_pkey_desc },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (trap_number >= rows[i].first && trap_number <= rows[i].last)
			return rows[i].desc;
	return NULL;
}
