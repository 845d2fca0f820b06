/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * work.c - the worker thread.
 * Room: sm/daemon. In: jobs. Out: the same jobs after they ran, and a descriptor that reports them.
 *
 * The worker runs in the scheduler's idle class, so that other threads, first of all the event
 * loop, get the processor at once instead of after the worker's time slice (3 ms, six times the
 * duration of an SA query). On a machine that is never idle, planning must still make progress:
 * work_look() moves a worker that gets too little processor time to the normal class until its job
 * ends. If the system does not allow a thread to leave the idle class (RLIMIT_NICE below 20 without
 * CAP_SYS_NICE), the worker always runs in the normal class.
 */
#include <config.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "sm/daemon/work.h"
#include "util/pool.h"
#include "util/xalloc.h"

#define LOCK_PAUSE_NS 20000
#define STARVED_PERCENT 25 /* percent of a processor; a job that gets less is starved */

struct queue {
	struct job *first, **end;
	unsigned n;
};

struct work {
	pthread_t thread;
	struct pool *pool;              /* works in parts for the running job */
	pthread_mutex_t lock;
	pthread_cond_t wake;            /* there is a job, or the end */
	int fd;
	bool gives_way;                 /* runs in the idle class */
	/* used only by the caller's thread */
	clockid_t clock;                /* the worker's processor time */
	/* time of the last work_look(), and the processor time used until then */
	int64_t looked_ns, used_ns;
	const struct job *looked_at;
	/* protected by 'lock' */
	struct queue todo, done;
	const struct job *running;
	bool hurried;                   /* in the normal class until its job ends */
	bool stop;
};

static void
queue_push(struct queue *q, struct job *j)
{
	j->next = NULL;
	*q->end = j;
	q->end = &j->next;
	q->n++;
}

static struct job *
queue_pull(struct queue *q)
{
	struct job *j = q->first;

	if (!j)
		return NULL;
	q->first = j->next;
	if (!q->first)
		q->end = &q->first;
	q->n--;
	return j;
}

/* Increments the descriptor, which counts finished jobs. */
static void
announce_end(const struct work *w)
{
	const uint64_t one = 1;

	while (write(w->fd, &one, sizeof(one)) < 0)
		if (errno != EINTR)
			bug("work: the event descriptor takes nothing");
}

static int
join_class(pthread_t t, int policy)
{
	const struct sched_param p = { 0 };

	return pthread_setschedparam(t, policy, &p);
}

static void *
try_classes(void *arg)
{
	bool *both = arg;

	*both = !join_class(pthread_self(), SCHED_IDLE) && !join_class(pthread_self(), SCHED_OTHER);
	return NULL;
}

/* Reports whether a thread may leave the idle class again. Only a temporary thread can try this
 * without risk. */
static bool
may_give_way(void)
{
	bool both = false;
	pthread_t t;

	if (sched_getscheduler(0) != SCHED_OTHER || pthread_create(&t, NULL, try_classes, &both))
		return false;
	pthread_join(t, NULL);
	return both;
}

static int64_t
clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *
worker_main(void *arg)
{
	struct work *w = arg;
	struct job *j;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->stop && !w->todo.n)
			pthread_cond_wait(&w->wake, &w->lock);
		if (w->stop)
			break;
		j = queue_pull(&w->todo);
		w->running = j;
		pthread_mutex_unlock(&w->lock);
		j->run(j);
		pthread_mutex_lock(&w->lock);
		w->running = NULL;
		queue_push(&w->done, j);
		announce_end(w);
		if (w->hurried && !join_class(w->thread, SCHED_IDLE))
			w->hurried = false;
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Threads of the pool stay in the normal class, because the worker waits for them; so one
 * processor is left to the event loop. */
static unsigned
pool_size(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 3 ? 1 : n > POOL_MAX ? POOL_MAX : (unsigned)n - 1;
}

/* Starts the worker and the pool with all signals blocked, because only the event loop handles
 * signals. */
static int
thread_start(struct work *w)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	w->pool = pool_new(pool_size());
	w->gives_way = may_give_way();
	err = pthread_create(&w->thread, NULL, worker_main, w);
	if (err || pthread_getcpuclockid(w->thread, &w->clock) ||
		(w->gives_way && join_class(w->thread, SCHED_IDLE)))
		w->gives_way = false;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

int
work_new(struct work **out)
{
	struct work *w = xcalloc(1, sizeof(*w));
	int err;

	w->todo.end = &w->todo.first;
	w->done.end = &w->done.first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = w->fd < 0 ? -errno : thread_start(w);
	if (err < 0) {
		if (w->fd >= 0)
			close(w->fd);
		pool_free(w->pool);
		free(w);
		return err;
	}
	*out = w;
	return 0;
}

/*
 * Locks on the caller's thread.  A worker in the idle class that holds the lock may get no processor
 * for seconds on a busy machine, and the event loop would wait for it: it is in the normal class
 * until this thread has the lock.
 */
static void
lock_work(struct work *w)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	bool lifted = false;

	while (pthread_mutex_trylock(&w->lock)) {
		if (w->gives_way)
			lifted |= !join_class(w->thread, SCHED_OTHER);
		nanosleep(&pause, NULL);
	}
	if (lifted && !w->hurried)
		join_class(w->thread, SCHED_IDLE);
}

void
work_free(struct work *w)
{
	struct job *j;

	if (!w)
		return;
	lock_work(w);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	while ((j = queue_pull(&w->done)) != NULL || (j = queue_pull(&w->todo)) != NULL)
		j->drop(j);
	close(w->fd);
	pool_free(w->pool);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void
work_put(struct work *w, struct job *j)
{
	lock_work(w);
	if (w->todo.n == WORK_WAITING_MAX)
		bug("work: %u jobs wait", w->todo.n);
	queue_push(&w->todo, j);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

bool
work_look(struct work *w)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC), used = clock_ns(w->clock);
	bool same, busy;

	lock_work(w);
	busy = w->running || w->todo.n;
	same = w->running && w->running == w->looked_at;
	if (same && w->gives_way && !w->hurried &&
		(used - w->used_ns) * 100 < (now - w->looked_ns) * STARVED_PERCENT)
		w->hurried = !join_class(w->thread, SCHED_OTHER);
	w->looked_at = w->running;
	w->looked_ns = now;
	w->used_ns = used;
	pthread_mutex_unlock(&w->lock);
	return busy;
}

bool
work_gives_way(const struct work *w)
{
	return w->gives_way;
}

const struct stripes *
work_stripes(const struct work *w)
{
	return pool_stripes(w->pool);
}

int
work_fd(const struct work *w)
{
	return w->fd;
}

struct job *
work_take(struct work *w)
{
	struct job *j;
	uint64_t n;

	lock_work(w);
	j = queue_pull(&w->done);
	if (!j && read(w->fd, &n, sizeof(n)) < 0 && errno != EAGAIN && errno != EINTR)
		bug("work: the event descriptor gives nothing");
	pthread_mutex_unlock(&w->lock);
	return j;
}
