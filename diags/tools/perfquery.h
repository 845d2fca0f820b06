/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * perfquery.h - the attributes of performance management that perfquery reads, and how they are
 * shown.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_PERFQUERY_H
#define HEDDLE_DIAGS_TOOLS_PERFQUERY_H

#include "diags/core/tool.h"
#include "diags/perf/pma.h"

#define PERF_DATA_BYTES 192

enum {
	PERF_OP_RCV = DIAG_LONG, PERF_FLOW_CTL, PERF_VL_PACKETS, PERF_VL_DATA, PERF_VL_FLOW_CTL,
	PERF_VL_WAIT, PERF_SW_VL_CONG,
	PERF_RCV_CC, PERF_RCV_FECN, PERF_RCV_BECN, PERF_XMIT_CC, PERF_VL_TIME_CC,
};

/* One of the attributes that have an option of their own. */
struct perf_view {
	int id;                         /* of the option */
	const struct attr_desc *desc;
	const char *name;               /* in its title and in sentences */
};
/* In the order in which they win when several are asked for; ended by id 0. */
extern const struct perf_view perf_views[];
/* PortExtendedSpeedsCounters where RS-FEC is in force. */
extern const struct perf_view perf_speeds_rsfec;
const struct perf_view *perf_view_find(int id);        /* NULL: there is none */

/* One port's answer, or the sums over several. */
struct perf_block {
	const char *label;              /* where it was asked */
	unsigned port;
	struct pma_caps caps;
	const uint8_t *data;            /* PERF_DATA_BYTES */
};
void perf_show_counters(struct diag *d, const struct perf_block *b);
void perf_show_extended(struct diag *d, const struct perf_block *b);
void perf_show_view(struct diag *d, const struct perf_view *v, const struct perf_block *b);

/* {NAME: {value or words and bytes, width, saturated, supported, source_attribute}} of any
 * attribute; fields that do not count are plain members. */
json_t *perf_json_attr(const struct attr_desc *desc, const uint8_t *data);
/* Adds counters of 'data' to those of 'sum', field by field, up to all ones. */
void perf_add(const struct attr_desc *desc, uint8_t *sum, const uint8_t *data);

#endif
