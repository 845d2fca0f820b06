/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fault.c - packets that are lost, doubled, late, overtaken or spoilt, and agents that misbehave.
 * Room: sim/hw.  Pure: the dice are the fabric's seed.
 *
 * Faults of everything strike once a direction, when a packet leaves its sender; those of one node strike what leaves
 * it and what reaches it.  What a node says to itself never crosses a wire and is spared.
 */
#include <config.h>
#include <errno.h>
#include "sim/hw/hw_int.h"

#define REORDER_MAX_US 1000
#define DUP_MAX_US 100
#define LATE_US 5000000

/* splitmix64: one seed, one run. */
uint64_t
hw_random(struct hw *h)
{
	uint64_t z = h->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static bool
strikes(struct hw *h, uint32_t ppm)
{
	return ppm && hw_random(h) % 1000000 < ppm;
}

static bool
to_itself(const struct hw *h, const struct hw_packet *p, uint32_t node, uint8_t port)
{
	if (p->mad[1] == CLASS_SM_DR && p->dlid == LID_PERMISSIVE)
		return !p->mad[7];
	return hw_port_has_lid(h, node, port, p->dlid) && hw_port_has_lid(h, node, port, p->slid);
}

static void
corrupt(struct hw *h, struct hw_packet *p)
{
	unsigned n = 1 + (unsigned)(hw_random(h) % 4);

	while (n--) {
		uint64_t r = hw_random(h);

		p->mad[r % DGRAM_BYTES] ^= (uint8_t)(1u << (r >> 32 & 7));
	}
}

/* Rolls the dice of 'f'; false: lost.  Adds to '*delay_us'; '*copies' counts duplicates. */
static bool
roll(struct hw *h, const struct hw_faults *f, struct hw_packet *p, int64_t *delay_us, unsigned *copies)
{
	if (strikes(h, f->drop_ppm))
		return false;
	if (strikes(h, f->corrupt_ppm))
		corrupt(h, p);
	if (strikes(h, f->delay_ppm))
		*delay_us += f->delay_us;
	if (strikes(h, f->reorder_ppm))
		*delay_us += 1 + (int64_t)(hw_random(h) % REORDER_MAX_US);
	if (strikes(h, f->dup_ppm))
		++*copies;
	return true;
}

bool
fault_pass(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, bool leaving, struct monotime now)
{
	enum hw_event_kind kind = leaving ? EVENT_PACKET : EVENT_ARRIVAL;
	int64_t delay_us = leaving ? h->conf.latency_us : 0;
	unsigned copies = 0;

	if (to_itself(h, p, node, port))
		return true;
	if ((leaving && !roll(h, &h->faults, p, &delay_us, &copies)) ||
	    !roll(h, &h->nodes[node].faults, p, &delay_us, &copies)) {
		h->stats.dropped_fault++;
		return false;
	}
	while (copies--)
		queue_packet(h, kind, p, node, port,
			monotime_add_us(now, delay_us + 1 + (int64_t)(hw_random(h) % DUP_MAX_US)).us);
	if (delay_us <= 0)
		return true;
	queue_packet(h, kind, p, node, port, monotime_add_us(now, delay_us).us);
	return false;
}

static bool
any(const struct hw_faults *f)
{
	return f->drop_ppm || f->dup_ppm || f->reorder_ppm || f->corrupt_ppm || f->delay_ppm;
}

/* Whether packets must be looked at for faults at all. */
static void
look_again(struct hw *h)
{
	h->slow = h->conf.latency_us > 0 || any(&h->faults);
	for (uint32_t i = 0; i < h->nnodes && !h->slow; i++)
		h->slow = any(&h->nodes[i].faults);
}

int
hw_faults_set(struct hw *h, uint32_t node, const struct hw_faults *f)
{
	if (f->drop_ppm > 1000000 || f->dup_ppm > 1000000 || f->reorder_ppm > 1000000 || f->corrupt_ppm > 1000000 ||
	    f->delay_ppm > 1000000 || f->delay_us < 0)
		return -EINVAL;
	if (node != TOPO_NONE && node >= h->nnodes)
		return -ENOENT;
	*(node == TOPO_NONE ? &h->faults : &h->nodes[node].faults) = *f;
	look_again(h);
	return 0;
}

void
hw_latency_set(struct hw *h, int64_t latency_us)
{
	h->conf.latency_us = latency_us > 0 ? latency_us : 0;
	look_again(h);
}

int
hw_misbehave(struct hw *h, uint32_t node, enum hw_misbehaviour m, uint16_t attr_id, uint64_t arg)
{
	struct hw_node *n;

	if (node >= h->nnodes)
		return -ENOENT;
	if ((unsigned)m > HW_NO_SET)
		return -EINVAL;
	n = &h->nodes[node];
	if (n->away && m != HW_NONE)
		return -EINVAL;         /* its agent is not ours */
	n->misbehaviour = (uint8_t)m;
	n->mis_attr = attr_id;
	n->mis_arg = arg;
	return 0;
}

bool
fault_applies(const struct hw_node *n, enum hw_misbehaviour m, uint16_t attr_id)
{
	return n->misbehaviour == m && (!n->mis_attr || n->mis_attr == attr_id);
}

/* Numbers beyond anything an attribute can mean. */
static void
big_counts(uint8_t *m)
{
	uint8_t *d = dgram_smp_data(m);

	switch (dgram_attr_id(m)) {
	case NODE_INFO_ID:
		d[3] = d[36] = 255;             /* NumPorts, LocalPortNum */
		wire_put16(d + 28, 0xffff);     /* PartitionCap */
		break;
	case SWITCH_INFO_ID:
		memset(d, 0xff, 8);             /* capacities, LinearFDBTop */
		memset(d + 12, 0xff, 4);        /* LIDsPerPort, PartitionEnforcementCap */
		wire_put16(d + 18, 0xffff);     /* MulticastFDBTop */
		break;
	case PORT_INFO_ID:
		wire_put16(d + PI_LID, 0xffff);
		d[PI_LOCAL_PORT] = 255;
		d[PI_LMC] |= 7;
		d[37] |= 0xf0;                  /* VLCap */
		d[39] = d[40] = d[50] = 255;    /* arbitration capacities, GUIDCap */
		d[41] |= 0x0f;                  /* MTUCap */
		break;
	default:
		memset(d, 0xff, 64);
	}
}

/* Shows the GUIDs of another node: the one whose GUID is the argument, else the first other one. */
static void
duplicate_guid(const struct hw *h, uint8_t *m, uint32_t node)
{
	uint8_t *d = dgram_smp_data(m), port = d[36];
	uint64_t guid = h->nodes[node].mis_arg;
	uint32_t other = node ? 0 : 1;

	if (dgram_attr_id(m) != NODE_INFO_ID || h->nnodes < 2)
		return;
	for (uint32_t i = 0; guid && i < h->nnodes; i++)
		if (h->nodes[i].topo->guid == guid)
			other = i;
	if (h->nodes[other].type == TOPO_SWITCH)
		port = 0;
	else if (!port || port > h->nodes[other].nports)
		port = 1;
	wire_put64(d + 12, h->nodes[other].topo->guid);
	wire_put64(d + 20, hw_port(h, other, port)->guid);
}

static uint64_t
arg_or(const struct hw_node *n, uint64_t other)
{
	return n->mis_arg ? n->mis_arg : other;
}

/* Spoils the reply of node's agent; false: nothing leaves now. */
bool
fault_reply(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, struct monotime now)
{
	const struct hw_node *n = &h->nodes[node];
	uint8_t *m = p->mad, *d = dgram_smp_data(m);

	if (!fault_applies(n, n->misbehaviour, dgram_attr_id(m)))
		return true;
	switch ((enum hw_misbehaviour)n->misbehaviour) {
	case HW_NONE:
	case HW_NO_SET:                         /* sma.c does not do what it is told */
		return true;
	case HW_MUTE:
		return false;
	case HW_WRONG_MODIFIER:
		wire_put32(m + 20, (uint32_t)arg_or(n, dgram_modifier(m) + 1u));
		return true;
	case HW_WRONG_ATTRIBUTE:
		wire_put16(m + 16, (uint16_t)arg_or(n, dgram_attr_id(m) + 1u));
		return true;
	case HW_WRONG_STATUS:
		dgram_set_status(m, (uint16_t)arg_or(n, STATUS_BAD_VALUE));
		return true;
	case HW_WRONG_METHOD:                   /* always a response: two such agents must not play ball */
		m[3] = (uint8_t)(arg_or(n, METHOD_GET_TABLE_RESP) | METHOD_RESP);
		return true;
	case HW_WRONG_TID:
		wire_put64(m + 8, dgram_tid(m) ^ arg_or(n, 1));
		return true;
	case HW_RANDOM_BYTES:
		for (unsigned i = 0; i < 64; i += 8)
			wire_put64(d + i, hw_random(h));
		return true;
	case HW_ZERO_PAYLOAD:
		memset(d, 0, 64);
		return true;
	case HW_BIG_COUNTS:
		big_counts(m);
		return true;
	case HW_DUPLICATE_GUID:
		duplicate_guid(h, m, node);
		return true;
	case HW_LATE:
		queue_packet(h, EVENT_PACKET, p, node, port,
			monotime_add_us(now, (int64_t)(arg_or(n, LATE_US) & INT64_MAX)).us);
		return false;
	}
	return true;
}
