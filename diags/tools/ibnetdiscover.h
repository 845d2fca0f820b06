/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibnetdiscover.h - the interface between the files of ibnetdiscover.
 * Room: diags/tools.
 *
 * ibnetdiscover.c reads the fabric and prints lists and tables, ibnetdiscover_topo.c prints the
 * topology file (docs/topology.md), ibnetdiscover_diff.c compares two fabrics and prints their
 * differences by the same functions.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBNETDISCOVER_H
#define HEDDLE_DIAGS_TOOLS_IBNETDISCOVER_H

#include <stdio.h>
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"

/* Destination and options of the output. */
struct topo_out {
	struct diag *d;
	FILE *f;
	bool full;                      /* option -f */
	const struct chassis_map *chassis;      /* with -g, otherwise NULL */
	const struct selection *selection;      /* with --select, otherwise NULL */
};

/* Print parts of a topology file: a node's header, the line of the node itself, one port. Each line
 * begins with the prefix. */
void topo_node(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n,
	const char *ids_prefix,
	const char *line_prefix);
void topo_node_line(const struct topo_out *o, const struct diag_fabric *f, const struct fab_node *n,
	const char *prefix);
void topo_port_line(const struct topo_out *o, const struct diag_fabric *f, const struct fab_port *p,
	const char *prefix);
/* Prints the whole topology file. 'hops' adds the figures of option -m. */
void topo_print(const struct topo_out *o, const struct diag_fabric *f, bool hops);

enum diff_check {
	DIFF_SW = 1, DIFF_CA = 2, DIFF_ROUTER = 4, DIFF_PORT = 8, DIFF_LID = 16, DIFF_DESC = 32,
};
/* Prints the differences between 'then' and 'now'; each difference is a finding too. 'checks' are
 * bits of enum diff_check. */
void topo_diff(const struct topo_out *o, const struct diag_fabric *then,
	const struct diag_fabric *now, unsigned checks);

#endif
