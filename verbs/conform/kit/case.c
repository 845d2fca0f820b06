/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * case.c - the list that tables of cases add their rows to.
 * Room: verbs/conform/kit.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include "util/grow.h"
#include "verbs/conform/kit/case.h"

void
case_list_add(struct case_list *l, const struct conform_case *c)
{
	GROW(l->v, l->n, l->room, 512);
	l->v[l->n++] = *c;
}

const char *
case_list_keep(struct case_list *l, char *text)
{
	GROW(l->texts, l->ntexts, l->text_room, 512);
	l->texts[l->ntexts++] = text;
	return text;
}

void
case_list_clear(struct case_list *l)
{
	for (size_t i = 0; i < l->ntexts; i++)
		free(l->texts[i]);
	free(l->texts);
	free(l->v);
	*l = (struct case_list){ 0 };
}
