/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibqueryerrors.h - what was read of a fabric's counters, and those who show and clear it.
 * Room: diags/tools.
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
	uint32_t node;                  /* of -G, -D; FAB_NONE: all */
	unsigned types;                 /* 1 << type; 0: all */
	bool data_only, data, details, links, hide_peers;
	bool clear_errors, clear_data;
	/* what was answered, by index of the snapshot's ports; NULL: not asked */
	struct pma_port **ports;
	struct pma_port **sums;         /* by node */
	enum pma_counter *suppressed;   /* as they were named */
	size_t nsuppressed;
	/* the summary */
	unsigned nodes_checked, bad_nodes, ports_checked, bad_ports, failures;
};

/* Whether any counter of it is above its threshold. */
bool errors_any(const struct errors *e, const struct pma_port *p);
/* What the node was asked, and shows it: text, rows, findings, counts. */
void errors_show_node(struct errors *e, const struct fab_node *n);
void errors_show_summary(struct errors *e);
/* Writes zeros to what was shown, port by port or all ports of a node at once, as far as it was
 * answered. */
void errors_clear(struct errors *e);
/* Instead of asking: the counters that a document of ours has.  0, or the status of a failure that
 * is reported. */
int errors_replay(struct errors *e, const char *path);

#endif
