/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * io.h - the one way datagrams come in and go out: a port of an adapter, or a queue in this
 * process.
 * Room: libmad/io (prefix io_).  Back ends: umad.c (libibumad), mem.c.
 *
 * RMPP is done below this line: messages longer than 256 bytes go and come whole in d->more.
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
	bool infiniband;                /* the link layer */
	uint8_t state, phys_state;
	uint8_t lmc, sm_sl;
	uint16_t lid, sm_lid;
	uint32_t cap_mask;
	uint64_t port_guid, node_guid, gid_prefix;
};

/*
 * Bytes of the longest message that is taken: an answer to a tool; a request to a server.  The
 * longest legal request, for a MultiPathRecord of 510 GIDs, has 8,240.
 */
#define IO_ANSWER_MAX (256u << 20)
#define IO_REQUEST_MAX (64u << 10)

/* What an open end receives unasked: one agent per class. */
struct io_class {
	uint8_t mgmt_class, class_version, rmpp_version;
	/* bytes of the longest message taken; of longer ones see io_recv() */
	uint32_t receive_max;
	uint32_t oui;                   /* vendor range 2 only */
	/* bit n of the 128: method n (without R) is delivered; all 0: answers only */
	uint64_t methods[2];
};
#define IO_METHOD(m) (UINT64_C(1) << ((m) & 63))

/* The usual sets: methods of an SM on QP0, of an SA, or of a client (answers only). */
struct io_class io_class_sm(uint8_t mgmt_class);
struct io_class io_class_sa(void);
struct io_class io_class_client(uint8_t mgmt_class);

struct io;

/* A back end. */
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
 * All functions: 0 (or what is said) or a negative errno; 'why' (IO_WHY_BYTES, or NULL) gets one
 * sentence for the operator.
 *   -ENODEV no such device or port    -EPROTONOSUPPORT the port's link layer is not InfiniBand
 *   -EACCES no permission             -EBUSY the class is taken by another program, or the kernel
 *   refused it
 *   -EIO    the device is gone, or failed: close, wait, open again
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
 * received).  'timeout_ms' > 0: an answer is awaited; without one the datagram's header comes back
 * through io_recv() with status ETIMEDOUT.  0: none is awaited, nor delivered.  'd' stays the
 * caller's; its front may be written.  -EINVAL: class not added, malformed, or its TID is in
 * flight.
 */
static inline int
io_send(struct io *io, struct dgram *d, int timeout_ms)
{
	return io->ops->send(io, d, timeout_ms);
}
/*
 * Never blocks.  1: '*d' is filled, the caller frees d->more.  0: nothing there.  A message longer
 * than its class's receive_max is dropped: d->status is EMSGSIZE, d->bytes its length, d->more
 * NULL, and d->mad has the first 256 bytes.
 */
static inline int io_recv(struct io *io, struct dgram *d) { return io->ops->recv(io, d); }
/* Readable while io_recv() has something; -1 if there is no descriptor (mem). */
static inline int io_fd(struct io *io) { return io->ops->fd(io); }
/* Waits until io_recv() has something: 0, or -ETIMEDOUT.  For descriptors that no epoll takes
 * (ibsim's are made up in its preloaded library, which only answers poll). */
static inline int io_wait(struct io *io, int timeout_ms) { return io->ops->wait(io, timeout_ms); }
/* Sets or clears the port's IsSM capability; cleared by closing too. */
static inline int io_issm(struct io *io, bool on, char *why) { return io->ops->issm(io, on, why); }
/* NULL is fine. */
static inline void
io_close(struct io *io)
{
	if (io)
		io->ops->close(io);
}

/*
 * umad: real devices, heddle-sim's shim, ibsim's.  'ca' NULL or "" and 'port' < 0 choose as
 * libibumad does: the first ACTIVE InfiniBand port, else the first with a link, else the first not
 * disabled. Ports of another link layer are passed over, unless 'port' names one; where there is no
 * other, it is as if there were none (-ENODEV).
 */
int io_umad_open(const char *ca, int port, struct io **io, char *why);
/* The same; '*opened' is the port as it was while it was chosen, without 'node_type' and
 * 'node_guid'. */
int io_umad_open_port(const char *ca, int port, struct io **io, struct io_port *opened, char *why);
/* Lists at most 'max' InfiniBand ports, in order of device name and port; returns how many, or
 * negative. */
int io_umad_list(struct io_port *ports, int max, char *why);

/*
 * mem: two ends in one process; what one end sends the other receives.  As in the kernel, the upper
 * half of the TID of a request is overwritten.  Nothing here times out: the sender needs its own
 * deadline.  Each end is closed on its own; what is sent to a closed end vanishes.
 */
void io_mem_pair(
	struct io **a, const struct io_port *a_port, struct io **b, const struct io_port *b_port);
/* Changes what io_port() says of this end. */
void io_mem_set_port(struct io *end, const struct io_port *p);
/* Datagrams that wait for io_recv() on this end. */
unsigned io_mem_waiting(const struct io *end);
bool io_mem_is_sm(const struct io *end);

#endif
