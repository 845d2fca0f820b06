/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * missing.h - nodes and links that have disappeared from the subnet: logged by name, and listed
 * until they are back.
 * Room: sm/watch.  Owns the list; no clock of its own.
 *
 * Each sweep makes a roster (roster.h); the differences from the roster of the sweep before are the
 * events.  An entry is removed from the list when the node or link is back, when a port of the link
 * has another link, after MISSING_DAYS, and when this SM ends or is no longer master.
 */
#ifndef HEDDLE_SM_WATCH_MISSING_H
#define HEDDLE_SM_WATCH_MISSING_H

#include <jansson.h>
#include <time.h>
#include "fabric/discover/discover.h"
#include "sm/watch/flaps.h"
#include "sm/watch/roster.h"
#include "util/log.h"

/* Maximum number of entries; further losses are logged, but not listed. */
#define MISSING_MAX 65536
#define MISSING_DAYS 7
#define MISSING_LISTED 100              /* in the status document, the longest missing first */
/* Events of one kind that the log names after one sweep; further ones are only counted. */
#define MISSING_NAMED 16

struct missing;

struct missing *missing_new(void);
void missing_free(struct missing *x);           /* NULL is fine */
/* Another SM is master: clears the list and the roster, so the next sweep reports no losses. */
void missing_forget(struct missing *x);

/*
 * A sweep has ended with snapshot 's' and its roster 'is', which is taken over: logs the changes
 * since the sweep before.
 */
struct missing_sweep {
	const struct snapshot *s;
	const struct flaps *flaps;      /* losses of flapping links are listed, but not logged */
	struct monotime now;
	const struct log *log;
};
void missing_swept(struct missing *x, struct roster *is, const struct missing_sweep *w);

/*
 * "leaf-1 port 3", with the present name of the node or its name before it went missing; 'x' is a
 * struct missing.
 */
const char *missing_place(
	const void *x, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES]);
/* The GUID and name of the missing node that was last connected to that port; 0: none. */
uint64_t missing_behind(const struct missing *x, uint64_t at_guid, uint8_t at_port,
	char name[static ROSTER_NAME_BYTES]);
/*
 * Lists in '*out' the places of missing nodes that are unresponsive although their link is up; the
 * caller frees it.  Returns their number.
 */
uint32_t missing_silent(const struct missing *x, struct discover_place **out);

uint32_t missing_count(const struct missing *x);
/* 'wall' is the time of day at 'now'. */
json_t *missing_json(const struct missing *x, struct monotime now, time_t wall);

/* "12 s", "5 min": for the log. */
const char *missing_duration(int64_t us, char buf[static 24]);

#endif
