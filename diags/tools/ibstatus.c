/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibstatus.c - prints the values of sysfs for the ports of this machine.
 * Room: diags/tools.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/cas.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"

static const struct row {
	const char *label, *file, *key;
} rows[] = {
	{ "default gid:\t", "gids/0", "default_gid" }, { "base lid:\t", "lid", "lid" },
	{ "sm lid:\t\t", "sm_lid", "sm_lid" },
	{ "state:\t\t", "state", "state" }, { "phys state:\t", "phys_state", "phys_state" },
	{ "rate:\t\t", "rate", "rate" },
	{ "link_layer:\t", "link_layer", "link_layer" },
};

/* Replaces each run of blanks by one blank, as echo of the original shell script did. */
static void
squeeze(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++)
		if (*p != ' ' || (to > text && to[-1] != ' ' && p[1] && p[1] != ' '))
			*to++ = *p;
	*to = '\0';
}

static void
show_port(struct diag *d, const char *device, unsigned port)
{
	json_t *o = json_object();
	char file[64], text[160];

	diag_text(d, "Infiniband device '%s' port %u status:\n", device, port);
	json_object_set_new(o, "device", json_string(device));
	json_object_set_new(o, "port", json_integer(port));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool last = !strcmp(rows[i].file, "link_layer"), known;

		snprintf(file, sizeof(file), "ports/%u/%s", port, rows[i].file);
		known = cas_sysfs(device, file, text, sizeof(text));
		if (known)
			squeeze(text);
		json_object_set_new(o, rows[i].key, known ? json_string(text) : json_null());
		diag_text(d, "\t%s %s\n", rows[i].label, known ? text : last ? "IB" : "unknown");
	}
	diag_text(d, "\n");
	diag_row(d, "ports", o);
}

/* Shows the ports that "DEVICE" or "DEVICE:PORT" names; NULL: all. */
static int
port_show(struct diag *d, const struct ca *cas, size_t n, const char *what)
{
	const char *colon = what ? strrchr(what, ':') : NULL;
	size_t len = colon ? (size_t)(colon - what) : what ? strlen(what) : 0;
	uint64_t port = 0;
	bool found = false;

	if (colon && !diag_number(colon + 1, 254, &port))
		return diag_usage(d, "\"%s\" is not a port number", colon + 1);
	for (size_t i = 0; i < n; i++) {
		if (what && (strlen(cas[i].name) != len || strncmp(cas[i].name, what, len)))
			continue;
		found = true;
		if (colon)
			show_port(d, cas[i].name, (unsigned)port);
		for (unsigned p = 0; cas[i].ports && p <= cas[i].nports && !colon; p++)
			if (cas[i].ports[p].present)
				show_port(d, cas[i].name, p);
	}
	if (!found)
		return diag_fail(d, EXIT_FATAL, "no_device",
			"device '%s': sys files not found (/sys/class/infiniband/%s/ports)", what,
			what);
	return EXIT_OK;
}

static int
ibstatus_run(struct diag *d, int argc, char **argv)
{
	struct ca *cas;
	size_t n = cas_list(&cas);
	int r = 0;

	if (!n && !argc) {
		diag_text(d, "Fatal error:  No devices\n");
		r = diag_fail(d, EXIT_FATAL, "no_device", "No devices");
	} else if (!argc) {
		r = port_show(d, cas, n, NULL);
	}
	for (int i = 0; i < argc && !r; i++)
		r = port_show(d, cas, n, argv[i]);
	cas_free(cas, n);
	return r;
}

static const char *const examples[] = {
	"mthca1\t\t# shows status of all ports of 'mthca1'",
	"mthca0:2\t# shows status port number 2 of 'mthca0'",
	"\t\t# default: shows status of all ports",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibstatus", .operands = "[devname[:portnum]]...",
	.about = "shows what the kernel reports about the ports of this machine",
	.examples = examples, .masked = "zCDeGKLPsty", .flags = DIAG_NO_PORT, .rows = "ports",
	.run = ibstatus_run,
};
