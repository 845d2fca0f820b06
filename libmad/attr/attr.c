/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attr.c - access through the row table: elements of a struct by row, rows by name.
 * Room: libmad/attr.  Pure.  Neighbours: attr_text.c (words), attr_json.c (JSON), *_attr.c (the
 * attributes).
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/attr.h"
#include "util/xalloc.h"

static uint64_t
width_mask(unsigned width)
{
	return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

uint64_t
attr_get(const struct attr_field *f, const void *s, unsigned i)
{
	const char *p = (const char *)s + f->offset + (size_t)i * f->size;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (f->size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		memcpy(&v16, p, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, p, sizeof(v32));
		return v32;
	case 8:
		memcpy(&v64, p, sizeof(v64));
		return v64;
	default:
		bug("attr_get: row %s has elements of %u bytes", f->name, f->size);
	}
}

void
attr_put(const struct attr_field *f, void *s, unsigned i, uint64_t v)
{
	char *p = (char *)s + f->offset + (size_t)i * f->size;
	uint16_t v16;
	uint32_t v32;

	v &= width_mask(f->width);
	switch (f->size) {
	case 1:
		*(uint8_t *)p = (uint8_t)v;
		return;
	case 2:
		v16 = (uint16_t)v;
		memcpy(p, &v16, sizeof(v16));
		return;
	case 4:
		v32 = (uint32_t)v;
		memcpy(p, &v32, sizeof(v32));
		return;
	case 8:
		memcpy(p, &v, sizeof(v));
		return;
	default:
		bug("attr_put: row %s has elements of %u bytes", f->name, f->size);
	}
}

const struct attr_field *
attr_field_find(const struct attr_desc *d, const char *name)
{
	for (unsigned i = 0; i < d->nfields; i++)
		if (!strcmp(d->fields[i].name, name))
			return &d->fields[i];
	return NULL;
}
