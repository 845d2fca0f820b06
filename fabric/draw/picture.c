/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * picture.c - styles of links by load, of groups of links, and short names.
 * Room: fabric/draw.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/draw/picture.h"
#include "util/xalloc.h"

static const struct {
	double below;
	const char *word, *color;
	double width;
} bins[] = {
	{ 0.001, "idle", "#c5ccd3", 0.8 },
	{ 0.1, "below 10 %", "#4575b4", 1.2 },
	{ 0.3, "10-30 %", "#74add1", 1.6 },
	{ 0.6, "30-60 %", "#f2b134", 2.2 },
	{ 0.9, "60-90 %", "#f46d43", 3 },
	{ 1e9, "above 90 %", "#b2182b", 4 },
};
#define NBINS (sizeof(bins) / sizeof(bins[0]))

void
picture_begin(struct picture *p)
{
	levels_make(p->s, &p->levels);
	layout_make(p->s, &p->levels, &p->layout);
	p->of = xcalloc(p->s->nports + 1u, sizeof(*p->of));
}

void
picture_clear(struct picture *p)
{
	levels_clear(&p->levels);
	free(p->of);
}

void
picture_count(struct picture *p)
{
	const struct snapshot *s = p->s;
	unsigned hosts = 0;

	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE && i < s->ports[i].peer)
			p->look[p->of[i]].count++;
	for (uint32_t i = 0; i < s->nnodes; i++)
		hosts += !fab_is_switch(&s->nodes[i]);
	if (!*p->title)
		snprintf(p->title, sizeof(p->title), "%u switches, %u hosts, %u links",
			s->nswitches, hosts, s->nlinks);
}

void
picture_by_load(struct picture *p, const double *load)
{
	const struct snapshot *s = p->s;

	for (size_t i = 0; i < NBINS; i++) {
		p->look[i] = (struct picture_look){
			.color = bins[i].color, .width = bins[i].width, .loud = i >= 3
		};
		snprintf(p->look[i].word, sizeof(p->look[i].word), "%s", bins[i].word);
	}
	p->nlooks = NBINS;
	p->whole_legend = true;
	for (uint32_t i = 0; i < s->nports; i++) {
		uint32_t peer = s->ports[i].peer;
		double most;

		if (peer == FAB_NONE)
			continue;
		most = load[i] > load[peer] ? load[i] : load[peer];
		while (p->of[i] + 1u < NBINS && most >= bins[p->of[i]].below)
			p->of[i]++;
	}
}

uint8_t
picture_group_look(const struct picture *p, uint32_t sw, const struct swgraph_group *g)
{
	const struct fab_node *n = &p->s->nodes[p->s->switches[sw]];
	uint8_t worst = 0;
	bool any = false;

	for (uint32_t i = 0; i < g->nports; i++) {
		uint8_t look = p->of[n->first_port + p->levels.g.ports[g->first_port + i]];
		bool worse =
			look < p->nfalling && worst < p->nfalling ? look < worst : look > worst;

		if (!any || worse)
			worst = look;
		any = true;
	}
	return worst;
}

const char *
picture_label(const char *name, unsigned most, char buf[static PICTURE_LABEL_BYTES])
{
	char clean[ATTR_TEXT_BYTES(PICTURE_LABEL_BYTES)];
	const char *s = clean;
	size_t at = 0;
	unsigned chars = 0;

	attr_text_clean((const uint8_t *)name, strnlen(name, PICTURE_LABEL_BYTES - 1), clean);
	if (!strncmp(s, "MF0;", 4)) { /* the prefix of names of one vendor's managed switches */
		s += 4;
		clean[4 + strcspn(s, ":")] = '\0';
	}
	for (; *s && at < PICTURE_LABEL_BYTES - 8; s++) {
		if (((uint8_t)*s & 0xc0) != 0x80 && chars++ == most)
			break;
		buf[at++] = *s;
	}
	if (*s && at) { /* cut: an ellipsis replaces the last character */
		while (at > 1 && ((uint8_t)buf[at - 1] & 0xc0) == 0x80)
			at--;
		memcpy(&buf[at - 1], "\xe2\x80\xa6", 3);
		at += 2;
	}
	buf[at] = '\0';
	return buf;
}
