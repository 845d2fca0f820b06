/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_shaped.c - engines that route by coordinates: balance, lanes, damage, stillness, refusals.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/lines.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/lanes_naive.h"
#include "tests/unit/route/made.h"
#include "util/xalloc.h"

struct routed {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables f;
	struct route_report r;
};

static struct routed *at, *whole; /* what the running test made; freed by its teardown */
static struct intended *intended;

static void
forget(struct routed **what)
{
	if (!*what)
		return;
	made_free((*what)->s);
	arena_clear(&(*what)->arena);
	free(*what);
	*what = NULL;
}

static int
teardown(void **state)
{
	(void)state;
	forget(&at);
	forget(&whole);
	intended_free(intended);
	intended = NULL;
	return 0;
}

static const struct route_engine *
engine(const char *name)
{
	char why[200];
	const struct route_engine *e = route_find(name, why, sizeof(why));

	assert_non_null(e);
	return e;
}

/* Takes the k-th switch away, and its hosts' links: what is left of it is a node that is no
 * switch and has no link. */
static void
bury(struct snapshot *s, uint32_t k)
{
	struct fab_node *n = &s->nodes[s->switches[k]];

	for (unsigned p = 1; p <= n->nports; p++) {
		struct fab_port *port = &s->ports[n->first_port + p];

		if (port->peer == FAB_NONE)
			continue;
		s->nhosts -= !fab_is_switch(&s->nodes[s->ports[port->peer].node]);
		s->ports[port->peer].peer = FAB_NONE;
		port->peer = FAB_NONE;
		s->nlinks--;
	}
	n->type = NODE_TYPE_CA;
	n->sw = FAB_NONE;
	s->nswitches--;
	for (uint32_t i = k; i < s->nswitches; i++) {
		s->switches[i] = s->switches[i + 1];
		s->nodes[s->switches[i]].sw = i;
	}
}

static struct routed *
make(const char *spec, const struct made_how *how, uint32_t dead, uint8_t lmc)
{
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;
	struct routed *m = xcalloc(1, sizeof(*m));

	m->s = made_snapshot(spec, how);
	for (uint32_t i = 0; i < dead; i++)
		bury(m->s, (how->seed * 7 + i * (how->seed + 1)) % m->s->nswitches);
	assert_int_equal(plan_lids(m->s, NULL, &lc, &m->arena, &m->lids, &lr), 0);
	return m;
}

static struct route_in
input(const struct routed *m)
{
	return (struct route_in){
		.snapshot = m->s, .lids = &m->lids, .vls = 8, .intended = intended
	};
}

static enum route_code
run(struct routed *m, const char *name, const struct route_in *in)
{
	return engine(name)->run(in, &m->arena, &m->f, &m->r);
}

static void
check(const char *spec, uint32_t seed)
{
	struct lanes_naive n = lanes_naive_check(at->s, &at->lids, &at->f);

	if (n.lost || n.cyclic || n.astray)
		fail_msg("%s seed %u: %llu of %llu walks lost, %llu astray, cyclic %d; %s", spec,
			seed, (unsigned long long)n.lost, (unsigned long long)n.walks,
			(unsigned long long)n.astray, n.cyclic, at->r.sentence);
}

/* The greatest load of a link by the mean one when all hosts send to all; lanes; no loops. */
static void
quality(void **state)
{
	static const struct {
		const char *spec, *name;
		uint32_t ratio;
		uint8_t vls;
	} rows[] = {
		{ "torus:4x4x4,hosts=1", "torus-2qos", 1000, 1 },
		{ "torus:4x4x4,hosts=4", "torus-2qos", 1000, 1 },
		{ "torus:4x4x4,hosts=1", "dor", 1000, 1 },
		{ "torus:6x6x6,hosts=1", "torus-2qos", 1120, 2 },
		{ "torus:6x6x6,hosts=4", "torus-2qos", 1000, 2 },
		{ "torus:5x5,hosts=2", "torus-2qos", 1000, 2 },
		{ "torus:8x8,hosts=1", "torus-2qos", 1130, 2 },
		{ "torus:7x7,hosts=1", "torus-2qos", 1000, 2 },
		{ "torus:9x3,hosts=1", "torus-2qos", 9999, 2 },
		{ "torus:2x8,hosts=2", "torus-2qos", 9999, 2 },
		{ "dragonfly:a=4,h=2,p=2", "dragonfly", 1030, 2 },
		{ "dragonfly:a=8,h=4,p=4", "dragonfly", 1020, 2 },
		{ "dragonfly:a=4,h=2,p=2,g=5", "dragonfly", 1450, 2 },
		{ "dragonfly+:leaves=4,spines=4,groups=5,hosts=4", "dragonfly", 1056, 1 },
		{ "dragonfly+:leaves=4,spines=4,groups=5,hosts=2", "dragonfly", 1112, 1 },
		{ "dragonfly+:leaves=4,spines=4,groups=3,hosts=4", "dragonfly", 1101, 1 },
		{ "hyperx:4x4x3,hosts=1", "hyperx", 1231, 1 },
		{ "hyperx:4x4x3,hosts=2", "hyperx", 1231, 1 },
		{ "hyperx:8x8,hosts=1", "hyperx", 1000, 1 },
		{ "hyperx:5x5,hosts=1", "dor", 1000, 1 },
		{ "hypercube:d=6,hosts=1", "dor", 1000, 1 },
		{ "hypercube:d=6,hosts=1", "hyperx", 1000, 1 },
		{ "mesh:4x4,hosts=2", "dor", 9999, 1 },
		{ "mesh:4x4x4,hosts=2", "torus-2qos", 9999, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint32_t seed = 0; seed < (rows[i].vls ? 2u : 0u); seed++) {
			struct made_how how = { .scramble = seed > 0, .seed = seed };
			struct route_in in;
			uint32_t ratio;

			forget(&at);
			at = make(rows[i].spec, &how, 0, 0);
			in = input(at);
			in.vls = rows[i].vls;
			if (run(at, rows[i].name, &in) != ROUTE_OK)
				fail_msg("%s: %s", rows[i].spec, at->r.sentence);
			check(rows[i].spec, seed);
			ratio = lanes_naive_load(at->s, &at->lids, &at->f);
			print_message("# %s %s: %u.%03u, %u VLs\n", rows[i].name, rows[i].spec,
				ratio / 1000, ratio % 1000, at->f.vls);
			if (ratio > rows[i].ratio)
				fail_msg("%s %s: a2a %u", rows[i].name, rows[i].spec, ratio);
		}
}

static const struct case_row {
	const char *name, *spec;
	unsigned seeds; /* for each of the percentages */
} cases[] = {
	{ "dor", "mesh:5x5,hosts=1", 30 },
	{ "dor", "hypercube:d=4,hosts=1", 30 },
	{ "dor", "mesh:3x3x4,hosts=1", 30 },
	{ "dor", "torus:4x4,hosts=2", 30 },
	{ "torus-2qos", "torus:5x5,hosts=1", 30 },
	{ "torus-2qos", "torus:6x4x3,hosts=1", 30 },
	{ "torus-2qos", "torus:8x7,hosts=1", 30 },
	{ "torus-2qos", "torus:5x2x5,hosts=2", 30 },
	{ "hyperx", "hyperx:5x5,hosts=1", 40 },
	{ "hyperx", "hyperx:4x4x3,hosts=1", 40 },
	{ "hyperx", "hyperx:6,hosts=2", 40 },
	{ "dragonfly", "dragonfly:a=4,h=2,p=1", 40 },
	{ "dragonfly", "dragonfly:a=5,h=2,p=1,g=6", 30 },
	{ "dragonfly", "dragonfly+:leaves=4,spines=4,groups=3,hosts=1", 30 },
	{ "dragonfly", "dragonfly+:leaves=3,spines=3,groups=4,hosts=2", 30 },
};
#define NCASES (sizeof(cases) / sizeof(cases[0]))

static const struct {
	unsigned cut;
	uint32_t dead;
} damage[] = {
	{ 1, 0 },
	{ 3, 0 },
	{ 8, 0 },
	{ 20, 0 },
	{ 0, 1 },
	{ 2, 2 },
};
#define NDAMAGE (sizeof(damage) / sizeof(damage[0]))

/* The intended topology of a whole fabric. */
static struct intended *
learn(const struct snapshot *s)
{
	struct intended *t = xcalloc(1, sizeof(*t));

	t->sw = arena_array(&t->arena, s->nswitches, sizeof(*t->sw));
	t->links = arena_array(&t->arena, s->nports, sizeof(*t->links));
	t->hosts = arena_array(&t->arena, s->nports, sizeof(*t->hosts));
	for (uint32_t i = 0; i < s->nswitches; i++)
		t->sw[t->nsw++] = (struct intended_switch){ .guid = s->nodes[s->switches[i]].guid };
	for (uint32_t i = 0; i < s->nnodes; i++)
		for (unsigned p = 1; p <= s->nodes[i].nports; p++) {
			const struct fab_port *port = &s->ports[s->nodes[i].first_port + p], *peer;
			bool here = fab_is_switch(&s->nodes[i]), there;

			if (port->peer == FAB_NONE)
				continue;
			peer = &s->ports[port->peer];
			there = fab_is_switch(&s->nodes[peer->node]);
			if (here && there && s->nodes[i].sw < s->nodes[peer->node].sw)
				t->links[t->nlinks++] = (struct intended_link){ s->nodes[i].sw,
					s->nodes[peer->node].sw, (uint8_t)p, peer->num };
			if (!here)
				t->hosts[t->nhosts++] = (struct intended_host){ .guid = port->guid,
					.sw = s->nodes[peer->node].sw,
					.port = peer->num };
		}
	return t;
}

/* True: the walk of the old tables still arrives in the damaged fabric. */
static bool
still_valid(uint32_t sw, uint32_t lid)
{
	for (unsigned hops = 0; hops <= at->s->nswitches; hops++) {
		uint8_t out = fwd_row(&whole->f, sw)[lid];
		const struct fab_node *n = &at->s->nodes[at->s->switches[sw]];
		uint32_t peer;

		if (out == 0)
			return true;
		if (out == 255 || (peer = at->s->ports[n->first_port + out].peer) == FAB_NONE)
			return false;
		if (!fab_is_switch(&at->s->nodes[at->s->ports[peer].node]))
			return true;
		sw = at->s->nodes[at->s->ports[peer].node].sw;
	}
	return false;
}

static void
check_still(const char *spec, uint32_t seed)
{
	for (uint32_t sw = 0; sw < at->s->nswitches; sw++)
		for (uint32_t lid = 1; lid <= at->lids.top; lid++)
			if (at->lids.owner[lid] != FAB_NONE && still_valid(sw, lid) &&
				fwd_row(&at->f, sw)[lid] != fwd_row(&whole->f, sw)[lid])
				fail_msg("%s seed %u: LID %u moved at switch %u", spec, seed, lid,
					sw);
}

/* Damaged fabrics, coordinates from the intended topology: proved, or refused with a reason; no
 * valid path moves. */
static void
damaged_intended(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCASES; i++) {
		unsigned routed = 0, all = 0;

		for (size_t k = 0; k < NDAMAGE; k++)
			for (uint32_t seed = 0; seed < test_share(cases[i].seeds); seed++) {
				struct made_how how = { .seed = seed, .scramble = seed % 2 };
				struct route_in in;

				teardown(NULL);
				whole = make(cases[i].spec, &how, 0, 0);
				in = input(whole);
				assert_int_equal(run(whole, cases[i].name, &in), ROUTE_OK);
				intended = learn(whole->s);
				how.cut_percent = damage[k].cut;
				at = make(cases[i].spec, &how, damage[k].dead, 0);
				if (!damage[k].dead)
					at->lids = whole->lids;
				in = input(at);
				all++;
				if (run(at, cases[i].name, &in) != ROUTE_OK) {
					assert_true(at->r.sentence[0] && at->r.nevidence);
					assert_true(at->r.code == ROUTE_CYCLE ||
						at->r.code == ROUTE_UNREACHABLE);
					assert_null(at->f.port);
					continue;
				}
				routed++;
				if (!damage[k].dead)
					check_still(cases[i].spec, seed);
				check(cases[i].spec, seed);
			}
		print_message(
			"# %s %s: %u of %u routed\n", cases[i].name, cases[i].spec, routed, all);
		assert_true(routed > all / 3);
	}
}

/* The same with nothing but the snapshot: the shape may be lost, and is then refused. */
static void
damaged_snapshot(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCASES; i++) {
		unsigned routed = 0, all = 0;

		for (size_t k = 0; k < NDAMAGE; k++)
			for (uint32_t seed = 0; seed < test_share(cases[i].seeds); seed++) {
				struct made_how how = { .cut_percent = damage[k].cut,
					.seed = seed,
					.scramble = seed % 2 };
				struct route_in in;

				forget(&at);
				at = make(cases[i].spec, &how, damage[k].dead, 0);
				in = input(at);
				all++;
				if (run(at, cases[i].name, &in) != ROUTE_OK) {
					assert_true(at->r.sentence[0]);
					continue;
				}
				routed++;
				check(cases[i].spec, seed);
			}
		print_message(
			"# %s %s: %u of %u routed\n", cases[i].name, cases[i].spec, routed, all);
	}
}

/* Parts in the reverse order, one after the other. */
static void
each_backwards(void *arg, stripes_part *part, void *data)
{
	unsigned n = *(const unsigned *)arg;

	for (unsigned i = n; i-- > 0;)
		part(data, i, n);
}

/* Another order of discovery, another number of stripes: the same bytes, the same lanes. */
static void
same_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCASES; i++)
		for (uint32_t turn = 0; turn < 6; turn++) {
			static const unsigned parts[] = { 1, 2, 3, 8, 5, 1 };
			struct stripes stripes = { parts[turn], each_backwards,
				(void *)(uintptr_t)&parts[turn] };
			struct made_how how = { .scramble = true, .seed = 3, .cut_percent = 2 };
			struct route_in in;

			teardown(NULL);
			whole = make(cases[i].spec, &how, 0, 0);
			how.shuffle = turn > 0;
			how.shuffle_seed = turn;
			at = make(cases[i].spec, &how, 0, 0);
			in = input(whole);
			run(whole, cases[i].name, &in);
			in = input(at);
			in.stripes = &stripes;
			run(at, cases[i].name, &in);
			assert_int_equal(at->r.code, whole->r.code);
			assert_string_equal(at->r.sentence, whole->r.sentence);
			if (at->r.code != ROUTE_OK)
				continue;
			assert_int_equal(at->f.stride, whole->f.stride);
			assert_memory_equal(
				at->f.port, whole->f.port, (size_t)at->f.stride * at->f.nswitches);
			assert_int_equal(at->f.lanes != NULL, whole->f.lanes != NULL);
			if (!at->f.lanes)
				continue;
			assert_memory_equal(
				at->f.lanes->vl, whole->f.lanes->vl, sizeof(at->f.lanes->vl));
			if (at->f.lanes->sl)
				assert_memory_equal(at->f.lanes->sl, whole->f.lanes->sl,
					(size_t)at->s->nswitches * at->s->nswitches);
		}
}

/* A host that is switched off keeps its entries, and moves nobody else's. */
static void
host_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCASES; i++) {
		struct route_absent gone = { 0 };
		uint32_t port = 0, via;
		struct route_in in;

		teardown(NULL);
		whole = make(cases[i].spec, NULL, 0, 0);
		at = make(cases[i].spec, NULL, 0, 0);
		intended = learn(whole->s);
		in = input(whole);
		assert_int_equal(run(whole, cases[i].name, &in), ROUTE_OK);
		while (!at->lids.base[port] ||
			fab_is_switch(&at->s->nodes[at->s->ports[port].node]))
			port++;
		via = at->s->ports[port].peer;
		gone = (struct route_absent){ at->lids.base[port],
			at->s->nodes[at->s->ports[via].node].sw, at->s->ports[via].num };
		at->lids.owner[gone.lid] = FAB_NONE;
		at->lids.base[port] = 0;
		at->s->ports[via].peer = at->s->ports[port].peer = FAB_NONE;
		in = input(at);
		in.absent = &gone;
		in.nabsent = 1;
		assert_int_equal(run(at, cases[i].name, &in), ROUTE_OK);
		assert_memory_equal(
			at->f.port, whole->f.port, (size_t)at->f.stride * at->f.nswitches);
	}
}

/* The LIDs of a port take different links where there are several. */
static void
lmc_paths(void **state)
{
	static const struct {
		const char *name, *spec;
	} rows[] = {
		{ "dor", "torus:2x2,hosts=2" },
		{ "dragonfly", "dragonfly:a=6,h=2,p=2,g=5" },
		{ "dragonfly", "dragonfly+:leaves=4,spines=4,groups=3,hosts=2" },
		{ "hyperx", "hyperx:4x4,hosts=2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct route_in in;
		uint32_t differ = 0;

		forget(&at);
		at = make(rows[i].spec, NULL, 0, 2);
		in = input(at);
		assert_int_equal(run(at, rows[i].name, &in), ROUTE_OK);
		check(rows[i].spec, 0);
		for (uint32_t sw = 0; sw < at->s->nswitches; sw++)
			for (uint32_t lid = 1; lid < at->lids.top; lid++)
				differ += at->lids.owner[lid] != FAB_NONE &&
					at->lids.owner[lid] == at->lids.owner[lid + 1] &&
					fwd_row(&at->f, sw)[lid] != fwd_row(&at->f, sw)[lid + 1];
		if ((differ == 0) != (i == 3))
			fail_msg("%s: %u entries differ", rows[i].spec, differ);
	}
}

/* Routes the fabric with this input changed, and expects a code and words of the sentence. */
static void
expect(const char *spec, const char *name, struct route_in in, enum route_code code,
	const char *words)
{
	forget(&at);
	at = make(spec, NULL, 0, 0);
	in.snapshot = at->s;
	in.lids = &at->lids;
	in.intended = intended;
	if (run(at, name, &in) != code || !strstr(at->r.sentence, words))
		fail_msg("%s %s: %s: %s", name, spec, route_code_text(at->r.code), at->r.sentence);
	if (code != ROUTE_OK)
		assert_null(at->f.port);
}

static void
wrong_shapes(void **state)
{
	const struct route_in in = { .vls = 8 };

	(void)state;
	expect("torus:6x6,hosts=1", "dor", in, ROUTE_CYCLE, "dimension 0 is a ring of 6 switches");
	assert_int_equal(at->r.nevidence, 6);
	expect("torus:6x6,hosts=1", "hyperx", in, ROUTE_SHAPE,
		"needs a hyperx, and this is torus 6x6 of 36 switches, all 72 links present");
	expect("hyperx:5x5,hosts=1", "dragonfly", in, ROUTE_SHAPE, "needs a dragonfly");
	expect("hyperx:5x5,hosts=1", "torus-2qos", in, ROUTE_SHAPE, "hyperx routes cliques");
	expect("fattree:k=4,levels=3", "dor", in, ROUTE_SHAPE,
		"needs a mesh or a hypercube, and this is tree of 3 levels");
	expect("random:switches=40,cables=80,hosts=1,seed=1", "torus-2qos", in, ROUTE_SHAPE,
		"no known shape");
}

static void
too_few_lanes(void **state)
{
	struct route_in in = { .vls = 1 };
	uint64_t cannot[2] = { 1 << 5, 0 };

	(void)state;
	expect("torus:6x6,hosts=1", "torus-2qos", in, ROUTE_VLS,
		"needs 2 data VLs, and there is 1");
	assert_int_equal(at->r.evidence[0].value, 2);
	in.vls = 0;
	expect("dragonfly:a=4,h=2,p=2", "dragonfly", in, ROUTE_VLS, "needs 2 data VLs");
	in.vls = 2;
	in.no_sl2vl = cannot;
	expect("torus:6x6,hosts=1", "torus-2qos", in, ROUTE_SL2VL,
		"1 switches cannot choose the VL by in-port, 0x00fe1d0000000500");
	assert_int_equal(at->r.evidence[0].node, at->s->switches[5]);
	expect("torus:4x4,hosts=1", "torus-2qos", in, ROUTE_OK, "hypercube");
	assert_null(at->f.lanes);
}

static void
torus_config(void **state)
{
	struct route_torus torus = { 3, { { 6, false }, { 5, false }, { 7, false } } };
	struct route_conf conf = { .torus = &torus };
	const struct route_in in = { .vls = 2, .conf = &conf };

	(void)state;
	expect("torus:5x6x7,hosts=1", "torus-2qos", in, ROUTE_OK, "torus 5x6x7");
	expect("torus:5x6x6,hosts=1", "torus-2qos", in, ROUTE_INPUT,
		"torus_config says 6x5x7, and this is torus 5x6x6 of");
	torus.ndims = 2;
	expect("torus:5x6x7,hosts=1", "torus-2qos", in, ROUTE_INPUT, "torus_config says 6x5, and");
	torus = (struct route_torus){ 3, { { 4, false }, { 2, false }, { 5, true } } };
	expect("torus:2x5x4,hosts=1", "torus-2qos", in, ROUTE_INPUT, "says 4x2x5 (open), and");
	expect("mesh:2x5,hosts=1", "torus-2qos", in, ROUTE_INPUT, "and this is mesh 2x5");
	torus.dim[2].mesh = false;
	expect("torus:2x5x4,hosts=1", "torus-2qos", in, ROUTE_OK, "torus 2x5x2x2");
	forget(&at);
	at = make("torus:5x5,hosts=1", NULL, 0, 1);
	assert_int_equal(
		run(at, "torus-2qos",
			&(struct route_in){ .snapshot = at->s, .lids = &at->lids, .vls = 8 }),
		ROUTE_LMC);
	assert_non_null(strstr(at->r.sentence, "more than one LID per port: LID"));
}

static void
dimension_order(void **state)
{
	static const uint32_t up[] = { 4, 2 }, plain[] = { 2, 4 }, half[] = { 5 };
	struct routing_line line[2] = { { .number = 3, .n = 2, .v = up }, { .number = 7 } };
	struct routing_lines ports = { .file = "ports", .line = line, .n = 1 };
	struct route_conf conf = { .nroots = 0 };
	const struct route_in in = { .vls = 1, .conf = &conf };
	uint32_t lid, last;

	(void)state;
	/* Ports 2 and 3 lead along X, 4 and 5 along Y; the last switch is at 3-3. */
	expect("mesh:4x4,hosts=1", "dor", in, ROUTE_OK, "mesh 4x4");
	last = at->s->nodes[at->s->switches[15]].first_port;
	lid = at->lids.base[last];
	assert_int_equal(fwd_row(&at->f, 0)[lid], 2);
	conf.ports = &ports;
	line[0].guid = 0x999;           /* of nobody */
	expect("mesh:4x4,hosts=1", "dor", in, ROUTE_OK, "mesh 4x4");
	assert_int_equal(fwd_row(&at->f, 0)[lid], 2);
	line[0].guid = at->s->nodes[at->s->switches[5]].guid;
	expect("mesh:4x4,hosts=1", "dor", in, ROUTE_OK, "mesh 4x4");
	assert_int_equal(fwd_row(&at->f, 0)[lid], 4);   /* everywhere */
	/* Another switch says the same by its other port, or something else. */
	ports.n = 2;
	line[1].guid = at->s->nodes[at->s->switches[6]].guid;
	line[1].n = 1;
	line[1].v = half;
	expect("mesh:4x4,hosts=1", "dor", in, ROUTE_OK, "mesh 4x4");
	assert_int_equal(fwd_row(&at->f, 0)[lid], 4);
	line[1].n = 2;
	line[1].v = plain;
	expect("mesh:4x4,hosts=1", "dor", in, ROUTE_INPUT,
		"ports: lines 3 and 7 put the dimensions in different orders; dor needs one order at all switches");
}

static void
unknown_switch(void **state)
{
	const struct route_in in = { .vls = 8 };

	(void)state;
	whole = make("mesh:4x4,hosts=1", NULL, 0, 0);
	intended = learn(whole->s);
	expect("mesh:4x5,hosts=1", "dor", in, ROUTE_SHAPE,
		"4 switches are not in the intended topology, 0x00fe1d0000001000 for one");
	assert_int_equal(at->r.nevidence, 4);
}

/* Takes the k-th link between switches away; false: there are not so many. */
static bool
unplug(struct snapshot *s, uint32_t k)
{
	for (uint32_t p = 0; p < s->nports; p++) {
		uint32_t peer = s->ports[p].peer;

		if (peer == FAB_NONE || peer < p || !fab_is_switch(&s->nodes[s->ports[p].node]) ||
			!fab_is_switch(&s->nodes[s->ports[peer].node]) || k-- > 0)
			continue;
		s->ports[p].peer = s->ports[peer].peer = FAB_NONE;
		s->nlinks--;
		return true;
	}
	return false;
}

/* Any one link, and any one switch, may be lost. */
static void
any_one(void **state)
{
	static const struct {
		const char *name, *spec;
		unsigned refused;
	} rows[] = {
		{ "torus-2qos", "torus:5x5,hosts=1", 0 },
		{ "torus-2qos", "torus:6x6,hosts=1", 0 },
		{ "torus-2qos", "torus:7x8,hosts=1", 0 },
		{ "torus-2qos", "torus:5x5x5,hosts=1", 0 },
		{ "hyperx", "hyperx:4x4x3,hosts=1", 0 },
		{ "hyperx", "hyperx:8x8,hosts=1", 0 },
		{ "dragonfly", "dragonfly:a=4,h=2,p=1", 0 },
		{ "dragonfly", "dragonfly+:leaves=4,spines=4,groups=3,hosts=1", 0 },
		{ "dor", "hypercube:d=4,hosts=1", 0 },
		{ "dor", "mesh:4x4,hosts=1", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct made_how how = { .scramble = true, .seed = 4 };
		unsigned refused[2] = { 0, 0 }, all[2] = { 0, 0 };
		uint32_t step = 100 / test_share(100);

		teardown(NULL);
		whole = make(rows[i].spec, &how, 0, 0);
		intended = learn(whole->s);
		for (uint32_t k = 0; all[0] * step == k || k < whole->s->nswitches; k += step)
			for (unsigned dead = 0; dead < 2; dead++) {
				struct lid_conf lc = { 0 };
				struct lid_report lr;
				struct route_in in;

				forget(&at);
				at = xcalloc(1, sizeof(*at));
				at->s = made_snapshot(rows[i].spec, &how);
				if (dead ? k >= at->s->nswitches : !unplug(at->s, k))
					continue;
				if (dead)
					bury(at->s, k);
				plan_lids(at->s, NULL, &lc, &at->arena, &at->lids, &lr);
				in = input(at);
				all[dead]++;
				if (run(at, rows[i].name, &in) == ROUTE_OK)
					check(rows[i].spec, k);
				else
					refused[dead]++;
			}
		/* At the rim of a mesh there is no way round without turning back. */
		if (refused[0] > rows[i].refused || refused[1] > rows[i].refused)
			fail_msg("%s %s: %u of %u links, %u of %u switches refused", rows[i].name,
				rows[i].spec, refused[0], all[0], refused[1], all[1]);
	}
}

/* A refusal after damage names the damage. */
static void
damage_named(void **state)
{
	unsigned pieces = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 20; seed++) {
		struct made_how how = { .seed = seed };
		struct route_in in;

		teardown(NULL);
		whole = make("torus:8x7,hosts=1", &how, 0, 0);
		intended = learn(whole->s);
		how.cut_percent = 15;
		at = make("torus:8x7,hosts=1", &how, 0, 0);
		in = input(at);
		in.vls = 4;
		if (run(at, "torus-2qos", &in) != ROUTE_OK)
			pieces += strstr(at->r.sentence, "the ring of dimension ") ==
					at->r.sentence &&
				strstr(at->r.sentence, " is in pieces: ");
	}
	assert_true(pieces > 5);
	for (uint32_t k = 0; k < 24; k++) {
		struct lid_conf lc = { 0 };
		struct lid_report lr;
		struct route_in in;

		teardown(NULL);
		whole = make("torus:5x5,hosts=1", NULL, 0, 0);
		intended = learn(whole->s);
		at = xcalloc(1, sizeof(*at));
		at->s = made_snapshot("torus:5x5,hosts=1", NULL);
		bury(at->s, k + 1);
		bury(at->s, k);
		plan_lids(at->s, NULL, &lc, &at->arena, &at->lids, &lr);
		in = input(at);
		in.vls = 2;
		if (k % 5 == 4)
			continue; /* k + 1 is in the next column */
		if (run(at, "torus-2qos", &in) == ROUTE_OK)
			check("two dead switches", k);
		else if (!strstr(at->r.sentence, "are neighbours in dimension"))
			fail_msg("%u: %s", k, at->r.sentence);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(quality, teardown),
		cmocka_unit_test_teardown(damaged_intended, teardown),
		cmocka_unit_test_teardown(damaged_snapshot, teardown),
		cmocka_unit_test_teardown(same_bytes, teardown),
		cmocka_unit_test_teardown(host_off, teardown),
		cmocka_unit_test_teardown(lmc_paths, teardown),
		cmocka_unit_test_teardown(wrong_shapes, teardown),
		cmocka_unit_test_teardown(too_few_lanes, teardown),
		cmocka_unit_test_teardown(torus_config, teardown),
		cmocka_unit_test_teardown(dimension_order, teardown),
		cmocka_unit_test_teardown(unknown_switch, teardown),
		cmocka_unit_test_teardown(any_one, teardown),
		cmocka_unit_test_teardown(damage_named, teardown),
	};

	return cmocka_run_group_tests_name("sm/route shaped", tests, NULL, NULL);
}
