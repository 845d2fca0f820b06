/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * combined.c - SMPs whose route begins LID-routed and continues as a directed route; only smpquery
 * -c sends them.
 * Room: diags/ask. docs/wire.md describes directed routes. libmad/txn supports only pure routes, so
 * this file sends and receives by itself.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diags/ask/combined.h"
#include "diags/ask/engine.h"
#include "diags/ask/engine_int.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "libmad/txn/retry.h"

static void
smp_make(struct dgram *g, struct diag *d, const struct diag_request *q, uint64_t tid)
{
	*g = (struct dgram){ .bytes = DGRAM_BYTES, .addr = { .lid = q->to->lid, .sl = q->to->sl } };
	dgram_smp_make(g->mad, &(struct dgram_smp){
		.method = q->method ? q->method : METHOD_GET, .attr_id = q->attr_id,
		.modifier = q->modifier,
		.tid = tid, .mkey = diag_settings(d)->mkey, .data = q->payload,
		.hop_count = q->to->hop_count, .path = q->to->path,
	});
	dgram_set_dr_slid(g->mad, q->to->dr_slid);
	dgram_set_dr_dlid(g->mad, q->to->dr_dlid);
}

/* Returns 1 if the datagram is the answer, 0 if it is another one, -ETIMEDOUT if the request itself
 * was returned. */
static int
reply_check(const struct dgram *g, const struct diag_request *q, uint64_t tid)
{
	if ((uint32_t)dgram_tid(g->mad) != (uint32_t)tid)
		return 0;
	if (g->status)
		return -ETIMEDOUT;
	return dgram_class(g->mad) == CLASS_SM_DR && dgram_method(g->mad) == METHOD_GET_RESP &&
		dgram_attr_id(g->mad) == q->attr_id &&
		dgram_modifier(g->mad) == q->modifier;
}

static int
reply_await(struct diag *d, const struct diag_request *q, uint64_t tid, int timeout_ms,
	struct dgram *g)
{
	int64_t until = diag_now_us() + (timeout_ms + 100) * INT64_C(1000);
	int r;

	while (diag_now_us() < until) {
		r = io_recv(diag_io(d), g);
		if (r < 0)
			return r;
		if (r == 0) {
			io_wait(diag_io(d), 20);
			continue;
		}
		free(g->more);
		r = reply_check(g, q, tid);
		if (r)
			return r;
	}
	return -ETIMEDOUT;
}

int
combined_query(struct diag *d, const struct diag_request *q, struct diag_reply *r,
	uint8_t mad[static DGRAM_BYTES])
{
	int timeout_ms = diag_settings(d)->timeout_ms ? diag_settings(d)->timeout_ms : RETRY_COMBINED_MS,
		e = 0;
	struct io_class c = io_class_client(CLASS_SM_DR);
	struct dgram g;
	uint64_t tid;

	*r = (struct diag_reply){ .end = DIAG_FAILED };
	if (diag_class(d, &c))
		return -ENODEV;
	for (int i = 0; i < RETRY_COMBINED_TRIES && e <= 0; i++) {
		tid = (uint32_t)getpid() << 8 ^ ++engine_of(d)->combined;
		smp_make(&g, d, q, tid);
		e = io_send(diag_io(d), &g, timeout_ms);
		if (!e)
			e = reply_await(d, q, tid, timeout_ms, &g);
	}
	if (e == -ETIMEDOUT)
		r->end = diag_settings(d)->load ? DIAG_ABSENT : DIAG_TIMEOUT;
	if (e <= 0)
		return e == -ETIMEDOUT ? e : -EIO;
	memcpy(mad, g.mad, DGRAM_BYTES);
	r->status = dgram_status(mad);
	r->end = r->status ? DIAG_STATUS : DIAG_OK;
	r->mad = mad;
	r->data = dgram_smp_data(mad);
	r->bytes = DGRAM_SMP_DATA_BYTES;
	return r->status ? -EPROTO : 0;
}
