/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pm_attr.c - makes the functions of the performance attributes from their rows.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/pm_attr.h"
#include "libmad/wire/wire.h"

#define ATTR_NAME pm_samples_control
#define ATTR_DEF "libmad/attr/pm_samples_control.def"
#define ATTR_BYTES PM_SAMPLES_CONTROL_BYTES
#define ATTR_TEXT "PortSamplesControl"
#define ATTR_ID PM_SAMPLES_CONTROL_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_samples_result
#define ATTR_DEF "libmad/attr/pm_samples_result.def"
#define ATTR_BYTES PM_SAMPLES_RESULT_BYTES
#define ATTR_TEXT "PortSamplesResult"
#define ATTR_ID PM_SAMPLES_RESULT_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_port_counters
#define ATTR_DEF "libmad/attr/pm_port_counters.def"
#define ATTR_BYTES PM_PORT_COUNTERS_BYTES
#define ATTR_TEXT "PortCounters"
#define ATTR_ID PM_PORT_COUNTERS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_rcv_error_details
#define ATTR_DEF "libmad/attr/pm_rcv_error_details.def"
#define ATTR_BYTES PM_RCV_ERROR_DETAILS_BYTES
#define ATTR_TEXT "PortRcvErrorDetails"
#define ATTR_ID PM_RCV_ERROR_DETAILS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_xmit_discard_details
#define ATTR_DEF "libmad/attr/pm_xmit_discard_details.def"
#define ATTR_BYTES PM_XMIT_DISCARD_DETAILS_BYTES
#define ATTR_TEXT "PortXmitDiscardDetails"
#define ATTR_ID PM_XMIT_DISCARD_DETAILS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_op_rcv_counters
#define ATTR_DEF "libmad/attr/pm_op_rcv_counters.def"
#define ATTR_BYTES PM_OP_RCV_COUNTERS_BYTES
#define ATTR_TEXT "PortOpRcvCounters"
#define ATTR_ID PM_OP_RCV_COUNTERS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_flow_ctl_counters
#define ATTR_DEF "libmad/attr/pm_flow_ctl_counters.def"
#define ATTR_BYTES PM_FLOW_CTL_COUNTERS_BYTES
#define ATTR_TEXT "PortFlowCtlCounters"
#define ATTR_ID PM_FLOW_CTL_COUNTERS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_vl_op_packets
#define ATTR_DEF "libmad/attr/pm_vl_op_packets.def"
#define ATTR_BYTES PM_VL_OP_PACKETS_BYTES
#define ATTR_TEXT "PortVLOpPackets"
#define ATTR_ID PM_VL_OP_PACKETS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_vl_op_data
#define ATTR_DEF "libmad/attr/pm_vl_op_data.def"
#define ATTR_BYTES PM_VL_OP_DATA_BYTES
#define ATTR_TEXT "PortVLOpData"
#define ATTR_ID PM_VL_OP_DATA_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_vl_flow_ctl_errors
#define ATTR_DEF "libmad/attr/pm_vl_flow_ctl_errors.def"
#define ATTR_BYTES PM_VL_FLOW_CTL_ERRORS_BYTES
#define ATTR_TEXT "PortVLXmitFlowCtlUpdateErrors"
#define ATTR_ID PM_VL_FLOW_CTL_ERRORS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_vl_xmit_wait
#define ATTR_DEF "libmad/attr/pm_vl_xmit_wait.def"
#define ATTR_BYTES PM_VL_XMIT_WAIT_BYTES
#define ATTR_TEXT "PortVLXmitWaitCounters"
#define ATTR_ID PM_VL_XMIT_WAIT_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_port_counters_ext
#define ATTR_DEF "libmad/attr/pm_port_counters_ext.def"
#define ATTR_BYTES PM_PORT_COUNTERS_EXT_BYTES
#define ATTR_TEXT "PortCountersExtended"
#define ATTR_ID PM_PORT_COUNTERS_EXT_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_samples_result_ext
#define ATTR_DEF "libmad/attr/pm_samples_result_ext.def"
#define ATTR_BYTES PM_SAMPLES_RESULT_EXT_BYTES
#define ATTR_TEXT "PortSamplesResultExtended"
#define ATTR_ID PM_SAMPLES_RESULT_EXT_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_ext_speeds
#define ATTR_DEF "libmad/attr/pm_ext_speeds.def"
#define ATTR_BYTES PM_EXT_SPEEDS_BYTES
#define ATTR_TEXT "PortExtendedSpeedsCounters"
#define ATTR_ID PM_EXT_SPEEDS_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_ext_speeds_rsfec
#define ATTR_DEF "libmad/attr/pm_ext_speeds_rsfec.def"
#define ATTR_BYTES PM_EXT_SPEEDS_RSFEC_BYTES
#define ATTR_TEXT "PortExtendedSpeedsCounters"
#define ATTR_ID PM_EXT_SPEEDS_RSFEC_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_vl_congestion
#define ATTR_DEF "libmad/attr/pm_vl_congestion.def"
#define ATTR_BYTES PM_VL_CONGESTION_BYTES
#define ATTR_TEXT "SwPortVLCongestion"
#define ATTR_ID PM_VL_CONGESTION_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_rcv_con_ctrl
#define ATTR_DEF "libmad/attr/pm_rcv_con_ctrl.def"
#define ATTR_BYTES PM_RCV_CON_CTRL_BYTES
#define ATTR_TEXT "PortRcvConCtrl"
#define ATTR_ID PM_RCV_CON_CTRL_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_sl_rcv_fecn
#define ATTR_DEF "libmad/attr/pm_sl_rcv_fecn.def"
#define ATTR_BYTES PM_SL_RCV_FECN_BYTES
#define ATTR_TEXT "PortSLRcvFECN"
#define ATTR_ID PM_SL_RCV_FECN_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_sl_rcv_becn
#define ATTR_DEF "libmad/attr/pm_sl_rcv_becn.def"
#define ATTR_BYTES PM_SL_RCV_BECN_BYTES
#define ATTR_TEXT "PortSLRcvBECN"
#define ATTR_ID PM_SL_RCV_BECN_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_xmit_con_ctrl
#define ATTR_DEF "libmad/attr/pm_xmit_con_ctrl.def"
#define ATTR_BYTES PM_XMIT_CON_CTRL_BYTES
#define ATTR_TEXT "PortXmitConCtrl"
#define ATTR_ID PM_XMIT_CON_CTRL_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_vl_xmit_time_cong
#define ATTR_DEF "libmad/attr/pm_vl_xmit_time_cong.def"
#define ATTR_BYTES PM_VL_XMIT_TIME_CONG_BYTES
#define ATTR_TEXT "PortVLXmitTimeCong"
#define ATTR_ID PM_VL_XMIT_TIME_CONG_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_xmit_data_sl
#define ATTR_DEF "libmad/attr/pm_xmit_data_sl.def"
#define ATTR_BYTES PM_XMIT_DATA_SL_BYTES
#define ATTR_TEXT "PortXmitDataSL"
#define ATTR_ID PM_XMIT_DATA_SL_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME pm_rcv_data_sl
#define ATTR_DEF "libmad/attr/pm_rcv_data_sl.def"
#define ATTR_BYTES PM_RCV_DATA_SL_BYTES
#define ATTR_TEXT "PortRcvDataSL"
#define ATTR_ID PM_RCV_DATA_SL_ID
#include "libmad/attr/attr_impl.h"

const struct attr_desc *const pm_attr_all[] = {
	&class_port_info_desc,
	&pm_samples_control_desc,
	&pm_samples_result_desc,
	&pm_port_counters_desc,
	&pm_rcv_error_details_desc,
	&pm_xmit_discard_details_desc,
	&pm_op_rcv_counters_desc,
	&pm_flow_ctl_counters_desc,
	&pm_vl_op_packets_desc,
	&pm_vl_op_data_desc,
	&pm_vl_flow_ctl_errors_desc,
	&pm_vl_xmit_wait_desc,
	&pm_port_counters_ext_desc,
	&pm_samples_result_ext_desc,
	&pm_ext_speeds_desc,
	&pm_ext_speeds_rsfec_desc,
	&pm_vl_congestion_desc,
	&pm_rcv_con_ctrl_desc,
	&pm_sl_rcv_fecn_desc,
	&pm_sl_rcv_becn_desc,
	&pm_xmit_con_ctrl_desc,
	&pm_vl_xmit_time_cong_desc,
	&pm_xmit_data_sl_desc,
	&pm_rcv_data_sl_desc,
	NULL,
};
