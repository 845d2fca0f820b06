/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guids.c - reads files of GUIDs in OpenSM's format, one GUID per line.
 * Room: sm/conf/routing.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/routing/guids.h"
#include "sm/conf/text/say.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define LINE_BYTES_MAX 4096

struct list {
	uint64_t *guids;
	size_t n, room;
};

static void
add_guid(struct list *l, uint64_t guid)
{
	GROW(l->guids, l->n, l->room, 64);
	l->guids[l->n++] = guid;
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
sort_unique(struct list *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->guids, l->n, sizeof(*l->guids), by_value);
	for (size_t i = 0; i < l->n; i++)
		if (n == 0 || l->guids[i] != l->guids[n - 1])
			l->guids[n++] = l->guids[i];
	l->n = n;
}

/* Returns 1 and '*guid', 0 if the line holds nothing, or -EINVAL for a bad line. */
static int
read_line(const char *line, uint64_t *guid)
{
	char *end;

	line += strspn(line, " \t\r\n");
	if (*line == '\0' || *line == '#')
		return 0;
	errno = 0;
	*guid = strtoull(line, &end, 0);
	if (*line < '0' || *line > '9' || errno || *guid == 0)
		return -EINVAL;
	return *end == '\0' || strchr(" \t\r\n#", *end) ? 1 : -EINVAL;
}

static void
read_lines(FILE *f, const char *path, struct list *l, struct conf_error *e)
{
	unsigned number = 0;
	char *line = NULL;
	uint64_t guid;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, f)) >= 0) {
		int r = len > LINE_BYTES_MAX || memchr(line, '\0', (size_t)len) ?
			-EINVAL :
			read_line(line, &guid);

		number++;
		if (r > 0)
			add_guid(l, guid);
		if (r < 0)
			conf_say_warning(e, path, number,
				"expected a GUID, got '%.*s'; the line is passed over",
				(int)strcspn(line, "\r\n"), len > 40 ? "a long line" : line);
	}
	free(line);
}

int
conf_guids_read(
	const char *path, struct arena *a, const uint64_t **guids, size_t *n, struct conf_error *e)
{
	struct list l = { 0 };
	FILE *f = fopen(path, "re");
	int err = 0;

	if (f) {
		errno = 0;
		read_lines(f, path, &l, e);
		if (ferror(f))
			err = errno ? -errno : -EIO;
		fclose(f);
	} else {
		err = -errno;
	}
	if (err) {
		conf_say_error(e, path, 0, "%s", strerror(-err));
	} else if (l.n) {
		uint64_t *copy = arena_array(a, l.n, sizeof(*copy));

		sort_unique(&l);
		memcpy(copy, l.guids, l.n * sizeof(*copy));
		*guids = copy;
		*n = l.n;
	}
	free(l.guids);
	return err;
}
