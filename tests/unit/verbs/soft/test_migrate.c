/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_migrate.c - automatic path migration between two ports.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

static void
path_arm(struct rig *r, struct rig_side *s, const struct rig_side *peer)
{
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;
	struct ibv_qp_attr a = { .alt_port_num = 2, .alt_timeout = 8,
		.path_mig_state = IBV_MIG_REARM };

	assert_int_equal(r->ops->query_port(peer->dev, 2, &port), 0);
	assert_int_equal(r->ops->query_gid(peer->dev, 2, 0, &gid), 0);
	a.alt_ah_attr = (struct ibv_ah_attr){
		.dlid = port.lid, .port_num = 2, .is_global = r->grh,
		.grh = { .dgid = gid.gid, .hop_limit = 1 },
	};
	assert_int_equal(r->ops->modify_qp(s->qp, &a, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE), 0);
}

static void
message_exchange(struct rig *r)
{
	rig_recv(r, &r->b, 0, 100, 5);
	rig_do(r, IBV_WR_SEND, 0, 100, 1);
	rig_expect(r, r->a.scq, 1, IBV_WC_SUCCESS);
	rig_expect(r, r->b.rcq, 5, IBV_WC_SUCCESS);
}

static enum ibv_mig_state
mig_state(struct rig *r, struct rig_side *s, uint8_t port)
{
	struct ibv_qp_attr a;

	assert_int_equal(r->ops->query_qp(s->qp, &a, ~0, NULL), 0);
	assert_int_equal(a.port_num, port);
	return a.path_mig_state;
}

static void
over_to_the_other_port(void **state)
{
	(void)state;
	for (int grh = 0; grh < 2; grh++) {
		struct rig r = rig_open(1);
		struct ibv_qp_attr rearm = { .path_mig_state = IBV_MIG_REARM };

		r.grh = grh;
		rig_connect(&r);
		/* no path yet */
		assert_int_equal(r.ops->modify_qp(r.a.qp, &rearm, IBV_QP_PATH_MIG_STATE), -EINVAL);
		message_exchange(&r);
		assert_int_equal(mig_state(&r, &r.a, 1), IBV_MIG_MIGRATED);
		path_arm(&r, &r.a, &r.b);
		message_exchange(&r);
		/* the peer is not ready */
		assert_int_equal(mig_state(&r, &r.a, 1), IBV_MIG_REARM);
		path_arm(&r, &r.b, &r.a);
		message_exchange(&r);
		assert_int_equal(mig_state(&r, &r.a, 1), IBV_MIG_ARMED);
		assert_int_equal(mig_state(&r, &r.b, 1), IBV_MIG_ARMED);
		assert_int_equal(r.ops->knob(r.b.dev, 1, VERBS_KNOB_PORT_UP, 0), 0);
		rig_expect_event(&r, &r.b, IBV_EVENT_PORT_ERR);
		message_exchange(&r);
		rig_expect_event(&r, &r.a, IBV_EVENT_PATH_MIG);
		rig_expect_event(&r, &r.b, IBV_EVENT_PATH_MIG);
		assert_int_equal(mig_state(&r, &r.a, 2), IBV_MIG_MIGRATED);
		assert_int_equal(mig_state(&r, &r.b, 2), IBV_MIG_MIGRATED);
		message_exchange(&r);
		rig_expect_no_event(&r, &r.a);
		rig_expect_no_event(&r, &r.b);
		rig_close(&r);
	}
}

/* A peer that has the path but is not armed refuses, and raises one event. */
static void
refused(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_qp_attr calm = { .path_mig_state = IBV_MIG_MIGRATED };

	(void)state;
	rig_connect(&r);
	path_arm(&r, &r.a, &r.b);
	path_arm(&r, &r.b, &r.a);
	message_exchange(&r);
	message_exchange(&r);
	assert_int_equal(r.ops->modify_qp(r.b.qp, &calm, IBV_QP_PATH_MIG_STATE), 0);
	assert_int_equal(r.ops->knob(r.a.dev, 1, VERBS_KNOB_PORT_UP, 0), 0);
	rig_expect_event(&r, &r.a, IBV_EVENT_PORT_ERR);
	rig_do(&r, IBV_WR_SEND, 0, 8, 1);
	rig_expect(&r, r.a.scq, 1, IBV_WC_RETRY_EXC_ERR);
	rig_expect_event(&r, &r.a, IBV_EVENT_PATH_MIG);
	rig_expect_event(&r, &r.b, IBV_EVENT_PATH_MIG_ERR);
	rig_expect_no_event(&r, &r.b);
	rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(over_to_the_other_port),
		cmocka_unit_test(refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
