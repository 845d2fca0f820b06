/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes.c - reads SLtoVL tables and SLs of paths from text.
 * Room: cli/route.
 *
 * Classes of ports are refined as in the minimisation of automata: at first all ports have the
 * same class; then ports whose tables to the ports of a class differ, as in-port or as out-port,
 * get different classes, until nothing changes.  Ports to hosts and port 0 never share a class
 * with ports to switches.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/route/lanes.h"
#include "cli/route/names.h"
#include "util/optab.h"
#include "util/xalloc.h"

typedef uint8_t vls_t[LANE_SLS];

struct lanes {
	struct tool *t;
	const struct snapshot *s;
	const struct lid_map *lids;
	const char *path;
	unsigned line;
	/* by switch ordinal: [1 + nports][1 + nports] tables, by in-port and out-port */
	vls_t **table;
	struct lane_plan *plan;
	uint16_t *sls; /* plan->lid_sls */
};

static const vls_t unknown_vls = { 255 };

static vls_t *
table_of(const struct lanes *x, uint32_t sw, unsigned in, unsigned out)
{
	return &x->table[sw][in * (x->s->nodes[x->s->switches[sw]].nports + 1u) + out];
}

/* ---- SLtoVL tables ---- */

/* "IN OUT : VL ...": a table of the switch 'sw'. */
static int
take_table(struct lanes *x, uint32_t sw, const char *text)
{
	const struct fab_node *n = &x->s->nodes[x->s->switches[sw]];
	unsigned long in, out, vl;
	char *at;
	vls_t v;

	in = strtoul(text, &at, 10);
	out = strtoul(at, &at, 10);
	at += strspn(at, " \t:");
	for (unsigned sl = 0; sl < LANE_SLS; sl++) {
		char *end;

		vl = strtoul(at, &end, 10);
		if (end == at || vl > 15 || in > n->nports || out > n->nports)
			return tool_fail(x->t, EXIT_USAGE, "config",
				"%.200s:%u: expected in-port and out-port of a switch and 16 VLs",
				x->path, x->line);
		v[sl] = (uint8_t)vl;
		at = end;
	}
	memcpy(*table_of(x, sw, (unsigned)in, (unsigned)out), v, sizeof(v));
	return 0;
}

static int
tables_take(struct lanes *x, FILE *f)
{
	uint32_t sw = FAB_NONE;
	char *line = NULL;
	size_t room = 0;
	int r = 0;

	while (!r && getline(&line, &room, f) >= 0) {
		const char *guid = strstr(line, "0x");
		uint32_t node;

		x->line++;
		if (*line >= '0' && *line <= '9') {
			r = sw == FAB_NONE ? 0 : take_table(x, sw, line);
			continue;
		}
		if (*line == '#' || !guid)
			continue;
		node = snapshot_node_by_guid(x->s, strtoull(guid, NULL, 16));
		sw = node == FAB_NONE ? FAB_NONE : x->s->nodes[node].sw;
		if (strncmp(line, "Switch", 6) == 0 && sw == FAB_NONE)
			r = tool_fail(x->t, EXIT_USAGE, "config",
				"%.200s:%u: the switch %.18s is not in %.80s", x->path, x->line,
				guid, x->t->operands[0]);
	}
	free(line);
	return r;
}

static void
tables_identity(struct lanes *x)
{
	for (unsigned sl = 0; sl < LANE_SLS; sl++)
		x->plan->vl[0][0][sl] = (uint8_t)sl;
	x->plan->nclasses = 1;
}

/* True if the port of a switch leads to another switch. */
static bool
is_trunk(const struct snapshot *s, const struct fab_port *p)
{
	return p->peer != FAB_NONE && s->nodes[s->ports[p->peer].node].sw != FAB_NONE;
}

/* The properties that distinguish ports: kind and class, and for each class the tables to it. */
struct look {
	uint8_t class, linked;
	vls_t in[LANE_CLASSES_MAX], out[LANE_CLASSES_MAX];
};

static void
look_make(const struct lanes *x, uint32_t sw, unsigned num, struct look *k)
{
	const struct fab_node *n = &x->s->nodes[x->s->switches[sw]];
	const uint8_t *class = x->plan->port_class + n->first_port;

	memset(k, 255, sizeof(*k));
	k->class = class[num];
	k->linked = is_trunk(x->s, &x->s->ports[n->first_port + num]);
	for (unsigned o = 1; o <= n->nports; o++) {
		const vls_t *to = table_of(x, sw, num, o), *from = table_of(x, sw, o, num);

		if (!is_trunk(x->s, &x->s->ports[n->first_port + o]))
			continue;
		if ((*to)[0] != 255)
			memcpy(k->out[class[o]], to, sizeof(*to));
		if ((*from)[0] != 255)
			memcpy(k->in[class[o]], from, sizeof(*from));
	}
}

/* Divides classes once.  Returns their number; more than LANE_CLASSES_MAX are too many. */
static unsigned
classes_divide(struct lanes *x, uint8_t *next, struct look *looks)
{
	unsigned n = 0;

	for (uint32_t sw = 0; sw < x->s->nswitches; sw++) {
		const struct fab_node *node = &x->s->nodes[x->s->switches[sw]];

		for (unsigned num = 0; num <= node->nports; num++) {
			struct look k;
			unsigned i = 0;

			if (num && x->s->ports[node->first_port + num].peer == FAB_NONE)
				continue;
			look_make(x, sw, num, &k);
			while (i < n && memcmp(&looks[i], &k, sizeof(k)) != 0)
				i++;
			if (i == LANE_CLASSES_MAX)
				return i + 1;
			if (i == n)
				looks[n++] = k;
			next[node->first_port + num] = (uint8_t)i;
		}
	}
	return n;
}

/* Sets the VLs between the classes.  Returns false if two ports of a class map differently. */
static bool
classes_fill(struct lanes *x)
{
	bool set[LANE_CLASSES_MAX][LANE_CLASSES_MAX] = { { false } };

	for (uint32_t sw = 0; sw < x->s->nswitches; sw++) {
		const struct fab_node *n = &x->s->nodes[x->s->switches[sw]];
		const uint8_t *class = x->plan->port_class + n->first_port;

		for (unsigned i = 0; i <= n->nports; i++)
			for (unsigned o = 1; o <= n->nports; o++) {
				const vls_t *v = table_of(x, sw, i, o);
				uint8_t *to = x->plan->vl[class[i]][class[o]];

				if ((*v)[0] == 255 ||
					!is_trunk(x->s, &x->s->ports[n->first_port + o]) ||
					(i && x->s->ports[n->first_port + i].peer == FAB_NONE) ||
					i == o)
					continue;
				if (set[class[i]][class[o]] && memcmp(to, v, sizeof(*v)) != 0)
					return false;
				memcpy(to, v, sizeof(*v));
				set[class[i]][class[o]] = true;
			}
	}
	return true;
}

static int
classes_make(struct lanes *x, struct arena *a)
{
	uint8_t *next = xcalloc(x->s->nports + 1u, sizeof(*next));
	struct look *looks = xcalloc(LANE_CLASSES_MAX, sizeof(*looks));
	unsigned n, was = 0;

	x->plan->port_class = arena_alloc(a, x->s->nports);
	while ((n = classes_divide(x, next, looks)) > was && n <= LANE_CLASSES_MAX) {
		memcpy(x->plan->port_class, next, x->s->nports);
		was = n;
	}
	free(looks);
	free(next);
	x->plan->nclasses = (uint8_t)was;
	if (n <= LANE_CLASSES_MAX && classes_fill(x))
		return 0;
	return tool_fail(x->t, EXIT_USAGE, "unsupported",
		"%.200s: the SLtoVL tables tell more than %d kinds of ports apart", x->path,
		LANE_CLASSES_MAX);
}

static int
sl2vl_read(struct lanes *x, struct arena *a)
{
	FILE *f = fopen(x->path = x->t->sl2vl, "re");
	int r;

	if (!f)
		return tool_fail(
			x->t, EXIT_USAGE, "config", "%.200s: %s", x->path, strerror(errno));
	x->table = xcalloc(x->s->nswitches + 1u, sizeof(*x->table));
	for (uint32_t sw = 0; sw < x->s->nswitches; sw++) {
		size_t n = x->s->nodes[x->s->switches[sw]].nports + 1u;

		x->table[sw] = xcalloc(n * n, sizeof(**x->table));
		for (size_t i = 0; i < n * n; i++)
			memcpy(x->table[sw][i], unknown_vls, sizeof(vls_t));
	}
	r = tables_take(x, f);
	if (!r)
		r = classes_make(x, a);
	for (uint32_t sw = 0; sw < x->s->nswitches; sw++)
		free(x->table[sw]);
	free(x->table);
	fclose(f);
	return r;
}

/* ---- SLs of paths ---- */

/* Returns the switch of the port that owns 'lid', or FAB_NONE if no port does. */
static uint32_t
switch_of(const struct lanes *x, unsigned long lid)
{
	uint32_t port = lid && lid <= x->lids->top ? x->lids->owner[lid] : FAB_NONE;

	if (port != FAB_NONE && x->s->nodes[x->s->ports[port].node].sw == FAB_NONE)
		port = x->s->ports[port].peer;
	return port == FAB_NONE ? FAB_NONE : x->s->nodes[x->s->ports[port].node].sw;
}

/* Adds a path with its SL; replies use the same SL in the other direction. */
static int
take_path(struct lanes *x, unsigned long slid, unsigned long dlid, unsigned long sl)
{
	uint32_t a = switch_of(x, slid), b = switch_of(x, dlid);

	if (a == FAB_NONE || b == FAB_NONE || sl >= LANE_SLS)
		return tool_fail(x->t, EXIT_USAGE, "config",
			sl >= LANE_SLS ? "%.200s:%u: an SL above 15" :
					 "%.200s:%u: no port has the LID %lu",
			x->path, x->line, a == FAB_NONE ? slid : dlid);
	x->sls[(size_t)a * x->plan->lid_stride + dlid] |= (uint16_t)(1u << sl);
	x->sls[(size_t)b * x->plan->lid_stride + slid] |= (uint16_t)(1u << sl);
	x->plan->sls |= (uint16_t)(1u << sl);
	return 0;
}

/* Reads the number in a line "dlid....... 2" of saquery. */
static bool
field_of(const char *line, const char *name, unsigned long *value)
{
	size_t len = strlen(name);

	line += strspn(line, " \t");
	if (strncmp(line, name, len) != 0 || line[len] != '.')
		return false;
	line += len + strspn(line + len, ". ");
	*value = strtoul(line, NULL, 0);
	return true;
}

static int
paths_take(struct lanes *x, FILE *f)
{
	unsigned long slid = 0, dlid = 0, sl = 0;
	char *line = NULL, *end;
	size_t room = 0;
	int r = 0;

	while (!r && getline(&line, &room, f) >= 0) {
		x->line++;
		if (field_of(line, "dlid", &dlid) || field_of(line, "slid", &slid))
			continue;
		if (*line >= '0' && *line <= '9') {
			slid = strtoul(line, &end, 0);
			dlid = strtoul(end, &end, 0);
			sl = strtoul(end, &end, 0);
		} else if (!field_of(line, "sl", &sl)) {
			continue;
		}
		r = take_path(x, slid, dlid, sl);
	}
	free(line);
	return r;
}

/* Checks that every path between hosts has an SL; paths to switches that are not in the file have
 * SL 0. */
static int
paths_check(struct lanes *x)
{
	char a[NAMES_BYTES], b[NAMES_BYTES];

	if (!x->plan->sls)
		return tool_fail(x->t, EXIT_USAGE, "config", "%.200s has no paths", x->path);
	for (uint32_t port = 0; port < x->s->nports; port++) {
		uint32_t sw = x->lids->base[port] ? switch_of(x, x->lids->base[port]) : FAB_NONE;

		if (sw == FAB_NONE || x->s->nodes[x->s->ports[port].node].sw != FAB_NONE)
			continue;
		for (uint32_t lid = 1; lid <= x->lids->top; lid++) {
			uint32_t to = x->lids->owner[lid];
			uint16_t *sls = &x->sls[(size_t)sw * x->plan->lid_stride + lid];

			if (*sls || to == FAB_NONE || switch_of(x, lid) == sw)
				continue;
			if (x->s->nodes[x->s->ports[to].node].sw == FAB_NONE)
				return tool_fail(x->t, EXIT_USAGE, "config",
					"%.200s has no path from %.64s to %.64s (LID %u)", x->path,
					names_port(x->s, port, a), names_port(x->s, to, b), lid);
			*sls = 1;
			x->plan->sls |= 1;
		}
	}
	return 0;
}

static int
path_sl_read(struct lanes *x, struct arena *a)
{
	FILE *f = fopen(x->path = x->t->path_sl, "re");
	int r;

	if (!f)
		return tool_fail(
			x->t, EXIT_USAGE, "config", "%.200s: %s", x->path, strerror(errno));
	x->line = 0;
	x->plan->lid_stride = x->lids->top + 1u;
	x->sls = arena_array(a, (size_t)x->s->nswitches * x->plan->lid_stride, sizeof(*x->sls));
	x->plan->lid_sls = x->sls;
	r = paths_take(x, f);
	fclose(f);
	return r ? r : paths_check(x);
}

/* Returns the SLs that all switches map to a data VL. */
static void
sls_mapped(struct lane_plan *p)
{
	for (unsigned sl = 0; sl < LANE_SLS; sl++) {
		bool data = true;

		for (unsigned i = 0; i < p->nclasses; i++)
			for (unsigned o = 0; o < p->nclasses; o++)
				data &= p->vl[i][o][sl] < LANE_VLS_MAX;
		p->sls |= (uint16_t)(data << sl);
	}
}

static void
vls_count(struct lane_plan *p)
{
	p->nvls = 1;
	for (unsigned i = 0; i < p->nclasses; i++)
		for (unsigned o = 0; o < p->nclasses; o++)
			for (unsigned sl = 0; sl < LANE_SLS; sl++)
				if (p->sls >> sl & 1 && p->vl[i][o][sl] >= p->nvls)
					p->nvls = (uint8_t)(p->vl[i][o][sl] + 1);
}

int
lanes_read(struct tool *t, const struct snapshot *s, const struct lid_map *lids, struct arena *a,
	struct fwd_tables *f)
{
	struct lane_plan *p = arena_alloc(a, sizeof(*p));
	struct lanes x = { .t = t, .s = s, .lids = lids, .plan = p };
	int r = 0;

	p->nswitches = s->nswitches;
	if (t->sl2vl)
		r = sl2vl_read(&x, a);
	else
		tables_identity(&x);
	if (!r && t->path_sl)
		r = path_sl_read(&x, a);
	else
		sls_mapped(p);
	if (r)
		return r;
	vls_count(p);
	f->lanes = p;
	f->vls = p->nvls;
	return 0;
}
