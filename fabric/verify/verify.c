/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify.c - checks a set of forwarding tables.
 * Room: fabric/verify.  Pure.  In: snapshot, LIDs, tables.  Out: unreachable destinations, loops,
 * and possible deadlocks.
 *
 * Scope all uses a shortcut: one pass over every entry records its turns (a bit per switch,
 * in-port, out-port) and the LIDs with an entry that is wrong by itself (dropped, dead port, wrong
 * exit).  A loop is a cycle of turns, so if the turns form no cycle, every walk ends; and if no
 * entry of a LID is wrong, it ends at the destination.  Then only LIDs with a wrong entry are
 * walked, or all of them if there is a cycle.
 *
 * Scope hosts: every LID is walked from every switch with hosts, each switch once, and only the
 * entries on these walks make turns.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify.h"
#include "fabric/verify/verify_scan.h"
#include "fabric/snapshot/walk.h"
#include "util/bits.h"

#define BLOCK 64                        /* LIDs walked at a time: one cache line of each row */

enum mark { UNSEEN, OPEN, GOOD, LOST, LOOPS };

struct verify_run {
	const struct snapshot *s;
	const struct lid_map *l;
	const struct fwd_tables *f;
	struct verify_result *r;
	struct arena arena;
	struct chan_graph g;
	uint32_t *sources;              /* switches: first those with hosts */
	uint32_t nleaves, nsources;
	uint64_t *bad;                  /* LIDs with a wrong entry */
	uint8_t *mark;                  /* per switch, enum mark, for the LID being walked */
	uint32_t *path;                 /* switches of the walk */
	uint8_t *block;                 /* [nsw][BLOCK]: the LIDs around the one being walked */
	bool turns;                     /* walks add their turns to the graph */
};

static uint32_t
lid_owner(const struct verify_run *v, uint32_t lid)
{
	return lid <= v->l->top ? v->l->owner[lid] : FAB_NONE;
}

/* ---- walking ---- */

static uint8_t
block_entry(const struct verify_run *v, uint32_t sw, uint32_t lid)
{
	return v->block[sw * BLOCK + lid % BLOCK];
}

static void
load_block(struct verify_run *v, uint32_t lid)
{
	uint32_t first = lid - lid % BLOCK;
	uint32_t n = first > v->f->top ? 0 : v->f->top + 1u - first < BLOCK ?
		v->f->top + 1u - first : BLOCK;

	for (uint32_t sw = 0; sw < v->g.nsw; sw++) {
		memcpy(&v->block[sw * BLOCK], fwd_row(v->f, sw) + first, n);
		memset(&v->block[sw * BLOCK + n], FAB_LFT_DROP, BLOCK - n);
	}
}

static void
note_lost(struct verify_run *v, uint32_t sw, uint32_t lid, uint8_t port, enum walk_end why)
{
	if (v->r->nlost < VERIFY_EVIDENCE_MAX)
		v->r->lost[v->r->nlost++] = (struct verify_walk){ v->s->switches[sw], (uint16_t)lid,
			port,
			(uint8_t)why };
}

/* Follows the entries for 'lid' from 'sw' until a switch whose end is known, or the end; marks
 * all on the way. */
static void
walk_from(struct verify_run *v, uint32_t sw, uint32_t lid)
{
	uint32_t n = 0;
	uint8_t end;

	while (v->mark[sw] == UNSEEN) {
		uint8_t port = block_entry(v, sw, lid);
		const struct chan_hop *h = chan_graph_hop(&v->g, sw, port);

		v->mark[sw] = OPEN;
		v->path[n++] = sw;
		if (!h || h->sw == FAB_NONE) {
			enum walk_end e = verify_exit(v->s, v->l, sw, lid, port);

			v->mark[sw] = e == WALK_ARRIVED ? GOOD : LOST;
			if (e != WALK_ARRIVED)
				note_lost(v, sw, lid, port, e);
			break;
		}
		if (v->turns)
			chan_graph_add(&v->g, h->sw, h->chan - v->g.first[h->sw],
				block_entry(v, h->sw, lid));
		sw = h->sw;
	}
	if (v->mark[sw] == OPEN)
		note_lost(v, sw, lid, block_entry(v, sw, lid), WALK_LOOP);
	end = v->mark[sw] == OPEN ? LOOPS : v->mark[sw];
	while (n)
		v->mark[v->path[--n]] = end;
}

/* Marks where the walks to 'lid' from all sources end. Its block is loaded. */
static void
walk_all(struct verify_run *v, uint32_t lid)
{
	memset(v->mark, UNSEEN, v->g.nsw);
	for (uint32_t i = 0; i < v->nsources; i++)
		if (v->mark[v->sources[i]] == UNSEEN)
			walk_from(v, v->sources[i], lid);
}

static void
count_ends(struct verify_run *v)
{
	bool loops = false;

	for (uint32_t i = 0; i < v->nsources; i++) {
		uint8_t m = v->mark[v->sources[i]];

		if (m == GOOD)
			continue;
		loops |= m == LOOPS;
		if (i < v->nleaves)
			v->r->unreachable++;
		else
			v->r->unreachable_switch++;
	}
	v->r->loops += loops;
}

/* Walks every LID that has an owner and, when 'which' is not NULL, is a member of it. */
static void
walk_lids(struct verify_run *v, const uint64_t *which)
{
	uint32_t loaded = UINT32_MAX;

	for (uint32_t lid = 1; lid <= v->l->top; lid++) {
		if (lid_owner(v, lid) == FAB_NONE || (which && !bits_test(which, lid)))
			continue;
		if (loaded != lid / BLOCK)
			load_block(v, lid);
		loaded = lid / BLOCK;
		walk_all(v, lid);
		count_ends(v);
	}
}

/* ---- evidence ---- */

/* A LID that makes a packet received by channel 'a' go on by channel 'b'; 0 if none is found. */
static uint16_t
edge_lid(struct verify_run *v, uint32_t a, uint32_t b)
{
	uint32_t q = v->g.sw[a];
	const struct fab_port *sender = &v->s->ports[v->s->ports[v->g.port[a]].peer];
	uint32_t p = v->s->nodes[sender->node].sw;
	uint8_t out = v->s->ports[v->s->ports[v->g.port[b]].peer].num;
	uint32_t end = v->f->top < v->l->top ? v->f->top : v->l->top;

	for (uint32_t lid = 1; lid <= end; lid++) {
		if (fwd_row(v->f, p)[lid] != sender->num || fwd_row(v->f, q)[lid] != out ||
		    v->l->owner[lid] == FAB_NONE)
			continue;
		if (v->r->scope == VERIFY_ALL)
			return (uint16_t)lid;
		load_block(v, lid);
		walk_all(v, lid);
		if (v->mark[p] != UNSEEN)
			return (uint16_t)lid;
	}
	return 0;
}

static void
show_cycle(struct verify_run *v, const uint32_t *comp)
{
	uint32_t chans[VERIFY_CYCLE_MAX + 1];
	uint32_t len = chan_graph_cycle(&v->g, &v->arena, comp, 1, chans, VERIFY_CYCLE_MAX + 1);
	unsigned lost = v->r->nlost;

	v->r->ncycle = len < VERIFY_CYCLE_MAX ? len : VERIFY_CYCLE_MAX;
	v->turns = false;
	for (uint32_t i = 0; i < v->r->ncycle; i++) {
		v->r->cycle[i] = v->g.port[chans[i]];
		v->r->cycle_lid[i] = edge_lid(v, chans[i], i + 1 < len ? chans[i + 1] : chans[0]);
	}
	v->r->nlost = lost;
}

static void
run_init(struct verify_run *v)
{
	uint32_t nsw = v->s->nswitches, n = 0;
	uint8_t *leaf;

	chan_graph_init(&v->g, v->s, &v->arena);
	leaf = arena_alloc(&v->arena, nsw);
	v->sources = arena_array(&v->arena, nsw, sizeof(*v->sources));
	v->path = arena_array(&v->arena, nsw, sizeof(*v->path));
	v->mark = arena_alloc(&v->arena, nsw);
	v->block = arena_array(&v->arena, nsw, BLOCK);
	v->bad = arena_array(&v->arena, BITS_WORDS(v->l->top + 1u), sizeof(*v->bad));
	for (uint32_t sw = 0; sw < nsw; sw++) {
		for (uint32_t c = v->g.first[sw] + 1; c < v->g.first[sw + 1]; c++) {
			uint32_t peer = v->s->ports[v->g.port[c]].peer;

			leaf[sw] |= peer != FAB_NONE && v->s->nodes[v->s->ports[peer].node].sw ==
				FAB_NONE;
		}
		if (leaf[sw])
			v->sources[n++] = sw;
	}
	v->nleaves = n;
	for (uint32_t sw = 0; sw < nsw && v->r->scope == VERIFY_ALL; sw++)
		if (!leaf[sw])
			v->sources[n++] = sw;
	v->nsources = n;
}

void
verify_tables(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f,
	enum verify_scope scope, struct verify_result *r)
{
	struct verify_run v = { .s = s, .l = l, .f = f, .r = r, .arena = ARENA_INIT };
	uint32_t *comp;

	memset(r, 0, sizeof(*r));
	r->scope = scope;
	run_init(&v);
	comp = arena_array(&v.arena, v.g.nchans, sizeof(*comp));
	if (scope == VERIFY_ALL) {
		verify_scan(&v.g, s, l, f, v.bad);
		r->credit_loops = chan_graph_components(&v.g, &v.arena, comp);
		walk_lids(&v, r->credit_loops ? NULL : v.bad);
	} else {
		v.turns = true;
		walk_lids(&v, NULL);
		r->credit_loops = chan_graph_components(&v.g, &v.arena, comp);
	}
	for (uint32_t lid = 1; lid <= l->top; lid++)
		r->walks += l->owner[lid] == FAB_NONE ? 0 : v.nsources;
	r->channels = chan_graph_channels(&v.g);
	r->dependencies = chan_graph_dependencies(&v.g);
	if (r->credit_loops)
		show_cycle(&v, comp);
	r->ok = !r->unreachable && !r->loops && !r->credit_loops;
	arena_clear(&v.arena);
}
