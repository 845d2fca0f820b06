/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * monotime.h - monotonic time in microseconds.
 * Room: util.  Pure, header only: nothing here reads a clock.
 *
 * The program reads the clock once per turn of its event loop and passes the result, a struct
 * monotime, to every function that needs the time.  Tests and scenarios pass a virtual time
 * instead.  Because it is a struct, the compiler rejects a mix-up with a duration, which is a
 * plain int64_t of microseconds.
 */
#ifndef HEDDLE_UTIL_MONOTIME_H
#define HEDDLE_UTIL_MONOTIME_H

#include <stdbool.h>
#include <stdint.h>

struct monotime {
	int64_t us;             /* since an arbitrary start; never goes back */
};

#define MONOTIME_NEVER ((struct monotime){ INT64_MAX })

static inline struct monotime
monotime_add_us(struct monotime t, int64_t us)
{
	return (struct monotime){ t.us > INT64_MAX - us ? INT64_MAX : t.us + us };
}

static inline bool
monotime_reached(struct monotime now, struct monotime at)
{
	return now.us >= at.us;
}

static inline int64_t
monotime_sub_us(struct monotime a, struct monotime b)
{
	return a.us - b.us;
}

static inline struct monotime
monotime_min(struct monotime a, struct monotime b)
{
	return a.us < b.us ? a : b;
}

#endif
