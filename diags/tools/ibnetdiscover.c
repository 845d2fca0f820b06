/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibnetdiscover.c - shows the fabric as a topology file, as lists or as a table of ports; or the
 * differences from a saved fabric.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/save.h"
#include "diags/fabric/select.h"
#include "diags/tools/ibnetdiscover.h"
#include "libmad/attr/sm_attr.h"

enum { OPT_CACHE = DIAG_LONG, OPT_LOAD_CACHE, OPT_DIFF, OPT_DIFFCHECK, OPT_CAPTURE, OPT_WITH };
#define LIST(type) (1u << (type))

struct ibnetdiscover {
	bool full, show, group, ports, hops;
	unsigned list;
	const char *cache, *load_cache, *diff, *capture;
	unsigned with;
	unsigned checks;
	struct selection *selection;
};

static void
state_init(void *state)
{
	*(struct ibnetdiscover *)state = (struct ibnetdiscover){ .with = SAVE_USUAL,
		.checks = DIFF_SW | DIFF_CA | DIFF_ROUTER | DIFF_PORT };
}

static int
set_checks(struct diag *d, const char *value)
{
	struct ibnetdiscover *want = diag_state(d);
	static const char *const words[] = { "sw", "ca", "router", "port", "lid", "nodedesc" };
	char word[16];
	unsigned bit;
	size_t n;

	want->checks = 0;
	for (; *value; value += n + (value[n] == ',')) {
		n = strcspn(value, ",");
		snprintf(word, sizeof(word), "%.*s", (int)(n < 15 ? n : 15), value);
		for (bit = 0; bit < 6 && strcasecmp(words[bit], word); bit++)
			;
		if (bit == 6)
			return diag_usage(d, "invalid diff check key: %s", word);
		want->checks |= 1u << bit;
	}
	return 0;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibnetdiscover *want = diag_state(d);

	switch (id) {
	case 'f': want->full = true; return 0;
	case 's': want->show = true; return 0;
	case 'l': want->list = LIST(1) | LIST(2) | LIST(3); return 0;
	case 'H': want->list = LIST(1); return 0;
	case 'S': want->list = LIST(2); return 0;
	case 'R': want->list = LIST(3); return 0;
	case 'g': want->group = true; return 0;
	case 'p': want->ports = true; return 0;
	case 'm': want->hops = true; return 0;
	case OPT_CACHE: want->cache = value; return 0;
	case OPT_LOAD_CACHE: want->load_cache = value; return 0;
	case OPT_DIFF: want->diff = value; return 0;
	case OPT_DIFFCHECK: return set_checks(d, value);
	case OPT_CAPTURE: want->capture = value; return 0;
	case OPT_WITH:
		return save_words(value, &want->with) ? 0 :
			diag_usage(d,
			"--with %s: lft, mft, pkeys, guids, sm, pma, qos, vendor or all is needed",
			value);
	}
	return -ENOENT;
}

/* ---- lists and tables ---- */

static void
put_list(struct diag *d, FILE *f, const struct diag_fabric *fab)
{
	struct ibnetdiscover *want = diag_state(d);
	static const char *const words[] = { "???", "Ca", "Switch", "Router" };
	char name[DIAG_NAME_BYTES];

	for (uint8_t type = 1; type <= 3; type++) {
		if (!(want->list & LIST(type)))
			continue;
		DIAG_EACH_NODE(fab, i, n, type) {
			struct node_info info = node_info_decode(n->node_info);

			if (!select_node(want->selection, n))
				continue;
			fprintf(f, "%s\t : 0x%016" PRIx64
				" ports %d devid 0x%x vendid 0x%x \"%s\"\n", words[type], n->guid,
				n->nports,
				info.device_id, info.vendor_id, fab_name(d, n, name));
		}
	}
}

static const char *
short_type(const struct fab_node *n)
{
	return n->type == 2 ? "SW" : n->type == 1 ? "CA" : n->type == 3 ? "RT" : "??";
}

static void
put_port(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	struct ibnetdiscover *want = diag_state(d);
	const struct fab_node *n = fab_node_of(f, p), *to;
	const struct fab_port *peer = fab_peer_of(f, p);
	char name[DIAG_NAME_BYTES], peer_name[DIAG_NAME_BYTES];
	struct fab_link l = fab_link_of(f, p);

	if (!(p->flags & FAB_PORT_INFO) || !select_port(want->selection, p))
		return;
	fab_name(d, n, name);
	diag_text(d, "%2s %5d %2d 0x%016" PRIx64 " %s %s", short_type(n), fab_lid(f, p), p->num,
		p->guid, fab_width_word(l.width),
		fab_speed_word(&l));
	if (!peer) {
		diag_text(d, "%36s'%s'\n", "", name);
		return;
	}
	to = fab_node_of(f, peer);
	diag_text(d, " - %2s %5d %2d 0x%016" PRIx64 " ( '%s' - '%s' )\n", short_type(to),
		fab_lid(f, peer), peer->num, peer->guid, name,
		fab_name(d, to, peer_name));
}

/* Prints the discovered nodes in the order of discovery. */
static void
put_progress(struct diag *d, const struct diag_fabric *f)
{
	static const char *const kinds[] = { "?", "Channel Adapter", "Switch", "Router" };
	char label[DIAG_LABEL_BYTES], name[DIAG_NAME_BYTES];

	for (uint32_t i = f->s->nnodes; i-- > 0;) {
		const struct fab_node *n = &f->s->nodes[f->order[i]];
		const struct fab_port *p = fab_port_of(f, n, fab_is_switch(n) ? 0 : n->entry_port);
		struct diag_addr a;

		if (n->hop_count == FAB_NO_PATH)
			continue;
		a = diag_addr_path(n->path, n->hop_count);
		a.dr_slid = a.dr_dlid = 0;
		diag_text(d, "%s -> new %s {%016" PRIx64 "} portnum %d lid %d-%d \"%s\"\n",
			diag_label(&a, label), kinds[n->type], n->guid, p->num,
			fab_lid(f, p), fab_lid(f, p) + (1 << fab_lmc(f, p)) - 1,
			fab_name(d, n, name));
	}
}

/* ---- files and documents ---- */

static void
make_document(struct diag *d, const struct diag_fabric *f)
{
	struct ibnetdiscover *want = diag_state(d);

	if (diag_is_text(d))
		return;
	fab_summary(d, f);
	json_object_set_new(diag_summary(d), "max_hops", json_integer(f->max_hops));
	for (uint32_t i = 0; i < f->s->nnodes; i++)
		if ((!want->list || want->list & LIST(f->s->nodes[i].type)) &&
		    select_node(want->selection, &f->s->nodes[i]))
			diag_row(d, "nodes", fab_json_node(d, f, &f->s->nodes[i]));
	for (uint32_t i = 0; i < f->s->nports && !want->list; i++)
		if (f->s->ports[i].num && f->s->ports[i].flags & FAB_PORT_INFO &&
		    select_port(want->selection, &f->s->ports[i]))
			diag_row(d, "ports", fab_json_port(d, f, &f->s->ports[i]));
	if (!want->list && !want->ports && !want->diff && !want->selection &&
	    diag_settings(d)->format == DIAG_JSON)
		fab_json_snapshot(d, f);
}

static void
put_topology(struct diag *d, FILE *out, const struct diag_fabric *f, const struct diag_fabric *then)
{
	struct ibnetdiscover *want = diag_state(d);
	struct chassis_map chassis = { 0 };
	struct topo_out o = { .d = d, .f = out, .full = want->full, .selection = want->selection };

	if (want->group) {
		chassis_find(f, &chassis);
		o.chassis = &chassis;
	}
	if (then)
		topo_diff(&o, then, f, want->checks);
	else if (diag_is_text(d) || out != stdout)
		topo_print(&o, f, want->hops);
	chassis_clear(&chassis);
}

static int
fabric_show(struct diag *d, FILE *out, const struct diag_fabric *f, const struct diag_fabric *then)
{
	struct ibnetdiscover *want = diag_state(d);

	if (want->show)
		put_progress(d, f);
	if (want->ports) {
		for (uint32_t i = 0; i < f->s->nnodes; i++)
			for (unsigned p = f->s->nodes[f->order[i]].nports; p > 0; p--)
				put_port(d, f, fab_port_of(f, &f->s->nodes[f->order[i]], p));
	} else if (want->list) {
		if (diag_is_text(d) || out != stdout)
			put_list(d, out, f);
	} else {
		put_topology(d, out, f, then);
	}
	make_document(d, f);
	if (want->cache && diag_fabric_save(d, f, want->cache))
		return EXIT_USAGE;
	return want->capture ? diag_capture(d, f, want->with, want->capture) : 0;
}

static int
ibnetdiscover_run(struct diag *d, int argc, char **argv)
{
	struct ibnetdiscover *want = diag_state(d);
	struct diag_fabric f = { 0 }, then = { 0 };
	FILE *out = stdout;
	int r = 0;

	if (argc > 0 && !(out = fopen(argv[0], "w")))
		return diag_fail(d, EXIT_USAGE, "io", "can't open file %s for writing: %s", argv[0],
			strerror(errno));
	if (want->diff)
		r = diag_fabric_load(d, want->diff, &then);
	if (!r)
		r = want->load_cache ? diag_fabric_load(d, want->load_cache, &f) :
			diag_fabric(d, want->capture ? DIAG_WANT_LFT : 0, &f);
	if (!r)
		r = diag_selection(d, &f, &want->selection);
	if (!r)
		r = fabric_show(d, out, &f, want->diff ? &then : NULL);
	select_free(want->selection);
	diag_fabric_clear(&f);
	diag_fabric_clear(&then);
	if (out != stdout && fclose(out))
		r = diag_fail(d, EXIT_FATAL, "io", "cannot write %s: %s", argv[0], strerror(errno));
	return r;
}

static const struct diag_option options[] = {
	{ 'f', "full", NULL, "show full information (ports' speed and width, vlcap)" },
	{ 's', "show", NULL, "show more information" },
	{ 'l', "list", NULL, "list of connected nodes" },
	{ 'g', "grouping", NULL, "show grouping" },
	{ 'H', "Hca_list", NULL, "list of connected CAs" },
	{ 'S', "Switch_list", NULL, "list of connected switches" },
	{ 'R', "Router_list", NULL, "list of connected routers" },
	{ OPT_CACHE, "cache", "<file>", "filename to cache ibnetdiscover data to" },
	{ OPT_LOAD_CACHE, "load-cache", "<file>", "filename of ibnetdiscover cache to load" },
	{ OPT_DIFF, "diff", "<file>", "filename of ibnetdiscover cache to diff" },
	{ OPT_DIFFCHECK, "diffcheck", "<key(s)>", "specify checks to execute for --diff" },
	{ OPT_CAPTURE, "capture", "<file>",
		"also read tables and counters, and save all for --load" },
	{ OPT_WITH, "with", "<word(s)>",
		"what --capture saves: lft,mft,pkeys,guids,sm,pma,vendor,qos or all; default all "
		"except qos" },
	{ 'p', "ports", NULL, "obtain a ports report" },
	{ 'm', "max_hops", NULL, "report max hops discovered by the library" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibnetdiscover", .operands = "[topology-file]",
	.about = "discovers the fabric and prints it as a topology file, lists, or a table of "
	"ports",
	.masked = "DGKLs", .options = options, .flags = DIAG_FABRIC, .rows = "ports",
	.option = option, .run = ibnetdiscover_run,
	.state_bytes = sizeof(struct ibnetdiscover), .init = state_init,
};
