/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topo_read.c - topology files: what is understood, and what is refused and where.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/fabric/topo/topo_text.h"

static const char sample[] = TOPO_SAMPLE;

static void
test_every_member(void **state)
{
	struct topo t;
	struct topo_port *p;

	(void)state;
	topo_text_must_read(sample, &t);
	assert_int_equal(t.nnodes, 4);
	assert_int_equal(t.nports, 66 + 37 + 3 + 2);
	assert_string_equal(t.nodes[0].id, "S-a1b2000300f0e000");
	assert_string_equal(t.nodes[0].desc, "leaf \"07\"");
	assert_int_equal(t.nodes[0].type, TOPO_SWITCH);
	assert_int_equal(t.nodes[0].nports, 65);
	assert_int_equal(t.nodes[0].enhanced_port0, 1);
	assert_int_equal(t.nodes[0].guid, 0xa1b2000300f0e000);
	assert_int_equal(t.nodes[0].sys_guid, 0xa1b2000300f0e003);
	assert_int_equal(t.nodes[0].vendor_id, 0x2c9);
	assert_int_equal(t.nodes[0].device_id, 0xcb84);
	assert_int_equal(t.nodes[0].line, 6);
	assert_int_equal(t.nodes[1].sys_guid, 0);       /* not the first node's */
	assert_int_equal(t.nodes[1].enhanced_port0, 0);
	p = topo_port(&t, 0, 0);
	assert_int_equal(p->guid, 0xa1b2000300f0e001);
	assert_int_equal(p->lid, 12);
	assert_int_equal(p->lmc, 1);
	p = topo_port(&t, 2, 1);
	assert_int_equal(t.nodes[2].type, TOPO_CA);
	assert_int_equal(p->guid, 0xa1b2000300aa0101);
	assert_int_equal(p->lid, 41);
	assert_int_equal(p->lmc, 2);
	assert_int_equal(p->peer_node, 0);
	assert_int_equal(p->peer_port, 1);
	assert_int_equal(p->width, 2);
	assert_int_equal(p->speed, 4);
	assert_int_equal(p->speed_ext, 8);
	assert_int_equal(topo_port(&t, 2, 2)->speed_ext2, 1);
	assert_int_equal(topo_port(&t, 2, 2)->guid, 0xa1b2000300aa01f2);
	assert_int_equal(t.nodes[3].type, TOPO_ROUTER);
	assert_int_equal(topo_port(&t, 3, 1)->width, 16);
	assert_int_equal(topo_port(&t, 1, 9)->fdr10, 1);
	assert_int_equal(topo_port(&t, 1, 10)->width, 8);
	assert_int_equal(topo_port(&t, 1, 10)->speed_ext, 0);
	assert_int_equal(topo_port(&t, 1, 11)->peer_node, TOPO_NONE);
	assert_int_equal(topo_port(&t, 1, 11)->width, 0);
	topo_clear(&t);
}

/* The form of ibsim's examples: ids of one's own, no GUIDs, cables named by one end, a default port. */
static void
test_hand_written(void **state)
{
	struct topo t;

	(void)state;
	topo_text_must_read("# a comment\n"
		"Switch\t8 \"Switch1\"\r\n"
		"[1]\t\"Hca1\" [1]\n"
		"# between\n"
		"[3]\t\"Switch2\"[4]\tw=3 s=3\n"
		"  [5]\t\"Hca3\"\n"
		"Some other line\n"
		"\n"
		"speed=3\n"
		"Switch 8 \"Switch2\"\n"
		"[4] \"Switch1\"[3] w=15\n"
		"Hca \t2 \"Hca1\"\n"
		"Ca 1 \"Hca3\" # my host\n"
		"hcaguids=0x5000\n"
		"Ca 2 \"Hca4\" # an old name lid 3\n"
		"Ca 2 \"Hca5\"\n"
		"caguid+0x20\n"
		"extspeed=15\n"
		"Ca 2 \"Hca6\"\n"
		"[1] \"Switch2\"[8] e=7 # \"s\"\n"
		"[2] \"Switch2\"[7]\n", &t);
	assert_int_equal(t.nnodes, 7);
	assert_int_equal(t.nodes[0].guid, 0x100000);
	assert_int_equal(t.nodes[1].guid, 0x100001);
	assert_int_equal(t.nodes[2].guid, 0x200000);
	assert_int_equal(t.nodes[3].guid, 0x200003);
	assert_int_equal(t.nodes[4].guid, 0x5000);
	assert_int_equal(t.nodes[5].guid, 0x5003);
	assert_int_equal(t.nodes[6].guid, 0x5020);
	assert_int_equal(topo_port(&t, 3, 1)->guid, 0x200004);
	assert_int_equal(topo_port(&t, 3, 1)->peer_node, 0);
	assert_int_equal(topo_port(&t, 3, 1)->peer_port, 5);
	assert_int_equal(topo_port(&t, 2, 1)->peer_port, 1);
	assert_int_equal(topo_port(&t, 2, 1)->speed, 1);
	assert_int_equal(topo_port(&t, 1, 4)->width, 2);        /* 1X|4X meets all */
	assert_int_equal(topo_port(&t, 1, 4)->speed, 2);
	assert_int_equal(topo_port(&t, 1, 8)->speed_ext, 4);    /* of 7 */
	assert_int_equal(topo_port(&t, 1, 7)->speed_ext, 8);    /* of 15 */
	assert_string_equal(t.nodes[3].desc, "my host");
	assert_string_equal(t.nodes[4].desc, "an old name");
	assert_string_equal(t.nodes[5].desc, "Hca5");
	topo_clear(&t);
}

/* What -g and -f add: chassis lines, external ports, counts behind the link word. */
static void
test_chassis_lines(void **state)
{
	struct topo t;

	(void)state;
	topo_text_must_read("\nChassis 1 (guid 0x8f10400411f56)\n\n# Spine Nodes\n"
		"vendid=0x8f1\ndevid=0x5a37\nsysimgguid=0x8f1\t\t# Chassis 1\n"
		"switchguid=0x8f104003f0(8f104003f0)\t# Spine 1\n"
		"Switch\t24 \"S-a\"\t\t# \"ISR\" base port 0 lid 6 lmc 0\n"
		"[2][ext 3]\t\"H-b\"[1][ext 1](9a) \t\t# \"h\" lid 9 4xDDR s=2 w=2 v=4\n"
		"\nNon-Chassis Nodes\n"
		"Ca\t1 \"H-b\"\t\t# \"h\" (scp)\n", &t);
	assert_int_equal(topo_port(&t, 1, 1)->guid, 0x9a);
	assert_int_equal(topo_port(&t, 1, 1)->lid, 9);          /* from the switch's line alone */
	assert_int_equal(topo_port(&t, 1, 1)->speed, 2);
	topo_clear(&t);
}

static const struct topo_bad bad[] = {
	/* not a topology */
	{ "", "net: this is not a topology file" },
	{ "hello\nworld\n", "net: this is not a topology file" },
	{ "# Switch 4 \"a\"\n", "net: this is not a topology file" },
	/* cut short */
	{ "Switch 4 \"a\"\n[1] \"b\"[1]\n", "net:2: port 1 leads to \"b\", which no line defines" },
	{ "Switch 4 \"a\"\n[1] \"b", "net:2: the peer's id has no closing quote" },
	{ "Switch 4 \"a\"\n[1] \"a\"[2", "net:2: expected \"]\" after the peer's port number" },
	{ "Switch 4 \"a\"\n[1", "net:2: expected \"]\"" },
	{ "Switch 4", "net:1: expected the node's id" },
	{ "Switch 4 \"a\"\t# \"nam",
		"net:1: the last line has no newline: the file looks cut short" },
	{ "Switch 4 \"a\"\n[1] \"a\"[2]", "net:2: the last line has no newline" },
	{ "Switch 4 \"a\"\nswitchguid=0x12\n", "net:2: the file ends without the node" },
	{ "Switch 4 \"a\"\nvendid=0x12", "net:2: the last line has no newline" },
	{ "Switch 4 \"a\"\nswitchguid=0x", "net:2: expected a number" },
	/* a port number above the node's count */
	{ "Switch 4 \"a\"\n[5] \"a\"[1]\n", "net:2: port 5 is above the 4 ports of \"a\"" },
	{ "Switch 4 \"a\"\n[1] \"b\"[2]\nCa 1 \"b\"\n",
		"net:2: port 1 leads to port 2 of \"b\", which has 1 port" },
	/* numbers out of range */
	{ "Switch 0 \"a\"\n", "net:1: the number of ports is out of range" },
	{ "Switch 255 \"a\"\n", "net:1: the number of ports is out of range" },
	{ "Switch 99999999999999999999999 \"a\"\n", "net:1: the number of ports is out of range" },
	{ "Switch 4 \"a\"\n[0] \"a\"[1]\n", "net:2: port 0 takes no cable" },
	{ "Switch 4 \"a\"\n[1] \"a\"[256]\n", "net:2: the peer's port number is out of range" },
	{ "Switch 4 \"a\"\n[-1] \"a\"[2]\n", "net:2: expected a port number" },
	{ "switchguid=0x10000000000000000\nSwitch 4 \"a\"\n", "net:1: a number is out of range" },
	{ "switchguid=0\nSwitch 4 \"a\"\n", "net:1: a GUID of 0 is out of range" },
	{ "vendid=0x1000000\nSwitch 4 \"a\"\n", "net:1: a number is out of range" },
	{ "devid=0x10000\nSwitch 4 \"a\"\n", "net:1: a number is out of range" },
	{ "width=32\nSwitch 4 \"a\"\n", "net:1: a number is out of range" },
	{ "speed=0\nSwitch 4 \"a\"\n", "net:1: a number is out of range" },
	{ "extspeed=16\nSwitch 4 \"a\"\n", "net:1: a number is out of range" },
	{ "Switch 4 \"a\" # \"a\" base port 0 lid 65536 lmc 0\n", "net:1: a LID is out of range" },
	{ "Switch 4 \"a\" # \"a\" base port 0 lid 1 lmc 8\n", "net:1: an LMC is out of range" },
	{ "Switch 4 \"a\"\n[1] \"a\"[2] w=64\n", "net:2: a width (w=) is out of range" },
	{ "Switch 4 \"a\"\n[1] \"a\"[2] s=8\n", "net:2: a speed (s=) is out of range" },
	{ "Switch 4 \"a\"\n[1] \"a\"[2] e=16\n", "net:2: an extended speed (e=) is out of range" },
	/* the rest of the grammar */
	{ "Switch four \"a\"\n", "net:1: expected the number of ports" },
	{ "Switch 4 a\n", "net:1: expected the node's id" },
	{ "Switch 4 \"a\" b\n", "net:1: expected a comment or the end of the line" },
	{ "Switch 4 \"a@b\"\n", "net:1: the id \"a@b\" may not hold" },
	{ "Switch 4 \"a\"\n[1] \"a\"[2] x=1\n", "net:2: expected w=, s=, e= or a comment" },
	{ "Switch 4 \"a\"\n[1](xyz) \"a\"[2]\n", "net:2: expected a GUID" },
	{ "module=\"x@y\"\nSwitch 4 \"a\"\n", "net:1: a module's name" },
	{ "do Unlink \"a\"[1]\nSwitch 4 \"a\"\n", "net:1: \"do\" runs a command" },
	{ "include \"/nonexistent/x\"\nSwitch 4 \"a\"\n", "net:1: cannot open \"/nonexistent/x\"" },
	{ "include x\nSwitch 4 \"a\"\n", "net:1: expected the name in quotes" },
};

static void
test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		topo_text_must_refuse(&bad[i]);
}

static void
test_long_lines(void **state)
{
	struct topo_error e;
	struct topo t;
	char text[2100];

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "Switch 4 \"a\"\n", 13);
	assert_int_equal(topo_text_read(text, sizeof(text), &t, &e), -EINVAL);
	assert_non_null(strstr(e.text, "net:2: the line is longer than 1023 bytes"));
	memset(text, 'x', sizeof(text));
	memcpy(text, "Switch 4 \"", 10);
	text[1000] = '"';
	text[1001] = '\n';
	assert_int_equal(topo_text_read(text, 1002, &t, &e), -EINVAL);
	assert_non_null(strstr(e.text, "net:1: the node's id is longer than 127 bytes"));
	assert_int_equal(topo_text_read("Switch 4 \"a\"\n\0\n", 15, &t, &e), -EINVAL);
	assert_non_null(strstr(e.text, "net:2: this is not a topology file: it holds a NUL byte"));
}

static void
test_long_name_is_cut(void **state)
{
	char text[160];
	struct topo t;

	(void)state;
	snprintf(text, sizeof(text), "Switch 4 \"a\" # \"%.*s\"\n", 100,
		"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789");
	topo_text_must_read(text, &t);
	assert_int_equal(strlen(t.nodes[0].desc), 64);
	topo_clear(&t);
}

static void
write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void
test_include(void **state)
{
	char dir[] = "/tmp/heddle-topo-XXXXXX", main_path[64], part_path[64];
	struct topo_error e;
	struct topo t;
	int rc, bad_rc, loop_rc;
	char bad_text[256], loop_text[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(main_path, sizeof(main_path), "%s/main", dir);
	snprintf(part_path, sizeof(part_path), "%s/part", dir);
	write_file(main_path, "Switch 4 \"a\"\n[1] \"b\"[1]\ninclude \"part\"\nCa 1 \"c\"\n");
	write_file(part_path, "Ca 1 \"b\"\n");
	rc = topo_read_file(main_path, &t, &e);
	assert_int_equal(rc ? 0 : t.nnodes, 3);
	topo_clear(&t);
	write_file(part_path, "\nCa 300 \"b\"\n");
	bad_rc = topo_read_file(main_path, &t, &e);
	snprintf(bad_text, sizeof(bad_text), "%s", e.text);
	write_file(part_path, "include \"part\"\ninclude \"part\"\n");
	loop_rc = topo_read_file(main_path, &t, &e);
	snprintf(loop_text, sizeof(loop_text), "%s", e.text);
	unlink(main_path);
	unlink(part_path);
	rmdir(dir);
	assert_int_equal(bad_rc, -EINVAL);
	assert_non_null(strstr(bad_text, "/part:2: the number of ports is out of range"));
	assert_int_equal(loop_rc, -EINVAL);
	assert_non_null(strstr(loop_text, "/part:1: too many included files"));
	assert_int_equal(topo_read_file("/nonexistent/net", &t, &e), -ENOENT);
	assert_string_equal(e.text, "/nonexistent/net: cannot open: No such file or directory");
	assert_int_equal(topo_read_file("/", &t, &e), -EISDIR);
}

static uint32_t
cables(const struct topo *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nports; i++)
		n += t->ports[i].peer_node != TOPO_NONE;
	return n / 2;
}

/*
 * Cut at any byte: refused, but for a cut between lines after which every node and cable is still there, and for one
 * below the first node's line: a switch alone is a topology.
 */
static void
test_cut_anywhere(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes < sizeof(sample) - 1; bytes++) {
		struct topo_error e;
		struct topo t;

		if (topo_text_read(sample, bytes, &t, &e))
			continue;
		assert_int_equal(sample[bytes - 1], '\n');
		assert_true(t.nnodes == 4 || bytes == (size_t)(strstr(sample,
			"\n[1]") + 1 - sample));
		assert_int_equal(cables(&t), t.nnodes == 4 ? 5 : 0);
		topo_clear(&t);
	}
}

static uint64_t
next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Damages the sample a little; what is read all the same must come back equal when written. */
static void
test_mutations(void **state)
{
	uint64_t seed = 20240611, s = seed;
	unsigned int good = 0;

	(void)state;
	print_message("# seed %llu\n", (unsigned long long)seed);
	for (unsigned int i = 0; i < 3000; i++) {
		size_t bytes = sizeof(sample) - 1;
		char text[sizeof(sample)];
		struct topo_error e;
		struct topo t;

		memcpy(text, sample, sizeof(sample));
		for (uint64_t k = next_random(&s) % 4; k-- > 0; ) {
			size_t at = next_random(&s) % bytes, from = next_random(&s) % bytes;

			if (next_random(&s) % 2)
				text[at] = sample[from];
			else
				text[at] = (char)next_random(&s);
		}
		if (next_random(&s) % 8 == 0)
			bytes = next_random(&s) % bytes;
		if (topo_text_read(text, bytes, &t, &e)) {
			assert_int_equal(strncmp(e.text, "net", 3), 0);
			assert_int_equal(t.nnodes, 0);
		} else {
			struct topo again;
			char *first = topo_text_written(&t), *second;

			topo_text_must_read(first, &again);
			second = topo_text_written(&again);
			assert_string_equal(first, second);
			free(first);
			free(second);
			topo_clear(&again);
			topo_clear(&t);
			good++;
		}
	}
	assert_true(good > 300 && good < 2900);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_member),
		cmocka_unit_test(test_hand_written),
		cmocka_unit_test(test_chassis_lines),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_long_name_is_cut),
		cmocka_unit_test(test_include),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
