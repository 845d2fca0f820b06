/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_perms.c - patterns in which each host sends to one other: shifts, random permutations,
 * random halves.
 * Room: fabric/score.  Pure.  In: tables.  Out: highest loads, bandwidth.
 *
 * Patterns are independent of each other, and each has its own seed, so they are divided among the
 * parts; the result of each is stored by its number and added up afterwards.
 *
 * Each hop of a random path waits for memory.  So a batch of paths is followed at the same time,
 * one hop of each in turn, and their memory accesses overlap.
 */
#include <config.h>
#include <string.h>
#include "fabric/score/score_perms.h"

#define PPM 1000000u
#define BATCH 16

enum kind { SHIFT, RANDOM, MATCHING };

/* What one hop needs of a switch. */
struct step {
	const uint8_t *row;
	uint32_t first;
};

/* A path that is being followed. */
struct trip {
	uint32_t sw, end;
	uint32_t lid;
	uint32_t max;                   /* the highest load met */
};

struct perms {
	const struct score_net *n;
	bool whole;
	enum kind kind;
	uint32_t count;                 /* patterns */
	uint32_t tried;                 /* of the kind SHIFT: shifts there are */
	uint32_t *result;               /* [count]: the highest load; of MATCHING the mean in ppm */
	struct step *step;              /* [nsw] */
	uint16_t *next;                 /* [nports]: the switch behind a port */
	uint32_t **perm;                /* per part: [nhosts] */
	uint16_t **load;                /* per part: [nports] */
};

/* The 'i'th number of the generator with this seed (SplitMix64). */
static uint64_t
random_at(uint64_t seed, uint64_t i)
{
	uint64_t x = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint32_t
random_below(uint64_t seed, uint64_t i, uint32_t below)
{
	return (uint32_t)((random_at(seed, i) >> 32) * below >> 32);
}

/* A random order of the hosts. */
static void
shuffle(uint32_t *perm, uint32_t n, uint64_t seed)
{
	for (uint32_t i = 0; i < n; i++)
		perm[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = random_below(seed, i, i), was = perm[i - 1];

		perm[i - 1] = perm[k];
		perm[k] = was;
	}
}

/* Shift number 'i' of p->count, out of 1 .. p->tried: one of each interval of equal length. */
static uint32_t
shift_at(const struct perms *p, uint32_t i)
{
	uint32_t lo = (uint32_t)((uint64_t)p->tried * i / p->count);
	uint32_t hi = (uint32_t)((uint64_t)p->tried * (i + 1) / p->count);

	return 1 + lo + random_below(i, 0, hi - lo);
}

/* ---- paths ---- */

/* True if packets from switch 'sw' reach the host. */
static bool
path_exists(const struct score_net *n, uint32_t sw, const struct score_host *to)
{
	for (uint32_t hops = 0; hops < n->nsw; hops++) {
		uint32_t num = score_entry(n, sw, to->lid), p = score_port(n, sw, num);

		if (p == FAB_NONE)
			return false;
		if (n->to[p] == FAB_NONE)
			return sw == to->sw && num == to->via;
		sw = n->to[p];
	}
	return false;
}

/* False: nothing is sent. */
static bool
trip_begin(const struct perms *p, uint32_t from, uint32_t to, struct trip *t)
{
	const struct score_host *a = &p->n->hosts[from], *b = &p->n->hosts[to];

	if (!p->whole && !path_exists(p->n, a->sw, b))
		return false;
	*t = (struct trip){ a->sw, b->sw, b->lid, 0 };
	return true;
}

/* Follows all trips to their ends.  'add': each adds one to the ports that it takes. */
static void
follow(const struct perms *p, struct trip *trips, uint32_t n, uint16_t *load, bool add)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t i = 0; i < n; i++) {
			struct trip *t = &trips[i];
			uint32_t port;

			if (t->sw == t->end)
				continue;
			any = true;
			port = p->step[t->sw].first + p->step[t->sw].row[t->lid];
			load[port] = (uint16_t)(load[port] + add);
			t->max = load[port] > t->max ? load[port] : t->max;
			t->sw = p->next[port];
		}
	}
}

static uint32_t
follow_adding(const struct perms *p, struct trip *trips, uint32_t n, uint16_t *load)
{
	uint32_t max = 0;

	follow(p, trips, n, load, true);
	for (uint32_t i = 0; i < n; i++)
		max = trips[i].max > max ? trips[i].max : max;
	return max;
}

/* ---- patterns ---- */

/* Host i sends to perm[i] or, without 'perm', to host i + shift.  Returns the highest load. */
static uint32_t
try_perm(const struct perms *p, const uint32_t *perm, uint32_t shift, uint16_t *load)
{
	uint32_t max = 0, n = p->n->nhosts;

	for (uint32_t lo = 0; lo < n; lo += BATCH) {
		struct trip trips[BATCH];
		uint32_t k = 0, m;

		for (uint32_t i = lo; i < n && i < lo + BATCH; i++)
			k += trip_begin(p, i,
				perm                  ? perm[i] :
					i + shift < n ? i + shift :
							i + shift - n,
				&trips[k]);
		m = follow_adding(p, trips, k, load);
		max = m > max ? m : max;
	}
	return max;
}

/* Every second host of the order sends to the next one: adds the loads, then adds the bandwidth
 * of all pairs in units of PPM * 1000. */
static uint64_t
matching_pass(const struct perms *p, const uint32_t *perm, uint16_t *load, bool add)
{
	uint32_t pairs = p->n->nhosts / 2;
	uint64_t sum = 0;

	for (uint32_t lo = 0; lo < pairs; lo += BATCH) {
		struct trip trips[BATCH];
		uint32_t k = 0;

		for (uint32_t i = lo; i < pairs && i < lo + BATCH; i++)
			k += trip_begin(p, perm[2 * i], perm[2 * i + 1], &trips[k]);
		follow(p, trips, k, load, add);
		for (uint32_t i = 0; i < k; i++)
			sum += PPM * 1000ull / (trips[i].max ? trips[i].max : 1);
	}
	return sum;
}

/* The mean bandwidth of the pairs of one matching. */
static uint32_t
try_matching(const struct perms *p, const uint32_t *perm, uint16_t *load)
{
	matching_pass(p, perm, load, true);
	return (uint32_t)(matching_pass(p, perm, load, false) / (p->n->nhosts / 2) / 1000);
}

static void
perms_part(void *data, unsigned part, unsigned nparts)
{
	struct perms *p = data;
	uint32_t end = stripes_first(p->count, part + 1, nparts);
	uint16_t *load = p->load[part];
	uint32_t *perm = p->perm[part];

	for (uint32_t i = stripes_first(p->count, part, nparts); i < end; i++) {
		memset(load, 0, p->n->nports * sizeof(*load));
		if (p->kind != SHIFT)
			shuffle(perm, p->n->nhosts, i + 1);
		switch (p->kind) {
		case SHIFT:
			p->result[i] = try_perm(p, NULL, shift_at(p, i), load);
			break;
		case RANDOM:
			p->result[i] = try_perm(p, perm, 0, load);
			break;
		case MATCHING:
			p->result[i] = try_matching(p, perm, load);
			break;
		}
	}
}

static void
run_kind(struct perms *p, enum kind kind, uint32_t count, const struct stripes *stripes,
	struct arena *a)
{
	p->kind = kind;
	p->count = count;
	p->tried = p->n->nhosts - 1;
	p->result = arena_array(a, count, sizeof(*p->result));
	stripes_each(stripes, perms_part, p);
}

static void
sum_up(const struct perms *p, struct score_perms *r)
{
	r->n = p->count;
	for (uint32_t i = 0; i < p->count; i++) {
		r->sum += p->result[i];
		if (p->result[i] <= r->max)
			continue;
		r->max = p->result[i];
		r->worst = p->kind == SHIFT ? shift_at(p, i) : i + 1;
	}
}

/* ---- the interval ---- */

static uint32_t
root_of(uint64_t x)
{
	uint64_t r = 0;

	for (uint64_t bit = (uint64_t)1 << 31; bit; bit >>= 1)
		if ((r | bit) * (r | bit) <= x)
			r |= bit;
	return (uint32_t)r;
}

/* The mean, and 1.96 standard errors of it. */
static void
sum_ebb(const struct perms *p, struct score_result *r)
{
	uint64_t sum = 0, squares = 0, n = p->count;

	r->matchings = p->count;
	for (uint32_t i = 0; i < n; i++)
		sum += p->result[i];
	r->ebb_ppm = (uint32_t)((sum + n / 2) / n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t d = (int64_t)p->result[i] - r->ebb_ppm;

		squares += (uint64_t)(d * d);
	}
	if (n > 1)
		r->ebb_error_ppm = root_of(squares * 38416 / 10000 / (n - 1) / n);
}

static void
perms_init(struct perms *p, struct arena *a)
{
	p->step = arena_array(a, p->n->nsw, sizeof(*p->step));
	p->next = arena_array(a, p->n->nports, sizeof(*p->next));
	for (uint32_t sw = 0; sw < p->n->nsw; sw++)
		p->step[sw] = (struct step){ fwd_row(p->n->f, sw), p->n->first[sw] };
	for (uint32_t i = 0; i < p->n->nports; i++)
		p->next[i] = (uint16_t)p->n->to[i];     /* fewer switches than LIDs */
}

void
score_perms_run(
	const struct score_in *in, const struct score_net *n, bool whole, struct score_result *r)
{
	struct perms p = { .n = n, .whole = whole };
	unsigned parts = stripes_count(in->stripes);
	struct arena scratch = ARENA_INIT;

	if (n->nhosts < 2)
		return;
	perms_init(&p, &scratch);
	p.perm = arena_array(&scratch, parts, sizeof(*p.perm));
	p.load = arena_array(&scratch, parts, sizeof(*p.load));
	for (unsigned i = 0; i < parts; i++) {
		p.perm[i] = arena_array(&scratch, n->nhosts, sizeof(**p.perm));
		p.load[i] = arena_array(&scratch, n->nports, sizeof(**p.load));
	}
	if (in->shifts) {
		run_kind(&p, SHIFT, in->shifts < n->nhosts - 1 ? in->shifts : n->nhosts - 1,
			in->stripes, &scratch);
		sum_up(&p, &r->shift);
	}
	if (in->permutations) {
		run_kind(&p, RANDOM, in->permutations, in->stripes, &scratch);
		sum_up(&p, &r->rp);
	}
	if (in->matchings) {
		run_kind(&p, MATCHING, in->matchings, in->stripes, &scratch);
		sum_ebb(&p, r);
	}
	arena_clear(&scratch);
}
