/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ring.h - a queue of records in memory shared by two processes that need not trust each other.
 * Room: sim/serve, and the shim (which compiles its own copy).  No InfiniBand, no system calls.
 *
 * One producer, one consumer.  Offsets only grow; the place in the ring is the offset modulo its size.  Each side
 * keeps its own offset privately (struct ring_end), publishes it, and believes the other's only within bounds.
 * What it reads it copies before it looks at it.  A record is a 64-byte head and up to RING_CHUNK bytes; records are
 * multiples of 64 bytes, never wrap (a filler is left at the end), longer messages go as several with RING_MORE.
 */
#ifndef HEDDLE_SIM_SERVE_RING_H
#define HEDDLE_SIM_SERVE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "sim/kmad/kmad.h"

#define RING_BYTES (256u << 10)         /* a power of two */
#define RING_CHUNK (16u << 10)          /* most payload of one record */

enum ring_flag { RING_MORE = 1, RING_FILLER = 2 };

/* The indices, each written by one side, a cache line each. */
struct ring_shared {
	_Alignas(64) _Atomic uint64_t tail;     /* producer: bytes ever written */
	_Alignas(64) _Atomic uint64_t head;     /* consumer: bytes ever taken */
	_Alignas(64) _Atomic uint32_t sleeping; /* consumer: wants a doorbell when something comes */
	_Alignas(64) _Atomic uint32_t starving; /* producer: wants a doorbell when there is room */
	_Alignas(64) uint8_t data[RING_BYTES];
};

/* One side's private view. */
struct ring_end {
	struct ring_shared *shared;
	uint64_t mine;                  /* producer: tail, consumer: head; maybe not published yet */
	uint64_t theirs;                /* as last read and believed */
	bool broken;                    /* the other side wrote what cannot be: give it up */
};

/* A record's head: exactly 64 bytes. */
struct ring_head {
	uint32_t bytes;                 /* of the payload in this record */
	uint32_t total;                 /* of the whole message */
	uint8_t flags, agent;
	uint16_t status;
	uint32_t timeout_ms, retries;
	uint32_t pad;
	struct kmad_addr addr;
};
_Static_assert(sizeof(struct ring_head) == 64, "a head fills a cache line");

void ring_end_init(struct ring_end *e, struct ring_shared *s);

/* ---- producer ---- */
/* Writes one record without publishing it.  False: no room (or broken).  h->bytes is at most RING_CHUNK. */
bool ring_put(struct ring_end *e, const struct ring_head *h, const void *payload);
/* Lets the consumer see what was put. */
void ring_publish(struct ring_end *e);
/* True once after the consumer went to sleep: the producer owes a doorbell.  After ring_publish(). */
bool ring_wake_consumer(struct ring_end *e);
/* Asks for a doorbell when the consumer finds the ring empty; look for room once more after it. */
void ring_starve(struct ring_end *e);

/* ---- consumer ---- */
/* True if something is there; also when it is broken, which ring_peek() tells. */
bool ring_waiting(struct ring_end *e);
/* Copies the head of the oldest record.  False: nothing there (or broken). */
bool ring_peek(struct ring_end *e, struct ring_head *h);
/* Copies the first 'n' bytes (at most h->bytes) of the payload of the record just peeked at. */
void ring_payload(const struct ring_end *e, const struct ring_head *h, void *to, uint32_t n);
/* Moves past the record just peeked at, without telling the producer. */
void ring_drop(struct ring_end *e, const struct ring_head *h);
/* Gives the producer the room of what was dropped. */
void ring_release(struct ring_end *e);
/* Asks for a doorbell; the caller looks once more with ring_waiting() before it sleeps. */
void ring_sleep(struct ring_end *e);
/* The consumer is awake and needs none. */
void ring_awake(struct ring_end *e);
/* True once after the producer starved: the consumer owes a doorbell.  After ring_sleep(). */
bool ring_wake_producer(struct ring_end *e);

#endif
