/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ctl.c - the control socket: clients, their buffers, and when to drop them.
 * Room: ctl.  One epoll descriptor holds the listener and all clients; the caller polls it.
 *
 * A client gets one answer at a time: further calls stay in its socket until it has read the
 * answer. So memory is bounded by one answer and one call for each of CTL_CLIENTS_MAX clients.
 * Every state of a client has a time limit (limits.h), except waiting for an answer that the daemon
 * is still making.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "ctlproto/varlink.h"
#include "sm/ctl/ctl.h"
#include "sm/ctl/dispatch.h"
#include "sm/ctl/limits.h"
#include "util/xalloc.h"

#define CALL_BYTES_MAX (64u << 10)
#define REPLY_BYTES_MAX (512u << 20)
#define READ_BYTES 4096
#define ROUNDS 64                       /* events handled before the caller's loop gets its turn */

struct client {
	int fd;                         /* -1: the slot is free */
	struct ctl_peer peer;
	struct varlink_in in;
	char *out;                      /* the answer that is being written, NULL none */
	size_t len, sent;
	/* it has been as it is: idle, in a call, or with so much of its answer unread */
	struct monotime since;
	bool in_call;                   /* the first bytes of a call have come, and not all of it */
	uint32_t events;                /* events that epoll reports for it */
	uint64_t ticket;                /* of the call that is answered later; 0 none */
	bool eof;                       /* sends no more calls: closed after its answer */
};

struct ctl {
	int epoll, listener;
	char *path;
	struct ctl_table table;
	const struct log *log;
	struct client clients[CTL_CLIENTS_MAX];
	struct ctl_faults faults;
	uint64_t tickets;               /* given so far */
	uid_t own_uid;
	bool bound;                /* this process created the socket; 'inode' identifies it */
	ino_t inode;
};

static void
client_drop(struct client *k)
{
	close(k->fd);
	k->fd = -1;
	k->ticket = 0;
	varlink_in_clear(&k->in);
	free(k->out);
	k->out = NULL;
}

/* Sets the epoll events of a client: input, output, or only disconnection. */
static void
client_watch(struct ctl *c, struct client *k)
{
	struct epoll_event e = { .events = k->out ? EPOLLOUT :
			k->ticket                 ? 0 :
						    EPOLLIN,
		.data.ptr = k };

	if (e.events == k->events)
		return;
	if (epoll_ctl(c->epoll, EPOLL_CTL_MOD, k->fd, &e) != 0) {
		client_drop(k);
		return;
	}
	k->events = e.events;
}

/* Writes what the socket takes.  0, or a negative errno: the client is gone. */
static int
client_write(struct client *k, struct monotime now)
{
	while (k->sent < k->len) {
		ssize_t n = send(
			k->fd, k->out + k->sent, k->len - k->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		k->sent += (size_t)n;
		k->since = now;
	}
	free(k->out);
	k->out = NULL;
	k->since = now;
	k->in_call = false;
	return 0;
}

static void
client_begin_answer(struct client *k, struct monotime now)
{
	k->sent = 0;
	k->since = now;
	k->in_call = false;
}

/* Takes the client's next call, unless an answer is being sent or awaited.  1: there was one; 0:
 * none; or a negative errno. */
static int
client_answer(struct ctl *c, struct client *k, struct monotime now)
{
	json_t *msg;
	int r;

	if (k->out || k->ticket)
		return 0;
	r = varlink_in_next(&k->in, &msg);
	if (r <= 0)
		return r;
	k->peer.ticket = ++c->tickets;
	r = ctl_dispatch(&c->table, &k->peer, msg, &k->out, &k->len);
	json_decref(msg);
	if (r == CTL_LATER) {
		k->ticket = k->peer.ticket;
		k->in_call = false;
		return 0;
	}
	if (r)
		return r;
	if (k->len > REPLY_BYTES_MAX)
		return -EMSGSIZE;
	client_begin_answer(k, now);
	return 1;
}

/* Reads once; sets 'eof' at end of file.  0, or a negative errno: the connection failed. */
static int
client_read(struct client *k)
{
	char buf[READ_BYTES];
	ssize_t n = recv(k->fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (n > 0)
		return varlink_in_put(&k->in, buf, (size_t)n);
	if (n == 0) {
		k->eof = true;
		return 0;
	}
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -errno;
}

/* After all whole calls were taken: bytes that are left begin a call, whose time counts from its
 * first byte. */
static void
client_note_call(struct client *k, struct monotime now)
{
	bool in_call = !k->out && !k->ticket && k->in.len > k->in.start;

	if (in_call && !k->in_call)
		k->since = now;
	k->in_call = in_call;
}

static void
client_serve(struct ctl *c, struct client *k, uint32_t events, struct monotime now)
{
	int r = 0;

	if (k->out)
		r = client_write(k, now);
	else if (events & EPOLLIN)
		r = client_read(k);
	else if (events & (EPOLLHUP | EPOLLERR))
		r = -ECONNRESET;
	while (!r && !k->out && (r = client_answer(c, k, now)) == 1)
		r = k->out ? client_write(k, now) : 0;
	if (r == 0 && k->eof && !k->out && !k->ticket)
		r = -ECONNRESET;
	if (r == -EPROTO)
		ctl_log_fault(&c->faults, c->log, CTL_NO_CALL, &k->peer,
			"dropped: what it sent is no call", now);
	else if (r == -EMSGSIZE)
		ctl_log_fault(&c->faults, c->log, CTL_TOO_LARGE, &k->peer,
			"dropped: a message is too large", now);
	if (r < 0) {
		client_drop(k);
		return;
	}
	client_note_call(k, now);
	client_watch(c, k);
}

static struct client *
free_slot(struct ctl *c)
{
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++)
		if (c->clients[i].fd < 0)
			return &c->clients[i];
	return NULL;
}

static bool
client_is_idle(const struct client *k)
{
	return !k->out && !k->ticket && !k->in_call;
}

static struct ctl_census
count_clients(const struct ctl *c, uid_t uid)
{
	struct ctl_census n = { 0, 0, 0 };

	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++) {
		const struct client *k = &c->clients[i];

		if (k->fd < 0)
			continue;
		n.all++;
		n.unprivileged += !ctl_privileged(k->peer.uid, c->own_uid);
		n.same_user += k->peer.uid == uid;
	}
	return n;
}

/* Closes the client that has been idle longest, so that an operator can always connect. */
static void
make_place(struct ctl *c)
{
	struct client *oldest = NULL;

	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++) {
		struct client *k = &c->clients[i];

		if (k->fd >= 0 && client_is_idle(k) && (!oldest || k->since.us < oldest->since.us))
			oldest = k;
	}
	if (oldest)
		client_drop(oldest);
}

/* A slot for another client; NULL: refused, and the client got the reason. */
static struct client *
place_for(struct ctl *c, int fd, const struct ctl_peer *peer, struct monotime now)
{
	bool privileged = ctl_privileged(peer->uid, c->own_uid);
	struct ctl_census n = count_clients(c, peer->uid);
	const char *why = ctl_refusal(&n, privileged);
	char reason[96], *bytes;
	size_t len;

	if (why && privileged) {
		make_place(c);
		n = count_clients(c, peer->uid);
		why = ctl_refusal(&n, privileged);
	}
	if (!why)
		return free_slot(c);
	snprintf(reason, sizeof(reason), "refused: %s", why);
	ctl_log_fault(&c->faults, c->log, CTL_REFUSED, peer, reason, now);
	bytes = ctl_refusal_write(why, &len);
	if (send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_line(c->log, LOG_DETAIL, "ctl", "a refused client was not told: %s",
			strerror(errno));
	free(bytes);
	return NULL;
}

/* 1: a client connected; 0: none is waiting. */
static int
accept_one(struct ctl *c, struct monotime now)
{
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct epoll_event e = { .events = EPOLLIN };
	struct ctl_peer peer = { 0 };
	struct ucred cred;
	socklen_t len = sizeof(cred);
	struct client *k;

	if (fd < 0)
		return errno == EINTR || errno == ECONNABORTED;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0) {
		close(fd);
		return 1;
	}
	peer = (struct ctl_peer){ cred.uid, cred.gid, cred.pid, 0 };
	k = place_for(c, fd, &peer, now);
	e.data.ptr = k;
	if (!k || epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
		close(fd);
		return 1;
	}
	*k = (struct client){ .fd = fd, .peer = peer, .events = EPOLLIN, .since = now };
	varlink_in_init(&k->in, CALL_BYTES_MAX);
	return 1;
}

/* When the client times out; never while its answer is being made. */
static struct monotime
client_deadline(const struct client *k)
{
	if (k->out)
		return monotime_add_us(k->since, CTL_SLOW_US);
	if (k->ticket)
		return MONOTIME_NEVER;
	return monotime_add_us(k->since, k->in_call ? CTL_CALL_US : CTL_IDLE_US);
}

static void
drop_overdue(struct ctl *c, struct monotime now)
{
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++) {
		struct client *k = &c->clients[i];

		if (k->fd < 0 || !monotime_reached(now, client_deadline(k)))
			continue;
		if (k->out)
			ctl_log_fault(&c->faults, c->log, CTL_UNREAD, &k->peer,
				"dropped: it does not read its answer", now);
		else if (k->in_call)
			ctl_log_fault(&c->faults, c->log, CTL_HALF_CALL, &k->peer,
				"dropped: its call has no end", now);
		else
			log_line(c->log, LOG_DETAIL, "ctl",
				"process %ld (uid %ld) closed: it asks nothing", (long)k->peer.pid,
				(long)k->peer.uid);
		client_drop(k);
	}
}

void
ctl_process(struct ctl *c, struct monotime now)
{
	struct epoll_event e;

	for (int round = 0; round < ROUNDS && epoll_wait(c->epoll, &e, 1, 0) == 1; round++) {
		if (e.data.ptr)
			client_serve(c, e.data.ptr, e.events, now);
		else
			accept_one(c, now);
	}
	drop_overdue(c, now);
}

static void
answer_later(struct ctl *c, struct client *k, char *bytes, size_t len, struct monotime now)
{
	k->ticket = 0;
	if (len > REPLY_BYTES_MAX) {
		free(bytes);
		client_drop(k);
		return;
	}
	k->out = bytes;
	k->len = len;
	client_begin_answer(k, now);
	client_serve(c, k, 0, now);
}

void
ctl_answer(struct ctl *c, uint64_t ticket, char *bytes, size_t len, struct monotime now)
{
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0 && c->clients[i].ticket == ticket) {
			answer_later(c, &c->clients[i], bytes, len, now);
			return;
		}
	free(bytes);
}

void
ctl_fail_waiting(struct ctl *c, const char *reason, struct monotime now)
{
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0 && c->clients[i].ticket) {
			size_t len;
			char *bytes = ctl_reply_write(
				-EAGAIN, json_pack("{s:s}", "reason", reason), &len);

			answer_later(c, &c->clients[i], bytes, len, now);
		}
}

int
ctl_fd(const struct ctl *c)
{
	return c->epoll;
}

struct monotime
ctl_deadline(const struct ctl *c)
{
	struct monotime at = MONOTIME_NEVER;

	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0)
			at = monotime_min(at, client_deadline(&c->clients[i]));
	return at;
}

/* Removes a socket that nobody listens on.  0: the path is free; -EADDRINUSE: somebody does. */
static int
clear_stale(const struct sockaddr_un *a)
{
	struct stat st;
	int fd, err;

	if (lstat(a->sun_path, &st) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	err = connect(fd, (const struct sockaddr *)a, sizeof(*a)) == 0 ? 0 : errno;
	close(fd);
	if (err != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(a->sun_path) == 0 ? 0 : -errno;
}

/* Clients cannot connect before listen(), so the mode is set in time. */
static int
listen_on(struct ctl *c, const struct sockaddr_un *a)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };
	struct stat st;

	if (bind(c->listener, (const struct sockaddr *)a, sizeof(*a)) != 0)
		return -errno;
	if (lstat(a->sun_path, &st) == 0) {
		c->bound = true;
		c->inode = st.st_ino;
	}
	if (chmod(a->sun_path, 0660) != 0 || listen(c->listener, CTL_CLIENTS_MAX) != 0 ||
	    epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->listener, &e) != 0)
		return -errno;
	return 0;
}

static int
open_socket(struct ctl *c, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int err;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	strcpy(a.sun_path, path);
	err = clear_stale(&a);
	if (err)
		return err;
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	c->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->epoll < 0 || c->listener < 0)
		return -errno;
	return listen_on(c, &a);
}

int
ctl_open(const char *path, const struct ctl_method *methods, size_t nmethods, void *arg,
	const struct log *log, struct ctl **out)
{
	struct ctl *c = xcalloc(1, sizeof(*c));
	int err;

	c->epoll = c->listener = -1;
	c->own_uid = geteuid();
	c->path = xstrdup(path);
	c->table = (struct ctl_table){ methods, nmethods, arg };
	c->log = log;
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++)
		c->clients[i].fd = -1;
	err = open_socket(c, path);
	if (err) {
		ctl_close(c);
		c = NULL;
	}
	*out = c;
	return err;
}

void
ctl_close(struct ctl *c)
{
	struct stat st;

	if (!c)
		return;
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0)
			client_drop(&c->clients[i]);
	/* Remove only this process's socket: another program may have replaced it. */
	if (c->bound && lstat(c->path, &st) == 0 && st.st_ino == c->inode)
		unlink(c->path);
	if (c->listener >= 0)
		close(c->listener);
	if (c->epoll >= 0)
		close(c->epoll);
	free(c->path);
	free(c);
}
