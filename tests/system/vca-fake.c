/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca-fake.c - plays the module of tests/lab/kmod where there is no such kernel: adapters behind a socket.
 * Usage: vca-fake SOCKET      prints "ready"; until SIGTERM.  For `heddle-sim serve --vca-device SOCKET`.
 *
 * Each connection is an adapter.  Its agent is the module's (tests/lab/kmod/sma.c); its kernel does with a directed route what ib_mad
 * does, has no programs but one that answers pings (class 0x32), and says "unsupported" to other requests.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "tests/lab/kmod/sma.h"

#define ADAPTERS 16
#define CLASS_DR 0x81
#define CLASS_PING 0x32
#define HOP_PTR 6
#define HOP_COUNT 7

struct adapter {
	int fd;
	bool born;
	struct sma sma;
};

static volatile sig_atomic_t stop;

static void
on_signal(int n)
{
	(void)n;
	stop = 1;
}

static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void
emit(const struct adapter *a, const uint8_t *f)
{
	(void)!send(a->fd, f, VCA_FRAME_BYTES, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
tell(const struct adapter *a, uint8_t port, const struct sma_news *n)
{
	uint8_t f[VCA_FRAME_BYTES] = { VCA_VERSION, VCA_SET, port };

	if (!n->set)
		return;
	sma_put16(f + VCA_AT_ATTR, n->attr);
	sma_put32(f + VCA_AT_MODIFIER, n->modifier);
	sma_put32(f + VCA_AT_LIFE, a->sma.port[port - 1].life);
	memcpy(f + VCA_AT_DATA, n->data, VCA_DATA_BYTES);
	emit(a, f);
}

/* Back to whom it came from. */
static void
turn(uint8_t *f)
{
	uint8_t lid[2];

	memcpy(lid, f + VCA_AT_SLID, 2);
	memcpy(f + VCA_AT_SLID, f + VCA_AT_DLID, 2);
	memcpy(f + VCA_AT_DLID, lid, 2);
	f[VCA_AT_FLAGS] = 0;
	memset(f + VCA_AT_GRH, 0, VCA_GRH_BYTES);
}

static void
take_smp(struct adapter *a, uint8_t *f)
{
	uint8_t *m = f + VCA_AT_MAD, port = f[VCA_AT_PORT];
	struct sma_news news = { 0 };
	bool routed = m[1] == CLASS_DR && !(m[4] & 0x80);

	if (routed && m[HOP_PTR] == m[HOP_COUNT]) {
		m[192 + m[HOP_PTR] % 64] = port;
		m[HOP_PTR]++;
	}
	if (routed && m[HOP_PTR] != m[HOP_COUNT] + 1)
		return;
	if (sma_smp(&a->sma, port, m, sma_get16(f + VCA_AT_SLID), now_ms(), &news) == SMA_ANSWER) {
		tell(a, port, &news);
		if (routed)
			m[HOP_PTR]--;
		turn(f);
		emit(a, f);
	}
}

static void
take_gmp(struct adapter *a, uint8_t *f)
{
	uint8_t *m = f + VCA_AT_MAD;
	uint16_t index;

	if (!sma_keys(&a->sma, f[VCA_AT_PORT], f, now_ms(), &index) || m[3] & 0x80)
		return;
	if (m[1] != CLASS_PING && m[3] != 1 && m[3] != 2)
		return;
	if (m[1] != CLASS_PING)
		sma_put16(m + 4, 0x0c);
	m[3] = m[1] == CLASS_PING ? m[3] | 0x80 : 0x81;
	turn(f);
	emit(a, f);
}

static void
fake_frame_take(struct adapter *a)
{
	uint8_t f[VCA_FRAME_BYTES];
	struct vca_create c;
	struct sma_news news = { 0 };
	ssize_t n = a->born ? recv(a->fd, f, sizeof(f), MSG_DONTWAIT | MSG_TRUNC) : recv(a->fd, &c, sizeof(c), MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (!a->born && n == (ssize_t)sizeof(c) && sma_init(&a->sma, &c)) {
		a->born = true;
		return;
	}
	if (n != VCA_FRAME_BYTES || f[VCA_AT_VERSION] != VCA_VERSION || !f[VCA_AT_PORT] || f[VCA_AT_PORT] > a->sma.nports) {
		close(a->fd);
		a->fd = -1;
		return;
	}
	if (f[VCA_AT_KIND] == VCA_LINK)
		sma_link(&a->sma, f[VCA_AT_PORT], sma_get32(f + VCA_AT_LIFE), f + VCA_AT_DATA, &news);
	else if (f[VCA_AT_KIND] == VCA_MAD && !sma_get32(f + VCA_AT_DST_QP))
		take_smp(a, f);
	else if (f[VCA_AT_KIND] == VCA_MAD)
		take_gmp(a, f);
}

static int
send_traps(struct adapter *a, uint64_t now)
{
	uint64_t at;

	for (uint8_t port = 1; port <= a->sma.nports; port++) {
		uint8_t f[VCA_FRAME_BYTES] = { VCA_VERSION, VCA_MAD, port };
		const uint8_t *info = a->sma.port[port - 1].info;

		while (sma_trap(&a->sma, port, now, f + VCA_AT_MAD)) {
			f[VCA_AT_SL] = info[PI_MTU_SMSL] & 15;
			memcpy(f + VCA_AT_SLID, info + PI_LID, 2);
			memcpy(f + VCA_AT_DLID, info + PI_SMLID, 2);
			emit(a, f);
		}
	}
	return sma_deadline(&a->sma, &at) ? (int)(at - now) + 1 : 1000;
}

static void
serve(int listener)
{
	static struct adapter adapters[ADAPTERS];
	unsigned n = 0;

	while (!stop) {
		struct pollfd p[ADAPTERS + 1] = { { .fd = listener, .events = POLLIN } };
		int wait = 1000, w;

		for (unsigned i = 0; i < n; i++) {
			w = adapters[i].fd < 0 || !adapters[i].born ? 1000 : send_traps(&adapters[i], now_ms());
			wait = w < wait ? w : wait;
			p[i + 1] = (struct pollfd){ .fd = adapters[i].fd, .events = POLLIN };
		}
		if (poll(p, n + 1, wait) < 0)
			continue;
		for (unsigned i = 0; i < n; i++)
			if (p[i + 1].revents)
				fake_frame_take(&adapters[i]);
		if (!(p[0].revents & POLLIN))
			continue;
		for (w = 0; w < (int)n && adapters[w].fd >= 0; w++)
			;
		if (w == ADAPTERS)
			continue;
		adapters[w] = (struct adapter){ .fd = accept(listener, NULL, NULL) };
		n = (unsigned)w == n ? n + 1 : n;
	}
}

int
main(int argc, char **argv)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (argc != 2 || strlen(argv[1]) >= sizeof(a.sun_path))
		return 2;
	memcpy(a.sun_path, argv[1], strlen(argv[1]));
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, ADAPTERS)) {
		perror(argv[1]);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	serve(fd);
	unlink(argv[1]);
	return 0;
}
