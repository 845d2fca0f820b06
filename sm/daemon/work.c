/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * work.c - the worker thread.
 * Room: sm/daemon.  In: jobs.  Out: the same, run; a descriptor that says so.
 */
#include <config.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "sm/daemon/work.h"
#include "util/xalloc.h"

struct queue {
	struct manager_job *first, **end;
	unsigned n;
};

struct work {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;            /* there is a job, or the end */
	int fd;
	/* under 'lock' */
	struct queue todo, done;
	bool stop;
};

static void
push(struct queue *q, struct manager_job *j)
{
	j->next = NULL;
	*q->end = j;
	q->end = &j->next;
	q->n++;
}

static struct manager_job *
pull(struct queue *q)
{
	struct manager_job *j = q->first;

	if (!j)
		return NULL;
	q->first = j->next;
	if (!q->first)
		q->end = &q->first;
	q->n--;
	return j;
}

/* The descriptor counts finished jobs. */
static void
announce(const struct work *w)
{
	const uint64_t one = 1;

	while (write(w->fd, &one, sizeof(one)) < 0)
		if (errno != EINTR)
			bug("work: the event descriptor takes nothing");
}

static void *
run(void *arg)
{
	struct work *w = arg;
	struct manager_job *j;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->stop && !w->todo.n)
			pthread_cond_wait(&w->wake, &w->lock);
		if (w->stop)
			break;
		j = pull(&w->todo);
		pthread_mutex_unlock(&w->lock);
		j->run(j);
		pthread_mutex_lock(&w->lock);
		push(&w->done, j);
		announce(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Signals are for the event loop: the worker is born with all of them blocked. */
static int
start(struct work *w)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, run, w);
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
	err = w->fd < 0 ? -errno : start(w);
	if (err < 0) {
		if (w->fd >= 0)
			close(w->fd);
		free(w);
		return err;
	}
	*out = w;
	return 0;
}

void
work_free(struct work *w)
{
	struct manager_job *j;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	while ((j = pull(&w->done)) != NULL || (j = pull(&w->todo)) != NULL)
		j->drop(j);
	close(w->fd);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void
work_put(struct work *w, struct manager_job *j)
{
	pthread_mutex_lock(&w->lock);
	if (w->todo.n == WORK_WAITING_MAX)
		bug("work: %u jobs wait", w->todo.n);
	push(&w->todo, j);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

int
work_fd(const struct work *w)
{
	return w->fd;
}

struct manager_job *
work_take(struct work *w)
{
	struct manager_job *j;
	uint64_t n;

	pthread_mutex_lock(&w->lock);
	j = pull(&w->done);
	if (!j && read(w->fd, &n, sizeof(n)) < 0 && errno != EAGAIN && errno != EINTR)
		bug("work: the event descriptor gives nothing");
	pthread_mutex_unlock(&w->lock);
	return j;
}
