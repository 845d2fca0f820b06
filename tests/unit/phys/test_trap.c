/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_trap.c - who reports what, to the byte; how often; and what makes it stop.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

#define INTERVAL_US 1073741     /* 4.096 us x 2^18 */

static void
forget(struct rig *r)
{
	while (!rig_quiet(r))
		;
}

/* The next trap at A: its notice in 'w'. */
static bool
trapped(struct rig *r, struct hw_packet *p, uint8_t w[64])
{
	if (!rig_delivered(r, A, 1, p))
		return false;
	memcpy(w, p->mad + 64, 64);
	return p->mad[1] == CLASS_SM_LID && p->mad[3] == METHOD_TRAP && wire_get16(p->mad + 16) == NOTICE_ID &&
		p->dlid == 1 && !p->dst_qp;
}

static void
repress(struct rig *r, const struct hw_packet *trap)
{
	r->p = *trap;
	r->p.mad[3] = METHOD_TRAP_REPRESS;
	wire_put64(r->p.mad + 24, r->mkey);
	r->p.slid = 1;
	r->p.dlid = trap->slid;
	assert_false(rig_send(r, A, 1));
}

static void
a_switch_reports_its_links(void **state)
{
	static const uint8_t notice[12] = { 0x81, 0, 0, 2, 0, 128, 0, 2, 0, 0, 0, 2 };
	struct rig *r = *state;
	struct hw_packet p;
	uint8_t w[64];

	rig_bring_up(r);
	forget(r);
	hw_cable_pull(r->h, S1, 3, r->now);
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	if (p.slid != 2) {                      /* S2 reports too; either may be first */
		assert_int_equal(p.slid, 3);
		assert_true(trapped(r, &p, w));
	}
	assert_int_equal(p.slid, 2);
	assert_memory_equal(w, notice, 12);
	for (unsigned i = 12; i < 64; i++)
		assert_int_equal(w[i], 0);
}

static void
nobody_without_lids_reports(void **state)
{
	struct rig *r = *state;

	hw_cable_pull(r->h, S1, 3, r->now);
	hw_set_issm(r->h, B, 1, true, r->now);
	rig_wait(r, 10000000);
	assert_true(rig_quiet(r));
	assert_int_equal(hw_stats(r->h)->traps, 0);
}

static void
is_repeated_until_repressed(void **state)
{
	struct rig *r = *state;
	struct hw_packet p, again;
	uint8_t w[64];

	rig_bring_up(r);
	forget(r);
	assert_int_equal(hw_trap_raise(r->h, B, 1, 129, r->now), 0);
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	rig_wait(r, INTERVAL_US - 1);
	assert_true(rig_quiet(r));
	rig_wait(r, 1);
	assert_true(trapped(r, &again, w));
	assert_memory_equal(p.mad, again.mad, 256);
	repress(r, &p);
	rig_wait(r, 100 * INTERVAL_US);
	assert_true(rig_quiet(r));
}

static void
gives_up_in_the_end(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;
	uint8_t w[64];
	struct monotime at;
	unsigned n = 0;

	rig_bring_up(r);
	forget(r);
	hw_trap_raise(r->h, B, 1, 129, r->now);
	for (unsigned i = 0; i < 100; i++) {
		rig_wait(r, INTERVAL_US);
		while (trapped(r, &p, w))
			n++;
	}
	assert_int_equal(n, 10);
	assert_false(hw_deadline(r->h, &at));
}

/* News between a trap and its repress is told under another id. */
static void
news_is_not_silenced_by_an_old_repress(void **state)
{
	struct rig *r = *state;
	struct hw_packet p, q;
	uint8_t w[64];

	rig_bring_up(r);
	forget(r);
	hw_trap_raise(r->h, B, 1, 129, r->now);
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	hw_trap_raise(r->h, B, 1, 129, r->now);
	rig_wait(r, 0);
	assert_true(rig_quiet(r));              /* not faster than its rate */
	repress(r, &p);
	rig_wait(r, INTERVAL_US);
	assert_true(trapped(r, &q, w));
	assert_true(dgram_tid(p.mad) != dgram_tid(q.mad));
	repress(r, &q);
	rig_wait(r, 5 * INTERVAL_US);
	assert_true(rig_quiet(r));
}

static void
a_repress_needs_the_key(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;
	struct port_info pi;
	uint8_t w[64];

	rig_bring_up(r);
	pi = rig_no_change(r, 0, "124");
	pi.mkey = 9;
	rig_set_port(r, 0, "124", pi);
	forget(r);
	hw_trap_raise(r->h, B, 1, 130, r->now);
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	repress(r, &p);
	forget(r);
	rig_wait(r, INTERVAL_US);
	assert_true(trapped(r, &p, w));
	r->mkey = 9;
	repress(r, &p);
	forget(r);
	rig_wait(r, INTERVAL_US);
	while (trapped(r, &p, w))
		assert_int_not_equal(wire_get16(w + 4), 130);
}

static void
an_operator_raises_129_to_131(void **state)
{
	static const uint8_t notice[15] = { 0x81, 0, 0, 1, 0, 131, 0, 6, 0, 0, 0, 0, 0, 6, 2 };
	struct rig *r = *state;
	struct hw_packet p;
	uint8_t w[64];

	rig_bring_up(r);
	forget(r);
	assert_int_equal(hw_trap_raise(r->h, B, 2, 131, r->now), 0);
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	assert_memory_equal(w, notice, 12);
	assert_memory_equal(w + 12, notice + 12, 3);
	assert_int_equal(hw_trap_raise(r->h, B, 3, 131, r->now), -ENOENT);
	assert_int_equal(hw_trap_raise(r->h, 9, 1, 131, r->now), -ENOENT);
	assert_int_equal(hw_trap_raise(r->h, B, 1, 128, r->now), -EINVAL);
	assert_int_equal(hw_trap_raise(r->h, S1, 3, 129, r->now), 0);
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	assert_int_equal(w[3], 2);
	assert_int_equal(wire_get16(w + 12), 2);
	assert_int_equal(w[14], 3);
}

static void
reports_local_changes(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;
	uint8_t w[64];

	rig_bring_up(r);
	forget(r);
	hw_set_issm(r->h, B, 1, true, r->now);
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	assert_int_equal(w[0], 0x84);
	assert_int_equal(wire_get16(w + 4), 144);
	assert_int_equal(wire_get16(w + 12), 4);
	assert_int_equal(w[15], 0);
	assert_int_equal(wire_get32(w + 16), 0x0651ca4a);
	assert_int_equal(wire_get16(w + 20), 0);
	repress(r, &p);
	rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, "124", (const uint8_t[64]){ 'n' });
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	assert_int_equal(w[15], 1);
	assert_int_equal(wire_get16(w + 20), 1);
	repress(r, &p);
	rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, "124", (const uint8_t[64]){ 'n' });
	rig_wait(r, 0);
	assert_true(rig_quiet(r));              /* nothing changed */
}

static void
reports_bad_mkeys(void **state)
{
	static const uint8_t data[] = { 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0x10, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 5, 0, 0x83, 1, 3, 1 };
	struct rig *r = *state;
	struct port_info pi;
	struct hw_packet p;
	uint8_t w[64];

	rig_bring_up(r);
	pi = rig_no_change(r, 0, "124");
	pi.mkey = 9;
	rig_set_port(r, 0, "124", pi);
	forget(r);
	r->mkey = 5;
	assert_false(rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, "124", NULL));
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	assert_int_equal(w[0], 0x82);
	assert_int_equal(wire_get16(w + 4), 256);
	assert_memory_equal(w + 12, data, sizeof(data));
}

/* P_Key 0x8001 at A's end, unknown at B's: 257, counted. */
static void
reports_bad_pkeys(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;
	uint8_t w[64];

	rig_bring_up(r);
	forget(r);
	rig_lid_make(r, CLASS_CM, METHOD_SEND, 0x10, 0, 1, 4);
	r->p.pkey = 0x8001;
	r->p.sl = 3;
	assert_false(rig_send(r, A, 1));
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	assert_int_equal(wire_get16(w + 4), 257);
	assert_int_equal(wire_get16(w + 12), 1);
	assert_int_equal(wire_get16(w + 14), 4);
	assert_int_equal(wire_get32(w + 16), 0x8001);
	assert_int_equal(wire_get32(w + 20), 0x30000001);
	assert_int_equal(wire_get32(w + 24), 1);
	assert_int_equal(rig_port_info(r, 0, "124").pkey_violations, 1);
	forget(r);
	rig_lid_make(r, CLASS_CM, METHOD_SEND, 0x10, 0, 1, 4);
	r->p.qkey = 1;
	assert_false(rig_send(r, A, 1));
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));
	assert_int_equal(wire_get16(w + 4), 258);
	assert_int_equal(wire_get32(w + 16), 1);
	assert_int_equal(rig_port_info(r, 0, "124").qkey_violations, 1);
}

static void
a_switch_enforces_partitions(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;
	struct port_info pi;
	uint8_t w[64];

	rig_bring_up(r);
	rig_dr(r, METHOD_SET, PKEY_TABLE_ID, 4 << 16, "12", (const uint8_t[64]){ 0x80, 0x01 });
	pi = rig_no_change(r, 4, "12");
	pi.partition_enforce_out = 1;
	rig_set_port(r, 4, "12", pi);
	forget(r);
	assert_false(rig_by_lid(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4));
	rig_wait(r, 0);
	assert_true(trapped(r, &p, w));         /* no delivery to B, but a trap of S2 */
	assert_int_equal(wire_get16(w + 4), 259);
	assert_int_equal(wire_get16(w + 12), 1);
	assert_int_equal(wire_get16(w + 14), 4);
	assert_int_equal(wire_get16(w + 16), 0xffff);
	assert_int_equal(wire_get16(w + 58), 3);
	assert_int_equal(w[60], 4);
	assert_true(rig_quiet(r));
	rig_dr(r, METHOD_SET, PKEY_TABLE_ID, 4 << 16, "12", (const uint8_t[64]){ 0x80, 0x01, 0x7f, 0xff });
	assert_false(rig_by_lid(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4));
	assert_true(rig_delivered(r, B, 1, NULL));
}

static void
a_reset_node_is_silent(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	forget(r);
	hw_trap_raise(r->h, B, 1, 129, r->now);
	hw_node_power(r->h, B, false, r->now);
	rig_wait(r, 0);
	while (1) {
		struct hw_packet p;
		uint8_t w[64];

		if (!trapped(r, &p, w))
			break;
		assert_int_equal(wire_get16(w + 4), 128);       /* its neighbours speak, it does not */
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_switch_reports_its_links), RIG_TEST(nobody_without_lids_reports),
		RIG_TEST(is_repeated_until_repressed), RIG_TEST(gives_up_in_the_end),
		RIG_TEST(news_is_not_silenced_by_an_old_repress), RIG_TEST(a_repress_needs_the_key),
		RIG_TEST(an_operator_raises_129_to_131), RIG_TEST(reports_local_changes), RIG_TEST(reports_bad_mkeys),
		RIG_TEST(reports_bad_pkeys), RIG_TEST(a_switch_enforces_partitions), RIG_TEST(a_reset_node_is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
