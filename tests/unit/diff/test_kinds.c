/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kinds.c - the row of each kind: attribute, modifier, what an answer proves and makes known.
 * test_diff.c tests which changes there are and what they carry.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/read/guid_read.h"
#include "sm/diff/diff.h"
#include "tests/unit/diff/bed.h"

static struct bed b;
static struct diff_view view;

static int
setup(void **state)
{
	(void)state;
	bed_make(&b);
	view = (struct diff_view){ .s = b.s, .observed = b.o, .plan = &b.plan };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	bed_clear(&b);
	return 0;
}

static bool
took_effect(enum change_phase p, struct change c, const uint8_t *sent, const uint8_t *data)
{
	return change_kinds[p]->took_effect(change_kinds[p], &view, &c, sent, data);
}

static void
observe(enum change_phase p, struct change c, struct change_answer answer)
{
	change_kinds[p]->observe(b.o, &c, &answer);
}

static void
forget(enum change_phase p, struct change c)
{
	change_kinds[p]->forget(b.o, &c);
}

static uint32_t
modifier(enum change_phase p, struct change c, bool fallback)
{
	return change_kinds[p]->modifier ? change_kinds[p]->modifier(&view, &c, fallback) : 0;
}

/* Names are part of the log and of reports: they and their order stay. */
static void
the_table(void **state)
{
	static const char *const names[] = { "lanes", "pkeys", "sm_lid", "lids", "switch_info",
		"arm_back", "activate_back", "lft_sm", "lft", "qos", "mft_cut", "mft", "guids",
		"links", "arm", "activate" };

	(void)state;
	assert_int_equal(sizeof(names) / sizeof(*names), CHANGE_PHASE_COUNT);
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++) {
		const struct change_kind *k = change_kinds[p];

		assert_string_equal(k->name, names[p]);
		assert_string_equal(change_phase_text((enum change_phase)p), names[p]);
		assert_true(!k->attribute != !k->attribute_of);
		assert_true(k->payload && k->took_effect);
		assert_true(k->observe != NULL);
		assert_false(k->bars_link && k->needs_link);
	}
	assert_string_equal(change_phase_text(CHANGE_PHASE_COUNT), "done");
}

static void
as_reports_name_them(void **state)
{
	static const struct { uint16_t attribute; uint32_t modifier;
	} row[CHANGE_PHASE_COUNT] = {
		[CHANGE_PKEYS] = { PKEY_TABLE_ID, 0 },
		[CHANGE_SM_LID] = { PORT_INFO_ID, 7 },
		[CHANGE_LIDS] = { PORT_INFO_ID, 7 },
		[CHANGE_SWITCH_INFO] = { SWITCH_INFO_ID, 0 },
		[CHANGE_ARM_BACK] = { PORT_INFO_ID, 7 },
		[CHANGE_ACTIVATE_BACK] = { PORT_INFO_ID, 7 },
		[CHANGE_LFT_SM] = { LFT_BLOCK_ID, 5 },
		[CHANGE_LFT] = { LFT_BLOCK_ID, 5 },
		[CHANGE_LANES] = { SLVL_TABLE_ID, 5 },
		[CHANGE_QOS] = { SLVL_TABLE_ID, 5 },
		[CHANGE_MFT_CUT] = { MFT_BLOCK_ID, 0 },
		[CHANGE_MFT] = { MFT_BLOCK_ID, 0 },
		[CHANGE_GUIDS] = { GUID_INFO_ID, 5 },
		[CHANGE_LINKS] = { PORT_INFO_ID, 7 },
		[CHANGE_ARM] = { PORT_INFO_ID, 7 },
		[CHANGE_ACTIVATE] = { PORT_INFO_ID, 7 },
	};
	struct change vlarb = { 1, CHANGE_QOS_VLARB | 0x10003 }, c = { 1, 5 };

	(void)state;
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++) {
		assert_int_equal(change_attribute(change_kinds[p], &c), row[p].attribute);
		assert_int_equal(change_reported(change_kinds[p], &c, 7), row[p].modifier);
	}
	assert_int_equal(change_attribute(change_kinds[CHANGE_QOS], &vlarb), VLARB_TABLE_ID);
	assert_int_equal(change_reported(change_kinds[CHANGE_QOS], &vlarb, 7), 0x10003);
}

static void
pkeys_on_the_wire(void **state)
{
	uint32_t leaf_num = b.s->ports[b.leaf].num;
	uint8_t image[64] = { 0x12, 0x34 }, block[1][PKEY_TABLE_BYTES] = { { 0 } };

	(void)state;
	assert_true(leaf_num > 0);
	assert_int_equal(modifier(CHANGE_PKEYS, (struct change){ b.host, 3 }, false), 3);
	assert_int_equal(
		modifier(CHANGE_PKEYS, (struct change){ b.leaf, 3 }, false), leaf_num << 16 | 3);
	b.s->pkey_blocks = block;
	b.s->ports[b.host].pkeys = 0;
	observe(CHANGE_PKEYS, (struct change){ b.host, 0 },
		(struct change_answer){ .data = image });
	b.s->pkey_blocks = NULL;
	assert_memory_equal(block[0], image, 64);
}

/* What the plan wants of the host's port, with other numbers where the test says so. */
static void
planned_image(enum change_phase p, uint8_t state, uint16_t lid_offset, uint8_t w[static 64])
{
	struct change c = { b.host, 0 };
	struct port_info pi;

	memmove(w, diff_payload(b.o, &b.plan, p, &c, w), 64);
	pi = port_info_decode(w);
	pi.state = state;
	pi.lid = (uint16_t)(pi.lid + lid_offset);
	port_info_encode(w, &pi);
}

static void
ports_must_show_state_and_addresses(void **state)
{
	static const struct {
		enum change_phase phase;
		uint8_t state;
		uint16_t lid_offset;
		bool effect;
	} row[] = {
		{ CHANGE_LIDS, 2, 0, true },
		{ CHANGE_LIDS, 2, 1, false },
		{ CHANGE_LINKS, 4, 0, true },
		{ CHANGE_ARM, 2, 0, false },
		{ CHANGE_ARM, 3, 0, true },
		{ CHANGE_ARM, 4, 0, true },
		{ CHANGE_ARM, 3, 1, false },
		{ CHANGE_ACTIVATE, 3, 0, false },
		{ CHANGE_ACTIVATE, 4, 0, true },
		{ CHANGE_ACTIVATE, 4, 9, false },
	};
	uint8_t w[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
		planned_image(row[i].phase, row[i].state, row[i].lid_offset, w);
		assert_int_equal(took_effect(row[i].phase, (struct change){ b.host, 0 }, NULL, w),
			row[i].effect);
	}
}

static void
what_is_known_of_a_port(void **state)
{
	struct fab_port *p = &b.s->ports[b.host];
	struct fab_node *n = &b.s->nodes[p->node];
	struct change c = { b.host, 0 };
	struct port_info pi;
	uint8_t w[64];

	(void)state;
	planned_image(CHANGE_ARM, 3, 0, w);
	pi = port_info_decode(w);
	pi.client_reregister = 1;
	port_info_encode(w, &pi);
	p->flags = FAB_PORT_INFO;
	observe(CHANGE_ARM, c, (struct change_answer){ .data = w, .modifier = 1, .effect = true });
	assert_int_equal(bed_port(&b, b.host).state, 3);
	assert_int_equal(bed_port(&b, b.host).client_reregister, 0);    /* an echo */
	assert_int_equal(p->flags, FAB_PORT_INFO);
	observe(CHANGE_ARM, c, (struct change_answer){ .data = w, .modifier = 1, .effect = false });
	assert_int_equal(p->flags, FAB_PORT_INFO | FAB_PORT_UNTOLD);
	p->flags = FAB_PORT_INFO;
	forget(CHANGE_ARM, c);
	assert_int_equal(p->flags, FAB_PORT_INFO | FAB_PORT_UNTOLD);
	assert_int_equal(n->flags & FAB_NODE_NOT_EXTENDED, 0);
	observe(CHANGE_LINKS, c,
		(struct change_answer){
			.data = w, .modifier = 1, .effect = true, .fallback = true });
	assert_int_equal(n->flags & FAB_NODE_NOT_EXTENDED, FAB_NODE_NOT_EXTENDED);
	p->flags = FAB_PORT_INFO;
	observe(CHANGE_LINKS, c,
		(struct change_answer){
			.data = w, .modifier = PORT_INFO_EXTENDED_SPEEDS | 1, .effect = true });
	assert_int_equal(p->flags, FAB_PORT_INFO | FAB_PORT_EXTENDED);
}

/* A Get after a refused Set: a port may have become ACTIVE by itself. */
static void
states_that_count(void **state)
{
	(void)state;
	for (uint8_t shows = 0; shows < 6; shows++) {
		struct port_info pi = { .state = shows };
		uint8_t w[64] = { 0 };

		port_info_encode(w, &pi);
		assert_int_equal(change_kinds[CHANGE_ARM]->reached(change_kinds[CHANGE_ARM], w),
			shows == 3 || shows == 4);
		assert_int_equal(
			change_kinds[CHANGE_ACTIVATE]->reached(change_kinds[CHANGE_ACTIVATE], w),
			shows == 4);
	}
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		assert_int_equal(
			change_kinds[p]->reached != NULL, p == CHANGE_ARM || p == CHANGE_ACTIVATE ||
				p == CHANGE_ARM_BACK || p == CHANGE_ACTIVATE_BACK);
}

/* Without the bit that asks for extended speeds. */
static void
the_fallback_form(void **state)
{
	const struct change_kind *k = change_kinds[CHANGE_ARM];
	const uint32_t with = PORT_INFO_EXTENDED_SPEEDS | 1;
	struct change c = { b.host, 0 };
	struct port_info pi = bed_port(&b, b.host);

	(void)state;
	assert_int_equal(modifier(CHANGE_ARM, c, false), 1);
	pi.capability_mask |= UINT32_C(1) << 14;
	bed_show(&b, b.host, pi);
	assert_int_equal(modifier(CHANGE_ARM, c, false), with);
	assert_int_equal(modifier(CHANGE_ARM, c, true), 1);
	assert_true(k->has_fallback(&view, &c, with, STATUS_BAD_VALUE));
	assert_false(k->has_fallback(&view, &c, 1, STATUS_BAD_VALUE));
	assert_false(k->has_fallback(&view, &c, with, STATUS_BAD_VALUE + 1));
	b.s->ports[b.host].flags |= FAB_PORT_EXTENDED;          /* it has answered such a request */
	assert_false(k->has_fallback(&view, &c, with, STATUS_BAD_VALUE));
}

static void
switches_must_show_the_top(void **state)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[4]];
	struct switch_info si = { .lft_top = b.plan.fwd.top, .life_time = 3 };
	uint8_t w[64] = { 0 };

	(void)state;
	switch_info_encode(w, &si);
	assert_true(took_effect(CHANGE_SWITCH_INFO, (struct change){ 4, 0 }, NULL, w));
	observe(CHANGE_SWITCH_INFO, (struct change){ 4, 0 },
		(struct change_answer){ .data = w, .effect = true });
	assert_int_equal(switch_info_decode(n->switch_info).life_time, 3);
	si.lft_top--;
	switch_info_encode(w, &si);
	assert_false(took_effect(CHANGE_SWITCH_INFO, (struct change){ 4, 0 }, NULL, w));
}

/* A table is known as long as every block of it took effect. */
static void
forwarding_tables(void **state)
{
	static const enum change_phase phases[] = { CHANGE_LFT_SM, CHANGE_LFT };
	uint8_t w[64];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct change c = { 2 * i, 1 }, other = { 2 * i + 1, 1 };

		memcpy(w, fwd_row(&b.plan.fwd, c.subject) + 64, 64);
		assert_true(took_effect(phases[i], c, NULL, w));
		observe(phases[i], c, (struct change_answer){ .data = w, .effect = true });
		assert_true(observed_lft_known(b.o, c.subject));
		w[63] ^= 1;
		assert_false(took_effect(phases[i], c, NULL, w));
		observe(phases[i], c, (struct change_answer){ .data = w, .effect = false });
		assert_false(observed_lft_known(b.o, c.subject));
		assert_true(observed_lft_known(b.o, other.subject));
		forget(phases[i], other);
		assert_false(observed_lft_known(b.o, other.subject));
		assert_int_equal(modifier(phases[i], c, false), 1);
		assert_true(change_kinds[phases[i]]->payload_borrowed);
	}
}

/* A write that carries a part of a block has bytes of its own, and the number of the block. */
static void
parts_of_forwarding_tables(void **state)
{
	uint8_t images[2][64] = { { 1 }, { 2, 3 } }, buf[64];
	struct order o = { .images = images, .nimages = 2 };
	struct diff_view v = view;
	struct change c = { 4, CHANGE_WITH_IMAGE(2, 2) };

	(void)state;
	v.order = &o;
	assert_int_equal(modifier(CHANGE_LFT, c, false), 2);
	assert_int_equal(change_reported(change_kinds[CHANGE_LFT], &c, 0), 2);
	assert_ptr_equal(change_kinds[CHANGE_LFT]->payload(change_kinds[CHANGE_LFT], &v, &c, buf),
		images[1]);
	c.block = CHANGE_WITH_IMAGE(2, 0);
	assert_ptr_equal(change_kinds[CHANGE_LFT]->payload(change_kinds[CHANGE_LFT], &v, &c, buf),
		fwd_row(&b.plan.fwd, 4) + 128);
	assert_true(change_kinds[CHANGE_LFT]->took_effect(change_kinds[CHANGE_LFT], &v,
		&(struct change){ 4, CHANGE_WITH_IMAGE(2, 1) }, NULL, images[0]));
	assert_false(change_kinds[CHANGE_LFT]->took_effect(change_kinds[CHANGE_LFT], &v,
		&(struct change){ 4, CHANGE_WITH_IMAGE(2, 1) }, NULL, images[1]));
}

/* The trees may have moved on: an answer is compared with what was sent. */
static void
multicast_rows(void **state)
{
	struct change c = { 3, mft_row_of(2, 1) };
	uint64_t known[4] = { UINT64_MAX }, guid = b.s->nodes[b.s->switches[3]].guid;
	uint8_t sent[64] = { 1, 2, 3 }, other[64] = { 1, 2, 4 };

	(void)state;
	mft_seen_keep(b.o->tables->mft, b.s, known);
	for (enum change_phase p = CHANGE_MFT_CUT; p <= CHANGE_MFT; p++) {
		assert_true(change_kinds[p]->keeps_sent && change_kinds[p]->registered);
		assert_int_equal(modifier(p, c, false), c.block);
		assert_true(took_effect(p, c, sent, sent));
		assert_false(took_effect(p, c, sent, other));
		observe(p, c, (struct change_answer){ .data = other });
		assert_memory_equal(mft_seen_row(b.o->tables->mft, guid, c.block), other, 64);
		forget(p, c);
		assert_null(mft_seen_row(b.o->tables->mft, guid, c.block));
	}
}

/* Entries beyond GUIDCap, and the port's own GUID, are not compared. */
static void
guid_blocks(void **state)
{
	static const uint64_t guids[GUID_BLOCK_GUIDS] = { 0, 0xa1, 0xa2, 0, 0, 0, 0, 0 };
	uint64_t guid = b.s->ports[b.host].guid;
	struct port_info pi = bed_port(&b, b.host);
	struct change c = { b.host, 0 };
	uint8_t sent[64], w[64];

	(void)state;
	pi.guid_cap = 3;
	bed_show(&b, b.host, pi);
	b.plan.guids = b.guids = guid_tables_new();
	guid_tables_want(b.guids, guid, 0, guids);
	memcpy(sent, guid_tables_wanted(b.guids, guid, 0), 64);
	memcpy(w, sent, 64);
	wire_put64(w, 0x77);
	wire_put64(w + 24, 0x99);
	assert_true(took_effect(CHANGE_GUIDS, c, sent, w));
	observe(CHANGE_GUIDS, c, (struct change_answer){ .data = w, .effect = true });
	assert_false(guid_tables_differ(b.guids, b.o->tables->guids, guid, 0));
	forget(CHANGE_GUIDS, c);
	assert_true(guid_tables_differ(b.guids, b.o->tables->guids, guid, 0));
	wire_put64(w + 8, 0);
	assert_false(took_effect(CHANGE_GUIDS, c, sent, w));
	observe(CHANGE_GUIDS, c, (struct change_answer){ .data = w, .effect = false });
	assert_true(guid_tables_differ(b.guids, b.o->tables->guids, guid, 0));
	guid_tables_free(b.guids);
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
	w[2 * 8] ^= 1;                                          /* the port has 8 entries */
	assert_true(took_effect(CHANGE_QOS, vlarb, NULL, w));
	assert_false(qos_tables_get(b.o->qos, b.s, &t, have));
	observe(CHANGE_QOS, vlarb, (struct change_answer){ .data = w, .effect = true });
	assert_true(qos_tables_get(b.o->qos, b.s, &t, have));
	forget(CHANGE_QOS, vlarb);
	assert_false(qos_tables_get(b.o->qos, b.s, &t, have));
	w[1] ^= 1;
	assert_false(took_effect(CHANGE_QOS, vlarb, NULL, w));
	diff_payload(b.o, &b.plan, CHANGE_QOS, &slvl, w);
	assert_true(took_effect(CHANGE_QOS, slvl, NULL, w));
	w[7] ^= 1;
	assert_false(took_effect(CHANGE_QOS, slvl, NULL, w));
	assert_false(k->is_quiet(&b.plan, &slvl));
	b.plan.qos.quiet = true;
	assert_true(k->is_quiet(&b.plan, &slvl));
	assert_false(k->is_quiet(&b.plan, &vlarb));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_table, setup, teardown),
		cmocka_unit_test_setup_teardown(as_reports_name_them, setup, teardown),
		cmocka_unit_test_setup_teardown(pkeys_on_the_wire, setup, teardown),
		cmocka_unit_test_setup_teardown(
			ports_must_show_state_and_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_known_of_a_port, setup, teardown),
		cmocka_unit_test_setup_teardown(states_that_count, setup, teardown),
		cmocka_unit_test_setup_teardown(the_fallback_form, setup, teardown),
		cmocka_unit_test_setup_teardown(switches_must_show_the_top, setup, teardown),
		cmocka_unit_test_setup_teardown(forwarding_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(parts_of_forwarding_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(multicast_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(guid_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(vl_tables, setup, teardown),
	};

	return cmocka_run_group_tests_name("diff/kinds", tests, NULL, NULL);
}
