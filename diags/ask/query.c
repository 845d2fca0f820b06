/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * query.c - sends one request at a time.
 * Room: diags/ask.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/combined.h"
#include "diags/ask/engine.h"
#include "diags/ask/mkey.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/settings.h"
#include "util/xalloc.h"

/* The state of diag_query() while its request is open: the reply is copied, because the one of the
 * callback is valid only during the call. */
struct waiting {
	struct diag_reply *r;
	bool done;
};

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
on_reply(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct waiting *w = arg;
	size_t head = r->mad ? (size_t)(r->data - r->mad) : 0;

	(void)q;
	w->done = true;
	*w->r = *r;
	if (!r->mad)
		return;
	if (head + r->bytes > DGRAM_BYTES)
		w->r->owned = txn_take_more(engine_txn(d));
	else
		w->r->owned = xmemdup(r->mad, DGRAM_BYTES);
	w->r->mad = w->r->owned;
	w->r->data = w->r->owned + head;
}

void
diag_reply_clear(struct diag_reply *r)
{
	free(r->owned);
	r->owned = NULL;
	r->mad = r->data = NULL;
	r->bytes = 0;
}

static int
combined_ask(struct diag *d, const struct diag_request *q, struct diag_reply *r)
{
	struct diag_request whole = *q;
	uint8_t *mad = xcalloc(1, DGRAM_BYTES);
	int e;

	whole.mgmt_class = CLASS_SM_DR;
	e = combined_query(d, &whole, r, mad);
	r->owned = mad;
	if (e && !q->quiet && e != -ENODEV)
		diag_query_report(d, &whole, r);
	return e;
}

int
diag_query(struct diag *d, const struct diag_request *q, struct diag_reply *r)
{
	struct waiting w = { .r = r };

	*r = (struct diag_reply){ .end = DIAG_FAILED };
	if (diag_open(d))
		return -EIO;
	if (q->to->kind == DIAG_ADDR_COMBINED && !q->mgmt_class)
		return combined_ask(d, q, r);
	if (q->mgmt_class == CLASS_SA)
		engine_conf(d, diag_settings(d)->outstanding, RETRY_TOOL_SA);
	diag_submit(d, q, on_reply, &w);
	if (!w.done)
		diag_run(d);
	if (q->mgmt_class == CLASS_SA)
		engine_conf(d, diag_settings(d)->outstanding, RETRY_TOOL_SINGLE);
	return error_of(r->end);
}

static int
smp_ask(struct diag *d, const struct diag_addr *to, uint8_t method, uint16_t attr_id,
	uint32_t modifier, uint8_t *data)
{
	struct diag_request q = {
		.to = to, .method = method, .attr_id = attr_id, .modifier = modifier,
		.payload = method == METHOD_SET ? data : NULL, .payload_bytes = 64,
	};
	struct diag_reply r;
	int e = diag_query(d, &q, &r);

	if (!e)
		memcpy(data, r.data, 64);
	diag_reply_clear(&r);
	return e;
}

int
diag_get(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t data[static 64])
{
	return smp_ask(d, to, METHOD_GET, attr_id, modifier, data);
}

int
diag_set(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t data[static 64])
{
	int e = diag_mkey_for_set(d, to);

	return e ? e : smp_ask(d, to, METHOD_SET, attr_id, modifier, data);
}

int
diag_gmp(struct diag *d, const struct diag_addr *to, uint8_t mgmt_class, uint8_t method,
	uint16_t attr_id,
	uint32_t modifier, uint8_t data[static 192])
{
	struct diag_request q = {
		.to = to, .mgmt_class = mgmt_class, .method = method, .attr_id = attr_id,
		.modifier = modifier,
		.payload = data, .payload_bytes = 192,
	};
	struct diag_reply r;
	int e = diag_query(d, &q, &r);

	if (!e)
		memcpy(data, r.data, r.bytes < 192 ? r.bytes : 192);
	diag_reply_clear(&r);
	return e;
}

int
diag_sa(struct diag *d, uint8_t method, uint16_t attr_id, uint64_t comp_mask, const uint8_t *record,
	size_t bytes,
	struct diag_reply *r)
{
	struct diag_addr sm;
	struct diag_request q = {
		.to = &sm, .mgmt_class = CLASS_SA, .method = method, .attr_id = attr_id,
		.comp_mask = comp_mask,
		.payload = record, .payload_bytes = bytes, .quiet = true,
	};
	int e;

	*r = (struct diag_reply){ .end = DIAG_FAILED };
	if (diag_addr_sm(d, &sm))
		return -EIO;
	e = diag_query(d, &q, r);
	if (e && e != -EPROTO)
		diag_query_report(d, &q, r);
	return e;
}
