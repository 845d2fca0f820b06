/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * xalloc.c - allocation that cannot fail.
 * Room: util.  A daemon that has lost an allocation half-way through a change is worse than one
 * that restarts and reads the fabric again, so out of memory aborts.
 */
#include <config.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"

_Noreturn void
bug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("heddle: internal error: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}

static void *
check_allocated(void *p, size_t size)
{
	if (!p && size)
		bug("out of memory (%zu bytes)", size);
	return p;
}

_Noreturn void
xalloc_overflow(void)
{
	bug("allocation size overflows");
}

void *
xmalloc(size_t size)
{
	return check_allocated(malloc(size), size);
}

void *
xcalloc(size_t n, size_t size)
{
	return check_allocated(calloc(n, size), n && size ? 1 : 0);
}

void *
xrealloc(void *p, size_t size)
{
	return check_allocated(realloc(p, size), size);
}

void *
xreallocarray(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		xalloc_overflow();
	return xrealloc(p, n * size);
}

char *
xstrdup(const char *s)
{
	return check_allocated(strdup(s), 1);
}

void *
xmemdup(const void *p, size_t size)
{
	void *copy = xmalloc(size ? size : 1);

	if (size)
		memcpy(copy, p, size);
	return copy;
}

char *
xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		bug("out of memory (formatting)");
	return s;
}
