/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibqueryerrors.c - reports counters above their thresholds, for all ports of the fabric.
 * Room: diags/tools. All ports are queried at once; the output follows when all have answered.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/gmp.h"
#include "diags/fabric/select.h"
#include "diags/perf/pma.h"
#include "diags/tools/ibqueryerrors.h"
#include "diags/tools/part.h"
#include "util/xalloc.h"
#include "libmad/attr/codes.h"

enum {
	OPT_SKIP_SL = DIAG_LONG, OPT_THRESHOLDS, OPT_DATA, OPT_SWITCH, OPT_CA, OPT_ROUTER,
	OPT_DETAILS, OPT_COUNTERS, OPT_LOAD_CACHE,
};

struct ibqueryerrors {
	const char *thresholds, *guid, *path, *cache;
	bool skip_sl;
	struct errors errors;
};

static void
state_init(void *state)
{
	((struct ibqueryerrors *)state)->errors.node = FAB_NONE;
}

static void
counter_suppress(struct errors *e, enum pma_counter c)
{
	e->suppressed = xrealloc(e->suppressed, (e->nsuppressed + 1) * sizeof(*e->suppressed));
	e->suppressed[e->nsuppressed++] = c;
	e->limits.suppressed[c] = true;
}

static int
suppress_list(struct diag *d, const char *text)
{
	struct ibqueryerrors *want = diag_state(d);
	char *list = xstrdup(text), *save = NULL;
	int r = 0;

	for (char *word = strtok_r(list, ",", &save); word && !r; word = strtok_r(NULL, ",",
	    &save)) {
		enum pma_counter c = pma_counter_find(word);

		if (c == PMA_NCOUNTERS)
			r = diag_fail(d, EXIT_USAGE, "usage", "no counter is called \"%s\"", word);
		else
			counter_suppress(&want->errors, c);
	}
	free(list);
	return r;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibqueryerrors *want = diag_state(d);

	switch (id) {
	case 's': return suppress_list(d, value);
	case 'c': counter_suppress(&want->errors, PMA_RCV_SWITCH_RELAY); return 0;
	case 'G':
	case 'S': want->guid = value; return 0;
	case 'D': want->path = value; return 0;
	case OPT_SKIP_SL: want->skip_sl = true; return 0;
	case 'r': want->errors.links = true; return 0;
	case OPT_THRESHOLDS: want->thresholds = value; return 0;
	case 'R': return 0;
	case OPT_DATA: want->errors.data = true; return 0;
	case OPT_SWITCH: want->errors.types |= 1 << 2; return 0;
	case OPT_CA: want->errors.types |= 1 << 1; return 0;
	case OPT_ROUTER: want->errors.types |= 1 << 3; return 0;
	case OPT_DETAILS: want->errors.details = true; return 0;
	case OPT_COUNTERS: want->errors.data_only = true; return 0;
	case 'k': want->errors.clear_errors = true; return 0;
	case 'K': want->errors.clear_data = true; return 0;
	case OPT_LOAD_CACHE: want->cache = value; return 0;
	}
	return -ENOENT;
}

/* ---- thresholds ---- */

static int
set_limits(struct diag *d, struct errors *e)
{
	struct ibqueryerrors *want = diag_state(d);
	int r = pma_thresholds_read(d, want->thresholds, &e->limits);

	/* QP1Dropped is shown only if it has an explicit threshold. */
	if (!e->limits.set[PMA_QP1_DROPPED])
		e->limits.suppressed[PMA_QP1_DROPPED] = true;
	return r;
}

bool
errors_any(const struct errors *e, const struct pma_port *p)
{
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		struct pma_value v = pma_value(p, c);

		if (pma_over(&e->limits, c, &v))
			return true;
	}
	return false;
}

/* ---- the ports to be queried ---- */

static int
find_guid(struct diag *d, struct errors *e)
{
	struct ibqueryerrors *want = diag_state(d);
	uint64_t guid;

	if (!diag_number(want->guid, UINT64_MAX, &guid) || !guid)
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is no GUID", want->guid);
	e->node = snapshot_node_by_guid(e->f->s, guid);
	for (uint32_t i = 0; i < e->f->s->nports && e->node == FAB_NONE; i++)
		if (e->f->s->ports[i].guid == guid)
			e->node = e->f->s->ports[i].node;
	if (e->node != FAB_NONE)
		e->hide_peers = !fab_is_switch(&e->f->s->nodes[e->node]);
	else
		diag_warn(d, EXIT_FINDINGS, "not_found", NULL, "Failed to find node: %s",
			want->guid);
	return 0;
}

static int
find_path(struct diag *d, struct errors *e)
{
	struct ibqueryerrors *want = diag_state(d);
	const struct snapshot *s = e->f->s;
	uint8_t path[DGRAM_PATH_BYTES], hops;
	uint32_t at = s->sm_port, node = s->ports[at].node;

	if (!diag_path(want->path, path, &hops))
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is no directed route like 0,1,4",
			want->path);
	for (unsigned i = 1; i <= hops; i++) {
		const struct fab_node *n = &s->nodes[node];

		at = (i == 1 || fab_is_switch(n)) && path[i] &&
			path[i] <= n->nports ? s->ports[n->first_port + path[i]].peer : FAB_NONE;
		if (at == FAB_NONE)
			return diag_fail(d, EXIT_PARTIAL, "timeout", "nothing answers at %s",
				want->path);
		node = s->ports[at].node;
	}
	e->node = node;
	return 0;
}

static bool
is_wanted_node(const struct errors *e, const struct fab_node *n)
{
	const struct ibqueryerrors *want = diag_state(e->d);

	if (e->types && !(e->types >> n->type & 1))
		return false;
	if (want->guid || want->path)
		return n == &e->f->s->nodes[e->node == FAB_NONE ? 0 : e->node] &&
			e->node != FAB_NONE;
	return select_node(e->only, n);
}

/* ---- requests ---- */

static bool
port_is_wanted(void *arg, const struct fab_port *p)
{
	const struct errors *e = arg;

	return is_wanted_node(e, fab_node_of(e->f, p));
}

static void
on_port_counters(struct diag *d, void *arg, const struct pma_port *p)
{
	struct errors *e = arg;
	struct pma_port *kept = xmemdup(p, sizeof(*p));

	(void)d;
	e->failures += p->end != DIAG_OK;
	if (p->select == PM_PORT_ALL)
		e->sums[e->f->s->ports[p->port].node] = kept;
	else
		e->ports[p->port] = kept;
}

/* Reports whether the single ports of a node are read after its sums. A document lists every port;
 * text only ports of nodes whose sums are above a threshold or were not answered. */
static bool
look_closer(void *arg, const struct pma_port *sums)
{
	const struct errors *e = arg;

	return !diag_is_text(e->d) || sums->end != DIAG_OK || errors_any(e, sums);
}

static int
counters_ask(struct diag *d, struct errors *e)
{
	struct ibqueryerrors *want = diag_state(d);
	struct pma_sweep what = { .types = e->types, .only = e->only, .wanted = port_is_wanted };
	int r;

	e->pma = pma_new(d, e->f);
	if (!want->skip_sl)
		gmp_levels_ask(pma_levels(e->pma));
	what.wants = e->data_only ? PMA_WANT_DATA : PMA_WANT_ERRORS;
	if (e->data || !diag_is_text(d))
		what.wants |= PMA_WANT_DATA | PMA_WANT_ERRORS;
	if (e->details)
		what.wants |= PMA_WANT_RCV_DETAILS | PMA_WANT_XMIT_DETAILS;
	if (!e->data_only && !e->only)
		what.look_closer = look_closer;
	r = pma_sweep(e->pma, &what, on_port_counters, e) ? EXIT_FATAL : 0;
	for (uint32_t i = 0; i < e->f->s->nnodes && !r; i++)
		e->failures += pma_node_failed(e->pma, &e->f->s->nodes[i]);
	return r;
}

static int
counters_check(struct diag *d, struct errors *e)
{
	const char *load = diag_settings(d)->load;
	int r = diag_can_ask(d) ? counters_ask(d, e) : errors_replay(e, load);

	if (r)
		return r;
	chassis_find(e->f, &e->chassis);
	for (uint32_t i = 0; i < e->f->s->nnodes; i++) {
		const struct fab_node *n = &e->f->s->nodes[diag_is_text(d) ? e->f->order[i] : i];

		if (is_wanted_node(e, n))
			errors_show_node(e, n);
	}
	errors_show_summary(e);
	if (diag_settings(d)->format == DIAG_JSON && !e->only && e->node == FAB_NONE)
		fab_json_snapshot(d, e->f);
	if (!load)
		errors_clear(e);
	else if (e->clear_errors || e->clear_data)
		diag_warn(d, 0, "usage", NULL, "nothing is cleared with --load");
	return 0;
}

static void
state_clear(struct errors *e)
{
	for (uint32_t i = 0; e->ports && i < e->f->s->nports; i++)
		free(e->ports[i]);
	for (uint32_t i = 0; e->sums && i < e->f->s->nnodes; i++)
		free(e->sums[i]);
	free(e->ports);
	free(e->sums);
	free(e->suppressed);
	pma_free(e->pma);
	chassis_clear(&e->chassis);
	select_free(e->only);
}

static int
ibqueryerrors_run(struct diag *d, int argc, char **argv)
{
	struct ibqueryerrors *want = diag_state(d);
	const struct part part = { .guid = want->guid, .path = want->guid ? NULL : want->path };
	struct diag_fabric f = { 0 };
	struct errors *e = &want->errors;
	uint32_t node = FAB_NONE;
	int r = set_limits(d, e);

	(void)argc;
	(void)argv;
	e->d = d;
	e->f = &f;
	if (!r)
		r = want->cache ? diag_fabric_load(d, want->cache, &f) : part_fabric(d, &part, &f,
			&node);
	if (!r)
		r = diag_selection(d, &f, &e->only);
	if (!r && node != FAB_NONE) {
		e->node = node;
		e->hide_peers = want->guid && !fab_is_switch(&f.s->nodes[node]);
	} else if (!r && want->guid) {
		r = find_guid(d, e);
	} else if (!r && want->path) {
		r = find_path(d, e);
	}
	if (!r) {
		e->ports = xcalloc(f.s->nports + 1u, sizeof(struct pma_port *));
		e->sums = xcalloc(f.s->nnodes + 1u, sizeof(struct pma_port *));
		r = counters_check(d, e);
	}
	state_clear(e);
	diag_fabric_clear(&f);
	return r;
}

static const struct diag_option options[] = {
	{ 's', "suppress", "<err1,err2,...>", "suppress errors listed" },
	{ 'c', "suppress-common", NULL, "suppress some of the common counters" },
	{ 'G', "port-guid", "<port_guid>",
		"report the node containing the port specified by <port_guid>" },
	{ 'S', "switch-guid", "<port_guid>", "Same as \"-G\" for backward compatibility" },
	{ 'D', "Direct", "<dr_path>",
		"report the node containing the port specified by <dr_path>" },
	{ OPT_SKIP_SL, "skip-sl", NULL, "don't obtain SL to all destinations" },
	{ 'r', "report-port", NULL, "report port link information" },
	{ OPT_THRESHOLDS, "threshold-file", "<val>",
		"specify an alternate threshold file, default: " PMA_THRESHOLDS_FILE },
	{ 'R', "GNDN", NULL, "(This option is obsolete and does nothing)" },
	{ OPT_DATA, "data", NULL, "include data counters for ports with errors" },
	{ OPT_SWITCH, "switch", NULL, "print data for switches only" },
	{ OPT_CA, "ca", NULL, "print data for CA's only" },
	{ OPT_ROUTER, "router", NULL, "print data for routers only" },
	{ OPT_DETAILS, "details", NULL, "include transmit discard details" },
	{ OPT_COUNTERS, "counters", NULL, "print data counters only" },
	{ 'k', "clear-errors", NULL, "Clear error counters after read" },
	{ 'K', "clear-counts", NULL, "Clear data counters after read" },
	{ OPT_LOAD_CACHE, "load-cache", "<file>", "filename of ibnetdiscover cache to load" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibqueryerrors", .operands = "",
	.about = "reports the ports of the fabric whose error counters are above a threshold",
	.masked = "DGLsK", .options = options, .flags = DIAG_FABRIC, .rows = "ports",
	.option = option, .run = ibqueryerrors_run,
	.state_bytes = sizeof(struct ibqueryerrors), .init = state_init,
};
