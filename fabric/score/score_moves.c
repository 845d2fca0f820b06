/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_moves.c - compares two sets of tables column by column.
 * Room: fabric/score.  Pure.  In: old and new snapshot, LIDs, tables.  Out: struct score_moves.
 *
 * Only columns are followed whose entries differ, or which have an entry on a port whose link is
 * lost: in all others every path is unchanged.  In a column, four properties of each switch follow
 * from those of the next one: there is an old path, there is a new path, the old path is valid, the
 * two are the same.  Each host of the switch then counts as one pair.
 */
#include <config.h>
#include <string.h>
#include "fabric/score/score_moves.h"
#include "fabric/score/score_net.h"
#include "util/bits.h"

/* A host of the old snapshot. */
struct pair_end {
	uint32_t now;                   /* its port index in the new snapshot; FAB_NONE: lost */
	uint32_t sw;                    /* its switch now */
	uint16_t lid;                   /* its LID now */
	bool moved;                     /* it is linked to another port */
};

struct part {
	struct score_walk was, is;
	uint8_t *valid, *same;          /* [old nsw] */
	uint8_t *block, *needed;        /* [old nsw]: of the block of LIDs at hand */
	struct score_moves r;
};

struct moves {
	struct score_net was, is;
	uint32_t *sw_now;               /* [old nsw]: its ordinal in the new snapshot, FAB_NONE */
	uint8_t *alive;                 /* [old nports]: the link is still there */
	struct pair_end *ends;          /* [old nhosts] */
	uint32_t *host_of;              /* [old snapshot's nports]: index of the host, FAB_NONE */
	uint32_t *kept;                 /* [old nsw]: hosts that stayed where they were */
	uint32_t *movers, nmovers;      /* hosts that are linked to another port */
	uint32_t top;                   /* the highest LID of both */
	uint64_t *touched;              /* LIDs to follow */
	struct part *parts;
};

static uint64_t
node_guid(const struct score_net *n, uint32_t port)
{
	return n->s->nodes[n->s->ports[port].node].guid;
}

static uint32_t
port_index(const struct score_net *n, uint32_t sw, uint32_t num)
{
	return n->s->nodes[n->s->switches[sw]].first_port + num;
}

static uint32_t
lid_owner(const struct score_net *n, uint32_t lid)
{
	return lid <= n->l->top ? n->l->owner[lid] : FAB_NONE;
}

/* ---- what corresponds ---- */

/* Port indices of the old and the new snapshot; FAB_NONE: none. */
static bool
same_port(const struct moves *m, uint32_t a, uint32_t b)
{
	return a != FAB_NONE && b != FAB_NONE && node_guid(&m->was, a) == node_guid(&m->is, b) &&
		m->was.s->ports[a].num == m->is.s->ports[b].num;
}

/* Returns the port of the new snapshot that corresponds to an old one, or FAB_NONE. */
static uint32_t
port_now(const struct moves *m, uint32_t port)
{
	uint32_t node = snapshot_node_by_guid(m->is.s, node_guid(&m->was, port));
	uint8_t num = m->was.s->ports[port].num;

	return node == FAB_NONE || num > m->is.s->nodes[node].nports ?
		FAB_NONE :
		m->is.s->nodes[node].first_port + num;
}

static void
match_switches(struct moves *m)
{
	uint32_t k = 0;

	for (uint32_t sw = 0; sw < m->was.nsw; sw++) {
		uint64_t guid = m->was.s->nodes[m->was.s->switches[sw]].guid;

		while (k < m->is.nsw && m->is.s->nodes[m->is.s->switches[k]].guid < guid)
			k++;
		m->sw_now[sw] = k < m->is.nsw && m->is.s->nodes[m->is.s->switches[k]].guid == guid ?
			k :
			FAB_NONE;
		m->parts[0].r.switches_lost += m->sw_now[sw] == FAB_NONE;
	}
	m->parts[0].r.switches_new = m->is.nsw - (m->was.nsw - m->parts[0].r.switches_lost);
}

/* Port 'num' of old switch 'sw' leads to the same port as before. */
static bool
link_alive(const struct moves *m, uint32_t sw, uint32_t num)
{
	uint32_t now = m->sw_now[sw], a = port_index(&m->was, sw, num), b;

	if (now == FAB_NONE || num > m->is.s->nodes[m->is.s->switches[now]].nports)
		return false;
	if (num == 0)
		return true;
	a = m->was.s->ports[a].peer;
	b = m->is.s->ports[port_index(&m->is, now, num)].peer;
	return same_port(m, a, b);
}

static void
match_links(struct moves *m)
{
	for (uint32_t sw = 0; sw < m->was.nsw; sw++)
		for (uint32_t p = m->was.first[sw]; p < m->was.first[sw + 1]; p++)
			m->alive[p] = link_alive(m, sw, p - m->was.first[sw]);
}

static void
match_host(struct moves *m, uint32_t i, const uint32_t *new_host)
{
	const struct score_host *h = &m->was.hosts[i];
	struct pair_end *e = &m->ends[i];
	uint32_t now = port_now(m, h->port);
	const struct score_host *to;

	m->host_of[h->port] = i;
	e->now = FAB_NONE;
	if (now == FAB_NONE || new_host[now] == FAB_NONE)
		return;
	to = &m->is.hosts[new_host[now]];
	*e = (struct pair_end){ now, to->sw, to->lid, !m->alive[m->was.first[h->sw] + h->via] };
	if (e->moved)
		m->movers[m->nmovers++] = i;
	else
		m->kept[h->sw]++;
}

static void
match_hosts(struct moves *m, struct arena *a)
{
	uint32_t *new_host = arena_array(a, m->is.s->nports, sizeof(*new_host));
	struct score_moves *r = &m->parts[0].r;
	uint64_t both = 0, old = m->was.nhosts, new = m->is.nhosts;

	memset(new_host, 0xff, m->is.s->nports * sizeof(*new_host));
	memset(m->host_of, 0xff, m->was.s->nports * sizeof(*m->host_of));
	for (uint32_t i = 0; i < m->is.nhosts; i++)
		new_host[m->is.hosts[i].port] = i;
	for (uint32_t i = 0; i < m->was.nhosts; i++) {
		match_host(m, i, new_host);
		both += m->ends[i].now != FAB_NONE;
	}
	r->pairs = both * (both ? both - 1 : 0);
	r->pairs_gone = old * (old ? old - 1 : 0) - r->pairs;
	r->pairs_new = new *(new ? new - 1 : 0) - r->pairs;
}

/* ---- which columns ---- */

static void
touch_differing(struct moves *m, uint32_t sw, uint32_t now)
{
	uint32_t end = m->was.f->top < m->is.f->top ? m->was.f->top : m->is.f->top;
	const uint8_t *a = fwd_row(m->was.f, sw), *b = fwd_row(m->is.f, now);

	for (uint32_t lid = 0; lid <= m->top; lid += 64)
		if (lid + 63 > end || memcmp(a + lid, b + lid, 64) != 0)
			for (uint32_t i = lid; i <= m->top && i < lid + 64; i++)
				if (score_entry(&m->was, sw, i) != score_entry(&m->is, now, i))
					bits_set(m->touched, i);
}

/* Marks LIDs that an old switch sends by a port whose link is lost, or that had none. */
static void
touch_dead(struct moves *m, uint32_t sw)
{
	bool dead[256] = { false }, any = false;

	for (uint32_t p = m->was.first[sw]; p < m->was.first[sw + 1]; p++) {
		dead[p - m->was.first[sw]] = !m->alive[p];
		any |= !m->alive[p];
	}
	for (uint32_t lid = 1; any && lid <= m->was.f->top && lid <= m->top; lid++)
		if (dead[fwd_row(m->was.f, sw)[lid]])
			bits_set(m->touched, lid);
}

/* Hosts that moved send to every LID, and a LID with another owner leads to another port. */
static void
touch_moved(struct moves *m)
{
	for (uint32_t lid = 1; lid <= m->top; lid++) {
		uint32_t a = lid_owner(&m->was, lid), b = lid_owner(&m->is, lid);

		if (m->nmovers || (!same_port(m, a, b) && (a != FAB_NONE || b != FAB_NONE)))
			bits_set(m->touched, lid);
	}
}

static void
find_touched(struct moves *m)
{
	/* a switch that has gone has no hosts that stayed, and the links to it are dead */
	for (uint32_t sw = 0; sw < m->was.nsw; sw++)
		if (m->sw_now[sw] != FAB_NONE) {
			touch_differing(m, sw, m->sw_now[sw]);
			touch_dead(m, sw);
		}
	touch_moved(m);
}

/* ---- one column ---- */

/* Walks both columns from all switches, and finds which old paths are valid and which the same. */
static void
follow(struct part *p, const struct moves *m, uint16_t old_lid, uint16_t new_lid)
{
	const struct score_net *a = &m->was, *b = &m->is;

	score_walk_begin(&p->was, a);
	score_walk_begin(&p->is, b);
	for (uint32_t sw = 0; old_lid && sw < a->nsw; sw++)
		if (p->was.mark[sw] == SCORE_UNSEEN)
			score_walk_from(&p->was, a, sw, old_lid, lid_owner(a, old_lid));
	for (uint32_t sw = 0; new_lid && sw < b->nsw; sw++)
		if (p->is.mark[sw] == SCORE_UNSEEN)
			score_walk_from(&p->is, b, sw, new_lid, lid_owner(b, new_lid));
	for (uint32_t i = 0; i < p->was.norder; i++) {
		uint32_t sw = p->was.order[i], now = m->sw_now[sw], next;
		uint8_t num = score_entry(a, sw, old_lid);

		p->valid[sw] = p->same[sw] = 0;
		if (p->was.mark[sw] != SCORE_GOOD)
			continue;
		next = a->to[a->first[sw] + num];
		p->valid[sw] = m->alive[a->first[sw] + num] && (next == FAB_NONE || p->valid[next]);
		p->same[sw] = p->valid[sw] && now != FAB_NONE && p->is.mark[now] == SCORE_GOOD &&
			score_entry(b, now, new_lid) == num && (next == FAB_NONE || p->same[next]);
	}
}

/* 'k' pairs from old switch 'sw' and, if it is one of those left, new switch 'now'; 'moved': their
 * first link has gone. */
static void
count_pairs(struct part *p, uint64_t k, uint32_t sw, uint32_t now, bool moved)
{
	bool was = p->was.mark[sw] == SCORE_GOOD, is = p->is.mark[now] == SCORE_GOOD;

	if (!was)
		p->r.restored += is ? k : 0;
	if (!was || (p->same[sw] && !moved))
		return;
	p->r.moved += k;
	*(p->valid[sw] && !moved ? &p->r.needless : &p->r.broken) += k;
	p->r.lost += is ? 0 : k;
}

/* All pairs to old host 'to', whose columns were followed. */
static void
count_host(struct part *p, const struct moves *m, uint32_t to)
{
	for (uint32_t sw = 0; sw < m->was.nsw; sw++) {
		uint32_t k = m->kept[sw] - (sw == m->was.hosts[to].sw && !m->ends[to].moved);

		if (m->kept[sw] && k)
			count_pairs(p, k, sw, m->sw_now[sw], false);
	}
	for (uint32_t i = 0; i < m->nmovers; i++) {
		uint32_t from = m->movers[i];

		if (from != to)
			count_pairs(p, 1, m->was.hosts[from].sw, m->ends[from].sw, true);
	}
}

static void
count_entries(struct part *p, const struct moves *m, uint32_t lid, bool other_owner)
{
	for (uint32_t sw = 0; sw < m->was.nsw; sw++) {
		uint32_t now = m->sw_now[sw];
		bool was = p->was.mark[sw] == SCORE_GOOD, needless;

		if (now == FAB_NONE ||
			score_entry(&m->was, sw, lid) == score_entry(&m->is, now, lid))
			continue;
		needless = was && p->valid[sw] && !other_owner;
		p->r.entries++;
		if (needless)
			p->r.entries_needless++;
		else if (was || other_owner)
			p->r.entries_broken++;
		else
			p->r.entries_restored++;
		p->block[sw] = 1;
		p->needed[sw] |= !needless;
	}
}

static void
do_lid(struct part *p, const struct moves *m, uint16_t lid)
{
	uint32_t a = lid_owner(&m->was, lid), b = lid_owner(&m->is, lid);
	bool other = !same_port(m, a, b);
	uint32_t host = a == FAB_NONE ? FAB_NONE : m->host_of[a];

	if (a == FAB_NONE && b == FAB_NONE)
		return;
	follow(p, m, lid, lid);
	count_entries(p, m, lid, a != FAB_NONE && other);
	if (host != FAB_NONE && m->ends[host].now != FAB_NONE && m->was.hosts[host].lid == lid &&
		m->ends[host].lid == lid)
		count_host(p, m, host);
}

static void
end_block(struct part *p, const struct moves *m)
{
	for (uint32_t sw = 0; sw < m->was.nsw; sw++) {
		p->r.blocks += p->block[sw];
		p->r.blocks_needed += p->needed[sw];
	}
	memset(p->block, 0, m->was.nsw);
	memset(p->needed, 0, m->was.nsw);
}

static void
moves_part(void *data, unsigned i, unsigned n)
{
	struct moves *m = data;
	struct part *p = &m->parts[i];
	uint32_t blocks = m->top / LFT_BLOCK_BYTES + 1, end = stripes_first(blocks, i + 1, n);

	for (uint32_t b = stripes_first(blocks, i, n); b < end; b++) {
		if (!m->touched[b])     /* a block of LIDs is a word */
			continue;
		for (uint32_t k = 0; k < 64; k++)
			if (m->touched[b] >> k & 1 && b * 64 + k && b * 64 + k <= m->top)
				do_lid(p, m, (uint16_t)(b * 64 + k));
		end_block(p, m);
	}
	/* hosts that have another LID now */
	end = stripes_first(m->was.nhosts, i + 1, n);
	for (uint32_t h = stripes_first(m->was.nhosts, i, n); h < end; h++)
		if (m->ends[h].now != FAB_NONE && m->ends[h].lid != m->was.hosts[h].lid) {
			follow(p, m, m->was.hosts[h].lid, m->ends[h].lid);
			count_host(p, m, h);
		}
}

static void
add_part(struct score_moves *r, const struct score_moves *p)
{
	r->entries += p->entries;
	r->entries_broken += p->entries_broken;
	r->entries_restored += p->entries_restored;
	r->entries_needless += p->entries_needless;
	r->blocks += p->blocks;
	r->blocks_needed += p->blocks_needed;
	r->moved += p->moved;
	r->broken += p->broken;
	r->needless += p->needless;
	r->lost += p->lost;
	r->restored += p->restored;
}

static void
moves_init(struct moves *m, unsigned parts, struct arena *a)
{
	m->sw_now = arena_array(a, m->was.nsw, sizeof(*m->sw_now));
	m->alive = arena_alloc(a, m->was.nports);
	m->ends = arena_array(a, m->was.nhosts, sizeof(*m->ends));
	m->host_of = arena_array(a, m->was.s->nports, sizeof(*m->host_of));
	m->kept = arena_array(a, m->was.nsw, sizeof(*m->kept));
	m->movers = arena_array(a, m->was.nhosts, sizeof(*m->movers));
	m->top = m->was.l->top > m->is.l->top ? m->was.l->top : m->is.l->top;
	m->touched = arena_array(a, BITS_WORDS(m->top + 1u), sizeof(*m->touched));
	m->parts = arena_array(a, parts, sizeof(*m->parts));
	for (unsigned i = 0; i < parts; i++) {
		struct part *p = &m->parts[i];

		score_walk_init(&p->was, &m->was, a);
		score_walk_init(&p->is, &m->is, a);
		p->valid = arena_alloc(a, m->was.nsw);
		p->same = arena_alloc(a, m->was.nsw);
		p->block = arena_alloc(a, m->was.nsw);
		p->needed = arena_alloc(a, m->was.nsw);
	}
}

void
score_moves(const struct score_side *from, const struct score_side *to,
	const struct stripes *stripes, struct score_moves *r)
{
	unsigned parts = stripes_count(stripes);
	struct arena scratch = ARENA_INIT;
	struct moves m = { .nmovers = 0 };

	score_net_make(&m.was, from->snapshot, from->lids, from->tables, &scratch);
	score_net_hosts(&m.was, NULL, 0, &scratch);
	score_net_make(&m.is, to->snapshot, to->lids, to->tables, &scratch);
	score_net_hosts(&m.is, NULL, 0, &scratch);
	moves_init(&m, parts, &scratch);
	match_switches(&m);
	match_links(&m);
	match_hosts(&m, &scratch);
	find_touched(&m);
	stripes_each(stripes, moves_part, &m);
	*r = m.parts[0].r;
	for (unsigned i = 1; i < parts; i++)
		add_part(r, &m.parts[i].r);
	arena_clear(&scratch);
}
