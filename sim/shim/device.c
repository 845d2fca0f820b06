/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * device.c - open devices and the descriptors they are known by.
 * Room: sim/shim.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "sim/shim/shim.h"

static _Atomic(struct device *) devices[DEVICE_FDS];
static struct device *spare;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(sizeof(struct device_shared) <= sizeof(((struct shim_memory *)0)->program), "it fits its place");

static struct device *
device_take(void)
{
	struct device *d;

	pthread_mutex_lock(&spare_lock);
	d = spare;
	if (d)
		spare = d->spare_next;
	pthread_mutex_unlock(&spare_lock);
	return d ? d : calloc(1, sizeof(*d));
}

static void
device_give(struct device *d)
{
	pthread_mutex_lock(&spare_lock);
	d->spare_next = spare;
	spare = d;
	pthread_mutex_unlock(&spare_lock);
}

static void
init_lock(pthread_mutex_t *m)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(m, &a);
	pthread_mutexattr_destroy(&a);
}

static void
init_shared(struct device *d)
{
	d->own = (struct device_shared *)(void *)d->memory->program;
	init_lock(&d->own->tx_lock);
	init_lock(&d->own->rx_lock);
	init_lock(&d->own->request_lock);
	ring_end_init(&d->own->tx, &d->memory->tx);
	ring_end_init(&d->own->rx, &d->memory->rx);
	ring_sleep(&d->own->rx);
}

int
device_open(uint8_t port)
{
	struct shim_request q = { .op = SHIM_OPEN, .port = port };
	struct shim_reply a;
	struct device *d;
	unsigned unused;
	void *memory;
	int conn, fds[2], r;

	if (!conn_node(&q.node, &unused))
		return -EIO;
	conn = conn_open();
	if (conn < 0)
		return conn;
	r = conn_request(conn, &q, &a, fds);
	if (r || fds[0] < 0)
		goto no_device;
	r = -EIO;
	memory = mmap(NULL, sizeof(struct shim_memory), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	real()->close(fds[0]);
	d = memory != MAP_FAILED && fds[1] < DEVICE_FDS ? device_take() : NULL;
	if (!d) {
		if (memory != MAP_FAILED)
			munmap(memory, sizeof(struct shim_memory));
		real()->close(fds[1]);
		goto no_device;
	}
	d->fd = fds[1];
	d->conn = conn;
	d->port = port;
	d->is_switch = port == 0;
	d->memory = memory;
	init_shared(d);
	atomic_store(&d->refs, 1);
	atomic_store(&devices[d->fd], d);
	return d->fd;
no_device:
	real()->close(conn);
	return r == -ENODEV ? -EINVAL : -EIO;
}

bool
device_is(int fd)
{
	return fd >= 0 && fd < DEVICE_FDS && atomic_load_explicit(&devices[fd], memory_order_relaxed);
}

struct device *
device_get(int fd)
{
	struct device *d;

	if (fd < 0 || fd >= DEVICE_FDS)
		return NULL;
	d = atomic_load_explicit(&devices[fd], memory_order_acquire);
	if (!d)
		return NULL;
	atomic_fetch_add(&d->refs, 1);
	if (atomic_load(&devices[fd]) == d)
		return d;
	device_put(d);
	return NULL;
}

void
device_put(struct device *d)
{
	if (atomic_fetch_sub(&d->refs, 1) != 1)
		return;
	munmap(d->memory, sizeof(*d->memory));
	real()->close(d->conn);
	real()->close(d->fd);
	free(d->held);
	d->held = NULL;
	d->held_bytes = d->held_room = 0;
	d->held_whole = false;
	device_give(d);
}

bool
device_close(int fd)
{
	struct device *d = fd >= 0 && fd < DEVICE_FDS ? atomic_exchange(&devices[fd], NULL) : NULL;

	if (!d)
		return false;
	device_put(d);
	return true;
}

/* ---- agents ---- */

static int
request(struct device *d, const struct shim_request *q, struct shim_reply *a)
{
	int r;

	if (pthread_mutex_lock(&d->own->request_lock) == EOWNERDEAD)
		pthread_mutex_consistent(&d->own->request_lock);
	r = conn_request(d->conn, q, a, NULL);
	pthread_mutex_unlock(&d->own->request_lock);
	return r;
}

int
device_register(struct device *d, const struct shim_request *reg, uint32_t *id)
{
	struct shim_request q = *reg;
	struct shim_reply a;
	int r;

	q.op = SHIM_REGISTER;
	r = request(d, &q, &a);
	if (r)
		return -r;
	*id = a.id;
	if (q.rmpp_version && !q.user_rmpp)
		atomic_fetch_or(&d->own->rmpp, 1u << a.id);
	atomic_fetch_or(&d->own->agents, 1u << a.id);
	return 0;
}

int
device_unregister(struct device *d, uint32_t id)
{
	struct shim_request q = { .op = SHIM_UNREGISTER, .id = id };
	struct shim_reply a;

	if (id >= KMAD_AGENTS)
		return EINVAL;
	atomic_fetch_and(&d->own->agents, ~(1u << id));
	atomic_fetch_and(&d->own->rmpp, ~(1u << id));
	return -request(d, &q, &a);
}
