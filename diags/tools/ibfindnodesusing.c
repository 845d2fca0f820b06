/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibfindnodesusing.c - lists the hosts whose packets use a link, in either direction, according to
 * the forwarding tables of its ends.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/fts.h"
#include "libmad/attr/sm_attr.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define GUID_DIGITS 16

/* ---- compressed lists of hosts ---- */

/* "n01 n02 n03 m7" becomes " m7 n01-03": hosts are grouped by the text before the digits at the
 * end, and consecutive numbers become ranges. */
struct host {
	char *name;
	size_t stem;                    /* length of the name without the digits at its end */
	unsigned long long number;
	size_t order;
};

struct hosts {
	struct host *h;
	size_t n, room;
};

static void
add_host(struct hosts *l, const char *name)
{
	struct host *h;

	GROW(l->h, l->n, l->room, 64);
	h = &l->h[l->n];
	*h = (struct host){ .name = xstrdup(name), .stem = strlen(name), .order = l->n };
	while (h->stem && name[h->stem - 1] >= '0' && name[h->stem - 1] <= '9')
		h->stem--;
	h->number = strtoull(name + h->stem, NULL, 10);
	l->n++;
}

static int
by_stem_and_number(const void *a, const void *b)
{
	const struct host *x = a, *y = b;
	int c = memcmp(x->name, y->name, x->stem < y->stem ? x->stem : y->stem);

	if (c || x->stem != y->stem)
		return c ? c : x->stem < y->stem ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool
follows(const struct host *a, const struct host *b)
{
	return a->stem == b->stem && !memcmp(a->name, b->name, a->stem) && a->name[a->stem] &&
		b->name[b->stem] && a->number + 1 == b->number;
}

/* Prints each entry after a blank. A comma in a name becomes a blank too, as in
 * infiniband-diags. */
static void
put_hosts(struct diag *d, struct hosts *l)
{
	if (l->n)
		qsort(l->h, l->n, sizeof(*l->h), by_stem_and_number);
	for (size_t i = 0, last; i < l->n; i = last + 1) {
		char *text;

		for (last = i; last + 1 < l->n && follows(&l->h[last], &l->h[last + 1]); last++)
			;
		if (last > i)
			text = xasprintf("%s-%s", l->h[i].name, l->h[last].name + l->h[last].stem);
		else
			text = xstrdup(l->h[i].name);
		for (char *c = text; *c; c++)
			if (*c == ',')
				*c = ' ';
		diag_text(d, " %s", text);
		free(text);
	}
	diag_text(d, "\n");
}

static void
clear_hosts(struct hosts *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->h[i].name);
	free(l->h);
	*l = (struct hosts){ 0 };
}

/* ---- the tables ---- */

struct ibfindnodesusing {
	struct selection *chosen; /* --select: the hosts to be listed */
};

static bool
is_chosen(const struct diag *d, const struct diag_fabric *f, uint64_t port_guid)
{
	struct ibfindnodesusing *my = diag_state(d);
	uint32_t p = snapshot_port_by_guid(f->s, port_guid);

	return !my->chosen || (p != FAB_NONE && select_port(my->chosen, &f->s->ports[p]));
}

/* Adds the hosts to which 't' sends through 'port', in order of their base LIDs. */
static void
find_hosts(struct diag *d, const struct diag_fabric *f, const struct fts *t, unsigned port,
	struct fts_directory *y, const char *direction, struct hosts *l)
{
	const struct fts_dest *dest;
	json_t *o;

	for (uint32_t lid = t->first; lid <= t->last; lid++) {
		if (fts_port(t, lid) != (int)port || !lid)
			continue;
		dest = fts_directory_who(d, y, (uint16_t)lid);
		if (!dest->known || dest->type != 1 || dest->base_lid != lid ||
		    !is_chosen(d, f, dest->port_guid))
			continue;
		add_host(l, dest->name);
		if (diag_is_text(d))
			continue;
		o = json_object();
		json_object_set_new(o, "direction", json_string(direction));
		json_object_set_new(o, "lid", json_integer(lid));
		json_object_set_new(o, "port_guid", diag_json_guid(dest->port_guid));
		attr_json_set_text(o, "name", (const uint8_t *)dest->name, strlen(dest->name));
		diag_row(d, "hosts", o);
	}
}

/* ---- the switch that the operand names ---- */

/* Formats the operand for the message that no switch was found: a GUID gets 16 digits. */
static void
guid_spell(const char *word, char text[static 2 + 256])
{
	char small[256];
	size_t n = 0;
	const char *hex = strstr(word, "0x");

	for (const char *c = hex ? hex + 2 : word; *c && n < sizeof(small) - 1; c++)
		small[n++] = *c >= 'A' && *c <= 'F' ? (char)(*c + 'a' - 'A') : *c;
	small[n] = '\0';
	snprintf(text, 2 + 256, "0x%.*s%s", n < GUID_DIGITS ? (int)(GUID_DIGITS - n) : 0,
		"0000000000000000", small);
}

/* Finds a switch by node GUID or by name. */
static const struct fab_node *
find_switch(struct diag *d, const struct diag_fabric *f, const char *word)
{
	char name[DIAG_NAME_BYTES], *end;
	uint64_t guid = strtoull(word, &end, 16);

	DIAG_EACH_NODE(f, i, n, 2)
		if ((!*end && n->guid == guid) || !strcmp(fab_name(d, n, name), word))
			return n;
	return NULL;
}

static int
not_found(struct diag *d, const char *word)
{
	char text[2 + 256];

	guid_spell(word, text);
	diag_text(d, "Switch \"%s\" not found\n   Try running with the \"-R\" or \"-P\" option.\n",
		text);
	diag_warn(d, EXIT_FINDINGS, "not_found", NULL, "there is no switch \"%s\"", word);
	return EXIT_FINDINGS;
}

/* Prints "GUID PORT (NAME)  ==>>  GUID PORT (NAME)" for both ends of a link; the switch also with
 * the kind of its port 0. */
static void
put_link(struct diag *d, const struct diag_fabric *f, const struct fab_port *p, const char *arrow)
{
	const struct fab_node *n = fab_node_of(f, p);
	const struct fab_port *peer = fab_peer_of(f, p);
	char name[DIAG_NAME_BYTES];

	diag_text(d, "0x%016" PRIx64 " %u (\"%s\" %s)  %s  ", n->guid, p->num, fab_name(d, n, name),
		switch_info_decode(n->switch_info).enhanced_port0 ? "enhanced" : "base", arrow);
	if (peer)
		diag_text(d, "0x%016" PRIx64 " %u (%s)\n", fab_node_of(f, peer)->guid, peer->num,
			fab_name(d, fab_node_of(f, peer), name));
	else
		diag_text(d, "  ()\n");
}

static int
link_show(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_port *peer = fab_peer_of(f, p);
	struct fts_want want = { .brief = false };
	struct fts t[2] = { { .guid = 0 } };
	struct hosts hosts = { 0 };
	struct fts_directory y;
	size_t n = 0;
	int r;

	if (!fts_of_node(d, &want, fab_node_of(f, p), &t[n++]))
		return diag_fail(d, EXIT_PARTIAL, "timeout",
			"the switch does not say what tables it has");
	if (peer && fab_is_switch(fab_node_of(f, peer)) &&
	    fts_of_node(d, &want, fab_node_of(f, peer), &t[n]))
		n++;
	r = fts_read(d, t, n, NULL, NULL);
	fts_directory_make(&y, f);
	json_object_set_new(diag_doc(d), "switch_port", fab_json_end(d, f, p));
	json_object_set_new(diag_doc(d), "peer", fab_json_end(d, f, peer));
	for (unsigned back = 0; back < 2 && !r; back++) {
		if (back < n)
			find_hosts(d, f, &t[back], back ? peer->num : p->num, &y,
				back ? "from_peer" : "to_peer", &hosts);
		put_link(d, f, p, back ? "<<==" : "==>>");
		put_hosts(d, &hosts);
		diag_text(d, "%s", back ? "" : "\n");
		clear_hosts(&hosts);
	}
	fts_directory_clear(&y);
	for (size_t i = 0; i < n; i++)
		fts_clear(&t[i]);
	return r;
}

static int
option(struct diag *d, int id, const char *value)
{
	(void)d;
	(void)value;
	/* -R is accepted without effect: each run discovers the fabric */
	return id == 'R' ? 0 : -ENOENT;
}

static int
link_find(struct diag *d, const struct diag_fabric *f, const char *name, uint64_t port)
{
	const struct fab_node *n = find_switch(d, f, name);

	if (!n)
		return not_found(d, name);
	if (port > n->nports)
		return diag_fail(d, EXIT_USAGE, "usage", "the switch has %u ports", n->nports);
	return link_show(d, f, fab_port_of(f, n, (unsigned)port));
}

static int
ibfindnodesusing_run(struct diag *d, int argc, char **argv)
{
	struct ibfindnodesusing *my = diag_state(d);
	struct diag_fabric f = { 0 };
	uint64_t port;
	int r;

	if (argc != 2)
		return diag_usage(d, "a switch and a port are needed");
	if (!diag_number(argv[1], 254, &port))
		return diag_usage(d, "\"%s\" is not a port number", argv[1]);
	r = diag_fabric(d, 0, &f);
	if (!r)
		r = diag_selection(d, &f, &my->chosen);
	if (!r)
		r = link_find(d, &f, argv[0], port);
	select_free(my->chosen);
	diag_fabric_clear(&f);
	return r;
}

static const struct diag_option options[] = {
	{ 'R', "recalculate", NULL, "sweep the fabric again (always done)" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibfindnodesusing", .operands = "<switch_guid|switch_name> <port>",
	.about = "finds the hosts whose packets use the link of a switch port",
	.masked = "DGKLs", .options = options, .flags = DIAG_FABRIC, .rows = "hosts",
	.option = option, .run = ibfindnodesusing_run,
	.state_bytes = sizeof(struct ibfindnodesusing),
};
