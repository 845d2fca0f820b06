/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tell.h - differences as lines, rows of a document, and findings.
 * Room: diags.
 */
#ifndef HEDDLE_DIAGS_TOPO_TELL_H
#define HEDDLE_DIAGS_TOPO_TELL_H

#include "diags/check/suppress.h"
#include "diags/common/select.h"
#include "diags/topo/compare.h"

struct tell {
	struct diag *d;
	const struct diag_fabric *was, *is;
	const struct suppress *suppress;        /* NULL: nothing */
	const struct selection *was_only, *is_only;     /* differences at these ports of either; NULL: all */
	bool plan;                      /* 'was' is how it should be; else how it was */
};

/* Tells all of them, and last the verdict; "differences" and the summary in a document. */
void tell_comparison(const struct tell *t, const struct topo_comparison *c, const char *was_name, const char *is_name);
/* "error", "warning" */
const char *tell_severity(enum topo_change c, bool plan);

#endif
