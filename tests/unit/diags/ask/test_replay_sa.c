/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_replay_sa.c - queries to the SA of a saved fabric: which records match, and what is refused.
 */
#include <config.h>
#include "diags/ask/replay_int.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/wire/gid.h"
#include "tests/unit/diags/fake.h"

static struct snapshot *s;
static struct dgram g;

static int
replay_sa_begin(void **state)
{
	(void)state;
	s = fake_snapshot();
	return 0;
}

static int
replay_sa_end(void **state)
{
	(void)state;
	free(g.more);
	g.more = NULL;
	snapshot_free(s);
	return 0;
}

/* Asks; returns the status, and 'g' is the answer. */
static uint16_t
ask(uint8_t method, uint16_t attr_id, uint64_t mask, const uint8_t *record)
{
	struct dgram_sa_head h = { .comp_mask = mask };

	free(g.more);
	g = (struct dgram){ .bytes = DGRAM_BYTES };
	dgram_head_encode(g.mad,
		&(struct dgram_head){ .base_version = 1,
			.mgmt_class = CLASS_SA,
			.class_version = 2,
			.method = method,
			.attr_id = attr_id,
			.tid = 0x77 });
	dgram_sa_head_encode(g.mad, &h);
	if (record)
		memcpy(dgram_sa_data(g.mad), record, SA_DATA_BYTES);
	replay_sa(s, &g);
	assert_int_equal(dgram_method(g.mad), method | METHOD_RESP);
	assert_int_equal(dgram_tid(g.mad), 0x77);
	return dgram_status(g.mad);
}

static unsigned
records(void)
{
	return (g.bytes - SA_HEAD_BYTES) / (dgram_sa_head_decode(g.mad).attr_offset * 8u);
}

static void
nodes(void **state)
{
	uint8_t q[SA_DATA_BYTES] = { 0 };
	struct node_record r;
	const uint8_t *at;

	(void)state;
	assert_int_equal(ask(METHOD_GET_TABLE, NODE_RECORD_ID, 0, NULL), STATUS_OK);
	assert_int_equal(records(), s->nendports);
	assert_non_null(g.more);
	assert_memory_equal(g.more, g.mad, DGRAM_BYTES);
	at = g.more + SA_HEAD_BYTES;
	for (unsigned i = 0; i < records();
		i++, at += dgram_sa_head_decode(g.mad).attr_offset * 8u) {
		r = node_record_decode(at);
		assert_int_equal(r.lid, replay_lid(s, s->endports[i]));
		assert_true(r.info.node_guid == s->nodes[s->ports[s->endports[i]].node].guid);
	}
	node_record_encode(q, &(struct node_record){ .lid = 4 });
	assert_int_equal(ask(METHOD_GET, NODE_RECORD_ID, SA_COMP(node_record, lid), q), STATUS_OK);
	r = node_record_decode(dgram_sa_image(g.mad));
	assert_int_equal(r.lid, 4);
	assert_true(r.info.node_guid == 0x400);
	assert_string_equal(
		(const char *)dgram_sa_image(g.mad) + ATTR_AT(node_record, desc), "spine-0");
	assert_int_equal(g.bytes, DGRAM_BYTES);
	assert_null(g.more);
	/* Both components must match. */
	node_record_encode(q, &(struct node_record){ .lid = 4, .info.node_guid = 0x500 });
	assert_int_equal(ask(METHOD_GET, NODE_RECORD_ID,
				 SA_COMP(node_record, lid) |
					 SA_COMP_IN(node_record, info, node_info, node_guid),
				 q),
		STATUS_SA_NO_RECORDS);
	assert_int_equal(ask(METHOD_GET, NODE_RECORD_ID,
				 SA_COMP_IN(node_record, info, node_info, node_guid), q),
		STATUS_OK);
	assert_int_equal(node_record_decode(dgram_sa_image(g.mad)).lid, 5);
}

static void
paths(void **state)
{
	uint8_t q[SA_DATA_BYTES] = { 0 };
	struct path_record p = { 0 };

	(void)state;
	gid_set(p.sgid, 0xfe80000000000000, 0x201);
	gid_set(p.dgid, 0xfe80000000000000, 0x401);
	p.dgid[15] = 0x01;
	gid_set(p.dgid, 0xfe80000000000000, 0x501);
	path_record_encode(q, &p);
	assert_int_equal(ask(METHOD_GET, PATH_RECORD_ID,
				 SA_COMP(path_record, dgid) | SA_COMP(path_record, sgid) |
					 SA_COMP(path_record, num_path),
				 q),
		STATUS_OK);
	p = path_record_decode(dgram_sa_image(g.mad));
	assert_int_equal(p.dlid, 5);
	assert_int_equal(p.slid, 2); /* the port from which the fabric was read */
	assert_int_equal(p.pkey, PKEY_DEFAULT_FULL);
	assert_true(gid_guid(p.dgid) == 0x501);
	gid_set(p.dgid, 0xfe80000000000000, 0x999);
	path_record_encode(q, &p);
	assert_int_equal(ask(METHOD_GET, PATH_RECORD_ID, SA_COMP(path_record, dgid), q),
		STATUS_SA_NO_RECORDS);
	assert_int_equal(ask(METHOD_GET_TABLE, PATH_RECORD_ID, SA_COMP(path_record, dgid), q),
		STATUS_SA_NO_RECORDS);
	assert_int_equal(g.bytes, SA_HEAD_BYTES);
	/* A port without a LID has no path. */
	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].guid == 0x501)
			wire_bits_put(s->ports[i].info, port_info_at_lid, port_info_bits_lid, 0);
	gid_set(p.dgid, 0xfe80000000000000, 0x501);
	path_record_encode(q, &p);
	assert_int_equal(ask(METHOD_GET, PATH_RECORD_ID, SA_COMP(path_record, dgid), q),
		STATUS_SA_NO_RECORDS);
}

static void
refused(void **state)
{
	static const uint8_t methods[] = { METHOD_SET, 0x15, 0x14 }; /* SetDelete.., GetMulti */

	(void)state;
	assert_int_equal(ask(METHOD_GET, NODE_RECORD_ID, 0, NULL), STATUS_SA_TOO_MANY);
	assert_int_equal(g.bytes, DGRAM_BYTES);
	for (size_t i = 0; i < sizeof(methods); i++)
		assert_int_equal(ask(methods[i], NODE_RECORD_ID, 0, NULL), STATUS_BAD_METHOD_ATTR);
	assert_int_equal(ask(METHOD_GET, 0x38, 0, NULL), STATUS_BAD_METHOD_ATTR);
	/* A component that is not compared would give wrong records. */
	assert_int_equal(ask(METHOD_GET_TABLE, NODE_RECORD_ID, UINT64_C(1) << 63, NULL),
		STATUS_SA_COMPONENTS);
	assert_int_equal(ask(METHOD_GET_TABLE, PATH_RECORD_ID, SA_COMP(path_record, dlid), NULL),
		STATUS_SA_COMPONENTS);
	assert_null(g.more);
}

#define T(f) cmocka_unit_test_setup_teardown(f, replay_sa_begin, replay_sa_end)

int
main(void)
{
	const struct CMUnitTest tests[] = { T(nodes), T(paths), T(refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
