/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.c - reads groups of switches that have a routing engine of their own.
 * Room: sm/conf/routing.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "sm/conf/routing/groups.h"
#include "sm/conf/text/say.h"

#define BLANKS " \t\r\n"
#define LINE_BYTES_MAX 4096
#define WORDS_MAX 4 /* one more than any line has */

struct reading {
	struct arena *a;
	struct routing_groups *t;
	struct conf_error *e;
	uint32_t number; /* of the line */
	uint32_t groups_room, switches_room;
};

/* The name as engines.def has it; NULL: no engine of this version.  auto stands for several
 * engines, one of which takes a fabric as a whole. */
static const char *
find_engine(const char *word)
{
	static const struct {
		const char *name;
		bool built;
	} engines[] = {
#define E(name, built) { name, built },
#include "sm/conf/routing/engines.def"
#undef E
	};

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (engines[i].built && strcasecmp(word, engines[i].name) == 0 &&
			strcmp(engines[i].name, "auto") != 0)
			return engines[i].name;
	return NULL;
}

static int
refuse_line(const struct reading *r, const char *expected, const char *got)
{
	conf_say_error(r->e, r->t->file, r->number, "expected %s, got '%.40s'", expected, got);
	return -EINVAL;
}

/* Whether the group that was read last has a switch. */
static int
end_group(const struct reading *r)
{
	const struct routing_group *g = r->t->n ? &r->t->group[r->t->n - 1] : NULL;

	if (!g || g->n)
		return 0;
	conf_say_error(r->e, r->t->file, g->line,
		"group %s: expected the GUID of at least one switch below this line", g->name);
	return -EINVAL;
}

static int
add_group(struct reading *r, char **word, unsigned n)
{
	struct routing_groups *t = r->t;
	const char *engine;

	if (n != 3)
		return refuse_line(r, "'group NAME ENGINE'", n > 3 ? word[3] : word[n - 1]);
	if (strlen(word[1]) > ROUTING_GROUP_NAME_MAX)
		return refuse_line(r, "a name of at most 31 letters", word[1]);
	for (uint32_t i = 0; i < t->n; i++)
		if (strcmp(t->group[i].name, word[1]) == 0)
			return refuse_line(r, "a name that no other group has", word[1]);
	engine = find_engine(word[2]);
	if (!engine)
		return refuse_line(r, "the name of one routing engine", word[2]);
	if (t->n == ROUTING_GROUPS_MAX)
		return refuse_line(r, "at most 64 groups", word[1]);
	t->group = arena_grow(r->a, t->group, t->n, &r->groups_room, 8, sizeof(*t->group));
	t->group[t->n++] = (struct routing_group){
		.name = arena_strdup(r->a, word[1]), .engine = engine, .line = r->number
	};
	r->switches_room = 0;
	return 0;
}

static int
add_switch(struct reading *r, char **word, unsigned n)
{
	struct routing_group *g = r->t->n ? &r->t->group[r->t->n - 1] : NULL;
	uint64_t guid;
	char *end;

	errno = 0;
	guid = strtoull(word[0], &end, strncmp(word[0], "0x", 2) == 0 ? 16 : 10);
	if (*word[0] < '0' || *word[0] > '9' || *end || errno || !guid)
		return refuse_line(r, "'group NAME ENGINE' or the GUID of a switch", word[0]);
	if (n != 1)
		return refuse_line(r, "one GUID", word[1]);
	if (!g)
		return refuse_line(r, "'group NAME ENGINE' before the first GUID", word[0]);
	g->sw = arena_grow(r->a, g->sw, g->n, &r->switches_room, 16, sizeof(*g->sw));
	g->sw[g->n++] = (struct routing_group_switch){ guid, r->number };
	return 0;
}

/* Changes 'text'. */
static int
read_line(struct reading *r, char *text)
{
	char *word[WORDS_MAX], *save = NULL, *w;
	unsigned n = 0;
	int err;

	text[strcspn(text, "#")] = '\0';
	for (w = strtok_r(text, BLANKS, &save); w && n < WORDS_MAX;
		w = strtok_r(NULL, BLANKS, &save))
		word[n++] = w;
	if (!n)
		return 0;
	if (strcmp(word[0], "group") != 0)
		return add_switch(r, word, n);
	err = end_group(r);
	return err ? err : add_group(r, word, n);
}

static int
by_guid_and_line(const void *a, const void *b)
{
	const struct routing_group_switch *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Entries of a switch come from one engine: a GUID that is listed twice is an error. */
static int
check_once(struct reading *r)
{
	struct arena scratch = ARENA_INIT;
	struct routing_group_switch *all;
	uint32_t n = 0, first = UINT32_MAX;

	for (uint32_t i = 0; i < r->t->n; i++)
		n += r->t->group[i].n;
	all = arena_array(&scratch, n + 1u, sizeof(*all));
	n = 0;
	for (uint32_t i = 0; i < r->t->n; i++)
		for (uint32_t k = 0; k < r->t->group[i].n; k++)
			all[n++] = r->t->group[i].sw[k];
	qsort(all, n, sizeof(*all), by_guid_and_line);
	for (uint32_t i = 1; i < n; i++)
		if (all[i].guid == all[i - 1].guid &&
			(first == UINT32_MAX || all[i].line < all[first].line))
			first = i;
	if (first != UINT32_MAX)
		conf_say_error(r->e, r->t->file, all[first].line,
			"expected each switch once, 0x%016" PRIx64 " is in line %" PRIu32
			" already",
			all[first].guid, all[first - 1].line);
	arena_clear(&scratch);
	return first == UINT32_MAX ? 0 : -EINVAL;
}

static int
read_lines(struct reading *r, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	errno = 0;
	while (!err && (len = getline(&line, &room, in)) >= 0) {
		r->number++;
		if (len > LINE_BYTES_MAX || memchr(line, '\0', (size_t)len))
			err = refuse_line(r, "'group NAME ENGINE' or the GUID of a switch",
				"a long line or a zero byte");
		else
			err = read_line(r, line);
		errno = 0;
	}
	free(line);
	if (!err && ferror(in)) {
		err = errno ? -errno : -EIO;
		conf_say_error(r->e, r->t->file, 0, "%s", strerror(-err));
	}
	if (!err)
		err = end_group(r);
	return err ? err : check_once(r);
}

int
routing_groups_read(
	const char *path, struct arena *a, const struct routing_groups **out, struct conf_error *e)
{
	struct routing_groups *t = arena_alloc(a, sizeof(*t));
	struct reading r = { .a = a, .t = t, .e = e };
	FILE *in = fopen(path, "re");
	int err;

	if (!in) {
		err = -errno;
		conf_say_error(e, path, 0, "%s", strerror(-err));
		return err;
	}
	t->file = arena_strdup(a, path);
	err = read_lines(&r, in);
	fclose(in);
	if (!err)
		*out = t;
	return err;
}
