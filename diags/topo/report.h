/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - differences as lines, rows of a document, and findings.
 * Room: diags/topo.
 */
#ifndef HEDDLE_DIAGS_TOPO_REPORT_H
#define HEDDLE_DIAGS_TOPO_REPORT_H

#include "diags/fabric/suppress.h"
#include "diags/fabric/select.h"
#include "diags/topo/compare.h"

struct topo_report {
	struct diag *d;
	const struct diag_fabric *was, *is;
	const struct suppress *suppress;        /* NULL: nothing */
	/* differences at these ports of either; NULL: all */
	const struct selection *was_only, *is_only;
	bool plan;                      /* 'was' is how it should be; else how it was */
};

/* Tells all of them, and last the verdict; "differences" and the summary in a document. */
void topo_report_show(const struct topo_report *t, const struct topo_comparison *c,
	const char *was_name, const char *is_name);
/* "error", "warning" */
const char *topo_severity(enum topo_change c, bool plan);

#endif
