/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_limits.c - places at the control socket, and lines of the log.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/ctl/limits.h"

static void
places(void **state)
{
	(void)state;
	assert_true(ctl_privileged(0, 42) && ctl_privileged(42, 42) && !ctl_privileged(1, 42));
	assert_null(ctl_refusal(&(struct ctl_census){ 0, 0, 0 }, false));
	assert_null(ctl_refusal(&(struct ctl_census){ CTL_CLIENTS_PER_USER - 1, 0, CTL_CLIENTS_PER_USER - 1 }, false));
	assert_string_equal(ctl_refusal(&(struct ctl_census){ CTL_CLIENTS_PER_USER, CTL_CLIENTS_PER_USER,
		CTL_CLIENTS_PER_USER }, false), "too many clients of this user");
	/* the places that are kept are for the privileged */
	assert_string_equal(ctl_refusal(&(struct ctl_census){ CTL_CLIENTS_MAX - CTL_CLIENTS_KEPT,
		CTL_CLIENTS_MAX - CTL_CLIENTS_KEPT, 0 }, false), "too many clients");
	assert_null(ctl_refusal(&(struct ctl_census){ CTL_CLIENTS_MAX - CTL_CLIENTS_KEPT,
		CTL_CLIENTS_MAX - CTL_CLIENTS_KEPT, 0 }, true));
	assert_null(ctl_refusal(&(struct ctl_census){ CTL_CLIENTS_MAX - 1, 0, CTL_CLIENTS_MAX - 1 }, true));
	assert_string_equal(ctl_refusal(&(struct ctl_census){ CTL_CLIENTS_MAX, 0, 0 }, true), "too many clients");
	assert_string_equal(ctl_refusal(&(struct ctl_census){ CTL_CLIENTS_MAX, 0, 0 }, false), "too many clients");
}

struct lines {
	unsigned n;
	char last[200];
};

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	struct lines *l = arg;

	(void)level;
	(void)room;
	l->n++;
	snprintf(l->last, sizeof(l->last), "%s", line);
}

/* One line for each user and kind in CTL_LOG_US, and the number of those that were not logged. */
static void
lines(void **state)
{
	static struct ctl_faults f;
	struct lines l = { 0 };
	const struct log log = { .max = LOG_TRACE, .emit = on_line, .arg = &l };
	struct ctl_peer peer = { .uid = 7, .pid = 99 };
	struct monotime now = { 1000 };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		ctl_log_fault(&f, &log, CTL_NO_CALL, &peer, "made no call", now);
	assert_int_equal(l.n, 1);
	assert_non_null(strstr(l.last, "99"));
	assert_non_null(strstr(l.last, "made no call"));
	ctl_log_fault(&f, &log, CTL_UNREAD, &peer, "does not read", now);
	assert_int_equal(l.n, 2);
	peer.uid = 8;
	ctl_log_fault(&f, &log, CTL_NO_CALL, &peer, "made no call", now);
	assert_int_equal(l.n, 3);
	peer.uid = 7;
	now = monotime_add_us(now, CTL_LOG_US);
	ctl_log_fault(&f, &log, CTL_NO_CALL, &peer, "made no call", now);
	assert_int_equal(l.n, 4);
	assert_non_null(strstr(l.last, "and 4 more"));
}

/* Users beyond those that are counted apart get no line, until a row's time is over. */
static void
many_users(void **state)
{
	static struct ctl_faults f;
	struct lines l = { 0 };
	const struct log log = { .max = LOG_TRACE, .emit = on_line, .arg = &l };
	struct monotime now = { 1000 };

	(void)state;
	for (unsigned i = 0; i < 2 * CTL_FAULTS_MAX; i++)
		ctl_log_fault(&f, &log, CTL_REFUSED, &(struct ctl_peer){ .uid = 100 + i }, "refused", now);
	assert_int_equal(l.n, CTL_FAULTS_MAX);
	now = monotime_add_us(now, CTL_LOG_US);
	ctl_log_fault(&f, &log, CTL_REFUSED, &(struct ctl_peer){ .uid = 1000 }, "refused", now);
	assert_int_equal(l.n, CTL_FAULTS_MAX + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(lines),
		cmocka_unit_test(many_users),
	};

	return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
