/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * probes.c - finds the port of a switch that has changed.
 * Room: sm/watch.  In: traps 128, sweeps, PortInfo of all ports of a few switches.  Out: changes of
 * links (flaps.c); requests for sweeps.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/plan/plan.h"
#include "sm/watch/flaps.h"
#include "sm/watch/missing.h"
#include "sm/watch/probes.h"
#include "util/xalloc.h"

/* Interval between two probes of a switch; doubled after a probe that found nothing. */
#define GAP_FIRST_US 100000
#define GAP_MAX_US INT64_C(10000000)
#define GAP_FLAPPING_US 500000          /* fixed interval while one of its links flaps */
#define FORGET_US INT64_C(20000000)     /* a probe ends so long after the last trap */
#define PORT_SHIFT 8                    /* a cookie is the slot, shifted, and the port */

enum link_state { LINK_UNKNOWN, LINK_DOWN, LINK_UP, LINK_ACTIVE };

struct probe {
	uint64_t guid;                  /* 0: free */
	struct monotime trap, next;     /* time of its last trap; of its next probe */
	int64_t gap_us;
	uint32_t open;
	/* TID of its last trap: a repeated trap is not another change. */
	uint64_t tid;
	unsigned traps;                 /* since the last probe */
	/* Traps minus observed changes; negative if traps are still to come. */
	int balance;
	unsigned changes;               /* found by this probe */
	unsigned ports;                 /* number of ports with those changes */
	/* news: this probe has found a change of a link that does not flap. */
	bool wanted, news;
	uint8_t nports, hop_count;
	uint8_t path[DGRAM_PATH_BYTES]; /* borrowed by its requests */
	uint8_t seen[256];              /* enum link_state, by port */
};

struct probes {
	struct flaps *flaps;            /* borrowed */
	const struct missing *missing;  /* borrowed: names of ports */
	struct probe v[OWNER_PROBES_MAX];
};

static enum link_state
state_of(const uint8_t *info)
{
	uint8_t state = port_info_decode(info).state;

	return state < PORT_STATE_INIT    ? LINK_DOWN :
		state < PORT_STATE_ACTIVE ? LINK_UP :
					    LINK_ACTIVE;
}

/*
 * The number of changes between two observed states of a link.  A link that was ACTIVE and is now
 * up, but not ACTIVE, was down in between: two changes.
 */
static unsigned
changes_between(enum link_state was, enum link_state is)
{
	if (was == LINK_UNKNOWN || was == is)
		return 0;
	if ((was == LINK_DOWN) != (is == LINK_DOWN))
		return 1;
	return was == LINK_ACTIVE ? 2 : 0;
}

struct probes *
probes_new(struct flaps *flaps, const struct missing *missing)
{
	struct probes *x = xcalloc(1, sizeof(*x));

	x->flaps = flaps;
	x->missing = missing;
	return x;
}

void
probes_free(struct probes *x)
{
	free(x);
}

void
probes_reset(struct probes *x)
{
	for (unsigned i = 0; i < OWNER_PROBES_MAX; i++)
		if (!x->v[i].open)
			x->v[i].guid = 0;
		else                            /* its requests are outstanding */
			x->v[i].trap.us = INT64_MIN / 2;
	flaps_forget(x->flaps);
}

static struct probe *
probe_of(struct probes *x, uint64_t guid)
{
	for (unsigned i = 0; i < OWNER_PROBES_MAX; i++)
		if (x->v[i].guid == guid)
			return &x->v[i];
	return NULL;
}

/* Makes a probe of a switch; its changes are counted from the states of the last sweep. */
static struct probe *
probe_make(struct probes *x, const struct subnet *net, uint32_t node)
{
	const struct fab_node *n = &net->served.s->nodes[node];
	struct probe *p = probe_of(x, n->guid);

	if (p || !(p = probe_of(x, 0)))
		return p;
	memset(p, 0, sizeof(*p));
	p->guid = n->guid;
	p->nports = n->nports;
	p->gap_us = GAP_FIRST_US;
	for (unsigned i = 1; i <= n->nports; i++)
		if (snapshot_port(net->served.s, node, (uint8_t)i)->flags & FAB_PORT_INFO)
			p->seen[i] = (uint8_t)state_of(
				snapshot_port(net->served.s, node, (uint8_t)i)->info);
	return p;
}

bool
probes_trap(struct probes *x, const struct subnet *net, uint32_t node, uint64_t tid)
{
	const struct fab_node *n = &net->served.s->nodes[node];
	struct probe *p;

	if (!fab_is_switch(n) || n->flags & FAB_NODE_CUT)
		return false;
	p = probe_make(x, net, node);
	if (!p)
		return false;                   /* no free probe: the caller sweeps */
	p->trap = net->now;
	p->wanted = true;
	p->traps += tid && tid != p->tid;
	p->tid = tid ? tid : p->tid;
	return flaps_of(x->flaps, n->guid);
}

/*
 * The other end of the link at port 'port' of a node of 's'; guid 0 if 's' has no link there.
 */
static struct roster_end
other_end(const struct snapshot *s, uint32_t node, uint8_t port)
{
	uint32_t peer = snapshot_port(s, node, port)->peer;

	if (peer == FAB_NONE)
		return (struct roster_end){ 0, 0 };
	return (struct roster_end){ s->nodes[s->ports[peer].node].guid, s->ports[peer].num };
}

static void
note_change(struct probes *x, struct subnet *net, const struct probe *p, uint8_t port,
	const struct snapshot *s, unsigned n)
{
	struct roster_end at = { p->guid, port }, other = { 0, 0 };
	uint32_t node = s ? snapshot_node_by_guid(s, p->guid) : FAB_NONE;

	if (node != FAB_NONE && port <= s->nodes[node].nports)
		other = other_end(s, node, port);
	if (flaps_changed(x->flaps, at, other, n,
		    &(struct flaps_now){ net->now, net->log, missing_place, x->missing }))
		schedule_look_again(net, "a link flaps");    /* the sweep routes around it */
}

/* The state of a port was read: counts its changes. */
static void
note_port(struct probes *x, struct subnet *net, struct probe *p, uint8_t port, const uint8_t *info,
	const struct snapshot *peers)
{
	enum link_state is = state_of(info);
	unsigned n = changes_between((enum link_state)p->seen[port], is);

	p->seen[port] = (uint8_t)is;
	if (!n)
		return;
	p->changes += n;
	p->ports++;
	note_change(x, net, p, port, peers, n);
}

/*
 * All ports were read.  If a link goes down and comes up between two probes, the states show no
 * change, but the switch sends a trap for each.  If only one link can have caused the surplus
 * traps, they count as its changes.
 */
static void
settle_account(struct probes *x, struct subnet *net, struct probe *p, const struct snapshot *peers)
{
	uint8_t port = p->ports <= 1 ? flaps_only(x->flaps, p->guid, net->now) : 0;

	p->balance += (int)p->traps - (int)p->changes;
	if (p->balance > 0 && port && !p->news)
		note_change(x, net, p, port, peers, (unsigned)p->balance);
	else if (p->traps && !p->news)
		flaps_still(x->flaps, p->guid, net->now);
	p->balance = p->balance > 0 ? 0 : p->balance < -FLAPS_CHANGES ? -FLAPS_CHANGES : p->balance;
	p->traps = 0;
}

void
probes_swept(struct probes *x, struct subnet *net, const struct snapshot *s, struct monotime began)
{
	for (unsigned i = 0; i < OWNER_PROBES_MAX; i++) {
		struct probe *p = &x->v[i];
		uint32_t n = p->guid ? snapshot_node_by_guid(s, p->guid) : FAB_NONE;

		if (n == FAB_NONE || s->nodes[n].flags & FAB_NODE_KEPT)
			continue;
		/* The sweep has read the ports after the traps that came before it. */
		p->wanted &= p->trap.us > began.us;
		p->changes = p->ports = 0;
		p->news = false;
		for (unsigned k = 1; k <= s->nodes[n].nports && k <= p->nports; k++) {
			const struct fab_port *f = snapshot_port(s, n, (uint8_t)k);

			if (f->flags & FAB_PORT_INFO)
				note_port(x, net, p, (uint8_t)k, f->info,
					f->peer != FAB_NONE ? s : net->served.s);
		}
		settle_account(x, net, p, net->served.s);
	}
}

static void
ask_ports(struct probes *x, struct subnet *net, struct probe *p, uint32_t node)
{
	unsigned slot = (unsigned)(p - x->v);
	uint64_t mkey =
		subnet_mkey(net, net->served.s->ports[net->served.s->nodes[node].first_port].guid);

	p->wanted = p->news = false;
	p->changes = p->ports = 0;
	p->nports = net->served.s->nodes[node].nports;
	p->hop_count = net->served.s->nodes[node].hop_count;
	memcpy(p->path, net->served.s->nodes[node].path, sizeof(p->path));
	txn_target_reset(net->txn, TARGET_PROBES + slot);
	for (unsigned i = 1; i <= p->nports; i++) {
		struct txn_req r = {
			.target = slot,
			.cookie = (uint64_t)slot << PORT_SHIFT | i,
			.mgmt_class = CLASS_SM_DR,
			.method = METHOD_GET,
			.attr_id = PORT_INFO_ID,
			.modifier = i,
			.mkey = mkey,
			.hop_count = p->hop_count,
			.path = p->path,
		};

		p->open++;
		subnet_submit(net, &r, OWN_PROBE);
	}
}

static bool
is_due(const struct subnet *net, const struct probe *p)
{
	return p->guid && p->wanted && !p->open && monotime_reached(net->now, p->next);
}

static void
forget_quiet(struct probes *x, const struct subnet *net, struct probe *p)
{
	if (p->guid && !p->open && !p->wanted && monotime_sub_us(net->now, p->trap) > FORGET_US &&
		!flaps_of(x->flaps, p->guid))
		p->guid = 0;
}

void
probes_pump(struct probes *x, struct subnet *net, bool idle)
{
	if (!subnet_is_master(net) || !net->served.plan)
		return;
	if (flaps_tick(x->flaps, net->now, net->log))
		schedule_look_again(net, "a flapping link is looked at");
	for (unsigned i = 0; i < OWNER_PROBES_MAX; i++) {
		struct probe *p = &x->v[i];
		uint32_t n;

		forget_quiet(x, net, p);
		/* No probe if a sweep is in progress or about to begin: it reads all ports. */
		if (!is_due(net, p) || !idle ||
			monotime_reached(net->now, net->schedule.trap_sweep) || net->schedule.want)
			continue;
		n = snapshot_node_by_guid(net->served.s, p->guid);
		if (n != FAB_NONE && !(net->served.s->nodes[n].flags & FAB_NODE_CUT))
			ask_ports(x, net, p, n);
		else
			p->wanted = false;
	}
}

/*
 * Whether the port differs from the served snapshot, and its link does not flap.
 */
static bool
is_news(const struct probes *x, const struct subnet *net, uint64_t guid, uint8_t port,
	const uint8_t *info)
{
	uint32_t n = net->served.s ? snapshot_node_by_guid(net->served.s, guid) : FAB_NONE;
	const struct fab_port *f;

	if (n == FAB_NONE || port > net->served.s->nodes[n].nports ||
		flaps_at(x->flaps, guid, port))
		return false;
	f = snapshot_port(net->served.s, n, port);
	return !(f->flags & FAB_PORT_INFO) || state_of(f->info) != state_of(info);
}

void
probes_on_end(struct probes *x, struct subnet *net, const struct txn_end *e)
{
	struct probe *p = &x->v[e->cookie >> PORT_SHIFT];
	uint8_t port = (uint8_t)e->cookie;

	p->open--;
	if (e->kind == TXN_END_OK && p->guid) {
		const uint8_t *info = dgram_smp_image(e->reply->mad);

		note_port(x, net, p, port, info, net->served.s);
		if (is_news(x, net, p->guid, port, info)) {
			p->news |= flaps_only(x->flaps, p->guid, net->now) != port;
			schedule_look_at(net, "a link has changed", p->guid);
		}
	} else if (e->kind != TXN_END_CANCELLED && p->guid) {
		schedule_look_at(net, "a switch does not answer", p->guid);
	}
	if (p->open)
		return;
	settle_account(x, net, p, net->served.s);
	p->gap_us = p->changes             ? GAP_FIRST_US :
		p->gap_us * 2 < GAP_MAX_US ? p->gap_us * 2 :
					     GAP_MAX_US;
	p->next = monotime_add_us(
		net->now, flaps_of(x->flaps, p->guid) ? GAP_FLAPPING_US : p->gap_us);
}

bool
probes_deadline(const struct probes *x, const struct subnet *net, bool idle, struct monotime *at)
{
	struct monotime t;

	*at = MONOTIME_NEVER;
	if (!subnet_is_master(net) || !net->served.plan)
		return false;
	if (flaps_deadline(x->flaps, &t))
		*at = t;
	for (unsigned i = 0; i < OWNER_PROBES_MAX && idle; i++) {
		const struct probe *p = &x->v[i];

		if (p->guid && p->wanted && !p->open)
			*at = monotime_min(*at, p->next);
	}
	return at->us != INT64_MAX;
}
