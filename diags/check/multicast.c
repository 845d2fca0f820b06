/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * multicast.c - checks the multicast forwarding tables: loops, separated trees, one-way links,
 * members that packets do not reach.
 * Room: diags/check.
 *
 * For each MLID, the switches and the links over which at least one of them sends form a graph. A
 * link that closes a cycle in it is a loop: packets are duplicated, or circulate forever. If two
 * components have receivers, they do not receive each other's packets. A link over which only one
 * side sends is correct if that side has no receivers, as for send-only members; otherwise its
 * receivers get no packets from the other side.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/check/check.h"
#include "diags/core/addr.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/wire/gid.h"
#include "util/xalloc.h"

#define MLIDS_MAX 0x3fffu
#define BLOCK_LIDS 32u
#define BLOCK_PORTS 16u
#define POSITION_SHIFT 28
/* JoinState bits of members that receive packets. */
#define PIM_RECEIVES ((unsigned)(JOIN_STATE_FULL | JOIN_STATE_NON))

/* The MFT of one switch: blocks by (block of LIDs, position); NULL for blocks with only zeros. */
struct mft {
	uint16_t (**block)[BLOCK_LIDS];
	unsigned blocks, positions, unanswered;
};

struct multicast {
	struct check_run *c;
	struct mft *mft;                /* by switch ordinal */
	uint32_t lids;                  /* number of MLIDs that the largest table covers */
	unsigned unanswered;
	/* state of the MLID being checked */
	uint32_t lid;
	uint32_t *root;                 /* union-find parents, by switch ordinal */
	uint32_t *heard; /* by root: a receiving port of the component, or FAB_NONE */
	unsigned groups, receivers;     /* totals over all MLIDs */
};

/* ---- reading ---- */

struct question {
	struct multicast *m;
	uint32_t sw, block, position;
};

static void tables_ask(struct multicast *m, uint32_t sw, uint32_t index);

static void
answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct question *a = arg;
	struct multicast *m = a->m;
	struct mft *t = &m->mft[a->sw];
	uint32_t index = a->block * t->positions + a->position;
	bool any = false;

	(void)d;
	(void)q;
	if (r->end != DIAG_OK) {
		t->unanswered++;
	} else {
		for (unsigned i = 0; i < 64; i++)
			any |= r->data[i] != 0;
		if (any) {
			t->block[index] = xcalloc(1, sizeof(*t->block[index]));
			memcpy(*t->block[index], mft_block_decode(r->data).mask,
				sizeof(*t->block[index]));
		}
	}
	/* A switch that is unresponsive, or has no MFT, gets only one request. */
	if (!(t->unanswered && !index) && index + 1 < t->blocks * t->positions)
		tables_ask(m, a->sw, index + 1);
	free(a);
}

static void
tables_ask(struct multicast *m, uint32_t sw, uint32_t index)
{
	const struct snapshot *s = m->c->f.s;
	const struct fab_node *n = &s->nodes[s->switches[sw]];
	struct question *a = xcalloc(1, sizeof(*a));
	struct diag_addr to = diag_addr_path(n->path, n->hop_count);

	*a = (struct question){ m, sw, index / m->mft[sw].positions, index % m->mft[sw].positions };
	diag_submit(m->c->d, &(struct diag_request){ .to = &to, .attr_id = MFT_BLOCK_ID,
		.modifier = a->block | a->position << POSITION_SHIFT, .quiet = true }, answered, a);
}

/* Returns the number of MLIDs that the table covers, up to MulticastFDBTop if the switch maintains
 * it. */
static uint32_t
lids_of(const struct fab_node *n)
{
	struct switch_info i = switch_info_decode(n->switch_info);
	uint32_t lids = i.mft_cap;

	if (i.mft_top >= MLID_FIRST - 1u && i.mft_top - (MLID_FIRST - 1u) < lids)
		lids = i.mft_top - (MLID_FIRST - 1);
	return lids < MLIDS_MAX ? lids : MLIDS_MAX;
}

static void
read_tables(struct multicast *m)
{
	const struct snapshot *s = m->c->f.s;

	m->mft = xcalloc(s->nswitches + 1u, sizeof(*m->mft));
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		struct mft *t = &m->mft[sw];
		uint32_t lids = n->flags & FAB_NODE_SWITCH_INFO ? lids_of(n) : 0;

		t->positions = n->nports / BLOCK_PORTS + 1u;
		t->blocks = (lids + BLOCK_LIDS - 1) / BLOCK_LIDS;
		t->block = xcalloc((size_t)t->blocks * t->positions + 1, sizeof(*t->block));
		m->lids = lids > m->lids ? lids : m->lids;
		if (t->blocks && n->hop_count != FAB_NO_PATH)
			tables_ask(m, sw, 0);
	}
	diag_progress(m->c->d, "reading the multicast tables");
	diag_run(m->c->d);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		m->unanswered += m->mft[sw].unanswered != 0;
}

/* Reports whether a switch forwards packets of an MLID (counted from 0) to a port. */
static bool
switch_sends(const struct multicast *m, uint32_t sw, unsigned port, uint32_t lid)
{
	const struct mft *t = &m->mft[sw];
	unsigned block = lid / BLOCK_LIDS, position = port / BLOCK_PORTS;
	uint16_t (*b)[BLOCK_LIDS];

	if (block >= t->blocks || position >= t->positions)
		return false;
	b = t->block[block * t->positions + position];
	return b && (*b)[lid % BLOCK_LIDS] >> port % BLOCK_PORTS & 1;
}

static bool
any_port(const struct multicast *m, uint32_t sw, uint32_t lid)
{
	const struct mft *t = &m->mft[sw];
	unsigned block = lid / BLOCK_LIDS;

	for (unsigned p = 0; block < t->blocks && p < t->positions; p++)
		if (t->block[block * t->positions + p] &&
		    (*t->block[block * t->positions + p])[lid % BLOCK_LIDS])
			return true;
	return false;
}

/* ---- one MLID ---- */

static uint32_t
receivers_find(struct multicast *m, uint32_t sw)
{
	while (m->root[sw] != sw)
		sw = m->root[sw] = m->root[m->root[sw]];
	return sw;
}

static const struct fab_node *
switch_at(const struct multicast *m, uint32_t sw)
{
	return &m->c->f.s->nodes[m->c->f.s->switches[sw]];
}

/* Returns the object of a finding: the MLID and the port. */
static const char *
object_of(const struct multicast *m, const struct fab_port *p, char buf[static 64])
{
	snprintf(buf, 64, "0x%04x-0x%016" PRIx64 "/%u", MLID_FIRST + m->lid,
		fab_node_of(&m->c->f, p)->guid, p->num);
	return buf;
}

/* Joins the components of both ends of a link over which at least one end sends; reports a loop if
 * they are already joined. */
static void
one_cable(struct multicast *m, const struct fab_port *p, const struct fab_port *q)
{
	uint32_t a = receivers_find(m, fab_node_of(&m->c->f, p)->sw),
		b = receivers_find(m, fab_node_of(&m->c->f, q)->sw);
	char x[CHECK_NAME_BYTES], y[CHECK_NAME_BYTES], object[64];

	if (a != b) {
		m->root[a] = b;
		return;
	}
	check_find(m->c, CHECK_ERROR, "mcast_loop", &(struct check_about){ .a = p, .b = q,
		.object = object_of(m, p, object) },
		"packets to MLID 0x%04x loop: the link from %s to %s closes the loop",
		MLID_FIRST + m->lid, check_name(m->c, p, x),
		check_name(m->c, q, y));
}

static void
one_port(struct multicast *m, uint32_t sw, const struct fab_port *p)
{
	const struct fab_port *q = fab_peer_of(&m->c->f, p);
	char x[CHECK_NAME_BYTES], object[64];

	if (!q) {
		check_find(m->c, CHECK_WARNING, "mcast_dead_port", &(struct check_about){ .a = p,
			.object = object_of(m, p, object) },
			"%s has no link, but its switch forwards packets to MLID 0x%04x there",
			check_name(m->c, p, x), MLID_FIRST + m->lid);
		return;
	}
	/* Each link once: from the end that sends; if both send, from the lower port. */
	if (fab_is_switch(fab_node_of(&m->c->f, q)) &&
	    (p < q || !switch_sends(m, fab_node_of(&m->c->f, q)->sw, q->num, m->lid)))
		one_cable(m, p, q);
	(void)sw;
}

/* Returns a receiving port at a switch: of an adapter behind it, or its own port 0. Returns NULL if
 * the switch forwards only to other switches. */
static const struct fab_port *
listener(const struct multicast *m, uint32_t sw)
{
	const struct fab_node *n = switch_at(m, sw);

	for (unsigned port = 0; port <= n->nports; port++) {
		const struct fab_port *p = fab_port_of(&m->c->f, n, port),
			*q = port ? fab_peer_of(&m->c->f, p) : p;

		if (q && switch_sends(m, sw, port, m->lid) &&
		(!port || !fab_is_switch(fab_node_of(&m->c->f, q))))
			return q;
	}
	return NULL;
}

/* Reports whether there is a receiver on the side of 'from', if the link at 'cut' were removed. */
static bool
listens_behind(struct multicast *m, uint32_t from, const struct fab_port *cut)
{
	const struct snapshot *s = m->c->f.s;
	uint32_t *queue = xcalloc(s->nswitches + 1u, sizeof(*queue)), end = 1;
	bool *seen = xcalloc(s->nswitches + 1u, sizeof(*seen)), found = false;

	queue[0] = from;
	seen[from] = true;
	for (uint32_t at = 0; at < end && !found; at++) {
		const struct fab_node *n = switch_at(m, queue[at]);

		found = listener(m, queue[at]) != NULL;
		for (unsigned port = 1; port <= n->nports && !found; port++) {
			const struct fab_port *p = fab_port_of(&m->c->f, n, port),
				*q = fab_peer_of(&m->c->f, p);
			uint32_t sw = q ? fab_node_of(&m->c->f, q)->sw : FAB_NONE;

			if (sw == FAB_NONE || seen[sw] || p == cut || q == cut ||
			    (!switch_sends(m, queue[at], port, m->lid) &&
			    !switch_sends(m, sw, q->num, m->lid)))
				continue;
			seen[sw] = true;
			queue[end++] = sw;
		}
	}
	free(queue);
	free(seen);
	return found;
}

static void
one_way(struct multicast *m, uint32_t sw, const struct fab_port *p)
{
	const struct fab_port *q = fab_peer_of(&m->c->f, p);
	char x[CHECK_NAME_BYTES], y[CHECK_NAME_BYTES], object[64];

	/* Nothing comes from a switch that does not forward this MLID. */
	if (!q || !fab_is_switch(fab_node_of(&m->c->f, q)) ||
	    !any_port(m, fab_node_of(&m->c->f, q)->sw, m->lid) ||
	    switch_sends(m, fab_node_of(&m->c->f, q)->sw, q->num, m->lid) || !listens_behind(m, sw,
	    p))
		return;
	check_find(m->c, CHECK_ERROR, "mcast_one_way", &(struct check_about){ .a = p, .b = q,
		.object = object_of(m, p, object) },
		"MLID 0x%04x: %s forwards to %s, which does not forward back: members on the "
		"first side receive nothing from the other side", MLID_FIRST + m->lid,
		check_name(m->c, p, x), check_name(m->c, q, y));
}

/* Reports each component with receivers, except the first, as separated. */
static void
pieces(struct multicast *m)
{
	const struct snapshot *s = m->c->f.s;
	const struct fab_port *first = NULL;
	uint32_t first_root = FAB_NONE;
	char x[CHECK_NAME_BYTES], y[CHECK_NAME_BYTES], object[64];

	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		m->heard[sw] = FAB_NONE;
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_port *p = any_port(m, sw, m->lid) ? listener(m, sw) : NULL;
		uint32_t root = receivers_find(m, sw);

		if (!p)
			continue;
		m->receivers++;
		if (!first) {
			first = p;
			first_root = root;
		}
		if (m->heard[root] == FAB_NONE && root != first_root)
			check_find(m->c, CHECK_ERROR, "mcast_split", &(struct check_about){ .a = p,
				.b = first, .object = object_of(m, p, object) },
				"the tree of MLID 0x%04x is split: %s and %s cannot exchange "
				"packets", MLID_FIRST + m->lid, check_name(m->c, first, x),
				check_name(m->c, p, y));
		m->heard[root] = (uint32_t)(p - s->ports);
	}
}

static void
each_port(struct multicast *m, void (*look)(struct multicast *m, uint32_t sw,
	const struct fab_port *p))
{
	for (uint32_t sw = 0; sw < m->c->f.s->nswitches; sw++) {
		const struct fab_node *n = switch_at(m, sw);

		for (unsigned port = 1; any_port(m, sw, m->lid) && port <= n->nports; port++)
			if (switch_sends(m, sw, port, m->lid))
				look(m, sw, fab_port_of(&m->c->f, n, port));
	}
}

static void
one_mlid(struct multicast *m)
{
	bool any = false;

	for (uint32_t sw = 0; sw < m->c->f.s->nswitches; sw++) {
		m->root[sw] = sw;
		any |= any_port(m, sw, m->lid);
	}
	if (!any)
		return;
	m->groups++;
	each_port(m, one_port);
	each_port(m, one_way);
	pieces(m);
}

/* ---- members, as the SA reports them ---- */

static const struct fab_port *
port_by_gid(const struct multicast *m, const uint8_t gid[16])
{
	uint32_t i = snapshot_port_by_guid(m->c->f.s, gid_guid(gid));

	return i == FAB_NONE ? NULL : &m->c->f.s->ports[i];
}

static void
one_member(struct multicast *m, const struct mcmember_record *r)
{
	const struct fab_port *p = port_by_gid(m, r->port_gid), *q;
	char x[CHECK_NAME_BYTES], y[CHECK_NAME_BYTES], object[64];
	uint32_t sw;

	m->lid = r->mlid - MLID_FIRST;
	if (!p || !(r->join_state & PIM_RECEIVES) || r->mlid < MLID_FIRST ||
	    m->lid >= MLIDS_MAX)
		return;
	q = fab_is_switch(fab_node_of(&m->c->f, p)) ? p : fab_peer_of(&m->c->f, p);
	if (!q || (sw = fab_node_of(&m->c->f, q)->sw) == FAB_NONE || m->mft[sw].unanswered ||
	    switch_sends(m, sw, q->num, m->lid))
		return;
	check_find(m->c, CHECK_ERROR, "mcast_member", &(struct check_about){ .a = p, .b = q,
		.object = object_of(m, p, object) },
		"%s is a member of MLID 0x%04x, but %s does not forward to it",
		check_name(m->c, p, x), r->mlid, check_name(m->c, q, y));
}

/* Checks that packets reach the members. The SA reports members only to requesters with the SA_Key;
 * without it nothing is checked. Returns the number of members checked. */
static unsigned
members_check(struct multicast *m)
{
	struct diag_reply r;
	unsigned known = 0;

	if (!diag_settings(m->c->d)->sa_key || diag_settings(m->c->d)->load)
		return 0;
	if (diag_sa(m->c->d, METHOD_GET_TABLE, MCMEMBER_RECORD_ID, 0, NULL, 0, &r)) {
		diag_reply_clear(&r);
		return 0;
	}
	for (size_t i = 0; i < DIAG_SA_RECORDS(&r) && r.stride >= MCMEMBER_RECORD_BYTES; i++) {
		struct mcmember_record x = mcmember_record_decode(DIAG_SA_RECORD(&r, i));

		known += port_by_gid(m, x.port_gid) != NULL;
		one_member(m, &x);
	}
	diag_reply_clear(&r);
	return known;
}

static void
multicast_check(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	struct multicast m = { .c = c };
	unsigned known;

	if (!diag_can_ask(c->d)) {
		check_skipped(c, "the file has no multicast tables");
		return;
	}
	read_tables(&m);
	m.root = xcalloc(s->nswitches + 1u, sizeof(*m.root));
	m.heard = xcalloc(s->nswitches + 1u, sizeof(*m.heard));
	for (m.lid = 0; m.lid < m.lids; m.lid++)
		one_mlid(&m);
	known = members_check(&m);
	if (m.unanswered && diag_settings(c->d)->load)
		check_skipped(c, "the capture does not have all multicast tables");
	else if (m.unanswered)
		check_partial(c, "%u switches did not return their multicast tables", m.unanswered);
	else if (known)
		check_looked(c, "%u MLIDs at %u switches with receivers, %u members", m.groups,
			m.receivers, known);
	else
		check_looked(c, "%u MLIDs at %u switches with receivers", m.groups, m.receivers);
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		for (size_t i = 0; i < (size_t)m.mft[sw].blocks * m.mft[sw].positions; i++)
			free(m.mft[sw].block[i]);
		free(m.mft[sw].block);
	}
	free(m.mft);
	free(m.root);
	free(m.heard);
}

const struct check check_multicast = { .name = "multicast",
	.about = "multicast tables: loops, split trees, unreachable members",
	.flags = CHECK_REGISTERS, .run = multicast_check };
