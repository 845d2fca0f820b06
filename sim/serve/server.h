/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * server.h - the server: one thread that runs the hardware and every kernel of a fabric.
 * Room: sim/serve.
 *
 * The server connects programs and operators to sim/hw and sim/kmad, which implement the
 * behaviour.  It turns input from sockets, rings and the clock into calls of these rooms, and
 * sends their output back.  Everything runs in one thread, so there are no locks.
 *
 * loop.c runs the event loop, attach.c serves programs, operators.c serves `ctl`, vca.c carries
 * frames of virtual adapters.
 */
#ifndef HEDDLE_SIM_SERVE_SERVER_H
#define HEDDLE_SIM_SERVE_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>
#include "fabric/topo/topo.h"
#include "sim/hw/hw.h"
#include "sim/kmad/kmad.h"
#include "sim/serve/place.h"
#include "sim/ring/proto.h"

struct client;
struct operator_conn;
struct vca;

/* An open umad device. */
struct attach {
	struct client *client;
	struct kmad_file *file;
	struct shim_memory *memory;
	struct ring_end tx, rx;
	sd_event_source *bell_source;
	int bell;                       /* the server's end of the doorbell */
	bool backlogged;                /* messages wait for room in the ring */
	/* bytes of the oldest message that are in the ring already */
	uint32_t sent;
	uint8_t *part;                  /* the received records of a message that has several */
	uint32_t part_bytes, part_room;
	bool part_skip;                 /* it is too long: its other records are dropped */
	struct attach *next, *prev;
};

/* A connection of the shim. */
struct client {
	struct server *server;
	sd_event_source *source;
	int fd;
	uint32_t node;
	uint8_t port;
	bool issm;
	struct attach *attach;
	struct client *next, *prev;
};

/* Faults that `ctl` has set, of one node or (TOPO_NONE) of all. */
struct node_faults {
	uint32_t node;
	struct hw_faults faults;
};

struct server {
	const char *name;
	char dir[PLACE_PATH];
	int lock, umad_fd, ctl_fd;
	sd_event *event;
	struct topo topo;
	struct hw_conf conf;
	struct hw *hw;
	struct kmad *kmad;
	struct client *clients;
	struct attach *attaches;
	unsigned busy;                  /* number of attaches that wrote in the last pass */
	struct operator_conn *operators;
	struct vca *vcas;               /* nodes that are adapters of a kernel */
	struct node_faults *faults;
	uint32_t nfaults;
	int64_t latency_us;             /* now */
	struct timeline *timeline;      /* the script of --faults; NULL: none */
	uint64_t packets_in, doorbells;
	uint64_t dropped;               /* long messages above a limit */
	/* memory for messages of which not all records have arrived */
	uint64_t part_bytes;
	bool stop;
};

struct monotime server_now(void);

/* Opens the sockets below s->dir and serves until SIGTERM or SIGINT; calls 'ready' when programs
 * may attach. 0 or a negative errno. */
int server_run(struct server *s, void (*ready)(void));
/* Passes queued messages to their programs; call it after anything that may have moved packets. */
void server_flush(struct server *s);

/* ---- attach.c ---- */
int attach_listen(struct server *s);
void attach_close_all(struct server *s);
/* Takes at most 'most' records from one program.  Returns true if there were any. */
bool attach_serve(struct attach *a, unsigned most, struct monotime now);
/* Passes messages of the kmad file to the program while the ring has room. */
void attach_flush(struct attach *a);
void client_close(struct client *c);

/* ---- operators.c ---- */
int operators_listen(struct server *s);
void operators_close_all(struct server *s);

#endif
