/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * view.h - the input of documents: const views of the rooms of a manager, and facts of the process.
 * Room: sm/status.  Pure.
 *
 * Documents are made on the event loop (status_json, report_json) or by a job (documents.h).  A job
 * must not read data that the event loop changes, so it gets a served_view: served data is freed
 * only after all jobs that were handed out before have ended.
 */
#ifndef HEDDLE_SM_STATUS_VIEW_H
#define HEDDLE_SM_STATUS_VIEW_H

#include <time.h>
#include "sm/echo/echo.h"
#include "sm/notify/notify.h"
#include "sm/sa/sa.h"
#include "sm/sweep/sweep.h"

/* Facts from the operating system, which only sm/daemon queries. */
struct process_facts {
	time_t wall;                    /* the present time of day */
	int pid;
	double cpu_s;                   /* user and system time used so far */
	long peak_rss_kib;
};

struct status_view {
	const struct subnet *net;
	const struct election *election;
	const struct watch *watch;
	const struct sweep *sweep;
	const struct notify *notify;
	const struct echo *echo;
	const struct sa_stats *sa_stats;
	uint64_t unknown_mads;
	struct process_facts process;
};

/* The served data, for documents that another thread makes; all of it is const. */
struct served_view {
	const struct snapshot *s;
	const struct plan *plan;        /* NULL: not master */
	const struct sa_index *sa;      /* NULL: not master */
	uint64_t gid_prefix;
	unsigned sweeps;
};

/* Returns the data that is served now; it stays valid as described above. */
struct served_view status_served_view(const struct subnet *n, const struct sweep *w);

#endif
