/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dispatch.c - passes requests to rooms by class and method, ended transactions to their owners.
 * Room: sm/manager.  In: datagrams, ends of transactions.  Out: calls of the rooms, by two tables.
 */
#include <config.h>
#include <errno.h>
#include "sm/conf/conf.h"
#include "sm/ha/sminfo.h"
#include "sm/manager/manager_int.h"
#include "sm/registry/aliases.h"
#include "sm/registry/groups.h"

/* ---- requests ---- */

static void
on_sminfo(struct manager *m, struct dgram *d)
{
	sminfo_receive(&m->election, &m->net, d);
}

static void
look_again(struct manager *m, const char *why)
{
	if (m->net.conf->sweep_on_trap)
		schedule_look_again(&m->net, why);
}

/* The same, about node 'node' of 's', and the switch that port 'port' of it, if not 0, is connected to. */
static void
look_at(struct manager *m, const struct snapshot *s, const struct trap_look *l)
{
	const struct fab_node *n = &s->nodes[l->node];
	uint32_t peer = FAB_NONE;

	if (!m->net.conf->sweep_on_trap)
		return;
	if (!fab_is_switch(n) && l->port && l->port <= n->nports)
		peer = snapshot_port(s, l->node, l->port)->peer;
	if (peer != FAB_NONE)
		schedule_look_at(&m->net, l->why, s->nodes[s->ports[peer].node].guid);
	schedule_look_at(&m->net, l->why, n->guid);
}

/* Checks what the trap concerns: a description, the ports of a switch, or the whole subnet. */
static void
on_trap(struct manager *m, struct dgram *d)
{
	struct trap_look l = notify_trap(&m->notify, &m->registry, &m->net, d);
	const struct snapshot *s = m->net.served.s;

	switch (l.kind) {
	case TRAP_LOOK_NOTHING:
		break;
	case TRAP_LOOK_SUBNET:
		look_again(m, l.why);
		break;
	case TRAP_LOOK_SWITCH:
		if (!m->net.conf->sweep_on_trap ||
			!probes_trap(m->watch.probes, &m->net, l.node, l.tid))
			look_at(m, s, &l);
		break;
	case TRAP_LOOK_PORT:
		if (!flaps_at(m->watch.flaps, s->nodes[l.node].guid, l.port))
			look_at(m, s, &l);
		break;
	case TRAP_LOOK_NODE:
		look_at(m, s, &l);
		break;
	case TRAP_LOOK_DESCRIPTION:
		descriptions_want(&m->watch.descriptions, &m->net, s->nodes[l.node].guid);
		break;
	}
}

/* The device has dropped a message that is longer than any request. */
static void
on_too_long(struct manager *m, const struct dgram *d)
{
	if (dgram_class(d->mad) == CLASS_SA && !(dgram_method(d->mad) & METHOD_RESP)) {
		m->requests.stats.requests++;
		m->requests.stats.silent_too_long++;
	} else {
		m->unknown_mads++;
	}
	subnet_log_limited(&m->net, LOG_WARN, "sa", LOG_KIND_SA_LONG, d->addr.lid,
		"message of %u bytes from lid %u dropped: too long", d->bytes, d->addr.lid);
}

static const struct {
	uint8_t mgmt_class, method;
	void (*receive)(struct manager *, struct dgram *);
} receivers[] = {
	{ CLASS_SM_LID, METHOD_GET, on_sminfo }, { CLASS_SM_LID, METHOD_SET, on_sminfo },
	{ CLASS_SM_DR, METHOD_GET, on_sminfo }, { CLASS_SM_DR, METHOD_SET, on_sminfo },
	{ CLASS_SM_LID, METHOD_TRAP, on_trap }, { CLASS_SM_DR, METHOD_TRAP, on_trap },
};

bool
dispatch_request(struct manager *m, struct dgram *d)
{
	if (d->status == EMSGSIZE) {
		on_too_long(m, d);
		return false;
	}
	if (dgram_class(d->mad) == CLASS_SA && !(dgram_method(d->mad) & METHOD_RESP))
		/* with any method: a wrong method gets an error status */
		return sa_requests_receive(&m->requests, &m->net, d);
	for (size_t i = 0; i < sizeof(receivers) / sizeof(receivers[0]); i++)
		if (receivers[i].mgmt_class == dgram_class(d->mad) &&
			receivers[i].method == dgram_method(d->mad)) {
			receivers[i].receive(m, d);
			return false;
		}
	m->unknown_mads++;
	return false;
}

/* ---- ends of transactions ---- */

static void
end_discover(struct manager *m, const struct txn_end *e)
{
	sweep_on_discover_end(&m->sweep, e);
}

static void
end_read(struct manager *m, const struct txn_end *e)
{
	sweep_on_read_end(&m->sweep, e);
}

static void
end_lft(struct manager *m, const struct txn_end *e)
{
	sweep_on_lft_end(&m->sweep, e);
}

static void
end_vl_tables(struct manager *m, const struct txn_end *e)
{
	vl_tables_on_end(&m->sweep.read.vl, e);
}

static void
end_apply(struct manager *m, const struct txn_end *e)
{
	sweep_on_apply_end(&m->sweep, e);
}

static void
end_sminfo(struct manager *m, const struct txn_end *e)
{
	election_on_sminfo_end(&m->election, &m->net, e);
}

static void
end_poll(struct manager *m, const struct txn_end *e)
{
	election_on_poll_end(&m->election, &m->net, e);
}

static void
end_handover(struct manager *m, const struct txn_end *e)
{
	election_on_handover_end(&m->election, &m->net, e);
}

static void
end_light(struct manager *m, const struct txn_end *e)
{
	light_on_end(&m->watch.light, &m->net, e);
}

static void
end_probe(struct manager *m, const struct txn_end *e)
{
	probes_on_end(m->watch.probes, &m->net, e);
}

static void
end_description(struct manager *m, const struct txn_end *e)
{
	descriptions_on_end(&m->watch.descriptions, &m->net, e);
	manager_keep_descriptions(m);
}

/* Without a link no outstanding request can be answered. */
static void
end_port_state(struct manager *m, const struct txn_end *e)
{
	enum own_port_change c = own_port_on_end(&m->watch.own_port, &m->net, e);

	if (c == OWN_PORT_DOWN)
		manager_start_over(m);
	if (c != OWN_PORT_SAME)
		schedule_want(&m->net,
			c == OWN_PORT_UP ? "our own port has a link" : "our own port has no link");
}

static void
end_groups(struct manager *m, const struct txn_end *e)
{
	groups_end(&m->registry, e);
}

static void
end_aliases(struct manager *m, const struct txn_end *e)
{
	aliases_end(&m->registry, e);
}

static void
end_report(struct manager *m, const struct txn_end *e)
{
	notify_end(&m->notify, &m->registry, &m->net, e);
}

/* By owner.  'goes_on': not part of a sweep, and continues when a sweep is abandoned. */
static const struct {
	void (*end)(struct manager *, const struct txn_end *);
	bool goes_on;
} owners[OWNER_COUNT] = {
	[OWN_DISCOVER] = { end_discover, false }, [OWN_APPLY] = { end_apply, false },
	[OWN_SMINFO] = { end_sminfo, false }, [OWN_POLL] = { end_poll, true },
	[OWN_LIGHT] = { end_light, false }, [OWN_DESC] = { end_description, true },
	[OWN_HANDOVER] = { end_handover, false }, [OWN_PKEYS] = { end_read, false },
	[OWN_MFT] = { end_groups, false }, [OWN_REPORT] = { end_report, true },
	[OWN_QOS] = { end_vl_tables, false }, [OWN_GUIDS] = { end_aliases, false },
	[OWN_PORT_STATE] = { end_port_state, true }, [OWN_PROBE] = { end_probe, true },
	[OWN_LFT] = { end_lft, false },
};

void
dispatch_ends(struct manager *m, bool between_sweeps)
{
	struct txn_end e;

	while (txn_next_end(m->net.txn, &e)) {
		enum owner owner = (enum owner)(e.cookie >> OWN_SHIFT);

		e.cookie &= OWN_MASK;
		if (!between_sweeps)
			loss_count_end(&m->sweep.loss, &e);
		if (owners[owner].end && (owners[owner].goes_on || !between_sweeps))
			owners[owner].end(m, &e);
	}
}
