/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * load.c - computes the load of each link from two samples of the counters.
 * Room: diags/topo.
 */
#include <config.h>
#include <stdlib.h>
#include <time.h>
#include "diags/ask/query.h"
#include "diags/core/progress.h"
#include "diags/fabric/fabric.h"
#include "diags/perf/pma.h"
#include "diags/topo/load.h"
#include "diags/topo/speed.h"
#include "util/xalloc.h"

#define WORD_BITS 32.0

struct sample {
	int64_t at_us;
	uint64_t words;
};

static void
on_port_counters(struct diag *d, void *arg, const struct pma_port *p)
{
	struct sample *s = arg;
	struct pma_value v = pma_value(p, PMA_XMIT_DATA);

	(void)d;
	if (p->end == DIAG_OK && v.supported)
		s[p->port] = (struct sample){ p->at_us, v.value };
}

double *
link_loads(struct diag *d, const struct diag_fabric *f, int64_t interval_us)
{
	struct sample *a = xcalloc(f->s->nports + 1u, sizeof(*a)), *b = xcalloc(f->s->nports + 1u,
		sizeof(*b));
	const struct pma_sweep what = { .wants = PMA_WANT_COUNTERS | PMA_WANT_EXT };
	double *load = xcalloc(f->s->nports + 1u, sizeof(*load));
	struct pma *p = pma_new(d, f);

	diag_progress(d, "reading the counters");
	pma_sweep(p, &what, on_port_counters, a);
	nanosleep(&(struct timespec){ .tv_sec = interval_us / 1000000,
		.tv_nsec = interval_us % 1000000 * 1000 }, NULL);
	pma_sweep(p, &what, on_port_counters, b);
	for (uint32_t i = 0; i < f->s->nports; i++) {
		struct fab_link l = fab_link_of(f, &f->s->ports[i]);
		double gbps = link_nominal_gbps(l.width, speed_active(&l)),
			us = (double)(b[i].at_us - a[i].at_us);

		load[i] = !a[i].at_us || us <= 0 || gbps <= 0 || b[i].words < a[i].words ? -1 :
			(double)(b[i].words - a[i].words) * WORD_BITS / us / 1000 / gbps;
	}
	pma_free(p);
	free(a);
	free(b);
	return load;
}
