/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * document.c - writes and reads the document of an intended topology.
 * Room: sm/intended.  Pure.  In: a topology, or JSON from a file that anyone may have edited.  Out:
 * JSON, or a topology that check.c has found valid.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/intended/check.h"
#include "sm/intended/document.h"
#include "util/guid.h"
#include "util/put.h"
#include "util/xalloc.h"

static const char *const kind_words[INTENDED_KINDS] = {
	[INTENDED_COMPUTE] = "compute",
	[INTENDED_IO] = "io",
	[INTENDED_OTHER] = "other",
};
static const char *const root_rules[] = { "given", "histogram", "tree", "center" };
#define NROOT_RULES (sizeof(root_rules) / sizeof(root_rules[0]))

const char *
intended_kind_text(enum intended_kind k)
{
	return k < INTENDED_KINDS ? kind_words[k] : "?";
}

/* ---- writing ---- */

static json_t *
switch_to_json(const struct intended_switch *w)
{
	return json_pack("{s:o, s:o, s:i, s:i, s:I, s:I, s:o}", "guid", guid_to_json(w->guid),
		"system_guid", guid_to_json(w->system_guid), "ports", w->nports, "rank", w->rank,
		"plane", (json_int_t)w->plane, "divider", (json_int_t)w->divider, "leaf",
		w->leaf == INTENDED_NONE ? json_null() : json_integer(w->leaf));
}

static json_t *
link_to_json(const struct intended *t, const struct intended_link *l)
{
	return json_pack("{s:o, s:i, s:o, s:i}", "a", guid_to_json(t->sw[l->a].guid), "aport",
		l->aport, "b", guid_to_json(t->sw[l->b].guid), "bport", l->bport);
}

static json_t *
host_to_json(const struct intended *t, const struct intended_host *h)
{
	return json_pack("{s:o, s:o, s:i, s:s, s:I}", "guid", guid_to_json(h->guid), "switch",
		guid_to_json(t->sw[h->sw].guid), "port", h->port, "kind",
		intended_kind_text((enum intended_kind)h->kind), "id", (json_int_t)h->id);
}

json_t *
intended_to_json(const struct intended *t)
{
	json_t *switches = json_array(), *links = json_array(), *hosts = json_array();

	for (uint32_t i = 0; i < t->nsw; i++)
		json_array_append_new(switches, switch_to_json(&t->sw[i]));
	for (uint32_t i = 0; i < t->nlinks; i++)
		json_array_append_new(links, link_to_json(t, &t->links[i]));
	for (uint32_t i = 0; i < t->nhosts; i++)
		json_array_append_new(hosts, host_to_json(t, &t->hosts[i]));
	return json_pack("{s:i, s:s, s:o, s:o, s:o}", "format", INTENDED_FORMAT, "root_rule",
		t->root_rule, "switches", switches, "links", links, "hosts", hosts);
}

/*
 * The text of a large topology is several megabytes, and a manager writes it while a fabric waits
 * to be brought up.  So it is written directly, at a tenth of what a tree of JSON values costs; the
 * bytes are those of intended_to_json() without white space.
 */
#define TEXT_ROW 192                    /* more than any row: at most two GUIDs and five numbers */

static char *
put_guid(char *p, const char *member, uint64_t guid)
{
	char text[GUID_TEXT_BYTES];

	p = put_string(p, member);
	return put_bytes(p, guid_to_text(guid, text), GUID_TEXT_CHARS);
}

static char *
put_number(char *p, const char *member, uint32_t n)
{
	return put_dec(put_string(p, member), n);
}

static char *
put_switch(char *p, const struct intended_switch *w)
{
	p = put_guid(p, "{\"guid\":\"", w->guid);
	p = put_guid(p, "\",\"system_guid\":\"", w->system_guid);
	p = put_number(p, "\",\"ports\":", w->nports);
	p = put_number(p, ",\"rank\":", w->rank);
	p = put_number(p, ",\"plane\":", w->plane);
	p = put_number(p, ",\"divider\":", w->divider);
	if (w->leaf == INTENDED_NONE)
		return put_string(p, ",\"leaf\":null}");
	return put_string(put_number(p, ",\"leaf\":", w->leaf), "}");
}

static char *
put_link(char *p, const struct intended *t, const struct intended_link *l)
{
	p = put_guid(p, "{\"a\":\"", t->sw[l->a].guid);
	p = put_number(p, "\",\"aport\":", l->aport);
	p = put_guid(p, ",\"b\":\"", t->sw[l->b].guid);
	return put_string(put_number(p, "\",\"bport\":", l->bport), "}");
}

static char *
put_host(char *p, const struct intended *t, const struct intended_host *h)
{
	p = put_guid(p, "{\"guid\":\"", h->guid);
	p = put_guid(p, "\",\"switch\":\"", t->sw[h->sw].guid);
	p = put_number(p, "\",\"port\":", h->port);
	p = put_string(p, ",\"kind\":\"");
	p = put_string(p, intended_kind_text((enum intended_kind)h->kind));
	return put_string(put_number(p, "\",\"id\":", h->id), "}");
}

char *
intended_text_write(const struct intended *t, size_t *len)
{
	size_t rows = (size_t)t->nsw + t->nlinks + t->nhosts + 2;
	char *text = xmalloc(rows * TEXT_ROW), *p;

	p = put_number(text, "{\"format\":", INTENDED_FORMAT);
	p = put_string(put_string(p, ",\"root_rule\":\""), t->root_rule);
	p = put_string(p, "\",\"switches\":[");
	for (uint32_t i = 0; i < t->nsw; i++)
		p = put_switch(i ? put_string(p, ",") : p, &t->sw[i]);
	p = put_string(p, "],\"links\":[");
	for (uint32_t i = 0; i < t->nlinks; i++)
		p = put_link(i ? put_string(p, ",") : p, t, &t->links[i]);
	p = put_string(p, "],\"hosts\":[");
	for (uint32_t i = 0; i < t->nhosts; i++)
		p = put_host(i ? put_string(p, ",") : p, t, &t->hosts[i]);
	p = put_string(p, "]}");
	*len = (size_t)(p - text);
	return xrealloc(text, *len);
}

/* ---- reading ---- */

struct reader {
	struct intended *t;
	const char *list; /* the name of the list that is read */
	const json_t *rows;
	size_t row; /* position in it */
	const json_t *o; /* the row */
	char *why; /* [INTENDED_WHY_BYTES]; "": nothing is wrong so far */
};

static bool
read_fail(struct reader *r, const char *member, const char *expected)
{
	if (!r->why[0])
		snprintf(r->why, INTENDED_WHY_BYTES, "%s[%zu].%s: expected %s", r->list, r->row,
			member, expected);
	return false;
}

static bool
read_number(struct reader *r, const char *member, uint32_t least, uint32_t most, uint32_t *out)
{
	const json_t *v = json_object_get(r->o, member);
	json_int_t n = json_integer_value(v);
	char expected[64];

	snprintf(expected, sizeof(expected), "a number from %u to %u", least, most);
	if (!json_is_integer(v) || n < (json_int_t)least || n > (json_int_t)most)
		return read_fail(r, member, expected);
	*out = (uint32_t)n;
	return true;
}

static bool
read_guid(struct reader *r, const char *member, bool zero, uint64_t *out)
{
	if (!guid_from_json(json_object_get(r->o, member), out) || (!*out && !zero))
		return read_fail(r, member, "a GUID: 0x and 16 lower-case digits, not 0");
	return true;
}

static bool
read_port(struct reader *r, const char *member, uint32_t sw, uint8_t *out)
{
	uint32_t n;

	if (!read_number(r, member, 1, r->t->sw[sw].nports, &n))
		return false;
	*out = (uint8_t)n;
	return true;
}

static bool
read_end(struct reader *r, const char *member, uint32_t *sw)
{
	uint64_t guid;

	if (!read_guid(r, member, false, &guid))
		return false;
	*sw = intended_switch_find(r->t, guid);
	return *sw != INTENDED_NONE || read_fail(r, member, "the GUID of one of the switches");
}

static bool
read_switch(struct reader *r)
{
	struct intended_switch w = { .leaf = INTENDED_NONE };
	uint32_t ports, rank, most = INTENDED_SWITCHES_MAX;

	if (!read_guid(r, "guid", false, &w.guid) ||
		!read_guid(r, "system_guid", true, &w.system_guid) ||
		!read_number(r, "ports", 1, 254, &ports) ||
		!read_number(r, "rank", 0, most, &rank) ||
		!read_number(r, "plane", 0, most, &w.plane) ||
		!read_number(r, "divider", 1, INTENDED_DIVIDER_MAX, &w.divider))
		return false;
	if (!json_is_null(json_object_get(r->o, "leaf")) &&
		!read_number(r, "leaf", 0, most, &w.leaf))
		return false;
	w.nports = (uint8_t)ports;
	w.rank = (uint16_t)rank;
	r->t->sw[r->t->nsw++] = w;
	return true;
}

static bool
read_link(struct reader *r)
{
	struct intended_link l;

	if (!read_end(r, "a", &l.a) || !read_end(r, "b", &l.b) ||
		!read_port(r, "aport", l.a, &l.aport) || !read_port(r, "bport", l.b, &l.bport))
		return false;
	if (l.a == l.b)
		return read_fail(r, "b", "another switch than a");
	r->t->links[r->t->nlinks++] =
		l.a < l.b ? l : (struct intended_link){ l.b, l.a, l.bport, l.aport };
	return true;
}

static bool
read_host(struct reader *r)
{
	const char *word = json_string_value(json_object_get(r->o, "kind"));
	struct intended_host h = { .kind = 0 };

	if (!read_guid(r, "guid", false, &h.guid) || !read_end(r, "switch", &h.sw) ||
		!read_port(r, "port", h.sw, &h.port) ||
		!read_number(r, "id", 0, INTENDED_ID_MAX, &h.id))
		return false;
	while (h.kind < INTENDED_KINDS && (!word || strcmp(word, kind_words[h.kind])))
		h.kind++;
	if (h.kind == INTENDED_KINDS)
		return read_fail(r, "kind", "compute, io or other");
	r->t->hosts[r->t->nhosts++] = h;
	return true;
}

static bool
list_begin(struct reader *r, const json_t *o, const char *name, size_t most)
{
	r->list = name;
	r->rows = json_object_get(o, name);
	if (json_is_array(r->rows) && json_array_size(r->rows) <= most)
		return true;
	snprintf(r->why, INTENDED_WHY_BYTES, "%s: expected a list of at most %zu", name, most);
	return false;
}

static bool
read_rows(struct reader *r, bool (*read_row)(struct reader *r))
{
	for (r->row = 0; r->row < json_array_size(r->rows); r->row++) {
		r->o = json_array_get(r->rows, r->row);
		if (!read_row(r))
			return false;
	}
	return true;
}

static int
by_switch(const void *va, const void *vb)
{
	const struct intended_switch *a = va, *b = vb;

	return (a->guid > b->guid) - (a->guid < b->guid);
}

static bool
read_head(struct reader *r, const json_t *o)
{
	const char *rule = json_string_value(json_object_get(o, "root_rule"));

	if (json_integer_value(json_object_get(o, "format")) != INTENDED_FORMAT) {
		snprintf(r->why, INTENDED_WHY_BYTES, "format: expected %d", INTENDED_FORMAT);
		return false;
	}
	for (size_t i = 0; rule && i < NROOT_RULES; i++)
		if (!strcmp(rule, root_rules[i]))
			r->t->root_rule = root_rules[i];
	if (r->t->root_rule)
		return true;
	snprintf(
		r->why, INTENDED_WHY_BYTES, "root_rule: expected given, histogram, tree or center");
	return false;
}

/* Switches are sorted before the links, which refer to them, are read. */
static bool
read_all(struct reader *r, const json_t *o)
{
	struct arena *a = &r->t->arena;
	struct intended *t = r->t;

	if (!read_head(r, o) || !list_begin(r, o, "switches", INTENDED_SWITCHES_MAX))
		return false;
	t->sw = arena_array(a, json_array_size(r->rows), sizeof(*t->sw));
	if (!read_rows(r, read_switch))
		return false;
	qsort(t->sw, t->nsw, sizeof(*t->sw), by_switch);
	if (!list_begin(r, o, "links", INTENDED_LINKS_MAX))
		return false;
	t->links = arena_array(a, json_array_size(r->rows), sizeof(*t->links));
	if (!read_rows(r, read_link) || !list_begin(r, o, "hosts", INTENDED_HOSTS_MAX))
		return false;
	t->hosts = arena_array(a, json_array_size(r->rows), sizeof(*t->hosts));
	return read_rows(r, read_host);
}

struct intended *
intended_from_json(const json_t *o, char why[static INTENDED_WHY_BYTES])
{
	struct intended *t = xcalloc(1, sizeof(*t));
	struct reader r = { .t = t, .why = why };

	why[0] = '\0';
	if (!read_all(&r, o) || !intended_check(t, why)) {
		intended_free(t);
		return NULL;
	}
	return t;
}

struct intended *
intended_text_read(const char *text, size_t len, char why[static INTENDED_WHY_BYTES])
{
	struct intended *t;
	json_error_t e;
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);

	if (!o) {
		snprintf(why, INTENDED_WHY_BYTES, "line %d, column %d: %s", e.line, e.column,
			e.text);
		return NULL;
	}
	t = intended_from_json(o, why);
	json_decref(o);
	return t;
}
