/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shim.h - internal declarations of the preloaded library (libheddle-umad.so).
 * Room: sim/shim.
 *
 * `heddle-sim exec` preloads the library into an unmodified program, which then uses a node of a
 * simulated fabric.  The library replaces libibumad (api.c, cas.c, text.c) and those functions of
 * the C library that open, read and wait for umad devices (libc.c, files.c).  It emulates nothing
 * itself: the server has the kernel's MAD layer (sim/kmad) and the fabric.  Requests go over a
 * socket (conn.c), MADs through rings in shared memory (device.c, data.c; sim/ring).
 *
 * Invariants: a program sees the return values and the errno of libibumad and the kernel; a MAD
 * needs no system call while both sides are busy; a device survives fork(), thread cancellation,
 * and a close() by another thread.  The library exports only the names in heddle-umad.map.
 */
#ifndef HEDDLE_SIM_SHIM_SHIM_H
#define HEDDLE_SIM_SHIM_SHIM_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/types.h>
#include <infiniband/umad.h>
#include "sim/ring/proto.h"

#define EXPORT __attribute__((visibility("default")))

#define DEVICE_FDS 65536                /* higher descriptors cannot be simulated devices */

/* The directions of a device.  One caller at a time uses a direction. */
enum direction { DIRECTION_OUT, DIRECTION_IN, DIRECTIONS };

/* The part of an open device that is in the shared memory, so that a forked process continues from
 * the state of its parent. */
struct device_shared {
	pthread_mutex_t lock[DIRECTIONS]; /* excludes forked processes, after a fork */
	pthread_mutex_t request_lock;
	_Atomic uint32_t agents;        /* one bit per registered id */
	_Atomic uint32_t rmpp;          /* agents for which the kernel does RMPP */
	_Alignas(64) struct ring_end tx;
	_Alignas(64) struct ring_end rx;
	/* doorbell bytes that the server has sent or is about to send, and bytes that were read */
	uint32_t bells_due, bells_heard;
	/* consecutive reads without a message; after some, the shim checks for the server */
	uint32_t empty_looks;
	bool silent_awake;              /* the shim cleared 'sleeping' itself: no byte was sent */
	bool drains;                    /* the program reads until no message is left */
	/* the program may wait for the descriptor by calls that the shim does not see */
	bool exposed;
	/* the program waits with EPOLLET: only a new byte wakes it */
	bool edge;
};

/*
 * The lock of one direction within this process.  It also keeps the device mapped during a call.
 * To enter and to leave takes one atomic operation each.  The gate is part of a struct that is
 * never freed, so every thread may try to enter it at any time.
 */
enum gate { GATE_HELD = 1, GATE_WAITED = 2, GATE_CLOSED = 4 };

struct device_direction {
	_Alignas(64) _Atomic uint32_t gate;
	bool shared;                    /* there are forks: callers also take own->lock */
	bool forking;                   /* held by before_fork() until the fork is done */
};

/* An open umad device.  It is never freed but used again, so that a thread may read one that
 * another thread closes. */
struct device {
	int fd;                         /* the doorbell, and the program's descriptor */
	int conn;                       /* for requests */
	uint8_t port;
	bool is_switch;
	bool dead;                      /* the server is gone */
	struct shim_memory *memory;
	struct device_shared *own;
	struct device_direction dir[DIRECTIONS];
	/* one for the open descriptor, one for each gate that is not closed, one per request */
	_Atomic uint32_t refs;
	int64_t looked_ns;              /* time of the last check for the server */
	/* a message of several records, as far as it has been collected */
	struct ring_head held_head;
	uint8_t *held;
	uint32_t held_bytes, held_room;
	bool holds, held_whole;         /* a part of it is there; all of it */
	struct device *spare_next, *all_next;
};

/* ---- real.c: the C library's functions that libc.c replaces ---- */
struct real {
	int (*open)(const char *, int, ...);
	int (*openat)(int, const char *, int, ...);
	int (*close)(int);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*write)(int, const void *, size_t);
	int (*ioctl)(int, unsigned long, ...);
	int (*poll)(struct pollfd *, nfds_t, int);
	int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	int (*select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
	int (*pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
		const sigset_t *);
	int (*epoll_ctl)(int, int, int, struct epoll_event *);
};
const struct real *real_libc(void);

/* ---- conn.c: requests to the server; 0 or a negative errno (-EIO: no server) ---- */
int conn_open(void);
int conn_request(int conn, const struct shim_request *q, struct shim_reply *a, int fds[2]);
/* Sends one request on a new connection. */
int conn_ask(const struct shim_request *q, struct shim_reply *a);
/* Stores the program's node and its default port (0: none).  False: the environment has no node. */
bool conn_node(uint32_t *node, unsigned *port);

/* ---- info.c ---- */
const char *info_ca_name(void);
/* Chooses a port as libibumad does.  Returns 0 and the port, or -ENODEV. */
int info_resolve(const char *ca_name, int *port);
/* Returns true if the simulated CA has that port. */
bool info_has_port(const char *ca_name, int port);
int info_port(uint8_t port, struct shim_port *p);
int info_ca(struct shim_ca *ca);
/* Formats the rate as sysfs does ("100 Gb/sec (4X EDR)"). */
void info_rate_text(const uint8_t info[64], char *text, size_t room);

/* Pauses between two polls of memory that another processor will write. */
static inline void
shim_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* ---- device.c ---- */
extern _Atomic(struct device *) devices[DEVICE_FDS];

int device_open(uint8_t port);
/* Returns the device of a descriptor, with a reference, or NULL if it is no simulated device. */
struct device *device_get(int fd);
void device_put(struct device *d);
/* Returns true if the descriptor was a simulated device. */
bool device_close(int fd);
bool device_is(int fd);
/* Return 0, or the positive errno that ioctl() would set. */
int device_register(struct device *d, const struct shim_request *reg, uint32_t *id);
int device_unregister(struct device *d, uint32_t id);

/* The parts of device_enter() and device_leave() that are seldom needed. */
RING_SELDOM bool device_enter_late(struct device *d, enum direction w);
RING_SELDOM bool device_enter_more(struct device *d, int fd, enum direction w);
RING_SELDOM void device_leave_more(struct device *d, enum direction w);

/* Returns the device that a descriptor has at this moment, or NULL if it is no simulated device.
 * Another thread may close it at any time. */
static inline struct device *
device_find(int fd)
{
	return fd >= 0 && fd < DEVICE_FDS ? atomic_load_explicit(&devices[fd],
		memory_order_acquire) : NULL;
}

/* Returns the device of a descriptor and excludes other callers from that direction until
 * device_leave().  NULL: the descriptor is no simulated device. */
static inline struct device *
device_enter(int fd, enum direction w)
{
	struct device *d = device_find(fd);
	uint32_t open = 0;

	if (!d)
		return NULL;
	if (!atomic_compare_exchange_strong_explicit(&d->dir[w].gate, &open, GATE_HELD,
	    memory_order_acquire,
		memory_order_relaxed) && !device_enter_late(d, w))
		return NULL;
	return (d->fd == fd && !d->dir[w].shared) || device_enter_more(d, fd, w) ? d : NULL;
}

static inline void
device_leave(struct device *d, enum direction w)
{
	uint32_t held = GATE_HELD;

	if (d->dir[w].shared || !atomic_compare_exchange_strong_explicit(&d->dir[w].gate, &held, 0,
	    memory_order_release,
		memory_order_relaxed))
		device_leave_more(d, w);
}

/* ---- data.c ---- */
/* Performs write(2).  Returns the bytes, or a negative errno (-EBADF: no simulated device). */
ssize_t device_write(int fd, const void *umad, size_t bytes);
/* Performs read(2) without waiting.  Returns the bytes, or a negative errno (-EAGAIN: no message;
 * -EBADF: no simulated device).  READ_SPIN polls for two microseconds and does not change the
 * doorbell, because device_wait() follows. */
enum read_mode { READ_NOW, READ_SPIN };
ssize_t device_read(int fd, void *umad, size_t room, enum read_mode mode);
/* Returns 1 if a message is there, or 0 if none is; the descriptor then becomes readable when one
 * arrives.  -EIO: the server is gone.  -EBADF: no simulated device. */
int device_ready(int fd, bool may_spin);
/* The same for a program that may wait by calls that the shim does not see, now or later. */
int device_expose(int fd);
/* Records that the program waits with EPOLLET: epoll reports only new bytes to it. */
void device_edge(int fd);
/* Waits for a message.  Returns 0, -ETIMEDOUT or -EIO (errno as poll() set it). */
int device_wait(int fd, int timeout_ms);
/* Restores a consistent state after a forked process died while it held the lock of 'w'.  The
 * caller holds the lock now. */
void device_recover(struct device *d, enum direction w);

/* ---- files.c: paths that only the simulation has ---- */
#define FILES_NOT_OURS (-1000)
/* Returns a descriptor, -1 with errno, or FILES_NOT_OURS. */
int files_open(const char *path, int flags);

#endif
