/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * txn_impl.h - internal declarations shared by the files of this room.
 * Room: libmad/txn.
 *
 *      submit -> item in its target's queue -> (window) -> slot, on the wire -> answer -> end
 *                                                           ^           |
 *                                                           `- again <--' expired, BUSY, or
 *                                                                         send refused
 *
 * An item is a request.  It gets a slot with its first send and keeps it until it ends.  The low
 * bits of a TID are the slot; the upper bits are a generation, new with every try.  So an answer
 * leads directly to its request, and an answer to an earlier try of the same request can be
 * distinguished from an answer to an earlier request.
 */
#ifndef HEDDLE_LIBMAD_TXN_TXN_IMPL_H
#define HEDDLE_LIBMAD_TXN_TXN_IMPL_H

#include "libmad/txn/txn.h"
#include "util/heap.h"

#define TXN_NONE UINT32_MAX

/* Address and copied payload of a request without a directed route. */
struct txn_extra {
	struct txn_extra *next;         /* free list */
	struct dgram_addr addr;
	uint8_t payload[DGRAM_BYTES - 24];
};

/* A copied payload of an SMP. */
struct txn_block {
	union {
		struct txn_block *next; /* free list */
		uint8_t data[64];
	};
};

struct txn_reply {
	struct txn_reply *next;         /* free list */
	struct dgram d;
};

enum txn_item_flag { ITEM_EXTRA = 1, ITEM_BLOCK = 2 };

struct txn_item {
	struct txn_item *next;          /* target's queue, ends, free list */
	uint64_t cookie, mkey;
	union {
		const uint8_t *path;            /* directed route */
		struct txn_extra *extra;        /* ITEM_EXTRA */
		struct txn_reply *reply;        /* when ended, or NULL */
	};
	union {
		const uint8_t *payload;         /* borrowed, or in 'extra'; NULL: zeros */
		struct txn_block *block;        /* ITEM_BLOCK */
	};
	uint32_t target, modifier;
	uint16_t attr_id, row;          /* row of attribute statistics */
	uint16_t status;                /* when ended: status or errno */
	uint8_t mgmt_class, method, class_version, hop_count;
	uint8_t payload_offset, payload_bytes;
	uint8_t tries, mismatched, kind, flags;
	uint8_t tries_max;              /* 0: txn_conf's */
	uint32_t timeout_us;            /* 0: by the target's round trip times */
};

enum txn_slot_state { SLOT_FREE, SLOT_WIRE, SLOT_AGAIN, SLOT_PAUSE };

struct txn_slot {
	struct heap_node timer;         /* WIRE: the try's deadline; PAUSE: its end */
	enum txn_slot_state state;
	bool late;                      /* WIRE: counted in late_in_flight */
	/* WIRE: time left after 'timer', which only marks it late; 0: none */
	int64_t rest_us;
	uint32_t gen_first, gen;        /* generations of the request's first and latest try */
	struct txn_item *item;
	int64_t first_us, sent_us;      /* when those were sent */
	struct txn_slot *prev, *next;   /* by age, oldest first */
	struct txn_slot *again_prev, *again_next;       /* AGAIN; FREE: free list */
};

struct txn_target {
	struct txn_item *head, *tail;   /* queue */
	struct txn_item *urgent_tail;   /* last urgent one in it */
	uint32_t ready_next, urgent_next;
	uint32_t open;                  /* slots held */
	int32_t srtt_us, rttvar_us;     /* 0: never answered */
	int64_t silent_until_us;
	uint32_t dead_ends;             /* requests in a row that timed out */
	bool in_ready, in_urgent, unresponsive;
};

struct txn_fifo {
	uint32_t first, last;           /* targets */
};

struct txn_chunk {
	struct txn_chunk *next;
};

struct txn {
	struct txn_conf conf;
	/* slots from 'slots_used' on have never been used */
	uint32_t slots_n, slots_used, gen_mask;
	uint32_t gen_start;
	unsigned slot_bits;
	struct txn_slot *slots, *slots_free, *slots_free_last;
	struct txn_slot *oldest;        /* list by age */
	struct txn_slot *again;         /* slots to be sent again, in order */
	struct heap timers;
	struct txn_target *targets;
	uint32_t targets_n;
	struct txn_fifo ready, urgent;
	struct txn_item *ends, *ends_last;
	struct txn_reply *held;         /* handed out with the last end */
	struct txn_item *items_free;
	struct txn_extra *extras_free;
	struct txn_block *blocks_free;
	struct txn_reply *replies_free;
	struct txn_chunk *chunks;       /* all memory of items, extras, blocks, replies */
	struct txn_attr_stats *rows;
	unsigned rows_n, rows_room;
	struct txn_stats st;
	uint32_t pending;
};

/* txn_pool.c */
struct txn_item *txn_item_take(struct txn *t);
struct txn_extra *txn_extra_take(struct txn *t);
struct txn_block *txn_block_take(struct txn *t);
struct txn_reply *txn_reply_take(struct txn *t);
/* Returns the item's extra, block or reply to the pools, but not the item itself. */
void txn_item_release(struct txn *t, struct txn_item *i);

/* txn_sched.c */
struct txn_slot *txn_slot_of(const struct txn *t, uint32_t tid, uint32_t *gen);
uint32_t txn_slot_tid(const struct txn *t, const struct txn_slot *s);
/* Adds 'target' to the list of targets that may send, if it may. */
void txn_target_ready(struct txn *t, uint32_t target, bool urgent);
/* A slot for the next request, not yet launched; NULL: none may be sent. */
struct txn_slot *txn_slot_first(struct txn *t, struct monotime now);
/* The first slot to be sent again; there must be one. */
struct txn_slot *txn_slot_repeat(struct txn *t);
/* Gives the slot a new TID and its timer, and counts it as on the wire. */
void txn_slot_launch(struct txn *t, struct txn_slot *s, int64_t timeout_us, struct monotime now);
/* The slot's timer has expired.  True: the try is over; false: it is late from now on. */
bool txn_slot_over(struct txn *t, struct txn_slot *s, struct monotime now);
/* Removes the slot from timers and lists, whatever its state, and frees it. */
void txn_slot_free(struct txn *t, struct txn_slot *s);
/* A try or a pause is over without a final answer: sends again after 'pause_us' (0: at once). */
void txn_slot_again(struct txn *t, struct txn_slot *s, int64_t pause_us, struct monotime now);
/* Whether another try may follow. */
bool txn_may_retry(const struct txn *t, const struct txn_item *i);
int64_t txn_pause_us(const struct txn *t, const struct txn_item *i);

/* txn.c */
/* Ends a request that holds slot 's'. */
void txn_end_slot(struct txn *t, struct txn_slot *s, enum txn_end_kind kind, unsigned status,
	struct monotime now);
/* The try on the wire got no answer: sends again, or ends the request. */
void txn_try_expired(struct txn *t, struct txn_slot *s, struct monotime now);

#endif
