/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check_lft_balance.c - checks whether the ports of each switch carry about the same number of host
 * LIDs.
 * Room: diags/tools. The tables come from a file that dump_lfts printed, or from the switches.
 *
 * Ports that are down do not count, nor those with exactly one host's LIDs on an active link: there
 * a host is plugged in.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/json.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/fts.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define PORTS 256
#define HEURISTIC_PORTS 12 /* -e applies its exceptions only to switches with more ports in use */
#define LINE_BYTES 1024

struct balance {
	const char *tables, *cache;
	bool heuristics;
};

/* Counts of one switch, made while its table is read entry by entry. */
struct tally {
	uint64_t guid;
	char name[DIAG_NAME_BYTES];
	unsigned count[PORTS];
	unsigned lids_per_port;         /* of the first host; all hosts have the same number */
	bool first_done;
	/* the host whose LIDs are being counted */
	unsigned host_lids;
	bool host_one_port;
	uint8_t host_port;
	char host[DIAG_NAME_BYTES];
	/* some host has all its LIDs behind one port, so that it may be connected to it directly */
	bool direct;
};

static int
option(struct diag *d, int id, const char *value)
{
	struct balance *want = diag_state(d);

	(void)d;
	if (id == 'l')
		want->tables = value;
	else if (id == 'i')
		want->cache = value;
	else if (id == 'e')
		want->heuristics = true;
	else
		return -ENOENT;
	return 0;
}

/* ---- counting ---- */

/* Reports whether 'name' has the numeric value 0, as most names do. The original script compared
 * names as numbers, so that all such names were equal to it. */
static bool
is_zero(const char *name)
{
	return strtod(name, NULL) == 0.0;
}

/* All LIDs of the current host have been counted. 'next' is the host after it, or the same host at
 * the end of the table. */
static void
host_ends(struct tally *t, const char *next)
{
	if (t->host_lids && t->host_lids == t->lids_per_port && t->host_one_port && is_zero(next))
		t->direct = true;
}

static void
see_host(struct tally *t, uint8_t port, const char *name)
{
	t->count[port]++;
	host_ends(t, name);
	snprintf(t->host, sizeof(t->host), "%s", name);
	t->host_lids = 1;
	t->host_one_port = true;
	t->host_port = port;
	if (t->lids_per_port)
		t->first_done = true;
	else
		t->lids_per_port = 1;
}

/* Counts one more LID of the current host. */
static void
see_path(struct tally *t, uint8_t port)
{
	t->count[port]++;
	if (!t->first_done)
		t->lids_per_port++;
	t->host_lids++;
	if (port != t->host_port)
		t->host_one_port = false;
}

static void
see_other(struct tally *t)
{
	if (t->lids_per_port)
		t->first_done = true;
}

/* ---- the check ---- */

struct verdict {
	uint8_t port[PORTS];            /* the ports that count */
	unsigned nports, in_use;
	unsigned min, max;
	bool unbalanced;
};

static bool
extremes(const struct tally *t, const uint8_t *port, unsigned n, unsigned *min, unsigned *max)
{
	*min = 999999;
	*max = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned c = t->count[port[i]];

		*min = c < *min ? c : *min;
		*max = c > *max ? c : *max;
	}
	return *max > *min + 1;
}

/* Exception for line boards, which connect half of their ports to spines and half to hosts:
 * reports whether the ports below the maximum are about half of those in use and balanced
 * among themselves. */
static bool
half_is_balanced(const struct tally *t, const struct verdict *v)
{
	unsigned n = 0, half = v->in_use / 2, min = v->min, max = 0;

	for (unsigned i = 0; i < v->nports; i++) {
		unsigned c = t->count[v->port[i]];

		if (c == v->max || c + 1 == v->max || !c)
			continue;
		n++;
		max = c > max ? c : max;
	}
	if (n != half && n != half + 1 && n + 1 != half)
		return false;
	min = 999999;
	for (unsigned i = 0; i < v->nports; i++) {
		unsigned c = t->count[v->port[i]];

		if (c != v->max && c + 1 != v->max && c && c < min)
			min = c;
	}
	return !(max > min + 1);
}

/* Exception for switches that are not fully connected: reports whether all ports below the maximum
 * carry no LIDs. */
static bool
others_are_idle(const struct tally *t, const struct verdict *v)
{
	for (unsigned i = 0; i < v->nports; i++) {
		unsigned c = t->count[v->port[i]];

		if (c && c != v->max && c + 1 != v->max)
			return false;
	}
	return true;
}

static void
balance_check(const struct balance *want, const struct tally *t, const struct diag_fabric *f,
	struct verdict *v)
{
	uint32_t node = snapshot_node_by_guid(f->s, t->guid);
	const struct fab_node *n = node == FAB_NONE ? NULL : &f->s->nodes[node];

	*v = (struct verdict){ .nports = 0 };
	for (unsigned p = 1; p < 255; p++) {
		const struct fab_port *port = n && p <= n->nports ? fab_port_of(f, n, p) : NULL;
		uint8_t state = port && port->flags & FAB_PORT_INFO ?
			port_info_decode(port->info).state : PORT_STATE_DOWN;

		if (!t->count[p] && state == PORT_STATE_DOWN)
			continue;
		v->in_use++;
		if (t->count[p] == t->lids_per_port && t->direct && state == PORT_STATE_ACTIVE)
			continue;
		v->port[v->nports++] = (uint8_t)p;
	}
	v->unbalanced = extremes(t, v->port, v->nports, &v->min, &v->max);
	if (!want->heuristics || v->in_use <= HEURISTIC_PORTS)
		return;
	if (v->unbalanced && half_is_balanced(t, v))
		v->unbalanced = false;
	if (v->unbalanced && others_are_idle(t, v))
		v->unbalanced = false;
}

/* ---- output ---- */

static json_t *
switch_json(const struct tally *t, const struct verdict *v)
{
	json_t *o = json_object(), *ports = json_array(), *p;

	json_object_set_new(o, "node_guid", diag_json_guid(t->guid));
	attr_json_set_text(o, "name", (const uint8_t *)t->name, strlen(t->name));
	json_object_set_new(o, "unbalanced", json_boolean(v->unbalanced));
	json_object_set_new(o, "lids_per_port", json_integer(t->lids_per_port));
	json_object_set_new(o, "least", v->nports ? json_integer(v->min) : json_null());
	json_object_set_new(o, "most", v->nports ? json_integer(v->max) : json_null());
	for (unsigned i = 0; i < v->nports; i++) {
		p = json_object();
		json_object_set_new(p, "port", json_integer(v->port[i]));
		json_object_set_new(p, "lids", json_integer(t->count[v->port[i]]));
		json_array_append_new(ports, p);
	}
	json_object_set_new(o, "ports", ports);
	return o;
}

static void
finish(struct diag *d, struct tally *t, const struct diag_fabric *f, const struct selection *s)
{
	struct balance *want = diag_state(d);
	uint32_t node = snapshot_node_by_guid(f->s, t->guid);
	char object[32];
	struct verdict v;
	json_t *detail;

	if (s && (node == FAB_NONE || !select_node(s, &f->s->nodes[node])))
		return;
	host_ends(t, t->host);
	balance_check(want, t, f, &v);
	if (!diag_is_text(d))
		diag_row(d, "switches", switch_json(t, &v));
	if (v.unbalanced || diag_settings(d)->verbose) {
		diag_text(d, "%sSwitch Port Usage: %s, 0x%016" PRIx64 "\n",
			v.unbalanced ? "Unbalanced " : "", t->name, t->guid);
		for (unsigned i = 0; i < v.nports; i++)
			diag_text(d, "Port %03u: %u\n", v.port[i], t->count[v.port[i]]);
	}
	if (!v.unbalanced)
		return;
	detail = json_object();
	json_object_set_new(detail, "value", json_integer(v.max));
	json_object_set_new(detail, "expected", json_integer((json_int_t)v.min + 1));
	snprintf(object, sizeof(object), "0x%016" PRIx64, t->guid);
	diag_finding(d, "warning", "lft_unbalanced", object, detail,
		"the ports of %s carry from %u to %u LIDs", t->name, v.min, v.max);
}

/* ---- tables from a file ---- */

/* Parses "Unicast lids [...] of switch ... guid 0xGUID (NAME):" into GUID and name of 't'. */
static bool
read_title(char *text, struct tally *t)
{
	char *name = strchr(text, '('), *guid = name ? strstr(text, " guid 0x") : NULL,
		*end = strrchr(text, ')');

	if (!guid || guid > name || !end || end < name)
		return false;
	*end = '\0';
	*t = (struct tally){ .guid = strtoull(guid + 6, NULL, 16) };
	snprintf(t->name, sizeof(t->name), "%s", name + 1);
	return true;
}

/* Parses "0xLID PORT : (...)". Returns the text after the colon, or NULL. */
static const char *
read_route(const char *text, uint8_t *port)
{
	char *end;
	unsigned long lid = strtoul(text, &end, 16), out;

	if (strncmp(text, "0x", 2) || *end != ' ' || lid > LID_UCAST_MAX)
		return NULL;
	out = strtoul(end + 1, &end, 10);
	if (out > 255 || strncmp(end, " : (", 4))
		return NULL;
	*port = (uint8_t)out;
	return end + 4;
}

static void
take_line(struct tally *t, const char *text)
{
	const char *rest, *name;
	char host[DIAG_NAME_BYTES];
	uint8_t port;

	rest = read_route(text, &port);
	if (!rest) {
		see_other(t);
		return;
	}
	if (!strncmp(rest, "path #", 6) && strstr(rest, " out of ")) {
		see_path(t, port);
		return;
	}
	if (strncmp(rest, "Channel Adapter", 15) && strncmp(rest, "Router", 6)) {
		see_other(t);
		return;
	}
	name = strchr(rest, '\'');
	snprintf(host, sizeof(host), "%s", name ? name + 1 : "");
	host[strcspn(host, "'")] = '\0';
	see_host(t, port, host);
}

static int
check_file(struct diag *d, const struct diag_fabric *f, const struct selection *s)
{
	struct balance *want = diag_state(d);
	struct tally *t = xcalloc(1, sizeof(*t));
	FILE *in = fopen(want->tables, "r");
	char text[LINE_BYTES];
	unsigned line = 0;
	bool open = false;
	int r = 0;

	if (!in) {
		free(t);
		return diag_fail(d, EXIT_USAGE, "config", "Couldn't open dump lfts file: %s: %s",
			want->tables, strerror(errno));
	}
	while (!r && fgets(text, sizeof(text), in)) {
		line++;
		if (strncmp(text, "Unicast lids", 12)) {
			if (open)
				take_line(t, text);
			continue;
		}
		if (open)
			finish(d, t, f, s);
		open = read_title(text, t);
		if (!open)
			r = diag_fail(d, EXIT_USAGE, "config",
				"%s:%u: a table without the GUID and the name of its switch",
				want->tables, line);
	}
	if (!r && open)
		finish(d, t, f, s);
	else if (!r)
		r = diag_fail(d, EXIT_USAGE, "config", "%s has no tables", want->tables);
	fclose(in);
	free(t);
	return r;
}

/* ---- tables from the switches ---- */

static void
count_table(struct diag *d, const struct fts *t, struct fts_directory *y, struct tally *c)
{
	const struct fts_dest *dest;
	uint32_t last = 0;
	int port;

	*c = (struct tally){ .guid = t->guid };
	snprintf(c->name, sizeof(c->name), "%s", t->name);
	for (uint32_t lid = t->first; lid <= t->last; lid++) {
		port = fts_port(t, lid);
		if (port < 0 || port > t->nports || !lid)
			continue;
		if (lid <= last) {
			see_path(c, (uint8_t)port);
			continue;
		}
		dest = fts_directory_who(d, y, (uint16_t)lid);
		if (!dest->known || dest->type == 2) {
			see_other(c);
			continue;
		}
		see_host(c, (uint8_t)port, dest->name);
		last = dest->lmc ? dest->base_lid + (1u << dest->lmc) - 1 : 0;
	}
	see_other(c);
}

static int
check_switches(struct diag *d, const struct diag_fabric *f, const struct selection *s)
{
	struct fts *t = xcalloc(f->s->nswitches + 1u, sizeof(*t));
	struct tally *c = xcalloc(1, sizeof(*c));
	struct fts_want all = { .brief = false };
	struct fts_directory y;
	size_t n = 0;
	int r;

	DIAG_EACH_NODE(f, i, node, 2)
		if (select_node(s, node) && fts_of_node(d, &all, node, &t[n]))
			n++;
	r = fts_read(d, t, n, NULL, NULL);
	fts_directory_make(&y, f);
	for (size_t i = 0; i < n && !r; i++) {
		count_table(d, &t[i], &y, c);
		if (!t[i].unanswered)
			finish(d, c, f, NULL);
	}
	for (size_t i = 0; i < n; i++)
		fts_clear(&t[i]);
	fts_directory_clear(&y);
	free(c);
	free(t);
	return r;
}

static int
balance_run(struct diag *d, int argc, char **argv)
{
	struct balance *want = diag_state(d);
	struct diag_fabric f = { 0 };
	struct selection *s = NULL;
	int r;

	(void)argv;
	if (argc)
		return diag_usage(d, "no operand is expected");
	if (want->cache && !want->tables)
		return diag_usage(d, "Must specify dump lfts file");
	r = want->cache ? diag_fabric_load(d, want->cache, &f) : diag_fabric(d, 0, &f);
	if (!r)
		r = diag_selection(d, &f, &s);
	if (!r)
		r = want->tables ? check_file(d, &f, s) : check_switches(d, &f, s);
	if (!r)
		fab_summary(d, &f);
	select_free(s);
	if (f.s)
		diag_fabric_clear(&f);
	return r;
}

static const struct diag_option options[] = {
	{ 'l', "lfts", "<file>", "read the tables from the output of dump_lfts" },
	{ 'i', "ibnetdiscover-cache", "<file>", "read a saved fabric" },
	{ 'e', "heuristics", NULL, "turn on heuristic(s) to look at switch balances deeper" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "check_lft_balance", .operands = "",
	.about = "checks that the ports of each switch carry about as many LIDs as each other",
	.masked = "DGKLse", .options = options, .flags = DIAG_FABRIC, .rows = "switches",
	.option = option, .run = balance_run,
	.state_bytes = sizeof(struct balance),
};
