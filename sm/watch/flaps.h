/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flaps.h - detects flapping links.
 * Room: sm/watch.  Owns the counts; no clock of its own.
 *
 * A link with more than FLAPS_CHANGES changes within FLAPS_WINDOW_US is flapping.  This is logged
 * once.  From then on its changes cause no sweep, and plans do not route over it.  Sweeps check it
 * after FLAPS_LOOK_US, then at intervals that double up to FLAPS_LOOK_MAX_US.  After FLAPS_QUIET_US
 * without a change the link is treated as any other link again.
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
/* Maximum number of links counted at one time; further links are never detected as flapping. */
#define FLAPS_MAX 1024
#define FLAPS_LISTED 100

struct flaps;

struct flaps *flaps_new(void);
void flaps_free(struct flaps *x);               /* NULL is fine */
void flaps_forget(struct flaps *x);

/* Writes the name of a port for the log to 'buf'. */
typedef const char *flaps_place_fn(
	const void *arg, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES]);

/*
 * Counts 'n' changes of port 'at', one end of a link; 'other' is the other end, with guid 0 if
 * unknown.  If both ends report the same change, it counts once.  True: the link has now begun to
 * flap.
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
 * The only port of that node whose link flaps or has changed within the window; 0: there is none,
 * or more than one.
 */
uint8_t flaps_only(const struct flaps *x, uint64_t guid, struct monotime now);
/* The flapping links of that node have just changed: restarts their FLAPS_QUIET_US. */
void flaps_still(struct flaps *x, uint64_t guid, struct monotime now);
/* Whether the link at that port flaps; whether any link of that node flaps. */
bool flaps_at(const struct flaps *x, uint64_t guid, uint8_t port);
bool flaps_of(const struct flaps *x, uint64_t guid);
/*
 * Removes links that have become quiet.  True: a sweep is needed, because the check of a flapping
 * link is due or a link has become quiet.
 */
bool flaps_tick(struct flaps *x, struct monotime now, const struct log *log);
bool flaps_deadline(const struct flaps *x, struct monotime *at);

/* Lists one end of each flapping link in '*out', which the caller frees.  Returns their number. */
uint32_t flaps_ends(const struct flaps *x, struct plan_end **out);
uint32_t flaps_count(const struct flaps *x);
/* 'wall' is the time of day at 'now'. */
json_t *flaps_json(const struct flaps *x, struct monotime now, time_t wall);

#endif
