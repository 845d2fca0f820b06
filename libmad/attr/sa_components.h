/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_components.h - which bits of a record each component mask bit of a query stands for.
 * Room: libmad/attr.  Pure.  In: record images.  Out: whether a record is what a query asked for.
 *
 * Comparison here is equality, bit by bit.  What means something else to the SA is for the SA to
 * take out of the mask first: selectors and the values they qualify, capability masks asked with
 * "has all of these", NumbPath.
 */
#ifndef HEDDLE_LIBMAD_ATTR_SA_COMPONENTS_H
#define HEDDLE_LIBMAD_ATTR_SA_COMPONENTS_H

#include "libmad/attr/sa_attr.h"

struct sa_component {
	uint8_t bit;                    /* of the component mask: 1 << bit */
	uint16_t first_bit, width;      /* in the record's image */
	const char *name;               /* "info.node_type": the row */
};

struct sa_record_desc {
	const struct attr_desc *attr;
	/* from one record to the next in a table: a multiple of 8 */
	uint16_t stride_bytes;
	uint16_t ncomponents;
	/* sorted by mask bit; mask bits of reserved fields are left out */
	const struct sa_component *components;
};

/* The record with SA attribute id 'attr_id', or NULL. */
const struct sa_record_desc *sa_record_find(uint16_t attr_id);
/* All records, ended by one with attr NULL. */
extern const struct sa_record_desc sa_records[];

/* The component with that mask bit, or NULL. */
const struct sa_component *sa_component_find(const struct sa_record_desc *d, unsigned bit);
/* Whether 'record' equals 'templ' (both d->attr->bytes long) in every component that 'mask' names;
 * mask bits without a component ask for nothing. */
bool sa_components_match(const struct sa_record_desc *d, uint64_t mask, const uint8_t *templ,
			 const uint8_t *record);
/* The mask with the bit of every component. */
uint64_t sa_components_known(const struct sa_record_desc *d);

#endif
