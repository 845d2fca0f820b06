/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * end.h - one end of a test on its device: memory, queues, queue pairs, and their connection to
 * the other end.
 * Room: verbs/meas/run.
 *
 * Order of calls: open, prepare (when the test is known), learn (the other end's names: queue
 * pair numbers, packet numbers, memory key), connect, release, close.  Both ends compute the
 * same memory layout from the test alone, so an address of one end is an offset at the other.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_END_H
#define HEDDLE_VERBS_MEAS_RUN_END_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "verbs/meas/run/facts.h"
#include "verbs/meas/run/test.h"

#define MEAS_QKEY 0x48656401u
#define MEAS_GRH_BYTES 40u

/* Layout of an end's memory.  Each queue pair has a block: 'slots' places for incoming messages,
 * as many for outgoing ones, and a word for atomic operations. */
struct meas_layout {
	uint32_t slots;
	uint32_t in_bytes, out_bytes;   /* per place, with the header of datagrams */
	uint64_t out_at, word_at, block_bytes, total_bytes;
};

/* -ENOMEM with a sentence when the test's memory limit does not suffice. */
int meas_layout_make(const struct meas_test *t, struct meas_layout *l, char *why);

struct meas_qp {
	struct verbs_qp *qp;
	struct verbs_ah *ah;            /* UD */
	uint32_t psn, remote_qpn, remote_psn;
};

struct meas_end {
	const struct verbs_ops *ops;
	struct verbs_dev *dev;
	struct meas_facts facts, peer;
	struct meas_test test;
	struct meas_layout layout;
	struct meas_route route;        /* 'a' is this end */
	uint32_t mtu_bytes;
	uint32_t inline_bytes;          /* granted */
	uint32_t rd_atomic;             /* outstanding reads and atomics per queue pair */
	struct verbs_pd *pd;
	struct verbs_mr *mr;
	struct verbs_chan *chan;        /* with test.events */
	struct verbs_cq *cq;
	struct meas_qp *qps;            /* test.qps */
	uint8_t *memory;
	uint64_t remote_addr;
	uint32_t remote_rkey;
};

/* Opens the device of the choice.  This and the following functions return 0, or a negative
 * errno with a sentence in 'why' (VERBS_WHY_BYTES). */
int meas_end_open(struct meas_end *e, const struct verbs_choice *c, char *why);
/* Makes memory, queues and queue pairs for the test with that peer. */
int meas_end_prepare(struct meas_end *e, const struct meas_test *t, const struct meas_facts *peer,
	char *why);
/* What the other end must know about this one; a new object. */
json_t *meas_end_names(const struct meas_end *e);
/* Reads the other end's names.  Accepts any JSON value. */
int meas_end_learn(struct meas_end *e, const json_t *o, char *why);
/* Moves all queue pairs to RTS, with e->route and e->mtu_bytes. */
int meas_end_connect(struct meas_end *e, char *why);
/* Moves the i-th queue pair to RTS. */
int meas_end_connect_one(struct meas_end *e, uint32_t i, char *why);
/* meas_end_release() undoes meas_end_prepare(); meas_end_close() also closes the device. */
void meas_end_release(struct meas_end *e);
void meas_end_close(struct meas_end *e);

static inline uint8_t *
meas_end_in(const struct meas_end *e, uint32_t qp, uint64_t slot)
{
	return e->memory + qp * e->layout.block_bytes + slot * e->layout.in_bytes;
}

static inline uint8_t *
meas_end_out(const struct meas_end *e, uint32_t qp, uint64_t slot)
{
	return e->memory + qp * e->layout.block_bytes + e->layout.out_at + slot *
		e->layout.out_bytes;
}

/* The other end's address that corresponds to 'here' in this end's memory. */
static inline uint64_t
meas_end_remote(const struct meas_end *e, const uint8_t *here)
{
	return e->remote_addr + (uint64_t)(here - e->memory);
}

#endif
