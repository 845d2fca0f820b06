/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cc_attr.c - makes the functions of the congestion control attributes from their rows.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/cc_attr.h"
#include "libmad/wire/wire.h"

#define ATTR_NAME cc_info
#define ATTR_DEF "libmad/attr/cc_info.def"
#define ATTR_BYTES CC_INFO_BYTES
#define ATTR_TEXT "CongestionInfo"
#define ATTR_ID CC_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_key_info
#define ATTR_DEF "libmad/attr/cc_key_info.def"
#define ATTR_BYTES CC_KEY_INFO_BYTES
#define ATTR_TEXT "CongestionKeyInfo"
#define ATTR_ID CC_KEY_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_log
#define ATTR_DEF "libmad/attr/cc_log.def"
#define ATTR_BYTES CC_LOG_BYTES
#define ATTR_TEXT "CongestionLog"
#define ATTR_ID CC_LOG_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_log_switch
#define ATTR_DEF "libmad/attr/cc_log_switch.def"
#define ATTR_BYTES CC_LOG_SWITCH_BYTES
#define ATTR_TEXT "CongestionLog"
#define ATTR_ID CC_LOG_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_log_switch_event
#define ATTR_DEF "libmad/attr/cc_log_switch_event.def"
#define ATTR_BYTES CC_LOG_SWITCH_EVENT_BYTES
#define ATTR_TEXT "CongestionLogEvent"
#define ATTR_ID CC_LOG_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_log_ca
#define ATTR_DEF "libmad/attr/cc_log_ca.def"
#define ATTR_BYTES CC_LOG_CA_BYTES
#define ATTR_TEXT "CongestionLog"
#define ATTR_ID CC_LOG_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_log_ca_event
#define ATTR_DEF "libmad/attr/cc_log_ca_event.def"
#define ATTR_BYTES CC_LOG_CA_EVENT_BYTES
#define ATTR_TEXT "CongestionLogEvent"
#define ATTR_ID CC_LOG_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_switch_setting
#define ATTR_DEF "libmad/attr/cc_switch_setting.def"
#define ATTR_BYTES CC_SWITCH_SETTING_BYTES
#define ATTR_TEXT "SwitchCongestionSetting"
#define ATTR_ID CC_SWITCH_SETTING_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_switch_port
#define ATTR_DEF "libmad/attr/cc_switch_port.def"
#define ATTR_BYTES CC_SWITCH_PORT_BYTES
#define ATTR_TEXT "SwitchPortCongestionSettingElement"
#define ATTR_ID CC_SWITCH_PORT_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_ca_setting
#define ATTR_DEF "libmad/attr/cc_ca_setting.def"
#define ATTR_BYTES CC_CA_SETTING_BYTES
#define ATTR_TEXT "CACongestionSetting"
#define ATTR_ID CC_CA_SETTING_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_ca_entry
#define ATTR_DEF "libmad/attr/cc_ca_entry.def"
#define ATTR_BYTES CC_CA_ENTRY_BYTES
#define ATTR_TEXT "CACongestionEntry"
#define ATTR_ID CC_CA_SETTING_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_table
#define ATTR_DEF "libmad/attr/cc_table.def"
#define ATTR_BYTES CC_TABLE_BYTES
#define ATTR_TEXT "CongestionControlTable"
#define ATTR_ID CC_TABLE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_table_entry
#define ATTR_DEF "libmad/attr/cc_table_entry.def"
#define ATTR_BYTES CC_TABLE_ENTRY_BYTES
#define ATTR_TEXT "CongestionControlTableEntry"
#define ATTR_ID CC_TABLE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME cc_time_stamp
#define ATTR_DEF "libmad/attr/cc_time_stamp.def"
#define ATTR_BYTES CC_TIME_STAMP_BYTES
#define ATTR_TEXT "TimeStamp"
#define ATTR_ID CC_TIME_STAMP_ID
#include "libmad/attr/attr_impl.h"

const struct attr_desc *const cc_attr_all[] = {
	&cc_info_desc,
	&cc_key_info_desc,
	&cc_log_desc,
	&cc_log_switch_desc,
	&cc_log_switch_event_desc,
	&cc_log_ca_desc,
	&cc_log_ca_event_desc,
	&cc_switch_setting_desc,
	&cc_switch_port_desc,
	&cc_ca_setting_desc,
	&cc_ca_entry_desc,
	&cc_table_desc,
	&cc_table_entry_desc,
	&cc_time_stamp_desc,
	NULL,
};
