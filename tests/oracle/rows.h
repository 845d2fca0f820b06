/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rows.h - a row of an attribute by its path ("info.node_type"), for tests that walk over all of them.
 */
#ifndef HEDDLE_TESTS_ORACLE_ROWS_H
#define HEDDLE_TESTS_ORACLE_ROWS_H

#include "libmad/attr/cc_attr.h"
#include "libmad/attr/cm_attr.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/attr/vs_attr.h"

#define ROWS_STRUCT_BYTES 1024          /* more than any decoded attribute */
#define ROWS_IMAGE_BYTES 256            /* more than any image */

struct row {
	const struct attr_field *field;
	unsigned first_bit;             /* from the beginning of the whole image */
	size_t struct_offset;           /* of the struct that 'field' belongs to */
};

/* Finds 'path' in 'd', also inside embedded attributes. */
bool row_find(const struct attr_desc *d, const char *path, struct row *r);
/* Element 'i' of the row in the whole struct 's'. */
uint64_t row_get(const struct row *r, const void *s, unsigned i);

/* Calls 'f' for every row of 'd' and of what it embeds. */
void rows_each(const struct attr_desc *d, void (*f)(const struct row *, void *), void *arg);
/* Calls 'f' for every attribute there is. */
void rows_all_attributes(void (*f)(const struct attr_desc *, void *), void *arg);

/* A bit at a time, and so independent of the fast code. */
uint64_t rows_plain_bits(const uint8_t *image, unsigned first, unsigned width);

#endif
