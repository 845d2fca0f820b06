/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test.c - see test.h.
 * Room: verbs/meas/run.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "verbs/meas/control/msg.h"
#include "verbs/meas/run/test.h"

static const char *const modes[] = { "bw", "lat" };
static const char *const op_names[] = { "send", "write", "read", "cas", "faa" };
static const char *const transports[] = { "RC", "UC", "UD" };
static const char *const connects[] = { "socket", "rdma_cm", "cm" };

const char *
meas_mode_name(enum meas_mode m)
{
	return modes[m];
}

const char *
meas_op_name(enum meas_op o)
{
	return op_names[o];
}

const char *
meas_transport_name(enum meas_transport t)
{
	return transports[t];
}

const char *
meas_connect_name(enum meas_connect c)
{
	return connects[c];
}

static int
name_find(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

int
meas_op_find(const char *name)
{
	return name_find(op_names, MEAS_OPS, name);
}

int
meas_transport_find(const char *name)
{
	return name_find(transports, MEAS_TRANSPORTS, name);
}

struct meas_test
meas_test_default(enum meas_mode mode)
{
	return (struct meas_test){
		.mode = mode, .op = MEAS_SEND, .nsizes = 1,
		.sizes = { mode == MEAS_BW ? 65536 : 2 },
		.iterations = mode == MEAS_BW ? 5000 : 1000, .warmup = mode == MEAS_BW ? 0 : 100,
		.qps = 1, .tx_depth = 128, .rx_depth = 512,
		.signal_every = mode == MEAS_BW ? 16 : 1, .inline_bytes = mode == MEAS_BW ? 0 : 220,
		.memory_bytes = UINT64_C(32) << 20,
		.hop_limit = 64, .timeout = 14, .retries = 7, .rnr_retries = 7,
	};
}

static const char *
wrong_sizes(const struct meas_test *t)
{
	for (unsigned i = 0; i < t->nsizes; i++) {
		if (t->sizes[i] < 1 || t->sizes[i] > MEAS_SIZE_MAX)
			return "messages have 1 byte to 8 MiB";
		if (i && t->sizes[i] <= t->sizes[i - 1])
			return "the sizes are not in order";
		if (meas_is_atomic(t->op) && t->sizes[i] != 8)
			return "atomic operations are of 8 bytes";
		if (t->validate && t->transport != MEAS_RC && t->sizes[i] < 8)
			return "checking data over UC and UD needs messages of 8 bytes or more";
	}
	return NULL;
}

const char *
meas_test_wrong(const struct meas_test *t)
{
	if (t->nsizes < 1 || t->nsizes > MEAS_SIZES_MAX)
		return "1 to 24 sizes of messages are possible";
	if (!t->iterations == !t->duration_ms)
		return "either a number of iterations or a duration is needed";
	if (t->mode == MEAS_LAT && t->qps != 1)
		return "latency is measured on one queue pair";
	if (t->mode == MEAS_LAT && t->bidirectional)
		return "latency is of both directions anyway";
	if (t->mode == MEAS_LAT && t->rate_mbps)
		return "a rate is a limit of bandwidth tests";
	if (t->transport == MEAS_UC && t->op != MEAS_SEND && t->op != MEAS_WRITE)
		return "UC has send and write only";
	if (t->transport == MEAS_UD && t->op != MEAS_SEND)
		return "UD has send only";
	if (t->events && t->mode == MEAS_LAT && t->op == MEAS_WRITE)
		return "the latency of write is seen in memory, where no event comes";
	if (t->mode == MEAS_LAT && t->validate && t->op == MEAS_WRITE)
		return "the latency of write is seen in the message's last byte, which no pattern "
			"may hold: check data with bw";
	if (t->connect == MEAS_BY_CM && t->transport == MEAS_UD)
		return "communication management connects RC and UC only";
	if (t->connect == MEAS_BY_RDMA_CM && t->transport != MEAS_RC)
		return "rdma_cm connects RC only";
	return wrong_sizes(t);
}

json_t *
meas_test_json(const struct meas_test *t)
{
	json_t *sizes = json_array();

	for (unsigned i = 0; i < t->nsizes; i++)
		json_array_append_new(sizes, json_integer(t->sizes[i]));
	return json_pack(
		"{s:s,s:s,s:s,s:s,s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:b,s:b,s:b}",
		"mode", modes[t->mode], "op", op_names[t->op], "transport",
		transports[t->transport], "connect", connects[t->connect], "sizes", sizes,
		"iterations", (json_int_t)t->iterations, "warmup", (json_int_t)t->warmup,
		"duration_ms", (json_int_t)t->duration_ms, "qps", (json_int_t)t->qps, "tx_depth",
		(json_int_t)t->tx_depth, "rx_depth", (json_int_t)t->rx_depth, "signal_every",
		(json_int_t)t->signal_every, "inline_bytes", (json_int_t)t->inline_bytes,
		"mtu_bytes", (json_int_t)t->mtu_bytes, "memory_bytes", meas_hex(t->memory_bytes),
		"seed", meas_hex(t->seed), "sl", t->sl, "traffic_class", t->traffic_class,
		"hop_limit", t->hop_limit, "timeout", t->timeout, "retries", t->retries,
		"rnr_retries", t->rnr_retries, "pkey_index", t->pkey_index, "rate_mbps",
		(json_int_t)t->rate_mbps, "bidirectional", t->bidirectional, "validate",
		t->validate, "events", t->events);
}

static void
read_sizes(struct meas_reader *r, struct meas_test *t)
{
	const json_t *a = json_object_get(r->object, "sizes"), *v;
	size_t n = json_array_size(a);

	if (!json_is_array(a) || n < 1 || n > MEAS_SIZES_MAX) {
		meas_reader_bad(r, "sizes");
		return;
	}
	t->nsizes = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		v = json_array_get(a, i);
		if (!json_is_integer(v) || json_integer_value(v) < 1 ||
			    json_integer_value(v) > MEAS_SIZE_MAX)
			meas_reader_bad(r, "sizes");
		else
			t->sizes[i] = (uint32_t)json_integer_value(v);
	}
}

int
meas_test_from_json(const json_t *o, struct meas_test *t, char *why, size_t why_bytes)
{
	struct meas_reader r = meas_reader(o);
	const char *wrong;

	memset(t, 0, sizeof(*t));
	t->mode = (enum meas_mode)meas_read_word(&r, "mode", modes, MEAS_MODES);
	t->op = (enum meas_op)meas_read_word(&r, "op", op_names, MEAS_OPS);
	t->transport = (enum meas_transport)meas_read_word(&r, "transport", transports,
		MEAS_TRANSPORTS);
	t->connect = (enum meas_connect)meas_read_word(&r, "connect", connects, MEAS_CONNECTS);
	read_sizes(&r, t);
	t->iterations = meas_read_int(&r, "iterations", 0, MEAS_ITERATIONS_MAX);
	t->warmup = meas_read_int(&r, "warmup", 0, MEAS_ITERATIONS_MAX);
	t->duration_ms = (uint32_t)meas_read_int(&r, "duration_ms", 0, MEAS_DURATION_MAX_MS);
	t->qps = (uint32_t)meas_read_int(&r, "qps", 1, MEAS_QPS_MAX);
	t->tx_depth = (uint32_t)meas_read_int(&r, "tx_depth", 1, MEAS_DEPTH_MAX);
	t->rx_depth = (uint32_t)meas_read_int(&r, "rx_depth", 1, MEAS_DEPTH_MAX);
	t->signal_every = (uint32_t)meas_read_int(&r, "signal_every", 1, MEAS_DEPTH_MAX);
	t->inline_bytes = (uint32_t)meas_read_int(&r, "inline_bytes", 0, 4096);
	t->mtu_bytes = (uint32_t)meas_read_int(&r, "mtu_bytes", 0, 4096);
	t->memory_bytes = meas_read_hex(&r, "memory_bytes", MEAS_MEMORY_MAX);
	t->seed = meas_read_hex(&r, "seed", UINT64_MAX);
	t->sl = (uint8_t)meas_read_int(&r, "sl", 0, 15);
	t->traffic_class = (uint8_t)meas_read_int(&r, "traffic_class", 0, 255);
	t->hop_limit = (uint8_t)meas_read_int(&r, "hop_limit", 1, 255);
	t->timeout = (uint8_t)meas_read_int(&r, "timeout", 1, 31);
	t->retries = (uint8_t)meas_read_int(&r, "retries", 0, 7);
	t->rnr_retries = (uint8_t)meas_read_int(&r, "rnr_retries", 0, 7);
	t->pkey_index = (uint16_t)meas_read_int(&r, "pkey_index", 0, UINT16_MAX);
	t->rate_mbps = (uint32_t)meas_read_int(&r, "rate_mbps", 0, MEAS_RATE_MAX_MBPS);
	t->bidirectional = meas_read_bool(&r, "bidirectional");
	t->validate = meas_read_bool(&r, "validate");
	t->events = meas_read_bool(&r, "events");
	if (r.bad) {
		snprintf(why, why_bytes, "the description of the test has no valid \"%s\"", r.bad);
		return -EINVAL;
	}
	wrong = meas_test_wrong(t);
	if (wrong)
		snprintf(why, why_bytes, "the test is not possible: %s", wrong);
	return wrong ? -EINVAL : 0;
}
