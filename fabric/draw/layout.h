/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * layout.h - the position of each switch and host in a picture of the fabric.
 * Room: fabric/draw.  Only geometry: picture.h does the drawing.
 *
 * Coordinates are in pixels of the SVG picture, with y increasing downwards.
 */
#ifndef HEDDLE_FABRIC_DRAW_LAYOUT_H
#define HEDDLE_FABRIC_DRAW_LAYOUT_H

#include "fabric/draw/levels.h"

enum layout_hosts { LAYOUT_BOXES, LAYOUT_DOTS, LAYOUT_COUNTS };

struct layout_switch {
	double x, y;                    /* centre of its box */
	double angle;                   /* in a ring: angle of its position, in radians */
};

struct layout_host {
	double x, y;
};

struct layout {
	const struct levels *l;
	double width, height;
	/* size of title and legend, larger for wide pictures, which are viewed at a smaller
	 * scale */
	double scale;
	double ring_y;                  /* y of the centre; its x is half the width */
	bool ring;                      /* only one level: switches form a ring, links are chords */
	bool upright;                   /* boxes are narrow, so names are written upwards */
	double step;                    /* distance of two switches of the lowest level */
	double box_w, box_h;            /* size of a switch */
	double host_w, host_h;          /* size of a host; equal for a dot */
	enum layout_hosts hosts;
	struct layout_switch *sw;       /* by switch ordinal */
	struct layout_host *host;       /* in the order of levels->g.hosts[] */
	/* by switch ordinal: y below its last host, where the number of hosts is written */
	double *below;
};

/* Computes the layout. It is allocated in the arena of 'l' and is valid as long as that. */
void layout_make(const struct snapshot *s, struct levels *l, struct layout *out);

/* Returns the height of the arc of a link between two switches of one row that are 'dx' apart. */
double layout_swing(double dx);

#endif
