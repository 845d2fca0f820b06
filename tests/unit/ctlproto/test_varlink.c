/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_varlink.c - messages in any pieces; what is not a message is refused.  The vectors are
 * from Varlink's own description of its protocol.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "ctlproto/service.h"
#include "ctlproto/varlink.h"

#define BYTES(s) (s), sizeof(s)         /* with the zero byte */

/* Three messages in one stream, cut at every position and in pieces of every size. */
static void
test_pieces(void **state)
{
	static const char stream[] =
		"{\"method\":\"a.b.C\"}\0{}\0{\"parameters\":{\"x\":[1,2,\"\\u0001\"]}}";
	struct varlink_in in;
	json_t *msg;

	(void)state;
	for (size_t piece = 1; piece <= sizeof(stream); piece++) {
		int n = 0, r;

		varlink_in_init(&in, 64);
		for (size_t at = 0; at < sizeof(stream); at += piece) {
			size_t len = sizeof(stream) - at < piece ? sizeof(stream) - at : piece;

			assert_int_equal(varlink_in_put(&in, stream + at, len), 0);
			while ((r = varlink_in_next(&in, &msg)) > 0) {
				assert_int_equal(json_object_size(msg), n == 1 ? 0 : 1);
				json_decref(msg);
				n++;
			}
			assert_int_equal(r, 0);
		}
		assert_int_equal(n, 3);
		varlink_in_clear(&in);
	}
}

static void
test_limit(void **state)
{
	struct varlink_in in;
	json_t *msg;
	char big[64];

	(void)state;
	memset(big, ' ', sizeof(big));
	varlink_in_init(&in, 16);
	assert_int_equal(varlink_in_put(&in, big, 16), -EMSGSIZE);
	assert_int_equal(varlink_in_put(&in, big, 10), 0);
	assert_int_equal(varlink_in_put(&in, big, 7), -EMSGSIZE);
	assert_int_equal(varlink_in_put(&in, BYTES("{ }")), 0);  /* 10 + 3 letters */
	assert_int_equal(varlink_in_next(&in, &msg), 1);
	json_decref(msg);
	assert_int_equal(varlink_in_next(&in, &msg), 0);
	varlink_in_clear(&in);
	/* An oversized message, with its end, among the bytes. */
	memset(big, ' ', sizeof(big));
	memcpy(big + 40, "{}\0", 3);
	assert_int_equal(varlink_in_put(&in, big, 43), 0);
	assert_int_equal(varlink_in_next(&in, &msg), -EPROTO);
	varlink_in_clear(&in);
}

static void
test_no_messages(void **state)
{
	static const char *const v[] = { "", "x", "[]", "1", "\"s\"", "null", "{", "{}}",
	"{\"a\":1,\"a\":2}", "{\"a\":\"\xff\"}",
		"{\"a\":1,}", "{'a':1}", "{\"a\":\"\\u0000\"}", "\xef\xbb\xbf{}" };
	struct varlink_in in;
	json_t *msg;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		varlink_in_init(&in, 1024);
		assert_int_equal(varlink_in_put(&in, v[i], strlen(v[i]) + 1), 0);
		assert_int_equal(varlink_in_next(&in, &msg), -EPROTO);
		assert_null(msg);
		varlink_in_clear(&in);
	}
}

static void
test_call_read(void **state)
{
	static const struct {
		const char *text;
		int err;
		unsigned flags;
	} v[] = {
		{ "{\"method\":\"io.heddle.Manager.Status\"}", 0, 0 },
		{ "{\"method\":\"a.b.C\",\"parameters\":{},\"more\":true,\"oneway\":false}", 0,
			VARLINK_MORE },
		{ "{\"method\":\"a.b.C\",\"parameters\":null,\"oneway\":true}", 0, VARLINK_ONEWAY },
		{ "{\"method\":\"a.b.C\",\"upgrade\":true,\"unknown\":7}", 0, VARLINK_UPGRADE },
		{ "{}", -EPROTO, 0 },
		{ "{\"method\":1}", -EPROTO, 0 },
		{ "{\"method\":\"\"}", -EPROTO, 0 },
		{ "{\"method\":\"Status\"}", -EPROTO, 0 },
		{ "{\"method\":\"a.Status\"}", -EPROTO, 0 },
		{ "{\"method\":\"a..b.Status\"}", -EPROTO, 0 },
		{ "{\"method\":\".a.b.Status\"}", -EPROTO, 0 },
		{ "{\"method\":\"a.b.status\"}", -EPROTO, 0 },
		{ "{\"method\":\"a.b.\"}", -EPROTO, 0 },
		{ "{\"method\":\"a.b.C d\"}", -EPROTO, 0 },
		{ "{\"method\":\"a/b.c.D\"}", -EPROTO, 0 },
		{ "{\"method\":\"a.b.C\",\"parameters\":[]}", -EPROTO, 0 },
		{ "{\"method\":\"a.b.C\",\"parameters\":\"x\"}", -EPROTO, 0 },
		{ "{\"method\":\"a.b.C\",\"more\":1}", -EPROTO, 0 },
		{ "{\"method\":\"a.b.C\",\"oneway\":\"true\"}", -EPROTO, 0 },
	};
	struct varlink_call c;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		json_t *msg = json_loads(v[i].text, 0, NULL);

		assert_non_null(msg);
		if (varlink_call_read(msg, &c) != v[i].err)
			fail_msg("%s", v[i].text);
		if (!v[i].err)
			assert_int_equal(c.flags, v[i].flags);
		json_decref(msg);
	}
}

static void
test_reply_read(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *error;
		bool continues;
	} v[] = {
		{ "{}", 0, NULL, false },
		{ "{\"parameters\":{\"a\":1},\"continues\":true}", 0, NULL, true },
		{ "{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{\"method\":\"x\"}}", 0,
			"org.varlink.service.MethodNotFound", false },
		{ "{\"error\":null}", 0, NULL, false },
		{ "{\"error\":5}", -EPROTO, NULL, false },
		{ "{\"error\":\"x\"}", -EPROTO, NULL, false },
		{ "{\"error\":\"a.b.C\",\"continues\":true}", -EPROTO, NULL, false },
		{ "{\"parameters\":3}", -EPROTO, NULL, false },
		{ "{\"continues\":3}", -EPROTO, NULL, false },
	};
	struct varlink_reply r;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		json_t *msg = json_loads(v[i].text, 0, NULL);

		assert_non_null(msg);
		if (varlink_reply_read(msg, &r) != v[i].err)
			fail_msg("%s", v[i].text);
		if (!v[i].err) {
			assert_int_equal(r.continues, v[i].continues);
			assert_int_equal(!r.error, !v[i].error);
			if (r.error)
				assert_string_equal(r.error, v[i].error);
		}
		json_decref(msg);
	}
}

static void
expect_bytes(char *got, size_t len, const char *want)
{
	assert_int_equal(len, strlen(want) + 1);
	assert_string_equal(got, want);
	free(got);
}

static void
test_write(void **state)
{
	json_t *p = json_pack("{s:i}", "x", 1);
	char *text;
	size_t len;

	(void)state;
	text = varlink_call_write("a.b.C", p, VARLINK_MORE, &len);
	expect_bytes(text, len, "{\"method\":\"a.b.C\",\"more\":true,\"parameters\":{\"x\":1}}");
	text = varlink_call_write("a.b.C", NULL, VARLINK_ONEWAY, &len);
	expect_bytes(text, len, "{\"method\":\"a.b.C\",\"oneway\":true}");
	text = varlink_reply_write(p, false, &len);
	expect_bytes(text, len, "{\"parameters\":{\"x\":1}}");
	text = varlink_reply_write(NULL, true, &len);
	expect_bytes(text, len, "{\"parameters\":{},\"continues\":true}");
	text = varlink_error_write("a.b.E", p, &len);
	expect_bytes(text, len, "{\"error\":\"a.b.E\",\"parameters\":{\"x\":1}}");
	json_decref(p);
}

static void
assert_answer(const char *call, const char *want_error, const char *want)
{
	static const struct varlink_interface has[] = { { "io.x.Y", "interface io.x.Y\n" } };
	static const struct varlink_service s = { "V", "P", "1", "http://u", has, 1 };
	json_t *msg = json_loads(call, 0, NULL), *reply = NULL;
	struct varlink_call c;
	const char *error;
	char *text;

	assert_int_equal(varlink_call_read(msg, &c), 0);
	if (!varlink_service_call(&s, &c, &error, &reply))
		error = varlink_service_unknown(&s, &c, &reply);
	assert_int_equal(!error, !want_error);
	if (error)
		assert_string_equal(error, want_error);
	text = json_dumps(reply, JSON_COMPACT);
	assert_string_equal(text, want);
	free(text);
	json_decref(reply);
	json_decref(msg);
}

static void
test_service(void **state)
{
	(void)state;
	assert_answer("{\"method\":\"org.varlink.service.GetInfo\"}", NULL,
		"{\"vendor\":\"V\",\"product\":\"P\",\"version\":\"1\",\"url\":\"http://u\","
		"\"interfaces\":[\"org.varlink.service\",\"io.x.Y\"]}");
	assert_answer(
		"{\"method\":\"org.varlink.service.GetInterfaceDescription\",\"parameters\":{\"interface\":\"io.x.Y\"}}", NULL, "{\"description\":\"interface io.x.Y\\n\"}");
	assert_answer(
		"{\"method\":\"org.varlink.service.GetInterfaceDescription\",\"parameters\":{\"interface\":\"io.x\"}}", VARLINK_INTERFACE_NOT_FOUND, "{\"interface\":\"io.x\"}");
	assert_answer(
		"{\"method\":\"org.varlink.service.GetInterfaceDescription\",\"parameters\":{\"interface\":1}}", VARLINK_INVALID_PARAMETER, "{\"parameter\":\"interface\"}");
	assert_answer("{\"method\":\"org.varlink.service.GetInterfaceDescription\"}",
		VARLINK_INVALID_PARAMETER, "{\"parameter\":\"interface\"}");
	assert_answer("{\"method\":\"org.varlink.service.Foo\"}", VARLINK_METHOD_NOT_FOUND,
		"{\"method\":\"org.varlink.service.Foo\"}");
	assert_answer("{\"method\":\"io.x.Y.Foo\"}", VARLINK_METHOD_NOT_FOUND,
		"{\"method\":\"io.x.Y.Foo\"}");
	assert_answer("{\"method\":\"io.x.Z.Foo\"}", VARLINK_INTERFACE_NOT_FOUND,
		"{\"interface\":\"io.x.Z\"}");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_no_messages), cmocka_unit_test(test_call_read),
		cmocka_unit_test(test_reply_read), cmocka_unit_test(test_write),
		cmocka_unit_test(test_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
