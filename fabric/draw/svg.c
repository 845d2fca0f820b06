/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * svg.c - draws the fabric as an SVG picture, with tooltips, and with problems above everything
 * else.
 * Room: fabric/draw.
 */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "fabric/draw/picture.h"

#define MANY_LINKS 300                  /* if there are more links, they are thin and pale */
#define INK "#1b2733"
#define PAPER "#ffffff"
/* How far a chord bends towards the centre: for neighbours, and in addition for opposite
 * switches. */
#define RING_PULL_MIN 0.12
#define RING_PULL_MORE 0.6

static void
put_xml(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		/* XML has no control characters */
		default: putc((uint8_t)*s < 0x20 ? ' ' : *s, out);
		}
}

static void
put_tip(FILE *out, const char *s)
{
	fputs("<title>", out);
	put_xml(out, s);
	fputs("</title>", out);
}

/* ---- links ---- */

struct line {
	const struct picture *w;
	FILE *out;
	uint32_t a, b;                  /* switch ordinals */
	uint8_t look;
	unsigned links;
	double opacity;
};

static void
put_path(const struct line *l)
{
	const struct layout *o = &l->w->layout;
	const struct layout_switch *a = &o->sw[l->a], *b = &o->sw[l->b];
	double ya = a->y, yb = b->y;

	if (o->ring) {
		double cx = o->width / 2, cy = o->ring_y;
		double pull = RING_PULL_MIN + RING_PULL_MORE * hypot(a->x - b->x,
			a->y - b->y) / (2 * hypot(a->x - cx, a->y - cy));

		fprintf(l->out, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", a->x, a->y,
			(a->x + b->x) / 2 * (1 - pull) + cx * pull,
			(a->y + b->y) / 2 * (1 - pull) + cy * pull, b->x, b->y);
		return;
	}
	if (fabs(ya - yb) < 1) {        /* same row: an arc above it */
		ya -= o->box_h / 2;
		fprintf(l->out, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", a->x, ya, (a->x + b->x) / 2,
			ya - layout_swing(a->x - b->x), b->x, ya);
		return;
	}
	ya += ya > yb ? -o->box_h / 2 : o->box_h / 2;
	yb += a->y > yb ? o->box_h / 2 : -o->box_h / 2;
	fprintf(l->out, "M%.1f %.1fL%.1f %.1f", a->x, ya, b->x, yb);
}

static void
put_line(const struct line *l, const char *tip)
{
	const struct picture_look *k = &l->w->look[l->look];
	double width = k->width * (l->links > 1 ? 1 + log2(l->links) * 0.4 : 1);

	fprintf(l->out, "<path d=\"");
	put_path(l);
	fprintf(l->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"", k->color, width);
	if (l->opacity < 1)
		fprintf(l->out, " stroke-opacity=\"%.2f\"", l->opacity);
	if (k->dashed)
		fprintf(l->out, " stroke-dasharray=\"7 4\"");
	fprintf(l->out, ">");
	put_tip(l->out, tip);
	fprintf(l->out, "</path>\n");
}

/* Draws the links between switches whose style is loud, or those whose style is not. */
static void
put_links(const struct picture *w, FILE *out, bool loud)
{
	const struct swgraph *g = &w->levels.g;
	char tip[PICTURE_TIP_BYTES + 32], one[PICTURE_TIP_BYTES];
	double opacity = g->group_first[g->nsw] / 2 > MANY_LINKS ? 0.45 : 0.9;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++) {
			const struct swgraph_group *k = &g->groups[i];
			const struct fab_node *n = &w->s->nodes[w->s->switches[sw]];
			struct line l = { w, out, sw, k->to, picture_group_look(w, sw, k), k->nports,
				1 };

			if (k->to < sw || w->look[l.look].loud != loud)
				continue;
			l.opacity = loud ? 1 : opacity;
			w->tip(w, &w->s->ports[n->first_port + g->ports[k->first_port]], one);
			if (k->nports > 1)
				snprintf(tip, sizeof(tip), "%u links; %s", k->nports, one);
			else
				snprintf(tip, sizeof(tip), "%s", one);
			put_line(&l, tip);
		}
}

static void
put_missing(const struct picture *w, FILE *out)
{
	for (uint32_t i = 0; i < w->nmissing; i++) {
		const struct picture_missing *m = &w->missing[i];
		const struct fab_node *a = &w->s->nodes[m->a], *b = &w->s->nodes[m->b];
		struct line l = { w, out, a->sw, b->sw, w->missing_look, 1, 1 };

		if (a->sw != FAB_NONE && b->sw != FAB_NONE && a != b)
			put_line(&l, m->text);
	}
}

/* ---- switches and hosts ---- */

static void
put_text(FILE *out, double x, double y, double size, const char *anchor, const char *weight,
	const char *color, const char *text)
{
	fprintf(out,
		"<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" "
		"font-weight=\"%s\" fill=\"%s\">", x, y, size, anchor, weight,
		color);
	put_xml(out, text);
	fputs("</text>\n", out);
}

static void
put_turned(FILE *out, double x, double y, double size, double degrees, const char *anchor,
	const char *text)
{
	fprintf(out,
		"<text transform=\"translate(%.1f %.1f) rotate(%.1f)\" font-size=\"%.1f\" "
		"text-anchor=\"%s\" dominant-baseline=\"central\" fill=\"%s\">",
		x, y, degrees, size, anchor, INK);
	put_xml(out, text);
	fputs("</text>\n", out);
}

static void
put_box(FILE *out, double x, double y, double w, double h, const char *fill, const char *stroke,
	const char *tip)
{
	fprintf(out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"%s\" "
		"stroke=\"%s\">", x - w / 2, y - h / 2, w, h, fill,
		stroke);
	put_tip(out, tip);
	fputs("</rect>\n", out);
}

static void
put_ring_switch(const struct picture *w, FILE *out, uint32_t sw, const char *name, const char *tip)
{
	const struct layout_switch *p = &w->layout.sw[sw];
	const struct swgraph *g = &w->levels.g;
	uint32_t hosts = g->host_first[sw + 1] - g->host_first[sw];
	bool left = cos(p->angle) < -0.001;
	char label[PICTURE_LABEL_BYTES + 32];

	fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"%s\" stroke=\"%s\">", p->x,
		p->y, "#e8eef4", INK);
	put_tip(out, tip);
	fputs("</circle>\n", out);
	if (hosts)
		snprintf(label, sizeof(label), "%s (%" PRIu32 ")", name, hosts);
	else
		snprintf(label, sizeof(label), "%s", name);
	put_turned(out, p->x + 12 * cos(p->angle), p->y + 12 * sin(p->angle), 11,
		p->angle * 180 / 3.14159265 + (left ? 180 : 0), left ? "end" : "start",
		label);
}

static void
put_switches(const struct picture *w, FILE *out)
{
	const struct layout *o = &w->layout;
	char name[PICTURE_LABEL_BYTES], tip[PICTURE_LABEL_BYTES + 100];

	for (uint32_t sw = 0; sw < w->levels.g.nsw; sw++) {
		const struct fab_node *n = &w->s->nodes[w->s->switches[sw]];
		const struct layout_switch *p = &o->sw[sw];
		double size = !o->upright ? 11 : o->box_w < 13 ? 8 : o->box_w < 20 ? 9.5 : 11;

		w->label(w, n, 64, name);
		snprintf(tip, sizeof(tip), "%s, 0x%016" PRIx64 ", LID %u, %u ports", name, n->guid,
			w->lid(w, n), n->nports);
		if (o->ring) {
			put_ring_switch(w, out, sw, w->label(w, n, 20, name), tip);
			continue;
		}
		put_box(out, p->x, p->y, o->box_w, o->box_h, "#e8eef4", INK, tip);
		w->label(w, n, (unsigned)((o->upright ? o->box_h : o->box_w) / (size * 0.6)),
			name);
		if (o->upright)
			put_turned(out, p->x, p->y, size, -90, "middle", name);
		else
			put_text(out, p->x, p->y + size * 0.36, size, "middle", "normal", INK,
				name);
	}
}

/* Draws a host and its link: a dot, or a box with the name. Both have a tooltip. */
static void
put_host(const struct picture *w, FILE *out, uint32_t sw, uint32_t i)
{
	const struct layout *o = &w->layout;
	const struct layout_host *h = &o->host[i];
	const struct fab_port *p = &w->s->ports[w->levels.g.hosts[i].port];
	const struct picture_look *k = &w->look[w->of[p - w->s->ports]];
	char name[PICTURE_LABEL_BYTES], tip[PICTURE_TIP_BYTES];
	double size = o->host_w < 44 ? 9 : 10;

	w->tip(w, p, tip);
	if (o->hosts == LAYOUT_DOTS) {
		put_box(out, h->x, h->y, o->host_w, o->host_h, k->color, k->loud ? INK : "none",
			tip);
		return;
	}
	fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n",
		o->sw[sw].x, o->sw[sw].y + o->box_h / 2, h->x,
		h->y - o->host_h / 2, k->color, k->width);
	put_box(out, h->x, h->y, o->host_w, o->host_h, PAPER, k->loud ? k->color : "#8a97a5", tip);
	w->label(w, &w->s->nodes[p->node], (unsigned)((o->host_w < 44 ? o->host_h :
		o->host_w) / (size * 0.6)), name);
	if (o->host_w < 44)
		put_turned(out, h->x, h->y, size, -90, "middle", name);
	else
		put_text(out, h->x, h->y + size * 0.36, size, "middle", "normal", INK, name);
}

static void
put_hosts(const struct picture *w, FILE *out)
{
	const struct layout *o = &w->layout;
	const struct swgraph *g = &w->levels.g;
	char text[32];

	for (uint32_t sw = 0; sw < g->nsw && !o->ring; sw++) {
		uint32_t n = g->host_first[sw + 1] - g->host_first[sw];

		if (!n)
			continue;
		for (uint32_t i = g->host_first[sw]; i < g->host_first[sw + 1] &&
		    o->hosts != LAYOUT_COUNTS; i++)
			put_host(w, out, sw, i);
		if (o->hosts == LAYOUT_BOXES)
			continue;
		if (o->hosts == LAYOUT_DOTS)
			fprintf(out, "<path d=\"M%.1f %.1fv18\" stroke=\"#9aa7b4\"/>\n",
				o->sw[sw].x, o->sw[sw].y + o->box_h / 2);
		snprintf(text, sizeof(text), "%" PRIu32, n);
		put_text(out, o->sw[sw].x, o->hosts == LAYOUT_COUNTS ? o->sw[sw].y + o->box_h / 2 +
			14 : o->below[sw] + 2, 9, "middle", "normal", "#51606f", text);
	}
}

static void
put_head(const struct picture *w, FILE *out)
{
	double x = 40, k = w->layout.scale;
	char text[64];

	put_text(out, x, 18 + 20 * k, 20 * k, "start", "bold", INK, w->title);
	for (unsigned i = 0; i < w->nlooks; i++) {
		const struct picture_look *l = &w->look[i];

		if (!l->count && !w->whole_legend)
			continue;
		snprintf(text, sizeof(text), "%s: %u", l->word, l->count);
		fprintf(out,
			"<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"%s/>\n", x,
			18 + 44 * k, 26 * k, l->color, 4 * k,
			l->dashed ? " stroke-dasharray=\"7 4\"" : "");
		put_text(out, x + 32 * k, 18 + 48 * k, 12 * k, "start", "normal", INK, text);
		x += (52 + 6.6 * (double)strlen(text)) * k;
	}
}

void
picture_svg(const struct picture *w, FILE *out)
{
	const struct layout *o = &w->layout;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\" "
		"font-family=\"DejaVu Sans, Verdana, sans-serif\">\n", o->width, o->height,
		o->width, o->height);
	fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", PAPER);
	put_links(w, out, false);
	put_links(w, out, true);
	put_missing(w, out);
	put_hosts(w, out);
	put_switches(w, out);
	put_head(w, out);
	fputs("</svg>\n", out);
}
