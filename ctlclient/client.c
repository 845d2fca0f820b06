/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * client.c - one call to a running heddled at a time.
 * Room: ctlclient.  See client.h.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "ctlclient/client.h"
#include "ctlproto/varlink.h"

#define REPLY_BYTES_MAX ((size_t)512 << 20)
#define READ_BYTES 65536

static void call_end(struct client_answer *a, enum client_end end, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void
call_end(struct client_answer *a, enum client_end end, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->why, sizeof(a->why), fmt, ap);
	va_end(ap);
	a->end = end;
}

/* Returns a connected socket, or -1 with the reason in 'a'. */
static int
socket_connect(const char *path, struct client_answer *a)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct timeval wait = { .tv_sec = CLIENT_WAIT_S };
	int fd = -1, err = ENAMETOOLONG;

	if (strlen(path) < sizeof(to.sun_path)) {
		strcpy(to.sun_path, path);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		err = errno;
	}
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
		if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
			return fd;
		err = errno;
		close(fd);
	}
	if (err == ENOENT || err == ECONNREFUSED)
		call_end(a, CLIENT_UNREACHABLE, "no heddled is running (nobody listens on %.150s)",
			path);
	else
		call_end(a, CLIENT_UNREACHABLE, "cannot reach heddled on %.150s: %s", path,
			strerror(err));
	return -1;
}

static int
send_all(int fd, const char *bytes, size_t len, struct client_answer *a)
{
	while (len) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
			/* The socket is closed at the other end, but what heddled sent before
			 * can still be read. */
			return 0;
		if (n < 0) {
			call_end(a, CLIENT_BROKEN, "heddled does not listen: %s", strerror(errno));
			return -1;
		}
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Returns the next message, or NULL with the reason in 'a'. */
static json_t *
message_receive(int fd, struct varlink_in *in, struct client_answer *a)
{
	char buf[READ_BYTES];
	json_t *msg;
	ssize_t n;
	int r;

	while ((r = varlink_in_next(in, &msg)) == 0) {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			call_end(a, CLIENT_BROKEN, "heddled did not answer within %d s",
				CLIENT_WAIT_S);
			return NULL;
		}
		if (n <= 0) {
			call_end(a, CLIENT_BROKEN, "heddled closed the connection");
			return NULL;
		}
		if (varlink_in_put(in, buf, (size_t)n)) {
			call_end(a, CLIENT_BROKEN, "the answer of heddled is too large");
			return NULL;
		}
	}
	if (r < 0)
		call_end(a, CLIENT_BROKEN, "the answer of heddled is not Varlink");
	return msg;
}

/* Sets the sentence of an error reply: the first string among its parameters, or the error's
 * name. */
static void
error_explain(struct client_answer *a)
{
	const char *member;
	json_t *value;

	json_object_foreach(a->params, member, value) {
		if (!json_is_string(value))
			continue;
		if (strcmp(member, "reason") == 0)
			call_end(a, CLIENT_ERROR, "%.200s", json_string_value(value));
		else if (strcmp(member, "what") == 0)
			call_end(a, CLIENT_ERROR, "nothing is called %.200s",
				json_string_value(value));
		else
			call_end(a, CLIENT_ERROR, "%.90s (%.100s)", a->error,
				json_string_value(value));
		return;
	}
	call_end(a, CLIENT_ERROR, "%s", a->error);
}

static void
reply_read(json_t *msg, struct client_answer *a)
{
	struct varlink_reply r;

	if (varlink_reply_read(msg, &r)) {
		call_end(a, CLIENT_BROKEN, "the answer of heddled is no reply");
		return;
	}
	a->params = json_incref(r.params);
	if (!r.error)
		return;
	snprintf(a->error, sizeof(a->error), "%s", r.error);
	error_explain(a);
}

int
client_begin(const char *path, const char *method, json_t *params, struct client_answer *a)
{
	size_t len;
	char *call;
	int fd;

	*a = (struct client_answer){ .end = CLIENT_OK };
	fd = socket_connect(path, a);
	if (fd < 0)
		return -1;
	call = varlink_call_write(method, params, 0, &len);
	if (send_all(fd, call, len, a) < 0) {
		close(fd);
		fd = -1;
	}
	free(call);
	return fd;
}

void
client_finish(int fd, struct client_answer *a)
{
	struct varlink_in in;
	json_t *msg;

	if (fd < 0)
		return;
	varlink_in_init(&in, REPLY_BYTES_MAX);
	msg = message_receive(fd, &in, a);
	if (msg)
		reply_read(msg, a);
	json_decref(msg);
	varlink_in_clear(&in);
	close(fd);
}

void
client_call(const char *path, const char *method, json_t *params, struct client_answer *a)
{
	client_finish(client_begin(path, method, params, a), a);
}

void
client_answer_clear(struct client_answer *a)
{
	json_decref(a->params);
	a->params = NULL;
}
