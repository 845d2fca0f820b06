/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * data.c - umad_send() and umad_recv(): writes records to the rings and reads them.
 * Room: sim/shim.
 *
 * A program may wait for the descriptor of a device with poll(), so the descriptor must be readable
 * while a message is queued.  The descriptor is the program's end of the doorbell, a socket: it is
 * readable while it holds bytes.  The shim sets the ring's flag 'sleeping' when it finds the ring
 * empty.  When the server writes a message and finds the flag set, it clears the flag and sends one
 * byte.  The shim counts these bytes (bells_due) and those that it has read (bells_heard).
 *
 * Invariants: while the flag is clear, the descriptor holds at least one byte, or the server is
 * about to send one.  While the flag is set, the server sees it with the next message that it
 * writes.  The shim therefore sets the flag only while the descriptor holds a byte, and then checks
 * the ring again.  If the ring is still empty, it reads the bytes of earlier sleeps.  If the ring
 * has a message, it clears the flag, unless the server was faster, and leaves the byte unread.
 * While messages arrive without a pause, neither side needs a system call.
 *
 * The flags of a ring are in sim/ring/ring.h, the locks of a device in device.c.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libmad/mad/dgram.h"
#include "sim/shim/shim.h"

#define SPIN_NS 2000            /* maximum time of polling before a thread sleeps */
#define FULL_NS 50000           /* pause before the next check for room in a full ring */
/* reads that find no message, in a row, before the shim checks whether the server is gone */
#define EMPTY_LOOKS 3
#define BELLS_MOST 16           /* maximum number of unread bytes on the doorbell */
/* minimum time between two checks for the server, while no message arrives */
#define LOOK_NS 1000000
/* delay of the error for a program that waits for a device whose server is gone */
#define DEAD_NS 50000000

/* ---- doorbell ---- */

/* Sends a byte to the server.  Not by send(): that is a cancellation point, and OpenSM cancels its
 * receiving thread. */
static void
ring_bell(const struct device *d)
{
	int before = errno;

	(void)!syscall(SYS_sendto, d->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	errno = before;
}

/* Reads up to 'most' bytes of the doorbell.  Returns how many there were. */
static uint32_t
silence(struct device *d, uint32_t most)
{
	char bytes[64];
	int before = errno;
	long n = syscall(SYS_recvfrom, d->fd, bytes, most < sizeof(bytes) ? most : sizeof(bytes),
		MSG_DONTWAIT, NULL, NULL);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		d->dead = true;
	errno = before;
	return n > 0 ? (uint32_t)n : 0;
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

/* ---- sending ---- */

/* Makes the checks that the kernel makes in write(2), as far as the shim has the data for them.
 * Returns 0 or a negative errno. */
static int
write_check(const struct device *d, const struct ib_user_mad *u, size_t umad_bytes)
{
	size_t bytes = umad_bytes - sizeof(*u);
	const uint8_t *mad = u->data;
	uint32_t bit;
	bool rmpp;

	if (umad_bytes < sizeof(*u) + 36 || umad_bytes > UINT32_MAX ||
	    u->agent_id >= MESSAGE_AGENTS)
		return -EINVAL;
	bit = 1u << u->agent_id;
	if (!(atomic_load_explicit(&d->own->agents, memory_order_relaxed) & bit))
		return -EIO;            /* a valid number, but no registered agent */
	rmpp = (atomic_load_explicit(&d->own->rmpp, memory_order_relaxed) & bit) &&
		dgram_rmpp_active(mad);
	if (bytes > (rmpp ? MESSAGE_BYTES_MAX : MESSAGE_MAD_BYTES))
		return -EINVAL;
	if (dgram_class(mad) != CLASS_SM_DR || dgram_direction(mad))
		return 0;
	if (dgram_hop_count(mad) > DGRAM_HOPS_MAX)
		return -EINVAL;
	if (bytes >= DGRAM_HEAD_BYTES + 12 && dgram_dr_slid(mad) != LID_PERMISSIVE)
		return 0;               /* the SMP is first routed by LID, to another node */
	return d->is_switch || !dgram_hop_count(mad) || dgram_hop_ptr(mad) ||
		bytes < DGRAM_INITIAL_PATH_AT + 2 ||
		dgram_initial_hops(mad)[1] == d->port ? 0 : -EINVAL;
}

static void
head_from_user(struct ring_head *h, const struct ib_user_mad *u, uint32_t bytes, uint32_t total,
	uint8_t flags)
{
	const ib_mad_addr_t *a = &u->addr;

	*h = (struct ring_head){
		.bytes = bytes, .total = total, .flags = flags, .agent = (uint8_t)u->agent_id,
		.timeout_ms = u->timeout_ms, .retries = u->retries,
		.addr = {
			.qpn = wire_order32(a->qpn), .qkey = wire_order32(a->qkey),
				.flow_label = wire_order32(a->flow_label),
			.lid = wire_order16(a->lid), .pkey_index = a->pkey_index, .sl = a->sl,
			.path_bits = a->path_bits,
			.grh = a->grh_present, .gid_index = a->gid_index, .hop_limit = a->hop_limit,
			.traffic_class = a->traffic_class,
		},
	};
	memcpy(h->addr.gid, a->gid, sizeof(h->addr.gid));
}

/* Pauses because the ring is full.  Returns false if the server is gone or the device is closed. */
RING_SELDOM static bool
wait_for_room(struct device *d)
{
	struct timespec t = { 0, FULL_NS };
	int state;

	ring_publish(&d->own->tx);
	if (ring_wake_consumer(&d->own->tx))
		ring_bell(d);
	if (d->own->tx.broken || is_dead(d) || (atomic_load(&d->dir[DIRECTION_OUT].gate) & GATE_CLOSED))
		return false;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	nanosleep(&t, NULL);
	pthread_setcancelstate(state, NULL);
	return true;
}

/* Writes a message that needs several records, or has to wait for room.  The caller holds the
 * direction, so records of other threads cannot come between. */
RING_SELDOM static bool
put_slowly(struct device *d, const struct ib_user_mad *u, uint32_t total)
{
	struct ring_end *tx = &d->own->tx;
	uint32_t done = 0;

	do {
		uint32_t left = total - done, bytes = left < RING_CHUNK ? left : RING_CHUNK;
		struct ring_head *h;

		while (!(h = ring_room(tx, bytes)))
			if (!wait_for_room(d))
				return false;
		head_from_user(h, u, bytes, total, left > RING_CHUNK ? RING_MORE : 0);
		memcpy(h + 1, u->data + done, bytes);
		ring_push(tx, bytes);
		done += bytes;
	} while (done < total);
	return true;
}

static ssize_t
message_put(struct device *d, const struct ib_user_mad *u, size_t bytes)
{
	struct ring_end *tx = &d->own->tx;
	uint32_t total = (uint32_t)(bytes - sizeof(*u));
	struct ring_head *h = total <= RING_CHUNK ? ring_room(tx, total) : NULL;

	if (h) {
		head_from_user(h, u, total, total, 0);
		memcpy(h + 1, u->data, total);
		ring_push(tx, total);
	} else if (!put_slowly(d, u, total)) {
		return -EIO;
	}
	ring_publish(tx);
	if (ring_wake_consumer(tx))
		ring_bell(d);
	return (ssize_t)bytes;
}

ssize_t
device_write(int fd, const void *umad, size_t bytes)
{
	struct device *d = device_enter(fd, DIRECTION_OUT);
	ssize_t n;

	if (!d)
		return -EBADF;
	n = write_check(d, umad, bytes);
	if (!n)
		n = message_put(d, umad, bytes);
	device_leave(d, DIRECTION_OUT);
	return n;
}

/* ---- receiving; the caller holds DIRECTION_IN ---- */

/* Adds a record to the long message that is being collected.  Returns false without memory. */
static bool
device_hold(struct device *d, const struct ring_head *h)
{
	struct ring_end *rx = &d->own->rx;

	if (d->held_bytes + h->bytes > d->held_room) {
		uint32_t room = h->total > d->held_bytes + h->bytes ? h->total :
			d->held_bytes + h->bytes;
		uint8_t *held = realloc(d->held, room);

		if (!held)
			return false;
		d->held = held;
		d->held_room = room;
	}
	ring_payload(rx, h, d->held + d->held_bytes, h->bytes);
	d->held_bytes += h->bytes;
	d->holds = true;
	d->held_whole = !(h->flags & RING_MORE);
	d->held_head = *h;
	ring_drop(rx, h);
	ring_release(rx);
	return true;
}

/* next_message() for a message of several records. */
RING_SELDOM static bool
next_long_message(struct device *d, struct ring_head *h)
{
	while (!d->held_whole)
		if (!ring_peek(&d->own->rx, h) || !device_hold(d, h))
			return false;
	*h = d->held_head;
	h->bytes = d->held_bytes;
	return true;
}

/* Returns true if a complete message is collected or in the ring, and stores its head in '*h'. */
static inline bool
next_message(struct device *d, struct ring_head *h)
{
	if (d->holds)
		return next_long_message(d, h);
	return ring_peek(&d->own->rx, h) && (!(h->flags & RING_MORE) || next_long_message(d, h));
}

RING_SELDOM static void
take_held(struct device *d, void *to)
{
	memcpy(to, d->held, d->held_bytes);
	free(d->held);
	d->held = NULL;
	d->held_bytes = d->held_room = 0;
	d->holds = d->held_whole = false;
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
		.qpn = wire_order32(h->addr.qpn), .qkey = wire_order32(h->addr.qkey),
			.lid = wire_order16(h->addr.lid),
		.sl = h->addr.sl, .path_bits = h->addr.path_bits, .grh_present = h->addr.grh,
		.gid_index = h->addr.gid_index, .hop_limit = h->addr.hop_limit,
		.traffic_class = h->addr.traffic_class,
		.flow_label = wire_order32(h->addr.flow_label),
		.pkey_index = h->addr.pkey_index,
	};
	memcpy(u->addr.gid, h->addr.gid, sizeof(u->addr.gid));
}

static bool
is_asleep(const struct device *d)
{
	return ring_sleeps(&d->own->rx);
}

/* Returns the number of bytes that the doorbell holds or will hold for earlier sleeps; the byte for
 * the present sleep is not counted. */
static uint32_t
bells_take(const struct device *d)
{
	return d->own->bells_due - d->own->bells_heard;
}

/* Resets the counters.  Afterwards the descriptor becomes readable for messages that are in the
 * ring and for new ones. */
static void
count_anew(struct device *d)
{
	struct device_shared *own = d->own;

	while (silence(d, UINT32_MAX) == 64)
		;
	own->bells_due = own->bells_heard = 0;
	own->silent_awake = false;
	ring_sleep(&own->rx);
	/* the server checks the ring, and sends a byte for the flag that was just set */
	ring_bell(d);
}

/* The rings are consistent at any time; only a byte of the doorbell may be missing, in one or the
 * other direction. */
void
device_recover(struct device *d, enum direction w)
{
	if (w == DIRECTION_IN)
		count_anew(d);
	else
		ring_bell(d);
}

/*
 * Checks whether the server is gone, at most once per LOOK_NS.  Called when the program reads
 * repeatedly and finds nothing: the descriptor may be readable because the server closed its end.
 */
static void
look_for_server(struct device *d)
{
	struct timespec t;
	int64_t now;
	int before = errno;
	char byte;
	long n;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	if (now - d->looked_ns < LOOK_NS)
		return;
	d->looked_ns = now;
	n = syscall(SYS_recvfrom, d->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		d->dead = true;
	else if (n > 0 && is_asleep(d))
		/* the server clears the flag before it sends: this byte was not counted */
		count_anew(d);
	errno = before;
}

/* Sets the flag 'sleeping' and checks the ring again.  Returns true if a message has arrived; the
 * ring is then awake. */
static bool
fall_asleep(struct device *d)
{
	struct device_shared *own = d->own;
	struct ring_head h;

	own->bells_due += !own->silent_awake;
	own->silent_awake = false;
	if (bells_take(d) > BELLS_MOST)
		own->bells_heard += silence(d, bells_take(d) - 1);
	ring_sleep(&own->rx);
	if (next_message(d, &h)) {
		own->silent_awake = ring_sleep_not(&own->rx);
		return true;
	}
	if (ring_wake_producer(&own->rx))
		ring_bell(d);
	return false;
}

/*
 * Requests a doorbell byte for the next message, and reads the bytes of earlier ones.  Called when
 * the ring is empty.  Returns 1 if a message has arrived meanwhile, 0 if not, or -EIO if the server
 * is gone.
 */
static int
bell_arm(struct device *d)
{
	struct device_shared *own = d->own;

	if (!is_asleep(d) && fall_asleep(d)) {
		own->empty_looks = 0;
		return 1;
	}
	if (bells_take(d))
		own->bells_heard += silence(d, bells_take(d));
	else if (own->empty_looks >= EMPTY_LOOKS)
		look_for_server(d);
	if (own->empty_looks < EMPTY_LOOKS)
		own->empty_looks++;
	return d->dead || own->rx.broken ? -EIO : 0;
}

/*
 * Returns true if a read that finds no message leaves the doorbell readable.  This saves system
 * calls for a program that waits with epoll and reads until no message is left: usually it reads
 * again after it has answered, and finds more messages.  If it waits instead, the descriptor is
 * readable, the program reads once more, and only then the shim reads the bytes of the doorbell.
 * Such a program is recognized by a read without result after one with a result.  A program with
 * EPOLLET is excluded: epoll would not report a byte that is there already.
 */
static bool
looks_again(struct device *d)
{
	struct device_shared *own = d->own;

	if (!own->exposed || own->edge || own->empty_looks)
		return false;
	own->drains = true;
	if (is_asleep(d))
		return false;
	own->empty_looks++;
	return true;
}

/* For a program that reads one message each time its descriptor is readable: after the last
 * message the descriptor must not be readable any more. */
RING_SELDOM static void
arm_if_empty(struct device *d)
{
	struct ring_head h;

	if (!is_asleep(d) && !next_message(d, &h))
		bell_arm(d);
	d->own->empty_looks = 0;        /* this was not a read of the program */
}

/* Updates the state of the doorbell after a message was read. */
static inline void
settle(struct device *d)
{
	d->own->empty_looks = 0;
	if (d->own->exposed && !d->own->drains)
		arm_if_empty(d);
}

/* Copies only the first part of a message that is larger than the buffer.  Returns -ENOSPC, or
 * -EINVAL if not even this part fits. */
RING_SELDOM static ssize_t
take_first(struct device *d, const struct ring_head *h, struct ib_user_mad *u, size_t room)
{
	uint32_t first = h->bytes < MESSAGE_MAD_BYTES ? h->bytes : MESSAGE_MAD_BYTES;

	if (room < sizeof(*u) + first)
		return -EINVAL;
	head_to_user(u, h);
	if (d->holds)
		memcpy(u->data, d->held, first);
	else
		ring_payload(&d->own->rx, h, u->data, first);
	return -ENOSPC;
}

static inline ssize_t
message_take(struct device *d, struct ib_user_mad *u, size_t room)
{
	struct ring_end *rx = &d->own->rx;
	struct ring_head h;

	if (!next_message(d, &h))
		return -EAGAIN;
	if (room < sizeof(*u) + h.bytes)
		return take_first(d, &h, u, room);
	head_to_user(u, &h);
	if (d->holds) {
		take_held(d, u->data);
	} else {
		ring_payload(rx, &h, u->data, h.bytes);
		ring_drop(rx, &h);
		ring_release(rx);
	}
	settle(d);
	return (ssize_t)(sizeof(*u) + h.bytes);
}

static bool
ring_spin(struct device *d)
{
	struct ring_head h;
	int64_t until = 0;

	for (unsigned i = 0;; i++) {
		if (next_message(d, &h))
			return true;
		shim_relax();
		if (i % 16)
			continue;
		if (!until)
			until = now_ns() + SPIN_NS;
		else if (now_ns() >= until)
			return false;
	}
}

static int
message_ready(struct device *d, bool may_spin)
{
	struct ring_head h;

	return next_message(d, &h) || (may_spin && ring_spin(d)) ? 1 : bell_arm(d);
}

int
device_ready(int fd, bool may_spin)
{
	struct device *d = device_enter(fd, DIRECTION_IN);
	int r;

	if (!d)
		return -EBADF;
	r = message_ready(d, may_spin);
	device_leave(d, DIRECTION_IN);
	return r;
}

int
device_expose(int fd)
{
	struct device *d = device_enter(fd, DIRECTION_IN);
	int r;

	if (!d)
		return -EBADF;
	d->own->exposed = true;
	r = message_ready(d, false);
	device_leave(d, DIRECTION_IN);
	return r;
}

void
device_edge(int fd)
{
	struct device *d = device_enter(fd, DIRECTION_IN);

	if (!d)
		return;
	d->own->edge = true;
	d->own->drains = false;
	device_leave(d, DIRECTION_IN);
}

/* Checks an empty ring again, according to 'mode'.  Returns 1 if a message has arrived, 0 if not,
 * or -EIO if the server is gone. */
RING_SELDOM static int
look_late(struct device *d, enum read_mode mode)
{
	if (mode == READ_SPIN)
		return ring_spin(d);
	return looks_again(d) ? 0 : bell_arm(d);
}

ssize_t
device_read(int fd, void *umad, size_t room, enum read_mode mode)
{
	struct device *d = device_enter(fd, DIRECTION_IN);
	ssize_t n = -EINVAL;
	int r = 1;

	if (!d)
		return -EBADF;
	while (r > 0 && room >= sizeof(struct ib_user_mad)) {
		n = message_take(d, umad, room);
		if (n != -EAGAIN)
			break;
		r = look_late(d, mode);
		if (r < 0)
			n = r;
	}
	device_leave(d, DIRECTION_IN);
	return n;
}

/* Returns the milliseconds until 'until'; a 'timeout_ms' of 0 or less is returned unchanged. */
static int
left_ms(int timeout_ms, int64_t until)
{
	int64_t ns = until - now_ns();

	if (timeout_ms <= 0)
		return timeout_ms;
	return ns > 0 ? (int)((ns + 999999) / 1000000) : 0;
}

/* Delays the error of a device without a server: some programs repeat the call in a loop, and log a
 * line each time. */
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
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int r = device_ready(fd, timeout_ms != 0);

		if (r == -EBADF)
			return -EIO;
		if (r < 0)
			pause_dead(timeout_ms);
		if (r)
			return r < 0 ? r : 0;
		if (last)
			return -ETIMEDOUT;
		r = real_libc()->poll(&p, 1, left_ms(timeout_ms, until));
		if (r < 0)
			return -EIO;
		last = r == 0;
	}
}
