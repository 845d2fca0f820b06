/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * draw.h - pictures of a fabric: the style of each link, and the output formats.
 * Room: diags/topo.
 *
 * draw_begin() computes a style for each link, by its state, speed or load; then picture_svg() or
 * picture_dot() (fabric/draw/picture.h) writes the picture from that. With a golden fabric, missing
 * and extra links get styles of their own.
 */
#ifndef HEDDLE_DIAGS_TOPO_DRAW_H
#define HEDDLE_DIAGS_TOPO_DRAW_H

#include "diags/fabric/fabric.h"
#include "diags/topo/compare.h"
#include "fabric/draw/picture.h"

enum draw_color { DRAW_STATE, DRAW_SPEED, DRAW_LOAD };

struct draw {
	struct diag *d;
	const struct diag_fabric *f;
	const struct diag_fabric *golden;       /* NULL: no comparison */
	struct topo_comparison compared;
	enum draw_color color;
	/* by port index: used share of the link's data rate, from 0 to 1; negative: unknown. NULL
	 * if not measured */
	const double *load;
	struct picture p;               /* the caller may set p.title */
	struct picture_missing *missing;        /* = p.missing */
};

/* Computes levels, layout and the style of each link. The caller has set f, golden, color and load,
 * and frees the result by draw_clear(). */
void draw_begin(struct draw *w);
void draw_clear(struct draw *w);
/* Iterates over links of the golden fabric that are missing, moved or swapped, between nodes that
 * exist: stores the nodes of both ends and the difference. Returns false after the last one. '*at'
 * begins at 0. */
bool draw_missing(const struct draw *w, size_t *at, const struct fab_node **a,
	const struct fab_node **b, const struct topo_difference **x);
/* Shortens a node description for display: "leaf-0-0" of "MF0;leaf-0-0:MQM8700/U1", as UTF-8, at
 * most 'most' characters. Returns 'buf'. */
const char *draw_label(const struct draw *w, const struct fab_node *n, unsigned most,
	char buf[static DIAG_NAME_BYTES]);
/* Writes the tooltip of a link: "leaf-0-0 port 3 - agg-0-0 port 1: 4x HDR (200 Gb/s), Active".
 * Returns 'buf'. */
#define DRAW_TIP_BYTES PICTURE_TIP_BYTES
const char *draw_tip(const struct draw *w, const struct fab_port *p,
	char buf[static DRAW_TIP_BYTES]);

#endif
