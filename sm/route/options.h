/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options.h - what becomes of options that name something: whether the fabric has it, and whether
 * the engine makes use of it.
 * Room: sm/route (prefix options_).  Pure.
 *
 * A list that names a switch that is not there, or an option that the engine does not serve, is no
 * reason not to route: the rest of the list counts.  But an operator who mistyped a GUID must learn
 * of it.  heddled logs these sentences when they change; heddle-route, whose user can correct the
 * file at once, refuses what is unknown.
 */
#ifndef HEDDLE_SM_ROUTE_OPTIONS_H
#define HEDDLE_SM_ROUTE_OPTIONS_H

#include "sm/route/chain.h"

/* The number of GUIDs and ports in the files of 'c' that neither the fabric nor the intended
 * topology has ('t' may be NULL), and a sentence about the first: "FILE:3: the fabric has no switch
 * 0x..., and 2 more lines".  "" if there is none. */
uint32_t options_unknown(const struct route_conf *c, const struct snapshot *s,
	const struct intended *t, char *buf, size_t len);
/* "engine ftree makes no use of hop_weights_file, scatter_ports"; "" if it serves all that are
 * set. */
const char *options_unserved(
	const struct route_engine *e, const struct route_conf *c, char *buf, size_t len);
/* Sets both sentences of a chain, of which an engine was taken. */
void options_remark(struct chain *c, const struct route_in *in);

#endif
