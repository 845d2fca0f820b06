/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * operators.c - connections to the socket "ctl": reads requests and sends replies without blocking.
 * Room: sim/serve.
 *
 * The server must not wait for an operator, so each connection has buffers.  A line that is longer
 * than the buffer closes the connection.  While replies wait to be sent, no further requests are
 * read or answered, so a connection holds REPLIES_ENOUGH bytes of replies and one reply more.
 * control.h has the format of the lines.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>
#include "sim/serve/control.h"
#include "util/xalloc.h"

#define LINE_MAX_BYTES 65536
#define REPLIES_ENOUGH 65536            /* bytes; further lines wait until they are sent */

struct operator_conn {
	struct server *server;
	sd_event_source *source;
	int fd;
	char in[LINE_MAX_BYTES];
	size_t in_bytes;
	char *out;                      /* replies that are not sent yet */
	size_t out_bytes, out_sent;
	struct operator_conn *next, *prev;
};

static void
conn_close(struct operator_conn *c)
{
	DL_DELETE(c->server->operators, c);
	sd_event_source_disable_unref(c->source);
	close(c->fd);
	free(c->out);
	free(c);
}

/* Sends as much as the socket accepts.  Returns false if the other end is gone. */
static bool
conn_send(struct operator_conn *c)
{
	while (c->out_sent < c->out_bytes) {
		ssize_t n = send(c->fd, c->out + c->out_sent, c->out_bytes - c->out_sent,
			MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno != EINTR)
			return false;
		c->out_sent += n > 0 ? (size_t)n : 0;
	}
	if (c->out_sent == c->out_bytes)
		c->out_sent = c->out_bytes = 0;
	sd_event_source_set_io_events(c->source, c->out_bytes ? EPOLLOUT : EPOLLIN);
	return true;
}

static void
conn_answer(struct operator_conn *c, const char *line, size_t bytes)
{
	json_t *reply = control_answer(c->server, line, bytes);
	char *text = json_dumps(reply, JSON_COMPACT);
	size_t n;

	json_decref(reply);
	if (!text)
		return;
	n = strlen(text);
	c->out = xrealloc(c->out, c->out_bytes + n + 1);
	memcpy(c->out + c->out_bytes, text, n);
	c->out[c->out_bytes + n] = '\n';
	c->out_bytes += n + 1;
	free(text);
}

/* Answers complete lines until REPLIES_ENOUGH bytes wait to be sent.  Returns whether there were
 * any. */
static bool
conn_lines(struct operator_conn *c)
{
	bool any = false;
	char *end;

	while (c->out_bytes < REPLIES_ENOUGH && (end = memchr(c->in, '\n', c->in_bytes))) {
		size_t n = (size_t)(end - c->in);

		conn_answer(c, c->in, n);
		c->in_bytes -= n + 1;
		memmove(c->in, end + 1, c->in_bytes);
		any = true;
	}
	return any;
}

/* Answers the lines that are there, as long as the operator reads the answers.  Returns false if
 * the other end is gone. */
static bool
conn_serve(struct operator_conn *c)
{
	while (!c->out_bytes && conn_lines(c)) {
		server_flush(c->server);
		if (!conn_send(c))
			return false;
	}
	return true;
}

static bool
is_line_too_long(const struct operator_conn *c)
{
	return c->in_bytes == sizeof(c->in) && !memchr(c->in, '\n', c->in_bytes);
}

static int
on_operator(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct operator_conn *c = arg;
	ssize_t n;

	(void)source;
	if (events & EPOLLIN) {
		n = recv(fd, c->in + c->in_bytes, sizeof(c->in) - c->in_bytes, MSG_DONTWAIT);
		if (n <= 0) {
			if (n == 0 || (errno != EAGAIN && errno != EINTR))
				conn_close(c);
			return 0;
		}
		c->in_bytes += (size_t)n;
	} else if (events & (EPOLLHUP | EPOLLERR)) {
		conn_close(c);
		return 0;
	}
	if (!conn_send(c) || !conn_serve(c) || is_line_too_long(c))
		conn_close(c);
	return 0;
}

static int
on_connect(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct server *s = arg;
	struct operator_conn *c = xcalloc(1, sizeof(*c));

	(void)source;
	(void)events;
	c->server = s;
	c->fd = place_accept(fd, s->event, &c->source, on_operator, c);
	if (c->fd < 0)
		free(c);
	else
		DL_PREPEND(s->operators, c);
	return 0;
}

int
operators_listen(struct server *s)
{
	s->ctl_fd = place_listen(s->dir, "ctl", SOCK_STREAM, 16);
	return s->ctl_fd < 0 ? s->ctl_fd : sd_event_add_io(s->event, NULL, s->ctl_fd, EPOLLIN,
		on_connect, s);
}

void
operators_close_all(struct server *s)
{
	while (s->operators)
		conn_close(s->operators);
	if (s->ctl_fd >= 0)
		close(s->ctl_fd);
	s->ctl_fd = -1;
}
