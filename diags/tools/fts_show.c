/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fts_show.c - prints a forwarding table in the format of infiniband-diags, and as rows.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/fabric/fabric.h"
#include "diags/tools/fts.h"
#include "util/put.h"

#define PORTS_TEXT_BYTES 520
#define OUT_BYTES 32768
#define LINE_BYTES (FTS_TEXT_BYTES + 40)

/* The destination of the last base LID: the LIDs after it, up to 'last', are other paths to the
 * same port. */
struct run {
	const struct fts_dest *dest;
	bool known;
	uint32_t base, last;            /* range of its LIDs; 0, 0 before the first */
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

/* Prints the text between 'buf' and 'to'; returns 'buf'. */
static char *
put_out(struct diag *d, char *buf, const char *to)
{
	diag_write(d, buf, (size_t)(to - buf));
	return buf;
}

/* ---- lines; written without printf, since a large fabric has millions of them ---- */

void
fts_dest_known(struct fts_dest *dest)
{
	char *to = put_string(dest->text, ": (");

	to = put_string(to, kind_word(dest->type));
	to = put_string(to, " portguid 0x");
	to = put_hex(to, dest->port_guid, 16);
	to = put_string(to, ": '");
	to = put_string(to, dest->name);
	to = put_string(to, "')");
	dest->text_bytes = (uint16_t)(to - dest->text);
	dest->known = true;
}

void
fts_dest_unknown(struct fts_dest *dest, const char *text)
{
	dest->text_bytes = (uint16_t)(put_string(dest->text, text) - dest->text);
	dest->known = false;
}

/* Appends "0x0001 001 ". */
static char *
put_lid(char *to, uint32_t lid, unsigned port)
{
	to = put_hex(put_string(to, "0x"), lid, 4);
	*to++ = ' ';
	*to++ = (char)('0' + port / 100 % 10);
	*to++ = (char)('0' + port / 10 % 10);
	*to++ = (char)('0' + port % 10);
	*to++ = ' ';
	return to;
}

/* Appends the text for another path to the port whose base LID is known. */
static char *
put_path(char *to, const struct run *run, uint32_t lid, bool valid)
{
	to = put_dec(put_string(to, ": (path #"), lid - run->base + valid);
	if (!valid)
		return put_string(to, " - illegal port)");
	to = put_dec(put_string(to, " out of "), run->last - run->base + 1);
	to = put_hex(put_string(to, ": portguid 0x"), run->dest->port_guid, 16);
	return put_string(to, ")");
}

/* Appends the destination of an entry. Sets 'run->known' if 'run' describes the port of this
 * LID. */
static char *
put_dest(char *to, struct diag *d, struct run *run, uint32_t lid, bool valid, fts_who *who,
	void *arg)
{
	run->known = valid && lid <= run->last;
	if (lid <= run->last)
		return put_path(to, run, lid, valid);
	if (!valid)
		return put_string(to, ": (illegal port)");
	run->dest = who(d, arg, (uint16_t)lid);
	run->known = run->dest->known;
	if (run->known && run->dest->lmc) {
		run->base = run->dest->base_lid;
		run->last = run->base + (1u << run->dest->lmc) - 1;
	}
	return put_bytes(to, run->dest->text, run->dest->text_bytes);
}

static uint32_t
show_unicast(struct diag *d, const struct fts_want *w, const struct fts *t, fts_who *who, void *arg)
{
	char buf[OUT_BYTES], *to = buf;
	struct run run = { .base = 0 };
	uint32_t shown = 0;
	json_t *o;

	diag_text(d, "  Lid  Out   Destination\n       Port     Info \n");
	for (uint32_t lid = t->first; lid <= t->last; lid++) {
		int port = fts_port(t, lid);
		bool valid = port <= t->nports;

		if (port < 0 || (!valid && !w->all))
			continue;
		if (to > buf + sizeof(buf) - LINE_BYTES)
			to = put_out(d, buf, to);
		to = put_lid(to, lid, (unsigned)port);
		if (!w->brief)
			to = put_dest(to, d, &run, lid, valid, who, arg);
		*to++ = '\n';
		shown++;
		if (diag_is_text(d))
			continue;
		o = route_row(t, lid);
		json_object_set_new(o, "port", json_integer(port));
		json_object_set_new(o, "ports", json_null());
		json_object_set_new(o, "destination", run.known ? dest_json(run.dest, lid) :
			json_null());
		diag_row(d, "routes", o);
	}
	put_out(d, buf, to);
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

/* Writes the ports of a multicast LID to 'text': a cross per port, or with -n hexadecimal masks of
 * 16 ports. Returns false if there are none. */
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
			n += (size_t)snprintf(text + n, PORTS_TEXT_BYTES - n, "%s ",
				mask ? "x" : " ");
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
		diag_text(d, "Switch multicast mlid capability is %d top is 0x%x\n",
			t->info.mft_cap, t->info.mft_top);
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

	diag_text(d, "%s [0x%x-0x%x] of switch %s guid 0x%016" PRIx64 " (%s):\n",
		t->multicast ? "Multicast mlids" : "Unicast lids", t->first,
		t->last, diag_label(&t->addr, label), t->guid, t->name);
	shown = t->multicast ? show_multicast(d, w, t) : show_unicast(d, w, t, who, arg);
	diag_text(d, "%u %s%slids dumped \n", shown, w->all ? "" : "valid ",
		t->multicast ? "m" : "");
	if (!diag_is_text(d))
		diag_row(d, "switches", switch_json(t, shown));
}
