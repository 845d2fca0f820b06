/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * missing.h - nodes and links that were part of the subnet and are not any more: reported by name,
 * and listed until they are back.
 * Room: sm/watch.  Owns the list; no clock of its own.
 *
 * An entry leaves the list when the node or link is back, when a port of the link has another link,
 * after MISSING_DAYS, and with the end of the program or of its time as master.
 */
#ifndef HEDDLE_SM_WATCH_MISSING_H
#define HEDDLE_SM_WATCH_MISSING_H

#include <jansson.h>
#include <time.h>
#include "fabric/discover/discover.h"
#include "sm/watch/flaps.h"
#include "sm/watch/roster.h"
#include "util/log.h"

/* Entries; what is lost beyond that is logged, and not listed. */
#define MISSING_MAX 65536
#define MISSING_DAYS 7
#define MISSING_LISTED 100              /* in one answer to Status: the longest missing first */
/* Of one kind of event, in the log of one sweep; the others are counted. */
#define MISSING_NAMED 16

struct missing;

struct missing *missing_new(void);
void missing_free(struct missing *x);           /* NULL is fine */
/* Another manager leads: nothing is known any more, and the next sweep finds nothing missing. */
void missing_forget(struct missing *x);

/*
 * A sweep has ended with 's', whose roster is 'is' (taken over): logs what has changed since the
 * sweep before.
 */
struct missing_sweep {
	const struct snapshot *s;
	const struct flaps *flaps;      /* what flaps is listed, but not logged */
	struct monotime now;
	const struct log *log;
};
void missing_swept(struct missing *x, struct roster *is, const struct missing_sweep *w);

/*
 * "leaf-1 port 3", with the name that the node has, or had before it went missing; 'x' is a struct
 * missing.
 */
const char *missing_place(
	const void *x, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES]);
/* The node that was last seen behind that port and is missing now: its GUID and name; 0: none. */
uint64_t missing_behind(const struct missing *x, uint64_t at_guid, uint8_t at_port,
	char name[static ROSTER_NAME_BYTES]);
/*
 * Where nodes are that are missing because they do not answer, although their link is up; the
 * caller frees.  Their number.
 */
uint32_t missing_silent(const struct missing *x, struct discover_place **out);

uint32_t missing_count(const struct missing *x);
/* 'wall' is the time of day at 'now'. */
json_t *missing_json(const struct missing *x, struct monotime now, time_t wall);

/* "12 s", "5 min": for the log. */
const char *missing_duration(int64_t us, char buf[static 24]);

#endif
