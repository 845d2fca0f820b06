/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_replay.c - a saved fabric, asked datagram by datagram: whom a request reaches, what is
 * answered, refused and not answered, and the queue of answers.
 */
#include <config.h>
#include <errno.h>
#include "diags/ask/replay_int.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/fake.h"

struct bed {
	struct io *io;
	struct snapshot *s;
	struct capture *c;
};

static int
replay_begin(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->s = fake_snapshot();
	b->c = capture_new();
	b->io = replay_open(b->s, b->c);
	*state = b;
	return 0;
}

static int
replay_end(void **state)
{
	struct bed *b = *state;

	io_close(b->io);
	free(b);
	return 0;
}

static struct dgram
smp(uint16_t lid, uint8_t method, uint16_t attr_id, uint32_t modifier)
{
	struct dgram g = { .bytes = DGRAM_BYTES, .addr = { .lid = lid } };

	dgram_smp_make(g.mad,
		&(struct dgram_smp){ .method = method,
			.attr_id = attr_id,
			.modifier = modifier,
			.tid = 0x1234 });
	return g;
}

static struct dgram
directed(uint16_t attr_id, unsigned hops, const uint8_t *ports)
{
	struct dgram g = { .bytes = DGRAM_BYTES, .addr = { .lid = LID_PERMISSIVE } };
	uint8_t path[DGRAM_PATH_BYTES] = { 0 };

	if (hops)
		memcpy(path + 1, ports, hops);
	dgram_smp_make(g.mad,
		&(struct dgram_smp){ .method = METHOD_GET,
			.attr_id = attr_id,
			.tid = 0x1234,
			.hop_count = (uint8_t)hops,
			.path = path });
	return g;
}

static struct dgram
gmp(uint16_t lid, uint8_t mgmt_class, uint16_t attr_id)
{
	struct dgram g = { .bytes = DGRAM_BYTES, .addr = { .lid = lid, .qpn = 1 } };

	dgram_head_encode(g.mad,
		&(struct dgram_head){ .base_version = 1,
			.mgmt_class = mgmt_class,
			.class_version = 1,
			.method = METHOD_GET,
			.attr_id = attr_id,
			.tid = 0x1234 });
	return g;
}

/* Sends 'g', which becomes what comes back. */
static void
ask(struct bed *b, struct dgram *g)
{
	assert_int_equal(io_send(b->io, g, 100), 0);
	assert_int_equal(io_recv(b->io, g), 1);
	assert_int_equal(dgram_tid(g->mad), 0x1234);
	assert_int_equal(io_recv(b->io, g), 0);
}

static uint64_t
node_of(struct bed *b, struct dgram g)
{
	ask(b, &g);
	if (g.status) {
		assert_int_equal(g.status, ETIMEDOUT);
		return 0;
	}
	assert_int_equal(dgram_status(g.mad), STATUS_OK);
	assert_true(dgram_method(g.mad) & METHOD_RESP);
	return node_info_decode(dgram_smp_image(g.mad)).node_guid;
}

static void
routes(void **state)
{
	struct bed *b = *state;
	struct dgram g;

	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 0, NULL)), 0x200);
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 1, (uint8_t[]){ 1 })), 0x100);
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 2, (uint8_t[]){ 1, 4 })), 0x400);
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 3, (uint8_t[]){ 1, 4, 1 })), 0x500);
	assert_int_equal(
		node_of(b, directed(NODE_INFO_ID, 2, (uint8_t[]){ 1, 1 })), 0x200); /* and back */
	/* No cable, port 0, a port that the node does not have, and on behind an adapter. */
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 2, (uint8_t[]){ 1, 3 })), 0);
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 2, (uint8_t[]){ 1, 0 })), 0);
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 2, (uint8_t[]){ 1, 5 })), 0);
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 1, (uint8_t[]){ 255 })), 0);
	assert_int_equal(node_of(b, directed(NODE_INFO_ID, 3, (uint8_t[]){ 1, 2, 1 })), 0);
	/* As many hops as a route may have, to and fro; and one more. */
	g = directed(NODE_INFO_ID, 1, (uint8_t[]){ 1 });
	memset(dgram_initial_path(g.mad) + 2, 4, DGRAM_HOPS_MAX - 1u);
	memset(dgram_return_path(g.mad), 4, 8);
	dgram_set_hop_count(g.mad, DGRAM_HOPS_MAX);
	assert_int_equal(node_of(b, g), 0x100);
	dgram_set_hop_count(g.mad, DGRAM_HOPS_MAX + 1);
	assert_int_equal(node_of(b, g), 0);
	/* A directed part that begins at a LID: only a switch goes on. */
	g = directed(NODE_INFO_ID, 1, (uint8_t[]){ 1 });
	dgram_set_dr_slid(g.mad, 4);
	g.addr.lid = 4;
	assert_int_equal(node_of(b, g), 0x500);
	g.addr.lid = 2;
	assert_int_equal(node_of(b, g), 0);
	g.addr.lid = 999;
	assert_int_equal(node_of(b, g), 0);
}

static void
lids(void **state)
{
	struct bed *b = *state;
	struct dgram g;

	assert_int_equal(node_of(b, smp(1, METHOD_GET, NODE_INFO_ID, 0)), 0x100);
	assert_int_equal(node_of(b, smp(5, METHOD_GET, NODE_INFO_ID, 0)), 0x500);
	assert_int_equal(node_of(b, smp(6, METHOD_GET, NODE_INFO_ID, 0)), 0);
	assert_int_equal(node_of(b, smp(0, METHOD_GET, NODE_INFO_ID, 0)), 0);
	assert_int_equal(node_of(b, smp(65535, METHOD_GET, NODE_INFO_ID, 0)), 0);
	for (uint32_t i = 0; i < b->s->nendports; i++)
		assert_int_equal(replay_lid(b->s, b->s->endports[i]), i + 1);
	/* Every port of a switch has the LID of the switch. */
	for (uint8_t i = 0; i <= 4; i++)
		assert_int_equal(
			replay_lid(b->s,
				b->s->nodes[snapshot_node_by_guid(b->s, 0x400)].first_port + i),
			4);
	/* A switch has one LID, an adapter one for each port; it says which port answers. */
	g = smp(2, METHOD_GET, NODE_INFO_ID, 0);
	ask(b, &g);
	assert_int_equal(node_info_decode(dgram_smp_image(g.mad)).port_guid, 0x201);
	assert_int_equal(node_info_decode(dgram_smp_image(g.mad)).local_port, 1);
	g = directed(NODE_INFO_ID, 2, (uint8_t[]){ 1, 4 });
	ask(b, &g);
	assert_int_equal(node_info_decode(dgram_smp_image(g.mad)).local_port, 4);
}

static void
several_lids_of_a_port(void **state)
{
	struct snapshot *s = fake_snapshot();
	struct bed b = { .s = s };
	uint32_t n = snapshot_node_by_guid(s, 0x500);
	uint8_t *info = s->ports[s->nodes[n].first_port + 1].info;

	(void)state;
	wire_bits_put(info, port_info_at_lid, port_info_bits_lid, 0x20);
	wire_bits_put(info, port_info_at_lmc, port_info_bits_lmc, 3);
	b.io = replay_open(s, NULL);
	assert_int_equal(node_of(&b, smp(0x20, METHOD_GET, NODE_INFO_ID, 0)), 0x500);
	assert_int_equal(node_of(&b, smp(0x27, METHOD_GET, NODE_INFO_ID, 0)), 0x500);
	assert_int_equal(node_of(&b, smp(0x28, METHOD_GET, NODE_INFO_ID, 0)), 0);
	assert_int_equal(node_of(&b, smp(0x1f, METHOD_GET, NODE_INFO_ID, 0)), 0);
	io_close(b.io);
	/* LIDs beyond the unicast ones are nobody's. */
	b.s = s = fake_snapshot();
	info = s->ports[s->nodes[n].first_port + 1].info;
	wire_bits_put(info, port_info_at_lid, port_info_bits_lid, 0xbffe);
	wire_bits_put(info, port_info_at_lmc, port_info_bits_lmc, 7);
	b.io = replay_open(s, NULL);
	assert_int_equal(node_of(&b, smp(0xbfff, METHOD_GET, NODE_INFO_ID, 0)), 0x500);
	assert_int_equal(node_of(&b, smp(0xc000, METHOD_GET, NODE_INFO_ID, 0)), 0);
	io_close(b.io);
}

static void
attributes_of_the_snapshot(void **state)
{
	struct bed *b = *state;
	struct dgram g = smp(4, METHOD_GET, NODE_DESC_ID, 0);

	ask(b, &g);
	assert_string_equal((const char *)dgram_smp_image(g.mad), "spine-0");
	g = smp(1, METHOD_GET, PORT_INFO_ID, 5); /* the switch has 4 ports */
	ask(b, &g);
	assert_int_equal(g.status, 0);
	assert_int_equal(dgram_status(g.mad), STATUS_BAD_VALUE);
	g = smp(2, METHOD_GET, PORT_INFO_ID, 0); /* of an adapter: the port itself */
	ask(b, &g);
	assert_int_equal(port_info_decode(dgram_smp_image(g.mad)).lid, 2);
	assert_int_equal(port_info_decode(dgram_smp_image(g.mad)).local_port, 1);
	b->s->ports[b->s->nodes[snapshot_node_by_guid(b->s, 0x200)].first_port + 1].flags &=
		(uint8_t)~FAB_PORT_INFO;
	g = smp(2, METHOD_GET, PORT_INFO_ID, 1); /* it was never answered */
	ask(b, &g);
	assert_int_equal(g.status, ETIMEDOUT);
	g = smp(2, METHOD_GET, SWITCH_INFO_ID, 0);
	ask(b, &g);
	assert_int_equal(dgram_status(g.mad), STATUS_BAD_METHOD_ATTR);
	g = smp(1, METHOD_SET, PORT_INFO_ID, 1);
	ask(b, &g);
	assert_int_equal(dgram_status(g.mad), STATUS_BAD_METHOD);
	g = directed(SWITCH_INFO_ID, 0, NULL); /* status and direction share a field */
	ask(b, &g);
	assert_int_equal(dgram_status(g.mad), STATUS_BAD_METHOD_ATTR);
	assert_true(dgram_direction(g.mad));
}

static void
captured_answers(void **state)
{
	static const uint8_t lft[DGRAM_SMP_DATA_BYTES] = { 255, 0, 1, 2 }, key[] = { 0, 0, 1 };
	struct bed *b = *state;
	uint32_t leaf = snapshot_node_by_guid(b->s, 0x100),
		 host = snapshot_node_by_guid(b->s, 0x200);
	struct dgram g = smp(1, METHOD_GET, LFT_BLOCK_ID, 0);

	ask(b, &g);
	assert_int_equal(g.status, ETIMEDOUT);
	capture_add(b->c,
		&(struct capture_key){
			.node = leaf, .mgmt_class = CLASS_SM_LID, .attr_id = LFT_BLOCK_ID },
		STATUS_OK, lft, sizeof(lft));
	capture_add(b->c,
		&(struct capture_key){ .node = leaf,
			.mgmt_class = CLASS_PM,
			.attr_id = PM_PORT_COUNTERS_ID,
			.select = 2 },
		STATUS_BUSY, NULL, 0);
	capture_add(b->c,
		&(struct capture_key){
			.node = host, .port = 1, .mgmt_class = CLASS_CC, .attr_id = 0x11 },
		STATUS_OK, key, sizeof(key));
	g = smp(1, METHOD_GET, LFT_BLOCK_ID, 0);
	ask(b, &g);
	assert_memory_equal(dgram_smp_image(g.mad), lft, sizeof(lft));
	g = directed(LFT_BLOCK_ID, 1, (uint8_t[]){ 1 }); /* the same by route */
	ask(b, &g);
	assert_memory_equal(dgram_smp_image(g.mad), lft, sizeof(lft));
	g = smp(1, METHOD_GET, LFT_BLOCK_ID, 1);
	ask(b, &g);
	assert_int_equal(g.status, ETIMEDOUT);
	/* A recorded status; the selected port is part of the key. */
	g = gmp(1, CLASS_PM, PM_PORT_COUNTERS_ID);
	dgram_gmp_data(g.mad)[1] = 2;
	ask(b, &g);
	assert_int_equal(dgram_status(g.mad), STATUS_BUSY);
	assert_int_equal(dgram_method(g.mad), METHOD_GET_RESP);
	g = gmp(1, CLASS_PM, PM_PORT_COUNTERS_ID);
	dgram_gmp_data(g.mad)[1] = 3;
	ask(b, &g);
	assert_int_equal(g.status, ETIMEDOUT);
	/* A class whose data begin with the key. */
	g = gmp(2, CLASS_CC, 0x11);
	ask(b, &g);
	assert_int_equal(g.status, 0);
	assert_int_equal(dgram_keyed_image(g.mad)[2], 1);
}

static void
a_queue_of_answers(void **state)
{
	struct bed *b = *state;
	struct dgram g;
	unsigned sent = 0, received = 0;

	assert_int_equal(io_wait(b->io, 10), -ETIMEDOUT);
	/* More than it begins with, and the ring has turned. */
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < 50; i++) {
			g = smp(1, METHOD_GET, NODE_INFO_ID, sent++);
			assert_int_equal(io_send(b->io, &g, 100), 0);
		}
		assert_int_equal(io_wait(b->io, 10), 0);
		for (unsigned i = 0; i < 20; i++) {
			assert_int_equal(io_recv(b->io, &g), 1);
			assert_int_equal(dgram_modifier(g.mad), received++);
		}
	}
	while (io_recv(b->io, &g) == 1)
		assert_int_equal(dgram_modifier(g.mad), received++);
	assert_int_equal(received, sent);
	g = smp(1, METHOD_GET, NODE_INFO_ID, 0);
	assert_int_equal(io_send(b->io, &g, 0), 0); /* no answer is expected */
	assert_int_equal(io_recv(b->io, &g), 0);
	/* What nobody received is freed. */
	g = gmp(1, CLASS_SA, 0x11);
	dgram_set_method(g.mad, METHOD_GET_TABLE);
	assert_int_equal(io_send(b->io, &g, 100), 0);
}

static void
its_port(void **state)
{
	struct bed *b = *state;
	struct io_class c = io_class_client(CLASS_SA);
	char why[IO_WHY_BYTES];
	struct io_port p;

	assert_int_equal(io_port(b->io, &p), 0);
	assert_int_equal(p.port, 1);
	assert_int_equal(p.lid, 2);
	assert_int_equal(p.port_guid, 0x201);
	assert_int_equal(p.node_guid, 0x200);
	assert_int_equal(p.state, PORT_STATE_ACTIVE);
	assert_true(p.infiniband);
	assert_int_not_equal(p.sm_lid, 0); /* an SA can be asked */
	assert_int_equal(io_add_class(b->io, &c, why), 0);
	assert_int_equal(io_add_class(b->io, &c, why), 0);
	assert_int_equal(io_fd(b->io), -1);
	assert_int_equal(io_issm(b->io, true, why), -ENODEV);
}

/* Any bytes come back, once. */
static void
any_bytes(void **state)
{
	struct bed *b = *state;
	uint32_t x = 1;

	for (unsigned round = 0; round < 3000; round++) {
		static const uint8_t classes[] = { CLASS_SM_LID, CLASS_SM_DR, CLASS_SA, CLASS_PM,
			CLASS_CC, CLASS_VENDOR1_FIRST };
		struct dgram g = { .bytes = DGRAM_BYTES };

		for (unsigned i = 0; i < DGRAM_BYTES; i++) {
			x = x * 1664525u + 1013904223u;
			g.mad[i] = (uint8_t)(x >> 24);
		}
		g.mad[1] = classes[round % 6];
		dgram_set_method(g.mad, METHOD_GET);
		dgram_set_attr_id(g.mad, (uint16_t)(0x10 + (x >> 20) % 0x20));
		if (round % 2)
			dgram_set_dr_slid(g.mad, LID_PERMISSIVE);
		g.addr.lid = (uint16_t)(x >> 16) % 8;
		dgram_set_tid(g.mad, 0x1234);
		ask(b, &g);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, replay_begin, replay_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(routes),
		T(lids),
		cmocka_unit_test(several_lids_of_a_port),
		T(attributes_of_the_snapshot),
		T(captured_answers),
		T(a_queue_of_answers),
		T(its_port),
		T(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
