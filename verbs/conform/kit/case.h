/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * case.h - a conformance case is one row: the situation it provokes and the outcome that the
 * specification demands.
 * Room: verbs/conform/kit.
 *
 * "expected" is text: every case reports its outcome as words (kit_say), and passes when they
 * equal the expectation.  Alternatives are separated by '|'.  Files of verbs/conform/cases hold
 * tables of rows or generate rows from a rule, and add them to a struct case_list.
 *
 * Most rows are a message with one thing wrong and need no code: transfer_run() executes a
 * struct transfer.
 */
#ifndef HEDDLE_VERBS_CONFORM_KIT_CASE_H
#define HEDDLE_VERBS_CONFORM_KIT_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

struct kit;

#define ALL_PIECES 255          /* as many as the device supports */

/* What is wrong with a transfer.  transfer.c applies it. */
enum breakage {
	WHOLE,
	/* at the requester */
	BAD_LKEY, LKEY_BIT, LKEY_OF_OTHER_PD, PAST_LOCAL_END, LOCAL_READ_ONLY, OVER_PORT_MAXIMUM,
		OVER_MTU, INITIATOR_DEPTH_0, BAD_AH_PD,
	/* on the access to the responder's memory */
	BAD_RKEY, RKEY_BIT, STALE_RKEY, RKEY_OF_OTHER_PD, PAST_REMOTE_END, BEFORE_REMOTE_START,
		ACROSS_REMOTE_END, MR_WITHOUT_RIGHT, QP_WITHOUT_RIGHT,
	RESPONDER_DEPTH_0, MISALIGNED,
	/* at the responder */
	NO_RECEIVE, RECEIVE_SMALL, RECEIVE_BAD_LKEY, RECEIVE_LKEY_BIT, RECEIVE_OTHER_PD,
		RECEIVE_READ_ONLY, RECEIVE_PAST_END,
	/* the peer itself */
	PEER_ABSENT, PEER_RESET, PEER_INIT, PEER_ERR, PEER_OTHER_TYPE,
	/* keys of the partition and the queue pair */
	BAD_QKEY, BAD_PKEY, QKEY_HIGH_BIT, BAD_QPN,
	/* packets, by the packet hook */
	ALL_REQUESTS_LOST, ALL_ANSWERS_LOST, BAD_RESPONSE, FIRST_LOST, ANSWER_LOST, FIRST_TWICE,
		FIRST_CORRUPT, FIRST_HELD, MIDDLE_LOST, MIDDLE_LOST_SRQ,
};

struct transfer {
	enum ibv_qp_type type;
	enum ibv_wr_opcode opcode;
	uint32_t bytes;                 /* of a message */
	unsigned pieces, receive_pieces;        /* of the message in memory; 0: 1 */
	unsigned messages;              /* 0: 1 */
	unsigned flags;                 /* IBV_SEND_* in addition to SIGNALED */
	enum ibv_mtu mtu;               /* 0: IBV_MTU_1024 */
	enum breakage broken;
	unsigned signal_every;          /* 0: every message */
	bool srq;                       /* the responder uses a shared receive queue */
	bool states;                    /* report the states of both queue pairs afterwards */
	bool events;                    /* report the asynchronous events of the responder */
	/* report the outcome of a second request and of a posted receive */
	bool after;
	bool reversed;                  /* from B to A over the same pair */
	unsigned rnr_retry, retry;
};

struct conform_case {
	const char *name;               /* "AREA/WHAT", unique */
	uint64_t needs;                 /* VERBS_CAP() */
	const char *expected;
	void (*run)(struct kit *, const struct conform_case *);
	struct transfer transfer;       /* for transfer_run() */
	long value[4];                  /* for other functions */
};

struct case_list {
	struct conform_case *v;         /* owned, as are names of generated rows */
	size_t n, room;
	void **texts;                   /* names and expectations made for generated rows */
	size_t ntexts, text_room;
};

/* Adds a copy of 'c'.  The strings it points to must live as long as the list. */
void case_list_add(struct case_list *, const struct conform_case *c);
/* Hands a malloc'ed string over to the list; returns it. */
const char *case_list_keep(struct case_list *, char *text);

/* Frees what the list owns. */
void case_list_clear(struct case_list *);

#define CASE_ADD_ALL(list, rows) do { \
	for (size_t i_ = 0; i_ < sizeof(rows) / sizeof(*(rows)); i_++) \
		case_list_add(list, &(rows)[i_]); \
} while (0)

#endif
