/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ring.c - one producer, one consumer, shared memory, no trust.
 * Room: sim/serve, and the shim.
 */
#include <config.h>
#include <string.h>
#include "sim/serve/ring.h"

#define LINE 64u
#define MASK ((uint64_t)RING_BYTES - 1)

_Static_assert((RING_BYTES & (RING_BYTES - 1)) == 0, "a power of two");
_Static_assert(RING_CHUNK * 4 <= RING_BYTES, "several of the longest records fit");

void
ring_end_init(struct ring_end *e, struct ring_shared *s)
{
	*e = (struct ring_end){ .shared = s };
}

static uint64_t
record_bytes(uint32_t payload)
{
	return LINE + (((uint64_t)payload + LINE - 1) & ~(uint64_t)(LINE - 1));
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

bool
ring_put(struct ring_end *e, const struct ring_head *h, const void *payload)
{
	uint64_t need = record_bytes(h->bytes), left = RING_BYTES - (e->mine & MASK);
	uint64_t filler = need > left ? left : 0;
	uint8_t *at;

	if (!has_room(e, need + filler))
		return false;
	at = e->shared->data + (e->mine & MASK);
	if (filler) {
		struct ring_head f = { .bytes = (uint32_t)(filler - LINE), .flags = RING_FILLER };

		memcpy(at, &f, sizeof(f));
		at = e->shared->data;
	}
	memcpy(at, h, sizeof(*h));
	memcpy(at + LINE, payload, h->bytes);
	e->mine += need + filler;
	return true;
}

void
ring_publish(struct ring_end *e)
{
	atomic_store_explicit(&e->shared->tail, e->mine, memory_order_release);
}

static bool
answer_flag(_Atomic uint32_t *flag)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(flag, memory_order_relaxed) && atomic_exchange(flag, 0);
}

bool
ring_wake_consumer(struct ring_end *e)
{
	return answer_flag(&e->shared->sleeping);
}

void
ring_starve(struct ring_end *e)
{
	atomic_store(&e->shared->starving, 1);
	atomic_thread_fence(memory_order_seq_cst);
}

/* ---- consumer ---- */

bool
ring_waiting(struct ring_end *e)
{
	if (e->theirs != e->mine)
		return true;
	e->theirs = atomic_load_explicit(&e->shared->tail, memory_order_acquire);
	if (e->theirs - e->mine > RING_BYTES) {
		e->broken = true;
		e->theirs = e->mine;
	}
	return e->theirs != e->mine;
}

/* True if the record at 'mine' lies within what was published and within the ring. */
static bool
head_valid(const struct ring_end *e, const struct ring_head *h)
{
	uint64_t size = record_bytes(h->bytes);

	return size <= e->theirs - e->mine && size <= RING_BYTES - (e->mine & MASK) &&
		(h->bytes <= RING_CHUNK || (h->flags & RING_FILLER));
}

bool
ring_peek(struct ring_end *e, struct ring_head *h)
{
	while (!e->broken && ring_waiting(e)) {
		memcpy(h, e->shared->data + (e->mine & MASK), sizeof(*h));
		if (e->theirs - e->mine < LINE || !head_valid(e, h)) {
			e->broken = true;
			break;
		}
		if (!(h->flags & RING_FILLER))
			return true;
		e->mine += record_bytes(h->bytes);
	}
	return false;
}

void
ring_payload(const struct ring_end *e, const struct ring_head *h, void *to, uint32_t n)
{
	memcpy(to, e->shared->data + (e->mine & MASK) + LINE, n < h->bytes ? n : h->bytes);
}

void
ring_drop(struct ring_end *e, const struct ring_head *h)
{
	e->mine += record_bytes(h->bytes);
}

void
ring_release(struct ring_end *e)
{
	atomic_store_explicit(&e->shared->head, e->mine, memory_order_release);
}

void
ring_sleep(struct ring_end *e)
{
	atomic_store(&e->shared->sleeping, 1);
	atomic_thread_fence(memory_order_seq_cst);
}

void
ring_awake(struct ring_end *e)
{
	if (atomic_load_explicit(&e->shared->sleeping, memory_order_relaxed))
		atomic_store_explicit(&e->shared->sleeping, 0, memory_order_relaxed);
}

bool
ring_wake_producer(struct ring_end *e)
{
	return answer_flag(&e->shared->starving);
}
