/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loop.c - see loop.h.
 * Room: verbs/meas.
 *
 * While messages are in flight the loop never sleeps: it lets the world's clock advance (on a
 * real device: it yields the processor).  Otherwise it polls the control connections.
 */
#include <config.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "util/xalloc.h"
#include "verbs/meas/loop.h"

#define AWAIT_US 1000
#define ACCEPT_EVERY_NS UINT64_C(1000000)
#define WAIT_MAX_MS 200

static volatile sig_atomic_t signalled;

uint64_t
meas_real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
note_signal(int sig)
{
	signalled = sig;
}

void
meas_signals(void)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	sigemptyset(&a.sa_mask);
	a.sa_handler = note_signal;
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	a.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &a, NULL);
}

int
meas_signalled(void)
{
	return signalled;
}

/* ---- clients that come ---- */

static void
address_text(const struct sockaddr_storage *sa, char *text, size_t bytes)
{
	const struct sockaddr_in6 *six = (const void *)sa;
	const struct sockaddr_in *four = (const void *)sa;
	char ip[INET6_ADDRSTRLEN] = "?";

	if (sa->ss_family == AF_INET6)
		inet_ntop(AF_INET6, &six->sin6_addr, ip, sizeof(ip));
	else if (sa->ss_family == AF_INET)
		inet_ntop(AF_INET, &four->sin_addr, ip, sizeof(ip));
	snprintf(text, bytes, "%s", !strncmp(ip, "::ffff:", 7) ? ip + 7 : ip);
}

static unsigned
active_clients(const struct meas_loop *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += !l->sessions[i]->client && l->sessions[i]->state != MEAS_OVER;
	return n;
}

static void
client_accept(struct meas_loop *l, int fd, const struct sockaddr_storage *sa, uint64_t now)
{
	struct meas_session *s;
	char peer[64];
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	address_text(sa, peer, sizeof(peer));
	if (l->n == MEAS_SESSIONS_MAX) {
		close(fd);
		return;
	}
	s = xcalloc(1, sizeof(*s));
	s->choice = l->server.choice;
	s->gid_index = l->server.gid_index;
	s->limits = l->server.limits;
	s->hold = l->server.hold;
	s->loop = l;
	meas_session_begin(s, fd, peer, now, l->server.silence_ms);
	if (active_clients(l) >= l->server.at_once)
		meas_session_stop(s, EXIT_PARTIAL, "io",
			"the server has as many clients as it takes", now);
	l->sessions[l->n++] = s;
}

static void
accept_clients(struct meas_loop *l, uint64_t now)
{
	struct sockaddr_storage sa;
	socklen_t n = sizeof(sa);
	int fd;

	while (l->server.fd >= 0 &&
		    (fd = accept4(l->server.fd, (struct sockaddr *)&sa, &n,
		    SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		client_accept(l, fd, &sa, now);
		n = sizeof(sa);
	}
}

/* Starts the held sessions together once all clients are ready. */
static void
release_held(struct meas_loop *l, uint64_t now)
{
	unsigned held = 0;

	for (unsigned i = 0; i < l->n; i++)
		held += l->sessions[i]->state == MEAS_HELD;
	if (!held || held < l->server.at_once)
		return;
	for (unsigned i = 0; i < l->n; i++)
		if (l->sessions[i]->state == MEAS_HELD)
			meas_session_release(l->sessions[i], now);
}

static void
sessions_reap(struct meas_loop *l)
{
	for (unsigned i = 0; l->server.over && i < l->n; i++) {
		struct meas_session *s = l->sessions[i];

		if (s->state != MEAS_OVER)
			continue;
		l->server.over(l, s);
		meas_session_end(s);
		meas_session_free_results(s);
		free(s);
		l->sessions[i--] = l->sessions[--l->n];
	}
}

/* ---- waiting ---- */

static void
wait_for_peers(struct meas_loop *l, uint64_t now, int ms)
{
	struct pollfd p[4 * MEAS_SESSIONS_MAX + 1];
	struct meas_session *s;
	nfds_t n = 0;
	int m;

	for (unsigned i = 0; (s = meas_loop_session(l, i)); i++) {
		if (s->state == MEAS_OVER)
			continue;
		p[n++] = (struct pollfd){ .fd = s->chan.fd,
			.events = (short)(POLLIN | (meas_chan_full(&s->chan) ? POLLOUT : 0)) };
		if (s->flowing && s->end.chan)
			p[n++] = (struct pollfd){ .fd = s->end.chan->fd, .events = POLLIN };
		m = meas_chan_wait_ms(&s->chan, now);
		ms = m < ms ? m : ms;
	}
	if (l->server.fd >= 0)
		p[n++] = (struct pollfd){ .fd = l->server.fd, .events = POLLIN };
	poll(p, n, ms);
}

/* Requests an event for the next completion.  False: one may be there already, or the back end
 * has no descriptors. */
static bool
completion_arm(struct meas_session *s)
{
	const struct verbs_ops *ops = s->end.ops;
	struct verbs_cq *cq;

	if (!s->end.chan || s->end.chan->fd < 0)
		return false;
	while (!ops->get_cq_event(s->end.chan, &cq))
		;
	return !ops->req_notify(s->end.cq, false);
}

static void
loop_wait(struct meas_loop *l, uint64_t now)
{
	bool flowing = false, asleep = true;
	struct meas_session *s;
	int ms = WAIT_MAX_MS;

	for (unsigned i = 0; (s = meas_loop_session(l, i)); i++) {
		if (s->tunnel && s->state != MEAS_OVER)
			ms = s->flowing || ms == 0 ? 0 : 1;     /* its clock must advance */
		if (s->state == MEAS_JOIN && ms > 1)
			/* The manager has descriptors of its own, and no test runs yet. */
			ms = 1;
		if (!s->flowing || s->tunnel)
			continue;
		flowing = true;
		if (!completion_arm(s))
			asleep = false;
		/* something came between poll and request */
		else if (meas_flow_turn(&s->flow, now) != 0)
			asleep = false;
	}
	if (flowing && !asleep)
		l->world->ops->await(l->world, AWAIT_US);
	else
		wait_for_peers(l, now, ms);
}

static bool
loop_ended(const struct meas_loop *l)
{
	if (l->stop || signalled)
		return true;
	for (unsigned i = 0; i < l->n; i++)
		if (l->sessions[i]->state != MEAS_OVER)
			return false;
	return l->server.fd < 0;
}

/* True when not all clients came in time; those that came may finish. */
static bool
is_late(const struct meas_loop *l, uint64_t now)
{
	return l->until_ns && now >= l->until_ns && active_clients(l) < l->server.at_once;
}

void
meas_loop_run(struct meas_loop *l)
{
	uint64_t now = meas_real_ns(), accept_ns = 0;

	for (unsigned i = 0; i < l->n; i++)
		l->sessions[i]->loop = l;
	while (!loop_ended(l) && !is_late(l, now)) {
		int n = 0;

		if (now >= accept_ns) {
			accept_clients(l, now);
			accept_ns = now + ACCEPT_EVERY_NS;
		}
		for (unsigned i = 0; i < l->n; i++)
			n += meas_session_turn(l->sessions[i], now);
		if (l->server.hold)
			release_held(l, now);
		sessions_reap(l);
		if (!n && !loop_ended(l))
			loop_wait(l, now);
		now = meas_real_ns();
	}
	for (unsigned i = 0; i < l->n && signalled; i++)
		meas_session_stop(l->sessions[i], EXIT_PARTIAL, "io", "interrupted", now);
}

void
meas_loop_clear(struct meas_loop *l)
{
	for (unsigned i = 0; i < l->n; i++)
		l->sessions[i]->loop = NULL;
	for (unsigned i = 0; i < l->n; i++) {
		meas_session_end(l->sessions[i]);
		meas_session_free_results(l->sessions[i]);
		free(l->sessions[i]);
	}
	l->n = 0;
}
