/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * query.c - one question at a time, and how its failure is told.
 * Room: diags.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/common/diag_int.h"
#include "util/xalloc.h"

/* The last answer: what diag_query() hands out lives until the next. */
static struct last {
	struct diag_reply r;
	uint8_t mad[DGRAM_BYTES];
	uint8_t *more;
	bool done;
} last;

static const char *
attr_name(const struct diag_request *q, char *buf, size_t room)
{
	const char *name = dgram_attr_name(q->mgmt_class, q->attr_id);

	if (name)
		return name;
	snprintf(buf, room, "attribute 0x%04x", q->attr_id);
	return buf;
}

const char *
diag_end_text(const struct diag *d, enum diag_end end)
{
	switch (end) {
	case DIAG_OK: case DIAG_STATUS: break;
	case DIAG_TIMEOUT: return "timeout";
	case DIAG_ABSENT: return d->answers ? "not in the capture" : "not in the file";
	case DIAG_FAILED: return "cannot send";
	}
	return "answered";
}

const char *
diag_end_code(enum diag_end end)
{
	switch (end) {
	case DIAG_OK: break;
	case DIAG_TIMEOUT: return "timeout";
	case DIAG_STATUS: return "mad_status";
	case DIAG_ABSENT: return "not_found";
	case DIAG_FAILED: return "io";
	}
	return "internal";
}

void
query_report(struct diag *d, const struct diag_request *q, const struct diag_reply *r)
{
	char label[DIAG_LABEL_BYTES], name[32];
	struct diag_where w = DIAG_NOWHERE;

	diag_label(q->to, label);
	w.addr = q->to;
	w.attribute = attr_name(q, name, sizeof(name));
	w.modifier = q->modifier;
	w.mad_status = r->end == DIAG_STATUS ? r->status : 0;
	switch (r->end) {
	case DIAG_OK:
		return;
	case DIAG_TIMEOUT: case DIAG_ABSENT: case DIAG_FAILED:
		diag_warn(d, EXIT_PARTIAL, diag_end_code(r->end), &w, "%s: %s %s %u", diag_end_text(d, r->end), label, w.attribute, q->modifier);
		return;
	case DIAG_STATUS:
		diag_warn(d, EXIT_PARTIAL, "mad_status", &w, "status 0x%04x (%s): %s %s %u", r->status,
			dgram_status_text(r->status, q->mgmt_class == CLASS_SA), label, w.attribute, q->modifier);
		return;
	}
}

static int
error_of(enum diag_end end)
{
	switch (end) {
	case DIAG_OK: return 0;
	case DIAG_TIMEOUT: case DIAG_ABSENT: return -ETIMEDOUT;
	case DIAG_STATUS: return -EPROTO;
	case DIAG_FAILED: break;
	}
	return -EIO;
}

static void
keep(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct last *l = arg;
	size_t head = r->mad ? (size_t)(r->data - r->mad) : 0;

	(void)q;
	l->done = true;
	l->r = *r;
	if (!r->mad)
		return;
	if (head + r->bytes > DGRAM_BYTES) {
		l->more = txn_take_more(engine_txn(d));
		l->r.mad = l->more;
	} else {
		memcpy(l->mad, r->mad, DGRAM_BYTES);
		l->r.mad = l->mad;
	}
	l->r.data = l->r.mad + head;
}

uint8_t *
diag_reply_take(struct diag_reply *r)
{
	size_t head = (size_t)(r->data - r->mad);
	uint8_t *mad = last.more ? last.more : xmemdup(last.mad, DGRAM_BYTES);

	last.more = NULL;
	r->mad = mad;
	r->data = mad + head;
	return mad;
}

int
diag_query(struct diag *d, const struct diag_request *q, struct diag_reply *r)
{
	int e = diag_open(d);

	free(last.more);
	memset(&last, 0, sizeof(last));
	*r = (struct diag_reply){ .end = DIAG_FAILED };
	if (e)
		return -EIO;
	if (q->to->kind == DIAG_ADDR_COMBINED && !q->mgmt_class) {
		struct diag_request whole = *q;

		whole.mgmt_class = CLASS_SM_DR;
		e = combined_query(d, &whole, r, last.mad);
		if (e && !q->quiet && e != -ENODEV)
			query_report(d, &whole, r);
		return e;
	}
	if (q->mgmt_class == CLASS_SA)
		engine_conf(d, d->set.outstanding, ENGINE_SA);
	diag_submit(d, q, keep, &last);
	if (!last.done)
		diag_run(d);
	if (q->mgmt_class == CLASS_SA)
		engine_conf(d, d->set.outstanding, ENGINE_SINGLE);
	*r = last.r;
	return error_of(r->end);
}

static int
smp(struct diag *d, const struct diag_addr *to, uint8_t method, uint16_t attr_id, uint32_t modifier, uint8_t *data)
{
	struct diag_request q = {
		.to = to, .method = method, .attr_id = attr_id, .modifier = modifier,
		.payload = method == METHOD_SET ? data : NULL, .payload_bytes = 64,
	};
	struct diag_reply r;
	int e = diag_query(d, &q, &r);

	if (!e)
		memcpy(data, r.data, 64);
	return e;
}

int
diag_get(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier, uint8_t data[static 64])
{
	return smp(d, to, METHOD_GET, attr_id, modifier, data);
}

int
diag_set(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier, uint8_t data[static 64])
{
	int e = mkey_for_set(d, to);

	return e ? e : smp(d, to, METHOD_SET, attr_id, modifier, data);
}

int
diag_gmp(struct diag *d, const struct diag_addr *to, uint8_t mgmt_class, uint8_t method, uint16_t attr_id,
	uint32_t modifier, uint8_t data[static 192])
{
	struct diag_request q = {
		.to = to, .mgmt_class = mgmt_class, .method = method, .attr_id = attr_id, .modifier = modifier,
		.payload = data, .payload_bytes = 192,
	};
	struct diag_reply r;
	int e = diag_query(d, &q, &r);

	if (!e)
		memcpy(data, r.data, r.bytes < 192 ? r.bytes : 192);
	return e;
}

int
diag_sa(struct diag *d, uint8_t method, uint16_t attr_id, uint64_t comp_mask, const uint8_t *record, size_t bytes,
	struct diag_reply *r)
{
	struct diag_addr sm;
	struct diag_request q = {
		.to = &sm, .mgmt_class = CLASS_SA, .method = method, .attr_id = attr_id, .comp_mask = comp_mask,
		.payload = record, .payload_bytes = bytes, .quiet = true,
	};
	int e;

	*r = (struct diag_reply){ .end = DIAG_FAILED };
	if (diag_addr_sm(d, &sm))
		return -EIO;
	e = diag_query(d, &q, r);
	if (e && e != -EPROTO)
		query_report(d, &q, r);
	return e;
}
