/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attach.c - serves programs: connections of the shim, open devices, and their rings.
 * Room: sim/serve.
 *
 * A program with the shim (sim/shim) opens a connection and sends requests (sim/ring/proto.h).
 * SHIM_OPEN makes the connection an open device (struct attach): a kmad file, and shared memory
 * with a ring for each direction.  loop.c polls the rings and calls attach_serve(), which passes
 * messages from the program to sim/kmad; attach_flush() passes messages of the kmad file to the
 * program.
 *
 * Invariants: a program is not trusted.  The server copies data before it checks them, closes the
 * connection of a program that writes invalid data, and never waits for a program.  The memory for
 * incomplete messages is limited in total (PART_TOTAL).
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>
#include "libmad/attr/sm_attr.h"
#include "sim/serve/server.h"
#include "sim/serve/vca.h"
#include "util/xalloc.h"

/* Limit of all memory for messages of which not all records have arrived: eight of the longest. */
#define PART_TOTAL (UINT64_C(8) * MESSAGE_BYTES_MAX)

/* ---- rings ---- */

static void
ring_bell(struct attach *a)
{
	a->client->server->doorbells++;
	(void)!send(a->bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Writes the remaining records of 'm' to the ring.  Returns true if the message is complete. */
static bool
put_message(struct attach *a, const struct kmad_message *m)
{
	const uint8_t *data = kmad_message_data(m);
	struct ring_head h = {
		.total = m->bytes, .agent = (uint8_t)m->head.agent,
			.status = (uint16_t)m->head.status,
		.timeout_ms = m->head.timeout_ms, .retries = m->head.retries, .addr = m->head.addr,
	};

	do {
		uint32_t left = m->bytes - a->sent;

		h.bytes = left < RING_CHUNK ? left : RING_CHUNK;
		h.flags = left > RING_CHUNK ? RING_MORE : 0;
		if (!ring_put(&a->rx, &h, data + a->sent))
			return false;
		a->sent += h.bytes;
	} while (a->sent < m->bytes);
	a->sent = 0;
	return true;
}

void
attach_flush(struct attach *a)
{
	struct kmad *k = a->client->server->kmad;
	const struct kmad_message *m;
	bool starved = false;

	while ((m = kmad_peek(a->file))) {
		if (put_message(a, m)) {
			kmad_drop(k, a->file);
			continue;
		}
		if (starved || a->rx.broken)
			break;
		ring_starve(&a->rx);
		starved = true;
	}
	a->backlogged = m != NULL;
	ring_publish(&a->rx);
	if (ring_wake_consumer(&a->rx))
		ring_bell(a);
	if (a->rx.broken)
		/* the event loop then closes the client; here its file is still in use */
		shutdown(a->client->fd, SHUT_RDWR);
}

/*
 * Adds a record to a message of several records.  The memory grows with the bytes that arrive, not
 * with the announced total.  Returns false if the message exceeds a limit.
 */
static bool
part_add(struct attach *a, const struct ring_head *h)
{
	struct server *s = a->client->server;
	uint32_t room = a->part_room;

	if (h->bytes > MESSAGE_BYTES_MAX - a->part_bytes)
		return false;
	if (a->part_bytes + h->bytes > room)
		room = 2 * (a->part_bytes + h->bytes);
	if (room > MESSAGE_BYTES_MAX)
		room = MESSAGE_BYTES_MAX;
	if (s->part_bytes - a->part_room + room > PART_TOTAL)
		return false;
	if (room > a->part_room) {
		a->part = xrealloc(a->part, room);
		s->part_bytes += room - a->part_room;
		a->part_room = room;
	}
	ring_payload(&a->tx, h, a->part + a->part_bytes, h->bytes);
	a->part_bytes += h->bytes;
	return true;
}

static void
part_clear(struct attach *a)
{
	a->client->server->part_bytes -= a->part_room;
	free(a->part);
	a->part = NULL;
	a->part_bytes = a->part_room = 0;
}

static void
take_record(struct attach *a, const struct ring_head *h, struct monotime now)
{
	struct server *s = a->client->server;
	struct kmad_head head = {
		.agent = h->agent, .timeout_ms = h->timeout_ms, .retries = h->retries,
			.addr = h->addr,
	};
	uint8_t mad[MESSAGE_MAD_BYTES];

	s->packets_in++;
	if (!a->part_bytes && !a->part_skip && !(h->flags & RING_MORE) && h->bytes <= sizeof(mad)) {
		ring_payload(&a->tx, h, mad, h->bytes);
		ring_drop(&a->tx, h);
		kmad_write(s->kmad, a->file, &head, mad, h->bytes, now);
		return;
	}
	if (!a->part_skip && !part_add(a, h)) {         /* drop the message, keep the program */
		a->part_skip = true;
		part_clear(a);
		s->dropped++;
	}
	ring_drop(&a->tx, h);
	if (h->flags & RING_MORE)
		return;
	if (a->part_skip) {
		a->part_skip = false;
		return;
	}
	kmad_write(s->kmad, a->file, &head, a->part, a->part_bytes, now);
	part_clear(a);
}

/* Takes up to 'most' records.  Returns their number. */
static unsigned
take_records(struct attach *a, unsigned most, struct monotime now)
{
	struct ring_head h;
	unsigned n = 0;

	while (n < most && ring_peek(&a->tx, &h)) {
		take_record(a, &h, now);
		n++;
	}
	if (n)
		ring_release(&a->tx);
	return n;
}

bool
attach_serve(struct attach *a, unsigned most, struct monotime now)
{
	bool some = take_records(a, most, now) > 0;

	if (a->tx.broken) {
		client_close(a->client);
		return true;
	}
	return some;
}

/* ---- connections ---- */

static void
attach_free(struct attach *a)
{
	struct server *s = a->client->server;

	DL_DELETE(s->attaches, a);
	sd_event_source_disable_unref(a->bell_source);
	close(a->bell);
	kmad_close(s->kmad, a->file);
	munmap(a->memory, sizeof(*a->memory));
	part_clear(a);
	free(a);
}

void
client_close(struct client *c)
{
	struct server *s = c->server;

	DL_DELETE(s->clients, c);
	if (c->attach)
		attach_free(c->attach);
	if (c->issm)
		kmad_issm_close(s->kmad, c->node, c->port, server_now());
	sd_event_source_disable_unref(c->source);
	close(c->fd);
	free(c);
}

void
attach_close_all(struct server *s)
{
	while (s->clients)
		client_close(s->clients);
	if (s->umad_fd >= 0)
		close(s->umad_fd);
	s->umad_fd = -1;
}

/* Handles a byte on the doorbell.  The event loop is now awake and polls the rings anyway.  The
 * program may also request a byte for messages that are left in its ring: attach_flush() sends
 * it. */
static int
on_bell(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct attach *a = arg;
	char bytes[64];
	ssize_t n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	(void)source;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
	    (events & (EPOLLHUP | EPOLLERR)))
		client_close(a->client);
	else
		attach_flush(a);
	return 0;
}

static int
make_memory(struct shim_memory **memory)
{
	int fd = memfd_create("heddle-sim", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, sizeof(struct shim_memory)) ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		goto fail;
	*memory = mmap(NULL, sizeof(struct shim_memory), PROT_READ | PROT_WRITE, MAP_SHARED |
		MAP_POPULATE, fd, 0);
	if (*memory == MAP_FAILED)
		goto fail;
	return fd;
fail:
	close(fd);
	return -ENOMEM;
}

/* Opens a device for 'c'.  Returns 0 and the two descriptors for the program. */
static int
attach_new(struct client *c, const struct shim_request *q, int fds[2])
{
	struct server *s = c->server;
	struct kmad_file *file;
	struct attach *a;
	struct shim_memory *memory = NULL;
	int bells[2], memory_fd, r;

	if (c->attach || c->issm)
		return -EINVAL;
	memory_fd = make_memory(&memory);
	if (memory_fd < 0)
		return memory_fd;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, bells)) {
		r = -errno;
		goto no_bells;
	}
	a = xcalloc(1, sizeof(*a));
	file = kmad_open(s->kmad, q->node, q->port, a);
	r = file ? sd_event_add_io(s->event, &a->bell_source, bells[0], EPOLLIN, on_bell, a) :
		-ENODEV;
	if (r < 0)
		goto no_source;
	a->client = c;
	a->file = file;
	a->memory = memory;
	a->bell = bells[0];
	ring_end_init(&a->tx, &memory->tx);
	ring_end_init(&a->rx, &memory->rx);
	DL_PREPEND(s->attaches, a);
	c->attach = a;
	c->node = q->node;
	c->port = q->port;
	fds[0] = memory_fd;
	fds[1] = bells[1];
	return 0;
no_source:
	kmad_close(s->kmad, file);
	free(a);
	close(bells[0]);
	close(bells[1]);
no_bells:
	munmap(memory, sizeof(*memory));
	close(memory_fd);
	return r;
}

/* ---- requests ---- */

static int
answer_ca(struct server *s, const struct shim_request *q, struct shim_ca *ca)
{
	const struct topo_node *t;
	struct hw_port_view v;
	struct node_info ni;

	if (q->node >= hw_nodes(s->hw))
		return -ENODEV;
	t = hw_node_topo(s->hw, q->node);
	if (hw_port_view(s->hw, q->node, t->type == TOPO_SWITCH ? 0 : 1, &v))
		return -ENODEV;
	ni = node_info_decode(v.node_info);
	*ca = (struct shim_ca){
		.node_type = ni.node_type, .nports = ni.num_ports, .node_guid = ni.node_guid,
		.sys_guid = ni.sys_guid, .revision = ni.revision, .device_id = ni.device_id,
	};
	return 0;
}

static int
answer_port(struct server *s, const struct shim_request *q, struct shim_port *p)
{
	struct hw_port_view v;

	if (q->node >= hw_nodes(s->hw) || hw_port_view(s->hw, q->node, q->port, &v))
		return -ENODEV;
	if ((hw_node_topo(s->hw, q->node)->type == TOPO_SWITCH) != (q->port == 0))
		return -ENODEV;
	memcpy(p->info, v.info, sizeof(p->info));
	p->guid = v.guid;
	p->npkeys = v.npkeys < SHIM_PKEYS ? v.npkeys : SHIM_PKEYS;
	memcpy(p->pkeys, v.pkeys, sizeof(p->pkeys));
	return 0;
}

static int
answer_register(struct client *c, const struct shim_request *q, uint32_t *id)
{
	struct kmad_reg r = {
		.mgmt_class = q->mgmt_class, .class_version = q->class_version,
			.rmpp_version = q->rmpp_version,
		.qpn = q->qpn, .user_rmpp = q->user_rmpp != 0, .oui = q->oui,
		.methods = { q->methods[0], q->methods[1] },
	};

	return c->attach ? kmad_register(c->server->kmad, c->attach->file, &r, id) : -EBADF;
}

static int
answer_unregister(struct client *c, const struct shim_request *q)
{
	if (!c->attach)
		return -EBADF;
	/* first take the messages that the program sent before this request */
	take_records(c->attach, RING_BYTES / sizeof(struct ring_head), server_now());
	return kmad_unregister(c->server->kmad, c->attach->file, q->id);
}

static int
answer_issm(struct client *c, const struct shim_request *q)
{
	int r;

	if (c->attach || c->issm)
		return -EINVAL;
	r = kmad_issm_open(c->server->kmad, q->node, q->port, server_now());
	if (r)
		return r;
	c->issm = true;
	c->node = q->node;
	c->port = q->port;
	return 0;
}

static int
answer(struct client *c, const struct shim_request *q, struct shim_reply *a, int fds[2])
{
	if (hw_away(c->server->hw, q->node) && q->op != SHIM_REGISTER && q->op != SHIM_UNREGISTER)
		return -ENODEV;         /* its programs run on its own kernel */
	switch ((enum shim_op)q->op) {
	case SHIM_CA:
		return answer_ca(c->server, q, &a->ca);
	case SHIM_PORT:
		return answer_port(c->server, q, &a->port);
	case SHIM_OPEN:
		return attach_new(c, q, fds);
	case SHIM_REGISTER:
		return answer_register(c, q, &a->id);
	case SHIM_UNREGISTER:
		return answer_unregister(c, q);
	case SHIM_ISSM:
		return answer_issm(c, q);
	}
	return -EINVAL;
}

/* Sends the reply, with descriptors if there are any, without waiting. */
static int
reply_send(struct client *c, const struct shim_reply *a, const int fds[2])
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	struct iovec v = { (void *)(uintptr_t)a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	if (fds[0] >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(&control.head), fds, 2 * sizeof(int));
	}
	return sendmsg(c->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int
on_client(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct client *c = arg;
	struct shim_request q;
	struct shim_reply a = { .magic = SHIM_MAGIC };
	int fds[2] = { -1, -1 };
	ssize_t n = recv(fd, &q, sizeof(q), MSG_DONTWAIT | MSG_TRUNC);

	(void)source;
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != sizeof(q) || q.magic != SHIM_MAGIC) {
		client_close(c);
		return 0;
	}
	a.error = answer(c, &q, &a, fds);
	server_flush(c->server);
	n = reply_send(c, &a, fds);
	if (fds[0] >= 0) {
		close(fds[0]);
		close(fds[1]);
	}
	if (n < 0)
		client_close(c);
	return 0;
}

static int
on_connect(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct server *s = arg;
	struct client *c = xcalloc(1, sizeof(*c));

	(void)source;
	(void)events;
	c->server = s;
	c->fd = place_accept(fd, s->event, &c->source, on_client, c);
	if (c->fd < 0)
		free(c);
	else
		DL_PREPEND(s->clients, c);
	return 0;
}

int
attach_listen(struct server *s)
{
	s->umad_fd = place_listen(s->dir, "umad", SOCK_SEQPACKET, 128);
	return s->umad_fd < 0 ? s->umad_fd : sd_event_add_io(s->event, NULL, s->umad_fd, EPOLLIN,
		on_connect, s);
}

void
server_flush(struct server *s)
{
	struct kmad_file *f;

	while ((f = kmad_next_ready(s->kmad)))
		attach_flush(kmad_cookie(f));
	vca_flush(s);
}
