/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibstat.c - shows the adapters of this machine and their ports.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "diags/ask/cas.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/attr.h"

struct ibstat {
	bool names_only, no_ports, guids_only;
};

static int
option(struct diag *d, int id, const char *value)
{
	struct ibstat *opt = diag_state(d);

	(void)d;
	(void)value;
	if (id == 'l')
		opt->names_only = true;
	else if (id == 's')
		opt->no_ports = true;
	else if (id == 'p')
		opt->guids_only = true;
	else
		return -ENOENT;
	return 0;
}

static const char *
ca_kind(const struct ca *c)
{
	static const char *const words[] = { "???", "CA", "Switch", "Router" };

	return c->node_type < 4 ? words[c->node_type] : "???";
}

static const char *
state_word(unsigned state)
{
	static const char *const words[] = { "???", "Down", "Initializing", "Armed", "Active" };

	return state <= 4 ? words[state] : "???";
}

static const char *
phys_word(unsigned state)
{
	return state == 0 ? "No state change" : state <= 7 ? attr_word(ATTR_SHOW_PHYS_STATE,
		state) : "???";
}

static const char *
link_layer(const struct ca_port *p)
{
	return p->link_layer[0] ? p->link_layer : "IB";
}

static void
show_port(struct diag *d, const struct ca_port *p, unsigned num, bool alone)
{
	const char *t = alone ? "" : "\t\t";

	diag_text(d, "%sPort %d:\n", alone ? "" : "\t", num);
	diag_text(d, "%sState: %s\n", t, state_word(p->state));
	diag_text(d, "%sPhysical state: %s\n", t, phys_word(p->phys_state));
	if (p->rate_gbps == 2 && !p->fdr10)
		diag_text(d, "%sRate: 2.5\n", t);
	else
		diag_text(d, "%sRate: %u%s\n", t, p->rate_gbps, p->fdr10 ? " (FDR10)" : "");
	diag_text(d, "%sBase lid: %d\n", t, p->lid);
	diag_text(d, "%sLMC: %d\n", t, p->lmc);
	diag_text(d, "%sSM lid: %d\n", t, p->sm_lid);
	diag_text(d, "%sCapability mask: 0x%08x\n", t, p->cap_mask);
	diag_text(d, "%sPort GUID: 0x%016" PRIx64 "\n", t, p->guid);
	diag_text(d, "%sLink layer: %s\n", t, link_layer(p));
}

static void
show_ca(struct diag *d, const struct ca *c)
{
	diag_text(d, "%s '%s'\n", ca_kind(c), c->name);
	diag_text(d, "\t%s type: %s\n", ca_kind(c), c->type);
	diag_text(d, "\tNumber of ports: %d\n", c->nports);
	diag_text(d, "\tFirmware version: %s\n", c->firmware);
	diag_text(d, "\tHardware version: %s\n", c->hardware);
	diag_text(d, "\tNode GUID: 0x%016" PRIx64 "\n", c->node_guid);
	diag_text(d, "\tSystem image GUID: 0x%016" PRIx64 "\n", c->sys_guid);
}

static json_t *
port_json(const struct ca_port *p, unsigned num)
{
	json_t *o = json_object();

	json_object_set_new(o, "port", json_integer(num));
	json_object_set_new(o, "port_guid", diag_json_guid(p->guid));
	json_object_set_new(o, "state", json_string(state_word(p->state)));
	json_object_set_new(o, "state_raw", json_integer(p->state));
	json_object_set_new(o, "phys_state", json_string(phys_word(p->phys_state)));
	json_object_set_new(o, "phys_state_raw", json_integer(p->phys_state));
	json_object_set_new(o, "rate_gbps", p->rate_gbps == 2 ? json_real(2.5) :
		json_integer(p->rate_gbps));
	json_object_set_new(o, "fdr10", json_boolean(p->fdr10));
	json_object_set_new(o, "lid", json_integer(p->lid));
	json_object_set_new(o, "lmc", json_integer(p->lmc));
	json_object_set_new(o, "sm_lid", json_integer(p->sm_lid));
	json_object_set_new(o, "capability_mask", diag_json_hex(p->cap_mask, 8));
	json_object_set_new(o, "link_layer", json_string(link_layer(p)));
	return o;
}

/* Returns an adapter as a JSON object. 'only' is a port number; negative: all ports. */
static json_t *
ca_json(const struct ibstat *opt, const struct ca *c, int only)
{
	json_t *o = json_object(), *ports = json_array();

	json_object_set_new(o, "name", json_string(c->name));
	json_object_set_new(o, "status", json_string(c->error ? "bad_reply" : "ok"));
	json_object_set_new(o, "kind", c->error ? json_null() : json_string(ca_kind(c)));
	json_object_set_new(o, "type", c->error ? json_null() : json_string(c->type));
	json_object_set_new(o, "firmware", c->error ? json_null() : json_string(c->firmware));
	json_object_set_new(o, "hardware", c->error ? json_null() : json_string(c->hardware));
	json_object_set_new(o, "node_guid", c->error ? json_null() : diag_json_guid(c->node_guid));
	json_object_set_new(o, "system_guid", c->error ? json_null() : diag_json_guid(c->sys_guid));
	for (unsigned i = 0; c->ports && i <= c->nports && !opt->no_ports; i++)
		if (c->ports[i].present && (only < 0 || (unsigned)only == i))
			json_array_append_new(ports, port_json(&c->ports[i], i));
	json_object_set_new(o, "ports", ports);
	return o;
}

/* Shows one adapter. An error is reported and does not prevent the others from being shown. */
static void
show_one(struct diag *d, const struct ca *c, int only)
{
	struct ibstat *opt = diag_state(d);

	if (opt->names_only) {
		diag_text(d, "%s\n", c->name);
	} else if (opt->guids_only) {
		for (unsigned i = 0; c->ports && i <= c->nports; i++)
			if (c->ports[i].present && c->ports[i].guid)
				diag_text(d, "0x%016" PRIx64 "\n", c->ports[i].guid);
	} else if (c->error) {
		diag_warn(d, EXIT_PARTIAL, "io", NULL, "stat of IB device '%s' failed: %s", c->name,
			strerror(c->error));
	} else if (!c->node_type) {
		return;
	} else if (!opt->no_ports && only >= 0) {
		if ((unsigned)only > c->nports || !c->ports[only].present) {
			diag_fail(d, EXIT_USAGE, "not_found",
				"%s: '%s' has no port number %d - max (%d)", ca_kind(c), c->name,
				only, c->nports);
			return;
		}
		diag_text(d, "%s: '%s'\n", ca_kind(c), c->name);
		show_port(d, &c->ports[only], (unsigned)only, true);
	} else {
		show_ca(d, c);
		for (unsigned i = 0; i <= c->nports && !opt->no_ports; i++)
			if (c->ports[i].present)
				show_port(d, &c->ports[i], i, false);
	}
	diag_row(d, "cas", ca_json(opt, c, only));
}

static int
ibstat_run(struct diag *d, int argc, char **argv)
{
	struct ca *cas;
	size_t n = cas_list(&cas), shown = 0;
	uint64_t port = 0;
	int r = 0;

	if (argc > 1 && !diag_number(argv[1], 254, &port))
		r = diag_usage(d, "\"%s\" is not a port number", argv[1]);
	for (size_t i = 0; i < n && !r; i++)
		if (!argc || !strcmp(argv[0], cas[i].name)) {
			show_one(d, &cas[i], argc > 1 ? (int)port : -1);
			shown++;
		}
	if (!r && !n)
		r = diag_fail(d, EXIT_FATAL, "no_device",
			"there is no InfiniBand device on this machine");
	else if (!r && !shown)
		r = diag_fail(d, EXIT_USAGE, "not_found", "'%s' IB device can't be found", argv[0]);
	cas_free(cas, n);
	return r;
}

static const struct diag_option options[] = {
	{ 'l', "list_of_cas", NULL, "list all IB devices" },
	{ 's', "short", NULL, "short output" },
	{ 'p', "port_list", NULL, "show port list" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"-l       # list all IB devices",
	"mthca0 2 # stat port 2 of 'mthca0'",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibstat", .operands = "<ca_name> [portnum]",
	.about = "shows the adapters of this machine and their ports",
	.examples = examples, .masked = "CDeGKLPsty", .options = options, .flags = DIAG_NO_PORT,
	.rows = "cas",
	.option = option, .run = ibstat_run,
	.state_bytes = sizeof(struct ibstat),
};
