/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - the document of heddled --report: what the last sweep did, with times, problems and
 * findings.
 * Room: sm/status.  Pure.
 *
 * A problem is something that heddled could not do, such as a node without an answer. A finding is
 * an error of the subnet itself: a duplicate GUID, a moved cable, a refused sweep. Its id is the
 * same in every run, so that scripts can recognize it. The document has the envelope of the
 * diagnostics tools (docs/json.md). sm/daemon/service.c writes it to the file.
 */
#ifndef HEDDLE_SM_STATUS_REPORT_H
#define HEDDLE_SM_STATUS_REPORT_H

#include "sm/status/view.h"

/* Returns the report at the time 'now'; the caller owns it. */
json_t *report_json(const struct status_view *v, struct monotime now);
/* Returns the numbers of ports by state, and of ports without a link; the caller owns the
 * object. */
json_t *report_ports_json(const struct subnet_counts *c);

#endif
