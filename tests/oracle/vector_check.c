/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vector_check.c - holds an attribute against one vector.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/oracle/vectors.h"

/* Every element of every row but the vector's own must read zero. */
struct others {
	const struct vector *v;
	const struct row *own;
	const void *s;
};

static void
check_other(const struct row *r, void *arg)
{
	const struct others *o = arg;

	for (unsigned i = 0; i < r->field->count; i++) {
		bool own = r->field == o->own->field && r->struct_offset == o->own->struct_offset;

		if (own && (r->field->bytes || i == o->v->index))
			continue;
		if (row_get(r, o->s, i))
			fail_msg("%s.%s at byte %u: %s[%u] reads it too", o->v->attr->name, o->v->row, o->v->at,
				 r->field->name, i);
	}
}

void
vector_check(const struct vector *v)
{
	uint8_t image[ROWS_IMAGE_BYTES] = { 0 }, again[ROWS_IMAGE_BYTES] = { 0 };
	uint64_t s[ROWS_STRUCT_BYTES / 8];
	struct row r = { 0 };
	struct others o = { v, &r, s };

	if (!row_find(v->attr, v->row, &r) || v->index >= r.field->count)
		fail_msg("%s has no row %s[%u]", v->attr->name, v->row, v->index);
	if (v->at + v->nbytes > v->attr->bytes)
		fail_msg("%s.%s: the vector is longer than the attribute", v->attr->name, v->row);
	memcpy(image + v->at, v->bytes, v->nbytes);
	v->attr->decode(image, s);
	if (r.field->bytes) {
		assert_int_equal(r.field->count, v->nbytes);
		for (unsigned i = 0; i < v->nbytes; i++)
			assert_int_equal(row_get(&r, s, i), (uint8_t)v->bytes[i]);
	} else if (row_get(&r, s, v->index) != v->value) {
		fail_msg("%s.%s[%u] is 0x%llx, not 0x%llx", v->attr->name, v->row, v->index,
			 (unsigned long long)row_get(&r, s, v->index), (unsigned long long)v->value);
	}
	rows_each(v->attr, check_other, &o);
	v->attr->encode(again, s);
	assert_memory_equal(again, image, sizeof(image));
}

bool
vector_lists(const struct attr_desc *d, const char *row)
{
	for (size_t i = 0; i < vectors_count; i++)
		if (vectors[i].attr == d && !strcmp(vectors[i].row, row))
			return true;
	return false;
}
