/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Dotted lines: columns, secrets, the order of single fields.
 */
#include <config.h>
#include "diags/core/show.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/fake.h"

static void
image_of(uint8_t w[static PORT_INFO_BYTES])
{
	memset(w, 0, PORT_INFO_BYTES);
	wire_bits_put(w, port_info_at_mkey, port_info_bits_mkey, 0x1234);
	wire_bits_put(w, port_info_at_lid, port_info_bits_lid, 9);
	wire_bits_put(w, port_info_at_lmc, port_info_bits_lmc, 2);
}

static int
fields_show(struct diag *d, int argc, char **argv)
{
	static const char *const names[] = { "lmc", "lid", "mkey", NULL }, *const other[] = { "lid", NULL };
	uint8_t w[PORT_INFO_BYTES];
	json_t *o;

	(void)argc;
	(void)argv;
	image_of(w);
	diag_dotted(d, "Name", "%d of %d", 1, 2);
	diag_fields(d, &port_info_desc, w, names, 0);
	diag_fields(d, &port_info_desc, w, other, 1);
	diag_fields(d, &port_info_desc, w, names, 0);
	o = diag_attr(d, &port_info_desc, w);
	json_decref(o);
	return 0;
}

static const struct diag_tool tool = { .name = "tool", .flags = DIAG_NO_PORT, .run = fields_show };

static void
dots(void **state)
{
	struct outcome o = fake_run(&tool, "");
	const char *lines = "LMC:.............................2\nLid:.............................9\n"
		"Mkey:............................<not displayed>\n";
	char *second;

	(void)state;
	assert_int_equal(o.status, 0);
	assert_true(!strncmp(o.out, "Name:............................1 of 2\n", 40));
	assert_true(!strncmp(o.out + 40, lines, strlen(lines)));
	second = o.out + 40 + strlen(lines);
	assert_true(!strncmp(second, "\tLid:.............................9\n", 36));
	assert_true(!strncmp(second + 36, lines, strlen(lines)));       /* made anew for another list */
	outcome_clear(&o);
}

static void
secrets(void **state)
{
	struct outcome o = fake_run(&tool, "-K");

	(void)state;
	assert_null(strstr(o.out, "<not displayed>"));
	assert_non_null(strstr(o.out, "Mkey:............................0x0000000000001234\n"));
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(dots), cmocka_unit_test(secrets) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
