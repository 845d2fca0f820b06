/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * smpdump.c - prints one subnet management attribute of a node as received: in hexadecimal or as a
 * string.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/attr.h"

#define DATA_BYTES 64
#define WORDS_PER_LINE 8

struct smpdump {
	bool as_string;
};

static int
option(struct diag *d, int id, const char *value)
{
	struct smpdump *opt = diag_state(d);

	(void)d;
	(void)value;
	if (id != 's')
		return -ENOENT;
	opt->as_string = true;
	return 0;
}

static void
put_data(struct diag *d, const uint8_t data[static DATA_BYTES])
{
	struct smpdump *opt = diag_state(d);

	if (opt->as_string) {
		diag_text(d, "%.*s\n", DATA_BYTES, (const char *)data);
		return;
	}
	for (unsigned i = 0; i < DATA_BYTES; i += 2)
		diag_text(d, "%02x%02x%s", data[i], data[i + 1], (i / 2 + 1) % WORDS_PER_LINE ?
			" " : "\n");
}

static void
put_document(struct diag *d, const struct diag_reply *r, unsigned status)
{
	struct smpdump *opt = diag_state(d);
	char hex[2 * DATA_BYTES + 1];

	for (unsigned i = 0; r->data && i < DATA_BYTES; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", r->data[i]);
	json_object_set_new(diag_doc(d), "status",
		json_string(r->end == DIAG_TIMEOUT ? "timeout" : r->end == DIAG_ABSENT ? "skipped" :
		status & 0x7fff ? "mad_status" : "ok"));
	json_object_set_new(diag_doc(d), "mad_status", r->data ? diag_json_hex(status,
		4) : json_null());
	json_object_set_new(diag_doc(d), "data", r->data ? json_string(hex) : json_null());
	if (r->data && opt->as_string)
		attr_json_set_text(diag_doc(d), "string", r->data, strnlen((const char *)r->data,
			DATA_BYTES));
	else
		json_object_set_new(diag_doc(d), "string", json_null());
}

static int
unanswered(struct diag *d, const struct diag_request *q, enum diag_end end)
{
	struct diag_where w = DIAG_NOWHERE;
	char label[DIAG_LABEL_BYTES], name[32];

	w.addr = q->to;
	w.attribute = dgram_attr_name(CLASS_SM_LID, q->attr_id);
	snprintf(name, sizeof(name), "attribute 0x%04x", q->attr_id);
	if (!w.attribute)
		w.attribute = name;
	w.modifier = q->modifier;
	diag_warn(d, EXIT_PARTIAL, diag_end_code(end), &w, "%s: %s %s %u", diag_end_text(d, end),
		diag_label(q->to, label), w.attribute, q->modifier);
	return EXIT_PARTIAL;
}

static int
smpdump_run(struct diag *d, int argc, char **argv)
{
	static const uint8_t nothing[DATA_BYTES];
	uint64_t attr, modifier = 0;
	struct diag_request q = { 0 };
	struct diag_addr to;
	struct diag_reply r;
	unsigned status;
	int e;

	if (argc < 2)
		return diag_usage(d, "an address and an attribute are needed");
	if (!diag_number(argv[1], UINT16_MAX, &attr))
		return diag_usage(d, "the attribute \"%s\" is not a number from 0 to 65535",
			argv[1]);
	if (argc > 2 && !diag_number(argv[2], UINT32_MAX, &modifier))
		return diag_usage(d, "the modifier \"%s\" is not a number", argv[2]);
	e = diag_open(d);
	if (!e)
		e = diag_address(d, argv[0], &to);
	if (e)
		return e;
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&to));
	json_object_set_new(diag_doc(d), "attribute", diag_json_hex(attr, 4));
	json_object_set_new(diag_doc(d), "modifier", json_integer((json_int_t)modifier));
	q.to = &to;
	q.attr_id = (uint16_t)attr;
	q.modifier = (uint32_t)modifier;
	q.quiet = true;
	e = diag_query(d, &q, &r);
	/* The status is a part of what is dumped, with the bit that a directed route's answer
	 * has. */
	status = r.mad ? dgram_status(r.mad) | (dgram_direction(r.mad) ? DGRAM_DIRECTION : 0) : 0;
	if (r.mad || e == -ETIMEDOUT)
		put_data(d, r.mad ? r.data : nothing);
	if (status)
		diag_text(d, "SMP status: 0x%x\n", status);
	put_document(d, &r, status);
	diag_reply_clear(&r);
	return e && e != -EPROTO ? unanswered(d, &q, r.end) : EXIT_OK;
}

static const struct diag_option options[] = {
	{ 's', "string", NULL, "print the attribute as a string" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	" -- DR routed examples:",
	"-D 0,1,2,3,5 16\t# NODE DESC",
	"-D 0,1,2 0x15 2\t# PORT INFO, port 2",
	" -- LID routed examples:",
	"3 0x15 2\t# PORT INFO, lid 3 port 2",
	"0xa0 0x11\t# NODE INFO, lid 0xa0",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "smpdump", .operands = "<dlid|dr_path> <attr> [mod]",
	.about = "dumps a subnet management attribute of a node",
	.examples = examples, .masked = "GsKY", .flags = DIAG_REPLAY, .options = options,
	.option = option, .run = smpdump_run,
	.state_bytes = sizeof(struct smpdump),
};
