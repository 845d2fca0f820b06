/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_operators.c - operators' connections: lines in pieces, many, too long, and operators that
 * read nothing or leave.
 */
#include <config.h>
#include <errno.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/serve/control.h"

#define PING "{\"command\":\"ports\",\"arguments\":[\"S-51\"]}\n"

#define LONG "{\"command\":\"lanes\",\"arguments\":[\"S-51:1\"]}\n"

struct bench {
	struct rig rig;
	struct server s;
	int fd; /* of one operator */
	char got[1 << 16];
	size_t n;
};

static void
turn(struct bench *b)
{
	for (unsigned i = 0; i < 50; i++)
		sd_event_run(b->s.event, 0);
}

static int
operators_begin(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	rig_make(&b->rig, &(struct hw_conf){ .seed = 1 });
	b->s.hw = b->rig.h;
	b->s.kmad = kmad_new(b->rig.h);
	b->s.umad_fd = b->s.ctl_fd = -1;
	snprintf(b->s.dir, sizeof(b->s.dir), "/tmp/heddle-ctl-XXXXXX");
	assert_non_null(mkdtemp(b->s.dir));
	assert_true(sd_event_new(&b->s.event) >= 0);
	assert_true(operators_listen(&b->s) >= 0);
	b->fd = place_connect(b->s.dir, "ctl");
	assert_true(b->fd >= 0);
	turn(b);
	assert_non_null(b->s.operators);
	*state = b;
	return 0;
}

static int
operators_end(void **state)
{
	struct bench *b = *state;
	char path[PLACE_PATH + 8];

	operators_close_all(&b->s);
	operators_close_all(&b->s); /* twice does no harm */
	assert_null(b->s.operators);
	assert_int_equal(b->s.ctl_fd, -1);
	sd_event_unref(b->s.event);
	kmad_free(b->s.kmad);
	hw_free(b->rig.h);
	if (b->fd >= 0)
		close(b->fd);
	snprintf(path, sizeof(path), "%s/ctl", b->s.dir);
	unlink(path);
	rmdir(b->s.dir);
	free(b);
	return 0;
}

static void
tell(struct bench *b, const char *text, size_t n)
{
	assert_int_equal(send(b->fd, text, n, MSG_NOSIGNAL), n);
	turn(b);
}

/* Reads what is there; returns how many whole lines. */
static unsigned
hear(struct bench *b)
{
	unsigned lines = 0;
	ssize_t r;

	b->n = 0;
	while ((r = recv(b->fd, b->got + b->n, sizeof(b->got) - 1 - b->n, MSG_DONTWAIT)) > 0)
		b->n += (size_t)r;
	b->got[b->n] = '\0';
	for (size_t i = 0; i < b->n; i++)
		lines += b->got[i] == '\n';
	return lines;
}

static void
lines_in_pieces(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < strlen(PING); i++) {
		assert_int_equal(hear(b), 0);
		tell(b, &PING[i], 1);
	}
	assert_int_equal(hear(b), 1);
	assert_non_null(strstr(b->got, "\"ok\":true"));
	/* Two and a half at once: two answers, in order; then the third. */
	tell(b, "nonsense\n" PING PING, 9 + 2 * strlen(PING) - 5);
	assert_int_equal(hear(b), 2);
	assert_int_equal(strncmp(b->got, "{\"ok\":false,\"error\":", 20), 0);
	assert_int_equal(strncmp(strchr(b->got, '\n') + 1, "{\"ok\":true", 10), 0);
	tell(b, &PING[strlen(PING) - 5], 5);
	assert_int_equal(hear(b), 1);
	tell(b, "\n", 1); /* an empty line has an answer */
	assert_int_equal(hear(b), 1);
}

static void
a_line_that_is_too_long(void **state)
{
	struct bench *b = *state;
	static char text[65536];

	memset(text, 'x', sizeof(text));
	memcpy(text, PING, strlen(PING));
	tell(b, text, 40000);
	assert_int_equal(hear(b), 1); /* the line before it */
	assert_non_null(b->s.operators);
	send(b->fd, text, sizeof(text), MSG_NOSIGNAL);
	turn(b);
	hear(b);
	memset(text, 'x', sizeof(text));
	send(b->fd, text, sizeof(text), MSG_NOSIGNAL);
	turn(b);
	assert_null(b->s.operators); /* closed */
}

static void
several_operators(void **state)
{
	struct bench *b = *state;
	int other = place_connect(b->s.dir, "ctl"), mine = b->fd;

	turn(b);
	tell(b, PING, strlen(PING) - 1);
	b->fd = other;
	tell(b, PING, strlen(PING));
	assert_int_equal(hear(b), 1); /* half a line of one does not stop the other */
	close(other);
	turn(b);
	b->fd = mine;
	tell(b, "\n", 1);
	assert_int_equal(hear(b), 1);
}

static void
who_leaves_is_forgotten(void **state)
{
	struct bench *b = *state;

	tell(b, PING, 10); /* in the middle of a line */
	close(b->fd);
	b->fd = -1;
	turn(b);
	assert_null(b->s.operators);
}

/* An operator that asks and reads nothing is not asked for more; what it asked is answered once it
 * reads. */
static void
who_reads_nothing(void **state)
{
	struct bench *b = *state;
	unsigned sent = 0, lines = 0;

	for (unsigned i = 0; i < 3000; i++) {
		if (send(b->fd, PING, strlen(PING), MSG_DONTWAIT | MSG_NOSIGNAL) !=
			(ssize_t)strlen(PING))
			break;
		sent++;
		if (i % 100 == 0)
			turn(b);
	}
	turn(b);
	assert_non_null(b->s.operators);
	for (unsigned i = 0; i < 20000 && lines < sent; i++) {
		lines += hear(b);
		sd_event_run(b->s.event, 0);
	}
	assert_int_equal(lines, sent);
}

static size_t
bytes_allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* The commands of a whole buffer, each with a long answer: the rest waits while the answers do. */
static void
long_answers_of_many_lines(void **state)
{
	struct bench *b = *state;
	static char text[60000];
	unsigned lines = 0, n = 0;
	size_t before;

	tell(b, LONG, strlen(LONG));
	assert_int_equal(hear(b), 1);
	while ((n + 1) * strlen(LONG) < sizeof(text))
		memcpy(text + n++ * strlen(LONG), LONG, strlen(LONG));
	/* More answers than a socket takes, and than an operator's memory may hold. */
	assert_true(n * b->n > 350000);
	before = bytes_allocated();
	tell(b, text, n * strlen(LONG));
	assert_true(bytes_allocated() < before + 2 * 65536);
	for (unsigned i = 0; i < 20000 && lines < n; i++) {
		lines += hear(b);
		sd_event_run(b->s.event, 0);
	}
	assert_int_equal(lines, n);
}

#define T(f) cmocka_unit_test_setup_teardown(f, operators_begin, operators_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(lines_in_pieces),
		T(a_line_that_is_too_long),
		T(several_operators),
		T(who_leaves_is_forgotten),
		T(long_answers_of_many_lines),
		T(who_reads_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
