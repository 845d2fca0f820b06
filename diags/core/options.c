/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options.c - joins the option tables of tool and core, and parses the command line.
 * Room: diags/core.
 *
 * Letters, long names and texts are those of infiniband-diags; what we add stands behind them.
 * Options may follow operands.
 */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/context.h"
#include "diags/core/json.h"
#include "diags/core/options.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "util/xalloc.h"

static const struct diag_option common[] = {
	{ 'z', "config", "<config>", "use config file, default: " OPTIONS_CONFIG },
	{ 'C', "Ca", "<ca>", "Ca name to use" },
	{ 'P', "Port", "<port>", "Ca port number to use" },
	{ 'D', "Direct", NULL, "use Direct address argument" },
	{ 'L', "Lid", NULL, "use LID address argument" },
	{ 'G', "Guid", NULL, "use GUID address argument" },
	{ 't', "timeout", "<ms>", "timeout in ms" },
	{ 's', "sm_port", "<lid>", "SM port lid" },
	{ 'K', "show_keys", NULL, "display security keys in output" },
	{ 'y', "m_key", "<key>",
		"M_Key to use in request; auto: get it from heddled on this host" },
	{ 'e', "errors", NULL, "show send and receive errors" },
	{ 'v', "verbose", NULL, "increase verbosity level" },
	{ 'd', "debug", NULL, "show each datagram sent and received, on stderr" },
	{ 'h', "help", NULL, "help message" },
	{ 'V', "version", NULL, "show version" },
	{ 0, NULL, NULL, NULL },
};
/* Options that infiniband-diags does not have. */
static const struct diag_option ours[] = {
	{ 'Y', "pkey-idx", "<idx>", "P_Key table index for outgoing SA/GMP MADs (default 0)" },
	{ 'j', "json", "[=pretty|compact|lines]", "print one JSON document" },
	{ OPT_NDJSON, "ndjson", NULL, "print JSON, one object per line" },
	{ OPT_CSV, "csv", NULL, "print the main table as CSV" },
	{ OPT_U64, "json-u64", "<string|integer>",
		"type of JSON numbers above 53 bits (default integer)" },
	{ OPT_COMPAT, "compat-stdout-errors", NULL,
		"print fatal errors on stdout, as infiniband-diags does" },
	{ 0, NULL, NULL, NULL },
};
static const struct diag_option names_rows[] = {
	{ OPT_NAMES, "node-name-map", "<file>", "node name map file" },
	{ 0, NULL, NULL, NULL },
};
static const struct diag_option fabric_rows[] = {
	{ 'o', "outstanding_smps", "<val>",
		"specify the number of outstanding SMP's which should be issued during the scan" },
	{ OPT_LOAD, "load", "<file>",
		"read the fabric from a saved topology or capture instead of sweeping it" },
	{ OPT_LIVE, "live", NULL, "sweep the fabric even if heddled on this host has swept it" },
	{ OPT_SELECT, "select", "<expression>",
		"show only the selected ports, for example 'type:sw and state:down'" },
	{ 0, NULL, NULL, NULL },
};

static const struct diag_option replay_rows[] = {
	{ OPT_LOAD, "load", "<file>",
		"read a capture (ibnetdiscover --capture) instead of the fabric" },
	{ 0, NULL, NULL, NULL },
};

static bool
has_name(const struct option_rows *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->row[i]->name, name))
			return true;
	return false;
}

static void
add_rows(struct option_rows *r, const struct diag_option *o, const char *masked)
{
	for (; o && o->name; o++) {
		if (masked && o->id < DIAG_LONG && strchr(masked, o->id))
			continue;
		if (has_name(r, o->name))
			continue;               /* the tool has its own */
		if (r->n == OPTIONS_MAX)
			bug("diags: %s has more than %d options", o->name, OPTIONS_MAX);
		r->row[r->n++] = o;
	}
}

struct option_rows
diag_options_join(const struct diag_tool *t)
{
	struct option_rows r = { .n = 0 };

	add_rows(&r, t->options, NULL);
	if (t->flags & (DIAG_FABRIC | DIAG_NAMES))
		add_rows(&r, names_rows, NULL);
	if (t->flags & DIAG_FABRIC)
		add_rows(&r, fabric_rows, t->masked);
	if (t->flags & DIAG_REPLAY)
		add_rows(&r, replay_rows, t->masked);
	add_rows(&r, common, t->masked);
	add_rows(&r, ours, t->flags & DIAG_NO_PORT ? "Y" : t->masked);
	return r;
}

bool
diag_option_is_optional(const struct diag_option *o)
{
	return o->arg && o->arg[0] == '[';
}

bool
diag_option_is_tools(const struct diag_tool *t, const struct diag_option *row)
{
	for (const struct diag_option *o = t->options; o && o->name; o++)
		if (o == row)
			return true;
	return false;
}

static void
make_getopt(const struct option_rows *r, char *letters, struct option *longs)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct diag_option *o = r->row[i];

		longs[i] = (struct option){ o->name,
			!o->arg ? no_argument : diag_option_is_optional(o) ? optional_argument :
			required_argument, NULL, o->id };
		if (o->id >= DIAG_LONG)
			continue;
		*letters++ = (char)o->id;
		/* "-j" has no argument, so that other letters can follow it; "--json" may
		 * have one. */
		if (o->arg && !diag_option_is_optional(o))
			*letters++ = ':';
	}
	*letters = '\0';
	longs[r->n] = (struct option){ NULL, 0, NULL, 0 };
}

/* Records an option for the document, by its long name. */
static void
option_note(struct diag *d, const struct diag_option *row, const char *value)
{
	if (strstr(row->name, "key") && strcmp(row->name, "pkey") && strcmp(row->name, "pkey-idx"))
		value = value ? "hidden" : NULL;
	json_object_set_new(d->options, row->name, value ? diag_json_text(value) : json_true());
}

static int
option_take(struct diag *d, const struct diag_option *row, const char *value)
{
	int r = -ENOENT;

	option_note(d, row, value);
	if (diag_option_is_tools(d->tool, row))
		r = d->tool->option ? d->tool->option(d, row->id, value) : -ENOENT;
	if (r == -ENOENT)
		r = diag_options_take(d, row->id, value);
	return r == -ENOENT ? diag_usage(d, "--%s is not known", row->name) : r;
}

static const struct diag_option *
row_of(const struct option_rows *r, int id, int index)
{
	if (index >= 0)
		return r->row[index];
	for (size_t i = 0; i < r->n; i++)
		if (r->row[i]->id == id)
			return r->row[i];
	return NULL;
}

int
diag_options_parse(struct diag *d, int argc, char **argv, int *operand)
{
	struct option_rows r = diag_options_join(d->tool);
	struct option longs[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 1];
	const struct diag_option *row;
	int ch, index = -1, status = diag_config_read(d, OPTIONS_CONFIG, false);

	make_getopt(&r, letters, longs);
	optind = 0;
	opterr = 1;
	while (!status && (ch = getopt_long(argc, argv, letters, longs, &index)) != -1) {
		row = ch == '?' ? NULL : row_of(&r, ch, index);
		status = row ? option_take(d, row, optarg) :
			diag_usage(d, "the command line is not understood");
		index = -1;
	}
	*operand = optind;
	return status;
}

/* The document is printed even if the command line is wrong, so the format is determined first,
 * without messages. */
void
diag_options_guess_format(struct diag *d, int argc, char **argv)
{
	struct option_rows r = diag_options_join(d->tool);
	struct option longs[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 1];
	char **copy = xmemdup(argv, ((size_t)argc + 1) * sizeof(*argv));
	int ch;

	make_getopt(&r, letters, longs);
	optind = 0;
	opterr = 0;
	while ((ch = getopt_long(argc, copy, letters, longs, NULL)) != -1)
		if (ch == 'j')
			d->set.format = optarg && !strcmp(optarg, "lines") ? DIAG_LINES : DIAG_JSON;
		else if (ch == OPT_NDJSON)
			d->set.format = DIAG_LINES;
	free(copy);
}
