/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_capture.c - answers are found again, also after they went through JSON; anything else is refused with a sentence.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/capture.h"
#include "fabric/snapshot/capture_json.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "sim/gen/gen.h"
#include "tests/unit/test.h"

static struct snapshot *
made(void)
{
	struct topo_error e;
	struct snapshot *s;
	struct topo t;

	assert_int_equal(gen_topology("fattree:k=4,levels=2", &t, &e), 0);
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, 4, &s), 0);
	topo_clear(&t);
	return s;
}

static struct capture_key
key(uint32_t node, uint8_t mgmt_class, uint16_t attr, uint32_t modifier, uint8_t select)
{
	return (struct capture_key){ .node = node, .mgmt_class = mgmt_class, .attr_id = attr, .modifier = modifier, .select = select };
}

static void
add(struct capture *c, struct capture_key k, uint8_t first, size_t bytes)
{
	uint8_t data[CAPTURE_DATA_BYTES] = { 0 };

	for (size_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)(first + i);
	capture_add(c, &k, 0, data, sizeof(data));
}

static void
has(struct capture *c, struct capture_key k, uint8_t first, size_t bytes)
{
	const struct capture_answer *a = capture_find(c, &k);

	assert_non_null(a);
	assert_int_equal(a->status, 0);
	assert_int_equal(a->bytes, bytes);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(a->data[i], (uint8_t)(first + i));
}

static void
fill(struct capture *c)
{
	struct capture_key refused = key(2, 4, 0x1d, 0, 3);

	for (uint32_t block = 40; block-- > 0;)
		add(c, key(1, 1, 0x19, block, 0), (uint8_t)(block + 1), 64);
	for (uint32_t port = 1; port <= 4; port++)
		for (uint32_t block = 0; block < 3; block++)
			add(c, key(1, 1, 0x16, port << 16 | block, 0), (uint8_t)(port * 16 + block), 30);
	for (uint8_t port = 1; port <= 4; port++)
		add(c, key(1, 4, 0x12, 0, port), port, 40 + port);
	add(c, key(1, 4, 0x12, 0, 255), 9, 44);
	add(c, key(0, 1, 0x1b, 0xf0000002, 0), 7, 64);
	add(c, key(3, 1, 0x20, 0, 0), 0, 0);
	capture_add(c, &refused, 0x0c, NULL, 0);
}

static void
check(struct capture *c)
{
	struct capture_key none = key(1, 1, 0x19, 40, 0), refused = key(2, 4, 0x1d, 0, 3);

	assert_int_equal(capture_count(c), 40 + 12 + 5 + 3);
	for (uint32_t block = 0; block < 40; block++)
		has(c, key(1, 1, 0x19, block, 0), (uint8_t)(block + 1), 64);
	for (uint32_t port = 1; port <= 4; port++)
		for (uint32_t block = 0; block < 3; block++)
			has(c, key(1, 1, 0x16, port << 16 | block, 0), (uint8_t)(port * 16 + block), 30);
	for (uint8_t port = 1; port <= 4; port++)
		has(c, key(1, 4, 0x12, 0, port), port, 40 + port);
	has(c, key(1, 4, 0x12, 0, 255), 9, 44);
	has(c, key(0, 1, 0x1b, 0xf0000002, 0), 7, 64);
	has(c, key(3, 1, 0x20, 0, 0), 0, 0);
	assert_null(capture_find(c, &none));
	assert_int_equal(capture_find(c, &refused)->status, 0x0c);
}

static void
finds(void **state)
{
	struct capture *c = capture_new();
	struct capture_key none = key(0, 0, 0, 0, 0);

	(void)state;
	assert_null(capture_find(c, &none));
	fill(c);
	check(c);
	/* The first answer stays. */
	add(c, key(3, 1, 0x20, 0, 0), 77, 5);
	check(c);
	capture_free(c);
	capture_free(NULL);
}

static void
comes_back(void **state)
{
	char why[CAPTURE_WHY_BYTES] = "";
	struct capture *c = capture_new(), *again;
	struct snapshot *s = made();
	json_t *o, *p;

	(void)state;
	fill(c);
	o = capture_to_json(c, s);
	assert_int_equal(json_array_size(o), 4);
	assert_int_equal(capture_from_json(o, s, &again, why), 0);
	check(again);
	p = capture_to_json(again, s);
	assert_true(json_equal(o, p));
	json_decref(o);
	json_decref(p);
	capture_free(c);
	capture_free(again);
	snapshot_free(s);
}

static void
refuses(void **state)
{
#define HEAD "[{\"node\": \"0x00fe1d0000000000\", \"port\": 0, \"runs\": ["
#define RUN(step, count, data) "{\"class\": 1, \"attribute\": 25, \"modifier\": 4294967295, \"select\": 0, \"step\": " step \
	", \"count\": " count ", \"status\": 0, \"data\": " data "}"
	static const char *const bad[] = {
		"{}", "[1]", "[{}]", "[{\"node\": \"0x1\", \"port\": 0, \"runs\": []}]", "[{\"node\": \"0x00fe1d0000000000\", \"port\": 99, \"runs\": []}]",
		"[{\"node\": \"0x00fe1d0000000000\", \"port\": 0}]", HEAD "{}]}]",
		HEAD RUN("0", "0", "\"\"") "]}]", HEAD RUN("0", "2", "\"aabb\"") "]}]", HEAD RUN("256", "2", "\"aabb\"") "]}]",
		HEAD RUN("0", "1", "\"a\"") "]}]", HEAD RUN("0", "1", "\"xy\"") "]}]", HEAD RUN("0", "1", "7") "]}]",
		HEAD RUN("0", "99999", "\"aa\"") "]}]", HEAD RUN("-1", "1", "\"aa\"") "]}]",
	};
	struct snapshot *s = made();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char why[CAPTURE_WHY_BYTES] = "";
		json_t *o = json_loads(bad[i], 0, NULL);
		struct capture *c;

		assert_non_null(o);
		assert_true(capture_from_json(o, s, &c, why) < 0);
		assert_null(c);
		assert_true(why[0]);
		json_decref(o);
	}
	snapshot_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(finds), cmocka_unit_test(comes_back), cmocka_unit_test(refuses) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
