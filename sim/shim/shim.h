/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shim.h - what the files of the preloaded library share.
 * Room: sim/shim.  The library stands in for libibumad in a program that runs on a node of a simulated fabric; it
 * exports what heddle-umad.map lists and nothing else.  The server plays the kernel; here is only the way to it.
 */
#ifndef HEDDLE_SIM_SHIM_SHIM_H
#define HEDDLE_SIM_SHIM_SHIM_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/types.h>
#include <infiniband/umad.h>
#include "sim/serve/proto.h"

#define EXPORT __attribute__((visibility("default")))

#define DEVICE_FDS 65536                /* descriptors above cannot be ours */

/* What an open device keeps in the shared memory, so that a fork goes on where its parent was. */
struct device_shared {
	pthread_mutex_t tx_lock, rx_lock, request_lock;
	struct ring_end tx, rx;
	uint32_t bells_due, bells_heard;        /* rung (or about to be) since the open, and bytes taken */
	bool drains;                    /* a program that takes messages until there is none */
	uint32_t empty_looks;           /* in a row that found nothing; after some the doorbell itself is looked at */
	_Atomic uint32_t agents;        /* bit per registered id */
	_Atomic uint32_t rmpp;          /* those for which the kernel does RMPP */
	_Atomic bool exposed;           /* the program may wait for the descriptor by means we do not see */
};

/* An open umad device.  Never freed, only used again, so that a thread may look at one that is being closed. */
struct device {
	struct device *spare_next;
	_Atomic uint32_t refs;
	int fd;                         /* the doorbell; what the program knows the device by */
	int conn;                       /* requests */
	uint8_t port;
	bool is_switch;
	struct shim_memory *memory;
	struct device_shared *own;
	struct ring_head held_head;     /* of a whole message that came in several records */
	uint8_t *held;
	uint32_t held_bytes, held_room;
	bool held_whole;
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
	int (*pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
};
const struct real *real(void);

/* ---- conn.c: requests to the server; 0 or a negative errno (-EIO: nobody there) ---- */
int conn_open(void);
int conn_request(int conn, const struct shim_request *q, struct shim_reply *a, int fds[2]);
/* One request on a connection of its own. */
int conn_ask(const struct shim_request *q, struct shim_reply *a);
/* Our node, and the port to take when none is named (0: choose). */
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

/* ---- device.c ---- */
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

/* ---- data.c ---- */
/* write(2) of the device: bytes, or a negative errno. */
ssize_t device_write(struct device *d, const void *umad, size_t bytes);
/* read(2) of the device, without waiting: bytes, or a negative errno (-EAGAIN: nothing there).  READ_SPIN: looks for
 * two microseconds, and leaves the doorbell alone: device_wait() comes next. */
enum read_mode { READ_NOW, READ_SPIN };
ssize_t device_read(struct device *d, void *umad, size_t room, enum read_mode mode);
/* 1: a message is there.  0: none, and the descriptor becomes readable when one comes.  -EIO: the server is gone. */
int device_ready(struct device *d, bool may_spin);
/* 0 when a message is there, -ETIMEDOUT, -EIO (errno as poll() left it). */
int device_wait(int fd, int timeout_ms);

/* ---- files.c: paths that only the simulation has ---- */
#define FILES_NOT_OURS (-1000)
/* A descriptor, -1 with errno, or FILES_NOT_OURS. */
int files_open(const char *path, int flags);

#endif
