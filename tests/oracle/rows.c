/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rows.c - walks over the rows of all attributes.
 */
#include <config.h>
#include <string.h>
#include "tests/oracle/rows.h"

static bool
find_in(const struct attr_desc *d, const char *path, unsigned base_bit, size_t base_offset, struct row *r)
{
	size_t n = strcspn(path, ".");

	for (unsigned i = 0; i < d->nfields; i++) {
		const struct attr_field *f = &d->fields[i];

		if (strlen(f->name) != n || strncmp(f->name, path, n))
			continue;
		if (path[n])
			return f->sub && find_in(f->sub, path + n + 1, base_bit + f->first_bit,
						 base_offset + f->offset, r);
		*r = (struct row){ f, base_bit + f->first_bit, base_offset };
		return true;
	}
	return false;
}

bool
row_find(const struct attr_desc *d, const char *path, struct row *r)
{
	return find_in(d, path, 0, 0, r);
}

uint64_t
row_get(const struct row *r, const void *s, unsigned i)
{
	return attr_get(r->field, (const char *)s + r->struct_offset, i);
}

static void
each_in(const struct attr_desc *d, unsigned base_bit, size_t base_offset,
	void (*f)(const struct row *, void *), void *arg)
{
	for (unsigned i = 0; i < d->nfields; i++) {
		const struct attr_field *a = &d->fields[i];
		struct row r = { a, base_bit + a->first_bit, base_offset };

		if (a->sub)
			each_in(a->sub, r.first_bit, base_offset + a->offset, f, arg);
		else
			f(&r, arg);
	}
}

void
rows_each(const struct attr_desc *d, void (*f)(const struct row *, void *), void *arg)
{
	each_in(d, 0, 0, f, arg);
}

void
rows_all_attributes(void (*f)(const struct attr_desc *, void *), void *arg)
{
	const struct attr_desc *const *lists[] = { sm_attr_all, sa_attr_all, pm_attr_all, cc_attr_all, vs_attr_all,
						   cm_attr_all };

	for (unsigned i = 0; i < 6; i++)
		for (const struct attr_desc *const *d = lists[i]; *d; d++)
			if (i != 2 || *d != &class_port_info_desc)       /* stands in two lists */
				f(*d, arg);
}

uint64_t
rows_plain_bits(const uint8_t *image, unsigned first, unsigned width)
{
	uint64_t v = 0;

	for (unsigned i = first; i < first + width; i++)
		v = v << 1 | ((unsigned)image[i / 8] >> (7 - i % 8) & 1u);
	return v;
}
