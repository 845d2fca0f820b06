/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_attr.c - makes the functions of the SA records from their rows.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/wire/wire.h"

#define ATTR_NAME sa_notice
#define ATTR_DEF "libmad/attr/sa_notice.def"
#define ATTR_BYTES SA_NOTICE_BYTES
#define ATTR_TEXT "Notice"
#define ATTR_ID SA_NOTICE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME inform_info
#define ATTR_DEF "libmad/attr/inform_info.def"
#define ATTR_BYTES INFORM_INFO_BYTES
#define ATTR_TEXT "InformInfo"
#define ATTR_ID INFORM_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME node_record
#define ATTR_DEF "libmad/attr/node_record.def"
#define ATTR_BYTES NODE_RECORD_BYTES
#define ATTR_TEXT "NodeRecord"
#define ATTR_ID NODE_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME port_info_record
#define ATTR_DEF "libmad/attr/port_info_record.def"
#define ATTR_BYTES PORT_INFO_RECORD_BYTES
#define ATTR_TEXT "PortInfoRecord"
#define ATTR_ID PORT_INFO_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME slvl_record
#define ATTR_DEF "libmad/attr/slvl_record.def"
#define ATTR_BYTES SLVL_RECORD_BYTES
#define ATTR_TEXT "SLtoVLMappingTableRecord"
#define ATTR_ID SLVL_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME switch_info_record
#define ATTR_DEF "libmad/attr/switch_info_record.def"
#define ATTR_BYTES SWITCH_INFO_RECORD_BYTES
#define ATTR_TEXT "SwitchInfoRecord"
#define ATTR_ID SWITCH_INFO_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME lft_record
#define ATTR_DEF "libmad/attr/lft_record.def"
#define ATTR_BYTES LFT_RECORD_BYTES
#define ATTR_TEXT "LinearForwardingTableRecord"
#define ATTR_ID LFT_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME rft_record
#define ATTR_DEF "libmad/attr/rft_record.def"
#define ATTR_BYTES RFT_RECORD_BYTES
#define ATTR_TEXT "RandomForwardingTableRecord"
#define ATTR_ID RFT_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME mft_record
#define ATTR_DEF "libmad/attr/mft_record.def"
#define ATTR_BYTES MFT_RECORD_BYTES
#define ATTR_TEXT "MulticastForwardingTableRecord"
#define ATTR_ID MFT_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME sm_info_record
#define ATTR_DEF "libmad/attr/sm_info_record.def"
#define ATTR_BYTES SM_INFO_RECORD_BYTES
#define ATTR_TEXT "SMInfoRecord"
#define ATTR_ID SM_INFO_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME link_record
#define ATTR_DEF "libmad/attr/link_record.def"
#define ATTR_BYTES LINK_RECORD_BYTES
#define ATTR_TEXT "LinkRecord"
#define ATTR_ID LINK_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME guid_info_record
#define ATTR_DEF "libmad/attr/guid_info_record.def"
#define ATTR_BYTES GUID_INFO_RECORD_BYTES
#define ATTR_TEXT "GUIDInfoRecord"
#define ATTR_ID GUID_INFO_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME service_record
#define ATTR_DEF "libmad/attr/service_record.def"
#define ATTR_BYTES SERVICE_RECORD_BYTES
#define ATTR_TEXT "ServiceRecord"
#define ATTR_ID SERVICE_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pkey_record
#define ATTR_DEF "libmad/attr/pkey_record.def"
#define ATTR_BYTES PKEY_RECORD_BYTES
#define ATTR_TEXT "P_KeyTableRecord"
#define ATTR_ID PKEY_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME path_record
#define ATTR_DEF "libmad/attr/path_record.def"
#define ATTR_BYTES PATH_RECORD_BYTES
#define ATTR_TEXT "PathRecord"
#define ATTR_ID PATH_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vlarb_record
#define ATTR_DEF "libmad/attr/vlarb_record.def"
#define ATTR_BYTES VLARB_RECORD_BYTES
#define ATTR_TEXT "VLArbitrationTableRecord"
#define ATTR_ID VLARB_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME mcmember_record
#define ATTR_DEF "libmad/attr/mcmember_record.def"
#define ATTR_BYTES MCMEMBER_RECORD_BYTES
#define ATTR_TEXT "MCMemberRecord"
#define ATTR_ID MCMEMBER_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME trace_record
#define ATTR_DEF "libmad/attr/trace_record.def"
#define ATTR_BYTES TRACE_RECORD_BYTES
#define ATTR_TEXT "TraceRecord"
#define ATTR_ID TRACE_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME multipath_record
#define ATTR_DEF "libmad/attr/multipath_record.def"
#define ATTR_BYTES MULTIPATH_RECORD_BYTES
#define ATTR_TEXT "MultiPathRecord"
#define ATTR_ID MULTIPATH_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME service_assoc_record
#define ATTR_DEF "libmad/attr/service_assoc_record.def"
#define ATTR_BYTES SERVICE_ASSOC_RECORD_BYTES
#define ATTR_TEXT "ServiceAssociationRecord"
#define ATTR_ID SERVICE_ASSOC_RECORD_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME inform_info_record
#define ATTR_DEF "libmad/attr/inform_info_record.def"
#define ATTR_BYTES INFORM_INFO_RECORD_BYTES
#define ATTR_TEXT "InformInfoRecord"
#define ATTR_ID INFORM_INFO_RECORD_ID
#include "libmad/attr/attr_impl.h"

const struct attr_desc *const sa_attr_all[] = {
	&class_port_info_desc,
	&sa_notice_desc,
	&inform_info_desc,
	&node_record_desc,
	&port_info_record_desc,
	&slvl_record_desc,
	&switch_info_record_desc,
	&lft_record_desc,
	&rft_record_desc,
	&mft_record_desc,
	&sm_info_record_desc,
	&link_record_desc,
	&guid_info_record_desc,
	&service_record_desc,
	&pkey_record_desc,
	&path_record_desc,
	&vlarb_record_desc,
	&mcmember_record_desc,
	&trace_record_desc,
	&multipath_record_desc,
	&service_assoc_record_desc,
	&inform_info_record_desc,
	NULL,
};
