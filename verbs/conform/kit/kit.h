/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kit.h - what cases are written with: two ends, pairs of queue pairs, buffers with a pattern,
 * waits that end.
 * Room: verbs/conform/kit.
 *
 * All that is made through the kit belongs to it and is destroyed behind the case, the latest
 * first.  After the first thing that should have worked and did not, the kit has said so, is
 * 'broken', and every later call does nothing: a case needs no error paths. Time: all limits are
 * microseconds of the world's clock.
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
#define KIT_PSN 0xfffffa                /* close to the end, so that every longer case wraps it */
#define KIT_REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define KIT_ACCESS (IBV_ACCESS_LOCAL_WRITE | KIT_REMOTE)
#define KIT_WAIT_US 4000000             /* for what must come */
#define KIT_QUIET_US 60000              /* for what must not come, where time is real */

struct kit_end {
	struct verbs_dev *dev;
	struct verbs_pd *pd;
	struct verbs_mr *mr;            /* of all of 'buf', KIT_ACCESS */
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
	int cqe[2];                     /* of the send and the receive queue's CQs, both ends */
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
	const char *skip;               /* why the case cannot be judged here; NULL: it can */
};

/* ---- words ---- */

/* Adds to what came out; calls are divided by "; ". */
void kit_say(struct kit *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Says "WHAT ok" or "WHAT EINVAL". */
void kit_say_result(struct kit *k, const char *what, int ret);
/* What should have worked did not: says "WHAT EINVAL" and breaks the kit.  False when 'ret' is
 * an error or it was broken before. */
bool kit_must(struct kit *k, const char *what, int ret);
/* The case cannot be judged on this device: a constant that says why.  Breaks the kit. */
void kit_skip(struct kit *k, const char *reason);
/* "EINVAL"; "ok" for 0. */
const char *kit_errno_name(int ret);

/* ---- the two ends, and what is on them ---- */

/* Opens both ends: protection domain, buffer, region.  0 or a negative errno of the open itself. */
int kit_open(struct kit *k, const struct conform_target *t, struct verbs_world *world,
	const char *device, const char *peer, char *said);
/* Destroys and closes all; says what would not go, and what the device counts that should be
 * gone. */
void kit_close(struct kit *k);

/* Objects; NULL when the kit is broken or breaks here. */
struct verbs_pd *kit_pd(struct kit *k, struct kit_end *e);
struct verbs_mr *kit_mr(struct kit *k, struct verbs_pd *pd, void *addr, size_t bytes, int access);
struct verbs_mw *kit_mw(struct kit *k, struct verbs_pd *pd, enum ibv_mw_type type);
struct verbs_chan *kit_chan(struct kit *k, struct kit_end *e);
struct verbs_cq *kit_cq(struct kit *k, struct kit_end *e, int cqe, struct verbs_chan *chan);
struct verbs_srq *kit_srq(struct kit *k, struct verbs_pd *pd, uint32_t max_wr, uint32_t max_sge);
struct verbs_ah *kit_ah(struct kit *k, struct kit_end *from, const struct kit_end *to);
struct verbs_qp *kit_qp(struct kit *k, struct kit_end *e, const struct verbs_qp_init *init);
/* Takes an object over that the case made itself. */
void kit_take(struct kit *k, enum kit_kind kind, void *handle);
/* Destroys one now and returns what the device said; the kit forgets it unless it is still
 * there. */
int kit_destroy(struct kit *k, void *handle);

/* ---- pairs ---- */

struct kit_pair kit_defaults(enum ibv_qp_type type);
/* CQs and a QP on both ends, in RESET. */
bool kit_pair_make(struct kit *k);
/* The same, connected and in RTS. */
bool kit_pair_connect(struct kit *k);
/* How 'e' gets into a state when everything that is asked for is given: 'attr' and the mask of
 * the required attributes. */
int kit_attr(struct kit *k, const struct kit_end *e, enum ibv_qp_state to,
	struct ibv_qp_attr *attr);
/* Changes the state with what is required, nothing more; the errno. */
int kit_modify(struct kit *k, struct kit_end *e, enum ibv_qp_state from, enum ibv_qp_state to);
/* Just that attribute. */
int kit_to_state(struct kit *k, struct kit_end *e, enum ibv_qp_state to);
bool kit_walk(struct kit *k, struct kit_end *e, enum ibv_qp_state to);
enum ibv_qp_state kit_state(struct kit *k, struct kit_end *e);
struct ibv_ah_attr kit_address(const struct kit *k, const struct kit_end *from,
	const struct kit_end *to);

/* ---- work ---- */

struct ibv_sge kit_sge(const struct kit_end *e, size_t offset, uint32_t bytes);
/* The errno of the post. */
int kit_post(struct kit *k, struct kit_end *e, struct ibv_send_wr *wr);
int kit_post_recv_sge(struct kit *k, struct kit_end *e, uint64_t wr_id, struct ibv_sge *sge, int n);
/* One receive of a piece of the end's buffer, on the shared queue if it has one; breaks the kit
 * when refused. */
void kit_recv(struct kit *k, struct kit_end *e, uint64_t wr_id, size_t offset, uint32_t bytes);
/* One SEND of a piece of the end's buffer, signalled; breaks the kit when refused. */
void kit_send(struct kit *k, struct kit_end *e, uint64_t wr_id, size_t offset, uint32_t bytes);
/* One signalled RDMA operation or atomic on the other end's memory. */
int kit_rdma(struct kit *k, struct kit_end *e, enum ibv_wr_opcode opcode, uint64_t wr_id,
	uint32_t bytes, uint64_t remote, uint32_t rkey);

/* The next completion; false: none within 'us'. */
bool kit_wait(struct kit *k, struct verbs_cq *cq, struct ibv_wc *wc, uint64_t us);
/* Says "WHO STATUS", or "WHO none"; then '*wc' has GENERAL_ERR. */
void kit_say_wc(struct kit *k, const char *who, struct verbs_cq *cq, struct ibv_wc *wc);
/* As before, but nothing is expected: the wait is short where time is real. */
void kit_say_quiet(struct kit *k, const char *who, struct verbs_cq *cq);
/* Waits for one completion that must be a success; breaks the kit otherwise. */
void kit_must_succeed(struct kit *k, struct verbs_cq *cq, struct ibv_wc *wc);
/* Says "WHO EVENT" for the next asynchronous event of 'e', or "WHO none". */
bool kit_event(struct kit *k, struct kit_end *e, struct verbs_event *event, uint64_t us);
void kit_say_events(struct kit *k, const char *who, struct kit_end *e);
/* A turn of a loop that waits: until something happens in the world.  '*idle' begins at 0.
 * False: the limit has come, or the clock stands still. */
bool kit_turn(struct kit *k, uint64_t limit_us, unsigned *idle);
/* Lets time pass in which nothing is waited for. */
void kit_pass(struct kit *k, uint64_t us);
uint64_t kit_now_us(struct kit *k);
bool kit_virtual(const struct kit *k);

/* ---- data ---- */

/* A byte of the pattern of 'seed' at 'offset'. */
uint8_t kit_pattern_byte(uint64_t seed, size_t offset);
void kit_pattern(uint8_t *p, size_t bytes, uint64_t seed);
/* Says "WHAT differs at N" at the first byte that is not the pattern's; true when all are. */
bool kit_check(struct kit *k, const char *what, const uint8_t *p, size_t bytes, uint64_t seed);

#endif
