/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * turn.c - what the timers of a port start: the next packet leaves, or a packet arrives.
 * Room: verbs/soft.  Pure.
 *
 * Queue pairs send in turn, one packet each; within a queue pair, responses go before requests.
 */
#include <config.h>
#include "verbs/soft/soft_impl.h"

/* True if a packet was sent. */
static bool
qp_turn(struct soft_qp *q)
{
	bool sent = soft_answer_turn(q) || soft_requester_turn(q);

	if (sent)
		/* If there is nothing more, its next turn finds out. */
		soft_kick(q);
	return sent;
}

void
soft_port_turn(struct soft_port *p)
{
	struct soft_qp *q;

	while ((q = p->first)) {
		soft_unkick(q);
		if (qp_turn(q))
			break;
	}
	if (p->first)
		soft_turn_later(p);
}

static struct soft_port *
port_with_lid(struct soft_world *w, uint16_t lid)
{
	for (unsigned i = 0; i < w->nhcas; i++)
		for (unsigned n = 0; n < SOFT_PORTS; n++)
			if (w->hcas[i].ports[n].lid == lid)
				return &w->hcas[i].ports[n];
	return NULL;
}

void
soft_flight_arrive(struct soft_world *w, struct soft_flight *f)
{
	struct soft_port *to;
	struct packet p;

	if (f->touched ? packet_decode(f->packet, f->bytes, &p) : packet_parse(f->packet, f->bytes,
		    &p)) {
		if (p.dlid >= 0xc000 && p.dlid != 0xffff) {
			for (unsigned i = 0; i < w->nhcas; i++)
				for (unsigned n = 0; n < SOFT_PORTS; n++)
					soft_receive(&w->hcas[i].ports[n], &p);
		} else if ((to = port_with_lid(w, p.dlid))) {
			soft_receive(to, &p);
		}
	}
	free(f);
}
