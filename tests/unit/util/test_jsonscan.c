/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_jsonscan.c - what is JSON and what is not, as jansson has it; and each value where it stands.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "util/jsonscan.h"

static FILE *
file_of(const char *text, size_t n)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	rewind(f);
	return f;
}

/* Whether both take the text, which must have no name twice, no \u and no long numbers. */
static void
judge(const char *text, size_t n)
{
	json_t *o = json_loadb(text, n, 0, NULL);
	char why[JSONSCAN_WHY_BYTES] = "";
	struct jsonscan s;
	FILE *f = file_of(text, n);
	int r = jsonscan_open(&s, f, why);

	if ((r == 0) != json_is_object(o))
		fail_msg("%.*s: %d %s", (int)n, text, r, why);
	if (r)
		assert_non_null(strstr(why, "line "));
	for (size_t i = 0; i < s.n; i++) {
		json_t *v = jsonscan_value(&s, &s.v[i], why);

		assert_true(json_equal(v, json_object_get(o, s.v[i].name)));
		json_decref(v);
	}
	if (!r)
		assert_in_range(s.n, 0, json_object_size(o));   /* no names that are empty */
	jsonscan_clear(&s);
	json_decref(o);
	fclose(f);
}

static void
judges(void **state)
{
	static const char *const texts[] = {
		"", " ", "{}", " { } \n", "{", "}", "[]", "1", "{} {}", "{}x", "{\"a\"}", "{\"a\":}", "{\"a\":1}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}",
		"{\"a\":1,,\"b\":2}", "{\"a\" 1}", "{a:1}", "{\"a\":[1,2,]}", "{\"a\":[,]}", "{\"a\":[1 2]}", "{\"a\":[]}", "{\"a\":[[],{}]}", "{\"a\":{\"b\":[{}]}}",
		"{\"a\":{\"b\":1,}}", "{\"a\":{\"b\" 1}}", "{\"a\":[}", "{\"a\":]}", "{\"a\":{]}", "{\"a\":true}", "{\"a\":tru}", "{\"a\":falsee}", "{\"a\":null}",
		"{\"a\":01}", "{\"a\":-}", "{\"a\":-0}", "{\"a\":1.}", "{\"a\":.1}", "{\"a\":1.5e3}", "{\"a\":1e}", "{\"a\":1e+}", "{\"a\":1E-2}", "{\"a\":+1}",
		"{\"a\":\"b}", "{\"a\":\"\\\"\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\n\"}", "{\"a\":\"\t\"}", "{\"a\":\"\\n\\\\\"}", "{\"a\":'b'}",
		"\t{\r\n\"a\"\n:\t\"x\" , \"b\" : [ { \"c\" : -1.0 } , [ ] ] }\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		judge(texts[i], strlen(texts[i]));
}

/* One character of a good text replaced, left out or put in twice. */
static void
judges_damage(void **state)
{
	static const char good[] = "{\"a\": [{\"k\": -1.5e2}, true, null], \"b\": {\"c\": \"x\\ny\"}, \"d\": 10}";
	static const char put[] = "{}[],:\"\\0-.etn x\n";
	char text[sizeof(good) + 1];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(good); i++) {
		for (size_t k = 0; k + 1 < sizeof(put); k++) {
			memcpy(text, good, sizeof(good));
			text[i] = put[k];
			judge(text, sizeof(good) - 1);
			memcpy(text, good, i);
			text[i] = put[k];
			memcpy(text + i + 1, good + i, sizeof(good) - i);
			judge(text, sizeof(good));
		}
		memcpy(text, good, i);
		memcpy(text + i, good + i + 1, sizeof(good) - i - 1);
		judge(text, sizeof(good) - 2);
		judge(good, i);
	}
}

static int
sum(void *arg, size_t i, const json_t *element)
{
	json_int_t *total = arg;

	assert_int_equal(json_integer_value(json_object_get(element, "i")), i);
	*total += (json_int_t)i;
	return 0;
}

/* More than any buffer of ours; and what stands behind it. */
static void
large(void **state)
{
	char *text = malloc(4 << 20), why[JSONSCAN_WHY_BYTES];
	const struct jsonscan_member *m;
	json_int_t total = 0;
	struct jsonscan s;
	size_t n = 0;
	FILE *f;

	(void)state;
	n += (size_t)sprintf(text, "{\"first\": 1,\n\"rows\": [");
	for (unsigned i = 0; i < 60000; i++)
		n += (size_t)sprintf(text + n, "%s{\"i\": %u, \"text\": \"]}{[\"}\n", i ? ", " : "", i);
	n += (size_t)sprintf(text + n, "], \"last\": \"e\", \"none\": [], \"twice\": [{\"x\": 1, \"x\": 2}]}");
	f = file_of(text, n);
	assert_int_equal(jsonscan_open(&s, f, why), 0);
	assert_int_equal(s.n, 5);
	m = jsonscan_find(&s, "rows");
	assert_int_equal(m->line, 2);
	assert_int_equal(jsonscan_each(&s, m, sum, &total, why), 0);
	assert_int_equal(total, 60000 / 2 * 59999);
	assert_int_equal(jsonscan_find(&s, "last")->line, 60002);
	assert_int_equal(jsonscan_each(&s, jsonscan_find(&s, "none"), sum, &total, why), 0);
	assert_true(jsonscan_each(&s, jsonscan_find(&s, "last"), sum, &total, why) < 0);
	assert_null(jsonscan_find(&s, "text"));
	assert_null(jsonscan_value(&s, jsonscan_find(&s, "twice"), why));
	assert_non_null(strstr(why, "line 60002"));
	jsonscan_clear(&s);
	fclose(f);
	free(text);
}

static int
stop(void *arg, size_t i, const json_t *element)
{
	(void)element;
	*(size_t *)arg = i;
	return i == 1 ? 7 : 0;
}

static void
stops(void **state)
{
	static const char text[] = "{\"v\": [{}, {}, {}], \"v2\": [{}, 1]}";
	char why[JSONSCAN_WHY_BYTES] = "";
	FILE *f = file_of(text, sizeof(text) - 1);
	struct jsonscan s;
	size_t last = 99;

	(void)state;
	assert_int_equal(jsonscan_open(&s, f, why), 0);
	assert_int_equal(jsonscan_each(&s, jsonscan_find(&s, "v"), stop, &last, why), 7);
	assert_int_equal(last, 1);
	assert_true(jsonscan_each(&s, jsonscan_find(&s, "v2"), stop, &last, why) < 0);
	assert_int_equal(last, 0);
	jsonscan_clear(&s);
	fclose(f);
}

static void
refuses(void **state)
{
	char why[JSONSCAN_WHY_BYTES] = "", deep[5000] = "{\"a\":";
	struct jsonscan s;
	FILE *f = file_of("{\"a\": 1, \"a\": 2}", 16);

	(void)state;
	assert_true(jsonscan_open(&s, f, why) < 0);
	fclose(f);
	memset(deep + 5, '[', 4000);
	f = file_of(deep, 4005);
	assert_true(jsonscan_open(&s, f, why) < 0);
	fclose(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges), cmocka_unit_test(judges_damage), cmocka_unit_test(large), cmocka_unit_test(stops), cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
