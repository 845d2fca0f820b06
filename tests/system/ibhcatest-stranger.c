/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibhcatest-stranger.c - somebody who speaks to ibhcatest, or answers it, in a wrong way; for tests only.
 *
 *   ibhcatest-stranger connect PORT KIND     to a server on this host
 *   ibhcatest-stranger listen KIND           as one; prints the port that it took
 *
 * KIND: garbage, http, huge (a length that cannot be), version (another protocol), half (half a message, then silence), silent,
 * early (a run before there is a test), nested (deep JSON), flood (garbage for ever), close.
 * Goes on until the other end closes: exit 0.  1 when it has not after 20 s, 2 usage.
 */
#include <config.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 20

static void
say(int fd, const char *body)
{
	size_t n = strlen(body);
	uint8_t header[8] = { 'H', 'V', 'T', '1', (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n };

	if (send(fd, header, 8, MSG_NOSIGNAL) != 8 || send(fd, body, n, MSG_NOSIGNAL) != (ssize_t)n)
		fprintf(stderr, "it closed already\n");
}

static void
speak(int fd, const char *kind)
{
	static const char hello[] = "{\"msg\":\"hello\",\"protocol\":1,\"version\":\"x\"}";
	static const uint8_t huge[8] = { 'H', 'V', 'T', '1', 0x7f, 0xff, 0xff, 0xff };
	char deep[4001];

	if (!strcmp(kind, "garbage") || !strcmp(kind, "flood"))
		send(fd, "\x00\xff\x17nothing that anybody knows", 29, MSG_NOSIGNAL);
	else if (!strcmp(kind, "http"))
		send(fd, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
	else if (!strcmp(kind, "huge"))
		send(fd, huge, sizeof(huge), MSG_NOSIGNAL);
	else if (!strcmp(kind, "version"))
		say(fd, "{\"msg\":\"hello\",\"protocol\":99,\"version\":\"9.9\"}");
	else if (!strcmp(kind, "half"))
		send(fd, "HVT1\0\0\0\x40{\"msg\":", 15, MSG_NOSIGNAL);
	else if (!strcmp(kind, "early")) {
		say(fd, hello);
		say(fd, "{\"msg\":\"run\",\"run\":1,\"size\":8}");
	} else if (!strcmp(kind, "nested")) {
		memset(deep, '[', sizeof(deep) - 1);
		deep[sizeof(deep) - 1] = '\0';
		say(fd, deep);
	}
}

/* Until it closes. */
static int
listen_to(int fd, const char *kind)
{
	time_t end = time(NULL) + PATIENCE_S;
	char b[4096];

	while (time(NULL) < end) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (!strcmp(kind, "flood"))
			send(fd, b, sizeof(b), MSG_NOSIGNAL | MSG_DONTWAIT);
		if (poll(&p, 1, 50) <= 0)
			continue;
		n = recv(fd, b, sizeof(b), 0);
		if (n == 0 || (n < 0 && errno != EINTR))
			return 0;
	}
	fprintf(stderr, "it has not closed for %d s\n", PATIENCE_S);
	return 1;
}

static int
connect_to(const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd >= 0 && !connect(fd, (struct sockaddr *)&a, sizeof(a)) ? fd : -1;
}

static int
wait_for_one(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 1) || getsockname(fd, (struct sockaddr *)&a, &n))
		return -1;
	printf("%u\n", ntohs(a.sin_port));
	fflush(stdout);
	alarm(PATIENCE_S);
	return accept(fd, NULL, NULL);
}

int
main(int argc, char **argv)
{
	bool client = argc == 4 && !strcmp(argv[1], "connect"), server = argc == 3 && !strcmp(argv[1], "listen");
	const char *kind = argv[argc - 1];
	int fd;

	if (!client && !server)
		return 2;
	fd = client ? connect_to(argv[2]) : wait_for_one();
	if (fd < 0) {
		perror("ibhcatest-stranger");
		return 2;
	}
	if (!strcmp(kind, "close"))
		return 0;
	speak(fd, kind);
	return listen_to(fd, kind);
}
