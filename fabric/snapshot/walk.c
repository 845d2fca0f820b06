/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * walk.c - one path through the tables, hop by hop.
 * Room: fabric/snapshot.  Pure.  Uses only the tables, not the plan: a packet follows the table
 * entries, even to where it is lost.
 */
#include <config.h>
#include "fabric/snapshot/walk.h"

static uint8_t
entry_of(const struct fwd_tables *f, uint32_t sw, uint16_t lid)
{
	if (sw >= f->nswitches || lid > f->top || lid >= f->stride)
		return FAB_LFT_DROP;
	return fwd_row(f, sw)[lid];
}

/* Over the cable at 'out'.  False: there is none. */
static bool
link_cross(const struct snapshot *s, struct walk *w, uint32_t out)
{
	if (s->ports[out].peer == FAB_NONE) {
		w->end = WALK_DEAD_PORT;
		return false;
	}
	w->out[w->nhops] = out;
	w->in[w->nhops++] = s->ports[out].peer;
	return true;
}

/* At switch 'n': the port index the packet leaves by, or FAB_NONE with the end of the walk in
 * 'w'. */
static uint32_t
leave_by(const struct fwd_tables *f, const struct fab_node *n, uint32_t owner, uint16_t lid,
	struct walk *w)
{
	uint8_t entry = entry_of(f, n->sw, lid);

	if (entry == FAB_LFT_DROP)
		w->end = WALK_DROPPED;
	else if (entry == 0)
		w->end = owner == n->first_port ? WALK_ARRIVED : WALK_WRONG_PORT;
	else if (entry > n->nports)
		w->end = WALK_DEAD_PORT;
	else
		return n->first_port + entry;
	return FAB_NONE;
}

void
walk_lid(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f,
	uint32_t src,
	uint16_t lid, struct walk *w)
{
	uint32_t owner = lid && lid <= l->top ? l->owner[lid] : FAB_NONE;
	uint32_t at = s->ports[src].node, out;

	w->nhops = 0;
	w->end = WALK_NO_LID;
	if (owner == FAB_NONE)
		return;
	w->end = WALK_ARRIVED;
	if (owner == src)
		return;
	if (!fab_is_switch(&s->nodes[at])) {
		if (!link_cross(s, w, src))
			return;
		at = s->ports[w->in[0]].node;
	}
	while (fab_is_switch(&s->nodes[at])) {
		if (w->nhops > WALK_HOPS_MAX) {        /* the 65th switch */
			w->end = WALK_LOOP;
			return;
		}
		out = leave_by(f, &s->nodes[at], owner, lid, w);
		if (out == FAB_NONE || !link_cross(s, w, out))
			return;
		at = s->ports[w->in[w->nhops - 1]].node;
	}
	w->end = w->in[w->nhops - 1] == owner ? WALK_ARRIVED : WALK_WRONG_PORT;
}

const char *
walk_end_text(enum walk_end e)
{
	switch (e) {
	case WALK_ARRIVED: return "arrived";
	case WALK_DROPPED: return "dropped: no entry for the LID";
	case WALK_DEAD_PORT: return "sent out of a port with nothing behind it";
	case WALK_LOOP: return "goes in a loop";
	case WALK_WRONG_PORT: return "delivered to a port that does not own the LID";
	case WALK_NO_LID: return "nobody owns the LID";
	}
	return "?";
}
