/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * select.h - the expression of --select, which selects ports of a fabric.
 * Room: diags/fabric.
 *
 * An expression is parsed into a tree once, with all that its tests read (files, routes), and is
 * then asked port by port. A node is selected if one of its ports is. Grammar (docs/select.md):
 * 	expression = term { "or" term } ; term = factor { ["and"] factor } ;
 * 	factor = "not" factor | "(" expression ")" | test ;
 * 	test = "lid:" RANGES | "guid:" GUID | "node:" NAME | "nodepat:" GLOB | "type:" sw|ca|rt |
 * 	       "port:" RANGES | "rate:" [<|>|<=|>=|=]GBPS | "speed:" WORD | "width:" WORD |
 * 	       "state:" WORD | "file:" LIST | "route:" END "->" END, an END a LID, a GUID or a name
 */
#ifndef HEDDLE_DIAGS_FABRIC_SELECT_H
#define HEDDLE_DIAGS_FABRIC_SELECT_H

#include "diags/fabric/fabric.h"

struct selection;

/* Parses 'text'. Returns NULL and the status of a reported failure in '*status'. The caller frees
 * the result, which borrows 'f'. */
struct selection *select_parse(struct diag *d, const struct diag_fabric *f, const char *text,
	int *status);
void select_free(struct selection *s);          /* accepts NULL */
/* Reports whether the port is selected; a NULL selection selects every port. */
bool select_port(const struct selection *s, const struct fab_port *p);
/* Reports whether any port of the node is selected. */
bool select_node(const struct selection *s, const struct fab_node *n);
/* Reports whether the expression has a test with that key ("route"), in quotes or not. */
bool select_has(const char *text, const char *key);
/* Parses --select of the command line. Returns 0, and stores NULL if the option was not given;
 * otherwise as select_parse(). */
int diag_selection(struct diag *d, const struct diag_fabric *f, struct selection **s);

#endif
