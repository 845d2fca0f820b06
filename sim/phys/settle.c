/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settle.c - brings the counters of a port to the present time.
 * Room: sim/phys.  Pure.
 *
 * Counters do not change by themselves: injected errors and traffic are added when a counter is
 * read or written.  The amount depends only on the times, not on the number of reads.
 */
#include <config.h>
#include "sim/phys/phys.h"

/* Thousandths a second, for so long: whole ones. */
static uint64_t
errors_grown(uint64_t rate, int64_t us)
{
	uint64_t s = (uint64_t)us / 1000000, rest = (uint64_t)us % 1000000;

	return (rate * s + rate * rest / 1000000) / 1000;
}

static void
settle_errors(struct hw_port *p, struct monotime now)
{
	for (unsigned i = 0; i < p->ninject; i++) {
		struct hw_inject *e = &p->inject[i];
		uint64_t n = now.us > e->since_us ? errors_grown(e->rate, now.us - e->since_us) : 0;

		if (n > e->done) {
			count_add(p, e->counter, n - e->done);
			e->done = n;
		}
	}
}

void
count_settle(struct hw *h, struct hw_port *p, struct monotime now)
{
	if (!h->nodes[p->node].powered)
		return;
	settle_errors(p, now);
	traffic_count(h, p, now);
}
