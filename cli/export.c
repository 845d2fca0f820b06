/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * export.c - all paths of the subnet, as files for ibacm and for programs.
 * Room: cli.  One question for the ports, one for the paths of each: the daemon answers others in between.
 *
 * What ibacm reads, line by line of at most 127 bytes, '#' begins a remark:
 *
 *   routes   "Channel Adapter 0x<port GUID>, base LID <n>, ..." ("Switch", "Router") begins the paths of a source,
 *            "<LID> : <SL> : <MTU code> : <rate code>" is one.  Each LID must be the base LID of some source.
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
#include "util/xalloc.h"

#define MANAGER "io.heddle.Manager."
#define TRIES 3                         /* times that the subnet may change meanwhile */
#define NAME_MAX_BYTES 45               /* ibacm reads no longer ones */

enum { ROUTES, HOSTS, LINES, FILES };
static const char *const names[FILES] = { EXPORT_ROUTES, EXPORT_HOSTS, EXPORT_LINES };

struct export {
	const char *socket;
	struct export_sum *sum;
	struct client_answer *a;
	json_int_t sweep;
	json_t *seen;                   /* names that have a line */
	FILE *f[FILES];
	char *path[FILES], *tmp[FILES];
};

static enum export_end
failed(struct export *e, const char *what, const char *path)
{
	snprintf(e->a->why, sizeof(e->a->why), "cannot %s %.150s: %s", what, path, strerror(errno));
	return EXPORT_FAILED;
}

static enum export_end
open_files(struct export *e, const char *dir)
{
	for (unsigned i = 0; i < FILES; i++) {
		e->path[i] = xasprintf("%s/%s", dir, names[i]);
		e->tmp[i] = xasprintf("%s/.%s.tmp", dir, names[i]);
		e->f[i] = fopen(e->tmp[i], "we");
		if (!e->f[i])
			return failed(e, "write", e->tmp[i]);
	}
	return EXPORT_OK;
}

/* All or none, as far as renaming goes. */
static enum export_end
close_files(struct export *e, enum export_end end)
{
	for (unsigned i = 0; i < FILES; i++) {
		if (!e->f[i])
			continue;
		errno = EIO;
		if ((ferror(e->f[i]) | fclose(e->f[i])) && end == EXPORT_OK)
			end = failed(e, "write", e->tmp[i]);
	}
	for (unsigned i = 0; i < FILES; i++) {
		if (end == EXPORT_OK && rename(e->tmp[i], e->path[i]) < 0)
			end = failed(e, "write", e->path[i]);
		if (end != EXPORT_OK && e->tmp[i])
			unlink(e->tmp[i]);
		free(e->tmp[i]);
		free(e->path[i]);
	}
	return end;
}

static json_int_t
integer(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

/* GUIDs are told as "0x...". */
static uint64_t
guid(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? strtoull(text, NULL, 16) : 0;
}

/* The first word of the description, which is the host's name where the driver sets it; each name once. */
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
	if (!n || name[0] == '#' || (description[n] && description[n] != ' ') || json_object_get(e->seen, name))
		return;
	json_object_set_new(e->seen, name, json_true());
	fprintf(e->f[HOSTS], "%s %x:%x:%x:%x:%x:%x:%x:%x\n", name, (unsigned)(p >> 48), (unsigned)(p >> 32 & 0xffff),
		(unsigned)(p >> 16 & 0xffff), (unsigned)(p & 0xffff), (unsigned)(port_guid >> 48),
		(unsigned)(port_guid >> 32 & 0xffff), (unsigned)(port_guid >> 16 & 0xffff), (unsigned)(port_guid & 0xffff));
	e->sum->names++;
}

static const char *
kind(const char *type)
{
	if (type && strcmp(type, "switch") == 0)
		return "Switch";
	return type && strcmp(type, "router") == 0 ? "Router" : "Channel Adapter";
}

static void
put_routes(struct export *e, const json_t *node, const json_t *port, const json_t *answer)
{
	const json_t *source = json_object_get(answer, "source"), *group, *lid;
	FILE *f = e->f[ROUTES];
	size_t i, k;

	fprintf(f, "%s 0x%016" PRIx64 ", base LID %" JSON_INTEGER_FORMAT ", LMC %" JSON_INTEGER_FORMAT ", port %"
		JSON_INTEGER_FORMAT "\n# LID : SL : MTU : RATE\n", kind(json_string_value(json_object_get(node, "type"))),
		guid(source, "port_guid"), integer(source, "lid"), integer(port, "lmc"), integer(source, "port"));
	json_array_foreach(json_object_get(answer, "paths"), i, group) {
		char rest[64];

		snprintf(rest, sizeof(rest), " : %d : %d : %d\n", (int)integer(group, "sl"), (int)integer(group, "mtu"),
			(int)integer(group, "rate"));
		json_array_foreach(json_object_get(group, "lids"), k, lid)
			fprintf(f, "0x%04x%s", (unsigned)json_integer_value(lid), rest);
		e->sum->paths += (json_int_t)json_array_size(json_object_get(group, "lids"));
	}
	fputc('\n', f);
}

static enum export_end
call(struct export *e, const char *method, json_t *params)
{
	client_answer_clear(e->a);
	client_call(e->socket, method, params, e->a);
	json_decref(params);
	return e->a->end == CLIENT_OK ? EXPORT_OK : EXPORT_ANSWER;
}

/* One source.  A sweep meanwhile makes e->sweep 0: to be begun again. */
static enum export_end
put_port(struct export *e, const json_t *node, const json_t *port)
{
	const char *desc = json_string_value(json_object_get(node, "description"));
	char lid[24];

	snprintf(lid, sizeof(lid), "%" JSON_INTEGER_FORMAT, integer(port, "lid"));
	if (call(e, MANAGER "Paths", json_pack("{s:s}", "source", lid)) != EXPORT_OK)
		return EXPORT_ANSWER;
	if (integer(e->a->params, "sweep") != e->sweep) {
		e->sweep = 0;
		return EXPORT_OK;
	}
	put_routes(e, node, port, e->a->params);
	if (desc && strcmp(kind(json_string_value(json_object_get(node, "type"))), "Channel Adapter") == 0)
		put_host(e, desc, guid(e->a->params, "gid_prefix"), guid(port, "port_guid"));
	json_dumpf(e->a->params, e->f[LINES], JSON_COMPACT);
	fputc('\n', e->f[LINES]);
	e->sum->sources++;
	return EXPORT_OK;
}

static void
begin(struct export *e)
{
	for (unsigned i = 0; i < FILES; i++) {
		rewind(e->f[i]);
		if (ftruncate(fileno(e->f[i]), 0) < 0)
			continue;               /* it cannot fail for a file of ours; a full disk shows at the end */
	}
	*e->sum = (struct export_sum){ 0 };
	json_object_clear(e->seen);
	fputs("# Paths between all ports (opensm_full_v1), by heddlectl export paths\n", e->f[ROUTES]);
	fputs("# Hosts by the first word of their description, by heddlectl export paths\n", e->f[HOSTS]);
}

/* The ports of 'snapshot', one after the other, while the subnet rests. */
static enum export_end
put_all(struct export *e, const json_t *snapshot)
{
	const json_t *node, *port;
	enum export_end end;
	size_t i, k;

	begin(e);
	e->sweep = integer(snapshot, "sweep");
	json_array_foreach(json_object_get(snapshot, "nodes"), i, node)
		json_array_foreach(json_object_get(node, "ports"), k, port) {
			if (integer(port, "lid") <= 0)
				continue;
			end = put_port(e, node, port);
			if (end != EXPORT_OK || !e->sweep)
				return end;
		}
	return EXPORT_OK;
}

enum export_end
export_paths(const char *socket, const char *dir, struct export_sum *sum, struct client_answer *a)
{
	struct export e = { .socket = socket, .sum = sum, .a = a, .seen = json_object() };
	enum export_end end = open_files(&e, dir);

	for (unsigned i = 0; end == EXPORT_OK && !e.sweep; i++) {
		json_t *snapshot;

		if (i == TRIES) {
			snprintf(a->why, sizeof(a->why), "the subnet does not rest; try again");
			end = EXPORT_FAILED;
			break;
		}
		end = call(&e, MANAGER "Snapshot", NULL);
		if (end != EXPORT_OK)
			break;
		snapshot = json_incref(a->params);
		end = put_all(&e, snapshot);
		json_decref(snapshot);
	}
	json_decref(e.seen);
	return close_files(&e, end);
}
