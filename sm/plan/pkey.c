/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey.c - the members of each partition, and the index of each key.
 * Room: sm/plan.  Pure.  In: the tables that were read, the partitions.  Out: the wanted tables.
 *
 * 1. Apply the rules of each partition and mark its members.  That gives each end port its keys, by
 *    P_Key.
 * 2. Place the keys of each end port: first the key that belongs at index 0 (Default's, unless a
 *    partition says indx0), then keys that the table already holds, then the others at the lowest
 *    free indices.
 * 3. Give each switch port that faces a host the same partitions, as full keys: a full entry lets
 *    limited and full members pass, and two limited keys never match (docs/wire.md).
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/plan/pkey.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define BASE(key) ((key) & PKEY_BASE_MASK)

/* A port's P_Keys by base, full before limited: keys[0..n-1]. */
struct wants {
	const uint16_t *keys;
	uint32_t n;
	uint16_t at_zero;               /* the key for index 0; 0: none */
};

struct membership {
	uint32_t end;                   /* index into snapshot.endports[] */
	uint16_t key;
	bool indx0;
};

struct members {
	struct membership *v;
	size_t n, cap;
	/* of the current partition, by end port: enum part_member, MARK_INDX0 */
	uint8_t *mark;
	uint32_t *first;                /* by end port: index of its first key */
	/* the keys of end port i are keys[first[i]..first[i + 1] - 1] */
	uint16_t *keys;
	uint16_t *zero;                 /* by end port: the partition that says indx0 */
};

#define MARK_INDX0 4

/* ---- members ---- */

static bool
who_fits(const struct snapshot *s, uint32_t port, uint8_t who)
{
	uint8_t type = s->nodes[s->ports[port].node].type;

	switch ((enum part_who)who) {
	case PART_ALL:
		return true;
	case PART_ALL_CAS:
		return type == NODE_TYPE_CA;
	case PART_ALL_SWITCHES:
		return type == NODE_TYPE_SWITCH;
	case PART_ALL_ROUTERS:
		return type == NODE_TYPE_ROUTER;
	case PART_SELF:
		return port == s->sm_port;
	case PART_GUIDS:
		break;
	}
	return false;
}

/* The first end port whose GUID is not less. */
static uint32_t
lower_bound(const struct snapshot *s, uint64_t guid)
{
	uint32_t at;

	BISECT(at, s->nendports, s->ports[s->endports[at]].guid < guid);
	return at;
}

static void
mark_rule(const struct snapshot *s, const struct part_rule *r, uint8_t *mark)
{
	uint8_t m = (uint8_t)(r->member | (r->indx0 ? MARK_INDX0 : 0));

	if (r->who == PART_GUIDS) {
		for (uint32_t i = lower_bound(s, r->first);
			i < s->nendports && s->ports[s->endports[i]].guid <= r->last; i++)
			mark[i] = m;
		return;
	}
	for (uint32_t i = 0; i < s->nendports; i++)
		if (who_fits(s, s->endports[i], r->who))
			mark[i] = m;
}

static void
add_member(struct members *m, uint32_t end, uint16_t key, bool indx0)
{
	GROW(m->v, m->n, m->cap, 1024);
	m->v[m->n++] = (struct membership){ end, key, indx0 };
}

static void
add_partition(const struct snapshot *s, const struct pkey_conf *c, const struct partition *p,
	struct members *m)
{
	memset(m->mark, 0, s->nendports);
	for (uint32_t i = 0; i < p->nrules; i++)
		mark_rule(s, &p->rules[i], m->mark);
	for (uint32_t i = 0; i < s->nendports; i++) {
		uint8_t mark = m->mark[i];

		if (mark & PART_FULL)
			add_member(m, i, p->pkey | PKEY_MEMBER_FULL, mark & MARK_INDX0);
		if (mark & PART_LIMITED && (!(mark & PART_FULL) || c->allow_both))
			add_member(m, i, p->pkey, mark & MARK_INDX0);
	}
}

/* The keys of all end ports.  Partitions are sorted by P_Key, so each port's keys are, too. */
static void
members_make(const struct snapshot *s, const struct pkey_conf *c, struct members *m)
{
	uint32_t *at;

	memset(m, 0, sizeof(*m));
	m->mark = xcalloc((size_t)s->nendports + 1, 1);
	m->zero = xcalloc((size_t)s->nendports + 1, sizeof(*m->zero));
	m->first = xcalloc((size_t)s->nendports + 1, sizeof(*m->first));
	for (uint32_t i = 0; i < c->partitions->n; i++)
		add_partition(s, c, &c->partitions->v[i], m);
	for (size_t i = 0; i < m->n; i++)
		m->first[m->v[i].end + 1]++;
	for (uint32_t i = 0; i < s->nendports; i++)
		m->first[i + 1] += m->first[i];
	m->keys = xcalloc(m->n + 1, sizeof(*m->keys));
	at = xmemdup(m->first, ((size_t)s->nendports + 1) * sizeof(*at));
	for (size_t i = 0; i < m->n; i++) {
		const struct membership *v = &m->v[i];

		m->keys[at[v->end]++] = v->key;
		if (v->indx0 && !m->zero[v->end])
			m->zero[v->end] = v->key;
	}
	free(at);
}

static void
members_clear(struct members *m)
{
	free(m->v);
	free(m->mark);
	free(m->first);
	free(m->keys);
	free(m->zero);
}

/* The keys of end port number 'end'. */
static struct wants
wants_of(const struct members *m, uint32_t end)
{
	struct wants w = { m->keys + m->first[end], m->first[end + 1] - m->first[end],
		m->zero[end] };

	for (uint32_t i = 0; i < w.n && !w.at_zero; i++)
		if (BASE(w.keys[i]) == PKEY_DEFAULT_LIMITED)
			w.at_zero = w.keys[i];
	return w;
}

/* ---- places ---- */

/* The wanted key that the entry 'have' stands for and that is not placed yet: the same key,
 * otherwise one with the same base. */
static uint32_t
find_unplaced(const struct wants *w, const bool *placed, uint16_t have)
{
	uint32_t at, best = w->n;

	BISECT(at, w->n, BASE(w->keys[at]) < BASE(have));
	for (uint32_t i = at; i < w->n && BASE(w->keys[i]) == BASE(have); i++)
		if (!placed[i] && (best == w->n || w->keys[i] == have))
			best = i;
	return best;
}

/* Whether the table holds exactly this key; then no other entry may stand for it. */
static bool
has_key(const uint16_t *table, uint32_t room, uint16_t key)
{
	for (uint32_t i = 1; i < room; i++)
		if (table[i] == key)
			return true;
	return false;
}

static void
keep_places(
	const struct wants *w, const uint16_t *have, uint32_t room, uint16_t *table, bool *placed)
{
	for (uint32_t i = 0; i < room; i++) {
		uint32_t k;

		if (table[i] || !BASE(have[i]))
			continue;
		k = find_unplaced(w, placed, have[i]);
		if (k == w->n || (i == 0 && w->at_zero) ||
		    (w->keys[k] != have[i] && has_key(have, room, w->keys[k])))
			continue;
		table[i] = w->keys[k];
		placed[k] = true;
	}
}

/* Places 'w' in a table of 'room' entries that holds 'have'.  Returns the number of keys that
 * did not fit. */
static uint32_t
place_keys(const struct wants *w, bool keep, const uint16_t *have, uint32_t room, uint16_t *table)
{
	bool *placed = xcalloc((size_t)w->n + 1, sizeof(*placed));
	uint32_t left = 0, at = 0;

	memset(table, 0, room * sizeof(*table));
	for (uint32_t k = 0; k < w->n && room; k++)
		if (w->at_zero && w->keys[k] == w->at_zero) {
			table[0] = w->at_zero;
			placed[k] = true;
		}
	if (keep)
		keep_places(w, have, room, table, placed);
	for (uint32_t k = 0; k < w->n; k++) {
		if (placed[k])
			continue;
		while (at < room && table[at])
			at++;
		if (at < room)
			table[at] = w->keys[k];
		else
			left++;
	}
	free(placed);
	return left;
}

/* ---- tables ---- */

struct making {
	const struct snapshot *s;
	const struct pkey_conf *c;
	struct pkey_plan *out;
	uint32_t nblocks, problems_cap;
};

static void
report_problem(struct making *m, uint32_t port, enum pkey_problem_kind kind, uint32_t wanted,
	uint32_t room)
{
	if (m->out->nproblems < m->problems_cap)
		m->out->problems[m->out->nproblems++] =
			(struct pkey_problem){ port, (uint8_t)kind, wanted, room };
}

/* The number of P_Keys that a table can hold, limited to the blocks that were read. */
static uint32_t
room_of(const struct snapshot *s, uint32_t port, uint16_t cap, uint32_t *blocks)
{
	const struct fab_port *p = &s->ports[port];

	*blocks = p->pkeys == FAB_NONE ? 0 : p->more_pkeys + 1u;
	return cap < *blocks * PKEY_BLOCK_KEYS ? cap : *blocks * PKEY_BLOCK_KEYS;
}

static uint16_t
end_cap(const struct snapshot *s, uint32_t port)
{
	return (uint16_t)ATTR_GET(node_info, partition_cap, s->nodes[s->ports[port].node].node_info);
}

/* Writes the wanted images of 'blocks' blocks.  Bytes beyond the table's end stay unchanged. */
static void
put_table(struct making *m, uint32_t port, uint32_t blocks, const uint16_t *table, uint32_t room)
{
	const struct fab_port *p = &m->s->ports[port];
	uint8_t (*to)[PKEY_TABLE_BYTES] = &m->out->blocks[m->nblocks];

	memcpy(to, m->s->pkey_blocks[p->pkeys], blocks * sizeof(*to));
	for (uint32_t i = 0; i < room; i++)
		ATTR_SET_ITEM(
			pkey_table, pkey, to[i / PKEY_BLOCK_KEYS], i % PKEY_BLOCK_KEYS, table[i]);
	m->out->first[port] = m->nblocks + 1;
	m->out->nblocks[port] = (uint16_t)blocks;
	m->nblocks += blocks;
}

/* Places 'w' in the port's table; returns the number of keys that did not fit. */
static uint32_t
plan_table(struct making *m, uint32_t port, const struct wants *w, uint32_t blocks, uint32_t room)
{
	uint16_t have[PKEY_BLOCKS_MAX * PKEY_BLOCK_KEYS], table[PKEY_BLOCKS_MAX * PKEY_BLOCK_KEYS];
	const uint8_t (*from)[PKEY_TABLE_BYTES] = &m->s->pkey_blocks[m->s->ports[port].pkeys];
	uint32_t left;

	for (uint32_t i = 0; i < room; i++)
		have[i] = (uint16_t)ATTR_GET_ITEM(
			pkey_table, pkey, from[i / PKEY_BLOCK_KEYS], i % PKEY_BLOCK_KEYS);
	left = place_keys(w, m->c->keep_indexes, have, room, table);
	put_table(m, port, blocks, table, room);
	return left;
}

static void
plan_end_port(struct making *m, uint32_t port, const struct wants *w)
{
	uint32_t blocks, room = room_of(m->s, port, end_cap(m->s, port), &blocks);

	if (!room)
		return;
	if (plan_table(m, port, w, blocks, room))
		report_problem(m, port, PKEY_OVERFLOW, w->n, room);
}

/* The part of the configured enforcement that the switch of this port supports. */
static unsigned
can_enforce(const struct snapshot *s, const struct pkey_conf *c, uint32_t port, uint16_t *cap)
{
	const struct fab_port *p = &s->ports[port];
	const struct fab_node *n = &s->nodes[p->node];

	if (!c->partitions->file || !p->num || !fab_is_switch(n) || n->flags & FAB_NODE_CUT ||
	    p->peer == FAB_NONE || !(n->flags & FAB_NODE_SWITCH_INFO) ||
	    fab_is_switch(&s->nodes[s->ports[p->peer].node]))
		return 0;
	*cap = (uint16_t)ATTR_GET(switch_info, partition_enforce_cap, n->switch_info);
	if (!*cap)
		return 0;
	return c->enforce &
		((ATTR_GET(switch_info, inbound_enforce_cap, n->switch_info) ? CONF_ENFORCE_IN :
									       0) |
			(ATTR_GET(switch_info, outbound_enforce_cap, n->switch_info) ?
					CONF_ENFORCE_OUT :
					0));
}

/* Plans the switch port linked to end port 'w': the host's partitions as full keys, each once. */
static void
plan_switch_port(struct making *m, uint32_t port, const struct wants *w)
{
	uint16_t cap = 0, *keys;
	unsigned bits = can_enforce(m->s, m->c, port, &cap);
	uint32_t blocks, room = room_of(m->s, port, cap, &blocks);
	struct wants full = { 0 };

	if (!bits)
		return;
	full.keys = keys = xcalloc((size_t)w->n + 1, sizeof(*keys));
	for (uint32_t i = 0; i < w->n; i++)
		if (!full.n || BASE(keys[full.n - 1]) != BASE(w->keys[i]))
			keys[full.n++] = w->keys[i] | PKEY_MEMBER_FULL;
	if (full.n && keys[full.n - 1] == PKEY_DEFAULT_FULL)
		full.at_zero = PKEY_DEFAULT_FULL;
	if (full.n > room) {
		report_problem(m, port, PKEY_NOT_ENFORCED, full.n, room);
	} else {
		plan_table(m, port, &full, blocks, room);
		m->out->enforce[port] = (uint8_t)bits;
	}
	free(keys);
}

static void
plan_partitions(struct making *m)
{
	const struct snapshot *s = m->s;
	struct members members;

	members_make(s, m->c, &members);
	for (uint32_t i = 0; i < s->nendports; i++) {
		uint32_t port = s->endports[i];
		struct wants w = wants_of(&members, i);

		if (!snapshot_is_endport(s, &s->ports[port]))
			continue;
		plan_end_port(m, port, &w);
		if (s->ports[port].peer != FAB_NONE)
			plan_switch_port(m, s->ports[port].peer, &w);
	}
	members_clear(&members);
}

static void
plan_default(struct making *m)
{
	uint8_t want[PKEY_TABLE_BYTES];

	for (uint32_t i = 0; i < m->s->nendports; i++) {
		uint32_t port = m->s->endports[i];

		if (!plan_pkeys(m->s, port, want))
			continue;
		memcpy(m->out->blocks[m->nblocks++], want, sizeof(want));
		m->out->first[port] = m->nblocks;
		m->out->nblocks[port] = 1;
	}
}

static int
problem_cmp(const void *a, const void *b)
{
	const struct pkey_problem *x = a, *y = b;

	return x->port < y->port ? -1 : x->port > y->port;
}

void
pkey_plan_make(
	const struct snapshot *s, const struct pkey_conf *c, struct arena *a, struct pkey_plan *out)
{
	struct making m = { s, c, out, 0, 2 * s->nendports };
	/* without a file, block 0 of end ports */
	size_t blocks = c->partitions->file ? 0 : s->nendports;

	memset(out, 0, sizeof(*out));
	out->nports = s->nports;
	out->first = arena_array(a, s->nports, sizeof(*out->first));
	out->nblocks = arena_array(a, s->nports, sizeof(*out->nblocks));
	out->enforce = arena_array(a, s->nports, sizeof(*out->enforce));
	for (uint32_t p = 0; c->partitions->file && p < s->nports; p++)
		blocks += s->ports[p].pkeys == FAB_NONE ? 0 : s->ports[p].more_pkeys + 1u;
	out->blocks = arena_array(a, blocks, sizeof(*out->blocks));
	if (!c->partitions->file) {
		plan_default(&m);
		return;
	}
	out->problems = arena_array(a, m.problems_cap, sizeof(*out->problems));
	plan_partitions(&m);
	if (out->nproblems)
		qsort(out->problems, out->nproblems, sizeof(*out->problems), problem_cmp);
}

static uint8_t
last_block(uint16_t cap)
{
	uint32_t blocks = (cap + PKEY_BLOCK_KEYS - 1) / PKEY_BLOCK_KEYS;

	return (uint8_t)((blocks < PKEY_BLOCKS_MAX ? blocks : PKEY_BLOCKS_MAX) - 1);
}

/* A targeted sweep has the blocks of nodes that it did not read. */
static bool
has_blocks(const struct snapshot *s, const struct fab_port *p, uint8_t last)
{
	return s->nodes[p->node].flags & FAB_NODE_KEPT && p->flags & FAB_PORT_PKEYS &&
		p->more_pkeys >= last;
}

uint32_t
pkey_plan_asks(const struct snapshot *s, const struct pkey_conf *c, struct pkey_ask **asks)
{
	struct pkey_ask *v = NULL;
	uint32_t n = 0;

	*asks = NULL;
	if (!c->partitions->file)
		return 0;
	*asks = v = xcalloc((size_t)s->nports + 1, sizeof(*v));
	for (uint32_t p = 0; p < s->nports; p++) {
		uint16_t cap = 0;

		if (s->ports[p].flags & FAB_PORT_PKEYS && snapshot_is_endport(s, &s->ports[p]) &&
		    end_cap(s, p) > PKEY_BLOCK_KEYS)
			v[n] = (struct pkey_ask){ p, 1, last_block(end_cap(s, p)) };
		else if (can_enforce(s, c, p, &cap))
			v[n] = (struct pkey_ask){ p, 0, last_block(cap) };
		else
			continue;
		n += !has_blocks(s, &s->ports[p], v[n].last);
	}
	return n;
}

bool
pkey_plan_holds(const struct pkey_plan *p, const struct snapshot *s, uint32_t port)
{
	uint32_t n = pkey_plan_blocks(p, port);

	return n &&
		memcmp(s->pkey_blocks[s->ports[port].pkeys], pkey_plan_block(p, port, 0),
			(size_t)n * PKEY_TABLE_BYTES) == 0;
}

static uint16_t
key_at(const uint8_t *block, unsigned i)
{
	return (uint16_t)ATTR_GET_ITEM(pkey_table, pkey, block, i);
}

/* Whether the block is as plan_pkeys() wants it: the full default key at index 0 and nowhere else,
 * the limited one at most once. */
static bool
is_as_wanted(const uint8_t *block, unsigned cap)
{
	unsigned limited = 0;

	if (key_at(block, 0) != PKEY_DEFAULT_FULL)
		return false;
	for (unsigned i = 1; i < cap; i++) {
		if (key_at(block, i) == PKEY_DEFAULT_FULL)
			return false;
		limited += key_at(block, i) == PKEY_DEFAULT_LIMITED;
	}
	return limited < 2;
}

bool
plan_pkeys(const struct snapshot *s, uint32_t port, uint8_t want[static PKEY_TABLE_BYTES])
{
	const struct fab_port *p = &s->ports[port];
	unsigned cap = end_cap(s, port);
	struct pkey_table t;
	uint16_t moved;
	bool limited = false;

	if (!snapshot_is_endport(s, p) || p->pkeys == FAB_NONE || cap == 0)
		return false;
	cap = cap < PKEY_BLOCK_KEYS ? cap : PKEY_BLOCK_KEYS;
	memcpy(want, s->pkey_blocks[p->pkeys], PKEY_TABLE_BYTES);
	if (is_as_wanted(want, cap))
		return true;
	t = pkey_table_decode(want);
	moved = t.pkey[0];
	t.pkey[0] = PKEY_DEFAULT_FULL;
	for (unsigned i = 1; i < cap; i++) {
		if (t.pkey[i] == PKEY_DEFAULT_FULL ||
		    (t.pkey[i] == PKEY_DEFAULT_LIMITED && limited))
			t.pkey[i] = 0;
		limited |= t.pkey[i] == PKEY_DEFAULT_LIMITED;
		if (t.pkey[i] == moved)
			moved = 0;              /* it has a second entry */
	}
	if ((moved & PKEY_DEFAULT_LIMITED) == PKEY_DEFAULT_LIMITED)
		moved = 0;
	for (unsigned i = 1; i < cap && moved; i++)
		if (!t.pkey[i]) {
			t.pkey[i] = moved;
			moved = 0;
		}
	pkey_table_patch(want, &t);
	return true;
}
