/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmdline.c - the command line of heddled: the keys of options.def that have an option, and what
 * only a command line can set.
 * Room: conf.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "sm/conf/cmdline.h"
#include "sm/conf/text/say.h"
#include "sm/conf/table.h"
#include "util/xalloc.h"

/* Rows of a key have the id KEY_BASE + offset of its member. */
enum {
	O_FILE = 1, O_ONCE, O_REPORT, O_SET, O_VERBOSE, O_CHECK, O_DUMP,
	O_MAKE_SECRET, O_HELP, O_VERSION, KEY_BASE = 64,
};

#define ARG_UINT        "N"
#define ARG_HEX         "KEY"
#define ARG_GUID        "GUID"
#define ARG_BOOL        NULL
#define ARG_NAME        "NAME"
#define ARG_PATH        "PATH"
#define ARG_ENGINES     "LIST"
#define ARG_LEVEL       "LEVEL"
#define ARG_ENFORCE     "HOW"
#define ARG_INHERIT     "N"
#define ARG_SL2VL       "LIST"
#define ARG_VLARB       "LIST"
#define ARG_KEY         "KEY"
#define ARG_MKEY        "KEY"
#define ARG_GUIDS       "LIST"

#define HELP_UINT(help, def, unit)      help " (default " def unit ")"
#define HELP_HEX(help, def, unit)       help " (default " def ")"
#define HELP_GUID(help, def, unit)      help
#define HELP_BOOL(help, def, unit)      help
#define HELP_NAME(help, def, unit)      help
#define HELP_PATH(help, def, unit)      help
#define HELP_ENGINES(help, def, unit)   help " (default " def ")"
#define HELP_LEVEL(help, def, unit)     help " (default " def ")"
#define HELP_ENFORCE(help, def, unit)   help " (default " def ")"
#define HELP_INHERIT(help, def, unit)   help
#define HELP_SL2VL(help, def, unit)     help
#define HELP_VLARB(help, def, unit)     help
#define HELP_KEY(help, def, unit)       help
#define HELP_MKEY(help, def, unit)      help
#define HELP_GUIDS(help, def, unit)     help

static const struct optab_opt rows[] = {
	{ 0, 0, NULL, NULL, "Actions" },
	{ O_FILE, 'F', "config", "FILE",
		"Read FILE instead of " HEDDLE_SYSCONFDIR "/heddled.conf" },
	{ O_ONCE, 'o', "once", NULL,
		"Configure the subnet once and exit: 0 all ports are active and the routing "
		"is verified, 1 the verifier rejected the tables, 3 some node could not be "
		"configured" },
	{ O_REPORT, 0, "report", "FILE",
		"With --once: write a JSON report to FILE; - is standard output" },
	{ O_CHECK, 0, "check-config", NULL,
		"Check configuration files and command line without opening a device, and "
		"exit: 0 or 2" },
	{ O_DUMP, 0, "dump-config", NULL,
		"Print the effective configuration as a configuration file and exit" },
	{ O_MAKE_SECRET, 0, "make-secret", NULL,
		"Create the secret file unless it exists, and exit" },
	{ O_SET, 0, "set", "KEY=VALUE", "Set any key of the configuration file" },
	{ O_VERBOSE, 'v', "verbose", NULL, "Raise the log level by one; may be repeated" },
	{ O_HELP, 'h', "help", NULL, "Print this text and exit" },
	{ O_VERSION, 0, "version", NULL, "Print the version and exit" },
#define H(text) { 0, 0, NULL, NULL, text },
#define U(key)
#define N(key, why)
#define O(member, key, type, def, min, max, letter, longname, reload, unit, help) \
	{ KEY_BASE + (int)offsetof(struct conf, member), letter, longname, ARG_##type, \
	  HELP_##type(help, def, unit) },
#include "sm/conf/options.def"
#undef H
#undef U
#undef N
#undef O
};

static const char *const usage[] = { "[OPTION]...", "--once [--report FILE] [OPTION]...",
	"--check-config | --dump-config | --make-secret [OPTION]...", NULL };

const struct optab conf_optab = {
	.program = "heddled",
	.usage = usage,
	.about = "InfiniBand subnet manager: discovers, configures and routes a subnet, and keeps it up",
	.opts = rows,
	.nopts = sizeof(rows) / sizeof(rows[0]),
	.tail = "The command line overrides the file, and the file overrides the defaults.\n"
		"Exit status: 0 ok, 1 findings, 2 usage or configuration, 3 partial, 255 no device or no permission.\n",
};

static const struct conf_row *
row_at(size_t offset)
{
	for (size_t i = 0; i < conf_nrows; i++)
		if (conf_rows[i].key && !conf_rows[i].known_only && conf_rows[i].offset == offset)
			return &conf_rows[i];
	bug("conf: no key at offset %zu", offset);
}

/* KEY=VALUE of --set. */
static int
set_any(const char *text, struct conf *c, struct arena *a, struct conf_error *e)
{
	size_t len = strcspn(text, "= \t");
	char key[64], why[CONF_WHY_BYTES];
	const struct conf_row *r;
	const char *near;

	snprintf(key, sizeof(key), "%.*s", (int)(len < 63 ? len : 63), text);
	text += len + strspn(text + len, " \t");
	r = conf_row_of(key);
	near = conf_key_near(key);
	if (*text != '=')
		conf_say_error(e, CONF_COMMAND_LINE, 0, "--set: expected KEY=VALUE, got '%s'", key);
	else if (!r && near)
		conf_say_error(e, CONF_COMMAND_LINE, 0, "--set: no key '%s'; did you mean '%s'?",
			key, near);
	else if (!r)
		conf_say_error(
			e, CONF_COMMAND_LINE, 0, "--set: no key '%s'; see heddled.conf(5)", key);
	else if (r->known_only)
		conf_say_warning(e, CONF_COMMAND_LINE, 0,
			"--set: %s: %s", key, r->help);
	else if (conf_set(c, a, r, text + 1 + strspn(text + 1, " \t"), why))
		conf_say_error(e, CONF_COMMAND_LINE, 0, "--set: %s: %s", key, why);
	else
		return 0;
	return r && r->known_only && *text == '=' ? 0 : -EINVAL;
}

static int
set_key(const struct optab_opt *o, const char *value, struct conf *c, struct arena *a,
	struct conf_error *e)
{
	char why[CONF_WHY_BYTES];

	if (conf_set(c, a, row_at((size_t)(o->id - KEY_BASE)), value ? value : "TRUE", why) == 0)
		return 0;
	conf_say_error(e, CONF_COMMAND_LINE, 0, "--%s: %s", o->name, why);
	return -EINVAL;
}

static int
take_option(const struct optab_opt *o, const char *value, struct conf *c, struct arena *a,
	struct conf_error *e)
{
	switch (o->id) {
	case O_FILE:
		c->file = arena_strdup(a, value);
		return 0;
	case O_ONCE:
		c->once = true;
		return 0;
	case O_REPORT:
		c->report = arena_strdup(a, value);
		return 0;
	case O_SET:
		return set_any(value, c, a, e);
	case O_VERBOSE:
		if (c->verbose < 2)
			c->verbose++;
		return 0;
	case O_CHECK:
		c->action = CONF_CHECK;
		return 0;
	case O_DUMP:
		c->action = CONF_DUMP;
		return 0;
	case O_MAKE_SECRET:
		c->action = CONF_MAKE_SECRET;
		return 0;
	case O_HELP:
		c->action = CONF_HELP;
		return 0;
	case O_VERSION:
		c->action = CONF_VERSION;
		return 0;
	}
	return set_key(o, value, c, a, e);
}

int
conf_cmdline_read(int argc, char **argv, struct conf *c, struct arena *a, struct conf_error *e)
{
	const struct optab_opt *o;
	struct optab_iter it;
	const char *value;
	int r, err = 0;

	optab_begin(&it, &conf_optab, argc, argv);
	while ((r = optab_next(&it, &o, &value)) > 0 && c->action < CONF_HELP)
		if (take_option(o, value, c, a, e))
			err = -EINVAL;
	optab_end(&it);
	if (c->action >= CONF_HELP) {
		conf_error_clear(e);    /* --help works despite other faults */
		return 0;
	}
	if (r < 0)
		conf_say_error(e, CONF_COMMAND_LINE, 0, "%s", optab_fault(&it));
	else if (it.operand < argc)
		conf_say_error(e, CONF_COMMAND_LINE, 0, "no operand is expected, got '%s'",
			argv[it.operand]);
	else if (c->report && !c->once)
		conf_say_error(e, CONF_COMMAND_LINE, 0, "--report needs --once");
	else
		return err;
	return -EINVAL;
}
