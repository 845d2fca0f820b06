/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * transport.c - measures the cost of MADs alone: one client keeps a window of directed-route
 * NodeInfo requests in flight.
 * Room: bench.
 *
 * Usage: transport [--window N] [--seconds S] [--hops N]   (0 hops: the port queries itself)
 * Prints one JSON object: round trips per second, and the client's processor time per MAD (each
 * MAD sent or received counts).
 */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <infiniband/umad.h>
#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"

#define TIMEOUT_MS 1000
#define WINDOW_MAX 4096
#define BATCH 256               /* round trips between two readings of the clock */

struct probe {
	int fd, agent;
	unsigned window, hops;
	double seconds;
	uint32_t tid;
	uint64_t sent, done, lost;
	void *umad;
};

static double
clock_s(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
fail_exit(const char *what, int error)
{
	fprintf(stderr, "transport: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(255);
}

static void
send_one(struct probe *p)
{
	static const uint8_t path[DGRAM_PATH_BYTES] = { 0, 1 };
	struct dgram_smp q = {
		.method = METHOD_GET, .attr_id = NODE_INFO_ID, .tid = ++p->tid,
		.hop_count = (uint8_t)p->hops, .path = path,
	};
	int r;

	dgram_smp_make(umad_get_mad(p->umad), &q);
	umad_set_addr(p->umad, LID_PERMISSIVE, 0, 0, 0);
	r = umad_send(p->fd, p->agent, p->umad, DGRAM_BYTES, TIMEOUT_MS, 0);
	if (r < 0)
		fail_exit("send", errno);
	p->sent++;
}

static void
receive_one(struct probe *p)
{
	int bytes = DGRAM_BYTES, r = umad_recv(p->fd, p->umad, &bytes, 2 * TIMEOUT_MS);

	if (r < 0)
		fail_exit("receive", r);
	if (umad_status(p->umad))
		p->lost++;
	else
		p->done++;
}

static void
probe_run(struct probe *p)
{
	double start = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID), wall;

	while (p->sent < p->window)
		send_one(p);
	do {
		for (unsigned i = 0; i < BATCH; i++) {
			receive_one(p);
			send_one(p);
		}
		wall = clock_s(CLOCK_MONOTONIC) - start;
	} while (wall < p->seconds);
	while (p->done + p->lost < p->sent)
		receive_one(p);
	wall = clock_s(CLOCK_MONOTONIC) - start;
	cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("{\"window\": %u, \"hops\": %u, \"round_trips\": %llu, \"lost\": %llu, \"wall_s\": "
		"%.6f, "
		"\"round_trips_per_s\": %.0f, \"cpu_s\": %.6f, \"cpu_us_per_mad\": %.4f}\n",
		p->window, p->hops, (unsigned long long)p->done, (unsigned long long)p->lost, wall,
		(double)p->done / wall, cpu, cpu * 1e6 / (double)(p->sent + p->done));
}

static double
number_read(const char *text, double least, double most)
{
	char *end;
	double v = strtod(text, &end);

	if (*end || end == text || !(v >= least && v <= most)) {
		fprintf(stderr, "transport: '%s' is no number from %g to %g\n", text, least, most);
		exit(2);
	}
	return v;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "window", required_argument, NULL, 'w' },
			{ "seconds", required_argument, NULL, 's' },
		{ "hops", required_argument, NULL, 'p' }, { 0 },
	};
	struct probe p = { .window = 64, .seconds = 1, .hops = 1 };
	int c;

	while ((c = getopt_long(argc, argv, "w:s:p:", options, NULL)) != -1) {
		if (c == 'w')
			p.window = (unsigned)number_read(optarg, 1, WINDOW_MAX);
		else if (c == 's')
			p.seconds = number_read(optarg, 0.01, 3600);
		else if (c == 'p')
			p.hops = (unsigned)number_read(optarg, 0, 1);
		else
			return 2;
	}
	p.fd = umad_open_port(NULL, 0);
	if (p.fd < 0)
		fail_exit("no port", p.fd);
	/* umad_size() is valid only after a port was opened. */
	p.umad = calloc(1, umad_size() + DGRAM_BYTES);
	if (!p.umad)
		fail_exit("memory", ENOMEM);
	p.agent = umad_register(p.fd, CLASS_SM_DR, 1, 0, NULL);
	if (p.agent < 0)
		fail_exit("register", p.agent);
	probe_run(&p);
	umad_close_port(p.fd);
	free(p.umad);
	return p.lost ? 1 : 0;
}
