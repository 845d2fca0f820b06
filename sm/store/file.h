/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * file.h - one file of bytes that is replaced whole: for what is too large for rows.
 * Room: sm/store (prefix store_file_).  One thread writes it.
 *
 * Nothing is lost with it that a sweep does not find again, so a file that is damaged is ignored and
 * replaced with the next one, and a failure to write is logged once.  What is put goes to a new file
 * beside it, then to the disk, and then takes its name: so a reader sees the old bytes or the new
 * ones, and a checksum tells when it does not.
 */
#ifndef HEDDLE_SM_STORE_FILE_H
#define HEDDLE_SM_STORE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include "util/log.h"

#define STORE_FILE_MAX (256u << 20)

struct store_file;

/* Two parts that follow each other in the file.  They do not change until release(arg), which may
 * be called on the writer's thread. */
struct store_file_text {
	const void *part[2];
	size_t bytes[2];
	void (*release)(void *arg);
	void *arg;
};

/* DIR/NAME, which need not exist.  'log' must outlive it. */
struct store_file *store_file_open(const char *dir, const char *name, const struct log *log);
/* What the file holds, malloc'ed; NULL: nothing, or it is damaged, which is logged. */
uint8_t *store_file_load(struct store_file *f, size_t *len);
/* Never waits.  Of what is put faster than the disk takes it, only the last is written. */
void store_file_put(struct store_file *f, const struct store_file_text *t);
/* Waits until what was put is written.  NULL is fine. */
void store_file_close(struct store_file *f);

#endif
