/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - shows differences as lines, rows of a document, and findings.
 * Room: diags/topo.
 *
 * The differences come from topo_compare() (compare.h). ibtopo uses this for its operations verify
 * and diff.
 */
#ifndef HEDDLE_DIAGS_TOPO_REPORT_H
#define HEDDLE_DIAGS_TOPO_REPORT_H

#include "diags/fabric/suppress.h"
#include "diags/fabric/select.h"
#include "diags/topo/compare.h"

struct topo_report {
	struct diag *d;
	const struct diag_fabric *was, *is;
	const struct suppress *suppress;        /* NULL: nothing is suppressed */
	/* only differences at selected ports of either fabric; NULL: all */
	const struct selection *was_only, *is_only;
	bool plan;                      /* 'was' is a plan; otherwise an earlier state */
};

/* Shows all differences, then the verdict; in a document the rows "differences" and the summary. */
void topo_report_show(const struct topo_report *t, const struct topo_comparison *c,
	const char *was_name, const char *is_name);
/* Returns "error" or "warning". */
const char *topo_severity(enum topo_change c, bool plan);

#endif
