/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_select_test.c - single tests of an expression: values they read, ports they mean.
 */
#include <config.h>
#include <unistd.h>
#include "diags/fabric/select_int.h"
#include "tests/unit/diags/world.h"

/* How many ports (port 0 of adapters apart) the test means. */
static unsigned
ports(struct world *w, const char *text)
{
	char why[SELECT_WHY_BYTES] = "";
	struct select_test *t = select_test_new(&w->d, &w->f, text, why);
	unsigned n = 0;

	assert_string_equal(why, "");
	assert_non_null(t);
	for (uint32_t i = 0; i < w->f.s->nports; i++) {
		const struct fab_port *p = &w->f.s->ports[i];

		n += (p->num || fab_is_switch(fab_node_of(&w->f, p))) &&
			select_test_ask(t, &w->d, &w->f, p);
	}
	select_test_free(t);
	return n;
}

static void
refused(struct world *w, const char *text)
{
	char why[SELECT_WHY_BYTES] = "";

	assert_null(select_test_new(&w->d, &w->f, text, why));
	assert_true(why[0] && strlen(why) < SELECT_WHY_BYTES);
}

static void
ranges(void **state)
{
	struct world *w = *state;

	assert_int_equal(ports(w, "port:4"), 2);
	assert_int_equal(ports(w, "port:3-4,0x1"), 9);
	assert_int_equal(ports(w, "lid:0-65535"), 13);
	assert_int_equal(ports(w, "lid:1"), 5); /* all ports of a switch */
	WORLD_SET(world_port(w->f.s, 0x500, 1), lid, 16);
	WORLD_SET(world_port(w->f.s, 0x500, 1), lmc, 2);
	assert_int_equal(ports(w, "lid:19"), 1);
	assert_int_equal(ports(w, "lid:20"), 0);
	refused(w, "lid:");
	refused(w, "lid:1,");
	refused(w, "lid:1-");
	refused(w, "lid:-1");
	refused(w, "lid:2-1");
	refused(w, "lid:65536");
	refused(w, "lid:99999999999999999999");
	refused(w, "lid:1 2");
	refused(w, "port:a");
}

static void
rates(void **state)
{
	struct world *w = *state;

	assert_int_equal(ports(w, "rate:200"), 8);
	assert_int_equal(ports(w, "rate:=200"), 8);
	assert_int_equal(ports(w, "rate:<200"), ports(w, "rate:<=199"));
	assert_int_equal(ports(w, "rate:<=200"), ports(w, "rate:<200") + 8);
	assert_int_equal(ports(w, "rate:>=200"), 8);
	assert_int_equal(ports(w, "rate:>200"), 0);
	WORLD_SET(world_port(w->f.s, 0x100, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	assert_int_equal(ports(w, "rate:100"), 1);
	/* A rate that is not known is neither below nor above. */
	WORLD_SET(world_port(w->f.s, 0x100, 1), width_active, 0x80);
	assert_int_equal(ports(w, "rate:<100000") + ports(w, "rate:>100000"), ports(w, "rate:>=0"));
	refused(w, "rate:");
	refused(w, "rate:<");
	refused(w, "rate:==5");
	refused(w, "rate:5x");
	refused(w, "rate:-5");
}

static void
words(void **state)
{
	struct world *w = *state;

	assert_int_equal(ports(w, "speed:hdr"), 8);
	assert_int_equal(ports(w, "width:4X"), 13);
	assert_int_equal(ports(w, "state:act"), 10); /* with port 0 of switches */
	assert_int_equal(ports(w, "state:polling"), 3);
	assert_int_equal(ports(w, "type:SWITCH"), 10);
	assert_int_equal(ports(w, "type:rt"), 0);
	world_port(w->f.s, 0x100, 1)->flags &= (uint8_t)~FAB_PORT_INFO;
	assert_int_equal(ports(w, "speed:hdr"), 7);
	refused(w, "type:hub");
	refused(w, "speed:");
}

static void
names(void **state)
{
	struct world *w = *state;

	assert_int_equal(ports(w, "node:host-1"), 2);
	assert_int_equal(ports(w, "node:host"), 0);
	assert_int_equal(ports(w, "nodepat:[hl]*-0"), 6);
	assert_int_equal(ports(w, "guid:0x100"), 5);
	assert_int_equal(ports(w, "guid:0x501"), 1);
	refused(w, "guid:0");
	refused(w, "guid:leaf-0");
	refused(w, "node:");
	refused(w, "nodes:leaf-0");
	refused(w, "node");
	refused(w, "");
}

static void
files(void **state)
{
	struct world *w = *state;
	char *path = fake_file("# hosts\n\t host-1  # both\r\n\n0x100\n"), text[600];

	snprintf(text, sizeof(text), "file:%s", path);
	assert_int_equal(ports(w, text), 7);
	unlink(path);
	free(path);
	refused(w, text);
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "file:", 5);
	text[sizeof(text) - 1] = '\0';
	refused(w, text);
	select_test_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ranges, world_begin, world_end),
		cmocka_unit_test_setup_teardown(rates, world_begin, world_end),
		cmocka_unit_test_setup_teardown(words, world_begin, world_end),
		cmocka_unit_test_setup_teardown(names, world_begin, world_end),
		cmocka_unit_test_setup_teardown(files, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
