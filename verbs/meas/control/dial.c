/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dial.c - resolves names and connects and listens, with a limit on every wait; see chan.h.
 * Room: verbs/meas/control.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "verbs/meas/control/chan.h"

int
meas_split_host(const char *text, char *host, size_t bytes, uint16_t *port)
{
	const char *close_bracket = *text == '[' ? strchr(text, ']') : NULL;
	const char *begin = close_bracket ? text + 1 : text, *colon, *end;
	unsigned long v;
	char *stop;

	if (*text == '[' && !close_bracket)
		return -EINVAL;
	colon = strchr(close_bracket ? close_bracket : text, ':');
	if (!close_bracket && colon && strchr(colon + 1, ':'))
		colon = NULL;                   /* a bare IPv6 address */
	end = close_bracket ? close_bracket : colon ? colon : text + strlen(text);
	if (end == begin || (size_t)(end - begin) >= bytes ||
		    (close_bracket && close_bracket[1] && close_bracket[1] != ':'))
		return -EINVAL;
	if (colon) {
		v = strtoul(colon + 1, &stop, 10);
		if (colon[1] < '0' || colon[1] > '9' || *stop || v < 1 || v > 65535)
			return -EINVAL;
		*port = (uint16_t)v;
	}
	memcpy(host, begin, (size_t)(end - begin));
	host[end - begin] = '\0';
	return 0;
}

void
meas_chan_address(const struct meas_chan *c, char *text, size_t bytes)
{
	struct sockaddr_storage sa;
	socklen_t n = sizeof(sa);

	if (getpeername(c->fd, (struct sockaddr *)&sa, &n) ||
		    getnameinfo((struct sockaddr *)&sa, n, text, (socklen_t)bytes, NULL, 0,
		    NI_NUMERICHOST))
		text[0] = '\0';
}

static int
connect_within(int fd, const struct addrinfo *a, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int error = 0, r;
	socklen_t n = sizeof(error);

	if (!connect(fd, a->ai_addr, a->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	do
		r = poll(&p, 1, ms);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return -ETIMEDOUT;
	if (r < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n))
		return -errno;
	return -error;
}

static int
dial_one(const struct addrinfo *a, int ms)
{
	int fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
		a->ai_protocol), on = 1, r;

	if (fd < 0)
		return -errno;
	r = connect_within(fd, a, ms);
	if (r) {
		close(fd);
		return r;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

int
meas_dial(const char *host, uint16_t port, int ms, char *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
	char service[8];
	int r, fd = -EHOSTUNREACH;

	snprintf(service, sizeof(service), "%u", port);
	r = getaddrinfo(host, service, &hints, &list);
	if (r) {
		snprintf(why, MEAS_WHY_BYTES, "%.80s: %s", host, gai_strerror(r));
		return -EHOSTUNREACH;
	}
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = dial_one(a, ms);
	freeaddrinfo(list);
	if (fd < 0)
		snprintf(why, MEAS_WHY_BYTES, "%.80s port %u: %s%s", host, port, strerror(-fd),
			fd == -ECONNREFUSED ? " (is ibhcatest waiting there?)" : "");
	return fd;
}

int
meas_dial_start(const char *host, uint16_t port, char *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *a = NULL;
	char service[8];
	int r, fd, on = 1;

	snprintf(service, sizeof(service), "%u", port);
	r = getaddrinfo(host, service, &hints, &a);
	if (r) {
		snprintf(why, MEAS_WHY_BYTES, "%.80s: %s", host, gai_strerror(r));
		return -EHOSTUNREACH;
	}
	fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
	r = fd < 0 || (connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS) ? -errno : 0;
	freeaddrinfo(a);
	if (r) {
		snprintf(why, MEAS_WHY_BYTES, "%.80s port %u: %s", host, port, strerror(-r));
		if (fd >= 0)
			close(fd);
		return r;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static int
listen_on(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
		a->ai_protocol), on = 1, off = 0, r;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 128))
		return fd;
	r = -errno;
	close(fd);
	return r;
}

int
meas_listen(const char *address, uint16_t port, uint16_t *bound, char *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE },
		*list = NULL;
	struct sockaddr_storage sa;
	socklen_t n = sizeof(sa);
	char service[8];
	int r, fd = -EADDRNOTAVAIL;

	snprintf(service, sizeof(service), "%u", port);
	r = getaddrinfo(address, service, &hints, &list);
	if (r) {
		snprintf(why, MEAS_WHY_BYTES, "%.80s: %s", address ? address : "any address",
			gai_strerror(r));
		return -EADDRNOTAVAIL;
	}
	/* first IPv6 sockets, which accept IPv4 as well */
	for (int pass = 0; pass < 2 && fd < 0; pass++)
		for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
			if ((a->ai_family == AF_INET6) == (pass == 0))
				fd = listen_on(a);
	freeaddrinfo(list);
	if (fd < 0) {
		snprintf(why, MEAS_WHY_BYTES, "cannot listen on port %u: %s", port, strerror(-fd));
		return fd;
	}
	*bound = port;
	if (!getsockname(fd, (struct sockaddr *)&sa, &n) &&
		!getnameinfo((struct sockaddr *)&sa, n, NULL, 0, service, sizeof(service),
			NI_NUMERICSERV))
		*bound = (uint16_t)strtoul(service, NULL, 10);
	return fd;
}
