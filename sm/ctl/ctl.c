/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ctl.c - the control socket: clients, their buffers, and when to drop them.
 * Room: ctl.  One epoll descriptor holds the listener and all clients; it is what the caller polls.
 *
 * A client gets one answer at a time: what it asks while an answer is not read stays in its socket, so that
 * memory is bounded by one answer and one question for each of CLIENTS_MAX clients.
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
#include "util/xalloc.h"

#define CLIENTS_MAX 64
#define CALL_BYTES_MAX (64u << 10)
#define REPLY_BYTES_MAX (512u << 20)
#define SLOW_US (10 * 1000000ll)        /* an answer of which nothing is read for so long is given up */
#define READ_BYTES 4096
#define ROUNDS 64                       /* events handled before the caller's loop gets its turn */

struct client {
	int fd;                         /* -1: the slot is free */
	struct ctl_peer peer;
	struct varlink_in in;
	char *out;                      /* the answer that is being written, NULL none */
	size_t len, sent;
	struct monotime progress;       /* when some of it was last taken */
	uint32_t events;                /* what epoll watches for it */
	uint64_t ticket;                /* of the call that is answered later; 0 none */
	bool eof;                       /* it will ask no more: closed after its answer */
};

struct ctl {
	int epoll, listener;
	char *path;
	struct ctl_table table;
	const struct log *log;
	struct client clients[CLIENTS_MAX];
	uint64_t tickets;               /* given so far */
	bool bound;                /* the socket was made by us: 'inode' says which it is */
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

/* Watches for what the client waits for: to be heard, or to take its answer; or only whether it goes. */
static void
client_watch(struct ctl *c, struct client *k)
{
	struct epoll_event e = { .events = k->out ? EPOLLOUT : k->ticket ? 0 : EPOLLIN, .data.ptr = k };

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
		ssize_t n = send(k->fd, k->out + k->sent, k->len - k->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		k->sent += (size_t)n;
		k->progress = now;
	}
	free(k->out);
	k->out = NULL;
	return 0;
}

/* Takes the client's next question, unless an answer is under way or waited for.  1: there was one, 0: none, or a
 * negative errno. */
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
		return 0;
	}
	if (r)
		return r;
	if (k->len > REPLY_BYTES_MAX)
		return -EMSGSIZE;
	k->sent = 0;
	k->progress = now;
	return 1;
}

/* Reads once; -ECONNRESET is the end. */
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
	if (r == -EPROTO || r == -EMSGSIZE)
		log_line(c->log, LOG_WARN, "ctl", "process %ld (uid %ld) dropped: %s", (long)k->peer.pid,
			(long)k->peer.uid, r == -EPROTO ? "what it sent is no call" : "a message is too large");
	if (r < 0)
		client_drop(k);
	else
		client_watch(c, k);
}

static struct client *
free_slot(struct ctl *c)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (c->clients[i].fd < 0)
			return &c->clients[i];
	return NULL;
}

/* 1: a client came, 0: nobody waits. */
static int
accept_one(struct ctl *c)
{
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *k = free_slot(c);
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = k };
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (fd < 0)
		return errno == EINTR || errno == ECONNABORTED;
	if (!k || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0 ||
	    epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
		log_line(c->log, LOG_WARN, "ctl", "a client was turned away: %s", k ? strerror(errno) : "there are too many");
		close(fd);
		return 1;
	}
	*k = (struct client){ .fd = fd, .peer = { cred.uid, cred.gid, cred.pid, 0 }, .events = EPOLLIN };
	varlink_in_init(&k->in, CALL_BYTES_MAX);
	return 1;
}

static void
drop_slow(struct ctl *c, struct monotime now)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++) {
		struct client *k = &c->clients[i];

		if (k->fd < 0 || !k->out || !monotime_reached(now, monotime_add_us(k->progress, SLOW_US)))
			continue;
		log_line(c->log, LOG_WARN, "ctl", "process %ld (uid %ld) dropped: it does not read its answer",
			(long)k->peer.pid, (long)k->peer.uid);
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
			accept_one(c);
	}
	drop_slow(c, now);
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
	k->sent = 0;
	k->progress = now;
	client_serve(c, k, 0, now);
}

void
ctl_answer(struct ctl *c, uint64_t ticket, char *bytes, size_t len, struct monotime now)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0 && c->clients[i].ticket == ticket) {
			answer_later(c, &c->clients[i], bytes, len, now);
			return;
		}
	free(bytes);
}

void
ctl_fail_waiting(struct ctl *c, const char *reason, struct monotime now)
{
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0 && c->clients[i].ticket) {
			size_t len;
			char *bytes = ctl_reply_write(-EAGAIN, json_pack("{s:s}", "reason", reason), &len);

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

	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0 && c->clients[i].out)
			at = monotime_min(at, monotime_add_us(c->clients[i].progress, SLOW_US));
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

/* Nobody can connect before listen(): the mode is right by then. */
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
	if (chmod(a->sun_path, 0660) != 0 || listen(c->listener, CLIENTS_MAX) != 0 ||
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
ctl_open(const char *path, const struct ctl_method *methods, size_t nmethods, void *arg, const struct log *log,
	struct ctl **out)
{
	struct ctl *c = xcalloc(1, sizeof(*c));
	int err;

	c->epoll = c->listener = -1;
	c->path = xstrdup(path);
	c->table = (struct ctl_table){ methods, nmethods, arg };
	c->log = log;
	for (size_t i = 0; i < CLIENTS_MAX; i++)
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
	for (size_t i = 0; i < CLIENTS_MAX; i++)
		if (c->clients[i].fd >= 0)
			client_drop(&c->clients[i]);
	/* Only the socket that is ours: somebody may have put another in its place. */
	if (c->bound && lstat(c->path, &st) == 0 && st.st_ino == c->inode)
		unlink(c->path);
	if (c->listener >= 0)
		close(c->listener);
	if (c->epoll >= 0)
		close(c->epoll);
	free(c->path);
	free(c);
}
