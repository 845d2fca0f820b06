/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine_ask.c - converts a request into a transaction of libmad/txn, and its end into a reply.
 * Room: diags/ask. Only this file of the engine knows where a class has its data in a MAD.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "diags/ask/engine.h"
#include "diags/ask/engine_int.h"
#include "diags/ask/report.h"
#include "diags/core/addr.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "util/xalloc.h"


/* Targets are numbered in the order of their first request. */
struct engine_target {
	UT_hash_handle hh;
	uint32_t number;
	struct target_key {
		uint16_t lid, hop_count;        /* of equal size: no padding between them */
		uint8_t path[DGRAM_PATH_BYTES];
	} key;
};
_Static_assert(sizeof(struct target_key) == 4 + DGRAM_PATH_BYTES, "all bytes of a key count");

struct pending {
	struct diag_request q;
	struct diag_addr to;
	uint8_t data[DGRAM_BYTES];     /* copied into the MAD from 'offset' on */
	uint8_t offset;
	int64_t since_us;
	diag_done *done;
	void *arg;
};

static uint32_t
target_number(struct engine *e, const struct diag_addr *a)
{
	struct target_key key = { .lid = a->lid, .hop_count = a->hop_count };
	struct engine_target *t;

	if (a->kind != DIAG_ADDR_LID)
		memcpy(key.path, a->path, (size_t)a->hop_count + 1);
	if (a->kind == DIAG_ADDR_PATH)
		key.lid = 0;
	HASH_FIND(hh, e->targets, &key, sizeof(key), t);
	if (t)
		return t->number;
	t = xcalloc(1, sizeof(*t));
	t->key = key;
	t->number = e->ntargets++;
	HASH_ADD(hh, e->targets, key, sizeof(key), t);
	return t->number;
}

void
engine_targets_free(struct engine *e)
{
	struct engine_target *t, *next;

	HASH_ITER(hh, e->targets, t, next) {
		HASH_DEL(e->targets, t);
		free(t);
	}
}

static uint8_t
class_of(const struct diag_request *q)
{
	if (q->mgmt_class)
		return q->mgmt_class;
	return q->to->kind == DIAG_ADDR_LID ? CLASS_SM_LID : CLASS_SM_DR;
}

static bool
is_smp(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_SM_LID || mgmt_class == CLASS_SM_DR;
}

static bool
is_vendor2(uint8_t mgmt_class)
{
	return mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST;
}

/* Reports whether the data of a class begin with a key that the caller provides: congestion
 * control, vendor range 1. */
static bool
is_keyed(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_CC || (mgmt_class >= CLASS_VENDOR1_FIRST &&
		mgmt_class <= CLASS_VENDOR1_LAST);
}

/* Builds the class header and the payload, which follow the MAD header. */
static void
lay_out(struct pending *p, uint8_t mgmt_class, uint64_t sa_key, struct txn_req *r)
{
	const struct diag_request *q = &p->q;
	struct dgram_sa_head sa = { .sm_key = sa_key, .comp_mask = q->comp_mask };
	uint8_t whole[DGRAM_BYTES] = { 0 };
	size_t at = DGRAM_SMP_AT, n = q->payload_bytes;

	if (mgmt_class == CLASS_SA) {
		dgram_sa_head_encode(whole, &sa);
		at = DGRAM_SA_AT;
		p->offset = DGRAM_HEAD_BYTES;
	} else if (is_vendor2(mgmt_class)) {
		dgram_set_oui(whole, q->oui ? q->oui : IO_OUI_OPENIB);
		at = DGRAM_VENDOR2_AT;
		p->offset = DGRAM_HEAD_BYTES;
	} else if (is_keyed(mgmt_class)) {
		at = DGRAM_KEYED_AT;
		p->offset = DGRAM_KEYED_AT;
	} else {
		p->offset = DGRAM_SMP_AT;
	}
	if (n > DGRAM_BYTES - at)
		n = DGRAM_BYTES - at;
	if (q->payload)
		memcpy(whole + at, q->payload, n);
	memcpy(p->data, whole + p->offset, (size_t)(DGRAM_BYTES - p->offset));
	r->payload = p->data;
	r->payload_offset = p->offset;
	r->payload_bytes =
		is_smp(mgmt_class) ? DGRAM_SMP_DATA_BYTES : (uint8_t)(DGRAM_BYTES - p->offset);
	r->payload_borrowed = true;
}

void
diag_submit(struct diag *d, const struct diag_request *q, diag_done *done, void *arg)
{
	struct pending *p = xcalloc(1, sizeof(*p));
	uint8_t mgmt_class = class_of(q);
	struct io_class c = io_class_client(mgmt_class);
	struct diag_reply failed = { .end = DIAG_FAILED };
	struct dgram_addr addr = { .lid = q->to->lid, .sl = q->to->sl, .qpn = 1 };
	struct txn_req r = {
		.cookie = (uintptr_t)p, .mgmt_class = mgmt_class, .method = q->method ? q->method :
		METHOD_GET,
		.attr_id = q->attr_id, .modifier = q->modifier, .mkey = diag_settings(d)->mkey,
	};

	if (diag_class(d, &c)) {
		done(d, arg, q, &failed);
		free(p);
		return;
	}
	*p = (struct pending){ .q = *q, .to = *q->to, .done = done, .arg = arg };
	p->q.to = &p->to;
	p->q.mgmt_class = mgmt_class;
	p->q.method = r.method;
	lay_out(p, mgmt_class, diag_settings(d)->sa_key, &r);
	p->since_us = diag_now_us();
	p->q.payload = NULL;
	r.target = target_number(engine_of(d), q->to);
	if (mgmt_class == CLASS_SM_DR) {
		r.path = p->to.path;
		r.hop_count = p->to.hop_count;
	} else {
		addr.qpn = mgmt_class == CLASS_SM_LID ? 0 : 1;
		addr.pkey_index = addr.qpn ? diag_settings(d)->pkey_index : 0;
		r.addr = &addr;
	}
	engine_of(d)->pending++;
	txn_submit(engine_of(d)->txn, &r, (struct monotime){ diag_now_us() });
}

static size_t
data_at(uint8_t mgmt_class)
{
	if (is_keyed(mgmt_class))
		return DGRAM_KEYED_AT;
	if (mgmt_class == CLASS_SA)
		return DGRAM_SA_AT;
	return is_vendor2(mgmt_class) ? DGRAM_VENDOR2_AT : DGRAM_SMP_AT;
}

/* Makes the reply from the end of a transaction. */
static struct diag_reply
reply_of(const struct diag *d, const struct txn_end *e)
{
	struct diag_reply r = { .end = DIAG_FAILED, .status = e->status };
	size_t at = data_at(e->mgmt_class), bytes;

	if (e->kind == TXN_END_OK || e->kind == TXN_END_STATUS)
		r.end = e->kind == TXN_END_OK ? DIAG_OK : DIAG_STATUS;
	else if (e->kind == TXN_END_TIMED_OUT || e->kind == TXN_END_SKIPPED)
		r.end = diag_settings(d)->load ? DIAG_ABSENT : DIAG_TIMEOUT;
	if (!e->reply)
		return r;
	r.mad = e->reply->more ? e->reply->more : e->reply->mad;
	bytes = e->reply->bytes;
	r.data = r.mad + at;
	r.bytes = bytes > at ? bytes - at : 0;
	if (is_smp(e->mgmt_class))
		r.bytes = 64;
	if (e->mgmt_class == CLASS_SA)
		r.stride = (size_t)dgram_sa_head_decode(r.mad).attr_offset * 8;
	return r;
}

void
engine_finish(struct diag *d, const struct txn_end *e)
{
	struct pending *p = (struct pending *)(uintptr_t)(e->cookie & UINT64_C(0x00ffffffffffffff));
	struct diag_reply r = reply_of(d, e);

	r.rtt_us = diag_now_us() - p->since_us;
	engine_of(d)->pending--;
	if (r.end != DIAG_OK && !p->q.quiet && e->kind != TXN_END_CANCELLED)
		diag_query_report(d, &p->q, &r);
	p->done(d, p->arg, &p->q, &r);
	free(p);
}
