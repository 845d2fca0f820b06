/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * apply.c - sends the changes, phase by phase.
 * Room: sm/apply.  Pure.  In: changes, ends of transactions.  Out: requests, failures.
 * Promise: every change ends confirmed or listed; a phase begins when the one before has ended; the images of the
 * snapshot change only by answers.
 *
 * A cookie is the index of the change in its phase; bit 32 marks a read-back.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/guid_read.h"
#include "sm/apply/apply.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define ROUNDS_MAX 3                    /* of a phase: its changes, then what timed out, twice */
#define READ_BACK (UINT64_C(1) << 32)
#define FAILURES_MAX 4096               /* listed; more are only counted in the log */

struct apply {
	struct snapshot *s;
	const struct plan *plan;
	const struct log *log;
	struct changes changes;
	struct mkeys mkeys;
	struct mkeys_last last_key;
	enum change_phase phase;
	unsigned round;
	uint32_t next, open;
	struct change_list again;       /* timed out in this round */
	struct change_list read_back;   /* refused: ask what the port shows */
	uint16_t *refusals;             /* by index in read_back: with which status */
	uint32_t next_read_back;
	uint64_t done, total;
	uint64_t *not_armed;            /* by port index */
	uint64_t *lft_unknown;          /* by switch ordinal */
	uint64_t *legacy;               /* by port index: it refused a Set with PORT_INFO_EXTENDED_SPEEDS */
	struct apply_failure *failures;
	uint32_t nfailures;
	uint8_t payload[64];
	uint8_t (*paths)[DGRAM_PATH_BYTES];     /* to adapter ports that do not share their node's route */
	uint8_t *path_hops;
	uint32_t *path_of;              /* by port index: 1 + index into paths, 0 the node's */
	uint8_t (*mft_sent)[64];        /* by change: as last sent; the plan's trees move on meanwhile */
	uint8_t (*guids_sent)[64];      /* likewise */
};

static void
list_push(struct change_list *l, struct change c)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->v = xreallocarray(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = c;
}

static bool
phase_is_lft(enum change_phase p)
{
	return p == CHANGE_LFT || p == CHANGE_LFT_SM;
}

static bool
phase_is_mft(enum change_phase p)
{
	return p == CHANGE_MFT || p == CHANGE_MFT_CUT;
}

static bool
phase_is_switch(enum change_phase p)
{
	return phase_is_lft(p) || p == CHANGE_SWITCH_INFO || phase_is_mft(p);
}

/* A Set of PortInfo. */
static bool
phase_is_port(enum change_phase p)
{
	return !phase_is_switch(p) && p != CHANGE_PKEYS && p != CHANGE_QOS && p != CHANGE_GUIDS;
}

/* Moves on while the present phase has nothing to send and nothing open. */
static void
advance(struct apply *a)
{
	while (a->phase < CHANGE_PHASE_COUNT && !a->open && a->next == a->changes.phase[a->phase].n &&
	       a->next_read_back == a->read_back.n) {
		struct change_list *l = &a->changes.phase[a->phase];

		a->read_back.n = a->next_read_back = 0;
		a->next = 0;
		if (a->again.n) {               /* what timed out is this phase's next round */
			struct change_list t = *l;

			*l = a->again;
			a->again = t;
			a->again.n = 0;
			a->round++;
			continue;
		}
		free(l->v);
		*l = (struct change_list){ NULL, 0, 0 };
		free(a->mft_sent);
		a->mft_sent = NULL;
		a->round = 0;
		a->phase++;
	}
}

static bool
has_own_path(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];

	return !fab_is_switch(n) && p->num > 0 && p->peer != FAB_NONE && p->num != n->entry_port;
}

static void
make_paths(struct apply *a)
{
	uint32_t n = 0;

	a->path_of = xcalloc(a->s->nports + 1u, sizeof(*a->path_of));
	for (uint32_t p = 0; p < a->s->nports; p++)
		if (has_own_path(a->s, &a->s->ports[p]))
			a->path_of[p] = ++n;
	a->paths = xcalloc(n + 1u, sizeof(*a->paths));
	a->path_hops = xcalloc(n + 1u, 1);
	for (uint32_t p = 0; p < a->s->nports; p++)
		if (a->path_of[p])
			a->path_hops[a->path_of[p] - 1] = snapshot_port_path(a->s, p, a->paths[a->path_of[p] - 1]);
}

struct apply *
apply_new(struct snapshot *s, const struct plan *plan, struct changes *c, struct mkeys mkeys,
	const struct log *log)
{
	struct apply *a = xcalloc(1, sizeof(*a));

	a->s = s;
	a->plan = plan;
	a->log = log;
	a->mkeys = mkeys;
	a->changes = *c;
	a->total = c->total;
	memset(c, 0, sizeof(*c));
	a->not_armed = xcalloc(BITS_WORDS(s->nports) + 1, sizeof(uint64_t));
	a->legacy = xcalloc(BITS_WORDS(s->nports) + 1, sizeof(uint64_t));
	a->lft_unknown = xcalloc(BITS_WORDS(s->nswitches) + 1, sizeof(uint64_t));
	if (a->total > a->changes.phase[CHANGE_MFT].n)          /* only switches: their nodes' paths do */
		make_paths(a);
	advance(a);
	return a;
}

void
apply_free(struct apply *a)
{
	if (!a)
		return;
	changes_clear(&a->changes);
	free(a->again.v);
	free(a->read_back.v);
	free(a->refusals);
	free(a->not_armed);
	free(a->lft_unknown);
	free(a->legacy);
	free(a->failures);
	free(a->paths);
	free(a->path_hops);
	free(a->path_of);
	free(a->mft_sent);
	free(a->guids_sent);
	free(a);
}

void
apply_end_text(const struct apply_failure *f, char text[static APPLY_END_TEXT_BYTES])
{
	switch ((enum txn_end_kind)f->end) {
	case TXN_END_OK:
		snprintf(text, APPLY_END_TEXT_BYTES, "answered, but without effect");
		return;
	case TXN_END_STATUS:
		snprintf(text, APPLY_END_TEXT_BYTES, "answered with status 0x%04x", f->status);
		return;
	case TXN_END_TIMED_OUT:
		snprintf(text, APPLY_END_TEXT_BYTES, "not answered (timed out)");
		return;
	case TXN_END_SEND_FAILED:
		snprintf(text, APPLY_END_TEXT_BYTES, "could not be sent");
		return;
	case TXN_END_SKIPPED:
		snprintf(text, APPLY_END_TEXT_BYTES, "not sent, as the node does not answer");
		return;
	case TXN_END_CANCELLED:
		snprintf(text, APPLY_END_TEXT_BYTES, "cancelled");
		return;
	}
}

static uint32_t
change_node(const struct apply *a, const struct change *c)
{
	return phase_is_switch(a->phase) ? a->s->switches[c->subject] : a->s->ports[c->subject].node;
}

/* What the tables of lanes hold that a change was about; NULL: not known. */
static void
qos_put(struct apply *a, const struct change *c, const uint8_t *data)
{
	struct qos_table t;

	for (uint32_t i = 0; diff_qos_table(a->s, c, i, &t); i++)
		qos_tables_put(a->plan->qos_tables, a->s, &t, data);
}

/* A refusal, or a table that the port rather keeps, of which the operator does not want to hear. */
static bool
is_quiet(const struct apply *a, const struct change *c, const struct txn_end *e)
{
	return a->phase == CHANGE_QOS && a->plan->qos.quiet && (e->kind == TXN_END_STATUS || e->kind == TXN_END_OK) &&
		!(c->block & CHANGE_QOS_VLARB);
}

static void
fail(struct apply *a, const struct change *c, const struct txn_end *e)
{
	uint32_t node = change_node(a, c);
	struct apply_failure f = {
		.phase = (uint8_t)a->phase, .end = (uint8_t)e->kind, .status = e->status, .change = *c,
		.node = node, .port = phase_is_switch(a->phase) ? 0 : a->s->ports[c->subject].num,
	};
	char why[APPLY_END_TEXT_BYTES];

	if (phase_is_lft(a->phase))
		bits_set(a->lft_unknown, c->subject);
	if (phase_is_mft(a->phase) && e->kind != TXN_END_OK)
		mft_seen_put(a->plan->mft_seen, a->s->nodes[node].guid, c->block, NULL);
	if (a->phase == CHANGE_QOS && e->kind != TXN_END_OK)
		qos_put(a, c, NULL);
	if (a->phase == CHANGE_GUIDS && e->kind != TXN_END_OK)
		guid_tables_seen(a->plan->guids, a->s->ports[c->subject].guid, (uint8_t)c->block, NULL);
	if (a->phase == CHANGE_ARM)
		bits_set(a->not_armed, c->subject);
	if (phase_is_port(a->phase))
		a->s->ports[c->subject].flags |= FAB_PORT_UNTOLD;
	if (a->nfailures >= FAILURES_MAX || is_quiet(a, c, e))
		return;
	if ((a->nfailures & (a->nfailures - 1)) == 0)
		a->failures = xreallocarray(a->failures, a->nfailures ? a->nfailures * 2u : 1u, sizeof(f));
	a->failures[a->nfailures++] = f;
	apply_end_text(&f, why);
	log_line(a->log, LOG_WARN, "apply", "%s of node 0x%016llx port %u failed: %s",
		change_phase_text(a->phase), (unsigned long long)a->s->nodes[node].guid, f.port, why);
}

/* An end of a link is made ACTIVE only when both ends were ARMED: an ACTIVE port would lose what it sends. */
static bool
link_not_armed(const struct apply *a, uint32_t p)
{
	uint32_t peer = a->s->ports[p].peer;

	return bits_test(a->not_armed, p) || (peer != FAB_NONE && bits_test(a->not_armed, peer));
}

static void
request_head(struct apply *a, const struct change *c, struct txn_req *r)
{
	uint32_t node = change_node(a, c), own = phase_is_switch(a->phase) ? 0 : a->path_of[c->subject];

	memset(r, 0, sizeof(*r));
	r->target = node;
	r->mgmt_class = CLASS_SM_DR;
	r->mkey = mkeys_to_write(&a->mkeys, &a->last_key, a->s, own ? c->subject : mkeys_node_port(a->s, node));
	r->path = own ? a->paths[own - 1] : a->s->nodes[node].path;
	r->hop_count = own ? a->path_hops[own - 1] : a->s->nodes[node].hop_count;
}

static uint32_t
port_modifier(const struct apply *a, uint32_t port)
{
	return bits_test(a->legacy, port) ? a->s->ports[port].num : snapshot_port_modifier(a->s, port);
}

static void
make_request(struct apply *a, const struct change *c, uint64_t cookie, struct txn_req *r)
{
	request_head(a, c, r);
	r->cookie = cookie;
	r->method = METHOD_SET;
	r->payload = diff_payload(a->s, a->plan, a->phase, c, a->payload);
	r->payload_bytes = 64;
	if (phase_is_lft(a->phase)) {
		r->attr_id = LFT_BLOCK_ID;
		r->modifier = c->block;
		r->payload_kept = true;
	} else if (phase_is_mft(a->phase)) {
		r->attr_id = MFT_BLOCK_ID;
		r->modifier = c->block;
		if (!a->mft_sent)
			a->mft_sent = xcalloc(a->changes.phase[a->phase].n, sizeof(*a->mft_sent));
		memcpy(a->mft_sent[cookie], r->payload, sizeof(*a->mft_sent));
	} else if (a->phase == CHANGE_GUIDS) {
		r->attr_id = GUID_INFO_ID;
		r->modifier = c->block;
		if (!a->guids_sent)
			a->guids_sent = xcalloc(a->changes.phase[CHANGE_GUIDS].n, sizeof(*a->guids_sent));
		memcpy(a->guids_sent[cookie], r->payload, sizeof(*a->guids_sent));
	} else if (a->phase == CHANGE_SWITCH_INFO) {
		r->attr_id = SWITCH_INFO_ID;
	} else if (a->phase == CHANGE_QOS) {
		r->attr_id = c->block & CHANGE_QOS_VLARB ? VLARB_TABLE_ID : SLVL_TABLE_ID;
		r->modifier = c->block & ~CHANGE_QOS_VLARB;
	} else if (a->phase == CHANGE_PKEYS) {
		r->attr_id = PKEY_TABLE_ID;
		r->modifier = c->block;
		if (fab_is_switch(&a->s->nodes[change_node(a, c)]))
			r->modifier |= (uint32_t)a->s->ports[c->subject].num << 16;
	} else {
		r->attr_id = PORT_INFO_ID;
		r->modifier = port_modifier(a, c->subject);
	}
}

static bool
next_read_back(struct apply *a, struct txn_req *r)
{
	const struct change *c;

	if (a->next_read_back == a->read_back.n)
		return false;
	c = &a->read_back.v[a->next_read_back];
	request_head(a, c, r);
	r->cookie = READ_BACK | a->next_read_back++;
	r->method = METHOD_GET;
	r->attr_id = PORT_INFO_ID;
	r->modifier = port_modifier(a, c->subject);
	a->open++;
	return true;
}

bool
apply_next(struct apply *a, struct txn_req *r)
{
	struct change_list *l;

	if (a->phase == CHANGE_PHASE_COUNT)
		return false;
	if (next_read_back(a, r))
		return true;
	l = &a->changes.phase[a->phase];
	while (a->next < l->n) {
		uint32_t i = a->next++;

		if (a->phase == CHANGE_ACTIVATE && link_not_armed(a, l->v[i].subject))
			continue;
		make_request(a, &l->v[i], i, r);
		a->open++;
		return true;
	}
	advance(a);
	return a->phase < CHANGE_PHASE_COUNT && !a->open && apply_next(a, r);
}

/* A block of a GUID table, as far as the port has it. */
static const uint8_t *
guids_of(const struct apply *a, const struct change *c, const uint8_t *data, uint8_t buf[static GUID_INFO_BYTES])
{
	memcpy(buf, data, GUID_INFO_BYTES);
	guid_image_trim(buf, c->block, port_info_decode(a->s->ports[c->subject].info).guid_cap);
	return buf;
}

/* What the answer to a Set shows is what we believe from now on. */
static void
believe(struct apply *a, const struct change *c, const uint8_t *data)
{
	if (phase_is_lft(a->phase))
		return;                 /* the plan's row is kept; lft_unknown says when it may not be believed */
	if (phase_is_mft(a->phase)) {
		mft_seen_put(a->plan->mft_seen, a->s->nodes[change_node(a, c)].guid, c->block, data);
	} else if (a->phase == CHANGE_QOS) {
		qos_put(a, c, data);
	} else if (a->phase == CHANGE_GUIDS) {
		uint8_t buf[GUID_INFO_BYTES];

		guid_tables_seen(a->plan->guids, a->s->ports[c->subject].guid, (uint8_t)c->block, guids_of(a, c, data, buf));
	} else if (a->phase == CHANGE_SWITCH_INFO) {
		memcpy(a->s->nodes[a->s->switches[c->subject]].switch_info, data, SWITCH_INFO_BYTES);
	} else if (a->phase == CHANGE_PKEYS) {
		memcpy(a->s->pkey_blocks[a->s->ports[c->subject].pkeys + c->block], data, PKEY_TABLE_BYTES);
	} else {
		uint8_t *w = a->s->ports[c->subject].info;
		struct port_info p;

		memcpy(w, data, PORT_INFO_BYTES);
		p = port_info_decode(w);
		p.client_reregister = 0;        /* an echo, not a state */
		port_info_patch(w, &p);
	}
}

static void
read_back_push(struct apply *a, const struct change *c, uint16_t refusal)
{
	list_push(&a->read_back, *c);
	a->refusals = xreallocarray(a->refusals, a->read_back.cap, sizeof(*a->refusals));
	a->refusals[a->read_back.n - 1] = refusal;
}

/* A port may have become ACTIVE by itself and then refuses the same-state write: what does it show? */
static void
read_back_end(struct apply *a, const struct change *c, uint16_t refusal, const struct txn_end *e)
{
	uint8_t wanted = a->phase == CHANGE_ARM ? 3 : 4;
	struct port_info p;

	if (e->kind != TXN_END_OK) {
		fail(a, c, e);
		return;
	}
	believe(a, c, e->reply->mad + 64);
	p = port_info_decode(a->s->ports[c->subject].info);
	if (p.state >= wanted && p.state <= 4)
		a->done++;
	else
		fail(a, c, &(struct txn_end){ .kind = TXN_END_STATUS, .status = refusal });
}

/* The addresses that an end port must have from now on: without its own it is not reached, without ours it tells us nothing. */
static bool
has_address(const struct apply *a, const struct change *c, const struct port_info *now)
{
	struct port_info want;

	if (!snapshot_is_endport(a->s, &a->s->ports[c->subject]) || !plan_port_wanted(a->plan, c->subject, &want))
		return true;
	return now->lid == want.lid && now->lmc == want.lmc && now->master_sm_lid == want.master_sm_lid;
}

/* Whether the tables of lanes hold what is wanted, as far as the port has them. */
static bool
qos_took_effect(const struct apply *a, const struct change *c, const uint8_t *data)
{
	unsigned block = (c->block & ~CHANGE_QOS_VLARB) >> 16;
	uint8_t buf[64];

	diff_payload(a->s, a->plan, CHANGE_QOS, c, buf);
	if (!(c->block & CHANGE_QOS_VLARB))
		return memcmp(data, buf, SLVL_TABLE_BYTES) == 0;
	for (unsigned i = 0; i < qos_vlarb_entries(&a->s->ports[c->subject], block); i++)
		if ((data[2 * i] & 0x0f) != buf[2 * i] || data[2 * i + 1] != buf[2 * i + 1])
			return false;
	return true;
}

/* Whether the answer shows what was sent: a status of 0 alone moves no link and fills no table. */
static bool
took_effect(const struct apply *a, uint32_t index, const uint8_t *data)
{
	const struct change *c = &a->changes.phase[a->phase].v[index];
	struct port_info now;
	uint8_t buf[64];

	if (phase_is_mft(a->phase))
		return memcmp(data, a->mft_sent[index], sizeof(*a->mft_sent)) == 0;
	if (a->phase == CHANGE_GUIDS)
		return guid_block_equal((uint8_t)c->block, guids_of(a, c, data, buf), a->guids_sent[index]);
	if (phase_is_lft(a->phase) || a->phase == CHANGE_PKEYS)
		return memcmp(data, diff_payload(a->s, a->plan, a->phase, c, buf), sizeof(buf)) == 0;
	if (a->phase == CHANGE_QOS)
		return qos_took_effect(a, c, data);
	if (a->phase == CHANGE_SWITCH_INFO)
		return switch_info_decode(data).lft_top == a->plan->fwd.top;
	now = port_info_decode(data);
	if (a->phase == CHANGE_ARM && now.state < 3)
		return false;
	if (a->phase == CHANGE_ACTIVATE && now.state < 4)
		return false;
	return has_address(a, c, &now);
}

/*
 * A Set was refused by a port that never answered a request with PORT_INFO_EXTENDED_SPEEDS: its CapabilityMask may promise too much.
 * It gets the Set again without the bit.
 */
static bool
refuses_extended(struct apply *a, const struct change *c, const struct txn_end *e)
{
	if (!phase_is_port(a->phase) || e->status != STATUS_BAD_VALUE || !(e->modifier & PORT_INFO_EXTENDED_SPEEDS) ||
	    a->s->ports[c->subject].flags & FAB_PORT_EXTENDED || a->round + 1 >= ROUNDS_MAX)
		return false;
	bits_set(a->legacy, c->subject);
	list_push(&a->again, *c);
	return true;
}

/* What the answer to a Set of PortInfo tells about the bit of its modifier. */
static void
note_extended(struct apply *a, const struct change *c, const struct txn_end *e)
{
	if (!phase_is_port(a->phase))
		return;
	if (e->modifier & PORT_INFO_EXTENDED_SPEEDS)
		a->s->ports[c->subject].flags |= FAB_PORT_EXTENDED;
	else if (bits_test(a->legacy, c->subject))
		a->s->nodes[a->s->ports[c->subject].node].flags |= FAB_NODE_NOT_EXTENDED;
}

static void
change_end(struct apply *a, uint32_t index, const struct txn_end *e)
{
	const struct change own = a->changes.phase[a->phase].v[index], *c = &own;

	if (e->kind == TXN_END_OK) {
		bool effect = took_effect(a, index, e->reply->mad + 64);        /* by what was wanted, before the image moves */

		believe(a, c, e->reply->mad + 64);
		note_extended(a, c, e);
		if (effect)
			a->done++;
		else
			fail(a, c, e);
	} else if (e->kind == TXN_END_STATUS && refuses_extended(a, c, e)) {
		return;
	} else if (e->kind == TXN_END_STATUS && (a->phase == CHANGE_ARM || a->phase == CHANGE_ACTIVATE)) {
		read_back_push(a, c, e->status);
	} else if ((e->kind == TXN_END_TIMED_OUT || e->kind == TXN_END_SEND_FAILED) && a->round + 1 < ROUNDS_MAX) {
		list_push(&a->again, *c);
	} else {
		fail(a, c, e);
	}
}

void
apply_end(struct apply *a, const struct txn_end *e)
{
	uint32_t i = (uint32_t)e->cookie;

	if (!a->open)
		bug("apply: an end without a request");
	a->open--;
	if (e->cookie & READ_BACK) {
		struct change c = a->read_back.v[i];

		read_back_end(a, &c, a->refusals[i], e);
	} else {
		change_end(a, i, e);
	}
	advance(a);
}

bool
apply_done(const struct apply *a)
{
	return a->phase == CHANGE_PHASE_COUNT;
}

enum change_phase
apply_phase(const struct apply *a)
{
	return a->phase;
}

void
apply_progress(const struct apply *a, uint64_t *done, uint64_t *total)
{
	*done = a->done;
	*total = a->total;
}

const struct apply_failure *
apply_failures(const struct apply *a, uint32_t *n)
{
	*n = a->nfailures;
	return a->failures;
}

bool
apply_lft_known(const struct apply *a, uint32_t sw)
{
	return !bits_test(a->lft_unknown, sw);
}
