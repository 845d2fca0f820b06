/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibaddr.c - prints the GID and the LIDs of a port.
 * Room: diags/tools.
 */
#include <config.h>
#include <arpa/inet.h>
#include <errno.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/wire/gid.h"

struct ibaddr {
	bool show_gid, show_lid, decimal;
};

static int
option(struct diag *d, int id, const char *value)
{
	struct ibaddr *opt = diag_state(d);

	(void)d;
	(void)value;
	if (id == 'g')
		opt->show_gid = true;
	else if (id == 'l')
		opt->show_lid = true;
	else if (id == 'L')
		opt->decimal = true;
	else
		return -ENOENT;
	return 0;
}

static void
address_show(struct diag *d, const uint8_t gid[16], const struct port_info *p)
{
	struct ibaddr *opt = diag_state(d);
	unsigned first = p->lid, last = first + (1u << p->lmc) - 1;
	char text[INET6_ADDRSTRLEN] = "";
	json_t *o = json_object();

	inet_ntop(AF_INET6, gid, text, sizeof(text));
	if (opt->show_gid)
		diag_text(d, "GID %s ", text);
	if (opt->decimal)
		diag_text(d, "LID start %u end %u", first, last);
	else if (opt->show_lid)
		diag_text(d, "LID start 0x%x end 0x%x", first, last);
	diag_text(d, "\n");
	json_object_set_new(o, "gid", diag_json_gid(gid));
	json_object_set_new(o, "lid", json_integer(first));
	json_object_set_new(o, "lid_end", json_integer(last));
	json_object_set_new(o, "lmc", json_integer(p->lmc));
	json_object_set_new(diag_doc(d), "address", o);
}

static int
ibaddr_run(struct diag *d, int argc, char **argv)
{
	struct ibaddr *opt = diag_state(d);
	struct diag_addr to;
	uint8_t node[64], port[64], gid[16];
	struct port_info p;
	uint64_t num = 0;
	int r;

	if (argc > 1 && !diag_number(argv[1], 254, &num))
		return diag_usage(d, "\"%s\" is not a port number", argv[1]);
	if (!opt->show_lid && !opt->show_gid && !opt->decimal)
		opt->show_lid = opt->show_gid = true;
	r = diag_open(d);
	if (!r && argc)
		r = diag_address(d, argv[0], &to);
	if (r)
		return r;
	if (!argc) {
		num = diag_port(d)->port;
		to = diag_addr_self();
	}
	if (diag_get(d, &to, NODE_INFO_ID, 0, node) || diag_get(d, &to, PORT_INFO_ID, (uint32_t)num,
	    port))
		return diag_give_up(d, "can't resolve requested address");
	p = port_info_decode(port);
	gid_set(gid, p.gid_prefix, node_info_decode(node).port_guid);
	address_show(d, gid, &p);
	return EXIT_OK;
}

static const struct diag_option options[] = {
	{ 'g', "gid_show", NULL, "show gid address only" },
	{ 'l', "lid_show", NULL, "show lid range only" },
	{ 'L', "Lid_show", NULL, "show lid range (in decimal) only" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"\t\t# local port's address",
	"32\t\t# show lid range and gid of lid 32",
	"-G 0x8f1040023\t# same but using guid address",
	"-l 32\t\t# show lid range only",
	"-L 32\t\t# show decimal lid range only",
	"-g 32\t\t# show gid address only",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibaddr", .operands = "[<lid|dr_path|guid>]",
	.about = "shows the GID and the LID range of a port",
	.examples = examples, .masked = "KL", .options = options, .option = option,
	.run = ibaddr_run,
	.state_bytes = sizeof(struct ibaddr),
};
