/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * torus.c - the size of a torus, from the file of torus_config.
 * Room: sm/conf/routing.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/text/say.h"
#include "sm/conf/routing/torus.h"

#define BLANKS " \t\r\n"
#define SIZE_MAX_TORUS 49151            /* as many switches as LIDs */

struct reader {
	const char *path;
	unsigned line;
	struct torus_sizes *out;
	struct conf_error *e;
};

/* "6", "6m", "6t". */
static bool
read_size(const char *word, bool open, struct torus_sizes *out)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || n < 1 || n > SIZE_MAX_TORUS || (*end && end[1]) ||
		(*end && !strchr("mMtT", *end)))
		return false;
	out->size[out->ndims] = (uint16_t)n;
	out->mesh[out->ndims++] = *end ? strchr("mM", *end) != NULL : open;
	return true;
}

static void
take_sizes(struct reader *r, const char *kind, char **save)
{
	struct torus_sizes s = { .ndims = 0 };

	for (unsigned i = 0; i < TORUS_DIMS; i++) {
		const char *word = strtok_r(NULL, BLANKS, save);

		if (!word || *word == '#') {
			conf_say_error(r->e, r->path, r->line,
				"%s: expected %d sizes, as in '%s 6 6 4', got %u; the size of a "
				"dimension that is not there is 1",
				kind, TORUS_DIMS, kind, i);
			return;
		}
		if (!read_size(word, kind[0] == 'm', &s)) {
			conf_say_error(r->e, r->path, r->line,
				"%s: expected a size from 1 to %d, with m or t behind it or "
				"nothing, got '%.40s'",
				kind, SIZE_MAX_TORUS, word);
			return;
		}
	}
	if (r->out->ndims)
		conf_say_error(r->e, r->path, r->line, "%s: a second torus or mesh", kind);
	*r->out = s;
}

static void
take_line(struct reader *r, char *text)
{
	static const char *const known[] = { "xp_link", "xm_link", "yp_link", "ym_link", "zp_link",
		"zm_link", "x_dateline", "y_dateline", "z_dateline", "next_seed",
		"portgroup_max_ports", "port_order", "max_changes" };
	char *save = NULL, *word = strtok_r(text, BLANKS, &save);

	if (!word || *word == '#')
		return;
	if (strcmp(word, "torus") == 0 || strcmp(word, "mesh") == 0) {
		take_sizes(r, word, &save);
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(word, known[i]) == 0)
			return;
	conf_say_warning(r->e, r->path, r->line,
		"expected torus, mesh or another word of torus-2QoS.conf, got '%.40s'; the line is "
		"passed over",
		word);
}

int
torus_read(const char *path, struct torus_sizes *out, struct conf_error *e)
{
	struct reader r = { .path = path, .out = out, .e = e };
	unsigned before = e->nerrors;
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int err;

	*out = (struct torus_sizes){ .ndims = 0 };
	if (!f) {
		err = -errno;
		conf_say_error(e, path, 0, "%s", strerror(-err));
		return err;
	}
	while (getline(&line, &room, f) >= 0) {
		r.line++;
		take_line(&r, line);
	}
	free(line);
	fclose(f);
	if (!out->ndims && e->nerrors == before)
		conf_say_error(e, path, 0, "expected a line 'torus X Y Z' or 'mesh X Y Z'");
	return e->nerrors == before ? 0 : -EINVAL;
}
