/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pool.c - a pool of threads for struct stripes.
 * Room: util.  One mutex, two conditions: a round begins, a round has ended.
 */
#include <config.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include "util/pool.h"
#include "util/xalloc.h"

struct pool_thread {
	struct pool *pool;
	unsigned part;
	pthread_t id;
};

struct pool {
	struct stripes stripes;
	pthread_mutex_t lock;
	pthread_cond_t begin, end;
	stripes_part *part;             /* of the present round */
	void *data;
	unsigned round;                 /* rounds begun */
	unsigned open;                  /* threads that have not ended their part of it */
	bool stop;
	unsigned nthreads;
	struct pool_thread threads[POOL_MAX];
};

static void *
thread_main(void *arg)
{
	struct pool_thread *t = arg;
	struct pool *p = t->pool;
	unsigned done = 0;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (p->round == done && !p->stop)
			pthread_cond_wait(&p->begin, &p->lock);
		if (p->stop)
			break;
		done = p->round;
		pthread_mutex_unlock(&p->lock);
		p->part(p->data, t->part, p->stripes.n);
		pthread_mutex_lock(&p->lock);
		if (--p->open == 0)
			pthread_cond_signal(&p->end);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void
pool_each(void *arg, stripes_part *part, void *data)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->lock);
	p->part = part;
	p->data = data;
	p->open = p->nthreads;
	p->round++;
	pthread_cond_broadcast(&p->begin);
	pthread_mutex_unlock(&p->lock);
	part(data, 0, p->stripes.n);
	pthread_mutex_lock(&p->lock);
	while (p->open)
		pthread_cond_wait(&p->end, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static unsigned
processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > POOL_MAX ? POOL_MAX : (unsigned)n;
}

struct pool *
pool_new(unsigned n)
{
	struct pool *p = xcalloc(1, sizeof(*p));
	sigset_t all, old;

	n = !n ? processors() : n > POOL_MAX ? POOL_MAX : n;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->begin, NULL);
	pthread_cond_init(&p->end, NULL);
	/* Signals belong to the threads that existed before. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (p->nthreads + 1 < n) {
		struct pool_thread *t = &p->threads[p->nthreads];

		t->pool = p;
		t->part = p->nthreads + 1;
		if (pthread_create(&t->id, NULL, thread_main, t) != 0)
			break;
		p->nthreads++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	p->stripes = (struct stripes){ p->nthreads + 1, pool_each, p };
	return p;
}

void
pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->begin);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->nthreads; i++)
		pthread_join(p->threads[i].id, NULL);
	pthread_cond_destroy(&p->begin);
	pthread_cond_destroy(&p->end);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

const struct stripes *
pool_stripes(const struct pool *p)
{
	return &p->stripes;
}
