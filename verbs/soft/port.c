/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * port.c - the queue of a port: queue pairs that have something to send, and packets that leave.
 * Room: verbs/soft.  Pure.  turn.c has what the timers of a port start.
 *
 * The wire is busy for as long as the bytes take.  Faults apply when a packet leaves: the hook's
 * verdict, otherwise chance.  Checksums are computed only when somebody can see them, and
 * checked only when something can have happened to them.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

void
soft_turn_later(struct soft_port *p)
{
	struct soft_world *w = p->hca->world;

	if (!p->turn.node.place)
		soft_timer_start(w, &p->turn, p->free_ns > w->now_ns ? p->free_ns : w->now_ns);
}

void
soft_kick(struct soft_qp *q)
{
	struct soft_port *p = q->port;

	if (q->in_line || !p || q->hca->fatal)
		return;
	q->in_line = true;
	q->next = NULL;
	if (p->last)
		p->last->next = q;
	else
		p->first = q;
	p->last = q;
	soft_turn_later(p);
}

void
soft_unkick(struct soft_qp *q)
{
	struct soft_port *p = q->port;
	struct soft_qp **at, *before = NULL;

	if (!q->in_line)
		return;
	for (at = &p->first; *at != q; at = &(*at)->next)
		before = *at;
	*at = q->next;
	if (p->last == q)
		p->last = before;
	q->in_line = false;
}

/* ---- on the wire ---- */

static void
flight_start(struct soft_port *from, const uint8_t *w, size_t bytes, bool touched, int64_t at_ns)
{
	struct soft_flight *f = xmalloc(sizeof(*f) + bytes);

	f->timer = (struct soft_timer){ .kind = SOFT_TIMER_FLIGHT };
	f->bytes = bytes;
	f->touched = touched;
	memcpy(f->packet, w, bytes);
	soft_timer_start(from->hca->world, &f->timer, at_ns);
}

void
soft_arrive(struct verbs_world *pub, const uint8_t *packet, size_t bytes)
{
	struct soft_world *w = SOFT_WORLD(pub);
	/* any port: the faults have been applied already */
	struct soft_port *from = &w->hcas[0].ports[0];

	if (from->arrival_ns < w->now_ns)
		from->arrival_ns = w->now_ns;
	/* in order of arrival */
	flight_start(from, packet, bytes, true, ++from->arrival_ns);
}

static enum verbs_verdict
packet_verdict(struct soft_port *from, uint8_t *w, size_t bytes)
{
	const struct verbs_faults *f = &from->faults;
	struct soft_world *world = from->hca->world;
	enum verbs_verdict v = VERBS_PASS;

	if (from->hook) {
		packet_seal(w, bytes);
		v = from->hook(from->hook_arg, w, bytes);
	}
	if (v == VERBS_REWRITTEN)
		packet_seal(w, bytes);
	if (v != VERBS_PASS && v != VERBS_REWRITTEN)
		return v;
	if (soft_chance(world, f->loss_ppm))
		return VERBS_DROP;
	if (soft_chance(world, f->duplicate_ppm))
		return VERBS_DUPLICATE;
	if (soft_chance(world, f->corrupt_ppm))
		return VERBS_CORRUPT;
	if (soft_chance(world, f->reorder_ppm))
		return VERBS_HOLD;
	return VERBS_PASS;
}

/* The arrival time of a packet that leaves now: after all others of this port. */
static int64_t
arrival_time(struct soft_port *from)
{
	struct soft_world *w = from->hca->world;
	const struct verbs_faults *f = &from->faults;
	int64_t at = from->free_ns + w->latency_ns + (int64_t)f->delay_us * 1000;

	if (f->jitter_us)
		at += (int64_t)soft_random(w, f->jitter_us * 1000);
	if (at <= from->arrival_ns)
		at = from->arrival_ns + 1;
	from->arrival_ns = at;
	return at;
}

static void
packet_depart(struct soft_port *from, uint8_t *w, size_t bytes)
{
	struct soft_world *world = from->hca->world;
	bool touched = from->hook;
	uint32_t bit;

	switch (packet_verdict(from, w, bytes)) {
	case VERBS_DROP:
		return;
	case VERBS_HOLD:
		flight_start(from, w, bytes, touched, from->free_ns + world->latency_ns +
			(from->faults.reorder_us ? (int64_t)from->faults.reorder_us * 1000 :
			SOFT_HOLD_NS));
		return;
	case VERBS_CORRUPT:
		if (!touched)
			packet_seal(w, bytes);
		touched = true;
		bit = soft_random(world, (uint32_t)bytes * 8);
		w[bit / 8] ^= (uint8_t)(1u << bit % 8);
		break;
	case VERBS_DUPLICATE:
		flight_start(from, w, bytes, touched, arrival_time(from));
		break;
	case VERBS_PASS:
	case VERBS_REWRITTEN:
		break;
	}
	flight_start(from, w, bytes, touched, arrival_time(from));
}

void
soft_port_send(struct soft_port *from, uint8_t *w, const struct packet *p)
{
	struct soft_world *world = from->hca->world;
	size_t bytes = packet_build(w, p);

	if (from->free_ns < world->now_ns)
		from->free_ns = world->now_ns;
	from->free_ns += (int64_t)(bytes * 8000 / world->rate_mbps) + 1;
	if (from->up)
		packet_depart(from, w, bytes);
}

void
soft_route(const struct soft_port *from, struct packet *p, const struct ibv_ah_attr *ah,
	uint16_t pkey)
{
	p->sl = ah->sl;
	p->slid = from->lid;
	p->dlid = ah->dlid;
	p->pkey = pkey;
	p->has_grh = ah->is_global;
	if (!ah->is_global)
		return;
	p->tclass = ah->grh.traffic_class;
	p->hop_limit = ah->grh.hop_limit;
	p->flow_label = ah->grh.flow_label;
	memcpy(p->sgid, from->gids[ah->grh.sgid_index % SOFT_GIDS].raw, 16);
	memcpy(p->dgid, ah->grh.dgid.raw, 16);
}
