/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ring.h - a queue of records in memory shared by two processes that need not trust each other.
 * Room: sim/ring.  Pure: no system calls.  The server links it; the shim compiles its own copy.
 *
 * A ring has one producer and one consumer.  Offsets only grow; the position in the ring is the
 * offset modulo its size.  A record is a 64-byte head and up to RING_CHUNK bytes.  Its size is a
 * multiple of 64 bytes, and it never wraps: at the end of the ring the producer leaves a filler.  A
 * longer message is several records, all but the last with RING_MORE.
 *
 * Invariants: each side keeps its own offset privately (struct ring_end), publishes it, and accepts
 * the offset of the other side only within bounds.  Each side copies data before it checks them.
 *
 * A side that finds nothing to do can request a doorbell: it sets its flag (sleeping, starving) and
 * checks the ring once more.  The other side writes first and checks the flag afterwards, so one of
 * them sees what the other has written.  The doorbell itself is the callers' (sim/shim/data.c,
 * sim/serve/attach.c).
 */
#ifndef HEDDLE_SIM_RING_RING_H
#define HEDDLE_SIM_RING_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "sim/ring/message.h"

#define RING_BYTES (256u << 10)         /* a power of two */
#define RING_LINE 64u                   /* records start at multiples of it; a head's size */
#define RING_CHUNK (16u << 10)          /* most payload of one record */

enum ring_flag { RING_MORE = 1, RING_FILLER = 2 };

/* The indices, each written by one side, a cache line each. */
struct ring_shared {
	_Alignas(64) _Atomic uint64_t tail;     /* producer: bytes ever written */
	_Alignas(64) _Atomic uint64_t head;     /* consumer: bytes ever taken */
	/* consumer: requests a doorbell for the next record */
	_Alignas(64) _Atomic uint32_t sleeping;
	_Alignas(64) _Atomic uint32_t starving; /* producer: requests a doorbell for room */
	_Alignas(64) uint8_t data[RING_BYTES];
};

/* One side's private view. */
struct ring_end {
	struct ring_shared *shared;
	/* producer: tail, consumer: head; it can be ahead of the published value */
	uint64_t mine;
	uint64_t theirs;                /* last valid value read */
	/* the other side wrote an invalid value: stop using the ring */
	bool broken;
};

/* The head of a record: exactly 64 bytes. */
struct ring_head {
	uint32_t bytes;                 /* of the payload in this record */
	uint32_t total;                 /* of the whole message */
	uint8_t flags, agent;
	uint16_t status;
	uint32_t timeout_ms, retries;
	uint32_t pad;
	struct message_addr addr;
};
_Static_assert(sizeof(struct ring_head) == 64, "a head fills a cache line");

void ring_end_init(struct ring_end *e, struct ring_shared *s);

static inline uint64_t
ring_record_bytes(uint32_t payload)
{
	return RING_LINE + (((uint64_t)payload + RING_LINE - 1) & ~(uint64_t)(RING_LINE - 1));
}

/* The position of the next record of this end. */
static inline uint8_t *
ring_place(const struct ring_end *e)
{
	return e->shared->data + (e->mine & (RING_BYTES - 1));
}

/* Returns true once after the other side set 'flag'.  That side sets the flag before it checks the
 * ring; the caller must call this after it has written to the ring. */
static inline bool
ring_answer_flag(_Atomic uint32_t *flag)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(flag, memory_order_relaxed) && atomic_exchange(flag, 0);
}

/* ---- producer ---- */
#define RING_SELDOM __attribute__((noinline, cold))

/* ring_room() for a record that would wrap, or for a ring that seems full. */
RING_SELDOM struct ring_head *ring_room_round(struct ring_end *e, uint64_t need);

/* Returns where the caller writes the head of the next record, followed by its payload of 'bytes'
 * (at most RING_CHUNK), or NULL if there is no room (or the ring is broken).  The caller must only
 * write there, because the other process can change the memory.  ring_push() follows. */
static inline struct ring_head *
ring_room(struct ring_end *e, uint32_t bytes)
{
	uint64_t need = ring_record_bytes(bytes);

	if (RING_BYTES - (e->mine - e->theirs) < need || RING_BYTES - (e->mine & (RING_BYTES - 1)) <
	    need)
		return ring_room_round(e, need);
	return (struct ring_head *)(void *)ring_place(e);
}

/*
 * Distance of prefetching.  The lines that the other side used last are in the cache of its
 * processor.  A datagram takes five lines; while one datagram is processed, the lines of the fourth
 * one after it are fetched.  An address after the end of the ring does no harm.
 */
#define RING_AHEAD (20 * RING_LINE)

static inline void
ring_fetch(const uint8_t *at)
{
#pragma GCC unroll 5
	for (unsigned i = 0; i < 5; i++)
		__builtin_prefetch(at + i * RING_LINE, 0);
}

static inline void
ring_fetch_to_write(const uint8_t *at)
{
#pragma GCC unroll 5
	for (unsigned i = 0; i < 5; i++)
		__builtin_prefetch(at + i * RING_LINE, 1);
}

/* Moves past the record just written, without publishing it. */
static inline void
ring_push(struct ring_end *e, uint32_t bytes)
{
	e->mine += ring_record_bytes(bytes);
	ring_fetch_to_write(ring_place(e) + RING_AHEAD);
}

/* Writes one record without publishing it.  False: no room (or broken).  h->bytes is at most
 * RING_CHUNK. */
bool ring_put(struct ring_end *e, const struct ring_head *h, const void *payload);

/* Publishes the written records to the consumer. */
static inline void
ring_publish(struct ring_end *e)
{
	atomic_store_explicit(&e->shared->tail, e->mine, memory_order_release);
}

/* Returns true once after the consumer has requested a doorbell; the producer must then ring it.
 * Call it after ring_publish(). */
static inline bool
ring_wake_consumer(struct ring_end *e)
{
	return ring_answer_flag(&e->shared->sleeping);
}

/* Requests a doorbell for the time when the consumer finds the ring empty.  The caller must check
 * for room once more afterwards. */
void ring_starve(struct ring_end *e);

/* ---- consumer ---- */
/* Reads the producer's offset.  Returns true if there is a record. */
bool ring_look(struct ring_end *e);

/* Returns true if there is a record. */
static inline bool
ring_waiting(struct ring_end *e)
{
	return e->theirs != e->mine || ring_look(e);
}

/* ring_peek() for a filler, an invalid record, or a ring with nothing valid in it. */
RING_SELDOM bool ring_peek_round(struct ring_end *e, struct ring_head *h);

/* True if the record at 'mine' lies within what was published and within the ring. */
static inline bool
ring_head_fits(const struct ring_end *e, const struct ring_head *h)
{
	uint64_t size = ring_record_bytes(h->bytes);

	return size <= e->theirs - e->mine && size <= RING_BYTES - (e->mine & (RING_BYTES - 1));
}

/* Copies the head of the oldest record.  False: nothing there (or broken). */
static inline bool
ring_peek(struct ring_end *e, struct ring_head *h)
{
	if (e->broken || !ring_waiting(e))
		return false;
	memcpy(h, ring_place(e), sizeof(*h));
	/* from here on the copy is read, never the ring */
	atomic_signal_fence(memory_order_acq_rel);
	if (h->bytes <= RING_CHUNK && !(h->flags & RING_FILLER) && ring_head_fits(e, h))
		return true;
	return ring_peek_round(e, h);
}

/* Copies the first 'n' bytes (at most h->bytes) of the payload of the record just peeked at. */
static inline void
ring_payload(const struct ring_end *e, const struct ring_head *h, void *to, uint32_t n)
{
	memcpy(to, ring_place(e) + RING_LINE, n < h->bytes ? n : h->bytes);
}

/* Moves past the record just read, without publishing the new offset. */
static inline void
ring_drop(struct ring_end *e, const struct ring_head *h)
{
	e->mine += ring_record_bytes(h->bytes);
	/* lines that are not published yet would be taken out of the producer's cache */
	if (e->theirs - e->mine > RING_AHEAD)
		ring_fetch(ring_place(e) + RING_AHEAD);
}

/* Publishes the offset, so that the producer can use the room of the dropped records. */
static inline void
ring_release(struct ring_end *e)
{
	atomic_store_explicit(&e->shared->head, e->mine, memory_order_release);
}

/* Requests a doorbell; the caller must check ring_waiting() once more before it sleeps. */
static inline void
ring_sleep(struct ring_end *e)
{
	atomic_store_explicit(&e->shared->sleeping, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

/* Returns true if a doorbell is requested and the producer has not seen the request yet. */
static inline bool
ring_sleeps(const struct ring_end *e)
{
	return atomic_load_explicit(&e->shared->sleeping, memory_order_relaxed) != 0;
}

/* Withdraws the request for a doorbell.  Returns false if the producer has seen the request and
 * rings, or if there was no request. */
static inline bool
ring_sleep_not(struct ring_end *e)
{
	return atomic_exchange(&e->shared->sleeping, 0) != 0;
}

/* Withdraws a request for a doorbell, if there is one, because the consumer is awake. */
void ring_awake(struct ring_end *e);

/* Returns true once after the producer has requested a doorbell; the consumer must then ring it.
 * Call it after ring_sleep(). */
static inline bool
ring_wake_producer(struct ring_end *e)
{
	return ring_answer_flag(&e->shared->starving);
}

#endif
