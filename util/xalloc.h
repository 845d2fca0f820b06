/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * xalloc.h - allocation that cannot fail: when memory runs out the program aborts with a message.
 * Room: util.
 *
 * Callers never check for NULL.  A daemon that lost an allocation in the middle of a change would
 * be worse off than one that restarts and reads the fabric again.
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

/* Reports an internal error and aborts.  Never used for input from a peer. */
_Noreturn void bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
