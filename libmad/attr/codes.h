/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * codes.h - the values of the protocol by name: states, types, masks, classes, methods, status and
 * trap numbers.
 * Room: libmad/attr.  Pure; constants only.  Meaning and rules: docs/wire.md.
 *
 * A .def row defines where a field is and how it is printed.  This file defines what its values
 * mean.  No other file defines the values again or writes the number, so a search for a name finds
 * every place that depends on the value.  Constants that belong to one attribute's layout (its id,
 * its size) are beside the attribute, in sm_attr.h, sa_attr.h and their neighbours; the bits of
 * component masks are the last column of the records' .def files (SA_COMP in sa_attr.h).
 *
 * All of them are enumerators in host order, named FIELD_VALUE; masks are values to be combined,
 * not bit numbers. tests/oracle/test_codes.c compares them with the headers of libibumad, libibmad
 * and libibverbs.
 */
#ifndef HEDDLE_LIBMAD_ATTR_CODES_H
#define HEDDLE_LIBMAD_ATTR_CODES_H

#include <stdint.h>
#include "libmad/wire/gid.h"

/* ---- Addresses and keys ---- */

#define LID_PERMISSIVE 0xffff
#define LID_UCAST_MAX 0xbfff
#define QKEY_GSI 0x80010000u

enum {
	MLID_FIRST = 0xc000, MLID_LAST = 0xfffe,
	PKEY_MEMBER_FULL = 0x8000,      /* the bit of a full member */
	PKEY_BASE_MASK = 0x7fff,        /* the P_Key without its membership bit */
	PKEY_DEFAULT_FULL = 0xffff, PKEY_DEFAULT_LIMITED = 0x7fff,
	QPN_SMI = 0, QPN_GSI = 1,
	MAD_BASE_VERSION = 1,
	LFT_DROP_PORT = 255,            /* entry of a forwarding table: discard */
};

/* ---- Management classes (ClassVersion beside them), methods, status ---- */

enum dgram_class {
	CLASS_SM_LID = 0x01, CLASS_SM_DR = 0x81, CLASS_SA = 0x03, CLASS_PM = 0x04, CLASS_BM = 0x05,
	CLASS_DEVMGT = 0x06, CLASS_CM = 0x07, CLASS_VENDOR1_FIRST = 0x09, CLASS_VENDOR_A = 0x0a,
	CLASS_VENDOR1_LAST = 0x0f, CLASS_CC = 0x21, CLASS_VENDOR2_FIRST = 0x30, CLASS_PING = 0x32,
	CLASS_SYSSTAT = 0x33, CLASS_VENDOR2_LAST = 0x4f,
};

enum {
	CLASS_VERSION_SM = 1, CLASS_VERSION_SA = 2, CLASS_VERSION_PM = 1, CLASS_VERSION_CM = 2,
	CLASS_VERSION_CC = 2, CLASS_VERSION_VENDOR = 1,
};

enum dgram_method {
	METHOD_GET = 0x01, METHOD_SET = 0x02, METHOD_SEND = 0x03, METHOD_TRAP = 0x05,
	METHOD_REPORT = 0x06,
	METHOD_TRAP_REPRESS = 0x07, METHOD_GET_TABLE = 0x12, METHOD_GET_TRACE = 0x13,
	METHOD_GET_MULTI = 0x14,
	METHOD_DELETE = 0x15, METHOD_RESP = 0x80, METHOD_GET_RESP = 0x81, METHOD_REPORT_RESP = 0x86,
	METHOD_GET_TABLE_RESP = 0x92, METHOD_GET_MULTI_RESP = 0x94, METHOD_DELETE_RESP = 0x95,
};

/* Status of any class; the SA's own codes are in bits 15..8. */
enum dgram_status {
	STATUS_OK = 0, STATUS_BUSY = 0x01, STATUS_REDIRECT = 0x02, STATUS_BAD_VERSION = 0x04,
	STATUS_BAD_METHOD = 0x08, STATUS_BAD_METHOD_ATTR = 0x0c, STATUS_BAD_VALUE = 0x1c,
	STATUS_SA_NO_RESOURCES = 0x0100, STATUS_SA_INVALID = 0x0200, STATUS_SA_NO_RECORDS = 0x0300,
	STATUS_SA_TOO_MANY = 0x0400, STATUS_SA_INVALID_GID = 0x0500, STATUS_SA_COMPONENTS = 0x0600,
	STATUS_SA_DENIED = 0x0700,
};

/* Generic attributes of every class. */
#define ATTR_CLASS_PORT_INFO 0x0001
#define ATTR_NOTICE 0x0002
#define ATTR_INFORM_INFO 0x0003

/* ---- NodeInfo ---- */

enum attr_node_type { NODE_TYPE_CA = 1, NODE_TYPE_SWITCH = 2, NODE_TYPE_ROUTER = 3 };

/* ---- PortInfo ---- */

/* PortState.  In a Set, NO_CHANGE keeps the present state. */
enum attr_port_state {
	PORT_STATE_NO_CHANGE = 0, PORT_STATE_DOWN = 1, PORT_STATE_INIT = 2, PORT_STATE_ARMED = 3,
	PORT_STATE_ACTIVE = 4,
};

/* PortPhysicalState; LinkDownDefaultState has the values up to POLLING. */
enum attr_phys_state {
	PHYS_STATE_NO_CHANGE = 0, PHYS_STATE_SLEEP = 1, PHYS_STATE_POLLING = 2,
	PHYS_STATE_DISABLED = 3,
	PHYS_STATE_TRAINING = 4, PHYS_STATE_LINK_UP = 5, PHYS_STATE_ERROR_RECOVERY = 6,
	PHYS_STATE_PHY_TEST = 7,
};

/* LinkWidthSupported, Enabled and Active; the first two are masks.  In a Set, Enabled 0 keeps the
 * present mask. */
enum attr_link_width {
	LINK_WIDTH_1X = 1, LINK_WIDTH_4X = 2, LINK_WIDTH_8X = 4, LINK_WIDTH_12X = 8,
	LINK_WIDTH_2X = 16,
	LINK_WIDTH_ALL = 255,           /* Enabled: all that are supported */
};

/* LinkSpeedSupported, Enabled and Active: the first three speeds. */
enum attr_link_speed {
	LINK_SPEED_SDR = 1, LINK_SPEED_DDR = 2, LINK_SPEED_QDR = 4,
	LINK_SPEED_ALL = 15,            /* Enabled: all that are supported */
};

/* LinkSpeedExtSupported, Enabled and Active. */
enum attr_link_speed_ext {
	LINK_SPEED_EXT_FDR = 1,
	LINK_SPEED_EXT_EDR = 2,
	LINK_SPEED_EXT_HDR = 4,
	LINK_SPEED_EXT_NDR = 8,
	LINK_SPEED_EXT_OFF = 30, /* Enabled: none */
	LINK_SPEED_EXT_ALL = 31, /* Enabled: all that are supported */
};

/* LinkSpeedExtSupported2, Enabled2 and Active2. */
enum attr_link_speed_ext2 { LINK_SPEED_EXT2_XDR = 1 };

/* MlnxExtPortInfo: speeds, and StateChangeEnable. */
enum { MLNX_SPEED_FDR10 = 1, MLNX_CHANGE_SPEED_ENABLED = 1 };

/* CapabilityMask; attr_text.c has the names of the bits. */
enum attr_port_cap {
	PORT_CAP_IS_SM = 1 << 1, PORT_CAP_NOTICE = 1 << 2, PORT_CAP_TRAP = 1 << 3,
	PORT_CAP_OPTIONAL_IPD = 1 << 4,
	PORT_CAP_AUTO_MIGRATION = 1 << 5, PORT_CAP_SL_MAPPING = 1 << 6,
	PORT_CAP_MKEY_NVRAM = 1 << 7,
	PORT_CAP_PKEY_NVRAM = 1 << 8, PORT_CAP_LED_INFO = 1 << 9, PORT_CAP_SM_DISABLED = 1 << 10,
	PORT_CAP_SYSTEM_GUID = 1 << 11, PORT_CAP_PKEY_SWITCH_TRAP = 1 << 12,
	PORT_CAP_CABLE_INFO = 1 << 13,
	PORT_CAP_EXTENDED_SPEEDS = 1 << 14, PORT_CAP_MASK2 = 1 << 15, PORT_CAP_CM = 1 << 16,
	PORT_CAP_SNMP_TUNNELING = 1 << 17, PORT_CAP_REINIT = 1 << 18,
	PORT_CAP_DEVICE_MANAGEMENT = 1 << 19,
	PORT_CAP_VENDOR_CLASS = 1 << 20, PORT_CAP_DR_NOTICE = 1 << 21,
	PORT_CAP_MASK_NOTICE = 1 << 22,
	PORT_CAP_BOOT_MANAGEMENT = 1 << 23, PORT_CAP_LINK_LATENCY = 1 << 24,
	PORT_CAP_CLIENT_REREGISTRATION = 1 << 25, PORT_CAP_OTHER_NOTICE = 1 << 26,
	PORT_CAP_SPEED_WIDTH_PAIRS = 1 << 27, PORT_CAP_VENDOR_MADS_TABLE = 1 << 28,
	PORT_CAP_PKEY_TRAP_SUPPRESSION = 1 << 29, PORT_CAP_MFT_TOP = 1 << 30,
};

/* CapabilityMask2, valid with PORT_CAP_MASK2. */
enum attr_port_cap2 {
	PORT_CAP2_SET_NODE_DESC = 1 << 0, PORT_CAP2_PORT_INFO_EXT = 1 << 1,
	PORT_CAP2_VIRTUALIZATION = 1 << 2,
	PORT_CAP2_SWITCH_PORT_STATE = 1 << 3, PORT_CAP2_WIDTH_2X = 1 << 4, PORT_CAP2_HDR = 1 << 5,
	PORT_CAP2_NDR = 1 << 10, PORT_CAP2_EXTENDED_SPEEDS2 = 1 << 11, PORT_CAP2_XDR = 1 << 12,
};

/* Attribute modifier of PortInfo: the requester supports extended speeds.  The port accepts that
 * bit if its CapabilityMask has CAP_EXTENDED_SPEEDS, an older name of PORT_CAP_EXTENDED_SPEEDS. */
#define PORT_INFO_EXTENDED_SPEEDS (UINT32_C(1) << 31)
#define CAP_EXTENDED_SPEEDS (UINT32_C(1) << 14)

/* PortInfoExtended: FECModeActive. */
enum attr_fec_mode {
	FEC_MODE_NONE = 0, FEC_MODE_FIRECODE = 1, FEC_MODE_RS = 2, FEC_MODE_RS_LOW_LATENCY = 3,
	FEC_MODE_RS2 = 4,
};

/* ---- VLs, MTU, rate, and how the SA compares them ---- */

/* MTUCap, NeighborMTU, and MTU of records. */
enum attr_mtu {
	MTU_CODE_256 = 1, MTU_CODE_512 = 2, MTU_CODE_1024 = 3, MTU_CODE_2048 = 4, MTU_CODE_4096 = 5,
	MTU_CODE_FIRST = MTU_CODE_256, MTU_CODE_LAST = MTU_CODE_4096,
};

/* VLCap and OperationalVLs. */
enum attr_vls {
	VLS_CODE_VL0 = 1, VLS_CODE_VL0_1 = 2, VLS_CODE_VL0_3 = 3, VLS_CODE_VL0_7 = 4,
	VLS_CODE_VL0_14 = 5,
	VLS_CODE_LAST = VLS_CODE_VL0_14,
};

/* Rate of records, in Gb/s.  The order of the codes is not the order of the rates:
 * attr_rate_tenths(). */
enum attr_rate {
	RATE_CODE_2_5 = 2, RATE_CODE_10 = 3, RATE_CODE_30 = 4, RATE_CODE_5 = 5, RATE_CODE_20 = 6,
	RATE_CODE_40 = 7, RATE_CODE_60 = 8, RATE_CODE_80 = 9, RATE_CODE_120 = 10, RATE_CODE_14 = 11,
	RATE_CODE_56 = 12, RATE_CODE_112 = 13, RATE_CODE_168 = 14, RATE_CODE_25 = 15,
	RATE_CODE_100 = 16,
	RATE_CODE_200 = 17, RATE_CODE_300 = 18, RATE_CODE_28 = 19, RATE_CODE_50 = 20,
	RATE_CODE_400 = 21,
	RATE_CODE_600 = 22, RATE_CODE_800 = 23, RATE_CODE_1200 = 24, RATE_CODE_1600 = 25,
	RATE_CODE_2400 = 26,
	RATE_CODE_FIRST = RATE_CODE_2_5, RATE_CODE_LAST = RATE_CODE_2400,
};

/* BEST: the largest MTU or rate, the smallest packet life. */
enum attr_selector {
	SELECTOR_GREATER = 0, SELECTOR_LESS = 1, SELECTOR_EXACTLY = 2, SELECTOR_BEST = 3,
};

enum { PACKET_LIFE_MAX = 63, HOP_LIMIT_MAX = 255, SL_MAX = 15, VL_MAX = 14, VL_MANAGEMENT = 15 };

/* ---- SMInfo ---- */

enum attr_sm_state {
	SM_STATE_NOT_ACTIVE = 0,
	SM_STATE_DISCOVERING = 1,
	SM_STATE_STANDBY = 2,
	SM_STATE_MASTER = 3,
};

/* Attribute modifier of Set(SMInfo). */
enum attr_sm_info_set {
	SM_INFO_SET_HANDOVER = 1,
	SM_INFO_SET_ACKNOWLEDGE = 2,
	SM_INFO_SET_DISABLE = 3,
	SM_INFO_SET_STANDBY = 4,
	SM_INFO_SET_DISCOVER = 5,
};

enum { SM_PRIORITY_MAX = 15 };

/* ---- Notice and InformInfo ---- */

enum attr_notice_type {
	NOTICE_TYPE_FATAL = 0, NOTICE_TYPE_URGENT = 1, NOTICE_TYPE_SECURITY = 2, NOTICE_TYPE_SM = 3,
	NOTICE_TYPE_INFO = 4, NOTICE_TYPE_EMPTY = 0x7f,
};

/* ProducerType of a generic notice: the node types, and the manager of a class. */
enum attr_notice_producer {
	NOTICE_PRODUCER_CA = 1,
	NOTICE_PRODUCER_SWITCH = 2,
	NOTICE_PRODUCER_ROUTER = 3,
	NOTICE_PRODUCER_MANAGER = 4,
};

enum attr_trap {
	TRAP_GID_IN_SERVICE = 64, TRAP_GID_OUT_OF_SERVICE = 65, TRAP_GROUP_CREATED = 66,
	TRAP_GROUP_DELETED = 67,
	TRAP_UNPATH = 68, TRAP_REPATH = 69, TRAP_LINK_STATE = 128, TRAP_LINK_INTEGRITY = 129,
	TRAP_BUFFER_OVERRUN = 130, TRAP_FLOW_WATCHDOG = 131, TRAP_LOCAL_CHANGE = 144,
	TRAP_SYSTEM_GUID = 145,
	TRAP_BAD_MKEY = 256, TRAP_BAD_PKEY = 257, TRAP_BAD_QKEY = 258, TRAP_SWITCH_BAD_PKEY = 259,
};

/* Trap 144: the flags beside the capability masks. */
#define TRAP144_NODE_DESC 0x0001
#define TRAP144_WIDTH_ENABLED 0x0002
#define TRAP144_SPEED_ENABLED 0x0004
#define TRAP144_SM_PRIORITY 0x0008
#define TRAP144_HIERARCHY 0x0010
#define TRAP144_CAPABILITY_MASK2 0x0020

/* InformInfo: values that match every notice. */
enum {
	INFORM_LID_ALL = 0xffff,
	INFORM_TYPE_ALL = 0xffff,
	INFORM_TRAP_ALL = 0xffff,
	INFORM_PRODUCER_ALL = 0xffffff,
};

/* ---- ClassPortInfo ---- */

/* CapabilityMask: bits 0..7 are common to all classes, bits 8..15 are specific to the class. */
enum attr_class_cap {
	CLASS_CAP_TRAPS = 1 << 0, CLASS_CAP_NOTICE = 1 << 1, CLASS_CAP_MASK2 = 1 << 2,
};

enum attr_sa_class_cap {
	SA_CLASS_CAP_OPTIONAL_RECORDS = 1 << 8, SA_CLASS_CAP_UD_MULTICAST = 1 << 9,
	SA_CLASS_CAP_MULTIPATH = 1 << 10,
	SA_CLASS_CAP_REINIT = 1 << 11, SA_CLASS_CAP_GID_MULTIPATH = 1 << 12,
	SA_CLASS_CAP_PORT_INFO_MATCH = 1 << 13,
};

/* CapabilityMask2 of the SA. */
enum attr_sa_class_cap2 {
	SA_CLASS_CAP2_REPATH = 1 << 0, SA_CLASS_CAP2_QOS = 1 << 1,
	SA_CLASS_CAP2_REVERSE_PKEY = 1 << 2,
	SA_CLASS_CAP2_MFT_TOP = 1 << 3, SA_CLASS_CAP2_HIERARCHY = 1 << 4,
	SA_CLASS_CAP2_ADDITIONAL_GUIDS = 1 << 5,
	SA_CLASS_CAP2_FULL_PORT_INFO = 1 << 6, SA_CLASS_CAP2_EXTENDED_SPEEDS = 1 << 7,
	SA_CLASS_CAP2_MCAST_SERVICE = 1 << 8, SA_CLASS_CAP2_CABLE_INFO = 1 << 9,
	SA_CLASS_CAP2_PORT_INFO_MATCH2 = 1 << 10, SA_CLASS_CAP2_PORT_INFO_EXT = 1 << 11,
	SA_CLASS_CAP2_SEND_ONLY_FULL = 1 << 12, SA_CLASS_CAP2_WIDTH_2X = 1 << 13,
	SA_CLASS_CAP2_HDR = 1 << 15,
	SA_CLASS_CAP2_NDR = 1 << 17,
};

/* CapabilityMask of performance management. */
enum attr_pm_class_cap {
	PM_CLASS_CAP_ALL_PORTS = 1 << 8, PM_CLASS_CAP_EXT = 1 << 9,
	PM_CLASS_CAP_EXT_NO_CAST = 1 << 10,
	PM_CLASS_CAP_SAMPLES_ONLY = 1 << 11, PM_CLASS_CAP_XMIT_WAIT = 1 << 12,
	PM_CLASS_CAP_INHIBIT_LIMITED_PKEY = 1 << 13, PM_CLASS_CAP_RSFEC = 1 << 14,
	PM_CLASS_CAP_QP1_DROPPED = 1 << 15,
};

enum { PM_PORT_ALL = 255 };             /* PortSelect, with PM_CLASS_CAP_ALL_PORTS */

/* The largest RespTimeValue.  In an RMPP header it says that no time is given. */
enum { RESP_TIME_MAX = 31 };

/* ---- Records of the SA ---- */

/* MCMemberRecord: JoinState. */
enum attr_join_state {
	JOIN_STATE_FULL = 1,
	JOIN_STATE_NON = 2,
	JOIN_STATE_SEND_ONLY_NON = 4,
	JOIN_STATE_SEND_ONLY_FULL = 8,
};

/* Scope of a multicast GID. */
enum attr_scope {
	SCOPE_LINK_LOCAL = 2, SCOPE_SITE_LOCAL = 5, SCOPE_ORGANIZATION = 8, SCOPE_GLOBAL = 14,
};

/* The flag of a multicast GID that is not permanently assigned, and the signatures of MGIDs of IP
 * and of those that subnet administration makes. */
enum attr_mgid { MGID_FLAG_TRANSIENT = 1 };

enum attr_mgid_signature {
	MGID_SIGNATURE_IPV4 = 0x401b, MGID_SIGNATURE_IPV6 = 0x601b, MGID_SIGNATURE_SA = 0xa01b,
};

/* Attribute modifier of PortInfoRecord: a port matches if it has at least the capability bits of
 * the query. */
#define PORT_INFO_RECORD_CAP_MATCH (UINT32_C(1) << 31)

#define SERVICE_LEASE_FOREVER UINT32_MAX

#endif
