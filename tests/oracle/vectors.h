/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vectors.h - one field in literal bytes, all else zero.
 */
#ifndef HEDDLE_TESTS_ORACLE_VECTORS_H
#define HEDDLE_TESTS_ORACLE_VECTORS_H

#include "tests/oracle/rows.h"

struct vector {
	const struct attr_desc *attr;
	const char *row;
	unsigned index;                 /* of the element */
	unsigned at;                    /* byte of the image where 'bytes' stand */
	const char *bytes;
	unsigned nbytes;
	uint64_t value;                 /* rows of bytes: not used */
};

extern const struct vector vectors[];
extern const size_t vectors_count;

/* Decodes and encodes 'v'; fails the running test if the row does not have the value, or another row does. */
void vector_check(const struct vector *v);
/* Whether some vector is of that row. */
bool vector_lists(const struct attr_desc *d, const char *row);

#endif
