/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * data.c - what umad_send() and umad_recv() do: records into and out of the rings.
 * Room: sim/shim.
 *
 * The descriptor's promise: it is readable while a message is queued.  The doorbell rings once for each time the
 * ring was 'sleeping' when something came; it is silenced only where the ring was found empty, right before it is
 * set to sleep again and looked at once more.  Between the two no system call is made, however many MADs pass.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "sim/shim/shim.h"

#define SPIN_NS 2000            /* no longer than this before a thread sleeps */
#define FULL_NS 50000           /* then looks again for room in the ring */
#define EMPTY_LOOKS 3           /* a program that answers what it was sent looks so often before it waits again */
#define DEAD_NS 50000000        /* whoever waits for a device whose server is gone is told so after this */

/* ---- small things ---- */

static void
lock(pthread_mutex_t *m)
{
	if (pthread_mutex_lock(m) == EOWNERDEAD)        /* its owner died; the rings are whole between two calls */
		pthread_mutex_consistent(m);
}

/* Not send(): that is a cancellation point, and OpenSM cancels its receiver. */
static void
ring_bell(const struct device *d)
{
	int before = errno;

	(void)!syscall(SYS_sendto, d->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	errno = before;
}

/* Takes all bytes off the doorbell; false if the server is gone. */
static bool
silence(struct device *d)
{
	char bytes[64];
	int before = errno;
	bool alive = true;
	long n;

	do {
		n = syscall(SYS_recvfrom, d->fd, bytes, sizeof(bytes), MSG_DONTWAIT, NULL, NULL);
		if (n > 0)
			d->own->bells_heard += (uint32_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			alive = false;
	} while (n == (long)sizeof(bytes));
	errno = before;
	return alive;
}

static bool
is_dead(const struct device *d)
{
	int before = errno;
	char byte;
	long n = syscall(SYS_recvfrom, d->conn, &byte, 1, MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
	bool dead = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);

	errno = before;
	return dead;
}

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- out ---- */

/* What the kernel refuses at once, as far as it can be told from here: 0 or a negative errno. */
static int
write_check(const struct device *d, const struct ib_user_mad *u, size_t bytes)
{
	const uint8_t *mad = u->data;
	uint32_t bit = u->agent_id < KMAD_AGENTS ? 1u << u->agent_id : 0;
	bool rmpp;

	if (u->agent_id >= KMAD_AGENTS)
		return -EINVAL;
	if (!(atomic_load_explicit(&d->own->agents, memory_order_relaxed) & bit))
		return -EIO;            /* a number that could be an agent's */
	rmpp = (atomic_load_explicit(&d->own->rmpp, memory_order_relaxed) & bit) && (mad[26] & 1);
	if (bytes > (rmpp ? KMAD_MESSAGE_MAX : KMAD_MAD_BYTES))
		return -EINVAL;
	if (mad[1] != 0x81 || (mad[4] & 0x80))
		return 0;
	if (mad[7] > 63)
		return -EINVAL;
	if (bytes >= 36 && (mad[32] & mad[33]) != 0xff)
		return 0;               /* it starts by LID: the route begins at another node */
	return d->is_switch || !mad[7] || mad[6] || bytes < 130 || mad[129] == d->port ? 0 : -EINVAL;
}

static void
head_from_user(struct ring_head *h, const struct ib_user_mad *u, uint32_t bytes)
{
	const ib_mad_addr_t *a = &u->addr;

	*h = (struct ring_head){
		.bytes = bytes, .total = bytes, .agent = (uint8_t)u->agent_id,
		.timeout_ms = u->timeout_ms, .retries = u->retries,
		.addr = {
			.qpn = be32toh(a->qpn), .qkey = be32toh(a->qkey), .flow_label = be32toh(a->flow_label),
			.lid = be16toh(a->lid), .pkey_index = a->pkey_index, .sl = a->sl, .path_bits = a->path_bits,
			.grh = a->grh_present != 0, .gid_index = a->gid_index, .hop_limit = a->hop_limit,
			.traffic_class = a->traffic_class,
		},
	};
	memcpy(h->addr.gid, a->gid, sizeof(h->addr.gid));
}

/* Waits for room; false if the server is gone.  Other writers wait behind us, as their records follow ours. */
static bool
wait_for_room(struct device *d)
{
	struct timespec t = { 0, FULL_NS };
	int state;

	ring_publish(&d->own->tx);
	if (ring_wake_consumer(&d->own->tx))
		ring_bell(d);
	if (d->own->tx.broken || is_dead(d))
		return false;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	nanosleep(&t, NULL);
	pthread_setcancelstate(state, NULL);
	return true;
}

static bool
put(struct device *d, struct ring_head *h, const uint8_t *mad)
{
	uint32_t done = 0, total = h->total;

	do {
		h->bytes = total - done < RING_CHUNK ? total - done : RING_CHUNK;
		h->flags = total - done > RING_CHUNK ? RING_MORE : 0;
		while (!ring_put(&d->own->tx, h, mad + done))
			if (!wait_for_room(d))
				return false;
		done += h->bytes;
	} while (done < total);
	ring_publish(&d->own->tx);
	if (ring_wake_consumer(&d->own->tx))
		ring_bell(d);
	return true;
}

ssize_t
device_write(struct device *d, const void *umad, size_t bytes)
{
	const struct ib_user_mad *u = umad;
	struct ring_head h;
	bool ok;
	int r;

	if (bytes < sizeof(*u) + 36 || bytes > UINT32_MAX)
		return -EINVAL;
	r = write_check(d, u, bytes - sizeof(*u));
	if (r)
		return r;
	head_from_user(&h, u, (uint32_t)(bytes - sizeof(*u)));
	lock(&d->own->tx_lock);
	ok = put(d, &h, u->data);
	pthread_mutex_unlock(&d->own->tx_lock);
	return ok ? (ssize_t)bytes : -EIO;
}

/* ---- in (with the lock held) ---- */

/* Adds records of a long message to what is held. */
static bool
hold(struct device *d, const struct ring_head *h)
{
	struct ring_end *rx = &d->own->rx;

	if (d->held_bytes + h->bytes > d->held_room) {
		uint32_t room = h->total > d->held_bytes + h->bytes ? h->total : d->held_bytes + h->bytes;
		uint8_t *held = realloc(d->held, room);

		if (!held)
			return false;
		d->held = held;
		d->held_room = room;
	}
	ring_payload(rx, h, d->held + d->held_bytes, h->bytes);
	d->held_bytes += h->bytes;
	d->held_whole = !(h->flags & RING_MORE);
	d->held_head = *h;
	ring_drop(rx, h);
	ring_release(rx);
	return true;
}

/* True if a whole message is there: held, or (its head in '*h') in the ring. */
static bool
next_message(struct device *d, struct ring_head *h)
{
	while (!d->held_whole) {
		if (!ring_peek(&d->own->rx, h))
			return false;
		if (!d->held_bytes && !(h->flags & RING_MORE))
			return true;
		if (!hold(d, h))
			return false;
	}
	*h = d->held_head;
	h->bytes = d->held_bytes;
	return true;
}

static void
drop_message(struct device *d, const struct ring_head *h)
{
	if (!d->held_whole) {
		ring_drop(&d->own->rx, h);
		ring_release(&d->own->rx);
		return;
	}
	free(d->held);
	d->held = NULL;
	d->held_bytes = d->held_room = 0;
	d->held_whole = false;
}

static void
copy_message(struct device *d, const struct ring_head *h, void *to, uint32_t bytes)
{
	if (d->held_whole)
		memcpy(to, d->held, bytes);
	else
		ring_payload(&d->own->rx, h, to, bytes);
}

static void
head_to_user(struct ib_user_mad *u, const struct ring_head *h)
{
	u->agent_id = h->agent;
	u->status = h->status;
	u->timeout_ms = h->timeout_ms;
	u->retries = h->retries;
	u->length = (uint32_t)sizeof(*u) + h->bytes;
	u->addr = (ib_mad_addr_t){
		.qpn = htobe32(h->addr.qpn), .qkey = htobe32(h->addr.qkey), .lid = htobe16(h->addr.lid),
		.sl = h->addr.sl, .path_bits = h->addr.path_bits, .grh_present = h->addr.grh,
		.gid_index = h->addr.gid_index, .hop_limit = h->addr.hop_limit,
		.traffic_class = h->addr.traffic_class, .flow_label = htobe32(h->addr.flow_label),
		.pkey_index = h->addr.pkey_index,
	};
	memcpy(u->addr.gid, h->addr.gid, sizeof(u->addr.gid));
}

static bool
is_asleep(const struct device *d)
{
	return atomic_load_explicit(&d->memory->rx.sleeping, memory_order_relaxed);
}

/* A program that waits with epoll must not sleep while messages are left, even if no bell is on its way. */
static void
keep_promise(struct device *d)
{
	if (atomic_load_explicit(&d->own->exposed, memory_order_relaxed) && is_asleep(d) &&
		(d->held_whole || ring_waiting(&d->own->rx)))
		ring_bell(d);           /* the server looks at our ring and rings back */
}

/*
 * The ring is empty: silences the doorbell, asks for it again, looks once more.  1: a message has come; 0: none;
 * -EIO: the server is gone.  What no bell is due from is not looked at, unless nothing was there EMPTY_LOOKS times in a
 * row: then the descriptor may be readable for another reason, the end of the server.
 */
static int
arm(struct device *d)
{
	struct device_shared *own = d->own;
	struct ring_head h;
	bool alive = true;

	if (!is_asleep(d))
		own->bells_due++;
	if (own->bells_due != own->bells_heard || own->empty_looks >= EMPTY_LOOKS)
		alive = silence(d);
	ring_sleep(&own->rx);
	if (ring_wake_producer(&own->rx))
		ring_bell(d);
	if (next_message(d, &h)) {
		own->empty_looks = 0;
		return 1;
	}
	if (own->empty_looks < EMPTY_LOOKS)
		own->empty_looks++;
	return alive && !own->rx.broken ? 0 : -EIO;
}

/*
 * A program that waits with epoll, and takes messages until there is none, is told so once before its doorbell is silenced: most
 * often it looks again, as it has answered meanwhile what it took, and finds more.  If it waits instead it finds the
 * descriptor readable, looks, and then there is silence.  It is known by having looked in vain.
 */
static bool
looks_again(struct device *d)
{
	struct device_shared *own = d->own;

	if (!atomic_load_explicit(&own->exposed, memory_order_relaxed) || is_asleep(d) || own->empty_looks)
		return false;
	own->drains = true;
	own->empty_looks++;
	return true;
}

/* After a message was taken: the descriptor of a program that waits for it is readable for the next, or not at all. */
static void
settle(struct device *d)
{
	struct ring_head h;

	d->own->empty_looks = 0;
	if (!atomic_load_explicit(&d->own->exposed, memory_order_relaxed) || (d->own->drains && !is_asleep(d)))
		return;
	if (!is_asleep(d) && !next_message(d, &h))
		arm(d);
	keep_promise(d);
}

static ssize_t
take(struct device *d, struct ib_user_mad *u, size_t room)
{
	struct ring_head h;
	uint32_t first;

	if (!next_message(d, &h))
		return -EAGAIN;
	first = h.bytes < KMAD_MAD_BYTES ? h.bytes : KMAD_MAD_BYTES;
	if (room < sizeof(*u) + first)
		return -EINVAL;
	head_to_user(u, &h);
	if (room < sizeof(*u) + h.bytes) {
		keep_promise(d);
		copy_message(d, &h, u->data, first);
		return -ENOSPC;
	}
	copy_message(d, &h, u->data, h.bytes);
	drop_message(d, &h);
	settle(d);
	return (ssize_t)(sizeof(*u) + h.bytes);
}

static void
relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static bool
spin(struct device *d)
{
	struct ring_head h;
	int64_t until = 0;

	for (unsigned i = 0;; i++) {
		if (next_message(d, &h))
			return true;
		relax();
		if (i % 16)
			continue;
		if (!until)
			until = now_ns() + SPIN_NS;
		else if (now_ns() >= until)
			return false;
	}
}

int
device_ready(struct device *d, bool may_spin)
{
	struct ring_head h;
	int r;

	lock(&d->own->rx_lock);
	r = next_message(d, &h) || (may_spin && spin(d)) ? 1 : arm(d);
	if (r > 0)
		keep_promise(d);
	pthread_mutex_unlock(&d->own->rx_lock);
	return r;
}

ssize_t
device_read(struct device *d, void *umad, size_t room, enum read_mode mode)
{
	ssize_t n;
	int r;

	if (room < sizeof(struct ib_user_mad))
		return -EINVAL;
	lock(&d->own->rx_lock);
	n = take(d, umad, room);
	if (n == -EAGAIN && !(mode == READ_NOW && looks_again(d))) {
		r = mode == READ_SPIN ? spin(d) : arm(d);
		if (r)
			n = r < 0 ? r : take(d, umad, room);
	}
	pthread_mutex_unlock(&d->own->rx_lock);
	return n;
}

/* What is left of 'timeout_ms' until 'until'. */
static int
left_ms(int timeout_ms, int64_t until)
{
	int64_t ns = until - now_ns();

	if (timeout_ms <= 0)
		return timeout_ms;
	return ns > 0 ? (int)((ns + 999999) / 1000000) : 0;
}

/* Programs there are that ask a dead device again and again, with a line of log each time. */
static void
pause_dead(int timeout_ms)
{
	struct timespec t = { 0, DEAD_NS };
	int before = errno;

	if (timeout_ms < 0 || (int64_t)timeout_ms * 1000000 >= DEAD_NS)
		nanosleep(&t, NULL);
	errno = before;
}

int
device_wait(int fd, int timeout_ms)
{
	int64_t until = timeout_ms > 0 ? now_ns() + (int64_t)timeout_ms * 1000000 : 0;
	bool last = false;

	for (;;) {
		struct device *d = device_get(fd);
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int r;

		if (!d)
			return -EIO;
		r = device_ready(d, timeout_ms != 0);
		device_put(d);          /* no reference while we sleep: a cancelled thread must not keep it */
		if (r < 0)
			pause_dead(timeout_ms);
		if (r)
			return r < 0 ? r : 0;
		if (last)
			return -ETIMEDOUT;
		r = real()->poll(&p, 1, left_ms(timeout_ms, until));
		if (r < 0)
			return -EIO;
		last = r == 0;
	}
}
