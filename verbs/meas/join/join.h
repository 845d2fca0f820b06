/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * join.h - connects the queue pairs of two ends through a connection manager, instead of through
 * the control connection.
 * Room: verbs/meas/join.
 *
 * The server listens and sends its address (meas_join_where) to the client, which connects one
 * queue pair after the other.  Each request carries the token that the server made for this
 * test, and the index of its queue pair, so that no other client gets one.  join_rdma.c uses
 * rdma_cm of the kernel, join_cm.c our own communication management (docs/cm.md).
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
	uint32_t up;                    /* connected queue pairs */
	char note[VERBS_WHY_BYTES];     /* the method, for the report */
	/* 1: all queue pairs are connected.  0: in progress.  Negative: failed, with a sentence. */
	int (*turn)(struct meas_join *j, uint64_t real_ns, char *why);
	json_t *(*where)(struct meas_join *j);
	void (*free)(struct meas_join *j);
};

/* Makes the join of e->test.connect.  'where' NULL: the server's end; otherwise what the
 * server's meas_join_where() returned (any JSON value), and 'host' is the address of its control
 * connection.  0, or a negative errno with a sentence in 'why' (VERBS_WHY_BYTES). */
int meas_join_new(struct meas_end *e, const json_t *where, const char *host, struct meas_join **j,
	char *why);

static inline int meas_join_turn(struct meas_join *j, uint64_t real_ns,
	char *why) { return j->turn(j, real_ns, why); }
/* server: the address to send to the client; a new object. */
static inline json_t *meas_join_where(struct meas_join *j) { return j->where(j); }
/* Disconnects and frees.  NULL is allowed. */
static inline void
meas_join_free(struct meas_join *j)
{
	if (j)
		j->free(j);
}

/* Writes and reads the private data of a request.  Reading returns false for data of another
 * join or of no queue pair. */
void meas_join_data(const struct meas_join *j, uint32_t index,
	uint8_t data[static MEAS_JOIN_DATA_BYTES]);
bool meas_join_data_read(const struct meas_join *j, const uint8_t *data, size_t bytes,
	uint32_t *index);

int meas_join_rdma_new(struct meas_end *e, const json_t *where, const char *host,
	struct meas_join **j, char *why);
int meas_join_cm_new(struct meas_end *e, const json_t *where, struct meas_join **j, char *why);

#endif
