/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vectors.c - rows in literal bytes, written from the layouts of docs/wire.md (byte offsets, not bit offsets).
 * They cover what libibmad has no field for, or reads wrongly.
 */
#include <config.h>
#include "tests/oracle/vectors.h"

/* Element 'index' of a row stands in 'bytes' at byte 'at'; a row of bytes. */
#define V(attr, row, index, at, bytes, value) \
	{ &attr##_desc, row, index, at, bytes, sizeof(bytes) - 1, UINT64_C(value) },
#define B(attr, row, at, bytes) { &attr##_desc, row, 0, at, bytes, sizeof(bytes) - 1, 0 },

#define GID "\xfe\x80\0\0\0\0\0\0\xa1\xb2\0\x03\0\xaa\x01\x01"
#define UP16 "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20"
#define UP30 UP16 "\21\22\23\24\25\26\27\30\31\32\33\34\35\36"
#define UP60 UP30 UP30
#define UP64 UP16 UP16 UP16 UP16

const struct vector vectors[] = {
	V(port_info, "speed_ext_active2", 0, 56, "\x20", 1)
	V(port_info, "speed_ext_active2", 0, 56, "\x60", 3)
	V(port_info, "speed_ext_supported2", 0, 56, "\x08", 1)
	V(port_info, "speed_ext_supported2", 0, 56, "\x18", 3)
	V(port_info, "speed_ext_enabled2", 0, 56, "\x01", 1)
	V(port_info, "speed_ext_enabled2", 0, 56, "\x07", 7)

	V(pkey_table, "pkey", 0, 0, "\xff\xff", 0xffff)
	V(pkey_table, "pkey", 31, 62, "\x80\x01", 0x8001)

	V(vlarb_table, "vl", 0, 0, "\x0e", 0xe)
	V(vlarb_table, "weight", 0, 1, "\x40", 0x40)
	V(vlarb_table, "vl", 31, 62, "\x03", 3)
	V(vlarb_table, "weight", 31, 63, "\xff", 0xff)

	V(slvl_table, "vl", 0, 0, "\x70", 7)
	V(slvl_table, "vl", 1, 0, "\x0f", 0xf)
	V(slvl_table, "vl", 15, 7, "\x01", 1)

	V(mft_block, "mask", 0, 0, "\x80\x01", 0x8001)
	V(mft_block, "mask", 31, 62, "\x00\x02", 2)

	V(led_info, "led_mask", 0, 0, "\x80", 1)
	V(led_info, "led_mask_low", 0, 3, "\x01", 1)

	V(vendor_diag, "next_index", 0, 0, "\x01\x02", 0x102)
	B(vendor_diag, "data", 4, UP60)

	V(port_info_ext, "hdr_fec_supported", 0, 14, "\x00\x04", 4)
	V(port_info_ext, "hdr_fec_enabled", 0, 16, "\x01\x02", 0x102)
	V(port_info_ext, "ndr_fec_supported", 0, 18, "\x00\x06", 6)
	V(port_info_ext, "ndr_fec_enabled", 0, 20, "\x80\x01", 0x8001)

	V(rft_block, "lid", 0, 0, "\x12\x34", 0x1234)
	V(rft_block, "valid", 0, 2, "\x80", 1)
	V(rft_block, "lmc", 0, 2, "\x50", 5)
	V(rft_block, "port", 0, 3, "\x24", 0x24)
	V(rft_block, "lid", 15, 60, "\x12\x34", 0x1234)
	V(rft_block, "valid", 15, 62, "\x80", 1)
	V(rft_block, "lmc", 15, 62, "\x50", 5)
	V(rft_block, "port", 15, 63, "\x24", 0x24)

	V(switch_port_state, "state", 0, 0, "\x40", 4)
	V(switch_port_state, "state", 1, 0, "\x03", 3)
	V(switch_port_state, "state", 127, 63, "\x0f", 0xf)

	B(trap_gid, "gid", 16, GID)

	V(trap_link_change, "lid", 0, 10, "\x00\x29", 0x29)

	V(trap_threshold, "lid", 0, 12, "\x00\x29", 0x29)
	V(trap_threshold, "port", 0, 14, "\x21", 0x21)

	V(trap_local_change, "lid", 0, 12, "\x00\x29", 0x29)
	V(trap_local_change, "other_local_changes", 0, 15, "\x01", 1)
	V(trap_local_change, "capability_mask", 0, 16, "\x26\x51\xe8\x48", 0x2651e848)
	V(trap_local_change, "change_flags", 0, 20, "\x00\x21", 0x21)
	V(trap_local_change, "capability_mask2", 0, 22, "\x0c\x02", 0xc02)

	V(trap_sys_guid, "lid", 0, 12, "\x00\x29", 0x29)
	V(trap_sys_guid, "sys_guid", 0, 16, "\xa1\xb2\x00\x03\x00\xaa\x01\x00", 0xa1b2000300aa0100)

	V(trap_bad_mkey, "lid", 0, 12, "\x00\x29", 0x29)
	V(trap_bad_mkey, "dr_slid", 0, 14, "\xff\xff", 0xffff)
	V(trap_bad_mkey, "method", 0, 16, "\x02", 2)
	V(trap_bad_mkey, "attr_id", 0, 18, "\x00\x15", 0x15)
	V(trap_bad_mkey, "modifier", 0, 20, "\x80\x00\x00\x03", 0x80000003)
	V(trap_bad_mkey, "mkey", 0, 24, "\x01\x02\x03\x04\x05\x06\x07\x08", 0x102030405060708)
	V(trap_bad_mkey, "dr_notice", 0, 33, "\x80", 1)
	V(trap_bad_mkey, "dr_truncated", 0, 33, "\x40", 1)
	V(trap_bad_mkey, "dr_hop_count", 0, 33, "\x3f", 0x3f)
	B(trap_bad_mkey, "return_path", 34, UP30)

	V(trap_bad_key, "lid1", 0, 12, "\x00\x29", 0x29)
	V(trap_bad_key, "lid2", 0, 14, "\x00\x2a", 0x2a)
	V(trap_bad_key, "key", 0, 16, "\x80\x01\x00\x00", 0x80010000)
	V(trap_bad_key, "sl", 0, 20, "\xf0", 0xf)
	V(trap_bad_key, "qp1", 0, 21, "\x12\x34\x56", 0x123456)
	V(trap_bad_key, "qp2", 0, 25, "\xab\xcd\xef", 0xabcdef)
	B(trap_bad_key, "gid1", 28, GID)
	B(trap_bad_key, "gid2", 44, GID)

	V(trap_switch_pkey, "data_valid", 0, 10, "\x00\x03", 3)
	V(trap_switch_pkey, "lid1", 0, 12, "\x00\x29", 0x29)
	V(trap_switch_pkey, "lid2", 0, 14, "\x00\x2a", 0x2a)
	V(trap_switch_pkey, "pkey", 0, 16, "\x80\x01", 0x8001)
	V(trap_switch_pkey, "sl", 0, 18, "\x70", 7)
	V(trap_switch_pkey, "qp1", 0, 19, "\x12\x34\x56", 0x123456)
	V(trap_switch_pkey, "qp2", 0, 23, "\xab\xcd\xef", 0xabcdef)
	B(trap_switch_pkey, "gid1", 26, GID)
	B(trap_switch_pkey, "gid2", 42, GID)
	V(trap_switch_pkey, "switch_lid", 0, 58, "\x00\x0c", 0xc)
	V(trap_switch_pkey, "port", 0, 60, "\x21", 0x21)

	V(sa_notice, "notice.trap_number", 0, 4, "\x00\x80", 0x80)
	V(sa_notice, "notice.issuer_lid", 0, 6, "\x00\x0c", 0xc)
	B(sa_notice, "issuer_gid", 64, GID)

	B(inform_info, "gid", 0, GID)
	V(inform_info, "lid_begin", 0, 16, "\xff\xff", 0xffff)
	V(inform_info, "lid_end", 0, 18, "\x00\x2a", 0x2a)
	V(inform_info, "is_generic", 0, 22, "\x01", 1)
	V(inform_info, "subscribe", 0, 23, "\x01", 1)
	V(inform_info, "type", 0, 24, "\xff\xff", 0xffff)
	V(inform_info, "trap_number", 0, 26, "\x00\x40", 0x40)
	V(inform_info, "qpn", 0, 28, "\x00\x01\x02", 0x102)
	V(inform_info, "resp_time", 0, 31, "\x1f", 0x1f)
	V(inform_info, "producer_type", 0, 33, "\xff\xff\xff", 0xffffff)

	V(port_info_record, "lid", 0, 0, "\x00\x29", 0x29)
	V(port_info_record, "port", 0, 2, "\x21", 0x21)
	V(port_info_record, "options", 0, 3, "\x80", 0x80)
	V(port_info_record, "info.mkey", 0, 4, "\x01\x02\x03\x04\x05\x06\x07\x08", 0x102030405060708)
	V(port_info_record, "info.state", 0, 36, "\x04", 4)
	V(port_info_record, "info.speed_ext_enabled", 0, 67, "\x1f", 0x1f)

	V(slvl_record, "lid", 0, 0, "\x00\x29", 0x29)
	V(slvl_record, "in_port", 0, 2, "\x01", 1)
	V(slvl_record, "out_port", 0, 3, "\x02", 2)
	V(slvl_record, "table.vl", 0, 8, "\x70", 7)
	V(slvl_record, "table.vl", 15, 15, "\x0e", 0xe)

	V(switch_info_record, "lid", 0, 0, "\x00\x0c", 0xc)
	V(switch_info_record, "info.lft_cap", 0, 4, "\xc0\x00", 0xc000)
	V(switch_info_record, "info.mft_top", 0, 22, "\xbf\xff", 0xbfff)

	V(lft_record, "lid", 0, 0, "\x00\x0c", 0xc)
	V(lft_record, "block", 0, 2, "\x01\x01", 0x101)
	B(lft_record, "table.port", 8, UP64)

	V(rft_record, "lid", 0, 0, "\x00\x0c", 0xc)
	V(rft_record, "block", 0, 2, "\x01\x01", 0x101)
	V(rft_record, "table.lid", 0, 8, "\x12\x34", 0x1234)
	V(rft_record, "table.port", 15, 71, "\x24", 0x24)

	V(mft_record, "lid", 0, 0, "\x00\x0c", 0xc)
	V(mft_record, "position", 0, 2, "\xf0", 0xf)
	V(mft_record, "block", 0, 2, "\x01\xff", 0x1ff)
	V(mft_record, "table.mask", 0, 8, "\x80\x01", 0x8001)
	V(mft_record, "table.mask", 31, 70, "\x00\x02", 2)

	V(sm_info_record, "lid", 0, 0, "\x00\x01", 1)
	V(sm_info_record, "info.guid", 0, 4, "\xa1\xb2\x00\x03\x00\xaa\x00\x01", 0xa1b2000300aa0001)
	V(sm_info_record, "info.act_count", 0, 20, "\x00\x00\x1f\xbb", 0x1fbb)
	V(sm_info_record, "info.priority", 0, 24, "\x50", 5)
	V(sm_info_record, "info.state", 0, 24, "\x03", 3)

	V(link_record, "from_lid", 0, 0, "\x00\x0c", 0xc)
	V(link_record, "from_port", 0, 2, "\x21", 0x21)
	V(link_record, "to_port", 0, 3, "\x09", 9)
	V(link_record, "to_lid", 0, 4, "\x00\x03", 3)

	V(service_record, "pkey", 0, 24, "\x80\x01", 0x8001)
	B(service_record, "data8", 112, UP16)
	V(service_record, "data16", 0, 128, "\x12\x34", 0x1234)
	V(service_record, "data16", 7, 142, "\x43\x21", 0x4321)
	V(service_record, "data32", 0, 144, "\x12\x34\x56\x78", 0x12345678)
	V(service_record, "data32", 3, 156, "\x87\x65\x43\x21", 0x87654321)
	V(service_record, "data64", 0, 160, "\x01\x02\x03\x04\x05\x06\x07\x08", 0x102030405060708)
	V(service_record, "data64", 1, 168, "\x08\x07\x06\x05\x04\x03\x02\x01", 0x807060504030201)

	V(pkey_record, "lid", 0, 0, "\x00\x29", 0x29)
	V(pkey_record, "block", 0, 2, "\x01\x02", 0x102)
	V(pkey_record, "port", 0, 4, "\x21", 0x21)
	V(pkey_record, "table.pkey", 0, 8, "\xff\xff", 0xffff)
	V(pkey_record, "table.pkey", 31, 70, "\x80\x01", 0x8001)

	V(path_record, "service_id", 0, 0, "\x10\x00\x00\x00\x00\x00\x00\x01", 0x1000000000000001)
	V(path_record, "raw_traffic", 0, 44, "\x80", 1)
	V(path_record, "flow_label", 0, 44, "\x0a\xbc\xde", 0xabcde)
	V(path_record, "hop_limit", 0, 47, "\xff", 0xff)
	V(path_record, "tclass", 0, 48, "\xaa", 0xaa)
	V(path_record, "reversible", 0, 49, "\x80", 1)
	V(path_record, "pkey", 0, 50, "\x80\x01", 0x8001)
	V(path_record, "qos_class", 0, 52, "\x12\x30", 0x123)
	V(path_record, "mtu_selector", 0, 54, "\x80", 2)
	V(path_record, "mtu", 0, 54, "\x04", 4)
	V(path_record, "rate_selector", 0, 55, "\xc0", 3)
	V(path_record, "rate", 0, 55, "\x3f", 0x3f)
	V(path_record, "life_selector", 0, 56, "\x40", 1)
	V(path_record, "life", 0, 56, "\x12", 0x12)
	V(path_record, "preference", 0, 57, "\x07", 7)

	V(vlarb_record, "lid", 0, 0, "\x00\x29", 0x29)
	V(vlarb_record, "port", 0, 2, "\x21", 0x21)
	V(vlarb_record, "block", 0, 3, "\x04", 4)
	V(vlarb_record, "table.vl", 0, 8, "\x0e", 0xe)
	V(vlarb_record, "table.weight", 31, 71, "\xff", 0xff)

	V(mcmember_record, "mtu_selector", 0, 38, "\x80", 2)
	V(mcmember_record, "rate_selector", 0, 42, "\xc0", 3)
	V(mcmember_record, "life_selector", 0, 43, "\x40", 1)
	V(mcmember_record, "life", 0, 43, "\x12", 0x12)
	V(mcmember_record, "hop_limit", 0, 47, "\xff", 0xff)
	V(mcmember_record, "scope", 0, 48, "\x20", 2)

	V(trace_record, "gid_prefix", 0, 0, "\xfe\x80\x00\x00\x00\x00\x00\x00", 0xfe80000000000000)
	V(trace_record, "id_generation", 0, 8, "\x01\x02", 0x102)
	V(trace_record, "node_type", 0, 11, "\x02", 2)
	V(trace_record, "node_id", 0, 12, "\x01\x02\x03\x04\x05\x06\x07\x08", 0x102030405060708)
	V(trace_record, "chassis_id", 0, 20, "\x11\x02\x03\x04\x05\x06\x07\x08", 0x1102030405060708)
	V(trace_record, "entry_port_id", 0, 28, "\x21\x02\x03\x04\x05\x06\x07\x08", 0x2102030405060708)
	V(trace_record, "exit_port_id", 0, 36, "\x31\x02\x03\x04\x05\x06\x07\x08", 0x3102030405060708)
	V(trace_record, "entry_port", 0, 44, "\x07", 7)
	V(trace_record, "exit_port", 0, 45, "\x08", 8)

	V(multipath_record, "raw_traffic", 0, 0, "\x80", 1)
	V(multipath_record, "flow_label", 0, 0, "\x0a\xbc\xde", 0xabcde)
	V(multipath_record, "hop_limit", 0, 3, "\xff", 0xff)
	V(multipath_record, "tclass", 0, 4, "\xaa", 0xaa)
	V(multipath_record, "reversible", 0, 5, "\x80", 1)
	V(multipath_record, "pkey", 0, 6, "\x80\x01", 0x8001)
	V(multipath_record, "qos_class", 0, 8, "\x12\x30", 0x123)
	V(multipath_record, "sl", 0, 9, "\x05", 5)
	V(multipath_record, "mtu_selector", 0, 10, "\x80", 2)
	V(multipath_record, "mtu", 0, 10, "\x04", 4)
	V(multipath_record, "rate_selector", 0, 11, "\xc0", 3)
	V(multipath_record, "rate", 0, 11, "\x10", 0x10)
	V(multipath_record, "life_selector", 0, 12, "\x40", 1)
	V(multipath_record, "life", 0, 12, "\x12", 0x12)
	V(multipath_record, "service_id_high", 0, 13, "\x10", 0x10)
	V(multipath_record, "independence", 0, 14, "\x01", 1)
	V(multipath_record, "service_id_low", 0, 17, "\x02\x03\x04\x05\x06\x07\x08", 0x2030405060708)

	B(service_assoc_record, "key", 0, GID)
	B(service_assoc_record, "name", 16, UP64)

	B(inform_info_record, "subscriber_gid", 0, GID)
	V(inform_info_record, "enumeration", 0, 16, "\x01\x02", 0x102)
	B(inform_info_record, "info.gid", 24, GID)
	V(inform_info_record, "info.qpn", 0, 52, "\x00\x01\x02", 0x102)
	V(inform_info_record, "info.producer_type", 0, 57, "\x00\x00\x04", 4)

	V(pm_port_counters, "qp1_dropped", 0, 20, "\x12\x34", 0x1234)
	V(pm_port_counters, "vl15_dropped", 0, 22, "\x12\x34", 0x1234)

	V(pm_op_rcv_counters, "op_code", 0, 0, "\x64", 0x64)

	V(pm_vl_op_packets, "op_code", 0, 0, "\x64", 0x64)

	V(pm_vl_op_data, "op_code", 0, 0, "\x64", 0x64)

	V(pm_samples_result_ext, "tag", 0, 0, "\x12\x34", 0x1234)
	V(pm_samples_result_ext, "sample_status", 0, 3, "\x02", 2)
	V(pm_samples_result_ext, "extended_width", 0, 4, "\x40", 1)
	V(pm_samples_result_ext, "counter", 0, 8, "\x01\x02\x03\x04\x05\x06\x07\x08", 0x102030405060708)
	V(pm_samples_result_ext, "counter", 14, 120, "\x08\x07\x06\x05\x04\x03\x02\x01", 0x807060504030201)

	V(pm_ext_speeds_rsfec, "error_detection", 0, 20, "\x01\x02", 0x102)
	V(pm_ext_speeds_rsfec, "error_detection", 11, 42, "\x01\x02", 0x102)
	V(pm_ext_speeds_rsfec, "fec_symbols", 0, 44, "\x01\x02\x03\x04", 0x1020304)
	V(pm_ext_speeds_rsfec, "fec_symbols", 11, 88, "\x01\x02\x03\x04", 0x1020304)
	V(pm_ext_speeds_rsfec, "fec_correctable", 0, 140, "\x01\x02\x03\x04", 0x1020304)
	V(pm_ext_speeds_rsfec, "fec_uncorrectable", 0, 144, "\x01\x02\x03\x04", 0x1020304)
	V(pm_ext_speeds_rsfec, "fec_corrected", 0, 148, "\x01\x02\x03\x04", 0x1020304)

	V(pm_ext_speeds, "fec_uncorrectable", 11, 136, "\x01\x02\x03\x04", 0x1020304)

	V(vs_general_info, "hw_revision", 0, 8, "\x00\xa0", 0xa0)
	V(vs_general_info, "device_id", 0, 10, "\xc7\x38", 0xc738)
	V(vs_general_info, "uptime_s", 0, 36, "\x01\x02\x03\x04", 0x1020304)
	V(vs_general_info, "fw_major", 0, 41, "\x09", 9)
	V(vs_general_info, "fw_minor", 0, 42, "\x02", 2)
	V(vs_general_info, "fw_sub", 0, 43, "\x01", 1)
	V(vs_general_info, "fw_build_id", 0, 44, "\x01\x02\x03\x04", 0x1020304)
	V(vs_general_info, "fw_month", 0, 48, "\x12", 0x12)
	V(vs_general_info, "fw_day", 0, 49, "\x31", 0x31)
	V(vs_general_info, "fw_year", 0, 50, "\x20\x14", 0x2014)
	V(vs_general_info, "fw_hour", 0, 54, "\x12\x34", 0x1234)
	B(vs_general_info, "fw_psid", 56, UP16)
	V(vs_general_info, "fw_ini_version", 0, 72, "\x01\x02\x03\x04", 0x1020304)
	V(vs_general_info, "fw_ext_major", 0, 76, "\x00\x00\x00\x1b", 27)
	V(vs_general_info, "fw_ext_minor", 0, 80, "\x00\x00\x07\xd8", 2008)
	V(vs_general_info, "fw_ext_sub", 0, 84, "\x00\x00\x04\xd2", 1234)
	V(vs_general_info, "sw_major", 0, 105, "\x03", 3)
	V(vs_general_info, "sw_minor", 0, 106, "\x02", 2)
	V(vs_general_info, "sw_sub", 0, 107, "\x01", 1)

	V(vs_config_space, "address", 0, 8, "\x00\x10\x11\x3c", 0x10113c)
	V(vs_config_space, "data", 0, 12, "\x01\x02\x03\x04", 0x1020304)
	V(vs_config_space, "mask", 0, 16, "\xff\xff\xff\xff", 0xffffffff)
	V(vs_config_space, "address", 17, 212, "\x00\x11\x21\x3c", 0x11213c)
	V(vs_config_space, "data", 17, 216, "\x01\x02\x03\x04", 0x1020304)
	V(vs_config_space, "mask", 17, 220, "\xff\x00\x00\xff", 0xff0000ff)

	V(vs_counter_group_info, "groups", 0, 11, "\x02", 2)
	V(vs_counter_group_info, "group_mask", 0, 12, "\x00\x00\x00\x07", 7)
	V(vs_counter_group_info, "group_mask", 1, 16, "\x00\x00\x01\x06", 0x106)
	V(vs_counter_groups, "group_select", 0, 15, "\x01", 1)
	V(vs_counter_groups, "group_select", 1, 19, "\x08", 8)
};

const size_t vectors_count = sizeof(vectors) / sizeof(vectors[0]);
