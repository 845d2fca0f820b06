/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cm-flood.c - floods a communication manager with half-open connections.
 * Room: bench.
 *
 * Usage: cm-flood [--seconds S] [--service ID] LID
 *
 * Sends REQ after REQ to the LID, each for a new connection, and never an RTU.  Prints one JSON
 * object: how many messages were sent, and which replies came back.  docs/bench.md says how to
 * read it.
 */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/umad.h>
#include "libmad/attr/cm_attr.h"
#include "libmad/mad/dgram.h"

#define CM_AT 24                /* offset in the datagram, behind its header */
#define BATCH 64                /* REQs sent between two polls for replies */
#define QUIET_MS 200            /* the test ends this long after the last REQ without a reply */
#define ECHO_SERVICE UINT64_C(0x1000000048656401)

struct flood {
	int fd, agent;
	unsigned lid;
	uint64_t service;
	double seconds;
	uint64_t sent, accepted, refused_no_resources, other;
	void *out, *in;
};

static void
fail_exit(const char *what, int error)
{
	fprintf(stderr, "cm-flood: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(255);
}

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A REQ for an RC connection.  The peer waits 4 ms for an RTU, three times. */
static void
send_req(struct flood *f)
{
	uint8_t *mad = umad_get_mad(f->out);
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_CM, .class_version = 2,
		.method = METHOD_SEND, .tid = f->sent + 1,
		.attr_id = CM_REQ_ID,
	};
	struct cm_req q = {
		.local_comm_id = (uint32_t)f->sent + 1, .service_id = f->service,
		.local_ca_guid = 0xf100d, .retry_count = 7,
		.local_qpn = (uint32_t)(f->sent & 0x7fffff) + 2, .max_cm_retries = 3,
		.remote_cm_timeout = 10,
		.local_cm_timeout = 10, .pkey = 0xffff, .path_mtu = 4,
		.primary = { .local_lid = 1, .remote_lid = (uint16_t)f->lid, .ack_timeout = 10,
		.hop_limit = 1 },
	};

	memset(mad, 0, DGRAM_BYTES);
	dgram_head_encode(mad, &h);
	cm_req_encode(mad + CM_AT, &q);
	umad_set_addr(f->out, (int)f->lid, 1, 0, (int)0x80010000);
	if (umad_send(f->fd, f->agent, f->out, DGRAM_BYTES, 0, 0) < 0)
		fail_exit("send", errno);
	f->sent++;
}

/* Receives and counts one reply.  False: none within 'timeout_ms'. */
static bool
reply_receive(struct flood *f, int timeout_ms)
{
	int bytes = DGRAM_BYTES, r = umad_recv(f->fd, f->in, &bytes, timeout_ms);
	const uint8_t *mad = umad_get_mad(f->in);

	if (r == -ETIMEDOUT || r == -EWOULDBLOCK || r == -EAGAIN)
		return false;
	if (r < 0)
		fail_exit("receive", r);
	if (dgram_attr_id(mad) == CM_REP_ID) {
		f->accepted++;
	} else if (dgram_attr_id(mad) == CM_REJ_ID) {
		struct cm_rej j = cm_rej_decode(mad + CM_AT);

		if (j.reason == 3)
			f->refused_no_resources++;
		else
			f->other++;
	} else {
		f->other++;
	}
	return true;
}

static void
flood_run(struct flood *f)
{
	int64_t begin = now_ns(), end = begin + (int64_t)(f->seconds * 1e9);
	double wall;

	while (now_ns() < end) {
		for (unsigned i = 0; i < BATCH; i++)
			send_req(f);
		while (reply_receive(f, 0))
			;
	}
	wall = (double)(now_ns() - begin) / 1e9;
	end = now_ns() + (int64_t)5e9;
	while (now_ns() < end && reply_receive(f, QUIET_MS))
		;
	printf("{\"sent\": %llu, \"sent_s\": %.0f, \"accepted\": %llu, \"refused_no_resources\": "
		"%llu, \"other\": %llu}\n", (unsigned long long)f->sent, (double)f->sent / wall,
		(unsigned long long)f->accepted, (unsigned long long)f->refused_no_resources,
		(unsigned long long)f->other);
}

static double
number_read(const char *text, double least, double most)
{
	char *end;
	double v = strtod(text, &end);

	if (*end || end == text || !(v >= least && v <= most)) {
		fprintf(stderr, "cm-flood: '%s' is no number from %g to %g\n", text, least, most);
		exit(2);
	}
	return v;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
			{ "service", required_argument, NULL, 'S' }, { 0 },
	};
	struct flood f = { .service = ECHO_SERVICE, .seconds = 1 };
	long mask[16 / sizeof(long)] = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (c == 's')
			f.seconds = number_read(optarg, 0, 3600);
		else if (c == 'S')
			f.service = strtoull(optarg, NULL, 0);
		else
			return 2;
	if (optind + 1 != argc) {
		fprintf(stderr, "Usage: cm-flood [--seconds S] [--service ID] LID\n");
		return 2;
	}
	f.lid = (unsigned)number_read(argv[optind], 1, 0xbfff);
	/* The replies of communication management are Sends as well. */
	mask[METHOD_SEND / (8 * sizeof(long))] |= 1L << METHOD_SEND % (8 * sizeof(long));
	f.fd = umad_init() < 0 ? -1 : umad_open_port(NULL, 0);
	if (f.fd < 0)
		fail_exit("no port", f.fd == -1 ? ENODEV : f.fd);
	f.agent = umad_register(f.fd, CLASS_CM, 2, 0, mask);
	if (f.agent < 0)
		fail_exit("register", f.agent);
	f.out = umad_alloc(1, umad_size() + DGRAM_BYTES);
	f.in = umad_alloc(1, umad_size() + DGRAM_BYTES);
	if (!f.out || !f.in)
		fail_exit("no memory", ENOMEM);
	flood_run(&f);
	umad_free(f.out);
	umad_free(f.in);
	umad_close_port(f.fd);
	return 0;
}
