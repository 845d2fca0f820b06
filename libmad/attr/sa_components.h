/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_components.h - maps each bit of a query's component mask to bits of the record.
 * Room: libmad/attr.  Pure.  In: record images.  Out: whether a record matches a query.
 *
 * Components are compared bit by bit for equality.  The SA removes components with another meaning
 * from the mask before it calls this room: selectors and the values they qualify, capability masks
 * that ask for "has all of these bits", NumbPath.
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
	/* bytes from one record to the next in a table; a multiple of 8 */
	uint16_t stride_bytes;
	uint16_t ncomponents;
	/* sorted by mask bit, without the mask bits of reserved fields */
	const struct sa_component *components;
};

/* The record with SA attribute id 'attr_id', or NULL. */
const struct sa_record_desc *sa_record_find(uint16_t attr_id);
/* All records, ended by one with attr NULL. */
extern const struct sa_record_desc sa_records[];

/* The component with that mask bit, or NULL. */
const struct sa_component *sa_component_find(const struct sa_record_desc *d, unsigned bit);
/* True if 'record' equals 'templ' (both d->attr->bytes long) in every component of 'mask'.  Mask
 * bits without a component are ignored. */
bool sa_components_match(const struct sa_record_desc *d, uint64_t mask, const uint8_t *templ,
			 const uint8_t *record);
/* The mask with the bit of every component. */
uint64_t sa_components_known(const struct sa_record_desc *d);

#endif
