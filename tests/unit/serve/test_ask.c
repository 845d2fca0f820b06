/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ask.c - a request to a server that answers rightly, wrongly, or not at all.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sim/serve/ask.h"

static char dir[] = "/tmp/heddle-ask-XXXXXX";
static const char *say; /* what the server answers */
static char asked[4096]; /* the line that it got */
static int listener;

static int
ask_begin(void **state)
{
	(void)state;
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	assert_non_null(mkdtemp(dir));
	listener = place_listen(dir, "ctl", SOCK_STREAM, 4);
	assert_true(listener >= 0);
	return 0;
}

static int
ask_end(void **state)
{
	char path[200];

	(void)state;
	close(listener);
	snprintf(path, sizeof(path), "%s/ctl", dir);
	unlink(path);
	rmdir(dir);
	return 0;
}

static void *
serve_one(void *arg)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	size_t n = 0;
	ssize_t r;
	int fd;

	(void)arg;
	poll(&p, 1, 10000);
	fd = accept(listener, NULL, NULL);
	memset(asked, 0, sizeof(asked));
	while (n < sizeof(asked) - 1 && !strchr(asked, '\n') &&
		(r = read(fd, asked + n, sizeof(asked) - 1 - n)) > 0)
		n += (size_t)r;
	send(fd, say, strlen(say), MSG_NOSIGNAL); /* who asked may be gone */
	close(fd);
	return NULL;
}

static int
ask(const char *answer, const char *command, unsigned n, char *const *args, json_t **result,
	char *why)
{
	pthread_t thread;
	int r;

	say = answer;
	assert_int_equal(pthread_create(&thread, NULL, serve_one, NULL), 0);
	r = ask_server(dir, command, n, args, result, why);
	pthread_join(thread, NULL);
	return r;
}

static void
answered(void **state)
{
	char *args[] = { (char *)(uintptr_t) "host \"1\":1", (char *)(uintptr_t) "",
		(char *)(uintptr_t) "\xc3\xa4" };
	char why[PLACE_WHY] = "unchanged";
	json_t *result;

	(void)state;
	assert_int_equal(
		ask("{\"ok\":true,\"result\":{\"n\":3}}\n", "pull", 3, args, &result, why), 0);
	assert_int_equal(json_integer_value(json_object_get(result, "n")), 3);
	json_decref(result);
	assert_string_equal(why, "unchanged");
	assert_string_equal(asked,
		"{\"command\":\"pull\",\"arguments\":[\"host \\\"1\\\":1\",\"\",\"\xc3\xa4\"]}\n");
	/* No arguments, no result. */
	assert_int_equal(ask("{\"ok\":true}\n", "clear", 0, NULL, &result, why), 0);
	assert_null(result);
	assert_string_equal(asked, "{\"command\":\"clear\",\"arguments\":[]}\n");
}

static void
refused(void **state)
{
	static const struct {
		const char *answer, *why;
	} rows[] = {
		{ "{\"ok\":false,\"error\":\"no node 'x'\"}\n", "no node 'x'" },
		{ "{\"ok\":false}\n", "refused" },
		{ "{}\n", "refused" },
		{ "[1]\n", "refused" },
		{ "{\"ok\":1,\"error\":5}\n", "refused" },
	};
	char why[PLACE_WHY];
	json_t *result;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(ask(rows[i].answer, "ports", 0, NULL, &result, why), -EINVAL);
		assert_string_equal(why, rows[i].why);
		assert_null(result);
	}
}

static void
no_answer(void **state)
{
	static const char *const answers[] = { "", "\n", "{\"ok\":tr", "nonsense\n" };
	char why[PLACE_WHY];
	json_t *result;

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		why[0] = '\0';
		assert_int_equal(ask(answers[i], "ports", 0, NULL, &result, why), -EIO);
		assert_string_equal(why, "the server closed the connection");
		assert_null(result);
	}
	assert_int_equal(ask_server("/nonexistent", "ports", 0, NULL, &result, why), -EIO);
	assert_non_null(strstr(why, "cannot send the request to the server: "));
	assert_null(result);
}

/* An argument that is no text must not be left out: "drop 5 NODE" would hit every node. */
static void
no_text(void **state)
{
	char *args[] = { (char *)(uintptr_t) "5", (char *)(uintptr_t) "host-\xff" };
	char why[PLACE_WHY] = "";
	json_t *result;

	(void)state;
	assert_int_equal(ask("{\"ok\":true}\n", "drop", 2, args, &result, why), -EINVAL);
	assert_string_equal(asked, "");
	assert_non_null(strstr(why, "cannot send the request to the server: "));
	assert_null(result);
	assert_int_equal(ask("{\"ok\":true}\n", "\xff", 0, NULL, &result, why), -EINVAL);
	assert_string_equal(asked, "");
}

#define T(f) cmocka_unit_test_setup_teardown(f, ask_begin, ask_end)

int
main(void)
{
	const struct CMUnitTest tests[] = { T(answered), T(refused), T(no_answer), T(no_text) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
