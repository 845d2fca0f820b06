/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * traps.c - the meaning of a trap, by its number.
 * Room: sm/notify.  Pure.  In: traps.  Out: represses; what to check; notices for subscribers.
 * docs/wire.md: Notice.
 */
#include <config.h>
#include "sm/notify/notify.h"

/* The end port with that LID, an index into the served snapshot; FAB_NONE. */
static uint32_t
port_of_lid(const struct served *served, uint16_t lid)
{
	const struct lid_map *l = &served->plan->lids;

	return lid <= l->top ? l->owner[lid] : FAB_NONE;
}

/* The node with that LID, 0: our own; FAB_NONE: none that is served. */
static uint32_t
node_of_lid(const struct served *served, uint16_t lid)
{
	uint32_t port;

	if (!served->plan)
		return FAB_NONE;
	port = lid ? port_of_lid(served, lid) : served->s->sm_port;
	return port != FAB_NONE ? served->s->ports[port].node : FAB_NONE;
}

/* The GUID of the end port with that LID, 0: our own; 0: none that is served. */
static uint64_t
guid_of_lid(const struct subnet *net, uint16_t lid)
{
	const struct served *served = &net->served;
	uint32_t port;

	if (lid == 0)
		return net->port.port_guid;
	port = served->plan ? port_of_lid(served, lid) : FAB_NONE;
	return port != FAB_NONE ? served->s->ports[port].guid : 0;
}

/*
 * A repress needs the M_Key of the port that sent the trap; the trap does not carry it.  The
 * repress goes to the sender, so it must not carry the key of another port.
 */
static void
repress_trap(struct subnet *net, struct dgram *d)
{
	dgram_smp_respond(d->mad, STATUS_OK);
	dgram_set_mkey(d->mad, subnet_mkey(net, guid_of_lid(net, d->addr.lid)));
	outbox_put(&net->outbox, d, d->mad, NULL, DGRAM_BYTES);
}

/* Whether the port that the trap names sent it: otherwise it is checked, but not reported. */
static bool
is_from_issuer(const struct served *served, const struct dgram *d, const struct notice *n)
{
	uint32_t from, by;

	if (!served->plan)
		return false;
	/* A trap of our own port may have LID 0. */
	from = port_of_lid(served, d->addr.lid ? d->addr.lid : served->plan->sm_lid);
	by = port_of_lid(served, n->issuer_lid ? n->issuer_lid : served->plan->sm_lid);
	return from != FAB_NONE && from == by;
}

/* ---- by number ---- */

static struct trap_look
on_link_change(const struct served *served, const struct notice *n, uint64_t tid)
{
	uint32_t node = node_of_lid(served, n->issuer_lid);

	return (struct trap_look){
		.kind = node != FAB_NONE ? TRAP_LOOK_SWITCH : TRAP_LOOK_SUBNET,
		.why = "trap 128: a link of a switch changed", .node = node, .tid = tid,
	};
}

static struct trap_look
on_link_errors(const struct served *served, const struct notice *n, uint64_t tid)
{
	uint32_t node = node_of_lid(served, (uint16_t)NOTICE_GET(n, trap_threshold, lid));

	(void)tid;
	return (struct trap_look){
		.kind = node != FAB_NONE ? TRAP_LOOK_PORT : TRAP_LOOK_SUBNET,
		.why = "trap 129-131: a port reports link errors", .node = node,
		.port = (uint8_t)NOTICE_GET(n, trap_threshold, port),
	};
}

static struct trap_look
on_local_change(const struct served *served, const struct notice *n, uint64_t tid)
{
	uint16_t lid = (uint16_t)NOTICE_GET(n, trap_local_change, lid);
	uint16_t flags = (uint16_t)NOTICE_GET(n, trap_local_change, change_flags);
	bool other = NOTICE_GET(n, trap_local_change, other_local_changes);
	uint32_t node = node_of_lid(served, lid);
	bool description = other && flags == TRAP144_NODE_DESC;

	(void)tid;
	return (struct trap_look){
		.kind = node == FAB_NONE ? TRAP_LOOK_SUBNET :
			description      ? TRAP_LOOK_DESCRIPTION :
					   TRAP_LOOK_NODE,
		.why = "trap 144: a port's capabilities changed", .node = node,
	};
}

/*
 * Generic traps that can concern something that we configure.  Others, for example 145 and 256-259,
 * cannot.
 */
static const struct {
	uint16_t first, last;
	struct trap_look (*look)(const struct served *, const struct notice *, uint64_t tid);
} trap_rows[] = {
	{ TRAP_LINK_STATE, TRAP_LINK_STATE, on_link_change },
	{ TRAP_LINK_INTEGRITY, TRAP_FLOW_WATCHDOG, on_link_errors },
	{ TRAP_LOCAL_CHANGE, TRAP_LOCAL_CHANGE, on_local_change },
};

/* 'tid': of a trap that was sent by the port it names, otherwise 0. */
static struct trap_look
find_look(const struct subnet *net, const struct dgram *d, const struct notice *n, uint64_t tid)
{
	for (size_t i = 0; i < sizeof(trap_rows) / sizeof(trap_rows[0]); i++)
		if (n->trap_number >= trap_rows[i].first && n->trap_number <= trap_rows[i].last)
			return trap_rows[i].look(&net->served, n, tid);
	subnet_log_limited(net, LOG_NOTE, "trap", LOG_KIND_TRAP_OTHER, d->addr.lid,
		"trap %u from lid %u", n->trap_number, n->issuer_lid);
	return (struct trap_look){ .kind = TRAP_LOOK_NOTHING };
}

struct trap_look
notify_trap(struct notify *t, const struct registry *reg, struct subnet *net, struct dgram *d)
{
	struct notice n = notice_decode(dgram_smp_image(d->mad));
	uint64_t tid = 0;

	t->traps++;
	if (!subnet_is_master(net))
		return (struct trap_look){ .kind = TRAP_LOOK_NOTHING };
	repress_trap(net, d);
	subnet_log_limited(net, LOG_DETAIL, "trap", LOG_KIND_TRAP, d->addr.lid,
		"trap %u from lid %u", n.trap_number, n.issuer_lid);
	if (is_from_issuer(&net->served, d, &n)) {
		tid = dgram_tid(d->mad);
		notify_tell_trap(t, reg, net, &n, tid);
	} else {
		t->traps_forged++;
	}
	if (!n.is_generic)
		return (struct trap_look){ .kind = TRAP_LOOK_NOTHING };
	return find_look(net, d, &n, tid);
}
