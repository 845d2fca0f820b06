/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * slurp.c - reads a whole file.
 * Room: sm/conf/text.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/text/say.h"
#include "sm/conf/text/slurp.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define FILE_BYTES_MAX (64u << 20)

static int
read_all(FILE *f, char **text, size_t *len)
{
	size_t room = 0, n;

	errno = 0;
	do {
		GROW(*text, *len, room, 4096);
		n = fread(*text + *len, 1, room - *len, f);
		*len += n;
	} while (n && *len <= FILE_BYTES_MAX);
	if (ferror(f))
		return errno ? -errno : -EIO;
	return *len > FILE_BYTES_MAX ? -EFBIG : 0;
}

int
conf_slurp(const char *file, char **text, size_t *len, struct conf_error *e)
{
	FILE *f = fopen(file, "re");
	int err = f ? 0 : -errno;

	*text = NULL;
	*len = 0;
	if (f) {
		err = read_all(f, text, len);
		fclose(f);
	}
	if (err) {
		free(*text);
		*text = NULL;
	}
	if (err && err != -ENOENT)
		conf_say_error(e, file, 0, "%s", strerror(-err));
	return err;
}
