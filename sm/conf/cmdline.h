/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmdline.h - the command line of heddled.
 * Room: conf, private.
 *
 * Options come from two places: keys of options.def that have an option, and what only a command
 * line can say (--once, --set, --check-config).  conf.c reads the command line twice: first to find
 * the configuration file, then again over the values of the file.
 */
#ifndef HEDDLE_SM_CONF_CMDLINE_H
#define HEDDLE_SM_CONF_CMDLINE_H

#include "sm/conf/conf.h"
#include "util/arena.h"
#include "util/optab.h"

extern const struct optab conf_optab;

/* Writes the values of the command line to 'c'; c->file stays NULL when no file is named.
 * Returns -EINVAL with lines in 'e' on a fault.  Permutes 'argv' as getopt_long() does. */
int conf_cmdline_read(int argc, char **argv, struct conf *c, struct arena *a, struct conf_error *e);

#endif
