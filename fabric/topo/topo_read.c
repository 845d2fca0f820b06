/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_read.c - reads a topology file: lines, settings, nodes, included files (docs/topology.md).
 * Room: fabric/topo.  Touches files; everything else of the reader is pure (topo_line.c,
 * topo_plug.c).
 * In: a stream.  Out: a checked topology, or the first line that is wrong.
 *
 * A node's record is its header and the port lines below it; comments may stand between them, any
 * other line ends it. Lines that begin with no known word are passed over, as ibsim does (chassis
 * headings and the like), but a port line outside a record is an error: skipping it would lose a
 * cable in silence.
 *
 * Bounded: line length, depth and number of included files, lines, nodes and ports all have limits,
 * so that no input can keep the reader busy or make it take memory beyond a few hundred megabytes.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/topo/topo.h"
#include "fabric/topo/topo_line.h"
#include "fabric/topo/topo_plug.h"
#include "util/xalloc.h"

#define LINE_BYTES 1024
#define INCLUDE_DEPTH_MAX 8
#define INCLUDE_MAX 1000
#define LINES_MAX 16000000
#define NODES_MAX 65536
#define PORTS_MAX 4000000
#define MODULE_BYTES 33
#define ALIAS_BYTES 65
#define PATH_BYTES 512

/* Where the GUIDs of nodes come from that do not give one: counters per type that a guid line
 * sets. */
struct guid_counter {
	uint64_t base, next;
};

struct reader {
	struct topo_error *e;
	struct topo_builder *b;
	struct topo_plugs plugs;
	struct topo_place at;
	struct guid_counter guids[TOPO_ROUTER + 1];
	uint64_t port0_guid;            /* of the next switch; 0: its node GUID */
	uint64_t sys_guid;              /* of the next node */
	uint32_t vendor_id, device_id;
	struct topo_caps caps;
	char module[MODULE_BYTES];
	uint32_t open_node;             /* its port lines may follow; TOPO_NONE: none */
	struct topo_place pending;      /* a setting that still waits for its node; line 0: none */
	uint32_t ports, lines, includes, depth;
	char why[TOPO_WHY_BYTES];
};

static int read_stream(struct reader *r, FILE *in, const char *name);

static int
complain(struct reader *r)
{
	return topo_complain(r->e, r->at, "%s", r->why);
}

/* ---- settings ---- */

static int
set_guid(struct reader *r, const struct topo_setting *s, enum topo_node_type type)
{
	struct guid_counter *g = &r->guids[type];
	uint64_t v, port0;

	if (!topo_line_number(s->value, UINT64_MAX, &v, &port0, r->why))
		return complain(r);
	if (!s->relative)
		g->base = v;
	g->next = s->relative ? g->base + v : v;
	if (g->next == 0)
		return topo_complain(r->e, r->at, "a GUID of 0 is out of range");
	if (type == TOPO_SWITCH)
		r->port0_guid = port0;
	r->pending = r->at;
	return 0;
}

static int
set_switchguid(struct reader *r, const struct topo_setting *s)
{
	return set_guid(r, s, TOPO_SWITCH);
}

static int
set_caguid(struct reader *r, const struct topo_setting *s)
{
	return set_guid(r, s, TOPO_CA);
}

static int
set_rtguid(struct reader *r, const struct topo_setting *s)
{
	return set_guid(r, s, TOPO_ROUTER);
}

static int
number_take(struct reader *r, const struct topo_setting *s, uint64_t max, uint64_t *out)
{
	if (s->relative)
		return topo_complain(r->e, r->at, "only GUIDs may be set with \"+\"");
	return topo_line_number(s->value, max, out, NULL, r->why) ? 0 : complain(r);
}

static int
set_vendid(struct reader *r, const struct topo_setting *s)
{
	uint64_t v = 0;
	int rc = number_take(r, s, 0xffffff, &v);

	r->vendor_id = (uint32_t)v;
	r->pending = r->at;
	return rc;
}

static int
set_devid(struct reader *r, const struct topo_setting *s)
{
	uint64_t v = 0;
	int rc = number_take(r, s, 0xffff, &v);

	r->device_id = (uint32_t)v;
	return rc;
}

static int
set_sysimgguid(struct reader *r, const struct topo_setting *s)
{
	int rc = number_take(r, s, UINT64_MAX, &r->sys_guid);

	r->pending = r->at;
	return rc;
}

static int
set_mask(struct reader *r, const struct topo_setting *s, uint64_t min, uint64_t max, uint8_t *out)
{
	uint64_t v = 0;
	int rc = number_take(r, s, max, &v);

	if (!rc && v < min)
		return topo_complain(r->e, r->at, "a number is out of range: at least %" PRIu64,
			min);
	*out = (uint8_t)v;
	return rc;
}

static int
set_width(struct reader *r, const struct topo_setting *s)
{
	return set_mask(r, s, 1, 31, &r->caps.width);
}

static int
set_speed(struct reader *r, const struct topo_setting *s)
{
	return set_mask(r, s, 1, 7, &r->caps.speed);
}

static int
set_extspeed(struct reader *r, const struct topo_setting *s)
{
	return set_mask(r, s, 0, 15, &r->caps.ext);
}

/* module="NAME": a prefix of ids and aliases from here on; module="" ends it. */
static int
set_module(struct reader *r, const struct topo_setting *s)
{
	const char *value = s->value;

	value += strspn(value, " \t");
	if (!strncmp(value, "\"\"", 2)) {
		r->module[0] = '\0';
		return 0;
	}
	if (!topo_line_quoted(value, r->module, sizeof(r->module), r->why))
		return complain(r);
	if (strpbrk(r->module, "#@"))
		return topo_complain(r->e, r->at, "a module's name may not hold '#' or '@'");
	return 0;
}

static const struct {
	const char *word;
	int (*set)(struct reader *r, const struct topo_setting *s);
} settings[] = {
	{ "vendid", set_vendid }, { "devid", set_devid }, { "sysimgguid", set_sysimgguid },
	{ "switchguid", set_switchguid }, { "switchguids", set_switchguid },
	{ "caguid", set_caguid }, { "caguids", set_caguid }, { "hcaguid", set_caguid },
	{ "hcaguids", set_caguid },
	{ "rtguid", set_rtguid }, { "rtguids", set_rtguid },
	{ "width", set_width }, { "speed", set_speed }, { "extspeed", set_extspeed },
	{ "module", set_module },
};

/* ---- nodes and ports ---- */

static int
full_name(struct reader *r, const char *name, char joint, char out[static TOPO_ID_BYTES])
{
	int n;

	if (r->module[0])
		n = snprintf(out, TOPO_ID_BYTES, "%s%c%s", r->module, joint, name);
	else
		n = snprintf(out, TOPO_ID_BYTES, "%s%s", joint == '@' ? "@" : "", name);
	if (n >= TOPO_ID_BYTES)
		return topo_complain(r->e, r->at, "the name \"%.40s\" is too long with its module",
			name);
	return 0;
}

/* Takes the GUID of the next node of 'type' from its counter, and moves the counter past the
 * node's ports. */
static uint64_t
take_guid(struct reader *r, enum topo_node_type type, uint8_t nports)
{
	uint64_t guid = r->guids[type].next;

	r->guids[type].next += type == TOPO_SWITCH ? 1 : nports + 1u;
	return guid;
}

static int
add_node(struct reader *r, enum topo_node_type type, const char *rest)
{
	struct topo_node_line line;
	char id[TOPO_ID_BYTES];
	struct topo_node *n;
	struct topo_port *p0;

	if (!topo_line_node(rest, &line, r->why))
		return complain(r);
	if (strchr(line.id, '@') || (r->module[0] && strchr(line.id, '#')))
		return topo_complain(r->e, r->at, "the id \"%.64s\" may not hold '#' or '@'",
			line.id);
	if (full_name(r, line.id, '#', id))
		return -EINVAL;
	r->ports += 1u + line.nports;
	if (topo_builder_count(r->b) == NODES_MAX || r->ports > PORTS_MAX)
		return topo_complain(r->e, r->at, "more than %u nodes or %u ports", NODES_MAX,
			PORTS_MAX);
	r->open_node = topo_builder_node(r->b, type, line.nports, take_guid(r, type, line.nports),
		line.desc[0] ? line.desc : id);
	*topo_plugs_add_node(&r->plugs) = r->at;
	n = topo_builder_at(r->b, r->open_node);
	n->id = topo_builder_string(r->b, id);
	n->line = r->at.line;
	n->sys_guid = r->sys_guid;
	n->vendor_id = r->vendor_id;
	n->device_id = r->device_id;
	if (type == TOPO_SWITCH) {
		n->enhanced_port0 = line.enhanced_port0;
		p0 = topo_builder_port(r->b, r->open_node, 0);
		p0->lid = line.lid;
		p0->lmc = line.lmc;
		if (r->port0_guid)
			p0->guid = r->port0_guid;
		r->port0_guid = 0;
	}
	r->sys_guid = 0;
	r->vendor_id = 0;
	r->pending.line = 0;
	return 0;
}

static int
add_alias(struct reader *r, const struct topo_port_line *line)
{
	struct topo_alias *a;
	char name[TOPO_ID_BYTES];

	if (strpbrk(line->peer, "#@"))
		return topo_complain(r->e, r->at, "the alias \"%.64s\" may not hold '#' or '@'",
			line->peer);
	if (strlen(line->peer) >= ALIAS_BYTES)
		return topo_complain(r->e, r->at, "an alias is longer than %d bytes",
			ALIAS_BYTES - 1);
	if (full_name(r, line->peer, '@', name))
		return -EINVAL;
	a = topo_plugs_add_alias(&r->plugs);
	a->place = r->at;
	a->name = arena_strdup(&r->plugs.arena, name);
	a->node = r->open_node;
	a->port = line->port;
	return 0;
}

static int
add_plug(struct reader *r, const struct topo_port_line *line)
{
	char name[TOPO_ID_BYTES];
	struct topo_plug *plug;
	int rc = 0;

	if (line->peer[0] == '@' && r->module[0])       /* of this module */
		rc = full_name(r, line->peer + 1, '@', name);
	else if (strpbrk(line->peer, "#@") || !r->module[0])
		memcpy(name, line->peer, sizeof(name));
	else
		rc = full_name(r, line->peer, '#', name);
	if (rc)
		return rc;
	plug = topo_plugs_add(&r->plugs);
	plug->place = r->at;
	plug->peer = arena_strdup(&r->plugs.arena, name);
	plug->guid = line->guid;
	plug->peer_guid = line->peer_guid;
	plug->node = r->open_node;
	plug->caps = line->caps;
	plug->lid = line->lid;
	plug->peer_lid = line->peer_lid;
	plug->lmc = line->lmc;
	plug->port = line->port;
	plug->peer_port = line->peer_port;
	return 0;
}

static int
add_port(struct reader *r, const char *text)
{
	struct topo_port_line line;
	const struct topo_node *n;

	if (r->open_node == TOPO_NONE)
		return topo_complain(r->e, r->at, "a port line that belongs to no node: "
			"it must follow a node's line without a gap");
	n = topo_builder_at(r->b, r->open_node);
	if (!topo_line_port(text, n->type == TOPO_SWITCH, &r->caps, &line, r->why))
		return complain(r);
	if (line.port > n->nports)
		return topo_complain(r->e, r->at, "port %u is above the %u port%s of \"%s\"",
			line.port, n->nports,
			n->nports == 1 ? "" : "s", n->id);
	return line.alias ? add_alias(r, &line) : add_plug(r, &line);
}

/* ---- included files ---- */

/* "file" beside the file that names it, unless its path is absolute. */
static int
include(struct reader *r, const char *text)
{
	char name[PATH_BYTES], path[2 * PATH_BYTES];
	const char *slash = strrchr(r->at.file, '/');
	size_t dir_bytes = slash ? (size_t)(slash + 1 - r->at.file) : 0;
	struct topo_place here = r->at;
	FILE *in;
	int rc;

	if (!topo_line_quoted(text, name, sizeof(name), r->why))
		return complain(r);
	if (r->depth == INCLUDE_DEPTH_MAX || ++r->includes > INCLUDE_MAX)
		return topo_complain(r->e, r->at,
			"too many included files: at most %d deep and %d in all",
			INCLUDE_DEPTH_MAX, INCLUDE_MAX);
	if (name[0] == '/' || dir_bytes > PATH_BYTES)
		dir_bytes = 0;
	snprintf(path, sizeof(path), "%.*s%s", (int)dir_bytes, r->at.file, name);
	in = fopen(path, "re");
	if (!in)
		return topo_complain(r->e, r->at, "cannot open \"%.80s\": %s", path,
			strerror(errno));
	r->depth++;
	rc = read_stream(r, in, arena_strdup(&r->plugs.arena, path));
	r->depth--;
	fclose(in);
	r->at = here;
	return rc;
}

/* ---- lines ---- */

/* The rest of the line if it begins with 'word' and a blank, else NULL. */
static const char *
after_word(const char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\t') ? line + n : NULL;
}

static int
take_setting(struct reader *r, const char *line)
{
	struct topo_setting s;

	if (!topo_line_setting(line, &s))
		return 0;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (strlen(settings[i].word) == s.word_length && !memcmp(line, settings[i].word,
		    s.word_length))
			return settings[i].set(r, &s);
	return 0;
}

static int
take_line(struct reader *r, const char *line)
{
	static const struct {
		const char *word;
		enum topo_node_type type;
	} types[] = { { "Switch", TOPO_SWITCH }, { "Ca", TOPO_CA }, { "Hca", TOPO_CA },
		{ "Rt", TOPO_ROUTER } };
	const char *rest;

	line += strspn(line, " \t");
	if (*line == '#')
		return 0;
	if (*line == '[' || *line == '@')
		return add_port(r, line);
	r->open_node = TOPO_NONE;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((rest = after_word(line, types[i].word)))
			return add_node(r, types[i].type, rest);
	if ((rest = after_word(line, "include")))
		return include(r, rest);
	if (after_word(line, "do"))
		return topo_complain(r->e, r->at,
			"\"do\" runs a command of ibsim, which this reader does not: "
			"remove the line");
	return take_setting(r, line);
}

/* One line into 'buf' without its end.  1: a line; 0: end of file; negative: complained.
 * '*whole': it had a newline. */
static int
next_line(struct reader *r, FILE *in, char buf[static LINE_BYTES], bool *whole)
{
	size_t n = 0;
	int ch;

	while ((ch = getc_unlocked(in)) != EOF && ch != '\n') {
		if (ch == '\0')
			return topo_complain(r->e, r->at,
				"this is not a topology file: it holds a NUL byte");
		if (n == LINE_BYTES - 1)
			return topo_complain(r->e, r->at, "the line is longer than %d bytes",
				LINE_BYTES - 1);
		buf[n++] = (char)ch;
	}
	if (ch == EOF && ferror(in)) {
		int err = errno ? errno : EIO;

		topo_complain(r->e, r->at, "cannot read: %s", strerror(err));
		return -err;
	}
	*whole = ch == '\n';
	if (n && buf[n - 1] == '\r')
		n--;
	buf[n] = '\0';
	return n || *whole;
}

static int
read_stream(struct reader *r, FILE *in, const char *name)
{
	char line[LINE_BYTES];
	bool whole = true;
	int rc;

	r->at = (struct topo_place){ name, 1 };
	r->open_node = TOPO_NONE;
	for (;; r->at.line++) {
		errno = 0;
		rc = next_line(r, in, line, &whole);
		if (rc <= 0)
			break;
		if (++r->lines > LINES_MAX)
			return topo_complain(r->e, r->at, "more than %d lines", LINES_MAX);
		rc = take_line(r, line);
		if (!rc && !whole)      /* half a line may well parse, and mean something else */
			rc = topo_complain(r->e, r->at,
				"the last line has no newline: the file looks cut short");
		if (rc)
			break;
	}
	r->open_node = TOPO_NONE;
	return rc;
}

/* What only the end of the input shows. */
static int
finish(struct reader *r, const char *name)
{
	if (!topo_builder_count(r->b))
		return topo_complain(r->e, (struct topo_place){ name, 0 },
			"this is not a topology file: no line in it defines a node");
	if (r->pending.line)
		return topo_complain(r->e, r->pending,
			"the file ends without the node that this line is about: "
			"it looks cut short");
	return topo_plugs_join(&r->plugs, r->b, r->e);
}

int
topo_read(FILE *in, const char *name, struct topo *t, struct topo_error *e)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	int rc;

	memset(t, 0, sizeof(*t));
	e->text[0] = '\0';
	r->e = e;
	r->b = topo_builder_new();
	r->guids[TOPO_SWITCH] = (struct guid_counter){ 0x100000, 0x100000 };    /* ibsim's */
	r->guids[TOPO_CA] = (struct guid_counter){ 0x200000, 0x200000 };
	r->guids[TOPO_ROUTER] = (struct guid_counter){ 0x300000, 0x300000 };
	/* ibsim's: 4X SDR */
	r->caps = (struct topo_caps){ .width = 2, .speed = 1 };
	rc = read_stream(r, in, name);
	if (!rc)
		rc = finish(r, name);
	if (rc)
		topo_builder_free(r->b);
	else
		rc = topo_builder_take(r->b, t);
	topo_plugs_clear(&r->plugs);
	free(r);
	return rc;
}

int
topo_read_file(const char *path, struct topo *t, struct topo_error *e)
{
	FILE *in = fopen(path, "re");
	int rc;

	memset(t, 0, sizeof(*t));
	if (!in) {
		rc = -errno;
		topo_complain(e, (struct topo_place){ path, 0 }, "cannot open: %s",
			strerror(errno));
		return rc;
	}
	rc = topo_read(in, path, t, e);
	fclose(in);
	return rc;
}
