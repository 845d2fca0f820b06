/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pool.h - a pool of threads that does the parts of struct stripes side by side.
 * Room: util (prefix pool_).  Not pure: it starts threads.
 *
 * The caller of pool_stripes()->each() does part 0 itself and waits for the others, so a pool of n
 * has n - 1 threads.  One caller at a time: a pool belongs to one worker thread or to the main
 * thread of a tool.
 */
#ifndef HEDDLE_UTIL_POOL_H
#define HEDDLE_UTIL_POOL_H

#include "util/stripes.h"

struct pool;

/* 'n' threads, the caller counted; 0: as many as there are processors, at most POOL_MAX.  If the
 * system refuses a thread, the pool is smaller.  Never NULL. */
#define POOL_MAX 16
struct pool *pool_new(unsigned n);
/* Ends the threads.  NULL is fine. */
void pool_free(struct pool *p);
/* Valid as long as the pool. */
const struct stripes *pool_stripes(const struct pool *p);

#endif
