/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_idl.c - io.heddle.Manager.varlink is well-formed; replies are told from what are none.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/idl/idl.h"

static char why[256];

static void
test_installed(void **state)
{
	const char *top = getenv("top_srcdir");
	static char text[16384], path[512];
	size_t n;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/sm/ctl/io.heddle.Manager.varlink", top ? top : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	if (!idl_valid(text, why, sizeof(why)))
		fail_msg("%s", why);
}

static const char idl[] =
	"# c\ninterface a.b\n"
	"type E (one, two)\n"
	"type S (i: int, # c\n  e: ?E, f: float)\n"
	"method M(x: int) -> (s: ?S, l: []S, m: [string]int, t: (a, b), b: bool)\n"
	"method N() -> ()\n"
	"error X (w: string)\n";

static bool
good(const char *reply)
{
	json_t *v = json_loads(reply, 0, NULL);
	bool ok = v && idl_reply(idl, "M", v, why, sizeof(why));

	json_decref(v);
	return ok;
}

static void
test_replies(void **state)
{
	(void)state;
	assert_true(idl_valid(idl, why, sizeof(why)));
	assert_true(good("{\"s\":null,\"l\":[],\"m\":{},\"t\":\"a\",\"b\":true}"));
	assert_true(good("{\"s\":{\"i\":1,\"e\":\"two\",\"f\":1},\"l\":[{\"i\":1,\"e\":null,\"f\":1.5}],\"m\":{\"q\":3},"
		"\"t\":\"b\",\"b\":false}"));
	assert_false(good("{\"s\":null,\"l\":[],\"m\":{},\"t\":\"a\"}"));
	assert_string_equal(why, "M: no member b");
	assert_false(good("{\"s\":null,\"l\":[],\"m\":{},\"t\":\"a\",\"b\":true,\"z\":1}"));
	assert_string_equal(why, "M: 6 members instead of 5");
	assert_false(good("{\"s\":null,\"l\":[],\"m\":{},\"t\":\"c\",\"b\":true}"));
	assert_string_equal(why, "M.t: not one of the words");
	assert_false(good("{\"s\":{\"i\":1,\"e\":\"six\",\"f\":1},\"l\":[],\"m\":{},\"t\":\"a\",\"b\":true}"));
	assert_string_equal(why, "M.s.e: not one of the words");
	assert_false(good("{\"s\":null,\"l\":[{\"i\":1.5,\"e\":null,\"f\":1}],\"m\":{},\"t\":\"a\",\"b\":true}"));
	assert_string_equal(why, "M.l.i: expected an int");
	assert_false(good("{\"s\":null,\"l\":{},\"m\":{},\"t\":\"a\",\"b\":true}"));
	assert_false(good("{\"s\":null,\"l\":[],\"m\":{\"q\":null},\"t\":\"a\",\"b\":true}"));
	assert_false(good("{\"s\":null,\"l\":[],\"m\":{},\"t\":null,\"b\":true}"));
	assert_false(good("{\"s\":null,\"l\":[],\"m\":{},\"t\":\"a\",\"b\":null}"));
}

static void
test_descriptions(void **state)
{
	static const char *const bad[] = { "type A (x: int)\n", "interface a.b\ntype A x\n", "interface a.b\nmethod M()\n",
		"interface a.b\ntype A (x: Missing)\n", "interface a.b\ntype A (x: )\n", "interface a.b\nfoo\n",
		"interface a.b\ntype A (a, b: int)\n" };
	json_t *v = json_object();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (idl_valid(bad[i], why, sizeof(why)))
			fail_msg("%s", bad[i]);
	assert_true(idl_reply(idl, "N", v, why, sizeof(why)));
	assert_false(idl_reply(idl, "O", v, why, sizeof(why)));
	json_decref(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_installed), cmocka_unit_test(test_replies), cmocka_unit_test(test_descriptions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
