/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sma_port.c - every rule of Set(PortInfo), one row each, by bit positions of the wire.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

#define OK 0
#define BAD 0x1c
#define HOST 0, ""              /* A's own port */
#define EXT 2, "1"              /* a cabled external port of S1 */
#define ZERO 0, "1"             /* base port 0 of S1 */
#define STATE 260, 4
#define PHYS 264, 4

struct row {
	uint32_t port;
	const char *path;
	unsigned bit, width;
	uint64_t value;
	int status;
	uint64_t then;          /* what a Get shows afterwards */
};

static const struct row rows[] = {
	/* LID, SM LID: 1..0xBFFF; LMC: aligned; base port 0: LMC 0 */
	{ HOST, 128, 16, 1, OK, 1 }, { HOST, 128, 16, 0xbfff, OK, 0xbfff }, { HOST, 128, 16, 0, BAD, 0 },
	{ HOST, 128, 16, 0xc000, BAD, 0 }, { ZERO, 128, 16, 0x123, OK, 0x123 }, { ZERO, 128, 16, 0, BAD, 0 },
	{ HOST, 144, 16, 0xbfff, OK, 0xbfff }, { HOST, 144, 16, 0, BAD, 0 }, { HOST, 144, 16, 0xffff, BAD, 0 },
	{ HOST, 277, 3, 1, BAD, 0 },            /* the LID is 99 */
	{ ZERO, 277, 3, 1, BAD, 0 },
	{ EXT, 128, 16, 0x77, OK, 0 },          /* port 0's, so not this port's to change */
	{ EXT, 128, 16, 0, OK, 0 }, { EXT, 0, 64, 5, OK, 0 }, { EXT, 144, 16, 0xffff, OK, 0 },
	/* keys and what is simply stored */
	{ HOST, 0, 64, 0x1122334455667788, OK, 0x1122334455667788 }, { ZERO, 0, 64, 0x11, OK, 0x11 },
	{ HOST, 64, 64, 0xfe80000000000001, OK, 0xfe80000000000001 }, { HOST, 208, 16, 600, OK, 600 },
	{ HOST, 272, 2, 3, OK, 3 }, { HOST, 292, 4, 7, OK, 7 }, { HOST, 411, 5, 20, OK, 20 },
	{ ZERO, 411, 5, 20, OK, 20 }, { HOST, 409, 2, 1, OK, 1 }, { HOST, 340, 5, 0x12, OK, 0x12 },
	{ EXT, 304, 8, 4, OK, 4 }, { EXT, 336, 3, 7, OK, 7 }, { EXT, 339, 5, 0x10, OK, 0x10 },
	{ EXT, 424, 4, 3, OK, 3 }, { EXT, 428, 4, 2, OK, 2 }, { HOST, 328, 4, 5, OK, 5 },
	/* widths: 0 keeps, 255 all, else a subset of 1X | 4X */
	{ EXT, 232, 8, 0, OK, 3 }, { EXT, 232, 8, 1, OK, 1 }, { EXT, 232, 8, 0xff, OK, 3 }, { EXT, 232, 8, 4, BAD, 3 },
	{ EXT, 232, 8, 8, BAD, 3 },
	/* speeds: 0 keeps, 15 all, SDR always in it */
	{ EXT, 284, 4, 0, OK, 7 }, { EXT, 284, 4, 1, OK, 1 }, { EXT, 284, 4, 3, OK, 3 }, { EXT, 284, 4, 5, OK, 5 },
	{ EXT, 284, 4, 15, OK, 7 }, { EXT, 284, 4, 2, BAD, 7 }, { EXT, 284, 4, 8, BAD, 7 }, { EXT, 284, 4, 9, BAD, 7 },
	/* extended: 30 none, 31 all, subset of FDR | EDR | HDR; no XDR here, so the second field means nothing */
	{ EXT, 507, 5, 0, OK, 7 }, { EXT, 507, 5, 30, OK, 30 }, { EXT, 507, 5, 31, OK, 7 }, { EXT, 507, 5, 2, OK, 2 },
	{ EXT, 507, 5, 8, BAD, 7 }, { EXT, 507, 5, 16, BAD, 7 }, { EXT, 453, 3, 1, OK, 0 },
	/* MTU 1..cap, VLs 0 keeps, at most VLCap (4) */
	{ EXT, 288, 4, 5, OK, 5 }, { EXT, 288, 4, 1, OK, 1 }, { EXT, 288, 4, 0, BAD, 5 }, { EXT, 288, 4, 6, BAD, 5 },
	{ EXT, 344, 4, 0, OK, 4 }, { EXT, 344, 4, 1, OK, 1 }, { EXT, 344, 4, 4, OK, 4 }, { EXT, 344, 4, 5, BAD, 4 },
	{ EXT, 344, 4, 15, BAD, 4 }, { ZERO, 288, 4, 0, OK, 5 }, { ZERO, 344, 4, 9, OK, 4 },
	/* enforcement: switches say in SwitchInfo that they can; adapters do not */
	{ EXT, 348, 1, 1, OK, 1 }, { EXT, 349, 1, 1, OK, 1 }, { EXT, 350, 1, 1, OK, 1 }, { EXT, 351, 1, 1, OK, 1 },
	{ HOST, 348, 1, 1, OK, 0 },
	/* link down default: 0 keeps, 1, 2 */
	{ EXT, 268, 4, 0, OK, 2 }, { EXT, 268, 4, 1, OK, 1 }, { EXT, 268, 4, 2, OK, 2 }, { EXT, 268, 4, 3, BAD, 2 },
	/* states, from INIT */
	{ EXT, STATE, 0, OK, 2 }, { EXT, STATE, 2, BAD, 2 }, { EXT, STATE, 3, OK, 3 }, { EXT, STATE, 4, BAD, 2 },
	{ EXT, STATE, 5, BAD, 2 }, { EXT, STATE, 15, BAD, 2 }, { ZERO, STATE, 1, OK, 4 }, { ZERO, STATE, 3, OK, 4 },
	{ EXT, PHYS, 4, BAD, 5 }, { EXT, PHYS, 5, BAD, 5 }, { EXT, PHYS, 0, OK, 5 },
	/* what is read only stays, whatever is written */
	{ HOST, 160, 32, 0xffffffff, OK, 0x0651ca48 }, { HOST, 192, 16, 9, OK, 0 }, { HOST, 224, 8, 9, OK, 1 },
	{ EXT, 240, 8, 0xff, OK, 3 }, { EXT, 248, 8, 1, OK, 2 }, { EXT, 256, 4, 1, OK, 7 }, { EXT, 280, 4, 1, OK, 4 },
	{ EXT, 296, 4, 8, OK, 4 }, { EXT, 332, 4, 1, OK, 5 }, { EXT, 496, 4, 1, OK, 4 }, { EXT, 400, 8, 99, OK, 1 },
	/* counters of violations: 0 clears, anything else is ignored */
	{ HOST, 352, 16, 7, OK, 0 }, { HOST, 368, 16, 7, OK, 0 }, { HOST, 384, 16, 7, OK, 0 },
};

static void
rows_hold(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *t = &rows[i];
		struct rig r;
		uint8_t w[64] = { 0 };
		struct port_info pi;
		unsigned status;
		uint64_t then;

		rig_make(&r, &(struct hw_conf){ .seed = 1 });
		pi = rig_no_change(&r, t->port, t->path);
		port_info_encode(w, &pi);
		wire_bits_put(w, t->bit, t->width, t->value);
		assert_true(rig_dr(&r, METHOD_SET, PORT_INFO_ID, t->port, t->path, w));
		status = rig_status(&r);
		if (t->bit == 0)
			r.mkey = t->value;
		assert_true(rig_get(&r, PORT_INFO_ID, t->port, t->path));
		then = wire_bits_get(rig_data(&r), t->bit, t->width);
		if (status != (unsigned)t->status || then != t->then)
			print_message("row %u: bit %u value %llx: status %x, then %llx\n", i, t->bit,
				(unsigned long long)t->value, status, (unsigned long long)then);
		assert_int_equal(status, t->status);
		assert_int_equal(then, t->then);
		hw_free(r.h);
	}
}

static void
steps_through_the_states(void **state)
{
	static const struct { uint8_t to; int status; uint8_t then; } steps[] = {
		{ 3, OK, 3 }, { 3, BAD, 3 }, { 2, BAD, 3 }, { 4, OK, 4 }, { 4, BAD, 4 }, { 3, BAD, 4 }, { 0, OK, 4 },
	};
	struct rig *r = *state;

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct port_info pi = rig_no_change(r, 2, "1");

		pi.state = steps[i].to;
		assert_int_equal(rig_set_port(r, 2, "1", pi), steps[i].status);
		assert_int_equal(rig_port_info(r, 2, "1").state, steps[i].then);
		assert_int_equal(rig_port_info(r, 3, "13").state, 2);   /* each end for itself */
	}
}

/* One Set with a bad field and good ones: status 0x1C, the good ones took effect, the link moved. */
static void
takes_the_good_fields(void **state)
{
	struct rig *r = *state;
	struct port_info pi = rig_no_change(r, 2, "1");

	pi.neighbor_mtu = 9;
	pi.operational_vls = 2;
	pi.hoq_life = 9;
	pi.state = 3;
	assert_int_equal(rig_set_port(r, 2, "1", pi), BAD);
	pi = port_info_decode(rig_data(r));
	assert_int_equal(pi.neighbor_mtu, 5);
	assert_int_equal(pi.operational_vls, 2);
	assert_int_equal(pi.hoq_life, 9);
	assert_int_equal(pi.state, 3);
}

static void
checks_lmc_against_lid(void **state)
{
	struct rig *r = *state;
	struct port_info pi = rig_no_change(r, 0, "");

	pi.lid = 8;
	pi.lmc = 3;
	assert_int_equal(rig_set_port(r, 0, "", pi), OK);
	pi.lid = 12;
	assert_int_equal(rig_set_port(r, 0, "", pi), BAD);
	pi = rig_port_info(r, 0, "");
	assert_int_equal(pi.lid, 8);
	assert_int_equal(pi.lmc, 3);
}

/* The modifier names the port: any of a switch, only the receiving one of an adapter. */
static void
knows_its_ports(void **state)
{
	static const struct { uint8_t method; uint32_t mod; const char *path; unsigned status; } asks[] = {
		{ METHOD_GET, 4, "1", OK }, { METHOD_GET, 5, "1", BAD }, { METHOD_GET, 255, "1", BAD },
		{ METHOD_SET, 5, "1", BAD }, { METHOD_GET, 0, "124", OK }, { METHOD_GET, 1, "124", OK },
		{ METHOD_GET, 2, "124", OK }, { METHOD_GET, 3, "124", BAD }, { METHOD_SET, 2, "124", BAD },
		{ METHOD_GET, 0x80000001, "124", OK },
	};
	struct rig *r = *state;
	uint8_t w[64] = { 0 };

	for (unsigned i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		assert_true(rig_dr(r, asks[i].method, PORT_INFO_ID, asks[i].mod, asks[i].path, w));
		assert_int_equal(rig_status(r), asks[i].status);
	}
	assert_int_equal(rig_port_info(r, 0, "122").local_port, 2);
	assert_int_equal(rig_port_info(r, 2, "124").local_port, 1);
	assert_int_equal(rig_port_info(r, 4, "12").local_port, 3);
}

/* An enhanced port 0 has an LMC, an MTU and VLs; a base port 0 has none of them. */
static void
knows_an_enhanced_port_0(void **state)
{
	struct rig base, enhanced;
	struct port_info pi;

	(void)state;
	rig_make(&base, &(struct hw_conf){ .seed = 1 });
	rig_make(&enhanced, &(struct hw_conf){ .seed = 1 });
	hw_free(enhanced.h);
	enhanced.nodes[S1].enhanced_port0 = 1;
	enhanced.h = hw_new(&enhanced.topo, &(struct hw_conf){ .seed = 1 });
	pi = rig_no_change(&base, 0, "1");
	pi.lid = 8;
	pi.lmc = 2;
	pi.operational_vls = 1;
	assert_int_equal(rig_set_port(&base, 0, "1", pi), BAD);
	assert_int_equal(rig_port_info(&base, 0, "1").lid, 8);
	assert_int_equal(rig_port_info(&base, 0, "1").lmc, 0);
	assert_int_equal(rig_port_info(&base, 0, "1").operational_vls, 4);
	assert_int_equal(rig_set_port(&enhanced, 0, "1", pi), OK);
	assert_int_equal(rig_port_info(&enhanced, 0, "1").lmc, 2);
	assert_int_equal(rig_port_info(&enhanced, 0, "1").operational_vls, 1);
	hw_free(base.h);
	hw_free(enhanced.h);
}

static void
external_ports_show_port_0(void **state)
{
	struct rig *r = *state;
	struct port_info zero, ext;

	rig_lid_set(r, 0, "1", 2, 0);
	zero = rig_port_info(r, 0, "1");
	ext = rig_port_info(r, 3, "1");
	assert_int_equal(ext.lid, 2);
	assert_int_equal(ext.master_sm_lid, zero.master_sm_lid);
	assert_int_equal(ext.capability_mask, zero.capability_mask);
	assert_int_equal(ext.capability_mask2, zero.capability_mask2);
	assert_int_equal(ext.gid_prefix, GID_PREFIX_DEFAULT);
	assert_int_equal(ext.state, 2);
	assert_int_equal(zero.state, 4);
}

static void
echoes_client_reregister_once(void **state)
{
	struct rig *r = *state;
	struct port_info pi = rig_no_change(r, 0, "");

	pi.client_reregister = 1;
	assert_int_equal(rig_set_port(r, 0, "", pi), OK);
	assert_int_equal(port_info_decode(rig_data(r)).client_reregister, 1);
	assert_int_equal(rig_port_info(r, 0, "").client_reregister, 0);
	pi = rig_no_change(r, 0, "1");          /* a switch does not claim the capability */
	pi.client_reregister = 1;
	assert_int_equal(rig_set_port(r, 0, "1", pi), OK);
	assert_int_equal(port_info_decode(rig_data(r)).client_reregister, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold),
		RIG_TEST(steps_through_the_states),
		RIG_TEST(takes_the_good_fields),
		RIG_TEST(checks_lmc_against_lid),
		RIG_TEST(knows_its_ports),
		cmocka_unit_test(knows_an_enhanced_port_0),
		RIG_TEST(external_ports_show_port_0),
		RIG_TEST(echoes_client_reregister_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
