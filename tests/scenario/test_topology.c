/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topology.c - the intended topology under a manager: what a loss and a return write, growth,
 * damage, commands, restarts.
 *
 * LFT blocks are counted as the hardware gets them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/scenario/tables.h"

#define SECOND 1000000
#define HOSTS128 "fattree:k=8,levels=3"

static const char *const ftree[] = { "-R", "ftree", NULL };

static struct world_manager *
up(struct world *w, const char *spec, const char *const *args)
{
	struct world_manager *s;

	world_init(w, spec, 1);
	s = world_manager_start(w, NULL, args);
	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	world_run(w, 15 * SECOND);
	assert_true(world_is_right(w));
	return s;
}

static json_int_t
number(const struct world_manager *s, const char *member, const char *inner)
{
	json_t *o = manager_topology(s->m);
	json_t *v = json_object_get(o, member);
	json_int_t n = json_integer_value(inner ? json_object_get(v, inner) : v);

	json_decref(o);
	return n;
}

static bool
says(const struct world_manager *s, const char *member, const char *text)
{
	json_t *o = manager_topology(s->m);
	char *all = json_dumps(json_object_get(o, member), JSON_ENCODE_ANY);
	bool found = all && strstr(all, text);

	if (!found)
		printf("%s: %s\n", member, all);
	free(all);
	json_decref(o);
	return found;
}

/* Lets the manager notice what happened and settle; the LFT blocks that it wrote meanwhile. */
static uint64_t
blocks(struct world *w, struct world_manager *s)
{
	uint64_t before = s->lft_sets;

	world_run(w, 25 * SECOND);
	assert_true(world_is_right(w));
	return s->lft_sets - before;
}

static void
host_off_and_on(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, HOSTS128, ftree);
	static const char *const hosts[] = { "host-5", "host-77", "host-127" };
	uint64_t tables;

	(void)arg;
	for (size_t i = 0; i < 3; i++) {
		tables = world_tables(&w);
		assert_int_equal(hw_node_power(w.hw, world_node(&w, hosts[i]), false, w.now), 0);
		assert_int_equal(blocks(&w, s), 0);
		assert_int_equal(number(s, "missing_total", NULL), 1);
		assert_true(says(s, "missing", hosts[i]));
		assert_int_equal(hw_node_power(w.hw, world_node(&w, hosts[i]), true, w.now), 0);
		assert_int_equal(blocks(&w, s), 0);
		assert_int_equal(number(s, "missing_total", NULL), 0);
		assert_true(world_tables(&w) == tables);
	}
	world_clear(&w);
}

/* After a leaf was off, or a link was lost, the tables are the same as before; and so is the number
 * of blocks that are written at the loss and at the return. */
static void
leaf_off_and_on(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, HOSTS128, ftree);
	uint64_t tables = world_tables(&w), off, on;

	(void)arg;
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "leaf-3-2"), false, w.now), 0);
	off = blocks(&w, s);
	assert_true(says(s, "missing", "leaf-3-2"));
	assert_int_equal(number(s, "missing_total", NULL), 5); /* and its hosts */
	assert_int_equal(number(s, "intended", "switches"), 80);
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "leaf-3-2"), true, w.now), 0);
	on = blocks(&w, s);
	printf("leaf off: %llu blocks, on: %llu\n", (unsigned long long)off,
		(unsigned long long)on);
	assert_true(world_tables(&w) == tables);
	assert_int_equal(number(s, "missing_total", NULL), 0);
	world_clear(&w);
}

static void
link_lost_and_back(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, HOSTS128, ftree);
	uint32_t leaf = world_node(&w, "leaf-0-0"), agg;
	uint64_t tables = world_tables(&w), off, on;
	uint8_t agg_port;

	(void)arg;
	agg = topo_port(&w.topo, leaf, 5)->peer_node;
	agg_port = topo_port(&w.topo, leaf, 5)->peer_port;
	assert_int_equal(hw_cable_pull(w.hw, leaf, 5, w.now), 0);
	off = blocks(&w, s);
	assert_true(says(s, "missing", "leaf-0-0 port 5"));
	assert_int_equal(number(s, "missing_total", NULL), 1);
	assert_int_equal(hw_cable_plug(w.hw, leaf, 5, agg, agg_port, w.now), 0);
	on = blocks(&w, s);
	printf("link lost: %llu blocks, back: %llu\n", (unsigned long long)off,
		(unsigned long long)on);
	assert_in_range(off, 1, 80);
	assert_in_range(on, 0, 80);
	assert_int_equal(number(s, "missing_total", NULL), 0);
	assert_true(world_tables(&w) == tables);
	world_clear(&w);
}

/* A manager that starts while a leaf is off has the whole fabric from its store. */
static void
the_store_outlives_the_manager(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, HOSTS128, ftree), *next;
	uint64_t tables = world_tables(&w);

	(void)arg;
	assert_true(s->store.topology_len > 10000);
	world_manager_kill(&w, s);
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "leaf-3-2"), false, w.now), 0);
	next = world_manager_start_with(&w, NULL, ftree, &s->store);
	assert_true(world_run_sweeps(&w, next, 1, 10 * SECOND));
	world_run(&w, 15 * SECOND);
	assert_int_equal(number(next, "intended", "switches"), 80);
	assert_int_equal(number(next, "present", "switches"), 79);
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "leaf-3-2"), true, w.now), 0);
	world_run(&w, 25 * SECOND);
	assert_true(world_is_right(&w));
	assert_true(world_tables(&w) == tables);
	world_clear(&w);
}

/* adopt takes the fabric as it is: what was missing is forgotten, and its return is growth. */
static void
adopt_on_command(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, HOSTS128, NULL);
	uint32_t leaf = world_node(&w, "leaf-0-0"), agg;
	uint8_t agg_port;

	(void)arg;
	agg = topo_port(&w.topo, leaf, 5)->peer_node;
	agg_port = topo_port(&w.topo, leaf, 5)->peer_port;
	assert_int_equal(hw_cable_pull(w.hw, leaf, 5, w.now), 0);
	blocks(&w, s);
	assert_int_equal(number(s, "intended", "links"), 256);
	manager_topology_adopt(s->m, w.now);
	assert_true(says(s, "command", "adopt"));
	blocks(&w, s);
	assert_true(says(s, "command", "none"));
	assert_int_equal(number(s, "intended", "links"), 255);
	assert_int_equal(number(s, "missing_total", NULL), 0);
	assert_int_equal(hw_cable_plug(w.hw, leaf, 5, agg, agg_port, w.now), 0);
	blocks(&w, s);
	assert_int_equal(number(s, "intended", "links"), 255);
	assert_int_equal(number(s, "pending_total", NULL), 1);
	assert_true(says(s, "pending", "new link"));
	assert_true(says(s, "pending", "leaf-0-0 port 5"));
	manager_topology_rebalance(s->m, w.now);
	blocks(&w, s);
	assert_int_equal(number(s, "intended", "links"), 256);
	assert_int_equal(number(s, "pending_total", NULL), 0);
	world_clear(&w);
}

/* rebalance keeps what is missing. */
static void
rebalance_keeps_damage(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, HOSTS128, NULL);

	(void)arg;
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "leaf-3-2"), false, w.now), 0);
	blocks(&w, s);
	manager_topology_rebalance(s->m, w.now);
	blocks(&w, s);
	assert_int_equal(number(s, "intended", "switches"), 80);
	assert_int_equal(number(s, "intended", "hosts"), 128);
	assert_int_equal(number(s, "missing_total", NULL), 5);
	world_clear(&w);
}

/* A host that was off when the manager started is adopted when it comes; the first topology is
 * learned without it, because a fabric without a host is whole. */
static void
a_new_host_is_adopted(void **arg)
{
	struct world w;
	struct world_manager *s;
	uint32_t host;

	(void)arg;
	world_init(&w, HOSTS128, 1);
	host = world_node(&w, "host-77");
	assert_int_equal(hw_node_power(w.hw, host, false, w.now), 0);
	s = world_manager_start(&w, NULL, ftree);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 15 * SECOND);
	assert_int_equal(number(s, "intended", "hosts"), 127);
	assert_int_equal(hw_node_power(w.hw, host, true, w.now), 0);
	/* its LID is one block of each switch, or two, as those of switches follow */
	assert_in_range(blocks(&w, s), 80, 2 * 80);
	assert_int_equal(number(s, "intended", "hosts"), 128);
	assert_int_equal(number(s, "pending_total", NULL), 0);
	world_clear(&w);
}

/* The store of another fabric, and one that is damaged. */
static void
foreign_and_unreadable(void **arg)
{
	struct world_store store = { .n = 0 };
	struct world w;
	struct world_manager *s = up(&w, "torus:3x3,hosts=2", NULL);
	char *text = malloc(s->store.topology_len), *guid;

	(void)arg;
	assert_non_null(text);
	memcpy(text, s->store.topology, s->store.topology_len);
	store.topology = text;
	store.topology_len = s->store.topology_len;
	world_clear(&w);

	world_init(&w, "fattree:k=4,levels=2", 1);
	for (size_t i = 0; i + 8 < store.topology_len; i++) /* other GUIDs */
		if (!memcmp(text + i, "\"0x", 3))
			text[i + 3] = 'e';
	s = world_manager_start_with(&w, NULL, NULL, &store);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 15 * SECOND);
	assert_true(says(s, "state", "foreign"));
	assert_true(world_is_right(&w));
	manager_topology_adopt(s->m, w.now);
	blocks(&w, s);
	assert_true(says(s, "state", "learned"));
	assert_int_equal(number(s, "missing_total", NULL), 0);
	world_clear(&w);

	guid = strstr(text, "guid");
	*guid = 'G';
	world_init(&w, "fattree:k=4,levels=2", 1);
	s = world_manager_start_with(&w, NULL, NULL, &store);
	assert_true(says(s, "unread", "guid: expected"));
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 15 * SECOND);
	assert_true(says(s, "state", "learned")); /* anew */
	world_clear(&w);
	free(text);
}

/* A master, and a standby on host-100; where 'older' is given, the standby has that store. */
static struct world_manager *
up_with_standby(struct world *w, struct world_manager **standby, const struct world_store *older)
{
	static const char *const low[] = { "-R", "ftree", "-p", "1", NULL };
	static const char *const high[] = { "-R", "ftree", "-p", "5", NULL };
	struct world_manager *s = up(w, HOSTS128, high);

	*standby = older ? world_manager_start_with(w, "host-100", low, older) :
			   world_manager_start(w, "host-100", low);
	world_run(w, 5 * SECOND);
	return s;
}

static void
pull(struct world *w, const char *sw, uint8_t port)
{
	assert_int_equal(hw_cable_pull(w->hw, world_node(w, sw), port, w->now), 0);
}

static void
plug(struct world *w, const char *sw, uint8_t port)
{
	uint32_t node = world_node(w, sw);
	const struct topo_port *p = topo_port(&w->topo, node, port);

	assert_int_equal(hw_cable_plug(w->hw, node, port, p->peer_node, p->peer_port, w->now), 0);
}

static void
power(struct world *w, const char *node, bool on)
{
	assert_int_equal(hw_node_power(w->hw, world_node(w, node), on, w->now), 0);
}

/* The master dies: the standby writes nothing. */
static void
take_over(struct world *w, struct world_manager *master, struct world_manager *standby)
{
	uint64_t tables = world_tables(w);

	world_manager_kill(w, master);
	world_run(w, 25 * SECOND);
	assert_int_equal(manager_outcome(standby->m), OUTCOME_UP);
	assert_true(world_is_right(w));
	assert_int_equal(standby->lft_sets, 0);
	assert_true(world_tables(w) == tables);
}

/* The standby learns the topology of a fabric that is whole. */
static void
takeover_when_whole(void **arg)
{
	struct world w;
	struct world_manager *next, *s = up_with_standby(&w, &next, NULL);
	uint64_t tables = world_tables(&w);

	(void)arg;
	take_over(&w, s, next);
	assert_true(says(next, "state", "learned"));
	assert_true(says(next, "held", "false"));
	pull(&w, "leaf-0-0", 5);
	assert_in_range(blocks(&w, next), 1, 80);
	plug(&w, "leaf-0-0", 5);
	blocks(&w, next);
	assert_true(world_tables(&w) == tables);
	world_clear(&w);
}

/* Lets the manager settle; paths of 'before' that are there stay. */
static void
moves_nothing(struct world *w, struct world_manager *s, bool writes)
{
	struct tables before, now;
	struct table_moves m;
	uint64_t n;

	tables_take(w, &before);
	n = blocks(w, s);
	tables_take(w, &now);
	tables_moves(w, &before, &now, NULL, &m);
	printf("# %llu blocks; of %llu pairs %llu broken, %llu moved needlessly, %llu lost\n",
		(unsigned long long)n, (unsigned long long)m.pairs, (unsigned long long)m.broken,
		(unsigned long long)m.needless, (unsigned long long)m.lost);
	assert_true(m.pairs > 3000);
	assert_int_equal(m.needless + m.lost, 0);
	assert_true(writes ? m.broken > 0 : n == 0);
	tables_clear(&before);
	tables_clear(&now);
}

/* Damage that the master has mended is nothing that the standby knows: it moves nothing, and
 * later only what breaks.  On command the topology is learned, and entries move to its ports. */
static void
takeover_when_damaged(void **arg)
{
	struct world w;
	struct world_manager *next, *s = up_with_standby(&w, &next, NULL);

	(void)arg;
	power(&w, "leaf-3-2", false);
	power(&w, "host-77", false);
	pull(&w, "leaf-0-0", 5);
	pull(&w, "agg-2-1", 6);
	blocks(&w, s);
	take_over(&w, s, next);
	assert_true(says(next, "state", "none"));
	assert_true(says(next, "held", "true"));
	pull(&w, "leaf-1-1", 6);
	moves_nothing(&w, next, true);
	plug(&w, "leaf-1-1", 6);
	plug(&w, "leaf-0-0", 5);
	moves_nothing(&w, next, false);
	plug(&w, "agg-2-1", 6);
	power(&w, "leaf-3-2", true);
	power(&w, "host-77", true);
	blocks(&w, next);
	assert_true(says(next, "held", "true"));
	manager_topology_adopt(next->m, w.now);
	assert_true(blocks(&w, next) > 0);
	assert_true(says(next, "state", "learned"));
	assert_true(says(next, "held", "false"));
	world_clear(&w);
}

/* The standby led once, when a spine was off; the tables in force were made for more. */
static void
takeover_with_older_topology(void **arg)
{
	struct world w;
	struct world_store older;
	struct world_manager *next, *s;
	char *text;

	(void)arg;
	world_init(&w, HOSTS128, 1);
	power(&w, "core-1-1", false);
	s = world_manager_start(&w, NULL, ftree);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 15 * SECOND);
	older = (struct world_store){ .topology_len = s->store.topology_len };
	text = malloc(older.topology_len);
	assert_non_null(text);
	memcpy(text, s->store.topology, older.topology_len);
	older.topology = text;
	world_clear(&w);

	s = up_with_standby(&w, &next, &older);
	assert_int_equal(number(s, "intended", "switches"), 80);
	take_over(&w, s, next);
	assert_int_equal(number(next, "intended", "switches"), 79);
	assert_true(says(next, "held", "true"));
	manager_topology_rebalance(next->m, w.now);
	blocks(&w, next);
	assert_int_equal(number(next, "intended", "switches"), 80);
	assert_true(says(next, "held", "false"));
	world_clear(&w);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_off_and_on),
		cmocka_unit_test(leaf_off_and_on),
		cmocka_unit_test(link_lost_and_back),
		cmocka_unit_test(the_store_outlives_the_manager),
		cmocka_unit_test(adopt_on_command),
		cmocka_unit_test(rebalance_keeps_damage),
		cmocka_unit_test(a_new_host_is_adopted),
		cmocka_unit_test(foreign_and_unreadable),
		cmocka_unit_test(takeover_when_whole),
		cmocka_unit_test(takeover_when_damaged),
		cmocka_unit_test(takeover_with_older_topology),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
