/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover-probe.c - discovers the subnet behind a port and prints it as ibnetdiscover would.
 * For tests only.  stdout: the topology.  stderr: one line "nodes N switches N hosts N links N smps N", and one line
 * per trouble.  Exit 0 all answered, 3 troubles, 255 nothing to look from.
 *      discover-probe [CA [PORT]]
 */
#include <config.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "fabric/discover/discover.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "libmad/io/io.h"

static struct monotime
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct monotime){ ts.tv_sec * (int64_t)1000000 + ts.tv_nsec / 1000 };
}

static void
receive_all(struct io *io, struct txn *t)
{
	struct dgram d;
	int r;

	while ((r = io_recv(io, &d)) == 1) {
		txn_receive(t, &d, now());
		free(d.more);
	}
	if (r < 0) {
		fprintf(stderr, "receive: %s\n", strerror(-r));
		exit(255);
	}
}

static void
pump(struct io *io, struct txn *t, struct discover *d)
{
	struct txn_end end;
	struct txn_req req;
	struct dgram out;
	int ms, r;

	do {
		while (txn_next_end(t, &end))
			discover_end(d, &end);
		while (discover_next(d, &req))
			txn_submit(t, &req, now());
		while (txn_next_send(t, &out, &ms, now()))
			if ((r = io_send(io, &out, ms)) < 0)
				txn_send_failed(t, &out, -r, now());
	} while (txn_ends_waiting(t));
}

static struct snapshot *
sweep(struct io *io)
{
	struct discover_conf c = {
		.want_desc = true, .want_pkeys = true, .want_ports = true, .want_lft = true, .window = 128,
	};
	struct txn_conf conf = txn_conf_default();
	struct txn *t = txn_new(&conf);
	struct discover *d = discover_new(&c, NULL);
	struct snapshot *s = NULL;
	uint64_t expired = 0;

	pump(io, t, d);
	while (!discover_done(d)) {
		poll(&(struct pollfd){ .fd = io_fd(io), .events = POLLIN }, 1, 20);
		receive_all(io, t);
		txn_tick(t, now());
		if (txn_stats(t)->tries_expired != expired)
			discover_hurry(d);
		expired = txn_stats(t)->tries_expired;
		pump(io, t, d);
	}
	if (!discover_take(d, &s))
		fprintf(stderr, "nodes %" PRIu32 " switches %" PRIu32 " hosts %" PRIu32 " links %" PRIu32 " smps %" PRIu64 "\n",
			s->nnodes, s->nswitches, s->nhosts, s->nlinks, txn_stats(t)->submitted);
	discover_free(d);
	txn_free(t);
	return s;
}

static int
snapshot_show(const struct snapshot *s)
{
	char path[300];
	struct topo t;
	int r;

	for (uint32_t i = 0; i < s->nproblems; i++)
		fprintf(stderr, "trouble 0x%016" PRIx64 " port %u path %s: %s\n", s->problems[i].guid, s->problems[i].port,
			fab_path_text(s->problems[i].path, s->problems[i].hop_count, path, sizeof(path)),
			s->problems[i].reason);
	topo_from_snapshot(s, &t);
	r = topo_write(stdout, &t);
	topo_clear(&t);
	return r ? 255 : s->nproblems ? 3 : 0;
}

int
main(int argc, char **argv)
{
	struct io_class c = io_class_client(CLASS_SM_DR);
	char why[IO_WHY_BYTES];
	struct snapshot *s;
	struct io *io;
	int r = 255;

	if (io_umad_open(argc > 1 ? argv[1] : NULL, argc > 2 ? atoi(argv[2]) : -1, &io, why) < 0 ||
	    io_add_class(io, &c, why) < 0) {
		fprintf(stderr, "%s\n", why);
		return 255;
	}
	s = sweep(io);
	if (s)
		r = snapshot_show(s);
	else
		fprintf(stderr, "the own port does not answer\n");
	snapshot_free(s);
	io_close(io);
	return r;
}
