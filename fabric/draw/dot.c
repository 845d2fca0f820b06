/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dot.c - writes the fabric as a graph for Graphviz: levels as ranks, the hosts of a switch as one
 * node.
 * Room: fabric/draw.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include "fabric/draw/picture.h"

#define HOSTS_EACH 64                   /* up to this number, each host is a node of the graph */

static void
put_quoted(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putc('\\', out);
		putc(*s, out);
	}
	putc('"', out);
}

static void
put_look(const struct picture *w, FILE *out, uint8_t look, unsigned links, const char *tip)
{
	const struct picture_look *k = &w->look[look];

	fprintf(out, " [color=\"%s\", penwidth=%.1f", k->color, k->width * (links > 1 ? 1.6 : 1));
	if (k->dashed)
		fprintf(out, ", style=dashed, constraint=false");
	if (links > 1)
		fprintf(out, ", label=\"%u\", fontsize=9", links);
	fprintf(out, ", tooltip=");
	put_quoted(out, tip);
	fprintf(out, "];\n");
}

static void
put_switches(const struct picture *w, FILE *out)
{
	char name[PICTURE_LABEL_BYTES];

	for (unsigned level = w->levels.top; level > 0; level--) {
		fprintf(out, "\t{\n\t\trank=same;\n");
		for (uint32_t sw = 0; sw < w->levels.g.nsw; sw++) {
			const struct fab_node *n = &w->s->nodes[w->s->switches[sw]];

			if (w->levels.of[sw] != level)
				continue;
			fprintf(out, "\t\t\"%016" PRIx64 "\" [label=", n->guid);
			put_quoted(out, w->label(w, n, 64, name));
			fprintf(out, ", tooltip=\"0x%016" PRIx64 "\"];\n", n->guid);
		}
		fprintf(out, "\t}\n");
	}
}

static void
put_links(const struct picture *w, FILE *out)
{
	const struct swgraph *g = &w->levels.g;
	const struct snapshot *s = w->s;
	char tip[PICTURE_TIP_BYTES];

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++) {
			const struct swgraph_group *k = &g->groups[i];
			uint32_t up = w->levels.of[k->to] > w->levels.of[sw] ? k->to : sw,
				low = up == sw ? k->to : sw;

			if (k->to < sw)
				continue;
			fprintf(out, "\t\"%016" PRIx64 "\" -- \"%016" PRIx64 "\"",
				s->nodes[s->switches[up]].guid, s->nodes[s->switches[low]].guid);
			put_look(w, out, picture_group_look(w, sw, k), k->nports,
				w->tip(w, &s->ports[s->nodes[s->switches[sw]].first_port +
				g->ports[k->first_port]], tip));
		}
}

static void
put_missing(const struct picture *w, FILE *out)
{
	for (uint32_t i = 0; i < w->nmissing; i++) {
		const struct picture_missing *m = &w->missing[i];
		const struct fab_node *a = &w->s->nodes[m->a], *b = &w->s->nodes[m->b];

		if (a->sw == FAB_NONE || b->sw == FAB_NONE)
			continue;
		fprintf(out, "\t\"%016" PRIx64 "\" -- \"%016" PRIx64 "\"", a->guid, b->guid);
		put_look(w, out, w->missing_look, 1, m->text);
	}
}

static void
put_hosts(const struct picture *w, FILE *out)
{
	const struct swgraph *g = &w->levels.g;
	const struct snapshot *s = w->s;
	bool each = g->nsw && g->host_first[g->nsw] <= HOSTS_EACH;
	char name[PICTURE_LABEL_BYTES], tip[PICTURE_TIP_BYTES];

	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint32_t n = g->host_first[sw + 1] - g->host_first[sw];
		uint64_t guid = s->nodes[s->switches[sw]].guid;

		if (n && !each)
			fprintf(out, "\t\"hosts-%016" PRIx64 "\" [shape=ellipse, label=\"%" PRIu32
				" hosts\"];\n\t\"%016" PRIx64 "\" -- \"hosts-%016" PRIx64
				"\" [color=\"#9aa7b4\"];\n", guid, n, guid, guid);
		for (uint32_t i = g->host_first[sw]; each && i < g->host_first[sw + 1]; i++) {
			const struct fab_port *p = &s->ports[g->hosts[i].port];
			const struct fab_node *h = &w->s->nodes[p->node];

			fprintf(out, "\t\"%016" PRIx64 "\" [shape=ellipse, label=", h->guid);
			put_quoted(out, w->label(w, h, 64, name));
			fprintf(out, "];\n\t\"%016" PRIx64 "\" -- \"%016" PRIx64 "\"", guid,
				h->guid);
			put_look(w, out, w->of[p - s->ports], 1, w->tip(w, p, tip));
		}
	}
}

void
picture_dot(const struct picture *w, FILE *out)
{
	fprintf(out, "graph fabric {\n\tlabel=");
	put_quoted(out, w->title);
	fprintf(out,
		";\n\tlabelloc=t;\n\trankdir=TB;\n\tnode [shape=box, style=filled, "
		"fillcolor=\"#e8eef4\", fontname=\"sans-serif\", fontsize=10];\n");
	put_switches(w, out);
	put_links(w, out);
	put_missing(w, out);
	put_hosts(w, out);
	fprintf(out, "}\n");
}
