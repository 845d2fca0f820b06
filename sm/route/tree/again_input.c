/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * again_input.c - the input of a run by places, to be compared with that of the next.
 * Room: sm/route/tree.  Pure.  In: the frame, the input.  Out: what is not as before.
 */
#include <config.h>
#include <string.h>
#include "sm/route/tree/again_input.h"

static bool
intended_equal(const struct intended *a, const struct intended *b)
{
	return a->nsw == b->nsw && a->nlinks == b->nlinks && a->nhosts == b->nhosts &&
		intended_switches_equal(a->sw, b->sw, a->nsw) &&
		intended_links_equal(a->links, b->links, a->nlinks) &&
		intended_hosts_equal(a->hosts, b->hosts, a->nhosts);
}

static uint32_t
lids_of(const struct route_in *in, uint32_t port)
{
	return (uint32_t)in->lids->lmc[port] << 16 | in->lids->base[port];
}

/* The far end of a port of the switch with ordinal 'at'.  A link to itself counts as none. */
static uint32_t
far_end(const struct frame *f, const struct route_in *in, uint32_t at, uint32_t port)
{
	const struct snapshot *s = in->snapshot;
	uint32_t peer = s->ports[port].peer, to;

	if (peer == FAB_NONE)
		return FAB_NONE;
	to = s->nodes[s->ports[peer].node].sw;
	if (to == FAB_NONE)
		return FRAME_FAR_HOST | lids_of(in, peer);
	return to == at ? FAB_NONE : f->sw[to] << 8 | s->ports[peer].num;
}

static bool
is_link(uint32_t far)
{
	return !(far & FRAME_FAR_HOST);
}

static bool
is_host(uint32_t far)
{
	return far & FRAME_FAR_HOST && far != FAB_NONE;
}

/* Takes the present far ends of switch 'sw'.  False: it has more ports than are kept. */
static bool
take_far(struct again_input *k, const struct frame *f, const struct route_in *in, uint32_t sw,
	unsigned *news)
{
	const struct fab_node *n = NULL;
	uint32_t *was = k->far + (size_t)sw * k->width, is = FAB_NONE;
	unsigned here = 0;

	if (f->node[sw] != FAB_NONE) {
		n = &in->snapshot->nodes[f->node[sw]];
		is = lids_of(in, n->first_port);
	}
	if (n && n->nports >= k->width)
		return false;
	here |= was[0] != is ? AGAIN_LIDS : 0;
	was[0] = is;
	for (uint32_t p = 1; p < k->width; p++) {
		is = n && p <= n->nports ? far_end(f, in, f->ordinal[sw], n->first_port + p) :
					   FAB_NONE;
		if (was[p] == is)
			continue;
		here |= is_link(was[p]) || is_link(is) ? AGAIN_LINKS : 0;
		here |= is_host(was[p]) || is_host(is) ? AGAIN_LIDS : 0;
		was[p] = is;
	}
	*news |= here;
	return true;
}

/* False: they are those that were kept. */
static bool
take_absent(struct again_input *k, const struct frame *f, const struct route_in *in,
	struct arena *a)
{
	uint32_t n = 0;
	bool differ = false;

	for (uint32_t i = 0; i < in->nabsent; i++) {
		struct route_absent b = in->absent[i];

		if (!frame_absent_counts(in, &b))
			continue;
		b.sw = f->sw[b.sw];
		k->absent = arena_grow(a, k->absent, n, &k->cap, 64, sizeof(*k->absent));
		differ |= n >= k->nabsent || k->absent[n].lid != b.lid ||
			k->absent[n].sw != b.sw || k->absent[n].port != b.port;
		k->absent[n++] = b;
	}
	differ |= n != k->nabsent;
	k->nabsent = n;
	return differ;
}

void
again_input_keep(struct again_input *k, const struct frame *f, const struct route_in *in,
	struct arena *a)
{
	const struct snapshot *s = in->snapshot;
	const struct intended *t = in->intended;
	uint32_t nsw = f->now.g.nsw;
	unsigned news = 0;

	*k = (struct again_input){ .intended = *t, .width = 1, .top = in->lids->top };
	k->intended.sw = arena_copy(a, t->sw, t->nsw, sizeof(*t->sw));
	k->intended.links = arena_copy(a, t->links, t->nlinks, sizeof(*t->links));
	k->intended.hosts = arena_copy(a, t->hosts, t->nhosts, sizeof(*t->hosts));
	for (uint32_t i = 0; i < s->nswitches; i++)
		if (s->nodes[s->switches[i]].nports >= k->width)
			k->width = s->nodes[s->switches[i]].nports + 1u;
	k->far = arena_array(a, nsw, k->width * sizeof(*k->far));
	k->ordinal = arena_copy(a, f->ordinal, nsw, sizeof(*k->ordinal));
	for (uint32_t sw = 0; sw < nsw; sw++)
		take_far(k, f, in, sw, &news);
	take_absent(k, f, in, a);
}

bool
again_input_take(struct again_input *k, struct frame *f, const struct route_in *in,
	struct arena *a, uint8_t *mark, uint8_t bit, unsigned *news)
{
	uint32_t nsw = f->now.g.nsw;

	*news = 0;
	if (!in->intended || !intended_equal(&k->intended, in->intended))
		return false;
	memcpy(k->ordinal, f->ordinal, nsw * sizeof(*k->ordinal));
	if (!frame_renumber(f, in->snapshot))
		return false;
	for (uint32_t sw = 0; sw < nsw; sw++) {
		bool moved = f->ordinal[sw] != k->ordinal[sw];
		unsigned here = moved ? AGAIN_SWITCHES : 0;

		if (!take_far(k, f, in, sw, &here))
			return false;
		if (moved && (f->ordinal[sw] == FAB_NONE || k->ordinal[sw] == FAB_NONE))
			here |= AGAIN_LINKS;
		mark[sw] = here & AGAIN_LINKS ? bit : 0;
		*news |= here;
	}
	if (k->top != in->lids->top || take_absent(k, f, in, a))
		*news |= AGAIN_LIDS;
	k->top = in->lids->top;
	return true;
}
