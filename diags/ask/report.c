/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.c - reports failed requests, and prints addresses.
 * Room: diags/ask.
 */
#include <config.h>
#include <arpa/inet.h>
#include <stdio.h>
#include "diags/ask/engine_int.h"
#include "diags/ask/report.h"
#include "diags/core/addr.h"
#include "diags/core/status.h"
#include "fabric/snapshot/snapshot.h"

const char *
diag_label(const struct diag_addr *a, char buf[static DIAG_LABEL_BYTES])
{
	char gid[INET6_ADDRSTRLEN];
	size_t n = 0;

	buf[0] = '\0';
	if (a->kind != DIAG_ADDR_PATH) {
		n += (size_t)snprintf(buf, DIAG_LABEL_BYTES, "Lid %u", a->lid);
		if (a->grh && inet_ntop(AF_INET6, a->gid, gid, sizeof(gid)))
			n += (size_t)snprintf(buf + n, DIAG_LABEL_BYTES - n, " Gid %s", gid);
		if (a->kind == DIAG_ADDR_LID)
			return buf;
		buf[n++] = ' ';
	}
	n += (size_t)snprintf(buf + n, DIAG_LABEL_BYTES - n, "DR path slid %u; dlid %u; ",
		a->dr_slid, a->dr_dlid);
	fab_path_text(a->path, a->hop_count, buf + n, DIAG_LABEL_BYTES - n);
	return buf;
}

static const char *
attribute_name(const struct diag_request *q, char *buf, size_t room)
{
	const char *name = dgram_attr_name(q->mgmt_class, q->attr_id);

	if (name)
		return name;
	snprintf(buf, room, "attribute 0x%04x", q->attr_id);
	return buf;
}

const char *
diag_end_text(const struct diag *d, enum diag_end end)
{
	switch (end) {
	case DIAG_OK: case DIAG_STATUS: break;
	case DIAG_TIMEOUT: return "timeout";
	case DIAG_ABSENT: return engine_has_answers(d) ? "not in the capture" : "not in the file";
	case DIAG_FAILED: return "cannot send";
	}
	return "answered";
}

const char *
diag_end_code(enum diag_end end)
{
	switch (end) {
	case DIAG_OK: break;
	case DIAG_TIMEOUT: return "timeout";
	case DIAG_STATUS: return "mad_status";
	case DIAG_ABSENT: return "not_found";
	case DIAG_FAILED: return "io";
	}
	return "internal";
}

void
diag_query_report(struct diag *d, const struct diag_request *q, const struct diag_reply *r)
{
	char label[DIAG_LABEL_BYTES], name[32];
	struct diag_where w = DIAG_NOWHERE;

	diag_label(q->to, label);
	w.addr = q->to;
	w.attribute = attribute_name(q, name, sizeof(name));
	w.modifier = q->modifier;
	w.mad_status = r->end == DIAG_STATUS ? r->status : 0;
	switch (r->end) {
	case DIAG_OK:
		return;
	case DIAG_TIMEOUT: case DIAG_ABSENT: case DIAG_FAILED:
		diag_warn(d, EXIT_PARTIAL, diag_end_code(r->end), &w, "%s: %s %s %u",
			diag_end_text(d, r->end), label, w.attribute, q->modifier);
		return;
	case DIAG_STATUS:
		diag_warn(d, EXIT_PARTIAL, "mad_status", &w, "status 0x%04x (%s): %s %s %u",
			r->status,
			dgram_status_text(r->status, q->mgmt_class == CLASS_SA), label, w.attribute,
			q->modifier);
		return;
	}
}
