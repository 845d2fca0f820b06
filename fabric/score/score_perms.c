/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_perms.c - patterns in which each host sends to one other: shifts, random permutations,
 * random halves.
 * Room: fabric/score.  Pure.  In: tables.  Out: highest loads, bandwidth.
 *
 * Patterns are independent of each other, and each has its own seed, so they are divided among the
 * parts; what comes out of each is stored by its number and added up afterwards.
 */
#include <config.h>
#include <string.h>
#include "fabric/score/score_perms.h"

#define PPM 1000000u

enum kind { SHIFT, RANDOM, MATCHING };

struct perms {
	const struct score_net *n;
	bool whole;
	enum kind kind;
	uint32_t count;                 /* patterns */
	uint32_t tried;                 /* of the kind SHIFT: shifts there are */
	uint32_t *result;               /* [count]: the highest load; of MATCHING the mean in ppm */
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

/* Adds one to all ports of a path that exists; the highest load on it. */
static uint32_t
path_add(const struct score_net *n, uint32_t sw, const struct score_host *to, uint16_t *load)
{
	uint32_t max = 0;

	while (sw != to->sw) {
		uint32_t p = n->first[sw] + fwd_row(n->f, sw)[to->lid];

		if (++load[p] > max)
			max = load[p];
		sw = n->to[p];
	}
	return max;
}

static uint32_t
path_max(const struct score_net *n, uint32_t sw, const struct score_host *to, const uint16_t *load)
{
	uint32_t max = 1;

	while (sw != to->sw) {
		uint32_t p = n->first[sw] + fwd_row(n->f, sw)[to->lid];

		if (load[p] > max)
			max = load[p];
		sw = n->to[p];
	}
	return max;
}

static uint32_t
send(const struct perms *p, uint32_t from, uint32_t to, uint16_t *load)
{
	const struct score_host *h = p->n->hosts;

	if (from == to || (!p->whole && !path_exists(p->n, h[from].sw, &h[to])))
		return 0;
	return path_add(p->n, h[from].sw, &h[to], load);
}

/* ---- patterns ---- */

static uint32_t
try_shift(const struct perms *p, uint32_t shift, uint16_t *load)
{
	uint32_t max = 0, n = p->n->nhosts;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t m = send(p, i, i + shift < n ? i + shift : i + shift - n, load);

		max = m > max ? m : max;
	}
	return max;
}

static uint32_t
try_random(const struct perms *p, uint32_t seed, uint32_t *perm, uint16_t *load)
{
	uint32_t max = 0;

	shuffle(perm, p->n->nhosts, seed);
	for (uint32_t i = 0; i < p->n->nhosts; i++) {
		uint32_t m = send(p, i, perm[i], load);

		max = m > max ? m : max;
	}
	return max;
}

/* The mean bandwidth of the pairs of one matching. */
static uint32_t
try_matching(const struct perms *p, uint32_t seed, uint32_t *perm, uint16_t *load)
{
	const struct score_host *h = p->n->hosts;
	uint32_t pairs = p->n->nhosts / 2;
	uint64_t sum = 0;

	shuffle(perm, p->n->nhosts, seed);
	for (uint32_t i = 0; i < pairs; i++)
		send(p, perm[2 * i], perm[2 * i + 1], load);
	for (uint32_t i = 0; i < pairs; i++) {
		uint32_t from = h[perm[2 * i]].sw;
		const struct score_host *to = &h[perm[2 * i + 1]];

		if (p->whole || path_exists(p->n, from, to))
			sum += PPM * 1000ull / path_max(p->n, from, to, load);
	}
	return (uint32_t)(sum / pairs / 1000);
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
		switch (p->kind) {
		case SHIFT:
			p->result[i] = try_shift(p, shift_at(p, i), load);
			break;
		case RANDOM:
			p->result[i] = try_random(p, i + 1, perm, load);
			break;
		case MATCHING:
			p->result[i] = try_matching(p, i + 1, perm, load);
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

void
score_perms_run(const struct score_in *in, const struct score_net *n, bool whole,
	struct score_result *r)
{
	struct perms p = { .n = n, .whole = whole };
	unsigned parts = stripes_count(in->stripes);
	struct arena scratch = ARENA_INIT;

	if (n->nhosts < 2)
		return;
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
