/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_attr.c - every decoder: the first byte chooses the list, the second the attribute, the rest is its image.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/cc_attr.h"
#include "libmad/attr/cm_attr.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sa_components.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/attr/vs_attr.h"
#include "tests/fuzz/fuzz.h"

static const struct attr_desc *
choose(uint8_t list, uint8_t index)
{
	const struct attr_desc *const *lists[] = { sm_attr_all, sa_attr_all, pm_attr_all, cc_attr_all, vs_attr_all,
						   cm_attr_all };
	const struct attr_desc *const *all = lists[list % 6];
	unsigned n = 0;

	while (all[n])
		n++;
	return all[index % n];
}

/* Exact allocations, so that a sanitizer sees a byte too far. */
static void *
exact(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

static void
texts(const struct attr_desc *d, const void *s)
{
	char buf[32];

	for (unsigned i = 0; i < d->nfields; i++) {
		const struct attr_field *f = &d->fields[i];

		if (f->sub) {
			texts(f->sub, (const char *)s + f->offset);
			continue;
		}
		for (unsigned k = 0; k < f->count; k++)
			attr_value_text(f, attr_get(f, s, k), buf, sizeof(buf));
	}
}

static void
struct_show(const struct attr_desc *d, const void *s)
{
	json_t *o = attr_to_json(d, s, true);
	char *text = json_dumps(o, JSON_COMPACT);

	FUZZ_CHECK(text);
	free(text);
	json_decref(o);
	texts(d, s);
}

static void
components(const struct attr_desc *d, const uint8_t *image)
{
	const struct sa_record_desc *r = sa_record_find(d->id);

	if (r && r->attr == d)
		FUZZ_CHECK(sa_components_match(r, UINT64_MAX, image, image));
}

static void
clean(const uint8_t *data, size_t size)
{
	char *out = exact(ATTR_TEXT_BYTES(size));
	json_t *v;

	attr_text_clean(data, size, out);
	v = json_string(out);           /* NULL if that is no UTF-8 */
	FUZZ_CHECK(v);
	json_decref(v);
	free(out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct attr_desc *d;
	uint8_t *image, *copy;
	void *s;

	clean(data, size);
	if (size < 2)
		return 0;
	d = choose(data[0], data[1]);
	image = exact(d->bytes);
	copy = exact(d->bytes);
	s = exact(d->struct_bytes);
	memcpy(image, data + 2, size - 2 < d->bytes ? size - 2 : d->bytes);
	memcpy(copy, image, d->bytes);
	d->decode(image, s);
	d->encode(copy, s);
	FUZZ_CHECK(!memcmp(copy, image, d->bytes));
	d->patch(copy, s);
	FUZZ_CHECK(!memcmp(copy, image, d->bytes) && d->set_equal(copy, image));
	struct_show(d, s);
	components(d, image);
	free(s);
	free(copy);
	free(image);
	return 0;
}
