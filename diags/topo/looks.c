/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * looks.c - computes the style of each link: by state, speed or load.
 * Room: diags/topo.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/names.h"
#include "diags/fabric/fabric.h"
#include "diags/topo/draw.h"
#include "diags/topo/speed.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

enum { STATE_ACTIVE = 4 };
/* Styles by state, in increasing severity. */
enum { LOOK_ACTIVE, LOOK_SLOW, LOOK_NOT_ACTIVE, LOOK_EXTRA, LOOK_MISSING };

static const struct draw_look state_looks[] = {
	[LOOK_ACTIVE] = { .word = "active", .color = "#7d93a8", .width = 1 },
	[LOOK_SLOW] = { .word = "slow or narrow", .color = "#e69f00", .width = 3, .loud = true },
	[LOOK_NOT_ACTIVE] = { .word = "not active", .color = "#8e44ad", .width = 3, .loud = true },
	[LOOK_EXTRA] = { .word = "not planned", .color = "#0072b2", .width = 3, .loud = true },
	[LOOK_MISSING] = { .word = "missing", .color = "#d62728", .width = 3, .dashed = true,
		.loud = true },
};
/* From slow links, which should be noticed, to fast ones: from dark and warm to pale and cold,
 * which persons with colour vision deficiency can distinguish too. */
static const char *const scale[] = { "#a50026", "#e34a33", "#f0932b", "#c9b037", "#5aae9b",
	"#7aa0c4" };
static const struct { double below; const char *word, *color; double width; } bins[] = {
	{ 0.001, "idle", "#c5ccd3", 0.8 }, { 0.1, "below 10 %", "#4575b4", 1.2 },
	{ 0.3, "10-30 %", "#74add1", 1.6 },
	{ 0.6, "30-60 %", "#f2b134", 2.2 }, { 0.9, "60-90 %", "#f46d43", 3 },
	{ 1e9, "above 90 %", "#b2182b", 4 },
};
#define NBINS (sizeof(bins) / sizeof(bins[0]))

static uint8_t
look_state(const struct draw *w, const struct fab_port *p, const struct fab_port *q)
{
	struct fab_link l = fab_link_of(w->f, p), m = fab_link_of(w->f, q);
	struct port_info i = port_info_decode(p->info), j = port_info_decode(q->info);
	struct speed_masks x = speed_masks_of(w->f, p), y = speed_masks_of(w->f, q);

	if ((p->flags & FAB_PORT_INFO && l.state != STATE_ACTIVE) || (q->flags & FAB_PORT_INFO &&
	    m.state != STATE_ACTIVE))
		return LOOK_NOT_ACTIVE;
	if (w->f->drawn || !(p->flags & FAB_PORT_INFO) || !(q->flags & FAB_PORT_INFO))
		return LOOK_ACTIVE;
	if (speed_active(&l) < speed_best(x.enabled & y.enabled) ||
	    fab_lanes(l.width) < fab_lanes(width_best(i.width_enabled & j.width_enabled)))
		return LOOK_SLOW;
	return LOOK_ACTIVE;
}

static void
by_state(struct draw *w)
{
	const struct snapshot *s = w->f->s;

	memcpy(w->look, state_looks, sizeof(state_looks));
	w->nlooks = LOOK_MISSING + 1;
	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE)
			w->of[i] = look_state(w, &s->ports[i], &s->ports[s->ports[i].peer]);
}

static int
rate_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* One style for each data rate; the slowest are loud if they are few. */
static void
by_speed(struct draw *w)
{
	const struct snapshot *s = w->f->s;
	double *r = xcalloc(s->nports + 1u, sizeof(*r));
	double rate[DRAW_LOOKS_MAX] = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE) {
			struct fab_link l = fab_link_of(w->f, &s->ports[i]);

			r[n++] = link_nominal_gbps(l.width, speed_active(&l));
		}
	qsort(r, n, sizeof(*r), rate_cmp);
	for (size_t i = 0; i < n; i++) {
		if ((i && r[i] <= rate[w->nlooks - 1]) || w->nlooks + 2 == DRAW_LOOKS_MAX)
			continue;
		rate[w->nlooks] = r[i];
		snprintf(w->look[w->nlooks].word, sizeof(w->look[0].word), "%g Gb/s", r[i]);
		w->nlooks++;
	}
	for (unsigned i = 0; i < w->nlooks; i++) {
		w->look[i].color = scale[w->nlooks < 2 ? 5 : i * 5 / (w->nlooks - 1)];
		w->look[i].width = i + 1 < w->nlooks ? 2.5 : 1.2;
		w->look[i].loud = i + 1 < w->nlooks;
	}
	for (uint32_t i = 0; i < s->nports; i++) {
		struct fab_link l = fab_link_of(w->f, &s->ports[i]);

		for (uint8_t k = 0; s->ports[i].peer != FAB_NONE && k < w->nlooks; k++)
			if (link_nominal_gbps(l.width, speed_active(&l)) >= rate[k])
				w->of[i] = k;
	}
	free(r);
}

static void
by_load(struct draw *w)
{
	const struct snapshot *s = w->f->s;

	for (size_t i = 0; i < NBINS; i++) {
		w->look[i] = (struct draw_look){ .color = bins[i].color, .width = bins[i].width,
			.loud = i >= 3 };
		snprintf(w->look[i].word, sizeof(w->look[i].word), "%s", bins[i].word);
	}
	w->nlooks = NBINS;
	for (uint32_t i = 0; i < s->nports; i++) {
		uint32_t peer = s->ports[i].peer;
		double load;

		if (peer == FAB_NONE)
			continue;
		load = w->load[i] > w->load[peer] ? w->load[i] : w->load[peer];
		while (w->of[i] + 1u < NBINS && load >= bins[w->of[i]].below)
			w->of[i]++;
	}
}

/* Marks extra and missing links, whatever the colours mean. */
static void
beside_golden(struct draw *w)
{
	uint8_t extra, missing;

	if (!w->golden)
		return;
	if (w->color != DRAW_STATE) {
		w->look[w->nlooks++] = state_looks[LOOK_EXTRA];
		w->look[w->nlooks++] = state_looks[LOOK_MISSING];
	}
	extra = (uint8_t)(w->nlooks - 2);
	missing = (uint8_t)(w->nlooks - 1);
	for (size_t i = 0; i < w->compared.n; i++) {
		const struct topo_difference *x = &w->compared.d[i];

		for (unsigned k = 0; k < 4 && x->change >= TOPO_CABLE_EXTRA &&
		    x->change <= TOPO_CABLE_MOVED; k++)
			if (x->is[k] && x->is[k]->peer != FAB_NONE)
				w->of[x->is[k] - w->f->s->ports] = w->of[x->is[k]->peer] = extra;
		w->look[missing].count += x->change == TOPO_CABLE_MISSING ||
			x->change == TOPO_CABLE_MOVED ? 1 : x->change == TOPO_CABLE_SWAPPED ? 2 : 0;
	}
}

void
draw_begin(struct draw *w)
{
	const struct snapshot *s = w->f->s;
	unsigned hosts = 0;

	levels_make(s, &w->levels);
	layout_make(s, &w->levels, &w->layout);
	w->of = xcalloc(s->nports + 1u, sizeof(*w->of));
	if (w->golden)
		topo_compare(w->golden, w->f, TOPO_ASPECTS_ALL, false, &w->compared);
	if (w->color == DRAW_SPEED)
		by_speed(w);
	else if (w->color == DRAW_LOAD)
		by_load(w);
	else
		by_state(w);
	beside_golden(w);
	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE && i < s->ports[i].peer)
			w->look[w->of[i]].count++;
	for (uint32_t i = 0; i < s->nnodes; i++)
		hosts += !fab_is_switch(&s->nodes[i]);
	if (!*w->title)
		snprintf(w->title, sizeof(w->title), "%u switches, %u hosts, %u cables",
			s->nswitches, hosts, s->nlinks);
}

void
draw_clear(struct draw *w)
{
	levels_clear(&w->levels);
	topo_comparison_clear(&w->compared);
	free(w->of);
}

uint8_t
draw_group_look(const struct draw *w, uint32_t sw, const struct swgraph_group *g)
{
	const struct fab_node *n = &w->f->s->nodes[w->f->s->switches[sw]];
	uint8_t worst = 0;
	bool any = false;

	for (uint32_t i = 0; i < g->nports; i++) {
		uint8_t look = w->of[n->first_port + w->levels.g.ports[g->first_port + i]];
		bool worse = w->color == DRAW_SPEED && look < w->nlooks - (w->golden ? 2u : 0u) &&
			worst < w->nlooks - (w->golden ? 2u : 0u) ?
			look < worst : look > worst;

		if (!any || worse)
			worst = look;
		any = true;
	}
	return worst;
}

bool
draw_missing(const struct draw *w, size_t *at, const struct fab_node **a, const struct fab_node **b,
	const struct topo_difference **x)
{
	while (*at < 2 * w->compared.n) {
		const struct topo_difference *d = &w->compared.d[*at / 2];
		unsigned k = *at % 2 * 2;
		uint32_t i, j;

		++*at;
		if ((d->change != TOPO_CABLE_MISSING && d->change != TOPO_CABLE_MOVED &&
		    d->change != TOPO_CABLE_SWAPPED) || !d->was[k])
			continue;
		i = snapshot_node_by_guid(w->f->s, fab_node_of(w->golden, d->was[k])->guid);
		j = snapshot_node_by_guid(w->f->s, fab_node_of(w->golden, d->was[k + 1])->guid);
		if (i == FAB_NONE || j == FAB_NONE)
			continue;
		*a = &w->f->s->nodes[i];
		*b = &w->f->s->nodes[j];
		*x = d;
		return true;
	}
	return false;
}

const char *
draw_label(const struct draw *w, const struct fab_node *n, unsigned most,
	char buf[static DIAG_NAME_BYTES])
{
	char name[DIAG_NAME_BYTES], clean[ATTR_TEXT_BYTES(DIAG_NAME_BYTES)];
	const char *s = clean;
	size_t at = 0;
	unsigned chars = 0;

	fab_name(w->d, n, name);
	attr_text_clean((const uint8_t *)name, strlen(name), clean);
	if (!strncmp(s, "MF0;", 4)) {   /* the prefix of names of one vendor's managed switches */
		s += 4;
		clean[4 + strcspn(s, ":")] = '\0';
	}
	for (; *s && at < DIAG_NAME_BYTES - 8; s++) {
		if (((uint8_t)*s & 0xc0) != 0x80 && chars++ == most)
			break;
		buf[at++] = *s;
	}
	if (*s && at) {                 /* cut: an ellipsis replaces the last character */
		while (at > 1 && ((uint8_t)buf[at - 1] & 0xc0) == 0x80)
			at--;
		memcpy(&buf[at - 1], "\xe2\x80\xa6", 3);
		at += 2;
	}
	buf[at] = '\0';
	return buf;
}

const char *
draw_tip(const struct draw *w, const struct fab_port *p, char buf[static DRAW_TIP_BYTES])
{
	const struct fab_port *q = fab_peer_of(w->f, p);
	struct fab_link l = fab_link_of(w->f, p);
	const char *state = attr_word(ATTR_SHOW_PORT_STATE, l.state);
	char a[DIAG_NAME_BYTES], b[DIAG_NAME_BYTES], t[SPEED_LINK_TEXT_BYTES], load[64] = "";

	draw_label(w, fab_node_of(w->f, p), 64, a);
	draw_label(w, fab_node_of(w->f, q), 64, b);
	if (w->load && w->load[p - w->f->s->ports] >= 0 && w->load[q - w->f->s->ports] >= 0)
		snprintf(load, sizeof(load), ", %.0f %% out, %.0f %% in",
			w->load[p - w->f->s->ports] * 100, w->load[q - w->f->s->ports] * 100);
	snprintf(buf, DRAW_TIP_BYTES, "%s port %u - %s port %u: %s, %s%s", a, p->num, b, q->num,
		speed_link_text(&l, t), state ? state : "?", load);
	return buf;
}
