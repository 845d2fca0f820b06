/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shim-stress.c - threads, forks and waiting in odd orders on one device; run by sim-shim.sh on a host of a simulated
 * fabric.  Prints TAP.  "shim-stress wait" waits with epoll for the end of the server and prints what umad_recv() says.
 * SHIM_STRESS multiplies how much is done.
 */
#include <config.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/umad.h>
#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "tests/system/shim-tap.h"

static unsigned much = 1;

/* NodeInfo of the switch, by directed route. */
static int
ask(int port, int agent, uint32_t tid)
{
	uint8_t umad[64 + 256] = { 0 }, path[64] = { 0, 1 };
	struct dgram_smp s = { .method = METHOD_GET, .attr_id = NODE_INFO_ID, .tid = tid, .hop_count = 1, .path = path };

	dgram_smp_make(umad_get_mad(umad), &s);
	umad_set_addr(umad, 0xffff, 0, 0, 0);
	return umad_send(port, agent, umad, 256, WAIT_MS, 0);
}

/* The TID's low half of the next message, or a negative errno. */
static int
answer(int port, int timeout_ms)
{
	uint8_t umad[64 + 256];
	int bytes = 256, r = umad_recv(port, umad, &bytes, timeout_ms);

	return r < 0 ? r : (int)(uint32_t)dgram_tid(umad_get_mad(umad));
}

static int
open_port(int *agent)
{
	int port = umad_open_port(NULL, 0);

	*agent = umad_register(port, CLASS_SM_DR, 1, 0, NULL);
	return port;
}

static int
watch(int port, uint32_t how)
{
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event e = { .events = EPOLLIN | how };

	epoll_ctl(ep, EPOLL_CTL_ADD, umad_get_fd(port), &e);
	return ep;
}

/* One read for each time that epoll says so; as everywhere, it may say so once too often. */
static int
wait_and_answer(int ep, int port)
{
	struct epoll_event e;
	int r = -EAGAIN, n;

	for (int i = 0; i < 100 && r == -EAGAIN; i++) {
		do
			n = epoll_wait(ep, &e, 1, WAIT_MS);
		while (n < 0 && errno == EINTR);
		r = n == 1 ? answer(port, 0) : -ETIMEDOUT;
	}
	return r;
}

static uint32_t
random_below(uint32_t n)
{
	static uint32_t seed = 1;

	seed = seed * 1103515245 + 12345;
	return seed / 65536 % n;
}

/* ---- waiting ---- */

/* A program that takes one message for each time its descriptor is readable, whatever else is queued, and never more. */
static void
test_one_at_a_time(bool drained)
{
	int agent, port = open_port(&agent), ep = watch(port, 0);
	uint32_t sent = 0, got = 0, rounds = 5000 * much;
	bool good = true;

	if (drained)            /* once it has looked in vain, as one that always takes all */
		good = ask(port, agent, sent++) == 0 && wait_and_answer(ep, port) == (int)got++ && answer(port, 0) == -EAGAIN;
	while (rounds-- && good) {
		for (uint32_t n = random_below(4); n; n--)
			good &= ask(port, agent, sent++) == 0;
		for (uint32_t n = random_below(4); n && got < sent && good; n--)
			good = wait_and_answer(ep, port) == (int)got++;
	}
	while (got < sent && good)
		good = wait_and_answer(ep, port) == (int)got++;
	tap_check(good,
		drained ? "one message for each wake-up, after all were taken once" :
			  "one message for each wake-up");
	close(ep);
	umad_close_port(port);
}

/* Woken by what comes only: one question at a time is answered, also after nothing was found once, and a burst is taken to its end. */
static void
test_edges(void)
{
	int agent, port = open_port(&agent), ep = watch(port, 0);
	uint32_t tid = 0;
	bool good = ask(port, agent, tid) == 0 && wait_and_answer(ep, port) == (int)tid && answer(port, 0) == -EAGAIN;

	close(ep);                      /* before it waited otherwise */
	ep = watch(port, EPOLLET);
	for (uint32_t n = 3000 * much; n && good; n--)
		good = ask(port, agent, ++tid) == 0 && wait_and_answer(ep, port) == (int)tid && (n % 2 || answer(port, 0) == -EAGAIN);
	tap_check(good, "a program that waits for edges");
	close(ep);
	umad_close_port(port);
}

enum taking { TAKES_ONE, TAKES_ALL, TAKES_EDGES, TAKINGS };
static const char *const taking_names[] = { "takes one at a time", "takes all there is", "takes all there is, and waits for edges" };

/* Receives 'n' in order, one for each wake-up or all there are, and says so at the end of each burst. */
static int
receive_bursts(int port, int ep, int from, int to, enum taking how)
{
	uint32_t tid = 0, until;

	while (read(from, &until, sizeof(until)) == sizeof(until)) {
		while (tid < until) {
			int r = wait_and_answer(ep, port);

			if (r != (int)tid++)
				return 1;
			while (how != TAKES_ONE && (r = answer(port, 0)) >= 0)
				if (r != (int)tid++)
					return 1;
		}
		if (write(to, &tid, sizeof(tid)) != sizeof(tid))
			return 1;
	}
	return 0;
}

/* One process sends, its fork waits and receives; now and then it is stopped.  No wake-up is lost. */
static void
test_bursts(enum taking how)
{
	int agent, port = open_port(&agent), there[2], back[2], status = -1;
	uint32_t sent = 0, seen = 0, rounds = 10000 * much;
	char name[80];
	pid_t child;

	if (pipe(there) || pipe(back))
		exit(99);
	child = fork();
	if (!child) {
		close(there[1]);
		close(back[0]);
		_exit(receive_bursts(port, watch(port, how == TAKES_EDGES ? EPOLLET : 0), there[0], back[1], how));
	}
	close(there[0]);
	close(back[1]);
	for (; rounds && seen == sent; rounds--) {
		uint32_t until = sent + 1 + random_below(5);

		if (write(there[1], &until, sizeof(until)) != sizeof(until))
			break;
		if (rounds % 100 == 0)
			kill(child, SIGSTOP);
		while (sent < until && ask(port, agent, sent) == 0) {
			sent++;
			for (volatile uint32_t n = random_below(2000); n; n--)
				;
		}
		if (rounds % 100 == 0) {
			usleep(random_below(200));
			kill(child, SIGCONT);
		}
		if (read(back[0], &seen, sizeof(seen)) != sizeof(seen))
			break;
	}
	close(there[1]);
	waitpid(child, &status, 0);
	snprintf(name, sizeof(name), "bursts to a fork that %s", taking_names[how]);
	tap_check(!rounds && seen == sent && status == 0, name);
	close(back[0]);
	umad_close_port(port);
}

/* ---- threads and forks ---- */

#define EACH 3000u

struct crowd {
	int port, agent;
	_Atomic uint32_t next, got, wrong;
	_Atomic uint8_t seen[4 * EACH];
};

/* Sends as many as its share and receives whatever comes until all of all have come. */
static void *
member(void *arg)
{
	struct crowd *c = arg;
	uint32_t all = 4 * EACH;

	for (uint32_t i = 0; atomic_load(&c->got) < all && !atomic_load(&c->wrong); i++) {
		int r;

		if (i < EACH && ask(c->port, c->agent, atomic_fetch_add(&c->next, 1)))
			atomic_fetch_add(&c->wrong, 1);
		r = answer(c->port, i < EACH ? 0 : 50);
		if (r >= 0 && (r >= (int)all || atomic_fetch_add(&c->seen[r], 1)))
			atomic_fetch_add(&c->wrong, 1);
		else if (r >= 0)
			atomic_fetch_add(&c->got, 1);
		else if (r != -EAGAIN && r != -ETIMEDOUT)
			atomic_fetch_add(&c->wrong, 1);
	}
	return NULL;
}

/* Two threads, a fork while they are at it, and another: four senders and receivers of one device. */
static void
test_crowd(void)
{
	struct crowd *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[2];
	pid_t children[2];
	int status;

	if (c == MAP_FAILED)
		exit(99);
	c->port = open_port(&c->agent);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, member, c);
	for (int i = 0; i < 2; i++) {
		usleep(1000);
		children[i] = fork();
		if (!children[i]) {
			member(c);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		if (waitpid(children[i], &status, 0) != children[i] || status)
			atomic_fetch_add(&c->wrong, 1);
	tap_check(!c->wrong && c->got == 4 * EACH,
		"two threads and two forks: every answer to one of them");
	umad_close_port(c->port);
	munmap(c, sizeof(*c));
}

/* A fork that dies in the middle of whatever it does: the others go on. */
static void
test_killed_fork(void)
{
	int agent, port = open_port(&agent), ep = watch(port, 0);
	bool good = true;

	for (unsigned i = 0; i < 200 * much && good; i++) {
		uint32_t mark = 0x40000000 + i;
		pid_t child = fork();
		int r;

		if (!child)
			for (uint32_t n = 0;; n++) {
				ask(port, agent, n);
				answer(port, 0);
			}
		usleep(random_below(500));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		good = ask(port, agent, mark) == 0;
		do
			r = wait_and_answer(ep, port);
		while (good && r >= 0 && r != (int)mark);
		good &= r == (int)mark;
	}
	tap_check(good, "a fork is killed, the device is whole");
	close(ep);
	umad_close_port(port);
}

struct user {
	int port, agent, timeout_ms;
	bool sends;
	_Atomic uint32_t times;
	int last;
};

/* Uses a device until it is closed. */
static void *
user(void *arg)
{
	struct user *u = arg;

	do {
		u->last = u->sends ? ask(u->port, u->agent, 1) : answer(u->port, u->timeout_ms);
		atomic_fetch_add(&u->times, 1);
	} while (u->last >= 0 || u->last == -EAGAIN || u->last == -ETIMEDOUT);
	return NULL;
}

static void
test_close(void)
{
	unsigned before = open_descriptors(), good = 0, rounds = 100 * much;

	for (unsigned i = 0; i < rounds; i++) {
		int agent, port = open_port(&agent);
		struct user users[4] = {
			{ .sends = true }, { .sends = true }, { .timeout_ms = 0 }, { .timeout_ms = 1 },
		};
		pthread_t threads[4];
		unsigned ends = 0;

		for (int k = 0; k < 4; k++) {
			users[k].port = port;
			users[k].agent = agent;
			pthread_create(&threads[k], NULL, user, &users[k]);
		}
		usleep(random_below(2000));
		umad_close_port(port);
		for (int k = 0; k < 4; k++) {
			pthread_join(threads[k], NULL);
			ends += users[k].last == -EBADF || users[k].last == -EIO;
		}
		good += ends == 4;
	}
	tap_check(good == rounds, "a device is closed while four threads use it");
	tap_check(open_descriptors() == before, "and nothing is left open");
}

/* A sender that nobody answers waits for room, a close ends that. */
static void
test_close_full(pid_t server)
{
	int agent, port = open_port(&agent);
	struct user u = { .port = port, .agent = agent, .sends = true };
	uint32_t before, times = 0;
	pthread_t thread;
	pid_t child;

	kill(server, SIGSTOP);
	pthread_create(&thread, NULL, user, &u);
	do {
		before = times;
		usleep(200000);
		times = atomic_load(&u.times);
	} while (times < 800 || times != before);       /* the ring holds so many */
	child = fork();                 /* not for ever behind the one that waits */
	if (!child) {
		ask(port, agent, 1);
		_exit(0);
	}
	umad_close_port(port);
	pthread_join(thread, NULL);
	kill(server, SIGCONT);
	tap_check(u.last == -EIO || u.last == -EBADF,
		"a device is closed while a thread waits for room");
	tap_check(waitpid(child, &u.last, 0) == child && u.last == 0, "a fork meanwhile goes on");
}

static int
wait_for_end(void)
{
	int agent, port = open_port(&agent), ep = watch(port, 0), r = -EAGAIN, looks = 0;
	struct epoll_event e;

	puts("waiting");
	fflush(stdout);
	while (r == -EAGAIN && looks < 10000000) {
		if (epoll_wait(ep, &e, 1, -1) == 1)
			looks++;
		r = answer(port, 0);
	}
	printf("%d %d\n", r == -EIO, answer(port, 0) == -EIO);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *more = getenv("SHIM_STRESS"), *server = getenv("SHIM_SERVER");

	if (argc > 1 && !strcmp(argv[1], "wait"))
		return wait_for_end();
	much = more ? (unsigned)atoi(more) : 1;
	test_one_at_a_time(false);
	test_one_at_a_time(true);
	test_close();
	test_crowd();
	test_edges();
	for (enum taking how = 0; how < TAKINGS; how++)
		test_bursts(how);
	test_killed_fork();
	if (server)
		test_close_full((pid_t)atoi(server));
	printf("1..%u\n", count);
	return failed ? 1 : 0;
}
