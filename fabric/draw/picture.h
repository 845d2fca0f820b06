/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * picture.h - pictures of a fabric: the style of each link, names, and two output formats.
 * Room: fabric/draw (prefixes: the names of the files).  Pure.
 *
 * The caller chooses a style (struct picture_look) for each link and supplies the texts, because
 * names, LIDs and what matters about a link differ between programs; picture_by_load() chooses
 * styles by load.  Then svg.c or dot.c writes the picture.  layout.h computes positions, levels.h
 * the rows.
 * Users: ibtopo (diags/topo/draw.h), heddle-route (cli/route/loads.h).
 */
#ifndef HEDDLE_FABRIC_DRAW_PICTURE_H
#define HEDDLE_FABRIC_DRAW_PICTURE_H

#include <stdio.h>
#include "fabric/draw/layout.h"

#define PICTURE_LOOKS_MAX 16
#define PICTURE_LABEL_BYTES 257
#define PICTURE_TIP_BYTES 900

/* The style of a link, which is also a line of the legend. */
struct picture_look {
	char word[32]; /* "active", "4x HDR", "10-30 %" */
	const char *color;
	double width;
	bool dashed, loud; /* loud: drawn above the others */
	unsigned count; /* number of links with this style */
};

/* A link that should be there, between two nodes (indices) that are. */
struct picture_missing {
	uint32_t a, b;
	char *text; /* its tooltip */
};

struct picture {
	const struct snapshot *s;
	struct levels levels;
	struct layout layout;
	struct picture_look look[PICTURE_LOOKS_MAX];
	unsigned nlooks;
	/* the first so many styles are ordered from bad to good; 0: all are from good to bad */
	unsigned nfalling;
	uint8_t *of; /* by port index: style of its link */
	bool whole_legend; /* also styles that no link has */
	char title[160];
	const struct picture_missing *missing;
	uint32_t nmissing;
	uint8_t missing_look;
	/* Texts, for 'arg'.  A name of at most 'most' characters, as picture_label() makes it. */
	const void *arg;
	const char *(*label)(const struct picture *p, const struct fab_node *n, unsigned most,
		char buf[static PICTURE_LABEL_BYTES]);
	/* of a link, seen from one of its ports: "leaf-1 port 3 - spine-1 port 1: 4x HDR" */
	const char *(*tip)(const struct picture *p, const struct fab_port *port,
		char buf[static PICTURE_TIP_BYTES]);
	unsigned (*lid)(const struct picture *p, const struct fab_node *sw);
};

/* Computes levels and positions of p->s, and p->of, where all links have the first style.
 * picture_clear() frees them. */
void picture_begin(struct picture *p);
void picture_clear(struct picture *p);
/* Counts the links of each style, and makes a title if there is none.  To be called when the styles
 * are complete. */
void picture_count(struct picture *p);
/* Styles by load: 'load' has a share from 0 to 1 for each port index, negative if unknown; the
 * busier direction of a link counts. */
void picture_by_load(struct picture *p, const double *load);
/* The worst style of the links in a group, that is, of the links between two switches. */
uint8_t picture_group_look(const struct picture *p, uint32_t sw, const struct swgraph_group *g);
/* Shortens a node description for display: "leaf-0-0" of "MF0;leaf-0-0:MQM8700/U1", as UTF-8, at
 * most 'most' characters. Returns 'buf'. */
const char *picture_label(const char *name, unsigned most, char buf[static PICTURE_LABEL_BYTES]);

/* Write the picture to 'out'. */
void picture_svg(const struct picture *p, FILE *out);
void picture_dot(const struct picture *p, FILE *out);

#endif
