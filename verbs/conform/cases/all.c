/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * all.c - the whole table of cases: every file's rows, sorted by area.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/conform/cases/cases.h"

/* Areas in the order of their first case; within one, cases in the order in which they were
 * added. */
static void
gather_areas(struct case_list *l)
{
	struct conform_case *sorted = xcalloc(l->n ? l->n : 1, sizeof(*sorted));
	bool *taken = xcalloc(l->n ? l->n : 1, sizeof(*taken));
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		size_t length = strcspn(l->v[i].name, "/") + 1;

		for (size_t j = i; j < l->n && !taken[i]; j++) {
			if (j > i && !taken[j] && !strncmp(l->v[i].name, l->v[j].name, length)) {
				taken[j] = true;
				sorted[n++] = l->v[j];
			} else if (j == i) {
				sorted[n++] = l->v[j];
			}
		}
	}
	free(taken);
	free(l->v);
	l->v = sorted;
	l->room = n;
}

void
cases_all(struct case_list *l)
{
	*l = (struct case_list){ 0 };
	cases_query(l);
	cases_memory(l);
	cases_window(l);
	cases_completion(l);
	cases_shared(l);
	cases_state(l);
	cases_transfer(l);
	cases_error(l);
	cases_order(l);
	cases_timing(l);
	cases_event(l);
	cases_datagram(l);
	cases_fault(l);
	cases_xrc(l);
	cases_migrate(l);
	gather_areas(l);
}
