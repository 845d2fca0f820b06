/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sminfo.c - Get and Set of SMInfo: who learns our SM_Key, and whose Set has an effect.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/ha/sminfo.h"
#include "tests/unit/subnet/served.h"

#define MKEY 0x55
#define SMKEY 0x77

static struct served_bed b;
static struct election e;

/* We stand by for host 1; ports have a key, managers have one. */
static int
sminfo_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	b.conf->m_key = MKEY;
	b.conf->sm_key = SMKEY;
	b.role = HA_STANDBY;
	memset(&e, 0, sizeof(e));
	election_init(&e, &b.net);
	e.ha.state = HA_STANDBY;
	e.ha.master_guid = b.s->ports[served_host(&b, 1)].guid;
	return 0;
}

static int
sminfo_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

/* A request of host 1's manager, from its LID, with both keys. */
static struct dgram
request(uint8_t method, uint32_t modifier)
{
	struct dgram d = { .addr = { .lid = b.plan.lids.base[served_host(&b, 1)] }, .bytes = DGRAM_BYTES };
	struct dgram_head h = {
		.base_version = MAD_BASE_VERSION, .mgmt_class = CLASS_SM_LID, .class_version = CLASS_VERSION_SM,
		.method = method, .attr_id = SM_INFO_ID, .modifier = modifier,
	};
	struct sm_info si = { .guid = e.ha.master_guid, .sm_key = SMKEY, .priority = 15, .state = HA_MASTER };

	dgram_head_encode(d.mad, &h);
	dgram_set_mkey(d.mad, MKEY);
	sm_info_encode(dgram_smp_data(d.mad), &si);
	return d;
}

/* What is answered: its status, and the SMInfo. */
static uint16_t
receive(struct dgram *d, struct sm_info *si)
{
	struct dgram out;
	uint16_t status;

	sminfo_receive(&e, &b.net, d);
	assert_true(outbox_next(&b.net.outbox, &out));
	outbox_settle(&b.net.outbox);
	assert_int_equal(dgram_method(out.mad), METHOD_GET_RESP);
	assert_int_equal(out.addr.lid, d->addr.lid);
	status = dgram_status(out.mad);
	*si = sm_info_decode(dgram_smp_image(out.mad));
	return status;
}

static void
only_with_the_m_key_the_sm_key_is_shown(void **state)
{
	struct dgram d = request(METHOD_GET, 0);
	struct sm_info si;

	(void)state;
	assert_int_equal(receive(&d, &si), STATUS_OK);
	assert_true(si.guid == b.net.port.port_guid);
	assert_true(si.sm_key == SMKEY);
	assert_int_equal(si.state, SM_STATE_STANDBY);
	d = request(METHOD_GET, 0);
	dgram_set_mkey(d.mad, MKEY + 1);
	assert_int_equal(receive(&d, &si), STATUS_OK);
	assert_true(si.sm_key == 0);
	b.conf->m_key = 0;                      /* without protection all are trusted */
	d = request(METHOD_GET, 0);
	dgram_set_mkey(d.mad, 0);
	assert_int_equal(receive(&d, &si), STATUS_OK);
	assert_true(si.sm_key == SMKEY);
}

static void
a_handover_of_our_master_is_obeyed(void **state)
{
	struct dgram d = request(METHOD_SET, SM_INFO_SET_HANDOVER);
	struct sm_info si;

	(void)state;
	assert_int_equal(receive(&d, &si), STATUS_OK);
	assert_true(e.ha.handed_over);
	assert_int_equal(b.net.schedule.election.us, b.net.now.us);
}

/* The Set is refused, nothing has changed, and the answer does not show our key. */
static void
assert_refused(struct dgram *d, const char *why)
{
	struct sm_info si;

	served_pass(&b, 10000000);              /* the log says it once a second */
	assert_int_equal(receive(d, &si), STATUS_BAD_VALUE);
	assert_false(e.ha.handed_over);
	assert_true(si.sm_key == 0);
	assert_non_null(strstr(b.said, why));
}

static void
a_set_without_keys_is_refused(void **state)
{
	struct dgram d = request(METHOD_SET, SM_INFO_SET_HANDOVER);
	struct sm_info si;

	(void)state;
	dgram_set_mkey(d.mad, 0);
	assert_refused(&d, "wrong M_Key");
	d = request(METHOD_SET, SM_INFO_SET_HANDOVER);
	si = sm_info_decode(dgram_smp_image(d.mad));
	si.sm_key = SMKEY + 1;
	sm_info_encode(dgram_smp_data(d.mad), &si);
	assert_refused(&d, "wrong SM_Key");
	b.conf->sm_key = 0;                     /* without a key of ours, nobody can show it */
	si.sm_key = 0;
	d = request(METHOD_SET, SM_INFO_SET_HANDOVER);
	sm_info_encode(dgram_smp_data(d.mad), &si);
	assert_refused(&d, "wrong SM_Key");
	assert_int_equal(b.net.schedule.election.us, MONOTIME_NEVER.us);
}

static void
a_manager_that_is_not_allowed_is_refused(void **state)
{
	struct dgram d = request(METHOD_SET, SM_INFO_SET_HANDOVER);

	(void)state;
	b.conf->allowed_sm_guids = (struct conf_guids){ .n = 1, .guid = { b.net.port.port_guid } };
	assert_refused(&d, "not in allowed_sm_guids");
}

/* From a port that is not the one it names: perhaps we know an old subnet, so it is looked who leads. */
static void
a_set_from_another_port_is_refused_and_looked_at(void **state)
{
	struct dgram d = request(METHOD_SET, SM_INFO_SET_HANDOVER);

	(void)state;
	d.addr.lid = b.plan.lids.base[served_host(&b, 2)];
	assert_refused(&d, "it does not come from that port");
	assert_int_equal(b.net.schedule.election.us, b.net.now.us);
}

static void
a_master_obeys_nobody(void **state)
{
	struct dgram d = request(METHOD_SET, SM_INFO_SET_STANDBY);
	struct sm_info si;

	(void)state;
	b.role = e.ha.state = HA_MASTER;
	assert_true(receive(&d, &si) != STATUS_OK);
	assert_int_equal(e.ha.state, HA_MASTER);
	assert_non_null(strstr(b.said, "this manager is master"));
}

static void
a_disabled_manager_says_so(void **state)
{
	struct dgram d = request(METHOD_SET, SM_INFO_SET_DISABLE);
	struct sm_info si;

	(void)state;
	assert_int_equal(receive(&d, &si), STATUS_OK);
	assert_int_equal(si.state, SM_STATE_NOT_ACTIVE);
	assert_true(e.ha.disabled_by == e.ha.master_guid || e.ha.disabled_by == b.s->ports[served_host(&b, 1)].guid);
	assert_non_null(strstr(b.said, "disabled by master 0x"));
}

static void
other_attributes_are_not_ours(void **state)
{
	struct dgram d = request(METHOD_GET, 0);
	struct sm_info si;

	(void)state;
	dgram_set_attr_id(d.mad, NODE_INFO_ID);
	assert_int_equal(receive(&d, &si), STATUS_BAD_METHOD_ATTR);
	assert_int_equal(e.ha.act_count, 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sminfo_setup, sminfo_teardown)
	const struct CMUnitTest tests[] = {
		T(only_with_the_m_key_the_sm_key_is_shown),
		T(a_handover_of_our_master_is_obeyed),
		T(a_set_without_keys_is_refused),
		T(a_manager_that_is_not_allowed_is_refused),
		T(a_set_from_another_port_is_refused_and_looked_at),
		T(a_master_obeys_nobody),
		T(a_disabled_manager_says_so),
		T(other_attributes_are_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
