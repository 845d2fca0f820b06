/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtracert_view.h - traced ways with what their cables are: speed, width, counters, and what is
 * wrong with them.
 * Room: diags/tools.  Of ibtracert.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBTRACERT_VIEW_H
#define HEDDLE_DIAGS_TOOLS_IBTRACERT_VIEW_H

#include "diags/tools/trace.h"

struct view;

/*
 * Asks every port on the ways for PortInfo and counters, all at once; NULL traces are passed over.
 * What is not answered is reported.  The traces are not kept.  Never NULL.
 */
struct view *view_new(struct facts *k, const struct trace *const *t, size_t n);
void view_free(struct view *v);         /* NULL is fine */
/* A table of the cables of a route after the line 'head'; findings are reported, each once, however
 * many routes have the cable. */
void view_show(struct view *v, const struct trace *t, const char *head);
/* The cable to step 'n' (from 1) of a route: {link, out_counters, in_counters}, with findings as
 * words. */
void view_hop_json(struct view *v, const struct trace *t, unsigned n, json_t *hop);
/* Whether 'back' goes over the cables of 't', in the other direction. */
bool view_same_cables(const struct trace *t, const struct trace *back);

#endif
