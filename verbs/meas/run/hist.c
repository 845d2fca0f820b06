/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hist.c - see hist.h.
 * Room: verbs/meas/run.  Pure.
 *
 * A value below 1024 is its own slot.  Above, the leading ten bits say where: shifted right by
 * 's' it lies in 512..1023, and its slot is s * 512 + that; so each power of two has 512 slots,
 * and the slots are without gaps.
 */
#include <config.h>
#include <math.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/meas/run/hist.h"

#define BIN_SLOTS (MEAS_HIST_HALF / 4)

static unsigned
slot_of(uint64_t v)
{
	unsigned shift;

	if (v > INT64_MAX)
		v = INT64_MAX;
	if (v < 2 * MEAS_HIST_HALF)
		return (unsigned)v;
	shift = 54u - (unsigned)__builtin_clzll(v);
	return shift * MEAS_HIST_HALF + (unsigned)(v >> shift);
}

/* The smallest value of a slot. */
static uint64_t
slot_from(unsigned slot)
{
	unsigned shift;

	if (slot < 2 * MEAS_HIST_HALF)
		return slot;
	shift = slot / MEAS_HIST_HALF - 1;
	return (uint64_t)(slot - shift * MEAS_HIST_HALF) << shift;
}

struct meas_hist *
meas_hist_new(void)
{
	struct meas_hist *h = xmalloc(sizeof(*h));

	meas_hist_clear(h);
	return h;
}

void
meas_hist_clear(struct meas_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min_ns = UINT64_MAX;
}

void
meas_hist_add(struct meas_hist *h, uint64_t ns)
{
	double d = (double)ns - h->mean_ns;

	h->slots[slot_of(ns)]++;
	h->count++;
	if (ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->mean_ns += d / (double)h->count;
	h->m2 += d * ((double)ns - h->mean_ns);
}

void
meas_hist_merge(struct meas_hist *h, const struct meas_hist *other)
{
	double a = (double)h->count, b = (double)other->count, d = other->mean_ns - h->mean_ns;

	if (!other->count)
		return;
	for (unsigned i = 0; i < MEAS_HIST_SLOTS; i++)
		h->slots[i] += other->slots[i];
	h->count += other->count;
	h->mean_ns += d * b / (a + b);
	h->m2 += other->m2 + d * d * a * b / (a + b);
	if (other->min_ns < h->min_ns)
		h->min_ns = other->min_ns;
	if (other->max_ns > h->max_ns)
		h->max_ns = other->max_ns;
}

uint64_t
meas_hist_percentile(const struct meas_hist *h, double percent)
{
	double exact = percent / 100 * (double)h->count;
	uint64_t rank, seen = 0, v;

	if (!h->count)
		return 0;
	rank = exact <= 1 ? 1 : exact >= (double)h->count ? h->count : (uint64_t)ceil(exact - 1e-9);
	for (unsigned i = 0; i < MEAS_HIST_SLOTS; i++) {
		seen += h->slots[i];
		if (seen < rank)
			continue;
		v = slot_from(i + 1) - 1;
		return v < h->max_ns ? v : h->max_ns;
	}
	return h->max_ns;
}

double
meas_hist_stdev_ns(const struct meas_hist *h)
{
	return h->count > 1 && h->m2 > 0 ? sqrt(h->m2 / (double)(h->count - 1)) : 0;
}

/* Below 1024 a bin of 128 slots would be too coarse: bins are quarters of a power of two there
 * as well. */
static unsigned
bin_end(unsigned slot)
{
	unsigned width;

	if (slot >= 2 * MEAS_HIST_HALF)
		return slot - slot % BIN_SLOTS + BIN_SLOTS;
	if (slot < 8)
		return slot + 1;
	width = 1u << (29u - (unsigned)__builtin_clz(slot));
	return slot - slot % width + width;
}

bool
meas_hist_bin(const struct meas_hist *h, unsigned *at, struct meas_bin *b)
{
	while (*at < MEAS_HIST_SLOTS) {
		unsigned end = bin_end(*at);

		*b = (struct meas_bin){ .from_ns = slot_from(*at), .to_ns = slot_from(end) };
		while (*at < end && *at < MEAS_HIST_SLOTS)
			b->count += h->slots[(*at)++];
		if (b->count)
			return true;
	}
	return false;
}
