/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reports.h - queues of reports to subscribers: one queue per subscriber's port, one report of each
 * in flight.
 * Room: sm/sub.  Pure.  In: a notice and its subscribers.  Out: the next report to send, and a slot
 * for it.
 *
 * A slow or unresponsive subscriber delays only its own reports.  Queues are bounded: reports that
 * do not fit are dropped and counted.
 */
#ifndef HEDDLE_SM_SUB_REPORTS_H
#define HEDDLE_SM_SUB_REPORTS_H

#include "sm/sub/inform.h"

#define REPORTS_SLOTS 256               /* maximum number in flight */
#define REPORTS_LINE_MAX 256            /* maximum number queued for one port */

struct reports;
struct reports *reports_new(void);
void reports_free(struct reports *r);   /* 'r' may be NULL */

/* A notice shared by several reports.  Reference-counted: the creator holds one reference and
 * releases it with reports_let_go(). */
struct report_image;
struct report_image *reports_image(const uint8_t image[static SA_NOTICE_BYTES]);
void reports_let_go(struct report_image *i);

/* False: the port's queue is full, and this report is dropped. */
bool reports_put(struct reports *r, const struct inform_sub *s, struct report_image *image);
/*
 * The next report to send, if fewer than 'most' are in flight.  '*slot' (< REPORTS_SLOTS) and
 * '*image' are valid until reports_done().  False: 'most' are in flight, or every port with queued
 * reports has one in flight.
 */
bool reports_next(
	struct reports *r, unsigned most, unsigned *slot, uint32_t *sub_id, const uint8_t **image);
/* The report was acknowledged, or given up. */
void reports_done(struct reports *r, unsigned slot);
/* Number of reports dropped because of full queues. */
uint64_t reports_lost(const struct reports *r);

#endif
