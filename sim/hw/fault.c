/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fault.c - packets that are lost, duplicated, delayed, reordered or corrupted, and other faults of
 * nodes.
 * Room: sim/hw.  Pure: random numbers come from the fabric's seed.  Misbehaviour of agents:
 * sim/agents/misbehave.c.
 *
 * Faults of all nodes apply once per direction, when a packet leaves its sender; faults of one node
 * apply to packets that leave it and that reach it.  Packets of a node to itself never cross a link
 * and are not affected.
 */
#include <config.h>
#include <errno.h>
#include "sim/hw/hw_int.h"

#define REORDER_MAX_US 1000
#define DUP_MAX_US 100

static bool
fault_strikes(struct hw *h, uint32_t ppm)
{
	return ppm && hw_random(h) % 1000000 < ppm;
}

static bool
to_itself(const struct hw *h, const struct hw_packet *p, uint32_t node, uint8_t port)
{
	if (dgram_class(p->mad) == CLASS_SM_DR && p->dlid == LID_PERMISSIVE)
		return !dgram_hop_count(p->mad);
	return route_has_lid(h, node, port, p->dlid) && route_has_lid(h, node, port, p->slid);
}

static void
packet_corrupt(struct hw *h, struct hw_packet *p)
{
	unsigned n = 1 + (unsigned)(hw_random(h) % 4);

	while (n--) {
		uint64_t r = hw_random(h);

		p->mad[r % DGRAM_BYTES] ^= (uint8_t)(1u << (r >> 32 & 7));
	}
}

/* Rolls the dice of 'f'; false: lost.  Adds to '*delay_us'; '*copies' counts duplicates. */
static bool
dice_roll(struct hw *h, const struct hw_faults *f, struct hw_packet *p, int64_t *delay_us,
	unsigned *copies)
{
	if (fault_strikes(h, f->drop_ppm))
		return false;
	if (fault_strikes(h, f->corrupt_ppm))
		packet_corrupt(h, p);
	if (fault_strikes(h, f->delay_ppm))
		*delay_us += f->delay_us;
	if (fault_strikes(h, f->reorder_ppm))
		*delay_us += 1 + (int64_t)(hw_random(h) % REORDER_MAX_US);
	if (fault_strikes(h, f->dup_ppm))
		++*copies;
	return true;
}

bool
fault_pass(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, bool leaving,
	struct monotime now)
{
	enum hw_event_kind kind = leaving ? EVENT_PACKET : EVENT_ARRIVAL;
	int64_t delay_us = leaving ? h->conf.latency_us : 0;
	unsigned copies = 0;

	if (to_itself(h, p, node, port))
		return true;
	if ((leaving && !dice_roll(h, &h->faults, p, &delay_us, &copies)) ||
	    !dice_roll(h, &h->nodes[node].faults, p, &delay_us, &copies)) {
		h->stats.dropped_fault++;
		return false;
	}
	while (copies--)
		queue_packet(h, kind, p, node, port,
			monotime_add_us(now, delay_us + 1 +
			(int64_t)(hw_random(h) % DUP_MAX_US)).us);
	if (delay_us <= 0)
		return true;
	queue_packet(h, kind, p, node, port, monotime_add_us(now, delay_us).us);
	return false;
}

static bool
faults_any(const struct hw_faults *f)
{
	return f->drop_ppm || f->dup_ppm || f->reorder_ppm || f->corrupt_ppm || f->delay_ppm;
}

/* Whether packets must be looked at for faults at all. */
static void
faults_notice(struct hw *h)
{
	h->slow = h->conf.latency_us > 0 || faults_any(&h->faults);
	for (uint32_t i = 0; i < h->nnodes && !h->slow; i++)
		h->slow = faults_any(&h->nodes[i].faults);
}

int
hw_faults_set(struct hw *h, uint32_t node, const struct hw_faults *f)
{
	if (f->drop_ppm > 1000000 || f->dup_ppm > 1000000 || f->reorder_ppm > 1000000 ||
	    f->corrupt_ppm > 1000000 ||
	    f->delay_ppm > 1000000 || f->delay_us < 0)
		return -EINVAL;
	if (node != TOPO_NONE && node >= h->nnodes)
		return -ENOENT;
	*(node == TOPO_NONE ? &h->faults : &h->nodes[node].faults) = *f;
	faults_notice(h);
	return 0;
}

void
hw_latency_set(struct hw *h, int64_t latency_us)
{
	h->conf.latency_us = latency_us > 0 ? latency_us : 0;
	faults_notice(h);
}

int
hw_misbehave(struct hw *h, uint32_t node, enum hw_misbehaviour m, uint16_t attr_id, uint64_t arg)
{
	struct hw_node *n;

	if (node >= h->nnodes)
		return -ENOENT;
	if ((unsigned)m >= HW_MISBEHAVIOUR_COUNT)
		return -EINVAL;
	n = &h->nodes[node];
	if (n->away && m != HW_NONE)
		return -EINVAL;         /* its agent is not ours */
	n->misbehaviour = (uint8_t)m;
	n->mis_attr = attr_id;
	n->mis_arg = arg;
	return 0;
}

int
hw_extended_speeds_set(struct hw *h, uint32_t node, enum hw_extended_speeds e)
{
	if (node != TOPO_NONE && node >= h->nnodes)
		return -ENOENT;
	if ((unsigned)e > HW_EXTENDED_REFUSED)
		return -EINVAL;
	if (node != TOPO_NONE)
		h->nodes[node].extended_speeds = (uint8_t)e;
	for (uint32_t i = 0; node == TOPO_NONE && i < h->nnodes; i++)
		h->nodes[i].extended_speeds = (uint8_t)e;
	return 0;
}

int
hw_trap_raise(struct hw *h, uint32_t node, uint8_t port, uint16_t number, struct monotime now)
{
	if (node >= h->nnodes || !port || port > h->nodes[node].nports)
		return -ENOENT;
	if (number < TRAP_LINK_INTEGRITY || number > TRAP_FLOW_WATCHDOG)
		return -EINVAL;
	trap_port_error(h, node, port, number, now);
	return 0;
}
