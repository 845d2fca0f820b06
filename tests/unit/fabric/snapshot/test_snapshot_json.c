/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_snapshot_json.c - a snapshot as JSON comes back as it was; anything else is refused with a sentence.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/snapshot_json.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "sim/gen/gen.h"
#include "tests/unit/test.h"

static struct snapshot *
made(const char *spec)
{
	struct topo_error e;
	struct snapshot *s;
	struct topo t;

	assert_int_equal(gen_topology(spec, &t, &e), 0);
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, 4, &s), 0);
	topo_clear(&t);
	return s;
}

struct text {
	char *v;
	size_t n, room;
};

static int
keep(const char *buf, size_t n, void *arg)
{
	struct text *t = arg;

	if (t->n + n > t->room)
		return -1;
	memcpy(t->v + t->n, buf, n);
	t->n += n;
	return 0;
}

/* Piece by piece it is the same; and it ends where there is no more room. */
static void
same_text(const struct snapshot *s, const json_t *o)
{
	struct text t = { .room = 1 << 22 };
	json_t *again;

	t.v = malloc(t.room);
	assert_int_equal(snapshot_put_json(s, keep, &t), 0);
	again = json_loadb(t.v, t.n, 0, NULL);
	assert_true(json_equal(again, o));
	json_decref(again);
	for (size_t cut = 0; cut < t.n; cut += 1 + t.n / 50) {
		struct text less = { .v = t.v, .room = cut };

		assert_true(snapshot_put_json(s, keep, &less) < 0);
	}
	free(t.v);
}

static void
comes_back(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=2", "torus:3x3,hosts=2", "random:switches=9,cables=14,hosts=12,seed=3" };
	char why[SNAPSHOT_WHY_BYTES] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct snapshot *s = made(specs[i]), *t;
		json_t *o, *again;

		s->ports[s->sm_port].flags |= FAB_PORT_FDR10;
		o = snapshot_to_json(s);
		assert_int_equal(snapshot_from_json(o, &t, why), 0);
		again = snapshot_to_json(t);
		assert_true(json_equal(o, again));
		same_text(s, o);
		assert_int_equal(s->nlinks, t->nlinks);
		assert_int_equal(s->nhosts, t->nhosts);
		assert_int_equal(s->sm_port, t->sm_port);
		for (uint32_t n = 0; n < s->nnodes; n++) {
			assert_int_equal(s->nodes[n].hop_count, t->nodes[n].hop_count);
			assert_memory_equal(s->nodes[n].path, t->nodes[n].path, s->nodes[n].hop_count + 1u);
		}
		json_decref(o);
		json_decref(again);
		snapshot_free(s);
		snapshot_free(t);
	}
}

/* Keys do not leave with it. */
static void
no_keys(void **state)
{
	struct snapshot *s = made("fattree:k=4,levels=2");
	char *text;
	json_t *o;

	(void)state;
	for (uint32_t i = 0; i < s->nports; i++)
		memcpy(s->ports[i].info, "\x5e\xc4\xe7\x5e\xc4\xe7\x5e\xc4", 8);
	o = snapshot_to_json(s);
	text = json_dumps(o, 0);
	assert_non_null(strstr(text, "\"info\": \"0000000000000000"));
	assert_null(strstr(text, "5ec4e7"));
	assert_int_equal(s->ports[0].info[0], 0x5e);    /* ours keeps it */
	free(text);
	json_decref(o);
	snapshot_free(s);
}

/* Every member taken out or replaced, one at a time: refused or read, never worse. */
static unsigned refused;

static void
try(const json_t *root)
{
	char why[SNAPSHOT_WHY_BYTES] = "";
	struct snapshot *s;

	if (snapshot_from_json(root, &s, why)) {
		refused++;
		assert_null(s);
		assert_true(why[0]);
	}
	snapshot_free(s);
}

static void
damage(json_t *root, json_t *at)
{
	static const char *const values[] = { "null", "-1", "1e300", "\"\"", "\"0x\"", "[]", "{}", "300", "true", "\"0x00000000000000ff\"" };
	const char *key;
	json_t *v;
	void *next;
	size_t i;

	json_object_foreach_safe(at, next, key, v) {
		json_t *kept = json_incref(v);
		char *name = strdup(key);

		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			json_object_set_new(at, name, json_loads(values[k], JSON_DECODE_ANY, NULL));
			try(root);
		}
		json_object_set_new(at, name, kept);
		damage(root, kept);
		free(name);
	}
	if (json_is_array(at))
		json_array_foreach(at, i, v)
			damage(root, v);
}

static void
damaged(void **state)
{
	struct snapshot *s = made("fattree:k=2,levels=2");
	json_t *o = snapshot_to_json(s);

	(void)state;
	damage(o, o);
	assert_true(refused > 100);
	try(NULL);
	json_decref(o);
	snapshot_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back), cmocka_unit_test(no_keys), cmocka_unit_test(damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
