/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ctl.c - clients that are polite, in pieces, many, mute, slow or hostile, on a real socket.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "ctlproto/varlink.h"
#include "sm/ctl/ctl.h"
#include "sm/ctl/limits.h"

#define SECOND 1000000

static char dir[64], path[96], logged[4096];
static struct ctl *ctl;
static struct monotime now;
static unsigned calls;
static struct ctl_peer asked_by;

static void
keep_line(void *arg, enum log_level level, const char *room, const char *line)
{
	size_t n = strlen(logged);

	(void)arg;
	snprintf(logged + n, sizeof(logged) - n, "%d %s: %s\n", (int)level, room, line);
}

static const struct log sink = { LOG_TRACE, keep_line, NULL };

static int
echo(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	assert_ptr_equal(arg, &calls);
	calls++;
	asked_by = *peer;
	assert_true(json_is_object(params));
	*reply = json_incref(params);
	return 0;
}

/* Fails with the errno it is given; says something when it is given that too. */
static int
fail_as_told(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	json_t *say = json_object_get(params, "say");

	(void)arg;
	(void)peer;
	if (say)
		*reply = json_incref(say);
	return (int)-json_integer_value(json_object_get(params, "errno"));
}

static int
large(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	static char text[4 << 20];

	(void)arg;
	(void)peer;
	(void)params;
	memset(text, 'x', sizeof(text) - 1);
	*reply = json_pack("{s:s}", "text", text);
	return 0;
}

static int
nothing(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)arg;
	(void)peer;
	(void)params;
	(void)reply;
	return 0;
}

static uint64_t tickets[CTL_CLIENTS_MAX + 8];
static unsigned ntickets;

static int
later(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)arg;
	(void)params;
	(void)reply;
	tickets[ntickets++] = peer->ticket;
	return CTL_LATER;
}

static void
answer(uint64_t ticket, int err, json_t *reply)
{
	size_t len;
	char *bytes = ctl_reply_write(err, reply, &len);

	ctl_answer(ctl, ticket, bytes, len, now);
}

static const struct ctl_method methods[] = {
	{ "io.heddle.Manager.Echo", echo },
	{ "io.heddle.Manager.Fail", fail_as_told },
	{ "io.heddle.Manager.Large", large },
	{ "io.heddle.Manager.Nothing", nothing },
	{ "io.heddle.Manager.Later", later },
};

static int
ctl_setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/heddle-ctl-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/heddled.sock", dir);
	logged[0] = '\0';
	calls = 0;
	now.us = SECOND;
	ntickets = 0;
	return ctl_open(path, methods, 5, &calls, &sink, &ctl);
}

static int
ctl_teardown(void **state)
{
	(void)state;
	ctl_close(ctl);
	ctl = NULL;
	unlink(path);
	return rmdir(dir);
}

static int
dial(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void
say(int fd, const char *bytes, size_t n)
{
	assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

/* The server works while its descriptor is readable. */
static void
turn(void)
{
	struct pollfd p = { ctl_fd(ctl), POLLIN, 0 };

	while (poll(&p, 1, 0) == 1)
		ctl_process(ctl, now);
}

/* All that comes until the server has nothing to say; "<closed>" at the end of the stream. */
static const char *
hear(int fd)
{
	static char text[65536];
	size_t n = 0;
	ssize_t r;

	do {
		turn();
		r = recv(fd, text + n, sizeof(text) - n - 16, 0);
		for (ssize_t i = 0; i < r; i++)
			if (text[n + (size_t)i] == '\0')
				text[n + (size_t)i] = '\n';
		n += r > 0 ? (size_t)r : 0;
	} while (r > 0);
	snprintf(text + n, 16, "%s", r == 0 || errno == ECONNRESET ? "<closed>" : "");
	return text;
}

#define ASK(fd, text) (say(fd, text, strlen(text) + 1), hear(fd))

static void
test_calls(void **state)
{
	int fd = dial();

	(void)state;
	assert_string_equal(ASK(fd, "{\"method\":\"io.heddle.Manager.Echo\",\"parameters\":{\"a\":1}}"),
		"{\"parameters\":{\"a\":1}}\n");
	assert_int_equal(asked_by.uid, getuid());
	assert_int_equal(asked_by.gid, getgid());
	assert_int_equal(asked_by.pid, getpid());
	assert_string_equal(ASK(fd, "{\"method\":\"io.heddle.Manager.Echo\"}"), "{\"parameters\":{}}\n");
	assert_string_equal(ASK(fd, "{\"method\":\"io.heddle.Manager.Nothing\"}"), "{\"parameters\":{}}\n");
	assert_string_equal(ASK(fd, "{\"method\":\"io.heddle.Manager.Echo\",\"oneway\":true}"), "");
	assert_int_equal(calls, 3);
	assert_string_equal(ASK(fd, "{\"method\":\"io.heddle.Manager.Foo\"}"),
		"{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{\"method\":\"io.heddle.Manager.Foo\"}}\n");
	assert_string_equal(ASK(fd, "{\"method\":\"io.heddle.Other.Foo\"}"),
		"{\"error\":\"org.varlink.service.InterfaceNotFound\",\"parameters\":{\"interface\":\"io.heddle.Other\"}}\n");
	close(fd);
	assert_string_equal(logged, "");
}

static void
test_errors(void **state)
{
	static const struct {
		const char *params, *reply;
	} v[] = {
		{ "{\"errno\":22,\"say\":{\"parameter\":\"x\"}}",
			"{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"x\"}}\n" },
		{ "{\"errno\":13}", "{\"error\":\"org.varlink.service.PermissionDenied\"}\n" },
		{ "{\"errno\":2,\"say\":{\"what\":\"n1\"}}",
			"{\"error\":\"io.heddle.Manager.NotFound\",\"parameters\":{\"what\":\"n1\"}}\n" },
		{ "{\"errno\":11,\"say\":{\"reason\":\"r\"}}",
			"{\"error\":\"io.heddle.Manager.NotReady\",\"parameters\":{\"reason\":\"r\"}}\n" },
		{ "{\"errno\":5}",
			"{\"error\":\"io.heddle.Manager.Failed\",\"parameters\":{\"reason\":\"Input/output error\"}}\n" },
		{ "{\"errno\":5,\"say\":{\"other\":1}}",
			"{\"error\":\"io.heddle.Manager.Failed\",\"parameters\":{\"reason\":\"Input/output error\"}}\n" },
	};
	char text[256];
	int fd = dial();

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		snprintf(text, sizeof(text), "{\"method\":\"io.heddle.Manager.Fail\",\"parameters\":%s}", v[i].params);
		assert_string_equal(ASK(fd, text), v[i].reply);
	}
	close(fd);
}

/* The description that is served is the file that is installed. */
static void
test_description(void **state)
{
	static const char ask[] = "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
		"\"parameters\":{\"interface\":\"io.heddle.Manager\"}}";
	const char *top = getenv("top_srcdir");
	static char file[32768], name[512];
	json_t *reply;
	size_t n;
	FILE *f;
	int fd;

	(void)state;
	snprintf(name, sizeof(name), "%s/sm/ctl/io.heddle.Manager.varlink", top ? top : ".");
	f = fopen(name, "r");
	assert_non_null(f);
	n = fread(file, 1, sizeof(file) - 1, f);
	fclose(f);
	assert_true(n < sizeof(file) - 1);
	file[n] = '\0';
	fd = dial();
	reply = json_loads(ASK(fd, ask), 0, NULL);
	assert_non_null(reply);
	assert_string_equal(json_string_value(json_object_get(json_object_get(reply, "parameters"), "description")),
		file);
	json_decref(reply);
	close(fd);
}

/* Two calls at once, then one in single bytes; answers come in order. */
static void
test_pieces(void **state)
{
	static const char two[] = "{\"method\":\"io.heddle.Manager.Echo\",\"parameters\":{\"n\":1}}\0"
		"{\"method\":\"io.heddle.Manager.Echo\",\"parameters\":{\"n\":2}}";
	int fd = dial();

	(void)state;
	say(fd, two, sizeof(two));
	assert_string_equal(hear(fd), "{\"parameters\":{\"n\":1}}\n{\"parameters\":{\"n\":2}}\n");
	for (size_t i = 0; i < sizeof(two); i++) {
		say(fd, two + i, 1);
		turn();
	}
	assert_string_equal(hear(fd), "{\"parameters\":{\"n\":1}}\n{\"parameters\":{\"n\":2}}\n");
	/* who shuts its side still gets the answer */
	say(fd, two, sizeof(two));
	shutdown(fd, SHUT_WR);
	assert_string_equal(hear(fd), "{\"parameters\":{\"n\":1}}\n{\"parameters\":{\"n\":2}}\n<closed>");
	close(fd);
}

static void
test_hostile(void **state)
{
	static const char *const v[] = { "", "x", "[]", "{}", "{\"method\":1}", "{\"method\":\"Echo\"}", "\xff\xff",
		"{\"method\":\"a.b.C\",\"method\":\"a.b.C\"}" };
	static char big[80000];
	int fd, good = dial();

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		fd = dial();
		assert_string_equal(ASK(fd, v[i]), "<closed>");
		close(fd);
	}
	assert_non_null(strstr(logged, "dropped: what it sent is no call"));
	logged[0] = '\0';
	memset(big, ' ', sizeof(big));
	fd = dial();
	say(fd, big, sizeof(big));
	assert_string_equal(hear(fd), "<closed>");
	assert_non_null(strstr(logged, "dropped: a message is too large"));
	close(fd);
	fd = dial();
	say(fd, big, 10);       /* half a message, then gone */
	close(fd);
	turn();
	assert_string_equal(ASK(good, "{\"method\":\"io.heddle.Manager.Nothing\"}"), "{\"parameters\":{}}\n");
	close(good);
}

/* More clients of our own than there are places: those that have been idle longest make room, and the places come free again. */
static void
test_many(void **state)
{
	int fds[70];
	unsigned served = 0, closed = 0;

	(void)state;
	for (size_t i = 0; i < 70; i++) {
		fds[i] = dial();
		turn();
		now.us++;
	}
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(hear(fds[i]), "<closed>");
	for (size_t i = 0; i < 70; i++) {
		const char *call = "{\"method\":\"io.heddle.Manager.Nothing\"}";
		const char *text;

		send(fds[i], call, strlen(call) + 1, MSG_NOSIGNAL);
		text = hear(fds[i]);
		served += strcmp(text, "{\"parameters\":{}}\n") == 0;
		closed += strstr(text, "<closed>") != NULL;
	}
	assert_int_equal(served, 64);
	assert_int_equal(closed, 6);
	for (size_t i = 0; i < 70; i++)
		close(fds[i]);
	turn();
	fds[0] = dial();
	assert_string_equal(ASK(fds[0], "{\"method\":\"io.heddle.Manager.Nothing\"}"), "{\"parameters\":{}}\n");
	close(fds[0]);
}

/* A client that does not read its answer holds up nobody, asks nothing more, and is dropped in the end. */
static void
test_slow(void **state)
{
	static const char call[] = "{\"method\":\"io.heddle.Manager.Large\"}";
	static const char echo_call[] = "{\"method\":\"io.heddle.Manager.Echo\"}";
	int slow = dial(), other = dial();
	char buf[4096];

	(void)state;
	assert_true(ctl_deadline(ctl).us == INT64_MAX);
	say(slow, call, sizeof(call));
	say(slow, echo_call, sizeof(echo_call));
	turn();
	assert_true(ctl_deadline(ctl).us == now.us + 10 * SECOND);
	assert_string_equal(ASK(other, "{\"method\":\"io.heddle.Manager.Nothing\"}"), "{\"parameters\":{}}\n");
	assert_int_equal(calls, 0);     /* the slow client's second call waits */
	now.us += 9 * SECOND;
	assert_true(recv(slow, buf, sizeof(buf), 0) > 0);
	while (recv(slow, buf, sizeof(buf), 0) > 0)
		;
	turn();                         /* progress: it has ten seconds more */
	now.us += 9 * SECOND;
	ctl_process(ctl, now);
	assert_string_equal(logged, "");
	now.us += 1 * SECOND;
	assert_true(monotime_reached(now, ctl_deadline(ctl)));
	ctl_process(ctl, now);
	assert_non_null(strstr(logged, "dropped: it does not read its answer"));
	assert_true(ctl_deadline(ctl).us == 1 * SECOND + CTL_IDLE_US);         /* the other's, who was answered at the beginning */
	close(slow);
	close(other);
}

/* A large answer arrives whole. */
static void
test_large(void **state)
{
	static const char call[] = "{\"method\":\"io.heddle.Manager.Large\"}";
	static char buf[65536];
	size_t total = 0;
	int fd = dial();
	ssize_t n;

	(void)state;
	say(fd, call, sizeof(call));
	do {
		turn();
		while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
			total += (size_t)n;
	} while (total < (4 << 20) - 1 && (errno == EAGAIN));
	assert_int_equal(total, strlen("{\"parameters\":{\"text\":\"\"}}") + (4 << 20) - 1 + 1);
	assert_true(ctl_deadline(ctl).us == now.us + CTL_IDLE_US);
	close(fd);
	turn();
	assert_true(ctl_deadline(ctl).us == INT64_MAX);
}

static void
test_socket(void **state)
{
	struct ctl *other = NULL;
	char name[200];
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0660);
	assert_int_equal(ctl_open(path, methods, 4, &calls, NULL, &other), -EADDRINUSE);
	assert_null(other);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(ctl_open(name, methods, 4, &calls, NULL, &other), -ENAMETOOLONG);
	snprintf(name, sizeof(name), "%s/none/heddled.sock", dir);
	assert_int_equal(ctl_open(name, methods, 4, &calls, NULL, &other), -ENOENT);
	/* a socket whose program died is replaced */
	snprintf(name, sizeof(name), "%s/stale", dir);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	{
		struct sockaddr_un a = { .sun_family = AF_UNIX };

		memcpy(a.sun_path, name, strlen(name) + 1);
		assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	}
	close(fd);
	assert_int_equal(ctl_open(name, methods, 4, &calls, NULL, &other), 0);
	ctl_close(other);
	assert_int_equal(access(name, F_OK), -1);
	/* a file that is no socket is not */
	fd = open(name, O_WRONLY | O_CREAT, 0600);
	close(fd);
	assert_int_equal(ctl_open(name, methods, 4, &calls, NULL, &other), -EEXIST);
	assert_int_equal(unlink(name), 0);
}

/* Answers that take their time: each to who asked, whoever else asks meanwhile, or has gone. */
static void
test_later(void **state)
{
	static const char ask[] = "{\"method\":\"io.heddle.Manager.Later\"}\0{\"method\":\"io.heddle.Manager.Echo\"}";
	int a = dial(), b = dial(), gone = dial(), half = dial();

	(void)state;
	say(a, ask, sizeof(ask));               /* what it asks next waits its turn */
	assert_string_equal(hear(a), "");
	say(b, ask, sizeof(ask));
	assert_string_equal(hear(b), "");
	say(gone, ask, sizeof(ask));
	turn();
	say(half, ask, sizeof(ask));
	shutdown(half, SHUT_WR);                /* it will ask no more, and still reads */
	assert_string_equal(hear(half), "");
	assert_int_equal(ntickets, 4);
	assert_int_equal(calls, 0);
	close(gone);
	turn();
	answer(tickets[1], 0, json_pack("{s:i}", "n", 1));
	assert_string_equal(hear(a), "");
	assert_string_equal(hear(b), "{\"parameters\":{\"n\":1}}\n{\"parameters\":{}}\n");
	answer(tickets[0], -ENOENT, json_pack("{s:s}", "what", "x"));
	assert_string_equal(hear(a),
		"{\"error\":\"io.heddle.Manager.NotFound\",\"parameters\":{\"what\":\"x\"}}\n{\"parameters\":{}}\n");
	answer(tickets[2], 0, NULL);
	answer(tickets[0], 0, NULL);            /* once is enough */
	answer(tickets[3], 0, NULL);
	assert_string_equal(hear(half), "{\"parameters\":{}}\n{\"parameters\":{}}\n<closed>");
	assert_string_equal(ASK(a, "{\"method\":\"io.heddle.Manager.Later\",\"oneway\":true}"), "");
	assert_string_equal(ASK(a, "{\"method\":\"io.heddle.Manager.Echo\"}"), "{\"parameters\":{}}\n");
	assert_string_equal(ASK(a, "{\"method\":\"io.heddle.Manager.Later\"}"), "");
	now.us += 100 * (int64_t)SECOND;        /* who waits for us is not slow */
	ctl_process(ctl, now);
	ctl_fail_waiting(ctl, "gone", now);
	assert_string_equal(hear(a), "{\"error\":\"io.heddle.Manager.NotReady\",\"parameters\":{\"reason\":\"gone\"}}\n");
	close(a);
	close(b);
	close(half);
}

#define NOTHING "{\"method\":\"io.heddle.Manager.Nothing\"}"

/* Who asks nothing is closed; who asks now and then is not, nor who waits for an answer that is being made. */
static void
test_idle(void **state)
{
	static const char ask[] = "{\"method\":\"io.heddle.Manager.Later\"}";
	int idle = dial(), busy = dial(), waits = dial();

	(void)state;
	turn();
	say(waits, ask, sizeof(ask));
	turn();
	for (unsigned i = 0; i < 5; i++) {
		assert_string_equal(ASK(busy, NOTHING), "{\"parameters\":{}}\n");
		assert_true(ctl_deadline(ctl).us == SECOND + (i < 3 ? CTL_IDLE_US : CTL_IDLE_US + i * 40 * SECOND));
		now.us += 40 * SECOND;
		ctl_process(ctl, now);
		assert_string_equal(hear(idle), i < 2 ? "" : "<closed>");
	}
	assert_string_equal(hear(busy), "");
	now.us += 3600 * (int64_t)SECOND;
	ctl_process(ctl, now);
	assert_string_equal(hear(busy), "<closed>");
	assert_string_equal(hear(waits), "");
	answer(tickets[0], 0, NULL);
	assert_string_equal(hear(waits), "{\"parameters\":{}}\n");
	assert_true(ctl_deadline(ctl).us == now.us + CTL_IDLE_US);
	close(idle);
	close(busy);
	close(waits);
}

/* A call has ten seconds from its first byte on, however steadily its bytes come. */
static void
test_half(void **state)
{
	static const char call[] = NOTHING;
	int half = dial(), other = dial();

	(void)state;
	turn();
	now.us += 60 * SECOND;
	for (size_t i = 0; i < 9; i++) {
		say(half, call + i, 1);
		turn();
		now.us += SECOND;
		ctl_process(ctl, now);
		assert_string_equal(hear(half), "");
	}
	say(half, call + 9, sizeof(call) - 9);          /* in time */
	assert_string_equal(hear(half), "{\"parameters\":{}}\n");
	now.us += 60 * SECOND;
	for (size_t i = 0; i < 10; i++) {
		say(half, call + i, 1);
		turn();
		now.us += SECOND;
		ctl_process(ctl, now);
	}
	assert_string_equal(hear(half), "<closed>");
	assert_non_null(strstr(logged, "dropped: its call has no end"));
	now.us += 1;
	assert_string_equal(hear(other), "<closed>");   /* 139 s without a call */
	close(half);
	close(other);
}

/* An answer is to be read at some speed: a byte now and then holds no memory for hours. */
static void
test_trickle(void **state)
{
	static const char call[] = "{\"method\":\"io.heddle.Manager.Large\"}";
	int slow = dial();
	unsigned seconds = 0;
	char buf[4096];

	(void)state;
	say(slow, call, sizeof(call));
	turn();
	while (!logged[0] && seconds < 3600) {
		assert_true(recv(slow, buf, sizeof(buf), 0) > 0);
		now.us += SECOND;
		seconds++;
		turn();
		ctl_process(ctl, now);
	}
	assert_non_null(strstr(logged, "dropped: it does not read its answer"));
	assert_true(seconds < 60);
	close(slow);
}

/* In a child: that user, without what the server has open, which would outlive it here. */
static void
become(uid_t uid, int keep, int keep_too)
{
	for (int fd = 3; fd < 1024; fd++)
		if (fd != keep && fd != keep_too)
			close(fd);
	if (setgid(uid) != 0 || setuid(uid) != 0)
		_exit(1);
}

/* A process of that user with 'n' connections, which stays until a byte comes from 'go'; it says by 'told' that it has them. */
struct user {
	pid_t pid;
	int go, told;
};

static struct user
user_new(uid_t uid, unsigned n)
{
	int go[2], told[2];
	struct user u;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(told), 0);
	u.pid = fork();
	if (u.pid == 0) {
		char c = 0;

		become(uid, go[0], told[1]);
		for (unsigned i = 0; i < n; i++)
			dial();
		if (write(told[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(go[0]);
	close(told[1]);
	u.go = go[1];
	u.told = told[0];
	return u;
}

/* Waits until it has dialled, and lets the server take that in. */
static void
user_ready(struct user *u)
{
	char c;

	assert_int_equal(read(u->told, &c, 1), 1);
	turn();
}

static void
user_end(struct user *u)
{
	int status;

	assert_int_equal(write(u->go, "", 1), 1);       /* its end closed means nothing: later children have it, too */
	close(u->go);
	close(u->told);
	assert_int_equal(waitpid(u->pid, &status, 0), u->pid);
	assert_int_equal(status, 0);
	turn();
}

/* As another user: what a connection reads first, whether it has asked or not. */
static void
user_hears(uid_t uid, const char *what)
{
	int told[2];
	pid_t pid;
	int status;
	char text[400];
	ssize_t n = 0, k;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (pid == 0) {
		int fd;

		become(uid, told[1], told[1]);
		fd = dial();
		fcntl(fd, F_SETFL, 0);
		say(fd, NOTHING, strlen(NOTHING) + 1);
		n = recv(fd, text, sizeof(text), 0);
		_exit(n > 0 && write(told[1], text, (size_t)n) == n ? 0 : 2);
	}
	close(told[1]);
	fcntl(told[0], F_SETFL, O_NONBLOCK);
	do {
		struct pollfd p = { told[0], POLLIN, 0 };

		turn();
		poll(&p, 1, 5);
		k = read(told[0], text + n, sizeof(text) - 1 - (size_t)n);
		n += k > 0 ? k : 0;
	} while (k != 0);
	text[n] = '\0';
	close(told[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_string_equal(text, what);
	turn();
}

static unsigned
count_logged(const char *what)
{
	unsigned n = 0;

	for (const char *p = logged; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

#define SERVED "{\"parameters\":{}}"
#define REFUSED(why) "{\"error\":\"io.heddle.Manager.TooManyClients\",\"parameters\":{\"reason\":\"" why "\"}}"

/* A user fills his own places only; all users together leave some to root. */
static void
test_users(void **state)
{
	struct user a, b, c, d;
	int own[CTL_CLIENTS_KEPT + 4];

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(chmod(path, 0666), 0);
	a = user_new(1001, 64);
	user_ready(&a);
	assert_non_null(strstr(logged, "(uid 1001) refused: too many clients of this user"));
	assert_int_equal(count_logged("refused"), 1);
	user_hears(1001, REFUSED("too many clients of this user"));
	user_hears(1002, SERVED);
	now.us += CTL_LOG_US;
	user_hears(1001, REFUSED("too many clients of this user"));
	assert_non_null(strstr(logged, "(uid 1001) refused: too many clients of this user (and 48 more since the last such line)"));
	b = user_new(1002, 16);
	user_ready(&b);
	c = user_new(1003, 16);
	user_ready(&c);
	user_hears(1004, REFUSED("too many clients"));
	assert_int_equal(count_logged("refused"), 3);
	for (size_t i = 0; i < CTL_CLIENTS_KEPT; i++) {
		own[i] = dial();
		assert_string_equal(ASK(own[i], NOTHING), SERVED "\n");
	}
	for (size_t i = CTL_CLIENTS_KEPT; i < CTL_CLIENTS_KEPT + 4; i++) {      /* all places are taken: the oldest idle ones go */
		now.us++;
		own[i] = dial();
		assert_string_equal(ASK(own[i], NOTHING), SERVED "\n");
	}
	user_end(&a);
	user_hears(1004, SERVED);
	d = user_new(1004, 3);
	user_ready(&d);
	user_end(&b);
	user_end(&c);
	user_end(&d);
	for (size_t i = 0; i < CTL_CLIENTS_KEPT + 4; i++)
		close(own[i]);
}

/* Nobody is idle where all wait for answers: then root is refused too, and told so. */
static void
test_all_wait(void **state)
{
	static const char ask[] = "{\"method\":\"io.heddle.Manager.Later\"}";
	int fds[CTL_CLIENTS_MAX], one;

	(void)state;
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++) {
		fds[i] = dial();
		say(fds[i], ask, sizeof(ask));
		turn();
	}
	one = dial();
	assert_string_equal(hear(one), REFUSED("too many clients") "\n<closed>");
	close(one);
	answer(tickets[0], 0, NULL);
	one = dial();
	assert_string_equal(ASK(one, NOTHING), SERVED "\n");
	close(one);
	for (size_t i = 0; i < CTL_CLIENTS_MAX; i++)
		close(fds[i]);
}

/* A client that fails in a loop costs a line a minute. */
static void
test_log_lines(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		int fd = dial();

		assert_string_equal(ASK(fd, "x"), "<closed>");
		close(fd);
		now.us += SECOND;
	}
	assert_int_equal(count_logged("is no call"), 2);
	assert_non_null(strstr(logged, "dropped: what it sent is no call (and 59 more since the last such line)"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, ctl_setup, ctl_teardown)
		T(test_calls), T(test_errors), T(test_description), T(test_pieces), T(test_hostile), T(test_many),
		T(test_slow), T(test_large), T(test_socket), T(test_later), T(test_idle), T(test_half), T(test_trickle),
		T(test_users), T(test_all_wait), T(test_log_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
