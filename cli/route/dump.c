/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump.c - forwarding tables from and to text.
 * Room: cli/route.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/route/dump.h"
#include "cli/route/names.h"
#include "util/optab.h"
#include "util/xalloc.h"

#define STRIDE (LID_UCAST_MAX + 1u) /* a multiple of 64 */

struct dump {
	struct tool *t;
	const struct snapshot *s;
	const struct snapshot *whole; /* with what failed; its entries are passed over */
	const char *path;
	unsigned line;
	bool skip; /* the present table is of a switch that failed */
	uint8_t *rows; /* [nswitches][STRIDE] */
	bool *seen; /* by switch ordinal: it has a table */
	uint32_t *owner; /* by LID: the port of comments, FAB_NONE */
	uint32_t top; /* highest LID with an entry */
	uint32_t sw; /* of the present table; FAB_NONE: none yet */
	bool named; /* some comment names an owner */
};

/* ---- reading ---- */

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

/* A line that begins a table.  1, 0 if it is none, or a status. */
static int
take_title(struct dump *d, const char *text, int *status)
{
	uint64_t guid;
	uint32_t node;

	if (strncmp(text, "Unicast lids", 12) == 0 ?
			!number_after(text, " guid 0x", &guid) :
			!number_after(text, "dump_ucast_routes: Switch 0x", &guid)) {
		if (strncmp(text, "Unicast lids", 12) != 0)
			return 0;
		*status = tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s:%u: a table without the GUID of its switch", d->path, d->line);
		return 1;
	}
	node = snapshot_node_by_guid(d->s, guid);
	d->skip = node == FAB_NONE && snapshot_node_by_guid(d->whole, guid) != FAB_NONE;
	if (d->skip)
		return 1;
	if (node == FAB_NONE || d->s->nodes[node].sw == FAB_NONE) {
		*status = tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s:%u: the switch 0x%016" PRIx64 " is not in %.80s", d->path, d->line,
			guid, d->t->operands[0]);
		return 1;
	}
	d->sw = d->s->nodes[node].sw;
	if (d->seen[d->sw])
		*status = tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s:%u: a second table of the switch 0x%016" PRIx64, d->path, d->line,
			guid);
	d->seen[d->sw] = true;
	return 1;
}

/* Notes the owner of a LID that a comment names. */
static int
take_owner(struct dump *d, const char *text, unsigned long lid)
{
	uint64_t guid;
	uint32_t port;

	if (!number_after(text, "portguid 0x", &guid) || !guid)
		return 0;
	port = snapshot_port_by_guid(d->s, guid);
	if (port == FAB_NONE && snapshot_port_by_guid(d->whole, guid) != FAB_NONE)
		return 0;
	if (port == FAB_NONE)
		return tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s:%u: LID %lu belongs to the port 0x%016" PRIx64
			", which is not in %.80s",
			d->path, d->line, lid, guid, d->t->operands[0]);
	if (d->owner[lid] != FAB_NONE && d->owner[lid] != port)
		return tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s:%u: LID %lu has two owners, 0x%016" PRIx64 " and 0x%016" PRIx64,
			d->path, d->line, lid, d->s->ports[d->owner[lid]].guid, guid);
	d->owner[lid] = port;
	d->named = true;
	return 0;
}

/* "0xLID PORT ..." or "0xLID : PORT : ...": an entry; any other line means nothing. */
static int
take_entry(struct dump *d, const char *text)
{
	unsigned long lid, port;
	char *end, *rest;

	if (strncmp(text, "0x", 2) != 0 || d->skip)
		return 0;
	lid = strtoul(text, &end, 16);
	while (*end == ' ' || *end == '\t' || *end == ':')
		end++;
	port = strtoul(end, &rest, 10);
	if (rest == end) /* "UNREACHABLE", "-" and the like: no entry */
		return 0;
	if (d->sw == FAB_NONE || lid < 1 || lid > LID_UCAST_MAX || port > 255)
		return tool_fail(d->t, EXIT_USAGE, "config",
			d->sw == FAB_NONE ?
				"%.200s:%u: an entry before the first table" :
				"%.200s:%u: expected a LID up to 0xbfff and a port up to 255",
			d->path, d->line);
	d->rows[(size_t)d->sw * STRIDE + lid] = (uint8_t)port;
	d->top = lid > d->top ? (uint32_t)lid : d->top;
	return take_owner(d, rest, lid);
}

static int
read_lines(struct dump *d, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	while (!status && getline(&line, &room, f) >= 0) {
		d->line++;
		if (take_title(d, line, &status) == 0)
			status = take_entry(d, line);
	}
	free(line);
	if (!status && ferror(f))
		status = tool_fail(d->t, EXIT_USAGE, "config", "%.200s: cannot be read", d->path);
	return status;
}

/* Every switch with a link must have a table. */
static int
check_switches(struct dump *d)
{
	uint32_t n = 0, first = FAB_NONE;
	char name[NAMES_BYTES];

	for (uint32_t sw = 0; sw < d->s->nswitches; sw++)
		if (!d->seen[sw]) {
			first = first == FAB_NONE ? sw : first;
			n++;
		}
	if (n == d->s->nswitches)
		return tool_fail(
			d->t, EXIT_USAGE, "config", "%.200s has no forwarding tables", d->path);
	if (n)
		return tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s has no table of %.64s (0x%016" PRIx64 ") and %" PRIu32
			" other switches of %.80s",
			d->path, names_node(&d->s->nodes[d->s->switches[first]], name),
			d->s->nodes[d->s->switches[first]].guid, n - 1, d->t->operands[0]);
	return 0;
}

/* The LIDs of the comments: the lowest is the base LID of a port, their number makes its LMC. */
static void
lids_make(struct dump *d, struct arena *a, struct lid_map *m)
{
	uint32_t *count = arena_array(a, d->s->nports, sizeof(*count));

	m->nports = d->s->nports;
	m->base = arena_array(a, m->nports, sizeof(*m->base));
	m->lmc = arena_array(a, m->nports, sizeof(*m->lmc));
	m->owner = arena_array(a, STRIDE, sizeof(*m->owner));
	memcpy(m->owner, d->owner, STRIDE * sizeof(*m->owner));
	for (uint32_t lid = 1; lid <= LID_UCAST_MAX; lid++) {
		uint32_t port = m->owner[lid];

		if (port == FAB_NONE)
			continue;
		if (!m->base[port])
			m->base[port] = (uint16_t)lid;
		count[port]++;
		while (m->lmc[port] < 7 && 1u << m->lmc[port] < count[port])
			m->lmc[port]++;
		m->top = (uint16_t)lid;
	}
}

static int
dump_finish(struct dump *d, struct arena *a, struct lid_map *lids, struct fwd_tables *out)
{
	uint32_t top;
	int r = check_switches(d);

	if (r)
		return r;
	*lids = (struct lid_map){ .nports = 0 };
	if (d->named)
		lids_make(d, a, lids);
	else
		lid_map_observed(d->s, a, lids);
	if (!lids->top)
		return tool_fail(d->t, EXIT_USAGE, "config",
			"neither %.200s nor %.80s says to which ports the LIDs belong", d->path,
			d->t->operands[0]);
	top = d->top > lids->top ? d->top : lids->top;
	*out = (struct fwd_tables){ .nswitches = d->s->nswitches,
		.top = (uint16_t)top,
		.stride = (top / 64 + 1) * 64,
		.vls = 1 };
	out->port = arena_array(a, out->nswitches, out->stride);
	for (uint32_t sw = 0; sw < out->nswitches; sw++)
		memcpy(fwd_row(out, sw), d->rows + (size_t)sw * STRIDE, out->stride);
	return 0;
}

int
dump_read(struct tool *t, const char *path, const struct snapshot *s, const struct snapshot *whole,
	struct arena *a, struct lid_map *lids, struct fwd_tables *out)
{
	struct dump d = { .t = t, .s = s, .whole = whole, .path = path, .sw = FAB_NONE };
	FILE *f = fopen(path, "re");
	int r;

	if (!f)
		return tool_fail(t, EXIT_USAGE, "config", "%.200s: %s", path, strerror(errno));
	d.rows = xmalloc((size_t)s->nswitches * STRIDE + 1);
	memset(d.rows, FAB_LFT_DROP, (size_t)s->nswitches * STRIDE);
	d.seen = xcalloc(s->nswitches + 1u, sizeof(*d.seen));
	d.owner = xmalloc(STRIDE * sizeof(*d.owner));
	memset(d.owner, 0xff, STRIDE * sizeof(*d.owner));
	r = read_lines(&d, f);
	fclose(f);
	if (!r)
		r = dump_finish(&d, a, lids, out);
	free(d.rows);
	free(d.seen);
	free(d.owner);
	return r;
}

/* ---- writing ---- */

static void
write_entry(
	FILE *f, const struct snapshot *s, const struct lid_map *lids, uint32_t lid, uint8_t port)
{
	uint32_t owner = lid <= lids->top ? lids->owner[lid] : FAB_NONE;
	const struct fab_node *n;
	char name[NAMES_BYTES];

	fprintf(f, "0x%04" PRIx32 " %03u", lid, port);
	if (owner == FAB_NONE) {
		fprintf(f, " : (unknown node and type)\n");
		return;
	}
	n = &s->nodes[s->ports[owner].node];
	fprintf(f, " : (%s portguid 0x%016" PRIx64 ": '%s')\n",
		fab_is_switch(n)                    ? "Switch" :
			n->type == NODE_TYPE_ROUTER ? "Router" :
						      "Channel Adapter",
		s->ports[owner].guid, names_node(n, name));
}

void
dump_write(FILE *f, const struct snapshot *s, const struct lid_map *lids,
	const struct fwd_tables *tables)
{
	char name[NAMES_BYTES];

	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		const uint8_t *row = fwd_row(tables, sw);
		uint32_t shown = 0;

		fprintf(f,
			"Unicast lids [0x0-0x%x] of switch Lid %u guid 0x%016" PRIx64
			" (%s):\n  Lid  Out   Destination\n       Port     Info \n",
			tables->top, lids->base[n->first_port], n->guid, names_node(n, name));
		for (uint32_t lid = 1; lid <= tables->top; lid++)
			if (row[lid] != FAB_LFT_DROP) {
				write_entry(f, s, lids, lid, row[lid]);
				shown++;
			}
		fprintf(f, "%" PRIu32 " valid lids dumped \n", shown);
	}
}
