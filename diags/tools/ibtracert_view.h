/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtracert_view.h - the links of traced routes with speed, width, counters and problems.
 * Room: diags/tools. Part of ibtracert.
 *
 * For option --view. view_new() reads PortInfo and counters of every port on the routes of all
 * traces; the other functions show one route from what was read. Routes come from trace.h.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBTRACERT_VIEW_H
#define HEDDLE_DIAGS_TOOLS_IBTRACERT_VIEW_H

#include "diags/tools/trace.h"

struct view;

/* Reads PortInfo and counters of every port on the routes, all at once; NULL entries of 't' are
 * skipped. Requests without an answer are reported. The caller keeps the traces, which are not
 * referenced after the call, and frees the view by view_free(). Never returns NULL. */
struct view *view_new(struct facts *k, const struct trace *const *t, size_t n);
void view_free(struct view *v);         /* accepts NULL */
/* Prints the line 'head' and a table of the links of a route. Findings are reported once per link,
 * even if several routes use it. */
void view_show(struct view *v, const struct trace *t, const char *head);
/* Adds the members link, out_counters, in_counters and findings to 'hop', for the link to step 'n'
 * (from 1), with findings as code words. */
void view_hop_json(struct view *v, const struct trace *t, unsigned n, json_t *hop);
/* Reports whether 'back' uses the links of 't' in reverse order and direction. */
bool view_same_links(const struct trace *t, const struct trace *back);

#endif
