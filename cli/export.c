/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * export.c - writes all paths of the subnet to files for ibacm and for programs; see export.h.
 * Room: cli.
 *
 * One call returns the ports, and each further call the paths of some of them.  Between these
 * calls the daemon answers others; it computes the next page while this program writes the last
 * one.
 *
 * What ibacm reads, in lines of at most 127 bytes; '#' begins a comment:
 *
 *   routes   "Channel Adapter 0x<port GUID>, base LID <n>, ..." ("Switch", "Router") begins the
 *            paths of a source, "<LID> : <SL> : <MTU code> : <rate code>" is one path.
 *            Each LID must be the base LID of some source.
 *   hosts    "<name or address> <GID>"
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/export.h"
#include "cli/out.h"
#include "libmad/attr/codes.h"
#include "util/xalloc.h"

#define MANAGER "io.heddle.Manager."
#define TRIES 3                         /* how often the subnet may change during an export */
#define NAME_MAX_BYTES 45               /* ibacm reads no longer names */
#define LIDS 0xc000
#define LID_TEXT 6                      /* 0x1234 */
#define LINE_MAX_BYTES 64
#define HEAD_MAX_BYTES 256

enum { ROUTES, HOSTS, LINES, FILES };
static const char *const names[FILES] = { EXPORT_ROUTES, EXPORT_HOSTS, EXPORT_LINES };

/* A port of the snapshot that paths begin or end at, by its base LID. */
struct port {
	const json_t *node, *port;
};

struct export {
	const char *socket;
	bool hosts;                     /* paths between channel adapters only */
	struct export_sum *sum;
	struct client_answer *a;
	json_int_t sweep;
	struct port *ports;             /* [LIDS] */
	/* base LIDs of the exported ports, as written to the files, ascending */
	char (*lids)[LID_TEXT];
	uint32_t *below;                /* [LIDS + 1]: number of exported ports with a lower LID */
	json_t *seen;                   /* names that have a line already */
	struct out out[FILES];
	char *path[FILES], *tmp[FILES];
};

static enum export_end
write_failed(struct export *e, int err, const char *path)
{
	snprintf(e->a->why, sizeof(e->a->why), "cannot write %.150s: %s", path, strerror(-err));
	return EXPORT_FAILED;
}

static enum export_end
open_files(struct export *e, const char *dir)
{
	enum export_end end = EXPORT_OK;

	for (unsigned i = 0; i < FILES; i++) {
		e->path[i] = xasprintf("%s/%s", dir, names[i]);
		e->tmp[i] = xasprintf("%s/.%s.tmp", dir, names[i]);
		e->out[i] = (struct out){ .fd = -1 };
	}
	for (unsigned i = 0; end == EXPORT_OK && i < FILES; i++)
		if (out_open(&e->out[i], e->tmp[i]))
			end = write_failed(e, e->out[i].err, e->tmp[i]);
	return end;
}

/* EXPORT_FAILED as soon as a write to a file failed. */
static enum export_end
check_files(struct export *e)
{
	for (unsigned i = 0; i < FILES; i++)
		if (e->out[i].err)
			return write_failed(e, e->out[i].err, e->tmp[i]);
	return EXPORT_OK;
}

/* Renames all three files, or none of them, as far as rename() allows. */
static enum export_end
close_files(struct export *e, enum export_end end)
{
	bool made[FILES];

	for (unsigned i = 0; i < FILES; i++) {
		made[i] = e->out[i].fd >= 0;
		if (out_close(&e->out[i]) && end == EXPORT_OK)
			end = write_failed(e, e->out[i].err, e->tmp[i]);
	}
	for (unsigned i = 0; i < FILES; i++) {
		if (end == EXPORT_OK && rename(e->tmp[i], e->path[i]) < 0)
			end = write_failed(e, -errno, e->path[i]);
		if (end != EXPORT_OK && made[i])
			unlink(e->tmp[i]);
		free(e->tmp[i]);
		free(e->path[i]);
	}
	return end;
}

static json_int_t
integer_of(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

/* GUIDs are strings "0x..." in JSON. */
static uint64_t
guid_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? strtoull(text, NULL, 16) : 0;
}

/* Adds the first word of the description, which drivers set to the host's name; each name once. */
static void
put_host(struct export *e, const char *description, uint64_t p, uint64_t port_guid)
{
	char name[NAME_MAX_BYTES + 1];
	size_t n = 0;

	while (n < NAME_MAX_BYTES && isgraph((unsigned char)description[n])) {
		name[n] = description[n];
		n++;
	}
	name[n] = '\0';
	if (!n || name[0] == '#' || (description[n] && description[n] != ' ') ||
		    json_object_get(e->seen, name))
		return;
	json_object_set_new(e->seen, name, json_true());
	out_format(&e->out[HOSTS], "%s %x:%x:%x:%x:%x:%x:%x:%x\n", name, (unsigned)(p >> 48),
		(unsigned)(p >> 32 & 0xffff), (unsigned)(p >> 16 & 0xffff), (unsigned)(p & 0xffff),
		(unsigned)(port_guid >> 48), (unsigned)(port_guid >> 32 & 0xffff),
		(unsigned)(port_guid >> 16 & 0xffff), (unsigned)(port_guid & 0xffff));
	e->sum->names++;
}

static const char *
node_kind(const char *type)
{
	if (type && strcmp(type, "switch") == 0)
		return "Switch";
	return type && strcmp(type, "router") == 0 ? "Router" : "Channel Adapter";
}

static bool
is_host(const json_t *node)
{
	return strcmp(node_kind(json_string_value(json_object_get(node, "type"))),
		"Channel Adapter") == 0;
}

/* The exported ports within a range of base LIDs: their number goes to *count; the result is the
 * index of the first one in e->lids. */
static uint32_t
find_range(const struct export *e, const json_t *range, uint32_t *count)
{
	json_int_t first = integer_of(range, "first"), last = integer_of(range, "last");

	*count = 0;
	if (first < 1 || last < first || last >= LIDS)
		return 0;
	*count = e->below[last + 1] - e->below[first];
	return e->below[first];
}

/* Writes the lines of a range, which differ in their LIDs only. */
static void
put_range(struct export *e, const json_t *range)
{
	struct out *o = &e->out[ROUTES];
	char rest[LINE_MAX_BYTES], *p;
	uint32_t count, index = find_range(e, range, &count);
	size_t n;

	n = (size_t)snprintf(rest, sizeof(rest), " : %d : %d : %d\n",
		(int)integer_of(range, "sl") & 0xff, (int)integer_of(range, "mtu") & 0xff,
		(int)integer_of(range, "rate") & 0xff);
	p = out_room(o, count * (LID_TEXT + n) + LINE_MAX_BYTES);
	for (uint32_t i = 0; i < count; i++, p += LID_TEXT + n) {
		memcpy(p, e->lids[index + i], LID_TEXT);
		/* Copies more than needed: a copy of constant length is faster. */
		memcpy(p + LID_TEXT, rest, LINE_MAX_BYTES / 2);
	}
	out_took(o, count * (LID_TEXT + n));
	e->sum->paths += count;
}

static void
put_routes(struct export *e, const json_t *node, const json_t *port, const json_t *answer)
{
	const json_t *source = json_object_get(answer, "source"), *range;
	size_t i;

	out_format(&e->out[ROUTES], "%s 0x%016" PRIx64 ", base LID %" JSON_INTEGER_FORMAT
		", LMC %" JSON_INTEGER_FORMAT
		", port %" JSON_INTEGER_FORMAT "\n# LID : SL : MTU : RATE\n",
		node_kind(json_string_value(json_object_get(node, "type"))),
		guid_of(source, "port_guid"), integer_of(source, "lid"), integer_of(port, "lmc"),
		integer_of(source, "port"));
	json_array_foreach(json_object_get(answer, "paths"), i, range)
		put_range(e, range);
	out_put(&e->out[ROUTES], "\n", 1);
}

static json_t *
lid_json(const struct export *e, uint32_t index)
{
	char text[LID_TEXT + 1] = "";

	memcpy(text, e->lids[index], LID_TEXT);
	return json_integer(strtol(text, NULL, 16));
}

/* Writes ranges from and to exported ports; skips destinations without a path. */
static void
trim_ranges(const struct export *e, json_t *ranges)
{
	size_t i = 0;

	while (i < json_array_size(ranges)) {
		json_t *range = json_array_get(ranges, i);
		uint32_t count, index = find_range(e, range, &count);

		if (!count) {
			json_array_remove(ranges, i);
			continue;
		}
		json_object_set_new(range, "first", lid_json(e, index));
		json_object_set_new(range, "last", lid_json(e, index + count - 1));
		i++;
	}
}

static int
put_line(const char *text, size_t bytes, void *out)
{
	out_put(out, text, bytes);
	return 0;
}

static enum export_end
method_call(struct export *e, const char *method, json_t *params)
{
	client_answer_clear(e->a);
	client_call(e->socket, method, params, e->a);
	json_decref(params);
	return e->a->end == CLIENT_OK ? EXPORT_OK : EXPORT_ANSWER;
}

/* Writes one source.  False: the snapshot does not have it. */
static bool
put_source(struct export *e, const json_t *all, json_t *answer)
{
	const json_t *node, *port, *source = json_object_get(answer, "source"),
		*prefix = json_object_get(all, "gid_prefix");
	json_int_t lid = integer_of(source, "lid");
	const char *desc;

	if (lid < 1 || lid >= LIDS || !e->ports[lid].port)
		return false;
	node = e->ports[lid].node;
	port = e->ports[lid].port;
	if (e->hosts && !is_host(node))
		return true;
	if (e->hosts)
		trim_ranges(e, json_object_get(answer, "paths"));
	desc = json_string_value(json_object_get(node, "description"));
	put_routes(e, node, port, answer);
	if (desc && is_host(node))
		put_host(e, desc, guid_of(all, "gid_prefix"), guid_of(port, "port_guid"));
	json_object_set(answer, "sweep", json_object_get(all, "sweep"));
	json_object_set(answer, "gid_prefix", (json_t *)(uintptr_t)prefix);
	json_dump_callback(answer, put_line, &e->out[LINES], JSON_COMPACT);
	out_put(&e->out[LINES], "\n", 1);
	e->sum->sources++;
	return true;
}

static void
files_begin(struct export *e)
{
	for (unsigned i = 0; i < FILES; i++)
		out_restart(&e->out[i]);
	*e->sum = (struct export_sum){ 0 };
	json_object_clear(e->seen);
	out_format(&e->out[ROUTES],
		"# Paths between all %s (opensm_full_v1), by heddlectl export paths%s\n",
		e->hosts ? "hosts" : "ports", e->hosts ? " --hosts" : "");
	out_format(&e->out[HOSTS],
		"# Hosts by the first word of their description, by heddlectl export paths\n");
}

static void
port_add(struct export *e, const json_t *node, const json_t *port)
{
	json_int_t lid = integer_of(port, "lid");

	if (lid > 0 && lid < LIDS)
		e->ports[lid] = (struct port){ node, port };
}

/* Indexes the ports of 'snapshot' by LID. */
static void
ports_add(struct export *e, const json_t *snapshot)
{
	const json_t *node, *port;
	uint32_t n = 0;
	size_t i, k;

	memset(e->ports, 0, LIDS * sizeof(*e->ports));
	json_array_foreach(json_object_get(snapshot, "nodes"), i, node)
		json_array_foreach(json_object_get(node, "ports"), k, port)
			port_add(e, node, port);
	for (unsigned lid = 0; lid < LIDS; lid++) {
		char text[LID_TEXT + 1];

		e->below[lid] = n;
		if (!e->ports[lid].port || (e->hosts && !is_host(e->ports[lid].node)))
			continue;
		snprintf(text, sizeof(text), "0x%04x", lid & 0xffff);
		memcpy(e->lids[n++], text, LID_TEXT);
	}
	e->below[LIDS] = n;
}

static int
call_begin(struct export *e, json_int_t first, struct client_answer *a)
{
	json_t *params = json_pack("{s:I}", "first", first);
	int fd = client_begin(e->socket, MANAGER "Paths", params, a);

	json_decref(params);
	return fd;
}

/* Writes all sources of one answer.  False: the subnet changed since the snapshot. */
static bool
put_answer(struct export *e, const json_t *all)
{
	json_t *source;
	size_t i;

	if (integer_of(all, "sweep") != e->sweep)
		return false;
	json_array_foreach(json_object_get(all, "sources"), i, source)
		if (!put_source(e, all, source))
			return false;
	return true;
}

/* Reads the ports of 'snapshot' while no sweep changes the subnet; otherwise e->sweep is 0. */
static enum export_end
put_all(struct export *e, const json_t *snapshot)
{
	struct client_answer now = { 0 };
	const json_t *next;
	int fd;

	files_begin(e);
	e->sweep = integer_of(snapshot, "sweep");
	ports_add(e, snapshot);
	client_answer_clear(e->a);
	fd = call_begin(e, 1, e->a);
	for (;;) {
		client_finish(fd, e->a);
		if (e->a->end != CLIENT_OK)
			return EXPORT_ANSWER;
		now = *e->a;
		e->a->params = NULL;
		next = json_object_get(now.params, "next");
		if (json_is_integer(next))
			fd = call_begin(e, json_integer_value(next), e->a);
		if (!put_answer(e, now.params))
			e->sweep = 0;
		if (!e->sweep || !json_is_integer(next) || check_files(e) != EXPORT_OK)
			break;
		json_decref(now.params);
	}
	if (json_is_integer(next))
		client_finish(fd, e->a);        /* the answer is of no use any more */
	json_decref(now.params);
	return check_files(e);
}

enum export_end
export_paths(const char *socket, const char *dir, bool hosts, struct export_sum *sum,
	struct client_answer *a)
{
	struct export e = {
		.socket = socket, .hosts = hosts, .sum = sum, .a = a, .seen = json_object(),
		.ports = xcalloc(LIDS, sizeof(*e.ports)), .lids = xcalloc(LIDS, sizeof(*e.lids)),
		.below = xcalloc(LIDS + 1, sizeof(*e.below)),
	};
	enum export_end end = open_files(&e, dir);

	for (unsigned i = 0; end == EXPORT_OK && !e.sweep; i++) {
		json_t *snapshot;

		if (i == TRIES) {
			snprintf(a->why, sizeof(a->why), "the subnet does not rest; try again");
			end = EXPORT_FAILED;
			break;
		}
		end = method_call(&e, MANAGER "Snapshot", NULL);
		if (end != EXPORT_OK)
			break;
		snapshot = json_incref(a->params);
		end = put_all(&e, snapshot);
		json_decref(snapshot);
	}
	json_decref(e.seen);
	free(e.ports);
	free(e.lids);
	free(e.below);
	return close_files(&e, end);
}
