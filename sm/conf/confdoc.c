/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * confdoc.c - build-time program that writes what is generated from the option table: "sample",
 * "rst" or "help".
 * Room: conf.  Not installed.
 */
#include <config.h>
#include <string.h>
#include "sm/conf/cmdline.h"
#include "sm/conf/conf.h"
#include "util/optab.h"

int
main(int argc, char **argv)
{
	struct conf *c = conf_default();
	int status = EXIT_OK;

	if (argc == 2 && strcmp(argv[1], "sample") == 0)
		conf_dump(c, stdout);
	else if (argc == 2 && strcmp(argv[1], "rst") == 0)
		conf_write_rst(stdout);
	else if (argc == 2 && strcmp(argv[1], "help") == 0)
		optab_help(stdout, &conf_optab, 0);
	else
		status = EXIT_USAGE;
	conf_free(c);
	return status;
}
