/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_attach.c - what one program writes through its ring: a message above a limit ends itself, not
 * the program.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <utlist.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/serve/server.h"

enum { MIB = 1 << 20, NOBODY = 99 };

struct bench {
	struct rig rig;
	struct server s;
	struct attach *a;
	struct ring_end program;
	uint64_t tid;
};

static struct bench *
bench_new(void)
{
	struct kmad_reg r = { .mgmt_class = CLASS_PING, .class_version = 1, .rmpp_version = 1, .oui = 0x001405, .qpn = 1 };
	struct bench *t = calloc(1, sizeof(*t));
	struct client *c = calloc(1, sizeof(*c));
	uint32_t id;

	rig_make(&t->rig, &(struct hw_conf){ .seed = 1 });
	rig_bring_up(&t->rig);
	t->s.hw = t->rig.h;
	t->s.kmad = kmad_new(t->rig.h);
	t->s.umad_fd = -1;
	t->a = calloc(1, sizeof(*t->a));
	t->a->client = c;
	t->a->bell = -1;
	t->a->memory = mmap(NULL, sizeof(*t->a->memory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(t->a->memory != MAP_FAILED);
	t->a->file = kmad_open(t->s.kmad, A, 1, t->a);
	assert_int_equal(kmad_register(t->s.kmad, t->a->file, &r, &id), 0);
	ring_end_init(&t->a->tx, &t->a->memory->tx);
	ring_end_init(&t->a->rx, &t->a->memory->rx);
	ring_end_init(&t->program, &t->a->memory->tx);
	c->server = &t->s;
	c->fd = -1;
	c->attach = t->a;
	DL_PREPEND(t->s.clients, c);
	DL_PREPEND(t->s.attaches, t->a);
	return t;
}

static void
bench_free(struct bench *t)
{
	attach_close_all(&t->s);
	kmad_free(t->s.kmad);
	hw_free(t->rig.h);
	free(t);
}

/* The program writes a message of so many bytes; the server takes it as it comes. */
static void
write_message(struct bench *t, uint32_t bytes)
{
	uint8_t chunk[RING_CHUNK] = { 1, CLASS_PING, 1, METHOD_SEND, [26] = bytes > 256 ? RMPP_FLAG_ACTIVE : 0 };

	wire_put64(chunk + 8, ++t->tid);
	wire_put32(chunk + 36, 0x001405);
	for (uint32_t at = 0; at < bytes;) {
		uint32_t n = bytes - at < RING_CHUNK ? bytes - at : RING_CHUNK;
		struct ring_head h = { .bytes = n, .total = bytes, .flags = at + n < bytes ? RING_MORE : 0,
			.addr = { .lid = NOBODY, .qpn = 1 } };

		while (!ring_put(&t->program, &h, chunk)) {
			assert_true(attach_serve(t->a, 1000, t->rig.now));
			assert_non_null(t->s.clients);
		}
		ring_publish(&t->program);
		at += n;
	}
	while (t->s.clients && attach_serve(t->a, 1000, t->rig.now))
		;
	assert_non_null(t->s.clients);          /* nobody was thrown out */
}

static void
too_long(void **state)
{
	struct bench *t = bench_new();
	const struct kmad_stats *k = kmad_stats(t->s.kmad);

	(void)state;
	write_message(t, 256);
	assert_int_equal(k->sent, 1);
	write_message(t, MESSAGE_BYTES_MAX + 1);
	assert_int_equal(t->s.dropped, 1);
	assert_int_equal(t->s.part_bytes, 0);
	assert_int_equal(k->sent, 1);
	write_message(t, 3 * MESSAGE_BYTES_MAX);
	assert_int_equal(t->s.dropped, 2);
	write_message(t, 256);
	assert_int_equal(k->sent, 2);
	write_message(t, 5000);
	assert_int_equal(k->sent, 3);
	assert_int_equal(t->s.part_bytes, 0);
	bench_free(t);
}

/* Others have begun so much that there is no room: that message is dropped, a short one is not. */
static void
no_room(void **state)
{
	struct bench *t = bench_new();
	const struct kmad_stats *k = kmad_stats(t->s.kmad);
	uint64_t others = 8 * (uint64_t)MESSAGE_BYTES_MAX - MIB;

	(void)state;
	t->s.part_bytes = others;
	write_message(t, 2 * MIB);
	assert_int_equal(t->s.dropped, 1);
	assert_int_equal(t->s.part_bytes, others);
	write_message(t, MIB / 2);
	write_message(t, 256);
	assert_int_equal(k->sent, 2);
	t->s.part_bytes -= others;
	write_message(t, 2 * MIB);
	assert_int_equal(k->sent, 3);
	assert_int_equal(t->s.dropped, 1);
	bench_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(too_long), cmocka_unit_test(no_room) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
