/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * out.c - writes text to a large file.
 * Room: cli.
 *
 * Text comes in piece by piece and goes out in whole blocks at multiples of their size, so that
 * the kernel uses large pages for them and touches none twice.  An empty file is not truncated
 * again: ext4 treats that as replacing content, and close() then waits until gigabytes are
 * written to the disk.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/out.h"
#include "util/xalloc.h"

#define BLOCK_BYTES ((size_t)64 << 10)
/* write threshold; more does not fit the processor's cache */
#define ENOUGH_BYTES ((size_t)256 << 10)
#define FORMAT_MAX_BYTES 512

int
out_open(struct out *o, const char *path)
{
	*o = (struct out){ .fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) };
	if (o->fd < 0)
		o->err = -errno;
	return o->err;
}

/* Writes the first 'bytes' of the buffer; drops them after an error. */
static void
write_bytes(struct out *o, size_t bytes)
{
	size_t done = 0;

	while (!o->err && done < bytes) {
		ssize_t n = write(o->fd, o->buf + done, bytes - done);

		if (n < 0 && errno != EINTR)
			o->err = -errno;
		if (n > 0)
			done += (size_t)n;
	}
	o->written |= done > 0;
	o->n -= bytes;
	memmove(o->buf, o->buf + bytes, o->n);
}

char *
out_room(struct out *o, size_t bytes)
{
	if (o->n >= ENOUGH_BYTES)
		write_bytes(o, o->n - o->n % BLOCK_BYTES);
	if (o->room - o->n < bytes) {
		o->room = o->n + bytes + ENOUGH_BYTES;
		o->buf = xrealloc(o->buf, o->room);
	}
	return o->buf + o->n;
}

void
out_took(struct out *o, size_t bytes)
{
	o->n += bytes;
}

void
out_put(struct out *o, const char *text, size_t bytes)
{
	memcpy(out_room(o, bytes), text, bytes);
	out_took(o, bytes);
}

void
out_format(struct out *o, const char *fmt, ...)
{
	char *to = out_room(o, FORMAT_MAX_BYTES);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(to, FORMAT_MAX_BYTES, fmt, ap);
	va_end(ap);
	if (n < 0 || n >= FORMAT_MAX_BYTES)
		bug("out: a line too long");
	out_took(o, (size_t)n);
}

void
out_restart(struct out *o)
{
	o->n = 0;
	if (!o->written || o->err)
		return;
	if (ftruncate(o->fd, 0) < 0 || lseek(o->fd, 0, SEEK_SET) < 0)
		o->err = -errno;
	o->written = false;
}

int
out_close(struct out *o)
{
	if (o->fd >= 0) {
		if (o->n)
			write_bytes(o, o->n);
		if (close(o->fd) < 0 && !o->err)
			o->err = -errno;
	}
	o->fd = -1;
	free(o->buf);
	o->buf = NULL;
	return o->err;
}
