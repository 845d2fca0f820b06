/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topo_line.c - single lines of a topology file: what each part may be, its limits, and what
 * is refused.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/topo/topo_line.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct topo_caps hdr = { .width = 3, .speed = 7, .ext = 7 };
static char why[TOPO_WHY_BYTES];

static bool
node(const char *line, struct topo_node_line *out)
{
	why[0] = '\0';
	return topo_line_node(line, out, why);
}

static bool
port(const char *line, bool of_switch, struct topo_port_line *out)
{
	why[0] = '\0';
	return topo_line_port(line, of_switch, &hdr, out, why);
}

static void
nodes(void **state)
{
	struct topo_node_line n;

	(void)state;
	assert_true(node(" 36 \"S-1\" # \"leaf \"7\"\" enhanced port 0 lid 3 lmc 2", &n));
	assert_string_equal(n.id, "S-1");
	assert_string_equal(n.desc, "leaf \"7\"");
	assert_int_equal(n.nports, 36);
	assert_int_equal(n.lid, 3);
	assert_int_equal(n.lmc, 2);
	assert_true(n.enhanced_port0);
	assert_true(node("1 \"x\"", &n));
	assert_string_equal(n.desc, "");
	assert_int_equal(n.lid, 0);
	assert_false(n.enhanced_port0);
	assert_true(node("0x10 \"x\" # MT47396 Infiniscale base port 0 lid 65535 lmc 7", &n));
	assert_int_equal(n.nports, 16);
	assert_string_equal(n.desc, "MT47396 Infiniscale");
	assert_int_equal(n.lid, 65535);
	assert_int_equal(n.lmc, 7);
	assert_false(n.enhanced_port0);
}

static void
node_limits(void **state)
{
	static const char *const refused[] = {
		"", "x", "0 \"x\"", "255 \"x\"", "18446744073709551617 \"x\"", "-1 \"x\"",
		"1 x", "1 \"\"", "1 \"x", "1 \"x\" y", "1 \"x\" # \"n\" lid 65536",
		"1 \"x\" # \"n\" lmc 8", "0x \"x\"",
	};
	char line[400];
	struct topo_node_line n;

	(void)state;
	for (unsigned i = 0; i < COUNT(refused); i++) {
		assert_false(node(refused[i], &n));
		assert_true(strlen(why) > 0);
	}
	assert_true(node("254 \"x\"", &n));
	/* an id of TOPO_ID_BYTES - 1, and one more */
	snprintf(line, sizeof line, "1 \"%0127d\"", 0);
	assert_true(node(line, &n));
	assert_int_equal(strlen(n.id), TOPO_ID_BYTES - 1);
	snprintf(line, sizeof line, "1 \"%0128d\"", 0);
	assert_false(node(line, &n));
	/* a longer name is cut */
	snprintf(line, sizeof line, "1 \"x\" # \"%0300d\" lid 4", 0);
	assert_true(node(line, &n));
	assert_int_equal(strlen(n.desc), TOPO_DESC_BYTES - 1);
	assert_int_equal(n.lid, 4);
	for (int length = TOPO_DESC_BYTES - 1; length <= TOPO_DESC_BYTES; length++) {
		snprintf(line, sizeof line, "1 \"x\" # \"%0*d\" lid 4", length, 0);
		assert_true(node(line, &n));
		assert_int_equal(strlen(n.desc), TOPO_DESC_BYTES - 1);
		assert_int_equal(n.lid, 4);
	}
}

static void
ports(void **state)
{
	struct topo_port_line p;

	(void)state;
	assert_true(port("[1](a1) \"S-2\"[33](B2) # lid 4 lmc 2 \"leaf\" lid 12 4xNDR", false, &p));
	assert_int_equal(p.port, 1);
	assert_int_equal(p.guid, 0xa1);
	assert_string_equal(p.peer, "S-2");
	assert_int_equal(p.peer_port, 33);
	assert_int_equal(p.peer_guid, 0xb2);
	assert_int_equal(p.lid, 4);
	assert_int_equal(p.lmc, 2);
	assert_int_equal(p.peer_lid, 12);
	assert_int_equal(p.caps.width, 3);
	assert_int_equal(p.caps.ext, 15);
	assert_false(p.alias);
	/* the same of a switch: its own LID is not in the line of a port */
	assert_true(port("[1] \"S-2\"[33] # lid 4 lmc 2 \"leaf\" lid 12", true, &p));
	assert_int_equal(p.lid, 0);
	assert_int_equal(p.peer_lid, 12);
	assert_memory_equal(&p.caps, &hdr, sizeof hdr);         /* nothing said: the defaults */
	assert_true(port("[254][ext 7] \"S-2\"", true, &p));
	assert_int_equal(p.port, 254);
	assert_int_equal(p.peer_port, 1);
	assert_true(port("@[3] \"name\"", true, &p));
	assert_true(p.alias);
	assert_string_equal(p.peer, "name");
}

static void
port_refused(void **state)
{
	static const char *const refused[] = {
		"", "1", "[", "[]", "[0] \"x\"", "[255] \"x\"", "[0x1] \"x\"", "[1", "[1] x",
		"[1] \"x", "[1] \"\"", "[1] \"x\"[0]", "[1] \"x\"[255]", "[1] \"x\"[2",
		"[1](g) \"x\"",
		"[1](12 \"x\"", "[1](11112222333344445) \"x\"", "[1][ext 255] \"x\"",
		"[1][ext 1 \"x\"", "[1][ext", "[1] \"x\" y", "[1] \"x\" w=", "[1] \"x\" w=0",
		"[1] \"x\" w=32", "[1] \"x\" s=8", "[1] \"x\" e=16", "[1] \"x\" w=4s=1",
		"[1] \"x\" v=8",
		"[1] \"x\" # w=32", "[1] \"x\" # lid 65536", "[1] \"x\" # \"n\" lmc 8",
	};
	struct topo_port_line p;

	(void)state;
	for (unsigned i = 0; i < COUNT(refused); i++) {
		assert_false(port(refused[i], false, &p));
		assert_true(strlen(why) > 0);
	}
}

/* Numbers for a link: in the line, in its comment, and as the word that ibnetdiscover prints. */
static void
link_numbers(void **state)
{
	static const struct {
		const char *rest;
		struct topo_caps caps;
	} rows[] = {
		{ "w=31 s=7 e=15", { 31, 7, 15, 0, false } },
		{ "w=1", { 1, 7, 7, 0, false } },
		{ "s=0", { 3, 4, 7, 0, false } },               /* as ibsim reads it */
		{ "e=0", { 3, 7, 0, 0, false } },
		{ "# s=1 w=2 v=8", { 2, 1, 7, 0, false } },
		{ "# 1xSDR", { 1, 1, 0, 0, false } }, { "# 2xHDR", { 17, 7, 7, 0, false } },
		{ "# 8xEDR", { 7, 7, 3, 0, false } }, { "# 12xQDR", { 11, 7, 0, 0, false } },
		{ "# 4xFDR10", { 3, 7, 0, 0, true } }, { "# 4xXDR", { 3, 7, 15, 1, false } },
		{ "# ??xHDR", { 3, 7, 7, 0, false } }, { "# 4x???", { 3, 7, 7, 0, false } },
		{ "# 3xHDR", { 3, 7, 7, 0, false } }, { "# 400xHDR", { 3, 7, 7, 0, false } },
		{ "e=1 # 4xXDR", { 3, 7, 1, 0, false } },       /* a number overrides the word */
	};
	struct topo_port_line p;
	char line[100];

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		snprintf(line, sizeof line, "[1] \"x\"[1] %s", rows[i].rest);
		assert_true(port(line, true, &p));
		assert_int_equal(p.caps.width, rows[i].caps.width);
		assert_int_equal(p.caps.speed, rows[i].caps.speed);
		assert_int_equal(p.caps.ext, rows[i].caps.ext);
		assert_int_equal(p.caps.ext2, rows[i].caps.ext2);
		assert_int_equal(p.caps.fdr10, rows[i].caps.fdr10);
	}
}

static void
settings(void **state)
{
	struct topo_setting t;

	(void)state;
	assert_true(topo_line_setting("vendid=0x2c9", &t));
	assert_int_equal(t.word_length, 6);
	assert_string_equal(t.value, "0x2c9");
	assert_false(t.relative);
	assert_true(topo_line_setting("devid \t+ 5", &t));
	assert_int_equal(t.word_length, 5);
	assert_string_equal(t.value, " 5");
	assert_true(t.relative);
	assert_true(topo_line_setting("a=", &t));
	assert_string_equal(t.value, "");
	assert_false(topo_line_setting("", &t));
	assert_false(topo_line_setting("= 5", &t));
	assert_false(topo_line_setting(" a = 5", &t));
	assert_false(topo_line_setting("a 5", &t));
	assert_false(topo_line_setting("a\xff=5", &t));
}

static void
numbers(void **state)
{
	uint64_t v, extra;

	(void)state;
	assert_true(topo_line_number(" 18446744073709551615 # x", UINT64_MAX, &v, NULL, why));
	assert_true(v == UINT64_MAX);
	assert_true(topo_line_number("0xFFFFFFFFFFFFFFFF", UINT64_MAX, &v, &extra, why));
	assert_true(v == UINT64_MAX);
	assert_int_equal(extra, 0);
	assert_false(topo_line_number("18446744073709551616", UINT64_MAX, &v, NULL, why));
	assert_false(topo_line_number("0x10000000000000000", UINT64_MAX, &v, NULL, why));
	assert_true(topo_line_number("7", 7, &v, NULL, why));
	assert_false(topo_line_number("8", 7, &v, NULL, why));
	assert_true(topo_line_number("010", 20, &v, NULL, why));
	assert_int_equal(v, 10);                /* decimal, not octal */
	assert_true(topo_line_number("0x1(a2) ", 7, &v, &extra, why));
	assert_int_equal(v, 1);
	assert_int_equal(extra, 0xa2);
	assert_false(topo_line_number("0x1(a2)", 7, &v, NULL, why));    /* none allowed */
	assert_false(topo_line_number("0x1(a2", 7, &v, &extra, why));
	assert_false(topo_line_number("0x1()", 7, &v, &extra, why));
	assert_false(topo_line_number("1 2", 7, &v, NULL, why));
	assert_false(topo_line_number("", 7, &v, NULL, why));
	assert_false(topo_line_number("-1", 7, &v, NULL, why));
}

static void
quoted(void **state)
{
	char out[4] = "zzz";

	(void)state;
	assert_true(topo_line_quoted(" \"abc\" # rest", out, sizeof out, why));
	assert_string_equal(out, "abc");
	assert_false(topo_line_quoted("\"abcd\"", out, sizeof out, why));
	assert_false(topo_line_quoted("abc", out, sizeof out, why));
	assert_false(topo_line_quoted("\"abc", out, sizeof out, why));
	assert_false(topo_line_quoted("\"\"", out, sizeof out, why));
	assert_false(topo_line_quoted("\"abc\" x", out, sizeof out, why));
}

/* What both ends have in common, the best of it; without width or speed there is no link. */
static void
caps_meet(void **state)
{
	static const struct topo_caps all = { 31, 15, 15, 1, true }, none = { 0, 0, 0, 0, false };
	struct topo_caps two = { 16 | 1, 7, 7, 0, false }, active;

	(void)state;
	assert_true(topo_caps_meet(&all, &all, &active));
	assert_int_equal(active.width, 8);
	assert_int_equal(active.ext2, 1);
	assert_int_equal(active.ext, 0);        /* one speed runs */
	assert_false(active.fdr10);
	assert_true(topo_caps_meet(&all, &two, &active));
	assert_int_equal(active.width, 16);     /* 2X is wider than 1X */
	assert_int_equal(active.speed, 4);
	assert_int_equal(active.ext, 4);
	assert_int_equal(active.ext2, 0);
	assert_false(topo_caps_meet(&all, &none, &active));
	assert_false(topo_caps_meet(&(struct topo_caps){ .width = 2, .speed = 7 },
		&(struct topo_caps){ .width = 1, .speed = 7 }, &active));
	assert_false(topo_caps_meet(&(struct topo_caps){ .width = 2, .speed = 1 },
		&(struct topo_caps){ .width = 2, .speed = 2 }, &active));
	two = (struct topo_caps){ 2, 7, 0, 0, true };
	assert_true(topo_caps_meet(&two, &two, &active));
	assert_true(active.fdr10);
}

/* A line cut anywhere, or with any byte in it, is understood or refused with a reason. */
static void
any_bytes(void **state)
{
	static const char line[] =
		"[1][ext 2](a1) \"S-2\"[33](b2) w=4 s=7 # lid 4 lmc 2 \"le\" lid 12";
	struct topo_port_line p;
	struct topo_node_line n;

	(void)state;
	for (size_t i = 0; i < sizeof line - 1; i++)
		for (unsigned byte = 0; byte < 256; byte++) {
			/* malloc'ed, so that a sanitizer sees its end */
			char *copy = malloc(sizeof line);

			assert_non_null(copy);
			memcpy(copy, line, sizeof line);
			copy[i] = (char)byte;
			if (!port(copy, byte & 1, &p))
				assert_true(*why && strlen(why) < TOPO_WHY_BYTES);
			if (!node(copy, &n))
				assert_true(*why && strlen(why) < TOPO_WHY_BYTES);
			free(copy);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes),
		cmocka_unit_test(node_limits),
		cmocka_unit_test(ports),
		cmocka_unit_test(port_refused),
		cmocka_unit_test(link_numbers),
		cmocka_unit_test(settings),
		cmocka_unit_test(numbers),
		cmocka_unit_test(quoted),
		cmocka_unit_test(caps_meet),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
