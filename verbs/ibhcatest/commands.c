/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * commands.c - the table of commands.
 * Room: verbs/ibhcatest.  A new command is a row here, declared in ibhcatest.h.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "verbs/ibhcatest/ibhcatest.h"

static const struct {
	const char *name, *about;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "conform", "checks a device against the InfiniBand specification",
		cmd_conform },
	{ "bw", "measures bandwidth and message rate between two hosts or devices", cmd_bw },
	{ "lat", "measures latency, with percentiles", cmd_lat },
	{ "serve", "runs a permanent server for bw, lat, pair and mesh", cmd_serve },
	{ "pair", "checks one pair of hosts or devices quickly: latency, bandwidth, data",
		cmd_pair },
	{ "mesh", "checks all pairs of many hosts in the same way", cmd_mesh },
};

static void
help_print(FILE *f)
{
	fprintf(f, "Usage: ibhcatest COMMAND [OPTION...] [ARGUMENT...]\n\nTests verbs devices: "
		"InfiniBand adapters, RoCE, or software adapters in this process.\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].about);
	fprintf(f, "\n'ibhcatest COMMAND --help' lists the options of a command; see also "
		"ibhcatest(8).\n");
}

int
ibhcatest_main(int argc, char **argv)
{
	if (argc < 2) {
		help_print(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help_print(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("ibhcatest (heddle) %s\n", PACKAGE_VERSION);
		return EXIT_OK;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "ibhcatest: \"%s\" is no command\n", argv[1]);
	help_print(stderr);
	return EXIT_USAGE;
}
