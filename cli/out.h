/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * out.h - text on its way into a large file.
 * Room: cli.
 */
#ifndef HEDDLE_CLI_OUT_H
#define HEDDLE_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>

struct out {
	int fd;                 /* -1: not open */
	int err;                /* 0, or the first -errno: what comes after it is dropped */
	bool written;           /* something is in the file */
	char *buf;
	size_t n, room;
};

/* Creates the file, empty.  0 or -errno; out_close is due in either case. */
int out_open(struct out *o, const char *path);
/* Room for 'bytes' more; valid until the next call.  out_took says how many of them were filled. */
char *out_room(struct out *o, size_t bytes);
void out_took(struct out *o, size_t bytes);
void out_put(struct out *o, const char *text, size_t bytes);
void out_format(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Back to an empty file. */
void out_restart(struct out *o);
/* Writes the rest.  0, or the first -errno of all. */
int out_close(struct out *o);

#endif
