/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flaps.h - links that change too often.
 * Room: sm/watch.  Owns the counts; no clock of its own.
 *
 * More than FLAPS_CHANGES changes of a link in FLAPS_WINDOW_US, and it is flapping: that is logged
 * once, and its changes cause no sweep any more.  It is looked at after FLAPS_LOOK_US, then at
 * intervals twice as long each, up to FLAPS_LOOK_MAX_US.  After FLAPS_QUIET_US without a change it
 * is a link like any other.
 */
#ifndef HEDDLE_SM_WATCH_FLAPS_H
#define HEDDLE_SM_WATCH_FLAPS_H

#include <jansson.h>
#include <time.h>
#include "sm/watch/roster.h"
#include "sm/plan/isolate.h"
#include "util/log.h"
#include "util/monotime.h"

#define FLAPS_CHANGES 3
#define FLAPS_WINDOW_US INT64_C(10000000)
#define FLAPS_LOOK_US INT64_C(10000000)
#define FLAPS_LOOK_MAX_US INT64_C(160000000)
#define FLAPS_QUIET_US INT64_C(30000000)
/* Links that are counted at one time; changes of others are changes like any other. */
#define FLAPS_MAX 1024
#define FLAPS_LISTED 100

struct flaps;

struct flaps *flaps_new(void);
void flaps_free(struct flaps *x);               /* NULL is fine */
void flaps_forget(struct flaps *x);

/* Gives the name of a port to the log. */
typedef const char *flaps_place_fn(
	const void *arg, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES]);

/*
 * Port 'at', at one end of a link, was seen to have changed 'n' times; 'other' is the other end,
 * its guid 0 if unknown.  Both ends may report the same change: it counts once.  True: with this
 * the link has begun to flap.
 */
struct flaps_now {
	struct monotime now;
	const struct log *log;
	flaps_place_fn *place;
	const void *arg;
};
bool flaps_changed(struct flaps *x, struct roster_end at, struct roster_end other, unsigned n,
	const struct flaps_now *w);
/*
 * The one port of that node whose link has changed within the window, or flaps; 0: none, or
 * several.
 */
uint8_t flaps_only(const struct flaps *x, uint64_t guid, struct monotime now);
/* The links of that node that flap still do. */
void flaps_still(struct flaps *x, uint64_t guid, struct monotime now);
/* Whether the link at that port flaps, or any of that node. */
bool flaps_at(const struct flaps *x, uint64_t guid, uint8_t port);
bool flaps_of(const struct flaps *x, uint64_t guid);
/*
 * Ends what is quiet.  True: the fabric should be swept, because a link is to be looked at or has
 * become quiet.
 */
bool flaps_tick(struct flaps *x, struct monotime now, const struct log *log);
bool flaps_deadline(const struct flaps *x, struct monotime *at);

/* One end of each link that flaps; the caller frees.  Their number. */
uint32_t flaps_ends(const struct flaps *x, struct plan_end **out);
uint32_t flaps_count(const struct flaps *x);
/* 'wall' is the time of day at 'now'. */
json_t *flaps_json(const struct flaps *x, struct monotime now, time_t wall);

#endif
