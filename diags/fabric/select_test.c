/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * select_test.c - the single tests of a selection: each is a row of a table with two small
 * functions.
 * Room: diags/fabric.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select_int.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define WHY_BYTES SELECT_WHY_BYTES
#define NUMBERS 65536u

struct row;
struct select_test {
	const struct row *row;
	char *text;
	uint64_t *bits;                 /* set of numbers, or of port indices on a route */
	struct list { uint64_t *guids; char **names; size_t n; } list;
	double value;
	char op;                        /* '<' '>' 'l' (<=) 'g' (>=) '=' */
};

struct row {
	const char *key;
	bool (*read)(struct select_test *t, struct diag *d, const struct diag_fabric *f,
		const char *value, char *why);
	bool (*ask)(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
		const struct fab_port *p);
};

/* ---- parsing ---- */

static bool
value_refuse(char *why, const char *what, const char *value)
{
	snprintf(why, WHY_BYTES, "%s: \"%.80s\"", what, value);
	return false;
}

static bool
read_text(struct select_test *t, struct diag *d, const struct diag_fabric *f, const char *value,
	char *why)
{
	(void)t;
	(void)d;
	(void)f;
	return *value || value_refuse(why, "a word is missing", value);
}

/* Parses ranges such as "3-9,12". */
static bool
read_ranges(struct select_test *t, struct diag *d, const struct diag_fabric *f, const char *value,
	char *why)
{
	unsigned long from, to;
	char *end;

	(void)d;
	(void)f;
	t->bits = xcalloc(BITS_WORDS(NUMBERS), sizeof(*t->bits));
	for (const char *p = value;; p = end + 1) {
		if (!isdigit((unsigned char)*p))
			return value_refuse(why, "no numbers or ranges of numbers", value);
		from = to = strtoul(p, &end, 0);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			to = strtoul(end + 1, &end, 0);
		if (to >= NUMBERS || from > to || (*end && *end != ','))
			return value_refuse(why, "no numbers or ranges of numbers", value);
		for (unsigned long i = from; i <= to; i++)
			bits_set(t->bits, i);
		if (!*end)
			return true;
	}
}

static void
list_add(struct list *l, const char *text)
{
	uint64_t guid = 0;

	l->guids = xreallocarray(l->guids, l->n + 1, sizeof(*l->guids));
	l->names = xreallocarray(l->names, l->n + 1, sizeof(*l->names));
	if (!diag_number(text, UINT64_MAX, &guid))
		guid = 0;
	l->guids[l->n] = guid;
	l->names[l->n++] = xstrdup(text);
}

static bool
read_guid(struct select_test *t, struct diag *d, const struct diag_fabric *f, const char *value,
	char *why)
{
	uint64_t guid;

	(void)d;
	(void)f;
	if (!diag_number(value, UINT64_MAX, &guid) || !guid)
		return value_refuse(why, "no GUID", value);
	list_add(&t->list, value);
	return true;
}

/* Reads a file with a GUID or name per line; '#' begins a comment. */
static bool
read_file(struct select_test *t, struct diag *d, const struct diag_fabric *f, const char *value,
	char *why)
{
	FILE *in = fopen(value, "r");
	char *line = NULL, *p, *end;
	size_t room = 0;

	(void)d;
	(void)f;
	if (!in)
		return value_refuse(why, strerror(errno), value);
	while (getline(&line, &room, in) >= 0) {
		line[strcspn(line, "#\r\n")] = '\0';
		for (p = line; isspace((unsigned char)*p); p++)
			;
		for (end = p + strlen(p); end > p && isspace((unsigned char)end[-1]);)
			*--end = '\0';
		if (*p)
			list_add(&t->list, p);
	}
	free(line);
	fclose(in);
	return true;
}

static bool
read_rate(struct select_test *t, struct diag *d, const struct diag_fabric *f, const char *value,
	char *why)
{
	const char *p = value;
	char *end;

	(void)d;
	(void)f;
	t->op = *p == '<' || *p == '>' ? *p : '=';
	p += *p == '<' || *p == '>';
	if (*p == '=') {
		t->op = t->op == '<' ? 'l' : t->op == '>' ? 'g' : '=';
		p++;
	}
	t->value = strtod(p, &end);
	return (isdigit((unsigned char)*p) && !*end) || value_refuse(why, "no rate in Gb/s", value);
}

static bool
read_type(struct select_test *t, struct diag *d, const struct diag_fabric *f, const char *value,
	char *why)
{
	static const char *const words[] = { "", "ca", "sw", "rt", "", "ca", "switch", "router" };

	(void)d;
	(void)f;
	for (unsigned i = 0; i < 8; i++)
		if (words[i][0] && !strcasecmp(words[i], value)) {
			t->value = i & 3;
			return true;
		}
	return value_refuse(why, "neither sw nor ca nor rt", value);
}

/* ---- evaluation ---- */

static bool
ask_lid(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	unsigned lid = fab_lid(f, p), n = 1u << fab_lmc(f, p);

	(void)d;
	for (unsigned i = lid; lid && i < lid + n && i < NUMBERS; i++)
		if (bits_test(t->bits, i))
			return true;
	return false;
}

static bool
ask_port(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	(void)d;
	(void)f;
	return bits_test(t->bits, p->num);
}

static bool
ask_list(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	const struct fab_node *n = fab_node_of(f, p);
	char name[DIAG_NAME_BYTES];

	fab_name(d, n, name);
	for (size_t i = 0; i < t->list.n; i++) {
		uint64_t guid = t->list.guids[i];

		if (guid ? guid == n->guid || guid == p->guid ||
		    guid == n->sys_guid : !strcmp(t->list.names[i], name))
			return true;
	}
	return false;
}

static bool
ask_node(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	char name[DIAG_NAME_BYTES];

	return !strcmp(fab_name(d, fab_node_of(f, p), name), t->text);
}

static bool
ask_nodepat(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	char name[DIAG_NAME_BYTES];

	return !fnmatch(t->text, fab_name(d, fab_node_of(f, p), name), 0);
}

static bool
ask_type(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	(void)d;
	return fab_node_of(f, p)->type == (unsigned)t->value;
}

/* Returns the nominal rate: HDR counts as 50 Gb/s per lane, although its lanes run at 53.125. */
static double
rate_of(const struct fab_link *l)
{
	static const struct { double lane, nominal; } table[] = {
		{ 14.0625, 14 }, { 25.78125, 25 }, { 53.125, 50 }, { 106.25, 100 }, { 212.5, 200 },
		{ 10.3125, 10 },
	};
	double lane = fab_lane_gbps(l);

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (lane > table[i].lane - 0.01 && lane < table[i].lane + 0.01)
			lane = table[i].nominal;
	return lane * fab_lanes(l->width);
}

static bool
ask_rate(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	struct fab_link l = fab_link_of(f, p);
	double rate = rate_of(&l);

	(void)d;
	if (!(p->flags & FAB_PORT_INFO) || rate <= 0)
		return false;
	switch (t->op) {
	case '<': return rate < t->value;
	case '>': return rate > t->value;
	case 'l': return rate <= t->value;
	case 'g': return rate >= t->value;
	}
	return rate > t->value - 0.01 && rate < t->value + 0.01;
}

static bool
ask_speed(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	struct fab_link l = fab_link_of(f, p);

	(void)d;
	return p->flags & FAB_PORT_INFO && !strcasecmp(fab_speed_word(&l), t->text);
}

static bool
ask_width(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	(void)d;
	return p->flags & FAB_PORT_INFO && !strcasecmp(fab_width_word(fab_link_of(f, p).width),
		t->text);
}

/* Compares with the logical or physical state: "down", "init", "active", "polling", "disabled"; the
 * beginning of a word suffices. */
static bool
ask_state(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	struct fab_link l = fab_link_of(f, p);
	const char *state = attr_word(ATTR_SHOW_PORT_STATE, l.state),
		*phys = attr_word(ATTR_SHOW_PHYS_STATE, l.phys_state);
	size_t n = strlen(t->text);

	(void)d;
	return p->flags & FAB_PORT_INFO && ((state && !strncasecmp(state, t->text, n)) ||
		(phys && !strncasecmp(phys, t->text, n)));
}

static bool
ask_route(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	(void)d;
	return bits_test(t->bits, (size_t)(p - f->s->ports));
}

/* Parses "A->B": the ports on the route of a packet. */
static bool
read_route(struct select_test *t, struct diag *d, const struct diag_fabric *f, const char *value,
	char *why)
{
	t->bits = xcalloc(BITS_WORDS(f->s->nports + 1u), sizeof(*t->bits));
	return select_route(d, f, value, t->bits, why);
}

static const struct row rows[] = {
	{ "lid", read_ranges, ask_lid }, { "guid", read_guid, ask_list },
	{ "node", read_text, ask_node },
	{ "nodepat", read_text, ask_nodepat }, { "type", read_type, ask_type },
	{ "port", read_ranges, ask_port },
	{ "rate", read_rate, ask_rate }, { "speed", read_text, ask_speed },
	{ "width", read_text, ask_width },
	{ "state", read_text, ask_state }, { "file", read_file, ask_list }, { "route", read_route,
		ask_route },
};

void
select_test_free(struct select_test *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->list.n; i++)
		free(t->list.names[i]);
	free(t->list.names);
	free(t->list.guids);
	free(t->bits);
	free(t->text);
	free(t);
}

struct select_test *
select_test_new(struct diag *d, const struct diag_fabric *f, const char *text, char *why)
{
	size_t n = strcspn(text, ":");
	struct select_test *t;

	for (size_t i = 0; text[n] && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strlen(rows[i].key) != n || strncmp(rows[i].key, text, n))
			continue;
		t = xcalloc(1, sizeof(*t));
		t->row = &rows[i];
		t->text = xstrdup(text + n + 1);
		if (t->row->read(t, d, f, t->text, why))
			return t;
		select_test_free(t);
		return NULL;
	}
	snprintf(why, WHY_BYTES,
		"\"%.60s\" is none of lid: guid: node: nodepat: type: port: rate: speed: width: "
		"state: file: route:", text);
	return NULL;
}

bool
select_test_ask(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p)
{
	return t->row->ask(t, d, f, p);
}
