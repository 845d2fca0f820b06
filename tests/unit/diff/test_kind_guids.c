/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kind_guids.c - blocks of GUID tables: which are written, and what an answer proves.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/read/guid_read.h"
#include "tests/unit/diff/fixture.h"

/*
 * GUID tables: only blocks that were wanted once, and that are not known to hold what they shall.
 */
static void
alias_guids(void **state)
{
	static const uint64_t guids[GUID_BLOCK_GUIDS] = { 0, 0xa1, 0, 0xa3 };
	uint64_t guid = b.s->ports[b.host].guid;
	uint8_t buf[64];
	const uint8_t *w;

	(void)state;
	b.s->endports = &b.host;
	b.s->nendports = 1;
	b.plan.guids = b.guids = guid_tables_new();
	bed_settle(&b, &found);
	guid_tables_want(b.guids, guid, 1, guids);
	guid_tables_want(b.guids, 0x999, 0, guids); /* a port that is not there */
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_GUIDS, b.host, 1);
	w = diff_payload(b.o, &b.plan, CHANGE_GUIDS, &found.phase[CHANGE_GUIDS].v[0], buf);
	assert_int_equal(wire_get64(w + 8), 0xa1);
	assert_int_equal(wire_get64(w + 24), 0xa3);
	bed_settle(&b, &found);
	guid_seen_doubt(b.o->tables->guids, guid);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_GUIDS, b.host, 1);
	b.s->ports[b.host].flags |= FAB_PORT_FAILED;
	changes_clear(&found);
	diff_guids(b.o, &b.plan, b.host, &found);
	assert_int_equal(found.total, 0);
	guid_tables_free(b.guids);
	b.plan.guids = NULL;
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
	assert_true(bed_took_effect(&b, CHANGE_GUIDS, c, sent, w));
	bed_observe(&b, CHANGE_GUIDS, c, (struct change_answer){ .data = w, .effect = true });
	assert_false(guid_tables_differ(b.guids, b.o->tables->guids, guid, 0));
	bed_forget(&b, CHANGE_GUIDS, c);
	assert_true(guid_tables_differ(b.guids, b.o->tables->guids, guid, 0));
	wire_put64(w + 8, 0);
	assert_false(bed_took_effect(&b, CHANGE_GUIDS, c, sent, w));
	bed_observe(&b, CHANGE_GUIDS, c, (struct change_answer){ .data = w, .effect = false });
	assert_true(guid_tables_differ(b.guids, b.o->tables->guids, guid, 0));
	guid_tables_free(b.guids);
}

/* Without a table of wanted GUIDs there is nothing to compare, whatever the ports hold. */
static void
no_guids_are_wanted(void **state)
{
	uint8_t image[64] = { 1 };

	(void)state;
	b.s->endports = &b.host;
	b.s->nendports = 1;
	guid_seen_put(b.o->tables->guids, b.s->ports[b.host].guid, 0, image);
	bed_settle(&b, &found);
	diff_guids(b.o, &b.plan, b.host, &found);
	assert_int_equal(found.total, 0);
	assert_true(change_kinds[CHANGE_GUIDS]->registered);
	assert_true(change_kinds[CHANGE_GUIDS]->keeps_sent);
}

/* A GUID that is not wanted any more is taken away, where the block is known. */
static void
guids_that_are_not_wanted_any_more(void **state)
{
	static const uint64_t one[GUID_BLOCK_GUIDS] = { 0, 0xa1 }, none[GUID_BLOCK_GUIDS] = { 0 };
	uint64_t guid = b.s->ports[b.host].guid;
	struct port_info pi = bed_port(&b, b.host);
	uint8_t buf[64];
	const uint8_t *w;

	(void)state;
	b.s->endports = &b.host;
	b.s->nendports = 1;
	b.plan.guids = b.guids = guid_tables_new();
	bed_settle(&b, &found);
	pi = bed_port(&b, b.host);
	pi.guid_cap = 8;
	bed_show(&b, b.host, pi);
	guid_tables_want(b.guids, guid, 0, one);
	bed_settle(&b, &found);
	guid_tables_want(b.guids, guid, 0, none);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_GUIDS, b.host, 0);
	w = diff_payload(b.o, &b.plan, CHANGE_GUIDS, &found.phase[CHANGE_GUIDS].v[0], buf);
	assert_int_equal(wire_get64(w + 8), 0);
	bed_settle(&b, &found);
	b.plan.guids = NULL;
	guid_tables_free(b.guids);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(alias_guids),
		T(guid_blocks),
		T(no_guids_are_wanted),
		T(guids_that_are_not_wanted_any_more),
	};

	return cmocka_run_group_tests_name("sm/diff/kind_guids", tests, NULL, NULL);
}
