/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * graph.c - the intended topology as a graph of switches, to be recognised as a snapshot is.
 * Room: sm/shape.  Pure.  In: sorted switches, links, hosts.  Out: neighbours and ports in arrays.
 */
#include <config.h>
#include <string.h>
#include "sm/shape/shape.h"

/* The other end of link 'l', seen from switch 's', and the port of 's'. */
static uint32_t
link_far(const struct intended_link *l, uint32_t s, uint8_t *port)
{
	*port = l->a == s ? l->aport : l->bport;
	return l->a == s ? l->b : l->a;
}

/* Sorts (far switch, port) pairs of one switch by insertion: at most 254 of them. */
static uint32_t
sort_links(const struct intended *t, uint32_t s, const uint32_t *link, uint32_t n,
	struct swgraph_group *far)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t port;
		uint32_t to = link_far(&t->links[link[i]], s, &port), at = used++;

		for (; at > 0 &&
			(far[at - 1].to > to ||
				(far[at - 1].to == to && far[at - 1].first_port > port));
			at--)
			far[at] = far[at - 1];
		far[at] = (struct swgraph_group){ .to = to, .first_port = port };
	}
	return used;
}

static void
add_hosts(const struct intended *t, struct swgraph *out)
{
	for (uint32_t h = 0; h < t->nhosts; h++)
		out->host_first[t->hosts[h].sw + 1]++;
	for (uint32_t s = 0; s < t->nsw; s++)
		out->host_first[s + 1] += out->host_first[s];
	for (uint32_t h = 0; h < t->nhosts; h++) {
		uint32_t s = t->hosts[h].sw, at = out->host_first[s];

		for (; out->hosts[at].via && out->hosts[at].via < t->hosts[h].port; at++)
			;
		for (uint32_t i = out->host_first[s + 1] - 1; i > at; i--)
			out->hosts[i] = out->hosts[i - 1];
		out->hosts[at] = (struct swgraph_host){ FAB_NONE, t->hosts[h].port };
	}
}

void
shape_graph(const struct intended *t, struct arena *a, struct swgraph *out)
{
	uint32_t *first = arena_array(a, (size_t)t->nsw + 2, sizeof(*first));
	uint32_t *link = arena_array(a, 2 * (size_t)t->nlinks + 1, sizeof(*link)), ngroups = 0;
	struct swgraph_group far[256];

	memset(out, 0, sizeof(*out));
	out->nsw = t->nsw;
	out->group_first = arena_array(a, (size_t)t->nsw + 1, sizeof(*out->group_first));
	out->groups = arena_array(a, 2 * (size_t)t->nlinks + 1, sizeof(*out->groups));
	out->ports = arena_array(a, 2 * (size_t)t->nlinks + 1, sizeof(*out->ports));
	out->host_first = arena_array(a, (size_t)t->nsw + 1, sizeof(*out->host_first));
	out->hosts = arena_array(a, (size_t)t->nhosts + 1, sizeof(*out->hosts));
	for (uint32_t i = 0; i < t->nlinks; i++) {
		first[t->links[i].a + 2]++;
		first[t->links[i].b + 2]++;
	}
	for (uint32_t s = 0; s < t->nsw; s++)
		first[s + 2] += first[s + 1];
	for (uint32_t i = 0; i < t->nlinks; i++) {
		link[first[t->links[i].a + 1]++] = i;
		link[first[t->links[i].b + 1]++] = i;
	}
	for (uint32_t s = 0; s < t->nsw; s++) {
		uint32_t n = first[s + 1] - first[s] > 255 ? 255 : first[s + 1] - first[s];

		n = sort_links(t, s, &link[first[s]], n, far);
		for (uint32_t i = 0; i < n; i++) {
			struct swgraph_group *last = &out->groups[ngroups - (i > 0)];

			out->ports[first[s] + i] = (uint8_t)far[i].first_port;
			if (i > 0 && last->to == far[i].to)
				last->nports++;
			else
				out->groups[ngroups++] =
					(struct swgraph_group){ far[i].to, first[s] + i, 1 };
		}
		out->group_first[s + 1] = ngroups;
	}
	add_hosts(t, out);
	for (uint32_t s = 0; s < t->nsw; s++)
		out->nleaves += swgraph_is_leaf(out, s);
}
