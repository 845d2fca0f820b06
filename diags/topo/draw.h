/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * draw.h - pictures of a fabric: the style of each link, and the output formats.
 * Room: diags/topo.
 */
#ifndef HEDDLE_DIAGS_TOPO_DRAW_H
#define HEDDLE_DIAGS_TOPO_DRAW_H

#include "diags/fabric/fabric.h"
#include "diags/topo/compare.h"
#include "diags/topo/layout.h"

enum draw_color { DRAW_STATE, DRAW_SPEED, DRAW_LOAD };
#define DRAW_LOOKS_MAX 16

/* A route for a cable to look, a line of the legend. */
struct draw_look {
	char word[32];                  /* "active", "4x HDR", "10-30 %" */
	const char *color;
	double width;
	bool dashed, loud;              /* loud: drawn above the others */
	unsigned count;                 /* cables */
};

struct draw {
	struct diag *d;
	const struct diag_fabric *f;
	struct levels levels;
	struct layout layout;
	const struct diag_fabric *golden;       /* NULL: none */
	struct topo_comparison compared;
	enum draw_color color;
	/* per port index: share of the link that is sent, below 0 not known; NULL */
	const double *load;
	struct draw_look look[DRAW_LOOKS_MAX];
	unsigned nlooks;
	uint8_t *of;                    /* per port index: look of its cable */
	char title[160];
};

/* Finds out how each cable looks. Needs f, golden, color, load; levels and layout are made here. */
void draw_begin(struct draw *w);
void draw_clear(struct draw *w);
void draw_svg(const struct draw *w, FILE *out);
void draw_dot(const struct draw *w, FILE *out);
/* Cables of the golden fabric that are missing between switches that are there: both ends' switch
 * ordinals; NULL ends them. */
bool draw_missing(const struct draw *w, size_t *at, const struct fab_node **a,
	const struct fab_node **b, const struct topo_difference **x);
/* The look that is worst of the cables of a group (between two switches), and what they are, for a
 * tooltip. */
uint8_t draw_group_look(const struct draw *w, uint32_t sw, const struct swgraph_group *g);
/* "leaf-0-0" of "MF0;leaf-0-0:MQM8700/U1", as UTF-8, at most 'most' characters. */
const char *draw_label(const struct draw *w, const struct fab_node *n, unsigned most,
	char buf[static DIAG_NAME_BYTES]);
/* "leaf-0-0 port 3 - agg-0-0 port 1: 4x HDR (200 Gb/s), Active" */
#define DRAW_TIP_BYTES 900
const char *draw_tip(const struct draw *w, const struct fab_port *p,
	char buf[static DRAW_TIP_BYTES]);

#endif
