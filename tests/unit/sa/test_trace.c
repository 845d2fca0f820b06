/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_trace.c - GetTraceTable: the nodes on a path, who may see them, and what is no path.
 */
#include <config.h>
#include "fabric/topo/snapshot_topo.h"
#include "tests/unit/sa/small.h"

enum { TRACE = 0x13, PATH = 0x35, TRACES = 0x39, NODE = 0x11 };
#define PREFIX UINT64_C(0xfe80000000000000)

/* Where components are in the PathRecord of a request, and what a visit shows in the answer's TraceRecord. */
#define DLID b, 4, 40, 2
#define SLID b, 5, 42, 2
struct visit {
	uint64_t node;
	unsigned type, entry, exit;
	uint64_t entry_id, exit_id;
};

static void
ask(struct small *b, uint16_t from, uint16_t slid, uint16_t dlid)
{
	small_ask(b, from, TRACE, TRACES);
	small_where(SLID, slid);
	small_where(DLID, dlid);
}

static void
by_gids(struct small *b, uint16_t from, uint64_t src, uint64_t dst)
{
	small_ask(b, from, TRACE, TRACES);
	small_where(b, 3, 24, 8, PREFIX);
	small_where(b, 3, 32, 8, src);
	small_where(b, 2, 8, 8, PREFIX);
	small_where(b, 2, 16, 8, dst);
}

static void
assert_visit(const struct small *b, unsigned row, const struct visit *v)
{
	assert_int_equal(small_at(b, row, 0, 8), PREFIX);
	assert_int_equal(small_at(b, row, 8, 3), 0);            /* generation, reserved */
	assert_int_equal(small_at(b, row, 11, 1), v->type);
	assert_int_equal(small_at(b, row, 12, 8), v->node);
	assert_int_equal(small_at(b, row, 20, 8), v->node + 7); /* as sa_trace_setup() has it */
	assert_int_equal(small_at(b, row, 28, 8), v->entry_id);
	assert_int_equal(small_at(b, row, 36, 8), v->exit_id);
	assert_int_equal(small_at(b, row, 44, 1), v->entry);
	assert_int_equal(small_at(b, row, 45, 1), v->exit);
	assert_int_equal(small_at(b, row, 46, 2), 0);
}

#define VISITS(...) assert_visits(b, sizeof((struct visit[]){ __VA_ARGS__ }) / sizeof(struct visit), (struct visit[]){ __VA_ARGS__ })
static void
assert_visits(struct small *b, unsigned n, const struct visit *v)
{
	assert_int_equal(small_rows(b), n);
	for (unsigned i = 0; i < n; i++)
		assert_visit(b, i, &v[i]);
}

static void
chassis(struct small *b)
{
	for (uint32_t i = 0; i < b->s->nnodes; i++)
		b->s->nodes[i].sys_guid = b->s->nodes[i].guid + 7;
}

static int
sa_trace_setup(void **state)
{
	small_setup(state);
	chassis(*state);
	return 0;
}

static void
test_literal(void **state)
{
	static const uint8_t request[120] = {
		1, 3, 2, 0x13, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0x39, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x30,
		[96] = 0, 8, 0, 3,
	};
	static const uint8_t answer[248] = {
		1, 3, 2, 0x92, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0x39, 0, 0, 0, 0, 0, 0,
		1, 1, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 212, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x30,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 7,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x17,
		0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x10, 1, 3, 0, 0,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0x27,
		0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0x20, 3, 1, 0, 0,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 7,
		0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
	};
	struct small *b = *state;

	small_ask(b, LID_ONE, TRACE, TRACES);
	memcpy(b->req.mad, request, sizeof(request));
	b->req.bytes = sizeof(request);
	assert_int_equal(small_rows(b), 4);
	assert_int_equal(b->bytes, sizeof(answer));
	assert_memory_equal(b->out, answer, sizeof(answer));
	b->req.bytes = sizeof(request) - 1;             /* shorter than a PathRecord */
	assert_int_equal(small_send(b), 0x0200);
	assert_int_equal(b->out[3], 0x92);
}

/* Ends by LID, by GID, by both; one of several LIDs; a PathRecord's attribute ID. */
static void
test_ends(void **state)
{
	const struct visit one = { 0x100, 1, 0, 1, 0, 0x101 }, two = { 0x200, 1, 2, 0, 0x202, 0 };
	struct small *b = *state;

	by_gids(b, LID_ONE, 0x101, 0x202);
	VISITS(one, { 0x10, 2, 1, 3, 0x10, 0x10 }, { 0x20, 2, 3, 1, 0x20, 0x20 }, two);
	small_where(DLID, LID_TWO + 1);                 /* that LID goes by the fourth cable */
	VISITS(one, { 0x10, 2, 1, 4, 0x10, 0x10 }, { 0x20, 2, 4, 1, 0x20, 0x20 }, two);
	small_where(SLID, LID_ONE);
	small_where(b, 12, 49, 1, 32);                  /* NumbPath */
	assert_int_equal(small_rows(b), 4);
	ask(b, LID_ONE, LID_TWO + 2, LID_ONE);
	VISITS({ 0x200, 1, 0, 2, 0, 0x202 }, { 0x20, 2, 1, 3, 0x20, 0x20 }, { 0x10, 2, 3, 1, 0x10, 0x10 },
		{ 0x100, 1, 1, 0, 0x101, 0 });
	ask(b, LID_ONE, LID_ONE, LID_THREE_1);          /* one switch */
	VISITS(one, { 0x10, 2, 1, 2, 0x10, 0x10 }, { 0x300, 1, 1, 0, 0x301, 0 });
	b->req.mad[17] = PATH;
	small_forget(b);
	small_answer(b);
	assert_int_equal(b->bytes, 56 + 3 * 48);
	assert_int_equal(b->out[3], 0x92);
	assert_int_equal(b->out[17], TRACES);           /* that is what the rows are */
	b->req.mad[17] = NODE;
	assert_int_equal(small_send(b), 0x0c);
}

/* From and to a switch packets go by its port 0; from a port to itself they stay. */
static void
test_switches(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, LID_ALPHA, LID_ONE);
	VISITS({ 0x10, 2, 0, 1, 0x10, 0x10 }, { 0x100, 1, 1, 0, 0x101, 0 });
	ask(b, LID_ONE, LID_ONE, LID_BETA);
	VISITS({ 0x100, 1, 0, 1, 0, 0x101 }, { 0x10, 2, 1, 3, 0x10, 0x10 }, { 0x20, 2, 3, 0, 0x20, 0x20 });
	ask(b, LID_ONE, LID_ALPHA, LID_ALPHA);
	VISITS({ 0x10, 2, 0, 0, 0x10, 0x10 });
	ask(b, LID_ONE, LID_ONE, LID_ONE);
	VISITS({ 0x100, 1, 1, 1, 0x101, 0x101 });
}

/* The path must be what the rest of the request asks for. */
static void
test_components(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, LID_ONE, LID_TWO);
	small_where(b, 16, 54, 1, 0x84);
	small_where(b, 17, 54, 1, 0x84);                /* MTU exactly 2048 */
	assert_int_equal(small_rows(b), 4);
	small_where(b, 17, 54, 1, 0x04);                /* above 2048: not by the third cable */
	assert_int_equal(small_send(b), 0x0300);
	small_where(b, 17, 54, 1, 0x87);
	assert_int_equal(small_send(b), 0x0200);
	ask(b, LID_ONE, LID_ONE, LID_TWO);
	small_where(b, 13, 50, 2, 0x8123);              /* a P_Key that they do not have */
	assert_int_equal(small_send(b), 0x0300);
	ask(b, LID_ONE, LID_ONE, LID_TWO);
	small_where(b, 9, 47, 1, 3);                    /* HopLimit */
	assert_int_equal(small_send(b), 0x0300);
	ask(b, LID_ONE, LID_ONE, LID_TWO);
	small_where(b, 0, 0, 4, 1);                     /* half a ServiceID */
	assert_int_equal(small_send(b), 0x0600);
}

/* A path is shown to whom PathRecord shows it. */
static void
test_partitions(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->two, 0x8123, 0);
	small_pkeys(b, b->three2, 0x8123, 0x7fff);
	ask(b, LID_ONE, LID_THREE_2, LID_TWO);
	assert_int_equal(small_send(b), 0x0300);
	assert_int_equal(b->stats.no_records, 1);
	ask(b, LID_ONE, LID_ONE, LID_TWO);
	assert_int_equal(small_send(b), 0x0300);
	ask(b, LID_TWO, LID_THREE_2, LID_TWO);
	VISITS({ 0x300, 1, 0, 2, 0, 0x302 }, { 0x20, 2, 2, 1, 0x20, 0x20 }, { 0x200, 1, 2, 0, 0x202, 0 });
}

/* Tables that lead in a circle, into a port without a cable, nowhere, to somebody else. */
static void
test_lost(void **state)
{
	struct small *b = *state;
	uint8_t *alpha = fwd_row(&b->fwd, b->s->nodes[b->s->ports[b->alpha].node].sw);
	uint8_t *beta = fwd_row(&b->fwd, b->s->nodes[b->s->ports[b->beta].node].sw);

	ask(b, LID_ONE, LID_ONE, LID_TWO);
	assert_int_equal(small_rows(b), 4);
	beta[LID_TWO] = 3;
	assert_int_equal(small_send(b), 0x0300);
	beta[LID_TWO] = 255;
	assert_int_equal(small_send(b), 0x0300);
	beta[LID_TWO] = 2;
	assert_int_equal(small_send(b), 0x0300);
	beta[LID_TWO] = 0;
	assert_int_equal(small_send(b), 0x0300);
	beta[LID_TWO] = 99;
	assert_int_equal(small_send(b), 0x0300);
	by_gids(b, LID_ONE, 0x101, 0x202);              /* of several pairs of LIDs the first that has a path */
	assert_int_equal(small_rows(b), 4);
	assert_int_equal(small_at(b, 1, 45, 1), 4);
	ask(b, LID_ONE, LID_ONE, LID_TWO);
	beta[LID_TWO] = 1;
	alpha[LID_TWO] = 4;
	assert_int_equal(small_rows(b), 4);
	assert_int_equal(small_at(b, 1, 45, 1), 4);
}

/* ---- a tree of three levels ---- */

/*
 * Two cores; two pods of two switches in the middle, two leaves with two hosts each.  Host h (LID h + 1) is on leaf h / 2; the
 * way up to it is by the middle switches, and the core, that are even or odd as h is.
 */
enum { HOSTS = 8, LEAVES = 4, MIDDLES = 4, CORES = 2 };
#define HOST(h) (0x4000u + 0x100u * (h))
#define LEAF(l) (0x3000u + 0x100u * (l))
#define MIDDLE(a) (0x2000u + 0x100u * (a))
#define CORE(c) (0x1000u + 0x100u * (c))

static void
cable_all(struct topo_builder *t, const uint32_t *cores, const uint32_t *middles, const uint32_t *leaves, const uint32_t *hosts)
{
	for (uint8_t i = 0; i < MIDDLES; i++) {
		uint8_t pod = i / 2;

		topo_builder_cable(t, middles[i], 3, cores[i % 2], (uint8_t)(pod + 1));
		for (uint8_t k = 0; k < 2; k++) {
			topo_builder_cable(t, leaves[i], (uint8_t)(3 + k), middles[pod * 2 + k], (uint8_t)(i % 2 + 1));
			topo_builder_cable(t, leaves[i], (uint8_t)(1 + k), hosts[i * 2 + k], 1);
			topo_builder_port(t, hosts[i * 2 + k], 1)->lid = (uint16_t)(i * 2 + k + 1);
		}
	}
}

static uint8_t *
row_of(struct small *b, uint64_t guid)
{
	return fwd_row(&b->fwd, b->s->nodes[snapshot_node_by_guid(b->s, guid)].sw);
}

static void
fill_tables(struct small *b)
{
	for (uint8_t h = 0; h < HOSTS; h++) {
		uint16_t lid = (uint16_t)(h + 1);

		for (uint8_t i = 0; i < CORES; i++)
			row_of(b, CORE(i))[lid] = (uint8_t)(h / 4 + 1);
		for (uint8_t i = 0; i < MIDDLES; i++)
			row_of(b, MIDDLE(i))[lid] = h / 4 == i / 2 ? (uint8_t)(h / 2 % 2 + 1) : 3;
		for (uint8_t i = 0; i < LEAVES; i++)
			row_of(b, LEAF(i))[lid] = h / 2 == i ? (uint8_t)(h % 2 + 1) : (uint8_t)(3 + h % 2);
	}
}

static int
tree_setup(void **state)
{
	struct small *b = calloc(1, sizeof(*b));
	struct topo_builder *t = topo_builder_new();
	uint32_t cores[CORES], middles[MIDDLES], leaves[LEAVES], hosts[HOSTS];
	struct topo topo;

	for (uint32_t i = 0; i < HOSTS; i++)
		hosts[i] = topo_builder_node(t, TOPO_CA, 1, HOST(i), "host");
	for (uint32_t i = 0; i < LEAVES; i++)
		leaves[i] = topo_builder_node(t, TOPO_SWITCH, 4, LEAF(i), "leaf");
	for (uint32_t i = 0; i < MIDDLES; i++)
		middles[i] = topo_builder_node(t, TOPO_SWITCH, 3, MIDDLE(i), "middle");
	for (uint32_t i = 0; i < CORES; i++)
		cores[i] = topo_builder_node(t, TOPO_SWITCH, 2, CORE(i), "core");
	cable_all(t, cores, middles, leaves, hosts);
	assert_int_equal(topo_builder_take(t, &topo), 0);
	assert_int_equal(topo_to_snapshot(&topo, FAB_NONE, 4, &b->s), 0);
	topo_clear(&topo);
	assert_int_equal(lid_map_observed(b->s, &b->arena, &b->lids), 0);
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &b->fwd), 0);
	b->fwd.top = HOSTS;
	fill_tables(b);
	chassis(b);
	b->v = (struct sa_view){
		.s = b->s, .lids = &b->lids, .fwd = &b->fwd, .gid_prefix = GID_PREFIX_DEFAULT, .sm_lid = 1, .path_life = 18,
		.resp_time = 16, .ready = true,
	};
	small_index(b);
	*state = b;
	return 0;
}

static struct visit
through(uint64_t node, unsigned in, unsigned out)
{
	return (struct visit){ node, 2, in, out, node, node };
}

static void
test_tree(void **state)
{
	struct small *b = *state;

	for (unsigned s = 0; s < HOSTS; s++)
		for (unsigned d = 0; d < HOSTS; d++) {
			struct visit v[7], last = { HOST(d), 1, 1, 0, HOST(d) + 1, 0 };
			unsigned n = 0, odd = d % 2, up = 3 + odd, in = s % 2 + 1;

			if (s == d)
				continue;
			v[n++] = (struct visit){ HOST(s), 1, 0, 1, 0, HOST(s) + 1 };
			if (s / 2 != d / 2) {
				v[n++] = through(LEAF(s / 2), in, up);
				in = s / 2 % 2 + 1;
				if (s / 4 != d / 4) {
					v[n++] = through(MIDDLE(s / 4 * 2 + odd), in, 3);
					v[n++] = through(CORE(odd), s / 4 + 1, d / 4 + 1);
					in = 3;
				}
				v[n++] = through(MIDDLE(d / 4 * 2 + odd), in, d / 2 % 2 + 1);
				in = up;
			}
			v[n++] = through(LEAF(d / 2), in, odd + 1);
			v[n++] = last;
			ask(b, 1, (uint16_t)(s + 1), (uint16_t)(d + 1));
			assert_visits(b, n, v);
		}
	row_of(b, CORE(0))[7] = 1;                      /* back to the pod where it comes from: a circle */
	ask(b, 1, 1, 7);
	assert_int_equal(small_send(b), 0x0300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, sa_trace_setup, small_teardown)
		T(test_literal), T(test_ends), T(test_switches), T(test_components), T(test_partitions), T(test_lost),
		cmocka_unit_test_setup_teardown(test_tree, tree_setup, small_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
