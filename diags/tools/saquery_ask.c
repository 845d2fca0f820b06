/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saquery_ask.c - sends queries to the SA and returns the records of the answer.
 * Room: diags/tools. libmad/attr/sa_components.h lists components by name.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/status.h"
#include "diags/tools/saquery.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/wire/wire.h"
#include "util/xalloc.h"

struct sa_ask
sa_ask_new(uint16_t attr_id)
{
	struct sa_ask a = {
		.desc = sa_record_find(attr_id == TRACE_RECORD_ID ? PATH_RECORD_ID : attr_id),
		.answer = sa_record_find(attr_id),
	};

	if (!a.desc || !a.answer)
		bug("saquery: no record 0x%04x", attr_id);
	return a;
}

static const struct sa_component *
component(const struct sa_ask *a, const char *name)
{
	for (unsigned i = 0; i < a->desc->ncomponents; i++)
		if (!strcmp(a->desc->components[i].name, name))
			return &a->desc->components[i];
	bug("saquery: %s has no component %s", a->desc->attr->name, name);
}

void
sa_ask_for(struct sa_ask *a, const char *name, uint64_t v)
{
	const struct sa_component *c = component(a, name);

	wire_bits_put(a->record, c->first_bit, c->width, v);
	a->mask |= UINT64_C(1) << c->bit;
}

void
sa_ask_for_gid(struct sa_ask *a, const char *name, const uint8_t gid[16])
{
	const struct sa_component *c = component(a, name);

	memcpy(a->record + c->first_bit / 8, gid, 16);
	a->mask |= UINT64_C(1) << c->bit;
}

void
sa_ask_for_selected(struct sa_ask *a, const char *name, uint8_t v)
{
	char selector[32];

	snprintf(selector, sizeof(selector), "%s_selector", name);
	sa_ask_for(a, selector, v >> 6);
	sa_ask_for(a, name, v & 0x3f);
}

/* Reports why there is no answer. Every failure has the same exit status, as in
 * infiniband-diags. */
static int
query_failed(struct diag *d, int e, const struct diag_reply *r)
{
	if (e == -EPROTO)
		return diag_fail(d, EXIT_FATAL, "mad_status", "Query result returned 0x%04x, %s",
			r->status, dgram_status_text(r->status, true));
	if (e == -ETIMEDOUT)
		return diag_fail(d, EXIT_FATAL, "timeout", "Query SA failed: %s",
			strerror(ETIMEDOUT));
	return diag_fail(d, EXIT_FATAL, "io", "Query SA failed: %s", strerror(-e));
}

static int
sa_query(struct diag *d, struct diag_request *q, struct diag_reply *r)
{
	struct diag_addr sm;
	int e = diag_addr_sm(d, &sm);

	if (e)
		return e == EXIT_PARTIAL ? diag_fail(d, EXIT_FATAL, "not_found",
			"Failed to bind to the SA") : e;
	q->to = &sm;
	q->mgmt_class = CLASS_SA;
	q->quiet = true;
	e = diag_query(d, q, r);
	if (e == -EPROTO && q->method == METHOD_GET_TRACE && r->status == STATUS_SA_NO_RECORDS) {
		diag_reply_clear(r);    /* no path; for other attributes the answer is just empty */
		return 0;
	}
	if (e) {
		e = query_failed(d, e, r);
		diag_reply_clear(r);
	}
	return e;
}

int
sa_ask_table(struct diag *d, const struct sa_ask *a, struct sa_rows *rows)
{
	struct diag_request q = {
		.method = a->answer == a->desc ? METHOD_GET_TABLE : METHOD_GET_TRACE,
		.attr_id = a->answer->attr->id,
		.modifier = a->modifier, .comp_mask = a->mask,
		.payload = a->record, .payload_bytes = a->desc->attr->bytes,
	};
	struct diag_reply r;
	int e = sa_query(d, &q, &r);

	*rows = (struct sa_rows){ .n = 0 };
	if (e)
		return e;
	rows->n = DIAG_SA_RECORDS(&r);
	rows->stride = r.stride;
	/* An attribute offset below the size of the record cannot be valid. */
	if (rows->n && rows->stride < a->answer->attr->bytes) {
		diag_reply_clear(&r);
		return diag_fail(d, EXIT_FATAL, "bad_reply",
			"the SA answers with records of %zu bytes, not %u", rows->stride,
			a->answer->attr->bytes);
	}
	rows->answer = r.owned;
	rows->image = r.data;
	return 0;
}

int
sa_ask_class_port_info(struct diag *d, uint8_t image[static CLASS_PORT_INFO_BYTES])
{
	struct diag_request q = { .method = METHOD_GET, .attr_id = CLASS_PORT_INFO_ID };
	struct diag_reply r;
	int e = sa_query(d, &q, &r);

	if (e)
		return e;
	if (r.bytes < CLASS_PORT_INFO_BYTES)
		e = diag_fail(d, EXIT_FATAL, "bad_reply", "the SA's ClassPortInfo is cut short");
	else
		memcpy(image, r.data, CLASS_PORT_INFO_BYTES);
	diag_reply_clear(&r);
	return e;
}

void
sa_rows_clear(struct sa_rows *rows)
{
	free(rows->answer);
	*rows = (struct sa_rows){ .n = 0 };
}

const uint8_t *
sa_rows_at(const struct sa_rows *rows, size_t i)
{
	return rows->image + i * rows->stride;
}

/* Stores the LID of the first node with that description, or 0. */
static int
lid_of_name(struct diag *d, const char *name, uint16_t *lid)
{
	struct sa_ask a = sa_ask_new(NODE_RECORD_ID);
	struct node_record n;
	struct sa_rows rows;
	int r = sa_ask_table(d, &a, &rows);

	*lid = 0;
	for (size_t i = 0; i < rows.n && !*lid; i++) {
		n = node_record_decode(sa_rows_at(&rows, i));
		if (!strncmp(name, (const char *)n.desc.text, sizeof(n.desc.text)))
			*lid = n.lid;
	}
	sa_rows_clear(&rows);
	return r;
}

int
sa_ask_lid(struct diag *d, const char *text, uint16_t *lid)
{
	uint64_t v;
	int r;

	if (!isalpha((unsigned char)text[0])) {
		if (!diag_number(text, UINT16_MAX, &v) || !v)
			return diag_fail(d, EXIT_USAGE, "usage", "Invalid lid specified: \"%s\"",
				text);
		*lid = (uint16_t)v;
		return 0;
	}
	r = lid_of_name(d, text, lid);
	if (!r && !*lid)
		return diag_fail(d, EXIT_FINDINGS, "not_found", "Failed to find lid for \"%s\"",
			text);
	return r;
}
