/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options_take.c - the meaning of the common options.
 * Room: diags/core.
 */
#include <config.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diags/core/addr.h"
#include "diags/core/context.h"
#include "diags/core/options.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "util/xalloc.h"

static int
set_number(struct diag *d, const char *what, const char *text, uint64_t min, uint64_t max,
	uint64_t *v)
{
	if (diag_number(text, max, v) && *v >= min)
		return 0;
	return diag_fail(d, EXIT_USAGE, "usage",
		"Invalid %s \"%s\": a number from %llu to %llu is needed", what, text,
		(unsigned long long)min, (unsigned long long)max);
}

static int
set_mkey(struct diag *d, const char *text)
{
	char *typed;

	if (!strncmp(text, "auto", 4) && (!text[4] || text[4] == ':'))
		return d->asking->mkey_auto(d, text[4] ? text + 5 : NULL, true);
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

/* Handles options that infiniband-diags does not have; -ENOENT: it is another one. */
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
		return d->set.u64_strings || !strcmp(value, "integer") ? 0 :
			diag_usage(d, "--json-u64=%s: string or integer is needed", value);
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

int
diag_options_take(struct diag *d, int id, const char *value)
{
	uint64_t v = 0;
	int r = 0;

	switch (id) {
	case 'z':
		return diag_config_read(d, value, true);
	case 'h':
		diag_options_usage(d, stderr);
		return EXIT_USAGE;
	case 'V':
		fprintf(stderr, "%s BUILD VERSION: %s\n", d->program, PACKAGE_VERSION);
		return DIAG_STOP;
	case 'e':                       /* failures are reported in any case */
		return 0;
	case 'v':
		d->set.verbose++;
		return 0;
	case 'd':
		d->set.debug = true;
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
