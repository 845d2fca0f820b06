/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_attr.h - the attributes of subnet administration (class 0x03): records.
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 *
 * Each block below declares one record from its .def file; attr.h lists what it generates.  The
 * data begin at byte 56 of the MAD.  SA_COMP at the end of this file makes component masks;
 * sa_components.h compares records with them.
 */
#ifndef HEDDLE_LIBMAD_ATTR_SA_ATTR_H
#define HEDDLE_LIBMAD_ATTR_SA_ATTR_H

#include "libmad/attr/gen_attr.h"
#include "libmad/attr/sm_attr.h"

#define SA_NOTICE_ID 0x0002
#define SA_NOTICE_BYTES 80
#define INFORM_INFO_ID 0x0003
#define INFORM_INFO_BYTES 36
#define NODE_RECORD_ID 0x0011
#define NODE_RECORD_BYTES 108
#define PORT_INFO_RECORD_ID 0x0012
#define PORT_INFO_RECORD_BYTES 68
#define SLVL_RECORD_ID 0x0013
#define SLVL_RECORD_BYTES 16
#define SWITCH_INFO_RECORD_ID 0x0014
#define SWITCH_INFO_RECORD_BYTES 24
#define LFT_RECORD_ID 0x0015
#define LFT_RECORD_BYTES 72
#define RFT_RECORD_ID 0x0016
#define RFT_RECORD_BYTES 72
#define MFT_RECORD_ID 0x0017
#define MFT_RECORD_BYTES 72
#define SM_INFO_RECORD_ID 0x0018
#define SM_INFO_RECORD_BYTES 28
#define LINK_RECORD_ID 0x0020
#define LINK_RECORD_BYTES 6
#define GUID_INFO_RECORD_ID 0x0030
#define GUID_INFO_RECORD_BYTES 72
#define SERVICE_RECORD_ID 0x0031
#define SERVICE_RECORD_BYTES 176
#define PKEY_RECORD_ID 0x0033
#define PKEY_RECORD_BYTES 72
#define PATH_RECORD_ID 0x0035
#define PATH_RECORD_BYTES 64
#define VLARB_RECORD_ID 0x0036
#define VLARB_RECORD_BYTES 72
#define MCMEMBER_RECORD_ID 0x0038
#define MCMEMBER_RECORD_BYTES 52
#define TRACE_RECORD_ID 0x0039
#define TRACE_RECORD_BYTES 46
#define MULTIPATH_RECORD_ID 0x003a
#define MULTIPATH_RECORD_BYTES 24
#define SERVICE_ASSOC_RECORD_ID 0x003b
#define SERVICE_ASSOC_RECORD_BYTES 80
#define INFORM_INFO_RECORD_ID 0x00f3
#define INFORM_INFO_RECORD_BYTES 60

#define ATTR_NAME sa_notice
#define ATTR_DEF "libmad/attr/sa_notice.def"
#define ATTR_BYTES SA_NOTICE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME inform_info
#define ATTR_DEF "libmad/attr/inform_info.def"
#define ATTR_BYTES INFORM_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME node_record
#define ATTR_DEF "libmad/attr/node_record.def"
#define ATTR_BYTES NODE_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME port_info_record
#define ATTR_DEF "libmad/attr/port_info_record.def"
#define ATTR_BYTES PORT_INFO_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME slvl_record
#define ATTR_DEF "libmad/attr/slvl_record.def"
#define ATTR_BYTES SLVL_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME switch_info_record
#define ATTR_DEF "libmad/attr/switch_info_record.def"
#define ATTR_BYTES SWITCH_INFO_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME lft_record
#define ATTR_DEF "libmad/attr/lft_record.def"
#define ATTR_BYTES LFT_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME rft_record
#define ATTR_DEF "libmad/attr/rft_record.def"
#define ATTR_BYTES RFT_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME mft_record
#define ATTR_DEF "libmad/attr/mft_record.def"
#define ATTR_BYTES MFT_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME sm_info_record
#define ATTR_DEF "libmad/attr/sm_info_record.def"
#define ATTR_BYTES SM_INFO_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME link_record
#define ATTR_DEF "libmad/attr/link_record.def"
#define ATTR_BYTES LINK_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME guid_info_record
#define ATTR_DEF "libmad/attr/guid_info_record.def"
#define ATTR_BYTES GUID_INFO_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME service_record
#define ATTR_DEF "libmad/attr/service_record.def"
#define ATTR_BYTES SERVICE_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pkey_record
#define ATTR_DEF "libmad/attr/pkey_record.def"
#define ATTR_BYTES PKEY_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME path_record
#define ATTR_DEF "libmad/attr/path_record.def"
#define ATTR_BYTES PATH_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vlarb_record
#define ATTR_DEF "libmad/attr/vlarb_record.def"
#define ATTR_BYTES VLARB_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME mcmember_record
#define ATTR_DEF "libmad/attr/mcmember_record.def"
#define ATTR_BYTES MCMEMBER_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME trace_record
#define ATTR_DEF "libmad/attr/trace_record.def"
#define ATTR_BYTES TRACE_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME multipath_record
#define ATTR_DEF "libmad/attr/multipath_record.def"
#define ATTR_BYTES MULTIPATH_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME service_assoc_record
#define ATTR_DEF "libmad/attr/service_assoc_record.def"
#define ATTR_BYTES SERVICE_ASSOC_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME inform_info_record
#define ATTR_DEF "libmad/attr/inform_info_record.def"
#define ATTR_BYTES INFORM_INFO_RECORD_BYTES
#include "libmad/attr/attr_decl.h"

/* The component mask of a row of a record, from the last column of its .def file, as in
 * SA_COMP(path_record, dgid).  SA_COMP_IN is for a row of an embedded attribute, as in
 * SA_COMP_IN(node_record, info, node_info, node_guid). */
#define SA_COMP(record, row) (((UINT64_C(1) << record##_ncomp_##row) - 1) << record##_comp_##row)
#define SA_COMP_IN(record, member, attribute, row) (SA_COMP(attribute, row) << record##_comp_##member)

/* All attributes above, and ClassPortInfo, ended by NULL. */
extern const struct attr_desc *const sa_attr_all[];

#endif
