/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * notify-probe.c - what a service tells its supervisor: receives on the socket that NOTIFY_SOCKET names, prints each line.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char text[4096];
	ssize_t n;
	int fd;

	if (argc != 2 || strlen(argv[1]) >= sizeof(a.sun_path)) {
		fprintf(stderr, "usage: notify-probe SOCKET\n");
		return 2;
	}
	memcpy(a.sun_path, argv[1], strlen(argv[1]));
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		perror("notify-probe");
		return 1;
	}
	while ((n = recv(fd, text, sizeof(text) - 1, 0)) >= 0) {
		text[n] = '\0';
		if (printf("%s\n", text) < 0 || fflush(stdout) == EOF)
			return 1;
	}
	return 1;
}
