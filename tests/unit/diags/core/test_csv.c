/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Rows as a table: columns of nested objects, cells that need quotes, what is missing.
 */
#include <config.h>
#include <jansson.h>
#include "diags/core/csv.h"
#include "tests/unit/test.h"

static void
expect(const char *rows, const char *table)
{
	json_t *o = rows ? json_loads(rows, 0, NULL) : NULL;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_true(!rows || o);
	diag_csv_print(f, o);
	fclose(f);
	assert_string_equal(text, table);
	free(text);
	json_decref(o);
}

static void
columns(void **state)
{
	(void)state;
	expect(NULL, "");
	expect("[]", "");
	expect("[{\"a\": 1, \"b\": \"x\"}]", "a,b\n1,x\n");
	/* In the order in which they appear first, of all rows. */
	expect("[{\"a\": 1}, {\"b\": 2, \"a\": 3}]", "a,b\n1,\n3,2\n");
	expect("[{\"peer\": {\"lid\": 1, \"at\": {\"port\": 2}}}]", "peer.lid,peer.at.port\n1,2\n");
	/* null in one row and an object in another is only the object's columns. */
	expect("[{\"peer\": null, \"z\": 1}, {\"peer\": {\"lid\": 4}, \"z\": 2}]", "z,peer.lid\n1,\n2,4\n");
}

static void
cells(void **state)
{
	(void)state;
	expect("[{\"a\": \"x,y\"}]", "a\n\"x,y\"\n");
	expect("[{\"a\": \"say \\\"so\\\"\"}]", "a\n\"say \"\"so\"\"\"\n");
	expect("[{\"a\": \"b\\u001b[31m\\n\"}]", "a\n\"b [31m \"\n");
	expect("[{\"a\": null, \"b\": true, \"c\": 1.5}]", "a,b,c\n,true,1.5\n");
	expect("[{\"a\": [1, \"two\", [3, 4]]}]", "a\n1 two 3 4\n");
	expect("[{\"a\": []}]", "a\n\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(columns), cmocka_unit_test(cells) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
