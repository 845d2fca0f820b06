/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_trust.c - what somebody says who is not what he says he is: other managers, forged SMInfo, forged traps.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"

#define SECOND 1000000
#define MKEY UINT64_C(0x1122334455667788)
enum { HANDOVER = 1, ACKNOWLEDGE, DISABLE, STANDBY, DISCOVER };

static const char *const low[] = { "-p", "1", NULL }, *const high[] = { "-p", "9", NULL };
static const char *const other_key[] = { "-p", "9", "--set", "sm_key=0x77", NULL };

static bool
leads(const struct world_manager *s)
{
	return manager_outcome(s->m) == OUTCOME_UP;
}

static json_t *
status_of(const struct world *w, const struct world_manager *s, const char *key)
{
	json_t *o = manager_status(s->m, w->now), *v = json_incref(json_object_get(o, key));

	json_decref(o);
	return v;
}

static bool
state_is(const struct world *w, const struct world_manager *s, const char *state)
{
	json_t *v = status_of(w, s, "state");
	bool is = !strcmp(json_string_value(v), state);

	json_decref(v);
	return is;
}

/* The one stranger that 's' reports, or none. */
static bool
reports(const struct world *w, const struct world_manager *s, uint64_t guid, const char *why)
{
	json_t *v = status_of(w, s, "strangers");
	const json_t *row = json_array_get(v, 0);
	char text[32];
	bool is;

	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)guid);
	is = json_array_size(v) == 1 && !strcmp(json_string_value(json_object_get(row, "guid")), text) &&
		!strcmp(json_string_value(json_object_get(row, "reason")), why);
	json_decref(v);
	return is;
}

static uint64_t
guid_of(const struct world *w, const struct world_manager *s)
{
	struct hw_port_view v;

	assert_int_equal(hw_port_view(w->hw, s->node, s->port, &v), 0);
	return v.guid;
}

/* The status of the answer to Set(SMInfo); what is in it must not be our key. */
static unsigned
set_sminfo(struct world *w, struct world_manager *s, uint64_t mkey, const struct sm_info *from, uint32_t modifier, uint16_t lid)
{
	uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SM_LID, 1, METHOD_SET };
	struct dgram d;
	int timeout_ms;

	wire_put64(mad + 8, 0x4711);
	wire_put16(mad + 16, SM_INFO_ID);
	wire_put32(mad + 20, modifier);
	wire_put64(mad + 24, mkey);
	sm_info_encode(mad + 64, from);
	world_inject(w, s, mad, lid);
	while (manager_next_send(s->m, &d, &timeout_ms, w->now))
		if (dgram_tid(d.mad) == 0x4711) {
			if (dgram_status(d.mad))
				assert_true(sm_info_decode(d.mad + 64).sm_key == 0);
			return dgram_status(d.mad);
		}
	fail();
	return 0;
}

/* A manager's words count with M_Key, SM_Key and an allowed GUID, and without any of them not at all. */
static void
forged_sets_are_refused(void **arg)
{
	struct sm_info good = { .sm_key = WORLD_SM_KEY, .priority = 15, .state = 3 }, bad;
	struct world_manager *s;
	struct world w;
	unsigned sweeps;
	uint16_t lid;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	s->conf->m_key = MKEY;
	good.guid = hw_port(w.hw, world_node(&w, "host-9"), 1)->guid;
	s->conf->allowed_sm_guids.n = 1;
	s->conf->allowed_sm_guids.guid[0] = good.guid;
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 2 * SECOND);
	sweeps = manager_sweeps(s->m);
	lid = world_lid(&w, "host-9", 1);
	for (uint32_t mod = 0; mod < 8; mod++) {
		assert_int_equal(set_sminfo(&w, s, 0, &good, mod, lid), STATUS_BAD_VALUE);
		assert_int_equal(set_sminfo(&w, s, MKEY + 1, &good, mod, lid), STATUS_BAD_VALUE);
		assert_int_equal(set_sminfo(&w, s, MKEY, &good, mod, (uint16_t)(lid + 1)), STATUS_BAD_VALUE);   /* another host's LID */
		assert_int_equal(set_sminfo(&w, s, MKEY, &good, mod, 0x7fff), STATUS_BAD_VALUE);                /* nobody's */
		for (uint64_t key = 0; key < 3; key++) {
			bad = good;
			bad.sm_key = key;
			assert_int_equal(set_sminfo(&w, s, MKEY, &bad, mod, lid), STATUS_BAD_VALUE);
		}
		bad = good;
		bad.guid = 0x98;
		assert_int_equal(set_sminfo(&w, s, MKEY, &bad, mod, lid), STATUS_BAD_VALUE);
		assert_true(state_is(&w, s, "master"));
	}
	world_run(&w, SECOND);
	assert_int_equal(manager_sweeps(s->m), sweeps);         /* not even a sweep came of it */
	s->conf->allowed_sm_guids.n = 0;
	s->conf->sm_key = 0;                                    /* without a key there is nobody to obey */
	bad = good;
	bad.sm_key = 0;
	assert_int_equal(set_sminfo(&w, s, MKEY, &bad, HANDOVER, lid), STATUS_BAD_VALUE);
	s->conf->sm_key = WORLD_SM_KEY;
	for (uint32_t mod = DISABLE; mod <= DISCOVER; mod++)    /* with all the keys, nobody makes a master stop */
		assert_int_equal(set_sminfo(&w, s, MKEY, &good, mod, lid), STATUS_BAD_VALUE);
	assert_int_equal(set_sminfo(&w, s, MKEY, &good, HANDOVER, lid), STATUS_OK);
	assert_true(state_is(&w, s, "master"));
	world_clear(&w);
}

/* What a host reads as the SM_Key of 's' when it shows no M_Key. */
static uint64_t
sm_key_shown(struct world *w, struct world_manager *s, uint16_t lid)
{
	uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SM_LID, 1, METHOD_GET };
	struct dgram d;
	int timeout_ms;

	wire_put64(mad + 8, 0x4713);
	wire_put16(mad + 16, SM_INFO_ID);
	world_inject(w, s, mad, lid);
	while (manager_next_send(s->m, &d, &timeout_ms, w->now))
		if (dgram_tid(d.mad) == 0x4713)
			return sm_info_decode(d.mad + 64).sm_key;
	fail();
	return 0;
}

static bool
sa_answers(struct world *w, struct world_manager *s, uint16_t lid)
{
	uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SA, 2, METHOD_GET };
	struct dgram d;
	int timeout_ms;
	bool answered = false;

	wire_put64(mad + 8, 0x4714);
	wire_put16(mad + 16, 1);
	world_inject(w, s, mad, lid);
	manager_tick(s->m, w->now);
	while (manager_next_send(s->m, &d, &timeout_ms, w->now))
		answered |= dgram_tid(d.mad) == 0x4714 && !dgram_status(d.mad);
	return answered;
}

/* A host that reads the SM_Key, if it can, and five times a second tells the master to look who leads. */
static void
a_host_silences_nobody(void **arg)
{
	static const char *const unprotected[] = { "--set", "m_key=0", NULL };

	(void)arg;
	for (unsigned k = 0; k < 2; k++) {
		struct world_manager *s;
		unsigned answered = 0, asked = 0, sweeps;
		struct sm_info host = { .priority = 15, .state = 3 };
		struct world w;
		uint16_t lid;

		world_init(&w, "fattree:k=4,levels=3", 1);
		hw_latency_set(w.hw, 1000);
		s = world_manager_start(&w, NULL, k ? unprotected : NULL);
		assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
		world_run(&w, 5 * SECOND);
		lid = world_lid(&w, "host-9", 1);
		host.guid = hw_port(w.hw, world_node(&w, "host-9"), 1)->guid;
		host.sm_key = sm_key_shown(&w, s, lid);
		assert_true(k ? host.sm_key == WORLD_SM_KEY : host.sm_key == 0);
		sweeps = manager_sweeps(s->m);
		for (unsigned i = 0; i < 300; i++) {
			set_sminfo(&w, s, 0, &host, DISCOVER, lid);
			set_sminfo(&w, s, 0, &host, HANDOVER, lid);
			for (unsigned n = 0; n < 10; n++, asked++) {
				answered += sa_answers(&w, s, lid);
				world_run(&w, SECOND / 50);
			}
		}
		printf("# m_key %s: %u of %u requests answered, %u sweeps in a minute\n", k ? "0" : "auto", answered, asked,
			manager_sweeps(s->m) - sweeps);
		assert_int_equal(answered, asked);
		assert_in_range(manager_sweeps(s->m) - sweeps, 0, k ? 7 : 1);
		world_clear(&w);
	}
}

/* A program that says it is master, and does nothing else, stops neither a start nor a takeover nor a restart. */
static void
pretenders(void **arg)
{
	struct sm_info p = { .priority = 15, .state = HA_MASTER, .act_count = 1 };
	static const char *const why = "says that it is master without our SM_Key, and the subnet does not obey it";
	struct world_manager *a, *b;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	p.guid = hw_port(w.hw, world_node(&w, "host-9"), 1)->guid;
	world_pretend(&w, "host-9", &p);
	a = world_manager_start(&w, NULL, high);
	world_run(&w, 5 * SECOND);
	assert_true(leads(a));
	assert_true(world_is_right(&w));
	assert_true(reports(&w, a, p.guid, "has another SM_Key") || reports(&w, a, p.guid, why));
	b = world_manager_start(&w, "host-12", low);
	world_run(&w, 5 * SECOND);
	assert_true(state_is(&w, b, "standby"));
	world_manager_kill(&w, a);
	world_run(&w, 5 * SECOND);
	assert_true(leads(b));
	world_manager_kill(&w, b);
	world_run(&w, 5 * SECOND);
	b = world_manager_start(&w, "host-12", low);
	world_run(&w, 5 * SECOND);
	assert_true(leads(b));
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* A better manager with another SM_Key gets nothing; it stands by, for it finds a master. */
static void
another_key(void **arg)
{
	struct world_manager *a, *b;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	a = world_manager_start(&w, NULL, low);
	assert_true(world_run_sweeps(&w, a, 1, 10 * SECOND));
	b = world_manager_start(&w, "host-12", other_key);
	world_run(&w, 40 * SECOND);
	assert_true(leads(a));
	assert_true(state_is(&w, b, "standby"));
	assert_true(reports(&w, a, guid_of(&w, b), "has another SM_Key"));
	assert_true(reports(&w, b, guid_of(&w, a), "has another SM_Key"));
	assert_true(world_is_right(&w));
	world_manager_kill(&w, a);                              /* what it stood by for is gone: somebody must lead */
	world_run(&w, 20 * SECOND);
	assert_true(leads(b));
	world_clear(&w);
}

/* Who is not on the list has no part in the election: neither as a better one that stands by nor as a master. */
static void
not_on_the_list(void **arg)
{
	struct world_manager *rogue, *b;
	char list[64];
	const char *args[] = { "-p", "1", "--set", list, NULL };
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	snprintf(list, sizeof(list), "allowed_sm_guids=0x99,0x98");
	b = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, b, 1, 10 * SECOND));
	rogue = world_manager_start(&w, "host-12", high);
	world_run(&w, 40 * SECOND);
	assert_true(leads(b));
	assert_false(leads(rogue));
	assert_true(reports(&w, b, guid_of(&w, rogue), "is not in allowed_sm_guids"));
	world_manager_kill(&w, b);
	world_run(&w, 20 * SECOND);
	assert_true(leads(rogue));
	b = world_manager_start(&w, "host-5", args);            /* and now the rogue is master already */
	world_run(&w, 20 * SECOND);
	assert_true(leads(b));
	world_manager_kill(&w, b);
	snprintf(list, sizeof(list), "allowed_sm_guids=0x99,0x%llx", (unsigned long long)guid_of(&w, rogue));
	b = world_manager_start(&w, "host-5", args);
	world_run(&w, 20 * SECOND);
	assert_true(state_is(&w, b, "standby"));
	world_clear(&w);
}

/* A trap says where to look.  What it claims of others is not believed: nothing is written, no port is touched. */
static void
forged_traps(void **arg)
{
	static const uint16_t traps[] = { 128, 129, 130, 131, 144, 145, 256, 257, 258, 259, 64, 65, 66, 67, 0, 0xffff };
	struct world_manager *s;
	struct world w;
	uint64_t tables, sets;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 5 * SECOND);
	tables = world_tables(&w);
	sets = s->sets;
	for (unsigned round = 0; round < 300; round++)
		for (size_t i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
			uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SM_LID, 1, METHOD_TRAP };
			struct notice n = { .is_generic = 1, .type = 1, .producer_type = 2, .trap_number = traps[i],
				.issuer_lid = (uint16_t)(round * 7) };

			memset(n.details, (int)(round & 0xff), sizeof(n.details));
			wire_put16(n.details + 2, (uint16_t)(round % 40));
			wire_put16(mad + 16, NOTICE_ID);
			notice_encode(mad + 64, &n);
			world_inject(&w, s, mad, world_lid(&w, "host-9", 1));
			world_run(&w, 1000);
		}
	world_run(&w, 10 * SECOND);
	assert_true(leads(s));
	assert_int_equal(s->sets, sets);
	assert_true(tables == world_tables(&w));
	assert_true(world_is_right(&w));
	assert_in_range(manager_sweeps(s->m), 2, 25);           /* of 4,800 traps in five seconds */
	world_clear(&w);
}

/* Whatever comes in as a request to subnet administration gets a status, and everything that comes in is counted. */
static void
every_method(void **arg)
{
	static const char *const silent[] = { "silent_malformed", "silent_wrong_key" };
	struct world_manager *s;
	struct world w;
	uint16_t lid;
	json_t *sa;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 5 * SECOND);
	lid = world_lid(&w, "host-9", 1);
	for (unsigned method = 0; method < 128; method++) {
		uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SA, 2, (uint8_t)method };
		uint8_t by = (uint8_t)(method == METHOD_SET ? METHOD_GET_RESP : method == METHOD_GET_TRACE ? METHOD_GET_TABLE_RESP : method | METHOD_RESP);
		bool request = method != 3 && method != 5 && method != 7, answered = false;
		struct dgram d;
		int timeout_ms;

		wire_put64(mad + 8, 0x4712);
		wire_put16(mad + 16, 0x0999);
		world_inject(&w, s, mad, lid);
		manager_tick(s->m, w.now);
		while (manager_next_send(s->m, &d, &timeout_ms, w.now))
			if (dgram_tid(d.mad) == 0x4712) {
				answered = true;
				assert_int_equal(dgram_method(d.mad), by);
				assert_true(dgram_status(d.mad) == STATUS_BAD_METHOD || dgram_status(d.mad) == STATUS_BAD_METHOD_ATTR);
			}
		assert_int_equal(answered, request);
	}
	for (uint64_t key = 1; key < 100; key++) {
		uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SA, 2, METHOD_GET };

		wire_put16(mad + 16, 1);
		wire_put64(mad + 36, key);
		world_inject(&w, s, mad, lid);
	}
	world_run(&w, SECOND);
	sa = status_of(&w, s, "sa");
	assert_int_equal(json_integer_value(json_object_get(sa, silent[0])), 3);
	assert_int_equal(json_integer_value(json_object_get(sa, silent[1])), 99);
	assert_int_equal(json_integer_value(json_object_get(sa, "requests")), 128 + 99);
	assert_int_equal(json_integer_value(json_object_get(sa, "answered")), 125);
	json_decref(sa);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(forged_sets_are_refused),
		cmocka_unit_test(a_host_silences_nobody),
		cmocka_unit_test(pretenders),
		cmocka_unit_test(another_key),
		cmocka_unit_test(not_on_the_list),
		cmocka_unit_test(forged_traps),
		cmocka_unit_test(every_method),
	};

	return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
