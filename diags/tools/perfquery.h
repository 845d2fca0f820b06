/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * perfquery.h - the attributes of performance management that perfquery reads, and how they are
 * shown.
 * Room: diags/tools.
 *
 * perfquery.c reads one attribute of one or several ports of a node, perfquery_show.c shows the
 * answers as text and JSON and adds them up, perfquery_many.c reads PortCounters of a whole
 * selection. An attribute beyond PortCounters and PortCountersExtended is a row of perf_views: a
 * new one needs a row there and an option.
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

/* An attribute that has an option of its own. */
struct perf_view {
	int id;                         /* of the option: letter or PERF_ value */
	const struct attr_desc *desc;
	const char *name;               /* used in the title and in messages */
};
/* The rows in order of precedence, if several options are given; terminated by id 0. */
extern const struct perf_view perf_views[];
/* PortExtendedSpeedsCounters in the form for links with RS-FEC. */
extern const struct perf_view perf_speeds_rsfec;
const struct perf_view *perf_view_find(int id);        /* NULL: no such option */

/* The answer of one port, or the sum over several ports. */
struct perf_block {
	const char *label;              /* address of the node, as text */
	unsigned port;
	struct pma_caps caps;
	const uint8_t *data;            /* PERF_DATA_BYTES of the attribute */
};
/* Print a block as dotted lines: PortCounters, PortCountersExtended, or the attribute of a view. */
void perf_show_counters(struct diag *d, const struct perf_block *b);
void perf_show_extended(struct diag *d, const struct perf_block *b);
void perf_show_view(struct diag *d, const struct perf_view *v, const struct perf_block *b);

/* Returns an attribute as a JSON object that the caller owns: {NAME: {value or words and
 * bytes, width, saturated, supported, source_attribute}}. Fields that are no counters are
 * plain members. */
json_t *perf_json_attr(const struct attr_desc *desc, const uint8_t *data);
/* Adds the counters of 'data' to those of 'sum', field by field; a sum stops at the maximum of its
 * field. */
void perf_add(const struct attr_desc *desc, uint8_t *sum, const uint8_t *data);

#endif
