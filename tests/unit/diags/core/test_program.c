/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * The life of a tool: its state, its operations, how they find their address.
 */
#include <config.h>
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "tests/unit/diags/fake.h"

struct counting {
	unsigned begins_as, zero;
};

static void
state_init(void *state)
{
	((struct counting *)state)->begins_as = 3;
}

static void
state_clear(void *state)
{
	printf("cleared %u\n", ((struct counting *)state)->begins_as);
}

static int
count(struct diag *d, int argc, char **argv)
{
	struct counting *s = diag_state(d);

	(void)argv;
	diag_text(d, "%u %u\n", s->begins_as, s->zero);
	s->begins_as += (unsigned)argc;
	return 0;
}

static const struct diag_tool counting = {
	.name = "counting", .flags = DIAG_NO_PORT, .state_bytes = sizeof(struct counting), .init = state_init, .clear = state_clear,
	.run = count,
};

static void
states(void **state)
{
	struct outcome o = fake_run(&counting, "a b");

	(void)state;
	assert_string_equal(o.out, "3 0\ncleared 5\n");
	outcome_clear(&o);
}

/* ---- operations, with a stand-in for diags/ask ---- */

static int
fake_open(struct diag *d)
{
	(void)d;
	return 0;
}

static int
fake_address(struct diag *d, const char *text, struct diag_addr *a)
{
	uint64_t v;

	if (!diag_number(text, 100, &v))
		return diag_fail(d, EXIT_USAGE, "usage", "no address: %s", text);
	*a = diag_addr_lid((uint16_t)v);
	return 0;
}

static json_t *
fake_json(const struct diag *d)
{
	(void)d;
	return json_null();
}

static void
fake_close(struct diag *d)
{
	assert_non_null(diag_asking_state(d));
}

static const struct diag_asking asking = {
	.state_bytes = 8, .open = fake_open, .address = fake_address, .json_local = fake_json, .json_mads = fake_json, .close = fake_close,
};

static int
show_op(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	diag_text(d, "%s lid %u:", diag_word(d), to->lid);
	for (int i = 0; i < argc; i++)
		diag_text(d, " %s", argv[i]);
	diag_text(d, "\n");
	return 0;
}

static const struct diag_op ops[] = { { "Show", "SH", "<addr>", show_op }, { NULL, NULL, NULL, NULL } };
static const struct diag_tool operating = { .name = "operating", .ops = ops };

static int
run_here(char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return diag_main(&operating, &asking, argc, argv);
}

#define ARGV(...) ((char *[]){ (char *)(uintptr_t)"tool", __VA_ARGS__, NULL })
#define W(s) ((char *)(uintptr_t)(s))

static void
operations(void **state)
{
	(void)state;
	assert_int_equal(run_here(ARGV(W("show"), W("5"), W("x"))), 0);
	assert_int_equal(run_here(ARGV(W("sh"), W("5"))), 0);
	assert_int_equal(run_here(ARGV(W("sh"), W("leaf"))), EXIT_USAGE);
	assert_int_equal(run_here(ARGV(W("sho"), W("5"))), EXIT_USAGE);
	assert_int_equal(run_here(ARGV(W("show"))), EXIT_USAGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(states), cmocka_unit_test(operations) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
