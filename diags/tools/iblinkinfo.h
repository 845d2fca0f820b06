/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblinkinfo.h - what the files of iblinkinfo share.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBLINKINFO_H
#define HEDDLE_DIAGS_TOOLS_IBLINKINFO_H

#include "diags/fabric/link.h"
#include "diags/fabric/select.h"
#include "diags/tools/part.h"

/* A part of a fabric: the nodes around a start, and the cables that were followed. */
struct scope {
	uint32_t *order;                /* node indices, the last found first */
	uint32_t n;
	bool *cable;                    /* by port index: its other end is known */
	uint32_t start;                 /* node index, FAB_NONE: none was named */
};

/*
 * The nodes up to 'hops' cables away from 'start' (0: all), as infiniband-diags scans them: one
 * cable beyond that distance is followed too, the first that is met. 'stuck': nothing beyond the
 * start answers.
 */
void scope_around(struct scope *s, const struct diag_fabric *f, uint32_t start, unsigned hops,
	bool stuck);
void scope_all(struct scope *s, const struct diag_fabric *f);
void scope_clear(struct scope *s);

enum link_check {
	LINK_CHECK_PORT = 1, LINK_CHECK_STATE = 2, LINK_CHECK_LID = 4, LINK_CHECK_DESC = 8,
};

/* How links are printed. */
struct link_out {
	struct diag *d;
	bool line, times, down;         /* -l -p -d */
	uint8_t type;                   /* of nodes: 0 all */
	unsigned checks;                /* --diffcheck */
	const struct selection *selection;
	const struct diag_fabric *known_down;   /* --filterdownports, NULL none */
};

/* A fabric as it is printed. */
struct link_view {
	const struct diag_fabric *f;
	const struct chassis_map *chassis;
	const struct scope *scope;
};

bool link_wanted(const struct link_out *o, const struct link_view *v, const struct fab_port *p);
/* The node's header unless '*out' is set, which it then is; one port; both after 'prefix'. */
void link_put_header(const struct link_out *o, const struct link_view *v, const struct fab_node *n,
	const char *prefix, bool *out);
void link_put_port(const struct link_out *o, const struct link_view *v, const struct fab_port *p,
	const char *prefix);
void link_put_node(const struct link_out *o, const struct link_view *v, const struct fab_node *n,
	const char *prefix);
/* Prints how 'now' differs from 'then', "< " what was, "> " what is; each difference is a finding
 * too. 'only': a node of 'now', NULL all. */
void link_diff(const struct link_out *o, const struct link_view *then, const struct link_view *now,
	const struct fab_node *only);

#endif
