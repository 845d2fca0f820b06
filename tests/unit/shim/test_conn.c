/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_conn.c - requests of the shim to a server that answers rightly, wrongly, or not at all.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sim/shim/conn.c"      /* with the real.c of this test */

static unsigned closed;

static int
count_close(int fd)
{
	closed++;
	return close(fd);
}

const struct real *
real_libc(void)
{
	static const struct real table = { .close = count_close };

	return &table;
}

/* Both ends of a connection; the test is the server. */
struct pair {
	int shim, server;
};

static int
conn_begin(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	p->shim = fds[0];
	p->server = fds[1];
	*state = p;
	return 0;
}

static int
conn_end(void **state)
{
	struct pair *p = *state;

	close(p->shim);
	if (p->server >= 0)
		close(p->server);
	free(p);
	return 0;
}

/* The reply waits before the request is sent: nobody blocks. */
static void
reply(struct pair *p, const void *bytes, size_t n, const int *fds, unsigned nfds)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(4 * sizeof(int))];
	} control = { 0 };
	struct iovec v = { (void *)(uintptr_t)bytes, n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	if (nfds) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		CMSG_FIRSTHDR(&m)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&m)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&m)->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), fds, nfds * sizeof(int));
	}
	assert_int_equal(sendmsg(p->server, &m, 0), n);
}

static void
a_request_and_its_reply(void **state)
{
	struct shim_reply want = { .magic = SHIM_MAGIC, .id = 17 }, a;
	struct shim_request q = { .op = SHIM_REGISTER, .node = 3, .port = 2, .oui = 0x1405 }, got;
	struct pair *p = *state;
	int fds[2] = { 5, 5 };

	reply(p, &want, sizeof(want), NULL, 0);
	errno = EDOM;
	assert_int_equal(conn_request(p->shim, &q, &a, fds), 0);
	assert_int_equal(errno, EDOM); /* the program's errno is its own */
	assert_int_equal(a.id, 17);
	assert_int_equal(fds[0], -1); /* no descriptors came */
	assert_int_equal(fds[1], -1);
	assert_int_equal(recv(p->server, &got, sizeof(got), 0), sizeof(got));
	assert_int_equal(got.magic, SHIM_MAGIC);
	assert_int_equal(got.op, SHIM_REGISTER);
	assert_int_equal(got.node, 3);
	assert_int_equal(got.port, 2);
	assert_int_equal(got.oui, 0x1405);
	/* The error of a reply. */
	want.error = -EBUSY;
	reply(p, &want, sizeof(want), NULL, 0);
	assert_int_equal(conn_request(p->shim, &q, &a, NULL), -EBUSY);
}

static void
descriptors(void **state)
{
	struct shim_reply want = { .magic = SHIM_MAGIC }, a;
	struct shim_request q = { .op = SHIM_OPEN };
	struct pair *p = *state;
	int sent[2], fds[2];
	struct stat x, y;

	assert_int_equal(pipe(sent), 0);
	reply(p, &want, sizeof(want), sent, 2);
	assert_int_equal(conn_request(p->shim, &q, &a, fds), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fstat(sent[i], &x), 0);
		assert_int_equal(fstat(fds[i], &y), 0);
		assert_true(x.st_ino == y.st_ino && sent[i] != fds[i]);
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		close(fds[i]);
	}
	/* One instead of two is none. */
	reply(p, &want, sizeof(want), sent, 1);
	assert_int_equal(conn_request(p->shim, &q, &a, fds), 0);
	assert_int_equal(fds[0], -1);
	assert_int_equal(fds[1], -1);
	close(sent[0]);
	close(sent[1]);
}

static void
a_server_of_another_kind(void **state)
{
	struct shim_reply want = { .magic = SHIM_MAGIC + 1 }, a;
	struct shim_request q = { .op = SHIM_CA };
	struct pair *p = *state;

	reply(p, &want, sizeof(want), NULL, 0);
	assert_int_equal(conn_request(p->shim, &q, &a, NULL), -EIO);
	want.magic = SHIM_MAGIC;
	reply(p, &want, sizeof(want) - 1, NULL, 0);
	assert_int_equal(conn_request(p->shim, &q, &a, NULL), -EIO);
	close(p->server); /* and one that is gone: no SIGPIPE */
	p->server = -1;
	errno = EDOM;
	assert_int_equal(conn_request(p->shim, &q, &a, NULL), -EIO);
	assert_int_equal(errno, EDOM);
	assert_int_equal(conn_request(-1, &q, &a, NULL), -EIO);
}

static void
nodes(void **state)
{
	uint32_t node = 99;
	unsigned port = 99;

	(void)state;
	unsetenv(SHIM_ENV_NODE);
	unsetenv(SHIM_ENV_PORT);
	assert_false(conn_node(&node, &port));
	setenv(SHIM_ENV_NODE, "", 1);
	assert_false(conn_node(&node, &port));
	assert_int_equal(node, 99);
	setenv(SHIM_ENV_NODE, "41", 1);
	assert_true(conn_node(&node, &port));
	assert_int_equal(node, 41);
	assert_int_equal(port, 0); /* choose */
	setenv(SHIM_ENV_PORT, "2", 1);
	assert_true(conn_node(&node, &port));
	assert_int_equal(port, 2);
}

static void *
serve_one(void *arg)
{
	struct shim_reply a = { .magic = SHIM_MAGIC, .ca = { .nports = 2 } };
	struct shim_request q;
	int fd = accept(*(int *)arg, NULL, NULL);

	if (recv(fd, &q, sizeof(q), 0) == sizeof(q)) {
		a.ca.node_guid = q.node;
		if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) < 0)
			abort();
	}
	close(fd);
	return NULL;
}

static void
where_the_server_is(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct shim_request q = { .op = SHIM_CA, .node = 5 };
	char dir[] = "/tmp/heddle-conn-XXXXXX", longest[300];
	struct shim_reply got;
	pthread_t thread;
	int listener;

	(void)state;
	unsetenv(SHIM_ENV_SOCKET);
	assert_int_equal(conn_open(), -EIO);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	setenv(SHIM_ENV_SOCKET, longest, 1);
	assert_int_equal(conn_open(), -EIO);
	assert_non_null(mkdtemp(dir));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/umad", dir);
	setenv(SHIM_ENV_SOCKET, a.sun_path, 1);
	closed = 0;
	assert_int_equal(conn_ask(&q, &got), -EIO); /* nobody is there */
	assert_int_equal(closed, 1);
	listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(listener, 4), 0);
	assert_int_equal(pthread_create(&thread, NULL, serve_one, &listener), 0);
	assert_int_equal(conn_ask(&q, &got), 0);
	assert_int_equal(got.ca.nports, 2);
	assert_int_equal(got.ca.node_guid, 5);
	assert_int_equal(closed, 2); /* a connection of its own */
	pthread_join(thread, NULL);
	close(listener);
	unlink(a.sun_path);
	rmdir(dir);
}

#define T(f) cmocka_unit_test_setup_teardown(f, conn_begin, conn_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_request_and_its_reply),
		T(descriptors),
		T(a_server_of_another_kind),
		cmocka_unit_test(nodes),
		cmocka_unit_test(where_the_server_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
