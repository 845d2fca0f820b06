/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_refusals.c - every way to ask wrongly, a row each: the status it gets, and the counter that tells of it, and of
 * nothing else.  docs/sa.md has the same table.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/sa/small.h"

enum { GET = 0x01, SET = 0x02, TABLE = 0x12, TRACE = 0x13, MULTI = 0x14, DELETE = 0x15 };
enum { CPI = 0x01, INFORM = 0x03, NODE = 0x11, PORT = 0x12, SERVICE = 0x31, PKEYS = 0x33, PATH = 0x35, MEMBER = 0x38, TRACES = 0x39,
	MULTIPATH = 0x3a };
#define PREFIX UINT64_C(0xfe80000000000000)
#define OTHER_PREFIX UINT64_C(0xfe80000000000001)
#define BROADCAST { 0, 0, 8, UINT64_C(0xff12401bffff0000) }, { 0, 8, 8, 0xffffffff }
#define MGID(high, low) { 0, 0, 8, UINT64_C(high) }, { 0, 8, 8, low }
#define PORT_GID(guid) { 1, 16, 8, PREFIX }, { 1, 24, 8, guid }
#define STATE(s) { 16, 48, 1, s }
#define CREATE { 2, 32, 4, 0x1234 }, { 6, 39, 1, 0 }, { 7, 40, 2, 0xffff }, { 12, 44, 1, 0 }, { 13, 44, 4, 0 }
#define SGID(prefix, guid) { 3, 24, 8, prefix }, { 3, 32, 8, guid }
#define DGID(prefix, guid) { 2, 8, 8, prefix }, { 2, 16, 8, guid }
#define SERVICE_OF(guid) { 0, 0, 8, 77 }, { 1, 8, 8, PREFIX }, { 1, 16, 8, guid }

struct ask_field {
	unsigned bit, at, bytes;
	uint64_t value;
};

static const struct row {
	const char *what;
	uint16_t from;
	uint8_t method;
	uint16_t attr;
	unsigned status;
	const char *counter;
	struct ask_field f[12];
} rows[] = {
	/* what it is */
	{ "unknown attribute", LID_ONE, GET, 0x0999, 0x0c, "bad_attribute", { { 0 } } },
	{ "attribute without that method", LID_ONE, SET, NODE, 0x0c, "bad_attribute", { { 0 } } },
	{ "a trace of nodes", LID_ONE, TRACE, NODE, 0x0c, "bad_attribute", { { 0 } } },
	{ "all traces", LID_ONE, TABLE, TRACES, 0x0c, "bad_attribute", { { 0 } } },
	{ "unknown method", LID_ONE, 0x42, NODE, 0x08, "bad_method", { { 0 } } },
	/* who asks */
	{ "nobody's LID", 7, TABLE, NODE, 0x0700, "denied unknown_source", { { 0 } } },
	{ "a record for the trusted", LID_ONE, TABLE, PKEYS, 0x0700, "denied", { { 0 } } },
	{ "joining for another", LID_ONE, SET, MEMBER, 0x0700, "denied", { BROADCAST, PORT_GID(0x202), STATE(1) } },
	{ "leaving for another", LID_ONE, DELETE, MEMBER, 0x0700, "denied", { BROADCAST, PORT_GID(0x202), STATE(1) } },
	{ "another's service", LID_ONE, SET, SERVICE, 0x0700, "denied", { SERVICE_OF(0x202) } },
	{ "withdrawing it", LID_ONE, DELETE, SERVICE, 0x0700, "denied", { SERVICE_OF(0x202) } },
	/* what is named */
	{ "one half of a ServiceID", LID_ONE, GET, PATH, 0x0600, "components", { { 0, 0, 4, 1 }, { 4, 40, 2, LID_TWO } } },
	{ "no count of GIDs", LID_ONE, MULTI, MULTIPATH, 0x0600, "components", { { 0 } } },
	{ "joining without PortGID", LID_ONE, SET, MEMBER, 0x0600, "components", { BROADCAST, STATE(1) } },
	{ "joining without JoinState", LID_ONE, SET, MEMBER, 0x0600, "components", { BROADCAST, PORT_GID(0x101) } },
	{ "joining without MGID", LID_ONE, SET, MEMBER, 0x0600, "components", { PORT_GID(0x101), STATE(1) } },
	{ "leaving without MGID", LID_ONE, DELETE, MEMBER, 0x0600, "components", { PORT_GID(0x101), STATE(1) } },
	{ "creating without Q_Key", LID_ONE, SET, MEMBER, 0x0600, "components",
		{ MGID(0xff18000000000000, 1), PORT_GID(0x101), STATE(1) } },
	{ "a service without GID", LID_ONE, SET, SERVICE, 0x0600, "components", { { 0, 0, 8, 77 } } },
	{ "a service without ID", LID_ONE, DELETE, SERVICE, 0x0600, "components", { { 1, 8, 8, PREFIX }, { 1, 16, 8, 0x101 } } },
	{ "a trace from everywhere", LID_ONE, TRACE, TRACES, 0x0600, "components", { { 4, 40, 2, LID_TWO } } },
	{ "a trace to everywhere", LID_ONE, TRACE, TRACES, 0x0600, "components", { SGID(PREFIX, 0x101) } },
	/* GIDs */
	{ "a trace from nobody's GID", LID_ONE, TRACE, TRACES, 0x0500, "invalid_gid", { SGID(PREFIX, 0x999), { 4, 40, 2, LID_TWO } } },
	{ "a trace to another subnet", LID_ONE, TRACE, PATH, 0x0500, "invalid_gid",
		{ { 5, 42, 2, LID_ONE }, DGID(OTHER_PREFIX, 0x202) } },
	{ "a path from nobody's GID", LID_ONE, GET, PATH, 0x0500, "invalid_gid", { SGID(PREFIX, 0x999), { 4, 40, 2, LID_TWO } } },
	{ "a path to another subnet", LID_ONE, GET, PATH, 0x0500, "invalid_gid", { DGID(OTHER_PREFIX, 0x202) } },
	{ "joining with another prefix", LID_ONE, SET, MEMBER, 0x0500, "invalid_gid",
		{ BROADCAST, { 1, 16, 8, OTHER_PREFIX }, { 1, 24, 8, 0x101 }, STATE(1) } },
	{ "a service of nobody's GID", LID_ONE, SET, SERVICE, 0x0500, "invalid_gid", { SERVICE_OF(0x999) } },
	/* values */
	{ "GID and LID of different ports", LID_ONE, GET, PATH, 0x0200, "invalid", { DGID(PREFIX, 0x202), { 4, 40, 2, LID_ONE } } },
	{ "a reserved rate", LID_ONE, GET, PATH, 0x0200, "invalid", { { 4, 40, 2, LID_TWO }, { 18, 55, 1, 0x80 | 1 }, { 19, 55, 1, 0x80 | 1 } } },
	{ "a reserved MTU", LID_ONE, GET, PATH, 0x0200, "invalid", { { 4, 40, 2, LID_TWO }, { 16, 54, 1, 0x80 | 7 }, { 17, 54, 1, 0x80 | 7 } } },
	{ "a trace to a group", LID_ONE, TRACE, TRACES, 0x0200, "invalid",
		{ { 5, 42, 2, LID_ONE }, DGID(UINT64_C(0xff12401bffff0000), 0xffffffff) } },
	{ "a trace to a group's LID", LID_ONE, TRACE, TRACES, 0x0200, "invalid", { { 5, 42, 2, LID_ONE }, { 4, 40, 2, 0xc000 } } },
	{ "a trace from a GID by another's LID", LID_ONE, TRACE, TRACES, 0x0200, "invalid",
		{ SGID(PREFIX, 0x202), { 5, 42, 2, LID_ONE }, { 4, 40, 2, LID_TWO } } },
	{ "no source", LID_ONE, MULTI, MULTIPATH, 0x0200, "invalid", { { 19, 15, 1, 0 }, { 20, 16, 1, 1 } } },
	{ "fewer GIDs than counted", LID_ONE, MULTI, MULTIPATH, 0x0200, "invalid", { { 19, 15, 1, 200 }, { 20, 16, 1, 1 } } },
	{ "joining as nothing", LID_ONE, SET, MEMBER, 0x0200, "invalid", { BROADCAST, PORT_GID(0x101), STATE(0) } },
	{ "joining for nobody", LID_ONE, SET, MEMBER, 0x0200, "invalid", { BROADCAST, PORT_GID(0x999), STATE(1) } },
	{ "joining with another Q_Key", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ BROADCAST, PORT_GID(0x101), STATE(1), { 2, 32, 4, 5 } } },
	{ "creating as a non-member", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ MGID(0xff18000000000000, 1), PORT_GID(0x101), STATE(2), CREATE } },
	{ "creating as who only sends", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ MGID(0xff18000000000000, 1), PORT_GID(0x101), STATE(4), CREATE } },
	{ "creating what is no multicast GID", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ MGID(0xfe18000000000000, 1), PORT_GID(0x101), STATE(1), CREATE } },
	{ "creating with reserved flags", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ MGID(0xff38000000000000, 1), PORT_GID(0x101), STATE(1), CREATE } },
	{ "creating in the wrong scope", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ MGID(0xff12a01b00000000, 1), PORT_GID(0x101), STATE(1), CREATE } },
	{ "an IPoIB group without a broadcast group", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ MGID(0xff15401bffff0000, 5), PORT_GID(0x101), STATE(1), CREATE } },
	{ "creating for a partition that the port is not in", LID_ONE, SET, MEMBER, 0x0200, "invalid",
		{ MGID(0xff18000000000000, 1), PORT_GID(0x101), STATE(1), { 2, 32, 4, 1 }, { 6, 39, 1, 0 }, { 7, 40, 2, 0x8123 },
			{ 12, 44, 1, 0 }, { 13, 44, 4, 0 } } },
	{ "leaving what one is not in", LID_ONE, DELETE, MEMBER, 0x0200, "invalid", { BROADCAST, PORT_GID(0x101), STATE(1) } },
	{ "subscribing twice as much", LID_ONE, SET, INFORM, 0x0200, "invalid", { { 0, 23, 1, 2 } } },
	{ "ending what was not begun", LID_ONE, SET, INFORM, 0x0200, "invalid", { { 0, 23, 1, 0 } } },
	{ "a service in a partition that the port is not in", LID_ONE, SET, SERVICE, 0x0200, "invalid",
		{ SERVICE_OF(0x101), { 2, 24, 2, 0x8123 } } },
	/* how many */
	{ "none", LID_ONE, GET, NODE, 0x0300, "no_records", { { 0, 0, 2, 7 } } },
	{ "a trace to nobody's LID", LID_ONE, TRACE, TRACES, 0x0300, "no_records", { { 5, 42, 2, LID_ONE }, { 4, 40, 2, 7 } } },
	{ "none withdrawn", LID_ONE, DELETE, SERVICE, 0x0300, "no_records", { SERVICE_OF(0x101) } },
	{ "more than one", LID_ONE, GET, NODE, 0x0400, "too_many", { { 62, 0, 0, 0 } } },
	{ "a bit that no component has", LID_ONE, GET, PORT, 0x0400, "too_many", { { 61, 0, 0, 0 }, { 60, 0, 0, 0 } } },
};

static int
refusals_setup(void **state)
{
	struct mcast_conf conf = MCAST_CONF_DEFAULTS;
	struct small *b;

	small_setup(state);
	b = *state;
	conf.mlids = 8192;               /* a port creates an eighth of them, or 1,024 */
	b->w.mcast = mcast_new(&conf);
	assert_true(mcast_add_broadcast(b->w.mcast, 0xffff, 4, 3, 0, 2));
	b->w.inform = inform_new();
	b->w.services = services_new();
	small_index(b);
	return 0;
}

static int
refusals_teardown(void **state)
{
	struct small *b = *state;

	mcast_free(b->w.mcast);
	inform_free(b->w.inform);
	services_free(b->w.services);
	return small_teardown(state);
}

/* What must have been counted: the request, its answer, the reason; 'looked' and 'rows' may. */
static void
assert_counted(const struct sa_stats *was, const struct sa_stats *is, const char *reasons, const char *what)
{
	char list[128];

	snprintf(list, sizeof(list), " %s requests answered ", reasons);
#define C(name) do { \
		uint64_t grown = is->name - was->name; \
		bool reason = strstr(list, " " #name " ") != NULL; \
		if (grown != reason && strcmp(#name, "looked") && strcmp(#name, "rows")) \
			fail_msg("%s: %s grew by %u", what, #name, (unsigned)grown); \
	} while (0);
	SA_COUNTERS(C)
#undef C
}

static void
query_make(struct small *b, const struct row *r)
{
	small_ask(b, r->from, r->method, r->attr);
	for (size_t i = 0; i < sizeof(r->f) / sizeof(r->f[0]); i++)
		if (r->f[i].bytes || r->f[i].bit)
			small_where(b, r->f[i].bit, r->f[i].at, r->f[i].bytes, r->f[i].value);
}

static void
every_row(void **state)
{
	struct small *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct sa_stats was = b->stats;
		unsigned status;

		query_make(b, r);
		status = small_send(b);
		if (status != r->status)
			fail_msg("%s: 0x%04x", r->what, status);
		assert_int_equal(b->bytes, 256);
		assert_int_equal(b->out[3], r->method == SET ? 0x81 : r->method == TRACE ? 0x92 : r->method | 0x80);
		assert_memory_equal(b->out + 8, b->req.mad + 8, 8);     /* whose answer it is */
		assert_memory_equal(b->out + 36, "\0\0\0\0\0\0\0\0\0\0", 10);   /* no key, no offset */
		assert_counted(&was, &b->stats, r->counter, r->what);
	}
	/* Nothing came of any of them. */
	assert_int_equal(inform_count(b->w.inform), 0);
	assert_false(services_at(b->w.services, 0, &(struct service){ 0 }));
	assert_int_equal(mcast_next(b->w.mcast, 0)->nmembers, 0);
	assert_null(mcast_next(b->w.mcast, 0xc001));
}

/* The same by who shows another's source GID, whatever he asks for. */
static void
spoofed(void **state)
{
	struct small *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct sa_stats was = b->stats;

		if (r->status == 0x0c || r->status == 0x08 || r->from == 7)
			continue;
		query_make(b, r);
		b->req.addr.grh = true;
		memcpy(b->req.addr.gid, (const uint8_t[16]){ 0xfe, 0x80, [14] = 2, [15] = 2 }, 16);
		assert_int_equal(small_send(b), 0x0700);
		assert_counted(&was, &b->stats, "denied spoofed_gid", r->what);
	}
}

/* Everything that a host may not have more of. */
static void
over_limit(void **state)
{
	struct small *b = *state;
	struct sa_stats was;

	for (unsigned k = 0; k <= INFORM_PER_PORT_MAX; k++) {
		small_ask(b, LID_ONE, SET, INFORM);
		small_where(b, 0, 16, 2, k + 1);                /* LIDRangeBegin */
		small_where(b, 0, 22, 2, 0x0101);               /* generic, subscribe */
		was = b->stats;
		assert_int_equal(small_send(b), k < INFORM_PER_PORT_MAX ? 0 : 0x0100);
	}
	assert_counted(&was, &b->stats, "no_resources", "subscriptions");
	for (unsigned k = 0; k <= SERVICES_PER_PORT_MAX; k++) {
		small_ask(b, LID_ONE, SET, SERVICE);
		small_where(b, 0, 0, 8, k);
		small_where(b, 1, 8, 8, PREFIX);
		small_where(b, 1, 16, 8, 0x101);
		was = b->stats;
		assert_int_equal(small_send(b), k < SERVICES_PER_PORT_MAX ? 0 : 0x0100);
	}
	assert_counted(&was, &b->stats, "no_resources", "services");
	for (unsigned k = 0; k <= 1024; k++) {
		small_ask(b, LID_ONE, SET, MEMBER);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (!strcmp(rows[i].what, "creating as a non-member"))
				query_make(b, &rows[i]);
		small_where(b, 0, 8, 8, k);
		small_where(b, 16, 48, 1, 1);
		was = b->stats;
		assert_int_equal(small_send(b), k < 1024 ? 0 : 0x0100);
	}
	assert_counted(&was, &b->stats, "no_resources", "groups");
}

/* sa_enhanced_trust_model: without the key, one's own and nothing else. */
static void
enhanced_trust(void **state)
{
	static const struct row asks[] = {
		{ "ClassPortInfo", LID_ONE, GET, CPI, 0, "", { { 0 } } },
		{ "a node", LID_ONE, GET, NODE, 0x0700, "", { { 0, 0, 2, LID_ONE } } },
		{ "all ports", LID_ONE, TABLE, PORT, 0x0700, "", { { 0 } } },
		{ "a path from here", LID_ONE, GET, PATH, 0, "", { { 5, 42, 2, LID_ONE }, { 4, 40, 2, LID_TWO } } },
		{ "a path to here", LID_ONE, GET, PATH, 0, "", { { 5, 42, 2, LID_TWO }, { 4, 40, 2, LID_ONE } } },
		{ "paths from here to there", LID_ONE, TABLE, PATH, 0, "", { SGID(PREFIX, 0x101), DGID(PREFIX, 0x202) } },
		{ "paths from here to all", LID_ONE, TABLE, PATH, 0x0700, "", { SGID(PREFIX, 0x101) } },
		{ "a path of others", LID_ONE, GET, PATH, 0x0700, "", { { 5, 42, 2, LID_TWO }, { 4, 40, 2, LID_BETA } } },
		{ "a path of nobody", LID_ONE, GET, PATH, 0x0700, "", { { 5, 42, 2, 7 }, { 4, 40, 2, LID_TWO } } },
		{ "all paths", LID_ONE, TABLE, PATH, 0x0700, "", { { 0 } } },
		{ "a trace from here", LID_ONE, TRACE, TRACES, 0x0700, "", { { 5, 42, 2, LID_ONE }, { 4, 40, 2, LID_TWO } } },
		{ "joining", LID_ONE, SET, MEMBER, 0, "", { BROADCAST, PORT_GID(0x101), STATE(1) } },
		{ "the path to a group", LID_ONE, GET, PATH, 0, "", { DGID(UINT64_C(0xff12401bffff0000), 0xffffffff) } },
		{ "all groups", LID_ONE, TABLE, MEMBER, 0x0700, "", { { 0 } } },
		{ "a service", LID_ONE, SET, SERVICE, 0, "", { SERVICE_OF(0x101) } },
		{ "finding it", LID_TWO, GET, SERVICE, 0, "", { SERVICE_OF(0x101) } },
		{ "all services", LID_TWO, TABLE, SERVICE, 0x0700, "", { { 0 } } },
	};
	struct small *b = *state;

	b->v.enhanced_trust = true;
	small_index(b);
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		unsigned status;

		query_make(b, &asks[i]);
		status = small_send(b);
		if (status != asks[i].status)
			fail_msg("%s: 0x%04x", asks[i].what, status);
		for (unsigned k = 0; k < 8; k++)                /* whoever has the key may */
			b->req.mad[36 + k] = (uint8_t)(SMALL_KEY >> (56 - 8 * k));
		if (asks[i].status && strcmp(asks[i].what, "a path of nobody"))
			assert_int_equal(small_send(b), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, refusals_setup, refusals_teardown)
		T(every_row), T(spoofed), T(over_limit), T(enhanced_trust),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
