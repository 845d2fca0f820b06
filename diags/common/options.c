/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options.c - the tool's table of options joined with the common one: parser, --help, and a dump for the manual.
 * Room: diags.
 *
 * Letters, long names and texts are those of infiniband-diags; what we add stands behind them.  Options may follow operands.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diags/common/diag_int.h"
#include "util/xalloc.h"

#define ROWS_MAX 80
#define CONFIG_FILE "/etc/infiniband-diags/ibdiag.conf"

enum {
	OPT_NAMES = DIAG_LONG + 900, OPT_CSV, OPT_NDJSON, OPT_LOAD, OPT_LIVE, OPT_SELECT, OPT_U64, OPT_COMPAT,
};

static const struct diag_option common[] = {
	{ 'z', "config", "<config>", "use config file, default: " CONFIG_FILE },
	{ 'C', "Ca", "<ca>", "Ca name to use" },
	{ 'P', "Port", "<port>", "Ca port number to use" },
	{ 'D', "Direct", NULL, "use Direct address argument" },
	{ 'L', "Lid", NULL, "use LID address argument" },
	{ 'G', "Guid", NULL, "use GUID address argument" },
	{ 't', "timeout", "<ms>", "timeout in ms" },
	{ 's', "sm_port", "<lid>", "SM port lid" },
	{ 'K', "show_keys", NULL, "display security keys in output" },
	{ 'y', "m_key", "<key>", "M_Key to use in request; auto: that of the heddled of this host" },
	{ 'e', "errors", NULL, "show send and receive errors" },
	{ 'v', "verbose", NULL, "increase verbosity level" },
	{ 'd', "debug", NULL, "raise debug level" },
	{ 'h', "help", NULL, "help message" },
	{ 'V', "version", NULL, "show version" },
	{ 0, NULL, NULL, NULL },
};
/* What the tools of old did not have. */
static const struct diag_option ours[] = {
	{ 'Y', "pkey-idx", "<idx>", "P_Key table index for outgoing SA/GMP MADs (default 0)" },
	{ 'j', "json", "[=pretty|compact|lines]", "print one JSON document" },
	{ OPT_NDJSON, "ndjson", NULL, "print JSON, one object per line" },
	{ OPT_CSV, "csv", NULL, "print the main table as CSV" },
	{ OPT_U64, "json-u64", "<string|integer>", "JSON numbers above 53 bits as strings" },
	{ OPT_COMPAT, "compat-stdout-errors", NULL, "print fatal errors on stdout, as infiniband-diags does" },
	{ 0, NULL, NULL, NULL },
};
static const struct diag_option names_rows[] = {
	{ OPT_NAMES, "node-name-map", "<file>", "node name map file" },
	{ 0, NULL, NULL, NULL },
};
static const struct diag_option fabric_rows[] = {
	{ 'o', "outstanding_smps", "<val>", "specify the number of outstanding SMP's which should be issued during the scan" },
	{ OPT_LOAD, "load", "<file>", "read the fabric from a saved topology or capture instead of sweeping it" },
	{ OPT_LIVE, "live", NULL, "sweep the fabric even where a running heddled knows it" },
	{ OPT_SELECT, "select", "<expression>", "only what the expression selects, like 'type:sw and state:down'" },
	{ 0, NULL, NULL, NULL },
};

static const struct diag_option replay_rows[] = {
	{ OPT_LOAD, "load", "<file>", "ask a capture (ibnetdiscover --capture) instead of the fabric" },
	{ 0, NULL, NULL, NULL },
};

struct rows {
	const struct diag_option *row[ROWS_MAX];
	size_t n;
};

static bool
has_name(const struct rows *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->row[i]->name, name))
			return true;
	return false;
}

static void
add_rows(struct rows *r, const struct diag_option *o, const char *masked)
{
	for (; o && o->name; o++) {
		if (masked && o->id < DIAG_LONG && strchr(masked, o->id))
			continue;
		if (has_name(r, o->name))
			continue;               /* the tool has one of its own */
		if (r->n == ROWS_MAX)
			bug("diags: %s has more than %d options", o->name, ROWS_MAX);
		r->row[r->n++] = o;
	}
}

static struct rows
join(const struct diag_tool *t)
{
	struct rows r = { .n = 0 };

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

static bool
optional(const struct diag_option *o)
{
	return o->arg && o->arg[0] == '[';
}

/* ---- --help ---- */

/* 'text' behind column 'at', broken at blanks before column 74. */
static void
put_wrapped(FILE *f, int at, const char *text)
{
	int room = 74 - at;

	for (;;) {
		size_t n = strlen(text), cut;

		if (room < 1 || n <= (size_t)room) {
			fputs(text, f);
			return;
		}
		for (cut = (size_t)room; cut > 0 && text[cut] != ' '; cut--)
			;
		if (!cut) {
			fputs(text, f);
			return;
		}
		fprintf(f, "%.*s \n%*s", (int)cut, text, at, "");
		for (text += cut; *text == ' '; text++)
			;
	}
}

static void
put_option(FILE *f, const struct diag_option *o)
{
	int n = fprintf(f, "  --%s", o->name);

	if (o->id < DIAG_LONG && isprint(o->id))
		n += fprintf(f, ", -%c", o->id);
	if (o->arg)
		n += fprintf(f, "%s%s", optional(o) ? "" : " ", o->arg);
	n += fprintf(f, "%*s  ", 24 - n > 0 ? 24 - n : 0, "");
	put_wrapped(f, n, o->help);
	putc('\n', f);
}

void
options_usage(struct diag *d, FILE *f)
{
	struct rows r = join(d->tool);

	fprintf(f, "\nUsage: %s [options] %s\n", d->program, d->tool->operands ? d->tool->operands : "");
	if (d->tool->ops) {
		fputs("\nSupported ops (and aliases, case insensitive):\n", f);
		for (const struct diag_op *o = d->tool->ops; o->name; o++)
			fprintf(f, "  %s (%s) %s\n", o->name, o->alias ? o->alias : "", o->operands);
		putc('\n', f);
	}
	fputs("\nOptions:\n", f);
	for (size_t i = 0; i < r.n; i++)
		put_option(f, r.row[i]);
	if (d->tool->examples) {
		fputs("\nExamples:\n", f);
		for (const char *const *e = d->tool->examples; *e; e++)
			fprintf(f, "  %s %s\n", d->program, *e);
	}
	putc('\n', f);
}

static bool
is_tools(const struct diag_tool *t, const struct diag_option *row)
{
	for (const struct diag_option *o = t->options; o && o->name; o++)
		if (o == row)
			return true;
	return false;
}

void
options_dump(const struct diag_tool *t, FILE *f)
{
	struct rows r = join(t);

	fprintf(f, "tool\t%s\t%s\t%s\n", t->name, t->operands ? t->operands : "", t->about);
	for (const struct diag_op *o = t->ops; o && o->name; o++)
		fprintf(f, "op\t%s\t%s\t%s\n", o->name, o->alias ? o->alias : "", o->operands);
	for (size_t i = 0; i < r.n; i++) {
		const struct diag_option *o = r.row[i];

		fprintf(f, "option\t");
		if (o->id < DIAG_LONG && isprint(o->id))
			putc(o->id, f);
		fprintf(f, "\t%s\t%s\t%s\t%s\n", o->name, o->arg ? o->arg : "", o->help, is_tools(t, o) ? "own" : "common");
	}
}

/* ---- taking them ---- */

static int
set_number(struct diag *d, const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *v)
{
	if (diag_number(text, max, v) && *v >= min)
		return 0;
	return diag_fail(d, EXIT_USAGE, "usage", "Invalid %s \"%s\": a number from %llu to %llu is needed", what, text,
		(unsigned long long)min, (unsigned long long)max);
}

static int
set_mkey(struct diag *d, const char *text)
{
	char *typed;

	if (!strncmp(text, "auto", 4) && (!text[4] || text[4] == ':'))
		return mkey_auto(d, text[4] ? text + 5 : NULL, true);
	if (diag_number(text, UINT64_MAX, &d->set.mkey))
		return 0;
	typed = getpass("M_Key: ");
	if (!typed || !diag_number(typed, UINT64_MAX, &d->set.mkey))
		return diag_fail(d, EXIT_USAGE, "usage", "Bad M_Key");
	return 0;
}

static int
set_json(struct diag *d, const char *how)
{
	d->set.format = DIAG_JSON;
	if (!how)
		return 0;
	if (!strcmp(how, "lines"))
		d->set.format = DIAG_LINES;
	else if (!strcmp(how, "pretty") || !strcmp(how, "compact"))
		d->set.pretty = how[0] == 'p';
	else
		return diag_usage(d, "--json=%s: pretty, compact or lines is needed", how);
	return 0;
}

static void
set_text(char **to, const char *text)
{
	free(*to);
	*to = xstrdup(text);
}

/* Options of the new suite alone; -ENOENT: it is none. */
static int
take_ours(struct diag *d, int id, const char *value)
{
	switch (id) {
	case 'j':
		return set_json(d, value);
	case OPT_NDJSON:
		d->set.format = DIAG_LINES;
		return 0;
	case OPT_CSV:
		d->set.format = DIAG_CSV;
		return d->tool->rows ? 0 : diag_usage(d, "--csv: %s has no table", d->tool->name);
	case OPT_U64:
		d->set.u64_strings = !strcmp(value, "string");
		return d->set.u64_strings || !strcmp(value, "integer") ? 0 : diag_usage(d, "--json-u64=%s: string or integer is needed", value);
	case OPT_COMPAT:
		d->set.errors_on_stdout = true;
		return 0;
	case OPT_NAMES:
		set_text(&d->set.names_file, value);
		return 0;
	case OPT_LOAD:
		set_text(&d->set.load, value);
		return 0;
	case OPT_LIVE:
		d->set.live = true;
		return 0;
	case OPT_SELECT:
		set_text(&d->set.select, value);
		return 0;
	}
	return -ENOENT;
}

static int
take_common(struct diag *d, int id, const char *value)
{
	uint64_t v = 0;
	int r = 0;

	switch (id) {
	case 'z':
		return config_read(d, value, true);
	case 'h':
		options_usage(d, stderr);
		return EXIT_USAGE;
	case 'V':
		fprintf(stderr, "%s BUILD VERSION: %s\n", d->program, PACKAGE_VERSION);
		return DIAG_STOP;
	case 'e':
		d->set.errors = true;
		return 0;
	case 'v':
		d->set.verbose++;
		return 0;
	case 'd':
		d->set.debug++;
		d->set.errors = true;
		return 0;
	case 'C':
		set_text(&d->set.ca, value);
		return 0;
	case 'P':
		r = set_number(d, "port", value, 0, 254, &v);
		d->set.port = v ? (int)v : -1;
		return r;
	case 'D':
		d->set.addressing = DIAG_BY_PATH;
		return 0;
	case 'L':
		d->set.addressing = DIAG_BY_LID;
		return 0;
	case 'G':
		d->set.addressing = DIAG_BY_GUID;
		return 0;
	case 't':
		r = set_number(d, "timeout", value, 1, INT_MAX, &v);
		d->set.timeout_ms = (int)v;
		return r;
	case 's':
		r = set_number(d, "SM LID", value, 1, LID_UCAST_MAX, &v);
		d->set.sm_lid = (uint16_t)v;
		return r;
	case 'o':
		r = set_number(d, "number of outstanding SMPs", value, 1, 16384, &v);
		d->set.outstanding = (unsigned)v;
		return r;
	case 'K':
		d->set.show_keys = true;
		return 0;
	case 'y':
		return set_mkey(d, value);
	case 'Y':
		r = set_number(d, "P_Key index", value, 0, UINT16_MAX, &v);
		d->set.pkey_index = (uint16_t)v;
		return r;
	}
	return take_ours(d, id, value);
}

static void
make_getopt(const struct rows *r, char *letters, struct option *longs)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct diag_option *o = r->row[i];

		longs[i] = (struct option){ o->name, !o->arg ? no_argument : optional(o) ? optional_argument : required_argument, NULL, o->id };
		if (o->id >= DIAG_LONG)
			continue;
		*letters++ = (char)o->id;
		/* "-j" takes nothing, so that letters may follow it; "--json" may. */
		if (o->arg && !optional(o))
			*letters++ = ':';
	}
	*letters = '\0';
	longs[r->n] = (struct option){ NULL, 0, NULL, 0 };
}

/* What options were given, for the document; keys by their long names. */
static void
note(struct diag *d, const struct diag_option *row, const char *value)
{
	if (strstr(row->name, "key") && strcmp(row->name, "pkey") && strcmp(row->name, "pkey-idx"))
		value = value ? "hidden" : NULL;
	json_object_set_new(d->options, row->name, value ? json_string_nocheck(value) : json_true());
}

static int
take(struct diag *d, const struct diag_option *row, const char *value)
{
	int r = -ENOENT;

	note(d, row, value);
	if (is_tools(d->tool, row))
		r = d->tool->option ? d->tool->option(d, row->id, value) : -ENOENT;
	if (r == -ENOENT)
		r = take_common(d, row->id, value);
	return r == -ENOENT ? diag_usage(d, "--%s is not known", row->name) : r;
}

static const struct diag_option *
row_of(const struct rows *r, int id, int index)
{
	if (index >= 0)
		return r->row[index];
	for (size_t i = 0; i < r->n; i++)
		if (r->row[i]->id == id)
			return r->row[i];
	return NULL;
}

int
options_parse(struct diag *d, int argc, char **argv, int *operand)
{
	struct rows r = join(d->tool);
	struct option longs[ROWS_MAX + 1];
	char letters[2 * ROWS_MAX + 1];
	const struct diag_option *row;
	int ch, index = -1, status = config_read(d, CONFIG_FILE, false);

	make_getopt(&r, letters, longs);
	optind = 0;
	opterr = 1;
	while (!status && (ch = getopt_long(argc, argv, letters, longs, &index)) != -1) {
		row = ch == '?' ? NULL : row_of(&r, ch, index);
		status = row ? take(d, row, optarg) : diag_usage(d, "the command line is not understood");
		index = -1;
	}
	*operand = optind;
	return status;
}

/* The document is owed also when the command line is wrong: so look for the format before all else, without a word. */
void
options_guess_format(struct diag *d, int argc, char **argv)
{
	struct rows r = join(d->tool);
	struct option longs[ROWS_MAX + 1];
	char letters[2 * ROWS_MAX + 1];
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
