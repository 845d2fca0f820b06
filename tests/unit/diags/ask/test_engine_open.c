/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_engine_open.c - the port of a tool: whose it is, what takes its place with --load, and what
 * the document says of it.
 */
#include <config.h>
#include <unistd.h>
#include "diags/ask/engine_int.h"
#include "diags/ask/query.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/ask/wire.h"

static const struct diag_tool tool = { .name = "test" };

static void
tool_begin(struct diag *d)
{
	diag_begin(d, &tool, &diag_asking_ports, "test");
	diag_hush(d, true);
}

static void
the_own_port(void **state)
{
	struct wire *w = *state;
	struct io_port other = { .ca_name = "given", .port = 2, .lid = 8 };

	assert_true(engine_is_open(&w->d));
	assert_ptr_equal(diag_io(&w->d), &w->io);
	assert_string_equal(diag_port(&w->d)->ca_name, "wire0"); /* the one that it has */
	assert_int_equal(diag_port(&w->d)->lid, 7);
	assert_non_null(engine_txn(&w->d));
	assert_int_equal(diag_open(&w->d), 0); /* again: nothing happens */
	assert_ptr_equal(diag_io(&w->d), &w->io);
	engine_close(&w->d);
	engine_of(&w->d)->txn = NULL;
	engine_open(&w->d, &w->io, &other);
	assert_string_equal(diag_port(&w->d)->ca_name, "given");
	assert_true(diag_can_ask(&w->d));
}

static void
a_class_is_added_once(void **state)
{
	struct wire *w = *state;
	struct io_class pm = io_class_client(CLASS_PM), sa = io_class_client(CLASS_SA);

	assert_int_equal(diag_class(&w->d, &pm), 0);
	assert_int_equal(diag_class(&w->d, &pm), 0);
	assert_int_equal(w->classes, 1);
	w->refuses = true;
	assert_int_equal(diag_class(&w->d, &pm), 0); /* it is there */
	assert_int_equal(diag_class(&w->d, &sa), EXIT_FATAL);
	assert_int_equal(json_array_size(w->d.errors), 1);
	w->refuses = false;
	assert_int_equal(diag_class(&w->d, &sa), 0); /* a refusal is not for ever */
}

static int
answers(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)timeout_ms;
	if (w->nsent == 1)
		wire_return(w, g);
	else
		wire_answer(w, g, w->nsent == 2 ? STATUS_OK : STATUS_BAD_VALUE, NULL);
	return 0;
}

static json_int_t
member(json_t *o, const char *name)
{
	return json_integer_value(json_object_get(o, name));
}

static void
the_document(void **state)
{
	struct wire *w = *state;
	struct diag_addr to = diag_addr_lid(20);
	struct diag_request q = { .to = &to, .attr_id = NODE_INFO_ID, .quiet = true };
	struct diag_reply r;
	json_t *o;

	wire_hasten(w);
	w->on_send = answers;
	diag_query(&w->d, &q, &r); /* lost, sent again, answered */
	diag_reply_clear(&r);
	diag_query(&w->d, &q, &r); /* refused */
	diag_reply_clear(&r);
	o = engine_json_mads(&w->d);
	assert_int_equal(member(o, "sent"), 3);
	assert_int_equal(member(o, "received"), 2);
	assert_int_equal(member(o, "retries"), 1);
	assert_int_equal(member(o, "bad_status"), 1);
	json_decref(o);
	o = engine_json_local(&w->d);
	assert_string_equal(json_string_value(json_object_get(o, "ca")), "wire0");
	assert_int_equal(member(o, "port"), 1);
	assert_int_equal(member(o, "lid"), 7);
	assert_int_equal(member(o, "sm_lid"), 3);
	assert_non_null(strstr(json_string_value(json_object_get(o, "port_guid")), "77"));
	json_decref(o);
	/* A saved fabric has no port, and nothing was sent. */
	diag_settings_mut(&w->d)->load = strdup("/nonexistent");
	o = engine_json_local(&w->d);
	assert_true(json_is_null(o));
	json_decref(o);
	o = engine_json_mads(&w->d);
	assert_int_equal(member(o, "sent"), 0);
	json_decref(o);
}

static void
windows(void **state)
{
	struct wire *w = *state;
	struct txn *before = engine_txn(&w->d);

	engine_conf(&w->d, 0, RETRY_TOOL_SWEEP);
	engine_conf(&w->d, 5000, RETRY_TOOL_SA);
	assert_ptr_equal(engine_txn(&w->d), before); /* what is open stays open */
}

static void
a_saved_fabric(void **state)
{
	char name[] = "/tmp/heddle-open-XXXXXX";
	static const char text[] =
		"vendid=0x2c9\ndevid=0xb924\nswitchguid=0x100(100)\n"
		"Switch\t2 \"S-0000000000000100\"\t\t# \"leaf\" base port 0 lid 1 lmc 0\n"
		"[1]\t\"H-0000000000000200\"[1](201)\t\t# \"host\" lid 2 4xHDR\n\n"
		"vendid=0x2c9\ndevid=0x1017\nsysimgguid=0x200\ncaguid=0x200\n"
		"Ca\t1 \"H-0000000000000200\"\t\t# \"host\"\n"
		"[1](201)\t\"S-0000000000000100\"[1]\t\t# lid 2 lmc 0 \"leaf\" lid 1 4xHDR\n";
	struct diag d;
	int fd = mkstemp(name);

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	tool_begin(&d);
	diag_settings_mut(&d)->load = strdup(name);
	assert_int_equal(diag_open(&d), 0);
	assert_true(engine_is_open(&d));
	assert_false(diag_can_ask(&d)); /* cables, and no answers */
	assert_false(engine_has_answers(&d));
	engine_answers_set(&d, true);
	assert_true(diag_can_ask(&d));
	engine_answers_set(&d, false); /* one file with answers is enough */
	assert_true(diag_can_ask(&d));
	diag_clear(&d);
	unlink(name);
	/* And one that is not there. */
	tool_begin(&d);
	diag_settings_mut(&d)->load = strdup(name);
	assert_int_not_equal(diag_open(&d), 0);
	assert_false(engine_is_open(&d));
	assert_int_equal(json_array_size(d.errors), 1);
	diag_clear(&d);
}

static void
no_device(void **state)
{
	struct diag d;

	(void)state;
	tool_begin(&d);
	diag_settings_mut(&d)->ca = strdup("none_such0");
	diag_settings_mut(&d)->port = 1;
	assert_int_equal(diag_open(&d), EXIT_FATAL);
	assert_false(engine_is_open(&d));
	assert_string_equal(json_string_value(json_object_get(json_array_get(d.errors, 0), "code")),
		"no_device");
	diag_clear(&d);
}

#define T(f) cmocka_unit_test_setup_teardown(f, wire_begin, wire_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_own_port),
		T(a_class_is_added_once),
		T(the_document),
		T(windows),
		cmocka_unit_test(a_saved_fabric),
		cmocka_unit_test(no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
