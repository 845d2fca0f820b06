/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_daemon.c - the fabric as a heddled on this host has it: taken from its socket, or refused.
 */
#include <config.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "diags/fabric/fabric_int.h"
#include "fabric/snapshot/snapshot_json.h"
#include "tests/unit/diags/world.h"

static char dir[64], path[96];
static int listener;

static int
listener_begin(void **state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	snprintf(dir, sizeof(dir), "/tmp/heddle-daemon-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/heddled.sock", dir);
	assert_int_equal(setenv("RUNTIME_DIRECTORY", dir, 1), 0);
	memcpy(to.sun_path, path, strlen(path) + 1);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listen(listener, 1), 0);
	return world_begin(state);
}

static int
listener_end(void **state)
{
	close(listener);
	unlink(path);
	rmdir(dir);
	unsetenv("RUNTIME_DIRECTORY");
	return world_end(state);
}

/* A child process takes one call, which must be that for the images, and answers; NULL: it hangs
 * up. */
static pid_t
serve(const char *answer)
{
	pid_t pid = fork();
	char call[512];
	size_t n = 0;
	int peer;

	if (pid)
		return pid;
	peer = accept(listener, NULL, NULL);
	while (n < sizeof(call) - 1 && read(peer, &call[n], 1) == 1 && call[n])
		n++;
	call[n] = '\0';
	if (answer && send(peer, answer, strlen(answer) + 1, MSG_NOSIGNAL) < 0)
		_exit(3);
	close(peer);
	_exit(strstr(call, "io.heddle.Manager.Images") ? 0 : 4);
}

static int
answer_take(struct world *w, const char *answer, struct snapshot **s)
{
	pid_t pid = serve(answer);
	int r, status;

	assert_true(pid > 0);
	*s = NULL;
	r = fabric_from_daemon(&w->d, s);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return r;
}

/* The answer with the fabric of the test; the caller frees it. */
static char *
images(const struct world *w)
{
	json_t *o = json_pack("{s:o}", "parameters", snapshot_to_json(w->f.s));
	char *text = json_dumps(o, JSON_COMPACT);

	assert_non_null(text);
	json_decref(o);
	return text;
}

static void
taken(void **state)
{
	struct world *w = *state;
	char *text = images(w);
	struct snapshot *s;

	assert_int_equal(answer_take(w, text, &s), 0);
	assert_int_equal(s->nnodes, w->f.s->nnodes);
	assert_int_equal(s->nlinks, w->f.s->nlinks);
	assert_int_equal(s->sm_port, w->f.s->sm_port);
	assert_memory_equal(world_port(s, 0x100, 1)->info, world_port(w->f.s, 0x100, 1)->info,
		PORT_INFO_BYTES);
	snapshot_free(s);
	free(text);
}

/* A tool that was told to use a port does not take the fabric of another one. */
static void
another_port(void **state)
{
	struct world *w = *state;
	char *text = images(w);
	struct snapshot *s;

	w->d.set.port = 1;
	assert_int_equal(answer_take(w, text, &s), -ENODEV);
	assert_null(s);
	free(text);
}

static void
answers_without_a_fabric(void **state)
{
	static const char *const answers[] = {
		NULL, "", "nonsense",
			"{\"error\":\"io.heddle.Manager.NotReady\",\"parameters\":{}}",
		"{}", "{\"parameters\":{}}", "{\"parameters\":{\"format\":1,\"nodes\":[1]}}",
	};
	struct world *w = *state;
	struct snapshot *s;

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		assert_true(answer_take(w, answers[i], &s) < 0);
		assert_null(s);
	}
}

/* No socket, or one that nobody listens at. */
static void
no_daemon(void **state)
{
	struct world *w = *state;
	struct snapshot *s = NULL;

	close(listener);
	listener = -1;
	assert_true(fabric_from_daemon(&w->d, &s) < 0);
	unlink(path);
	assert_int_equal(fabric_from_daemon(&w->d, &s), -ENOENT);
	assert_null(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(taken, listener_begin, listener_end),
		cmocka_unit_test_setup_teardown(another_port, listener_begin, listener_end),
		cmocka_unit_test_setup_teardown(
			answers_without_a_fabric, listener_begin, listener_end),
		cmocka_unit_test_setup_teardown(no_daemon, listener_begin, listener_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
