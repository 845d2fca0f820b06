/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos.c - paths under a policy: which rule fits, what its level makes of the answer, who has the last word on the SL.
 */
#include <config.h>
#include <stdlib.h>
#include "tests/unit/sa/small.h"
#include "sm/sa/sa_int.h"

enum { GET = 1, TABLE = 0x12, MULTI = 0x14, PATH = 0x35, MULTIPATH = 0x3a };
#define NO_RECORDS 0x0300

static struct arena arena;
static const struct partitions *parts;
static struct qos_groups *groups;

static int
sa_qos_setup(void **state)
{
	static const char text[] = "Default=0x7fff,sl=4:ALL=full;P=0x10,sl=6:ALL=full;Q=0x11:ALL=full;";
	struct conf_error e = CONF_ERROR_INIT;

	groups = NULL;
	assert_int_equal(partitions_parse("P", text, sizeof(text) - 1, true, &arena, &parts, &e), 0);
	conf_error_clear(&e);
	return small_setup(state);
}

static int
sa_qos_teardown(void **state)
{
	int r = small_teardown(state);

	qos_groups_free(groups);
	arena_clear(&arena);
	return r;
}

#define GROUPS "port-groups\nport-group\nname: ones\nport-guid: 0x101\nend-port-group\nport-group\nname: twos\nport-name: two/P2\n" \
	"end-port-group\nport-group\nname: none\nport-guid: 5\nend-port-group\nend-port-groups\n"
#define LEVELS "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nend-qos-level\nqos-level\nname: L\nsl: 3\n%s\nend-qos-level\nend-qos-levels\n"

/* Puts a policy in force, NULL: none, but qos is on. */
static void
policy(struct small *b, const char *text)
{
	static struct pkey_plan no_keys;
	const struct qos_policy *p = NULL;
	struct conf_error e = CONF_ERROR_INIT;

	if (text && qos_policy_parse("F", text, strlen(text), parts, &arena, &p, &e) != 0)
		fail_msg("%s", e.text);
	conf_error_clear(&e);
	sa_index_set_qos(b->x, NULL);
	qos_groups_free(groups);
	groups = qos_groups_new(b->s, &no_keys, parts, p);
	b->v.qos = groups;
	small_index(b);
}

/* A policy of one rule with those lines, whose level has these. */
static void
rule(struct small *b, const char *lines, const char *level)
{
	char text[2048];

	snprintf(text, sizeof(text), GROUPS LEVELS "qos-match-rules\nqos-match-rule\nqos-level-name: L\n%s\nend-qos-match-rule\n"
		"end-qos-match-rules\n", level, lines);
	policy(b, text);
}

static void
ulp(struct small *b, const char *lines)
{
	char text[2048];

	snprintf(text, sizeof(text), "qos-ulps\ndefault: 1\n%s\nend-qos-ulps\n", lines);
	policy(b, text);
}

static void
ask(struct small *b)
{
	small_ask(b, LID_ONE, GET, PATH);
	small_where(b, 5, 42, 2, LID_ONE);
	small_where(b, 4, 40, 2, LID_TWO);
}

static void
service(struct small *b, uint64_t id)
{
	small_where(b, 0, 0, 4, id >> 32);
	small_where(b, 1, 4, 4, id & UINT32_MAX);
}

static void
pkey(struct small *b, uint16_t key)
{
	small_where(b, 13, 50, 2, key);
}

static void
qos_class(struct small *b, unsigned c)
{
	small_where(b, 14, 52, 2, c << 4);
}

static void
ask_sl(struct small *b, unsigned sl)
{
	small_where(b, 15, 53, 1, sl);
}

/* The SL of the answer. */
static unsigned
sl(struct small *b)
{
	assert_int_equal(small_send(b), 0);
	return (unsigned)small_got(b, 53, 1) & 0xf;
}

static unsigned
sl_of_question(struct small *b)
{
	ask(b);
	return sl(b);
}

static void
both_keys(struct small *b, uint16_t first, uint16_t second)
{
	small_pkeys(b, b->one, first, second);
	small_pkeys(b, b->two, first, second);
}

/* ---- without a policy ---- */

static void
test_partition_sl(void **state)
{
	struct small *b = *state;

	both_keys(b, 0xffff, 0x8010);
	assert_int_equal(sl_of_question(b), 0);         /* qos is FALSE */
	policy(b, NULL);
	assert_int_equal(sl_of_question(b), 4);
	ask(b);
	pkey(b, 0x8010);
	assert_int_equal(sl(b), 6);
	ask(b);
	pkey(b, 0x0010);
	assert_int_equal(sl(b), 6);
	ask(b);
	ask_sl(b, 9);                                   /* any is as good where nothing needs one */
	assert_int_equal(sl(b), 9);
	both_keys(b, 0x8011, 0x8012);
	ask(b);
	pkey(b, 0x8011);
	assert_int_equal(sl(b), 0);
	ask(b);
	pkey(b, 0x8012);                                /* no partition of the file */
	assert_int_equal(sl(b), 0);
}

static void
test_class_info(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 4, 4) >> 5 & 2, 0);
	policy(b, NULL);
	small_ask(b, LID_ONE, GET, 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 4, 4) >> 5 & 2, 2);
}

/* ---- what fits ---- */

static void
test_criteria(void **state)
{
	struct small *b = *state;

	both_keys(b, 0xffff, 0x8010);
	rule(b, "qos-class: 7-9,11", "");
	assert_int_equal(sl_of_question(b), 0);         /* not in the question: does not fit */
	for (unsigned c = 6; c < 13; c++) {
		ask(b);
		qos_class(b, c);
		assert_int_equal(sl(b), (c >= 7 && c <= 9) || c == 11 ? 3 : 0);
	}
	rule(b, "qos-class: 0", "");
	assert_int_equal(sl_of_question(b), 0);
	rule(b, "service-id: 0x100000000-0x1ffffffff", "");
	assert_int_equal(sl_of_question(b), 0);
	ask(b);
	service(b, 0xffffffff);
	assert_int_equal(sl(b), 0);
	ask(b);
	service(b, 0x100000000);
	assert_int_equal(sl(b), 3);
	ask(b);
	service(b, 0x1ffffffff);
	assert_int_equal(sl(b), 3);
	rule(b, "pkey: 0x7fff", "");
	assert_int_equal(sl_of_question(b), 0);         /* the path will have it, but nobody asked */
	ask(b);
	pkey(b, 0xffff);
	assert_int_equal(sl(b), 3);
	ask(b);
	pkey(b, 0x8010);
	assert_int_equal(sl(b), 0);
	rule(b, "pkey: 0x10\nqos-class: 5\nservice-id: 9\nsource: ones\ndestination: twos", "");
	for (unsigned missing = 0; missing < 4; missing++) {
		ask(b);
		if (missing != 0)
			pkey(b, 0x8010);
		if (missing != 1)
			qos_class(b, 5);
		if (missing != 2)
			service(b, 9);
		assert_int_equal(sl(b), missing == 3 ? 3 : 0);
	}
}

static void
test_ends(void **state)
{
	struct small *b = *state;

	rule(b, "source: ones", "");
	assert_int_equal(sl_of_question(b), 3);
	rule(b, "destination: ones", "");
	assert_int_equal(sl_of_question(b), 0);
	rule(b, "destination: none,twos", "");
	assert_int_equal(sl_of_question(b), 3);
	rule(b, "source: none", "");
	assert_int_equal(sl_of_question(b), 0);
	rule(b, "source: ones\ndestination: ones", "");
	assert_int_equal(sl_of_question(b), 0);
	rule(b, "source: ones,twos\ndestination: twos,ones", "");
	assert_int_equal(sl_of_question(b), 3);
	/* A table: each pair of ends by itself. */
	rule(b, "destination: twos", "");
	small_ask(b, LID_ONE, TABLE, PATH);
	small_where(b, 5, 42, 2, LID_ONE);
	for (unsigned i = small_rows(b); i-- > 0;)
		assert_int_equal(small_at(b, i, 53, 1) & 0xf, small_at(b, i, 16, 8) == 0x202 ? 3 : 0);
}

static void
test_order(void **state)
{
	struct small *b = *state;
	static const char text[] = GROUPS "qos-ulps\nany, service-id 1-9 : 7\nany, service-id 5 : 8\ndefault: 2\n"
		"srp, target-port-guid 0x202 : 9\nend-qos-ulps\n"
		"qos-levels\nqos-level\nname: L\nsl: 3\nend-qos-level\nqos-level\nname: M\nsl: 5\nend-qos-level\nend-qos-levels\n"
		"qos-match-rules\nqos-match-rule\nservice-id: 5\nqos-level-name: L\nend-qos-match-rule\n"
		"qos-match-rule\nservice-id: 5-6\nqos-level-name: M\nend-qos-match-rule\nend-qos-match-rules\n";
	static const uint8_t want[] = { 9, 7, 7, 7, 7, 3, 5, 7, 7, 7, 9 };

	policy(b, text);
	for (unsigned i = 0; i < 11; i++) {
		ask(b);
		service(b, i);
		assert_int_equal(sl(b), want[i]);
	}
	small_ask(b, LID_ONE, GET, PATH);               /* to somebody else: the default */
	small_where(b, 5, 42, 2, LID_ONE);
	small_where(b, 4, 40, 2, LID_THREE_1);
	assert_int_equal(sl(b), 2);
}

static void
test_ulps(void **state)
{
	static const struct { const char *line; uint64_t in, out; } services[] = {
		{ "sdp : 2", 0x1ffff, 0x20000 }, { "sdp, port-num 10-20 : 2", 0x1000a, 0x10015 }, { "rds : 2", 0x10648ca, 0x10648cb },
		{ "rds, port-num 1 : 2", 0x1060001, 0x1 }, { "iser : 2", 0x1060cbc, 0x10648ca }, { "iser, port-num 3 : 2", 0x1060003, 0x10003 },
		{ "any, service-id 0x6234 : 2", 0x6234, 0x6235 },
	};
	struct small *b = *state;

	both_keys(b, 0xffff, 0x8010);
	for (unsigned i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		ulp(b, services[i].line);
		ask(b);
		service(b, services[i].in);
		assert_int_equal(sl(b), 2);
		ask(b);
		service(b, services[i].out);
		assert_int_equal(sl(b), 1);
		assert_int_equal(sl_of_question(b), 1);
	}
	ulp(b, "ipoib : 2\nipoib, pkey 0x10 : 3");
	assert_int_equal(sl_of_question(b), 1);
	ask(b);
	pkey(b, 0xffff);
	assert_int_equal(sl(b), 2);
	ask(b);
	pkey(b, 0x8010);
	assert_int_equal(sl(b), 3);
	ulp(b, "any, source-port-guid 0x202 : 2\nany, target-port-guid 0x200-0x2ff : 3");
	assert_int_equal(sl_of_question(b), 3);
	ulp(b, "any, source-target-port-guid 0x202 : 2");       /* both ends */
	assert_int_equal(sl_of_question(b), 1);
	ulp(b, "any, source-target-port-guid 0x101,0x202 : 2");
	assert_int_equal(sl_of_question(b), 2);
}

/* ---- what a level does ---- */

static void
test_sl_asked(void **state)
{
	struct small *b = *state;

	rule(b, "source: ones", "");
	for (unsigned i = 0; i < 16; i++) {
		ask(b);
		ask_sl(b, i);
		assert_int_equal(small_send(b), i == 3 ? 0 : NO_RECORDS);
	}
	small_ask(b, LID_ONE, TABLE, PATH);             /* and to others it is 0 */
	small_where(b, 5, 42, 2, LID_ONE);
	ask_sl(b, 0);
	assert_int_equal(small_rows(b), 0);
	rule(b, "destination: twos", "");
	small_ask(b, LID_ONE, TABLE, PATH);
	small_where(b, 5, 42, 2, LID_ONE);
	ask_sl(b, 0);
	for (unsigned i = small_rows(b); i-- > 0;)
		assert_true(small_at(b, i, 16, 8) != 0x202);
	assert_true(small_rows(b) > 0);
}

/* Where the routing needs an SL it has the last word. */
static void
test_routing_first(void **state)
{
	struct small *b = *state;

	rule(b, "source: ones", "");
	b->fwd.vls = 2;
	b->v.path_sl = 5;
	small_index(b);
	assert_int_equal(sl_of_question(b), 5);
	ask(b);
	ask_sl(b, 3);
	assert_int_equal(small_send(b), NO_RECORDS);
	ask(b);
	ask_sl(b, 5);
	assert_int_equal(small_send(b), NO_RECORDS);
	policy(b, NULL);
	assert_int_equal(sl_of_question(b), 5);
	ask(b);
	ask_sl(b, 5);
	assert_int_equal(sl(b), 5);
}

/* A lane plan with an SL for each pair of switches decides, whatever the policy says. */
static void
test_lanes(void **state)
{
	static uint8_t pairs[4] = { 1, 2, 2, 1 };
	static struct lane_plan lanes = { .nvls = 2, .sls = 6, .nswitches = 2, .nclasses = 1, .sl = pairs };
	struct small *b = *state;

	b->fwd.lanes = &lanes;
	b->fwd.vls = 2;
	rule(b, "source: ones", "mtu-limit: 3");
	assert_int_equal(sl_of_question(b), 2);
	for (unsigned other = 0; other < 16; other++) {
		ask(b);
		ask_sl(b, other);
		assert_int_equal(small_send(b), other == 2 ? 0 : NO_RECORDS);
	}
	ask(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 54, 1), 0x83);    /* its other limits hold */
	small_ask(b, LID_ONE, GET, PATH);               /* two hosts of one switch */
	small_where(b, 5, 42, 2, LID_ONE);
	small_where(b, 4, 40, 2, LID_THREE_1);
	assert_int_equal(sl(b), 1);
	small_ask(b, LID_ONE, GET, PATH);               /* port 0 of the other one */
	small_where(b, 5, 42, 2, LID_ONE);
	small_where(b, 4, 40, 2, LID_BETA);
	assert_int_equal(sl(b), 2);
	b->v.qos = NULL;                                /* without QoS as well */
	small_index(b);
	assert_int_equal(sl_of_question(b), 2);
	lanes.sl = NULL;                                /* VLs by port: QoS chooses */
	policy(b, NULL);
	ask(b);
	ask_sl(b, 7);
	assert_int_equal(small_send(b), 0);
	rule(b, "source: ones", "");
	assert_int_equal(sl_of_question(b), 3);
	ask(b);
	ask_sl(b, 7);
	assert_int_equal(small_send(b), NO_RECORDS);
	lanes.sl = pairs;
}

static void
test_limits(void **state)
{
	struct small *b = *state;

	rule(b, "source: ones", "mtu-limit: 3\nrate-limit: 6\npacket-life: 9");
	ask(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 54, 1), 0x83);
	assert_int_equal(small_got(b, 55, 1), 0x86);
	assert_int_equal(small_got(b, 56, 1), 0x89);
	ask(b);                                         /* more than MTU 3 */
	small_where(b, 16, 54, 1, 0x03);
	small_where(b, 17, 54, 1, 0x03);
	assert_int_equal(small_send(b), NO_RECORDS);
	ask(b);                                         /* exactly 4X QDR: it is faster than the limit */
	small_where(b, 18, 55, 1, 0x87);
	small_where(b, 19, 55, 1, 0x87);
	assert_int_equal(small_send(b), NO_RECORDS);
	ask(b);                                         /* a life of exactly 18 */
	small_where(b, 20, 56, 1, 0x92);
	small_where(b, 21, 56, 1, 0x92);
	assert_int_equal(small_send(b), NO_RECORDS);
	ask(b);
	small_where(b, 20, 56, 1, 0x89);
	small_where(b, 21, 56, 1, 0x89);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_ONE, GET, PATH);               /* to itself: no time at all */
	small_where(b, 5, 42, 2, LID_ONE);
	small_where(b, 4, 40, 2, LID_ONE);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 56, 1), 0x80);
	rule(b, "source: ones", "mtu-limit: 5\nrate-limit: 18\npacket-life: 0");        /* above what the way can carry */
	ask(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 54, 1), 0x84);
	assert_int_equal(small_got(b, 55, 1), 0x91);
	assert_int_equal(small_got(b, 56, 1), 0x80);
}

static void
test_level_pkeys(void **state)
{
	struct small *b = *state;

	both_keys(b, 0xffff, 0x8010);
	rule(b, "source: ones", "pkey: 0x10-0x1f");
	ask(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 50, 2), 0x8010);  /* not the first they share, but one of the level */
	ask(b);
	pkey(b, 0x8010);
	assert_int_equal(sl(b), 3);
	ask(b);
	pkey(b, 0xffff);
	assert_int_equal(small_send(b), NO_RECORDS);
	rule(b, "source: ones", "pkey: 0x20");
	ask(b);
	assert_int_equal(small_send(b), NO_RECORDS);
	both_keys(b, 0x8011, 0x8010);
	rule(b, "source: ones", "pkey: 0-0x7fff");
	ask(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 50, 2), 0x8010);  /* the lowest of them */
	small_pkeys(b, b->one, 0xffff, 0x0010);         /* two limited ones never meet */
	small_pkeys(b, b->two, 0xffff, 0x0010);
	rule(b, "source: ones", "pkey: 0x10");
	ask(b);
	assert_int_equal(small_send(b), NO_RECORDS);
}

static unsigned
dlids(struct small *b, uint16_t *bits)
{
	unsigned n;

	small_ask(b, LID_ONE, TABLE, PATH);
	small_where(b, 5, 42, 2, LID_ONE);
	small_where(b, 2, 8, 8, GID_PREFIX_DEFAULT);
	small_where(b, 2, 16, 8, 0x202);
	n = small_rows(b);
	*bits = 0;
	for (unsigned i = 0; i < n; i++)
		*bits |= (uint16_t)(1u << (small_at(b, i, 40, 2) - LID_TWO));
	return n;
}

static void
test_path_bits(void **state)
{
	struct small *b = *state;
	uint16_t bits;

	rule(b, "source: ones", "");
	assert_int_equal(dlids(b, &bits), 4);
	rule(b, "source: ones", "path-bits: 1,3-200");
	assert_int_equal(dlids(b, &bits), 2);
	assert_int_equal(bits, 0xa);
	ask(b);
	assert_int_equal(small_send(b), NO_RECORDS);    /* LID 8 was asked for */
	rule(b, "source: ones", "path-bits: 4-7");      /* it has no such LID: no condition */
	assert_int_equal(dlids(b, &bits), 4);
	rule(b, "source: ones", "path-bits: 2,4");
	small_ask(b, LID_ONE, GET, PATH);               /* nor has a port with one LID */
	small_where(b, 5, 42, 2, LID_ONE);
	small_where(b, 4, 40, 2, LID_THREE_1);
	assert_int_equal(sl(b), 3);
}

static void
test_multipath(void **state)
{
	struct small *b = *state;

	rule(b, "destination: twos\nqos-class: 5", "mtu-limit: 2");
	small_ask(b, LID_ONE, MULTI, MULTIPATH);
	small_where(b, 8, 8, 2, 5 << 4);
	small_where(b, 19, 15, 1, 1);
	small_where(b, 20, 16, 1, 2);
	for (unsigned i = 0; i < 3; i++) {
		small_where(b, 20, 24 + i * 16, 8, GID_PREFIX_DEFAULT);
		small_where(b, 20, 32 + i * 16, 8, i == 0 ? 0x101 : i == 1 ? 0x202 : 0x301);
	}
	small_where(b, 20, 16, 1, 2);
	small_forget(b);
	small_answer(b);
	assert_int_equal(small_at(b, 0, 0, 0), 0);
	for (unsigned i = 0; i < (b->bytes - 56) / 64; i++) {
		assert_int_equal(small_at(b, i, 53, 1) & 0xf, small_at(b, i, 16, 8) == 0x202 ? 3 : 0);
		assert_int_equal(small_at(b, i, 54, 1) == 0x82, small_at(b, i, 16, 8) == 0x202);
	}
	assert_int_equal((b->bytes - 56) / 64, 5);
}

/* Rows of one reversible path from 'port' to each base LID, and the runs that export tells: the same. */
static unsigned
check_runs(struct small *b, struct sa_path_export *w, uint32_t port)
{
	const struct sa_run *r;
	uint32_t n = sa_path_export_runs(w, port, &r);
	unsigned rows, told = 0;

	small_ask(b, b->lids.base[port], TABLE, PATH);
	small_where(b, 5, 42, 2, b->lids.base[port]);
	small_where(b, 11, 48, 1, 0);
	small_where(b, 12, 49, 1, 0x81);
	rows = small_rows(b);
	for (unsigned i = 0; i < rows; i++) {
		unsigned lid = (unsigned)small_at(b, i, 40, 2);
		uint32_t k = 0;

		if (b->lids.base[b->lids.owner[lid]] != lid)
			continue;
		while (k < n && (lid < r[k].first || lid > r[k].last))
			k++;
		assert_in_range(k, 0, n - 1);
		assert_int_equal(r[k].sl, small_at(b, i, 53, 1) & 0xf);
		assert_int_equal(r[k].mtu | 0x80, small_at(b, i, 54, 1));
		assert_int_equal(r[k].rate | 0x80, small_at(b, i, 55, 1));
		told++;
	}
	for (uint32_t k = 0; k < n; k++)
		for (unsigned lid = r[k].first; lid <= r[k].last; lid++)
			told -= b->lids.owner[lid] != FAB_NONE && b->lids.base[b->lids.owner[lid]] == lid;
	assert_int_equal(told, 0);
	return n;
}

static void
test_export(void **state)
{
	static const char *const rules[][2] = {
		{ "source: ones", "mtu-limit: 3\nrate-limit: 6" }, { "destination: twos", "" }, { "source: twos\ndestination: ones", "mtu-limit: 1" },
		{ "destination: ones", "pkey: 0x10" }, { "destination: twos", "pkey: 0x20" }, { "qos-class: 1", "" },
	};
	struct small *b = *state;

	both_keys(b, 0xffff, 0x8010);
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct sa_path_export *w;
		unsigned n = 0;

		rule(b, rules[i][0], rules[i][1]);
		w = sa_path_export_new(b->x);
		for (uint32_t k = 0; k < b->s->nendports; k++)
			n += check_runs(b, w, b->s->endports[k]);
		assert_true(n > b->s->nendports);
		sa_path_export_free(w);
	}
}

int
main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, sa_qos_setup, sa_qos_teardown)
	const struct CMUnitTest tests[] = {
		T(test_partition_sl), T(test_class_info), T(test_criteria), T(test_ends), T(test_order), T(test_ulps), T(test_sl_asked),
		T(test_routing_first), T(test_lanes), T(test_limits), T(test_level_pkeys), T(test_path_bits), T(test_multipath), T(test_export),
	};

	return cmocka_run_group_tests_name("sa_qos", tests, NULL, NULL);
}
