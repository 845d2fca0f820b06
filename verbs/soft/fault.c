/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fault.c - what a test can do to a port or a device: faults on the wire, changes by the subnet
 * manager, broken hardware.
 * Room: verbs/soft.  Pure.
 */
#include <config.h>
#include "libmad/wire/gid.h"
#include "verbs/soft/soft_impl.h"

enum { PPM = 1000000, DELAY_MAX_US = 10 * 1000 * 1000, JITTER_MAX_US = 1000 * 1000 };

static struct soft_port *
port_of(struct verbs_dev *pub, uint8_t num)
{
	return num >= 1 && num <= SOFT_PORTS ? &SOFT_DEV(pub)->hca->ports[num - 1] : NULL;
}

int
soft_faults_set(struct verbs_dev *pub, uint8_t num, const struct verbs_faults *f)
{
	struct soft_port *p = port_of(pub, num);

	if (!p)
		return -EINVAL;
	if (f && (f->loss_ppm > PPM || f->duplicate_ppm > PPM || f->corrupt_ppm > PPM ||
		    f->reorder_ppm > PPM ||
		  f->delay_us > DELAY_MAX_US || f->reorder_us > DELAY_MAX_US ||
		  f->jitter_us > JITTER_MAX_US))
		return -EINVAL;
	p->faults = f ? *f : (struct verbs_faults){ 0 };
	return 0;
}

int
soft_hook_set(struct verbs_dev *pub, uint8_t num, verbs_packet_hook *hook, void *arg)
{
	struct soft_port *p = port_of(pub, num);

	if (!p)
		return -EINVAL;
	p->hook = hook;
	p->hook_arg = arg;
	return 0;
}

static int
port_up(struct soft_port *p, bool up)
{
	if (p->up == up)
		return 0;
	p->up = up;
	soft_port_event(p, up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
	return 0;
}

static int
lid_set(struct soft_port *p, uint64_t lid)
{
	struct soft_world *w = p->hca->world;

	if (!lid || lid >= 0xc000)
		return -EINVAL;
	for (unsigned i = 0; i < w->nhcas; i++)
		for (unsigned n = 0; n < SOFT_PORTS; n++)
			if (w->hcas[i].ports[n].lid == lid && &w->hcas[i].ports[n] != p)
				return -EINVAL;
	p->lid = (uint16_t)lid;
	soft_port_event(p, IBV_EVENT_LID_CHANGE);
	return 0;
}

static int
pkey_set(struct soft_port *p, uint64_t value)
{
	if (value >> 16 >= SOFT_PKEYS)
		return -EINVAL;
	p->pkeys[value >> 16] = (uint16_t)value;
	soft_port_event(p, IBV_EVENT_PKEY_CHANGE);
	return 0;
}

static int
change_gid(struct soft_port *p, uint64_t value)
{
	if (value >> 56 >= SOFT_GIDS)
		return -EINVAL;
	gid_set(p->gids[value >> 56].raw, GID_PREFIX_DEFAULT, value & UINT64_C(0x00ffffffffffffff));
	soft_port_event(p, IBV_EVENT_GID_CHANGE);
	return 0;
}

/* The device stops; completions in queues can still be polled. */
static int
device_fatal(struct soft_port *p)
{
	struct soft_hca *h = p->hca;

	if (h->fatal)
		return 0;
	for (struct soft_dev *d = h->devs; d; d = d->next)
		soft_event(d, &(struct verbs_event){ .type = IBV_EVENT_DEVICE_FATAL });
	for (uint32_t i = 0; i < h->qps.room; i++) {
		struct soft_qp *q = soft_slots_get(&h->qps, i);

		if (q) {
			soft_requester_stop(q);
			soft_unkick(q);
		}
	}
	h->fatal = true;
	return 0;
}

/* The oldest send completes with FATAL_ERR; all others are flushed. */
static int
qp_fatal(struct soft_port *p, uint64_t qpn)
{
	struct soft_qp *q = qpn <= PACKET_PSN_MASK ? soft_qp_find(p->hca, (uint32_t)qpn) : NULL;

	if (!q || q->state == IBV_QPS_RESET)
		return -EINVAL;
	if (q->state != IBV_QPS_ERR && q->req.head != q->req.tail)
		soft_swqe_complete(q, IBV_WC_FATAL_ERR);
	soft_qp_fatal(q);
	return 0;
}

static int
srq_fatal(struct soft_port *p, uint64_t qpn)
{
	struct soft_qp *q = qpn <= PACKET_PSN_MASK ? soft_qp_find(p->hca, (uint32_t)qpn) : NULL;

	if (!q || !q->srq)
		return -EINVAL;
	if (!q->srq->failed)
		soft_event(SOFT_DEV(q->srq->pub.dev),
			&(struct verbs_event){ .type = IBV_EVENT_SRQ_ERR, .srq = &q->srq->pub });
	q->srq->failed = true;
	return 0;
}

int
soft_knob_turn(struct verbs_dev *pub, uint8_t num, enum verbs_knob knob, uint64_t value)
{
	struct soft_port *p = port_of(pub, num);

	if (!p)
		return -EINVAL;
	if (p->hca->fatal)
		return -EIO;
	switch (knob) {
	case VERBS_KNOB_PORT_UP:
		return port_up(p, value);
	case VERBS_KNOB_LID:
		return lid_set(p, value);
	case VERBS_KNOB_SM_LID:
		p->sm_lid = (uint16_t)value;
		soft_port_event(p, IBV_EVENT_SM_CHANGE);
		return 0;
	case VERBS_KNOB_PKEY:
		return pkey_set(p, value);
	case VERBS_KNOB_GID:
		return change_gid(p, value);
	case VERBS_KNOB_REREGISTER:
		soft_port_event(p, IBV_EVENT_CLIENT_REREGISTER);
		return 0;
	case VERBS_KNOB_DEVICE_FATAL:
		return device_fatal(p);
	case VERBS_KNOB_QP_FATAL:
		return qp_fatal(p, value);
	case VERBS_KNOB_SRQ_FATAL:
		return srq_fatal(p, value);
	}
	return -EINVAL;
}
