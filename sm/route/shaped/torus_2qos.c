/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * torus_2qos.c - engine torus-2qos: tori, one dimension after another, in the shorter direction.
 * Room: sm/route/shaped.  Pure.
 *
 * Two VLs break the loop that a ring closes by itself.
 *
 *   Rings of 5 and 6: the first hop in a ring uses VL 0, further ones VL 1; the in-port tells which
 *   it is, so no SL is needed.  A walk of at most 3 hops has two on VL 1; as not every switch
 *   starts a walk of 3 hops in each direction, those on VL 1 do not close the ring.  Opposite
 *   switches of a ring of 6 have two shortest paths: switches 0 and 3 send down, 1 and 4 send up, 2
 *   and 5 send half of them in each direction.  So no such walk starts up at 0 and 3 or down at 1
 *   and 4, and every link has the same load.
 *
 *   Larger rings: the SL has a bit for each, set when the path crosses the dateline (the link
 *   between the last coordinate and the first), and the VL is that bit.  The SL must be the same
 *   for both directions, so opposite switches use the same links in both directions; neighbouring
 *   pairs alternate.
 *
 *   Smaller rings are cliques (3) or two dimensions of size 2 (4): one VL would be enough.
 *
 * Damage does not change SLs.  A ring that is cut cannot close a loop, and walks use the other
 * direction.  In front of a dead switch where it should turn, a walk turns one switch earlier and
 * returns: such turns to a lower dimension use VLs 2 and 3, if these exist.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/shaped/shaped.h"
#include "sm/route/shaped/shaped_engines.h"

#define SMALL_RING 6
#define SL_BITS 4

struct torus {
	/* per switch and dimension: steps up [0] and down [1] that work one after the other */
	uint16_t (*run)[2];
	uint8_t sl_bit[SHAPE_DIMS_MAX]; /* of a large ring */
	unsigned nbits;
};

static bool
is_large(const struct shape_dim *d)
{
	return d->line == SHAPE_RING && d->size > SMALL_RING;
}

/* Returns true if the path between opposite coordinates of a large ring crosses the dateline.
 * It is symmetric and the same at every switch on the path: only coordinates not yet corrected
 * count. */
static bool
opposite_crosses(const struct shape *s, unsigned d, const uint16_t *a, const uint16_t *b)
{
	unsigned sum = a[d] < b[d] ? a[d] : b[d];

	for (unsigned i = d + 1; i < s->ndims; i++)
		sum += a[i] + b[i];
	return sum % 2;
}

/* Returns true if the path between opposite coordinates of a ring of 6 leads up. */
static bool
small_goes_up(const struct shape *s, unsigned k, const uint16_t *at, const uint16_t *to, uint32_t n)
{
	if (at[k] % 3 != 2)
		return at[k] % 3 == 1;
	for (unsigned i = 0; i < s->ndims; i++)
		n += i == k ? 0 : to[i];
	return n % 2;
}

/* Returns true if the path leads up, without regard to damage. */
static bool
goes_up(const struct shape *s, unsigned k, const uint16_t *at, const uint16_t *to, uint32_t n)
{
	unsigned size = s->dim[k].size, up = (to[k] + size - at[k]) % size;

	if (s->dim[k].line != SHAPE_RING)
		return at[k] < to[k];
	if (up * 2 != size)
		return up * 2 < size;
	if (is_large(&s->dim[k]))
		return opposite_crosses(s, k, at, to) == (at[k] > to[k]);
	return small_goes_up(s, k, at, to, n);
}

/* Where opposite switches have two shortest paths, hosts take them in turn: small_goes_up(). */
static uint32_t
torus_variant(const struct shaped *sh, const struct shaped_dest *d)
{
	(void)sh;
	return d->n % 2;
}

static uint32_t
torus_hop(const struct shaped *sh, const void *own, uint32_t s, const struct shaped_dest *d)
{
	const struct torus *torus = own;
	const uint16_t *at = shaped_at(sh, s), *to = shaped_at(sh, d->sw);
	unsigned k = 0, size, up;
	const uint16_t *run;
	bool go_up;

	while (k < sh->shape.ndims && at[k] == to[k])
		k++;
	if (k == sh->shape.ndims)
		return SHAPE_NOWHERE;
	if (sh->shape.dim[k].line == SHAPE_CLIQUE)
		return shaped_step(sh, s, k, to[k]);
	size = sh->shape.dim[k].size;
	up = (to[k] + size - at[k]) % size;
	go_up = goes_up(&sh->shape, k, at, to, d->n);
	run = torus->run[(size_t)s * sh->shape.ndims + k];
	if (go_up && run[0] < up && run[1] >= size - up)
		go_up = false;
	else if (!go_up && run[1] < size - up && run[0] >= up)
		go_up = true;
	return shaped_step(sh, s, k, go_up ? 0 : 1);
}

/* Prefers the next coordinate that differs, in the shorter direction, then one that does not; the
 * longer direction is last. */
static uint32_t
torus_detour(const struct shaped *sh, const void *own, uint32_t s, uint32_t e,
	const struct shaped_dest *d)
{
	const uint16_t *at = shaped_at(sh, s), *to = shaped_at(sh, d->sw);
	unsigned k = sh->dim[e];
	uint32_t good;

	(void)own;
	if (k == SHAPE_DIMS_MAX)
		return SHAPED_NEVER;
	if (at[k] == to[k])
		return SHAPE_DIMS_MAX + k;
	good = sh->shape.dim[k].line == SHAPE_CLIQUE ?
		shaped_step(sh, s, k, to[k]) :
		shaped_step(sh, s, k, goes_up(&sh->shape, k, at, to, d->n) ? 0 : 1);
	return e == good ? k : 2 * SHAPE_DIMS_MAX + k;
}

static void
find_runs(const struct shaped *sh, struct torus *torus, struct arena *a)
{
	unsigned nd = sh->shape.ndims;

	torus->run = arena_array(a, (size_t)sh->whole.nsw * nd, sizeof(*torus->run));
	for (uint32_t s = 0; s < sh->whole.nsw; s++)
		for (unsigned d = 0; d < nd; d++)
			for (unsigned x = 0; sh->shape.dim[d].line != SHAPE_CLIQUE && x < 2; x++) {
				uint16_t *run = &torus->run[(size_t)s * nd + d][x];
				uint32_t at = s, e;

				while (*run < sh->shape.dim[d].size &&
					shaped_works(sh, e = shaped_step(sh, at, d, x))) {
					at = sh->whole.groups[e].to;
					(*run)++;
				}
			}
}

/* Sets the SL of each pair of switches: a bit for each large ring whose dateline the path
 * crosses. */
static uint8_t *
make_sls(const struct shaped *sh, const struct torus *torus, struct arena *a)
{
	const struct shape *shape = &sh->shape;
	uint32_t n = sh->m.g.nsw;
	uint8_t *sl = arena_array(a, n, n);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			for (unsigned d = 0; d < shape->ndims; d++) {
				const uint16_t *x = shaped_at(sh, sh->of[i]);
				const uint16_t *y = shaped_at(sh, sh->of[j]);

				if (!is_large(&shape->dim[d]) || x[d] == y[d])
					continue;
				if (goes_up(shape, d, x, y, 0) == (x[d] > y[d]))
					sl[(size_t)i * n + j] |= (uint8_t)(1 << torus->sl_bit[d]);
			}
	return sl;
}

/* The VL of a hop in dimension 'out' after one in dimension 'in' (1 + dimension; 0: none). */
static uint8_t
torus_vl(const struct shape *s, const struct torus *torus, unsigned in, unsigned out, unsigned sl)
{
	const struct shape_dim *d = &s->dim[out - 1];

	if (is_large(d))
		return sl >> torus->sl_bit[out - 1] & 1;
	return d->line == SHAPE_RING && in == out;
}

static void
make_plans(
	const struct shaped *sh, const struct torus *torus, struct shaped_plans *p, struct arena *a)
{
	const struct shape *shape = &sh->shape;
	bool ring = false;

	memset(p, 0, sizeof(*p));
	p->n = 2;
	p->sure = true;
	for (unsigned d = 0; d < shape->ndims; d++)
		ring |= shape->dim[d].line == SHAPE_RING;
	for (unsigned i = 0; i < p->n; i++) {
		struct lane_plan *plan = &p->plan[i];
		uint8_t base = ring ? 2 : 1;

		*plan = (struct lane_plan){ .nvls = (uint8_t)(i ? 2 * base : base),
			.sls = (uint16_t)((1u << (1u << torus->nbits)) - 1),
			.nswitches = sh->m.g.nsw,
			.nclasses = (uint8_t)(shape->ndims + 1) };
		for (unsigned in = 0; in <= shape->ndims; in++)
			for (unsigned out = 1; out <= shape->ndims; out++)
				for (unsigned sl = 0; sl < LANE_SLS; sl++)
					plan->vl[in][out][sl] =
						(uint8_t)(torus_vl(shape, torus, in, out, sl) +
							(i && in > out ? base : 0));
	}
	if (torus->nbits) {
		p->plan[0].sl = make_sls(sh, torus, a);
		p->plan[1].sl = p->plan[0].sl;
	}
	shaped_classes(sh, a, p, shaped_dim_class);
}

/* A clique of two in each of two dimensions is a ring of 4. */
static bool
config_fits(const struct shape *s, const struct route_torus *t)
{
	bool used[SHAPE_DIMS_MAX] = { false };
	unsigned n = 0;

	for (unsigned pass = 0; pass < 2; pass++) /* rings of 4 take what others leave */
		for (unsigned i = 0; i < t->ndims; i++) {
			unsigned size = t->dim[i].size, want = 1, got = 0;
			bool four = size == 4 && !t->dim[i].mesh;

			if (four != (pass == 1) || size < 2)
				continue;
			if (four) {
				want = 2;
				size = 2;
			}
			for (unsigned d = 0; d < s->ndims && got < want; d++) {
				bool mesh = s->dim[d].line == SHAPE_PATH;

				if (used[d] || s->dim[d].size != size ||
					(size > 2 && mesh != t->dim[i].mesh))
					continue;
				used[d] = true;
				got++;
			}
			if (got < want)
				return false;
			n += got;
		}
	return n == s->ndims;
}

static const char *
config_text(const struct route_torus *t, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < t->ndims && used < len; i++)
		used += (size_t)snprintf(buf + used, len - used, "%s%u%s", i ? "x" : "",
			t->dim[i].size, t->dim[i].mesh ? " (open)" : "");
	return buf;
}

static enum route_code
check_shape(const struct shaped *sh, struct torus *torus, struct route_report *r)
{
	const struct route_conf *conf = sh->in->conf;
	char wanted[80], seen[128];

	for (unsigned d = 0; d < sh->shape.ndims; d++) {
		const struct shape_dim *dim = &sh->shape.dim[d];

		if (dim->line == SHAPE_CLIQUE && dim->size > 3)
			return shaped_refuse_shape(sh, r, "rings (hyperx routes cliques)");
		if (is_large(dim))
			torus->sl_bit[d] = (uint8_t)torus->nbits++;
	}
	if (!sh->shape.ndims)
		return shaped_refuse_shape(sh, r, "a torus or a mesh");
	if (torus->nbits > SL_BITS)
		return route_refuse(r, ROUTE_SHAPE,
			"%u rings of more than %u switches need an SL bit each, and there are %u",
			torus->nbits, SMALL_RING, SL_BITS);
	if (conf && conf->torus && !config_fits(&sh->shape, conf->torus))
		return route_refuse(r, ROUTE_INPUT, "torus_config says %s, and this is %s",
			config_text(conf->torus, wanted, sizeof(wanted)),
			shape_text(&sh->shape, seen, sizeof(seen)));
	for (uint32_t i = 0; i < sh->ndests; i++)
		if (sh->dests[i].sub) {
			route_evidence_add(
				r, shaped_node(sh, sh->dests[i].sw), FAB_NONE, sh->dests[i].lid, 0);
			return route_refuse(r, ROUTE_LMC,
				"cannot route more than one LID per port: LID %u at 0x%016" PRIx64,
				sh->dests[i].lid, sh->guid[sh->dests[i].sw]);
		}
	return ROUTE_OK;
}

/* Whether link 'e' of switch 's' is lost and is not the only one that its ring lacks. */
static bool
ring_in_pieces(const struct shaped *sh, const struct torus *torus, uint32_t s, uint32_t e)
{
	const struct shape_dim *dim = &sh->shape.dim[sh->dim[e]];
	const uint16_t *run = torus->run[(size_t)s * sh->shape.ndims + sh->dim[e]];

	return dim->line == SHAPE_RING && sh->now[s] != FAB_NONE &&
		sh->now[sh->whole.groups[e].to] != FAB_NONE && !shaped_works(sh, e) &&
		run[0] + run[1] + 1u < dim->size;
}

/* Refuses after damage: names adjacent dead switches, or a ring in two pieces. */
static enum route_code
explain_damage(const struct shaped *sh, const struct torus *torus, struct route_report *r)
{
	const struct swgraph *w = &sh->whole;
	char text[128];

	for (uint32_t s = 0; s < w->nsw; s++)
		for (uint32_t e = w->group_first[s]; e < w->group_first[s + 1]; e++) {
			uint32_t to = w->groups[e].to;

			if (sh->dim[e] == SHAPE_DIMS_MAX)
				continue;
			if (sh->now[s] == FAB_NONE && sh->now[to] == FAB_NONE)
				snprintf(text, sizeof(text),
					"dead switches 0x%016" PRIx64 " and 0x%016" PRIx64
					" are neighbours in dimension %u",
					sh->guid[s], sh->guid[to], sh->dim[e]);
			else if (ring_in_pieces(sh, torus, s, e))
				snprintf(text, sizeof(text),
					"the ring of dimension %u through 0x%016" PRIx64
					" and 0x%016" PRIx64 " is in pieces",
					sh->dim[e], sh->guid[s], sh->guid[to]);
			else
				continue;
			route_evidence_add(
				r, shaped_node(sh, s), shaped_node(sh, to), 0, sh->dim[e]);
			shaped_explain(r, text);
			return r->code;
		}
	return r->code;
}

static enum route_code
route_torus(struct shaped *sh, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct torus torus = { 0 };
	struct shaped_way way = { torus_hop, torus_detour, &torus, torus_variant };
	struct shaped_plans plans;

	if (check_shape(sh, &torus, r) != ROUTE_OK)
		return r->code;
	find_runs(sh, &torus, &scratch);
	if (shaped_fill(sh, &way, a, out, r) == ROUTE_OK) {
		make_plans(sh, &torus, &plans, a);
		shaped_take_lanes(sh, &plans, a, out, r);
	}
	if (r->code != ROUTE_OK)
		explain_damage(sh, &torus, r);
	arena_clear(&scratch);
	return r->code;
}

enum route_code
torus_2qos_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	return shaped_run(in, "torus-2qos", route_torus, a, out, r);
}
