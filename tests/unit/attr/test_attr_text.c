/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_attr_text.c - words, addresses and arbitrary bytes.  That the words are the operators' own is
 * judged by tests/oracle; here are the rules that have no peer.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/attr.h"
#include "libmad/attr/sm_attr.h"

static const char *
text(const char *member, uint64_t v)
{
	static char buf[128];

	attr_value_text(attr_field_find(&port_info_desc, member), v, buf, sizeof(buf));
	return buf;
}

static void
words(void **state)
{
	(void)state;
	assert_string_equal(text("state", 4), "Active");
	assert_string_equal(text("state", 9), "?(9)");
	assert_string_equal(text("width_active", 2), "4X");
	assert_string_equal(text("width_active", 3), "undefined (3)");
	assert_string_equal(text("width_supported", 3), "1X or 4X");
	assert_string_equal(text("speed_ext_enabled", 30), "Extended link speeds disabled");
	assert_string_equal(text("speed_ext_active2", 1), "212.5 Gbps");
	assert_string_equal(text("neighbor_mtu", 4), "2048");
	assert_string_equal(text("lid", 12), "12");
	assert_string_equal(text("capability_mask", 0x2651e848), "0x2651e848");
	assert_string_equal(text("init_type", 1), "0x01");
}

static void
text_is_cut(void **state)
{
	char buf[5] = "xxxx";
	const struct attr_field *f = attr_field_find(&port_info_desc, "state");

	(void)state;
	attr_value_text(f, 4, buf, sizeof(buf));
	assert_string_equal(buf, "Acti");
	attr_value_text(f, 4, buf, 1);
	assert_string_equal(buf, "");
	buf[0] = 'k';
	attr_value_text(f, 4, buf, 0);
	assert_int_equal(buf[0], 'k');
}

static void
json_words(void **state)
{
	(void)state;
	assert_string_equal(attr_word(ATTR_SHOW_LINK_WIDTH, 2), "4x");
	assert_string_equal(attr_word(ATTR_SHOW_LINK_SPEED_EXT, 8), "NDR");
	assert_string_equal(attr_word(ATTR_SHOW_LINK_SPEED_EXT2, 1), "XDR");
	assert_null(attr_word(ATTR_SHOW_LINK_SPEED_EXT, 0));
	assert_null(attr_word(ATTR_SHOW_LINK_SPEED_EXT, 200));
	assert_null(attr_word(ATTR_SHOW_DEC, 1));
	assert_string_equal(attr_bit_name(ATTR_SHOW_PORT_CAPS, 1), "IsSM");
	assert_null(attr_bit_name(ATTR_SHOW_PORT_CAPS, 0));
	assert_null(attr_bit_name(ATTR_SHOW_PORT_CAPS, 32));
	assert_string_equal(attr_bit_name(ATTR_SHOW_PORT_CAPS2, 12), "IsLinkSpeedXDRSupported");
	assert_null(attr_bit_name(ATTR_SHOW_PORT_CAPS2, 15));
	assert_null(attr_bit_name(ATTR_SHOW_DEC, 1));
}

static void
rates_and_mtus(void **state)
{
	static const struct { uint8_t code; unsigned tenths; } rates[] = {
		{ 0, 0 }, { 1, 0 }, { 2, 25 }, { 3, 100 }, { 4, 300 }, { 5, 50 }, { 6, 200 }, { 7, 400 },
		{ 8, 600 }, { 9, 800 }, { 10, 1200 }, { 11, 140 }, { 12, 560 }, { 13, 1120 }, { 14, 1680 },
		{ 15, 250 }, { 16, 1000 }, { 17, 2000 }, { 18, 3000 }, { 19, 280 }, { 20, 500 }, { 21, 4000 },
		{ 22, 6000 }, { 23, 8000 }, { 24, 12000 }, { 25, 16000 }, { 26, 24000 }, { 27, 0 }, { 255, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		assert_int_equal(attr_rate_tenths(rates[i].code), rates[i].tenths);
	assert_int_equal(attr_mtu_bytes(0), 0);
	assert_int_equal(attr_mtu_bytes(1), 256);
	assert_int_equal(attr_mtu_bytes(5), 4096);
	assert_int_equal(attr_mtu_bytes(6), 0);
}

static void
gid(void **state)
{
	static const uint8_t w[16] = { 0xfe, 0x80, [8] = 0xa1, 0xb2, 0, 3, 0, 0xaa, 1, 1 };
	char buf[ATTR_GID_TEXT_BYTES];

	(void)state;
	attr_gid_text(w, buf);
	assert_string_equal(buf, "fe80:0000:0000:0000:a1b2:0003:00aa:0101");
}

static void
clean_text(void **state)
{
#define FFFD "\xef\xbf\xbd"
	static const struct { const char *in; size_t n; const char *out; bool replaced; } rows[] = {
		{ "leaf-07\0rest", 12, "leaf-07", false },
		{ "abcd", 4, "abcd", false },                   /* not NUL-terminated */
		{ "\0x", 2, "", false },
		{ "gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f", false },
		{ "\xe2\x82\xac\xf0\x9f\x98\x80", 7, "\xe2\x82\xac\xf0\x9f\x98\x80", false },
		{ "a\xff" "b", 3, "a" FFFD "b", true },
		{ "\xc3", 1, FFFD, true },                      /* cut short at the end */
		{ "\xe2\x82", 2, FFFD FFFD, true },
		{ "\xc0\x80", 2, FFFD FFFD, true },             /* overlong */
		{ "\xe0\x80\x80", 3, FFFD FFFD FFFD, true },
		{ "\xed\xa0\x80", 3, FFFD FFFD FFFD, true },    /* surrogate */
		{ "\xf4\x90\x80\x80", 4, FFFD FFFD FFFD FFFD, true },
		{ "\xf5", 1, FFFD, true },
		{ "\x80" "a", 2, FFFD "a", true },
	};
	char out[ATTR_TEXT_BYTES(16)];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(attr_text_clean((const uint8_t *)rows[i].in, rows[i].n, out), rows[i].replaced);
		assert_string_equal(out, rows[i].out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(text_is_cut),
		cmocka_unit_test(json_words),
		cmocka_unit_test(rates_and_mtus),
		cmocka_unit_test(gid),
		cmocka_unit_test(clean_text),
	};

	return cmocka_run_group_tests_name("attr_text", tests, NULL, NULL);
}
