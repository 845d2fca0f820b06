/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcast_keep.c - spans that are kept whole are those that a repair makes, on random fabrics over
 * random events.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/mcast/mcast_spans.h"
#include "tests/unit/route/made.h"
#include "util/xalloc.h"

enum { FABRICS = 3000, EVENTS = 8, NODES_MAX = 512, PORTS_MAX = 8192 };

/* The fabric when all is there, and what is not. */
static struct snapshot *all, *now, *before;
static struct arena arenas[2];
static bool gone[NODES_MAX], cut[NODES_MAX], mute[NODES_MAX], dead[PORTS_MAX];
static uint32_t level[NODES_MAX], roots[3];
static struct mcast_spans spans;
static struct {
	uint32_t plans, whole, repaired, other_root, moved, lost;
} count;

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(now);
	snapshot_free(before);
	now = before = NULL;
	if (all)
		made_free(all);
	all = NULL;
	arena_clear(&arenas[0]);
	arena_clear(&arenas[1]);
	memset(&spans, 0, sizeof(spans));
	return 0;
}

/* ---- the fabric now ---- */

static bool
is_there(uint32_t port)
{
	uint32_t peer = all->ports[port].peer;

	return peer != FAB_NONE && !dead[port] && !dead[peer] && !gone[all->ports[port].node] &&
		!gone[all->ports[peer].node];
}

/* The fabric without what is gone: nodes and ports have other indices, switches other ordinals. */
static struct snapshot *
make_now(void)
{
	struct snapshot *s = xcalloc(1, sizeof(*s));
	uint32_t *at = xcalloc(all->nnodes, sizeof(*at));

	s->nodes = arena_array(&s->arena, all->nnodes, sizeof(*s->nodes));
	s->ports = arena_array(&s->arena, all->nports, sizeof(*s->ports));
	for (uint32_t i = 0; i < all->nnodes; i++) {
		struct fab_node *n = &s->nodes[s->nnodes];

		if (gone[i])
			continue;
		*n = all->nodes[i];
		n->first_port = s->nports;
		n->flags |= cut[i] ? FAB_NODE_CUT : 0;
		if (fab_is_switch(n)) {
			struct switch_info si = switch_info_decode(n->switch_info);

			si.mft_cap = mute[i] ? 0 : 1024;
			switch_info_encode(n->switch_info, &si);
			n->flags |= FAB_NODE_SWITCH_INFO;
		}
		for (unsigned p = 0; p <= n->nports; p++) {
			s->ports[s->nports] = all->ports[all->nodes[i].first_port + p];
			s->ports[s->nports++].node = s->nnodes;
		}
		at[i] = s->nnodes++;
	}
	for (uint32_t i = 0; i < all->nports; i++) {
		const struct fab_port *p = &all->ports[i], *q = is_there(i) ? &all->ports[p->peer] : NULL;

		if (!gone[p->node])
			s->ports[s->nodes[at[p->node]].first_port + p->num].peer =
				q ? s->nodes[at[q->node]].first_port + q->num : FAB_NONE;
	}
	free(at);
	snapshot_seal(s);
	return s;
}

static uint32_t
any_switch(uint32_t *random)
{
	return all->switches[made_random(random) % all->nswitches];
}

/* Something is lost, or comes back. */
static void
happen(uint32_t *random)
{
	uint32_t kind = made_random(random) % 16, sw = any_switch(random);
	uint32_t port = all->nodes[sw].first_port + 1 + made_random(random) % all->nodes[sw].nports;
	uint32_t node = made_random(random) % all->nnodes, sm = all->ports[all->sm_port].node;

	if (kind < 8)
		dead[port] = true;
	else if (kind < 10)
		memset(dead, 0, sizeof(dead));
	else if (kind == 10 && node != sm)
		gone[node] = !gone[node];
	else if (kind == 11)
		memset(gone, 0, sizeof(gone));
	else if (kind == 12)
		cut[sw] = !cut[sw];
	else if (kind == 13)
		mute[sw] = !mute[sw];
	else if (kind == 14)
		level[sw] = made_random(random) % 4;
}

/* ---- ranks ---- */

/* Hops from some switches, as engines count them, or any number. */
static uint16_t *
make_ranks(struct arena *a, bool hops)
{
	uint16_t *rank = arena_array(a, now->nswitches + 1u, sizeof(*rank));
	uint32_t *queue = arena_array(a, now->nswitches + 1u, sizeof(*queue)), from[3], n = 0;
	struct swgraph g;

	for (uint32_t sw = 0; sw < now->nswitches; sw++) {
		uint64_t guid = now->nodes[now->switches[sw]].guid;

		rank[sw] = (uint16_t)level[snapshot_node_by_guid(all, guid)];
		for (unsigned i = 0; i < 3; i++)
			if (all->nodes[roots[i]].guid == guid)
				from[n++] = sw;
	}
	if (!hops)
		return rank;
	swgraph_make(now, a, &g);
	swgraph_distances(&g, from, n, rank, queue);
	return rank;
}

/* ---- comparison ---- */

/* The spans that are made if none of those before is known to be whole. */
static struct mcast_spans
make_in_full(struct mcast_spans_in in, struct arena *a)
{
	struct mcast_spans was = spans, out;

	if (in.before) {
		was.v = arena_array(a, was.n + 1u, sizeof(*was.v));
		for (uint32_t i = 0; i < was.n; i++) {
			was.v[i] = spans.v[i];
			was.v[i].reached = 0;
		}
		in.before = &was;
	}
	mcast_spans_make(&in, a, &out);
	return out;
}

static void
compare(const struct mcast_spans *a, const struct mcast_spans *b, uint32_t seed, uint32_t event)
{
	bool same = a->n == b->n && a->sls == b->sls && a->by_turns == b->by_turns &&
		a->lacking == b->lacking && a->kept == b->kept && a->lost == b->lost &&
		a->dropped == b->dropped && !strcmp(a->remark, b->remark);

	for (uint32_t i = 0; same && i < a->n; i++) {
		const struct mcast_span *x = &a->v[i], *y = &b->v[i];

		same = x->root == y->root && x->reached == y->reached && x->height == y->height &&
			!memcmp(x->above, y->above, now->nswitches * sizeof(*x->above)) &&
			!memcmp(x->port, y->port, now->nswitches);
	}
	if (!same)
		fail_msg("seed %u, event %u: not what a repair makes", seed, event);
}

/* Spans are whole if they lost nothing: counts how often that was so, and what else was tried. */
static void
count_spans(const struct mcast_spans *was, const struct mcast_spans *is)
{
	for (uint32_t i = 0; before && i < was->n && i < is->n; i++) {
		const struct mcast_span *x = &was->v[i], *y = &is->v[i];
		bool whole = x->reached == y->reached;
		uint32_t last = 0;

		for (uint32_t sw = 0; sw < before->nswitches; sw++) {
			uint64_t guid = before->nodes[before->switches[sw]].guid;

			while (last < now->nswitches && now->nodes[now->switches[last]].guid < guid)
				last++;
			whole &= last < now->nswitches && x->port[sw] == y->port[last];
		}
		count.whole += whole;
		count.repaired += !whole;
		count.other_root += before->nodes[before->switches[x->root]].guid !=
			now->nodes[now->switches[y->root]].guid;
	}
	count.moved += is->dropped > 0;
	count.lost += is->lost > 0;
	count.plans++;
}

static bool
forwards(uint32_t sw)
{
	const struct fab_node *n = &now->nodes[now->switches[sw]];

	return !(n->flags & FAB_NODE_CUT) && switch_info_decode(n->switch_info).mft_cap;
}

/* Whatever a switch of a span leads down to is in the span. */
static void
check_complete(const struct mcast_spans *x, const uint16_t *rank, uint32_t seed)
{
	for (uint32_t i = 0; i < now->nports; i++) {
		const struct fab_port *p = &now->ports[i];
		uint32_t sw = now->nodes[p->node].sw, to;

		to = p->peer == FAB_NONE ? FAB_NONE : now->nodes[now->ports[p->peer].node].sw;
		if (sw == FAB_NONE || to == FAB_NONE || !forwards(sw) || !forwards(to) ||
			(rank[sw] == rank[to] ? sw < to : rank[sw] > rank[to]))
			continue;
		for (uint32_t k = 0; k < x->n; k++)
			if ((sw == x->v[k].root || x->v[k].above[sw] != FAB_NONE) && to != x->v[k].root &&
				x->v[k].above[to] == FAB_NONE)
				fail_msg("seed %u: a span lacks a switch", seed);
	}
}

static void
fabric(uint32_t seed)
{
	uint32_t random = seed * 31 + 7, sw = 6 + made_random(&random) % 14, wanted;
	static const char *const shapes[] = { "fattree:k=4,levels=3", "fattree:k=8,levels=2", "xgft:m=4/4/2,w=1/2/2",
		"torus:4x4,hosts=2", "dragonfly:a=4,h=2,p=1" };
	struct made_how how = { .seed = seed, .scramble = seed & 1 };
	bool hops = made_random(&random) % 3;
	char spec[80];

	teardown(NULL);
	memset(gone, 0, sizeof(gone));
	memset(cut, 0, sizeof(cut));
	memset(mute, 0, sizeof(mute));
	memset(dead, 0, sizeof(dead));
	snprintf(spec, sizeof(spec), "random:switches=%u,cables=%u,hosts=1,seed=%u", sw,
		sw + made_random(&random) % (sw * 3 / 2), seed);
	all = made_snapshot(seed % 3 ? shapes[seed / 3 % 5] : spec, &how);
	assert_true(all->nnodes <= NODES_MAX && all->nports <= PORTS_MAX);
	for (uint32_t i = 0; i < all->nnodes; i++)
		level[i] = made_random(&random) % 4;
	for (unsigned i = 0; i < 3; i++)
		roots[i] = any_switch(&random);
	wanted = any_switch(&random);
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct arena *a = &arenas[i % 2];
		struct mcast_spans_in in = { .sls = 1, .before = before ? &spans : NULL };
		struct mcast_spans full, quick;

		arena_clear(a);
		now = make_now();
		in.s = now;
		in.rank = seed % 5 == 4 ? NULL : make_ranks(a, hops);
		if (made_random(&random) % 8 == 0)
			in.roots[0] = all->nodes[wanted].guid;
		mcast_spans_make(&in, a, &quick);
		full = make_in_full(in, a);
		compare(&quick, &full, seed, i);
		if (in.rank)
			check_complete(&quick, in.rank, seed);
		count_spans(&spans, &quick);
		spans = quick;
		snapshot_free(before);
		before = now;
		now = NULL;
		if (made_random(&random) % 8)
			happen(&random);
	}
}

static void
as_repaired(void **state)
{
	(void)state;
	memset(&count, 0, sizeof(count));
	for (uint32_t seed = 0; seed < test_share(FABRICS); seed++)
		fabric(seed);
	print_message("%u plans: %u spans as before, %u others, %u of them with another root; edges were lost %u times, "
		"given up %u times\n", count.plans, count.whole, count.repaired, count.other_root, count.lost, count.moved);
	if (test_share(FABRICS) == FABRICS)
		assert_true(count.whole > 1000 && count.repaired > 1000 && count.other_root > 100 && count.moved > 100 &&
			count.lost > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(as_repaired, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
