/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_txn.c - whatever the peers send and whenever: every request ends exactly once.
 *
 * The input is a list of steps, a byte each with its arguments behind it: submit, pull, answer one of the last
 * sends with some bytes overwritten, let time pass, hand in raw bytes, cancel.
 */
#include <config.h>
#include <string.h>
#include "libmad/txn/txn.h"
#include "tests/fuzz/fuzz.h"

enum { SENT = 16, REQUESTS = 1024, TARGETS = 4 };

struct run {
	struct txn *t;
	struct monotime now;
	struct wire_cursor c;
	struct dgram sent[SENT];
	unsigned sent_n, requests;
	bool ended[REQUESTS];
};

static void
submit(struct run *r)
{
	static const uint8_t path[64] = { 0, 1, 1 };
	static const struct dgram_addr addr = { .lid = 3, .qpn = 1 };
	static const uint8_t classes[] = { CLASS_SM_DR, CLASS_SM_LID, CLASS_SA, CLASS_PM };
	static const uint8_t methods[] = { METHOD_GET, METHOD_SET, METHOD_GET_TABLE, METHOD_GET_MULTI };
	uint8_t what = wire_u8(&r->c), attr = wire_u8(&r->c);

	if (r->requests == REQUESTS)
		return;
	txn_submit(r->t, &(struct txn_req){
		.target = what >> 6, .cookie = r->requests++, .mgmt_class = classes[what & 3],
		.method = methods[what >> 2 & 3], .attr_id = attr, .modifier = attr & 1, .hop_count = 2, .path = path,
		.addr = &addr, .urgent = what & 0x10, .payload = what & 0x20 ? path : NULL, .payload_bytes = 64,
	}, r->now);
}

static void
pull(struct run *r)
{
	struct txn_end e;
	struct dgram d;
	int ms;

	while (txn_next_end(r->t, &e)) {
		FUZZ_CHECK(e.cookie < r->requests && !r->ended[e.cookie]);
		FUZZ_CHECK((e.kind == TXN_END_OK || e.kind == TXN_END_STATUS) == (e.reply != NULL));
		r->ended[e.cookie] = true;
	}
	while (txn_next_send(r->t, &d, &ms, r->now)) {
		FUZZ_CHECK(ms > 0 && (uint32_t)dgram_tid(d.mad));
		r->sent[r->sent_n++ % SENT] = d;
	}
	FUZZ_CHECK(txn_stats(r->t)->in_flight <= 8);
}

static void
answer(struct run *r)
{
	uint8_t which = wire_u8(&r->c), changes = wire_u8(&r->c);
	struct dgram d = r->sent[which % SENT];

	if (!r->sent_n)
		return;
	if (which & 0x10)
		dgram_smp_respond(d.mad, which & 0x20 ? STATUS_BUSY : 0);
	if (which & 0x40)
		d.status = 110;
	if (which & 0x80) {
		d.bytes = 300;
		d.more = calloc(1, 300);
	}
	for (unsigned i = 0; i < changes % 8; i++) {
		uint8_t at = wire_u8(&r->c);

		d.mad[at] = wire_u8(&r->c);
	}
	txn_receive(r->t, &d, r->now);
	free(d.more);
}

static void
raw(struct run *r)
{
	struct dgram d = { .bytes = wire_u8(&r->c) };
	const uint8_t *w = wire_take(&r->c, 24);

	if (w)
		memcpy(d.mad, w, 24);
	txn_receive(r->t, &d, r->now);
}

static void
step(struct run *r)
{
	switch (wire_u8(&r->c) % 8) {
	case 0: case 1:
		submit(r);
		break;
	case 2:
		pull(r);
		break;
	case 3: case 4:
		answer(r);
		break;
	case 5:
		r->now.us += (int64_t)wire_u8(&r->c) * 2000;
		txn_tick(r->t, r->now);
		break;
	case 6:
		raw(r);
		break;
	default:
		if (wire_u8(&r->c) & 1)
			txn_cancel_target(r->t, wire_u8(&r->c) % TARGETS);
		else if (r->sent_n)
			txn_send_failed(r->t, &r->sent[wire_u8(&r->c) % SENT], 22, r->now);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *in, size_t bytes)
{
	struct run *r = calloc(1, sizeof *r);
	struct txn_conf c = txn_conf_default();
	struct monotime at;

	FUZZ_CHECK(r != NULL);
	c.window_total = 8;
	c.window_target = 3;
	c.tid_start = UINT32_MAX - 2;
	r->t = txn_new(&c);
	r->c = wire_cursor(in, bytes);
	while (wire_left(&r->c) && !r->c.failed)
		step(r);
	pull(r);
	while (txn_deadline(r->t, &at)) {       /* nobody answers any more */
		r->now = at;
		txn_tick(r->t, r->now);
		pull(r);
	}
	FUZZ_CHECK(txn_pending(r->t) == 0);
	for (unsigned i = 0; i < r->requests; i++)
		FUZZ_CHECK(r->ended[i]);
	txn_free(r->t);
	free(r);
	return 0;
}
