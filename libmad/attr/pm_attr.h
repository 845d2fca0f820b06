/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pm_attr.h - the attributes of performance management (class 0x04).
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 *
 * Each block below declares one attribute from its .def file; attr.h lists what it generates.  The
 * data begin at byte 64 of the MAD.
 */
#ifndef HEDDLE_LIBMAD_ATTR_PM_ATTR_H
#define HEDDLE_LIBMAD_ATTR_PM_ATTR_H

#include "libmad/attr/gen_attr.h"

#define PM_SAMPLES_CONTROL_ID 0x0010
#define PM_SAMPLES_CONTROL_BYTES 80
#define PM_SAMPLES_RESULT_ID 0x0011
#define PM_SAMPLES_RESULT_BYTES 64
#define PM_PORT_COUNTERS_ID 0x0012
#define PM_PORT_COUNTERS_BYTES 44
#define PM_RCV_ERROR_DETAILS_ID 0x0015
#define PM_RCV_ERROR_DETAILS_BYTES 16
#define PM_XMIT_DISCARD_DETAILS_ID 0x0016
#define PM_XMIT_DISCARD_DETAILS_BYTES 12
#define PM_OP_RCV_COUNTERS_ID 0x0017
#define PM_OP_RCV_COUNTERS_BYTES 12
#define PM_FLOW_CTL_COUNTERS_ID 0x0018
#define PM_FLOW_CTL_COUNTERS_BYTES 12
#define PM_VL_OP_PACKETS_ID 0x0019
#define PM_VL_OP_PACKETS_BYTES 36
#define PM_VL_OP_DATA_ID 0x001a
#define PM_VL_OP_DATA_BYTES 68
#define PM_VL_FLOW_CTL_ERRORS_ID 0x001b
#define PM_VL_FLOW_CTL_ERRORS_BYTES 8
#define PM_VL_XMIT_WAIT_ID 0x001c
#define PM_VL_XMIT_WAIT_BYTES 36
#define PM_PORT_COUNTERS_EXT_ID 0x001d
#define PM_PORT_COUNTERS_EXT_BYTES 184
#define PM_SAMPLES_RESULT_EXT_ID 0x001e
#define PM_SAMPLES_RESULT_EXT_BYTES 128
#define PM_EXT_SPEEDS_ID 0x001f
#define PM_EXT_SPEEDS_BYTES 140
#define PM_EXT_SPEEDS_RSFEC_ID 0x001f
#define PM_EXT_SPEEDS_RSFEC_BYTES 152
#define PM_VL_CONGESTION_ID 0x0030
#define PM_VL_CONGESTION_BYTES 36
#define PM_RCV_CON_CTRL_ID 0x0031
#define PM_RCV_CON_CTRL_BYTES 12
#define PM_SL_RCV_FECN_ID 0x0032
#define PM_SL_RCV_FECN_BYTES 68
#define PM_SL_RCV_BECN_ID 0x0033
#define PM_SL_RCV_BECN_BYTES 68
#define PM_XMIT_CON_CTRL_ID 0x0034
#define PM_XMIT_CON_CTRL_BYTES 8
#define PM_VL_XMIT_TIME_CONG_ID 0x0035
#define PM_VL_XMIT_TIME_CONG_BYTES 64
#define PM_XMIT_DATA_SL_ID 0x0036
#define PM_XMIT_DATA_SL_BYTES 68
#define PM_RCV_DATA_SL_ID 0x0037
#define PM_RCV_DATA_SL_BYTES 68

#define ATTR_NAME pm_samples_control
#define ATTR_DEF "libmad/attr/pm_samples_control.def"
#define ATTR_BYTES PM_SAMPLES_CONTROL_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_samples_result
#define ATTR_DEF "libmad/attr/pm_samples_result.def"
#define ATTR_BYTES PM_SAMPLES_RESULT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_port_counters
#define ATTR_DEF "libmad/attr/pm_port_counters.def"
#define ATTR_BYTES PM_PORT_COUNTERS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_rcv_error_details
#define ATTR_DEF "libmad/attr/pm_rcv_error_details.def"
#define ATTR_BYTES PM_RCV_ERROR_DETAILS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_xmit_discard_details
#define ATTR_DEF "libmad/attr/pm_xmit_discard_details.def"
#define ATTR_BYTES PM_XMIT_DISCARD_DETAILS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_op_rcv_counters
#define ATTR_DEF "libmad/attr/pm_op_rcv_counters.def"
#define ATTR_BYTES PM_OP_RCV_COUNTERS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_flow_ctl_counters
#define ATTR_DEF "libmad/attr/pm_flow_ctl_counters.def"
#define ATTR_BYTES PM_FLOW_CTL_COUNTERS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_vl_op_packets
#define ATTR_DEF "libmad/attr/pm_vl_op_packets.def"
#define ATTR_BYTES PM_VL_OP_PACKETS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_vl_op_data
#define ATTR_DEF "libmad/attr/pm_vl_op_data.def"
#define ATTR_BYTES PM_VL_OP_DATA_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_vl_flow_ctl_errors
#define ATTR_DEF "libmad/attr/pm_vl_flow_ctl_errors.def"
#define ATTR_BYTES PM_VL_FLOW_CTL_ERRORS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_vl_xmit_wait
#define ATTR_DEF "libmad/attr/pm_vl_xmit_wait.def"
#define ATTR_BYTES PM_VL_XMIT_WAIT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_port_counters_ext
#define ATTR_DEF "libmad/attr/pm_port_counters_ext.def"
#define ATTR_BYTES PM_PORT_COUNTERS_EXT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_samples_result_ext
#define ATTR_DEF "libmad/attr/pm_samples_result_ext.def"
#define ATTR_BYTES PM_SAMPLES_RESULT_EXT_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_ext_speeds
#define ATTR_DEF "libmad/attr/pm_ext_speeds.def"
#define ATTR_BYTES PM_EXT_SPEEDS_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_ext_speeds_rsfec
#define ATTR_DEF "libmad/attr/pm_ext_speeds_rsfec.def"
#define ATTR_BYTES PM_EXT_SPEEDS_RSFEC_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_vl_congestion
#define ATTR_DEF "libmad/attr/pm_vl_congestion.def"
#define ATTR_BYTES PM_VL_CONGESTION_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_rcv_con_ctrl
#define ATTR_DEF "libmad/attr/pm_rcv_con_ctrl.def"
#define ATTR_BYTES PM_RCV_CON_CTRL_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_sl_rcv_fecn
#define ATTR_DEF "libmad/attr/pm_sl_rcv_fecn.def"
#define ATTR_BYTES PM_SL_RCV_FECN_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_sl_rcv_becn
#define ATTR_DEF "libmad/attr/pm_sl_rcv_becn.def"
#define ATTR_BYTES PM_SL_RCV_BECN_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_xmit_con_ctrl
#define ATTR_DEF "libmad/attr/pm_xmit_con_ctrl.def"
#define ATTR_BYTES PM_XMIT_CON_CTRL_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_vl_xmit_time_cong
#define ATTR_DEF "libmad/attr/pm_vl_xmit_time_cong.def"
#define ATTR_BYTES PM_VL_XMIT_TIME_CONG_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_xmit_data_sl
#define ATTR_DEF "libmad/attr/pm_xmit_data_sl.def"
#define ATTR_BYTES PM_XMIT_DATA_SL_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME pm_rcv_data_sl
#define ATTR_DEF "libmad/attr/pm_rcv_data_sl.def"
#define ATTR_BYTES PM_RCV_DATA_SL_BYTES
#include "libmad/attr/attr_decl.h"

/* PortSelect and CounterSelect, for code that serves any attribute of the class.  Each attribute
 * with a PortSelect has it where PortCounters has it.  The same holds for CounterSelect, except in
 * PortSamplesControl and in the two PortExtendedSpeedsCounters, where it is wider and elsewhere. */
static inline uint8_t
pm_port_select(const uint8_t *w)
{
	return (uint8_t)ATTR_GET(pm_port_counters, port_select, w);
}

static inline void
pm_set_port_select(uint8_t *w, uint8_t port)
{
	ATTR_SET(pm_port_counters, port_select, w, port);
}

static inline void
pm_set_counter_select(uint8_t *w, uint16_t mask)
{
	ATTR_SET(pm_port_counters, counter_select, w, mask);
}

/* All attributes above, and ClassPortInfo, ended by NULL. */
extern const struct attr_desc *const pm_attr_all[];

#endif
