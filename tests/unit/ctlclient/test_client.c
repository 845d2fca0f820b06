/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_client.c - one call to a server: what is sent, how each answer and each failure ends it, and
 * who owns what.
 */
#include <config.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "ctlclient/client.h"

static char dir[64], path[96];
static int listener;
static struct client_answer a;

static int
ctlclient_setup(void **state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/heddle-client-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/s", dir);
	memcpy(to.sun_path, path, strlen(path) + 1);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&to, sizeof(to)) || listen(listener, 5))
		return -1;
	return 0;
}

static int
ctlclient_teardown(void **state)
{
	(void)state;
	client_answer_clear(&a);
	close(listener);
	unlink(path);
	return rmdir(dir);
}

/* Calls, and lets the server answer with these bytes and close. */
static void
answered(const char *bytes, size_t n)
{
	int fd, peer;

	client_answer_clear(&a);
	fd = client_begin(path, "io.heddle.Manager.Status", NULL, &a);
	assert_true(fd >= 0);
	peer = accept(listener, NULL, NULL);
	assert_true(peer >= 0);
	assert_int_equal(send(peer, bytes, n, MSG_NOSIGNAL), n);
	assert_int_equal(shutdown(peer, SHUT_WR), 0);
	client_finish(fd, &a);
	close(peer);
}

#define ANSWERED(text) answered(text, sizeof(text))     /* with the zero byte */

static void
success(void **state)
{
	(void)state;
	ANSWERED("{\"parameters\":{\"x\":7}}");
	assert_int_equal(a.end, CLIENT_OK);
	assert_int_equal(json_integer_value(json_object_get(a.params, "x")), 7);
	assert_string_equal(a.error, "");
	ANSWERED("{}");
	assert_int_equal(a.end, CLIENT_OK);
	assert_null(a.params);
	client_answer_clear(&a);
	client_answer_clear(&a);                /* twice does no harm */
	/* what follows the reply is not looked at */
	answered("{\"parameters\":{\"x\":1}}\0garbage\0", 32);
	assert_int_equal(a.end, CLIENT_OK);
	assert_int_equal(json_integer_value(json_object_get(a.params, "x")), 1);
}

/* What goes over the wire: one call with its parameters and a zero byte; the parameters stay
 * ours. */
static void
sent(void **state)
{
	json_t *params = json_pack("{s:s}", "name", "leaf"), *msg;
	char buf[400];
	ssize_t n;
	int fd, peer;

	(void)state;
	fd = client_begin(path, "io.heddle.Manager.Trace", params, &a);
	peer = accept(listener, NULL, NULL);
	n = recv(peer, buf, sizeof(buf), 0);
	assert_true(n > 0 && buf[n - 1] == '\0' && strlen(buf) == (size_t)n - 1);
	msg = json_loads(buf, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(msg, "method")),
		"io.heddle.Manager.Trace");
	assert_true(json_equal(json_object_get(msg, "parameters"), params));
	assert_null(json_object_get(msg, "oneway"));
	json_decref(msg);
	assert_int_equal(params->refcount, 1);
	json_decref(params);
	close(peer);
	client_finish(fd, &a);
	assert_int_equal(a.end, CLIENT_BROKEN);
}

/* The sentence of an error comes from its first text, otherwise from its name. */
static void
errors(void **state)
{
	char text[600], name[200];

	(void)state;
	ANSWERED("{\"error\":\"a.b.No\",\"parameters\":{\"n\":1,\"reason\":\"too early\"}}");
	assert_int_equal(a.end, CLIENT_ERROR);
	assert_string_equal(a.error, "a.b.No");
	assert_string_equal(a.why, "too early");
	assert_int_equal(json_integer_value(json_object_get(a.params, "n")), 1);
	ANSWERED("{\"error\":\"a.b.No\",\"parameters\":{\"what\":\"leaf\"}}");
	assert_string_equal(a.why, "nothing is called leaf");
	ANSWERED("{\"error\":\"a.b.No\",\"parameters\":{\"method\":\"X\",\"reason\":\"r\"}}");
	assert_string_equal(a.why, "a.b.No (X)");
	ANSWERED("{\"error\":\"a.b.No\",\"parameters\":{\"n\":1}}");
	assert_string_equal(a.why, "a.b.No");
	ANSWERED("{\"error\":\"a.b.No\"}");
	assert_int_equal(a.end, CLIENT_ERROR);
	assert_string_equal(a.why, "a.b.No");
	/* names and texts longer than there is room are cut */
	memset(name, 'x', sizeof(name));
	memcpy(name, "a.b.N", 5);
	name[sizeof(name) - 1] = '\0';
	snprintf(
		text, sizeof(text), "{\"error\":\"%s\",\"parameters\":{\"k\":\"%s\"}}", name, name);
	answered(text, strlen(text) + 1);
	assert_int_equal(a.end, CLIENT_ERROR);
	assert_int_equal(strlen(a.error), sizeof(a.error) - 1);
	assert_true(strlen(a.why) < sizeof(a.why));
}

/* Replies that are none. */
static void
no_replies(void **state)
{
	(void)state;
	ANSWERED("no JSON");
	assert_int_equal(a.end, CLIENT_BROKEN);
	assert_string_equal(a.why, "the answer of heddled is not Varlink");
	assert_null(a.params);
	ANSWERED("[]");
	assert_int_equal(a.end, CLIENT_BROKEN);
	ANSWERED("");
	assert_int_equal(a.end, CLIENT_BROKEN);
	ANSWERED("{\"parameters\":[]}");
	assert_int_equal(a.end, CLIENT_BROKEN);
	assert_string_equal(a.why, "the answer of heddled is no reply");
	ANSWERED("{\"error\":7}");
	assert_int_equal(a.end, CLIENT_BROKEN);
	ANSWERED("{\"a\":1,\"a\":2}");
	assert_int_equal(a.end, CLIENT_BROKEN);
	ANSWERED("{\"a\":\"\xff\"}");
	assert_int_equal(a.end, CLIENT_BROKEN);
	assert_string_equal(a.error, "");
}

/* A reply that is cut short, or that never comes. */
static void
closed(void **state)
{
	static const char reply[] = "{\"parameters\":{}}";

	(void)state;
	for (size_t n = 0; n < sizeof(reply); n++) {
		answered(reply, n);
		assert_int_equal(a.end, CLIENT_BROKEN);
		assert_string_equal(a.why, "heddled closed the connection");
		assert_null(a.params);
	}
}

/* A server that stops reading in the middle of a call, after it said why: that is the answer. */
static void
refused_early(void **state)
{
	static const char reply[] = "{\"error\":\"a.b.Full\",\"parameters\":{\"reason\":\"full\"}}";
	char *text = calloc(1, 3000001);
	json_t *params;
	pid_t server;
	int status;

	(void)state;
	assert_non_null(text);
	memset(text, 'z', 3000000);
	params = json_pack("{s:s}", "text", text);
	free(text);
	server = fork();
	if (server == 0) {
		int peer = accept(listener, NULL, NULL);

		if (send(peer, reply, sizeof(reply), MSG_NOSIGNAL) < 0 || shutdown(peer, SHUT_RD))
			_exit(1);
		_exit(recv(peer, (char[1]){ 0 }, 1, 0) < 0);
	}
	client_call(path, "a.b.C", params, &a);
	json_decref(params);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(a.end, CLIENT_ERROR);
	assert_string_equal(a.error, "a.b.Full");
	assert_string_equal(a.why, "full");
}

/* Nobody there: which sentence, and no descriptor. */
static void
unreachable(void **state)
{
	char missing[120], long_path[300];

	(void)state;
	snprintf(missing, sizeof(missing), "%s/missing", dir);
	client_call(missing, "a.b.C", NULL, &a);
	assert_int_equal(a.end, CLIENT_UNREACHABLE);
	assert_non_null(strstr(a.why, "no heddled is running"));
	assert_non_null(strstr(a.why, missing));
	assert_int_equal(client_begin(missing, "a.b.C", NULL, &a), -1);
	client_finish(-1, &a);                  /* allowed, and changes nothing */
	assert_int_equal(a.end, CLIENT_UNREACHABLE);
	memset(long_path, 'p', sizeof(long_path));
	long_path[0] = '/';
	long_path[sizeof(((struct sockaddr_un *)0)->sun_path) - 1] = '\0';
	client_call(long_path, "a.b.C", NULL, &a);      /* the longest path that there is */
	assert_non_null(strstr(a.why, "no heddled is running"));
	long_path[strlen(long_path)] = 'p';
	long_path[sizeof(((struct sockaddr_un *)0)->sun_path)] = '\0';
	client_call(long_path, "a.b.C", NULL, &a);
	assert_int_equal(a.end, CLIENT_UNREACHABLE);
	assert_non_null(strstr(a.why, "File name too long"));
	client_call(dir, "a.b.C", NULL, &a);
	assert_int_equal(a.end, CLIENT_UNREACHABLE);
	close(listener);
	listener = -1;
	client_call(path, "a.b.C", NULL, &a);   /* the socket is there, but nobody listens */
	assert_int_equal(a.end, CLIENT_UNREACHABLE);
	assert_non_null(strstr(a.why, "nobody listens"));
}

/* A call and a reply of megabytes, which no socket takes at once. */
static void
large(void **state)
{
	enum { N = 3000000 };
	/* Static: the child ends without freeing them, and no leak check shall count them. */
	static char *text;
	static json_t *params;
	pid_t server;
	int status;

	(void)state;
	text = malloc(N + 1);
	assert_non_null(text);
	memset(text, 'z', N);
	text[N] = '\0';
	params = json_pack("{s:s}", "text", text);
	server = fork();
	if (server == 0) {
		static char buf[65536], head[] = "{\"parameters\":{\"text\":\"", tail[] = "\"}}";
		int peer = accept(listener, NULL, NULL);
		size_t left = N + 1;
		ssize_t n;

		do
			n = recv(peer, buf, sizeof(buf), 0);
		while (n > 0 && buf[n - 1]);
		if (send(peer, head, sizeof(head) - 1, 0) < 0)
			_exit(1);
		for (left = 0; left < N; left += (size_t)n)
			if ((n = send(peer, text + left, N - left, MSG_NOSIGNAL)) < 0)
				_exit(1);
		_exit(send(peer, tail, sizeof(tail), MSG_NOSIGNAL) < 0);
	}
	client_call(path, "a.b.C", params, &a);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(status, 0);
	assert_int_equal(a.end, CLIENT_OK);
	assert_true(json_equal(a.params, params));
	json_decref(params);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(success, ctlclient_setup, ctlclient_teardown),
		cmocka_unit_test_setup_teardown(sent, ctlclient_setup, ctlclient_teardown),
		cmocka_unit_test_setup_teardown(errors, ctlclient_setup, ctlclient_teardown),
		cmocka_unit_test_setup_teardown(no_replies, ctlclient_setup, ctlclient_teardown),
		cmocka_unit_test_setup_teardown(closed, ctlclient_setup, ctlclient_teardown),
		cmocka_unit_test_setup_teardown(refused_early, ctlclient_setup, ctlclient_teardown),
		cmocka_unit_test_setup_teardown(unreachable, ctlclient_setup, ctlclient_teardown),
		cmocka_unit_test_setup_teardown(large, ctlclient_setup, ctlclient_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
