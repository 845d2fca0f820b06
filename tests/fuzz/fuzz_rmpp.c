/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_rmpp.c - RMPP against a hostile peer: caps hold, every transfer ends, whole messages are as long as they say.
 *
 * The input is a list of MADs, each as control byte, class, method, TID, and the twelve bytes of the RMPP header;
 * control bytes also start transfers and let time pass.
 */
#include <config.h>
#include <string.h>
#include "libmad/rmpp/rmpp.h"
#include "tests/fuzz/fuzz.h"

enum { SENDS = 64, CAP_BYTES = 100000 };

struct run {
	struct rmpp *r;
	struct monotime now;
	struct wire_cursor c;
	unsigned sends;
	bool ended[SENDS];
};

static void
pull(struct run *u)
{
	struct rmpp_end e;
	struct dgram d;

	while (rmpp_next_mad(u->r, &d, u->now))
		FUZZ_CHECK(d.bytes == DGRAM_BYTES && !d.more);
	while (rmpp_next_message(u->r, &d)) {
		FUZZ_CHECK((d.bytes > DGRAM_BYTES) == (d.more != NULL));
		FUZZ_CHECK(d.bytes >= dgram_rmpp_header_bytes(d.mad[1]) && d.bytes <= CAP_BYTES);
		if (d.more)
			FUZZ_CHECK(!memcmp(d.mad, d.more, DGRAM_BYTES));
		free(d.more);
	}
	while (rmpp_next_end(u->r, &e)) {
		FUZZ_CHECK(e.cookie < u->sends && !u->ended[e.cookie]);
		u->ended[e.cookie] = true;
	}
	FUZZ_CHECK(rmpp_stats(u->r)->bytes_held <= CAP_BYTES);
	FUZZ_CHECK(rmpp_stats(u->r)->open <= 5);
}

static struct dgram
mad(struct run *u)
{
	static const uint8_t classes[] = { CLASS_SA, CLASS_PING, CLASS_DEVMGT, CLASS_PM };
	uint8_t kind = wire_u8(&u->c);
	struct dgram d = { .addr = { .lid = kind >> 6, .qpn = 1 }, .bytes = DGRAM_BYTES };

	d.mad[0] = 1;
	d.mad[1] = classes[kind & 3];
	d.mad[3] = kind & 4 ? METHOD_GET_TABLE_RESP : METHOD_GET_MULTI;
	if (kind & 8)
		d.mad[3] ^= METHOD_RESP;
	d.mad[15] = kind >> 4 & 3;
	return d;
}

static void
receive(struct run *u)
{
	struct dgram d = mad(u);
	const uint8_t *h = wire_take(&u->c, 12);

	if (h)
		memcpy(d.mad + 24, h, 12);
	rmpp_receive(u->r, &d, u->now);
}

/* The header in few bytes, so that long transfers fit into short inputs. */
static void
receive_short(struct run *u)
{
	struct dgram d = mad(u);
	uint8_t type = wire_u8(&u->c);

	dgram_rmpp_head_encode(d.mad, &(struct dgram_rmpp_head){
		.version = 1, .type = type & 7, .flags = (uint8_t)(RMPP_FLAG_ACTIVE | type >> 4),
		.segment = wire_u8(&u->c), .length = wire_u8(&u->c),
	});
	rmpp_receive(u->r, &d, u->now);
}

static void
send_one(struct run *u)
{
	struct dgram d = mad(u);
	uint8_t more = wire_u8(&u->c);

	if (u->sends == SENDS)
		return;
	d.bytes = more * 40u;
	if (d.bytes > DGRAM_BYTES) {
		d.more = calloc(1, d.bytes);
		memcpy(d.more, d.mad, DGRAM_BYTES);
	}
	if (rmpp_send(u->r, &d, (more & 7) * 300u, more & 3, u->sends, u->now) == 0)
		u->sends++;
	free(d.more);
}

int
LLVMFuzzerTestOneInput(const uint8_t *in, size_t bytes)
{
	struct run u = { .c = wire_cursor(in, bytes) };
	struct rmpp_conf c = rmpp_conf_default();
	struct monotime at;

	c.bytes_max = CAP_BYTES / 2;
	c.bytes_total = CAP_BYTES;
	c.open_per_peer = 3;
	c.open_total = 5;
	c.finished_total = 4;
	u.r = rmpp_new(&c);
	while (wire_left(&u.c) && !u.c.failed) {
		switch (wire_u8(&u.c) % 8) {
		case 0: case 1:
			receive(&u);
			break;
		case 2:
			send_one(&u);
			break;
		case 3:
			u.now.us += wire_u8(&u.c) * (int64_t)100000;
			rmpp_tick(u.r, u.now);
			break;
		case 4:
			pull(&u);
			break;
		default:
			receive_short(&u);
		}
	}
	pull(&u);
	while (rmpp_deadline(u.r, &at)) {
		u.now = at;
		rmpp_tick(u.r, u.now);
		pull(&u);
	}
	for (unsigned i = 0; i < u.sends; i++)
		FUZZ_CHECK(u.ended[i]);
	FUZZ_CHECK(!rmpp_stats(u.r)->open && !rmpp_stats(u.r)->sending && !rmpp_stats(u.r)->bytes_held);
	rmpp_free(u.r);
	return 0;
}
