/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmdline.h - the command line of heddled.
 * Room: conf, private.
 */
#ifndef HEDDLE_SM_CONF_CMDLINE_H
#define HEDDLE_SM_CONF_CMDLINE_H

#include "sm/conf/conf.h"
#include "util/arena.h"
#include "util/optab.h"

extern const struct optab conf_optab;

/* Sets in 'c' what the command line says; c->file stays NULL when no file is named.  -EINVAL with
 * lines in 'e'.  'argv' is permuted as getopt_long does. */
int conf_cmdline_read(int argc, char **argv, struct conf *c, struct arena *a, struct conf_error *e);

#endif
