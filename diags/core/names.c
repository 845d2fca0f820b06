/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * names.c - the node name map, and printable node descriptions.
 * Room: diags/core.
 *
 * A line is a node GUID and a name: in quotes, or up to '#' or the end. The first line for a GUID
 * wins. A bad line is reported and skipped.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/context.h"
#include "diags/core/names.h"
#include "diags/core/status.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/xalloc.h"

static const char *const default_files[] = {
	"/etc/rdma/ib-node-name-map", "/etc/opensm/ib-node-name-map", "/etc/ofa/ib-node-name-map",
};

struct diag_names {
	struct name {
		uint64_t guid;
		size_t order;
		char *text;
	} *v;
	size_t n, room;
};

void
diag_names_free(struct diag_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n; i++)
		free(n->v[i].text);
	free(n->v);
	free(n);
}

static int
by_guid(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Parses a line; returns false unless it has a GUID, a blank and a name. */
static bool
take_line(struct diag_names *n, char *p)
{
	struct name x = { .order = n->n };
	char *end;

	while (isspace((unsigned char)*p))
		p++;
	if (!*p || *p == '#')
		return true;
	errno = 0;
	x.guid = strtoull(p, &end, 0);
	if (errno || end == p || (*end && !isspace((unsigned char)*end) && *end != '#'))
		return false;
	for (p = end; isspace((unsigned char)*p); p++)
		;
	if (*p == '"')
		p++;
	p[strcspn(p, "\"#\r\n")] = '\0';
	if (!*p)
		return true;
	GROW(n->v, n->n, n->room, 64);
	x.text = xstrdup(p);
	n->v[n->n++] = x;
	return true;
}

static struct diag_names *
read_map(struct diag *d, FILE *f, const char *path)
{
	struct diag_names *n = xcalloc(1, sizeof(*n));
	char *text = NULL;
	size_t room = 0;

	for (unsigned line = 1; getline(&text, &room, f) >= 0; line++)
		if (!take_line(n, text))
			diag_warn(d, EXIT_OK, "config", NULL,
				"%s:%u: no GUID and name; the line is skipped", path, line);
	free(text);
	if (n->n)
		qsort(n->v, n->n, sizeof(*n->v), by_guid);
	return n;
}

int
diag_names_load(struct diag *d)
{
	const char *path = d->set.names_file;
	FILE *f = NULL;
	int r = 0;

	if (d->names_read)
		return 0;
	d->names_read = true;
	if (path) {
		f = fopen(path, "r");
		if (!f)
			return diag_fail(d, EXIT_USAGE, "config",
				"cannot read the node name map %s: %s", path, strerror(errno));
	}
	for (size_t i = 0; !path && i < sizeof(default_files) / sizeof(default_files[0]); i++) {
		f = fopen(default_files[i], "r");
		if (f)
			path = default_files[i];
	}
	if (!f)
		return 0;
	d->names = read_map(d, f, path);
	if (ferror(f))
		r = diag_fail(d, EXIT_USAGE, "config", "cannot read the node name map %s: %s", path,
			strerror(errno));
	fclose(f);
	return r;
}

static const struct name *
name_of(const struct diag_names *n, uint64_t guid)
{
	size_t i;

	if (!n)
		return NULL;
	BISECT(i, n->n, n->v[i].guid < guid);
	return i < n->n && n->v[i].guid == guid ? &n->v[i] : NULL;
}

const char *
diag_name(struct diag *d, uint64_t node_guid, const uint8_t desc[64],
	char buf[static DIAG_NAME_BYTES])
{
	const struct name *x;
	size_t i;

	diag_names_load(d);
	x = name_of(d->names, node_guid);
	if (x) {
		snprintf(buf, DIAG_NAME_BYTES, "%s", x->text);
		return buf;
	}
	for (i = 0; i < 64 && desc[i]; i++)
		buf[i] = desc[i] >= ' ' && desc[i] < 0x7f ? (char)desc[i] : ' ';
	buf[i] = '\0';
	return buf;
}

uint64_t
diag_name_guid(struct diag *d, const char *name)
{
	diag_names_load(d);
	for (size_t i = 0; d->names && i < d->names->n; i++)
		if (!strcmp(d->names->v[i].text, name))
			return d->names->v[i].guid;
	return 0;
}
