/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * golden.c - compares the fabric with the plan of --golden.
 * Room: diags/check. diags/topo/compare.h has the comparison.
 */
#include <config.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/topo/compare.h"
#include "diags/topo/report.h"

static void
golden_check(struct check_run *c)
{
	struct topo_comparison cmp;

	if (!c->opt->golden) {
		c->result[c->at].end = CHECK_NOT_ASKED;
		return;
	}
	topo_compare(&c->golden, &c->f, TOPO_ASPECTS_ALL, false, &cmp);
	check_looked(c, "%u of %u links of the plan exist", cmp.same, cmp.links);
	for (size_t i = 0; i < cmp.n; i++) {
		const struct topo_difference *x = &cmp.d[i];
		char object[TOPO_OBJECT_BYTES], text[TOPO_TEXT_BYTES];
		struct check_about w = { .object = topo_difference_object(&c->golden, &c->f, x,
			object) };

		if (x->is[0]) {
			w.a = x->is[0];
			w.b = x->is[1];
		}
		check_find(c, strcmp(topo_severity(x->change, true), "error") ? CHECK_WARNING :
			CHECK_ERROR, topo_change_code(x->change), &w, "%s %s",
			topo_change_word(x->change, true), topo_difference_text(c->d, &c->golden,
			&c->f, x, text));
	}
	topo_comparison_clear(&cmp);
}

const struct check check_golden = { .name = "golden",
	.about = "differences from the plan of --golden", .run = golden_check };
