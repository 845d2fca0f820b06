/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reports.h - reports that wait to be sent: a line for each subscriber's port, one of each under
 * way.
 * Room: sm/sub.  Pure.  In: a notice and who is to be told.  Out: the next report to send, and a
 * slot for it.
 *
 * A subscriber that answers slowly, or not at all, holds up its own reports only.  Lines are
 * bounded: what a subscriber leaves lying for too long is lost to it, and counted.
 */
#ifndef HEDDLE_SM_SUB_REPORTS_H
#define HEDDLE_SM_SUB_REPORTS_H

#include "sm/sub/inform.h"

#define REPORTS_SLOTS 256               /* under way at one time, at most */
#define REPORTS_LINE_MAX 256            /* that wait for one port */

struct reports;
struct reports *reports_new(void);
void reports_free(struct reports *r);   /* NULL is fine */

/* A notice that several are told of: made with one hold on it, let go by whoever made it. */
struct report_image;
struct report_image *reports_image(const uint8_t image[static SA_NOTICE_BYTES]);
void reports_let_go(struct report_image *i);

/* False: the port's line is full, this one is lost. */
bool reports_put(struct reports *r, const struct inform_sub *s, struct report_image *image);
/*
 * The next one to send, while fewer than 'most' are under way: '*slot' (< REPORTS_SLOTS) is its own
 * until reports_done(), '*image' lives as long.  False: nobody waits whose last one has ended.
 */
bool reports_next(
	struct reports *r, unsigned most, unsigned *slot, uint32_t *sub_id, const uint8_t **image);
/* It was answered, or given up. */
void reports_done(struct reports *r, unsigned slot);
/* So many were lost because their lines were full. */
uint64_t reports_lost(const struct reports *r);

#endif
