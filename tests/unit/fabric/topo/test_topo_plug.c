/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topo_plug.c - the cables of a topology file: ends that come in any order, and those that cannot be right.
 */
#include <config.h>
#include <errno.h>
#include "fabric/topo/topo_plug.h"
#include "tests/unit/fabric/topo/topo_text.h"

#define TWO "Switch 4 \"a\"\n[1] \"b\"[1]\nSwitch 4 \"b\"\n"

static void
test_modules_and_aliases(void **state)
{
	struct topo t;

	(void)state;
	topo_text_must_read("module=\"east\"\n"
		"Switch 4 \"sw\"\n"
		"@[1] \"uplink\"\n"
		"[2] \"host\"\n"
		"[3] \"@west2\"\n"              /* east@west2, defined below */
		"Ca 1 \"host\"\n"
		"Switch 4 \"other\"\n"
		"@[4] \"west2\"\n"
		"module=\"\"\n"
		"Switch 4 \"core\"\n"
		"[1] \"east@uplink\"\n"
		"[2] \"east#other\"[1]\n", &t);
	assert_int_equal(t.nnodes, 4);
	assert_string_equal(t.nodes[0].id, "east#sw");
	assert_string_equal(t.nodes[3].id, "core");
	assert_int_equal(topo_port(&t, 0, 1)->peer_node, 3);
	assert_int_equal(topo_port(&t, 0, 1)->peer_port, 1);
	assert_int_equal(topo_port(&t, 0, 2)->peer_node, 1);
	assert_int_equal(topo_port(&t, 2, 4)->peer_node, 0);
	assert_int_equal(topo_port(&t, 2, 4)->peer_port, 3);
	assert_int_equal(topo_port(&t, 2, 1)->peer_node, 3);
	topo_clear(&t);
}

static const struct topo_bad bad[] = {
	/* a port connected twice, or to nothing */
	{ TWO "Switch 4 \"c\"\n[1] \"a\"[1]\n",
		"net:5: port 1 leads to port 1 of \"a\", but line 2" },
	{ TWO "Switch 4 \"c\"\n[1] \"b\"[1]\n",
		"net:5: port 1 leads to port 1 of \"b\", which is connected twice" },
	{ "Switch 4 \"a\"\n[1] \"b\"[1]\n[1] \"b\"[2]\nSwitch 4 \"b\"\n",
		"net:3: port 1 of \"a\" is connected twice" },
	{ "Switch 4 \"a\"\n[1]\n", "net:2: expected the peer's id" },
	{ "Switch 4 \"a\"\n[1] \"\"[1]\n", "net:2: the peer's id is empty" },
	{ "Switch 4 \"a\"\n[1] \"a\"[1]\n", "net:2: port 1 leads to itself" },
	{ "Switch 4 \"a\"\n[1] \"@x\"\n",
		"net:2: port 1 leads to alias \"@x\", which no line defines" },
	{ "Switch 4 \"a\"\n\n[1] \"a\"[2]\n", "net:3: a port line that belongs to no node" },
	/* two of one id, GUID, alias */
	{ TWO "Ca 1 \"a\"\n", "net:4: node id \"a\" is already that of line 1" },
	{ "switchguid=0x1\nSwitch 4 \"a\"\ncaguid=0x1\nCa 1 \"b\"\n",
		"net:4: node \"b\" has the GUID 0x0000000000000001" },
	{ "Switch 4 \"a\"\n[1] \"b\"[1](77)\n[2] \"c\"[1](77)\nCa 1 \"b\"\nCa 1 \"c\"\n",
		"net:5: a port of \"c\" has the GUID of a port of \"b\"" },
	{ "switchguid=1(5)\nSwitch 4 \"a\"\nswitchguid=2(5)\nSwitch 4 \"b\"\n",
		"net:4: port 0 of \"b\" has the GUID" },
	{ "Switch 4 \"a\"\n@[1] \"x\"\n@[2] \"x\"\n",
		"net:3: alias \"@x\" is already that of line 2" },
	/* ends that contradict each other */
	{ TWO "[1] \"a\"[2]\n",
		"net:2: port 1 leads to port 1 of \"b\", but line 4 has that port lead to port 2 of \"a\"" },
	{ "Switch 4 \"a\"\n[1] \"b\"[1](77)\nCa 1 \"b\"\n[1](78) \"a\"[1]\n",
		"net:2: the two ends disagree about the GUID of port 1 of \"b\"" },
	{ "Switch 4 \"a\"\n[1] \"b\"[1] w=4\nCa 1 \"b\"\n[1] \"a\"[1] w=8\n",
		"net:2: port 1 and port 1 of \"b\" have no width" },
	{ "Switch 4 \"a\"\n[1] \"b\"[1] s=1\nCa 1 \"b\"\n[1] \"a\"[1] s=2\n",
		"net:2: port 1 and port 1 of \"b\" have no speed" },
};

static void
test_bad_cables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		topo_text_must_refuse(&bad[i]);
}

/* What one line says of the far end counts where the far end says nothing, in either order. */
static void
test_either_end(void **state)
{
	static const char *const texts[] = {
		"Switch 4 \"a\" # \"a\" base port 0 lid 7 lmc 0\n[2] \"b\"[1](99) # \"b\" lid 5 4xHDR\nCa 2 \"b\"\n",
		"Ca 2 \"b\"\nSwitch 4 \"a\" # \"a\" base port 0 lid 7 lmc 0\n[2] \"b\"[1](99) # \"b\" lid 5 4xHDR\n",
		"Ca 2 \"b\"\n[1](99) \"a\"[2] # lid 5 lmc 0 \"a\" lid 7 4xHDR\nSwitch 4 \"a\"\n",
		("Switch 4 \"a\"\n[2] \"b\"[1] # \"b\" lid 5 4xHDR\nCa 2 \"b\"\n"
		 "[1](99) \"a\"[2] # lid 5 lmc 0 \"a\" lid 7 4xHDR\n"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct topo_port *p;
		struct topo t;
		uint32_t a;

		topo_text_must_read(texts[i], &t);
		a = t.nodes[0].type == TOPO_SWITCH ? 0 : 1;
		p = topo_port(&t, 1 - a, 1);
		assert_int_equal(p->guid, 0x99);
		assert_int_equal(p->lid, 5);
		assert_int_equal(p->peer_node, a);
		assert_int_equal(p->peer_port, 2);
		assert_int_equal(p->width, 2);
		assert_int_equal(p->speed_ext, 4);
		assert_int_equal(topo_port(&t, a, 0)->lid, 7);
		assert_int_equal(topo_port(&t, a, 2)->speed_ext, 4);
		assert_int_equal(topo_port(&t, a, 2)->peer_node, 1 - a);
		assert_int_equal(topo_port(&t, a, 1)->peer_node, TOPO_NONE);
		topo_clear(&t);
	}
}

/* New entries are zeroed, and old ones stay, while the tables grow. */
static void
test_tables_grow(void **state)
{
	struct topo_plugs p = { 0 };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		struct topo_plug *plug = topo_plugs_add(&p);
		struct topo_alias *alias = topo_plugs_add_alias(&p);
		struct topo_place *node = topo_plugs_add_node(&p);

		assert_true(!plug->peer && !plug->node && !plug->peer_port);
		assert_true(!alias->name && !alias->port);
		assert_true(!node->file && !node->line);
		plug->node = alias->node = node->line = i;
	}
	assert_int_equal(p.nplugs, 1000);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(p.plugs[i].node == i && p.aliases[i].node == i && p.nodes[i].line == i);
	topo_plugs_clear(&p);
	assert_null(p.plugs);
	topo_plugs_clear(&p);
}

/* A sentence fits, says where it is from, and holds nothing that a terminal obeys. */
static void
test_complaints(void **state)
{
	struct topo_error e;
	char name[400];

	(void)state;
	assert_int_equal(topo_complain(&e, (struct topo_place){ "net", 7 }, "no %s", "cable"),
		-EINVAL);
	assert_string_equal(e.text, "net:7: no cable");
	topo_complain(&e, (struct topo_place){ "net", 0 }, "not a topology");
	assert_string_equal(e.text, "net: not a topology");
	topo_complain(&e, (struct topo_place){ "n\x1b[2Jt\n", 1 }, "id \"%s\"", "\a\x7f\xc3\xbc");
	assert_string_equal(e.text, "n?[2Jt?:1: id \"??\xc3\xbc\"");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	topo_complain(&e, (struct topo_place){ name, UINT32_MAX }, "%s%s", name, name);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_memory_equal(e.text + 100, ":4294967295: ", 13);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modules_and_aliases),
		cmocka_unit_test(test_bad_cables),
		cmocka_unit_test(test_either_end),
		cmocka_unit_test(test_tables_grow),
		cmocka_unit_test(test_complaints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
