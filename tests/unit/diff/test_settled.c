/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_settled.c - with a sweep before, the same changes are found as without: on a fabric that
 * lives, under plans that change, with Sets that fail.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/snapshot/part.h"
#include "tests/unit/diff/bed.h"
#include "tests/unit/route/made.h"
#include "util/bits.h"

#define CHANCE(of) (made_random(&seed) % (of) == 0)

/* One sweep: what it found, and its plan. */
struct sweep {
	struct bed bed;
	uint64_t *reregister;
	uint8_t *vls, *kind;
};

static uint32_t seed;
static struct snapshot *hw;             /* all that there is; images are its registers */
static bool *node, *port;               /* of it: what is connected */
static struct link_conf links;
static struct sweep was, now;           /* '.bed.s' NULL: none */
static uint8_t wanted_enforce, wanted_limit;
static bool qos;
static uint64_t looked, skipped;

static struct snapshot *
hardware(const char *spec)
{
	struct made_how how = { .scramble = true, .seed = seed };
	struct snapshot *s = made_snapshot(spec, &how);

	for (uint32_t p = 0; p < s->nports; p++) {
		struct port_info pi = port_info_decode(s->ports[p].info);

		pi.capability_mask = PORT_CAP_CLIENT_REREGISTRATION | PORT_CAP_EXTENDED_SPEEDS;
		pi.speed_ext_supported = 3;
		port_info_encode(s->ports[p].info, &pi);
	}
	for (uint32_t i = 0; i < s->nswitches; i++)
		s->nodes[s->switches[i]].flags |= FAB_NODE_SWITCH_INFO;
	return s;
}

static uint32_t
any(uint32_t n)
{
	return made_random(&seed) % n;
}

/* ---- what happens to the fabric ---- */

static void
flip_bit(void)
{
	uint32_t bit = any(PORT_INFO_BYTES * 8);

	hw->ports[any(hw->nports)].info[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void
flip_link(void)
{
	uint32_t p = any(hw->nports);

	if (hw->ports[p].peer != FAB_NONE)
		port[p] = port[hw->ports[p].peer] = !port[p];
}

/* Two cables between switches change places. */
static void
swap_cables(void)
{
	uint32_t a = any(hw->nports), b = any(hw->nports);
	uint32_t x = hw->ports[a].peer, y = hw->ports[b].peer;

	if (a == b || x == b || x == FAB_NONE || y == FAB_NONE || !port[a] || !port[b] ||
		!fab_is_switch(&hw->nodes[hw->ports[a].node]) ||
		!fab_is_switch(&hw->nodes[hw->ports[b].node]) ||
		!fab_is_switch(&hw->nodes[hw->ports[x].node]) ||
		!fab_is_switch(&hw->nodes[hw->ports[y].node]))
		return;
	hw->ports[a].peer = y;
	hw->ports[y].peer = a;
	hw->ports[b].peer = x;
	hw->ports[x].peer = b;
}

/* A node goes, or comes back with ports of another kind. */
static void
flip_node(void)
{
	uint32_t n = CHANCE(4) ? hw->nnodes - 1 : any(hw->nnodes);

	node[n] = !node[n] || n == hw->ports[hw->sm_port].node;
	for (unsigned i = 0; node[n] && i <= hw->nodes[n].nports; i++)
		ATTR_SET(port_info, mtu_cap, hw->ports[hw->nodes[n].first_port + i].info,
			1 + any(5));
}

/* Another manager writes to an end port. */
static void
write_foreign(void)
{
	const struct fab_node *n = &hw->nodes[any(hw->nnodes)];
	uint8_t *image = hw->ports[n->first_port + (fab_is_switch(n) ? 0 : 1)].info;

	switch (any(4)) {
	case 0: ATTR_SET(port_info, master_sm_lid, image, any(100)); break;
	case 1: ATTR_SET(port_info, mkey_lease_period_s, image, 1 + any(100)); break;
	case 2: ATTR_SET(port_info, mkey, image, any(100)); break;
	case 3: ATTR_SET(port_info, lid, image, any(100)); break;
	}
}

/* Both ends of a link are in INIT, and one of them has forgotten everything. */
static void
reboot_port(void)
{
	uint32_t p = any(hw->nports), peer = hw->ports[p].peer;

	if (peer == FAB_NONE)
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct port_info pi = port_info_decode(hw->ports[i ? peer : p].info);

		pi.state = 2;
		pi.lid = i ? pi.lid : 0;
		pi.mkey = i ? pi.mkey : 0;
		pi.operational_vls = 1;
		port_info_encode(hw->ports[i ? peer : p].info, &pi);
	}
}

static void
flip_switch(void)
{
	struct fab_node *n = &hw->nodes[hw->switches[any(hw->nswitches)]];
	struct switch_info si = switch_info_decode(n->switch_info);

	si.enhanced_port0 ^= 1;
	if (CHANCE(2))
		switch_info_encode(n->switch_info, &si);
	else
		n->flags ^= FAB_NODE_SWITCH_INFO;
}

static void
flip_peer_limit(void)
{
	uint8_t *image = hw->ports[any(hw->nports)].info;

	if (CHANCE(2))
		ATTR_SET(port_info, mtu_cap, image, 1 + any(5));
	else
		ATTR_SET(port_info, vl_cap, image, 1 + any(5));
}

/* What all ports of a switch can do is in the image of port 0. */
static void
flip_capability(void)
{
	uint8_t *image = hw->ports[hw->nodes[any(hw->nnodes)].first_port].info;

	ATTR_SET(port_info, capability_mask, image,
		ATTR_GET(port_info, capability_mask, image) ^ PORT_CAP_EXTENDED_SPEEDS);
}

static void
change_speeds(void)
{
	const struct fab_node *n = &hw->nodes[any(hw->nnodes)];

	for (unsigned i = 0; i <= n->nports; i++)
		ATTR_SET(port_info, speed_ext_enabled, hw->ports[n->first_port + i].info,
			1 + any(3));
}

static void
change_conf(void)
{
	switch (any(7)) {
	case 0: links.subnet_timeout = (uint8_t)any(20); break;
	case 1: links.mkeys = mkeys_one(any(3)); break;
	case 2: links.max_op_vls = (uint8_t)(1 + any(5)); break;
	case 3: wanted_enforce = (uint8_t)any(4); break;
	case 4: wanted_limit = (uint8_t)any(4); break;
	case 5: qos = !qos; break;
	case 6: links.force_speed_ext = CHANCE(2) ? 0 : LINK_SPEED_EXT_ALL; break;
	}
}

static void
happen(void)
{
	static void (*const events[])(void) = { flip_bit, flip_link, flip_node, reboot_port,
		flip_switch, flip_peer_limit, change_conf, swap_cables, flip_capability,
		change_speeds, write_foreign };

	for (uint32_t n = CHANCE(3) ? 0 : any(4); n; n--)
		events[any(sizeof(events) / sizeof(*events))]();
}

/* ---- a sweep ---- */

/* What a sweep that does not read a node takes from the one before. */
static void
keep_images(struct snapshot *s, uint32_t n)
{
	uint32_t old = was.bed.s ? snapshot_node_by_guid(was.bed.s, s->nodes[n].guid) : FAB_NONE;

	for (unsigned k = 0; old != FAB_NONE && k <= s->nodes[n].nports; k++) {
		const struct fab_port *p = &was.bed.s->ports[was.bed.s->nodes[old].first_port + k];

		memcpy(s->ports[s->nodes[n].first_port + k].info, p->info, PORT_INFO_BYTES);
	}
}

static void
find_fabric(struct bed *b)
{
	bool *linked = calloc(hw->nports, sizeof(*linked));
	struct snapshot *s;

	for (uint32_t p = 0; p < hw->nports; p++)
		linked[p] = port[p] && hw->ports[p].peer != FAB_NONE && node[hw->ports[p].node] &&
			node[hw->ports[hw->ports[p].peer].node];
	b->s = s = part_make(hw, node, linked);
	free(linked);
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (CHANCE(2))
			keep_images(s, i);
	if (CHANCE(4))
		s->ports[any(s->nports)].flags ^= FAB_PORT_FAILED;
	if (CHANCE(4))
		s->ports[any(s->nports)].flags ^= FAB_PORT_INFO;
	if (CHANCE(8))
		s->nodes[any(s->nnodes)].flags ^= FAB_NODE_CUT;
	observed_tables_init(&b->tables);
	b->o = observed_new(s, &b->tables);
	b->o->qos = qos_tables_next(NULL, NULL, s);
}

static void
plan_fabric(struct sweep *w)
{
	const struct snapshot *s = w->bed.s;
	struct plan *p = &w->bed.plan;
	struct lid_conf lc = { .lmc = 0 };
	struct lid_report lr;

	*p = (struct plan){ .snapshot = s, .packet_life_time = 0x12, .qos = { .on = qos } };
	memcpy(&p->links, &links, sizeof(links));
	assert_int_equal(plan_lids(s, NULL, &lc, &p->arena, &p->lids, &lr), 0);
	p->sm_lid = CHANCE(20) ? 77 : p->lids.base[s->sm_port];
	p->fwd = (struct fwd_tables){ .nswitches = s->nswitches, .vls = 1 };
	p->pkeys.nports = s->nports;
	p->pkeys.first = arena_array(&p->arena, s->nports, sizeof(*p->pkeys.first));
	p->pkeys.nblocks = arena_array(&p->arena, s->nports, sizeof(*p->pkeys.nblocks));
	p->pkeys.enforce = arena_array(&p->arena, s->nports, 1);
	w->vls = arena_array(&p->arena, s->nports, 1);
	w->kind = arena_array(&p->arena, s->nports, 1);
	w->reregister = arena_array(&p->arena, BITS_WORDS(s->nports) + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i < s->nports; i++) {
		p->pkeys.enforce[i] = i % 5 ? 0 : wanted_enforce;
		w->vls[i] = i % 3 != 0;
	}
	if (CHANCE(3))
		bits_set(w->reregister, any(s->nports));
	p->reregister = w->reregister;
	p->qos.vls = w->vls;
	p->qos.kind = w->kind;
	p->qos.high_limit[0] = wanted_limit;
}

static bool
same_changes(const struct changes *a, const struct changes *b)
{
	for (unsigned i = 0; i < CHANGE_PHASE_COUNT; i++)
		if (a->phase[i].n != b->phase[i].n ||
			(a->phase[i].n && memcmp(a->phase[i].v, b->phase[i].v,
						 a->phase[i].n * sizeof(struct change))))
			return false;
	return a->total == b->total;
}

/* The register of that port. */
static uint8_t *
register_of(const struct snapshot *s, uint32_t p)
{
	uint32_t n = snapshot_node_by_guid(hw, s->nodes[s->ports[p].node].guid);

	return hw->ports[hw->nodes[n].first_port + s->ports[p].num].info;
}

/* Of the Sets of PortInfo, most are answered; of the others some took effect. */
static void
write_ports(struct bed *b, const struct changes *c)
{
	uint8_t buf[CHANGE_BYTES], answer[CHANGE_BYTES], image[PORT_INFO_BYTES];

	for (unsigned i = CHANGE_SM_LID; i < CHANGE_PHASE_COUNT; i++)
		for (uint32_t k = 0; k < c->phase[i].n; k++) {
			const struct change *v = &c->phase[i].v[k];
			uint8_t *known = b->s->ports[v->subject].info;

			if (change_kinds[i]->attribute != PORT_INFO_ID || CHANCE(12))
				continue;
			memcpy(image, known, sizeof(image));
			bed_obey(b, (enum change_phase)i, v,
				diff_payload(b->o, &b->plan, (enum change_phase)i, v, buf), answer);
			memcpy(register_of(b->s, v->subject), known, sizeof(image));
			if (CHANCE(12)) {
				memcpy(known, image, sizeof(image));
				bed_forget(b, (enum change_phase)i, *v);
			}
		}
}

static void
sweep_clear(struct sweep *w)
{
	if (!w->bed.s)
		return;
	observed_free(w->bed.o);
	observed_tables_clear(&w->bed.tables);
	arena_clear(&w->bed.plan.arena);
	snapshot_free(w->bed.s);
	memset(w, 0, sizeof(*w));
}

static uint32_t
count_bits(const uint64_t *w, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += bits_test(w, i);
	return sum;
}

/* The ports that are settled after the writes are the same, whether all of them were looked at. */
static void
note_settled(const struct diff_before *before)
{
	struct bed *b = &now.bed;
	uint64_t *all = diff_settled(b->o, &b->plan, NULL);

	b->o->settled = diff_settled(b->o, &b->plan, before);
	assert_memory_equal(all, b->o->settled, BITS_WORDS(b->s->nports) * sizeof(*all));
	free(all);
}

static void
sweep_once(void)
{
	struct diff_before before = { was.bed.o, &was.bed.plan };
	struct changes all, found;
	uint64_t *still;

	find_fabric(&now.bed);
	plan_fabric(&now);
	diff_planned(now.bed.o, &now.bed.plan, NULL, &all);
	diff_planned(now.bed.o, &now.bed.plan, &before, &found);
	assert_true(same_changes(&all, &found));
	still = settled_still(now.bed.o, &now.bed.plan, &before);
	looked += now.bed.s->nports;
	skipped += still ? count_bits(still, now.bed.s->nports) : 0;
	free(still);
	write_ports(&now.bed, &all);
	changes_clear(&all);
	changes_clear(&found);
	note_settled(CHANCE(4) ? NULL : &before);
	sweep_clear(&was);
	was = now;
	memset(&now, 0, sizeof(now));
}

static void
fabric_begin(const char *spec, uint32_t number)
{
	seed = number * 2654435761u + 1;
	hw = hardware(spec);
	node = malloc(hw->nnodes * sizeof(*node));
	port = malloc(hw->nports * sizeof(*port));
	memset(node, true, hw->nnodes * sizeof(*node));
	memset(port, true, hw->nports * sizeof(*port));
	memset(&links, 0, sizeof(links));
	links = (struct link_conf)LINK_CONF_DEFAULTS;
	qos = false;
	wanted_enforce = wanted_limit = 0;
}

static void
fabric_end(void)
{
	sweep_clear(&was);
	made_free(hw);
	free(node);
	free(port);
}

static void
finds_the_same(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=3", "torus:3x3,hosts=2",
		"fattree:k=6,levels=2" };

	(void)state;
	looked = skipped = 0;
	for (uint32_t i = 0; i < test_share(60); i++) {
		fabric_begin(specs[i % 3], i);
		for (unsigned k = 0; k < 60; k++) {
			happen();
			sweep_once();
		}
		fabric_end();
	}
	assert_true(skipped > looked / 2);
}

/* What does not change is not compared at all, wherever it is in the arrays. */
static void
skips_what_is_as_before(void **state)
{
	struct diff_before before;
	uint64_t *still;
	uint32_t n;

	(void)state;
	fabric_begin("fattree:k=4,levels=3", 7);
	for (unsigned i = 0; i < 20; i++)
		sweep_once();
	n = hw->nports;
	for (unsigned gone = 0; gone < 2; gone++) {
		uint32_t host = 0;

		while (fab_is_switch(&hw->nodes[host]) || host == hw->ports[hw->sm_port].node)
			host++;
		node[host] = !gone;
		for (;;) {                      /* until no Set was lost */
			sweep_once();
			if (count_bits(was.bed.o->settled, was.bed.s->nports) == was.bed.s->nports)
				break;
		}
		find_fabric(&now.bed);
		while (memcmp(now.bed.s->ports, was.bed.s->ports,
			now.bed.s->nports * sizeof(*was.bed.s->ports))) {
			sweep_clear(&now);
			find_fabric(&now.bed);
		}
		plan_fabric(&now);
		now.bed.plan.sm_lid = was.bed.plan.sm_lid;
		memcpy(now.reregister, was.reregister,
			BITS_WORDS(was.bed.s->nports) * sizeof(uint64_t));
		before = (struct diff_before){ was.bed.o, &was.bed.plan };
		still = settled_still(now.bed.o, &now.bed.plan, &before);
		assert_int_equal(count_bits(still, now.bed.s->nports), now.bed.s->nports);
		free(still);
		sweep_clear(&now);
		assert_int_equal(was.bed.s->nports, gone ? n - 1 - hw->nodes[host].nports : n);
	}
	fabric_end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_same),
		cmocka_unit_test(skips_what_is_as_before),
	};

	return cmocka_run_group_tests_name("sm/diff/settled", tests, NULL, NULL);
}
