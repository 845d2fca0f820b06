/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibqueryerrors.h - the state of an ibqueryerrors run, and the functions that show and clear
 * counters.
 * Room: diags/tools.
 *
 * ibqueryerrors.c reads the counters of all ports, or errors_replay() takes them from a JSON
 * document of the tool. When all answers have arrived, errors_show_node() shows one node after the
 * other and counts, errors_show_summary() prints the counts, and errors_clear() resets counters.
 * Reading and thresholds are in diags/perf/pma.h.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBQUERYERRORS_H
#define HEDDLE_DIAGS_TOOLS_IBQUERYERRORS_H

#include "diags/fabric/chassis.h"
#include "diags/perf/pma.h"

struct errors {
	struct diag *d;
	const struct diag_fabric *f;
	struct chassis_map chassis;
	struct pma *pma;                /* NULL with --load */
	struct pma_thresholds limits;
	struct selection *only;
	uint32_t node;                  /* node index of -G or -D; FAB_NONE: all nodes */
	unsigned types;                 /* bits 1 << node type; 0: all types */
	bool data_only, data, details, links, hide_peers;
	bool clear_errors, clear_data;
	/* answers by port index of the snapshot; NULL: the port was not queried */
	struct pma_port **ports;
	struct pma_port **sums;         /* the same by node: the sums over all its ports */
	enum pma_counter *suppressed;   /* in the order of the option */
	size_t nsuppressed;
	/* counts for the summary */
	unsigned nodes_checked, bad_nodes, ports_checked, bad_ports, failures;
};

/* Reports whether a counter of 'p' is above its threshold. */
bool errors_any(const struct errors *e, const struct pma_port *p);
/* Shows the answers of a node's ports as text, rows and findings, and adds to the counts. */
void errors_show_node(struct errors *e, const struct fab_node *n);
/* Shows the counts of all nodes shown. */
void errors_show_summary(struct errors *e);
/* Resets the counters of the ports that have answered. A node whose ports all answered gets one
 * request for all ports. */
void errors_clear(struct errors *e);
/* Takes the counters from the JSON document 'path' instead of the ports. Returns 0 or the status of
 * a reported failure. */
int errors_replay(struct errors *e, const char *path);

#endif
