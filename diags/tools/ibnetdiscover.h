/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibnetdiscover.h - what the files of ibnetdiscover share.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBNETDISCOVER_H
#define HEDDLE_DIAGS_TOOLS_IBNETDISCOVER_H

#include <stdio.h>
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"

/* Where and how a topology is printed. */
struct topo_out {
	struct diag *d;
	FILE *f;
	bool full;                      /* -f */
	const struct chassis_map *chassis;      /* -g, else NULL */
	const struct selection *selection;      /* --select, else NULL */
};

/* One node's head, its second line, one of its ports; each line begins with 'prefix'. */
void topo_node(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n,
	const char *ids_prefix,
	const char *line_prefix);
void topo_node_line(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n,
	const char *prefix);
void topo_port_line(const struct topo_out *o, const struct diag_fabric *f, const struct fab_port *p,
	const char *prefix);
/* The whole file; 'hops' with what -m tells. */
void topo_print(const struct topo_out *o, const struct diag_fabric *f, bool hops);

enum diff_check {
	DIFF_SW = 1, DIFF_CA = 2, DIFF_ROUTER = 4, DIFF_PORT = 8, DIFF_LID = 16, DIFF_DESC = 32,
};
/* Prints how 'now' differs from 'then'; each difference is a finding too. */
void topo_diff(const struct topo_out *o, const struct diag_fabric *then,
	const struct diag_fabric *now, unsigned checks);

#endif
