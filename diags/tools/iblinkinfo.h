/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblinkinfo.h - the interface between the files of iblinkinfo.
 * Room: diags/tools.
 *
 * iblinkinfo.c chooses the fabric and the part of it to be shown (struct scope), iblinkinfo_show.c
 * prints nodes and ports, iblinkinfo_diff.c compares two fabrics. All printing functions take a
 * link_out, which has the options, and a link_view, which has the fabric: a comparison prints from
 * two views.
 *
 * The node order and the choice of links reproduce infiniband-diags, whose text the tool prints
 * byte for byte.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBLINKINFO_H
#define HEDDLE_DIAGS_TOOLS_IBLINKINFO_H

#include "diags/fabric/link.h"
#include "diags/fabric/select.h"
#include "diags/tools/part.h"

/* A part of a fabric: nodes around a start node, and the links that were followed to find them. */
struct scope {
	uint32_t *order;                /* node indices, the last one found first */
	uint32_t n;
	bool *cable; /* by port index: the link was followed, so the other end is shown */
	uint32_t start;                 /* node index; FAB_NONE if no node was named */
};

/*
 * Sets '*s' to the nodes that are up to 'hops' links away from 'start' (0: no limit), as
 * infiniband-diags scans them: the first link beyond that distance is followed too. 'stuck': only
 * the start node itself can be reached. scope_all() selects the whole fabric. The caller frees the
 * result by scope_clear().
 */
void scope_around(struct scope *s, const struct diag_fabric *f, uint32_t start, unsigned hops,
	bool stuck);
void scope_all(struct scope *s, const struct diag_fabric *f);
void scope_clear(struct scope *s);

enum link_check {
	LINK_CHECK_PORT = 1, LINK_CHECK_STATE = 2, LINK_CHECK_LID = 4, LINK_CHECK_DESC = 8,
};

/* Options of the output. */
struct link_out {
	struct diag *d;
	bool line, times, down;         /* options -l, -p, -d */
	uint8_t type;                   /* node type; 0: all types */
	unsigned checks;                /* bits of enum link_check, from --diffcheck */
	const struct selection *selection;
	/* --filterdownports: the fabric with the known down ports; NULL: none */
	const struct diag_fabric *known_down;
};

/* The fabric to be printed, and the part of it. */
struct link_view {
	const struct diag_fabric *f;
	const struct chassis_map *chassis;
	const struct scope *scope;
};

/* Reports whether the options select a port to be printed. */
bool link_wanted(const struct link_out *o, const struct link_view *v, const struct fab_port *p);
/* link_put_header() prints the header of a node unless '*out' is set, and sets it; link_put_port()
 * prints one port. Each line begins with 'prefix'. */
void link_put_header(const struct link_out *o, const struct link_view *v, const struct fab_node *n,
	const char *prefix, bool *out);
void link_put_port(const struct link_out *o, const struct link_view *v, const struct fab_port *p,
	const char *prefix);
void link_put_node(const struct link_out *o, const struct link_view *v, const struct fab_node *n,
	const char *prefix);
/* Prints the differences: lines of 'then' begin with "< ", lines of 'now' with "> ". Each
 * difference is a finding too. 'only' is a node of 'now' to which the comparison is limited; NULL:
 * all nodes. */
void link_diff(const struct link_out *o, const struct link_view *then, const struct link_view *now,
	const struct fab_node *only);

#endif
