/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * counts.h - the results of a run at one end, as members of control messages.
 * Room: verbs/meas/run.  Pure.
 *
 * An end counts and times only what it sends and receives itself.  At the end of a run the
 * client sends its numbers in "done" and the server answers with its own in "result"; so each
 * can say what the pair measured.  Writers return new objects that the caller owns; readers
 * accept any JSON value.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_COUNTS_H
#define HEDDLE_VERBS_MEAS_RUN_COUNTS_H

#include <jansson.h>
#include <stdint.h>
#include "verbs/meas/run/flow.h"

/* The result of a run. */
struct meas_result {
	uint32_t size;
	uint64_t iterations;            /* measured, of all queue pairs */
	/* of messages sent by the client and, with 'bidirectional', by the server */
	struct meas_rates rates, peer_rates;
	struct meas_counts counts, peer_counts;
	struct meas_bad bad, peer_bad;
	struct meas_hist *hist;         /* of the client */
};

/* Completed messages of each queue pair, in order; zeros where this end posts nothing. */
json_t *meas_sent_json(const struct meas_flow *f);
/* An array of 'qps' numbers that the caller frees.  NULL: malformed. */
uint64_t *meas_sent_from_json(const json_t *o, uint32_t qps);

json_t *meas_rates_json(const struct meas_rates *r);
/* 0, or -EINVAL: '*r' is then not to be used. */
int meas_rates_from_json(const json_t *o, struct meas_rates *r);

json_t *meas_counts_json(const struct meas_counts *c, const struct meas_bad *b);
/* 0, or -EINVAL: '*c' and '*b' are then not to be used. */
int meas_counts_from_json(const json_t *o, struct meas_counts *c, struct meas_bad *b);

#endif
