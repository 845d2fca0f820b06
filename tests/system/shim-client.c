/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shim-client.c - a program that uses libibumad and knows what each call must say; run by sim-shim.sh on a host of a
 * simulated fabric.  "shim-client" prints TAP; "shim-client wait" blocks in umad_recv() and prints what it returns;
 * "shim-client junk" writes nonsense into the shared memory and lives on.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/umad.h>
#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "tests/system/shim-tap.h"

#define LONG_BYTES (3u << 20)

static uint8_t buffer[64 + 512];

static int
send_smp(int fd, int agent, void *umad, uint8_t method, uint16_t attr, const uint8_t *data, uint32_t tid, uint8_t hops,
	uint8_t port, int timeout_ms)
{
	uint8_t path[64] = { 0, port, 64 };             /* no switch has a port 64: two hops end nowhere */
	struct dgram_smp s = { .method = method, .attr_id = attr, .tid = tid, .hop_count = hops, .path = path, .data = data };

	memset(umad, 0, umad_size() + 256);
	dgram_smp_make(umad_get_mad(umad), &s);
	umad_set_addr(umad, 0xffff, 0, 0, 0);
	return umad_send(fd, agent, umad, 256, timeout_ms, 0);
}

static int
ask(int fd, int agent, uint32_t tid)
{
	return send_smp(fd, agent, buffer, METHOD_GET, NODE_INFO_ID, NULL, tid, 1, 1, WAIT_MS);
}

/* The TID's low half of the next message, or a negative errno. */
static int
answer(int fd, int timeout_ms)
{
	int bytes = 256, r = umad_recv(fd, buffer, &bytes, timeout_ms);

	return r < 0 ? r : (int)(uint32_t)dgram_tid(umad_get_mad(buffer));
}

static bool
readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 && (p.revents & POLLIN);
}

/* ---- what there is ---- */

static void
test_info(void)
{
	char names[4][UMAD_CA_NAME_LEN];
	struct umad_device_node *list;
	__be64 guids[4] = { 0 };
	umad_port_t port;
	umad_ca_t ca;

	tap_check(umad_init() == 0, "umad_init");
	tap_check(umad_get_cas_names(names, 4) == 1 && access("/sys/class/infiniband/hsim0", F_OK),
		"one CA");
	list = umad_get_ca_device_list();
	tap_check(list && !list->next && !strcmp(list->ca_name, names[0]), "and a list of one");
	umad_free_ca_device_list(list);
	tap_check(umad_get_ca(names[0], &ca) == 0 && ca.numports == 1 && ca.ports[1] &&
			ca.node_type == 1,
		"umad_get_ca");
	tap_check(umad_get_ca_portguids(NULL, guids, 4) == 2 &&
			guids[1] == ca.ports[1]->port_guid && !guids[0],
		"umad_get_ca_portguids");
	tap_check(umad_get_ca_portguids(NULL, guids, 1) == -ENOMEM,
		"umad_get_ca_portguids without room");
	umad_release_ca(&ca);
	tap_check(umad_get_port(NULL, 0, &port) == 0 && port.portnum == 1 && port.state == 2 &&
			port.phys_state == 5 && port.pkeys_size > 0 && port.pkeys[0] == 0xffff &&
			!strcmp(port.link_layer, "InfiniBand"),
		"umad_get_port");
	umad_release_port(&port);
	tap_check(umad_get_port(names[0], 2, &port) == -EIO,
		"umad_get_port of a port that is not there");
	tap_check(umad_get_ca("mlx5_7", &ca) < 0, "umad_get_ca of another CA");
	tap_check(umad_open_port("mlx5_7", 1) == -EINVAL && umad_open_port(names[0], 2) == -EINVAL,
		"umad_open_port of others");
	tap_check(umad_size() == 56, "umad_size, while no port was opened");
}

static void
test_files(void)
{
	char path[256], text[64] = "", names[4][UMAD_CA_NAME_LEN];
	int a, b, fd;

	umad_get_cas_names(names, 4);
	tap_check(umad_get_issm_path(NULL, 0, path, sizeof(path)) == 0, "umad_get_issm_path");
	a = open(path, O_RDWR);
	tap_check(a >= 0, "the issm device opens");
	b = open(path, O_RDWR | O_NONBLOCK);
	tap_check(b < 0 && errno == EAGAIN, "once");
	close(a);
	b = -1;
	for (int i = 0; i < 100 && b < 0; i++) {
		b = open(path, O_RDWR | O_NONBLOCK);
		usleep(1000);
	}
	tap_check(b >= 0, "and again when it was closed");
	close(b);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/rate", names[0]);
	fd = open(path, O_RDONLY);
	tap_check(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 &&
			!strcmp(text, "200 Gb/sec (4X HDR)\n"),
		"the rate file");
	close(fd);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/7/rate", names[0]);
	tap_check(open(path, O_RDONLY) < 0 && errno == ENOENT, "of one port");
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	tap_check(fd >= 0 && write(fd, "x", 1) == 1 && read(fd, text, 1) == 0 && close(fd) == 0,
		"other files as ever");
}

/* ---- agents ---- */

static void
test_agents(int fd)
{
	long mask[16 / sizeof(long)] = { 1 << METHOD_GET };
	uint8_t oui[3] = { 0, 0x14, 0x05 };
	struct umad_reg_attr a = { .mgmt_class = 0x32, .mgmt_class_version = 1, .flags = 0xff00, .oui = 0x001405 };
	uint32_t id;
	int one, two;

	one = umad_register(fd, CLASS_PM, 1, 0, mask);
	tap_check(one >= 0, "umad_register");
	tap_check(umad_register(fd, CLASS_PM, 1, 0, mask) == -EPERM, "twice the same: -EPERM");
	two = umad_register_oui(fd, 0x32, 0, oui, mask);
	tap_check(two > one, "umad_register_oui");
	tap_check(umad_register_oui(fd, 0x04, 0, oui, mask) == -EINVAL,
		"of a class without OUI: -EINVAL");
	tap_check(umad_register2(fd, &a, &id) == EINVAL && a.flags == 0,
		"umad_register2 knows no such flags");
	a.flags = 0;
	a.oui = 0;
	tap_check(umad_register2(fd, &a, &id) == EINVAL, "and wants an OUI");
	a.oui = 0x001405;
	a.method_mask[0] = 1 << METHOD_SET;
	tap_check(umad_register2(fd, &a, &id) == 0 && (int)id == two + 1, "umad_register2");
	tap_check(umad_unregister(fd, one) == 0 && umad_unregister(fd, two) == 0 &&
			umad_unregister(fd, (int)id) == 0,
		"umad_unregister");
	tap_check(umad_unregister(fd, one) == -1 && errno == EINVAL, "once only");
}

/* ---- sends and receives ---- */

static void
test_refusals(int fd, int agent)
{
	int bytes = 256;

	tap_check(umad_recv(fd, buffer, &bytes, 0) == -EAGAIN && errno == EAGAIN,
		"nothing there: -EAGAIN");
	tap_check(umad_recv(fd, buffer, &bytes, 20) == -ETIMEDOUT, "nothing comes: -ETIMEDOUT");
	tap_check(umad_poll(fd, 20) == -ETIMEDOUT, "umad_poll says so, too");
	tap_check(umad_recv(fd, NULL, &bytes, 0) == -EINVAL &&
			umad_recv(fd, buffer, NULL, 0) == -EINVAL,
		"no buffer: -EINVAL");
	tap_check(
		ask(fd, agent + 1, 1) == -EIO && errno == EIO, "an agent that is none: -EIO, EIO");
	tap_check(ask(fd, 32, 1) == -EIO && errno == EINVAL, "nor can be: EINVAL");
	tap_check(umad_send(fd, agent, buffer, 35, 10, 0) == -EIO && errno == EINVAL,
		"shorter than a header");
	tap_check(umad_send(fd, agent, buffer, 257, 10, 0) == -EIO && errno == EINVAL,
		"longer than a MAD");
	tap_check(
		send_smp(fd, agent, buffer, METHOD_GET, NODE_INFO_ID, NULL, 1, 1, 2, 10) == -EIO &&
			errno == EINVAL,
		"a directed route out of another port");
	tap_check(umad_send(-1, agent, buffer, 256, 10, 0) == -EIO && errno == EBADF,
		"a descriptor that is none");
	tap_check(!readable(fd, 0), "and nothing was sent");
}

static void
test_round_trips(int fd, int agent)
{
	int bytes = 100, r;

	tap_check(ask(fd, agent, 7) == 0, "umad_send");
	tap_check(umad_poll(fd, WAIT_MS) == 0, "umad_poll sees the answer");
	tap_check(umad_recv(fd, buffer, &bytes, 0) == -EINVAL,
		"it does not fit into 100 bytes: -EINVAL");
	bytes = 256;
	r = umad_recv(fd, buffer, &bytes, 0);
	tap_check(r == agent && bytes == 256 && umad_status(buffer) == 0, "it is still there");
	tap_check(dgram_method(umad_get_mad(buffer)) == METHOD_GET_RESP &&
			umad_get_mad_addr(buffer)->qpn == 0 &&
			((struct ib_user_mad *)buffer)->length == 320,
		"the answer");
	tap_check(umad_poll(fd, 0) == -ETIMEDOUT, "no more");
	tap_check(send_smp(fd, agent, buffer, METHOD_GET, NODE_INFO_ID, NULL, 9, 2, 1, 50) == 0,
		"a question that ends nowhere");
	bytes = 256;
	r = umad_recv(fd, buffer, &bytes, WAIT_MS);
	tap_check(r == agent && bytes == 24 && umad_status(buffer) == ETIMEDOUT &&
		(uint32_t)dgram_tid(umad_get_mad(buffer)) == 9, "comes back: 24 bytes, ETIMEDOUT");
}

/* Whether epoll says so.  A process that was stopped meanwhile is told EINTR, without a handler of any signal. */
static bool
epolled(int ep, int timeout_ms)
{
	struct epoll_event e;
	int n;

	do
		n = epoll_wait(ep, &e, 1, timeout_ms);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* The next answer, read only when epoll says so; as everywhere, it may say so once too often. */
static int
wait_and_answer(int ep, int port)
{
	int r = -EAGAIN;

	for (int i = 0; i < 100 && r == -EAGAIN; i++)
		r = epolled(ep, WAIT_MS) ? answer(port, 0) : -ETIMEDOUT;
	return r;
}

/* Nothing to wait for any more. The byte that announced a message which was read already may come late: once. */
static bool
quiet(int ep, int port)
{
	if (!epolled(ep, 20))
		return true;
	return answer(port, 0) == -EAGAIN && !epolled(ep, 20);
}

/* The descriptor for all ways to wait. */
static void
test_descriptor(int port)
{
	int fd = umad_get_fd(port), agent = umad_register(port, CLASS_SM_DR, 1, 0, NULL), ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event e = { .events = EPOLLIN };
	struct timeval t = { WAIT_MS / 1000, 0 };
	bool good = true;
	fd_set set;

	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
	tap_check(!readable(fd, 0) && !epolled(ep, 0), "an idle descriptor is not readable");
	ask(port, agent, 1);
	tap_check(readable(fd, WAIT_MS), "poll sees a message");
	tap_check(epolled(ep, WAIT_MS), "epoll sees it");
	FD_ZERO(&set);
	FD_SET(fd, &set);
	tap_check(
		select(fd + 1, &set, NULL, NULL, &t) == 1 && FD_ISSET(fd, &set), "select sees it");
	tap_check(answer(port, 0) == 1 && answer(port, 0) == -EAGAIN, "it is read");
	tap_check(!readable(fd, 0) && quiet(ep, port), "and the descriptor is quiet");
	for (int round = 0; round < 2000 && good; round++) {    /* one read for each time it is readable */
		for (uint32_t i = 0; i < 3; i++)
			ask(port, agent, 10 + i);
		for (int i = 0; i < 3 && good; i++)
			good = wait_and_answer(ep, port) == 10 + i;
	}
	tap_check(good, "readable while a message is left, 2000 times");
	send_smp(port, agent, buffer, METHOD_GET, NODE_INFO_ID, NULL, 77, 2, 1, 50);
	tap_check(wait_and_answer(ep, port) == 77, "readable when a send has expired");
	close(ep);
	umad_unregister(port, agent);
}

/* More than the ring holds, none lost, in order. */
static void
test_flood(int port)
{
	int agent = umad_register(port, CLASS_SM_DR, 1, 0, NULL);
	bool good = true;

	for (uint32_t i = 0; i < 6000 && good; i++)
		good = ask(port, agent, i) == 0;
	tap_check(good, "6000 sends without a look at the answers");
	usleep(20000);
	for (int i = 0; i < 6000 && good; i++)
		good = readable(port, WAIT_MS) && answer(port, 0) == i;
	tap_check(good && !readable(port, 0), "6000 answers in order");
	umad_unregister(port, agent);
}

/* ---- long messages, to ourselves ---- */

static void
set_own_lid(int fd, int agent)
{
	uint8_t data[64];
	struct port_info pi;

	send_smp(fd, agent, buffer, METHOD_GET, PORT_INFO_ID, NULL, 1, 0, 1, WAIT_MS);
	answer(fd, WAIT_MS);
	memcpy(data, (uint8_t *)umad_get_mad(buffer) + 64, 64);
	pi = port_info_decode(data);
	pi.lid = pi.master_sm_lid = 1;
	pi.state = pi.phys_state = 0;
	port_info_encode(data, &pi);
	send_smp(fd, agent, buffer, METHOD_SET, PORT_INFO_ID, data, 2, 0, 1, WAIT_MS);
	answer(fd, WAIT_MS);
}

static uint8_t
pattern(uint32_t i)
{
	return (uint8_t)(i * 131 + i / 251);
}

static void
test_long(int port, uint32_t length)
{
	long mask[16 / sizeof(long)] = { 1 << METHOD_GET };
	int server = umad_open_port(NULL, 0), sa, ca, bytes = 256, r;
	uint8_t *u = calloc(1, umad_size() + length), *v = calloc(1, umad_size() + length), *mad = umad_get_mad(u);
	bool same = true;

	sa = umad_register(server, 0x32, 1, 1, mask);
	ca = umad_register(port, 0x32, 1, 1, NULL);
	memcpy(mad, (const uint8_t[]){ 1, 0x32, 1, METHOD_GET }, 4);
	wire_put64(mad + 8, 42);
	mad[26] = RMPP_FLAG_ACTIVE;
	wire_put32(mad + 36, 0x001405);
	for (uint32_t i = 40; i < length; i++)
		mad[i] = pattern(i);
	umad_set_addr(u, 1, 1, 0, (int)QKEY_GSI);
	tap_check(umad_send(port, ca, u, (int)length, WAIT_MS, 0) == 0, "a long message");
	r = umad_recv(server, v, &bytes, WAIT_MS);
	tap_check(r == -ENOSPC && bytes == (int)length, "does not fit: -ENOSPC and its length");
	tap_check(readable(server, 0), "the descriptor stays readable");
	r = umad_recv(server, v, &bytes, 0);
	for (uint32_t i = 40; i < length && same; i++)
		same = ((uint8_t *)umad_get_mad(v))[i] == pattern(i);
	tap_check(r == sa && bytes == (int)length && same, "read whole with more room");
	tap_check(!readable(server, 0), "and gone");
	((uint8_t *)umad_get_mad(v))[3] = METHOD_GET_RESP;
	tap_check(umad_send(server, sa, v, (int)length, 0, 0) == 0, "as long an answer");
	memset(u, 0, umad_size() + length);
	bytes = (int)length;
	r = umad_recv(port, u, &bytes, WAIT_MS);
	for (uint32_t i = 40; i < length && same; i++)
		same = mad[i] == pattern(i);
	tap_check(r == ca && bytes == (int)length && same && (uint32_t)dgram_tid(mad) == 42,
		"comes back whole");
	umad_close_port(server);
	umad_unregister(port, ca);
	free(u);
	free(v);
}

/* ---- several at once ---- */

#define MANY 20000

struct job {
	int port, agent;
	unsigned got;
};

static void *
receiver(void *arg)
{
	struct job *j = arg;
	uint8_t mine[64 + 256];

	while (j->got < MANY) {
		int bytes = 256;

		if (umad_recv(j->port, mine, &bytes, WAIT_MS) < 0)
			break;
		j->got++;
	}
	return NULL;
}

static void
test_threads(int port)
{
	struct job j = { .port = port, .agent = umad_register(port, CLASS_SM_DR, 1, 0, NULL) };
	pthread_t thread;

	pthread_create(&thread, NULL, receiver, &j);
	for (uint32_t i = 0; i < MANY; i++)
		ask(port, j.agent, i);
	pthread_join(thread, NULL);
	tap_check(j.got == MANY, "one thread sends, another receives");
	umad_unregister(port, j.agent);
}

static void *
sleeper(void *arg)
{
	int bytes = 256;

	umad_recv(*(int *)arg, buffer, &bytes, -1);
	return NULL;
}

static void
test_cancel(void)
{
	int port = umad_open_port(NULL, 0), agent = umad_register(port, CLASS_SM_DR, 1, 0, NULL);
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, &port);
	usleep(20000);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	tap_check(ask(port, agent, 5) == 0 && answer(port, WAIT_MS) == 5,
		"a receiver is cancelled, others go on");
	umad_close_port(port);
	tap_check(ask(port, agent, 6) == -EIO, "closed is closed");
}

static void
test_fork(int port)
{
	int agent = umad_register(port, CLASS_SM_DR, 1, 0, NULL), status = -1;
	pid_t child;

	ask(port, agent, 1);
	answer(port, WAIT_MS);
	child = fork();
	if (!child) {
		bool good = ask(port, agent, 2) == 0 && answer(port, WAIT_MS) == 2;

		umad_close_port(port);
		_exit(good ? 0 : 1);
	}
	waitpid(child, &status, 0);
	tap_check(status == 0, "a fork goes on where its parent was");
	tap_check(ask(port, agent, 3) == 0 && answer(port, WAIT_MS) == 3,
		"and the parent where its fork was");
	umad_unregister(port, agent);
}

static void
test_leaks(void)
{
	unsigned before = open_descriptors();

	for (int i = 0; i < 200; i++)
		umad_close_port(umad_open_port(NULL, 0));
	tap_check(open_descriptors() == before, "200 opens and closes leave no descriptor");
}

static int
wait_for_end(void)
{
	int port = umad_open_port(NULL, 0), bytes = 256, r;

	umad_register(port, CLASS_SM_DR, 1, 0, NULL);
	puts("waiting");
	fflush(stdout);
	r = umad_recv(port, buffer, &bytes, -1);
	printf("%d %d\n", r == -EIO, umad_poll(port, 1000) == -EIO);
	r = umad_open_port(NULL, 0);
	printf("%d\n", r < 0);
	return 0;
}

/* Writes random bytes over everything that is shared. */
static int
be_evil(void)
{
	int port = umad_open_port(NULL, 0);
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned seed = 1;

	umad_register(port, CLASS_SM_DR, 1, 0, NULL);
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;

		if (!strstr(line, "memfd:heddle-sim") || sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		for (int round = 0; round < 200; round++) {
			volatile unsigned *p = (volatile unsigned *)from;       /* all but our own page at its end */

			for (; (unsigned long)p < to - 8192; p++)
				*p = round % 2 ? (unsigned)rand_r(&seed) & 0x3ff : (unsigned)rand_r(&seed);
			usleep(100);
		}
	}
	if (maps)
		fclose(maps);
	puts("done");
	return 0;
}

int
main(int argc, char **argv)
{
	int port, agent;

	if (argc > 1)
		return strcmp(argv[1], "wait") ? be_evil() : wait_for_end();
	test_info();
	test_files();
	port = umad_open_port(NULL, 0);
	tap_check(port >= 0, "umad_open_port");
	tap_check(umad_size() == 64 && (uint8_t *)umad_get_mad(buffer) == buffer + 64,
		"umad_size and umad_get_mad");
	test_agents(port);
	agent = umad_register(port, CLASS_SM_DR, 1, 0, NULL);
	test_refusals(port, agent);
	test_round_trips(port, agent);
	test_flood(port);
	test_threads(port);
	test_fork(port);
	test_cancel();
	set_own_lid(port, agent);
	test_long(port, 5000);
	test_long(port, LONG_BYTES);
	test_descriptor(port);
	test_flood(port);
	test_leaks();
	umad_close_port(port);
	printf("1..%u\n", count);
	return failed ? 1 : 0;
}
