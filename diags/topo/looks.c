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

static const struct picture_look state_looks[] = {
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

	memcpy(w->p.look, state_looks, sizeof(state_looks));
	w->p.nlooks = LOOK_MISSING + 1;
	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE)
			w->p.of[i] = look_state(w, &s->ports[i], &s->ports[s->ports[i].peer]);
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
	double rate[PICTURE_LOOKS_MAX] = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE) {
			struct fab_link l = fab_link_of(w->f, &s->ports[i]);

			r[n++] = link_nominal_gbps(l.width, speed_active(&l));
		}
	qsort(r, n, sizeof(*r), rate_cmp);
	for (size_t i = 0; i < n; i++) {
		if ((i && r[i] <= rate[w->p.nlooks - 1]) || w->p.nlooks + 2 == PICTURE_LOOKS_MAX)
			continue;
		rate[w->p.nlooks] = r[i];
		snprintf(w->p.look[w->p.nlooks].word, sizeof(w->p.look[0].word), "%g Gb/s", r[i]);
		w->p.nlooks++;
	}
	for (unsigned i = 0; i < w->p.nlooks; i++) {
		w->p.look[i].color = scale[w->p.nlooks < 2 ? 5 : i * 5 / (w->p.nlooks - 1)];
		w->p.look[i].width = i + 1 < w->p.nlooks ? 2.5 : 1.2;
		w->p.look[i].loud = i + 1 < w->p.nlooks;
	}
	for (uint32_t i = 0; i < s->nports; i++) {
		struct fab_link l = fab_link_of(w->f, &s->ports[i]);

		for (uint8_t k = 0; s->ports[i].peer != FAB_NONE && k < w->p.nlooks; k++)
			if (link_nominal_gbps(l.width, speed_active(&l)) >= rate[k])
				w->p.of[i] = k;
	}
	free(r);
}

/* Marks extra and missing links, whatever the colours mean. */
static void
beside_golden(struct draw *w)
{
	uint8_t extra, missing;

	if (!w->golden)
		return;
	if (w->color != DRAW_STATE) {
		w->p.look[w->p.nlooks++] = state_looks[LOOK_EXTRA];
		w->p.look[w->p.nlooks++] = state_looks[LOOK_MISSING];
	}
	extra = (uint8_t)(w->p.nlooks - 2);
	missing = (uint8_t)(w->p.nlooks - 1);
	for (size_t i = 0; i < w->compared.n; i++) {
		const struct topo_difference *x = &w->compared.d[i];

		for (unsigned k = 0; k < 4 && x->change >= TOPO_CABLE_EXTRA &&
		    x->change <= TOPO_CABLE_MOVED; k++)
			if (x->is[k] && x->is[k]->peer != FAB_NONE)
				w->p.of[x->is[k] - w->f->s->ports] =
					w->p.of[x->is[k]->peer] = extra;
		w->p.look[missing].count += x->change == TOPO_CABLE_MISSING ||
			x->change == TOPO_CABLE_MOVED ? 1 : x->change == TOPO_CABLE_SWAPPED ? 2 : 0;
	}
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
	char name[DIAG_NAME_BYTES];

	fab_name(w->d, n, name);
	return picture_label(name, most, buf);
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

/* ---- what the picture calls ---- */

static const char *
label_of(const struct picture *p, const struct fab_node *n, unsigned most,
	char buf[static PICTURE_LABEL_BYTES])
{
	return draw_label(p->arg, n, most, buf);
}

static const char *
tip_of(const struct picture *p, const struct fab_port *port, char buf[static PICTURE_TIP_BYTES])
{
	return draw_tip(p->arg, port, buf);
}

static unsigned
lid_of(const struct picture *p, const struct fab_node *n)
{
	const struct draw *w = p->arg;

	return fab_lid(w->f, fab_port_of(w->f, n, 0));
}

static void
note_missing(struct draw *w)
{
	const struct topo_difference *x;
	const struct fab_node *a, *b;
	char text[TOPO_TEXT_BYTES];
	size_t at = 0;

	w->missing = xcalloc(2 * w->compared.n + 1, sizeof(*w->missing));
	while (draw_missing(w, &at, &a, &b, &x))
		w->missing[w->p.nmissing++] =
			(struct picture_missing){ (uint32_t)(a - w->f->s->nodes),
				(uint32_t)(b - w->f->s->nodes),
				xstrdup(topo_difference_text(w->d, w->golden, w->f, x, text)) };
	w->p.missing = w->missing;
	w->p.missing_look = (uint8_t)(w->p.nlooks - 1);
}

void
draw_begin(struct draw *w)
{
	w->p.s = w->f->s;
	w->p.arg = w;
	w->p.label = label_of;
	w->p.tip = tip_of;
	w->p.lid = lid_of;
	picture_begin(&w->p);
	if (w->golden)
		topo_compare(w->golden, w->f, TOPO_ASPECTS_ALL, false, &w->compared);
	if (w->color == DRAW_SPEED)
		by_speed(w);
	else if (w->color == DRAW_LOAD)
		picture_by_load(&w->p, w->load);
	else
		by_state(w);
	w->p.nfalling = w->color == DRAW_SPEED ? w->p.nlooks : 0;
	beside_golden(w);
	if (w->golden)
		note_missing(w);
	picture_count(&w->p);
}

void
draw_clear(struct draw *w)
{
	for (uint32_t i = 0; i < w->p.nmissing; i++)
		free(w->missing[i].text);
	free(w->missing);
	picture_clear(&w->p);
	topo_comparison_clear(&w->compared);
}
