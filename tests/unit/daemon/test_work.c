/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_work.c - the worker gives way to others, but not for ever.
 */
#include <config.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include "sm/daemon/work.h"
#include "tests/unit/test.h"
#include "util/xalloc.h"

#define NEEDS_NS 200000000LL            /* of a processor */
#define PATIENCE_NS 60000000000LL       /* with its share of the idle class alone it takes more than a minute */

struct test_job {
	struct job job;         /* first */
	int64_t needs_ns;
	int policy;                     /* as it began, and as it ended */
	int policy_end;
	bool dropped;
};

static int64_t
ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
job_run(struct job *j)
{
	struct test_job *t = (struct test_job *)j;
	int64_t until = ns_of(CLOCK_THREAD_CPUTIME_ID) + t->needs_ns;

	t->policy = sched_getscheduler(0);
	while (ns_of(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	t->policy_end = sched_getscheduler(0);
}

static void
job_drop(struct job *j)
{
	((struct test_job *)j)->dropped = true;
}

static struct test_job
job_that_needs(int64_t ns)
{
	return (struct test_job){ .job = { .run = job_run, .drop = job_drop }, .needs_ns = ns, .policy = -1 };
}

static void
runs_in_order(void **state)
{
	struct test_job a = job_that_needs(0), b = job_that_needs(0);
	struct pollfd p;
	struct work *w;

	(void)state;
	assert_int_equal(work_new(&w), 0);
	work_put(w, &a.job);
	work_put(w, &b.job);
	p = (struct pollfd){ work_fd(w), POLLIN, 0 };
	for (struct test_job *next = &a; next; next = next == &a ? &b : NULL) {
		struct job *j;

		while (!(j = work_take(w)))
			assert_int_equal(poll(&p, 1, 60000), 1);
		assert_ptr_equal(j, &next->job);
	}
	assert_null(work_take(w));
	assert_false(work_look(w));
	work_free(w);
}

static void
drops_what_waits(void **state)
{
	struct test_job jobs[3] = { job_that_needs(NEEDS_NS / 4), job_that_needs(0), job_that_needs(0) };
	struct work *w;

	(void)state;
	assert_int_equal(work_new(&w), 0);
	for (int i = 0; i < 3; i++)
		work_put(w, &jobs[i].job);
	work_free(w);
	for (int i = 0; i < 3; i++)
		assert_true(jobs[i].dropped);
}

/* Everybody on one processor, and one who never sleeps. */
static void
is_hurried_when_it_starves(void **state)
{
	struct test_job t = job_that_needs(NEEDS_NS), after = job_that_needs(0);
	int64_t begin, looked = 0, now;
	struct job *j = NULL;
	struct work *w;
	cpu_set_t all, one;
	struct pollfd p;
	int cpu;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(work_new(&w), 0);
	if (!work_gives_way(w)) {
		work_free(w);
		sched_setaffinity(0, sizeof(all), &all);
		skip();
	}
	work_put(w, &t.job);
	begin = now = ns_of(CLOCK_MONOTONIC);
	for (; !j; now = ns_of(CLOCK_MONOTONIC)) {
		assert_true(now - begin < PATIENCE_NS);
		if (now - looked > WORK_LOOK_US * 1000) {
			looked = now;
			j = work_take(w);
			work_look(w);
		}
	}
	assert_int_equal(t.policy, SCHED_IDLE);
	assert_int_equal(t.policy_end, SCHED_OTHER);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	work_put(w, &after.job);
	p = (struct pollfd){ work_fd(w), POLLIN, 0 };
	while (!work_take(w))           /* does not disturb the worker meanwhile */
		assert_int_equal(poll(&p, 1, 60000), 1);
	assert_int_equal(after.policy, SCHED_IDLE);
	work_free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_in_order),
		cmocka_unit_test(drops_what_waits),
		cmocka_unit_test(is_hurried_when_it_starves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
