/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_sa.c - any request from any LID, over any forwarding tables: silence or a well-formed answer, and no key in it.
 *
 * The input is the LID of the requester (1 byte), the tables of two switches (8 each), how long the message claims to
 * be (2), then the message.
 */
#include <config.h>
#include <string.h>
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "sm/sa/limit.h"
#include "tests/fuzz/fuzz.h"

enum { LIDS = 8, HEAD = 1 + 2 * LIDS + 2 };
#define ALIAS UINT64_C(0xa1)               /* of the second port of host "two" */
#define SECRET UINT64_C(0x5ec4e75ec4e75ec4)

/* A request at a time: the next one at once is too much. */
static const struct sa_limit_conf limits = { .rate = 1, .burst = 0 };

static struct fabric {
	struct sa_limit *limit;
	struct monotime now;
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables fwd;
	struct sa_index *x;
	struct sa_writable w;
	struct mcast *mcast;
	struct inform *inform;
	struct services *services;
	struct alias_table *alias;
} fabric;

/* Two switches, two cables between them, two hosts, one of them with two ports. */
static struct snapshot *
make_snapshot(void)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t left = topo_builder_node(b, TOPO_SWITCH, 4, 0x10, "left");
	uint32_t right = topo_builder_node(b, TOPO_SWITCH, 4, 0x20, "right");
	uint32_t one = topo_builder_node(b, TOPO_CA, 1, 0x30, "one");
	uint32_t two = topo_builder_node(b, TOPO_CA, 2, 0x40, "two");
	struct snapshot *s;
	struct topo t;

	topo_builder_cable(b, left, 1, right, 1);
	topo_builder_cable(b, left, 2, right, 2);
	topo_builder_cable(b, left, 3, one, 1);
	topo_builder_cable(b, left, 4, two, 1);
	topo_builder_cable(b, right, 3, two, 2);
	topo_builder_port(b, left, 0)->lid = 1;
	topo_builder_port(b, right, 0)->lid = 2;
	topo_builder_port(b, one, 1)->lid = 3;
	topo_builder_port(b, two, 1)->lid = 4;
	topo_builder_port(b, two, 1)->lmc = 1;
	topo_builder_port(b, two, 2)->lid = 6;
	FUZZ_CHECK(!topo_builder_take(b, &t) && !topo_to_snapshot(&t, FAB_NONE, 4, &s));
	topo_clear(&t);
	return s;
}

static void
make_fabric(void)
{
	struct mcast_conf mc = MCAST_CONF_DEFAULTS;
	static struct sm_info sm = { .guid = 0x31, .sm_key = SECRET, .state = 3 };
	struct snapshot *s = make_snapshot();
	struct sa_view v = {
		.s = s, .lids = &fabric.lids, .fwd = &fabric.fwd, .gid_prefix = GID_PREFIX_DEFAULT, .sa_key = SECRET,
		.path_life = 18, .resp_time = 16, .sms = &sm, .nsms = 1, .ready = true,
	};

	mc.consolidate_snm = true;
	fabric.w.mcast = fabric.mcast = mcast_new(&mc);
	fabric.w.inform = fabric.inform = inform_new();
	fabric.w.services = fabric.services = services_new();
	v.alias = fabric.w.alias = fabric.alias = alias_new();
	mcast_add_broadcast(fabric.mcast, 0xffff, 4, 3, 0, 2);
	for (uint32_t i = 0; i < s->nports; i++) {
		wire_put64(s->ports[i].info + port_info_at_mkey / 8, SECRET);
		s->ports[i].info[port_info_at_guid_cap / 8] = 12;
	}
	FUZZ_CHECK(alias_put(fabric.alias, 0x42, 1, ALIAS));
	lid_map_observed(s, &fabric.arena, &fabric.lids);
	fwd_tables_observed(s, &fabric.lids, &fabric.arena, &fabric.fwd);
	fabric.fwd.top = LIDS - 1;
	for (uint32_t sw = 0; sw < 2; sw++) {
		s->nodes[s->switches[sw]].lft = fwd_row(&fabric.fwd, sw);
		s->nodes[s->switches[sw]].lft_blocks = 1;
	}
	fabric.s = s;
	fabric.x = sa_index_new(&v);
	fabric.w.cache = sa_index_path_cache(fabric.x);
	fabric.limit = sa_limit_new();
}

/* Whether the key stands among these bytes. */
static bool
has_secret(const uint8_t *w, uint32_t bytes)
{
	uint8_t secret[8];

	wire_put64(secret, SECRET);
	return bytes && memmem(w, bytes, secret, sizeof(secret));
}

static void
check_answer(const struct dgram *q, bool told, const uint8_t *w, uint32_t bytes)
{
	uint32_t stride = wire_get16(w + 44) * 8u;
	bool ok = dgram_status(w) == STATUS_OK, multi = ok && w[3] == METHOD_GET_MULTI_RESP;
	bool trace = dgram_method(q->mad) == METHOD_GET_TRACE;

	FUZZ_CHECK(bytes >= SA_HEAD_BYTES && w[3] & METHOD_RESP);
	FUZZ_CHECK(!memcmp(w + 8, q->mad + 8, 8) && !memcmp(w + 20, q->mad + 20, 4));
	FUZZ_CHECK(dgram_attr_id(w) == (multi ? PATH_RECORD_ID : ok && trace ? TRACE_RECORD_ID : dgram_attr_id(q->mad)));
	FUZZ_CHECK(!memcmp(w + 48, q->mad + 48, 8) && wire_get64(w + 36) == 0);
	if (w[26] & RMPP_FLAG_ACTIVE) {
		FUZZ_CHECK(ok && (multi || w[3] == METHOD_GET_TABLE_RESP));
		FUZZ_CHECK(stride ? bytes > SA_HEAD_BYTES && (bytes - SA_HEAD_BYTES) % stride == 0 : bytes == SA_HEAD_BYTES);
	} else {
		FUZZ_CHECK(bytes == DGRAM_BYTES && !multi && !(ok && w[3] == METHOD_GET_TABLE_RESP));
	}
	FUZZ_CHECK(told || !has_secret(w + SA_HEAD_BYTES, bytes - SA_HEAD_BYTES));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sa_stats st = { 0 };
	struct dgram q = { 0 };
	struct service service;
	struct dgram out;
	bool some, told = has_secret(data, (uint32_t)size);     /* as key, or by chance as data or table, which come back */

	if (size < HEAD)
		return 0;
	if (!fabric.x)
		make_fabric();
	q.addr.lid = data[0];
	for (uint32_t sw = 0; sw < 2; sw++)
		memcpy(fwd_row(&fabric.fwd, sw), data + 1 + sw * LIDS, LIDS);
	q.bytes = wire_get16(data + HEAD - 2);
	memcpy(q.mad, data + HEAD, size - HEAD < DGRAM_BYTES ? size - HEAD : DGRAM_BYTES);
	if (q.bytes > DGRAM_BYTES) {
		q.more = calloc(1, q.bytes);
		FUZZ_CHECK(q.more);
		memcpy(q.more, data + HEAD, size - HEAD < q.bytes ? size - HEAD : q.bytes);
	}
	fabric.now.us += 1000000000;
	fabric.w.stats = &st;
	some = sa_limit_answer(fabric.limit, &limits, fabric.now, fabric.x, &fabric.w, &q, &out);
	FUZZ_CHECK(st.requests == 1);
	FUZZ_CHECK(st.answered == some);
	FUZZ_CHECK(!st.busy);
	if (some) {
		check_answer(&q, told, out.more ? out.more : out.mad, out.bytes);
		free(out.more);
	}
	some = sa_limit_answer(fabric.limit, &limits, fabric.now, fabric.x, &fabric.w, &q, &out);
	FUZZ_CHECK(st.requests == 2 && (st.busy == 1 || !some || wire_get64(q.mad + 36) == SECRET));
	if (some) {
		check_answer(&q, told, out.more ? out.more : out.mad, out.bytes);
		free(out.more);
	}
	for (uint32_t i = 0; i < fabric.s->nendports; i++) {    /* every input begins without members and subscribers */
		mcast_drop_port(fabric.mcast, fabric.s->ports[fabric.s->endports[i]].guid);
		services_drop_gid(fabric.services, fabric.s->ports[fabric.s->endports[i]].guid);
		alias_drop_port(fabric.alias, fabric.s->ports[fabric.s->endports[i]].guid);
		inform_drop_ports(fabric.inform, &fabric.s->ports[fabric.s->endports[i]].guid, 1);
	}
	mcast_drop_port(fabric.mcast, ALIAS);
	services_drop_gid(fabric.services, ALIAS);
	FUZZ_CHECK(alias_count(fabric.alias) == 0 && alias_put(fabric.alias, 0x42, 1, ALIAS));
	FUZZ_CHECK(inform_count(fabric.inform) == 0);
	FUZZ_CHECK(mcast_count(fabric.mcast) == 1);
	FUZZ_CHECK(!services_at(fabric.services, 0, &service));
	free(q.more);
	return 0;
}
