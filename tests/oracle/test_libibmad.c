/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_libibmad.c - our attributes against libibmad's field table, row by row.
 *
 * pairs.h names, for rows of ours, the field of libibmad with the same meaning: for random images both must
 * read the same, what we write libibmad must read, and labels and words for every code must be the same.
 * Rows that libibmad does not have, or reads wrongly, stand in vectors.c with literal bytes instead.  A row that
 * stands in neither list fails the test.
 *
 * What libibmad 44 reads wrongly: the HDR and NDR rows of PortInfoExtended and QP1Dropped of PortCounters (its
 * table declares them without its own byte-order correction).
 */
#include <config.h>
#include "tests/unit/test.h"
#include <infiniband/mad.h>
#include "libmad/mad/dgram.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rows.h"
#include "tests/oracle/vectors.h"

#define IMAGES 3000

enum check { PLAIN = 0, NAME = 1, WORDS = 2, SAME = 3 };        /* what else must agree: label, text of values */

struct pair {
	const struct attr_desc *attr;
	const char *row;
	enum MAD_FIELDS field;          /* of the first element; the others follow */
	enum check check;
};

static const struct pair pairs[] = {
#include "tests/oracle/pairs.h"
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint64_t seed;

static struct row
row_of(const struct pair *p)
{
	struct row r = { 0 };

	if (!row_find(p->attr, p->row, &r))
		fail_msg("%s has no row %s", p->attr->name, p->row);
	return r;
}

/* What libibmad reads in 'image'. */
static uint64_t
theirs(const uint8_t *image, enum MAD_FIELDS field, unsigned width)
{
	uint8_t copy[ROWS_IMAGE_BYTES];
	uint32_t v32 = 0;
	uint64_t v64 = 0;

	memcpy(copy, image, sizeof(copy));
	if (width > 32) {
		mad_decode_field(copy, field, &v64);
		return v64;
	}
	mad_decode_field(copy, field, &v32);
	return v32;
}

/* libibmad has these tables only in one piece. */
static bool
is_table(const struct pair *p)
{
	return p->field == IB_MULTICAST_FORW_TBL_F || p->field == IB_SLTOVL_MAPPING_TABLE_F;
}

static void
compare_bytes(const struct pair *p, const struct row *r, const uint8_t *image, const uint8_t *mine)
{
	uint8_t copy[ROWS_IMAGE_BYTES], bytes[ROWS_IMAGE_BYTES];

	memcpy(copy, image, sizeof(copy));
	mad_decode_field(copy, p->field, bytes);
	if (p->field == IB_SLTOVL_MAPPING_TABLE_F)
		wire_put64(bytes, theirs(image, p->field, 64));         /* it reads these as one number */
	if (r->field->bytes) {
		if (memcmp(bytes, mine + r->struct_offset + r->field->offset, r->field->count))
			fail_msg("%s.%s differs", p->attr->name, p->row);
		return;
	}
	for (unsigned i = 0; i < r->field->count; i++)
		assert_true(row_get(r, mine, i) ==
			    rows_plain_bits(bytes, i * r->field->stride, r->field->width));
}

static void
compare(const struct pair *p, const uint8_t *image, const void *mine)
{
	struct row r = row_of(p);

	if (r.field->bytes || is_table(p)) {
		compare_bytes(p, &r, image, mine);
		return;
	}
	for (unsigned i = 0; i < r.field->count; i++) {
		uint64_t ours = row_get(&r, mine, i);
		uint64_t other = theirs(image, p->field + i, r.field->width);

		if (ours != other)
			fail_msg("%s.%s[%u]: ours 0x%" PRIx64 ", %s 0x%" PRIx64, p->attr->name, p->row, i,
				 ours, mad_field_name(p->field + i), other);
	}
}

static void
decode_agrees(void **state)
{
	uint64_t rnd = seed, mine[ROWS_STRUCT_BYTES / 8];
	uint8_t image[ROWS_IMAGE_BYTES];

	(void)state;
	for (unsigned n = 0; n < IMAGES; n++) {
		random_bytes(&rnd, image, sizeof(image));
		for (size_t i = 0; i < COUNT(pairs); i++) {
			assert_true(pairs[i].attr->struct_bytes <= sizeof(mine));
			if (i == 0 || pairs[i].attr != pairs[i - 1].attr)
				pairs[i].attr->decode(image, mine);
			compare(&pairs[i], image, mine);
		}
	}
}

/* Encoded over other random bytes, libibmad must read our struct there. */
static void
encode_agrees(void **state)
{
	uint64_t rnd = seed + 1, mine[ROWS_STRUCT_BYTES / 8];
	uint8_t image[ROWS_IMAGE_BYTES];

	(void)state;
	for (unsigned n = 0; n < IMAGES / 10; n++)
		for (size_t i = 0; i < COUNT(pairs); i++) {
			if (i == 0 || pairs[i].attr != pairs[i - 1].attr) {
				random_bytes(&rnd, image, sizeof(image));
				pairs[i].attr->decode(image, mine);
				random_bytes(&rnd, image, sizeof(image));
				pairs[i].attr->encode(image, mine);
			}
			compare(&pairs[i], image, mine);
		}
}

static void
labels_agree(void **state)
{
	char label[64];

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct row r = row_of(&pairs[i]);
		bool numbered = r.field->count > 1 && !r.field->bytes && !is_table(&pairs[i]);

		if (!(pairs[i].check & NAME))
			continue;
		snprintf(label, sizeof(label), numbered ? "%s0" : "%s", r.field->label);
		assert_string_equal(label, mad_field_name(pairs[i].field));
	}
}

static bool
same_words(const struct pair *p, const struct row *r, uint64_t v)
{
	char ours[256], other[4096];
	uint32_t v32 = (uint32_t)v;

	attr_value_text(r->field, v, ours, sizeof(ours));
	mad_dump_val(p->field, other, sizeof(other), r->field->width > 32 ? (void *)&v : (void *)&v32);
	other[strcspn(other, "\n")] = '\0';     /* capability masks list their bits below */
	if (!strcmp(ours, other))
		return true;
	printf("# %s.%s %" PRIu64 ": ours \"%s\", libibmad \"%s\"\n", p->attr->name, p->row, v, ours, other);
	return false;
}

static bool
same_words_everywhere(const struct pair *p, const struct row *r, uint64_t *rnd)
{
	unsigned width = r->field->width;

	if (width <= 8) {
		for (uint64_t v = 0; v < 1u << width; v++)
			if (!same_words(p, r, v))
				return false;
		return true;
	}
	for (unsigned n = 0; n < 200; n++)
		if (!same_words(p, r, random_next(rnd) >> (64 - width)))
			return false;
	return true;
}

static void
words_agree(void **state)
{
	uint64_t rnd = seed + 2;
	unsigned differ = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct row r = row_of(&pairs[i]);

		if (pairs[i].check & WORDS && !r.field->bytes && !is_table(&pairs[i]))
			differ += !same_words_everywhere(&pairs[i], &r, &rnd);
	}
	assert_int_equal(differ, 0);
}

static void
capability_names_agree(void **state)
{
	static const struct { enum attr_printer p; enum MAD_FIELDS f; unsigned bits, skip; } rows[] = {
		{ ATTR_SHOW_PORT_CAPS, IB_PORT_CAPMASK_F, 32, 13 },     /* libibmad 44 has no word for bit 13 */
		{ ATTR_SHOW_PORT_CAPS2, IB_PORT_CAPMASK2_F, 11, 99 },   /* nor for bits 11 and 12 */
	};

	(void)state;
	for (size_t k = 0; k < COUNT(rows); k++)
		for (unsigned bit = 0; bit < rows[k].bits; bit++) {
			uint32_t v = 1u << bit;
			char text[4096] = "", *word;
			const char *name = attr_bit_name(rows[k].p, bit);

			mad_dump_val(rows[k].f, text, sizeof(text), &v);
			word = strrchr(text, '\t');
			if (bit == rows[k].skip || !name) {
				assert_null(word);
				continue;
			}
			assert_non_null(word);
			word[strcspn(word, "\n")] = '\0';
			assert_string_equal(name, word + 1);
		}
}

static void
vectors_hold(void **state)
{
	(void)state;
	for (size_t i = 0; i < vectors_count; i++)
		vector_check(&vectors[i]);
}

static bool
is_listed(const struct attr_desc *d, const char *row)
{
	for (size_t i = 0; i < COUNT(pairs); i++)
		if (pairs[i].attr == d && !strcmp(pairs[i].row, row))
			return true;
	return vector_lists(d, row);
}

/* That an embedded attribute sits at the right place is shown by one of its rows, read through the record. */
static bool
is_embedding_listed(const struct attr_desc *d, const struct attr_field *f)
{
	char path[128];

	for (unsigned i = 0; i < f->sub->nfields; i++) {
		snprintf(path, sizeof(path), "%s.%s", f->name, f->sub->fields[i].name);
		if (is_listed(d, path))
			return true;
	}
	return false;
}

static void
check_listed(const struct attr_desc *d, void *arg)
{
	unsigned *missing = arg;

	for (unsigned i = 0; i < d->nfields; i++) {
		const struct attr_field *f = &d->fields[i];

		if (f->sub ? is_embedding_listed(d, f) : is_listed(d, f->name))
			continue;
		printf("# %s.%s is compared with nothing\n", d->name, f->name);
		(*missing)++;
	}
}

static void
no_row_is_missed(void **state)
{
	unsigned missing = 0;

	(void)state;
	rows_all_attributes(check_listed, &missing);
	assert_int_equal(missing, 0);
}

static void
mad_header_agrees(void **state)
{
	uint64_t rnd = seed + 3;
	uint8_t w[256];

	(void)state;
	for (unsigned n = 0; n < IMAGES; n++) {
		struct dgram_head h;

		random_bytes(&rnd, w, sizeof(w));
		if (n & 1)
			w[1] = CLASS_SM_DR;
		h = dgram_head_decode(w);
		assert_int_equal(h.base_version, theirs(w, IB_MAD_BASEVER_F, 8));
		assert_int_equal(h.mgmt_class, theirs(w, IB_MAD_MGMTCLASS_F, 8));
		assert_int_equal(h.class_version, theirs(w, IB_MAD_CLASSVER_F, 8));
		assert_int_equal(h.method & 0x7f, theirs(w, IB_MAD_METHOD_F, 8));
		assert_int_equal(h.method >> 7, theirs(w, IB_MAD_RESPONSE_F, 1));
		if (h.mgmt_class == CLASS_SM_DR) {
			assert_int_equal(h.status, theirs(w, IB_DRSMP_STATUS_F, 15));
			assert_int_equal(h.direction, theirs(w, IB_DRSMP_DIRECTION_F, 1));
			assert_int_equal(h.hop_ptr, theirs(w, IB_DRSMP_HOPPTR_F, 8));
			assert_int_equal(h.hop_count, theirs(w, IB_DRSMP_HOPCNT_F, 8));
		} else {
			assert_int_equal(h.status, theirs(w, IB_MAD_STATUS_F, 16));
		}
		assert_true(h.tid == theirs(w, IB_MAD_TRID_F, 64));
		assert_int_equal(h.attr_id, theirs(w, IB_MAD_ATTRID_F, 16));
		assert_true(h.modifier == theirs(w, IB_MAD_ATTRMOD_F, 32));
		assert_true(dgram_mkey(w) == theirs(w, IB_MAD_MKEY_F, 64));
	}
}

static void
sa_header_agrees(void **state)
{
	uint64_t rnd = seed + 4;
	uint8_t w[256];

	(void)state;
	for (unsigned n = 0; n < IMAGES; n++) {
		struct dgram_sa_head sa;
		struct dgram_rmpp_head rmpp;

		random_bytes(&rnd, w, sizeof(w));
		sa = dgram_sa_head_decode(w);
		assert_true(sa.sm_key == theirs(w, IB_SA_MKEY_F, 64));
		assert_int_equal(sa.attr_offset, theirs(w, IB_SA_ATTROFFS_F, 16));
		assert_true(sa.comp_mask == theirs(w, IB_SA_COMPMASK_F, 64));
		rmpp = dgram_rmpp_head_decode(w);
		assert_int_equal(rmpp.version, theirs(w, IB_SA_RMPP_VERS_F, 8));
		assert_int_equal(rmpp.type, theirs(w, IB_SA_RMPP_TYPE_F, 8));
		assert_int_equal(rmpp.resp_time, theirs(w, IB_SA_RMPP_RESP_F, 5));
		assert_int_equal(rmpp.flags, theirs(w, IB_SA_RMPP_FLAGS_F, 3));
		assert_int_equal(rmpp.status, theirs(w, IB_SA_RMPP_STATUS_F, 8));
		assert_true(rmpp.segment == theirs(w, IB_SA_RMPP_SEGNUM_F, 32));
		assert_true(rmpp.length == theirs(w, IB_SA_RMPP_LEN_F, 32));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decode_agrees),
		cmocka_unit_test(encode_agrees),
		cmocka_unit_test(labels_agree),
		cmocka_unit_test(words_agree),
		cmocka_unit_test(capability_names_agree),
		cmocka_unit_test(vectors_hold),
		cmocka_unit_test(no_row_is_missed),
		cmocka_unit_test(mad_header_agrees),
		cmocka_unit_test(sa_header_agrees),
	};

	seed = random_seed();
	setvbuf(stdout, NULL, _IOLBF, 0);       /* libibmad remarks on every odd width: whole lines only */
	return cmocka_run_group_tests_name("libibmad", tests, NULL, NULL);
}
