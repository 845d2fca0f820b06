/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * idl.c - reads a type of the description and the value it describes side by side; without a value it only reads.
 * Of the tests.
 */
#include <config.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tests/idl/idl.h"

#define DEPTH_MAX 20
#define NAME_BYTES 64

struct reader {
	const char *text, *at;          /* the description; how far it was read */
	unsigned depth;
	char where[200];                /* members on the way to the value */
	char *why;
	size_t len;
};

static bool type(struct reader *r, const json_t *v);
static bool fault(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool
fault(struct reader *r, const char *fmt, ...)
{
	size_t n = (size_t)snprintf(r->why, r->len, "%s: ", r->where);
	va_list ap;

	va_start(ap, fmt);
	if (n < r->len)
		vsnprintf(r->why + n, r->len - n, fmt, ap);
	va_end(ap);
	return false;
}

static void
blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at) || *r->at == '#')
		r->at += *r->at == '#' ? strcspn(r->at, "\n") : 1;
}

/* Passes 'token' if it comes next. */
static bool
accept(struct reader *r, const char *token)
{
	blanks(r);
	if (strncmp(r->at, token, strlen(token)) != 0)
		return false;
	r->at += strlen(token);
	return true;
}

static bool
expect(struct reader *r, const char *token)
{
	return accept(r, token) || fault(r, "expected '%s' before '%.20s'", token, r->at);
}

static bool
name(struct reader *r, char buf[static NAME_BYTES])
{
	size_t n = 0;

	blanks(r);
	while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
		n++;
	if (n == 0 || n >= NAME_BYTES || !isalpha((unsigned char)r->at[0]))
		return fault(r, "expected a name before '%.20s'", r->at);
	memcpy(buf, r->at, n);
	buf[n] = '\0';
	r->at += n;
	return true;
}

/* What follows the line "KIND NAME", NULL when there is none. */
static const char *
declaration_find(const char *text, const char *kind, const char *what)
{
	char line[NAME_BYTES + 16];
	const char *p = text;
	size_t n = (size_t)snprintf(line, sizeof(line), "\n%s %s", kind, what);

	while ((p = strstr(p, line)) && (isalnum((unsigned char)p[n]) || p[n] == '_'))
		p += n;
	return p ? p + n : NULL;
}

/* A type of the description's own, read where it is defined. */
static bool
named(struct reader *r, const char *what, const json_t *v)
{
	struct reader in = *r;
	bool ok;

	in.at = declaration_find(r->text, "type", what);
	if (!in.at)
		return fault(r, "no type %s", what);
	if (++in.depth > DEPTH_MAX)
		return fault(r, "types that hold themselves");
	ok = !v || type(&in, v);
	return ok;
}

static bool
plain(struct reader *r, const char *what, const json_t *v)
{
	if (strcmp(what, "bool") == 0)
		return !v || json_is_boolean(v) || fault(r, "expected a bool");
	if (strcmp(what, "int") == 0)
		return !v || json_is_integer(v) || fault(r, "expected an int");
	if (strcmp(what, "float") == 0)
		return !v || json_is_number(v) || fault(r, "expected a float");
	if (strcmp(what, "string") == 0)
		return !v || json_is_string(v) || fault(r, "expected a string");
	if (strcmp(what, "object") == 0)
		return !v || json_is_object(v) || fault(r, "expected an object");
	return named(r, what, v);
}

/* One member of a struct. */
static bool
member(struct reader *r, const char *what, const json_t *v)
{
	const json_t *m = v ? json_object_get(v, what) : NULL;
	size_t n = strlen(r->where);

	if (v && !m)
		return fault(r, "no member %s", what);
	snprintf(r->where + n, sizeof(r->where) - n, ".%s", what);
	if (!type(r, m))
		return false;
	r->where[n] = '\0';
	return true;
}

/* After "(": "a: type, ..." or "a, b" (the words of an enumeration), and ")". */
static bool
members(struct reader *r, const json_t *v)
{
	char what[NAME_BYTES];
	bool word = false, words = false;
	size_t n = 0;

	if (accept(r, ")"))
		return !v || (json_is_object(v) && json_object_size(v) == 0) || fault(r, "expected an empty object");
	do {
		if (!name(r, what))
			return false;
		n++;
		if (!accept(r, ":")) {
			words = true;
			word |= json_is_string(v) && strcmp(json_string_value(v), what) == 0;
		} else if (words || (v && !json_is_object(v))) {
			return fault(r, "expected an object");
		} else if (!member(r, what, v)) {
			return false;
		}
	} while (accept(r, ","));
	if (words && v && !word)
		return fault(r, "not one of the words");
	if (!words && v && json_object_size(v) != n)
		return fault(r, "%zu members instead of %zu", json_object_size(v), n);
	return expect(r, ")");
}

/* All values of an array or a map are of the type that comes next. */
static bool
each(struct reader *r, const json_t *v)
{
	const char *start = r->at, *key;
	json_t *value;
	size_t i;

	json_array_foreach(v, i, value) {
		r->at = start;
		if (!type(r, value))
			return false;
	}
	json_object_foreach((json_t *)v, key, value) {
		r->at = start;
		if (!type(r, value))
			return false;
	}
	r->at = start;
	return type(r, NULL);
}

static bool
type(struct reader *r, const json_t *v)
{
	char what[NAME_BYTES];

	if (accept(r, "?"))
		return type(r, json_is_null(v) ? NULL : v);
	if (accept(r, "[string]"))
		return !v || json_is_object(v) ? each(r, v) : fault(r, "expected a map");
	if (accept(r, "[]"))
		return !v || json_is_array(v) ? each(r, v) : fault(r, "expected an array");
	if (accept(r, "("))
		return members(r, v);
	return name(r, what) && plain(r, what, v);
}

bool
idl_reply(const char *text, const char *method, const json_t *reply, char *why, size_t len)
{
	struct reader r = {
		.text = text, .at = declaration_find(text, "method", method), .why = why, .len = len
	};

	snprintf(r.where, sizeof(r.where), "%s", method);
	if (!r.at)
		return fault(&r, "no such method");
	return expect(&r, "(") && members(&r, NULL) && expect(&r, "->") && expect(&r, "(") && members(&r, reply);
}

bool
idl_valid(const char *text, char *why, size_t len)
{
	struct reader r = { .text = text, .at = text, .where = "description", .why = why, .len = len };
	char what[NAME_BYTES];

	if (!expect(&r, "interface "))
		return false;
	r.at += strcspn(r.at, "\n");
	for (blanks(&r); *r.at; blanks(&r)) {
		bool method = strncmp(r.at, "method ", 7) == 0;

		if (!accept(&r, "type ") && !accept(&r, "error ") && !accept(&r, "method "))
			return fault(&r, "expected type, method or error before '%.20s'", r.at);
		if (!name(&r, what) || !expect(&r, "(") || !members(&r, NULL))
			return false;
		if (method && !(expect(&r, "->") && expect(&r, "(") && members(&r, NULL)))
			return false;
	}
	return true;
}
