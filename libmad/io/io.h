/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * io.h - sends and receives datagrams: through a port of an adapter, or a queue in this process.
 * Room: libmad/io (prefix io_).  Back ends: umad.c (libibumad), mem.c (two ends in one process).
 *
 * All datagrams of the programs pass through this interface.  An end receives only the classes
 * added with io_add_class().  RMPP is below this interface: messages longer than 256 bytes are
 * passed whole in d->more.  io_recv() never blocks; the caller waits on io_fd() or io_wait().
 */
#ifndef HEDDLE_LIBMAD_IO_IO_H
#define HEDDLE_LIBMAD_IO_IO_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/mad/dgram.h"

#define IO_NAME_BYTES 20
#define IO_WHY_BYTES 256
#define IO_OUI_OPENIB 0x001405u

/* A port as the system describes it. */
struct io_port {
	char ca_name[IO_NAME_BYTES];
	uint8_t port;                   /* 0: a switch */
	uint8_t node_type;              /* 1 CA, 2 switch, 3 router; 0 unknown */
	bool infiniband;                /* true if the link layer is InfiniBand */
	uint8_t state, phys_state;
	uint8_t lmc, sm_sl;
	uint16_t lid, sm_lid;
	uint32_t cap_mask;
	uint64_t port_guid, node_guid, gid_prefix;
};

/*
 * Size limits of received messages, in bytes: an answer to a tool, and a request to a server.  The
 * longest legal request, for a MultiPathRecord of 510 GIDs, has 8,240 bytes.
 */
#define IO_ANSWER_MAX (256u << 20)
#define IO_REQUEST_MAX (64u << 10)

/* A class that an open end uses; its methods select which requests it receives.  One agent per
 * class. */
struct io_class {
	uint8_t mgmt_class, class_version, rmpp_version;
	/* longest message accepted, in bytes; for longer ones see io_recv() */
	uint32_t receive_max;
	uint32_t oui;                   /* vendor range 2 only */
	/* bit n of 128: requests of method n (without R) are delivered; all 0: answers only */
	uint64_t methods[2];
};
#define IO_METHOD(m) (UINT64_C(1) << ((m) & 63))

/* The usual sets: methods of an SM on QP0, of an SA, or of a client (answers only). */
struct io_class io_class_sm(uint8_t mgmt_class);
struct io_class io_class_sa(void);
struct io_class io_class_client(uint8_t mgmt_class);

struct io;

/* The functions of a back end. */
struct io_ops {
	int (*port)(struct io *, struct io_port *);
	int (*add_class)(struct io *, const struct io_class *, char *why);
	int (*send)(struct io *, struct dgram *, int timeout_ms);
	int (*recv)(struct io *, struct dgram *);
	int (*fd)(struct io *);
	int (*wait)(struct io *, int timeout_ms);
	int (*issm)(struct io *, bool on, char *why);
	void (*close)(struct io *);
};
struct io {
	const struct io_ops *ops;
};

/*
 * All functions return 0, or what their comment says, or a negative errno.  'why' (IO_WHY_BYTES, or
 * NULL) gets one sentence for the operator.
 *   -ENODEV           no such device or port
 *   -EPROTONOSUPPORT  the port's link layer is not InfiniBand
 *   -EACCES           no permission
 *   -EBUSY            another program has the class, or the kernel refused it
 *   -EIO              the device is gone, or failed: close, wait, open again
 */

/* Reads the port's identity and state again. */
static inline int io_port(struct io *io, struct io_port *p) { return io->ops->port(io, p); }
static inline int
io_add_class(struct io *io, const struct io_class *c, char *why)
{
	return io->ops->add_class(io, c, why);
}
/*
 * Sends a request (its TID's low 32 bits are the caller's) or an answer (TID and address as
 * received).  'timeout_ms' > 0: an answer is expected; without one the datagram's header comes back
 * through io_recv() with status ETIMEDOUT.  0: no answer is expected or delivered.  The caller
 * keeps 'd'; the back end may write d->front.  -EINVAL: class not added, malformed, or its TID is
 * in flight.
 */
static inline int
io_send(struct io *io, struct dgram *d, int timeout_ms)
{
	return io->ops->send(io, d, timeout_ms);
}
/*
 * Never blocks.  1: '*d' is filled, and the caller frees d->more.  0: nothing received.  A message
 * longer than its class's receive_max is dropped: d->status is EMSGSIZE, d->bytes its length,
 * d->more NULL, and d->mad has the first 256 bytes.
 */
static inline int io_recv(struct io *io, struct dgram *d) { return io->ops->recv(io, d); }
/* A descriptor that is readable while io_recv() has something; -1 if there is none (mem). */
static inline int io_fd(struct io *io) { return io->ops->fd(io); }
/* Waits until io_recv() has something: 0, or -ETIMEDOUT.  For descriptors that do not work with
 * epoll (those of ibsim's preloaded library only work with poll). */
static inline int io_wait(struct io *io, int timeout_ms) { return io->ops->wait(io, timeout_ms); }
/* Sets or clears the port's IsSM capability.  io_close() clears it too. */
static inline int io_issm(struct io *io, bool on, char *why) { return io->ops->issm(io, on, why); }
/* Closes the end; 'io' may be NULL. */
static inline void
io_close(struct io *io)
{
	if (io)
		io->ops->close(io);
}

/*
 * umad: real devices, and the simulated ones of heddle-sim and ibsim.  'ca' NULL or "" and
 * 'port' < 0 choose as libibumad does: the first ACTIVE InfiniBand port; otherwise the first with a
 * link; otherwise the first that is not disabled.  Ports of another link layer are ignored unless
 * 'port' names one; if there are no others, the result is -ENODEV.
 */
int io_umad_open(const char *ca, int port, struct io **io, char *why);
/* The same; '*opened' is the port's state when it was chosen, without 'node_type' and
 * 'node_guid'. */
int io_umad_open_port(const char *ca, int port, struct io **io, struct io_port *opened, char *why);
/* Lists at most 'max' InfiniBand ports, in order of device name and port; returns how many, or
 * negative. */
int io_umad_list(struct io_port *ports, int max, char *why);

/*
 * mem: two ends in one process; each receives what the other sends.  As in the kernel, the upper
 * half of the TID of a request is overwritten.  Nothing times out here: the sender needs its own
 * deadline.  Each end is closed separately; datagrams to a closed end are lost.
 */
void io_mem_pair(
	struct io **a, const struct io_port *a_port, struct io **b, const struct io_port *b_port);
/* Changes what io_port() returns for this end. */
void io_mem_set_port(struct io *end, const struct io_port *p);
/* Number of datagrams that wait for io_recv() on this end. */
unsigned io_mem_waiting(const struct io *end);
bool io_mem_is_sm(const struct io *end);

#endif
