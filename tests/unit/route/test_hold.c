/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_hold.c - routes that hold still: what a loss, and its end, may move.
 *
 * Everything is counted in the numbers of the whole fabric: what is lost is a set of nodes and
 * ports, and tables have a row for every switch, there or not.  Paths of all pairs of hosts are
 * walked hop by hop.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/part.h"

static struct snapshot *s;              /* the whole fabric */
static struct intended *intended;
static struct arena arena;              /* of s */
static struct lid_map lids;
static const struct route_engine *engine;
static bool *gone, *dead;               /* what is lost now, by node and port of s */
static uint32_t *hosts, nhosts;         /* ports of hosts in s */
static char where[128];                 /* the fabric, for messages */
static uint32_t events, refused, reranked;
static uint64_t loss_moved, back_moved; /* pairs */

/* Tables of the whole fabric: [switch][top + 1]. */
struct table {
	uint8_t *port;
	enum route_code code;
	uint16_t *rank;                 /* per switch, as reported */
};

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	intended_free(intended);
	intended = NULL;
	arena_clear(&arena);
	return 0;
}

static size_t
width(void)
{
	return (size_t)lids.top + 1;
}

static void
table_init(struct table *t)
{
	t->code = ROUTE_OK;
	t->rank = calloc(s->nswitches, sizeof(*t->rank));
	for (uint32_t i = 0; i < s->nswitches; i++)
		t->rank[i] = intended->sw[i].rank;
	t->port = malloc(s->nswitches * width());
	memset(t->port, 255, s->nswitches * width());
}

static void
table_clear(struct table *t)
{
	free(t->port);
	free(t->rank);
}

/* Absent hosts: those that are lost while their switch is there. */
static uint32_t
list_absent(const struct snapshot *c, struct route_absent *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nhosts; i++) {
		uint32_t peer = s->ports[hosts[i]].peer, leaf;

		if (!gone[s->ports[hosts[i]].node] || gone[s->ports[peer].node])
			continue;
		leaf = snapshot_node_by_guid(c, s->nodes[s->ports[peer].node].guid);
		out[n++] = (struct route_absent){ lids.base[hosts[i]], c->nodes[leaf].sw, s->ports[peer].num };
	}
	return n;
}

/* Routes what is there now; 'before' may be NULL. */
static void
route_now(const struct table *before, struct table *after)
{
	struct arena a = ARENA_INIT;
	struct snapshot *c = part_copy(s, gone, dead, NULL);
	struct route_absent *absent = calloc(nhosts, sizeof(*absent));
	struct fwd_tables out, previous = { 0 };
	struct route_report r;
	struct lid_map l;
	struct route_in in = { .snapshot = c, .lids = &l, .intended = intended, .absent = absent };
	uint32_t *whole = calloc(c->nswitches, sizeof(*whole));

	part_lids(s, &lids, c, &a, &l);
	in.nabsent = list_absent(c, absent);
	for (uint32_t i = 0; i < c->nswitches; i++)
		whole[i] = s->nodes[snapshot_node_by_guid(s, c->nodes[c->switches[i]].guid)].sw;
	if (before) {
		previous = (struct fwd_tables){ .nswitches = c->nswitches, .stride = (lids.top / 64u + 1) * 64,
			.top = lids.top };
		previous.port = arena_array(&a, c->nswitches, previous.stride);
		for (uint32_t i = 0; i < c->nswitches; i++)
			memcpy(fwd_row(&previous, i), before->port + whole[i] * width(), width());
		in.previous = &previous;
	}
	table_init(after);
	after->code = engine->run(&in, &a, &out, &r);
	if (after->code == ROUTE_OK) {
		struct verify_result v;

		verify_tables(c, &l, &out, engine->scope, &v);
		assert_int_equal(v.loops + v.credit_loops, 0);
		if (made_connected(c))
			assert_int_equal(v.unreachable, 0);
		for (uint32_t i = 0; i < c->nswitches; i++)
			memcpy(after->port + whole[i] * width(), fwd_row(&out, i), width());
		for (uint32_t i = 0; i < c->nswitches; i++)
			after->rank[whole[i]] = r.rank[i];
	}
	free(whole);
	free(absent);
	made_free(c);
	arena_clear(&a);
}

/* Where the packet goes from switch 'sw' (node of s): the next node, or FAB_NONE. */
static uint32_t
next_node(const struct table *t, uint32_t node, uint16_t lid)
{
	const struct fab_node *n = &s->nodes[node];
	uint8_t out = t->port[n->sw * width() + lid];
	uint32_t p = n->first_port + out, peer;

	if (out == 0 || out > n->nports || dead[p])
		return FAB_NONE;
	peer = s->ports[p].peer;
	return peer == FAB_NONE || dead[peer] || gone[s->ports[peer].node] ? FAB_NONE : s->ports[peer].node;
}

/* Whether a packet at 'node' reaches the LID over what is there now. */
static bool
arrives(const struct table *t, uint32_t node, uint16_t lid)
{
	uint32_t owner = s->ports[lids.owner[lid]].node;

	for (unsigned hops = 0; hops < 64 && !gone[node]; hops++) {
		if (node == owner)
			return t->port[s->nodes[node].sw * width() + lid] == 0;
		node = next_node(t, node, lid);
		if (node == FAB_NONE)
			return false;
		if (node == owner && s->nodes[node].sw == FAB_NONE)
			return true;
	}
	return false;
}

static bool
is_leaf(uint32_t node)
{
	const struct fab_node *n = &s->nodes[node];

	for (unsigned p = 1; fab_is_switch(n) && p <= n->nports; p++)
		if (s->ports[n->first_port + p].peer != FAB_NONE &&
		    !fab_is_switch(&s->nodes[s->ports[s->ports[n->first_port + p].peer].node]))
			return true;
	return false;
}

/* Whether the path from 'node' goes down and up again: a completion through a pivot, because there
 * was no up/down path. */
static bool
is_detour(const struct table *t, uint32_t node, uint16_t lid)
{
	bool down = false;

	for (unsigned hops = 0; hops < 64; hops++) {
		uint32_t next = next_node(t, node, lid), from, to;

		if (next == FAB_NONE || s->nodes[next].sw == FAB_NONE)
			return false;
		from = intended->sw[s->nodes[node].sw].rank;
		to = intended->sw[s->nodes[next].sw].rank;
		if (down && to < from)
			return true;
		down |= to > from;
		node = next;
	}
	return false;
}

/* The first switch at which the paths from 'node' differ; FAB_NONE: none. */
static uint32_t
differs_at(const struct table *a, const struct table *b, uint32_t node, uint16_t lid)
{
	while (node != FAB_NONE && s->nodes[node].sw != FAB_NONE) {
		size_t at = s->nodes[node].sw * width() + lid;

		if (a->port[at] != b->port[at])
			return node;
		node = next_node(b, node, lid);
	}
	return FAB_NONE;
}

/* Pairs of hosts whose old path is still there may move only to the intended path; when something is
 * back, also from a detour to an up/down path. */
static void
check_pairs(const char *what, const struct table *a, const struct table *b, const struct table *pristine, bool back)
{
	for (uint32_t i = 0; i < nhosts; i++)
		for (uint32_t k = 0; k < nhosts; k++) {
			uint32_t leaf = s->ports[s->ports[hosts[i]].peer].node, at;
			uint16_t lid = lids.base[hosts[k]];

			if (i == k || gone[s->ports[hosts[i]].node] || gone[s->ports[hosts[k]].node] || gone[leaf])
				continue;
			if (!arrives(a, leaf, lid)) {
				loss_moved += !back;
				continue;
			}
			at = differs_at(a, b, leaf, lid);
			if (at == FAB_NONE)
				continue;
			back_moved += back;
			if (back && is_detour(a, leaf, lid))
				continue;
			if (!back || b->port[s->nodes[at].sw * width() + lid] !=
				pristine->port[s->nodes[at].sw * width() + lid])
				fail_msg("%s: %s: %s: LID %u moved at switch %u: %u, now %u", engine->name, where, what, lid,
					s->nodes[at].sw, a->port[s->nodes[at].sw * width() + lid],
					b->port[s->nodes[at].sw * width() + lid]);
		}
}

/* Whether a changed entry was broken or is restored.  When something is back, also what had no up/down
 * path is restored, though not always to the port that it has in a whole fabric. */
static bool
is_needed(const struct table *a, const struct table *b, const struct table *pristine, uint32_t sw, uint16_t lid,
	bool back)
{
	size_t at = sw * width() + lid;

	return b->port[at] == pristine->port[at] || !arrives(a, s->switches[sw], lid) ||
		(back && is_detour(a, s->switches[sw], lid));
}

/* Blocks that differ, and of those the ones with an entry that was broken or is restored. */
static void
check_blocks(const char *what, const struct table *a, const struct table *b, const struct table *pristine,
	bool back)
{
	uint32_t written = 0, needed = 0;

	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		for (uint32_t block = 0; !gone[s->switches[sw]] && block <= lids.top / 64u; block++) {
			bool differ = false, need = false;

			for (uint32_t lid = block * 64; lid < block * 64 + 64 && lid <= lids.top; lid++) {
				size_t at = sw * width() + lid;

				differ |= a->port[at] != b->port[at];
				need |= a->port[at] != b->port[at] &&
					is_needed(a, b, pristine, sw, (uint16_t)lid, back);
			}
			written += differ;
			needed += need;
		}
	if (written * 100 > needed * 105)
		fail_msg("%s: %s: %s: %u blocks written, %u needed", engine->name, where, what, written, needed);
}

/* Of the switches that are there. */
static bool
ranks_equal(const struct table *a, const struct table *b)
{
	for (uint32_t i = 0; i < s->nswitches; i++)
		if (!gone[s->switches[i]] && a->rank[i] != b->rank[i])
			return false;
	return true;
}

/* Computing once more, with its own tables in force, changes nothing. */
static void
check_rest(const char *what, const struct table *t)
{
	struct table again;

	if (t->code != ROUTE_OK)
		return;
	route_now(t, &again);
	assert_int_equal(again.code, ROUTE_OK);
	if (memcmp(t->port, again.port, s->nswitches * width()) != 0)
		fail_msg("%s: %s: %s: other tables when computed again", engine->name, where, what);
	table_clear(&again);
}

static void
change(const char *what, struct table *t, const struct table *pristine, bool back)
{
	struct table next;

	route_now(t, &next);
	check_rest(what, &next);
	events++;
	if (t->code != ROUTE_OK || next.code != ROUTE_OK) {
		refused++;
	} else if (!ranks_equal(t, &next)) {
		/* Some switch had no path from a leaf but by other ranks. */
		reranked++;
	} else {
		check_pairs(what, t, &next, pristine, back);
		check_blocks(what, t, &next, pristine, back);
	}
	table_clear(t);
	*t = next;
}

/* A random node that is there: a host, a leaf or a switch without hosts. */
enum pick { HOST, LEAF, SPINE };

static uint32_t
pick_node(enum pick kind, uint32_t *seed)
{
	for (unsigned i = 0; i < 10000; i++) {
		uint32_t node = made_random(seed) % s->nnodes;

		if (!gone[node] && (!fab_is_switch(&s->nodes[node]) ? kind == HOST :
			is_leaf(node) ? kind == LEAF : kind == SPINE))
			return node;
	}
	return FAB_NONE;
}

static uint32_t
pick_link(uint32_t *seed)
{
	for (;;) {
		uint32_t p = made_random(seed) % s->nports, peer = s->ports[p].peer;

		if (peer != FAB_NONE && !dead[p] && !dead[peer] && fab_is_switch(&s->nodes[s->ports[p].node]) &&
		    fab_is_switch(&s->nodes[s->ports[peer].node]))
			return p;
	}
}

/* A switch that comes back has forgotten its table. */
static void
forget(struct table *t, uint32_t node)
{
	if (s->nodes[node].sw != FAB_NONE)
		memset(t->port + s->nodes[node].sw * width(), 255, width());
}

static void
off_and_on(const char *what, struct table *t, const struct table *pristine, uint32_t node)
{
	char text[64];

	gone[node] = true;
	/* hosts of a leaf that is off are not there either */
	for (unsigned p = 1; p <= s->nodes[node].nports; p++) {
		uint32_t peer = s->ports[s->nodes[node].first_port + p].peer;

		if (peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[peer].node]) && s->nodes[node].sw != FAB_NONE)
			gone[s->ports[peer].node] = true;
	}
	change(what, t, pristine, false);
	gone[node] = false;
	for (unsigned p = 1; p <= s->nodes[node].nports; p++) {
		uint32_t peer = s->ports[s->nodes[node].first_port + p].peer;

		if (peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[peer].node]))
			gone[s->ports[peer].node] = false;
	}
	forget(t, node);
	snprintf(text, sizeof(text), "%s, back", what);
	change(text, t, pristine, true);
}

static void
damage(unsigned percent, uint32_t seed)
{
	for (uint32_t p = 0; p < s->nports; p++) {
		uint32_t peer = s->ports[p].peer;

		if (peer != FAB_NONE && p < peer && fab_is_switch(&s->nodes[s->ports[p].node]) &&
		    fab_is_switch(&s->nodes[s->ports[peer].node]) && made_random(&seed) % 100 < percent)
			dead[p] = dead[peer] = true;
	}
}

static void
make_fabric(const char *spec, const struct made_how *how, bool fuse)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;

	s = made_snapshot(spec, how);
	if (fuse)
		s = part_fuse_tops(s);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	intended = intended_learn(s, NULL);
	gone = arena_array(&arena, s->nnodes, sizeof(*gone));
	dead = arena_array(&arena, s->nports, sizeof(*dead));
	hosts = arena_array(&arena, s->nports, sizeof(*hosts));
	nhosts = 0;
	for (uint32_t p = 0; p < s->nports; p++)
		if (lids.base[p] && !fab_is_switch(&s->nodes[s->ports[p].node]))
			hosts[nhosts++] = p;
}

/* All events on one fabric. */
static void
hold(const char *spec, bool fuse, const char *name, unsigned percent, uint32_t seed)
{
	struct made_how how = { .scramble = true, .seed = seed };
	struct table pristine, t;
	uint32_t state = seed * 31 + percent;
	char why[200];

	teardown(NULL);
	snprintf(where, sizeof(where), "%s%s, %u %% lost, seed %u", spec, fuse ? " fused" : "", percent, seed);
	engine = route_find(name, why, sizeof(why));
	assert_non_null(engine);
	make_fabric(spec, &how, fuse);
	route_now(NULL, &pristine);
	assert_int_equal(pristine.code, ROUTE_OK);
	damage(percent, seed);
	route_now(NULL, &t);
	check_rest("at first", &t);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t link = pick_link(&state), node;

		dead[link] = dead[s->ports[link].peer] = true;
		change("link lost", &t, &pristine, false);
		dead[link] = dead[s->ports[link].peer] = false;
		change("link back", &t, &pristine, true);
		off_and_on("host off", &t, &pristine, pick_node(HOST, &state));
		off_and_on("leaf off", &t, &pristine, pick_node(LEAF, &state));
		node = pick_node(SPINE, &state);
		off_and_on("spine off", &t, &pristine, node);
	}
	if (!percent)
		assert_memory_equal(t.port, pristine.port, s->nswitches * width());
	table_clear(&pristine);
	table_clear(&t);
}

static void
hold_all(const char *name)
{
	static const struct { const char *spec; bool fuse; uint32_t seeds; } rows[] = {
		{ "fattree:k=4,levels=2", false, 6 }, { "fattree:k=4,levels=3", false, 6 },
		{ "fattree:k=8,levels=2", false, 4 }, { "fattree:k=8,levels=3", false, 2 },
		{ "fattree:k=8,levels=2", true, 4 }, { "fattree:k=8,levels=3", true, 2 },
		{ "xgft:m=4/4/2,w=1/2/2", false, 4 },
	};
	static const unsigned percents[] = { 0, 1, 5, 10 };

	loss_moved = back_moved = 0;
	events = refused = reranked = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned p = 0; p < 4; p++)
			for (uint32_t seed = 1; seed <= rows[i].seeds; seed++)
				hold(rows[i].spec, rows[i].fuse, name, percents[p], seed);
	/* The events did something, and their end moved no more than they did. */
	assert_true(loss_moved > 0);
	assert_in_range(back_moved, 1, loss_moved);
	/* All can be completed with the intended ranks. */
	assert_int_equal(refused + reranked, 0);
	printf("%s: %u events, %u refused, %u other ranks; pairs moved: %llu, back %llu\n", name, events, refused,
		reranked, (unsigned long long)loss_moved, (unsigned long long)back_moved);
}

static void
ftree_holds(void **state)
{
	(void)state;
	hold_all("ftree");
}

static void
updn_holds(void **state)
{
	(void)state;
	hold_all("updn");
}

static void
dnup_holds(void **state)
{
	(void)state;
	hold_all("dnup");
}

/* Tables of another engine, of a fabric that is damaged and taken as intended: ftree would move most
 * of them, and with 'hold' none of the paths of hosts. */
static void
held_tables_stay(void **state)
{
	static const unsigned percents[] = { 0, 3, 10 };
	struct route_report r;
	char why[200];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct made_how how = { .scramble = true, .seed = 5 + i };
		struct arena a = ARENA_INIT;
		struct snapshot *c;
		struct lid_map l;
		struct route_in in = { .lids = &l };
		struct fwd_tables updn, free_, held;
		uint32_t moved = 0, kept = 0;

		teardown(NULL);
		make_fabric("fattree:k=8,levels=3", &how, false);
		damage(percents[i], 9);
		in.snapshot = c = part_copy(s, gone, dead, NULL);
		part_lids(s, &lids, c, &a, &l);
		assert_int_equal(route_find("updn", why, sizeof(why))->run(&in, &a, &updn, &r), 0);
		in.previous = &updn;
		engine = route_find("ftree", why, sizeof(why));
		assert_int_equal(engine->run(&in, &a, &free_, &r), 0);
		in.hold = true;
		assert_int_equal(engine->run(&in, &a, &held, &r), 0);
		for (uint32_t sw = 0; sw < c->nswitches; sw++)
			for (uint32_t k = 0; k < nhosts; k++) {
				uint16_t lid = lids.base[hosts[k]];

				moved += fwd_row(&updn, sw)[lid] != fwd_row(&free_, sw)[lid];
				kept += fwd_row(&updn, sw)[lid] == fwd_row(&held, sw)[lid];
			}
		assert_true(moved > 1000);
		assert_int_equal(kept, c->nswitches * nhosts);
		made_free(c);
		arena_clear(&a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(held_tables_stay, teardown),
		cmocka_unit_test_teardown(ftree_holds, teardown),
		cmocka_unit_test_teardown(updn_holds, teardown),
		cmocka_unit_test_teardown(dnup_holds, teardown),
	};

	return cmocka_run_group_tests_name("sm/route/hold", tests, NULL, NULL);
}
