/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_duplicates.c - nodes that claim the GUIDs of others: whoever is served stays, the newcomer is left out and named by its place.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "tests/scenario/lines.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

/* Of fattree:k=4,levels=3: host-1 is next to the manager's host-0 and is always met first. */
#define IMPOSTOR "host-1"
#define IMPOSTOR_PLACE "leaf-0-0 port 2"

struct play {
	struct world w;
	struct world_manager *s;
	struct lines l;
};

static void
duplicates_begin(struct play *p, const char *const *args)
{
	struct hw_conf c = { .seed = 1, .latency_us = 20 };

	memset(p, 0, sizeof(*p));
	world_init_hw(&p->w, "fattree:k=4,levels=3", &c);
	lines_keep(&p->l, &p->w);
	p->s = world_manager_start(&p->w, "host-0", args);
	assert_true(world_run_sweeps(&p->w, p->s, 1, 10 * SECOND));
	world_run(&p->w, 3 * SECOND);
	assert_true(world_is_right(&p->w));
}

static void
duplicates_end(struct play *p)
{
	world_clear(&p->w);
	lines_clear(&p->l);
}

static uint64_t
guid_of(struct play *p, const char *name)
{
	return p->w.topo.nodes[world_node(&p->w, name)].guid;
}

/* The impostor's link was down, as when it was plugged in anew. */
static void
turn_impostor(struct play *p, const char *victim)
{
	uint32_t host = world_node(&p->w, IMPOSTOR);

	assert_int_equal(hw_misbehave(p->w.hw, host, HW_DUPLICATE_GUID, 0, guid_of(p, victim)), 0);
	assert_int_equal(hw_node_reboot(p->w.hw, host, SECOND / 10, p->w.now), 0);
	world_run(&p->w, 5 * SECOND);
}

static unsigned
state_of(struct play *p, const char *name, uint8_t port)
{
	return port_info_decode(hw_port(p->w.hw, world_node(&p->w, name), port)->info).state;
}

/* How many of 'errors' or 'failed' of the report call it a duplicate behind that place. */
static unsigned
reported(struct play *p, const char *guid_text)
{
	json_t *o = manager_status(p->s->m, p->w.now), *t;
	char begin[128];
	unsigned n = 0;
	size_t i;

	snprintf(begin, sizeof(begin), "duplicate GUID %s behind %s", guid_text, IMPOSTOR_PLACE);
	json_array_foreach(json_object_get(o, "troubles"), i, t) {
		const char *reason = json_string_value(json_object_get(t, "reason"));

		n += strncmp(reason, begin, strlen(begin)) == 0;
		assert_null(strstr(reason, IMPOSTOR " "));
		assert_string_not_equal(json_string_value(json_object_get(t, "description")), IMPOSTOR);
	}
	json_decref(o);
	return n;
}

static const char *
hex(uint64_t guid)
{
	static char text[20];

	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)guid);
	return text;
}

/* Where packets to 'lid' end that host-5 sends, by the forwarding tables of the switches. */
static uint32_t
arrives_at(struct play *p, uint16_t lid)
{
	uint32_t at = world_node(&p->w, "host-5");
	uint8_t port = 1, in;

	for (unsigned hops = 0; hops < 64; hops++) {
		const struct hw_node *n;

		if (!hw_peer(p->w.hw, at, port, &at, &in))
			return UINT32_MAX;
		n = &p->w.hw->nodes[at];
		if (n->type != TOPO_SWITCH || !n->lft[lid])
			return at;
		port = n->lft[lid];
	}
	return UINT32_MAX;
}

/* All but the impostor is as it was: states, LIDs, and every walk between the others. */
static void
others_are_served(struct play *p)
{
	struct hw_verdict v;

	hw_check(p->w.hw, true, &v);
	assert_int_equal(v.linked - v.active, 2);       /* the impostor's link stays as it was: INIT */
	assert_int_equal(state_of(p, "leaf-0-0", 2), 2);
	assert_int_equal(v.duplicate_lids, 0);
	assert_int_equal(v.hosts, 16);
	assert_int_equal(v.lost, v.walks / v.hosts);    /* only those that the impostor begins */
}

static void
claims(const char *victim, const char *keeps)
{
	struct play p;
	uint16_t lid;
	char line[160];

	duplicates_begin(&p, NULL);
	printf("# %s claims the GUID of %s\n", IMPOSTOR, victim);
	lid = world_lid(&p.w, victim, strncmp(victim, "host", 4) == 0);
	turn_impostor(&p, victim);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(world_lid(&p.w, victim, strncmp(victim, "host", 4) == 0), lid);
		assert_int_equal(arrives_at(&p, lid), world_node(&p.w, victim));
		others_are_served(&p);
		assert_int_equal(reported(&p, hex(guid_of(&p, victim))), 1);
		manager_sweep(p.s->m, "test", p.w.now);
		world_run(&p.w, 5 * SECOND);
	}
	snprintf(line, sizeof(line), "duplicate GUID %s behind %s; the node served at %s keeps it", hex(guid_of(&p, victim)),
		IMPOSTOR_PLACE, keeps);
	assert_int_equal(lines_with(&p.l, line), 1);
	assert_int_equal(lines_with(&p.l, "duplicate GUID"), 1);
	/* When it is honest again it is served, and nothing is missing. */
	assert_int_equal(hw_misbehave(p.w.hw, world_node(&p.w, IMPOSTOR), HW_NONE, 0, 0), 0);
	manager_sweep(p.s->m, "test", p.w.now);
	world_run(&p.w, 5 * SECOND);
	assert_true(world_is_right(&p.w));
	assert_int_equal(world_lid(&p.w, victim, strncmp(victim, "host", 4) == 0), lid);
	duplicates_end(&p);
}

static void
served_nodes_keep_their_guid(void **arg)
{
	(void)arg;
	claims("host-12", "leaf-3-0 port 1");
	claims("core-0-0", "agg-0-0 port 3");           /* a switch further away than the impostor */
	claims("leaf-2-1", "agg-2-0 port 2");
	claims("host-0", "leaf-0-0 port 1");            /* the manager's own port */
}

/* A manager that begins, with nothing served yet: the link that is ACTIVE tells who was. */
static void
a_new_manager_keeps_who_was_served(void **arg)
{
	static const char *const victims[] = { "host-12", "core-0-0", "agg-2-0" };
	struct play p;

	(void)arg;
	for (unsigned i = 0; i < 3; i++) {
		uint8_t port = strncmp(victims[i], "host", 4) == 0;
		uint16_t lid;

		duplicates_begin(&p, NULL);
		lid = world_lid(&p.w, victims[i], port);
		turn_impostor(&p, victims[i]);
		world_manager_kill(&p.w, p.s);
		world_run(&p.w, SECOND);
		p.s = world_manager_start(&p.w, "host-0", NULL);        /* its store is lost as well */
		assert_true(world_run_sweeps(&p.w, p.s, 1, 10 * SECOND));
		world_run(&p.w, 5 * SECOND);
		assert_int_equal(world_lid(&p.w, victims[i], port), lid);
		assert_int_equal(arrives_at(&p, lid), world_node(&p.w, victims[i]));
		others_are_served(&p);
		assert_int_equal(reported(&p, hex(guid_of(&p, victims[i]))), 1);
		duplicates_end(&p);
	}
}

/* In a fabric that nobody has configured yet the GUID of the switch decides, and not which answer comes first. */
static void
a_first_sweep_does_not_depend_on_the_order_of_answers(void **arg)
{
	(void)arg;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct hw_conf c = { .seed = seed, .latency_us = 20 };
		struct hw_faults f = { .reorder_ppm = 500000, .delay_ppm = 300000, .delay_us = 3000 };
		struct world_manager *s;
		struct world w;

		world_init_hw(&w, "fattree:k=4,levels=3", &c);
		assert_int_equal(hw_misbehave(w.hw, world_node(&w, "host-9"), HW_DUPLICATE_GUID, 0,
			w.topo.nodes[world_node(&w, "host-4")].guid), 0);
		assert_int_equal(hw_faults_set(w.hw, TOPO_NONE, &f), 0);
		s = world_manager_start(&w, "host-0", NULL);
		assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
		/* leaf-1-0, before host-4, has a lower GUID than leaf-2-0. */
		assert_int_equal(port_info_decode(hw_port(w.hw, world_node(&w, "host-4"), 1)->info).state, 4);
		assert_int_equal(port_info_decode(hw_port(w.hw, world_node(&w, "host-9"), 1)->info).state, 2);
		world_clear(&w);
	}
}

/* A port GUID is as good a name as a node GUID: whose node GUID is his own and whose port GUID is not is left out as well. */
static void
port_guids_are_kept(void **arg)
{
	static const char *const victims[] = { "host-12", "core-0-0", "host-0" };
	struct play p;

	(void)arg;
	for (unsigned i = 0; i < 3; i++) {
		uint8_t port = strncmp(victims[i], "host", 4) == 0;
		uint64_t guid;
		uint16_t lid;

		duplicates_begin(&p, NULL);
		guid = hw_port(p.w.hw, world_node(&p.w, victims[i]), port)->guid;
		lid = world_lid(&p.w, victims[i], port);
		hw_port(p.w.hw, world_node(&p.w, IMPOSTOR), 1)->guid = guid;
		assert_int_equal(hw_node_reboot(p.w.hw, world_node(&p.w, IMPOSTOR), SECOND / 10, p.w.now), 0);
		for (unsigned k = 0; k < 3; k++) {
			world_run(&p.w, 5 * SECOND);
			assert_int_equal(world_lid(&p.w, victims[i], port), lid);
			assert_int_equal(arrives_at(&p, lid), world_node(&p.w, victims[i]));
			others_are_served(&p);
			assert_int_equal(reported(&p, hex(guid)), 1);
			manager_sweep(p.s->m, "test", p.w.now);
		}
		assert_int_equal(lines_with(&p.l, "duplicate GUID"), 1);
		duplicates_end(&p);
	}
}

/* A host that moves takes its GUID along: that is no duplicate, and it keeps its LID. */
static void
a_moved_host_is_no_duplicate(void **arg)
{
	struct play p;
	uint32_t host;
	uint16_t lid;

	(void)arg;
	duplicates_begin(&p, NULL);
	host = world_node(&p.w, "host-12");
	lid = world_lid(&p.w, "host-12", 1);
	for (unsigned i = 0; i < 2; i++) {
		/* host-1 goes, host-12 comes to its port: and back. */
		assert_int_equal(hw_cable_pull(p.w.hw, i ? host : world_node(&p.w, "host-1"), 1, p.w.now), 0);
		if (!i)
			assert_int_equal(hw_cable_pull(p.w.hw, host, 1, p.w.now), 0);
		assert_int_equal(hw_cable_plug(p.w.hw, host, 1, world_node(&p.w, i ? "leaf-3-0" : "leaf-0-0"), i ? 1 : 2, p.w.now), 0);
		world_run(&p.w, 10 * SECOND);
		assert_int_equal(world_lid(&p.w, "host-12", 1), lid);
		assert_true(world_is_right(&p.w));
	}
	assert_int_equal(lines_with(&p.l, "duplicate GUID"), 0);
	assert_int_equal(lines_with(&p.l, "node back: host-12 (0x00fe1d0000002000) behind leaf-0-0 port 2, away for "), 1);
	assert_int_equal(lines_with(&p.l, "node back: host-12 (0x00fe1d0000002000) behind leaf-3-0 port 1, away for "), 1);
	duplicates_end(&p);
}

/* Who silences a host does not get its GUID: as long as the link is up, its place is kept for it. */
static void
a_silent_node_keeps_its_guid(void **arg)
{
	struct play p;
	uint16_t lid;

	(void)arg;
	duplicates_begin(&p, NULL);
	lid = world_lid(&p.w, "host-12", 1);
	assert_int_equal(hw_misbehave(p.w.hw, world_node(&p.w, "host-12"), HW_MUTE, 0, 0), 0);
	turn_impostor(&p, "host-12");
	for (unsigned i = 0; i < 3; i++) {
		manager_sweep(p.s->m, "test", p.w.now);
		world_run(&p.w, 10 * SECOND);
		assert_int_equal(state_of(&p, "leaf-0-0", 2), 2);
		assert_int_equal(reported(&p, hex(guid_of(&p, "host-12"))), 1);
	}
	assert_int_equal(hw_misbehave(p.w.hw, world_node(&p.w, "host-12"), HW_NONE, 0, 0), 0);
	manager_sweep(p.s->m, "test", p.w.now);
	world_run(&p.w, 10 * SECOND);
	others_are_served(&p);
	assert_int_equal(world_lid(&p.w, "host-12", 1), lid);
	assert_int_equal(lines_with(&p.l, "duplicate GUID"), 1);
	/* With its link down it has gone, and nothing says that the other is not the same node in another place. */
	assert_int_equal(hw_cable_pull(p.w.hw, world_node(&p.w, "host-12"), 1, p.w.now), 0);
	world_run(&p.w, 10 * SECOND);
	assert_int_equal(state_of(&p, "leaf-0-0", 2), 4);
	duplicates_end(&p);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(served_nodes_keep_their_guid),
		cmocka_unit_test(a_new_manager_keeps_who_was_served),
		cmocka_unit_test(a_first_sweep_does_not_depend_on_the_order_of_answers),
		cmocka_unit_test(port_guids_are_kept),
		cmocka_unit_test(a_moved_host_is_no_duplicate),
		cmocka_unit_test(a_silent_node_keeps_its_guid),
	};

	return cmocka_run_group_tests_name("duplicates", tests, NULL, NULL);
}
