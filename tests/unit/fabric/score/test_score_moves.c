/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_score_moves.c - what a change moves, against a plain walker that compares every path of
 * every pair and every switch.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/score/score_moves.h"
#include "tests/unit/fabric/tabled.h"

struct side {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables f;
};

static struct side was, is;
static struct pool *pools[2];

static int
setup(void **state)
{
	(void)state;
	tabled_pools_make(pools);
	return 0;
}

static int
group_teardown(void **state)
{
	(void)state;
	tabled_pools_free(pools);
	return 0;
}

static void
side_clear(struct side *d)
{
	made_free(d->s);
	d->s = NULL;
	arena_clear(&d->arena);
}

static int
teardown(void **state)
{
	(void)state;
	side_clear(&was);
	side_clear(&is);
	return 0;
}

static void
number(struct side *d)
{
	tabled_lids(d->s, &d->arena, &d->lids);
}

static void
route(struct side *d)
{
	enum route_code r = tabled_route("updn", d->s, &d->lids, &d->arena, &d->f);

	if (r != ROUTE_OK)
		r = tabled_route("minhop", d->s, &d->lids, &d->arena, &d->f);
	assert_int_equal(r, ROUTE_OK);
}

/* ---- the plain walker ---- */

#define LINKS 80

struct link {
	uint64_t from, to; /* GUIDs of the nodes */
	uint8_t from_port, to_port;
};

struct path {
	bool arrives;
	unsigned n;
	struct link links[LINKS];
};

static void
add_link(const struct snapshot *s, struct path *p, uint32_t out)
{
	uint32_t in = s->ports[out].peer;

	assert_true(p->n < LINKS);
	memset(&p->links[p->n], 0, sizeof(p->links[0]));
	p->links[p->n].from = s->nodes[s->ports[out].node].guid;
	p->links[p->n].from_port = s->ports[out].num;
	p->links[p->n].to = s->nodes[s->ports[in].node].guid;
	p->links[p->n++].to_port = s->ports[in].num;
}

/* From a switch on. */
static void
walk_on(const struct side *d, uint32_t node, uint32_t lid, struct path *p)
{
	for (unsigned hops = 0; hops <= d->s->nswitches; hops++) {
		const struct fab_node *n = &d->s->nodes[node];
		uint8_t out = lid && lid <= d->f.top ? fwd_row(&d->f, n->sw)[lid] : 255;
		uint32_t owner = lid <= d->lids.top ? d->lids.owner[lid] : FAB_NONE, peer;

		if (out == 0)
			p->arrives = owner == n->first_port;
		if (out == 0 || out > n->nports ||
			(peer = d->s->ports[n->first_port + out].peer) == FAB_NONE)
			return;
		add_link(d->s, p, n->first_port + out);
		node = d->s->ports[peer].node;
		if (!fab_is_switch(&d->s->nodes[node])) {
			p->arrives = owner == peer;
			return;
		}
	}
}

static bool
links_exist(const struct snapshot *s, const struct path *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		const struct link *k = &p->links[i];
		uint32_t node = snapshot_node_by_guid(s, k->from), peer;

		if (node == FAB_NONE || k->from_port > s->nodes[node].nports)
			return false;
		peer = snapshot_port(s, node, k->from_port)->peer;
		if (peer == FAB_NONE || s->nodes[s->ports[peer].node].guid != k->to ||
			s->ports[peer].num != k->to_port)
			return false;
	}
	return true;
}

static bool
same_path(const struct path *a, const struct path *b)
{
	return a->n == b->n && memcmp(a->links, b->links, a->n * sizeof(a->links[0])) == 0;
}

/* A host that counts: linked to a switch, with a LID. */
static bool
is_host(const struct side *d, uint32_t port)
{
	const struct fab_port *p = &d->s->ports[port];

	return p->peer != FAB_NONE && !fab_is_switch(&d->s->nodes[p->node]) && d->lids.base[port] &&
		fab_is_switch(&d->s->nodes[d->s->ports[p->peer].node]);
}

/* The same host port in the new snapshot; FAB_NONE. */
static uint32_t
now_at(uint32_t port)
{
	for (uint32_t i = 0; i < is.s->nports; i++)
		if (is_host(&is, i) && is.s->ports[i].num == was.s->ports[port].num &&
			is.s->nodes[is.s->ports[i].node].guid ==
				was.s->nodes[was.s->ports[port].node].guid)
			return i;
	return FAB_NONE;
}

static void
walk_host(const struct side *d, uint32_t from, uint32_t to, struct path *p)
{
	memset(p, 0, sizeof(*p));
	add_link(d->s, p, from);
	walk_on(d, d->s->ports[d->s->ports[from].peer].node, d->lids.base[to], p);
}

static void
count_pair(const uint32_t *now, uint32_t a, uint32_t b, struct score_moves *r)
{
	static struct path old, new;

	walk_host(&was, a, b, &old);
	walk_host(&is, now[a], now[b], &new);
	r->pairs++;
	r->restored += !old.arrives && new.arrives;
	if (!old.arrives || (new.arrives &&same_path(&old, &new)))
		return;
	r->moved++;
	if (links_exist(is.s, &old))
		r->needless++;
	else
		r->broken++;
	r->lost += !new.arrives;
}

static void
count_pairs(struct score_moves *r)
{
	uint32_t *now = arena_array(&was.arena, was.s->nports, sizeof(*now)), old = 0, new = 0;

	for (uint32_t a = 0; a < was.s->nports; a++) {
		now[a] = is_host(&was, a) ? now_at(a) : FAB_NONE;
		old += is_host(&was, a);
	}
	for (uint32_t a = 0; a < is.s->nports; a++)
		new += is_host(&is, a);
	for (uint32_t a = 0; a < was.s->nports; a++)
		for (uint32_t b = 0; b < was.s->nports; b++)
			if (a != b && now[a] != FAB_NONE && now[b] != FAB_NONE)
				count_pair(now, a, b, r);
	r->pairs_gone = (uint64_t)old * (old - 1) - r->pairs;
	r->pairs_new = (uint64_t) new *(new - 1) - r->pairs;
}

static uint64_t
owner_guid(const struct side *d, uint32_t lid)
{
	uint32_t owner = lid <= d->lids.top ? d->lids.owner[lid] : FAB_NONE;

	return owner == FAB_NONE ? 0 :
				   d->s->nodes[d->s->ports[owner].node].guid +
			((uint64_t)d->s->ports[owner].num << 56);
}

static uint8_t
entry(const struct side *d, uint32_t sw, uint32_t lid)
{
	return lid <= d->f.top ? fwd_row(&d->f, sw)[lid] : 255;
}

/* All entries of one switch for one block. */
static void
count_block(uint32_t node, uint32_t now, uint32_t block, struct score_moves *r)
{
	static struct path old;
	bool any = false, needed = false;

	for (uint32_t lid = block * 64; lid < block * 64 + 64; lid++) {
		uint64_t a = owner_guid(&was, lid), b = owner_guid(&is, lid);

		if (!lid || (!a && !b) ||
			entry(&was, was.s->nodes[node].sw, lid) ==
				entry(&is, is.s->nodes[now].sw, lid))
			continue;
		memset(&old, 0, sizeof(old));
		walk_on(&was, node, lid, &old);
		any = true;
		r->entries++;
		if (a && a != b)
			r->entries_broken++;
		else if (!old.arrives)
			r->entries_restored++;
		else if (!links_exist(is.s, &old) ||
			(!old.n &&
				snapshot_node_by_guid(is.s, was.s->nodes[node].guid) == FAB_NONE))
			r->entries_broken++;
		else {
			r->entries_needless++;
			continue;
		}
		needed = true;
	}
	r->blocks += any;
	r->blocks_needed += needed;
}

static void
count_entries(struct score_moves *r)
{
	for (uint32_t i = 0; i < was.s->nswitches; i++) {
		uint32_t node = was.s->switches[i];
		uint32_t now = snapshot_node_by_guid(is.s, was.s->nodes[node].guid);

		r->switches_lost += now == FAB_NONE;
		for (uint32_t block = 0; now != FAB_NONE && block < 8; block++)
			count_block(node, now, block, r);
	}
	for (uint32_t i = 0; i < is.s->nswitches; i++)
		r->switches_new += snapshot_node_by_guid(
					   was.s, is.s->nodes[is.s->switches[i]].guid) == FAB_NONE;
}

/* ---- */

static struct score_moves
compared(void)
{
	struct score_side a = { was.s, &was.lids, &was.f }, b = { is.s, &is.lids, &is.f };
	struct score_moves r, w, plain;

	memset(&plain, 0, sizeof(plain));
	count_pairs(&plain);
	count_entries(&plain);
	score_moves(&a, &b, NULL, &r);
	for (int i = 0; i < 2; i++) {
		score_moves(&a, &b, pool_stripes(pools[i]), &w);
		assert_memory_equal(&r, &w, sizeof(r));
	}
	assert_int_equal(r.pairs, plain.pairs);
	assert_int_equal(r.moved, plain.moved);
	assert_int_equal(r.broken, plain.broken);
	assert_int_equal(r.needless, plain.needless);
	assert_int_equal(r.lost, plain.lost);
	assert_int_equal(r.restored, plain.restored);
	assert_int_equal(r.entries, plain.entries);
	assert_int_equal(r.entries_broken, plain.entries_broken);
	assert_int_equal(r.entries_restored, plain.entries_restored);
	assert_int_equal(r.entries_needless, plain.entries_needless);
	assert_memory_equal(&r, &plain, sizeof(r));
	assert_int_equal(r.moved, r.broken + r.needless);
	return r;
}

static uint32_t
random_port(const struct side *d, uint32_t *rnd, bool host)
{
	for (;;) {
		uint32_t p = made_random(rnd) % d->s->nports, peer = d->s->ports[p].peer;

		if (peer != FAB_NONE && fab_is_switch(&d->s->nodes[d->s->ports[p].node]) &&
			fab_is_switch(&d->s->nodes[d->s->ports[peer].node]) == !host)
			return p;
	}
}

/* One or more of all that can happen to a fabric. */
static void
damage(uint32_t what, uint32_t *rnd)
{
	if (what & 1)
		made_unplug(is.s, random_port(&is, rnd, false));
	if (what & 2)
		made_unplug(is.s, random_port(&is, rnd, true));
	if (what & 4) /* another switch in the place of one */
		is.s->nodes[is.s->switches[made_random(rnd) % is.s->nswitches]].guid++;
	if (what & 8)
		made_exchange(is.s, random_port(&is, rnd, true), random_port(&is, rnd, true));
}

static void
random_changes(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=3", "fattree:k=8,levels=2",
		"torus:4x4,hosts=2", "random:switches=12,cables=24,hosts=2,seed=5" };
	uint64_t needless = 0, broken = 0, lost = 0, restored = 0;
	uint32_t rnd = 3;

	(void)state;
	for (uint32_t i = 0; i < 160; i++) {
		struct score_moves r;

		teardown(NULL);
		was.s = made_snapshot(specs[i % 4], NULL);
		is.s = made_snapshot(specs[i % 4], NULL);
		if (i % 10 == 9) /* a return */
			made_unplug(was.s, random_port(&was, &rnd, i % 20 == 9));
		number(&was);
		route(&was);
		damage(i / 4 % 16, &rnd);
		number(&is);
		if (i % 3) {
			route(&is);
		} else { /* no new tables yet */
			is.f = was.f;
			is.f.port = arena_array(&is.arena, was.f.nswitches, was.f.stride);
			memcpy(is.f.port, was.f.port, (size_t)was.f.nswitches * was.f.stride);
		}
		for (unsigned k = 0; k < i % 7; k++)
			fwd_row(i % 2 ? &is.f : &was.f,
				made_random(&rnd) %
					was.f.nswitches)[1 + made_random(&rnd) % was.lids.top] =
				(uint8_t)(made_random(&rnd) % 6);
		r = compared();
		needless += r.needless;
		broken += r.broken;
		lost += r.lost;
		restored += r.restored;
	}
	assert_true(needless && broken && lost && restored);
}

/* Nothing moves when nothing changed, and a link that no path uses may go. */
static void
nothing_moves(void **state)
{
	struct score_moves r;

	(void)state;
	was.s = made_snapshot("fattree:k=4,levels=3", NULL);
	is.s = made_snapshot(
		"fattree:k=4,levels=3", &(struct made_how){ .shuffle = true, .shuffle_seed = 5 });
	number(&was);
	number(&is);
	route(&was);
	route(&is);
	r = compared();
	assert_int_equal(r.pairs, 16 * 15);
	assert_int_equal(
		r.moved + r.entries + r.blocks + r.restored + r.pairs_gone + r.pairs_new, 0);
}

/* One entry turned to another port of a tree: paths of the hosts behind it move without need. */
static void
one_entry(void **state)
{
	struct score_moves r;
	json_t *j;
	uint8_t *e;

	(void)state;
	was.s = made_snapshot("fattree:k=8,levels=2", NULL);
	is.s = made_snapshot("fattree:k=8,levels=2", NULL);
	number(&was);
	number(&is);
	route(&was);
	route(&is);
	e = &fwd_row(
		&is.f, is.s->nodes[is.s->ports[is.s->ports[is.lids.owner[1]].peer].node].sw)[32];
	for (uint8_t port = 1; port <= 8; port++) /* its leaf: another port to a spine */
		if (port != *e &&
			is.s->nodes[is.s
					    ->ports[snapshot_port(is.s,
						    is.s->ports[is.s->ports[is.lids.owner[1]].peer]
							    .node,
						    port)
							    ->peer]
					    .node]
					.sw != FAB_NONE) {
			*e = port;
			break;
		}
	r = compared();
	assert_int_equal(r.entries_needless, 1);
	assert_int_equal(r.blocks, 1);
	assert_int_equal(r.blocks_needed, 0);
	assert_int_equal(r.needless, 4); /* the four hosts of the leaf to one */
	assert_int_equal(r.broken, 0);
	j = score_moves_to_json(&r);
	assert_int_equal(json_integer_value(json_object_get(j, "needless")), 4);
	assert_int_equal(json_object_size(j), 16);
	json_decref(j);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_changes, teardown),
		cmocka_unit_test_teardown(nothing_moves, teardown),
		cmocka_unit_test_teardown(one_entry, teardown),
	};

	return cmocka_run_group_tests_name("fabric/score moves", tests, setup, group_teardown);
}
