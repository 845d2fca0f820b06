/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flow.h - the messages of a run at one end: posts, polls, counts, times, checks.
 * Room: verbs/meas/run.
 *
 * A run is one size of messages of a test.  An end is requester (it posts send, write, read or
 * atomics) or responder (it receives, answers pings, or is written to and read from), or with
 * 'bidirectional' both.  Nothing here waits: meas_flow_turn() does what can be done now.  Times
 * come from the world's clock, so that they mean what the device's clock means.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_FLOW_H
#define HEDDLE_VERBS_MEAS_RUN_FLOW_H

#include <stdbool.h>
#include <stdint.h>
#include "verbs/meas/run/end.h"
#include "verbs/meas/run/hist.h"
#include "verbs/meas/run/rate.h"

/* so long (world) without any completion: it is over */
#define MEAS_STUCK_NS UINT64_C(10000000000)
#define MEAS_FLOW_WHY_BYTES 320
/* an unreliable message that is not there by then is lost */
#define MEAS_LOST_NS UINT64_C(300000000)

/* The first thing that went wrong. */
struct meas_bad {
	bool is;
	uint32_t qp;                    /* index */
	uint64_t message;
	uint32_t offset;
	uint8_t expected, got;
};

struct meas_counts {
	uint64_t sent, received;        /* messages; sent: completed at the requester */
	uint64_t lost, corrupt, errors;
};

struct meas_flow_qp {
	uint64_t posted, completed, received;
	uint64_t signaled;              /* up to here (exclusive) a completion will come */
	uint64_t recv_posted, recv_done;        /* never reset: receives outlive a run */
	uint64_t *post_ns;              /* of the last tx_depth messages */
};

/* A moment on both clocks: on a busy machine a virtual one is slow, and what is slow is not
 * stuck. */
struct meas_moment {
	uint64_t real_ns, world_ns;
};

struct meas_flow {
	struct meas_end *e;
	bool client, requester, responder;
	/* counts from 1; in the immediate data of unreliable messages */
	unsigned run;
	uint32_t size;
	uint32_t places;                /* where messages of this size go in turn */
	uint32_t tx_limit, rx_limit;    /* under way at one time */
	/* of each queue pair, warm-up included; UINT64_MAX: by duration */
	uint64_t total;
	struct meas_flow_qp *qps;
	bool going, stopping;
	unsigned spins;                 /* of a latency test, in one turn; at least 1 */
	/* world clock, real clock, whichever comes first; 0: by iterations */
	uint64_t stop_ns, real_stop_ns;
	struct meas_moment progress;    /* the last completion */
	uint64_t go_ns, paced_bytes;    /* world clock; posted since then */
	uint64_t warm_left;             /* completions that are not measured yet */
	/* of each queue pair, when the other end has told; else NULL */
	uint64_t *peer_sent;
	struct meas_moment told;
	bool checked;                   /* what was written to us has been looked at */
	/* latency */
	uint64_t ping_ns, pings, answered;
	struct meas_moment pinged, answer;
	bool waiting;
	uint8_t seen;                   /* the last byte of the last write */
	/* results */
	struct meas_rate rate;
	struct meas_hist *hist;
	struct meas_counts counts;
	struct meas_bad bad;
	char why[MEAS_FLOW_WHY_BYTES];  /* not empty: it failed */
};

void meas_flow_init(struct meas_flow *f, struct meas_end *e, bool client);
void meas_flow_clear(struct meas_flow *f);
/* Readies memory and receives for run 'run' of 'size'.  0 or a negative errno, f->why. */
int meas_flow_begin(struct meas_flow *f, unsigned run, uint32_t size, uint64_t real_ns);
/* From now on it may send. */
void meas_flow_go(struct meas_flow *f, uint64_t real_ns);
/* Does what can be done.  How much was done; negative: failed, f->why is a sentence. */
int meas_flow_turn(struct meas_flow *f, uint64_t real_ns);
/* All that it was to send is completed. */
bool meas_flow_sent(const struct meas_flow *f);
/* The other end has sent so many on each queue pair (test.qps numbers, copied). */
void meas_flow_told(struct meas_flow *f, const uint64_t *sent, uint64_t real_ns);
/* All that the other end sent is here, or lost; data that were written are checked then. */
bool meas_flow_received(struct meas_flow *f, uint64_t real_ns);

/* flow_bw.c, flow_lat.c; what they share */
int meas_flow_bw_turn(struct meas_flow *f);
/* More has been posted than the test's rate allows up to now. */
bool meas_flow_ahead(const struct meas_flow *f);
int meas_flow_lat_turn(struct meas_flow *f, uint64_t real_ns);
int meas_flow_post(struct meas_flow *f, uint32_t qp, bool signaled);
int meas_flow_poll(struct meas_flow *f);
int meas_flow_post_receives(struct meas_flow *f, uint32_t qp);
int __attribute__((format(printf, 3, 4))) meas_flow_fail(struct meas_flow *f, int error,
	const char *fmt, ...);
uint8_t *meas_flow_place(const struct meas_flow *f, bool in, uint32_t qp, uint64_t number);
uint64_t meas_flow_clock(const struct meas_flow *f);
struct meas_moment meas_flow_now(const struct meas_flow *f, uint64_t real_ns);
/* Since 'm' both clocks have gone on by more than 'ns'. */
bool meas_flow_passed(const struct meas_flow *f, struct meas_moment m, uint64_t ns,
	uint64_t real_ns);

/* What an error completion means for the operator: cause and what to look at. */
const char *meas_status_hint(enum ibv_wc_status s);

#endif
