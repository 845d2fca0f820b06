/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roster.c - the nodes and links of a snapshot, and what differs between two of them.
 * Room: sm/watch.  Pure.
 * In: snapshots.  Out: rosters; a call for each difference.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/watch/roster.h"
#include "util/bisect.h"
#include "util/xalloc.h"

static void
take_node(struct roster *r, const struct snapshot *s, uint32_t n)
{
	const struct fab_node *f = &s->nodes[n];
	uint32_t before = s->ports[f->first_port + f->entry_port].peer;
	struct roster_node *t = &r->nodes[r->nnodes++];

	t->guid = f->guid;
	t->type = f->type;
	t->port = f->entry_port;
	memcpy(t->desc, f->desc, sizeof(t->desc));
	if (n == s->ports[s->sm_port].node || before == FAB_NONE)
		return;
	t->at_guid = s->nodes[s->ports[before].node].guid;
	t->at_port = s->ports[before].num;
}

static struct roster_end
end_of(const struct snapshot *s, uint32_t port)
{
	return (struct roster_end){ s->nodes[s->ports[port].node].guid, s->ports[port].num };
}

static int
end_cmp(struct roster_end a, struct roster_end b)
{
	return a.guid != b.guid ? (a.guid < b.guid ? -1 : 1) : (int)a.port - (int)b.port;
}

int
roster_link_cmp(const struct roster_link *a, const struct roster_link *b)
{
	int c = end_cmp(a->end[0], b->end[0]);

	return c ? c : end_cmp(a->end[1], b->end[1]);
}

/*
 * Nodes and ports of a snapshot are in ascending order, so the links are in the order of their
 * first ends.
 */
struct roster *
roster_new(const struct snapshot *s)
{
	struct roster *r = xcalloc(1, sizeof(*r));

	r->nodes = xcalloc(s->nnodes + 1u, sizeof(*r->nodes));
	r->links = xcalloc(s->nlinks + 1u, sizeof(*r->links));
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (!(s->nodes[i].flags & FAB_NODE_CUT))
			take_node(r, s, i);
	for (uint32_t p = 0; p < s->nports && r->nlinks < s->nlinks; p++)
		if (s->ports[p].peer != FAB_NONE && s->ports[p].peer > p)
			r->links[r->nlinks++] = (struct roster_link){ { end_of(s, p),
				end_of(s, s->ports[p].peer) } };
	return r;
}

void
roster_free(struct roster *r)
{
	if (!r)
		return;
	free(r->nodes);
	free(r->links);
	free(r);
}

const struct roster_node *
roster_find(const struct roster *r, uint64_t guid)
{
	uint32_t i;

	BISECT(i, r->nnodes, r->nodes[i].guid < guid);
	return i < r->nnodes && r->nodes[i].guid == guid ? &r->nodes[i] : NULL;
}

static void
compare_nodes(const struct roster *was, const struct roster *is, const struct roster_differ *d)
{
	uint32_t i = 0, k = 0;

	while (i < was->nnodes || k < is->nnodes) {
		const struct roster_node *a = i < was->nnodes ? &was->nodes[i] : NULL;
		const struct roster_node *b = k < is->nnodes ? &is->nodes[k] : NULL;

		if (a && (!b || a->guid < b->guid)) {
			d->lost_node(d->arg, a);
			i++;
		} else if (!a || b->guid < a->guid) {
			d->new_node(d->arg, b);
			k++;
		} else {
			d->same_node(d->arg, a, b);
			i++;
			k++;
		}
	}
}

static bool
has_both(const struct roster *r, const struct roster_link *l)
{
	return roster_find(r, l->end[0].guid) && roster_find(r, l->end[1].guid);
}

static void
compare_links(const struct roster *was, const struct roster *is, const struct roster_differ *d)
{
	uint32_t i = 0, k = 0;

	while (i < was->nlinks || k < is->nlinks) {
		const struct roster_link *a = i < was->nlinks ? &was->links[i] : NULL;
		const struct roster_link *b = k < is->nlinks ? &is->links[k] : NULL;
		int c = !a ? 1 : !b ? -1 : roster_link_cmp(a, b);

		if (c < 0 && has_both(is, a))
			d->lost_link(d->arg, a);
		else if (c > 0 && has_both(was, b))
			d->new_link(d->arg, b);
		i += c <= 0;
		k += c >= 0;
	}
}

void
roster_compare(const struct roster *was, const struct roster *is, const struct roster_differ *d)
{
	compare_nodes(was, is, d);
	compare_links(was, is, d);
}

const char *
roster_name(uint64_t guid, const uint8_t desc[static NODE_DESC_BYTES],
	char buf[static ROSTER_NAME_BYTES])
{
	struct fab_node n = { .guid = guid };

	memcpy(n.desc, desc, NODE_DESC_BYTES);
	snapshot_desc_text(&n, buf, ROSTER_NAME_BYTES);
	if (!buf[0])
		snprintf(buf, ROSTER_NAME_BYTES, "0x%016llx", (unsigned long long)guid);
	return buf;
}

const char *
roster_place(
	const struct roster *r, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES])
{
	static const uint8_t none[NODE_DESC_BYTES];
	const struct roster_node *n = r ? roster_find(r, guid) : NULL;
	char name[ROSTER_NAME_BYTES];

	snprintf(buf, ROSTER_PLACE_BYTES, "%s port %u", roster_name(guid, n ? n->desc : none, name),
		port);
	return buf;
}
