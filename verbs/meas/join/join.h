/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * join.h - bringing the queue pairs of two ends together through a connection manager, instead
 * of by the control connection alone.
 * Room: verbs/meas/join.
 *
 * The server listens and tells where (meas_join_where), the client connects one queue pair
 * behind the other; each request holds the token that the server made for this test, and the
 * index of its queue pair, so that nobody else gets one.
 */
#ifndef HEDDLE_VERBS_MEAS_JOIN_JOIN_H
#define HEDDLE_VERBS_MEAS_JOIN_JOIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "verbs/meas/run/end.h"

#define MEAS_JOIN_DATA_BYTES 16u

struct meas_join {
	struct meas_end *e;
	bool server;
	uint64_t token;
	uint32_t up;                    /* queue pairs that are connected */
	char note[VERBS_WHY_BYTES];     /* how, for the report */
	/* 1: all are up.  0: goes on.  Negative: failed, with a sentence. */
	int (*turn)(struct meas_join *j, uint64_t real_ns, char *why);
	json_t *(*where)(struct meas_join *j);
	void (*free)(struct meas_join *j);
};

/* Makes one for e->test.connect.  'where' NULL: the server's end; else what the server's
 * meas_join_where() said (total), and 'host' the address of its control connection.  0, or a
 * negative errno with a sentence in 'why' (VERBS_WHY_BYTES). */
int meas_join_new(struct meas_end *e, const json_t *where, const char *host, struct meas_join **j,
	char *why);

static inline int meas_join_turn(struct meas_join *j, uint64_t real_ns,
	char *why) { return j->turn(j, real_ns, why); }
/* server: for the client. */
static inline json_t *meas_join_where(struct meas_join *j) { return j->where(j); }
/* Disconnects.  NULL is fine. */
static inline void
meas_join_free(struct meas_join *j)
{
	if (j)
		j->free(j);
}

/* What a request holds; reading gives false for what is not of this join, or of no queue pair. */
void meas_join_data(const struct meas_join *j, uint32_t index,
	uint8_t data[static MEAS_JOIN_DATA_BYTES]);
bool meas_join_data_read(const struct meas_join *j, const uint8_t *data, size_t bytes,
	uint32_t *index);

int meas_join_rdma_new(struct meas_end *e, const json_t *where, const char *host,
	struct meas_join **j, char *why);
int meas_join_cm_new(struct meas_end *e, const json_t *where, struct meas_join **j, char *why);

#endif
