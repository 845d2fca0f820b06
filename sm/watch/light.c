/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * light.c - light sweeps.
 * Room: sm/watch.  In: ends of transactions.  Out: requests; a request for a heavy sweep.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/watch/flaps.h"
#include "sm/watch/light.h"
#include "sm/watch/probes.h"

#define OWN_PORT (UINT64_C(1) << 40)    /* cookie of the request to our own port */
#define LEASE (UINT64_C(1) << 41)       /* bit of cookies of leases.c, beside a port index */
#define LIGHT_BEFORE_HEAVY_MAX 30       /* consecutive light sweeps before a heavy one */
#define PROBLEM_BACKOFF_MAX 5           /* persistent problems: a heavy sweep every 2^n intervals */

bool
light_is_not_enough(const struct light *l, const struct subnet *n, unsigned problem_sweeps)
{
	const struct snapshot *s = n->served.s;
	unsigned shift =
		problem_sweeps < PROBLEM_BACKOFF_MAX ? problem_sweeps : PROBLEM_BACKOFF_MAX;

	return !subnet_is_master(n) || !s || !n->served.plan || !s->nswitches ||
		l->since >= LIGHT_BEFORE_HEAVY_MAX ||
		(problem_sweeps && l->since + 1 >= 1u << (shift - 1));
}

/* Another master may be an SM that we do not know, but it sets MasterSMLID of our own port. */
static void
ask_own_port(struct light *l, struct subnet *n)
{
	const struct snapshot *s = n->served.s;
	const struct fab_port *p = &s->ports[s->sm_port];
	struct txn_req r = {
		.target = p->node,
		.cookie = OWN_PORT,
		.mgmt_class = CLASS_SM_DR,
		.method = METHOD_GET,
		.attr_id = PORT_INFO_ID,
		.modifier = p->num,
		.mkey = subnet_mkey(n, p->guid),
		.hop_count = s->nodes[p->node].hop_count,
		.path = s->nodes[p->node].path,
	};

	l->open++;
	subnet_submit(n, &r, OWN_LIGHT);
}

void
light_begin(struct light *l, struct subnet *n, struct election *e)
{
	l->since++;
	l->next = l->open = 0;
	l->why = NULL;
	l->obeys_other = false;
	leases_begin(&l->leases, n);
	txn_targets_reset(n->txn);
	election_ask_known(e, n);
	ask_own_port(l, n);
}

/*
 * Switches that were left out of the plan, or whose SwitchInfo was never read, are not queried:
 * heavy sweeps retry them.
 */
static bool
is_watched(const struct fab_node *n)
{
	return n->flags & FAB_NODE_SWITCH_INFO && !(n->flags & FAB_NODE_CUT);
}

static void
submit_request(struct light *l, struct subnet *n, struct txn_req *r)
{
	l->open++;
	subnet_submit(n, r, OWN_LIGHT);
}

static void
ask_switch(struct light *l, struct subnet *n, uint32_t sw)
{
	const struct snapshot *s = n->served.s;
	const struct fab_node *node = &s->nodes[s->switches[sw]];
	struct txn_req r = {
		.target = s->switches[sw],
		.cookie = sw,
		.mgmt_class = CLASS_SM_DR,
		.method = METHOD_GET,
		.attr_id = SWITCH_INFO_ID,
		.mkey = subnet_mkey(n, s->ports[node->first_port].guid),
		.hop_count = node->hop_count,
		.path = node->path,
	};

	if (is_watched(node))
		submit_request(l, n, &r);
}

bool
light_pump(struct light *l, struct subnet *n, const struct election *e)
{
	const struct snapshot *s = n->served.s;
	struct txn_req r;

	while (l->next < s->nswitches && txn_pending(n->txn) < subnet_pending_max(n))
		ask_switch(l, n, l->next++);
	while (l->next == s->nswitches && txn_pending(n->txn) < subnet_pending_max(n) &&
		leases_next(&l->leases, n, &r)) {
		r.cookie |= LEASE;
		submit_request(l, n, &r);
	}
	return !l->open && !election_open(e) && l->next == s->nswitches;
}

void
light_finish(struct light *l, struct subnet *n, struct election *e)
{
	l->sweeps++;
	if (l->obeys_other)             /* which may have written tables too */
		n->other_master = n->now;
	if (l->why)
		schedule_want(n, l->why);
	else if (l->obeys_other)
		schedule_want(n, "somebody else has configured our port");
	else if (election_has_rivals(e, n))
		schedule_want(n, "another manager");
}

/*
 * Whether the SwitchInfo is as the last heavy sweep left it, or shows only a change that probes
 * check (probes.h).
 */
static bool
is_expected(const struct light *l, const struct subnet *n, uint32_t node, const uint8_t *image)
{
	const struct fab_node *was_node = &n->served.s->nodes[node];
	struct switch_info is = switch_info_decode(image),
			   was = switch_info_decode(was_node->switch_info);

	if (is.lft_top != was.lft_top)
		return false;
	return !is.port_state_change || was.port_state_change ||
		(flaps_of(l->flaps, was_node->guid) && probes_trap(l->probes, n, node, 0));
}

/* A switch that was reset has no forwarding table: that concerns it alone. */
static void
on_switch(struct light *l, struct subnet *n, uint32_t node, const uint8_t *image)
{
	const struct fab_node *was = &n->served.s->nodes[node];
	uint16_t top = switch_info_decode(image).lft_top;

	if (is_expected(l, n, node, image))
		return;
	if (!top || top == switch_info_decode(was->switch_info).lft_top)
		schedule_look_at(n, "a switch reports a change", was->guid);
	else
		l->why = "somebody else has written a forwarding table";
}

static void
on_lease_end(struct light *l, const struct subnet *n, const struct txn_end *e)
{
	struct txn_end of_port = *e;
	const char *why;

	of_port.cookie &= LEASE - 1;
	why = leases_check_end(n, &of_port);
	if (why)
		l->why = why;
}

void
light_on_end(struct light *l, struct subnet *n, const struct txn_end *e)
{
	l->open--;
	if (e->cookie & LEASE) {
		on_lease_end(l, n, e);
		return;
	}
	if (e->kind == TXN_END_CANCELLED)
		return;
	if (e->kind == TXN_END_OK && e->cookie == OWN_PORT) {
		l->obeys_other |= port_info_decode(dgram_smp_image(e->reply->mad)).master_sm_lid !=
			n->served.plan->sm_lid;
		return;
	}
	if (e->kind == TXN_END_OK)
		on_switch(l, n, n->served.s->switches[e->cookie], dgram_smp_image(e->reply->mad));
	else
		l->why = "a switch does not answer";
}
