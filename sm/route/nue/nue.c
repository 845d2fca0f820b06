/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue.c - engine nue: routes in the graph of channel dependencies, one destination after another.
 * Room: sm/route/nue.  Pure.
 *
 * Each LID gets a tree of paths from all switches.  A path may use a dependency between two
 * channels only if all dependencies used so far have no cycle with it (chanorder.h), so one VL
 * suffices, whatever the shape of the fabric.  Shorter paths come first, then those over less
 * loaded channels.  nue_search.h finds the paths of one destination; where it fails, the
 * destination takes the escape tree (nue_tree.h), so every connected fabric is routed.
 *
 * Without previous tables:
 *   trials   Dependencies used early block others, so the order of destinations decides how good
 *            the paths are.  One destination per switch is routed in several orders, and the
 *            dependencies of the trial with the least load on its busiest channel are kept.
 *   fill     All host LIDs are routed, leaf by leaf.
 *   balance  Each host LID in turn is taken out and routed again, now that all loads are known.
 *   rest     LIDs of switches.
 * With previous tables, all their paths that still arrive are entered first, and only the
 * missing paths are searched.  So the tables of a fabric that did not change stay the same, and
 * a loss moves no path that did not use the lost part.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/nue/nue.h"
#include "sm/route/model/prefs.h"
#include "sm/route/nue/nue_column.h"
#include "sm/route/nue/nue_tree.h"

/* Steps through the columns from one destination of a trial to the next, as percentages of their
 * number; 0: to the next column. */
static const uint8_t strides[] = { 0, 38, 47, 66, 97 };
#define TRIALS (sizeof(strides) / sizeof(strides[0]))
/* Trials stop when they have examined this many channels. */
#define TRIAL_WORK 100000000u

enum kept { KEPT_NONE, KEPT_PART, KEPT_ALL };

struct nue {
	const struct route_in *in;
	struct route_model m;
	struct chanorder_net net;
	struct chanorder order, other;  /* the best trial, and the present one */
	struct nue_search search;
	struct nue_tree tree;
	struct nue_columns columns;
	struct nue_dest *dests;         /* hosts, leaf by leaf, then switches */
	uint32_t ndests, nhosts;
	uint32_t *first, *count;        /* per column: its hosts in dests[] */
	uint8_t *kept;                  /* per destination: enum kept */
	uint32_t nkept, escapes;
};

static void
add_dest(struct nue *n, uint32_t sw, uint16_t lid, uint8_t via, bool host)
{
	n->dests[n->ndests++] = (struct nue_dest){ .sw = sw, .lid = lid, .via = via, .host = host };
}

/* Adds the LIDs of absent hosts of a switch; each port with one is a source of paths. */
static void
add_absent(struct nue *n, uint32_t sw)
{
	const struct swgraph *g = &n->m.g;
	uint64_t ports[4] = { 0 };

	for (uint32_t h = g->host_first[sw]; h < g->host_first[sw + 1]; h++)
		bits_set(ports, g->hosts[h].via);
	for (uint32_t i = 0; i < n->in->nabsent; i++) {
		const struct route_absent *absent = &n->in->absent[i];

		if (absent->sw != sw || absent->lid > n->m.lids->top ||
		    n->m.lids->owner[absent->lid] != FAB_NONE)
			continue;
		add_dest(n, sw, absent->lid, absent->port, true);
		n->columns.sources[sw] += !bits_test(ports, absent->port);
		bits_set(ports, absent->port);
	}
}

static void
make_dests(struct nue *n, struct arena *a)
{
	const struct route_model *m = &n->m;
	uint32_t total = m->lid_first[m->ncols] + n->in->nabsent;

	for (uint32_t c = 0; c < m->ncols; c++)
		total += m->own_n[c];
	n->dests = arena_array(a, total, sizeof(*n->dests));
	n->kept = arena_array(a, total, sizeof(*n->kept));
	n->first = arena_array(a, m->ncols, sizeof(*n->first));
	n->count = arena_array(a, m->ncols, sizeof(*n->count));
	for (uint32_t c = 0; c < m->ncols; c++) {
		n->first[c] = n->ndests;
		for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
			add_dest(n, m->col_sw[c], m->host_lids[i].lid, m->host_lids[i].via, true);
		add_absent(n, m->col_sw[c]);
		n->count[c] = n->ndests - n->first[c];
	}
	n->nhosts = n->ndests;
	for (uint32_t c = 0; c < m->ncols; c++)
		for (uint32_t i = 0; i < m->own_n[c]; i++)
			add_dest(n, m->col_sw[c], (uint16_t)(m->own_first[c] + i), 0, false);
}

/* Searches the column of a destination; the paths that the search has already may be kept.  False:
 * it needs the escape tree, and that cannot be reserved. */
static bool
search_column(struct nue *n, const struct nue_dest *d)
{
	struct chanorder *o = n->search.order;
	uint32_t part = n->tree.part[d->sw], size = n->tree.size[part];

	if (!nue_search_run(&n->search, size)) {
		chanorder_undo(o, 0);
		nue_search_begin(&n->search, d->sw);
		if (!nue_search_run(&n->search, size)) {
			chanorder_undo(o, 0);
			if (!n->tree.reserved[part] && !nue_tree_reserve(&n->tree, part, o))
				return false;
			nue_tree_column(&n->tree, d->sw, n->search.next);
			n->search.ordered = false;
			n->escapes++;
		}
	}
	chanorder_commit(o);
	return true;
}

/* Removes all dependencies except those of the escape trees. */
static void
begin_order(struct nue *n, struct chanorder *o)
{
	n->search.order = o;
	nue_columns_clear(&n->columns);
	chanorder_clear(o);
	for (uint32_t p = 0; p < n->tree.nparts; p++)
		nue_tree_reserve(&n->tree, p, o);
}

static uint32_t
common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Routes one host of each switch, in steps of 'percent' of the columns from the root's on.  Returns
 * the load of the busiest channel, per port; stops when it is not below 'limit'. */
static uint64_t
trial(struct nue *n, uint8_t percent, uint64_t limit)
{
	uint32_t ncols = n->m.ncols, stride = ncols * percent / 100 + !percent;
	uint32_t c = n->m.sw_col[n->tree.root[0]];

	stride += !stride;
	while (common_divisor(stride, ncols) != 1)
		stride++;
	for (uint32_t i = 0; i < ncols && n->columns.most < limit; i++, c = (c + stride) % ncols) {
		if (!n->count[c])
			continue;
		nue_search_begin(&n->search, n->m.col_sw[c]);
		search_column(n, &n->dests[n->first[c]]);
		nue_column_load(&n->columns, n->count[c]);
	}
	return n->columns.most;
}

/* Leaves the dependencies of the best trial in 'order', and no loads. */
static void
choose_order(struct nue *n)
{
	uint64_t least = UINT64_MAX, work = 0;

	for (size_t i = 0; i < TRIALS && (!i || work < TRIAL_WORK); i++) {
		uint64_t most;

		begin_order(n, &n->other);
		most = trial(n, strides[i], least);
		work += (uint64_t)n->net.n * n->m.g.nleaves;
		if (most < least) {
			struct chanorder swap = n->order;

			least = most;
			n->order = n->other;
			n->other = swap;
		}
	}
	n->search.order = &n->order;
	nue_columns_clear(&n->columns);
	n->escapes = 0;
}

static void
route_hosts(struct nue *n)
{
	for (uint32_t i = 0; i < 2 * n->nhosts; i++) {
		const struct nue_dest *d = &n->dests[i % n->nhosts];

		if (i == n->nhosts)
			n->escapes = 0;
		if (i >= n->nhosts)
			nue_column_take(&n->columns, d);
		nue_search_begin(&n->search, d->sw);
		search_column(n, d);
		nue_column_write(&n->columns, d, NULL);
	}
}

/* Enters all previous paths that still arrive, unless they close a cycle. */
static void
keep_previous(struct nue *n)
{
	n->nkept = 0;
	for (uint32_t i = 0; i < n->ndests; i++) {
		const struct nue_dest *d = &n->dests[i];
		uint32_t size = n->tree.size[n->tree.part[d->sw]];

		n->kept[i] = KEPT_NONE;
		nue_column_keep(&n->columns, d, n->in->previous);
		chanorder_commit(n->search.order);
		if (n->search.nsettled == size) {
			n->kept[i] = KEPT_ALL;
			nue_column_write(&n->columns, d, n->in->previous);
		} else if (n->search.nsettled > 1) {
			n->kept[i] = KEPT_PART;
		}
		n->nkept += n->search.nsettled > 1;
	}
}

/* Routes what is not complete from 'first' to 'end'.  LIDs of switches with hosts follow a host. */
static bool
complete(struct nue *n, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct nue_dest *d = &n->dests[i];
		uint32_t c = n->m.sw_col[d->sw];

		if (n->kept[i] == KEPT_ALL)
			continue;
		if (n->kept[i] == KEPT_NONE && !d->host && n->count[c]) {
			nue_column_copy(&n->columns, &n->dests[n->first[c]], d);
			continue;
		}
		nue_search_begin(&n->search, d->sw);
		if (n->kept[i] == KEPT_PART)
			nue_column_keep(&n->columns, d, n->in->previous);
		if (!search_column(n, d))
			return false;
		nue_column_write(&n->columns, d, n->kept[i] ? n->in->previous : NULL);
	}
	return true;
}

/* Keeps the previous tables and routes what is missing.  Returns false if no path can be kept. */
static bool
route_again(struct nue *n)
{
	if (!n->in->previous || n->in->previous->nswitches != n->m.g.nsw)
		return false;
	n->search.order = &n->order;
	keep_previous(n);
	if (!n->nkept)
		return false;
	if (complete(n, 0, n->ndests))
		return true;
	/* A destination needs an escape tree, and the kept paths leave no room for one: the tree is
	 * made first, and the paths that contradict it are not kept. */
	begin_order(n, &n->order);
	n->escapes = 0;
	keep_previous(n);
	return complete(n, 0, n->ndests);
}

static void
report(const struct nue *n, struct route_report *r)
{
	int used = 0;

	if (n->tree.nparts > 1) {
		used = snprintf(r->sentence, sizeof(r->sentence),
			"the switches are in %u parts without a link between them; each is routed "
			"by itself", n->tree.nparts);
		for (uint32_t p = 0; p < n->tree.nparts; p++)
			route_evidence_add(r, route_node(&n->m, n->tree.root[p]), FAB_NONE, 0,
				n->tree.size[p]);
	}
	if (n->escapes)
		snprintf(r->sentence + used, sizeof(r->sentence) - (size_t)used,
			"%s%u of %u LIDs are reached over the escape tree only",
			used ? "; " : "", n->escapes, n->ndests);
}

enum route_code
nue_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct nue n = { .in = in };

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "nue";
	r->pivot = FAB_NONE;
	if (route_model_make(in, &scratch, &n.m, r) != ROUTE_OK) {
		arena_clear(&scratch);
		return r->code;
	}
	prefs_weigh(&n.m, in->conf, &scratch);
	route_tables_init(&n.m, a, out);
	memset(out->port, FAB_LFT_DROP, (size_t)out->nswitches * out->stride);
	chanorder_net_make(&n.net, &n.m.g, &scratch);
	chanorder_init(&n.order, &n.net, &scratch);
	chanorder_init(&n.other, &n.net, &scratch);
	nue_search_init(&n.search, &n.net, &n.order, &scratch);
	nue_columns_init(&n.columns, &n.m, &n.search, out, &scratch);
	n.columns.weight = n.m.weight;
	nue_tree_make(&n.tree, &n.m, &n.net, &scratch);
	make_dests(&n, &scratch);
	if (!route_again(&n)) {
		memset(n.kept, KEPT_NONE, n.ndests * sizeof(*n.kept));
		choose_order(&n);
		route_hosts(&n);
		complete(&n, n.nhosts, n.ndests);
	}
	report(&n, r);
	arena_clear(&scratch);
	return r->code;
}
