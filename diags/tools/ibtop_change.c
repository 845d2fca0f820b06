/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop_change.c - compares the fabric with its previous discovery: links removed and added.
 * Room: diags/tools.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/tools/ibtop.h"
#include "util/xalloc.h"

#define SHOWN 6                 /* at most this number of links is named on the screen */

/* Returns the same port in the other fabric, or NULL. */
static const struct fab_port *
node_twin(const struct diag_fabric *to, const struct diag_fabric *from, const struct fab_port *p)
{
	uint32_t n = snapshot_node_by_guid(to->s, fab_node_of(from, p)->guid);

	return n == FAB_NONE || p->num > to->s->nodes[n].nports ? NULL :
		fab_port_of(to, &to->s->nodes[n], p->num);
}

static bool
same_cable(const struct diag_fabric *to, const struct diag_fabric *from, const struct fab_port *p)
{
	const struct fab_port *t = node_twin(to, from, p), *q = fab_peer_of(from, p);
	const struct fab_port *tq = t ? fab_peer_of(to, t) : NULL;

	return tq && fab_node_of(to, tq)->guid == fab_node_of(from, q)->guid && tq->num == q->num;
}

static void
append(char *text, size_t *at, const char *more)
{
	if (*at < TOP_CHANGES_BYTES)
		*at += (size_t)snprintf(text + *at, TOP_CHANGES_BYTES - *at, "%s", more);
}

/* Reports the links of 'from' that 'to' does not have; returns their number. */
static unsigned
only_in(struct diag *d, const struct diag_fabric *from, const struct diag_fabric *to,
	const struct selection *only, unsigned look, const char *word,
	char *text, size_t *at)
{
	char a[DIAG_NAME_BYTES], b[DIAG_NAME_BYTES], one[2 * DIAG_NAME_BYTES + 40];
	unsigned n = 0;

	for (uint32_t i = 0; i < from->s->nports; i++) {
		const struct fab_port *p = &from->s->ports[i], *q = fab_peer_of(from, p);
		json_t *o;

		if (!q || i > p->peer || same_cable(to, from, p) || !(select_port(only, p) ||
		    select_port(only, q)))
			continue;
		if (n++ < SHOWN) {
			snprintf(one, sizeof(one), "%s%s%s%s:%u - %s:%u",
				n > 1 ? ", " : *at ? "; " : "", n > 1 ? "" : word, n > 1 ? "" : " ",
				fab_name(d, fab_node_of(from, p), a), p->num,
				fab_name(d, fab_node_of(from, q), b), q->num);
			append(text, at, one);
		}
		if (diag_is_text(d))
			continue;
		o = json_object();
		json_object_set_new(o, "look", json_integer(look));
		json_object_set_new(o, "change", json_string(word));
		json_object_set_new(o, "local", fab_json_end(d, from, p));
		json_object_set_new(o, "peer", fab_json_end(d, from, q));
		diag_row(d, "changes", o);
	}
	if (n > SHOWN) {
		snprintf(one, sizeof(one), " and %u more", n - SHOWN);
		append(text, at, one);
	}
	return n;
}

unsigned
top_changes(struct diag *d, const struct top_fabric *was, const struct top_fabric *is,
	unsigned look, char text[static TOP_CHANGES_BYTES])
{
	time_t now = time(NULL);
	struct tm tm;
	size_t at = 0;
	unsigned n;
	char cables[TOP_CHANGES_BYTES] = "", when[16];

	n = only_in(d, &was->f, &is->f, was->only, look, "gone", cables, &at);
	n += only_in(d, &is->f, &was->f, is->only, look, "new", cables, &at);
	if (!n)
		return 0;
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%H:%M:%S", &tm);
	snprintf(text, TOP_CHANGES_BYTES, "%s  %.*s", when, TOP_CHANGES_BYTES - 20, cables);
	return n;
}
