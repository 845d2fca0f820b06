/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * txn_match.c - is this datagram the answer to one of our requests?
 * Room: libmad/txn.  Pure.  docs/wire.md: MAD header, status, transaction ids.
 *
 * A request ends only after an answer has passed every check.  An answer that fails one is counted
 * by kind and dropped, and the request keeps waiting for the right answer.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "libmad/txn/txn_impl.h"

#define ATTR_PATH_RECORD 0x0035
#define ATTR_MULTI_PATH_RECORD 0x003a

static uint8_t
answer_method(uint8_t request)
{
	switch (request) {
	case METHOD_SET:
		return METHOD_GET_RESP;
	case METHOD_TRAP:
		return METHOD_TRAP_REPRESS;
	case METHOD_GET_TRACE:          /* has no answer of its own */
		return METHOD_GET_TABLE_RESP;
	default:
		return request | METHOD_RESP;
	}
}

static bool
attr_answers(const struct txn_item *i, uint16_t attr_id)
{
	if (i->mgmt_class == CLASS_SA && i->attr_id == ATTR_MULTI_PATH_RECORD)
		return attr_id == ATTR_PATH_RECORD || attr_id == ATTR_MULTI_PATH_RECORD;
	return attr_id == i->attr_id;
}

/* A responder keeps the initial path: an answer with another path belongs to another request,
 * whatever its TID. */
static bool
route_answers(const struct txn_item *i, const uint8_t *w)
{
	return w[7] == i->hop_count &&
		(!i->hop_count || !memcmp(w + 128 + 1, i->path + 1, i->hop_count));
}

/* TXN_MISMATCH_KINDS: it is the answer. */
static enum txn_mismatch
reply_mismatch(const struct txn_item *i, const struct dgram *d)
{
	const uint8_t *w = d->mad;
	bool smp = i->mgmt_class == CLASS_SM_DR || i->mgmt_class == CLASS_SM_LID;

	if (d->bytes < (smp ? DGRAM_BYTES : 24u))
		return TXN_MISMATCH_SHORT;
	if (dgram_class(w) != i->mgmt_class)
		return TXN_MISMATCH_CLASS;
	if (dgram_method(w) != answer_method(i->method))
		return TXN_MISMATCH_METHOD;
	if (!attr_answers(i, dgram_attr_id(w)))
		return TXN_MISMATCH_ATTR;
	if (dgram_modifier(w) != i->modifier)
		return TXN_MISMATCH_MODIFIER;
	if (i->mgmt_class == CLASS_SM_DR && !(w[4] & 0x80))
		return TXN_MISMATCH_DIRECTION;
	if (i->mgmt_class == CLASS_SM_DR && !route_answers(i, w))
		return TXN_MISMATCH_ROUTE;
	return TXN_MISMATCH_KINDS;
}

/* The round trip of the latest try, or (an earlier try was answered) at most that of the first. */
static void
learn_rtt(struct txn *t, const struct txn_slot *s, bool latest, struct monotime now)
{
	struct txn_target *g = &t->targets[s->item->target];
	int64_t us = now.us - (latest ? s->sent_us : s->first_us);
	int32_t rtt = us < 1 ? 1 : us > INT32_MAX / 8 ? INT32_MAX / 8 : (int32_t)us;

	g->dead_ends = 0;
	g->unresponsive = false;
	if (!g->srtt_us) {
		g->srtt_us = rtt;
		g->rttvar_us = rtt / 2;
		return;
	}
	g->rttvar_us +=
		((rtt > g->srtt_us ? rtt - g->srtt_us : g->srtt_us - rtt) - g->rttvar_us) / 4;
	g->srtt_us += (rtt - g->srtt_us) / 8;
	if (g->srtt_us < 1)
		g->srtt_us = 1;
}

static void
reply_accept(struct txn *t, struct txn_slot *s, struct dgram *d, bool latest, struct monotime now)
{
	uint16_t status = dgram_status(d->mad);
	struct txn_item *i = s->item;
	struct txn_reply *r;

	t->st.all.received++;
	t->rows[i->row].n.received++;
	learn_rtt(t, s, latest, now);
	if (status & STATUS_BUSY) {
		t->st.busy++;
		if (s->state != SLOT_WIRE || !latest)
			return;         /* of an earlier try: the next try is already under way */
		if (txn_may_retry(t, i)) {
			txn_slot_again(t, s, txn_pause_us(t, i), now);
			return;
		}
	}
	r = txn_reply_take(t);
	r->d = *d;
	d->more = NULL;
	txn_end_slot(t, s, status ? TXN_END_STATUS : TXN_END_OK, status, now);
	i->reply = r;
}

static bool
came_back(struct txn *t, const struct dgram *d, struct monotime now)
{
	uint32_t gen;
	struct txn_slot *s = txn_slot_of(t, (uint32_t)dgram_tid(d->mad), &gen);

	if (dgram_method(d->mad) & METHOD_RESP)
		return false;           /* an answer we gave, sent with a timeout */
	if (!s) {
		t->st.late++;
		return true;
	}
	if (s->item->mgmt_class != dgram_class(d->mad) || s->item->method != dgram_method(d->mad))
		return false;
	if (s->state == SLOT_WIRE && gen == s->gen)
		txn_try_expired(t, s, now);
	return true;
}

/* The device dropped an answer that is too long: another try would get the same answer. */
static bool
was_too_long(struct txn *t, const struct dgram *d, struct monotime now)
{
	struct txn_slot *s;
	uint32_t gen;

	if (!(dgram_method(d->mad) & METHOD_RESP))
		return false;
	s = txn_slot_of(t, (uint32_t)dgram_tid(d->mad), &gen);
	if (!s)
		t->st.late++;
	else if (reply_mismatch(s->item, d) == TXN_MISMATCH_KINDS)
		txn_end_slot(t, s, TXN_END_SEND_FAILED, EMSGSIZE, now);
	return true;
}

bool
txn_receive(struct txn *t, struct dgram *d, struct monotime now)
{
	struct txn_slot *s;
	enum txn_mismatch m;
	uint32_t gen;

	if (d->status == EMSGSIZE)
		return was_too_long(t, d, now);
	if (d->status)
		return came_back(t, d, now);
	/* TrapRepress is the only answer without R bit; any peer may send a request with a TID
	 * equal to one of ours. */
	if (!(dgram_method(d->mad) & METHOD_RESP) && dgram_method(d->mad) != METHOD_TRAP_REPRESS)
		return false;
	s = txn_slot_of(t, (uint32_t)dgram_tid(d->mad), &gen);
	if (dgram_method(d->mad) == METHOD_TRAP_REPRESS && (!s || s->item->method != METHOD_TRAP))
		return false;
	if (!s) {
		t->st.late++;
		return true;
	}
	m = reply_mismatch(s->item, d);
	if (m != TXN_MISMATCH_KINDS) {
		t->st.mismatched[m]++;
		s->item->mismatched |= (uint8_t)(1u << m);
		return true;
	}
	reply_accept(t, s, d, gen == s->gen, now);
	return true;
}
