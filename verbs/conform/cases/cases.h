/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cases.h - the conformance cases, one file per area.
 * Room: verbs/conform/cases.
 *
 * A case is a row: a name, the capabilities it needs, the outcome that the specification
 * demands, and a function with its parameters (verbs/conform/kit/case.h).  Each file below adds
 * the rows of one subject; a new file is declared here and called in cases_all().  HACKING.md,
 * "Add a conformance case", has the steps.
 */
#ifndef HEDDLE_VERBS_CONFORM_CASES_CASES_H
#define HEDDLE_VERBS_CONFORM_CASES_CASES_H

#include "verbs/conform/kit/case.h"

/* Every case there is, in the order in which they run: cases of one area are neighbours.  The
 * caller clears the list. */
void cases_all(struct case_list *);

/* Each adds the rows of its file. */
void cases_query(struct case_list *);
void cases_memory(struct case_list *);
void cases_window(struct case_list *);
void cases_completion(struct case_list *);
void cases_shared(struct case_list *);
void cases_state(struct case_list *);
void cases_transfer(struct case_list *);
void cases_error(struct case_list *);
void cases_order(struct case_list *);
void cases_timing(struct case_list *);
void cases_event(struct case_list *);
void cases_datagram(struct case_list *);
void cases_fault(struct case_list *);
void cases_xrc(struct case_list *);
void cases_migrate(struct case_list *);

#endif
