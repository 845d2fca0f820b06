/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma.c - the performance management agent: an attribute is a table of the counters it shows.
 * Room: sim/agents.  Pure.  Layouts: docs/wire.md.  What makes counters move: route.c, links.c, traffic.c, count.c.
 */
#include <config.h>
#include "libmad/attr/pm_attr.h"
#include "sim/agents/agents.h"

#define ALL_PORTS 0xff
#define PMA_DATA_BYTES 192
/* Mask 2, all ports, extended counters, XmitWait, QP1Dropped. */
#define PMA_CAPS (1u << 2 | 1u << 8 | 1u << 9 | 1u << 12 | 1u << 15)
#define PMA_CAP_RS (1u << 14)
#define PMA_CAPS2 (1u << 1 | 1u << 26)                  /* the extended error counters, congestion counters */
#define PMA_RESP_TIME 18

/* Counters in an attribute: 'n' neighbours, the first at bit 'at', selected by the bits from 'select' on. */
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

#define ONE(name, at, width, select) { COUNT_##name, at, width, select, 1 }
static const struct row std_rows[] = {
	ONE(SYMBOL_ERROR, 32, 16, 0), ONE(LINK_RECOVERY, 48, 8, 1), ONE(LINK_DOWNED, 56, 8, 2),
	ONE(RCV_ERRORS, 64, 16, 3), ONE(RCV_REMOTE_PHYS, 80, 16, 4), ONE(RCV_SWITCH_RELAY, 96, 16, 5),
	ONE(XMIT_DISCARDS, 112, 16, 6), ONE(XMIT_CONSTRAINT, 128, 8, 7), ONE(RCV_CONSTRAINT, 136, 8, 8),
	ONE(LOCAL_INTEGRITY, 152, 4, 9), ONE(BUFFER_OVERRUN, 156, 4, 10), ONE(QP1_DROPPED, 160, 16, 33),
	ONE(VL15_DROPPED, 176, 16, 11), ONE(XMIT_DATA, 192, 32, 12), ONE(RCV_DATA, 224, 32, 13),
	ONE(XMIT_PKTS, 256, 32, 14), ONE(RCV_PKTS, 288, 32, 15), ONE(XMIT_WAIT, 320, 32, 32),
};
static const struct row ext_rows[] = {
	{ COUNT_XMIT_DATA, 64, 64, 0, 8 }, { COUNT_SYMBOL_ERROR, 576, 64, 32, COUNT_CORE - COUNT_SYMBOL_ERROR },
};
static const struct row rcv_error_rows[] = { { COUNT_LOCAL_PHYS, 32, 16, 0, 6 } };
static const struct row discard_rows[] = { { COUNT_INACTIVE, 32, 16, 0, 4 } };
static const struct row op_rcv_rows[] = { { COUNT_OP_RCV_PKTS, 32, 32, 0, 2 } };
static const struct row flow_rows[] = { { COUNT_XMIT_FLOW, 32, 32, 0, 2 } };
static const struct row vl_pkts_rows[] = { { COUNT_VL_PKTS, 32, 16, 0, 16 } };
static const struct row vl_data_rows[] = { { COUNT_VL_DATA, 32, 32, 0, 16 } };
static const struct row vl_update_rows[] = { { COUNT_VL_UPDATE, 32, 2, 0, 16 } };
static const struct row vl_wait_rows[] = { { COUNT_VL_WAIT, 32, 16, 0, 16 } };
static const struct row vl_cong_rows[] = { { COUNT_VL_CONG, 32, 16, 0, 16 } };
static const struct row rcv_con_rows[] = { { COUNT_RCV_FECN, 32, 32, 0, 2 } };
static const struct row fecn_rows[] = { { COUNT_SL_FECN, 32, 32, 0, 16 } };
static const struct row becn_rows[] = { { COUNT_SL_BECN, 32, 32, 0, 16 } };
static const struct row xmit_con_rows[] = { { COUNT_TIME_CONG, 32, 32, 0, 1 } };
static const struct row vl_time_rows[] = { { COUNT_VL_TIME_CONG, 32, 32, 0, 15 } };
static const struct row xmit_sl_rows[] = { { COUNT_SL_XMIT, 32, 32, 0, 16 } };
static const struct row rcv_sl_rows[] = { { COUNT_SL_RCV, 32, 32, 0, 16 } };
static const struct row speed_rows[] = {
	{ COUNT_SYNC_HEADER, 128, 16, 0, 2 }, { COUNT_LANE_ERRORS, 160, 16, 2, 12 },
	{ COUNT_LANE_CORRECTABLE, 352, 32, 14, 12 }, { COUNT_LANE_UNCORRECTABLE, 736, 32, 26, 12 },
};

/* With Reed-Solomon: symbols by lane, blocks of the port. */
static const struct row rs_rows[] = {
	{ COUNT_SYNC_HEADER, 128, 16, 0, 2 }, { COUNT_LANE_ERRORS, 160, 16, 2, 12 },
	{ COUNT_LANE_SYMBOLS, 352, 32, 14, 12 }, { COUNT_FEC_CORRECTABLE, 1120, 32, 38, 3 },
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
static const struct attribute rs_speeds = { PM_EXT_SPEEDS_ID, .select = SELECT_64, .op = OP_N, ROWS(rs_rows) };

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
		return wire_get16(d + 2);
	case SELECT_STD:
		return wire_get16(d + 2) | (uint64_t)d[18] << 32;
	case SELECT_EXT:
		return wire_get16(d + 2) | (uint64_t)wire_get32(d + 4) << 32;
	case SELECT_64:
		return wire_get64(d + 8);
	}
	return 0;
}

/* Shows, or first sets, one counter. */
static void
counter(const struct ask *a, unsigned c, unsigned at, unsigned width, bool ext, bool write)
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
			sum = sum + saturated(one, width) < sum ? UINT64_MAX : sum + saturated(one, width);
	}
	wire_bits_put(a->d, at, width, width == 64 ? sum : saturated(sum, width));
}

static void
op_code(const struct ask *a, unsigned op)
{
	struct hw_port *p = hw_port(a->h, a->node, (uint8_t)a->from);

	for (unsigned port = a->from; a->set && port <= a->to; port++)
		count_details(hw_port(a->h, a->node, (uint8_t)port))->op[op] = a->d[0];
	a->d[0] = p->count && p->count->more ? p->count->more->op[op] : 0;
}

static uint16_t
show(const struct ask *a, const struct attribute *t)
{
	uint64_t select = selected((enum select)t->select, a->d);

	if (t->op != OP_N)
		op_code(a, t->op);
	for (unsigned i = 0; i < t->nrows; i++)
		for (unsigned k = 0; k < t->rows[i].n; k++) {
			const struct row *r = &t->rows[i];

			counter(a, r->counter + k, r->at + k * r->width, r->width, t->select == SELECT_EXT,
				a->set && select >> (r->select + k) & 1);
		}
	return STATUS_OK;
}

static uint16_t
class_port_info(const struct ask *a, uint8_t *d, bool set)
{
	const struct hw_node *n = &a->h->nodes[a->node];
	bool rs = false;

	if (set)
		return STATUS_OK;               /* nothing in it can be set: no traps are generated */
	for (unsigned i = 1; i <= n->nports; i++)
		rs |= hw_port(a->h, a->node, (uint8_t)i)->fec_can;
	memset(d, 0, PMA_DATA_BYTES);
	d[0] = d[1] = 1;
	wire_put16(d + 2, PMA_CAPS | (rs ? PMA_CAP_RS : 0));
	wire_put32(d + 4, PMA_CAPS2 << 5 | PMA_RESP_TIME);
	return STATUS_OK;
}

/* The ports that PortSelect means; false: none. */
static bool
select_ports(struct ask *a, uint8_t port, uint8_t select)
{
	const struct hw_node *n = &a->h->nodes[a->node];
	bool is_switch = n->type == TOPO_SWITCH;

	a->from = a->to = select;
	if (select == ALL_PORTS) {
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
		return sample_control(a->h, hw_port(a->h, a->node, (uint8_t)a->from), a->d, a->set, now);
	}
	if (a->set)
		return STATUS_BAD_METHOD_ATTR;
	sample_result(hw_port(a->h, a->node, n->sampled), a->d, id == PM_SAMPLES_RESULT_EXT_ID);
	return STATUS_OK;
}

static uint16_t
attribute(struct ask *a, uint16_t id, uint8_t port, struct monotime now)
{
	bool samples = id == PM_SAMPLES_CONTROL_ID || id == PM_SAMPLES_RESULT_ID || id == PM_SAMPLES_RESULT_EXT_ID;
	const struct attribute *t = NULL;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].id == id)
			t = &attributes[i];
	if (!samples && (!t || (t->switches_only && a->h->nodes[a->node].type != TOPO_SWITCH)))
		return STATUS_BAD_METHOD_ATTR;
	if (id == PM_SAMPLES_RESULT_ID || id == PM_SAMPLES_RESULT_EXT_ID)
		return sampling(a, id, now);
	if (!select_ports(a, port, a->d[1]))
		return STATUS_BAD_VALUE;
	for (unsigned k = a->from; k <= a->to; k++)
		count_settle(a->h, hw_port(a->h, a->node, (uint8_t)k), now);
	if (id == PM_EXT_SPEEDS_ID && hw_port(a->h, a->node, (uint8_t)a->from)->fec == FEC_RS)
		t = &rs_speeds;
	return samples ? sampling(a, id, now) : show(a, t);
}

static uint16_t
handle(struct hw *h, uint32_t node, uint8_t port, uint8_t *m, struct monotime now)
{
	struct ask a = { .h = h, .node = node, .d = dgram_gmp_data(m), .set = m[3] == METHOD_SET };

	if (m[2] != 1)
		return STATUS_BAD_VERSION;
	if (m[3] != METHOD_GET && m[3] != METHOD_SET)
		return STATUS_BAD_METHOD;
	if (dgram_attr_id(m) == ATTR_CLASS_PORT_INFO)
		return class_port_info(&a, a.d, a.set);
	if (dgram_modifier(m))
		return STATUS_BAD_VALUE;
	return attribute(&a, dgram_attr_id(m), port, now);
}

/* Answers a request on QP1 in place. */
enum hw_fate
pma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	if (p->mad[0] != 1)
		return FATE_GONE;
	gmp_answer(h, p, node, port, handle(h, node, port, p->mad, now));
	return FATE_ANSWER;
}
