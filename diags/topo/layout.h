/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * layout.h - the position of each switch and host in a picture of the fabric.
 * Room: diags/topo.  Only geometry: draw.h does the drawing.
 */
#ifndef HEDDLE_DIAGS_TOPO_LAYOUT_H
#define HEDDLE_DIAGS_TOPO_LAYOUT_H

#include "diags/topo/levels.h"

enum layout_hosts { LAYOUT_BOXES, LAYOUT_DOTS, LAYOUT_COUNTS };

struct layout_switch {
	double x, y;                    /* the middle of its box */
	double angle;                   /* in a ring: of its place, radians */
};

struct layout_host {
	double x, y;
};

struct layout {
	const struct levels *l;
	double width, height;
	double scale; /* of title and legend: a wide picture is looked at from afar */
	double ring_y;                  /* its middle, at half the width */
	bool ring;                      /* one level only: switches in a ring, links as chords */
	bool upright;                   /* boxes are narrow: their names run upwards */
	double step;                    /* from one switch of the lowest level to the next */
	double box_w, box_h;            /* of a switch */
	double host_w, host_h;          /* of a host; a dot: both alike */
	enum layout_hosts hosts;
	struct layout_switch *sw;       /* by switch ordinal */
	struct layout_host *host;       /* as levels->g.hosts[] */
	double *below;                  /* by switch ordinal: y under its last host, for a count */
};

/* Everything is owned by 'l's arena. */
void layout_make(const struct snapshot *s, struct levels *l, struct layout *out);

/* How far a link between two switches of one row swings above it. */
double layout_swing(double dx);

#endif
