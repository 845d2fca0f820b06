/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_kept.c - the turns of tables that were verified, for the proof of the next change.
 * Room: fabric/verify.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/verify/verify_kept.h"
#include "util/bits.h"
#include "util/xalloc.h"

void
verify_kept_free(struct verify_kept *k)
{
	if (!k)
		return;
	free(k->guid);
	free(k->first);
	free(k->far);
	free(k->owner);
	free(k->at);
	free(k->bad);
	fwd_rows_drop(k->turns);
	fwd_rows_drop(k->tables.rows);
	free(k);
}

static uint64_t
switch_guid(const struct verify_run *v, uint32_t sw)
{
	return v->s->nodes[v->s->switches[sw]].guid;
}

uint64_t
verify_owner_guid(const struct verify_run *v, uint32_t lid)
{
	uint32_t port = v->l->owner[lid];

	return port == FAB_NONE ? 0 : v->s->nodes[v->s->ports[port].node].guid;
}

uint32_t
verify_owner_at(const struct verify_run *v, uint32_t lid)
{
	uint32_t port = v->l->owner[lid], sw;

	if (port == FAB_NONE)
		return FAB_NONE;
	sw = v->s->nodes[v->s->ports[port].node].sw;
	if (sw != FAB_NONE)
		return v->g.first[sw];
	port = v->s->ports[port].peer;
	sw = port == FAB_NONE ? FAB_NONE : v->s->nodes[v->s->ports[port].node].sw;
	return sw == FAB_NONE ? FAB_NONE : v->g.first[sw] + v->s->ports[port].num;
}

bool
verify_kept_fits(const struct verify_kept *k, const struct verify_run *v)
{
	if (!k || k->nsw != v->g.nsw || k->nports != v->g.nports || k->top != v->l->top ||
	    memcmp(k->first, v->g.first, ((size_t)k->nsw + 1) * sizeof(*k->first)) != 0)
		return false;
	for (uint32_t sw = 0; sw < k->nsw; sw++)
		if (k->guid[sw] != switch_guid(v, sw))
			return false;
	return true;
}

/* Port 'c' leads elsewhere: no packet that came or left by it before counts, and the LIDs that
 * leave by it make other turns. */
static void
replug(struct verify_run *v, uint32_t c)
{
	struct chan_graph *g = &v->g;
	uint32_t sw = g->sw[c], num = c - g->first[sw], words = chan_graph_words(g, sw);

	memset(chan_graph_row(g, sw, num), 0, words * sizeof(*g->bits));
	for (uint32_t in = 0; in < g->first[sw + 1] - g->first[sw]; in++)
		bits_clear(chan_graph_row(g, sw, in), num);
	for (unsigned t = 0; t < v->ntables; t++)
		for (uint32_t lid = 1; lid <= v->f[t]->top && lid <= v->l->top; lid++)
			if (fwd_row(v->f[t], sw)[lid] == num)
				bits_set(v->changed, lid);
}

void
verify_kept_apply(const struct verify_kept *k, struct verify_run *v)
{
	memcpy(v->g.bits, fwd_rows_bytes(k->turns), v->g.word[v->g.nsw] * sizeof(*v->g.bits));
	for (uint32_t c = 0; c < k->nports; c++)
		if (v->g.hop[c].chan != k->far[c])
			replug(v, c);
	for (uint32_t lid = 1; lid <= k->top; lid++)
		if (k->owner[lid] != verify_owner_guid(v, lid) ||
		    k->at[lid] != verify_owner_at(v, lid) ||
		    bits_test(k->bad, lid))
			bits_set(v->changed, lid);
}

/* Holds the tables, or copies those that cannot be held. */
static struct fwd_tables
keep_tables(const struct fwd_tables *f)
{
	struct fwd_tables t = *f;
	size_t bytes = (size_t)f->nswitches * f->stride;

	t.lanes = NULL;
	if (fwd_rows_hold(f->rows))
		return t;
	t.rows = fwd_rows_new(bytes);
	t.port = fwd_rows_bytes(t.rows);
	if (bytes)
		memcpy(t.port, f->port, bytes);
	return t;
}

struct fwd_rows *
verify_kept_turns(const struct verify_kept *k)
{
	return k ? fwd_rows_hold(k->turns) : NULL;
}

void
verify_kept_store(struct verify_kept **old, const struct verify_run *v)
{
	struct verify_kept *k = xcalloc(1, sizeof(*k));
	size_t lids = v->l->top + 1u, bytes = v->g.word[v->g.nsw] * sizeof(*v->g.bits);

	k->nsw = v->g.nsw;
	k->nports = v->g.nports;
	k->top = v->l->top;
	k->guid = xcalloc(k->nsw + 1u, sizeof(*k->guid));
	for (uint32_t sw = 0; sw < k->nsw; sw++)
		k->guid[sw] = switch_guid(v, sw);
	k->first = xmemdup(v->g.first, ((size_t)k->nsw + 1) * sizeof(*k->first));
	k->far = xcalloc(k->nports + 1u, sizeof(*k->far));
	for (uint32_t c = 0; c < k->nports; c++)
		k->far[c] = v->g.hop[c].chan;
	k->owner = xcalloc(lids, sizeof(*k->owner));
	k->at = xcalloc(lids, sizeof(*k->at));
	for (uint32_t lid = 1; lid < lids; lid++) {
		k->owner[lid] = verify_owner_guid(v, lid);
		k->at[lid] = verify_owner_at(v, lid);
	}
	k->bad = xmemdup(v->bad, BITS_WORDS(lids) * sizeof(*k->bad));
	k->turns = fwd_rows_new(bytes);
	memcpy(fwd_rows_bytes(k->turns), v->g.bits, bytes);
	k->tables = keep_tables(v->f[0]);
	verify_kept_free(*old);
	*old = k;
}
