/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_cm.c - whatever peers send and the consumer wants, whenever: limits hold, and then everything ends.
 *
 * The input is a list of steps, a byte each with its arguments behind it: a message whose bytes come from the input, one of
 * our own messages as an echo with bytes overwritten, a wish, time.
 */
#include <config.h>
#include <string.h>
#include "libmad/cm/cm.h"
#include "tests/fuzz/fuzz.h"

enum { SENT = 16, OPEN_MAX = 12 };

struct run {
	struct cm *c;
	struct monotime now;
	struct wire_cursor in;
	struct dgram sent[SENT];
	unsigned nsent;
	uint32_t ids[16];
	unsigned nids, begun, released;
};

static void
pull(struct run *r)
{
	struct cm_event e;
	struct dgram d;

	while (cm_next_event(r->c, &e)) {
		FUZZ_CHECK(e.id && e.kind < CM_EVENT_KINDS);
		if (e.kind == CM_EVENT_RELEASED)
			r->released++;
		if (e.kind == CM_EVENT_REQ || e.kind == CM_EVENT_SIDR_REQ) {
			r->begun++;
			r->ids[r->nids++ % 16] = e.id;
		}
	}
	while (cm_next_send(r->c, &d)) {
		FUZZ_CHECK(d.mad[1] == CLASS_CM && d.mad[2] == 2 && d.mad[3] == METHOD_SEND && d.bytes == DGRAM_BYTES);
		r->sent[r->nsent++ % SENT] = d;
	}
	FUZZ_CHECK(cm_stats(r->c)->open <= OPEN_MAX);
}

static void
message(struct run *r, uint8_t kind)
{
	struct dgram d = { .bytes = DGRAM_BYTES, .addr = { .lid = (uint16_t)(1 + kind / 64), .qpn = 1 } };
	uint8_t n = wire_u8(&r->in);
	const uint8_t *w = wire_take(&r->in, n % 64);

	dgram_head_encode(d.mad, &(struct dgram_head){
		.base_version = 1, .mgmt_class = CLASS_CM, .class_version = 2, .method = METHOD_SEND,
		.attr_id = (uint16_t)(0x10 + kind % 16),
	});
	if (w)
		memcpy(d.mad + 24, w, n % 64);
	if (n & 0x40)
		wire_put32(d.mad + 28, r->ids[n % 16]);
	cm_receive(r->c, &d, r->now);
}

static void
echo(struct run *r, uint8_t kind)
{
	struct dgram d = r->sent[kind % SENT];
	uint8_t changes = wire_u8(&r->in);

	if (!r->nsent)
		return;
	if (kind & 0x10) {              /* as the peer would say it */
		uint8_t id[4];

		memcpy(id, d.mad + 24, 4);
		memmove(d.mad + 24, d.mad + 28, 4);
		memcpy(d.mad + 28, id, 4);
		d.mad[17] = (uint8_t)(0x10 + changes % 16);
	}
	for (unsigned i = 0; i < changes % 8; i++) {
		uint8_t at = wire_u8(&r->in);

		d.mad[at] = wire_u8(&r->in);
	}
	cm_receive(r->c, &d, r->now);
}

static void
connection_begin(struct run *r, uint8_t what)
{
	struct cm_ask a = { .addr = { .lid = 3, .qpn = 1 }, .packet_life = what & 31,
			    .req = { .service_id = 1, .remote_cm_timeout = what & 31, .max_cm_retries = what & 15 } };
	struct cm_sidr_ask s = { .addr = { .lid = 3, .qpn = 1 }, .service_id = 1, .retries = what & 15 };
	uint32_t id;

	if ((what & 0x80 ? cm_sidr_ask(r->c, &s, r->now, &id) : cm_connect(r->c, &a, r->now, &id)) == 0) {
		r->begun++;
		r->ids[r->nids++ % 16] = id;
	}
}

static void
wish(struct run *r, uint8_t what)
{
	uint32_t id = r->ids[what % 16];

	switch (what >> 4) {
	case 0: cm_accept(r->c, id, &(struct cm_rep){ .srq = 1 }, r->now); break;
	case 1: cm_ready(r->c, id, r->now); break;
	case 2: cm_delay(r->c, id, what & 31, r->now); break;
	case 3: cm_reject(r->c, id, what, &what, 1, r->now); break;
	case 4: cm_data(r->c, id, r->now); break;
	case 5: cm_disconnect(r->c, id, r->now); break;
	case 6: cm_disconnected(r->c, id, r->now); break;
	case 7: cm_load_path(r->c, id, &(struct cm_lap){ .sl = 1 }, r->now); break;
	case 8: cm_answer_path(r->c, id, what, r->now); break;
	case 9: cm_sidr_answer(r->c, id, &(struct cm_sidr_rep){ .qpn = 2 }, r->now); break;
	default: cm_abort(r->c, id, r->now);
	}
}

static void
step(struct run *r)
{
	uint8_t what = wire_u8(&r->in), arg = wire_u8(&r->in);

	switch (what % 8) {
	case 0: case 1: message(r, arg); break;
	case 2: case 3: echo(r, arg); break;
	case 4: connection_begin(r, arg); break;
	case 5: case 6: wish(r, arg); break;
	default:
		r->now.us += (int64_t)arg << (what >> 4);
		cm_tick(r->c, r->now);
	}
	pull(r);
}

/* Nobody says anything any more, but that the consumer lets go of what is established. */
static void
finish(struct run *r)
{
	struct monotime at;

	for (int i = 0; i < 2; i++) {
		while (cm_deadline(r->c, &at)) {
			r->now = at;
			cm_tick(r->c, r->now);
			pull(r);
		}
		for (uint32_t id = 1; id <= r->begun; id++)
			cm_abort(r->c, id, r->now);
	}
	pull(r);
	FUZZ_CHECK(cm_stats(r->c)->open == 0);
	FUZZ_CHECK(r->released == r->begun);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run *r = calloc(1, sizeof(*r));
	struct cm_conf f = cm_conf_default();

	if (!r)
		abort();
	f.open_max = OPEN_MAX;
	f.open_per_source = 6;
	f.qpn_first = 16;
	f.qpn_count = 32;
	r->c = cm_new(&f);
	r->in = wire_cursor(data, size);
	cm_listen(r->c, 0, 0, 1);
	while (wire_left(&r->in) && !r->in.failed)
		step(r);
	finish(r);
	cm_free(r->c);
	free(r);
	return 0;
}
