/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts_show.c - a forwarding table as people and scripts know it, and as rows.
 * Room: diags.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/fts.h"

#define PORTS_TEXT_BYTES 520

/* What is known of the LIDs that follow a base LID: they are its other paths. */
struct run {
	struct fts_dest dest;
	uint32_t base, last;            /* of the range; 0, 0 before the first */
};

static const char *
kind_word(uint8_t type)
{
	static const char *const words[] = { "?", "Channel Adapter", "Switch", "Router" };

	return type < 4 ? words[type] : words[0];
}

static json_t *
route_row(const struct fts *t, uint32_t lid)
{
	json_t *o = json_object();

	json_object_set_new(o, "node_guid", diag_json_guid(t->guid));
	attr_json_set_text(o, "name", (const uint8_t *)t->name, strlen(t->name));
	json_object_set_new(o, "lid", json_integer(lid));
	return o;
}

static json_t *
dest_json(const struct fts_dest *dest, uint32_t lid)
{
	json_t *o = json_object();

	json_object_set_new(o, "type", json_string(fab_type_word(dest->type)));
	json_object_set_new(o, "port_guid", diag_json_guid(dest->port_guid));
	attr_json_set_text(o, "name", (const uint8_t *)dest->name, strlen(dest->name));
	json_object_set_new(o, "lid", json_integer(dest->base_lid));
	json_object_set_new(o, "path", json_integer((json_int_t)lid - dest->base_lid + 1));
	json_object_set_new(o, "paths", json_integer(1 << dest->lmc));
	return o;
}

static char *
put_hex(char *to, uint64_t v, unsigned digits)
{
	for (unsigned i = digits; i-- > 0; v >>= 4)
		to[i] = "0123456789abcdef"[v & 15];
	return to + digits;
}

static char *
put_string(char *to, const char *s)
{
	size_t n = strlen(s);

	memcpy(to, s, n);
	return to + n;
}

/* Nearly all lines of a dump of all tables, millions in a large fabric, end so: printf would take most of the time. */
static void
put_known(struct diag *d, const struct fts_dest *dest)
{
	char line[DIAG_NAME_BYTES + 80], *to = put_string(line, ": (");

	if (!diag_is_text(d))
		return;
	to = put_string(to, kind_word(dest->type));
	to = put_string(to, " portguid 0x");
	to = put_hex(to, dest->port_guid, 16);
	to = put_string(to, ": '");
	to = put_string(to, dest->name);
	to = put_string(to, "')");
	fwrite(line, 1, (size_t)(to - line), stdout);
}

/* "0x0001 001 " */
static void
put_lid(struct diag *d, uint32_t lid, unsigned port)
{
	char line[16], *to = put_hex(put_string(line, "0x"), lid, 4);

	if (!diag_is_text(d))
		return;
	*to++ = ' ';
	*to++ = (char)('0' + port / 100 % 10);
	*to++ = (char)('0' + port / 10 % 10);
	*to++ = (char)('0' + port % 10);
	*to++ = ' ';
	fwrite(line, 1, (size_t)(to - line), stdout);
}

/* Behind LID and port: where it leads.  '*known': 'run' is about this LID. */
static void
put_dest(struct diag *d, struct run *run, uint32_t lid, bool valid, fts_who *who, void *arg, bool *known)
{
	*known = false;
	if (lid <= run->last) {
		if (!valid) {
			diag_text(d, ": (path #%u - illegal port)", lid - run->base);
			return;
		}
		*known = true;
		diag_text(d, ": (path #%u out of %u: portguid 0x%016" PRIx64 ")", lid - run->base + 1, run->last - run->base + 1,
			run->dest.port_guid);
		return;
	}
	if (!valid) {
		diag_text(d, ": (illegal port)");
		return;
	}
	*known = who(d, arg, (uint16_t)lid, &run->dest);
	if (!*known) {
		diag_text(d, "%s", run->dest.name);
		return;
	}
	if (run->dest.lmc) {
		run->base = run->dest.base_lid;
		run->last = run->base + (1u << run->dest.lmc) - 1;
	}
	put_known(d, &run->dest);
}

static uint32_t
show_unicast(struct diag *d, const struct fts_want *w, const struct fts *t, fts_who *who, void *arg)
{
	struct run run = { .base = 0 };
	uint32_t shown = 0;
	bool known = false;
	json_t *o;

	diag_text(d, "  Lid  Out   Destination\n       Port     Info \n");
	for (uint32_t lid = t->first; lid <= t->last; lid++) {
		int port = fts_port(t, lid);
		bool valid = port <= t->nports;

		if (port < 0 || (!valid && !w->all))
			continue;
		put_lid(d, lid, (unsigned)port);
		if (!w->brief)
			put_dest(d, &run, lid, valid, who, arg, &known);
		if (diag_is_text(d))
			putc('\n', stdout);
		shown++;
		if (diag_is_text(d))
			continue;
		o = route_row(t, lid);
		json_object_set_new(o, "port", json_integer(port));
		json_object_set_new(o, "ports", json_null());
		json_object_set_new(o, "destination", known ? dest_json(&run.dest, lid) : json_null());
		diag_row(d, "routes", o);
	}
	return shown;
}

static void
put_ruler(struct diag *d, const struct fts *t)
{
	char text[PORTS_TEXT_BYTES];
	size_t n = 0;

	for (unsigned p = 0; t->nports > 9 && p <= t->nports; p++) {
		text[n++] = p % 10 ? ' ' : (char)('0' + p / 10 % 10);
		text[n++] = ' ';
	}
	text[n] = '\0';
	if (n)
		diag_text(d, "            %s\n", text);
	n = 0;
	for (unsigned p = 0; p <= t->nports; p++) {
		text[n++] = (char)('0' + p % 10);
		text[n++] = ' ';
	}
	text[n] = '\0';
	diag_text(d, "     Ports: %s\n MLid\n", text);
}

/* The ports of a multicast LID: a cross for each, or masks of 16 in hexadecimal.  False: none. */
static bool
ports_text(const struct fts *t, uint32_t mlid, bool brief, char text[static PORTS_TEXT_BYTES])
{
	size_t n = 0;
	bool any = false;

	for (unsigned p = 0; p < t->positions * 16u; p += brief ? 16 : 1) {
		unsigned mask = 0;

		if (!brief && p > t->nports)
			break;
		for (unsigned i = 0; i < (brief ? 16 : 1); i++)
			mask |= (unsigned)fts_mcast_port(t, mlid, p + i) << i;
		any |= mask;
		if (brief)
			n += (size_t)snprintf(text + n, PORTS_TEXT_BYTES - n, "%04x", mask);
		else
			n += (size_t)snprintf(text + n, PORTS_TEXT_BYTES - n, "%s ", mask ? "x" : " ");
	}
	return any;
}

static json_t *
ports_json(const struct fts *t, uint32_t mlid)
{
	json_t *a = json_array();

	for (unsigned p = 0; p <= t->nports; p++)
		if (fts_mcast_port(t, mlid, p))
			json_array_append_new(a, json_integer(p));
	return a;
}

static uint32_t
show_multicast(struct diag *d, const struct fts_want *w, const struct fts *t)
{
	char text[PORTS_TEXT_BYTES];
	uint32_t shown = 0;
	json_t *o;

	if (w->brief)
		diag_text(d, " MLid       Port Mask\n");
	else
		put_ruler(d, t);
	if (diag_settings(d)->verbose)
		diag_text(d, "Switch multicast mlid capability is %d top is 0x%x\n", t->info.mft_cap, t->info.mft_top);
	for (uint32_t mlid = t->first; mlid <= t->last; mlid++) {
		if (!ports_text(t, mlid, w->brief, text) && !w->all)
			continue;
		diag_text(d, "0x%04x      %s\n", mlid, text);
		shown++;
		if (diag_is_text(d))
			continue;
		o = route_row(t, mlid);
		json_object_set_new(o, "port", json_null());
		json_object_set_new(o, "ports", ports_json(t, mlid));
		json_object_set_new(o, "destination", json_null());
		diag_row(d, "routes", o);
	}
	return shown;
}

static json_t *
switch_json(const struct fts *t, uint32_t shown)
{
	json_t *o = json_object();

	json_object_set_new(o, "node_guid", diag_json_guid(t->guid));
	attr_json_set_text(o, "name", (const uint8_t *)t->name, strlen(t->name));
	json_object_set_new(o, "target", diag_json_addr(&t->addr));
	json_object_set_new(o, "num_ports", json_integer(t->nports));
	json_object_set_new(o, "first_lid", json_integer(t->first));
	json_object_set_new(o, "last_lid", json_integer(t->last));
	json_object_set_new(o, "lids", json_integer(shown));
	json_object_set_new(o, "blocks_unanswered", json_integer(t->unanswered));
	json_object_set_new(o, "status", json_string(t->unanswered ? "timeout" : "ok"));
	return o;
}

void
fts_show(struct diag *d, const struct fts_want *w, const struct fts *t, fts_who *who, void *arg)
{
	char label[DIAG_LABEL_BYTES];
	uint32_t shown;

	diag_text(d, "%s [0x%x-0x%x] of switch %s guid 0x%016" PRIx64 " (%s):\n", t->multicast ? "Multicast mlids" : "Unicast lids", t->first,
		t->last, diag_label(&t->addr, label), t->guid, t->name);
	shown = t->multicast ? show_multicast(d, w, t) : show_unicast(d, w, t, who, arg);
	diag_text(d, "%u %s%slids dumped \n", shown, w->all ? "" : "valid ", t->multicast ? "m" : "");
	if (!diag_is_text(d))
		diag_row(d, "switches", switch_json(t, shown));
}
