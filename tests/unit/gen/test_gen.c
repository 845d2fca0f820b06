/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_gen.c - generated topologies: counts, names, GUIDs, wiring, and what is refused.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "sim/gen/gen.h"
#include "util/xalloc.h"

struct counts {
	uint32_t switches, hosts, cables, lids;
};

static void
must_make(const char *spec, struct topo *t)
{
	struct topo_error e;

	if (gen_topology(spec, t, &e))
		fail_msg("%s: %s", spec, e.text);
}

static struct counts
count(const struct topo *t)
{
	struct counts c = { 0, 0, 0, 0 };

	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topo_node *n = &t->nodes[i];

		c.switches += n->type == TOPO_SWITCH;
		c.hosts += n->type == TOPO_CA;
		c.lids += n->type == TOPO_SWITCH ? 1 : n->nports;
		for (uint32_t p = 1; p <= n->nports; p++)
			c.cables += t->ports[n->first_port + p].peer_node != TOPO_NONE;
	}
	c.cables /= 2;
	return c;
}

/* Every cable seen equally from both ends; every host plugged; the rules for names, GUIDs and ports. */
static void
check_sound(const char *spec, const struct topo *t)
{
	uint32_t host = 0;

	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topo_node *n = &t->nodes[i];
		char id[24], desc[24];

		assert_int_equal(n->guid, 0x00fe1d0000000000 + 0x100 * (uint64_t)i);
		snprintf(id, sizeof(id), "%c-%016llx", n->type == TOPO_SWITCH ? 'S' : 'H', (unsigned long long)n->guid);
		assert_string_equal(n->id, id);
		snprintf(desc, sizeof(desc), "host-%u", host);
		if (n->type == TOPO_CA) {
			assert_string_equal(n->desc, desc);
			host++;
		} else {
			assert_int_equal(host, 0);      /* switches first */
			assert_int_equal(topo_port(t, i, 0)->guid, n->guid);
		}
		for (uint32_t p = 1; p <= n->nports; p++) {
			const struct topo_port *end = &t->ports[n->first_port + p];

			if (n->type == TOPO_CA)
				assert_int_equal(end->guid, n->guid + p);
			if (end->peer_node == TOPO_NONE) {
				assert_int_not_equal(n->type, TOPO_CA);
				continue;
			}
			if (topo_port(t, end->peer_node, end->peer_port)->peer_node != i ||
			    topo_port(t, end->peer_node, end->peer_port)->peer_port != p)
				fail_msg("%s: node %u port %u: a cable with one end", spec, i, p);
		}
	}
}

/* How many switches can be reached from switch 0 over switches. */
static uint32_t
reach(const struct topo *t, uint32_t from)
{
	bool *seen = xcalloc(t->nnodes, sizeof(*seen));
	uint32_t *queue = xcalloc(t->nnodes, sizeof(*queue)), head = 0, tail = 0;

	seen[from] = true;
	queue[tail++] = from;
	while (head < tail) {
		const struct topo_node *n = &t->nodes[queue[head++]];

		for (uint32_t p = 1; p <= n->nports; p++) {
			uint32_t peer = t->ports[n->first_port + p].peer_node;

			if (peer != TOPO_NONE && !seen[peer] && t->nodes[peer].type == TOPO_SWITCH) {
				seen[peer] = true;
				queue[tail++] = peer;
			}
		}
	}
	free(seen);
	free(queue);
	return tail;
}

/* The ladder of reference fabrics, and shapes whose counts follow from their definitions. */
static void
test_counts(void **state)
{
	static const struct {
		const char *spec;
		struct counts want;
	} rows[] = {
		{ "fattree:k=8,levels=3", { 80, 128, 384, 208 } },
		{ "torus:6x6x6,hosts=4", { 216, 864, 1512, 1080 } },
		{ "fattree:k=16,levels=3", { 320, 1024, 3072, 1344 } },
		{ "fattree:k=36,levels=2", { 54, 648, 1296, 702 } },
		{ "fattree:k=24,levels=3", { 720, 3456, 10368, 4176 } },
		{ "fattree:k=36,levels=3", { 1620, 11664, 34992, 13284 } },
		{ "fattree:k=144,levels=2", { 216, 10368, 20736, 10584 } },
		{ "fattree:k=64,levels=3,pods=44", { 3840, 45056, 135168, 48896 } },
		{ "fattree:k=4,levels=3", { 20, 16, 48, 36 } },
		{ "fattree:k=2,levels=3", { 5, 2, 6, 7 } },
		{ "xgft:m=4/4/2,w=1/2/2", { 8 + 4 + 4, 32, 32 + 16 + 8, 48 } },
		{ "xgft:m=5,w=1", { 1, 5, 5, 6 } },
		{ "xgft:m=2/2/2/2,w=1/2/2/2", { 32, 16, 64, 48 } },
		{ "torus:8,hosts=2", { 8, 16, 24, 24 } },
		{ "torus:2x3,hosts=1", { 6, 6, 18, 12 } },
		{ "mesh:3x4,hosts=2", { 12, 24, 17 + 24, 36 } },
		{ "mesh:2x2x2,hosts=1", { 8, 8, 12 + 8, 16 } },
		{ "hyperx:5x5,hosts=3", { 25, 75, 100 + 75, 100 } },
		{ "hyperx:4x4x3,hosts=1", { 48, 48, 48 * 8 / 2 + 48, 96 } },
		{ "hypercube:d=6,hosts=1", { 64, 64, 192 + 64, 128 } },
		{ "dragonfly:a=4,h=2,p=2", { 36, 72, 54 + 36 + 72, 108 } },
		{ "dragonfly:a=3,h=3,p=1,g=5", { 15, 15, 15 + 20 + 15, 30 } },   /* 9 slots: 2 rounds of 4, 1 idle */
		{ "dragonfly:a=4,h=2,p=1,g=4", { 16, 16, 24 + 16 + 16, 32 } },   /* 8 slots: 2 rounds of 3, +1 and -1 */
		{ "dragonfly:a=1,h=1,p=1", { 2, 2, 3, 4 } },
		{ "dragonfly+:leaves=3,spines=3,groups=4,hosts=3", { 24, 36, 36 + 18 + 36, 60 } },
		{ "random:switches=40,cables=80,hosts=2,seed=1", { 40, 80, 160, 120 } },
		{ "random:switches=60,cables=200,hosts=1,seed=1", { 60, 60, 260, 120 } },
		{ "random:switches=1,cables=0,hosts=3,seed=1", { 1, 3, 3, 4 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct counts c;
		struct topo t;

		must_make(rows[i].spec, &t);
		c = count(&t);
		if (memcmp(&c, &rows[i].want, sizeof(c)))
			fail_msg("%s: %u switches %u hosts %u cables %u LIDs", rows[i].spec, c.switches, c.hosts,
				c.cables, c.lids);
		check_sound(rows[i].spec, &t);
		if (reach(&t, 0) != c.switches)
			fail_msg("%s: not connected", rows[i].spec);
		topo_clear(&t);
	}
}

static const struct topo_node *
named(const struct topo *t, const char *desc)
{
	for (uint32_t i = 0; i < t->nnodes; i++)
		if (!strcmp(t->nodes[i].desc, desc))
			return &t->nodes[i];
	fail_msg("no node is called %s", desc);
	return NULL;
}

static void
check_cable(const struct topo *t, const char *desc, uint8_t port, const char *peer, uint8_t peer_port)
{
	const struct topo_port *p = &t->ports[named(t, desc)->first_port + port];

	if (p->peer_node == TOPO_NONE)
		fail_msg("%s port %u: no cable", desc, port);
	if (strcmp(t->nodes[p->peer_node].desc, peer) || p->peer_port != peer_port)
		fail_msg("%s port %u: leads to %s port %u", desc, port, t->nodes[p->peer_node].desc, p->peer_port);
}

static void
test_fattree_wiring(void **state)
{
	struct topo t;

	(void)state;
	must_make("fattree:k=4,levels=3", &t);
	assert_int_equal(named(&t, "core-0-0")->nports, 4);
	check_cable(&t, "leaf-0-0", 1, "host-0", 1);
	check_cable(&t, "leaf-0-0", 2, "host-1", 1);
	check_cable(&t, "leaf-3-1", 2, "host-15", 1);
	check_cable(&t, "leaf-2-1", 3, "agg-2-0", 2);
	check_cable(&t, "leaf-2-1", 4, "agg-2-1", 2);
	check_cable(&t, "agg-2-1", 3, "core-1-0", 3);
	check_cable(&t, "agg-2-1", 4, "core-1-1", 3);
	check_cable(&t, "agg-3-0", 4, "core-0-1", 4);
	topo_clear(&t);
	must_make("fattree:k=4,levels=2,radix=6", &t);
	assert_int_equal(named(&t, "core-0-1")->nports, 6);
	check_cable(&t, "leaf-0-3", 3, "core-0-0", 4);
	check_cable(&t, "leaf-0-3", 4, "core-0-1", 4);
	check_cable(&t, "leaf-0-3", 2, "host-7", 1);
	topo_clear(&t);
}

/* Every node of level i+1 that shares a subtree is a parent; hosts of two ports hang on two planes. */
static void
test_xgft_wiring(void **state)
{
	struct topo t;

	(void)state;
	must_make("xgft:m=3/4,w=2/2", &t);
	assert_int_equal(count(&t).switches, 4 * 2 + 4);
	assert_int_equal(count(&t).hosts, 12);
	assert_int_equal(reach(&t, 0), 4 + 2);
	check_cable(&t, "host-5", 1, "leaf-0-2", 3);
	check_cable(&t, "host-5", 2, "leaf-0-3", 3);
	check_cable(&t, "leaf-0-2", 4, "core-0-0", 2);
	check_cable(&t, "leaf-0-2", 5, "core-0-1", 2);
	check_cable(&t, "leaf-0-3", 4, "core-1-0", 2);
	check_sound("xgft:m=3/4,w=2/2", &t);
	topo_clear(&t);
	must_make("xgft:m=2/2/2/2,w=1/2/2/2", &t);
	check_cable(&t, "leaf-1-0", 3, "agg-1-0", 1);           /* level 2 */
	check_cable(&t, "agg-1-0", 3, "agg-1-4", 1);            /* level 3 counts on after the 4 of level 2 */
	check_cable(&t, "agg-1-4", 3, "core-0-0", 2);
	topo_clear(&t);
}

static void
test_grid_wiring(void **state)
{
	struct topo t;

	(void)state;
	must_make("torus:4x3x2,hosts=2", &t);
	check_cable(&t, "sw-0-0-0", 1, "host-0", 1);
	check_cable(&t, "sw-3-2-1", 2, "host-47", 1);
	check_cable(&t, "sw-1-2-1", 3, "sw-2-2-1", 4);
	check_cable(&t, "sw-3-2-1", 3, "sw-0-2-1", 4);
	check_cable(&t, "sw-1-2-1", 5, "sw-1-0-1", 6);
	check_cable(&t, "sw-1-2-1", 7, "sw-1-2-0", 8);
	check_cable(&t, "sw-1-2-0", 7, "sw-1-2-1", 8);
	topo_clear(&t);
	must_make("mesh:4x3,hosts=2", &t);
	assert_int_equal(t.ports[named(&t, "sw-3-1")->first_port + 3].peer_node, TOPO_NONE);
	assert_int_equal(t.ports[named(&t, "sw-0-1")->first_port + 4].peer_node, TOPO_NONE);
	check_cable(&t, "sw-0-1", 3, "sw-1-1", 4);
	topo_clear(&t);
	must_make("hyperx:4x3,hosts=1", &t);
	check_cable(&t, "sw-1-2", 2, "sw-0-2", 2);
	check_cable(&t, "sw-1-2", 4, "sw-3-2", 3);
	check_cable(&t, "sw-1-2", 6, "sw-1-1", 6);
	topo_clear(&t);
	must_make("hypercube:d=3,hosts=1", &t);
	check_cable(&t, "sw-5", 2, "sw-1", 2);
	check_cable(&t, "sw-5", 4, "sw-4", 4);
	topo_clear(&t);
}

/* The number of cables between two groups of a dragonfly whose switches are consecutive. */
static uint32_t
between(const struct topo *t, uint32_t first, uint32_t per_group, uint32_t x, uint32_t y)
{
	uint32_t n = 0;

	for (uint32_t s = first + x * per_group; s < first + (x + 1) * per_group; s++)
		for (uint32_t p = 1; p <= t->nodes[s].nports; p++) {
			uint32_t peer = t->ports[t->nodes[s].first_port + p].peer_node;

			n += peer != TOPO_NONE && peer >= first + y * per_group && peer < first + (y + 1) * per_group;
		}
	return n;
}

static void
test_dragonfly_wiring(void **state)
{
	struct topo t;

	(void)state;
	must_make("dragonfly:a=4,h=2,p=2", &t);
	check_cable(&t, "sw-0-1", 2, "host-3", 1);
	check_cable(&t, "sw-0-1", 3, "sw-0-0", 3);
	check_cable(&t, "sw-0-1", 4, "sw-0-2", 4);
	for (uint32_t x = 0; x < 9; x++)
		for (uint32_t y = 0; y < x; y++)
			assert_int_equal(between(&t, 0, 4, x, y), 1);
	topo_clear(&t);
	must_make("dragonfly:a=4,h=3,p=1,g=6", &t);             /* 12 slots: 2 each, and +1 and -1 */
	for (uint32_t x = 0; x < 6; x++)
		for (uint32_t y = 0; y < x; y++)
			assert_int_equal(between(&t, 0, 4, x, y), x - y == 1 || x - y == 5 ? 3 : 2);
	topo_clear(&t);
	must_make("dragonfly:a=3,h=3,p=1,g=4", &t);             /* 9 slots: 3 each */
	assert_int_equal(between(&t, 0, 3, 0, 2), 3);
	topo_clear(&t);
	must_make("dragonfly:a=4,h=1,p=1,g=4", &t);             /* 4 slots: 1 each, and the group opposite */
	assert_int_equal(between(&t, 0, 4, 0, 2), 2);
	assert_int_equal(between(&t, 0, 4, 1, 2), 1);
	topo_clear(&t);
	must_make("dragonfly+:leaves=4,spines=2,groups=5,hosts=2,radix=8", &t);
	check_cable(&t, "leaf-1-2", 3, "agg-1-0", 3);
	check_cable(&t, "leaf-1-2", 4, "agg-1-1", 3);
	for (uint32_t x = 0; x < 5; x++)
		for (uint32_t y = 0; y < x; y++)
			assert_int_equal(between(&t, 20, 2, x, y), 2);
	topo_clear(&t);
}

static bool
equal(const struct topo *a, const struct topo *b)
{
	return a->nnodes == b->nnodes && a->nports == b->nports &&
		!memcmp(a->ports, b->ports, a->nports * sizeof(*a->ports));
}

static void
test_random(void **state)
{
	static const char *const tight[] = {    /* every port used, or nearly */
		"random:switches=20,cables=50,hosts=1,seed=%u,radix=6",
		"random:switches=7,cables=21,hosts=1,seed=%u,radix=7",
		"random:switches=12,cables=18,hosts=2,seed=%u,radix=5",
		"random:switches=9,cables=13,hosts=1,seed=%u,radix=4",
		"random:switches=50,cables=49,hosts=1,seed=%u,radix=3",
	};
	struct topo a, b, c;

	(void)state;
	must_make("random:switches=40,cables=80,hosts=1,seed=5", &a);
	must_make("random:switches=40,cables=80,hosts=1,seed=5", &b);
	must_make("random:switches=40,cables=80,hosts=1,seed=6", &c);
	assert_true(equal(&a, &b));
	assert_false(equal(&a, &c));
	topo_clear(&a);
	topo_clear(&b);
	topo_clear(&c);
	for (size_t i = 0; i < sizeof(tight) / sizeof(tight[0]); i++)
		for (unsigned int seed = 0; seed < 50; seed++) {
			char spec[80];

			snprintf(spec, sizeof(spec), tight[i], seed);
			must_make(spec, &a);
			assert_int_equal(reach(&a, 0), count(&a).switches);
			check_sound(spec, &a);
			for (uint32_t s = 0; s < count(&a).switches; s++)       /* one cable per pair */
				for (uint32_t r = 0; r < s; r++)
					assert_true(between(&a, 0, 1, s, r) <= 1);
			topo_clear(&a);
		}
}

static char *
written(const struct topo *t)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(topo_write(out, t), 0);
	fclose(out);
	return text;
}

/* Write, read: the same nodes and ports.  Write again: the same bytes. */
static void
test_files_round_trip(void **state)
{
	static const char *const specs[] = {
		"fattree:k=6,levels=3,pods=4", "fattree:k=6,levels=2", "xgft:m=3/4,w=2/2", "torus:2x3x4,hosts=2", "mesh:5,hosts=1",
		"hyperx:3x3,hosts=2", "hypercube:d=4,hosts=1", "dragonfly:a=2,h=2,p=1",
		"dragonfly+:leaves=2,spines=2,groups=3,hosts=1", "random:switches=20,cables=30,hosts=1,seed=3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct topo_error e;
		struct topo made, back;
		char *first, *second;
		FILE *in;

		must_make(specs[i], &made);
		first = written(&made);
		in = fmemopen(first, strlen(first), "r");
		assert_non_null(in);
		if (topo_read(in, "net", &back, &e))
			fail_msg("%s: %s", specs[i], e.text);
		fclose(in);
		assert_true(equal(&made, &back));
		second = written(&back);
		assert_string_equal(first, second);
		free(first);
		free(second);
		topo_clear(&made);
		topo_clear(&back);
	}
}

static void
test_bad_specs(void **state)
{
	static const char *const rows[][2] = {
		{ "ring:8", "unknown topology \"ring:8\"" },
		{ "fattree", "unknown topology \"fattree\"" },
		{ "", "unknown topology \"\"" },
		{ "fattree:", "fattree: k is missing" },
		{ "fattree:k=4", "fattree: levels is missing" },
		{ "fattree:k=4,levels=3,", "fattree: nothing follows the last comma" },
		{ "fattree:k=4,,levels=3", "fattree: unknown key \"\"" },
		{ "fattree:k=4,levels=3,hosts=2", "fattree: unknown key \"hosts\"" },
		{ "fattree:k=4,k=4,levels=3", "fattree: k is given twice" },
		{ "fattree:k,levels=3", "fattree: k has no value" },
		{ "fattree:k=,levels=3", "fattree: k is \"\", expected a number from 2 to 254" },
		{ "fattree:k=4x,levels=3", "fattree: k is \"4x\", expected a number" },
		{ "fattree:k=-4,levels=3", "fattree: k is \"-4\"" },
		{ "fattree:k=18446744073709551620,levels=3", "fattree: k is \"18446744073709551620\"" },
		{ "fattree:k=5,levels=3", "fattree: k is 5, expected an even number" },
		{ "fattree:k=4,levels=4", "fattree: levels is \"4\", expected a number from 2 to 3" },
		{ "fattree:k=4,levels=2,pods=2", "fattree: pods goes with levels=3" },
		{ "fattree:k=4,levels=3,pods=5", "fattree: pods is 5, expected at most k" },
		{ "fattree:k=40,levels=2,radix=36", "fattree: radix=36 is too small" },
		{ "fattree:k=64,levels=3", "fattree: 5120 switches and 65536 host ports need more LIDs than the 49151" },
		{ "fattree:k=64,levels=3,pods=45", "fattree: 3904 switches and 46080 host ports need more LIDs" },
		{ "xgft:m=4/4,w=1", "xgft: m has 2 numbers and w has 1" },
		{ "xgft:m=4//4,w=1/1/1", "xgft: m is \"4//4\"" },
		{ "xgft:m=4/0,w=1/1", "xgft: m is \"4/0\"" },
		{ "xgft:m=1/1/1/1/1/1/1/1/1,w=1", "xgft: m has more than 8 numbers" },
		{ "xgft:m=30/4,w=1/7", "xgft: radix=36 is too small: a switch needs 37 ports" },
		{ "xgft:m=200/200/200/200/200,w=1/1/1/1/1,radix=254", "xgft: 0 switches and 320000000000 host ports" },
		{ "xgft:m=2/2/2/2/2,w=1/100/100/100/100,radix=254", "xgft: " },
		{ "torus:hosts=2", "torus: the size is missing" },
		{ "torus:4x,hosts=2", "torus: the size is \"4x\"" },
		{ "torus:4x1,hosts=2", "torus: the size is \"4x1\", expected sizes like 4x4x2, each from 2" },
		{ "torus:2x2x2x2,hosts=2", "torus: the size has 4 dimensions" },
		{ "torus:4x4,5x5,hosts=2", "torus: unknown key \"5x5\"" },
		{ "torus:4x4", "torus: hosts is missing" },
		{ "torus:4x4,hosts=0", "torus: hosts is \"0\"" },
		{ "torus:4x4x4,hosts=31", "torus: radix=36 is too small: a switch needs 37 ports" },
		{ "torus:100x100,hosts=5", "torus: 10000 switches and 50000 host ports need more LIDs" },
		{ "hyperx:20x20,hosts=1", "hyperx: radix=36 is too small" },
		{ "hypercube:d=16,hosts=1", "hypercube: d is \"16\"" },
		{ "dragonfly:a=4,h=2,p=2,g=10", "dragonfly: g is 10, expected at most a*h+1, which is 9" },
		{ "dragonfly:a=30,h=5,p=5", "dragonfly: radix=36 is too small: a switch needs 39 ports" },
		{ "dragonfly+:leaves=36,spines=2,groups=2,hosts=1", "dragonfly+: radix=36 is too small" },
		{ "dragonfly+:leaves=2,spines=2,groups=6,hosts=1", "dragonfly+: groups is 6, expected at most 5" },
		{ "random:switches=5,cables=3,hosts=1,seed=1", "random: cables is 3, expected from 4" },
		{ "random:switches=5,cables=11,hosts=1,seed=1", "random: cables is 11, expected from 4" },
		{ "random:switches=5,cables=6,hosts=35,seed=1", "random: radix=36 is too small" },
		{ "random:switches=5,cables=6,hosts=1", "random: seed is missing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct topo_error e;
		struct topo t;

		if (gen_topology(rows[i][0], &t, &e) != -EINVAL)
			fail_msg("made: %s", rows[i][0]);
		if (strncmp(e.text, rows[i][1], strlen(rows[i][1])))
			fail_msg("%s: wanted \"%s\", got \"%s\"", rows[i][0], rows[i][1], e.text);
		assert_int_equal(t.nnodes, 0);
	}
}

static void
test_spec_or_file(void **state)
{
	char path[] = "/tmp/heddle-gen-XXXXXX";
	struct topo_error e;
	struct topo t;
	int fd = mkstemp(path), rc;
	FILE *out;

	(void)state;
	assert_true(fd >= 0);
	out = fdopen(fd, "w");
	assert_non_null(out);
	fputs("Switch 4 \"a\"\n", out);
	fclose(out);
	rc = gen_or_read(path, &t, &e);
	remove(path);
	assert_int_equal(rc, 0);
	assert_int_equal(t.nnodes, 1);
	topo_clear(&t);
	assert_int_equal(gen_or_read("torus:3,hosts=1", &t, &e), 0);
	assert_int_equal(t.nnodes, 6);
	topo_clear(&t);
	assert_int_equal(gen_or_read("nosuch:3", &t, &e), -EINVAL);
	assert_non_null(strstr(e.text, "unknown topology"));
	assert_int_equal(gen_or_read("./nosuch", &t, &e), -ENOENT);
	assert_string_equal(e.text, "./nosuch: cannot open: No such file or directory");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_fattree_wiring),
		cmocka_unit_test(test_xgft_wiring),
		cmocka_unit_test(test_grid_wiring),
		cmocka_unit_test(test_dragonfly_wiring),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_files_round_trip),
		cmocka_unit_test(test_bad_specs),
		cmocka_unit_test(test_spec_or_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
