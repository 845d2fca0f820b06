/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma_counters.c - the table of counters: the fields that hold each one, its value, its threshold,
 * its member in a document.
 * Room: diags/perf.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/status.h"
#include "diags/fabric/gmp.h"
#include "diags/perf/pma.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/wire/wire.h"
#include "libmad/attr/codes.h"

static const struct counter {
	const char *name, *member;
	enum pma_kind kind;
} counters[PMA_NCOUNTERS] = {
#define C(id, label, member_, kind_) [PMA_##id] = { label, #member_, kind_ },
	PMA_COUNTERS_LIST(C)
#undef C
};

/* The image of an attribute in a struct pma_port, and its fields. */
static const struct source {
	unsigned want;
	const struct attr_desc *desc;
	size_t image;
} sources[] = {
	{ PMA_WANT_EXT, &pm_port_counters_ext_desc, offsetof(struct pma_port, ext) },
	{ PMA_WANT_COUNTERS, &pm_port_counters_desc, offsetof(struct pma_port, counters) },
	{ PMA_WANT_RCV_DETAILS, &pm_rcv_error_details_desc, offsetof(struct pma_port,
		rcv_details) },
	{ PMA_WANT_XMIT_DETAILS, &pm_xmit_discard_details_desc, offsetof(struct pma_port,
		xmit_details) },
};
#define NSOURCES (sizeof(sources) / sizeof(sources[0]))

const char *
pma_counter_name(enum pma_counter c)
{
	return counters[c].name;
}

enum pma_kind
pma_counter_kind(enum pma_counter c)
{
	return counters[c].kind;
}

enum pma_counter
pma_counter_find(const char *name)
{
	enum pma_counter c = 0;

	while (c < PMA_NCOUNTERS && strcasecmp(counters[c].name, name))
		c++;
	return c;
}

/* Returns the field of a counter in a source, or NULL; the names are searched only once. */
static const struct attr_field *
row_of(size_t source, enum pma_counter c)
{
	static struct {
		bool made;
		const struct attr_field *of[NSOURCES][PMA_NCOUNTERS];
	} rows;

	if (!rows.made) {
		for (size_t s = 0; s < NSOURCES; s++)
			for (enum pma_counter k = 0; k < PMA_NCOUNTERS; k++)
				rows.of[s][k] = attr_field_find(sources[s].desc,
					counters[k].member);
		rows.made = true;
	}
	return rows.of[source][c];
}

/* Reports whether the device has the counter in that attribute, according to the bits of
 * ClassPortInfo for single fields. */
static bool
caps_have(const struct pma_caps *caps, unsigned want, enum pma_counter c)
{
	bool wide = want == PMA_WANT_EXT, error = counters[c].kind == PMA_ERROR ||
		counters[c].kind == PMA_WAIT;

	if (wide && error && !(caps->mask2 & PMA_CAP2_EXT_ERRORS))
		return false;
	if (c == PMA_XMIT_WAIT)
		return caps->mask & PM_CLASS_CAP_XMIT_WAIT;
	if (c == PMA_QP1_DROPPED)
		return caps->mask & PM_CLASS_CAP_QP1_DROPPED;
	if (c >= PMA_UNICAST_XMIT_PKTS && c <= PMA_MULTICAST_RCV_PKTS)
		return caps->mask & PM_CLASS_CAP_EXT;
	return true;
}

struct pma_value
pma_value(const struct pma_port *p, enum pma_counter c)
{
	struct pma_value v = { 0 };

	for (size_t s = 0; s < NSOURCES; s++) {
		const struct attr_field *row = row_of(s, c);

		if (!(p->got & sources[s].want) || !row || !caps_have(&p->caps, sources[s].want, c))
			continue;
		v.value = wire_bits_get((const uint8_t *)p + sources[s].image, row->first_bit,
			row->width);
		v.width = (uint8_t)row->width;
		v.attr_id = sources[s].desc->id;
		v.supported = true;
		v.saturated = v.value == UINT64_MAX >> (64 - row->width);
		break;
	}
	return v;
}

const char *
pma_status_word(const struct pma_port *p)
{
	switch (p->end) {
	case DIAG_OK: return "ok";
	case DIAG_TIMEOUT: return "timeout";
	case DIAG_STATUS: return "mad_status";
	case DIAG_ABSENT: case DIAG_FAILED: break;
	}
	return "skipped";
}

/* ---- thresholds ---- */

static char *
blanks_trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		s[--n] = '\0';
	return s;
}

static int
take_line(struct diag *d, const char *path, unsigned line, char *text, struct pma_thresholds *t)
{
	char *name, *value;
	enum pma_counter c;

	text[strcspn(text, "#")] = '\0';
	name = blanks_trim(text);
	if (!*name)
		return 0;
	value = strchr(name, '=');
	if (!value)
		return diag_fail(d, EXIT_USAGE, "config", "%s:%u: \"%s\" is not Counter=value",
			path, line, name);
	*value++ = '\0';
	name = blanks_trim(name);
	value = blanks_trim(value);
	c = pma_counter_find(name);
	if (c == PMA_NCOUNTERS || !PMA_IS_ERROR(counters[c].kind))
		return diag_fail(d, EXIT_USAGE, "config",
			"%s:%u: no error counter is called \"%s\"", path, line, name);
	if (!diag_number(value, UINT64_MAX, &t->max[c]))
		return diag_fail(d, EXIT_USAGE, "config", "%s:%u: \"%s\" is not a number", path,
			line, value);
	if (!t->set[c])
		t->listed[t->nlisted++] = c;
	t->set[c] = true;
	return 0;
}

int
pma_thresholds_read(struct diag *d, const char *path, struct pma_thresholds *t)
{
	const char *name = path ? path : PMA_THRESHOLDS_FILE;
	FILE *f = fopen(name, "r");
	unsigned line = 0;
	char *text = NULL;
	size_t room = 0;
	int r = 0;

	if (!f && !path && errno == ENOENT)
		return 0;
	if (!f)
		return diag_fail(d, EXIT_USAGE, "config", "cannot read thresholds from %s: %s",
			name, strerror(errno));
	while (!r && getline(&text, &room, f) >= 0)
		r = take_line(d, name, ++line, text, t);
	if (!r && ferror(f))
		r = diag_fail(d, EXIT_USAGE, "config", "cannot read thresholds from %s: %s", name,
			strerror(errno));
	t->read = !r;
	free(text);
	fclose(f);
	return r;
}

bool
pma_over(const struct pma_thresholds *t, enum pma_counter c, const struct pma_value *v)
{
	return PMA_IS_ERROR(counters[c].kind) && v->supported && !t->suppressed[c] &&
		v->value > t->max[c];
}

/* ---- documents ---- */

static json_t *
number(const struct pma_value *v, uint64_t times)
{
	if (!v->supported)
		return json_null();
	return attr_json_integer(v->value > UINT64_MAX / times ? UINT64_MAX : v->value * times);
}

static json_t *
counter_json(enum pma_counter c, const struct pma_value *v, const struct pma_thresholds *t)
{
	json_t *o = json_object();
	bool cut = v->value > INT64_MAX || (counters[c].kind == PMA_DATA &&
		v->value > INT64_MAX / 4);

	if (counters[c].kind == PMA_DATA) {
		json_object_set_new(o, "words", number(v, 1));
		json_object_set_new(o, "bytes", number(v, 4));
	} else {
		json_object_set_new(o, "value", number(v, 1));
	}
	json_object_set_new(o, "width", v->supported ? json_integer(v->width) : json_null());
	json_object_set_new(o, "saturated", v->supported ? json_boolean(v->saturated || cut) :
		json_null());
	if (cut)
		json_object_set_new(o, "raw", diag_json_hex(v->value, 16));
	json_object_set_new(o, "supported", json_boolean(v->supported));
	json_object_set_new(o, "source_attribute", v->supported ? diag_json_hex(v->attr_id,
		4) : json_null());
	if (t && PMA_IS_ERROR(counters[c].kind)) {
		json_object_set_new(o, "threshold", t->suppressed[c] ? json_null() :
			attr_json_integer(t->max[c]));
		json_object_set_new(o, "over", json_boolean(pma_over(t, c, v)));
	}
	return o;
}

static json_t *
counters_json(const struct pma_port *p, const struct pma_thresholds *t, bool details)
{
	json_t *o = json_object();

	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		struct pma_value v = pma_value(p, c);

		if (details == (counters[c].kind == PMA_RCV_DETAIL ||
		    counters[c].kind == PMA_XMIT_DETAIL))
			json_object_set_new(o, counters[c].name, counter_json(c, &v, t));
	}
	return o;
}

json_t *
pma_json_value(enum pma_counter c, const struct pma_value *v)
{
	return counter_json(c, v, NULL);
}

json_t *
pma_json_counters(const struct pma_port *p, const struct pma_thresholds *t)
{
	return counters_json(p, t, false);
}

json_t *
pma_json_details(const struct pma_port *p)
{
	return p->got & (PMA_WANT_RCV_DETAILS | PMA_WANT_XMIT_DETAILS) ? counters_json(p, NULL,
		true) : json_null();
}

/* Reads a number in the form of counter_json() or of --json-u64=string. */
static bool
read_number(const json_t *o, uint64_t *v)
{
	const json_t *n = json_object_get(o, "raw");

	if (!n)
		n = json_object_get(o, "value");
	if (!n)
		n = json_object_get(o, "words");
	if (json_is_string(n))
		return diag_number(json_string_value(n), UINT64_MAX, v);
	if (!json_is_integer(n) || json_integer_value(n) < 0)
		return false;
	*v = (uint64_t)json_integer_value(n);
	return true;
}

static void
take_counter(const json_t *o, enum pma_counter c, struct pma_port *p)
{
	const char *source = json_string_value(json_object_get(o, "source_attribute"));
	uint64_t id, v;

	if (!source || !diag_number(source, UINT16_MAX, &id) || !read_number(o, &v))
		return;
	for (size_t s = 0; s < NSOURCES; s++) {
		const struct attr_field *row = row_of(s, c);

		if (sources[s].desc->id != id || !row || v > UINT64_MAX >> (64 - row->width))
			continue;
		wire_bits_put((uint8_t *)p + sources[s].image, row->first_bit, row->width, v);
		p->got |= (uint8_t)sources[s].want;
		p->caps.mask |= c == PMA_XMIT_WAIT ? PM_CLASS_CAP_XMIT_WAIT :
			c == PMA_QP1_DROPPED ? PM_CLASS_CAP_QP1_DROPPED : 0;
		if (sources[s].want != PMA_WANT_EXT)
			continue;
		p->caps.mask |= c >= PMA_UNICAST_XMIT_PKTS && c <= PMA_MULTICAST_RCV_PKTS ?
			PM_CLASS_CAP_EXT : PM_CLASS_CAP_EXT_NO_CAST;
		p->caps.mask2 |= PMA_IS_ERROR(counters[c].kind) ? PMA_CAP2_EXT_ERRORS : 0u;
	}
}

bool
pma_from_json(const json_t *values, const json_t *details, struct pma_port *p)
{
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		take_counter(json_object_get(values, counters[c].name), c, p);
		take_counter(json_object_get(details, counters[c].name), c, p);
	}
	return p->got;
}

json_t *
pma_json_caps(const struct pma_caps *c)
{
	json_t *o;

	if (!c->known)
		return json_null();
	o = json_object();
	json_object_set_new(o, "mask", diag_json_hex(c->mask, 4));
	json_object_set_new(o, "mask2", diag_json_hex(c->mask2, 7));
	json_object_set_new(o, "all_ports", json_boolean(c->mask & PM_CLASS_CAP_ALL_PORTS));
	json_object_set_new(o, "extended", json_boolean(c->mask & (PM_CLASS_CAP_EXT |
		PM_CLASS_CAP_EXT_NO_CAST)));
	json_object_set_new(o, "extended_errors", json_boolean(c->mask2 & PMA_CAP2_EXT_ERRORS));
	json_object_set_new(o, "xmit_wait", json_boolean(c->mask & PM_CLASS_CAP_XMIT_WAIT));
	json_object_set_new(o, "qp1_dropped", json_boolean(c->mask & PM_CLASS_CAP_QP1_DROPPED));
	return o;
}
