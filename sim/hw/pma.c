/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma.c - the performance management agent: counters that packets move.
 * Room: sim/hw.  Pure.  Layouts: docs/wire.md.
 * Answered: ClassPortInfo, PortCounters, PortCountersExtended.  What is not counted is not shown as zero: other
 * attributes are refused as unsupported.
 */
#include <config.h>
#include "sim/hw/hw_int.h"
#include "util/xalloc.h"

#define PORT_COUNTERS_ID 0x0012
#define PORT_COUNTERS_EXT_ID 0x001d
#define ALL_PORTS 0xff
#define PMA_DATA_BYTES 192
#define PMA_CAPS (1u << 2 | 1u << 8 | 1u << 9 | 1u << 12)       /* mask 2, all ports, extended, XmitWait */
#define PMA_CAPS2 (1u << 1)                                     /* the extended error counters */
#define PMA_RESP_TIME 18

/* One counter in a view: its place, and the bit that selects it (from 32 on: CounterSelect2). */
struct row {
	uint8_t counter, width, select;
	uint16_t bit;
};

static const struct row std_rows[] = {
	{ COUNT_SYMBOL_ERROR, 16, 0, 32 }, { COUNT_LINK_RECOVERY, 8, 1, 48 }, { COUNT_LINK_DOWNED, 8, 2, 56 },
	{ COUNT_RCV_ERRORS, 16, 3, 64 }, { COUNT_RCV_REMOTE_PHYS, 16, 4, 80 }, { COUNT_RCV_SWITCH_RELAY, 16, 5, 96 },
	{ COUNT_XMIT_DISCARDS, 16, 6, 112 }, { COUNT_XMIT_CONSTRAINT, 8, 7, 128 },
	{ COUNT_RCV_CONSTRAINT, 8, 8, 136 }, { COUNT_LOCAL_INTEGRITY, 4, 9, 152 },
	{ COUNT_BUFFER_OVERRUN, 4, 10, 156 }, { COUNT_QP1_DROPPED, 16, 33, 160 }, { COUNT_VL15_DROPPED, 16, 11, 176 },
	{ COUNT_XMIT_DATA, 32, 12, 192 }, { COUNT_RCV_DATA, 32, 13, 224 }, { COUNT_XMIT_PKTS, 32, 14, 256 },
	{ COUNT_RCV_PKTS, 32, 15, 288 }, { COUNT_XMIT_WAIT, 32, 32, 320 },
};

struct view {
	const struct row *rows;         /* NULL: 64-bit counters in the order of enum hw_counter from byte 8 on */
	unsigned n;
	bool ext;
};

static const struct view std_view = { std_rows, sizeof(std_rows) / sizeof(std_rows[0]), false };
static const struct view ext_view = { NULL, COUNT_N, true };

static struct row
view_row(const struct view *v, unsigned i)
{
	if (v->rows)
		return v->rows[i];
	return (struct row){ (uint8_t)i, 64, (uint8_t)(i < 8 ? i : 32 + i - 8), (uint16_t)(64 + 64 * i) };
}

void
count_add(struct hw_port *p, enum hw_counter c, uint64_t n)
{
	if (!p->count)
		p->count = xcalloc(1, sizeof(*p->count));
	p->count->total[c] += n;
}

static uint64_t
saturated(uint64_t v, unsigned width)
{
	uint64_t max = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;

	return v < max ? v : max;
}

static uint64_t
read_counter(const struct hw_port *p, const struct view *v, const struct row *r)
{
	const struct hw_counters *k = p->count;

	if (!k)
		return 0;
	return saturated(k->total[r->counter] - (v->ext ? k->base_ext : k->base)[r->counter], r->width);
}

static void
write_counter(struct hw_port *p, const struct view *v, const struct row *r, uint64_t value)
{
	if (!p->count && !value)
		return;
	if (!p->count)
		p->count = xcalloc(1, sizeof(*p->count));
	(v->ext ? p->count->base_ext : p->count->base)[r->counter] = p->count->total[r->counter] - value;
}

static uint64_t
selected(const struct view *v, const uint8_t *d)
{
	return wire_get16(d + 2) | (uint64_t)(v->ext ? wire_get32(d + 4) : d[18]) << 32;
}

/* Shows, or first sets, the counters of the ports 'from'..'to' summed up. */
static uint16_t
counters(struct hw *h, uint32_t node, const struct view *v, uint8_t *d, bool set, unsigned from, unsigned to)
{
	uint64_t select = selected(v, d);

	for (unsigned i = 0; i < v->n; i++) {
		const struct row r = view_row(v, i);
		uint64_t sum = 0, value = wire_bits_get(d, r.bit, r.width);

		for (unsigned port = from; port <= to; port++) {
			struct hw_port *p = hw_port(h, node, (uint8_t)port);
			uint64_t one;

			if (set && select >> r.select & 1)
				write_counter(p, v, &r, value);
			one = read_counter(p, v, &r);
			sum = sum + one < sum ? UINT64_MAX : sum + one;
		}
		wire_bits_put(d, r.bit, r.width, saturated(sum, r.width));
	}
	return STATUS_OK;
}

static uint16_t
port_counters(struct hw *h, uint32_t node, uint8_t port, const struct view *v, uint8_t *d, bool set)
{
	const struct hw_node *n = &h->nodes[node];
	uint8_t select = d[1];
	bool is_switch = n->type == TOPO_SWITCH;

	if (select == ALL_PORTS && is_switch)
		return counters(h, node, v, d, set, 1, n->nports);
	if (select == ALL_PORTS)
		return counters(h, node, v, d, set, port, port);
	if (is_switch ? select > n->nports : select != port)
		return STATUS_BAD_VALUE;
	return counters(h, node, v, d, set, select, select);
}

static uint16_t
class_port_info(uint8_t *d, bool set)
{
	if (set)
		return STATUS_OK;               /* nothing in it can be set: no traps are generated */
	memset(d, 0, PMA_DATA_BYTES);
	d[0] = d[1] = 1;
	wire_put16(d + 2, PMA_CAPS);
	wire_put32(d + 4, PMA_CAPS2 << 5 | PMA_RESP_TIME);
	return STATUS_OK;
}

static uint16_t
handle(struct hw *h, uint32_t node, uint8_t port, uint8_t *m)
{
	uint8_t *d = dgram_gmp_data(m);
	bool set = m[3] == METHOD_SET;

	if (m[2] != 1)
		return STATUS_BAD_VERSION;
	if (m[3] != METHOD_GET && m[3] != METHOD_SET)
		return STATUS_BAD_METHOD;
	switch (dgram_attr_id(m)) {
	case ATTR_CLASS_PORT_INFO:
		return class_port_info(d, set);
	case PORT_COUNTERS_ID:
		return dgram_modifier(m) ? STATUS_BAD_VALUE : port_counters(h, node, port, &std_view, d, set);
	case PORT_COUNTERS_EXT_ID:
		return dgram_modifier(m) ? STATUS_BAD_VALUE : port_counters(h, node, port, &ext_view, d, set);
	default:
		return STATUS_BAD_METHOD_ATTR;
	}
}

/* Answers a request on QP1 in place. */
enum hw_fate
pma_receive(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port)
{
	uint8_t *m = p->mad, gid[16];
	uint16_t lid = p->slid;
	uint32_t qp = p->src_qp;

	if (m[0] != 1)
		return FATE_GONE;
	wire_put16(m + 4, handle(h, node, port, m));
	m[3] = m[3] == METHOD_SET ? METHOD_GET_RESP : (uint8_t)(m[3] | METHOD_RESP);
	p->slid = p->dlid;
	p->dlid = lid;
	p->src_qp = p->dst_qp;
	p->dst_qp = qp;
	p->pkey = pkey_match(h, node, hw_agent_port(h, node, port)->num, p->pkey);
	if (p->grh) {
		memcpy(gid, p->sgid, 16);
		memcpy(p->sgid, p->dgid, 16);
		memcpy(p->dgid, gid, 16);
		p->hop_limit = 64;
	}
	return FATE_ANSWER;
}
