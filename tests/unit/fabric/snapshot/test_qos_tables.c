/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_tables.c - which tables of lanes there are, what is asked for, what is remembered and what forgotten.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/read/qos_read.h"
#include "fabric/snapshot/qos_walk.h"
#include "tests/unit/route/made.h"


static struct snapshot *s;
static struct qos_tables *q;
static uint32_t host, leaf, core;

static void
edit(uint32_t port, unsigned state, unsigned low, unsigned high)
{
	struct port_info pi = port_info_decode(s->ports[port].info);

	pi.state = (uint8_t)state;
	pi.vlarb_low_cap = (uint8_t)low;
	pi.vlarb_high_cap = (uint8_t)high;
	pi.capability_mask |= 1u << 6;
	port_info_encode(s->ports[port].info, &pi);
}

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("torus:2x4,hosts=1", NULL);
	for (host = 0; fab_is_switch(&s->nodes[s->ports[host].node]) || s->ports[host].peer == FAB_NONE; host++)
		;
	leaf = s->ports[host].peer;
	for (core = s->nodes[s->ports[leaf].node].first_port + 1; core == leaf || s->ports[core].peer == FAB_NONE; core++)
		;
	s->sm_port = host;
	for (uint32_t p = 0; p < s->nports; p++)
		edit(p, s->ports[p].num && s->ports[p].peer == FAB_NONE ? 1 : 4, 8, 8);
	for (uint32_t i = 0; i < s->nswitches; i++) {
		struct fab_node *n = &s->nodes[s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.lft_top = 77;
		si.optimized_slvl = i & 1;
		si.enhanced_port0 = 0;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	snapshot_seal(s);
	q = qos_tables_next(NULL, NULL, s);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	qos_tables_free(q);
	made_free(s);
	return 0;
}

static unsigned
degree(uint32_t node)
{
	unsigned n = 0;

	for (unsigned p = 1; p <= s->nodes[node].nports; p++)
		n += snapshot_port(s, node, (uint8_t)p)->peer != FAB_NONE;
	return n;
}

/* What there has to be, counted another way. */
static unsigned
expected(unsigned blocks)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		unsigned d = degree(i);

		n += fab_is_switch(&s->nodes[i]) ? d * (d + 1) + d * blocks : d * (1 + blocks);
	}
	return n;
}

static unsigned
walked(void)
{
	struct qos_walk *w = qos_walk_new(s);
	struct qos_table t;
	unsigned n = 0;

	while (qos_walk_next(w, &t)) {
		assert_true(qos_walk_has(w, &t));
		n++;
	}
	qos_walk_free(w);
	return n;
}

static void
walks_what_there_is(void **state)
{
	struct qos_walk *w;
	struct qos_table t;
	uint8_t *seen = calloc((size_t)s->nports * 256 * 5, 1);

	(void)state;
	assert_int_equal(walked(), expected(2));
	w = qos_walk_new(s);
	while (qos_walk_next(w, &t)) {                  /* each once */
		uint8_t *at = &seen[((size_t)t.port * 256 + t.in) * 5 + t.block];

		assert_int_equal(*at, 0);
		*at = 1;
		assert_true(s->ports[t.port].peer != FAB_NONE);
		assert_true(!t.block || !t.in);
	}
	qos_walk_free(w);
	free(seen);
	for (uint32_t p = 0; p < s->nports; p++)
		edit(p, 4, 33, 64);
	assert_int_equal(walked(), expected(4));
	for (uint32_t p = 0; p < s->nports; p++)
		edit(p, 4, 0, 0);
	assert_int_equal(walked(), expected(0));
	s->ports[leaf].flags |= FAB_PORT_FAILED;        /* its link is left alone, at both ends */
	assert_int_equal(walked(), expected(0) - 1 - 2 * degree(s->ports[leaf].node));
	s->ports[leaf].flags &= (uint8_t)~FAB_PORT_FAILED;
	s->nodes[s->ports[host].node].flags |= FAB_NODE_CUT;
	assert_int_equal(walked(), expected(0) - 1);
}

/* No SL mapping at port 0: none in the whole switch.  Enhanced port 0: an output too. */
static void
depends_on_port_0(void **state)
{
	uint32_t node = s->ports[leaf].node;
	struct fab_port *zero = snapshot_port(s, node, 0);
	struct port_info pi = port_info_decode(zero->info);
	struct switch_info si = switch_info_decode(s->nodes[node].switch_info);
	unsigned d = degree(node), all = expected(2);

	(void)state;
	pi.capability_mask &= ~(1u << 6);
	port_info_encode(zero->info, &pi);
	assert_int_equal(walked(), all - d * (d + 1));
	pi.capability_mask |= 1u << 6;
	port_info_encode(zero->info, &pi);
	si.enhanced_port0 = 1;
	switch_info_encode(s->nodes[node].switch_info, &si);
	assert_int_equal(walked(), all + d + 1 + 2);
}

static void
names_them(void **state)
{
	struct qos_table t = { leaf, 3, 0 };

	(void)state;
	assert_int_equal(qos_table_modifier(s, &t), 0x300u | s->ports[leaf].num);
	t = (struct qos_table){ leaf, 0, 3 };
	assert_int_equal(qos_table_modifier(s, &t), 0x30000u | s->ports[leaf].num);
	t = (struct qos_table){ host, 0, 0 };
	assert_int_equal(qos_table_modifier(s, &t), 0);
	t.block = 4;
	assert_int_equal(qos_table_modifier(s, &t), 0x40000);
	for (unsigned cap = 0; cap <= 64; cap++) {
		edit(host, 4, cap, 64 - cap);
		assert_int_equal(qos_vlarb_entries(&s->ports[host], 1), cap < 32 ? cap : 32);
		assert_int_equal(qos_vlarb_entries(&s->ports[host], 2), cap < 32 ? 0 : cap - 32);
		assert_int_equal(qos_vlarb_entries(&s->ports[host], 3), 64 - cap < 32 ? 64 - cap : 32);
		assert_int_equal(qos_vlarb_entries(&s->ports[host], 4), 64 - cap < 32 ? 0 : 32 - cap);
	}
	edit(host, 4, 255, 0);
	assert_int_equal(qos_vlarb_entries(&s->ports[host], 2), 32);    /* whatever it says */
}

/* ---- remembering ---- */

static void
put(uint32_t port, unsigned in, unsigned block, uint8_t byte)
{
	struct qos_table t = { port, (uint8_t)in, (uint8_t)block };
	uint8_t image[64];

	memset(image, byte, sizeof(image));
	qos_tables_put(q, s, &t, image);
}

static void
forget(uint32_t port, unsigned in, unsigned block)
{
	struct qos_table t = { port, (uint8_t)in, (uint8_t)block };

	qos_tables_put(q, s, &t, NULL);
}

/* The last byte of an image, -1: not known. */
static int
got(uint32_t port, unsigned in, unsigned block)
{
	struct qos_table t = { port, (uint8_t)in, (uint8_t)block };
	uint8_t image[64];

	return qos_tables_get(q, s, &t, image) ? image[7] : -1;
}

static void
remembers(void **state)
{
	(void)state;
	assert_int_equal(got(leaf, 1, 0), -1);
	put(leaf, 1, 0, 0x11);
	assert_int_equal(got(leaf, 1, 0), 0x11);
	assert_int_equal(got(leaf, 2, 0), -1);
	put(leaf, 2, 0, 0x11);
	put(leaf, 0, 0, 0x22);
	assert_int_equal(got(leaf, 0, 0), 0x22);
	assert_int_equal(got(leaf, 1, 0), 0x11);
	assert_int_equal(got(leaf, 2, 0), 0x11);
	assert_int_equal(got(leaf, 3, 0), -1);
	forget(leaf, 1, 0);
	assert_int_equal(got(leaf, 1, 0), -1);
	assert_int_equal(got(leaf, 2, 0), 0x11);
	put(host, 0, 1, 0x33);
	put(leaf, 0, 1, 0x33);
	put(leaf, 0, 3, 0x44);
	assert_int_equal(got(host, 0, 1), 0x33);
	assert_int_equal(got(leaf, 0, 3), 0x44);
	assert_int_equal(got(leaf, 0, 2), -1);
	forget(leaf, 0, 3);
	assert_int_equal(got(leaf, 0, 3), -1);
	forget(leaf, 200, 0);
	put(leaf, 200, 0, 1);                           /* no such port */
	assert_int_equal(got(leaf, 200, 0), -1);
}

/* Entries that a port has not got, and bits that mean nothing, make no difference. */
static void
keeps_what_counts(void **state)
{
	struct qos_table t = { leaf, 0, 1 };
	uint8_t image[64];

	(void)state;
	put(leaf, 0, 1, 0xff);
	assert_true(qos_tables_get(q, s, &t, image));
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(image[i], i >= 16 ? 0 : i & 1 ? 0xff : 0x0f);
}

/* The store of the next sweep, whose snapshot is the same object after 'edit's: 'old' shows LinearFDBTop 77. */
static void
next(const struct snapshot *old)
{
	struct qos_tables *n = qos_tables_next(q, old, s);

	qos_tables_free(q);
	q = n;
}

static void
fill(void)
{
	struct qos_walk *w = qos_walk_new(s);
	struct qos_table t;

	while (qos_walk_next(w, &t))
		put(t.port, t.in, t.block, (uint8_t)(0x10 + t.in % 3));
	qos_walk_free(w);
}

static unsigned
known(void)
{
	struct qos_walk *w = qos_walk_new(s);
	struct qos_table t;
	unsigned n = 0;

	while (qos_walk_next(w, &t))
		n += got(t.port, t.in, t.block) >= 0;
	qos_walk_free(w);
	return n;
}

static void
goes_from_sweep_to_sweep(void **state)
{
	uint32_t node = s->ports[leaf].node;
	unsigned all = expected(2), d = degree(node);
	struct switch_info si = switch_info_decode(s->nodes[node].switch_info);
	struct snapshot old;
	struct fab_node *nodes;

	(void)state;
	fill();
	assert_int_equal(known(), all);
	next(s);
	assert_int_equal(known(), all);
	assert_int_equal(got(leaf, 1, 0), 0x11);
	assert_int_equal(got(leaf, 2, 0), 0x12);
	edit(leaf, 2, 8, 8);                            /* INIT: as output, as input, its arbitration */
	next(s);
	assert_int_equal(known(), all - (d + 1) - (d - 1) - 2);
	assert_int_equal(got(host, 0, 0), 0x10);
	edit(host, 2, 8, 8);
	next(s);
	assert_int_equal(known(), all - (d + 1) - (d - 1) - 2 - 3);
	edit(host, 4, 8, 8);
	edit(leaf, 4, 8, 8);
	fill();
	/* A switch that was reset shows no LinearFDBTop, or another's. */
	old = *s;
	nodes = malloc(s->nnodes * sizeof(*nodes));
	memcpy(nodes, s->nodes, s->nnodes * sizeof(*nodes));
	old.nodes = nodes;
	si.lft_top = 0;
	switch_info_encode(s->nodes[node].switch_info, &si);
	next(&old);
	assert_int_equal(known(), all - d * (d + 1) - d * 2);
	free(nodes);
	next(NULL);                                     /* nothing to hold it against */
	assert_int_equal(known(), 0);
	fill();
	qos_tables_free(q);
	q = qos_tables_next(NULL, NULL, s);
	assert_int_equal(known(), 0);
}

/* Equal tables cost next to nothing. */
static void
is_small(void **state)
{
	struct qos_walk *w = qos_walk_new(s);
	struct qos_table t;
	size_t equal, mixed;

	(void)state;
	while (qos_walk_next(w, &t))
		put(t.port, t.in, t.block, 7);
	qos_walk_free(w);
	equal = qos_tables_bytes(q);
	assert_in_range(equal, 1, 80u * s->nports + 40u * s->nnodes + 1000);
	fill();
	mixed = qos_tables_bytes(q);
	assert_true(mixed > equal);
	w = qos_walk_new(s);
	while (qos_walk_next(w, &t))
		put(t.port, t.in, t.block, 7);
	qos_walk_free(w);
	next(s);
	assert_int_equal(qos_tables_bytes(q), equal);
}

/* ---- reading ---- */

static unsigned
read_all(bool skip_optimized, bool answer)
{
	struct qos_read_conf c = { .mkeys = mkeys_one(5), .skip_optimized = skip_optimized };
	struct qos_reader *r = qos_reader_new(s, q, &c);
	struct txn_req *v = calloc(1000, sizeof(*v));
	unsigned n = 0;

	while (qos_reader_next(r, &v[n])) {
		assert_int_equal(v[n].mkey, 5);
		assert_int_equal(v[n].method, METHOD_GET);
		assert_true(v[n].attr_id == SLVL_TABLE_ID || v[n].attr_id == VLARB_TABLE_ID);
		assert_int_equal(v[n].hop_count, s->nodes[v[n].target].hop_count);
		assert_true(v[n].cookie >> 48 == 0);
		assert_false(qos_reader_done(r));
		assert_in_range(++n, 1, 999);
	}
	for (unsigned i = n; i-- > 0; ) {
		struct dgram d = { .bytes = DGRAM_BYTES };
		struct txn_end e = { .cookie = v[i].cookie, .kind = answer ? TXN_END_OK : i & 1 ? TXN_END_STATUS : TXN_END_TIMED_OUT,
			.status = 0x0c, .reply = &d };

		d.mad[64] = 0x0a;
		d.mad[71] = (uint8_t)(v[i].modifier & 0x0f);
		assert_false(qos_reader_done(r));
		qos_reader_end(r, &e);
	}
	assert_true(qos_reader_done(r));
	free(v);
	qos_reader_free(r);
	return n;
}

static void
reads_what_is_unknown(void **state)
{
	unsigned all = expected(2), d = degree(s->ports[leaf].node), optimized = 0;

	(void)state;
	assert_int_equal(read_all(false, false), all);
	assert_int_equal(known(), 0);                   /* nothing was answered */
	for (uint32_t i = 1; i < s->nswitches; i += 2)
		optimized += degree(s->switches[i]) * (degree(s->switches[i]) + 1);
	assert_int_equal(read_all(true, false), all - optimized);
	assert_int_equal(read_all(false, true), all);
	assert_int_equal(known(), all);
	assert_int_equal(got(leaf, 1, 0), s->ports[leaf].num);
	assert_int_equal(got(leaf, 0, 1), s->ports[leaf].num);
	assert_int_equal(read_all(false, true), 0);
	forget(leaf, 1, 0);
	forget(host, 0, 3);
	assert_int_equal(read_all(false, true), 2);
	edit(leaf, 2, 8, 8);                            /* links that are not up are not looked at */
	edit(host, 2, 8, 8);
	next(s);
	assert_int_equal(read_all(false, true), 0);
	assert_int_equal(known(), all - 2 * d - 2 - 3);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(walks_what_there_is), T(depends_on_port_0), T(names_them), T(remembers), T(keeps_what_counts),
		T(goes_from_sweep_to_sweep), T(is_small), T(reads_what_is_unknown),
	};

	return cmocka_run_group_tests_name("fabric/qos_tables", tests, NULL, NULL);
}
