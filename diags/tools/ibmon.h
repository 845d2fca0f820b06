/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibmon.h - the interface between the files of ibmon.
 * Room: diags/tools.
 *
 * ibmon.c takes a sample of all counters at an interval; ibmon_metrics.c writes a sample in the
 * OpenMetrics format. Counters and rates come from diags/perf/rates.h.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBMON_H
#define HEDDLE_DIAGS_TOOLS_IBMON_H

#include <time.h>
#include "diags/perf/rates.h"

struct mon_sample {
	const struct diag_fabric *f;
	const struct rates *r;
	unsigned number;                /* number of the sample, from 1 */
	struct timespec began;          /* wall clock time */
	/* seconds after its planned time; from the first request to the last answer */
	double late_s, took_s;
	uint64_t missed; /* intervals left out because the sample before took longer */
	uint32_t ports, unanswered;
};

/* Writes the sample to 'f' in the OpenMetrics format, which Prometheus reads too. Returns 0 or a
 * positive errno. */
int mon_metrics(struct diag *d, const struct mon_sample *s, FILE *f);
/* Writes the sample to a temporary file and renames it to 'path', so that a reader never sees a
 * partial file. Returns 0 or a positive errno. */
int mon_metrics_file(struct diag *d, const struct mon_sample *s, const char *path);

#endif
