/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rediscover.c - targeted sweeps: after any events the manager knows what a whole sweep
 * of the same fabric would show,
 * and has written what that would have written; the requests it takes follow what has changed.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sim/phys/phys.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"
#include "tests/unit/test.h"
#include "util/xalloc.h"

#define SECOND INT64_C(1000000)
enum { PULLED_MAX = 6, OFF_MAX = 3 };

static struct world w;
static struct world_manager *sm;
static uint64_t state;
static unsigned whole_sweeps, events_settled;

static unsigned
dice(unsigned sides)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((state >> 33) % sides);
}

/* ---- what was done to the fabric ---- */

struct cable {
	uint32_t node, peer;
	uint8_t port, peer_port;
};
static struct cable pulled[PULLED_MAX];
static unsigned npulled;
static uint32_t off[OFF_MAX];
static unsigned noff;
static bool swapped; /* cables are not as they were at first */

/* ---- what the manager knows ---- */

/* A copy of what is served, which outlives it. */
static struct snapshot *
served_copy(void)
{
	const struct snapshot *s = sm->m->net.served.s;
	struct snapshot *t = xcalloc(1, sizeof(*t));

	t->nnodes = s->nnodes;
	t->nports = s->nports;
	t->nhosts = s->nhosts;
	t->nlinks = s->nlinks;
	t->nswitches = s->nswitches;
	t->nendports = s->nendports;
	t->nproblems = s->nproblems;
	t->sm_port = s->sm_port;
	t->nodes = arena_array(&t->arena, s->nnodes, sizeof(*t->nodes));
	memcpy(t->nodes, s->nodes, s->nnodes * sizeof(*t->nodes));
	t->ports = arena_array(&t->arena, s->nports, sizeof(*t->ports));
	memcpy(t->ports, s->ports, s->nports * sizeof(*t->ports));
	t->pkey_blocks = arena_array(&t->arena, s->npkey_blocks + 1u, PKEY_TABLE_BYTES);
	memcpy(t->pkey_blocks, s->pkey_blocks, s->npkey_blocks * PKEY_TABLE_BYTES);
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (s->nodes[i].lft)
			t->nodes[i].lft = memcpy(
				arena_array(&t->arena, s->nodes[i].lft_blocks, LFT_BLOCK_BYTES),
				s->nodes[i].lft, (size_t)s->nodes[i].lft_blocks * LFT_BLOCK_BYTES);
	return t;
}

static void
same_node(const struct fab_node *a, const struct fab_node *b)
{
	const uint8_t dull = FAB_NODE_KEPT | FAB_NODE_LFT | FAB_NODE_LFT_KEPT;

	assert_int_equal(a->guid, b->guid);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->first_port, b->first_port);
	assert_int_equal(a->flags & ~dull, b->flags & ~dull);
	assert_int_equal(a->hop_count, b->hop_count);
	assert_memory_equal(a->path, b->path, DGRAM_PATH_BYTES);
	assert_int_equal(a->entry_port, b->entry_port);
	assert_memory_equal(a->node_info, b->node_info, NODE_INFO_BYTES);
	assert_memory_equal(a->desc, b->desc, NODE_DESC_BYTES);
	assert_memory_equal(a->switch_info, b->switch_info, SWITCH_INFO_BYTES);
}

/* A port of a switch that is DOWN shows what port 0 had when it was read. */
static void
same_info(bool external, const uint8_t *p, const uint8_t *q)
{
	struct port_info a = port_info_decode(p), b = port_info_decode(q);
	uint8_t x[PORT_INFO_BYTES];

	if (external && a.state == PORT_STATE_DOWN) {
		b.mkey = a.mkey;
		b.gid_prefix = a.gid_prefix;
		b.lid = a.lid;
		b.master_sm_lid = a.master_sm_lid;
		b.mkey_lease_period_s = a.mkey_lease_period_s;
		b.mkey_protect = a.mkey_protect;
		b.lmc = a.lmc;
		b.master_sm_sl = a.master_sm_sl;
		b.subnet_timeout = a.subnet_timeout;
	}
	memcpy(x, q, sizeof(x));
	port_info_patch(x, &b);
	assert_memory_equal(p, x, PORT_INFO_BYTES);
}

static void
same_port(const struct snapshot *a, const struct snapshot *b, uint32_t i)
{
	const struct fab_port *p = &a->ports[i], *q = &b->ports[i];

	assert_int_equal(p->peer, q->peer);
	assert_int_equal(p->guid, q->guid);
	/* The first sweep that reads a port does not know yet what it may ask for. */
	assert_int_equal(p->flags | FAB_PORT_EXTENDED, q->flags | FAB_PORT_EXTENDED);
	assert_int_equal(p->pkeys == FAB_NONE, q->pkeys == FAB_NONE);
	assert_int_equal(p->more_pkeys, q->more_pkeys);
	if (p->pkeys != FAB_NONE)
		assert_memory_equal(a->pkey_blocks[p->pkeys], b->pkey_blocks[q->pkeys],
			(p->more_pkeys + 1u) * PKEY_TABLE_BYTES);
	same_info(fab_is_switch(&a->nodes[p->node]) && p->num, p->info, q->info);
}

static void
same_snapshot(const struct snapshot *a, const struct snapshot *b)
{
	assert_int_equal(a->nnodes, b->nnodes);
	assert_int_equal(a->nports, b->nports);
	assert_int_equal(a->nlinks, b->nlinks);
	assert_int_equal(a->nhosts, b->nhosts);
	assert_int_equal(a->nendports, b->nendports);
	assert_int_equal(a->nproblems, b->nproblems);
	assert_int_equal(a->sm_port, b->sm_port);
	for (uint32_t i = 0; i < a->nnodes; i++)
		same_node(&a->nodes[i], &b->nodes[i]);
	for (uint32_t i = 0; i < a->nports; i++)
		same_port(a, b, i);
}

/* What is served as the tables of switches is what their registers hold. */
static void
tables_are_known(void)
{
	const struct snapshot *s = sm->m->net.served.s;

	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];
		char guid[32];
		uint32_t at;

		snprintf(guid, sizeof(guid), "0x%016llx", (unsigned long long)n->guid);
		assert_int_equal(hw_node_find(w.hw, guid, &at), 0);
		assert_non_null(n->lft);
		assert_memory_equal(n->lft, w.hw->nodes[at].lft, w.hw->nodes[at].lft_top + 1u);
	}
}

/*
 * All that a whole sweep of the fabric as it is now shows and writes is known and written
 * already.
 */
static void
as_a_whole_sweep_would(void)
{
	struct snapshot *before = served_copy();
	uint64_t tables = world_tables(&w), sets = sm->sets;

	whole_sweeps += !sm->m->sweep.last.targeted;
	tables_are_known();
	events_settled++;
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	assert_false(sm->m->sweep.last.targeted);
	same_snapshot(before, sm->m->net.served.s);
	/* An engine finds nothing to improve in tables of its own. */
	assert_int_equal(world_tables(&w), tables);
	if (!swapped)
		assert_int_equal(sm->sets, sets);
	tables_are_known();
	snapshot_free(before);
}

/* ---- events ---- */

static bool
is_own(uint32_t node)
{
	return node == sm->node;
}

static bool
is_cabled(uint32_t node, uint8_t port)
{
	return w.hw->cables[w.hw->nodes[node].first_port + port] != HW_NOWHERE;
}

/* In the place where it was; or, of the last two, one in the place of the other, but no switch is
 * connected to itself. */
static void
plug(void)
{
	struct cable *c = &pulled[npulled - 1];
	bool swap = npulled > 1 && w.hw->nodes[c->peer].type == w.hw->nodes[c[-1].peer].type &&
		!dice(3) && c->node != c[-1].peer && c[-1].node != c->peer;

	if (swap) {
		struct cable one = *c;

		c->peer = c[-1].peer;
		c->peer_port = c[-1].peer_port;
		c[-1].peer = one.peer;
		c[-1].peer_port = one.peer_port;
		swapped = true;
	}
	for (unsigned i = 0; i <= swap; i++, npulled--)
		assert_int_equal(
			hw_cable_plug(w.hw, pulled[npulled - 1].node, pulled[npulled - 1].port,
				pulled[npulled - 1].peer, pulled[npulled - 1].peer_port, w.now),
			0);
}

static void
pull(void)
{
	uint32_t node, at, peer;
	uint8_t port;

	if (npulled == PULLED_MAX)
		return;
	do {
		node = dice(w.hw->nnodes);
		port = (uint8_t)(1 + dice(w.hw->nodes[node].nports));
		at = w.hw->nodes[node].first_port + port;
		peer = w.hw->cables[at];
	} while (w.hw->nodes[node].type != TOPO_SWITCH || !is_cabled(node, port) ||
		is_own(w.hw->ports[peer].node));
	pulled[npulled++] =
		(struct cable){ node, w.hw->ports[peer].node, port, w.hw->ports[peer].num };
	assert_int_equal(hw_cable_pull(w.hw, node, port, w.now), 0);
}

/* Not what our own port depends on. */
static uint32_t
any_node(void)
{
	uint32_t node, leaf;
	uint8_t port;

	assert_true(hw_peer(w.hw, sm->node, 1, &leaf, &port));
	do
		node = dice(w.hw->nnodes);
	while (is_own(node) || node == leaf);
	return node;
}

static void
power(void)
{
	uint32_t node = any_node();

	if (noff && (noff == OFF_MAX || dice(2))) {
		assert_int_equal(hw_node_power(w.hw, off[--noff], true, w.now), 0);
		return;
	}
	for (unsigned i = 0; i < noff; i++)
		if (off[i] == node)
			return;
	off[noff++] = node;
	assert_int_equal(hw_node_power(w.hw, node, false, w.now), 0);
}

static bool
is_off(uint32_t node)
{
	return !w.hw->nodes[node].powered;
}

static void
reboot(void)
{
	uint32_t node = any_node();

	if (!is_off(node))
		assert_int_equal(
			hw_node_reboot(w.hw, node, dice(3) ? dice(2000) : dice(2 * SECOND), w.now),
			0);
}

static void
event(void)
{
	switch (dice(8)) {
	case 0:
	case 1:
	case 2:
		pull();
		break;
	case 3:
	case 4:
		if (npulled)
			plug();
		break;
	case 5:
	case 6:
		power();
		break;
	default:
		reboot();
		break;
	}
}

static void
mend(void)
{
	while (npulled)
		plug();
	while (noff)
		assert_int_equal(hw_node_power(w.hw, off[--noff], true, w.now), 0);
}

static void
rediscover_begin(const char *spec, uint64_t seed, int64_t job_us, const char *const *args)
{
	struct hw_conf c = { .seed = seed, .latency_us = 100, .pkey_cap = 64 };

	world_init_hw(&w, spec, &c);
	state = seed * 0x9e3779b97f4a7c15u;
	npulled = noff = 0;
	swapped = false;
	w.job_us = w.job_us ? w.job_us : job_us;
	w.job_late = seed & 1;
	sm = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, sm, 2, 60 * SECOND));
	world_run(&w, 3 * SECOND);
	assert_true(world_is_right(&w));
}

static void
rediscover_end(void)
{
	world_clear(&w);
}

static unsigned
seeds(unsigned few)
{
	const char *many = getenv("HEDDLE_TEST_SEEDS");

	return many ? (unsigned)atoi(many) : few;
}

/* One to three events at a time, some while the manager sweeps because of the one before. */
static void
random_events(void **arg)
{
	static const char *const specs[] = { "fattree:k=4,levels=3", "torus:3x3x2,hosts=2",
		"fattree:k=8,levels=2" };
	const char *only = getenv("HEDDLE_TEST_SEED");

	(void)arg;
	whole_sweeps = events_settled = 0;
	for (uint64_t seed = only ? (uint64_t)atoll(only) : 1;
		seed <= (only ? (uint64_t)atoll(only) : seeds(9)); seed++) {
		rediscover_begin(specs[seed % 3], seed, 500, NULL);
		for (unsigned i = 0; i < 30; i++) {
			for (unsigned n = dice(2) ? 1 : 1 + dice(3); n; n--) {
				event();
				world_run(&w, dice(2) ? 0 : dice(3000));
			}
			if (i == 29)
				mend();
			world_run(&w, 25 * SECOND);
			as_a_whole_sweep_would();
		}
		assert_true(world_is_right(&w));
		rediscover_end();
	}
	printf("# %u of %u events ended in whole sweeps\n", whole_sweeps, events_settled);
	assert_true(only || whole_sweeps * 4 < events_settled);
}

/*
 * Nodes that do not answer and datagrams that are lost while cables move: once that is over,
 * all is known again.
 */
static void
trouble(uint64_t seed, bool lossy)
{
	struct hw_faults f = { .drop_ppm = 30000 };
	uint32_t mute = HW_NOWHERE;

	rediscover_begin("fattree:k=4,levels=3", seed, 500, NULL);
	for (unsigned i = 0; i < 12; i++) {
		if (lossy)
			assert_int_equal(hw_faults_set(w.hw, any_node(), &f), 0);
		else if (i % 3 == 0)
			assert_int_equal(hw_misbehave(w.hw, mute = any_node(), HW_MUTE, 0, 0), 0);
		event();
		world_run(&w, dice(5 * SECOND));
		if (mute != HW_NOWHERE && i % 3 == 2)
			assert_int_equal(hw_misbehave(w.hw, mute, HW_NONE, 0, 0), 0);
	}
	mend();
	f.drop_ppm = 0;
	for (uint32_t n = 0; n < w.hw->nnodes; n++) {
		assert_int_equal(hw_misbehave(w.hw, n, HW_NONE, 0, 0), 0);
		assert_int_equal(hw_faults_set(w.hw, n, &f), 0);
	}
	world_run(&w, 400 * SECOND);
	assert_true(world_is_right(&w));
	as_a_whole_sweep_would();
	rediscover_end();
}

static void
mute_nodes_and_losses(void **arg)
{
	(void)arg;
	for (uint64_t seed = 1; seed <= seeds(6); seed++)
		trouble(seed, seed & 1);
}

/* Requests that read, without writes, since 'since'. */
static uint64_t
reads(uint64_t since)
{
	return sm->smps - sm->sets - sm->own_gets - since;
}

/*
 * What a sweep reads after an event depends on the switches and links concerned, not on the
 * fabric.
 */
static void
cost(const char *const *args, unsigned more)
{
	uint32_t leaf, host;
	uint64_t before;

	rediscover_begin("fattree:k=8,levels=3", 1, 0, args);
	leaf = world_node(&w, "leaf-3-1");
	host = world_node(&w, "host-77");
	before = reads(0);
	assert_int_equal(hw_cable_pull(w.hw, leaf, 6, w.now), 0);
	world_run(&w, 3 * SECOND);
	assert_true(sm->m->sweep.last.targeted);
	assert_in_range(reads(before), 2 * 9,
		2 * 2 * 12 + 8 + more); /* two switches of 8 ports, perhaps twice */
	before = reads(0);
	assert_int_equal(hw_node_power(w.hw, host, false, w.now), 0);
	world_run(&w, 3 * SECOND);
	assert_true(sm->m->sweep.last.targeted);
	assert_in_range(reads(before), 9, 2 * 12 + 8 + more);
	before = reads(0);
	assert_int_equal(hw_node_power(w.hw, host, true, w.now), 0);
	world_run(&w, 3 * SECOND);
	assert_true(sm->m->sweep.last.targeted);
	assert_in_range(reads(before), 9, 2 * 12 + 12 + more);
	before = reads(0);
	manager_sweep(sm->m, "test", w.now);
	world_run(&w, 1 * SECOND);
	assert_true(reads(before) > 1000);
	as_a_whole_sweep_would();
	rediscover_end();
}

static void
cost_follows_the_change(void **arg)
{
	char path[] = "/tmp/heddle-rediscover-XXXXXX";
	const char *args[] = { "--set", "sweep_interval=1000", NULL, NULL, NULL };
	static const char text[] = "Default=0x7fff, ipoib : ALL=full;\nA=0x11 : ALL=full;\n";
	int fd = mkstemp(path);

	(void)arg;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	cost(args, 0);
	args[2] = "--Pconfig"; /* the P_Key tables of all ports are read to their ends */
	args[3] = path;
	cost(args, 4 * 8);
	unlink(path);
}

/* One report of one switch, all others are lost. */
static void
report(const char *name)
{
	uint64_t guid = hw_port(w.hw, world_node(&w, name), 0)->guid;
	uint32_t port = snapshot_port_by_guid(sm->m->net.served.s, guid);

	assert_int_not_equal(port, FAB_NONE);
	guid = sm->m->net.served.s->nodes[sm->m->net.served.s->ports[port].node].guid;
	schedule_look_at(&sm->m->net, "test", guid);
	world_run(&w, 3 * SECOND);
	assert_true(sm->m->sweep.last.targeted);
	as_a_whole_sweep_would();
	world_run(&w, 3 * SECOND);
}

/* What else is concerned follows from what is read. */
static void
one_report_is_sufficient(void **arg)
{
	static const char *const quiet[] = { "--set", "sweep_on_trap=no", "--set",
		"sweep_interval=1000", NULL };
	uint32_t leaf, agg;
	uint8_t port;

	(void)arg;
	rediscover_begin("fattree:k=4,levels=3", 1, 0, quiet);
	leaf = world_node(&w, "leaf-2-1");
	assert_true(hw_peer(w.hw, leaf, 3, &agg, &port));
	assert_int_equal(hw_cable_pull(w.hw, leaf, 3, w.now), 0);
	report("leaf-2-1"); /* the port at the other end */
	assert_int_equal(hw_cable_plug(w.hw, leaf, 3, agg, port, w.now), 0);
	world_run(&w, SECOND); /* the link trains */
	report("leaf-2-1");
	assert_int_equal(hw_node_reboot(w.hw, world_node(&w, "agg-3-0"), 1000, w.now), 0);
	world_run(&w, SECOND);
	report("leaf-3-0"); /* the switch that lost its tables, and all around it */
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "core-1-1"), false, w.now), 0);
	world_run(&w, SECOND);
	report("agg-1-1"); /* a switch that is gone, and all around it */
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "core-1-1"), true, w.now), 0);
	world_run(&w, SECOND);
	report("agg-1-1");
	assert_true(world_is_right(&w));
	rediscover_end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_events),
		cmocka_unit_test(mute_nodes_and_losses),
		cmocka_unit_test(cost_follows_the_change),
		cmocka_unit_test(one_report_is_sufficient),
	};

	return cmocka_run_group_tests_name("rediscover", tests, NULL, NULL);
}
