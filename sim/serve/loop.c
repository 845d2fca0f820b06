/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loop.c - the event loop: polls rings often and sockets less often, spins briefly, then sleeps.
 * Room: sim/serve.
 *
 * A turn of the loop (loop_turn()) polls the rings of all programs and advances the emulated
 * kernels until no work is left for SPIN_US and nothing is due within NEAR_US.  Then it requests a
 * doorbell from every program and sleeps until the next deadline of sim/kmad or of the timeline.
 * While there is work, sockets are served every TURN_US.  A busy fabric therefore needs no system
 * call per message.
 *
 * Invariant: the loop sleeps only after fall_asleep() has requested all doorbells and then found
 * all rings empty, so no message waits for a sleeping server.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "sim/serve/server.h"
#include "sim/serve/timeline.h"
#include "sim/serve/vca.h"
#include "util/xalloc.h"

/* time of polling after the last work, before the loop sleeps */
#define SPIN_US 20
#define BATCH 16                /* maximum number of records of one program per pass */
#define BATCH_OF_MANY 128       /* the same, while several programs write */
#define TURN_US 500             /* interval of serving sockets while there is work */
#define RETRY_US 1000           /* maximum sleep with a backlog */
#define EXACT_US 20000          /* shorter sleeps are timed to the microsecond */
/* The loop polls until an event that is nearer than this, because waking up would take longer than
 * messages take over a link: a start at 11,664 hosts and a latency of 50 us took 1.99 s without it,
 * and 1.87 s with it. */
#define NEAR_US 200

/*
 * Serves all rings once.  Returns true if there was work.  A single program runs at the same time
 * as the server and needs its answers soon, so the batches are small.  Several programs share the
 * processors with the server; with larger batches they are woken less often.
 */
static bool
rings_serve(struct server *s, struct monotime now)
{
	unsigned most = s->busy > 1 ? BATCH_OF_MANY : BATCH;

	s->busy = 0;
	for (struct attach *a = s->attaches, *next; a; a = next) {
		next = a->next;
		s->busy += attach_serve(a, most, now);
	}
	kmad_tick(s->kmad, now);
	server_flush(s);
	for (struct attach *a = s->attaches, *next; a; a = next) {
		next = a->next;
		if (a->backlogged)
			attach_flush(a);
	}
	return s->busy > 0;
}

static bool
anything_waits(struct server *s)
{
	for (struct attach *a = s->attaches; a; a = a->next)
		if (ring_waiting(&a->tx))
			return true;
	return false;
}

/* Whether something happens in the hardware so soon that the loop would oversleep it. */
static bool
is_due_soon(const struct server *s, struct monotime now)
{
	struct monotime at;

	return s->attaches && kmad_deadline(s->kmad, &at) && monotime_sub_us(at, now) < NEAR_US;
}

/* Requests a doorbell from every program; false if one wrote something meanwhile. */
static bool
fall_asleep(struct server *s)
{
	for (struct attach *a = s->attaches; a; a = a->next)
		ring_sleep(&a->tx);
	return !anything_waits(s);
}

static void
wake_up(struct server *s)
{
	for (struct attach *a = s->attaches; a; a = a->next)
		ring_awake(&a->tx);
}

/* Works until there is nothing to do or sockets must be served.  Returns how long the loop may
 * sleep. */
static uint64_t
loop_turn(struct server *s)
{
	struct monotime start = server_now(), now = start, worked = start, at;
	uint64_t wait = UINT64_MAX;

	timeline_run(s, start);
	wake_up(s);
	do {
		if (rings_serve(s, now))
			worked = now;
		else
			sched_yield();          /* programs with work run first */
		now = server_now();
		if (monotime_sub_us(now, start) > TURN_US)
			return 0;
	} while ((s->attaches && monotime_sub_us(now, worked) < SPIN_US) || anything_waits(s) ||
		is_due_soon(s, now));
	if (!fall_asleep(s))
		return 0;
	if (kmad_deadline(s->kmad, &at))
		wait = at.us > now.us ? (uint64_t)(at.us - now.us) : 0;
	if (timeline_deadline(s, &at) && wait > (at.us > now.us ? (uint64_t)(at.us - now.us) : 0))
		wait = at.us > now.us ? (uint64_t)(at.us - now.us) : 0;
	for (struct attach *a = s->attaches; a; a = a->next)
		if (a->backlogged && wait > RETRY_US)
			wait = RETRY_US;
	return wait;
}

static int
on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	struct server *s = arg;

	(void)source;
	(void)info;
	s->stop = true;
	return 0;
}

static int
watch_signals(struct server *s)
{
	sigset_t set;
	int r;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	r = sd_event_add_signal(s->event, NULL, SIGTERM, on_signal, s);
	return r < 0 ? r : sd_event_add_signal(s->event, NULL, SIGINT, on_signal, s);
}

/* Sleeps and runs handlers.  Short sleeps use ppoll(), because libsystemd sleeps whole milliseconds
 * and a datagram takes less. */
static int
sleep_and_run(struct server *s, uint64_t wait_us)
{
	struct pollfd p = { .fd = sd_event_get_fd(s->event), .events = POLLIN };
	struct timespec t = { 0, (long)(wait_us % EXACT_US) * 1000 };

	if (!wait_us || wait_us >= EXACT_US)
		return sd_event_run(s->event, wait_us);
	ppoll(&p, 1, &t, NULL);
	return sd_event_run(s->event, 0);
}

int
server_run(struct server *s, void (*ready)(void))
{
	int r = sd_event_new(&s->event);

	if (r < 0)
		return r;
	r = watch_signals(s);
	if (r >= 0)
		r = attach_listen(s);
	if (r >= 0)
		r = operators_listen(s);
	if (r >= 0)
		r = vca_start(s);
	if (r < 0)
		goto out;
	prctl(PR_SET_TIMERSLACK, 1UL);
	ready();
	while (!s->stop && r >= 0) {
		r = sleep_and_run(s, loop_turn(s));
		if (r == -EINTR)
			r = 0;
	}
out:
	vca_close_all(s);
	operators_close_all(s);
	attach_close_all(s);
	s->event = sd_event_unref(s->event);
	return r < 0 ? r : 0;
}
