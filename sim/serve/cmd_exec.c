/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_exec.c - `heddle-sim exec`: runs a program as if on a node of a simulated fabric.
 * Room: sim/serve.
 *
 * The command `place` of the server chooses the node and makes its directories.  The program gets
 * the node, the socket and the directories in environment variables (sim/ring/proto.h), and the
 * shim in LD_PRELOAD (preload.h).  Then it replaces this process.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sim/serve/ask.h"
#include "sim/serve/preload.h"
#include "sim/ring/proto.h"
#include "sim/serve/sim.h"
#include "util/optab.h"
#include "util/xalloc.h"

enum { OPT_NAME = 1, OPT_NODE, OPT_HELP, OPT_VERSION };

static const char *const usage[] = { "--name NAME [--node NODE[:PORT]] -- COMMAND [ARGUMENT...]",
	NULL };

static const struct optab_opt opts[] = {
	{ OPT_NAME, 'n', "name", "NAME", "name of the server" },
	{ OPT_NODE, 'N', "node", "NODE[:PORT]",
	"id of the topology file, GUID or description (default: the first host)" },
	{ OPT_HELP, 'h', "help", NULL, "show this text" },
	{ OPT_VERSION, 'V', "version", NULL, "show the version" },
};

static const struct optab table = {
	.program = "heddle-sim exec",
	.usage = usage,
	.about =
		"Runs an unmodified program that uses libibumad on a node of a simulated fabric",
	.opts = opts,
	.nopts = sizeof(opts) / sizeof(opts[0]),
	.stop_at_operand = true,
	.tail = "PORT is the default port of the program.  STATE_DIRECTORY, RUNTIME_DIRECTORY,\n"
		"OSM_CACHE_DIR and OSM_TMP_DIR are directories of the node, which the server removes.\n",
};

static void
set_below(const char *variable, const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);

	setenv(variable, path, 1);
	free(path);
}

/* Sets the environment from the server's reply.  Returns false if the reply is not valid. */
static bool
set_place(const char *dir, const json_t *place)
{
	const char *node_dir = json_string_value(json_object_get(place, "directory"));
	const char *socket = json_string_value(json_object_get(place, "socket"));
	char number[24], base[PLACE_PATH];

	if (!node_dir || !socket)
		return false;
	snprintf(base, sizeof(base), "%.*s", (int)(strrchr(dir, '/') - dir), dir);
	setenv(PLACE_ENV, base, 1);
	setenv(SHIM_ENV_SOCKET, socket, 1);
	snprintf(number, sizeof(number), "%d", (int)json_integer_value(json_object_get(place,
		"node")));
	setenv(SHIM_ENV_NODE, number, 1);
	snprintf(number, sizeof(number), "%d", (int)json_integer_value(json_object_get(place,
		"port")));
	if (strcmp(number, "0"))
		setenv(SHIM_ENV_PORT, number, 1);
	else
		unsetenv(SHIM_ENV_PORT);
	set_below("STATE_DIRECTORY", node_dir, "state");
	set_below("RUNTIME_DIRECTORY", node_dir, "run");
	set_below("OSM_CACHE_DIR", node_dir, "osm-cache");
	set_below("OSM_TMP_DIR", node_dir, "osm-tmp");
	return true;
}

/* Disables the leak check for a program that was built without sanitizers: its own leaks would make
 * it fail. */
static void
spare_guest(const char *command, const char *shim)
{
	const char *before = getenv("ASAN_OPTIONS");
	char *value;

	if (!preload_is_guest(command, shim) || (before && strstr(before, "detect_leaks")))
		return;
	value = xasprintf("%s%sdetect_leaks=0", before ? before : "", before && *before ? ":" : "");
	setenv("ASAN_OPTIONS", value, 1);
	free(value);
}

static int
program_run(const char *name, char *node, char **command)
{
	char dir[PLACE_PATH], why[PLACE_WHY], shim[512], *preload;
	json_t *place = NULL;
	int r = place_find(name, dir, why);

	if (!r)
		r = ask_server(dir, "place", node ? 1 : 0, &node, &place, why);
	if (r) {
		fprintf(stderr, "heddle-sim exec: %s\n", why);
		return r == -EIO ? EXIT_FATAL : EXIT_USAGE;
	}
	if (!preload_find_shim(shim, sizeof(shim)) || !set_place(dir, place)) {
		fprintf(stderr, "heddle-sim exec: cannot read %s\n", shim);
		return EXIT_FATAL;
	}
	json_decref(place);
	preload = preload_value(command[0], shim, getenv("LD_PRELOAD"));
	setenv("LD_PRELOAD", preload, 1);
	free(preload);
	spare_guest(command[0], shim);
	execvp(command[0], command);
	fprintf(stderr, "heddle-sim exec: %s: %s\n", command[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

int
sim_cmd_exec(int argc, char **argv)
{
	const struct optab_opt *o;
	struct optab_iter it;
	const char *value, *name = NULL;
	char *node = NULL;
	int r, status = EXIT_OK;

	optab_begin(&it, &table, argc, argv);
	while ((r = optab_next(&it, &o, &value)) > 0) {
		if (o->id == OPT_NAME) {
			name = value;
		} else if (o->id == OPT_NODE) {
			free(node);
			node = xstrdup(value);
		} else {
			optab_end(&it);
			if (o->id == OPT_HELP)
				optab_help(stdout, &table, 0);
			else
				optab_version(stdout, &table);
			goto out;
		}
	}
	optab_end(&it);
	status = EXIT_USAGE;
	if (r < 0)
		fputs(it.error, stderr);
	else if (!name || it.operand >= argc)
		fputs("heddle-sim exec: --name and a command are needed\n", stderr);
	else
		status = program_run(name, node, argv + it.operand);
out:
	free(node);
	return status;
}
