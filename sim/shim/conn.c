/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * conn.c - requests to the server.
 * Room: sim/shim.
 *
 * A request and its reply are one packet each on a SOCK_SEQPACKET connection (sim/ring/proto.h).
 * Environment variables that `heddle-sim exec` sets name the socket, the node and the port.  An
 * open device or issm file keeps its connection; conn_ask() uses a new connection for one request.
 * Requests are no cancellation points and leave errno unchanged.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "sim/shim/shim.h"

bool
conn_node(uint32_t *node, unsigned *port)
{
	const char *n = getenv(SHIM_ENV_NODE), *p = getenv(SHIM_ENV_PORT);

	if (!n || !*n)
		return false;
	*node = (uint32_t)strtoul(n, NULL, 10);
	*port = p ? (unsigned)strtoul(p, NULL, 10) : 0;
	return true;
}

int
conn_open(void)
{
	const char *path = getenv(SHIM_ENV_SOCKET);
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd;

	if (!path || strlen(path) >= sizeof(a.sun_path))
		return -EIO;
	memcpy(a.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -EIO;
	if (connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		real_libc()->close(fd);
		return -EIO;
	}
	return fd;
}

static void
take_fds(struct msghdr *m, int fds[2])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(2 * sizeof(int)))
		memcpy(fds, CMSG_DATA(c), 2 * sizeof(int));
}

static int
exchange(int conn, const struct shim_request *q, struct shim_reply *a, int fds[2])
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	struct iovec v = { a, sizeof(*a) };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control,
		.msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = send(conn, q, sizeof(*q), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*q))
		return -EIO;
	do
		n = recvmsg(conn, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*a) || a->magic != SHIM_MAGIC)
		return -EIO;
	take_fds(&m, fds);
	return a->error;
}

int
conn_request(int conn, const struct shim_request *q, struct shim_reply *a, int fds[2])
{
	struct shim_request request = *q;
	int got[2] = { -1, -1 }, r, state, before = errno;

	request.magic = SHIM_MAGIC;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	r = exchange(conn, &request, a, got);
	pthread_setcancelstate(state, NULL);
	if (fds) {
		fds[0] = got[0];
		fds[1] = got[1];
	}
	errno = before;
	return r;
}

int
conn_ask(const struct shim_request *q, struct shim_reply *a)
{
	int conn = conn_open(), r;

	if (conn < 0)
		return conn;
	r = conn_request(conn, q, a, NULL);
	real_libc()->close(conn);
	return r;
}
