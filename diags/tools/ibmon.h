/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibmon.h - what the files of ibmon know of one another.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBMON_H
#define HEDDLE_DIAGS_TOOLS_IBMON_H

#include <time.h>
#include "diags/perf/rates.h"

struct mon_sample {
	const struct diag_fabric *f;
	const struct rates *r;
	unsigned number;                /* from 1 */
	struct timespec began;          /* of the day */
	double late_s, took_s; /* behind its time; from the first request to the last answer */
	uint64_t missed; /* intervals that were left out, since the sample before took longer */
	uint32_t ports, unanswered;
};

/* The sample in OpenMetrics' format, which is Prometheus' too.  0 or a positive errno. */
int mon_metrics(struct diag *d, const struct mon_sample *s, FILE *f);
/* The same into a file that changes from one whole sample to the next.  0 or a positive errno. */
int mon_metrics_file(struct diag *d, const struct mon_sample *s, const char *path);

#endif
