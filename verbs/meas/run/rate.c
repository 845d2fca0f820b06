/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.c - see rate.h.
 * Room: verbs/meas/run.  Pure.
 */
#include <config.h>
#include <string.h>
#include "verbs/meas/run/rate.h"

#define WIDTH_FIRST_NS 1024
#define ADDITIONS_MIN 32

void
meas_rate_begin(struct meas_rate *r, uint64_t now_ns)
{
	memset(r, 0, sizeof(*r));
	r->begin_ns = r->last_ns = now_ns;
	r->width_ns = WIDTH_FIRST_NS;
}

static void
slots_halve(struct meas_rate_slot *s, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		s[i].bytes = s[2 * i].bytes + s[2 * i + 1].bytes;
		s[i].messages = s[2 * i].messages + s[2 * i + 1].messages;
	}
	memset(s + n / 2, 0, (n - n / 2) * sizeof(*s));
}

void
meas_rate_add(struct meas_rate *r, uint64_t now_ns, uint64_t bytes, uint64_t messages)
{
	uint64_t at;

	if (now_ns < r->last_ns)
		now_ns = r->last_ns;
	while ((at = (now_ns - r->begin_ns) / r->width_ns) >= MEAS_RATE_SLOTS) {
		slots_halve(r->slots, MEAS_RATE_SLOTS);
		r->width_ns *= 2;
	}
	r->last_ns = now_ns;
	r->bytes += bytes;
	r->messages += messages;
	r->additions++;
	r->slots[at].bytes += bytes;
	r->slots[at].messages += messages;
}

struct meas_rates
meas_rate_result(const struct meas_rate *r)
{
	struct meas_rate c = *r;
	struct meas_rates o = { 0 };
	uint64_t ns = r->last_ns - r->begin_ns, whole, best = 0, worst = UINT64_MAX;

	if (!ns || !r->messages)
		return o;
	o.seconds = (double)ns / 1e9;
	o.bytes_per_s = (double)r->bytes / o.seconds;
	o.messages_per_s = (double)r->messages / o.seconds;
	o.peak_bytes_per_s = o.min_bytes_per_s = o.bytes_per_s;
	o.interval_s = o.seconds;
	while ((whole = ns / c.width_ns) > 1 && r->additions / whole < ADDITIONS_MIN) {
		slots_halve(c.slots, MEAS_RATE_SLOTS);
		c.width_ns *= 2;
	}
	if (whole < 2)
		return o;
	for (uint64_t i = 0; i < whole; i++) {  /* the last, incomplete one does not count */
		best = c.slots[i].bytes > best ? c.slots[i].bytes : best;
		worst = c.slots[i].bytes < worst ? c.slots[i].bytes : worst;
	}
	o.interval_s = (double)c.width_ns / 1e9;
	o.peak_bytes_per_s = (double)best / o.interval_s;
	o.min_bytes_per_s = (double)worst / o.interval_s;
	return o;
}
