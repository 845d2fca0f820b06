/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sim.c - chooses the subcommand of heddle-sim, and prints its help.
 * Room: sim/serve.
 */
#include <config.h>
#include <string.h>
#include "sim/gen/cmd_topology.h"
#include "sim/serve/sim.h"
#include "util/optab.h"

enum { OPT_HELP = 1, OPT_VERSION };

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{ "serve", sim_cmd_serve },
	{ "exec", sim_cmd_exec },
	{ "ctl", sim_cmd_ctl },
	{ "topology", sim_cmd_topology },
};

static const char *const usage[] = {
	"serve --name NAME --topology FILE|SPEC [OPTION...]",
	"exec --name NAME [--node NODE[:PORT]] -- COMMAND [ARGUMENT...]",
	"ctl --name NAME COMMAND [ARGUMENT...]",
	"topology SPEC|FILE",
	NULL,
};

static const struct optab_opt opts[] = {
	{ OPT_HELP, 'h', "help", NULL, "show this text; heddle-sim SUBCOMMAND --help shows more" },
	{ OPT_VERSION, 'V', "version", NULL, "show the version" },
};

static const struct optab table = {
	.program = "heddle-sim", .usage = usage,
	.about = "Simulates InfiniBand fabrics for unmodified programs",
	.opts = opts, .nopts = sizeof(opts) / sizeof(opts[0]), .stop_at_operand = true,
};

int
sim_main(int argc, char **argv)
{
	const struct optab_opt *o;
	struct optab_iter it;
	const char *value;
	int r;

	optab_begin(&it, &table, argc, argv);
	r = optab_next(&it, &o, &value);
	optab_end(&it);
	if (r > 0 && o->id == OPT_HELP) {
		optab_help(stdout, &table, 0);
		return EXIT_OK;
	}
	if (r > 0) {
		optab_version(stdout, &table);
		return EXIT_OK;
	}
	if (r < 0) {
		fputs(it.error, stderr);
		return EXIT_USAGE;
	}
	for (size_t i = 0; it.operand < argc && i < sizeof(subcommands) / sizeof(subcommands[0]);
		i++)
		if (!strcmp(subcommands[i].name, argv[it.operand]))
			return subcommands[i].run(argc - it.operand, argv + it.operand);
	if (it.operand < argc)
		fprintf(stderr,
			"heddle-sim: no subcommand '%s'; the subcommands are serve, exec, ctl and topology\n",
			argv[it.operand]);
	else
		optab_help(stderr, &table, 0);
	return EXIT_USAGE;
}
