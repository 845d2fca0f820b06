/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_components.c - component masks as tables, made from the last columns of the .def lists.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/sa_components.h"
#include "libmad/wire/wire.h"

static const struct sa_component node_record_components[] = {
#define ROWS_DEF "libmad/attr/node_record.def"
#include "libmad/attr/sa_component_rows.h"
#define ROWS_DEF "libmad/attr/node_info.def"
#define ROWS_BIT node_record_comp_info
#define ROWS_AT node_record_at_info
#define ROWS_PREFIX "info."
#include "libmad/attr/sa_component_rows.h"
#define ROWS_DEF "libmad/attr/node_desc.def"
#define ROWS_BIT node_record_comp_desc
#define ROWS_AT node_record_at_desc
#define ROWS_PREFIX "desc."
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component port_info_record_components[] = {
#define ROWS_DEF "libmad/attr/port_info_record.def"
#include "libmad/attr/sa_component_rows.h"
#define ROWS_DEF "libmad/attr/port_info.def"
#define ROWS_BIT port_info_record_comp_info
#define ROWS_AT port_info_record_at_info
#define ROWS_PREFIX "info."
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component slvl_record_components[] = {
#define ROWS_DEF "libmad/attr/slvl_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component switch_info_record_components[] = {
#define ROWS_DEF "libmad/attr/switch_info_record.def"
#include "libmad/attr/sa_component_rows.h"
#define ROWS_DEF "libmad/attr/switch_info.def"
#define ROWS_BIT switch_info_record_comp_info
#define ROWS_AT switch_info_record_at_info
#define ROWS_PREFIX "info."
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component lft_record_components[] = {
#define ROWS_DEF "libmad/attr/lft_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component rft_record_components[] = {
#define ROWS_DEF "libmad/attr/rft_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component mft_record_components[] = {
#define ROWS_DEF "libmad/attr/mft_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component sm_info_record_components[] = {
#define ROWS_DEF "libmad/attr/sm_info_record.def"
#include "libmad/attr/sa_component_rows.h"
#define ROWS_DEF "libmad/attr/sm_info.def"
#define ROWS_BIT sm_info_record_comp_info
#define ROWS_AT sm_info_record_at_info
#define ROWS_PREFIX "info."
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component link_record_components[] = {
#define ROWS_DEF "libmad/attr/link_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component guid_info_record_components[] = {
#define ROWS_DEF "libmad/attr/guid_info_record.def"
#include "libmad/attr/sa_component_rows.h"
#define ROWS_DEF "libmad/attr/guid_info.def"
#define ROWS_BIT guid_info_record_comp_table
#define ROWS_AT guid_info_record_at_table
#define ROWS_PREFIX "table."
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component service_record_components[] = {
#define ROWS_DEF "libmad/attr/service_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component pkey_record_components[] = {
#define ROWS_DEF "libmad/attr/pkey_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component path_record_components[] = {
#define ROWS_DEF "libmad/attr/path_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component vlarb_record_components[] = {
#define ROWS_DEF "libmad/attr/vlarb_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component mcmember_record_components[] = {
#define ROWS_DEF "libmad/attr/mcmember_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component multipath_record_components[] = {
#define ROWS_DEF "libmad/attr/multipath_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component service_assoc_record_components[] = {
#define ROWS_DEF "libmad/attr/service_assoc_record.def"
#include "libmad/attr/sa_component_rows.h"
};

static const struct sa_component inform_info_record_components[] = {
#define ROWS_DEF "libmad/attr/inform_info_record.def"
#include "libmad/attr/sa_component_rows.h"
#define ROWS_DEF "libmad/attr/inform_info.def"
#define ROWS_BIT inform_info_record_comp_info
#define ROWS_AT inform_info_record_at_info
#define ROWS_PREFIX "info."
#include "libmad/attr/sa_component_rows.h"
};

#define RECORD(rec, stride) \
	{ &rec##_desc, stride, sizeof(rec##_components) / sizeof(struct sa_component), \
		rec##_components },

const struct sa_record_desc sa_records[] = {
	RECORD(node_record, 112)
	RECORD(port_info_record, 72)
	RECORD(slvl_record, 16)
	RECORD(switch_info_record, 24)
	RECORD(lft_record, 72)
	RECORD(rft_record, 72)
	RECORD(mft_record, 72)
	RECORD(sm_info_record, 32)
	RECORD(link_record, 8)
	RECORD(guid_info_record, 72)
	RECORD(service_record, 176)
	RECORD(pkey_record, 72)
	RECORD(path_record, 64)
	RECORD(vlarb_record, 72)
	RECORD(mcmember_record, 56)
	RECORD(multipath_record, 24)
	RECORD(service_assoc_record, 80)
	RECORD(inform_info_record, 64)
	/* a request for a trace contains a PathRecord and its component mask */
	{ &trace_record_desc, 48, 0, NULL },
	{ NULL, 0, 0, NULL },
};

const struct sa_record_desc *
sa_record_find(uint16_t attr_id)
{
	for (const struct sa_record_desc *d = sa_records; d->attr; d++)
		if (d->attr->id == attr_id)
			return d;
	return NULL;
}

const struct sa_component *
sa_component_find(const struct sa_record_desc *d, unsigned bit)
{
	for (unsigned i = 0; i < d->ncomponents; i++)
		if (d->components[i].bit == bit)
			return &d->components[i];
	return NULL;
}

static bool
range_equal(const uint8_t *a, const uint8_t *b, unsigned first, unsigned width)
{
	if (first % 8 == 0 && width % 8 == 0)
		return !memcmp(a + first / 8, b + first / 8, width / 8);
	return wire_bits_get(a, first, width) == wire_bits_get(b, first, width);
}

bool
sa_components_match(
	const struct sa_record_desc *d, uint64_t mask, const uint8_t *templ, const uint8_t *record)
{
	for (unsigned i = 0; i < d->ncomponents; i++) {
		const struct sa_component *c = &d->components[i];

		if (mask >> c->bit & 1 && !range_equal(templ, record, c->first_bit, c->width))
			return false;
	}
	return true;
}

uint64_t
sa_components_known(const struct sa_record_desc *d)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < d->ncomponents; i++)
		mask |= UINT64_C(1) << d->components[i].bit;
	return mask;
}
