/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kit.h - what cases are written with: two ends, pairs of queue pairs, buffers with a pattern,
 * waits with limits.
 * Room: verbs/conform/kit (prefix kit_).
 *
 * The kit owns every object that is made through it and destroys them after the case, the latest
 * first.  When a call that must succeed fails, the kit reports it and is 'broken': all later
 * calls do nothing.  So a case needs no error paths.  kit.c has words, objects and data;
 * kit_pair.c pairs, work requests and waits.
 *
 * All times are microseconds of the world's clock.
 */
#ifndef HEDDLE_VERBS_CONFORM_KIT_KIT_H
#define HEDDLE_VERBS_CONFORM_KIT_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "verbs/conform/kit/case.h"
#include "verbs/conform/kit/target.h"
#include "verbs/ops.h"

#define KIT_BUFFER_BYTES 65536
#define KIT_QKEY 0x11111111
#define KIT_PSN 0xfffffa                /* near the maximum, so that longer cases wrap around */
#define KIT_REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define KIT_ACCESS (IBV_ACCESS_LOCAL_WRITE | KIT_REMOTE)
#define KIT_WAIT_US 4000000             /* limit for what must happen */
#define KIT_QUIET_US 60000              /* wait for what must not happen, where time is real */

struct kit_end {
	struct verbs_dev *dev;
	struct verbs_pd *pd;
	struct verbs_mr *mr;            /* covers all of 'buf' with KIT_ACCESS */
	struct verbs_cq *scq, *rcq;
	struct verbs_srq *srq;          /* NULL: none */
	struct verbs_qp *qp;
	uint8_t *buf;                   /* KIT_BUFFER_BYTES, page-aligned */
	union ibv_gid gid;
	uint16_t lid;
};

/* How to make a pair; kit_defaults() fills it. */
struct kit_pair {
	enum ibv_qp_type type;
	enum ibv_mtu mtu;
	struct ibv_qp_cap cap;
	bool sig_all;
	/* capacity of the CQs of send and receive queue, both ends */
	int cqe[2];
	int access_a, access_b;
	bool srq_b;
	uint32_t srq_wr;
	uint8_t timeout, retry, rnr_retry, rnr_timer, rd_atomic, dest_rd_atomic;
	uint16_t pkey_index_a, pkey_index_b;
	uint32_t qkey_a, qkey_b;
	uint32_t dest_qpn;              /* of A; 0: B's */
	struct verbs_chan *scq_chan, *rcq_chan; /* of A's send CQ and B's receive CQ */
};

enum kit_kind { KIT_PD, KIT_MR, KIT_MW, KIT_CHAN, KIT_CQ, KIT_SRQ, KIT_XRCD, KIT_AH, KIT_QP };
struct kit_object {
	enum kit_kind kind;
	void *handle;
};

struct kit {
	const struct verbs_ops *ops;
	struct verbs_world *world;
	struct kit_end a, b;
	struct kit_pair pair;
	bool broken;
	bool grh;                       /* addresses need a global route */
	uint64_t seed;
	struct kit_object *objects;
	size_t nobjects, room;
	char *said;                     /* CONFORM_WORDS_MAX */
	/* why the case cannot be checked on this device; NULL: it can */
	const char *skip;
};

/* ---- words ---- */

/* Appends to the outcome; calls are separated by "; ". */
void kit_say(struct kit *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports "WHAT ok" or "WHAT EINVAL". */
void kit_say_result(struct kit *k, const char *what, int ret);
/* For calls that must succeed: an error reports "WHAT EINVAL" and breaks the kit.  False when
 * 'ret' is an error or the kit was broken before. */
bool kit_must(struct kit *k, const char *what, int ret);
/* The case cannot be checked on this device; 'reason' is a constant that says why.  Breaks the
 * kit. */
void kit_skip(struct kit *k, const char *reason);
/* "EINVAL"; "ok" for 0. */
const char *kit_errno_name(int ret);

/* ---- the two ends, and what is on them ---- */

/* Opens both ends: device, protection domain, buffer, region.  0, or the negative errno of the
 * open itself. */
int kit_open(struct kit *k, const struct conform_target *t, struct verbs_world *world,
	const char *device, const char *peer, char *said);
/* Destroys and closes everything; reports objects that cannot be destroyed and objects that the
 * device still counts. */
void kit_close(struct kit *k);

/* Make objects.  NULL when the kit is broken or breaks here. */
struct verbs_pd *kit_pd(struct kit *k, struct kit_end *e);
struct verbs_mr *kit_mr(struct kit *k, struct verbs_pd *pd, void *addr, size_t bytes, int access);
struct verbs_mw *kit_mw(struct kit *k, struct verbs_pd *pd, enum ibv_mw_type type);
struct verbs_chan *kit_chan(struct kit *k, struct kit_end *e);
struct verbs_cq *kit_cq(struct kit *k, struct kit_end *e, int cqe, struct verbs_chan *chan);
struct verbs_srq *kit_srq(struct kit *k, struct verbs_pd *pd, uint32_t max_wr, uint32_t max_sge);
struct verbs_ah *kit_ah(struct kit *k, struct kit_end *from, const struct kit_end *to);
struct verbs_qp *kit_qp(struct kit *k, struct kit_end *e, const struct verbs_qp_init *init);
/* Hands an object over that the case made itself. */
void kit_take(struct kit *k, enum kit_kind kind, void *handle);
/* Destroys one object now and returns the device's result; the kit forgets the object unless
 * that failed. */
int kit_destroy(struct kit *k, void *handle);

/* ---- pairs ---- */

struct kit_pair kit_defaults(enum ibv_qp_type type);
/* Makes CQs and a QP in RESET at both ends. */
bool kit_pair_make(struct kit *k);
/* The same, connected and in RTS. */
bool kit_pair_connect(struct kit *k);
/* Fills 'attr' for a transition to 'to' and returns the mask of the required attributes. */
int kit_attr(struct kit *k, const struct kit_end *e, enum ibv_qp_state to,
	struct ibv_qp_attr *attr);
/* Makes a transition with the required attributes only.  Returns the errno. */
int kit_modify(struct kit *k, struct kit_end *e, enum ibv_qp_state from, enum ibv_qp_state to);
/* Modifies the state attribute alone. */
int kit_to_state(struct kit *k, struct kit_end *e, enum ibv_qp_state to);
bool kit_walk(struct kit *k, struct kit_end *e, enum ibv_qp_state to);
enum ibv_qp_state kit_state(struct kit *k, struct kit_end *e);
struct ibv_ah_attr kit_address(const struct kit *k, const struct kit_end *from,
	const struct kit_end *to);

/* ---- work ---- */

struct ibv_sge kit_sge(const struct kit_end *e, size_t offset, uint32_t bytes);
/* Returns the errno of the post. */
int kit_post(struct kit *k, struct kit_end *e, struct ibv_send_wr *wr);
int kit_post_recv_sge(struct kit *k, struct kit_end *e, uint64_t wr_id, struct ibv_sge *sge, int n);
/* Posts a receive of a part of the end's buffer, to the shared queue if there is one; breaks the
 * kit when refused. */
void kit_recv(struct kit *k, struct kit_end *e, uint64_t wr_id, size_t offset, uint32_t bytes);
/* Posts a signaled SEND of a part of the end's buffer; breaks the kit when refused. */
void kit_send(struct kit *k, struct kit_end *e, uint64_t wr_id, size_t offset, uint32_t bytes);
/* Posts one signaled RDMA operation or atomic on the other end's memory. */
int kit_rdma(struct kit *k, struct kit_end *e, enum ibv_wr_opcode opcode, uint64_t wr_id,
	uint32_t bytes, uint64_t remote, uint32_t rkey);

/* Waits for the next completion.  False: none within 'us'. */
bool kit_wait(struct kit *k, struct verbs_cq *cq, struct ibv_wc *wc, uint64_t us);
/* Reports "WHO STATUS", or "WHO none"; '*wc' then has GENERAL_ERR. */
void kit_say_wc(struct kit *k, const char *who, struct verbs_cq *cq, struct ibv_wc *wc);
/* The same where no completion is expected: the wait is short if time is real. */
void kit_say_quiet(struct kit *k, const char *who, struct verbs_cq *cq);
/* Waits for a completion that must be successful; breaks the kit otherwise. */
void kit_must_succeed(struct kit *k, struct verbs_cq *cq, struct ibv_wc *wc);
/* Reports "WHO EVENT" for the next asynchronous event of 'e', or "WHO none". */
bool kit_event(struct kit *k, struct kit_end *e, struct verbs_event *event, uint64_t us);
void kit_say_events(struct kit *k, const char *who, struct kit_end *e);
/* One turn of a waiting loop: advances to the next event of the world.  '*idle' begins at 0.
 * False: the limit is reached, or the clock does not advance. */
bool kit_turn(struct kit *k, uint64_t limit_us, unsigned *idle);
/* Lets time pass without waiting for anything. */
void kit_pass(struct kit *k, uint64_t us);
uint64_t kit_now_us(struct kit *k);
bool kit_virtual(const struct kit *k);

/* ---- data ---- */

/* A byte of the pattern of 'seed' at 'offset'. */
uint8_t kit_pattern_byte(uint64_t seed, size_t offset);
void kit_pattern(uint8_t *p, size_t bytes, uint64_t seed);
/* Reports "WHAT differs at N" at the first byte that differs from the pattern; true when none
 * does. */
bool kit_check(struct kit *k, const char *what, const uint8_t *p, size_t bytes, uint64_t seed);

#endif
