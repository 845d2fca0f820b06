/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * answer.c - one request, from its bytes to the bytes of its answer.
 * Room: sm/sa.  Pure.  In: a datagram of class 3.  Out: an answer, or none.  docs/wire.md: subnet
 * administration.
 *
 * There is no answer from a manager that is not master, to a wrong SM_Key, and to datagrams that
 * are no requests.  Every other request gets an answer, at least a status, so that a client that is
 * refused need not wait for its timeout.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sa/sa_int.h"
#include "util/xalloc.h"

enum { CAN_GET = 1, CAN_TABLE = 2, CAN_SET = 4, CAN_DELETE = 8, CAN_MULTI = 16, CAN_TRACE = 32,
	CAN_READ = CAN_GET | CAN_TABLE, CAN_ALL = CAN_READ | CAN_SET | CAN_DELETE };

/* One row per attribute, by its ID.  A method that the row does not allow is refused with a
 * status. */
static const struct record {
	uint8_t methods;
	bool trusted;                   /* only for requesters with the SM_Key */
	uint16_t stride;                /* bytes from one record to the next: a multiple of 8 */
	/* Bytes of the record in a request from a known source; 0: it has none, or the source
	 * does not matter. */
	uint16_t asked_bytes;
	sa_answer_fn *answer;
} records[] = {
	[CLASS_PORT_INFO_ID] = { CAN_GET, false, 72, 0, sa_class_info },
	[NODE_RECORD_ID] = { CAN_READ, false, 112, NODE_RECORD_BYTES, sa_table_records },
	[PORT_INFO_RECORD_ID] = { CAN_READ, false, 72, PORT_INFO_RECORD_BYTES, sa_table_records },
	[SWITCH_INFO_RECORD_ID] = { CAN_READ, false, 24, SWITCH_INFO_RECORD_BYTES,
		sa_table_records },
	[LFT_RECORD_ID] = { CAN_READ, false, 72, LFT_RECORD_BYTES, sa_table_records },
	[MFT_RECORD_ID] = { CAN_READ, false, 72, MFT_RECORD_BYTES, sa_table_records },
	[SM_INFO_RECORD_ID] = { CAN_READ, false, 32, SM_INFO_RECORD_BYTES, sa_table_records },
	[LINK_RECORD_ID] = { CAN_READ, false, 8, LINK_RECORD_BYTES, sa_table_records },
	[GUID_INFO_RECORD_ID] = { CAN_ALL, false, 72, GUID_INFO_RECORD_BYTES, sa_guid_info },
	[SLVL_RECORD_ID] = { CAN_READ, false, 16, SLVL_RECORD_BYTES, sa_table_records },
	[VLARB_RECORD_ID] = { CAN_READ, false, 72, VLARB_RECORD_BYTES, sa_table_records },
	[PKEY_RECORD_ID] = { CAN_READ, true, 72, PKEY_RECORD_BYTES, sa_table_records },
	[PATH_RECORD_ID] = { CAN_READ, false, 64, PATH_RECORD_BYTES, sa_path },
	[MULTIPATH_RECORD_ID] = { CAN_MULTI, false, 64, MULTIPATH_RECORD_BYTES, sa_multipath },
	[TRACE_RECORD_ID] = { CAN_TRACE, false, 48, PATH_RECORD_BYTES, sa_trace },
	[SERVICE_RECORD_ID] = { CAN_ALL, false, 176, SERVICE_RECORD_BYTES, sa_service },
	[INFORM_INFO_ID] = { CAN_SET, false, 40, 0, sa_inform },
	[INFORM_INFO_RECORD_ID] = { CAN_READ, false, 64, INFORM_INFO_RECORD_BYTES,
		sa_inform_record },
	[MCMEMBER_RECORD_ID] = { CAN_ALL, false, 56, MCMEMBER_RECORD_BYTES, sa_mcmember },
};

static const struct record *
record_find(uint16_t attr_id)
{
	return attr_id < sizeof(records) / sizeof(records[0]) && records[attr_id].answer ?
		&records[attr_id] :
		NULL;
}

/* Methods that require an answer, and the method of that answer; 0: no answer is expected. */
static uint8_t
answer_method(uint8_t method)
{
	if (method == METHOD_SEND || method == METHOD_TRAP || method == METHOD_TRAP_REPRESS ||
	    method & METHOD_RESP)
		return 0;
	if (method == METHOD_SET)
		return METHOD_GET_RESP;
	return method == METHOD_GET_TRACE ? METHOD_GET_TABLE_RESP : method | METHOD_RESP;
}

/* Whether untrusted requesters may query it when enhanced trust is on. */
static bool
for_everybody(const struct sa_ctx *c, uint8_t can)
{
	switch (c->head.attr_id) {
	case CLASS_PORT_INFO_ID:
	case PATH_RECORD_ID:
	case MULTIPATH_RECORD_ID:
	case INFORM_INFO_ID:
		return true;
	case MCMEMBER_RECORD_ID:
	case SERVICE_RECORD_ID:
		return can != CAN_TABLE;
	default:
		return can & (CAN_SET | CAN_DELETE);    /* these have their own checks */
	}
}

/* The requester by LID; a GID of this subnet must belong to the same port.  FAB_NONE: an unknown
 * source. */
static uint32_t
requester_of(const struct sa_index *x, const struct dgram_addr *a)
{
	uint32_t port = sa_port_by_lid(x, a->lid), by_gid;

	if (!a->grh)
		return port;
	by_gid = sa_port_by_gid(x, a->gid);
	return by_gid == port ? port : FAB_NONE;
}

static void
put_rmpp_head(struct sa_ctx *c)
{
	uint32_t data = c->bytes - SA_HEAD_BYTES;
	uint32_t segments = data ? (data + SA_DATA_BYTES - 1) / SA_DATA_BYTES : 1;
	struct dgram_rmpp_head r = {
		.version = RMPP_VERSION,
		.type = RMPP_DATA,
		.resp_time = RESP_TIME_MAX,
		.segment = 1,
		.flags = (uint8_t)(RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST |
			(segments == 1 ? RMPP_FLAG_LAST : 0)),
		.length = data + segments * (SA_HEAD_BYTES - DGRAM_RMPP_HEAD_END),
	};

	dgram_rmpp_head_encode(c->buf, &r);
}

/* Writes the whole header of the answer; nothing of the request's RMPP header or key is
 * returned. */
static void
put_head(struct sa_ctx *c, uint8_t method, uint16_t status, uint16_t attr_offset, bool rmpp)
{
	struct dgram_sa_head sa = { .attr_offset = attr_offset, .comp_mask = c->mask };

	c->head.method = method;
	c->head.status = status;
	dgram_head_encode(c->buf, &c->head);
	if (rmpp)
		put_rmpp_head(c);
	dgram_sa_head_encode(c->buf, &sa);
}

static void
count_answer(struct sa_stats *st, uint16_t status, uint32_t nrows)
{
	st->answered++;
	switch (status) {
	case STATUS_OK: st->rows += nrows; break;
	case STATUS_BUSY: st->busy++; break;
	case STATUS_BAD_VERSION: st->bad_version++; break;
	case STATUS_BAD_METHOD: st->bad_method++; break;
	case STATUS_BAD_METHOD_ATTR: st->bad_attribute++; break;
	case STATUS_SA_DENIED: st->denied++; break;
	case STATUS_SA_INVALID_GID: st->invalid_gid++; break;
	case STATUS_SA_COMPONENTS: st->components++; break;
	case STATUS_SA_NO_RECORDS: st->no_records++; break;
	case STATUS_SA_TOO_MANY: st->too_many++; break;
	case STATUS_SA_NO_RESOURCES: st->no_resources++; break;
	default: st->invalid++; break;
	}
}

/* The capability that a record needs for this method; 0: unknown method. */
static uint8_t
method_needs(uint8_t method)
{
	switch (method) {
	case METHOD_GET: return CAN_GET;
	case METHOD_GET_TABLE: return CAN_TABLE;
	case METHOD_SET: return CAN_SET;
	case METHOD_DELETE: return CAN_DELETE;
	case METHOD_GET_MULTI: return CAN_MULTI;
	case METHOD_GET_TRACE: return CAN_TRACE;
	default: return 0;
	}
}

/* Makes the rows and returns the status of the answer. */
static uint16_t
answer_request(struct sa_ctx *c, const struct dgram *req)
{
	uint8_t can = method_needs(c->head.method);
	bool trace = can == CAN_TRACE &&
		(c->head.attr_id == TRACE_RECORD_ID || c->head.attr_id == PATH_RECORD_ID);
	const struct record *r = record_find(trace ? TRACE_RECORD_ID : c->head.attr_id);
	uint16_t status;

	if (c->head.base_version != MAD_BASE_VERSION || c->head.class_version != CLASS_VERSION_SA)
		return STATUS_BAD_VERSION;
	if (!can)
		return STATUS_BAD_METHOD;
	if (!r || !(r->methods & can))
		return STATUS_BAD_METHOD_ATTR;
	if (r->asked_bytes && req->bytes < (uint32_t)SA_HEAD_BYTES + r->asked_bytes)
		return STATUS_SA_INVALID;
	if ((r->trusted && !c->trusted) || (r->asked_bytes && c->requester == FAB_NONE))
		return STATUS_SA_DENIED;
	if (c->x->v.enhanced_trust && !c->trusted && (trace || !for_everybody(c, can)))
		return STATUS_SA_DENIED;
	c->table = can & (CAN_TABLE | CAN_MULTI | CAN_TRACE);
	c->stride = r->stride;
	status = r->answer(c);
	if (status != STATUS_OK)
		return status;
	if (c->too_much)
		return STATUS_SA_NO_RESOURCES;
	if (!c->table && c->nrows != 1)
		return c->nrows ? STATUS_SA_TOO_MANY : STATUS_SA_NO_RECORDS;
	return STATUS_OK;
}

/* Whether these bytes are a request.  RMPP acknowledgements and aborts are not. */
static bool
well_formed(const struct dgram *d)
{
	struct dgram_rmpp_head r;

	if (d->bytes < SA_HEAD_BYTES || (d->bytes > DGRAM_BYTES && !d->more) ||
	    dgram_class(d->mad) != CLASS_SA)
		return false;
	if (!dgram_rmpp_active(d->mad))
		return true;
	r = dgram_rmpp_head_decode(d->mad);
	return r.version == RMPP_VERSION && r.type == RMPP_DATA;
}

static void
ctx_init(struct sa_ctx *c, const struct sa_index *x, const struct sa_writable *w,
	const struct dgram *req, struct dgram *out)
{
	*c = (struct sa_ctx){
		.x = x,
		.w = w,
		.head = dgram_head_decode(req->mad),
		.mask = dgram_comp_mask(req->mad),
		.data = (req->more ? req->more : req->mad) + SA_HEAD_BYTES,
		.data_bytes = req->bytes - SA_HEAD_BYTES,
		.trusted = dgram_sm_key(req->mad) != 0,
		.requester = requester_of(x, &req->addr),
		.from = &req->addr,
		.templ = req->mad + SA_HEAD_BYTES,
		.out = out,
		.buf = out->mad,
		.room = DGRAM_BYTES,
		.bytes = SA_HEAD_BYTES,
	};
	memset(out->mad, 0, DGRAM_BYTES);       /* once: bytes that are not written stay zero */
}

/* One datagram, or a longer answer: it is in 'more', and its beginning in 'mad'. */
static void
put_bytes(struct sa_ctx *c)
{
	struct dgram *o = c->out;

	o->addr = *c->from;
	o->status = 0;
	o->bytes = c->bytes;
	o->more = NULL;
	if (c->buf == o->mad)
		return;
	memcpy(o->mad, c->buf, DGRAM_BYTES);
	if (c->bytes > DGRAM_BYTES)
		o->more = c->buf;
	else
		free(c->buf);
}

/* Completes the answer: the header with the status, or the rows. */
static void
answer_finish(struct sa_ctx *c, uint16_t status, struct sa_stats *stats)
{
	bool rows = status == STATUS_OK;

	if (!rows && c->bytes > SA_HEAD_BYTES) {
		c->bytes = SA_HEAD_BYTES;
		memset(c->buf + SA_HEAD_BYTES, 0, DGRAM_BYTES - SA_HEAD_BYTES);
	}
	put_head(c, answer_method(c->head.method), status,
		rows && c->nrows ? (uint16_t)(c->stride / 8) : 0, rows && c->table);
	put_bytes(c);
	if (!rows || !c->table)
		c->out->bytes = DGRAM_BYTES;            /* one plain datagram */
	count_answer(stats, status, c->nrows);
	if (status == STATUS_SA_DENIED && c->requester == FAB_NONE)
		*(sa_port_by_lid(c->x, c->from->lid) == FAB_NONE ? &stats->unknown_source :
			&stats->spoofed_gid) += 1;
	stats->looked += c->looked;
}

static bool
is_request(const struct dgram *req)
{
	return answer_method(dgram_method(req->mad)) && well_formed(req);
}

bool
sa_is_untrusted(const struct sa_index *x, const struct dgram *req)
{
	return x->v.ready && is_request(req) && !dgram_sm_key(req->mad);
}

bool
sa_gets_answer(const struct sa_index *x, const struct dgram *req)
{
	uint64_t key;

	if (!x->v.ready || !is_request(req))
		return false;
	key = dgram_sm_key(req->mad);
	return !key || key == x->v.sa_key;
}

void
sa_refuse(const struct sa_index *x, const struct dgram *req, uint16_t status,
	struct sa_stats *stats, struct dgram *out)
{
	struct sa_ctx c;

	stats->requests++;
	ctx_init(&c, x, NULL, req, out);
	answer_finish(&c, status, stats);
}

/* flatten: inlines everything, because this is the hot path. */
__attribute__((flatten)) bool
sa_answer(const struct sa_index *x, const struct sa_writable *w, const struct dgram *req,
	struct dgram *out)
{
	struct sa_stats *stats = w->stats;
	uint8_t templ[SA_DATA_BYTES];
	struct sa_ctx c;
	uint64_t key;

	stats->requests++;
	if (!is_request(req)) {
		stats->silent_malformed++;
		return false;
	}
	if (!x->v.ready) {
		stats->silent_not_ready++;
		return false;
	}
	key = dgram_sm_key(req->mad);
	if (key && key != x->v.sa_key) {
		stats->silent_wrong_key++;
		return false;
	}
	ctx_init(&c, x, w, req, out);
	if (req->bytes < DGRAM_BYTES) {                 /* what stands behind it says nothing */
		memset(templ, 0, sizeof(templ));
		memcpy(templ, c.templ, req->bytes - SA_HEAD_BYTES);
		c.templ = templ;
	}
	answer_finish(&c, answer_request(&c, req), stats);
	return true;
}
