/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_ctl.c - `heddle-sim ctl`: sends a command to a running server and prints the reply.
 * Room: sim/serve.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "sim/serve/ask.h"
#include "sim/serve/control.h"
#include "sim/serve/sim.h"
#include "util/optab.h"

enum { OPT_NAME = 1, OPT_JSON, OPT_HELP, OPT_VERSION };

static const char *const usage[] = { "--name NAME COMMAND [ARGUMENT...]", NULL };

static const struct optab_opt opts[] = {
	{ OPT_NAME, 'n', "name", "NAME", "name of the server" },
	{ OPT_JSON, 'j', "json", NULL, "show the result as JSON" },
	{ OPT_HELP, 'h', "help", NULL, "show this text" },
	{ OPT_VERSION, 'V', "version", NULL, "show the version" },
};

static const struct optab table = {
	.program = "heddle-sim ctl", .usage = usage,
	.about = "Changes a running simulated fabric, or shows its state",
	.opts = opts, .nopts = sizeof(opts) / sizeof(opts[0]), .stop_at_operand = true,
	.tail = "NODE is an id of the topology file, a GUID (0x...) or a description.\n",
};

static void
show_help(FILE *f)
{
	const struct control_command *c;

	optab_help(f, &table, 0);
	fputs("\nCommands:\n", f);
	for (unsigned i = 0; (c = control_command(i)); i++)
		if (!c->hidden)
			fprintf(f, "  %s%s%s\n        %s\n", c->name, *c->usage ? " " : "",
				c->usage, c->help);
}

/* Prints a string or an integer. */
static void
show_value(const json_t *v)
{
	if (json_is_string(v))
		fputs(json_string_value(v), stdout);
	else if (json_is_integer(v))
		printf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
}

static void
show_nodes(const json_t *list)
{
	const json_t *n;
	size_t i;

	json_array_foreach(list, i, n)
		printf("%-6s %s %3d ports  \"%s\"\n", json_string_value(json_object_get(n, "type")),
			json_string_value(json_object_get(n, "guid")),
			(int)json_integer_value(json_object_get(n, "ports")),
			json_string_value(json_object_get(n, "description")));
}

static void
show_ports(const json_t *list)
{
	const json_t *p, *peer;
	size_t i;

	json_array_foreach(list, i, p) {
		printf("%3d  %-10s  %-14s  lid %5d  lmc %d  %-3s",
			(int)json_integer_value(json_object_get(p, "port")),
			json_string_value(json_object_get(p, "state")),
			json_string_value(json_object_get(p, "phys_state")),
			(int)json_integer_value(json_object_get(p, "lid")),
			(int)json_integer_value(json_object_get(p, "lmc")),
			json_string_value(json_object_get(p, "width")));
		peer = json_object_get(p, "peer");
		if (peer)
			printf("  %s:%d", json_string_value(json_object_get(peer, "description")),
				(int)json_integer_value(json_object_get(peer, "port")));
		putchar('\n');
	}
}

static void
show_reply(json_t *result, const char *prefix)
{
	const char *key;
	json_t *v;

	json_object_foreach(result, key, v) {
		if (!strcmp(key, "nodes") && json_is_array(v)) {
			show_nodes(v);
		} else if (!strcmp(key, "ports") && json_is_array(v)) {
			show_ports(v);
		} else if (json_is_object(v)) {
			show_reply(v, key);
		} else {
			printf("%s%s%s: ", prefix, *prefix ? " " : "", key);
			show_value(v);
			putchar('\n');
		}
	}
}

/* Prints the document of --json: the members that all documents have, and the server's result or
 * error. */
static void
show_json(json_t *result, int status, const char *why)
{
	json_t *doc, *errors = json_array();
	char now[32] = "";
	time_t t = time(NULL);

	strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
	if (status)
		json_array_append_new(errors, json_pack("{s:s,s:s,s:s}", "severity", "error",
			"code", "usage", "message", why));
	doc = json_pack("{s:s,s:s,s:{s:s,s:s},s:s,s:i,s:o}", "schema", "heddle.sim-ctl",
		"schema_version", "1.0",
		"tool", "name", "heddle-sim", "version", PACKAGE_VERSION, "time", now,
		"exit_status", status, "errors", errors);
	json_object_update(doc, result);
	json_dumpf(doc, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(doc);
}

static int
run_command(const char *name, int argc, char **argv, bool as_json)
{
	char dir[PLACE_PATH], why[PLACE_WHY] = "";
	json_t *result = NULL;
	int r = 0;

	if (!control_command_find(argv[0])) {
		snprintf(why, sizeof(why), "no command '%.60s' (heddle-sim ctl --help lists them)",
			argv[0]);
		r = -EINVAL;
	}
	if (!r)
		r = place_find(name, dir, why);
	if (!r)
		r = ask_server(dir, argv[0], (unsigned)argc - 1, argv + 1, &result, why);
	if (r)
		fprintf(stderr, "heddle-sim ctl: %s\n", why);
	if (as_json)
		show_json(result, r ? EXIT_USAGE : EXIT_OK, why);
	else if (result)
		show_reply(result, "");
	json_decref(result);
	return r ? EXIT_USAGE : EXIT_OK;
}

int
sim_cmd_ctl(int argc, char **argv)
{
	const struct optab_opt *o;
	struct optab_iter it;
	const char *value, *name = NULL;
	bool as_json = false;
	int r;

	optab_begin(&it, &table, argc, argv);
	while ((r = optab_next(&it, &o, &value)) > 0) {
		if (o->id == OPT_NAME) {
			name = value;
		} else if (o->id == OPT_JSON) {
			as_json = true;
		} else {
			optab_end(&it);
			if (o->id == OPT_HELP)
				show_help(stdout);
			else
				optab_version(stdout, &table);
			return EXIT_OK;
		}
	}
	optab_end(&it);
	if (r < 0) {
		fputs(it.error, stderr);
		return EXIT_USAGE;
	}
	if (!name || it.operand >= argc) {
		fputs("heddle-sim ctl: --name and a command are needed (--help lists them)\n",
			stderr);
		return EXIT_USAGE;
	}
	/* options may also follow the command: "ctl --name N nodes --json" */
	if (argc - it.operand > 1 && !strcmp(argv[argc - 1], "--json")) {
		as_json = true;
		argc--;
	}
	return run_command(name, argc - it.operand, argv + it.operand, as_json);
}
