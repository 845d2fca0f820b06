/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.c - what a command prints: lines of text, or exactly one JSON document in the common
 * envelope.
 * Room: verbs/ibhcatest.
 */
#include <config.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libmad/wire/gid.h"
#include "util/guid.h"
#include "verbs/ibhcatest/ibhcatest.h"

void
report_begin(struct report *r, const struct ask *a, const char *schema)
{
	memset(r, 0, sizeof(*r));
	r->ask = a;
	r->schema = schema;
	r->doc = json_object();
	r->errors = json_array();
	r->findings = json_array();
	r->local = json_null();
	r->begun_ns = meas_real_ns();
}

static void
status_worsen(struct report *r, enum exit_status status)
{
	static const enum exit_status order[] = { EXIT_OK, EXIT_FINDINGS, EXIT_PARTIAL, EXIT_USAGE,
		EXIT_FATAL };
	size_t have = 0, want = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		have = order[i] == r->status ? i : have;
		want = order[i] == status ? i : want;
	}
	if (want > have)
		r->status = status;
}

static json_t *
text_json(const char *text)
{
	json_t *v = json_string(text);

	return v ? v : json_string("(a sentence with bytes that are no UTF-8)");
}

void
report_error(struct report *r, enum exit_status status, const char *code, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fflush(stdout);
	fprintf(stderr, "ibhcatest: %s\n", text);
	json_array_append_new(r->errors,
		json_pack("{s:s,s:s,s:{s:n,s:n,s:n,s:n,s:n,s:n},s:n,s:n,s:n,s:o}", "severity",
		"error", "code", code, "target",
		"node_guid", "port_guid", "lid", "port", "path", "name", "attribute", "modifier",
		"mad_status", "message", text_json(text)));
	r->incomplete = true;
	status_worsen(r, status);
}

/* The identifier of a finding: equal in every run for equal findings. */
static uint64_t
finding_hash(const char *code, const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (const char *p = code; *p; p++)
		h = (h ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	for (const char *p = text; *p; p++)
		h = (h ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	return h;
}

void
report_finding(struct report *r, const char *code, json_t *value, const char *expected,
	const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	report_text(r, "FAILED: %s\n", text);
	json_array_append_new(r->findings, json_pack("{s:o,s:s,s:s,s:o,s:[],s:o,s:s?}", "id",
		guid_to_json(finding_hash(code, expected ? expected : text)), "severity",
		"error", "code", code, "message", text_json(text), "ends", "value", value,
		"expected", expected));
	status_worsen(r, EXIT_FINDINGS);
}

void
report_text(const struct report *r, const char *fmt, ...)
{
	va_list ap;

	if (r->ask->json != ASK_TEXT)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

json_t *
report_facts(const struct meas_facts *f, const struct meas_route *route, bool is_a)
{
	const struct meas_gid *g = route ? is_a ? &route->a : &route->b : NULL;
	char gid[40] = "";
	json_t *o;

	if (!f->device[0])
		return json_null();             /* the device was never queried */
	if (g)
		meas_gid_text(g->raw, gid, sizeof(gid));
	o = json_pack("{s:s,s:s,s:i,s:s,s:s,s:o,s:s,s:s,s:s,s:s,s:f,s:i,s:i,s:o}", "host", f->host,
		"device", f->device, "port", f->port, "provider", f->provider, "firmware",
		f->firmware, "node_guid", guid_to_json(f->node_guid), "link_layer",
		f->gids.infiniband ? "InfiniBand" : "Ethernet",
		"state", f->state, "width", f->width, "speed", f->speed, "rate_gbps", f->rate_gbps,
		"mtu", (int)f->mtu_bytes, "lid", f->gids.lid,
		"emulated", f->emulated[0] ? json_string(f->emulated) : json_null());
	if (!o)
		return json_null();
	json_object_set_new(o, "gid", g ? json_string(gid) : json_null());
	json_object_set_new(o, "gid_index", g ? json_integer(g->index) : json_null());
	json_object_set_new(o, "gid_kind", g ? json_string(meas_gid_kind(g)) : json_null());
	return o;
}

void
report_local(struct report *r, const struct meas_facts *f)
{
	uint64_t guid = 0;

	if (!f->device[0])
		return;
	if (f->gids.n)
		guid = gid_guid(f->gids.v[0].raw);
	json_decref(r->local);
	r->local = json_pack("{s:s,s:i,s:o,s:i,s:i}", "ca", f->device, "port", f->port, "port_guid",
		guid_to_json(guid), "lid", f->gids.lid, "sm_lid", f->sm_lid);
}

static json_t *
document_new(struct report *r, json_t *summary)
{
	time_t now = time(NULL);
	struct tm tm;
	char when[40] = "1970-01-01T00:00:00Z", schema[64];
	json_t *d;

	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(schema, sizeof(schema), "heddle.ibhcatest_%s", r->ask->command);
	d = json_pack("{s:s,s:s,s:{s:s,s:s},s:s,s:I,s:i,s:s}", "schema",
		r->schema ? r->schema : schema, "schema_version", "1.0", "tool", "name",
		"ibhcatest",
		"version", PACKAGE_VERSION, "time", when, "wall_ms",
		(json_int_t)((meas_real_ns() - r->begun_ns) / 1000000), "exit_status",
		(int)r->status,
		"source", "live");
	json_object_set(d, "local", r->local);
	json_object_set(d, "options", r->ask->options);
	json_object_set_new(d, "mads", json_pack("{s:i,s:i,s:i,s:i,s:i}", "sent", 0, "received", 0,
		"retries", 0, "timeouts", 0, "bad_status", 0));
	json_object_set_new(d, "incomplete", json_boolean(r->incomplete));
	json_object_set(d, "errors", r->errors);
	json_object_set(d, "findings", r->findings);
	json_object_set(d, "summary", summary);
	json_object_update(d, r->doc);
	return d;
}

int
report_end(struct report *r, json_t *summary)
{
	json_t *s = summary ? summary : json_object();

	if (r->ask->json != ASK_TEXT) {
		json_t *d = document_new(r, s);

		json_dumpf(d, stdout,
			JSON_REAL_PRECISION(9) | (r->ask->json == ASK_PRETTY ? JSON_INDENT(2) :
			JSON_COMPACT));
		putchar('\n');
		json_decref(d);
	}
	json_decref(s);
	json_decref(r->doc);
	json_decref(r->errors);
	json_decref(r->findings);
	json_decref(r->local);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ibhcatest: standard output took not all\n");
		return EXIT_FATAL;
	}
	return (int)r->status;
}

void
report_verdict(struct report *r, const struct meas_expect *e, const json_t *row, const char *who)
{
	json_int_t size = json_integer_value(json_object_get(row, "size"));
	char text[300];
	double v;

	if (meas_row_problem(row, text, sizeof(text)))
		report_finding(r, "data", json_null(), NULL, "%s%s", who, text);
	for (unsigned i = 0; i < e->n; i++) {
		const struct meas_term *t = &e->terms[i];

		if ((t->size && size != t->size) || !meas_row_figure(row, t->figure, &v) ||
			    meas_term_holds(t, v))
			continue;
		report_finding(r, "expect", json_real(v), t->text,
			"%s%s of messages of %d bytes is %.6g %s, and \"%s\" was expected", who,
			meas_figure_name(t->figure), (int)size, v, meas_figure_unit(t->figure),
			t->text);
	}
}
