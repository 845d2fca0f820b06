/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * migrate.c - area apm: a connection with an alternate path, which it migrates to when the first
 * one fails.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"

enum { ONE_ARMED, BOTH_ARMED, OVER, REFUSED };

/* The alternate path: port 2, with its addresses at 'e'. */
static void
second_path(struct kit *k, const struct kit_end *from, const struct kit_end *to,
	struct ibv_qp_attr *attr)
{
	struct ibv_port_attr port = { .lid = 0 };
	struct ibv_gid_entry gid = { .gid_index = 0 };
	uint8_t mine = from->dev->port == 1 ? 2 : 1, theirs = to->dev->port == 1 ? 2 : 1;

	kit_must(k, "query_port", k->ops->query_port(to->dev, theirs, &port));
	kit_must(k, "query_gid", k->ops->query_gid(to->dev, theirs, 0, &gid));
	if (port.state != IBV_PORT_ACTIVE)
		kit_skip(k, "needs a second port that is active");
	*attr = (struct ibv_qp_attr){ .alt_port_num = mine, .alt_timeout = 10,
		.path_mig_state = IBV_MIG_REARM };
	attr->alt_ah_attr = (struct ibv_ah_attr){ .dlid = port.lid, .port_num = mine,
		.is_global = k->grh,
		.grh = { .dgid = gid.gid, .hop_limit = 2 } };
}

static void
migration_arm(struct kit *k, struct kit_end *e, const struct kit_end *peer)
{
	struct ibv_qp_attr attr;

	second_path(k, e, peer, &attr);
	if (!k->broken)
		kit_must(k, "arm",
			k->ops->modify_qp(e->qp, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE));
}

static void
message_exchange(struct kit *k, uint64_t seed)
{
	struct ibv_wc wc;

	if (k->broken)
		return;
	kit_pattern(k->a.buf, 3000, seed);
	kit_recv(k, &k->b, seed, 0, 4096);
	kit_send(k, &k->a, seed, 0, 3000);
	kit_must_succeed(k, k->a.scq, &wc);
	kit_must_succeed(k, k->b.rcq, &wc);
	kit_check(k, "data", k->b.buf, 3000, seed);
}

static void
say_path(struct kit *k, const char *who, const struct kit_end *e)
{
	static const char *const names[] = { "MIGRATED", "REARM", "ARMED" };
	struct ibv_qp_attr attr = { .port_num = 0 };

	if (!k->broken &&
		    kit_must(k, "query_qp",
		    k->ops->query_qp(e->qp, &attr, IBV_QP_PATH_MIG_STATE | IBV_QP_PORT, NULL)))
		kit_say(k, "%s %s on the %s path", who, (unsigned)attr.path_mig_state < 3 ?
			names[attr.path_mig_state] : "?", attr.port_num == e->dev->port ? "first" :
			"second");
}

static void
say_event(struct kit *k, const char *who, struct kit_end *e)
{
	struct verbs_event event;

	do {
		if (!kit_event(k, e, &event, KIT_WAIT_US)) {
			kit_say(k, "%s no event", who);
			return;
		}
	} while (event.type == IBV_EVENT_PORT_ERR || event.type == IBV_EVENT_PORT_ACTIVE);
	kit_say(k, "%s %s", who, verbs_event_name(event.type));
}

static void
fail_first_port(struct kit *k, struct kit_end *e)
{
	if (!k->broken)
		kit_must(k, "knob", k->ops->knob(e->dev, e->dev->port, VERBS_KNOB_PORT_UP, 0));
}

static void
migration_run(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	k->pair.retry = 2;
	if (!kit_pair_connect(k))
		return;
	migration_arm(k, &k->a, &k->b);
	message_exchange(k, 1);
	if (c->value[0] == BOTH_ARMED || c->value[0] == OVER)
		migration_arm(k, &k->b, &k->a);
	message_exchange(k, 2);
	message_exchange(k, 3);
	switch (c->value[0]) {
	case ONE_ARMED:
	case BOTH_ARMED:
		say_path(k, "A", &k->a);
		say_path(k, "B", &k->b);
		break;
	/* The peer is not armed, so no end migrates: the sender gives up. */
	case REFUSED:
		fail_first_port(k, &k->b);
		kit_send(k, &k->a, 9, 0, 16);
		kit_say_wc(k, "sender", k->a.scq, &wc);
		say_path(k, "B", &k->b);
		break;
	default:
		fail_first_port(k, &k->b);
		message_exchange(k, 4);
		say_event(k, "A", &k->a);
		say_event(k, "B", &k->b);
		message_exchange(k, 5);
		say_path(k, "A", &k->a);
		say_path(k, "B", &k->b);
		break;
	}
}

#define APM (VERBS_CAP(RC) | VERBS_CAP(ALT_PATH) | VERBS_CAP(KNOBS) | VERBS_CAP(TWO_DEVICES))
#define GONE_OVER \
	"A PATH_MIG; B PATH_MIG; A MIGRATED on the second path; B MIGRATED on the second path"

static const struct conform_case rows[] = {
	{ "apm/one-end-is-ready", APM, "A REARM on the first path; B MIGRATED on the first path",
		migration_run, .value = { ONE_ARMED } },
	{ "apm/both-ends-are-ready", APM, "A ARMED on the first path; B ARMED on the first path",
		migration_run, .value = { BOTH_ARMED } },
	{ "apm/over-to-the-second-path", APM, GONE_OVER, migration_run, .value = { OVER } },
	{ "apm/peer-is-not-ready", APM, "sender RETRY_EXC_ERR; B MIGRATED on the first path",
		migration_run, .value = { REFUSED } },
};

void
cases_migrate(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
