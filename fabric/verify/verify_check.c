/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_check.c - checks a set of forwarding tables, or a change of them.
 * Room: fabric/verify.  Pure.  In: snapshot, LIDs, tables.  Out: unreachable destinations, loops,
 * and possible deadlocks.
 *
 * Scope all with one VL uses a shortcut: one pass over every entry records its turns (a bit per
 * switch, in-port, out-port) and the LIDs with an entry that is wrong by itself (dropped, dead
 * port, wrong exit).  A loop is a cycle of turns, so if the turns form no cycle, every walk ends;
 * and if no entry of a LID is wrong, it ends at the destination.  Then only LIDs with a wrong entry
 * are walked, or all of them if there is a cycle.
 *
 * Scope hosts: every LID is walked from every switch with hosts, each switch once, and only the
 * entries on these walks make turns.
 *
 * With a lane plan every LID is walked in both scopes, and all sources' SLs are pushed along its
 * entries (verify_lanes.h).  Of a change, LIDs whose entries differ make the turns of all mixtures
 * (verify_mix.c); the others make the same turns before and after.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify_kept.h"
#include "fabric/verify/verify_lanes.h"
#include "fabric/verify/verify_run.h"
#include "fabric/verify/verify_scan.h"
#include "util/bits.h"

static bool
leads_to_host(const struct verify_run *v, uint32_t port)
{
	uint32_t peer = v->s->ports[port].peer;

	return peer != FAB_NONE && v->s->nodes[v->s->ports[peer].node].sw == FAB_NONE;
}

static void
find_sources(struct verify_run *v)
{
	uint32_t nsw = v->s->nswitches, n = 0;

	v->leaf = arena_alloc(&v->arena, nsw);
	v->sources = arena_array(&v->arena, nsw, sizeof(*v->sources));
	for (uint32_t sw = 0; sw < nsw; sw++) {
		for (uint32_t c = v->g.first[sw] + 1; c < v->g.first[sw + 1]; c++)
			v->leaf[sw] |= leads_to_host(v, v->g.port[c]);
		if (v->leaf[sw])
			v->sources[n++] = sw;
	}
	v->nleaves = n;
	for (uint32_t sw = 0; sw < nsw && v->scope == VERIFY_ALL; sw++)
		if (!v->leaf[sw])
			v->sources[n++] = sw;
	v->nsources = n;
}

/* Marks the LIDs with two columns: those that differ, or all if the lane plans do. */
static void
find_changed(struct verify_run *v)
{
	size_t words = BITS_WORDS(v->l->top + 1u);

	if (v->ntables == 1)
		return;
	verify_mix_find(v);
	if (v->lanes && v->lanes->nplans > 1)
		memset(v->changed, 0xff, words * sizeof(*v->changed));
	for (uint32_t lid = 1; lid <= v->l->top; lid++)
		v->r->changed += v->l->owner[lid] != FAB_NONE && bits_test(v->changed, lid);
}

/* False: the lane plans are not valid. */
static bool
run_init(struct verify_run *v)
{
	unsigned nvls = verify_lanes_count(v);

	chan_graph_init_lanes(&v->g, v->s, nvls, &v->arena);
	find_sources(v);
	if (nvls > 1 && !verify_lanes_init(v))
		return false;
	v->r->vls = (uint8_t)nvls;
	v->bad = arena_array(&v->arena, BITS_WORDS(v->l->top + 1u), sizeof(*v->bad));
	find_changed(v);
	verify_parts_init(v);
	return true;
}

/* Scope all, one VL. */
static void
run_scan(struct verify_run *v, uint32_t *comp)
{
	verify_scan(&v->g, v->s, v->l, v->f[0], v->stripes, v->bad);
	v->scanned = v->mixes = true;
	if (v->r->changed)
		verify_lids(v);
	v->r->credit_loops = chan_graph_components(&v->g, &v->arena, comp);
	v->mixes = false;
	v->walks = true;
	v->which = v->r->credit_loops ? NULL : v->bad;
	verify_lids(v);
}

/* Forgets all that was found. */
static void
run_again(struct verify_run *v)
{
	struct verify_result *r = v->r;

	chan_graph_clear(&v->g);
	for (unsigned i = 1; i < v->nparts; i++)
		chan_graph_clear(&v->parts[i].g);
	memset(v->bad, 0, BITS_WORDS(v->l->top + 1u) * sizeof(*v->bad));
	r->unreachable = r->unreachable_switch = r->loops = r->credit_loops = 0;
	r->nlost = 0;
	r->partial = false;
	v->which = NULL;
	v->walks = false;
}

/* Checks a change by what was kept of the old tables; scope all, one VL.  False: there may be a
 * cycle; nothing is found yet. */
static bool
run_kept(struct verify_run *v, const struct verify_kept *k, uint32_t *comp)
{
	if (v->ntables == 1 || !verify_kept_fits(k, v))
		return false;
	verify_kept_apply(k, v);
	v->r->partial = true;
	v->which = v->changed;
	v->walks = v->mixes = true;
	verify_lids(v);
	if (!chan_graph_components(&v->g, &v->arena, comp))
		return true;
	run_again(v);
	return false;
}

/* Checks tables by what was kept of earlier ones; scope all, one VL.  False: as run_kept(). */
static bool
run_again_kept(struct verify_run *v, const struct verify_kept *k, uint32_t *comp)
{
	uint64_t *starts = arena_array(&v->arena, BITS_WORDS(v->g.nchans), sizeof(*starts));

	if (!k || !verify_kept_follow(k, v, starts))
		return false;
	for (uint32_t lid = 1; lid <= v->l->top; lid++)
		v->r->changed += v->l->owner[lid] != FAB_NONE && bits_test(v->changed, lid);
	v->r->partial = true;
	if (!chan_graph_components_from(&v->g, starts, &v->arena, comp)) {
		v->which = v->bad;
		v->walks = true;
		if (bits_next(v->bad, v->l->top + 1u, 0) <= v->l->top)
			verify_lids(v);
		return true;
	}
	run_again(v);
	v->changed = NULL;
	v->r->changed = 0;
	return false;
}

static void
run_walks(struct verify_run *v, uint32_t *comp)
{
	v->walks = v->mixes = true;
	v->turns = !v->lanes;
	verify_lids(v);
	if (v->lanes)
		verify_lanes_expand(v);
	v->r->credit_loops = chan_graph_components(&v->g, &v->arena, comp);
}

/* The dependencies that were found, held by the caller. */
static struct fwd_rows *
copy_turns(const struct verify_run *v, struct verify_kept *const *kept)
{
	size_t bytes = v->g.word[v->g.nsw] * sizeof(*v->g.bits);
	struct fwd_rows *rows;

	if (!v->r->ok || v->r->partial || v->ntables > 1)
		return NULL;
	if (kept && v->scope == VERIFY_ALL && !v->lanes)
		return verify_kept_turns(*kept);
	rows = fwd_rows_new(bytes);
	memcpy(fwd_rows_bytes(rows), v->g.bits, bytes);
	return rows;
}

static void
run_all(struct verify_run *v, struct verify_kept **kept, struct fwd_rows **turns)
{
	struct verify_result *r = v->r;
	uint32_t *comp;

	if (!run_init(v))
		return;
	comp = arena_array(&v->arena, v->g.nchans, sizeof(*comp));
	if (v->scope == VERIFY_HOSTS || v->lanes)
		run_walks(v, comp);
	else if (!kept || !(v->again ? run_again_kept(v, *kept, comp) : run_kept(v, *kept, comp)))
		run_scan(v, comp);
	for (uint32_t lid = 1; lid <= v->l->top; lid++)
		r->walks += v->l->owner[lid] == FAB_NONE ? 0 : v->nsources;
	r->channels = chan_graph_channels(&v->g) * r->vls;
	r->dependencies = chan_graph_dependencies(&v->g);
	if (r->credit_loops)
		verify_show_cycle(v, comp);
	r->ok = !r->unreachable && !r->loops && !r->credit_loops;
	if (r->ok && kept && v->scope == VERIFY_ALL && !v->lanes)
		verify_kept_store(kept, v);
	if (turns)
		*turns = copy_turns(v, kept);
}

static void
check(const struct verify_in *in, const struct fwd_tables *old, bool again,
	struct verify_result *r)
{
	struct verify_run v = { .s = in->snapshot,
		.l = in->lids,
		.f = { in->tables, old },
		.ntables = old ? 2 : 1,
		.scope = in->scope,
		.stripes = in->stripes,
		.again = again,
		.r = r,
		.arena = ARENA_INIT };

	memset(r, 0, sizeof(*r));
	r->scope = in->scope;
	if (in->turns)
		*in->turns = NULL;
	if (!verify_lanes_valid(in, in->tables, old ? "new " : "", r) ||
		(old && !verify_lanes_valid(in, old, "old ", r)))
		return;
	run_all(&v, in->kept, in->turns);
	arena_clear(&v.arena);
}

void
verify_check(const struct verify_in *in, struct verify_result *r)
{
	check(in, NULL, false, r);
}

void
verify_again(const struct verify_in *in, struct verify_result *r)
{
	check(in, NULL, true, r);
}

void
verify_change(const struct verify_in *in, const struct fwd_tables *old, struct verify_result *r)
{
	check(in, old, false, r);
}

bool
verify_turns(const struct verify_in *in, struct verify_run *v)
{
	uint32_t *comp;

	*v = (struct verify_run){ .s = in->snapshot,
		.l = in->lids,
		.f = { in->tables },
		.ntables = 1,
		.scope = in->scope,
		.stripes = in->stripes,
		.arena = ARENA_INIT };
	v->r = arena_alloc(&v->arena, sizeof(*v->r));
	v->r->scope = in->scope;
	if (!verify_lanes_valid(in, in->tables, "", v->r) || !run_init(v))
		return false;
	if (v->scope == VERIFY_ALL && !v->lanes) {
		verify_scan(&v->g, v->s, v->l, v->f[0], v->stripes, v->bad);
		return true;
	}
	comp = arena_array(&v->arena, v->g.nchans, sizeof(*comp));
	run_walks(v, comp);
	return true;
}

void
verify_tables(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f,
	enum verify_scope scope, struct verify_result *r)
{
	struct verify_in in = { .snapshot = s, .lids = l, .tables = f, .scope = scope };

	check(&in, NULL, false, r);
}
