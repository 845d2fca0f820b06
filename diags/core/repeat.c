/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * repeat.c - intervals that do not drift, and the request to stop.
 * Room: diags/core.
 */
#include <config.h>
#include <poll.h>
#include <stdlib.h>
#include "diags/core/progress.h"
#include "diags/core/repeat.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"

#define LONGEST_S 86400
#define SHORTEST_S 0.05
#define SLICE_MS 200 /* a signal that arrives right before poll() is noticed after this time */

void
repeat_catch_signals(void)
{
	signals_catch(SIGNALS_STOP);
}

bool
repeat_stopped(void)
{
	return signals_came();
}

void
repeat_stop(void)
{
	signals_ask_end();
}

int
repeat_interval(struct diag *d, const char *text, int64_t *us)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s >= SHORTEST_S && s <= LONGEST_S))
		return diag_usage(d, "'%s' is no interval of %g to %d seconds", text, SHORTEST_S,
			LONGEST_S);
	*us = (int64_t)(s * 1e6);
	return 0;
}

int64_t
repeat_next(int64_t last_us, int64_t interval_us)
{
	int64_t behind = diag_now_us() - last_us;

	return last_us + (behind > 0 ? (behind + interval_us - 1) / interval_us : 1) * interval_us;
}

bool
repeat_wait(int64_t at_us, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left_ms;

	while (!signals_came()) {
		left_ms = (at_us - diag_now_us() + 999) / 1000;
		if (left_ms <= 0)
			return false;
		if (poll(&p, fd >= 0, left_ms > SLICE_MS ? SLICE_MS : (int)left_ms) > 0)
			return true;
	}
	return false;
}
