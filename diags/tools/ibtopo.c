/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtopo.c - checks a fabric against a plan, compares it with another one, and draws it.
 * Room: diags/tools. diags/topo has the comparison and the drawing.
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
#include "diags/fabric/suppress.h"
#include "diags/topo/draw.h"
#include "diags/topo/load.h"
#include "diags/topo/narrow.h"
#include "diags/topo/report.h"

enum {
	OPT_GOLDEN = DIAG_LONG, OPT_IGNORE, OPT_CHECK, OPT_BY_NAME, OPT_FORMAT, OPT_COLOR,
	OPT_OUTPUT, OPT_TITLE, OPT_INTERVAL,
};

#define INTERVAL_MAX_S 3600

struct ibtopo {
	const char *golden, *ignore, *output, *title;
	unsigned aspects;
	bool by_name, dot;
	enum draw_color color;
	int64_t interval_us;
};

static void
state_init(void *state)
{
	*(struct ibtopo *)state = (struct ibtopo){ .aspects = TOPO_ASPECTS_ALL,
		.interval_us = 2000000 };
}

/* Returns the index of 'word' in 'words' (terminated by NULL), or -1 after reporting a failure. */
static int
word_choice(struct diag *d, const char *option, const char *word, const char *const *words)
{
	char all[80] = "";
	size_t n = 0;

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], word))
			return i;
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", i ? ", " : "", words[i]);
	}
	diag_fail(d, EXIT_USAGE, "usage", "--%s \"%s\": one of %s is needed", option, word, all);
	return -1;
}

static int
set_aspects(struct diag *d, const char *value)
{
	struct ibtopo *want = diag_state(d);
	static const char *const words[] = { "cables", "widths", "speeds", "names", NULL };
	char word[16];
	size_t n;
	int i;

	want->aspects = 0;
	for (; *value; value += n + (value[n] == ',')) {
		n = strcspn(value, ",");
		snprintf(word, sizeof(word), "%.*s", (int)(n < 15 ? n : 15), value);
		i = word_choice(d, "check", word, words);
		if (i < 0)
			return EXIT_USAGE;
		want->aspects |= 1u << i;
	}
	return 0;
}

static int
set_interval(struct diag *d, const char *value)
{
	struct ibtopo *want = diag_state(d);
	char *end;
	double s = strtod(value, &end);

	if (end == value || *end || !(s >= 0.1) || s > INTERVAL_MAX_S)
		return diag_fail(d, EXIT_USAGE, "usage", "--interval needs seconds, 0.1 to %d",
			INTERVAL_MAX_S);
	want->interval_us = (int64_t)(s * 1e6);
	return 0;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibtopo *want = diag_state(d);
	static const char *const formats[] = { "svg", "dot", NULL }, *const colors[] = { "state",
		"speed", "load", NULL };
	int i;

	switch (id) {
	case OPT_GOLDEN: want->golden = value; return 0;
	case OPT_IGNORE: want->ignore = value; return 0;
	case OPT_CHECK: return set_aspects(d, value);
	case OPT_BY_NAME: want->by_name = true; return 0;
	case OPT_OUTPUT: want->output = value; return 0;
	case OPT_TITLE: want->title = value; return 0;
	case OPT_INTERVAL: return set_interval(d, value);
	case OPT_FORMAT:
		i = word_choice(d, "format", value, formats);
		want->dot = i == 1;
		return i < 0 ? EXIT_USAGE : 0;
	case OPT_COLOR:
		i = word_choice(d, "color", value, colors);
		want->color = i < 0 ? DRAW_STATE : (enum draw_color)i;
		return i < 0 ? EXIT_USAGE : 0;
	}
	return -ENOENT;
}

/* ---- verify, diff ---- */

/* Rejects "route" in a selection: the fabric to compare with has no forwarding tables, and may lack
 * an end of the route. */
static int
refuse_routes(struct diag *d)
{
	const char *text = diag_settings(d)->select;

	if (!text || !select_has(text, "route"))
		return 0;
	return diag_fail(d, EXIT_USAGE, "usage",
		"cannot select '%s': a plan has no forwarding tables, and so no routes", text);
}

static int
compare(struct diag *d, const struct diag_fabric *was, const struct diag_fabric *is, bool plan,
	const char *was_name, const char *is_name)
{
	struct ibtopo *want = diag_state(d);
	struct selection *was_only = NULL, *is_only = NULL;
	struct suppress *s = NULL;
	struct topo_comparison c;
	int r = want->ignore ? suppress_read(d, want->ignore, &s) : 0;

	if (!r)
		r = diag_selection(d, was, &was_only);
	if (!r)
		r = diag_selection(d, is, &is_only);
	if (!r) {
		struct topo_report t = { .d = d, .was = was, .is = is, .suppress = s,
			.was_only = was_only, .is_only = is_only, .plan = plan };

		topo_compare(was, is, want->aspects, want->by_name, &c);
		topo_report_show(&t, &c, was_name, is_name);
		topo_comparison_clear(&c);
	}
	select_free(was_only);
	select_free(is_only);
	suppress_free(s);
	return r;
}

static int
verify(struct diag *d, int argc, char **argv)
{
	struct ibtopo *want = diag_state(d);
	struct diag_fabric golden = { 0 }, now = { 0 };
	int r;

	(void)argv;
	if (argc || !want->golden)
		return diag_usage(d, argc ? "verify takes no operands" :
			"verify needs --golden FILE");
	r = refuse_routes(d);
	if (!r)
		r = diag_fabric_load(d, want->golden, &golden);
	if (!r)
		r = diag_fabric(d, 0, &now);
	if (!r)
		r = compare(d, &golden, &now, true, want->golden,
			diag_settings(d)->load ? diag_settings(d)->load : "found");
	diag_fabric_clear(&golden);
	diag_fabric_clear(&now);
	return r;
}

static int
golden_diff(struct diag *d, int argc, char **argv)
{
	struct diag_fabric a = { 0 }, b = { 0 };
	int r;

	if (argc < 1 || argc > 2)
		return diag_usage(d,
			"diff takes two files, or one, which is compared with the fabric");
	r = refuse_routes(d);
	if (!r)
		r = diag_fabric_load(d, argv[0], &a);
	if (!r)
		r = argc == 2 ? diag_fabric_load(d, argv[1], &b) : diag_fabric(d, 0, &b);
	if (!r)
		r = compare(d, &a, &b, false, argv[0], argc == 2 ? argv[1] : "now");
	diag_fabric_clear(&a);
	diag_fabric_clear(&b);
	return r;
}

/* ---- draw ---- */

static void
put_switches(struct diag *d, const struct draw *w)
{
	char name[DIAG_NAME_BYTES];

	for (uint32_t sw = 0; sw < w->p.levels.g.nsw; sw++) {
		const struct fab_node *n = &w->f->s->nodes[w->f->s->switches[sw]];
		json_t *o = json_object();

		fab_name(d, n, name);
		json_object_set_new(o, "node_guid", diag_json_guid(n->guid));
		attr_json_set_text(o, "name", (const uint8_t *)name, strlen(name));
		json_object_set_new(o, "level", json_integer(w->p.levels.of[sw]));
		json_object_set_new(o, "hosts",
			json_integer(w->p.levels.g.host_first[sw + 1] - w->p.levels.g.host_first[sw]));
		json_object_set_new(o, "x", json_real(w->p.layout.sw[sw].x));
		json_object_set_new(o, "y", json_real(w->p.layout.sw[sw].y));
		diag_row(d, "switches", o);
	}
}

static void
put_links(struct diag *d, const struct draw *w)
{
	for (uint32_t i = 0; i < w->f->s->nports; i++) {
		const struct fab_port *p = &w->f->s->ports[i];
		const struct picture_look *k = &w->p.look[w->p.of[i]];
		double load = -1;
		json_t *o;

		if (p->peer == FAB_NONE || i > p->peer)
			continue;
		if (w->load)
			load = w->load[i] > w->load[p->peer] ? w->load[i] : w->load[p->peer];
		o = json_object();
		json_object_set_new(o, "local", fab_json_end(d, w->f, p));
		json_object_set_new(o, "peer", fab_json_end(d, w->f, fab_peer_of(w->f, p)));
		json_object_set_new(o, "look", json_string(k->word));
		json_object_set_new(o, "color", json_string(k->color));
		json_object_set_new(o, "load", load < 0 ? json_null() : json_real(load));
		diag_row(d, "cables", o);
	}
}

static int
put_picture(struct diag *d, const struct draw *w)
{
	struct ibtopo *want = diag_state(d);
	FILE *out = stdout;

	if (!diag_is_text(d)) {
		put_switches(d, w);
		put_links(d, w);
		fab_summary(d, w->f);
		if (!want->output)
			return EXIT_OK;
	}
	if (want->output && !(out = fopen(want->output, "w")))
		return diag_fail(d, EXIT_USAGE, "io", "cannot write %s: %s", want->output,
			strerror(errno));
	if (want->dot)
		picture_dot(&w->p, out);
	else
		picture_svg(&w->p, out);
	if (out != stdout ? fclose(out) : fflush(out))
		return diag_fail(d, EXIT_FATAL, "io", "cannot write %s: %s",
			want->output ? want->output : "the picture", strerror(errno));
	return EXIT_OK;
}

static int
fabric_draw(struct diag *d, int argc, char **argv)
{
	struct ibtopo *want = diag_state(d);
	struct diag_fabric golden = { 0 }, now = { 0 };
	struct draw w = { .d = d, .f = &now, .color = want->color };
	double *load = NULL;
	int r = 0;

	(void)argv;
	if (argc)
		return diag_usage(d, "draw takes no operands; --output names a file");
	if (want->color == DRAW_LOAD && diag_settings(d)->load)
		return diag_fail(d, EXIT_USAGE, "usage",
			"a file does not tell how busy links are: --color load needs the fabric");
	if (want->golden)
		r = refuse_routes(d);
	if (!r && want->golden)
		r = diag_fabric_load(d, want->golden, &golden);
	if (!r)
		r = diag_fabric(d, 0, &now);
	if (!r)
		r = topo_narrow(d, &now, want->golden ? &golden : NULL);
	if (!r) {
		if (want->color == DRAW_LOAD)
			w.load = load = link_loads(d, &now, want->interval_us);
		w.golden = want->golden ? &golden : NULL;
		if (want->title)
			snprintf(w.p.title, sizeof(w.p.title), "%s", want->title);
		draw_begin(&w);
		r = put_picture(d, &w);
		draw_clear(&w);
	}
	free(load);
	diag_fabric_clear(&golden);
	diag_fabric_clear(&now);
	return r;
}

static int
ibtopo_run(struct diag *d, int argc, char **argv)
{
	static const struct { const char *name; int (*run)(struct diag *d, int argc, char **argv);
		} commands[] = {
		{ "verify", verify }, { "diff", golden_diff }, { "draw", fabric_draw },
	};

	for (size_t i = 0; argc && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].run(d, argc - 1, argv + 1);
	if (argc)
		return diag_usage(d, "there is no command \"%s\"; verify, diff and draw are",
			argv[0]);
	return diag_usage(d, "a command is needed: verify, diff or draw");
}

static const struct diag_option options[] = {
	{ OPT_GOLDEN, "golden", "<file>", "expected fabric, in the format of ibnetdiscover" },
	{ OPT_IGNORE, "ignore", "<file>",
		"known differences to ignore: ids, codes, or codes with a pattern" },
	{ OPT_CHECK, "check", "<aspects>",
		"what to compare, of cables,widths,speeds,names (default all)" },
	{ OPT_BY_NAME, "by-name", NULL, "match nodes by name, not by GUID" },
	{ OPT_FORMAT, "format", "<svg|dot>", "format of the drawing (default svg)" },
	{ OPT_COLOR, "color", "<state|speed|load>",
		"what the colours of links show (default state)" },
	{ OPT_OUTPUT, "output", "<file>", "file for the drawing (default stdout)" },
	{ OPT_TITLE, "title", "<text>", "title of the drawing" },
	{ OPT_INTERVAL, "interval", "<seconds>", "time over which load is measured (default 2)" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"verify --golden plan.topo\t\t# every cable where it should be?",
	"diff monday.topo tuesday.topo",
	"draw --color speed --output fabric.svg",
	"draw --format dot | dot -Tpdf -o fabric.pdf",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibtopo", .operands = "verify | diff <file> [<file>] | draw",
	.about = "compares a fabric with a plan or another one, and draws it", .examples = examples,
	.masked = "DGKLs", .options = options,
	.flags = DIAG_FABRIC, .rows = "differences", .option = option, .run = ibtopo_run,
	.state_bytes = sizeof(struct ibtopo), .init = state_init,
};
