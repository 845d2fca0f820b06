/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * end.h - one end of a test on its device: memory, queues, queue pairs, and their way to the
 * other end's.
 * Room: verbs/meas/run.
 * In: the test, the other end's names for its own.  Out: queue pairs that are ready to send.
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

/* Where things are in the memory of an end: the same on both, by the test alone.  Each queue
 * pair has a block: 'slots' places for what comes in, as many for what goes out, and a word for
 * atomic operations. */
struct meas_layout {
	uint32_t slots;
	uint32_t in_bytes, out_bytes;   /* of a place, the header of datagrams included */
	uint64_t out_at, word_at, block_bytes, total_bytes;
};

/* -ENOMEM with a sentence when the test's memory does not suffice. */
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
	uint32_t rd_atomic;             /* reads and atomics that a queue pair may have under way */
	struct verbs_pd *pd;
	struct verbs_mr *mr;
	struct verbs_chan *chan;        /* with test.events */
	struct verbs_cq *cq;
	struct meas_qp *qps;            /* test.qps */
	uint8_t *memory;
	uint64_t remote_addr;
	uint32_t remote_rkey;
};

/* Opens the device of the choice.  All: 0, or a negative errno with a sentence in 'why'
 * (VERBS_WHY_BYTES). */
int meas_end_open(struct meas_end *e, const struct verbs_choice *c, char *why);
/* Makes memory, queues and queue pairs for the test with that peer. */
int meas_end_prepare(struct meas_end *e, const struct meas_test *t, const struct meas_facts *peer,
	char *why);
/* What the other end must know of them. */
json_t *meas_end_names(const struct meas_end *e);
/* Takes the other end's names.  Total. */
int meas_end_learn(struct meas_end *e, const json_t *o, char *why);
/* Moves all queue pairs to RTS, by e->route and e->mtu_bytes. */
int meas_end_connect(struct meas_end *e, char *why);
/* The i-th of them. */
int meas_end_connect_one(struct meas_end *e, uint32_t i, char *why);
/* Gives back what meas_end_prepare() took; then also the device. */
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

/* The other end's address of a place in this end's memory. */
static inline uint64_t
meas_end_remote(const struct meas_end *e, const uint8_t *here)
{
	return e->remote_addr + (uint64_t)(here - e->memory);
}

#endif
