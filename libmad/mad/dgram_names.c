/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dgram_names.c - names of classes, methods, attributes and status codes.
 * Room: libmad/mad.  Pure.  Tables only: a new name is a new row.
 */
#include <config.h>
#include "libmad/mad/dgram.h"

struct word {
	uint32_t code;
	const char *text;
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *
word_find(const struct word *table, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].code == code)
			return table[i].text;
	return NULL;
}

const char *
dgram_class_name(uint8_t mgmt_class)
{
	static const struct word names[] = {
		{ CLASS_SM_LID, "SM (LID routed)" },
		{ CLASS_SM_DR, "SM (directed route)" },
		{ CLASS_SA, "SA" },
		{ CLASS_PM, "performance" },
		{ CLASS_BM, "baseboard" },
		{ CLASS_DEVMGT, "device management" },
		{ CLASS_CM, "communication management" },
		{ 0x08, "SNMP" },
		{ 0x10, "device administration" },
		{ 0x11, "boot management" },
		{ 0x12, "boot installation" },
		{ CLASS_CC, "congestion control" },
		{ CLASS_PING, "ping" },
		{ CLASS_SYSSTAT, "system status" },
	};
	const char *s = word_find(names, COUNT(names), mgmt_class);

	if (s)
		return s;
	if ((mgmt_class >= 0x09 && mgmt_class <= 0x0f) ||
	    (mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST))
		return "vendor";
	if (mgmt_class >= 0x10 && mgmt_class <= 0x2f)
		return "application";
	return "unknown";
}

const char *
dgram_method_name(uint8_t method)
{
	static const struct word names[] = {
		{ METHOD_GET, "Get" },
		{ METHOD_SET, "Set" },
		{ METHOD_SEND, "Send" },
		{ METHOD_TRAP, "Trap" },
		{ METHOD_REPORT, "Report" },
		{ METHOD_TRAP_REPRESS, "TrapRepress" },
		{ METHOD_GET_TABLE, "GetTable" },
		{ METHOD_GET_TRACE, "GetTraceTable" },
		{ METHOD_GET_MULTI, "GetMulti" },
		{ METHOD_DELETE, "Delete" },
		{ METHOD_GET_RESP, "GetResp" },
		{ METHOD_REPORT_RESP, "ReportResp" },
		{ METHOD_GET_TABLE_RESP, "GetTableResp" },
		{ METHOD_GET_TRACE | METHOD_RESP, "GetTraceTableResp" },
		{ METHOD_GET_MULTI_RESP, "GetMultiResp" },
		{ METHOD_DELETE_RESP, "DeleteResp" },
	};
	const char *s = word_find(names, COUNT(names), method);

	return s ? s : "unknown";
}

static const struct word generic_attrs[] = {
	{ ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
	{ ATTR_NOTICE, "Notice" },
	{ ATTR_INFORM_INFO, "InformInfo" },
};

static const struct word sm_attrs[] = {
	{ ATTR_NOTICE, "Notice" },
	{ 0x0010, "NodeDescription" },
	{ 0x0011, "NodeInfo" },
	{ 0x0012, "SwitchInfo" },
	{ 0x0014, "GUIDInfo" },
	{ 0x0015, "PortInfo" },
	{ 0x0016, "P_KeyTable" },
	{ 0x0017, "SLtoVLMappingTable" },
	{ 0x0018, "VLArbitrationTable" },
	{ 0x0019, "LinearForwardingTable" },
	{ 0x001a, "RandomForwardingTable" },
	{ 0x001b, "MulticastForwardingTable" },
	{ 0x001c, "LinkSpeedWidthPairsTable" },
	{ 0x001d, "VendorSpecificMadsTable" },
	{ 0x001e, "HierarchyInfo" },
	{ 0x0020, "SMInfo" },
	{ 0x0030, "VendorDiag" },
	{ 0x0031, "LedInfo" },
	{ 0x0032, "CableInfo" },
	{ 0x0033, "PortInfoExtended" },
	{ 0x0034, "SwitchPortStateTable" },
	{ 0xff90, "MlnxExtPortInfo" },
};

static const struct word sa_attrs[] = {
	{ ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
	{ ATTR_NOTICE, "Notice" },
	{ ATTR_INFORM_INFO, "InformInfo" },
	{ 0x0011, "NodeRecord" },
	{ 0x0012, "PortInfoRecord" },
	{ 0x0013, "SLtoVLMappingTableRecord" },
	{ 0x0014, "SwitchInfoRecord" },
	{ 0x0015, "LinearForwardingTableRecord" },
	{ 0x0016, "RandomForwardingTableRecord" },
	{ 0x0017, "MulticastForwardingTableRecord" },
	{ 0x0018, "SMInfoRecord" },
	{ 0x0019, "LinkSpeedWidthPairsTableRecord" },
	{ 0x0020, "LinkRecord" },
	{ 0x0030, "GUIDInfoRecord" },
	{ 0x0031, "ServiceRecord" },
	{ 0x0033, "P_KeyTableRecord" },
	{ 0x0035, "PathRecord" },
	{ 0x0036, "VLArbitrationTableRecord" },
	{ 0x0038, "MCMemberRecord" },
	{ 0x0039, "TraceRecord" },
	{ 0x003a, "MultiPathRecord" },
	{ 0x003b, "ServiceAssociationRecord" },
	{ 0x003c, "HierarchyInfoRecord" },
	{ 0x003d, "CableInfoRecord" },
	{ 0x003e, "PortInfoExtendedRecord" },
	{ 0x00f3, "InformInfoRecord" },
};

static const struct word pm_attrs[] = {
	{ ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
	{ 0x0010, "PortSamplesControl" },
	{ 0x0011, "PortSamplesResult" },
	{ 0x0012, "PortCounters" },
	{ 0x0015, "PortRcvErrorDetails" },
	{ 0x0016, "PortXmitDiscardDetails" },
	{ 0x0017, "PortOpRcvCounters" },
	{ 0x0018, "PortFlowCtlCounters" },
	{ 0x0019, "PortVLOpPackets" },
	{ 0x001a, "PortVLOpData" },
	{ 0x001b, "PortVLXmitFlowCtlUpdateErrors" },
	{ 0x001c, "PortVLXmitWaitCounters" },
	{ 0x001d, "PortCountersExtended" },
	{ 0x001e, "PortSamplesResultExtended" },
	{ 0x001f, "PortExtendedSpeedsCounters" },
	{ 0x0030, "SwPortVLCongestion" },
	{ 0x0031, "PortRcvConCtrl" },
	{ 0x0032, "PortSLRcvFECN" },
	{ 0x0033, "PortSLRcvBECN" },
	{ 0x0034, "PortXmitConCtrl" },
	{ 0x0035, "PortVLXmitTimeCong" },
	{ 0x0036, "PortXmitDataSL" },
	{ 0x0037, "PortRcvDataSL" },
};

static const struct word cm_attrs[] = {
	{ ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
	{ 0x0010, "REQ" }, { 0x0011, "MRA" }, { 0x0012, "REJ" }, { 0x0013, "REP" },
	{ 0x0014, "RTU" },
	{ 0x0015, "DREQ" }, { 0x0016, "DREP" }, { 0x0017, "SIDR_REQ" }, { 0x0018, "SIDR_REP" },
	{ 0x0019, "LAP" }, { 0x001a, "APR" }, { 0x001b, "SAP" }, { 0x001c, "SPR" },
};

static const struct word cc_attrs[] = {
	{ ATTR_CLASS_PORT_INFO, "ClassPortInfo" },
	{ ATTR_NOTICE, "Notice" },
	{ 0x0011, "CongestionInfo" },
	{ 0x0012, "CongestionKeyInfo" },
	{ 0x0013, "CongestionLog" },
	{ 0x0014, "SwitchCongestionSetting" },
	{ 0x0015, "SwitchPortCongestionSetting" },
	{ 0x0016, "CACongestionSetting" },
	{ 0x0017, "CongestionControlTable" },
	{ 0x0018, "TimeStamp" },
};

const char *
dgram_attr_name(uint8_t mgmt_class, uint16_t attr_id)
{
	switch (mgmt_class) {
	case CLASS_SM_LID:
	case CLASS_SM_DR:
		return word_find(sm_attrs, COUNT(sm_attrs), attr_id);
	case CLASS_SA:
		return word_find(sa_attrs, COUNT(sa_attrs), attr_id);
	case CLASS_PM:
		return word_find(pm_attrs, COUNT(pm_attrs), attr_id);
	case CLASS_CM:
		return word_find(cm_attrs, COUNT(cm_attrs), attr_id);
	case CLASS_CC:
		return word_find(cc_attrs, COUNT(cc_attrs), attr_id);
	default:
		return word_find(generic_attrs, COUNT(generic_attrs), attr_id);
	}
}

const char *
dgram_status_text(uint16_t status, bool sa)
{
	static const struct word sa_words[] = {
		{ 1, "no resources" },
		{ 2, "invalid request" },
		{ 3, "no records" },
		{ 4, "too many records" },
		{ 5, "invalid GID" },
		{ 6, "insufficient components" },
		{ 7, "request denied" },
		{ 8, "priority suggested" },
	};
	static const struct word words[] = {
		{ 1, "version not supported" },
		{ 2, "method not supported" },
		{ 3, "method and attribute not supported together" },
		{ 7, "invalid value in attribute or modifier" },
	};
	const char *s = NULL;

	if (status == STATUS_OK)
		return "ok";
	if (sa && status >> 8)
		s = word_find(sa_words, COUNT(sa_words), status >> 8);
	if (!s && status & 0x1c)
		s = word_find(words, COUNT(words), status >> 2 & 7);
	if (!s && status & STATUS_BUSY)
		s = "busy";
	if (!s && status & STATUS_REDIRECT)
		s = "redirected";
	return s ? s : "unknown status";
}
