/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * agent.c - what others ask of us: SMInfo, traps, subnet administration.
 * Room: sm/daemon.  In: datagrams nobody of ours waits for.  Out: answers; "look again".
 * A trap is a hint: nothing in it is believed, it only says where to look.  docs/wire.md: SMInfo, Notice.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"

enum { MKEY_AT = 24, NOTICE_AT = 64, CHANGE_NODE_DESC = 0x01 };

static void
look_again(struct manager *m, const char *why)
{
	if (m->net.conf->sweep_on_trap)
		schedule_look_again(&m->net, why);
}

static uint32_t
node_of_lid(const struct manager *m, uint16_t lid)
{
	const struct lid_map *l;

	if (!m->net.served.plan)
		return FAB_NONE;
	l = &m->net.served.plan->lids;
	if (lid == 0)                   /* our own node */
		return m->net.served.s->ports[m->net.served.s->sm_port].node;
	if (lid > l->top || l->owner[lid] == FAB_NONE)
		return FAB_NONE;
	return m->net.served.s->ports[l->owner[lid]].node;
}

static void
local_change(struct manager *m, const struct notice *n)
{
	uint16_t lid = wire_get16(n->details + 2), flags = wire_get16(n->details + 10);
	bool other = n->details[5] & 1;
	uint32_t node = node_of_lid(m, lid);

	if (other && flags == CHANGE_NODE_DESC && node != FAB_NONE)
		descriptions_want(&m->watch.descriptions, &m->net, m->net.served.s->nodes[node].guid);
	else
		look_again(m, "trap 144: a port's capabilities changed");
}

/* Whether a trap 128 may be about nothing but a flapping link: then the switch is asked for its ports first. */
static bool
link_flaps(struct manager *m, uint16_t lid, uint64_t tid)
{
	uint32_t node = node_of_lid(m, lid);

	return node != FAB_NONE && m->net.conf->sweep_on_trap && probes_trap(m->watch.probes, &m->net, node, tid);
}

/* Whether a trap 129-131 is about a port whose link flaps. */
static bool
port_flaps(const struct manager *m, const struct notice *n)
{
	uint32_t node = node_of_lid(m, wire_get16(n->details + 2));

	return node != FAB_NONE && flaps_at(m->watch.flaps, m->net.served.s->nodes[node].guid, n->details[4]);
}

/* The GUID of the end port with that LID, 0: nobody's that we know of.  LID 0 is our own port. */
static uint64_t
guid_of_lid(const struct manager *m, uint16_t lid)
{
	const struct lid_map *l;

	if (lid == 0)
		return m->net.port.port_guid;
	if (!m->net.served.plan)
		return 0;
	l = &m->net.served.plan->lids;
	return lid <= l->top && l->owner[lid] != FAB_NONE ? m->net.served.s->ports[l->owner[lid]].guid : 0;
}

/* A repress needs the key of the port that sent the trap, which the trap itself does not carry.  It goes to where the trap came from,
 * so it carries no other port's key. */
static void
repress(struct manager *m, struct dgram *d)
{
	dgram_smp_respond(d->mad, STATUS_OK);
	wire_put64(d->mad + MKEY_AT, subnet_mkey(&m->net, guid_of_lid(m, d->addr.lid)));
	outbox_put(&m->net.outbox, d, d->mad, NULL, DGRAM_BYTES);
}

/* Whether it came from the port that it says it is from: else we look there, but tell nobody. */
static bool
is_issuer(const struct manager *m, const struct dgram *d, const struct notice *n)
{
	const struct lid_map *l;
	uint16_t from, by;

	if (!m->net.served.plan)
		return false;
	l = &m->net.served.plan->lids;
	from = d->addr.lid ? d->addr.lid : m->net.served.plan->sm_lid;     /* our own port may show none */
	by = n->issuer_lid ? n->issuer_lid : m->net.served.plan->sm_lid;
	return from <= l->top && by <= l->top && l->owner[from] != FAB_NONE && l->owner[from] == l->owner[by];
}

static void
trap(struct manager *m, struct dgram *d)
{
	struct notice n = notice_decode(d->mad + NOTICE_AT);

	m->traps++;
	/* Silenced by whoever is not its master, it would be lost: it is sent again, by then to who is. */
	if (!subnet_is_master(&m->net))
		return;
	repress(m, d);
	subnet_log_limited(&m->net, LOG_DETAIL, "trap", LOG_KIND_TRAP, d->addr.lid, "trap %u from lid %u", n.trap_number,
		n.issuer_lid);
	if (is_issuer(m, d, &n))
		notices_trap(m, &n, dgram_tid(d->mad));
	else
		m->traps_forged++;
	if (!n.is_generic)
		return;
	switch (n.trap_number) {
	case 128:
		if (!link_flaps(m, n.issuer_lid, is_issuer(m, d, &n) ? dgram_tid(d->mad) : 0))
			look_again(m, "trap 128: a link of a switch changed");
		break;
	case 129:
	case 130:
	case 131:
		if (!port_flaps(m, &n))
			look_again(m, "trap 129-131: a port reports link errors");
		break;
	case 144:
		local_change(m, &n);
		break;
	default:                        /* 145, 256-259 and others change nothing that we configure */
		subnet_log_limited(&m->net, LOG_NOTE, "trap", LOG_KIND_TRAP_OTHER, d->addr.lid, "trap %u from lid %u",
			n.trap_number, n.issuer_lid);
		break;
	}
}

static void
smp_request(struct manager *m, struct dgram *d)
{
	sminfo_receive(&m->election, &m->net, d);
}

/* The device has dropped a message that is longer than any request. */
static void
too_long(struct manager *m, const struct dgram *d)
{
	if (dgram_class(d->mad) == CLASS_SA && !(dgram_method(d->mad) & METHOD_RESP)) {
		m->sa_stats.requests++;
		m->sa_stats.silent_too_long++;
	} else {
		m->unknown_mads++;
	}
	subnet_log_limited(&m->net, LOG_WARN, "sa", LOG_KIND_SA_LONG, d->addr.lid,
		"message of %u bytes from lid %u dropped: too long", d->bytes, d->addr.lid);
}

/* Not master, or nothing swept yet: silence, as the specification says. */
static bool
sa_ready(struct manager *m)
{
	if (subnet_is_master(&m->net) && m->net.served.sa)
		return true;
	m->sa_stats.requests++;
	m->sa_stats.silent_not_ready++;
	return false;
}

/* True: 'out' goes back now.  What needs tables to be written first goes when they are. */
static bool
answer_one(struct manager *m, const struct dgram *d, struct dgram *out)
{
	struct sa_limit_conf limit = { m->net.conf->sa_source_rate, m->net.conf->sa_source_burst };
	bool set = dgram_method(d->mad) == METHOD_SET, changes = set || dgram_method(d->mad) == METHOD_DELETE;
	bool joins = set && dgram_attr_id(d->mad) == MCMEMBER_RECORD_ID;
	bool aliases = changes && dgram_attr_id(d->mad) == GUID_INFO_RECORD_ID;
	uint64_t guids[ALIAS_BLOCK_GUIDS];
	uint8_t before;

	if (!sa_ready(m))
		return false;
	m->registered |= changes;
	services_tick(m->services, m->net.now);
	before = joins ? groups_before(m, d) : 0;
	if (aliases)
		aliases_before(m, d, guids);
	if (!sa_limit_answer(m->sa_limit, &limit, m->net.now, m->net.served.sa, d, &m->sa_stats, out))
		return false;
	if ((!joins && !aliases) || dgram_status(out->mad) != STATUS_OK)
		return true;
	if (joins)
		groups_answer(m, d, out->mad, before);
	else
		aliases_answer(m, d, out->mad, guids);
	return false;
}

bool
agent_answer_next(struct manager *m, struct dgram *out, bool *made)
{
	uint64_t rows = m->sa_stats.rows, looked = m->sa_stats.looked, cost;
	const struct dgram *d = sa_queue_take(m->sa_queue);

	*made = false;
	if (!d)
		return false;
	*made = answer_one(m, d, out);
	rows = m->sa_stats.rows - rows;
	looked = m->sa_stats.looked - looked;
	sa_queue_charge(m->sa_queue, d->addr.lid, sa_limit_tokens(rows, looked));
	free(d->more);
	cost = 1 + looked / (MANAGER_LOOKED_MAX / MANAGER_ANSWERS_MAX);
	m->answers_left = cost < m->answers_left ? m->answers_left - (uint32_t)cost : 0;
	return true;
}

/* Waits for its turn; what gets no answer is not worth a place.  True: it waits, and its 'more' with it. */
static bool
sa_request(struct manager *m, struct dgram *d)
{
	struct dgram out;

	if (!sa_ready(m))
		return false;
	if (!sa_gets_answer(m->net.served.sa, d)) {
		sa_answer(m->net.served.sa, d, &m->sa_stats, &out);        /* counts why */
	} else if (sa_queue_put(m->sa_queue, d)) {
		return true;
	} else if (!m->busy_left) {
		m->sa_stats.requests++;
		m->sa_stats.silent_overload++;
	} else {
		m->busy_left--;
		sa_limit_busy(m->net.served.sa, d, &m->sa_stats, &out);
		outbox_put(&m->net.outbox, d, out.mad, NULL, DGRAM_BYTES);
	}
	return false;
}

static const struct {
	uint8_t mgmt_class, method;
	void (*receive)(struct manager *, struct dgram *);
} dispatch[] = {
	{ CLASS_SM_LID, METHOD_GET, smp_request }, { CLASS_SM_LID, METHOD_SET, smp_request },
	{ CLASS_SM_DR, METHOD_GET, smp_request }, { CLASS_SM_DR, METHOD_SET, smp_request },
	{ CLASS_SM_LID, METHOD_TRAP, trap }, { CLASS_SM_DR, METHOD_TRAP, trap },
};

bool
agent_receive(struct manager *m, struct dgram *d)
{
	if (d->status == EMSGSIZE) {
		too_long(m, d);
		return false;
	}
	if (dgram_class(d->mad) == CLASS_SA && !(dgram_method(d->mad) & METHOD_RESP))
		return sa_request(m, d);        /* whatever its method: it gets a status */
	for (size_t i = 0; i < sizeof(dispatch) / sizeof(dispatch[0]); i++)
		if (dispatch[i].mgmt_class == dgram_class(d->mad) && dispatch[i].method == dgram_method(d->mad)) {
			dispatch[i].receive(m, d);
			return false;
		}
	m->unknown_mads++;
	return false;
}
