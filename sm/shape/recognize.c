/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * recognize.c - finds the shape of a fabric, and describes it in words.
 * Room: sm/shape.  Pure.
 *
 * The shapes are tried from strict to lax: a graph that has an earlier shape is never checked for a
 * later one.  A tree has switches without hosts, and no link within a level; so a
 * grid is not taken for one.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/shape/shape_parts.h"

void
shape_recognize(const struct swgraph *g, struct arena *a, struct shape *out)
{
	static bool (*const find[])(const struct swgraph *, struct arena *, struct shape *) = {
		shape_find_tree,
		shape_find_dragonfly_plus,
		shape_find_grid,
		shape_find_dragonfly,
	};
	struct shape tried, nearest;

	memset(&nearest, 0, sizeof(nearest));
	nearest.nsw = g->nsw;
	nearest.links = g->group_first[g->nsw] / 2;
	for (size_t i = 0; i < sizeof(find) / sizeof(find[0]); i++) {
		memset(&tried, 0, sizeof(tried));
		tried.nsw = g->nsw;
		tried.links = g->group_first[g->nsw] / 2;
		if (find[i](g, a, &tried)) {
			*out = tried;
			return;
		}
		if (tried.nmisfits && (!nearest.nmisfits || tried.nmisfits < nearest.nmisfits)) {
			nearest.nmisfits = tried.nmisfits;
			memcpy(nearest.misfit, tried.misfit, sizeof(nearest.misfit));
		}
	}
	*out = nearest;
}

const char *
shape_kind_text(enum shape_kind k)
{
	static const char *const words[] = {
		"no known shape",
		"tree",
		"mesh",
		"torus",
		"hypercube",
		"hyperx",
		"dragonfly",
		"dragonfly+",
	};

	return words[k];
}

const char *
shape_engine(const struct shape *s)
{
	static const char *const engines[] = {
		"nue",
		"ftree",
		"dor",
		"torus-2qos",
		"dor",
		"hyperx",
		"dragonfly",
		"dragonfly",
	};

	return engines[s->kind];
}

const char *
shape_size_text(const struct shape *s, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned d = 0; d < s->ndims && used + 8 < len; d++)
		used += (size_t)snprintf(
			buf + used, len - used, "%s%u", d ? "x" : "", s->dim[d].size);
	return buf;
}

static void
links_text(const struct shape *s, char *buf, size_t len)
{
	if (s->missing)
		snprintf(buf, len, "%u of %u links missing", s->missing, s->links + s->missing);
	else if (s->links == 1)
		snprintf(buf, len, "the only link present");
	else
		snprintf(buf, len, "all %u links present", s->links);
}

const char *
shape_text(const struct shape *s, char *buf, size_t len)
{
	char size[80], links[64];
	const char *word = shape_kind_text(s->kind);

	links_text(s, links, sizeof(links));
	shape_size_text(s, size, sizeof(size));
	switch (s->kind) {
	case SHAPE_NONE:
		snprintf(
			buf, len, "%s: %u switches, %u links between them", word, s->nsw, s->links);
		break;
	case SHAPE_TREE:
		snprintf(buf, len, "%s of %u levels and %u switches", word, s->levels, s->nsw);
		break;
	case SHAPE_DRAGONFLY:
	case SHAPE_DRAGONFLY_PLUS:
		snprintf(buf, len, "%s of %u groups and %u switches, %s", word, s->ngroups, s->nsw,
			links);
		break;
	case SHAPE_HYPERCUBE:
		snprintf(buf, len, "%s of %u dimension%s and %u switches, %s", word, s->ndims,
			s->ndims > 1 ? "s" : "", s->nsw, links);
		break;
	case SHAPE_MESH:
	case SHAPE_TORUS:
	case SHAPE_HYPERX:
		snprintf(buf, len, "%s %s of %u switches, %s", word, size, s->nsw, links);
		break;
	}
	return buf;
}
