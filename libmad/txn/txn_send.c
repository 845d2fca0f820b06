/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * txn_send.c - the next MAD to send: which request, its timeout, its bytes.
 * Room: libmad/txn.  Pure.
 *
 * The timeout is the smoothed round trip time of the target plus four times its deviation (as in
 * TCP), within floor and maximum.  A target that never answered gets the first timeout.  Each
 * further try waits twice as long, unless 'steady'.
 */
#include <config.h>
#include <limits.h>
#include <string.h>
#include "libmad/txn/txn_impl.h"

static int64_t
timeout_us(const struct txn *t, const struct txn_item *i)
{
	const struct txn_target *g = &t->targets[i->target];
	int64_t us = g->srtt_us ? g->srtt_us + 4 * (int64_t)g->rttvar_us : t->conf.timeout_first_us;

	if (i->timeout_us)
		return i->timeout_us;
	if (us < t->conf.timeout_floor_us)
		us = t->conf.timeout_floor_us;
	for (unsigned n = 1; !t->conf.steady && n < i->tries && us < t->conf.timeout_max_us; n++)
		us *= 2;
	return us < t->conf.timeout_max_us ? us : t->conf.timeout_max_us;
}

static void
make_smp(struct dgram *d, const struct txn_item *i, uint32_t tid)
{
	static const uint8_t here[1] = { 0 };
	bool dr = i->mgmt_class == CLASS_SM_DR;

	dgram_smp_make(d->mad, &(struct dgram_smp){
		.method = i->method, .attr_id = i->attr_id, .modifier = i->modifier, .tid = tid,
		.mkey = i->mkey,
		.data = i->payload, .hop_count = i->hop_count,
		.path = !dr ? NULL : i->path ? i->path : here,
	});
	if (i->class_version != 1)
		d->mad[2] = i->class_version;
}

static void
make_gmp(struct dgram *d, const struct txn_item *i, uint32_t tid)
{
	memset(d->mad + 24, 0, sizeof d->mad - 24);
	dgram_head_encode(d->mad, &(struct dgram_head){
		.base_version = 1, .mgmt_class = i->mgmt_class, .class_version = i->class_version,
		.method = i->method, .tid = tid, .attr_id = i->attr_id, .modifier = i->modifier,
	});
	if (i->payload)
		memcpy(d->mad + i->payload_offset, i->payload, i->payload_bytes);
}

static void
request_make(struct dgram *d, const struct txn_item *i, uint32_t tid)
{
	d->status = 0;
	d->bytes = DGRAM_BYTES;
	d->more = NULL;
	if (i->flags & ITEM_EXTRA)
		d->addr = i->extra->addr;
	else
		d->addr = (struct dgram_addr){ .lid = LID_PERMISSIVE };
	if (i->mgmt_class == CLASS_SM_DR || i->mgmt_class == CLASS_SM_LID)
		make_smp(d, i, tid);
	else
		make_gmp(d, i, tid);
}

static bool
window_full(const struct txn *t)
{
	uint32_t late = t->st.late_in_flight;

	if (late < t->conf.window_late && t->again)
		return false;
	return t->st.in_flight - (late < t->conf.window_late ? late : t->conf.window_late) >=
		t->conf.window_total;
}

bool
txn_next_send(struct txn *t, struct dgram *d, int *timeout_ms, struct monotime now)
{
	struct txn_slot *s;
	struct txn_item *i;
	int64_t us;

	if (!t->again && t->urgent.first == TXN_NONE && t->ready.first == TXN_NONE)
		return false;
	if (window_full(t))
		return false;
	s = t->again ? txn_slot_repeat(t) : txn_slot_first(t, now);
	if (!s)
		return false;
	i = s->item;
	if (i->tries++) {
		t->st.all.retried++;
		t->rows[i->row].n.retried++;
	}
	t->st.all.sent++;
	t->rows[i->row].n.sent++;
	us = timeout_us(t, i);
	txn_slot_launch(t, s, us, now);
	request_make(d, i, txn_slot_tid(t, s));
	us = (us + 999) / 1000;
	*timeout_ms = us > INT_MAX ? INT_MAX : (int)us;
	return true;
}

void
txn_send_failed(struct txn *t, const struct dgram *d, int error, struct monotime now)
{
	uint32_t gen;
	struct txn_slot *s = txn_slot_of(t, (uint32_t)dgram_tid(d->mad), &gen);

	if (!s || s->state != SLOT_WIRE || gen != s->gen)
		return;
	t->st.send_failed++;
	if (txn_may_retry(t, s->item))
		txn_slot_again(t, s, txn_pause_us(t, s->item), now);
	else
		txn_end_slot(t, s, TXN_END_SEND_FAILED, (unsigned)error, now);
}
