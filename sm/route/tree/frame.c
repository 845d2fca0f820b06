/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * frame.c - two models over the same numbers.
 * Room: sm/route/tree.  Pure.  In: snapshot, LIDs, intended topology.  Out: a frame.
 *
 * Ids belong to places: a host has the id that the intended topology gives to its switch port, so
 * an exchanged adapter has that of the one before.  At a port that the intended topology does not
 * know, ids continue from the nearest known port of that switch.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/route/tree/frame.h"

/* One end of a link: 'from' has a port to another switch. */
struct half {
	uint32_t from, to;
	uint8_t port;
};

struct halves {
	struct half *v;
	uint32_t n;
};

static bool
half_before(const struct half *a, const struct half *b)
{
	return a->to != b->to ? a->to < b->to : a->port < b->port;
}

/* Sorts the ends by switch (counting), then by neighbour and port (insertion, at most 254). */
static struct half *
sort_halves(const struct halves *in, uint32_t *first, uint32_t nsw, struct arena *a)
{
	struct half *v = arena_array(a, in->n, sizeof(*v));
	uint32_t *at = arena_array(a, (size_t)nsw + 1, sizeof(*at));

	for (uint32_t i = 0; i < in->n; i++)
		first[in->v[i].from + 1]++;
	for (uint32_t sw = 0; sw < nsw; sw++)
		first[sw + 1] += first[sw];
	memcpy(at, first, nsw * sizeof(*at));
	for (uint32_t i = 0; i < in->n; i++) {
		struct half h = in->v[i];
		uint32_t k = at[h.from]++;

		for (; k > first[h.from] && half_before(&h, &v[k - 1]); k--)
			v[k] = v[k - 1];
		v[k] = h;
	}
	return v;
}

static void
make_graph(struct swgraph *g, const struct halves *in, uint32_t nsw, struct arena *a)
{
	uint32_t *first = arena_array(a, (size_t)nsw + 1, sizeof(*first)), n = 0;
	struct half *v = sort_halves(in, first, nsw, a);

	g->nsw = nsw;
	g->group_first = arena_array(a, (size_t)nsw + 1, sizeof(*g->group_first));
	g->groups = arena_array(a, in->n, sizeof(*g->groups));
	g->ports = arena_array(a, in->n, sizeof(*g->ports));
	for (uint32_t sw = 0; sw < nsw; sw++) {
		for (uint32_t i = first[sw]; i < first[sw + 1]; i++) {
			g->ports[i] = v[i].port;
			if (i == first[sw] || v[i].to != v[i - 1].to)
				g->groups[n++] = (struct swgraph_group){ v[i].to, i, 0 };
			g->groups[n - 1].nports++;
		}
		g->group_first[sw + 1] = n;
	}
}

static struct halves
halves_now(const struct frame *f, const struct snapshot *s, struct arena *a)
{
	struct halves h = { NULL, 0 };
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->nswitches; i++)
		most += s->nodes[s->switches[i]].nports;
	h.v = arena_array(a, most, sizeof(*h.v));
	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];

		for (unsigned p = 1; p <= n->nports; p++) {
			uint32_t peer = s->ports[n->first_port + p].peer;
			uint32_t to = peer == FAB_NONE ? FAB_NONE : s->nodes[s->ports[peer].node].sw;

			if (to != FAB_NONE && to != i)
				h.v[h.n++] = (struct half){ f->sw[i], f->sw[to], (uint8_t)p };
		}
	}
	return h;
}

static struct halves
halves_whole(const struct intended *t, struct arena *a)
{
	struct halves h = { arena_array(a, (size_t)t->nlinks * 2, sizeof(*h.v)), 0 };

	for (uint32_t i = 0; i < t->nlinks; i++) {
		const struct intended_link *l = &t->links[i];

		if (l->a >= t->nsw || l->b >= t->nsw || l->a == l->b)
			continue;
		h.v[h.n++] = (struct half){ l->a, l->b, l->aport };
		h.v[h.n++] = (struct half){ l->b, l->a, l->bport };
	}
	return h;
}

static bool
graphs_equal(const struct swgraph *a, const struct swgraph *b)
{
	uint32_t n = a->group_first[a->nsw], nports = 0;

	if (memcmp(a->group_first, b->group_first, ((size_t)a->nsw + 1) * sizeof(*a->group_first)) ||
	    (n && memcmp(a->groups, b->groups, n * sizeof(*a->groups))))
		return false;
	if (n)
		nports = a->groups[n - 1].first_port + a->groups[n - 1].nports;
	return !nports || memcmp(a->ports, b->ports, nports) == 0;
}

/* Known switches are sorted by GUID among themselves, and so are new ones. */
static void
merge_guids(struct frame *f, const struct snapshot *s, struct arena *a)
{
	uint32_t nsw = f->now.g.nsw, known = 0, other = f->nknown;
	uint32_t *by_guid = arena_array(a, nsw, sizeof(*by_guid));

	for (uint32_t i = 0; i < nsw; i++)
		by_guid[i] = other == nsw || (known < f->nknown &&
			f->t->sw[known].guid < s->nodes[f->node[other]].guid) ? known++ : other++;
	f->now.by_guid = by_guid;
}

/* The numbers of switches: those of the intended topology, then the others of the snapshot. */
static void
make_numbers(struct frame *f, const struct snapshot *s, struct arena *a)
{
	uint32_t most = f->t->nsw + s->nswitches, n = f->t->nsw;

	f->nknown = f->t->nsw;
	f->ordinal = arena_array(a, most, sizeof(*f->ordinal));
	f->node = arena_array(a, most, sizeof(*f->node));
	f->sw = arena_array(a, most, sizeof(*f->sw));
	for (uint32_t i = 0; i < most; i++)
		f->ordinal[i] = f->node[i] = FAB_NONE;
	for (uint32_t i = 0; i < s->nswitches; i++) {
		uint32_t sw = intended_switch_find(f->t, s->nodes[s->switches[i]].guid);

		sw = sw == INTENDED_NONE ? n++ : sw;
		f->sw[i] = sw;
		f->ordinal[sw] = i;
		f->node[sw] = s->switches[i];
	}
	f->now.g.nsw = f->whole.g.nsw = n;
	merge_guids(f, s, a);
}

static void
make_facts(struct frame *f, struct arena *a)
{
	uint32_t nsw = f->now.g.nsw, plane = 0;

	f->rank = arena_array(a, nsw, sizeof(*f->rank));
	f->plane = arena_array(a, nsw, sizeof(*f->plane));
	f->divider = arena_array(a, nsw, sizeof(*f->divider));
	f->own_id = arena_array(a, nsw, sizeof(*f->own_id));
	for (uint32_t sw = 0; sw < f->nknown; sw++) {
		const struct intended_switch *t = &f->t->sw[sw];

		f->rank[sw] = t->rank;
		f->plane[sw] = t->plane;
		f->divider[sw] = t->divider ? t->divider : 1;
		f->own_id[sw] = t->leaf == INTENDED_NONE ? t->plane : t->leaf;
		plane = t->plane >= plane ? t->plane + 1 : plane;
	}
	for (uint32_t sw = f->nknown; sw < nsw; sw++) {
		f->plane[sw] = f->own_id[sw] = plane++;
		f->divider[sw] = 1;
	}
	frame_rank_new(f, f->rank, a);
}

struct column {
	uint64_t key;
	uint32_t sw;
};

static int
column_compare(const void *va, const void *vb)
{
	const struct column *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

/* Leaves in their order, then the others by plane, so that neighbours in the order have the same
 * candidates; then new switches. */
static void
make_columns(struct frame *f, struct arena *a)
{
	struct route_model *m = &f->now;
	struct column *v = arena_array(a, m->g.nsw, sizeof(*v));

	m->ncols = m->g.nsw;
	m->stride = (m->ncols + 63) / 64 * 64;
	m->col_sw = arena_array(a, m->ncols, sizeof(*m->col_sw));
	m->sw_col = arena_array(a, m->ncols, sizeof(*m->sw_col));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		uint32_t leaf = sw < f->nknown ? f->t->sw[sw].leaf : INTENDED_NONE;

		v[sw] = (struct column){ leaf == INTENDED_NONE ? (uint64_t)1 << 32 | f->plane[sw] : leaf,
			sw };
	}
	qsort(v, m->ncols, sizeof(*v), column_compare);
	for (uint32_t c = 0; c < m->ncols; c++) {
		m->col_sw[c] = v[c].sw;
		m->sw_col[v[c].sw] = c;
	}
}

/* A place where LIDs are: a switch port with a host, present or absent. */
struct place {
	uint16_t lid;
	uint8_t port, lmc, sub;
};

struct places {
	uint32_t *first;                /* [nsw + 1] into v[] */
	struct place *v;                /* of one switch: ascending by port, then LID */
};

/* The host behind switch port 'num' of ordinal 'i', if it has a LID. */
static bool
host_place(const struct route_in *in, uint32_t i, unsigned num, struct place *out)
{
	const struct snapshot *s = in->snapshot;
	uint32_t peer = s->ports[s->nodes[s->switches[i]].first_port + num].peer;

	if (peer == FAB_NONE || s->nodes[s->ports[peer].node].sw != FAB_NONE)
		return false;
	*out = (struct place){ in->lids->base[peer], (uint8_t)num, in->lids->lmc[peer], 0 };
	return true;
}

static void
put_place(struct places *p, uint32_t *end, struct place h)
{
	uint32_t k = (*end)++;

	for (; k > p->first[0] && (p->v[k - 1].port > h.port ||
	       (p->v[k - 1].port == h.port && p->v[k - 1].lid > h.lid)); k--)
		p->v[k] = p->v[k - 1];
	p->v[k] = h;
}

bool
frame_absent_counts(const struct route_in *in, const struct route_absent *b)
{
	return b->lid && b->sw < in->snapshot->nswitches &&
		(b->lid > in->lids->top || in->lids->owner[b->lid] == FAB_NONE);
}

static void
make_places(const struct frame *f, const struct route_in *in, struct places *p, struct arena *a)
{
	const struct snapshot *s = in->snapshot;
	uint32_t nsw = f->now.g.nsw, *count, *end;
	struct place h;

	p->first = arena_array(a, (size_t)nsw + 1, sizeof(*p->first));
	end = arena_array(a, nsw, sizeof(*end));
	count = p->first + 1;
	for (uint32_t i = 0; i < s->nswitches; i++)
		for (unsigned n = 1; n <= s->nodes[s->switches[i]].nports; n++)
			count[f->sw[i]] += host_place(in, i, n, &h);
	for (uint32_t i = 0; i < in->nabsent; i++)
		if (frame_absent_counts(in, &in->absent[i]))
			count[f->sw[in->absent[i].sw]]++;
	for (uint32_t sw = 0; sw < nsw; sw++) {
		p->first[sw + 1] += p->first[sw];
		end[sw] = p->first[sw];
	}
	p->v = arena_array(a, p->first[nsw], sizeof(*p->v));
	for (uint32_t i = 0; i < s->nswitches; i++)
		for (unsigned n = 1; n <= s->nodes[s->switches[i]].nports; n++)
			if (host_place(in, i, n, &h))
				p->v[end[f->sw[i]]++] = h;
	for (uint32_t i = 0; i < in->nabsent; i++) {
		const struct route_absent *b = &in->absent[i];
		struct places of;

		if (!frame_absent_counts(in, b))
			continue;
		of = (struct places){ &p->first[f->sw[b->sw]], p->v };
		put_place(&of, &end[f->sw[b->sw]],
			(struct place){ b->lid, b->port, 0, 0 });
	}
}

/* The hosts of the intended topology, by switch and port. */
static void
sort_intended(const struct intended *t, struct frame_places *p, struct arena *a)
{
	uint32_t *end = arena_array(a, (size_t)t->nsw + 1, sizeof(*end));

	p->first = arena_array(a, (size_t)t->nsw + 1, sizeof(*p->first));
	p->port = arena_array(a, t->nhosts, sizeof(*p->port));
	p->id = arena_array(a, t->nhosts, sizeof(*p->id));
	for (uint32_t h = 0; h < t->nhosts; h++)
		if (t->hosts[h].sw < t->nsw)
			p->first[t->hosts[h].sw + 1]++;
	for (uint32_t sw = 0; sw < t->nsw; sw++)
		end[sw + 1] = p->first[sw + 1] += p->first[sw];
	for (uint32_t h = 0; h < t->nhosts; h++) {
		const struct intended_host *host = &t->hosts[h];
		uint32_t k;

		if (host->sw >= t->nsw)
			continue;
		k = end[host->sw]++;
		for (; k > p->first[host->sw] && p->port[k - 1] > host->port; k--) {
			p->port[k] = p->port[k - 1];
			p->id[k] = p->id[k - 1];
		}
		p->port[k] = host->port;
		p->id[k] = host->id;
	}
}

/* Ids of the ports of one switch: those that are known, and between them what goes on from the
 * port before. */
static void
port_ids(const struct frame *f, uint32_t sw, uint32_t ids[static 256])
{
	const struct frame_places *p = &f->places;
	uint32_t i = sw < f->nknown ? p->first[sw] : 0, end = sw < f->nknown ? p->first[sw + 1] : 0;
	uint32_t next = i < end ? p->id[i] : f->own_id[sw];

	for (uint32_t n = 0; n < 256; n++) {
		while (i < end && p->port[i] < n)
			i++;
		ids[n] = i < end && p->port[i] == n ? p->id[i] : next;
		next = ids[n] + 1;
	}
}

static void
make_column_lids(
	struct frame *f, const struct route_in *in, const struct places *p, uint32_t c)
{
	struct route_model *m = &f->now;
	uint32_t sw = m->col_sw[c], n = m->lid_first[c], ids[256];
	bool single = true;

	port_ids(f, sw, ids);
	for (uint32_t i = p->first[sw]; i < p->first[sw + 1]; i++) {
		const struct place *h = &p->v[i];

		single &= h->lmc == 0;
		for (uint32_t k = 0; h->lid && k < 1u << h->lmc; k++, n++) {
			m->host_lids[n] = (struct route_lid){ (uint16_t)(h->lid + k), h->port,
				(uint8_t)k };
			f->id[n] = ids[h->port];
		}
	}
	m->lid_first[c + 1] = n;
	m->packed[c] = true;
	for (uint32_t i = m->lid_first[c] + 1; i < n; i++) {
		m->packed[c] &= m->host_lids[i].lid == m->host_lids[i - 1].lid + 1;
		single &= f->id[i] == f->id[i - 1] + 1;
	}
	f->run[c] = single && m->packed[c];
	m->lmc |= n > m->lid_first[c] + (p->first[sw + 1] - p->first[sw]);
	if (f->node[sw] != FAB_NONE) {
		uint32_t port0 = m->s->nodes[f->node[sw]].first_port;

		m->own_first[c] = in->lids->base[port0];
		m->own_n[c] = (uint16_t)(m->own_first[c] ? 1u << in->lids->lmc[port0] : 0);
	}
}

/* Returns true if the LIDs and ids of column 'c' continue those of the column before. */
static bool
goes_on(const struct frame *f, uint32_t c)
{
	const struct route_model *m = &f->now;
	uint32_t i = m->lid_first[c];

	if (!f->run[c] || !f->run[c - 1])
		return false;
	return i == m->lid_first[c + 1] || i == 0 ||
		(m->host_lids[i].lid == m->host_lids[i - 1].lid + 1 && f->id[i] == f->id[i - 1] + 1);
}

static void
join_columns(struct frame *f, struct arena *a)
{
	uint32_t n = f->now.ncols;

	f->joined = arena_array(a, n, sizeof(*f->joined));
	for (uint32_t c = n; c-- > 0;)
		f->joined[c] = c + 1 < n && goes_on(f, c + 1) ? f->joined[c + 1] : c + 1;
}

static void
make_lids(struct frame *f, const struct route_in *in, struct arena *a)
{
	struct arena scratch = ARENA_INIT;
	struct route_model *m = &f->now;
	struct places p;
	uint32_t total = 0;

	make_places(f, in, &p, &scratch);
	m->top = in->lids->top;
	m->lmc = false;
	m->g.nleaves = 0;
	for (uint32_t i = 0; i < in->nabsent; i++)
		if (frame_absent_counts(in, &in->absent[i]) && in->absent[i].lid > m->top)
			m->top = in->absent[i].lid;
	m->table_stride = route_table_stride(m->top);
	for (uint32_t i = 0; i < p.first[m->g.nsw]; i++)
		total += 1u << p.v[i].lmc;
	m->lid_first = arena_array(a, (size_t)m->ncols + 1, sizeof(*m->lid_first));
	m->host_lids = arena_array(a, total, sizeof(*m->host_lids));
	m->packed = arena_array(a, m->ncols, sizeof(*m->packed));
	m->own_first = arena_array(a, m->ncols, sizeof(*m->own_first));
	m->own_n = arena_array(a, m->ncols, sizeof(*m->own_n));
	f->id = arena_array(a, total, sizeof(*f->id));
	f->run = arena_array(a, m->ncols, sizeof(*f->run));
	for (uint32_t c = 0; c < m->ncols; c++)
		make_column_lids(f, in, &p, c);
	join_columns(f, a);
	m->g.host_first = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*m->g.host_first));
	memcpy(m->g.host_first, p.first, ((size_t)m->g.nsw + 1) * sizeof(*p.first));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		m->g.nleaves += swgraph_is_leaf(&m->g, sw);
	arena_clear(&scratch);
}

/* The hosts of the intended topology. */
static void
make_intended(struct frame *f, struct arena *a)
{
	struct swgraph *g = &f->whole.g;

	sort_intended(f->t, &f->places, a);
	g->host_first = arena_array(a, (size_t)g->nsw + 1, sizeof(*g->host_first));
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		g->host_first[sw + 1] =
			sw < f->nknown ? f->places.first[sw + 1] : g->host_first[sw];
		g->nleaves += swgraph_is_leaf(g, sw);
	}
}

/* Of 'whole', only the links are its own. */
static void
share_model(struct frame *f)
{
	struct swgraph g = f->whole.g;

	f->whole = f->now;
	f->whole.g = g;
}

/* The number of neighbours that 'sw' and 'other' have in common now. */
static uint32_t
count_shared(const struct swgraph *g, uint32_t sw, uint32_t other)
{
	uint32_t i = g->group_first[sw], k = g->group_first[other], n = 0;

	while (i < g->group_first[sw + 1] && k < g->group_first[other + 1]) {
		uint32_t a = g->groups[i].to, b = g->groups[k].to;

		n += a == b;
		i += a <= b;
		k += b <= a;
	}
	return n;
}

/* False: no neighbour has a rank yet. */
static bool
guess_rank(const struct frame *f, const uint16_t *rank, uint32_t sw, uint16_t *out)
{
	const struct swgraph *g = &f->now.g;
	uint32_t most = (g->group_first[sw + 1] - g->group_first[sw]) / 2;
	uint16_t highest = SWGRAPH_FAR;
	bool alike = false;

	for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++) {
		uint32_t to = g->groups[i].to;

		if (rank[to] != SWGRAPH_FAR && rank[to] < highest)
			highest = rank[to];
		for (uint32_t k = g->group_first[to]; k < g->group_first[to + 1]; k++) {
			uint32_t other = g->groups[k].to, n;

			if (other == sw || rank[other] == SWGRAPH_FAR)
				continue;
			n = count_shared(g, sw, other);
			if (n > most || (alike && n == most && rank[other] < *out)) {
				most = n;
				*out = rank[other];
				alike = true;
			}
		}
	}
	if (!alike && highest != SWGRAPH_FAR)
		*out = (uint16_t)(highest + 1);
	return alike || highest != SWGRAPH_FAR;
}

void
frame_rank_new(const struct frame *f, uint16_t *rank, struct arena *a)
{
	uint32_t nsw = f->now.g.nsw;
	uint16_t *next = arena_array(a, nsw, sizeof(*next));
	bool any = true;

	for (uint32_t sw = f->nknown; sw < nsw; sw++)
		rank[sw] = SWGRAPH_FAR;
	while (any) {                   /* those next to what is known, then those next to them */
		any = false;
		for (uint32_t sw = f->nknown; sw < nsw; sw++) {
			next[sw] = rank[sw];
			if (rank[sw] == SWGRAPH_FAR)
				any |= guess_rank(f, rank, sw, &next[sw]);
		}
		for (uint32_t sw = f->nknown; sw < nsw; sw++)
			rank[sw] = next[sw];
	}
	for (uint32_t sw = f->nknown; sw < nsw; sw++)
		rank[sw] = rank[sw] == SWGRAPH_FAR ? 0 : rank[sw];
}

static enum route_code
find_intended(struct frame *f, const struct route_in *in, struct route_report *r)
{
	struct intended_conf c = { 0 };

	f->t = in->intended;
	if (f->t)
		return ROUTE_OK;
	if (in->conf && in->conf->nroots) {
		c.roots = in->conf->roots;
		c.nroots = in->conf->nroots;
	}
	f->t = f->learned = intended_learn(in->snapshot, &c);
	if (f->t)
		return ROUTE_OK;
	return route_refuse(r, ROUTE_INPUT, "none of the %u given roots is a switch of this fabric",
		c.nroots);
}

enum route_code
frame_make(struct frame *f, const struct route_in *in, struct arena *a, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	const struct snapshot *s = in->snapshot;
	struct halves h;

	memset(f, 0, sizeof(*f));
	if (!s->nswitches)
		return route_refuse(r, ROUTE_NO_SWITCH, "there is no switch: nothing to route");
	if (find_intended(f, in, r) != ROUTE_OK)
		return r->code;
	make_numbers(f, s, a);
	f->now.s = s;
	f->now.lids = in->lids;
	f->now.node = f->node;
	h = halves_now(f, s, &scratch);
	make_graph(&f->now.g, &h, f->now.g.nsw, a);
	h = halves_whole(f->t, &scratch);
	make_graph(&f->whole.g, &h, f->now.g.nsw, a);
	f->same = graphs_equal(&f->now.g, &f->whole.g);
	make_facts(f, a);
	make_columns(f, a);
	make_intended(f, a);
	make_lids(f, in, a);
	share_model(f);
	arena_clear(&scratch);
	return route_caps_check(&f->now, r);
}

void
frame_clear(struct frame *f)
{
	intended_free(f->learned);
	f->learned = NULL;
}

/* Sorts the ends of one switch, which 'far' names, by neighbour.  Returns their number. */
static uint32_t
list_ends(const uint32_t *far, uint32_t width, struct half v[static 256])
{
	uint32_t n = 0, k;

	for (uint32_t p = 1; p < width; p++) {
		struct half h = { .to = far[p] >> 8, .port = (uint8_t)p };

		if (far[p] & FRAME_FAR_HOST)
			continue;
		for (k = n++; k > 0 && v[k - 1].to > h.to; k--)
			v[k] = v[k - 1];
		v[k] = h;
	}
	return n;
}

/* Writes the groups and ports of switch 'sw' at the ends of those of 'g'. */
static void
put_ends(struct swgraph *g, uint32_t sw, uint32_t nports, const struct half *v, uint32_t n)
{
	uint32_t at = g->group_first[sw];

	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || v[i].to != v[i - 1].to)
			g->groups[at++] = (struct swgraph_group){ v[i].to, nports + i, 0 };
		g->groups[at - 1].nports++;
		g->ports[nports + i] = v[i].port;
	}
	g->group_first[sw + 1] = at;
}

/* The same with those that 'old' has.  Returns the number of ports. */
static uint32_t
copy_ends(struct swgraph *g, uint32_t sw, uint32_t nports, const struct swgraph *old)
{
	uint32_t first = old->group_first[sw], n = old->group_first[sw + 1] - first, at, ports = 0;

	at = g->group_first[sw];
	for (uint32_t i = 0; i < n; i++) {
		g->groups[at + i] = old->groups[first + i];
		g->groups[at + i].first_port = nports + ports;
		ports += old->groups[first + i].nports;
	}
	if (ports)
		memcpy(g->ports + nports, old->ports + old->groups[first].first_port, ports);
	g->group_first[sw + 1] = at + n;
	return ports;
}

void
frame_relink(struct frame *f, const uint32_t *far, uint32_t width, const uint8_t *mark,
	struct arena *a)
{
	uint32_t nsw = f->now.g.nsw, nports = 0, n;
	struct swgraph g = f->now.g;
	struct half v[256];

	arena_clear(a);
	g.group_first = arena_array(a, (size_t)nsw + 1, sizeof(*g.group_first));
	g.groups = arena_array(a, (size_t)nsw * width, sizeof(*g.groups));
	g.ports = arena_array(a, (size_t)nsw * width, sizeof(*g.ports));
	for (uint32_t sw = 0; sw < nsw; sw++) {
		if (!mark[sw]) {
			nports += copy_ends(&g, sw, nports, &f->now.g);
			continue;
		}
		n = list_ends(far + (size_t)sw * width, width, v);
		put_ends(&g, sw, nports, v, n);
		nports += n;
	}
	f->now.g = g;
	f->same = graphs_equal(&f->now.g, &f->whole.g);
}

bool
frame_renumber(struct frame *f, const struct snapshot *s)
{
	uint32_t nsw = f->now.g.nsw, sw = 0;

	for (uint32_t i = 0; i < nsw; i++)
		f->ordinal[i] = f->node[i] = FAB_NONE;
	for (uint32_t i = 0; i < s->nswitches; i++, sw++) {
		uint64_t guid = s->nodes[s->switches[i]].guid;

		while (sw < f->nknown && f->t->sw[sw].guid < guid)
			sw++;
		if (sw >= f->nknown || f->t->sw[sw].guid != guid)
			return false;
		f->sw[i] = sw;
		f->ordinal[sw] = i;
		f->node[sw] = s->switches[i];
	}
	f->now.s = f->whole.s = s;
	return true;
}

enum route_code
frame_relid(struct frame *f, const struct route_in *in, struct arena *a, struct route_report *r)
{
	f->now.lids = in->lids;
	make_lids(f, in, a);
	share_model(f);
	return route_caps_check(&f->now, r);
}

bool
frame_single_lids(const struct frame *f, uint32_t c)
{
	const struct route_model *m = &f->now;

	for (uint32_t end = c + 64 < m->ncols ? c + 64 : m->ncols; c < end; c++)
		if (m->lid_first[c] != m->lid_first[c + 1] || m->own_n[c] != 1)
			return false;
	return true;
}
