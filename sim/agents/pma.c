/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma.c - the performance management agent: an attribute is a table of the counters it shows.
 * Room: sim/agents.  Pure.  Layouts: docs/wire.md.  What changes counters: route.c, links.c,
 * traffic.c, count.c.
 */
#include <config.h>
#include "libmad/attr/gen_attr.h"
#include "libmad/attr/pm_attr.h"
#include "sim/agents/agents.h"

#define PMA_DATA_BYTES 192
#define PMA_CAPS (CLASS_CAP_MASK2 | PM_CLASS_CAP_ALL_PORTS | PM_CLASS_CAP_EXT | PM_CLASS_CAP_XMIT_WAIT | \
	PM_CLASS_CAP_QP1_DROPPED)
/* the extended error counters, congestion counters */
#define PMA_CAPS2 (1u << 1 | 1u << 26)
#define PMA_RESP_TIME 18

/* Counters in an attribute: 'n' neighbours, the first at bit 'at', selected by the bits from
 * 'select' on. */
struct row {
	uint16_t counter, at;
	uint8_t width, select, n;
};

/* Where the select bits are, and which view of the core counters it is. */
enum select { SELECT_16, SELECT_STD, SELECT_EXT, SELECT_64 };

struct attribute {
	uint16_t id;
	uint8_t nrows, select, op;      /* op: which op code it carries, OP_N none */
	bool switches_only;
	const struct row *rows;
};

/* One counter of PortCounters; 'n' neighbours of an attribute, of which 'member' is the first. */
#define STD(name, member, select) \
	{ COUNT_##name, pm_port_counters_at_##member, pm_port_counters_bits_##member, select, 1 }
#define ROW(name, attribute, member, width, select, n) \
	{ \
		COUNT_##name, attribute##_at_##member, width, select, n \
	}
static const struct row std_rows[] = {
	STD(SYMBOL_ERROR, symbol_error, 0), STD(LINK_RECOVERY, link_error_recovery, 1),
	STD(LINK_DOWNED, link_downed, 2), STD(RCV_ERRORS, rcv_errors, 3),
	STD(RCV_REMOTE_PHYS, rcv_remote_physical_errors, 4),
	STD(RCV_SWITCH_RELAY, rcv_switch_relay_errors, 5), STD(XMIT_DISCARDS, xmit_discards, 6),
	STD(XMIT_CONSTRAINT, xmit_constraint_errors, 7),
	STD(RCV_CONSTRAINT, rcv_constraint_errors, 8),
	STD(LOCAL_INTEGRITY, local_link_integrity_errors, 9),
	STD(BUFFER_OVERRUN, excessive_buffer_overrun_errors, 10),
	STD(QP1_DROPPED, qp1_dropped, 33), STD(VL15_DROPPED, vl15_dropped, 11),
	STD(XMIT_DATA, xmit_data, 12), STD(RCV_DATA, rcv_data, 13),
	STD(XMIT_PKTS, xmit_pkts, 14), STD(RCV_PKTS, rcv_pkts, 15),
	STD(XMIT_WAIT, xmit_wait, 32),
};
static const struct row ext_rows[] = {
	ROW(XMIT_DATA, pm_port_counters_ext, xmit_data, 64, 0, 8),
		ROW(SYMBOL_ERROR, pm_port_counters_ext, symbol_error, 64, 32,
		COUNT_CORE - COUNT_SYMBOL_ERROR),
};
static const struct row rcv_error_rows[] = { ROW(LOCAL_PHYS, pm_rcv_error_details,
	local_physical_errors, 16, 0, 6) };
static const struct row discard_rows[] = { ROW(INACTIVE, pm_xmit_discard_details, inactive_discards,
	16, 0, 4) };
static const struct row op_rcv_rows[] = { ROW(OP_RCV_PKTS, pm_op_rcv_counters, op_rcv_pkts, 32, 0,
	2) };
static const struct row flow_rows[] = { ROW(XMIT_FLOW, pm_flow_ctl_counters, xmit_flow_pkts, 32, 0,
	2) };
static const struct row vl_pkts_rows[] = { ROW(VL_PKTS, pm_vl_op_packets, pkts, 16, 0, 16) };
static const struct row vl_data_rows[] = { ROW(VL_DATA, pm_vl_op_data, data, 32, 0, 16) };
static const struct row vl_update_rows[] = { ROW(VL_UPDATE, pm_vl_flow_ctl_errors, errors, 2, 0,
	16) };
static const struct row vl_wait_rows[] = { ROW(VL_WAIT, pm_vl_xmit_wait, wait, 16, 0, 16) };
static const struct row vl_cong_rows[] = { ROW(VL_CONG, pm_vl_congestion, congestion, 16, 0, 16) };
static const struct row rcv_con_rows[] = { ROW(RCV_FECN, pm_rcv_con_ctrl, rcv_fecn, 32, 0, 2) };
static const struct row fecn_rows[] = { ROW(SL_FECN, pm_sl_rcv_fecn, fecn, 32, 0, 16) };
static const struct row becn_rows[] = { ROW(SL_BECN, pm_sl_rcv_becn, becn, 32, 0, 16) };
static const struct row xmit_con_rows[] = { ROW(TIME_CONG, pm_xmit_con_ctrl, time_cong, 32, 0, 1) };
static const struct row vl_time_rows[] = { ROW(VL_TIME_CONG, pm_vl_xmit_time_cong, time_cong, 32, 0,
	15) };
static const struct row xmit_sl_rows[] = { ROW(SL_XMIT, pm_xmit_data_sl, data, 32, 0, 16) };
static const struct row rcv_sl_rows[] = { ROW(SL_RCV, pm_rcv_data_sl, data, 32, 0, 16) };
static const struct row speed_rows[] = {
	ROW(SYNC_HEADER, pm_ext_speeds, sync_header_error, 16, 0, 2),
		ROW(LANE_ERRORS, pm_ext_speeds, error_detection, 16, 2, 12),
	ROW(LANE_CORRECTABLE, pm_ext_speeds, fec_correctable, 32, 14, 12), ROW(LANE_UNCORRECTABLE,
	pm_ext_speeds, fec_uncorrectable, 32, 26, 12),
};

/* With Reed-Solomon: symbols by lane, blocks of the port. */
static const struct row rs_rows[] = {
	ROW(SYNC_HEADER, pm_ext_speeds_rsfec, sync_header_error, 16, 0, 2),
		ROW(LANE_ERRORS, pm_ext_speeds_rsfec, error_detection, 16, 2, 12),
	ROW(LANE_SYMBOLS, pm_ext_speeds_rsfec, fec_symbols, 32, 14, 12), ROW(FEC_CORRECTABLE,
	pm_ext_speeds_rsfec, fec_correctable, 32, 38, 3),
};

#define ROWS(table) .rows = table, .nrows = sizeof(table) / sizeof(table[0])
static const struct attribute attributes[] = {
	{ PM_PORT_COUNTERS_ID, .select = SELECT_STD, .op = OP_N, ROWS(std_rows) },
	{ PM_PORT_COUNTERS_EXT_ID, .select = SELECT_EXT, .op = OP_N, ROWS(ext_rows) },
	{ PM_RCV_ERROR_DETAILS_ID, .op = OP_N, ROWS(rcv_error_rows) },
	{ PM_XMIT_DISCARD_DETAILS_ID, .op = OP_N, ROWS(discard_rows) },
	{ PM_OP_RCV_COUNTERS_ID, .op = OP_RCV, ROWS(op_rcv_rows) },
	{ PM_FLOW_CTL_COUNTERS_ID, .op = OP_N, ROWS(flow_rows) },
	{ PM_VL_OP_PACKETS_ID, .op = OP_VL_PKTS, ROWS(vl_pkts_rows) },
	{ PM_VL_OP_DATA_ID, .op = OP_VL_DATA, ROWS(vl_data_rows) },
	{ PM_VL_FLOW_CTL_ERRORS_ID, .op = OP_N, ROWS(vl_update_rows) },
	{ PM_VL_XMIT_WAIT_ID, .op = OP_N, ROWS(vl_wait_rows) },
	{ PM_EXT_SPEEDS_ID, .select = SELECT_64, .op = OP_N, ROWS(speed_rows) },
	{ PM_VL_CONGESTION_ID, .op = OP_N, .switches_only = true, ROWS(vl_cong_rows) },
	{ PM_RCV_CON_CTRL_ID, .op = OP_N, ROWS(rcv_con_rows) },
	{ PM_SL_RCV_FECN_ID, .op = OP_N, ROWS(fecn_rows) },
	{ PM_SL_RCV_BECN_ID, .op = OP_N, ROWS(becn_rows) },
	{ PM_XMIT_CON_CTRL_ID, .op = OP_N, ROWS(xmit_con_rows) },
	{ PM_VL_XMIT_TIME_CONG_ID, .op = OP_N, ROWS(vl_time_rows) },
	{ PM_XMIT_DATA_SL_ID, .op = OP_N, ROWS(xmit_sl_rows) },
	{ PM_RCV_DATA_SL_ID, .op = OP_N, ROWS(rcv_sl_rows) },
};

/* PortExtendedSpeedsCounters of a port with Reed-Solomon. */
static const struct attribute rs_speeds = { PM_EXT_SPEEDS_ID, .select = SELECT_64, .op = OP_N,
	ROWS(rs_rows) };

struct ask {
	struct hw *h;
	uint32_t node;
	unsigned from, to;              /* the ports it is about, summed up */
	uint8_t *d;
	bool set;
};

static uint64_t
saturated(uint64_t v, unsigned width)
{
	uint64_t max = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;

	return v < max ? v : max;
}

static uint64_t
selected(enum select s, const uint8_t *d)
{
	switch (s) {
	case SELECT_16:
		return ATTR_GET(pm_rcv_error_details, counter_select, d);
	case SELECT_STD:
		return ATTR_GET(pm_port_counters, counter_select, d) |
			ATTR_GET(pm_port_counters, counter_select2, d) << 32;
	case SELECT_EXT:
		return ATTR_GET(pm_port_counters_ext, counter_select, d) |
			ATTR_GET(pm_port_counters_ext, counter_select2, d) << 32;
	case SELECT_64:
		return ATTR_GET(pm_ext_speeds, counter_select, d);
	}
	return 0;
}

/* Shows, or first sets, one counter. */
static void
show_counter(const struct ask *a, unsigned c, unsigned at, unsigned width, bool ext, bool write)
{
	uint64_t sum = 0, value = wire_bits_get(a->d, at, width);

	for (unsigned port = a->from; port <= a->to; port++) {
		struct hw_port *p = hw_port(a->h, a->node, (uint8_t)port);
		uint64_t one;

		if (write)
			count_write(p, c, ext, value);
		one = count_get(p, c, ext);
		if (a->from == a->to)
			sum = one;
		else
			sum = sum + saturated(one, width) < sum ? UINT64_MAX : sum + saturated(one,
				width);
	}
	wire_bits_put(a->d, at, width, width == 64 ? sum : saturated(sum, width));
}

static void
op_code(const struct ask *a, unsigned op)
{
	struct hw_port *p = hw_port(a->h, a->node, (uint8_t)a->from);

	for (unsigned port = a->from; a->set && port <= a->to; port++)
		count_details(hw_port(a->h, a->node, (uint8_t)port))->op[op] =
			(uint8_t)ATTR_GET(pm_op_rcv_counters, op_code, a->d);
	ATTR_SET(pm_op_rcv_counters, op_code, a->d, p->count && p->count->more ?
		p->count->more->op[op] : 0);
}

static uint16_t
show_counters(const struct ask *a, const struct attribute *t)
{
	uint64_t select = selected((enum select)t->select, a->d);

	if (t->op != OP_N)
		op_code(a, t->op);
	for (unsigned i = 0; i < t->nrows; i++)
		for (unsigned k = 0; k < t->rows[i].n; k++) {
			const struct row *r = &t->rows[i];

			show_counter(a, r->counter + k, r->at + k * r->width, r->width,
				t->select == SELECT_EXT,
				a->set && select >> (r->select + k) & 1);
		}
	return STATUS_OK;
}

static uint16_t
class_port_info(const struct ask *a, uint8_t *d, bool set)
{
	const struct hw_node *n = &a->h->nodes[a->node];
	struct class_port_info cpi = { .base_version = MAD_BASE_VERSION,
		.class_version = CLASS_VERSION_PM,
		.capability_mask = PMA_CAPS, .capability_mask2 = PMA_CAPS2,
		.resp_time = PMA_RESP_TIME };

	if (set)
		/* nothing in it can be set: no traps are generated */
		return STATUS_OK;
	for (unsigned i = 1; i <= n->nports; i++)
		if (hw_port(a->h, a->node, (uint8_t)i)->fec_can)
			cpi.capability_mask |= PM_CLASS_CAP_RSFEC;
	memset(d, 0, PMA_DATA_BYTES);
	class_port_info_encode(d, &cpi);
	return STATUS_OK;
}

/* The ports that PortSelect means; false: none. */
static bool
select_ports(struct ask *a, uint8_t port, uint8_t select)
{
	const struct hw_node *n = &a->h->nodes[a->node];
	bool is_switch = n->type == TOPO_SWITCH;

	a->from = a->to = select;
	if (select == PM_PORT_ALL) {
		a->from = is_switch ? 1 : port;
		a->to = is_switch ? n->nports : port;
		return true;
	}
	return is_switch ? select <= n->nports : select == port;
}

/* A result is that of the port sampled last: it has no PortSelect of its own. */
static uint16_t
sampling(const struct ask *a, uint16_t id, struct monotime now)
{
	struct hw_node *n = &a->h->nodes[a->node];

	if (id == PM_SAMPLES_CONTROL_ID) {
		if (a->from != a->to)
			return STATUS_BAD_VALUE;
		if (a->set)
			n->sampled = (uint8_t)a->from;
		return sample_control(a->h, hw_port(a->h, a->node, (uint8_t)a->from), a->d, a->set,
			now);
	}
	if (a->set)
		return STATUS_BAD_METHOD_ATTR;
	sample_result(hw_port(a->h, a->node, n->sampled), a->d, id == PM_SAMPLES_RESULT_EXT_ID);
	return STATUS_OK;
}

static uint16_t
attribute_handle(struct ask *a, uint16_t id, uint8_t port, struct monotime now)
{
	bool samples = id == PM_SAMPLES_CONTROL_ID || id == PM_SAMPLES_RESULT_ID ||
		id == PM_SAMPLES_RESULT_EXT_ID;
	const struct attribute *t = NULL;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].id == id)
			t = &attributes[i];
	if (!samples && (!t || (t->switches_only && a->h->nodes[a->node].type != TOPO_SWITCH)))
		return STATUS_BAD_METHOD_ATTR;
	if (id == PM_SAMPLES_RESULT_ID || id == PM_SAMPLES_RESULT_EXT_ID)
		return sampling(a, id, now);
	if (!select_ports(a, port, (uint8_t)ATTR_GET(pm_port_counters, port_select, a->d)))
		return STATUS_BAD_VALUE;
	for (unsigned k = a->from; k <= a->to; k++)
		count_settle(a->h, hw_port(a->h, a->node, (uint8_t)k), now);
	if (id == PM_EXT_SPEEDS_ID && hw_port(a->h, a->node, (uint8_t)a->from)->fec == FEC_MODE_RS)
		t = &rs_speeds;
	return samples ? sampling(a, id, now) : show_counters(a, t);
}

static uint16_t
pma_handle(struct hw *h, uint32_t node, uint8_t port, uint8_t *m, struct monotime now)
{
	struct ask a = { .h = h, .node = node, .d = dgram_gmp_data(m),
		.set = dgram_method(m) == METHOD_SET };

	if (dgram_class_version(m) != CLASS_VERSION_PM)
		return STATUS_BAD_VERSION;
	if (dgram_method(m) != METHOD_GET && dgram_method(m) != METHOD_SET)
		return STATUS_BAD_METHOD;
	if (dgram_attr_id(m) == ATTR_CLASS_PORT_INFO)
		return class_port_info(&a, a.d, a.set);
	if (dgram_modifier(m))
		return STATUS_BAD_VALUE;
	return attribute_handle(&a, dgram_attr_id(m), port, now);
}

/* Answers a request on QP1 in place. */
enum hw_fate
pma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	if (dgram_base_version(p->mad) != MAD_BASE_VERSION)
		return FATE_GONE;
	gmp_answer(h, p, node, port, pma_handle(h, node, port, p->mad, now));
	return FATE_ANSWER;
}
