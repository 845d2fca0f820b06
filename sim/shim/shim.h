/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shim.h - internal declarations shared by the files of the preloaded library.
 * Room: sim/shim.  The library replaces libibumad in a program that runs on a node of a simulated
 * fabric; it exports only what heddle-umad.map lists.  The server emulates the kernel (sim/kmad);
 * this room only talks to the server.
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

#define DEVICE_FDS 65536                /* descriptors above cannot be ours */

/* The directions of a device; each is used by one caller at a time. */
enum direction { DIRECTION_OUT, DIRECTION_IN, DIRECTIONS };

/* What an open device keeps in the shared memory, so that a fork goes on where its parent was. */
struct device_shared {
	pthread_mutex_t lock[DIRECTIONS]; /* against our forks, where there are some */
	pthread_mutex_t request_lock;
	_Atomic uint32_t agents;        /* bit per registered id */
	_Atomic uint32_t rmpp;          /* those for which the kernel does RMPP */
	_Alignas(64) struct ring_end tx;
	_Alignas(64) struct ring_end rx;
	/* bytes that were sent to us (or are about to be), and those taken */
	uint32_t bells_due, bells_heard;
	/* in a row that found nothing; after some the server itself is looked for */
	uint32_t empty_looks;
	bool silent_awake;              /* the ring does not sleep, but no byte was sent for that */
	bool drains;                    /* a program that takes messages until there is none */
	/* the program may wait for the descriptor by means we do not see */
	bool exposed;
	/* it is woken by what comes, not by what is there (EPOLLET) */
	bool edge;
};

/*
 * The lock of one direction within this process, and what keeps the device from being unmapped under a
 * call, at one atomic operation each to enter and to leave.  It is part of a struct that is never
 * freed, so that anybody may try it.
 */
enum gate { GATE_HELD = 1, GATE_WAITED = 2, GATE_CLOSED = 4 };

struct device_direction {
	_Alignas(64) _Atomic uint32_t gate;
	bool shared;                    /* there are forks: own->lock is taken, too */
	bool forking;                   /* entered until the fork is done */
};

/* An open umad device.  Never freed, only used again, so that a thread may look at one that is
 * being closed. */
struct device {
	int fd;                         /* the doorbell; what the program knows the device by */
	int conn;                       /* requests */
	uint8_t port;
	bool is_switch;
	bool dead;                      /* the server is gone */
	struct shim_memory *memory;
	struct device_shared *own;
	struct device_direction dir[DIRECTIONS];
	/* one of the open descriptor, one of each gate that is not closed, one per request */
	_Atomic uint32_t refs;
	int64_t looked_ns;              /* when the server was last looked for */
	struct ring_head held_head;     /* of a whole message that came in several records */
	uint8_t *held;
	uint32_t held_bytes, held_room;
	bool holds, held_whole;         /* some of it, or all */
	struct device *spare_next, *all_next;
};

/* ---- real.c: the functions behind those we interpose ---- */
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

/* ---- conn.c: requests to the server; 0 or a negative errno (-EIO: nobody there) ---- */
int conn_open(void);
int conn_request(int conn, const struct shim_request *q, struct shim_reply *a, int fds[2]);
/* One request on a connection of its own. */
int conn_ask(const struct shim_request *q, struct shim_reply *a);
/* Our node, and the default port (0: choose). */
bool conn_node(uint32_t *node, unsigned *port);

/* ---- info.c ---- */
const char *info_ca_name(void);
/* Chooses as libibumad does: 0 and the port, or -ENODEV. */
int info_resolve(const char *ca_name, int *port);
/* True if our CA has that port. */
bool info_has_port(const char *ca_name, int port);
int info_port(uint8_t port, struct shim_port *p);
int info_ca(struct shim_ca *ca);
/* The rate as sysfs writes it ("100 Gb/sec (4X EDR)"). */
void info_rate_text(const uint8_t info[64], char *text, size_t room);

/* A pause between two polls of memory that another processor will write. */
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
/* The device of a descriptor with a reference, NULL: not ours. */
struct device *device_get(int fd);
void device_put(struct device *d);
/* True if it was one of ours. */
bool device_close(int fd);
bool device_is(int fd);
/* 0, or a positive errno as ioctl() would leave it. */
int device_register(struct device *d, const struct shim_request *reg, uint32_t *id);
int device_unregister(struct device *d, uint32_t id);

/* The parts of the next two that are seldom needed. */
RING_SELDOM bool device_enter_late(struct device *d, enum direction w);
RING_SELDOM bool device_enter_more(struct device *d, int fd, enum direction w);
RING_SELDOM void device_leave_more(struct device *d, enum direction w);

/* The device of a descriptor as it is right now, which may be closed at any time; NULL: not
 * ours. */
static inline struct device *
device_find(int fd)
{
	return fd >= 0 && fd < DEVICE_FDS ? atomic_load_explicit(&devices[fd],
		memory_order_acquire) : NULL;
}

/* Returns the device of a descriptor and excludes other callers from that direction until
 * device_leave().  NULL: the descriptor is not ours. */
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
/* write(2) of the device: bytes, or a negative errno (-EBADF: not ours). */
ssize_t device_write(int fd, const void *umad, size_t bytes);
/* read(2) of the device, without waiting: bytes, or a negative errno (-EAGAIN: nothing there;
 * -EBADF: not ours). READ_SPIN: looks for two microseconds, and leaves the doorbell alone:
 * device_wait() comes next. */
enum read_mode { READ_NOW, READ_SPIN };
ssize_t device_read(int fd, void *umad, size_t room, enum read_mode mode);
/* 1: a message is there.  0: none, and the descriptor becomes readable when one comes.  -EIO:
 * the server is gone. -EBADF: not ours. */
int device_ready(int fd, bool may_spin);
/* The same for a program that will wait by means we do not see, now or later. */
int device_expose(int fd);
/* From now on the program waits for bytes that come, and is not told of one that is there
 * already (EPOLLET). */
void device_edge(int fd);
/* 0 when a message is there, -ETIMEDOUT, -EIO (errno as poll() left it). */
int device_wait(int fd, int timeout_ms);
/* Recovers after a fork died at any point while it held that lock; the caller holds it now. */
void device_recover(struct device *d, enum direction w);

/* ---- files.c: paths that only the simulation has ---- */
#define FILES_NOT_OURS (-1000)
/* A descriptor, -1 with errno, or FILES_NOT_OURS. */
int files_open(const char *path, int flags);

#endif
