/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_stored.c - stored forwarding tables: what is read back, what fits a fabric, and what may be answered.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "sm/sa/stored.h"
#include "tests/unit/sa/small.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define PREFIX UINT64_C(0xfe80000000000000)

/* As PortInfo shows it when the ports are configured. */
static void
configure(struct small *b)
{
	for (uint32_t i = 0; i < b->s->nendports; i++) {
		struct fab_port *p = &b->s->ports[b->s->endports[i]];
		struct port_info info = port_info_decode(p->info);

		info.lid = b->lids.base[b->s->endports[i]];
		info.lmc = b->lids.lmc[b->s->endports[i]];
		info.master_sm_lid = LID_ONE;
		info.state = PORT_STATE_ACTIVE;
		port_info_encode(p->info, &info);
		p->flags |= FAB_PORT_INFO;
	}
	for (uint32_t i = 0; i < b->s->nswitches; i++) {
		struct fab_node *n = &b->s->nodes[b->s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.lft_top = b->fwd.top;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	b->s->sm_port = b->one;
}

static uint8_t *
document(struct small *b, const uint64_t *unknown, size_t *len)
{
	struct sa_stored_from f = {
		.s = b->s, .lids = &b->lids, .fwd = &b->fwd, .unknown = unknown, .gid_prefix = PREFIX, .sm_lid = LID_ONE,
	};
	struct sa_stored_doc d;
	uint8_t *bytes;

	configure(b);
	sa_stored_make(&f, &d);
	*len = d.head_bytes + d.body_bytes;
	bytes = xcalloc(1, *len);
	memcpy(bytes, d.head, d.head_bytes);
	if (d.body_bytes)
		memcpy(bytes + d.head_bytes, d.body, d.body_bytes);
	sa_stored_doc_clear(&d);
	return bytes;
}

static struct sa_stored *
stored(struct small *b, const uint64_t *unknown)
{
	char why[96];
	size_t len;
	uint8_t *bytes = document(b, unknown, &len);
	struct sa_stored *d = sa_stored_read(bytes, len, why, sizeof(why));

	assert_non_null(d);
	assert_string_equal(why, "");
	return d;
}

static struct sa_early *
early(const struct small *b, const struct sa_stored *d, char why[static 64])
{
	struct sa_view conf = { .gid_prefix = PREFIX, .unread_pkey = PKEY_DEFAULT_FULL };

	return sa_early_new(d, b->s, &conf, why, 64);
}

/* The MTU of the path between two LIDs; 0: BUSY. */
static unsigned
path_mtu(struct small *b, const struct sa_early *e, uint16_t from, uint16_t to)
{
	struct sa_writable w = { .stats = &b->stats };
	struct path_record p;
	struct dgram out;

	small_ask(b, from, METHOD_GET, PATH_RECORD_ID);
	small_where(b, 5, 42, 2, from);
	small_where(b, 4, 40, 2, to);
	assert_true(sa_early_can(e, &b->req));
	assert_true(sa_answer(sa_early_index(e), &w, &b->req, &out));
	if (!sa_early_stands(e, &out))
		return 0;
	p = path_record_decode(out.mad + SA_HEAD_BYTES);
	assert_int_equal(p.dlid, to);
	return p.mtu;
}

static void
the_same_answers(void **state)
{
	struct small *b = *state;
	struct sa_stored *d = stored(b, NULL);
	uint32_t fit, all;
	char why[64];
	struct sa_early *e = early(b, d, why);

	assert_non_null(e);
	assert_true(sa_early_fits(e, &fit, &all));
	assert_int_equal(fit, all);
	for (uint16_t from = 1; from < 12; from++)
		for (uint16_t to = 1; to < 12; to++) {
			unsigned mtu = path_mtu(b, e, from, to);

			if (small_send(b) == STATUS_OK)
				assert_int_equal(mtu, path_record_decode(b->answer.mad + SA_HEAD_BYTES).mtu);
			else
				assert_int_equal(mtu, 0);
		}
	assert_int_equal(path_mtu(b, e, LID_ONE, LID_TWO), MTU_CODE_2048);
	/* It needs neither the document nor the snapshot. */
	sa_stored_free(d);
	b->s->ports[b->two].peer = FAB_NONE;
	assert_int_equal(path_mtu(b, e, LID_ONE, LID_TWO), MTU_CODE_2048);
	sa_early_free(e);
}

/* Whatever is not as it was, is BUSY. */
static void
what_has_changed(void **state)
{
	struct small *b = *state;
	struct sa_stored *d = stored(b, NULL);
	uint32_t fit, all;
	char why[64];

	for (unsigned i = 0; i < 5; i++) {
		struct fab_port *two = &b->s->ports[b->two];
		struct fab_port before = *two;
		struct port_info info = port_info_decode(two->info);
		uint32_t peer = two->peer;
		struct sa_early *e;

		switch (i) {
		case 0: info.lid = 16; break;
		case 1: info.state = PORT_STATE_INIT; break;
		case 2: info.master_sm_lid = LID_TWO; break;
		case 3: two->guid++; break;
		case 4: b->s->ports[peer].peer = two->peer = FAB_NONE; break;
		}
		port_info_encode(two->info, &info);
		e = early(b, d, why);
		assert_non_null(e);
		assert_false(sa_early_fits(e, &fit, &all));
		assert_int_equal(path_mtu(b, e, LID_ONE, LID_TWO), 0);
		assert_int_not_equal(path_mtu(b, e, LID_ONE, LID_THREE_1), 0);
		/* Tables of records would lack what has changed. */
		small_ask(b, LID_ONE, METHOD_GET_TABLE, NODE_RECORD_ID);
		assert_false(sa_early_can(e, &b->req));
		sa_early_free(e);
		*two = before;
		b->s->ports[peer].peer = b->two;
	}
	sa_stored_free(d);
}

static void
unknown_tables(void **state)
{
	struct small *b = *state;
	uint64_t unknown[1] = { 1 };            /* of alpha, where one is connected */
	struct sa_stored *d = stored(b, unknown);
	char why[64];
	struct sa_early *e = early(b, d, why);

	assert_int_equal(path_mtu(b, e, LID_ONE, LID_TWO), 0);
	assert_int_not_equal(path_mtu(b, e, LID_TWO, LID_THREE_2), 0);
	sa_early_free(e);
	sa_stored_free(d);
}

static void
other_fabrics(void **state)
{
	struct small *b = *state;
	struct sa_stored *d = stored(b, NULL);
	struct fab_port *own = &b->s->ports[b->one];
	struct sa_view conf = { .gid_prefix = PREFIX + 1, .unread_pkey = PKEY_DEFAULT_FULL };
	struct port_info info = port_info_decode(own->info), other = info;
	char why[64];

	assert_null(sa_early_new(d, b->s, &conf, why, sizeof(why)));
	assert_string_equal(why, "another subnet prefix");
	own->guid++;
	assert_null(early(b, d, why));
	assert_string_equal(why, "another port of the manager");
	own->guid--;
	other.master_sm_lid = LID_TWO;
	port_info_encode(own->info, &other);
	assert_null(early(b, d, why));
	assert_string_equal(why, "another manager has configured our port");
	other = info;
	other.lid = 77;
	port_info_encode(own->info, &other);
	assert_null(early(b, d, why));
	assert_string_equal(why, "the LID of our port is another one");
	port_info_encode(own->info, &info);
	for (uint32_t i = 0; i < b->s->nswitches; i++)
		b->s->nodes[b->s->switches[i]].guid++;
	assert_null(early(b, d, why));
	assert_string_equal(why, "most of its switches are not there");
	sa_stored_free(d);
}

static void
which_requests(void **state)
{
	static const struct { uint8_t method; uint16_t attr; bool can; } rows[] = {
		{ METHOD_GET, PATH_RECORD_ID, true }, { METHOD_GET_TABLE, PATH_RECORD_ID, true },
		{ METHOD_GET, PORT_INFO_RECORD_ID, true }, { METHOD_GET, CLASS_PORT_INFO_ID, true },
		{ METHOD_SET, MCMEMBER_RECORD_ID, false }, { METHOD_GET, MCMEMBER_RECORD_ID, false },
		{ METHOD_SET, INFORM_INFO_ID, false }, { METHOD_DELETE, SERVICE_RECORD_ID, false },
		{ METHOD_GET, SERVICE_RECORD_ID, false }, { METHOD_GET_MULTI, MULTIPATH_RECORD_ID, false },
		{ METHOD_GET, LFT_RECORD_ID, false }, { METHOD_GET_TRACE, TRACE_RECORD_ID, false },
	};
	struct small *b = *state;
	struct sa_stored *d = stored(b, NULL);
	char why[64];
	struct sa_early *e = early(b, d, why);

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		small_ask(b, LID_ONE, rows[i].method, rows[i].attr);
		assert_int_equal(sa_early_can(e, &b->req), rows[i].can);
	}
	sa_early_free(e);
	sa_stored_free(d);
}

/* Damaged documents are refused, or make a view that can be asked. */
static void
hostile_bytes(void **state)
{
	struct small *b = *state;
	uint64_t seed = 1;
	unsigned used = 0;
	size_t len;
	uint8_t *good = document(b, NULL, &len);

	for (unsigned i = 0; i < 4000; i++) {
		uint8_t *bytes = xmemdup(good, len);
		size_t n = i % 4 ? len : i / 4 * len / 1000;
		char why[96];
		struct sa_stored *d;
		struct sa_early *e;

		for (unsigned k = 0; i % 4 && k < i % 4; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1;
			bytes[(seed >> 33) % (i % 8 < 4 ? 120 : len)] = (uint8_t)(seed >> 24);
		}
		d = sa_stored_read(bytes, n, why, sizeof(why));
		e = d ? early(b, d, why) : NULL;
		for (uint16_t lid = 1; e && lid < 12; lid++)
			path_mtu(b, e, LID_TWO, lid);
		used += e != NULL;
		sa_early_free(e);
		sa_stored_free(d);
	}
	assert_in_range(used, 500, 3000);
	free(good);
}

/* Tables that lanes belong to are not stored. */
static void
lanes(void **state)
{
	struct small *b = *state;
	struct lane_plan p = { .nvls = 2 };
	char why[96];
	size_t len;
	uint8_t *bytes;

	b->fwd.lanes = &p;
	bytes = document(b, NULL, &len);
	assert_null(sa_stored_read(bytes, len, why, sizeof(why)));
	assert_string_equal(why, "");
	b->fwd.lanes = NULL;
	bytes = xcalloc(1, 8);
	assert_null(sa_stored_read(bytes, 8, why, sizeof(why)));
	assert_string_equal(why, "8 bytes are no tables that this program stored");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
	const struct CMUnitTest tests[] = {
		T(the_same_answers), T(what_has_changed), T(unknown_tables), T(other_fabrics), T(which_requests),
		T(hostile_bytes), T(lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
