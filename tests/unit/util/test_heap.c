/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_heap.c - the nearest deadline, against a search through all of them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "util/heap.h"

enum { N = 300 };

struct member {
	struct heap_node node;
	int64_t key;
	bool in;
};

static const struct member *
least(const struct member *m)
{
	const struct member *best = NULL;

	for (unsigned i = 0; i < N; i++)
		if (m[i].in && (!best || m[i].key < best->key))
			best = &m[i];
	return best;
}

static void
as_a_search(void **state)
{
	static struct member m[N];
	struct heap h = { 0 };
	uint64_t rng = 88172645463325252u;
	int64_t key = 0;

	assert_null(heap_top(&h, &key));
	for (unsigned step = 0; step < 20000; step++) {
		const struct member *want;
		struct member *x;
		struct heap_node *top;

		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		x = &m[rng % N];
		if (x->in) {
			heap_drop(&h, &x->node);
			heap_drop(&h, &x->node);        /* twice does nothing */
		} else {
			x->key = (int64_t)(rng >> 32) % 100 - 50;
			heap_put(&h, &x->node, x->key);
		}
		x->in = !x->in;
		want = least(m);
		top = heap_top(&h, &key);
		assert_int_equal(top != NULL, want != NULL);
		if (want) {
			assert_int_equal(key, want->key);
			assert_int_equal(((struct member *)top)->key, key);     /* the node is its first member */
			assert_true(((struct member *)top)->in);
		}
	}
	heap_clear(&h);
	(void)state;
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_a_search) };

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
