/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_topology.c - prints a topology file for a SPEC, or for a FILE after checking it.
 * Room: sim/gen.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sim/gen/cmd_topology.h"
#include "sim/gen/gen.h"

static void
show_usage(FILE *out)
{
	fputs("Usage: heddle-sim topology SPEC|FILE\n"
		"Prints a topology file: the generated topology of SPEC, or FILE after checking it.\n"
		"SPEC is one of\n", out);
	for (unsigned int i = 0; gen_usage(i); i++)
		fprintf(out, "  %s\n", gen_usage(i));
}

int
sim_cmd_topology(int argc, char **argv)
{
	struct topo_error e;
	struct topo t;
	int rc;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		show_usage(stdout);
		return 0;
	}
	if (argc != 2 || argv[1][0] == '-') {
		show_usage(stderr);
		return 2;
	}
	if (gen_or_read(argv[1], &t, &e)) {
		fprintf(stderr, "heddle-sim: %s\n", e.text);
		return 2;
	}
	rc = topo_write(stdout, &t);
	topo_clear(&t);
	if (rc) {
		fprintf(stderr, "heddle-sim: cannot write: %s\n", strerror(-rc));
		return 255;
	}
	return 0;
}
