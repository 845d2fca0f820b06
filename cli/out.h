/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * out.h - writes text to a large file.
 * Room: cli.
 *
 * Errors are sticky: after the first one every call drops its text, and out_close() returns that
 * error.  So callers check once.
 */
#ifndef HEDDLE_CLI_OUT_H
#define HEDDLE_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>

struct out {
	int fd;                 /* -1: not open */
	int err;                /* 0, or the first -errno: later text is dropped */
	bool written;           /* the file is not empty */
	char *buf;
	size_t n, room;
};

/* Creates an empty file.  0 or -errno; call out_close() in either case. */
int out_open(struct out *o, const char *path);
/* Room for 'bytes' more bytes, valid until the next call.  Afterwards out_took() says how many
 * were filled. */
char *out_room(struct out *o, size_t bytes);
void out_took(struct out *o, size_t bytes);
void out_put(struct out *o, const char *text, size_t bytes);
void out_format(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Discards everything written: the file is empty again. */
void out_restart(struct out *o);
/* Writes the rest and closes.  0, or the first -errno of all calls. */
int out_close(struct out *o);

#endif
