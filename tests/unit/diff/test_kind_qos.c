/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kind_qos.c - SLtoVL and VLArbitration tables: as few requests as possible, and what an
 * answer proves.
 */
#include <config.h>
#include "fabric/snapshot/qos_walk.h"
#include "tests/unit/test.h"
#include "tests/unit/diff/fixture.h"

/* How many changes of phase QOS have these bits of 'mask' in their block. */
static unsigned
lanes_like(uint32_t mask, uint32_t bits)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < found.phase[CHANGE_QOS].n; i++)
		n += (found.phase[CHANGE_QOS].v[i].block & mask) == bits;
	return n;
}

#define VLARB_BIT CHANGE_QOS_VLARB
#define SLVL_MASK (CHANGE_QOS_VLARB | CHANGE_QOS_ALL_PAIRS)
/* 20 switches of four ports, 16 hosts: a low block and two high ones each */
enum { PAIRS = 20 * 5 * 4, SLVLS = PAIRS + 16, VLARBS = (80 + 16) * 3 };

static void
vls(void **state)
{
	struct qos_table t = { .port = b.leaf, .in = 0, .block = 0 };
	uint8_t buf[64];
	uint32_t sum;

	(void)state;
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_QOS].n, 0); /* without it nothing is wanted */
	sum = (uint32_t)found.total;
	bed_lanes(&b, false);
	bed_look(&b, &found);
	assert_int_equal(found.total, sum + SLVLS + VLARBS);
	assert_int_equal(lanes_like(VLARB_BIT, 0), SLVLS);
	assert_int_equal(lanes_like(VLARB_BIT, VLARB_BIT), VLARBS);
	bed_settle(&b, &found);
	/* one pair, one block, by what they hold and not by who wrote it */
	qos_tables_put(b.o->qos, b.s, &t, NULL);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_QOS, b.leaf, b.s->ports[b.leaf].num);
	diff_payload(b.o, &b.plan, CHANGE_QOS, &found.phase[CHANGE_QOS].v[0], buf);
	assert_memory_equal(
		buf, ((const uint8_t[16]){ 0x32, 0x10, 0x76, 0x54, 0x32, 0x10, 0xf6, 0x54 }), 8);
	bed_settle(&b, &found);
	t = (struct qos_table){ b.host, 0, 4 };
	memset(buf, 0x0e, sizeof(buf));
	qos_tables_put(b.o->qos, b.s, &t, buf);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_QOS, b.host, VLARB_BIT | 4u << 16);
	diff_payload(b.o, &b.plan, CHANGE_QOS, &found.phase[CHANGE_QOS].v[0], buf);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(buf[i], 0);
	bed_settle(&b, &found);
}

/* All pairs at once where they are equal; else a request for each output. */
static void
lanes_at_once(void **state)
{
	uint32_t peer = b.s->ports[b.leaf].peer;
	struct qos_table t = { .port = b.leaf, .in = 2, .block = 0 };
	struct port_info pi;
	uint8_t image[64] = { 0 };

	(void)state;
	bed_lanes(&b, true);
	bed_look(&b, &found);
	assert_int_equal(lanes_like(SLVL_MASK, CHANGE_QOS_ALL_PAIRS), 20);
	assert_int_equal(lanes_like(SLVL_MASK, 0), 16);
	assert_int_equal(lanes_like(VLARB_BIT, VLARB_BIT), VLARBS);
	bed_settle(&b, &found);
	qos_tables_put(b.o->qos, b.s, &t, image);
	bed_look(&b, &found);
	assert_int_equal(found.total, 1);
	assert_int_equal(lanes_like(UINT32_MAX, CHANGE_QOS_ALL_PAIRS), 1);
	bed_settle(&b, &found);
	pi = bed_port(&b, peer); /* fewer lanes on one cable */
	pi.vl_cap = 2;
	bed_show(&b, peer, pi);
	bed_lanes(&b, true);
	bed_show(&b, peer, pi);
	{
		struct qos_conf q = { .optimized = true };

		for (unsigned k = 0; k < QOS_KINDS; k++) {
			q.family[k] = (struct qos_family){ .max_vls = 15 };
			for (unsigned i = 0; i < 16; i++)
				q.family[k].sl2vl.vl[i] = (uint8_t)i;
		}
		qos_plan_make(b.s, &b.plan.links, &q, &b.plan.arena, &b.plan.qos);
	}
	bed_look(&b, &found);
	assert_int_equal(lanes_like(SLVL_MASK, CHANGE_QOS_ALL_PAIRS), 19);
	assert_int_equal(lanes_like(SLVL_MASK, CHANGE_QOS_ALL_INPUTS), 4);
	bed_settle(&b, &found);
	t.in = 0;
	qos_tables_put(b.o->qos, b.s, &t, NULL);
	t.in = 1;
	qos_tables_put(b.o->qos, b.s, &t, NULL);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_QOS, b.leaf, CHANGE_QOS_ALL_INPUTS | b.s->ports[b.leaf].num);
}

/* VLs have reserved bits before them; entries that the port lacks are not compared. */
static void
vl_tables(void **state)
{
	const struct change_kind *k = change_kinds[CHANGE_QOS];
	struct change slvl = { b.host, 0 },
		      vlarb = { b.host, CHANGE_QOS_VLARB | UINT32_C(1) << 16 };
	struct qos_table t = { b.host, 0, 1 };
	uint8_t w[64], have[64];

	(void)state;
	bed_lanes(&b, false);
	diff_payload(b.o, &b.plan, CHANGE_QOS, &vlarb, w);
	w[0] ^= 0xf0;
	w[2 * 8] ^= 1; /* the port has 8 entries */
	assert_true(bed_took_effect(&b, CHANGE_QOS, vlarb, NULL, w));
	assert_false(qos_tables_get(b.o->qos, b.s, &t, have));
	bed_observe(&b, CHANGE_QOS, vlarb, (struct change_answer){ .data = w, .effect = true });
	assert_true(qos_tables_get(b.o->qos, b.s, &t, have));
	bed_forget(&b, CHANGE_QOS, vlarb);
	assert_false(qos_tables_get(b.o->qos, b.s, &t, have));
	w[1] ^= 1;
	assert_false(bed_took_effect(&b, CHANGE_QOS, vlarb, NULL, w));
	diff_payload(b.o, &b.plan, CHANGE_QOS, &slvl, w);
	assert_true(bed_took_effect(&b, CHANGE_QOS, slvl, NULL, w));
	w[7] ^= 1;
	assert_false(bed_took_effect(&b, CHANGE_QOS, slvl, NULL, w));
	assert_false(k->is_quiet(&b.plan, &slvl));
	b.plan.qos.quiet = true;
	assert_true(k->is_quiet(&b.plan, &slvl));
	assert_false(k->is_quiet(&b.plan, &vlarb));
}

/*
 * Tables that a lane plan needs are written first, and nothing else if a switch does not take them.
 */
static void
tables_of_lanes_come_first(void **state)
{
	static const struct lane_plan two = {
		.nvls = 2, .sls = 3, .nclasses = 1, .vl[0][0] = { 0, 1 }
	};
	uint32_t n;

	(void)state;
	bed_lanes(&b, false);
	bed_look(&b, &found);
	n = found.phase[CHANGE_QOS].n;
	assert_int_equal(found.phase[CHANGE_LANES].n, 0);
	bed_lane_plan(&b, false, &two);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_LANES].n, n);
	assert_int_equal(found.phase[CHANGE_LANES_WIDE].n + found.phase[CHANGE_QOS].n, 0);
	bed_lane_plan(&b, true, &two);                  /* all pairs at once, hosts by themselves */
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_LANES_WIDE].n, 20);
	assert_int_equal(found.phase[CHANGE_LANES_WIDE].v[0].block, CHANGE_QOS_ALL_PAIRS);
	assert_int_equal(found.phase[CHANGE_LANES].n, n - PAIRS);
	assert_true(change_kinds[CHANGE_LANES_WIDE]->stops);
	assert_true(CHANGE_LANES_WIDE < CHANGE_LANES);
	assert_true(change_kinds[CHANGE_LANES]->stops);
	assert_false(change_kinds[CHANGE_QOS]->stops);
	assert_true(CHANGE_LANES < CHANGE_LFT_SM && CHANGE_LFT < CHANGE_QOS);
	bed_settle(&b, &found);
}

/* ---- tables that depend on the input ---- */

static uint32_t random_state;

static uint32_t
random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state % n;
}

/* What switches hold, by output port and input, whatever is known of it. */
static uint8_t held[512][5][SLVL_TABLE_BYTES];
static struct lane_plan made;
static uint8_t made_class[512];

/* Random classes of ports, and links that are up or down; half of what is held is known. */
static void
make_random(uint32_t seed)
{
	random_state = seed * 2654435761u + 1;
	made = (struct lane_plan){ .nvls = 3, .sls = 1, .port_class = made_class,
		.nclasses = (uint8_t)(2 + random_below(3)), .nswitches = b.s->nswitches };
	for (unsigned i = 0; i < made.nclasses; i++)
		for (unsigned o = 0; o < made.nclasses; o++)
			made.vl[i][o][0] = (uint8_t)(random_below(4) ? 0 : random_below(3));
	assert_true(b.s->nports <= 512);
	for (uint32_t p = 0; p < b.s->nports; p++) {
		struct port_info pi = bed_port(&b, p);

		made_class[p] = (uint8_t)random_below(made.nclasses);
		pi.state = random_below(3) ? PORT_STATE_INIT : PORT_STATE_ACTIVE;
		bed_show(&b, p, pi);
	}
	bed_lane_plan(&b, true, &made);
	for (uint32_t p = 0; p < b.s->nports; p++)
		for (uint8_t in = 0; in < 5; in++) {
			struct qos_table t = { p, in, 0 };

			memset(held[p][in], 0x11 * (int)random_below(3), SLVL_TABLE_BYTES);
			if (fab_is_switch(&b.s->nodes[b.s->ports[p].node]) && random_below(2))
				qos_tables_put(b.o->qos, b.s, &t, held[p][in]);
		}
}

static bool
wanted_table(const struct qos_table *t, uint8_t want[static SLVL_TABLE_BYTES])
{
	return fab_is_switch(&b.s->nodes[b.s->ports[t->port].node]) &&
		qos_walk_would_have(b.s, t) && qos_plan_table(&b.plan.qos, b.s, t, want);
}

/* Carries out the changes of a phase from the last one to the first, as their order is free.  Where
 * packets may leave, no table gets anything but what is wanted.  Some switches refuse Sets of
 * several tables. */
static void
carry_out(enum change_phase phase, bool refuses)
{
	const struct change_kind *k = change_kinds[phase];
	struct diff_view v = bed_view(&b);

	for (uint32_t i = found.phase[phase].n; i-- > 0;) {
		const struct change c = found.phase[phase].v[i];
		uint8_t buf[CHANGE_BYTES], want[SLVL_TABLE_BYTES];
		struct qos_table t;

		if (c.block & CHANGE_QOS_VLARB ||
			!fab_is_switch(&b.s->nodes[b.s->ports[c.subject].node]))
			continue;
		if (c.block & CHANGE_QOS_ALL_PAIRS)
			assert_int_equal(phase, CHANGE_LANES_WIDE);
		else
			assert_int_equal(phase, CHANGE_LANES);
		if (refuses && k->instead && b.s->ports[c.subject].node % 2) {
			bed_forget(&b, phase, c);
			k->instead(&v, &c, &found);
			continue;
		}
		k->payload(k, &v, &c, buf);
		assert_true(bed_took_effect(&b, phase, c, NULL, buf));
		for (uint32_t n = 0; diff_qos_table(b.s, &c, n, &t); n++) {
			memcpy(held[t.port][t.in], buf, SLVL_TABLE_BYTES);
			if (bed_port(&b, t.port).state == PORT_STATE_ACTIVE &&
				wanted_table(&t, want))
				assert_memory_equal(buf, want, SLVL_TABLE_BYTES);
		}
		bed_observe(&b, phase, c, (struct change_answer){ .data = buf, .effect = true });
	}
}

static uint32_t
count_slvl(enum change_phase phase)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < found.phase[phase].n; i++) {
		const struct change *c = &found.phase[phase].v[i];

		n += !(c->block & CHANGE_QOS_VLARB) &&
			fab_is_switch(&b.s->nodes[b.s->ports[c->subject].node]);
	}
	return n;
}

/* Several tables at once come to the same as one by one, with fewer Sets. */
static void
columns_come_to_the_same(void **state)
{
	uint32_t wide = 0, less = 0;

	(void)state;
	for (unsigned seed = 1; seed <= test_share(200); seed++) {
		uint8_t want[SLVL_TABLE_BYTES], have[SLVL_TABLE_BYTES];
		uint32_t differ = 0, sets;

		make_random(seed);
		for (uint32_t p = 0; p < b.s->nports; p++)
			for (uint8_t in = 0; in < 5; in++) {
				struct qos_table t = { p, in, 0 };

				differ += wanted_table(&t, want) &&
					(!qos_tables_get(b.o->qos, b.s, &t, have) ||
						memcmp(want, have, sizeof(want)) != 0);
			}
		bed_look(&b, &found);
		wide += found.phase[CHANGE_LANES_WIDE].n;
		sets = count_slvl(CHANGE_LANES_WIDE) + count_slvl(CHANGE_LANES);
		assert_true(sets <= differ);
		less += differ - sets;
		carry_out(CHANGE_LANES_WIDE, seed % 3 == 0);
		carry_out(CHANGE_LANES, false);
		for (uint32_t p = 0; p < b.s->nports; p++)
			for (uint8_t in = 0; in < 5; in++) {
				struct qos_table t = { p, in, 0 };

				if (!wanted_table(&t, want))
					continue;
				assert_memory_equal(held[p][in], want, sizeof(want));
				assert_true(qos_tables_get(b.o->qos, b.s, &t, have));
				assert_memory_equal(have, want, sizeof(want));
			}
		bed_look(&b, &found);
		assert_int_equal(count_slvl(CHANGE_LANES_WIDE) + count_slvl(CHANGE_LANES), 0);
	}
	assert_true(wide > 100 && less > 100);
}

/* How many tables a change writes, each at its port and input. */
static uint32_t
count_tables(uint32_t port, uint32_t block)
{
	const struct fab_node *n = &b.s->nodes[b.s->ports[port].node];
	struct change c = { port, block };
	struct qos_table t;
	uint32_t i = 0;

	while (diff_qos_table(b.s, &c, i, &t)) {
		assert_true(t.port >= n->first_port && t.port <= n->first_port + n->nports);
		assert_true(t.in <= n->nports);
		i++;
	}
	return i;
}

static void
tables_of_a_change(void **state)
{
	uint32_t ports = b.s->nodes[b.s->ports[b.leaf].node].nports + 1u,
		 num = b.s->ports[b.leaf].num;

	(void)state;
	assert_int_equal(count_tables(b.leaf, 2u << 8 | num), 1);
	assert_int_equal(count_tables(b.leaf, CHANGE_QOS_ALL_INPUTS | num), ports);
	assert_int_equal(count_tables(b.leaf, CHANGE_QOS_ALL_PAIRS), ports * ports);
	assert_int_equal(count_tables(b.leaf, CHANGE_QOS_VLARB | 3u << 16 | num), 1);
	assert_int_equal(count_tables(b.host, 0), 1);
}

/* A Set of many tables that failed: none of them is known any more. */
static void
a_failed_set_of_all_pairs(void **state)
{
	struct change all = { b.leaf, CHANGE_QOS_ALL_PAIRS };
	struct qos_table t;
	uint8_t have[64];
	uint32_t known = 0;

	(void)state;
	bed_lanes(&b, true);
	bed_settle(&b, &found);
	for (uint32_t i = 0; diff_qos_table(b.s, &all, i, &t); i++)
		known += qos_tables_get(b.o->qos, b.s, &t, have);
	assert_true(known > 1);
	bed_forget(&b, CHANGE_QOS, all);
	for (uint32_t i = 0; diff_qos_table(b.s, &all, i, &t); i++)
		assert_false(qos_tables_get(b.o->qos, b.s, &t, have));
	bed_look(&b, &found);
	assert_int_equal(found.total, 1);
	assert_int_equal(found.phase[CHANGE_QOS].v[0].block, CHANGE_QOS_ALL_PAIRS);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(vls),
		T(lanes_at_once),
		T(vl_tables),
		T(tables_of_lanes_come_first),
		T(columns_come_to_the_same),
		T(tables_of_a_change),
		T(a_failed_set_of_all_pairs),
	};

	return cmocka_run_group_tests_name("sm/diff/kind_qos", tests, NULL, NULL);
}
