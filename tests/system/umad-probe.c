/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * umad-probe.c - opens a port and asks its own node for NodeInfo by a directed route of no hops.
 * For tests only.  Prints "node GUID port GUID lid N"; exit 0, or 255 with one sentence.
 *      umad-probe [CA [PORT]]
 */
#include <config.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libmad/io/io.h"
#include "libmad/txn/txn.h"

static struct monotime
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct monotime){ ts.tv_sec * (int64_t)1000000 + ts.tv_nsec / 1000 };
}

/* One turn: receive all, then send all. */
static bool
turn(struct io *io, struct txn *t, struct txn_end *end)
{
	struct dgram d;
	int ms, r;

	while ((r = io_recv(io, &d)) == 1) {
		txn_receive(t, &d, now());
		free(d.more);
	}
	if (r < 0)
		fprintf(stderr, "receive: %s\n", strerror(-r));
	txn_tick(t, now());
	if (txn_next_end(t, end))
		return true;
	while (txn_next_send(t, &d, &ms, now()))
		if ((r = io_send(io, &d, ms)) < 0)
			txn_send_failed(t, &d, -r, now());
	poll(&(struct pollfd){ .fd = io_fd(io), .events = POLLIN }, 1, 50);
	return false;
}

static int
probe(struct io *io)
{
	struct txn_conf conf = txn_conf_default();
	struct txn *t = txn_new(&conf);
	struct txn_end end;
	struct io_port p;
	int rc = 255;

	txn_submit(t, &(struct txn_req){ .mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = 0x11 }, now());
	while (!turn(io, t, &end))
		;
	if (end.kind != TXN_END_OK) {
		fprintf(stderr, "NodeInfo: %s\n", txn_end_kind_text(end.kind));
	} else if (io_port(io, &p) < 0) {
		fprintf(stderr, "the port cannot be read\n");
	} else {
		printf("node 0x%016" PRIx64 " port 0x%016" PRIx64 " lid %u ca %s/%u state %u\n",
			wire_get64(end.reply->mad + 64 + 12), p.port_guid, p.lid, p.ca_name, p.port, p.state);
		rc = wire_get64(end.reply->mad + 64 + 12) == p.node_guid ? 0 : 1;
	}
	txn_free(t);
	return rc;
}

int
main(int argc, char **argv)
{
	struct io_port ports[16];
	struct io_class c = io_class_client(CLASS_SM_DR);
	char why[IO_WHY_BYTES];
	struct io *io;
	int n = io_umad_list(ports, 16, why), r;

	if (n < 0) {
		fprintf(stderr, "%s\n", why);
		return 255;
	}
	for (int i = 0; i < n; i++)
		printf("# %s/%u 0x%016" PRIx64 "\n", ports[i].ca_name, ports[i].port, ports[i].port_guid);
	if (io_umad_open(argc > 1 ? argv[1] : NULL, argc > 2 ? atoi(argv[2]) : -1, &io, why) < 0 ||
	    io_add_class(io, &c, why) < 0) {
		fprintf(stderr, "%s\n", why);
		return 255;
	}
	r = probe(io);
	io_close(io);
	return r;
}
