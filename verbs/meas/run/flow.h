/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flow.h - the messages of a run at one end: posting, polling, counting, timing, checking.
 * Room: verbs/meas/run.
 *
 * A run transfers messages of one size.  An end is requester (it posts sends, writes, reads or
 * atomics) or responder (it receives, answers pings, or is written to and read from); with
 * 'bidirectional' it is both.  flow_bw.c posts as many messages as possible, flow_lat.c one at a
 * time.  Nothing blocks: meas_flow_turn() does what is possible now.  Times are of the world's
 * clock, which is the clock of the device.
 *
 * Where a metric comes from: counts in struct meas_counts, times in the histogram (hist.h),
 * bytes over time in the rate (rate.h); row.h makes the JSON row of them.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_FLOW_H
#define HEDDLE_VERBS_MEAS_RUN_FLOW_H

#include <stdbool.h>
#include <stdint.h>
#include "verbs/meas/run/end.h"
#include "verbs/meas/run/hist.h"
#include "verbs/meas/run/rate.h"

/* a run without any completion for this long (world's clock) has failed */
#define MEAS_STUCK_NS UINT64_C(10000000000)
#define MEAS_FLOW_WHY_BYTES 320
/* an unreliable message that has not arrived after this time is lost */
#define MEAS_LOST_NS UINT64_C(300000000)

/* The first wrong byte. */
struct meas_bad {
	bool is;
	uint32_t qp;                    /* index of the queue pair */
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
	uint64_t signaled;              /* completions will come for messages below this number */
	uint64_t recv_posted, recv_done;        /* never reset: receives survive a run */
	uint64_t *post_ns;              /* post times of the last tx_depth messages */
};

/* A moment on both clocks.  On a busy machine a virtual clock is slow, and slow is not stuck. */
struct meas_moment {
	uint64_t real_ns, world_ns;
};

struct meas_flow {
	struct meas_end *e;
	bool client, requester, responder;
	/* counts from 1; part of the immediate data of unreliable messages */
	unsigned run;
	uint32_t size;
	/* number of places that messages of this size use in turn */
	uint32_t places;
	uint32_t tx_limit, rx_limit;    /* limits of messages in flight */
	/* of each queue pair, with warm-up; UINT64_MAX: by duration */
	uint64_t total;
	struct meas_flow_qp *qps;
	bool going, stopping;
	unsigned spins;                 /* polls per turn of a latency test; at least 1 */
	/* world's clock and real clock, whichever comes first; 0: by iterations */
	uint64_t stop_ns, real_stop_ns;
	struct meas_moment progress;    /* the last completion */
	uint64_t go_ns, paced_bytes;    /* world's clock; bytes posted since then */
	uint64_t warm_left;             /* completions until the measurement begins */
	/* of each queue pair, once the other end has sent them; NULL before */
	uint64_t *peer_sent;
	struct meas_moment peer_end;    /* when the other end sent them */
	bool checked;                   /* the memory written by the other end was checked */
	/* latency tests */
	uint64_t ping_ns, pings, answered;
	struct meas_moment pinged, answer;
	bool waiting;
	uint8_t seen;                   /* last byte of the last write */
	/* results */
	struct meas_rate rate;
	struct meas_hist *hist;
	struct meas_counts counts;
	struct meas_bad bad;
	char why[MEAS_FLOW_WHY_BYTES];  /* not empty: the run failed */
};

void meas_flow_init(struct meas_flow *f, struct meas_end *e, bool client);
void meas_flow_clear(struct meas_flow *f);
/* Prepares memory and receives for run 'run' of 'size'.  0 or a negative errno with f->why. */
int meas_flow_begin(struct meas_flow *f, unsigned run, uint32_t size, uint64_t real_ns);
/* Starts sending. */
void meas_flow_go(struct meas_flow *f, uint64_t real_ns);
/* Does what is possible now.  Returns how much that was; negative: failed, f->why is a sentence. */
int meas_flow_turn(struct meas_flow *f, uint64_t real_ns);
/* True when all messages to send are completed. */
bool meas_flow_sent(const struct meas_flow *f);
/* The other end has sent these numbers of messages on the queue pairs (test.qps numbers,
 * copied). */
void meas_flow_peer_sent(struct meas_flow *f, const uint64_t *sent, uint64_t real_ns);
/* True when all messages of the other end have arrived or are lost.  Checks written memory then. */
bool meas_flow_received(struct meas_flow *f, uint64_t real_ns);

/* Shared by flow.c, flow_bw.c and flow_lat.c. */
int meas_flow_bw_turn(struct meas_flow *f);
/* True when more was posted than the test's rate allows so far. */
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
/* True when both clocks have advanced by more than 'ns' since 'm'. */
bool meas_flow_passed(const struct meas_flow *f, struct meas_moment m, uint64_t ns,
	uint64_t real_ns);

/* What an error completion means to an operator: the cause, and what to check. */
const char *meas_status_hint(enum ibv_wc_status s);

#endif
