/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ring.c - the parts of ring.h that are seldom needed: wrapping, full rings, invalid offsets.
 * Room: sim/ring.  Pure.
 *
 * Each function here reads an offset or a record that the other process wrote.  It checks the value
 * against the size of the ring before it uses it; an invalid value sets 'broken', and that end does
 * not use the ring any more.
 */
#include <config.h>
#include <string.h>
#include "sim/ring/ring.h"

#define MASK ((uint64_t)RING_BYTES - 1)

_Static_assert((RING_BYTES & (RING_BYTES - 1)) == 0, "a power of two");
_Static_assert(RING_CHUNK * 4 <= RING_BYTES, "several of the longest records fit");

void
ring_end_init(struct ring_end *e, struct ring_shared *s)
{
	*e = (struct ring_end){ .shared = s };
}

/* ---- producer ---- */

static bool
has_room(struct ring_end *e, uint64_t need)
{
	if (RING_BYTES - (e->mine - e->theirs) >= need)
		return true;
	e->theirs = atomic_load_explicit(&e->shared->head, memory_order_acquire);
	if (e->mine - e->theirs > RING_BYTES) {
		e->broken = true;
		e->theirs = e->mine - RING_BYTES;
	}
	return RING_BYTES - (e->mine - e->theirs) >= need;
}

struct ring_head *
ring_room_round(struct ring_end *e, uint64_t need)
{
	uint64_t left = RING_BYTES - (e->mine & MASK), filler = need > left ? left : 0;

	if (!has_room(e, need + filler))
		return NULL;
	if (filler) {
		struct ring_head f = { .bytes = (uint32_t)(filler - RING_LINE),
			.flags = RING_FILLER };

		memcpy(ring_place(e), &f, sizeof(f));
		e->mine += filler;
	}
	return (struct ring_head *)(void *)ring_place(e);
}

bool
ring_put(struct ring_end *e, const struct ring_head *h, const void *payload)
{
	struct ring_head *at = ring_room(e, h->bytes);

	if (!at)
		return false;
	memcpy(at, h, sizeof(*h));
	memcpy(at + 1, payload, h->bytes);
	ring_push(e, h->bytes);
	return true;
}

void
ring_starve(struct ring_end *e)
{
	atomic_store_explicit(&e->shared->starving, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

/* ---- consumer ---- */

bool
ring_look(struct ring_end *e)
{
	e->theirs = atomic_load_explicit(&e->shared->tail, memory_order_acquire);
	if (e->theirs - e->mine > RING_BYTES) {
		e->broken = true;
		e->theirs = e->mine;
	}
	return e->theirs != e->mine;
}

bool
ring_peek_round(struct ring_end *e, struct ring_head *h)
{
	while (!e->broken && ring_waiting(e)) {
		memcpy(h, ring_place(e), sizeof(*h));
		atomic_signal_fence(memory_order_acq_rel);
		if (e->theirs - e->mine < RING_LINE || !ring_head_fits(e, h) ||
			(h->bytes > RING_CHUNK && !(h->flags & RING_FILLER))) {
			e->broken = true;
			break;
		}
		if (!(h->flags & RING_FILLER))
			return true;
		e->mine += ring_record_bytes(h->bytes);
	}
	return false;
}

void
ring_awake(struct ring_end *e)
{
	if (ring_sleeps(e))
		atomic_store_explicit(&e->shared->sleeping, 0, memory_order_relaxed);
}
