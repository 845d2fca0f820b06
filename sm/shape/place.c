/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * place.c - coordinates of the switches of a grid whose dimensions are known, and their proof.
 * Room: sm/shape.  Pure.
 *
 * Without the links of dimension d a grid falls into layers: the switches of one coordinate.  The
 * links of dimension d join the layers to a path, a ring or a clique, which gives the layers
 * their order.  Layers are numbered from the switch of least GUID: a ring towards the
 * neighbour that holds the lesser GUID, a path from the end that does.
 *
 * The result is then checked: every switch needs a place of its own, links must connect
 * neighbouring places, and the number of missing links and switches is limited.
 */
#include <config.h>
#include <string.h>
#include "sm/shape/shape_parts.h"

#define CLIQUE_MAX 256
#define UNSET UINT32_MAX

/* The layers of one dimension, as a graph. */
struct layers {
	uint32_t n, *of; /* number of layers; layer of each switch */
	uint32_t (*next)[2]; /* up to two neighbours of each layer; UNSET */
	bool more; /* some layer has more than two */
	uint32_t pairs; /* neighbouring layers (only if n is at most CLIQUE_MAX) */
};

static void
find_layers(const struct swgraph *g, const struct shape_edges *e, unsigned d, struct arena *a,
	struct layers *l)
{
	uint32_t *set = shape_set_make(a, g->nsw);

	memset(l, 0, sizeof(*l));
	l->of = arena_array(a, g->nsw, sizeof(*l->of));
	for (uint32_t i = 0; i < e->n; i++)
		if (e->dim[i] != d)
			shape_set_join(set, e->from[i], g->groups[i].to);
	for (uint32_t s = 0; s < g->nsw; s++) {
		uint32_t root = shape_set_find(set, s); /* at most s */

		l->of[s] = root == s ? l->n++ : l->of[root];
	}
}

static void
find_neighbours(const struct swgraph *g, const struct shape_edges *e, unsigned d, struct arena *a,
	struct layers *l)
{
	bool small = l->n <= CLIQUE_MAX;
	bool *joined = arena_array(a, small ? (size_t)l->n * l->n : 1, sizeof(*joined));

	l->next = arena_array(a, l->n, sizeof(*l->next));
	memset(l->next, 0xff, l->n * sizeof(*l->next));
	for (uint32_t i = 0; i < e->n; i++) {
		uint32_t x = l->of[e->from[i]], y = l->of[g->groups[i].to];
		uint32_t *next = l->next[x];

		if (e->dim[i] != d || x == y)
			continue;
		if (small && !joined[(size_t)x * l->n + y]) {
			joined[(size_t)x * l->n + y] = true;
			l->pairs += x < y;
		}
		if (next[0] == y || next[1] == y)
			continue;
		if (next[0] == UNSET)
			next[0] = y;
		else if (next[1] == UNSET)
			next[1] = y;
		else
			l->more = true;
	}
}

/* Writes the coordinate of each layer along a path or ring; false: not one line. */
static bool
walk_line(const struct layers *l, uint32_t *order, uint8_t *line)
{
	uint32_t at = 0, before = UNSET, n = 0;

	*line = SHAPE_RING;
	for (uint32_t x = l->n; x-- > 0;)
		if (l->next[x][1] == UNSET) {
			if (l->next[x][0] == UNSET)
				return false;
			at = x;
			*line = SHAPE_PATH;
		}
	if (*line == SHAPE_RING && l->next[0][0] > l->next[0][1])
		before = l->next[0][0]; /* so that the lesser neighbour comes next */
	else if (*line == SHAPE_RING)
		before = l->next[0][1];
	memset(order, 0xff, l->n * sizeof(*order));
	while (at != UNSET && order[at] == UNSET) {
		uint32_t to = l->next[at][0] == before ? l->next[at][1] : l->next[at][0];

		order[at] = n++;
		before = at;
		at = to;
	}
	return n == l->n;
}

/* Finds the kind of line that the layers form, and their order. */
static bool
order_layers(const struct layers *l, uint32_t *order, uint8_t *line)
{
	uint64_t all = (uint64_t)l->n * (l->n - 1) / 2;

	if (l->n < 2)
		return false;
	*line = SHAPE_CLIQUE;
	for (uint32_t x = 0; x < l->n; x++)
		order[x] = x;
	if (l->n <= CLIQUE_MAX && l->pairs == all)
		return true;
	if (!l->more)
		return walk_line(l, order, line);
	return l->n <= CLIQUE_MAX && (uint64_t)l->pairs * 4 >= all * 3;
}

struct found_dim {
	struct shape_dim d;
	uint32_t *layer; /* per switch: the coordinate */
	uint8_t raw; /* its number in struct shape_edges */
};

static uint8_t
least_port(const struct swgraph *g, const struct shape_edges *e, unsigned d)
{
	uint8_t least = 255;

	for (uint32_t i = 0; i < e->n; i++)
		if (e->dim[i] == d && g->ports[g->groups[i].first_port] < least)
			least = g->ports[g->groups[i].first_port];
	return least;
}

static bool
find_dim(const struct swgraph *g, const struct shape_edges *e, unsigned d, struct arena *a,
	struct found_dim *f)
{
	struct layers l;
	uint32_t *order;

	find_layers(g, e, d, a, &l);
	find_neighbours(g, e, d, a, &l);
	order = arena_array(a, l.n, sizeof(*order));
	memset(f, 0, sizeof(*f));
	if (l.n > UINT16_MAX || !order_layers(&l, order, &f->d.line))
		return false;
	for (uint32_t s = 0; s < g->nsw; s++)
		l.of[s] = order[l.of[s]];
	f->layer = l.of;
	f->raw = (uint8_t)d;
	f->d.size = (uint16_t)l.n;
	f->d.port = least_port(g, e, d);
	return true;
}

/* Dimensions by their least port; copies them to 'out' with strides.  False: the grid would have
 * far more places than there are switches. */
static bool
take_dims(struct found_dim *f, const struct shape_edges *e, struct shape *out, struct arena *a)
{
	uint64_t places = 1;

	for (unsigned d = 1; d < e->ndims; d++)
		for (unsigned i = d; i > 0 && f[i - 1].d.port > f[i].d.port; i--) {
			struct found_dim swap = f[i];

			f[i] = f[i - 1];
			f[i - 1] = swap;
		}
	out->ndims = e->ndims;
	for (unsigned d = e->ndims; d-- > 0;) {
		f[d].d.stride = (uint32_t)places;
		places *= f[d].d.size;
		if (places > (uint64_t)out->nsw * 4 / 3)
			return false;
	}
	for (unsigned d = 0; d < e->ndims; d++) {
		f[d].d.first_step = out->nsteps;
		out->nsteps += f[d].d.line == SHAPE_CLIQUE ? f[d].d.size : 2;
		out->dim[d] = f[d].d;
	}
	out->nplaces = (uint32_t)places;
	out->at = arena_array(a, (size_t)out->nsw * out->ndims, sizeof(*out->at));
	for (uint32_t s = 0; s < out->nsw; s++)
		for (unsigned d = 0; d < e->ndims; d++)
			out->at[(size_t)s * out->ndims + d] = (uint16_t)f[d].layer[s];
	return true;
}

static bool
take_places(struct shape *out, struct arena *a)
{
	out->by_place = arena_array(a, out->nplaces, sizeof(*out->by_place));
	memset(out->by_place, 0xff, out->nplaces * sizeof(*out->by_place));
	for (uint32_t s = 0; s < out->nsw; s++) {
		uint32_t *place = &out->by_place[shape_place(out, s, SHAPE_DIMS_MAX, 0)];

		if (*place != SHAPE_NOWHERE)
			shape_misfit_add(out, *place, s, "two switches have the same coordinates");
		*place = s;
	}
	return out->nmisfits == 0;
}

/* Returns the step of a link in dimension d, or SHAPE_NOWHERE if it is no step. */
static uint32_t
step_of(const struct shape *s, unsigned d, uint32_t x, uint32_t y)
{
	const struct shape_dim *dim = &s->dim[d];

	if (dim->line == SHAPE_CLIQUE)
		return dim->first_step + y;
	if (y == x + 1 || (dim->line == SHAPE_RING && x == dim->size - 1u && y == 0))
		return dim->first_step;
	if (x == y + 1 || (dim->line == SHAPE_RING && y == dim->size - 1u && x == 0))
		return dim->first_step + 1;
	return SHAPE_NOWHERE;
}

static void
take_steps(const struct swgraph *g, struct shape *out, struct arena *a)
{
	size_t n = (size_t)out->nsw * out->nsteps;

	out->step = arena_array(a, n, sizeof(*out->step));
	memset(out->step, 0xff, n * sizeof(*out->step));
	for (uint32_t s = 0; s < g->nsw; s++)
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++) {
			const uint16_t *x = out->at + (size_t)s * out->ndims;
			const uint16_t *y = out->at + (size_t)g->groups[i].to * out->ndims;
			unsigned differ = 0, d = 0;
			uint32_t step = SHAPE_NOWHERE;

			for (unsigned k = 0; k < out->ndims; k++)
				if (x[k] != y[k]) {
					differ++;
					d = k;
				}
			if (differ == 1)
				step = step_of(out, d, x[d], y[d]);
			if (step != SHAPE_NOWHERE)
				out->step[(size_t)s * out->nsteps + step] = i;
			else if (s < g->groups[i].to)
				shape_misfit_add(out, s, g->groups[i].to,
					"a link does not lead one step along one dimension");
		}
}

/* Links of the grid without loss. */
static uint64_t
all_links(const struct shape *s)
{
	uint64_t n = 0;

	for (unsigned d = 0; d < s->ndims; d++) {
		uint64_t size = s->dim[d].size, lines = s->nplaces / size;

		n += lines *
			(s->dim[d].line == SHAPE_CLIQUE              ? size * (size - 1) / 2 :
					s->dim[d].line == SHAPE_RING ? size :
								       size - 1);
	}
	return n;
}

static enum shape_kind
grid_kind(const struct shape *s)
{
	bool ring = false, path = false, large = false;

	for (unsigned d = 0; d < s->ndims; d++) {
		ring |= s->dim[d].line == SHAPE_RING;
		path |= s->dim[d].line == SHAPE_PATH;
		large |= s->dim[d].size > 2;
	}
	return ring ? SHAPE_TORUS : path ? SHAPE_MESH : large ? SHAPE_HYPERX : SHAPE_HYPERCUBE;
}

bool
shape_place_grid(
	const struct swgraph *g, const struct shape_edges *e, struct arena *a, struct shape *out)
{
	struct arena scratch = ARENA_INIT;
	struct found_dim f[SHAPE_DIMS_MAX];
	uint64_t all;
	bool found = true;

	for (unsigned d = 0; found && d < e->ndims; d++)
		found = find_dim(g, e, d, &scratch, &f[d]);
	found = found && take_dims(f, e, out, a) && take_places(out, a);
	arena_clear(&scratch);
	if (!found)
		return false;
	take_steps(g, out, a);
	all = all_links(out);
	if ((uint64_t)out->nmisfits * 20 > out->links ||
		(uint64_t)(out->links - out->nmisfits) * 3 < all * 2)
		return false;
	out->missing = (uint32_t)(all - (out->links - out->nmisfits));
	out->kind = grid_kind(out);
	return true;
}
