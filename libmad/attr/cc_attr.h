/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cc_attr.h - the attributes of congestion control (class 0x21), and their repeated elements.
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 *
 * Each block below declares one attribute from its .def file; attr.h lists what it generates.
 * Events, SL entries, table entries and switch ports repeat within an image: the functions at the
 * end of this file return the position of each.
 */
#ifndef HEDDLE_LIBMAD_ATTR_CC_ATTR_H
#define HEDDLE_LIBMAD_ATTR_CC_ATTR_H

#include "libmad/attr/attr.h"

#define CC_INFO_ID 0x0011
#define CC_KEY_INFO_ID 0x0012
#define CC_LOG_ID 0x0013
#define CC_SWITCH_SETTING_ID 0x0014
#define CC_SWITCH_PORT_ID 0x0015
#define CC_CA_SETTING_ID 0x0016
#define CC_TABLE_ID 0x0017
#define CC_TIME_STAMP_ID 0x0018

#define CC_INFO_BYTES 192
#define CC_KEY_INFO_BYTES 192
#define CC_LOG_BYTES 224
#define CC_LOG_SWITCH_BYTES 224
#define CC_LOG_SWITCH_EVENT_BYTES 12
#define CC_LOG_CA_BYTES 224
#define CC_LOG_CA_EVENT_BYTES 16
#define CC_SWITCH_SETTING_BYTES 192
#define CC_SWITCH_PORT_BYTES 4
#define CC_CA_SETTING_BYTES 192
#define CC_CA_ENTRY_BYTES 8
#define CC_TABLE_BYTES 192
#define CC_TABLE_ENTRY_BYTES 2
#define CC_TIME_STAMP_BYTES 192

/* The log begins at octet 32 of the datagram; every other attribute at octet 64. */
#define CC_LOG_AT 32
#define CC_LOG_SWITCH_EVENTS_AT 40
#define CC_LOG_SWITCH_EVENTS 15
#define CC_LOG_CA_EVENTS_AT 12
#define CC_LOG_CA_EVENTS 13
#define CC_LOG_TYPE_SWITCH 1
#define CC_LOG_TYPE_CA 2
#define CC_SWITCH_PORTS_BLOCK 32
#define CC_CA_ENTRIES_AT 4
#define CC_CA_ENTRIES 16
#define CC_TABLE_ENTRIES_AT 4
#define CC_TABLE_BLOCK 64

#define ATTR_NAME cc_info
#define ATTR_DEF "libmad/attr/cc_info.def"
#define ATTR_BYTES CC_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_key_info
#define ATTR_DEF "libmad/attr/cc_key_info.def"
#define ATTR_BYTES CC_KEY_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_log
#define ATTR_DEF "libmad/attr/cc_log.def"
#define ATTR_BYTES CC_LOG_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_log_switch
#define ATTR_DEF "libmad/attr/cc_log_switch.def"
#define ATTR_BYTES CC_LOG_SWITCH_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_log_switch_event
#define ATTR_DEF "libmad/attr/cc_log_switch_event.def"
#define ATTR_BYTES CC_LOG_SWITCH_EVENT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_log_ca
#define ATTR_DEF "libmad/attr/cc_log_ca.def"
#define ATTR_BYTES CC_LOG_CA_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_log_ca_event
#define ATTR_DEF "libmad/attr/cc_log_ca_event.def"
#define ATTR_BYTES CC_LOG_CA_EVENT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_switch_setting
#define ATTR_DEF "libmad/attr/cc_switch_setting.def"
#define ATTR_BYTES CC_SWITCH_SETTING_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_switch_port
#define ATTR_DEF "libmad/attr/cc_switch_port.def"
#define ATTR_BYTES CC_SWITCH_PORT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_ca_setting
#define ATTR_DEF "libmad/attr/cc_ca_setting.def"
#define ATTR_BYTES CC_CA_SETTING_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_ca_entry
#define ATTR_DEF "libmad/attr/cc_ca_entry.def"
#define ATTR_BYTES CC_CA_ENTRY_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_table
#define ATTR_DEF "libmad/attr/cc_table.def"
#define ATTR_BYTES CC_TABLE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_table_entry
#define ATTR_DEF "libmad/attr/cc_table_entry.def"
#define ATTR_BYTES CC_TABLE_ENTRY_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME cc_time_stamp
#define ATTR_DEF "libmad/attr/cc_time_stamp.def"
#define ATTR_BYTES CC_TIME_STAMP_BYTES
#include "libmad/attr/attr_decl.h"

/* Positions of repeated elements in an image: the n-th event of a log, the entry of an SL, the
 * first entry of a block of the table, a port. */
static inline uint8_t *cc_log_data(uint8_t *mad) { return mad + CC_LOG_AT; }
static inline uint8_t *
cc_log_switch_event_place(uint8_t *log, unsigned n)
{
	return log + CC_LOG_SWITCH_EVENTS_AT + n * CC_LOG_SWITCH_EVENT_BYTES;
}
static inline uint8_t *
cc_log_ca_event_place(uint8_t *log, unsigned n)
{
	return log + CC_LOG_CA_EVENTS_AT + n * CC_LOG_CA_EVENT_BYTES;
}
static inline uint8_t *
cc_ca_entry_place(uint8_t *setting, unsigned sl)
{
	return setting + CC_CA_ENTRIES_AT + sl * CC_CA_ENTRY_BYTES;
}
static inline uint8_t *cc_table_entries(uint8_t *block) { return block + CC_TABLE_ENTRIES_AT; }
static inline uint8_t *cc_switch_port_place(uint8_t *ports, unsigned n) { return ports + n * CC_SWITCH_PORT_BYTES; }

/* All attributes above, ended by NULL. */
extern const struct attr_desc *const cc_attr_all[];

#endif
