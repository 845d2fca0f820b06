/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_service.c - what a server says of itself and its interfaces, and the errors for calls that
 * nobody handles.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "ctlproto/service.h"

static const struct varlink_interface interfaces[] = {
	{ "io.heddle.Manager", "interface io.heddle.Manager\nmethod A() -> ()\n" },
	{ "io.heddle.Man", "interface io.heddle.Man\n" },
};
static const struct varlink_service service = {
	"a vendor", "a product", "1.2", "http://x", interfaces, 2,
};

static json_t *reply;
static const char *error;

static int
teardown(void **state)
{
	(void)state;
	json_decref(reply);
	reply = NULL;
	return 0;
}

static bool
call(const char *method, json_t *params)
{
	struct varlink_call c = { .method = method, .params = params };
	bool ours;

	teardown(NULL);
	error = "not set";
	ours = varlink_service_call(&service, &c, &error, &reply);
	json_decref(params);
	return ours;
}

static const char *
member(const char *name)
{
	return json_string_value(json_object_get(reply, name));
}

static void
info(void **state)
{
	json_t *names;

	(void)state;
	assert_true(call("org.varlink.service.GetInfo", NULL));
	assert_null(error);
	assert_string_equal(member("vendor"), "a vendor");
	assert_string_equal(member("product"), "a product");
	assert_string_equal(member("version"), "1.2");
	assert_string_equal(member("url"), "http://x");
	names = json_object_get(reply, "interfaces");
	assert_int_equal(json_array_size(names), 3);
	assert_string_equal(json_string_value(json_array_get(names, 0)), "org.varlink.service");
	assert_string_equal(json_string_value(json_array_get(names, 1)), "io.heddle.Manager");
	assert_string_equal(json_string_value(json_array_get(names, 2)), "io.heddle.Man");
	/* parameters that it does not have do no harm */
	assert_true(call("org.varlink.service.GetInfo", json_pack("{s:i}", "x", 1)));
	assert_null(error);
}

static void
descriptions(void **state)
{
	static const char method[] = "org.varlink.service.GetInterfaceDescription";

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(call(method, json_pack("{s:s}", "interface", interfaces[i].name)));
		assert_null(error);
		assert_string_equal(member("description"), interfaces[i].description);
	}
	assert_true(call(method, json_pack("{s:s}", "interface", "org.varlink.service")));
	assert_null(error);
	assert_non_null(strstr(member("description"), "method GetInfo()"));
	assert_true(call(method, json_pack("{s:s}", "interface", "io.heddle")));
	assert_string_equal(error, VARLINK_INTERFACE_NOT_FOUND);
	assert_string_equal(member("interface"), "io.heddle");
	assert_true(call(method, json_pack("{s:s}", "interface", "")));
	assert_string_equal(error, VARLINK_INTERFACE_NOT_FOUND);
}

/* The parameter is missing or of another type. */
static void
bad_parameters(void **state)
{
	static const char method[] = "org.varlink.service.GetInterfaceDescription";
	json_t *const params[] = {
		NULL, json_object(), json_pack("{s:i}", "interface", 5),
		json_pack("{s:n}", "interface"),
		json_pack("{s:[s]}", "interface", "io.heddle.Manager"),
		json_pack("{s:s}", "Interface", "io.heddle.Manager"),
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		assert_true(call(method, params[i]));
		assert_string_equal(error, VARLINK_INVALID_PARAMETER);
		assert_string_equal(member("parameter"), "interface");
	}
}

/* Methods of other interfaces, and its own that it does not have, are left to others. */
static void
not_its_own(void **state)
{
	static const char *const methods[] = {
		"io.heddle.Manager.GetInfo", "org.varlink.service.GetInf",
		"org.varlink.service.GetInfoo", "org.varlink.service.getInfo",
		"org.varlink.services.GetInfo", "GetInfo",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		assert_false(call(methods[i], NULL));
		assert_null(error);
		assert_null(reply);
	}
}

/* A known interface has no such method; of an unknown one the interface is named, not the
 * method. */
static void
unknown(void **state)
{
	static const struct {
		const char *method, *error, *member, *value;
	} rows[] = {
		{ "io.heddle.Manager.Nope", VARLINK_METHOD_NOT_FOUND, "method",
			"io.heddle.Manager.Nope" },
		{ "io.heddle.Man.Nope", VARLINK_METHOD_NOT_FOUND, "method", "io.heddle.Man.Nope" },
		{ "org.varlink.service.Nope", VARLINK_METHOD_NOT_FOUND, "method",
			"org.varlink.service.Nope" },
		{ "io.heddle.Ma.Nope", VARLINK_INTERFACE_NOT_FOUND, "interface", "io.heddle.Ma" },
		{ "io.heddle.Managers.Nope", VARLINK_INTERFACE_NOT_FOUND, "interface",
			"io.heddle.Managers" },
		{ "org.varlink.servic.Nope", VARLINK_INTERFACE_NOT_FOUND, "interface",
			"org.varlink.servic" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct varlink_call c = { .method = rows[i].method };

		teardown(NULL);
		assert_string_equal(varlink_service_unknown(&service, &c, &reply), rows[i].error);
		assert_int_equal(json_object_size(reply), 1);
		assert_string_equal(member(rows[i].member), rows[i].value);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(info, teardown),
		cmocka_unit_test_teardown(descriptions, teardown),
		cmocka_unit_test_teardown(bad_parameters, teardown),
		cmocka_unit_test_teardown(not_its_own, teardown),
		cmocka_unit_test_teardown(unknown, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
