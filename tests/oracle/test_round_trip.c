/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_round_trip.c - every attribute on random bytes: what the lists of rows promise.
 *
 * Needs no peer: decode and encode are held against a reader that takes one bit at a time.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rows.h"

#define IMAGES 1000

static uint64_t seed;

/* Bits of rows, by access: which bits a decode reads, which a patch may change. */
struct bitmap {
	uint8_t rows[ROWS_IMAGE_BYTES], set[ROWS_IMAGE_BYTES], compared[ROWS_IMAGE_BYTES];
	const struct attr_desc *attr;
};

static void
mark(const struct row *r, void *arg)
{
	struct bitmap *m = arg;

	for (unsigned i = 0; i < r->field->count; i++)
		for (unsigned b = 0; b < r->field->width; b++) {
			unsigned bit = r->first_bit + i * r->field->stride + b;
			uint8_t v = (uint8_t)(0x80 >> bit % 8);

			if (bit / 8 >= m->attr->bytes)
				fail_msg("%s.%s is outside of the image", m->attr->name, r->field->name);
			if (m->rows[bit / 8] & v)
				fail_msg("%s.%s overlaps another row", m->attr->name, r->field->name);
			m->rows[bit / 8] |= v;
			if (r->field->access != ATTR_RO)
				m->set[bit / 8] |= v;
			if (r->field->access == ATTR_RW)
				m->compared[bit / 8] |= v;
		}
}

struct values {
	const uint8_t *image;
	const void *s;
	const char *attr;
};

static void
check_value(const struct row *r, void *arg)
{
	const struct values *v = arg;

	for (unsigned i = 0; i < r->field->count; i++)
		if (row_get(r, v->s, i) !=
		    rows_plain_bits(v->image, r->first_bit + i * r->field->stride, r->field->width))
			fail_msg("%s.%s[%u] is not what stands there", v->attr, r->field->name, i);
}

/* 'w' must be 'from' where 'bits' are set, and 'keep' elsewhere. */
static void
check_mixed(const char *what, const struct attr_desc *d, const uint8_t *w, const uint8_t *from, const uint8_t *keep,
	    const uint8_t *bits)
{
	for (unsigned i = 0; i < ROWS_IMAGE_BYTES; i++)
		if (w[i] != ((from[i] & bits[i]) | (keep[i] & ~bits[i])))
			fail_msg("%s of %s: byte %u is 0x%02x", what, d->name, i, w[i]);
}

static void
one_image(const struct attr_desc *d, const struct bitmap *m, uint64_t *rnd)
{
	uint8_t from[ROWS_IMAGE_BYTES], keep[ROWS_IMAGE_BYTES], w[ROWS_IMAGE_BYTES];
	uint64_t s[ROWS_STRUCT_BYTES / 8];
	struct values v = { from, s, d->name };

	random_bytes(rnd, from, sizeof(from));
	random_bytes(rnd, keep, sizeof(keep));
	d->decode(from, s);
	rows_each(d, check_value, &v);

	memcpy(w, keep, sizeof(w));
	d->encode(w, s);
	check_mixed("encode", d, w, from, keep, m->rows);

	memcpy(w, keep, sizeof(w));
	d->patch(w, s);
	check_mixed("patch", d, w, from, keep, m->set);
}

/* Flipping one bit must be noticed exactly where the row is RW. */
static void
equality(const struct attr_desc *d, const struct bitmap *m, uint64_t *rnd)
{
	uint8_t a[ROWS_IMAGE_BYTES], b[ROWS_IMAGE_BYTES];

	random_bytes(rnd, a, sizeof(a));
	memcpy(b, a, sizeof(b));
	assert_true(d->set_equal(a, b));
	for (unsigned bit = 0; bit < d->bytes * 8u; bit++) {
		uint8_t v = (uint8_t)(0x80 >> bit % 8);

		b[bit / 8] ^= v;
		if (d->set_equal(a, b) != !(m->compared[bit / 8] & v))
			fail_msg("set_equal of %s is wrong about bit %u", d->name, bit);
		b[bit / 8] ^= v;
	}
}

static void
one_attribute(const struct attr_desc *d, void *arg)
{
	struct bitmap m = { .attr = d };

	assert_true(d->bytes <= ROWS_IMAGE_BYTES && d->struct_bytes <= ROWS_STRUCT_BYTES);
	rows_each(d, mark, &m);
	for (unsigned n = 0; n < IMAGES; n++)
		one_image(d, &m, arg);
	equality(d, &m, arg);
}

static void
round_trip(void **state)
{
	uint64_t rnd = seed;

	(void)state;
	rows_all_attributes(one_attribute, &rnd);
}

/* Any struct makes JSON: valid, no key twice; and text that ends. */
static void
value_text(const struct row *r, void *arg)
{
	const struct values *v = arg;
	char text[160];

	for (unsigned i = 0; i < r->field->count; i++) {
		attr_value_text(r->field, row_get(r, v->s, i), text, sizeof(text));
		assert_true(strlen(text) > 0 && strlen(text) < sizeof(text) - 1);
	}
}

static void
one_json(const struct attr_desc *d, void *arg)
{
	uint8_t image[ROWS_IMAGE_BYTES];
	uint64_t s[ROWS_STRUCT_BYTES / 8];
	struct values v = { image, s, d->name };

	for (unsigned n = 0; n < 20; n++) {
		json_t *o, *again;
		json_error_t e;
		char *text;

		random_bytes(arg, image, sizeof(image));
		d->decode(image, s);
		o = attr_to_json(d, s, n & 1);
		text = json_dumps(o, 0);
		assert_non_null(text);
		again = json_loads(text, JSON_REJECT_DUPLICATES, &e);
		if (!again)
			fail_msg("%s: %s", d->name, e.text);
		assert_true(json_equal(o, again));
		json_decref(again);
		json_decref(o);
		free(text);
		rows_each(d, value_text, &v);
	}
}

static void
json(void **state)
{
	uint64_t rnd = seed + 1;

	(void)state;
	rows_all_attributes(one_json, &rnd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(json),
	};

	seed = random_seed();
	return cmocka_run_group_tests_name("round_trip", tests, NULL, NULL);
}
