/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * stripes.h - work in equal parts, done side by side by whoever offers threads.
 * Room: util (prefix stripes_).  Pure, header only.
 *
 * Pure rooms may not start threads.  They divide an array of rows into stripes by number, and call
 * stripes_each() with what their caller gave them: a pool of threads (util/pool.h), or NULL, and
 * then the parts follow each other on the same thread.
 *
 * Invariant: the result must not depend on the number of parts.  So a part writes only its own
 * rows, reads nothing that another part writes, and counters are summed up per row or per part
 * after the call.
 */
#ifndef HEDDLE_UTIL_STRIPES_H
#define HEDDLE_UTIL_STRIPES_H

#include <stdint.h>

/* Does part 'i' of 'n'. */
typedef void stripes_part(void *data, unsigned i, unsigned n);

struct stripes {
	unsigned n;                     /* parts that can run at the same time; at least 1 */
	/* Calls part(data, i, n) for each i below n, on any thread, and returns when all are done. */
	void (*each)(void *arg, stripes_part *part, void *data);
	void *arg;
};

static inline unsigned
stripes_count(const struct stripes *s)
{
	return s ? s->n : 1;
}

static inline void
stripes_each(const struct stripes *s, stripes_part *part, void *data)
{
	if (s && s->n > 1)
		s->each(s->arg, part, data);
	else
		part(data, 0, 1);
}

/* The first row of part 'i' of 'n' out of 'rows'; that of part n is 'rows'. */
static inline uint32_t
stripes_first(uint32_t rows, unsigned i, unsigned n)
{
	return (uint32_t)((uint64_t)rows * i / n);
}

#endif
