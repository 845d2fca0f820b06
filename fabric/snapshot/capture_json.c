/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * capture_json.c - a capture as JSON and back.
 * Room: fabric/snapshot.  Pure.
 *
 * A run is answers of one attribute whose modifiers (and selects) go in equal steps: a table is one
 * string.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/capture_impl.h"
#include "fabric/snapshot/capture_json.h"
#include "util/xalloc.h"

#define RUN_MAX 4096u
#define ANSWERS_MAX (1u << 26)

/* ---- out ---- */

static char *
put_hex(char *to, const struct capture_answer *a, size_t bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes; i++) {
		uint8_t b = i < a->bytes ? a->data[i] : 0;

		*to++ = digits[b >> 4];
		*to++ = digits[b & 15];
	}
	return to;
}

static bool
same_row(const struct capture_answer *a, const struct capture_answer *b)
{
	return a->key.node == b->key.node && a->key.port == b->key.port &&
		a->key.mgmt_class == b->key.mgmt_class &&
		a->key.attr_id == b->key.attr_id && a->status == b->status;
}

/* How many answers from 'a' on are one run. */
static size_t
run_length(const struct capture_answer *a, size_t n)
{
	uint64_t step = n > 1 ? capture_place(&a[1].key) - capture_place(&a[0].key) : 0;
	size_t k = 1;

	while (k < n && k < RUN_MAX && same_row(a, &a[k]) &&
	    capture_place(&a[k].key) - capture_place(&a[k - 1].key) == step)
		k++;
	return k;
}

static json_t *
run_out(const struct capture_answer *a, size_t n)
{
	uint64_t step = n > 1 ? capture_place(&a[1].key) - capture_place(&a[0].key) : 0;
	json_t *o = json_object();
	char *text, *end;
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes = a[i].bytes > bytes ? a[i].bytes : bytes;
	text = end = xmalloc(n * bytes * 2 + 1);
	for (size_t i = 0; i < n; i++)
		end = put_hex(end, &a[i], bytes);
	json_object_set_new(o, "class", json_integer(a->key.mgmt_class));
	json_object_set_new(o, "attribute", json_integer(a->key.attr_id));
	json_object_set_new(o, "modifier", json_integer(a->key.modifier));
	json_object_set_new(o, "select", json_integer(a->key.select));
	json_object_set_new(o, "step", json_integer((json_int_t)step));
	json_object_set_new(o, "count", json_integer((json_int_t)n));
	json_object_set_new(o, "status", json_integer(a->status));
	json_object_set_new(o, "data", json_stringn(text, (size_t)(end - text)));
	free(text);
	return o;
}

/* The answers of one node and port, from number '*at' on, which goes behind them. */
static json_t *
entry_out(const struct capture *c, const struct snapshot *s, size_t *at)
{
	const struct capture_key *first = &c->v[*at].key, *k;
	json_t *o = json_object(), *runs = json_array();
	char guid[24];
	size_t n;

	snprintf(guid, sizeof(guid), "0x%016" PRIx64, s->nodes[first->node].guid);
	json_object_set_new(o, "node", json_string(guid));
	json_object_set_new(o, "port", json_integer(first->port));
	json_object_set_new(o, "runs", runs);
	do {
		n = run_length(&c->v[*at], c->n - *at);
		json_array_append_new(runs, run_out(&c->v[*at], n));
		*at += n;
		k = *at < c->n ? &c->v[*at].key : NULL;
	} while (k && k->node == first->node && k->port == first->port);
	return o;
}

int
capture_each_json(struct capture *c, const struct snapshot *s, int (*take)(void *arg, size_t i,
	json_t *entry), void *arg)
{
	size_t at = 0, i = 0;
	int r = 0;

	capture_sort(c);
	while (at < c->n && !r)
		r = take(arg, i++, entry_out(c, s, &at));
	return r;
}

static int
append(void *arg, size_t i, json_t *entry)
{
	(void)i;
	return json_array_append_new(arg, entry);
}

json_t *
capture_to_json(struct capture *c, const struct snapshot *s)
{
	json_t *list = json_array();

	capture_each_json(c, s, append, list);
	return list;
}

/* ---- in ---- */

static int __attribute__((format(printf, 2, 3)))
refuse(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, CAPTURE_WHY_BYTES, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static bool
number(const json_t *o, const char *key, json_int_t max, uint64_t *v)
{
	const json_t *n = json_object_get(o, key);

	if (!json_is_integer(n) || json_integer_value(n) < 0 || json_integer_value(n) > max)
		return false;
	*v = (uint64_t)json_integer_value(n);
	return true;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
read_hex(const char *text, uint8_t *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		int hi = hex_digit(text[2 * i]), lo = hex_digit(text[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		p[i] = (uint8_t)(hi << 4 | lo);
	}
	return true;
}

static bool
run_in(struct capture *c, struct capture_key k, const json_t *o)
{
	uint64_t mgmt_class, attr, modifier, select, step, count, status, place;
	const char *text = json_string_value(json_object_get(o, "data"));
	size_t length = text ? strlen(text) : 0, bytes;
	uint8_t data[CAPTURE_DATA_BYTES];

	if (!text || !number(o, "class", 255, &mgmt_class) || !number(o, "attribute", 0xffff,
	    &attr) ||
	    !number(o, "modifier", UINT32_MAX, &modifier) || !number(o, "select", 255, &select) ||
	    !number(o, "step", (json_int_t)UINT32_MAX << 8, &step) || !number(o, "count", RUN_MAX,
	    &count) ||
	    !number(o, "status", 0xffff, &status) || !count || c->n + count > ANSWERS_MAX)
		return false;
	bytes = length / 2 / (size_t)count;
	if (bytes > CAPTURE_DATA_BYTES || bytes * 2 * (size_t)count != length ||
	    (count > 1 && !step))
		return false;
	k.mgmt_class = (uint8_t)mgmt_class;
	k.attr_id = (uint16_t)attr;
	place = modifier << 8 | select;
	for (uint64_t i = 0; i < count; i++, place += step) {
		if (place >> 40 || !read_hex(text + i * bytes * 2, data, bytes))
			return false;
		k.modifier = (uint32_t)(place >> 8);
		k.select = (uint8_t)place;
		capture_add(c, &k, (uint16_t)status, data, bytes);
	}
	return true;
}

int
capture_entry_from_json(struct capture *c, const struct snapshot *s, size_t number_of,
	const json_t *o, char why[static CAPTURE_WHY_BYTES])
{
	const char *guid = json_string_value(json_object_get(o, "node"));
	struct capture_key k = { .node = FAB_NONE };
	const json_t *runs = json_object_get(o, "runs"), *run;
	uint64_t port;
	size_t i;
	char *end;

	if (guid && !strncmp(guid, "0x", 2)) {
		k.node = snapshot_node_by_guid(s, strtoull(guid, &end, 16));
		if (*end)
			k.node = FAB_NONE;
	}
	if (k.node == FAB_NONE || !number(o, "port", s->nodes[k.node].nports, &port))
		return refuse(why, "answers number %zu are of no node and port of the fabric",
			number_of);
	if (!json_is_array(runs))
		return refuse(why, "answers number %zu have no runs", number_of);
	k.port = (uint8_t)port;
	json_array_foreach(runs, i, run)
		if (!run_in(c, k, run))
			return refuse(why, "answers number %zu: run number %zu is malformed",
				number_of, i);
	return 0;
}

int
capture_from_json(const json_t *o, const struct snapshot *s, struct capture **out,
	char why[static CAPTURE_WHY_BYTES])
{
	struct capture *c;
	const json_t *entry;
	size_t i;
	int r = 0;

	*out = NULL;
	if (!json_is_array(o))
		return refuse(why, "\"answers\" is no array");
	c = capture_new();
	json_array_foreach(o, i, entry) {
		r = capture_entry_from_json(c, s, i, entry, why);
		if (r) {
			capture_free(c);
			return r;
		}
	}
	*out = c;
	return 0;
}
