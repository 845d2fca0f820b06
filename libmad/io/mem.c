/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mem.c - the back end in memory: two ends in one process, for scenarios without a device.
 * Room: libmad/io.  Pure: no clock, no descriptor.
 *
 * Like the kernel, it overwrites the upper half of the TID of requests (so callers cannot rely on
 * 64 bits), refuses classes that were not added, and delivers to an end only what that end
 * registered: requests of its methods, and answers.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/io/io.h"
#include "util/xalloc.h"

struct mem_dgram {
	struct mem_dgram *next;
	struct dgram d;
};

struct mem_end {
	struct io io;                   /* first: the handle is the end */
	struct mem_end *peer;           /* NULL after the peer was closed */
	struct io_port port;
	bool added[256], is_sm;
	uint64_t methods[256][2];
	uint32_t receive_max[256];
	struct mem_dgram *first, *last;
	unsigned waiting;
};

static struct mem_end *
end_of(struct io *io)
{
	return (struct mem_end *)io;
}

static int
mem_port(struct io *io, struct io_port *p)
{
	*p = end_of(io)->port;
	return 0;
}

static int
mem_add_class(struct io *io, const struct io_class *c, char *why)
{
	struct mem_end *e = end_of(io);

	if (e->added[c->mgmt_class]) {
		if (why)
			snprintf(why, IO_WHY_BYTES, "class 0x%02x is registered already",
				c->mgmt_class);
		return -EEXIST;
	}
	e->added[c->mgmt_class] = true;
	e->methods[c->mgmt_class][0] = c->methods[0];
	e->methods[c->mgmt_class][1] = c->methods[1];
	e->receive_max[c->mgmt_class] = c->receive_max;
	return 0;
}

static bool
is_answer(uint8_t method)
{
	return method & METHOD_RESP || method == METHOD_TRAP_REPRESS;
}

static bool
end_accepts(const struct mem_end *e, const struct dgram *d)
{
	uint8_t c = dgram_class(d->mad), m = dgram_method(d->mad);

	if (!e->added[c])
		return false;
	return m & METHOD_RESP || e->methods[c][m / 64] >> (m % 64) & 1 || m == METHOD_TRAP_REPRESS;
}

static int
mem_send(struct io *io, struct dgram *d, int timeout_ms)
{
	struct mem_end *e = end_of(io), *to = e->peer;
	struct mem_dgram *m;

	(void)timeout_ms;
	if (!e->added[dgram_class(d->mad)] || (d->bytes > DGRAM_BYTES && !d->more))
		return -EINVAL;
	if (!to || !end_accepts(to, d))
		return 0;
	m = xmalloc(sizeof *m);
	m->next = NULL;
	m->d = *d;
	m->d.status = 0;
	if (d->bytes > DGRAM_BYTES && d->bytes > to->receive_max[dgram_class(d->mad)]) {
		m->d.status = EMSGSIZE;
		m->d.more = NULL;
		memcpy(m->d.mad, d->more, DGRAM_BYTES);
	} else {
		m->d.more = d->bytes > DGRAM_BYTES ? xmemdup(d->more, d->bytes) : NULL;
	}
	if (!is_answer(dgram_method(d->mad))) {
		wire_put32(m->d.mad + 8, dgram_class(d->mad) + 1u);
		if (m->d.more)
			memcpy(m->d.more + 8, m->d.mad + 8, 4);
	}
	/* The receiver sees the sender's address. */
	if (d->addr.lid != LID_PERMISSIVE)
		m->d.addr.lid = e->port.lid;
	if (to->last)
		to->last->next = m;
	else
		to->first = m;
	to->last = m;
	to->waiting++;
	return 0;
}

static int
mem_recv(struct io *io, struct dgram *d)
{
	struct mem_end *e = end_of(io);
	struct mem_dgram *m = e->first;

	if (!m)
		return 0;
	e->first = m->next;
	if (!e->first)
		e->last = NULL;
	e->waiting--;
	*d = m->d;
	free(m);
	return 1;
}

static int
mem_fd(struct io *io)
{
	(void)io;
	return -1;
}

/* There is no other thread, so nothing can arrive while waiting. */
static int
mem_wait(struct io *io, int timeout_ms)
{
	(void)timeout_ms;
	return io_mem_waiting(io) ? 0 : -ETIMEDOUT;
}

static int
mem_issm(struct io *io, bool on, char *why)
{
	(void)why;
	end_of(io)->is_sm = on;
	return 0;
}

static void
mem_close(struct io *io)
{
	struct mem_end *e = end_of(io);
	struct dgram d;

	while (mem_recv(io, &d) == 1)
		free(d.more);
	if (e->peer)
		e->peer->peer = NULL;
	free(e);
}

static const struct io_ops mem_ops = {
	.port = mem_port, .add_class = mem_add_class, .send = mem_send, .recv = mem_recv,
	.fd = mem_fd, .wait = mem_wait, .issm = mem_issm, .close = mem_close,
};

static struct mem_end *
end_new(const struct io_port *p)
{
	struct mem_end *e = xcalloc(1, sizeof *e);

	e->io.ops = &mem_ops;
	e->port = *p;
	return e;
}

void
io_mem_pair(
	struct io **a, const struct io_port *a_port, struct io **b, const struct io_port *b_port)
{
	struct mem_end *x = end_new(a_port), *y = end_new(b_port);

	x->peer = y;
	y->peer = x;
	*a = &x->io;
	*b = &y->io;
}

void
io_mem_set_port(struct io *end, const struct io_port *p)
{
	end_of(end)->port = *p;
}

unsigned
io_mem_waiting(const struct io *end)
{
	return ((const struct mem_end *)end)->waiting;
}

bool
io_mem_is_sm(const struct io *end)
{
	return ((const struct mem_end *)end)->is_sm;
}
