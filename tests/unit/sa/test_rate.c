/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rate.c - the rates of links, and what a peer of few capabilities is told of them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sa/sa_int.h"

/* Tenths of Gb/s by code. */
static const unsigned tenths[27] = {
	0, 0, 25, 100, 300, 50, 200, 400, 600, 800, 1200, 140, 560, 1120, 1680, 250, 1000, 2000, 3000, 280, 500,
	4000, 6000, 8000, 12000, 16000, 24000,
};

/* Every width and speed: lanes times the rate of a lane, as people round it. */
static void
test_links(void **state)
{
	static const struct { uint8_t code; unsigned lanes; } widths[] = {
		{ 1, 1 }, { 16, 2 }, { 2, 4 }, { 4, 8 }, { 8, 12 },
	};
	static const struct { uint8_t speed, ext, ext2; unsigned lane; } speeds[] = {
		{ 1, 0, 0, 25 }, { 2, 0, 0, 50 }, { 4, 0, 0, 100 }, { 4, 1, 0, 140 }, { 4, 2, 0, 250 },
		{ 4, 4, 0, 500 }, { 4, 8, 0, 1000 }, { 4, 0, 1, 2000 }, { 4, 8, 1, 2000 },
	};

	(void)state;
	for (unsigned w = 0; w < 5; w++)
		for (unsigned s = 0; s < 9; s++) {
			struct port_info p = { .width_active = widths[w].code, .speed_active = speeds[s].speed,
				.speed_ext_active = speeds[s].ext, .speed_ext_active2 = speeds[s].ext2 };

			assert_int_equal(tenths[sa_rate_of_port(&p)], widths[w].lanes * speeds[s].lane);
		}
	assert_int_equal(sa_rate_of_port(&(struct port_info){ .width_active = 2 }), 2);
	assert_int_equal(sa_rate_of_port(&(struct port_info){ .speed_active = 4 }), 2);
	assert_int_equal(sa_rate_of_port(&(struct port_info){ .width_active = 3, .speed_active = 4 }), 2);
}

static void
test_caps(void **state)
{
	static const struct { uint8_t code, caps, capped; } cases[] = {
		{ 19, 0, 6 }, { 19, SA_CAP_EXT, 15 }, { 19, SA_CAP_2X, 19 },
		{ 20, 0, 7 }, { 20, SA_CAP_HDR, 20 }, { 20, SA_CAP_2X, 20 }, { 20, SA_CAP_NDR, 7 },
		{ 21, 0, 18 }, { 21, SA_CAP_HDR, 21 }, { 21, SA_CAP_NDR, 21 }, { 22, SA_CAP_2X, 18 },
		{ 23, 0, 18 }, { 23, SA_CAP_HDR, 22 }, { 23, SA_CAP_NDR, 23 }, { 24, SA_CAP_HDR, 22 }, { 24, SA_CAP_NDR, 24 },
		{ 25, 0, 18 }, { 25, SA_CAP_NDR, 24 }, { 26, SA_CAP_HDR, 22 }, { 26, SA_CAP_XDR, 26 },
		{ 17, 0, 17 }, { 16, 0, 16 }, { 3, 0, 3 },
	};
	struct port_info p = { .capability_mask = 1u << 14, .capability_mask2 = 0xffff };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(sa_rate_capped(cases[i].code, cases[i].caps), cases[i].capped);
	assert_int_equal(sa_rate_caps(&p), SA_CAP_EXT);         /* the second mask is not valid */
	p.capability_mask = 1u << 15;
	p.capability_mask2 = 1u << 4 | 1u << 10;
	assert_int_equal(sa_rate_caps(&p), SA_CAP_2X | SA_CAP_NDR);
	p.capability_mask2 = 1u << 5 | 1u << 12;
	assert_int_equal(sa_rate_caps(&p), SA_CAP_HDR | SA_CAP_XDR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links), cmocka_unit_test(test_caps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
