/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * stored.c - stored forwarding tables: the document, and the view made of it and a new snapshot.
 * Room: sm/sa.  Pure.
 *
 * The document, all numbers in network byte order: struct head after a version; node GUIDs of the
 * switches, ascending, each with a mark whether its table is known; port GUIDs of the end ports,
 * ascending, each with LID and LMC; then the tables, 'stride' bytes for each switch.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "sm/sa/sa_int.h"
#include "sm/sa/stored.h"
#include "util/bisect.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define DOC_VERSION 1u
enum { HEAD_BYTES = 48, ENTRY_BYTES = 12, LMC_SHIFT = 16, LMC_MAX = 7 };
#define SWITCHES_MAX 65536u
#define STRIDE_MAX (((uint32_t)LID_UCAST_MAX / LFT_BLOCK_BYTES + 1) * LFT_BLOCK_BYTES)

/* ---- the document ---- */

struct head {
	uint64_t gid_prefix, sm_guid, print;
	uint32_t stride, nswitches, nports, sm_lid, top;
};

static void
put32(uint8_t **w, uint32_t v)
{
	wire_put32(*w, v);
	*w += sizeof(v);
}

static void
put64(uint8_t **w, uint64_t v)
{
	wire_put64(*w, v);
	*w += sizeof(v);
}

static uint32_t
take32(const uint8_t **w)
{
	uint32_t v = wire_get32(*w);

	*w += sizeof(v);
	return v;
}

static uint64_t
take64(const uint8_t **w)
{
	uint64_t v = wire_get64(*w);

	*w += sizeof(v);
	return v;
}

static void
put_head(uint8_t **w, const struct head *h)
{
	put32(w, DOC_VERSION);
	put32(w, h->stride);
	put64(w, h->gid_prefix);
	put64(w, h->sm_guid);
	put64(w, h->print);
	put32(w, h->nswitches);
	put32(w, h->nports);
	put32(w, h->sm_lid);
	put32(w, h->top);
}

static bool
take_head(const uint8_t **w, struct head *h)
{
	uint32_t version = take32(w);

	h->stride = take32(w);
	h->gid_prefix = take64(w);
	h->sm_guid = take64(w);
	h->print = take64(w);
	h->nswitches = take32(w);
	h->nports = take32(w);
	h->sm_lid = take32(w);
	h->top = take32(w);
	return version == DOC_VERSION;
}

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

uint64_t
sa_stored_print(const struct snapshot *s, const struct lid_map *lids)
{
	uint64_t h = s->nnodes;

	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];
		uint32_t lid = lids->base[i] | (uint32_t)lids->lmc[i] << 16;

		if (p->peer == FAB_NONE && !lid)
			continue;
		h = mix(h, s->nodes[p->node].guid + p->num);
		h = mix(h, lid);
		if (p->peer != FAB_NONE)
			h = mix(h, s->nodes[s->ports[p->peer].node].guid ^
				(uint64_t)s->ports[p->peer].num << 56);
	}
	return h;
}

static void
put_switches(uint8_t **w, const struct sa_stored_from *f)
{
	for (uint32_t i = 0; i < f->s->nswitches; i++) {
		put64(w, f->s->nodes[f->s->switches[i]].guid);
		put32(w, !(f->unknown && bits_test(f->unknown, i)));
	}
}

/* End ports without a LID are left out. */
static uint32_t
put_ports(uint8_t **w, const struct sa_stored_from *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->s->nendports; i++) {
		uint32_t port = f->s->endports[i];

		if (!f->lids->base[port])
			continue;
		put64(w, f->s->ports[port].guid);
		put32(w, f->lids->base[port] | (uint32_t)f->lids->lmc[port] << LMC_SHIFT);
		n++;
	}
	return n;
}

/* Nothing, in the place of what was stored before. */
static void
make_empty(struct sa_stored_doc *out)
{
	uint8_t *w = out->head = xcalloc(1, HEAD_BYTES);

	out->head_bytes = HEAD_BYTES;
	put_head(&w, &(struct head){ 0 });
}

void
sa_stored_make(const struct sa_stored_from *f, struct sa_stored_doc *out)
{
	struct head h = {
		.gid_prefix = f->gid_prefix, .sm_guid = f->s->ports[f->s->sm_port].guid,
		.stride = f->fwd->stride, .nswitches = f->s->nswitches, .sm_lid = f->sm_lid,
		.top = f->fwd->top,
	};
	uint8_t *w;

	*out = (struct sa_stored_doc){ .head = NULL };
	if (f->fwd->lanes || !f->s->nswitches || f->fwd->nswitches != f->s->nswitches) {
		make_empty(out);
		return;
	}
	h.print = sa_stored_print(f->s, f->lids);
	w = out->head = xcalloc(1, HEAD_BYTES + (size_t)ENTRY_BYTES * f->s->nswitches +
		(size_t)ENTRY_BYTES * f->s->nendports);
	w += HEAD_BYTES;
	put_switches(&w, f);
	h.nports = put_ports(&w, f);
	out->head_bytes = (size_t)(w - out->head);
	w = out->head;
	put_head(&w, &h);
	out->body_bytes = (size_t)h.nswitches * h.stride;
	out->rows = fwd_rows_hold(f->fwd->rows);
	out->body = f->fwd->port;
	if (!out->rows) {
		out->rows = fwd_rows_new(out->body_bytes);
		out->body = memcpy(fwd_rows_bytes(out->rows), f->fwd->port, out->body_bytes);
	}
}

void
sa_stored_doc_clear(struct sa_stored_doc *d)
{
	free(d->head);
	fwd_rows_drop(d->rows);
	*d = (struct sa_stored_doc){ .head = NULL };
}

/* ---- reading it ---- */

/* A switch and whether its table is known, or an end port and its LID and LMC. */
struct entry {
	uint64_t guid;
	uint32_t value;
};

struct sa_stored {
	uint8_t *bytes;                 /* owned */
	struct head h;
	struct entry *switches, *ports; /* ascending */
	const uint8_t *rows;            /* in 'bytes' */
};

/* NULL: the GUIDs do not ascend. */
static struct entry *
take_entries(const uint8_t **w, uint32_t n)
{
	struct entry *v = xcalloc((size_t)n + 1, sizeof(*v));

	for (uint32_t i = 0; i < n; i++) {
		v[i].guid = take64(w);
		v[i].value = take32(w);
		if (i && v[i].guid <= v[i - 1].guid) {
			free(v);
			return NULL;
		}
	}
	return v;
}

static uint32_t
lid_of(const struct entry *e)
{
	return e->value & ((1u << LMC_SHIFT) - 1);
}

static uint8_t
lmc_of(const struct entry *e)
{
	return (uint8_t)(e->value >> LMC_SHIFT);
}

static bool
lids_are_valid(const struct entry *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (v[i].value >> LMC_SHIFT > LMC_MAX || !lid_of(&v[i]) ||
			lid_of(&v[i]) + (1u << lmc_of(&v[i])) - 1 > LID_UCAST_MAX)
			return false;
	return true;
}

static bool
head_is_sound(const struct head *h, size_t len)
{
	if (h->nswitches > SWITCHES_MAX || h->nports > LID_UCAST_MAX || h->stride > STRIDE_MAX ||
		h->stride % LFT_BLOCK_BYTES || h->top >= h->stride || !h->sm_lid ||
		h->sm_lid > LID_UCAST_MAX)
		return false;
	return len == HEAD_BYTES + (size_t)h->nswitches * (ENTRY_BYTES + h->stride) +
			(size_t)h->nports * ENTRY_BYTES;
}

/* False: they are no document; with 'empty', they are one that says that there is nothing. */
static bool
take_all(struct sa_stored *d, size_t len, bool *empty)
{
	const uint8_t *w = d->bytes;

	*empty = false;
	if (len < HEAD_BYTES || !take_head(&w, &d->h))
		return false;
	*empty = !d->h.nswitches && len == HEAD_BYTES;
	if (*empty || !head_is_sound(&d->h, len))
		return false;
	d->switches = take_entries(&w, d->h.nswitches);
	if (!d->switches)
		return false;
	d->ports = take_entries(&w, d->h.nports);
	d->rows = w;
	return d->ports && lids_are_valid(d->ports, d->h.nports);
}

struct sa_stored *
sa_stored_read(uint8_t *bytes, size_t len, char *why, size_t whylen)
{
	struct sa_stored *d = xcalloc(1, sizeof(*d));
	bool empty;

	d->bytes = bytes;
	why[0] = '\0';
	if (take_all(d, len, &empty))
		return d;
	if (!empty)
		snprintf(why, whylen, "%zu bytes are no tables that this program stored", len);
	sa_stored_free(d);
	return NULL;
}

void
sa_stored_free(struct sa_stored *d)
{
	if (!d)
		return;
	free(d->bytes);
	free(d->switches);
	free(d->ports);
	free(d);
}

/* ---- fitted to what was found ---- */

struct sa_early {
	struct snapshot *s;             /* a copy: the sweep changes its own */
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables fwd;
	uint64_t *known;                /* by switch ordinal: its row of 'fwd' was stored */
	struct sa_index *index;
	uint32_t fit, all;
	bool same;
};

/* The entry with 'guid'; NULL: none. */
static const struct entry *
entry_of(const struct entry *v, uint32_t n, uint64_t guid)
{
	uint32_t i;

	BISECT(i, n, v[i].guid < guid);
	return i < n && v[i].guid == guid ? &v[i] : NULL;
}

static const char *
foreign_by(const struct sa_stored *d, const struct snapshot *s, uint64_t gid_prefix)
{
	const struct fab_port *own = &s->ports[s->sm_port];
	struct port_info info = port_info_decode(own->info);
	uint32_t known = 0;

	if (d->h.gid_prefix != gid_prefix)
		return "another subnet prefix";
	if (d->h.sm_guid != own->guid)
		return "another port of the manager";
	if (!(own->flags & FAB_PORT_INFO) || info.lid != d->h.sm_lid)
		return "the LID of our port is another one";
	if (info.master_sm_lid != d->h.sm_lid)
		return "another manager has configured our port";
	for (uint32_t i = 0; i < s->nswitches; i++)
		known += entry_of(d->switches, d->h.nswitches,
			s->nodes[s->switches[i]].guid) != NULL;
	if (known < (d->h.nswitches + 1) / 2)
		return "most of its switches are not there";
	return NULL;
}

/* Whether end port 'p' is as it was stored, and ours. */
static bool
port_fits(const struct sa_stored *d, const struct snapshot *s, const struct fab_port *p, uint8_t *lmc)
{
	const struct entry *was = entry_of(d->ports, d->h.nports, p->guid);
	struct port_info i = port_info_decode(p->info);

	if (!was || !(p->flags & FAB_PORT_INFO) || i.lid != lid_of(was))
		return false;
	*lmc = lmc_of(was);
	if (!fab_is_switch(&s->nodes[p->node]) &&
		(i.lmc != *lmc || i.state != PORT_STATE_ACTIVE))
		return false;
	return i.master_sm_lid == d->h.sm_lid;
}

static bool
lids_are_free(const struct lid_map *l, uint32_t lid, uint32_t end)
{
	while (lid < end && l->owner[lid] == FAB_NONE)
		lid++;
	return lid == end;
}

static void
fit_lids(struct sa_early *e, const struct sa_stored *d)
{
	const struct snapshot *s = e->s;
	struct lid_map *l = &e->lids;

	l->nports = s->nports;
	l->base = arena_array(&e->arena, s->nports, sizeof(*l->base));
	l->lmc = arena_array(&e->arena, s->nports, sizeof(*l->lmc));
	l->owner = arena_array(&e->arena, LID_UCAST_MAX + 1u, sizeof(*l->owner));
	memset(l->owner, 0xff, (LID_UCAST_MAX + 1u) * sizeof(*l->owner));
	for (uint32_t i = 0; i < s->nendports; i++) {
		uint32_t port = s->endports[i], lid, end;
		uint8_t lmc;

		e->all++;
		if (!port_fits(d, s, &s->ports[port], &lmc))
			continue;
		lid = port_info_decode(s->ports[port].info).lid;
		end = lid + (1u << lmc);
		if (!lids_are_free(l, lid, end))
			continue;
		e->fit++;
		l->base[port] = (uint16_t)lid;
		l->lmc[port] = lmc;
		for (; lid < end; lid++)
			l->owner[lid] = port;
		if (end - 1 > l->top)
			l->top = (uint16_t)(end - 1);
	}
}

static void
fit_rows(struct sa_early *e, const struct sa_stored *d)
{
	const struct snapshot *s = e->s;
	struct fwd_tables *f = &e->fwd;

	*f = (struct fwd_tables){ .nswitches = s->nswitches, .stride = d->h.stride, .vls = 1,
		.top = (uint16_t)d->h.top };
	f->rows = fwd_rows_new((size_t)s->nswitches * f->stride);
	f->port = fwd_rows_bytes(f->rows);
	e->known = arena_array(&e->arena, BITS_WORDS(s->nswitches) + 1, sizeof(*e->known));
	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];
		const struct entry *was = entry_of(d->switches, d->h.nswitches, n->guid);

		if (was && was->value == 1 && n->flags & FAB_NODE_SWITCH_INFO &&
			switch_info_decode(n->switch_info).lft_top == d->h.top) {
			memcpy(fwd_row(f, i), d->rows + (size_t)(was - d->switches) * f->stride,
				f->stride);
			bits_set(e->known, i);
		} else {
			memset(fwd_row(f, i), FAB_LFT_DROP, f->stride);
		}
	}
}

struct sa_early *
sa_early_new(const struct sa_stored *d, const struct snapshot *s, const struct sa_view *conf,
	char *why, size_t whylen)
{
	const char *foreign = foreign_by(d, s, conf->gid_prefix);
	struct sa_view v = *conf;
	struct sa_early *e;

	snprintf(why, whylen, "%s", foreign ? foreign : "");
	if (foreign)
		return NULL;
	e = xcalloc(1, sizeof(*e));
	e->s = snapshot_copy(s);
	fit_lids(e, d);
	fit_rows(e, d);
	e->same = e->fit == e->all && sa_stored_print(e->s, &e->lids) == d->h.print &&
		conf->unread_pkey == PKEY_DEFAULT_FULL;
	v.s = e->s;
	v.lids = &e->lids;
	v.fwd = &e->fwd;
	v.sm_lid = (uint16_t)d->h.sm_lid;
	v.sm_sl = port_info_decode(s->ports[s->sm_port].info).master_sm_sl;
	v.ready = true;
	e->index = sa_index_new(&v);
	return e;
}

void
sa_early_free(struct sa_early *e)
{
	if (!e)
		return;
	sa_index_free(e->index);
	fwd_rows_drop(e->fwd.rows);
	snapshot_free(e->s);
	arena_clear(&e->arena);
	free(e);
}

/* Whether the switch has a table that was not read yet. */
static bool
is_unread(const struct fab_node *n)
{
	return n->flags & FAB_NODE_SWITCH_INFO && !n->lft &&
		switch_info_decode(n->switch_info).lft_top;
}

bool
sa_early_expect(const struct sa_early *e, struct snapshot *s)
{
	bool all = s->nswitches == e->fwd.nswitches && !s->lft_rows;

	for (uint32_t i = 0; all && i < s->nswitches; i++)
		all = !is_unread(&s->nodes[s->switches[i]]) || bits_test(e->known, i);
	if (!all)
		return false;
	s->lft_rows = fwd_rows_hold(e->fwd.rows);
	for (uint32_t i = 0; i < s->nswitches; i++) {
		struct fab_node *n = &s->nodes[s->switches[i]];

		if (!is_unread(n))
			continue;
		n->lft = fwd_row(&e->fwd, i);
		n->lft_blocks = e->fwd.top / LFT_BLOCK_BYTES + 1u;
		n->flags |= FAB_NODE_LFT;
	}
	return true;
}

struct sa_index *
sa_early_index(const struct sa_early *e)
{
	return e->index;
}

bool
sa_early_fits(const struct sa_early *e, uint32_t *fit, uint32_t *all)
{
	*fit = e->fit;
	*all = e->all;
	return e->same;
}

void
sa_early_refuse(const struct sa_early *e, const struct dgram *req, struct sa_stats *stats,
	struct dgram *out)
{
	sa_refuse(e->index, req, STATUS_BUSY, stats, out);
}

bool
sa_early_can(const struct sa_early *e, const struct dgram *req)
{
	uint8_t method = dgram_method(req->mad);

	if (method != METHOD_GET && !(method == METHOD_GET_TABLE && e->same))
		return false;
	switch (dgram_attr_id(req->mad)) {
	case CLASS_PORT_INFO_ID:
	case NODE_RECORD_ID:
	case PORT_INFO_RECORD_ID:
	case SWITCH_INFO_RECORD_ID:
	case LINK_RECORD_ID:
	case PATH_RECORD_ID:
		return true;
	}
	return false;
}

bool
sa_early_stands(const struct sa_early *e, const struct dgram *out)
{
	(void)e;
	return dgram_status(out->mad) == STATUS_OK &&
		(dgram_method(out->mad) == METHOD_GET_RESP || out->bytes > SA_HEAD_BYTES);
}
