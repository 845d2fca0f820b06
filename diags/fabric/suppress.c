/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * suppress.c - a list of known findings that are not to be shown.
 * Room: diags/fabric. A line is an id ("0x..."), a code, or a code ("*": any) and a glob for an end
 * ("leaf-1-*:3", "0x00fe1d...:3"); '#' begins a comment.
 */
#include <config.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/suppress.h"
#include "util/xalloc.h"

#define LINE_BYTES 512

struct row {
	uint64_t id;                    /* unless 0: the id of the finding */
	char *code, *glob;              /* otherwise code and glob; NULL: any */
};

struct suppress {
	struct row *rows;
	size_t n;
};

/* Removes blanks at both ends. */
static char *
blanks_trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	for (n = strlen(s); n && strchr(" \t\r\n", s[n - 1]); n--)
		;
	s[n] = '\0';
	return s;
}

static bool
read_row(struct row *r, char *line)
{
	char *rest;

	if (!strncmp(line, "0x", 2))
		return diag_number(line, UINT64_MAX, &r->id) && r->id;
	rest = line + strcspn(line, " \t");
	if (*rest)
		*rest++ = '\0';
	rest = blanks_trim(rest);
	if (strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_*") != strlen(line))
		return false;
	r->code = xstrdup(line);
	r->glob = *rest ? xstrdup(rest) : NULL;
	return true;
}

int
suppress_read(struct diag *d, const char *path, struct suppress **out)
{
	struct suppress *s = xcalloc(1, sizeof(*s));
	char line[LINE_BYTES], *text;
	FILE *f = fopen(path, "r");
	unsigned at = 0;
	int r = 0;

	*out = s;
	if (!f)
		return diag_fail(d, EXIT_USAGE, "config", "cannot read %s: %s", path,
			strerror(errno));
	while (!r && fgets(line, sizeof(line), f)) {
		at++;
		if (strlen(line) == sizeof(line) - 1 && line[sizeof(line) - 2] != '\n') {
			r = diag_fail(d, EXIT_USAGE, "config",
				"%s:%u: the line is longer than %zu bytes", path, at,
				sizeof(line) - 2);
			break;
		}
		line[strcspn(line, "#")] = '\0';
		text = blanks_trim(line);
		if (!*text)
			continue;
		s->rows = xreallocarray(s->rows, s->n + 1, sizeof(*s->rows));
		s->rows[s->n] = (struct row){ 0 };
		if (read_row(&s->rows[s->n], text))
			s->n++;
		else
			r = diag_fail(d, EXIT_USAGE, "config",
				"%s:%u: \"%.60s\" is neither the id of a finding, a code, nor a "
				"code and a pattern",
				path, at, text);
	}
	fclose(f);
	return r;
}

void
suppress_free(struct suppress *s)
{
	for (size_t i = 0; s && i < s->n; i++) {
		free(s->rows[i].code);
		free(s->rows[i].glob);
	}
	if (s)
		free(s->rows);
	free(s);
}

bool
suppress_match(const struct suppress *s, const char *code, uint64_t id, const char *const *names)
{
	for (size_t i = 0; s && i < s->n; i++) {
		const struct row *r = &s->rows[i];

		if (r->id) {
			if (r->id == id)
				return true;
			continue;
		}
		if (strcmp(r->code, "*") && strcmp(r->code, code))
			continue;
		if (!r->glob)
			return true;
		for (const char *const *n = names; *n; n++)
			if (!fnmatch(r->glob, *n, 0))
				return true;
	}
	return false;
}

void
suppress_names(struct diag *d, const struct diag_fabric *f, const struct fab_port *p,
	char names[2][SUPPRESS_NAME_BYTES])
{
	const struct fab_node *n = fab_node_of(f, p);
	char name[DIAG_NAME_BYTES];

	snprintf(names[0], SUPPRESS_NAME_BYTES, "%s:%u", fab_name(d, n, name), p->num);
	snprintf(names[1], SUPPRESS_NAME_BYTES, "0x%016" PRIx64 ":%u", n->guid, p->num);
}
