/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * device.c - open devices, found by their descriptors, and their locks.
 * Room: sim/shim.
 *
 * An open device has a connection to the server, the shared memory with its two rings, and the
 * program's end of the doorbell.  The program uses the doorbell's descriptor as the descriptor of
 * the device; devices[] has the device of each descriptor.
 *
 * Locks: each direction of a device has a gate, a futex that one caller holds at a time.
 * device_close() closes both gates, and the memory is unmapped when the last reference is gone.  A
 * struct device is never freed but used again, so a thread may read one that another thread closes.
 * fork() duplicates a device: the fork handlers hold all gates during the fork, so that no
 * operation is incomplete in the child.  From then on every caller also takes the robust mutex of
 * the direction in the shared memory, which excludes the other process.
 *
 * data.c moves messages through the rings; sim/ring/proto.h has the requests.
 */
#include <config.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "sim/shim/shim.h"

#define SPINS 100               /* polls of a gate before a thread sleeps */
#define FORK_TRIES 1000         /* milliseconds that a fork waits for a gate */

_Atomic(struct device *) devices[DEVICE_FDS];
static struct device *spare, *all;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;    /* before gates and spare_lock */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

_Static_assert(sizeof(struct device_shared) <= sizeof(((struct shim_memory *)0)->program),
	"the struct fits into the shared memory");

static struct device *
device_new(void)
{
	struct device *d = aligned_alloc(_Alignof(struct device), sizeof(*d));

	if (!d)
		return NULL;
	memset(d, 0, sizeof(*d));
	for (enum direction w = 0; w < DIRECTIONS; w++)
		atomic_store(&d->dir[w].gate, GATE_CLOSED);
	pthread_mutex_lock(&all_lock);
	d->all_next = all;
	all = d;
	pthread_mutex_unlock(&all_lock);
	return d;
}

static struct device *
device_take(void)
{
	struct device *d;

	pthread_mutex_lock(&spare_lock);
	d = spare;
	if (d)
		spare = d->spare_next;
	pthread_mutex_unlock(&spare_lock);
	return d ? d : device_new();
}

static void
device_give(struct device *d)
{
	pthread_mutex_lock(&spare_lock);
	d->spare_next = spare;
	spare = d;
	pthread_mutex_unlock(&spare_lock);
}

/* ---- gates ---- */

static void
futex_call(_Atomic uint32_t *word, int op, uint32_t value)
{
	int before = errno;

	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
	errno = before;
}

bool
device_enter_late(struct device *d, enum direction w)
{
	_Atomic uint32_t *gate = &d->dir[w].gate;
	uint32_t take = GATE_HELD;

	for (unsigned i = 0;; i++) {
		uint32_t v = atomic_load_explicit(gate, memory_order_relaxed);

		if (v & GATE_CLOSED)
			return false;
		if (!(v & GATE_HELD)) {
			if (atomic_compare_exchange_strong_explicit(gate, &v, v | take,
			    memory_order_acquire, memory_order_relaxed))
				return true;
		} else if (i < SPINS) {
			shim_relax();
		} else if ((v & GATE_WAITED) || atomic_compare_exchange_strong(gate, &v,
		    v | GATE_WAITED)) {
			futex_call(gate, FUTEX_WAIT_PRIVATE, GATE_HELD | GATE_WAITED);
			/* other threads may still wait */
			take = GATE_HELD | GATE_WAITED;
		}
	}
}

static void
gate_leave(struct device *d, enum direction w)
{
	_Atomic uint32_t *gate = &d->dir[w].gate;
	uint32_t v = atomic_fetch_and(gate, ~(uint32_t)(GATE_HELD | GATE_WAITED));

	if (v & GATE_WAITED)
		futex_call(gate, FUTEX_WAKE_PRIVATE, v & GATE_CLOSED ? INT_MAX : 1);
	if (v & GATE_CLOSED)
		device_put(d);
}

/* Closes a gate: no thread enters any more, and a thread that holds it leaves it by
 * device_leave_more(). */
static void
gate_close(struct device *d, enum direction w)
{
	if (!(atomic_fetch_or(&d->dir[w].gate, GATE_CLOSED) & GATE_HELD))
		device_put(d);
}

bool
device_enter_more(struct device *d, int fd, enum direction w)
{
	if (d->fd != fd) {              /* it was closed, and opened again as another device */
		gate_leave(d, w);
		return false;
	}
	if (pthread_mutex_lock(&d->own->lock[w]) == EOWNERDEAD) {
		pthread_mutex_consistent(&d->own->lock[w]);
		device_recover(d, w);
	}
	return true;
}

void
device_leave_more(struct device *d, enum direction w)
{
	if (d->dir[w].shared)
		pthread_mutex_unlock(&d->own->lock[w]);
	gate_leave(d, w);
}

/* ---- forks ---- */

/* Enters a gate like device_enter().  Returns false if it is closed, or held for too long. */
static bool
gate_enter_soon(struct device *d, enum direction w)
{
	struct timespec t = { 0, 1000000 };
	bool entered = false;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	for (unsigned i = 0; i < FORK_TRIES && !entered; i++) {
		uint32_t v = 0;

		entered = atomic_compare_exchange_strong(&d->dir[w].gate, &v, GATE_HELD);
		if (!entered && (v & GATE_CLOSED))
			break;
		if (!entered)
			nanosleep(&t, NULL);
	}
	pthread_setcancelstate(state, NULL);
	return entered;
}

/* Enters all gates, so that no operation is incomplete when the process is duplicated.  From then
 * on, callers take the locks in the shared memory too. */
static void
before_fork(void)
{
	int before = errno;

	pthread_mutex_lock(&all_lock);
	for (struct device *d = all; d; d = d->all_next)
		for (enum direction w = 0; w < DIRECTIONS; w++)
			if (gate_enter_soon(d, w))
				d->dir[w].forking = d->dir[w].shared = true;
	pthread_mutex_lock(&spare_lock);
	errno = before;
}

static void
leave_forking(void)
{
	for (struct device *d = all; d; d = d->all_next)
		for (enum direction w = 0; w < DIRECTIONS; w++)
			if (d->dir[w].forking) {
				d->dir[w].forking = false;
				gate_leave(d, w);
			}
	pthread_mutex_unlock(&all_lock);
}

static void
after_fork_in_parent(void)
{
	pthread_mutex_unlock(&spare_lock);
	leave_forking();
}

/* Closes the gates that a thread of the parent still holds: that thread does not exist in the child
 * and would never leave them. */
static void
after_fork_in_child(void)
{
	pthread_mutex_unlock(&spare_lock);
	for (struct device *d = all; d; d = d->all_next)
		for (enum direction w = 0; w < DIRECTIONS; w++)
			if (!d->dir[w].forking && (atomic_load(&d->dir[w].gate) & GATE_HELD))
				atomic_store(&d->dir[w].gate, GATE_CLOSED);
	leave_forking();
}

static void
watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- open and close ---- */

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
	init_lock(&d->own->lock[DIRECTION_OUT]);
	init_lock(&d->own->lock[DIRECTION_IN]);
	init_lock(&d->own->request_lock);
	ring_end_init(&d->own->tx, &d->memory->tx);
	ring_end_init(&d->own->rx, &d->memory->rx);
	ring_sleep(&d->own->rx);
	d->own->empty_looks = 1;        /* no message was read yet */
}

static void
device_start(struct device *d, int fd)
{
	init_shared(d);
	d->fd = fd;
	d->dead = false;
	d->looked_ns = 0;
	atomic_store(&d->refs, 1 + DIRECTIONS);
	for (enum direction w = 0; w < DIRECTIONS; w++) {
		d->dir[w].shared = false;
		atomic_store(&d->dir[w].gate, 0);
	}
	atomic_store(&devices[fd], d);
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
	pthread_once(&fork_once, watch_forks);
	conn = conn_open();
	if (conn < 0)
		return conn;
	r = conn_request(conn, &q, &a, fds);
	if (r || fds[0] < 0)
		goto no_device;
	r = -EIO;
	memory = mmap(NULL, sizeof(struct shim_memory), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0],
		0);
	real_libc()->close(fds[0]);
	d = memory != MAP_FAILED && fds[1] < DEVICE_FDS ? device_take() : NULL;
	if (!d) {
		if (memory != MAP_FAILED)
			munmap(memory, sizeof(struct shim_memory));
		real_libc()->close(fds[1]);
		goto no_device;
	}
	d->conn = conn;
	d->port = port;
	d->is_switch = port == 0;
	d->memory = memory;
	device_start(d, fds[1]);
	return d->fd;
no_device:
	real_libc()->close(conn);
	return r == -ENODEV ? -EINVAL : -EIO;
}

bool
device_is(int fd)
{
	return device_find(fd) != NULL;
}

struct device *
device_get(int fd)
{
	struct device *d = device_find(fd);

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
	real_libc()->close(d->conn);
	real_libc()->close(d->fd);
	free(d->held);
	d->held = NULL;
	d->held_bytes = d->held_room = 0;
	d->holds = d->held_whole = false;
	device_give(d);
}

bool
device_close(int fd)
{
	struct device *d = fd >= 0 && fd < DEVICE_FDS ? atomic_exchange(&devices[fd], NULL) : NULL;

	if (!d)
		return false;
	for (enum direction w = 0; w < DIRECTIONS; w++)
		gate_close(d, w);
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

	if (id >= MESSAGE_AGENTS)
		return EINVAL;
	atomic_fetch_and(&d->own->agents, ~(1u << id));
	atomic_fetch_and(&d->own->rmpp, ~(1u << id));
	return -request(d, &q, &a);
}
