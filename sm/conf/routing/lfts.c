/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lfts.c - forwarding tables from text.
 * Room: sm/conf/routing.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/routing/lfts.h"
#include "sm/conf/text/say.h"

#define TABLES_MAX 20000
#define TITLE "Unicast lids"

struct reader {
	struct lfts *l;
	struct arena *a;
	uint32_t cap, line;
	uint8_t row[LFTS_LIDS];         /* of the last table, until it is complete */
	uint32_t n;                     /* used of it */
};

static void __attribute__((format(printf, 2, 3)))
note_fault(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	r->l->line = r->line;
	va_start(ap, fmt);
	vsnprintf(r->l->fault, sizeof(r->l->fault), fmt, ap);
	va_end(ap);
}

/* The hexadecimal number after 'word' in 'text'. */
static bool
number_after(const char *text, const char *word, uint64_t *value)
{
	const char *at = strstr(text, word);
	char *end;

	if (!at)
		return false;
	at += strlen(word);
	*value = strtoull(at, &end, 16);
	return end > at;
}

static void
end_table(struct reader *r)
{
	struct lfts_table *t;

	if (!r->l->ntables)
		return;
	t = &r->l->tables[r->l->ntables - 1];
	t->n = (r->n + 63) / 64 * 64;
	t->row = arena_alloc(r->a, t->n + 1u);
	memcpy(t->row, r->row, t->n);
}

static void
begin_table(struct reader *r, uint64_t guid)
{
	struct lfts *l = r->l;

	for (uint32_t i = 0; i < l->ntables; i++)
		if (l->tables[i].guid == guid) {
			note_fault(r, "a second table of the switch 0x%016" PRIx64, guid);
			return;
		}
	if (l->ntables == TABLES_MAX) {
		note_fault(r, "more than %d tables", TABLES_MAX);
		return;
	}
	end_table(r);
	l->tables = arena_grow(r->a, l->tables, l->ntables, &r->cap, 64, sizeof(*l->tables));
	l->tables[l->ntables++] = (struct lfts_table){ .guid = guid, .line = r->line };
	memset(r->row, LFTS_DROP, sizeof(r->row));
	r->n = 0;
}

/* A line that begins a table; false: it is none. */
static bool
take_title(struct reader *r, const char *text)
{
	bool title = strncmp(text, TITLE, strlen(TITLE)) == 0;
	uint64_t guid;

	if (strncmp(text, "Multicast mlids", 15) == 0)
		note_fault(r, "a multicast table; expected tables of unicast LIDs");
	else if (title && !number_after(text, " guid 0x", &guid))
		note_fault(r, "a table without the GUID of its switch");
	else if (title || number_after(text, "dump_ucast_routes: Switch 0x", &guid))
		begin_table(r, guid);
	else
		return false;
	return true;
}

/* Notes the owner of a LID that a comment names. */
static void
take_owner(struct reader *r, const char *text, uint32_t lid)
{
	struct lfts *l = r->l;
	uint64_t guid;

	if (!number_after(text, "portguid 0x", &guid) || !guid)
		return;
	if (l->owner[lid] && l->owner[lid] != guid) {
		note_fault(r, "LID %" PRIu32 " has two owners, 0x%016" PRIx64 " and 0x%016" PRIx64,
			lid, l->owner[lid], guid);
		return;
	}
	if (!l->owner[lid])
		l->owner_line[lid] = r->line;
	l->owner[lid] = guid;
	l->named = true;
}

/* "0xLID PORT ..." or "0xLID : PORT : ...": an entry; any other line means nothing. */
static void
take_entry(struct reader *r, const char *text)
{
	unsigned long lid, port;
	char *end, *rest;

	if (strncmp(text, "0x", 2) != 0)
		return;
	lid = strtoul(text, &end, 16);
	while (*end == ' ' || *end == '\t' || *end == ':')
		end++;
	port = strtoul(end, &rest, 10);
	if (rest == end) /* "UNREACHABLE", "-" and the like: no entry */
		return;
	if (!r->l->ntables) {
		note_fault(r, "an entry before the first table");
	} else if (lid < 1 || lid >= LFTS_LIDS || port > 255) {
		note_fault(r, "expected a LID up to 0xbfff and a port up to 255");
	} else {
		r->row[lid] = (uint8_t)port;
		r->n = lid >= r->n ? (uint32_t)lid + 1 : r->n;
		r->l->top = lid > r->l->top ? (uint32_t)lid : r->l->top;
		take_owner(r, rest, (uint32_t)lid);
	}
}

static void
read_lines(struct reader *r, FILE *f)
{
	char *line = NULL;
	size_t room = 0;

	while (!r->l->line && getline(&line, &room, f) >= 0) {
		r->line++;
		if (!take_title(r, line))
			take_entry(r, line);
	}
	end_table(r);
	free(line);
}

int
lfts_read(const char *path, struct arena *a, struct lfts **out)
{
	FILE *f = fopen(path, "re");
	struct arena scratch = ARENA_INIT;
	struct reader *r;
	int err = 0;

	if (!f)
		return -errno;
	r = arena_alloc(&scratch, sizeof(*r));
	r->a = a;
	r->l = arena_alloc(a, sizeof(*r->l));
	r->l->file = arena_strdup(a, path);
	r->l->owner = arena_array(a, LFTS_LIDS, sizeof(*r->l->owner));
	r->l->owner_line = arena_array(a, LFTS_LIDS, sizeof(*r->l->owner_line));
	errno = 0;
	read_lines(r, f);
	if (ferror(f))
		err = errno ? -errno : -EIO;
	*out = r->l;
	fclose(f);
	arena_clear(&scratch);
	return err;
}

int
lfts_load(const char *path, struct arena *a, const struct lfts **out, struct conf_error *e)
{
	struct lfts *l = NULL;
	int err = lfts_read(path, a, &l);

	if (err)
		conf_say_error(e, path, 0, "%s", strerror(-err));
	else if (l->line)
		conf_say_warning(e, path, l->line, "%s; engine file refuses these tables", l->fault);
	*out = l;
	return err;
}
