/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test.h - the description of a test: what the client's operator typed, sent to the server as
 * one object.
 * Room: verbs/meas/run.  Pure.
 *
 * A new parameter is a member of struct meas_test, a line in meas_test_json() and
 * meas_test_from_json(), a check in meas_test_wrong(), and an option in verbs/ibhcatest/ask.c.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_TEST_H
#define HEDDLE_VERBS_MEAS_RUN_TEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEAS_SIZES_MAX 24               /* 1 byte to 8 MiB */
#define MEAS_SIZE_MAX (UINT32_C(8) << 20)
#define MEAS_QPS_MAX 1024
#define MEAS_DEPTH_MAX 8192
#define MEAS_RATE_MAX_MBPS 10000000u
#define MEAS_ITERATIONS_MAX UINT64_C(1000000000000)
#define MEAS_DURATION_MAX_MS (7u * 24 * 3600 * 1000)
#define MEAS_MEMORY_MAX (UINT64_C(64) << 30)

enum meas_mode { MEAS_BW, MEAS_LAT, MEAS_MODES };
enum meas_op { MEAS_SEND, MEAS_WRITE, MEAS_READ, MEAS_CAS, MEAS_FAA, MEAS_OPS };
enum meas_transport { MEAS_RC, MEAS_UC, MEAS_UD, MEAS_TRANSPORTS };
enum meas_connect { MEAS_BY_SOCKET, MEAS_BY_RDMA_CM, MEAS_BY_CM, MEAS_CONNECTS };

struct meas_test {
	enum meas_mode mode;
	enum meas_op op;
	enum meas_transport transport;
	enum meas_connect connect;
	unsigned nsizes;                /* at least 1; ascending */
	uint32_t sizes[MEAS_SIZES_MAX];
	uint64_t iterations;            /* of each queue pair and size; 0: by duration */
	/* additional iterations at the beginning that are not measured */
	uint64_t warmup;
	uint32_t duration_ms;           /* of each size; 0: by iterations */
	uint32_t qps;
	uint32_t tx_depth, rx_depth;
	uint32_t signal_every;          /* every n-th message requests a completion */
	uint32_t inline_bytes;          /* wanted; the device may grant less */
	uint32_t mtu_bytes;             /* 0: the largest that both ports support */
	uint64_t memory_bytes;          /* for the buffers of one end */
	/* of what one end sends on all queue pairs (bw); 0: unlimited */
	uint32_t rate_mbps;
	uint64_t seed;                  /* of the pattern */
	uint8_t sl, traffic_class, hop_limit;
	uint8_t timeout, retries, rnr_retries;  /* as in the queue pair's attributes */
	uint16_t pkey_index;
	bool bidirectional, validate, events;
};

/* Defaults as in perftest: 64 KiB and 5000 iterations (latency: 2 bytes and 1000), depths 128
 * and 512. */
struct meas_test meas_test_default(enum meas_mode mode);
/* NULL, or what is wrong with the test: a sentence without a full stop, in static storage. */
const char *meas_test_wrong(const struct meas_test *t);

json_t *meas_test_json(const struct meas_test *t);
/* Accepts any JSON value.  -EINVAL with a sentence in 'why' (why_bytes); '*t' is then invalid. */
int meas_test_from_json(const json_t *o, struct meas_test *t, char *why, size_t why_bytes);

const char *meas_mode_name(enum meas_mode m);           /* "bw", "lat" */
const char *meas_op_name(enum meas_op o);               /* "send", "write", "read", "cas", "faa" */
const char *meas_transport_name(enum meas_transport t); /* "RC", "UC", "UD" */
const char *meas_connect_name(enum meas_connect c);     /* "socket", "rdma_cm", "cm" */
/* The value of that name, or -1. */
int meas_op_find(const char *name);
int meas_transport_find(const char *name);

static inline bool
meas_is_atomic(enum meas_op o)
{
	return o == MEAS_CAS || o == MEAS_FAA;
}

#endif
