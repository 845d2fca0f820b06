/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - heddled --report: what the last sweep did, with its times, problems and findings.
 * Room: sm/status.  Pure.
 */
#ifndef HEDDLE_SM_STATUS_REPORT_H
#define HEDDLE_SM_STATUS_REPORT_H

#include "sm/status/view.h"

/* Owned by the caller. */
json_t *report_json(const struct status_view *v, struct monotime now);
/* Ports by state, with the unlinked ones; owned by the caller. */
json_t *report_ports_json(const struct subnet_counts *c);

#endif
