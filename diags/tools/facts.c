/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * facts.c - the cache of attributes: each is requested once, kept, and shared by all callers.
 * Room: diags/tools.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/status.h"
#include "diags/tools/facts.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

/* More requests than this are sent by diag_run_many(), with the window for a whole fabric. */
#define MANY 64

static const uint16_t attr_of[] = {
	[FACT_SELF] = NODE_INFO_ID, [FACT_LINK] = NODE_INFO_ID, [FACT_PORT] = PORT_INFO_ID,
	[FACT_DESC] = NODE_DESC_ID,
	[FACT_SWITCH] = SWITCH_INFO_ID, [FACT_LFT] = LFT_BLOCK_ID, [FACT_MFT] = MFT_BLOCK_ID,
	[FACT_PORT_NUM] = PORT_INFO_ID, [FACT_LID_NODE] = NODE_INFO_ID,
	[FACT_LID_PORT] = PORT_INFO_ID,
};

/* Reports whether the modifier of the fact's key is the attribute modifier of the request. */
static bool
has_modifier(const struct fact *f)
{
	return f->key.kind == FACT_LFT || f->key.kind == FACT_MFT || f->key.kind == FACT_PORT_NUM;
}

static uint64_t
hash_of(const struct fact_key *key)
{
	uint64_t x = (uintptr_t)key->place * UINT64_C(0x9e3779b97f4a7c15);

	x ^= ((uint64_t)key->modifier << 8 | key->kind) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns the slot that has the key, or the empty slot for it. */
static struct fact_slot *
slot_of(const struct facts *k, const struct fact_key *key, uint64_t hash)
{
	for (size_t i = hash >> 32;; i++) {
		struct fact_slot *s = &k->slots[i & (k->nslots - 1)];

		if (!s->f || (s->hash == hash && s->f->key.place == key->place &&
		    s->f->key.modifier == key->modifier && s->f->key.kind == key->kind))
			return s;
	}
}

/* Enlarges the hash table so that at least half of its slots stay empty. */
static void
make_room(struct facts *k)
{
	struct fact_slot *old = k->slots;
	size_t n = k->nslots;

	if (k->nfacts * 2 < n)
		return;
	k->nslots = n ? n * 2 : 1024;
	k->slots = xcalloc(k->nslots, sizeof(*k->slots));
	for (size_t i = 0; i < n; i++)
		if (old[i].f)
			*slot_of(k, &old[i].f->key, old[i].hash) = old[i];
	free(old);
}

static struct fact *
fact_of(struct facts *k, const struct place *p, enum fact_kind kind, uint32_t modifier, bool *made)
{
	const struct fact_key key = { .place = p, .modifier = modifier, .kind = kind };
	uint64_t hash = hash_of(&key);
	struct fact_slot *s;

	make_room(k);
	s = slot_of(k, &key, hash);
	*made = !s->f;
	if (s->f)
		return s->f;
	*s = (struct fact_slot){ hash, xcalloc(1, sizeof(*s->f)) };
	s->f->key = key;
	s->f->older = k->facts;
	k->facts = s->f;
	k->nfacts++;
	return s->f;
}

struct diag_addr
fact_address(const struct fact *f)
{
	const struct place *p = f->key.place;
	struct diag_addr a;

	if (f->key.kind == FACT_LID_NODE || f->key.kind == FACT_LID_PORT)
		return diag_addr_lid((uint16_t)f->key.modifier);
	if (!p)
		a = diag_addr_self();
	else
		a = diag_addr_path(p->path, p->hop_count);
	if (f->key.kind == FACT_LINK && a.hop_count < DGRAM_HOPS_MAX)
		a.path[++a.hop_count] = (uint8_t)f->key.modifier;
	a.dr_slid = a.dr_dlid = 0;      /* shown in the form of discovered routes */
	return a;
}

const struct fact *
fact_get(struct facts *k, const struct place *p, enum fact_kind kind, uint32_t modifier)
{
	bool made;
	struct fact *f = fact_of(k, p, kind, modifier, &made);

	if (!made)
		return f->known ? f : NULL;
	if (kind == FACT_LINK && (p->hop_count >= DGRAM_HOPS_MAX ||
	    (p->type != 2 && p->hop_count))) {
		/* the route is too long, or leads through an adapter */
		f->known = true;
		f->end = DIAG_FAILED;
		return f;
	}
	f->next = k->wanted;
	k->wanted = f;
	return NULL;
}

/* ---- places ---- */

static void
set_link(struct facts *k, const struct place *p, uint8_t port, const struct place *far,
	uint8_t far_port)
{
	bool made;
	struct fact *f = fact_of(k, p, FACT_LINK, port, &made);

	if (!made)
		return;
	f->known = true;
	f->end = DIAG_OK;
	f->far = far;
	f->far_port = far_port;
}

/* Finds or makes the place that a NodeInfo came from. The link is then known from its other end
 * too. */
static void
place_meet(struct facts *k, struct fact *f)
{
	struct node_info n = node_info_decode(f->data);
	uint64_t guid = n.port_guid;
	struct place *p;

	HASH_FIND(hh, k->places, &guid, sizeof(guid), p);
	if (!p) {
		struct diag_addr a = fact_address(f);

		p = xcalloc(1, sizeof(*p));
		*p = (struct place){ .port_guid = n.port_guid, .node_guid = n.node_guid,
			.type = n.node_type, .nports = n.num_ports,
			.port = n.local_port, .hop_count = a.hop_count };
		memcpy(p->path, a.path, sizeof(p->path));
		memcpy(p->node_info, f->data, sizeof(p->node_info));
		HASH_ADD(hh, k->places, port_guid, sizeof(p->port_guid), p);
	}
	f->far = p;
	f->far_port = n.local_port;
	if (f->key.kind == FACT_LINK)
		set_link(k, p, n.local_port, f->key.place, (uint8_t)f->key.modifier);
}

/* ---- requests ---- */

static void
answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct fact *f = arg;

	(void)d;
	(void)q;
	f->known = true;
	f->end = r->end;
	f->status = r->status;
	if (r->end == DIAG_OK)
		memcpy(f->data, r->data, sizeof(f->data));
}

int
facts_fetch(struct facts *k)
{
	struct fact *f, *all = k->wanted;
	size_t n = 0;

	for (f = all; f; f = f->next, n++) {
		struct diag_addr a = fact_address(f);

		diag_submit(k->d, &(struct diag_request){
			.to = &a, .attr_id = attr_of[f->key.kind], .modifier = has_modifier(f) ?
				f->key.modifier : 0, .quiet = true,
		}, answered, f);
	}
	if (n > MANY ? diag_run_many(k->d) : diag_run(k->d))
		return EXIT_PARTIAL;
	k->wanted = NULL;
	/* Only after all answers: places are then made in the order of the requests, which does not
	 * depend on the order of the answers. */
	for (f = all; f; f = f->next)
		if (f->end == DIAG_OK && (f->key.kind == FACT_SELF || f->key.kind == FACT_LINK))
			place_meet(k, f);
	return 0;
}

void
fact_report(struct facts *k, const struct fact *fact)
{
	struct diag_addr a = fact_address(fact);
	struct diag_where w = DIAG_NOWHERE;
	char label[DIAG_LABEL_BYTES];
	bool made;
	struct fact *f = fact_of(k, fact->key.place, fact->key.kind, fact->key.modifier, &made);

	if (f->reported)
		return;
	f->reported = true;
	w.addr = &a;
	w.attribute = dgram_attr_name(CLASS_SM_DR, attr_of[f->key.kind]);
	w.modifier = has_modifier(f) ? f->key.modifier : 0;
	w.mad_status = f->end == DIAG_STATUS ? f->status : 0;
	diag_label(&a, label);
	if (f->end == DIAG_STATUS)
		diag_warn(k->d, EXIT_PARTIAL, "mad_status", &w, "status 0x%04x (%s): %s %s %u",
			f->status, dgram_status_text(f->status, false),
			label, w.attribute, w.modifier);
	else
		diag_warn(k->d, EXIT_PARTIAL, diag_end_code(f->end), &w, "%s: %s %s %u",
			diag_end_text(k->d, f->end), label, w.attribute, w.modifier);
}

void
facts_clear(struct facts *k)
{
	struct fact *f, *fnext;
	struct place *p, *pnext;

	for (f = k->facts; f; f = fnext) {
		fnext = f->older;
		free(f);
	}
	free(k->slots);
	HASH_ITER(hh, k->places, p, pnext) {
		HASH_DEL(k->places, p);
		free(p);
	}
}
