/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * xalloc.h - allocation that cannot fail: out of memory aborts with a sentence.
 * Room: util.
 */
#ifndef HEDDLE_UTIL_XALLOC_H
#define HEDDLE_UTIL_XALLOC_H

#include <stdbool.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);                   /* zeroed */
void *xrealloc(void *p, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);    /* aborts on overflow of n * size */
char *xstrdup(const char *s);
void *xmemdup(const void *p, size_t size);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void xalloc_overflow(void);

/* A bug of ours: says where and aborts.  Never for what a peer sent. */
_Noreturn void bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
