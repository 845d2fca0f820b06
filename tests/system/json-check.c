/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * json-check.c - one JSON document against a JSON Schema; for tests only.
 *
 *   json-check SCHEMA DOCUMENT [EXIT_STATUS]
 *
 * The subset of draft-07 that docs/schema uses: type, const, enum, pattern, minimum, maximum, properties, required,
 * additionalProperties, items, minItems, maxItems, allOf, anyOf, oneOf, not, $ref ("#/..." and "FILE#/...", beside the schema).  A
 * keyword that is not known is an error, so that no schema asks for what nobody checks.  DOCUMENT must hold exactly one
 * JSON value, without a key twice.  With EXIT_STATUS, its "exit_status" must be that number.  Exit 0, or 1 with sentences.
 */
#include <config.h>
#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define FILES_MAX 8

static struct file {
	char name[256];
	json_t *root;
} files[FILES_MAX];
static char schema_dir[256];
static bool quiet;

static bool valid(const struct file *f, json_t *schema, json_t *v, const char *where, int depth);

static bool
complain(const char *where, const char *what, const char *detail)
{
	if (!quiet)
		printf("%s: %s %s\n", *where ? where : "/", what, detail);
	return false;
}

static struct file *
load(const char *name)
{
	json_error_t e;
	char path[600];

	for (struct file *f = files; f < files + FILES_MAX; f++) {
		if (f->root && !strcmp(f->name, name))
			return f;
		if (f->root)
			continue;
		snprintf(path, sizeof(path), "%s%s", schema_dir, name);
		f->root = json_load_file(path, JSON_REJECT_DUPLICATES, &e);
		if (!f->root) {
			fprintf(stderr, "%s:%d: %s\n", path, e.line, e.text);
			exit(1);
		}
		snprintf(f->name, sizeof(f->name), "%s", name);
		return f;
	}
	fprintf(stderr, "too many schema files\n");
	exit(1);
}

static json_t *
resolve(const struct file **f, const char *ref)
{
	char copy[256], *hash, *word, *save = NULL;
	json_t *o;

	snprintf(copy, sizeof(copy), "%s", ref);
	hash = strchr(copy, '#');
	if (!hash)
		hash = copy + strlen(copy);
	else
		*hash++ = '\0';
	if (*copy)
		*f = load(copy);
	o = (*f)->root;
	for (word = strtok_r(hash, "/", &save); word && o; word = strtok_r(NULL, "/", &save))
		o = json_object_get(o, word);
	if (!o) {
		fprintf(stderr, "no schema at %s\n", ref);
		exit(1);
	}
	return o;
}

static bool
is_type(const char *type, const json_t *v)
{
	if (!strcmp(type, "object")) return json_is_object(v);
	if (!strcmp(type, "array")) return json_is_array(v);
	if (!strcmp(type, "string")) return json_is_string(v);
	if (!strcmp(type, "integer")) return json_is_integer(v);
	if (!strcmp(type, "number")) return json_is_number(v);
	if (!strcmp(type, "boolean")) return json_is_boolean(v);
	if (!strcmp(type, "null")) return json_is_null(v);
	fprintf(stderr, "no such type: %s\n", type);
	exit(1);
}

static bool
check_type(json_t *types, json_t *v, const char *where)
{
	json_t *t;
	size_t i;

	if (json_is_string(types))
		return is_type(json_string_value(types), v) || complain(where, "is not of type", json_string_value(types));
	json_array_foreach(types, i, t)
		if (is_type(json_string_value(t), v))
			return true;
	return complain(where, "is of none of the types", "");
}

static bool
check_pattern(const char *pattern, json_t *v, const char *where)
{
	regex_t re;
	bool ok;

	if (!json_is_string(v))
		return true;
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "bad pattern %s\n", pattern);
		exit(1);
	}
	ok = regexec(&re, json_string_value(v), 0, NULL, 0) == 0;
	regfree(&re);
	return ok || complain(where, "does not match", pattern);
}

static bool
check_object(const struct file *f, json_t *schema, json_t *v, const char *where, int depth)
{
	json_t *props = json_object_get(schema, "properties"), *more = json_object_get(schema, "additionalProperties"), *item, *sub;
	const char *key;
	char at[600];
	bool ok = true;
	size_t i;

	if (!json_is_object(v))
		return true;
	json_array_foreach(json_object_get(schema, "required"), i, item)
		if (!json_object_get(v, json_string_value(item)))
			ok = complain(where, "lacks", json_string_value(item));
	json_object_foreach(v, key, item) {
		snprintf(at, sizeof(at), "%s/%s", where, key);
		sub = json_object_get(props, key);
		if (sub)
			ok &= valid(f, sub, item, at, depth);
		else if (json_is_false(more))
			ok = complain(at, "is a key that the schema does not know", "");
		else if (json_is_object(more))
			ok &= valid(f, more, item, at, depth);
	}
	return ok;
}

static bool
check_array(const struct file *f, json_t *schema, json_t *v, const char *where, int depth)
{
	json_t *items = json_object_get(schema, "items"), *n, *item;
	char at[600];
	bool ok = true;
	size_t i;

	if (!json_is_array(v))
		return true;
	if ((n = json_object_get(schema, "minItems")) && (json_int_t)json_array_size(v) < json_integer_value(n))
		ok = complain(where, "has too few items", "");
	if ((n = json_object_get(schema, "maxItems")) && (json_int_t)json_array_size(v) > json_integer_value(n))
		ok = complain(where, "has too many items", "");
	if (!items)
		return ok;
	json_array_foreach(v, i, item) {
		snprintf(at, sizeof(at), "%s/%zu", where, i);
		ok &= valid(f, items, item, at, depth);
	}
	return ok;
}

static unsigned
count_valid(const struct file *f, json_t *list, json_t *v, const char *where, int depth)
{
	bool was = quiet;
	unsigned n = 0;
	json_t *s;
	size_t i;

	quiet = true;
	json_array_foreach(list, i, s)
		n += valid(f, s, v, where, depth);
	quiet = was;
	return n;
}

static bool
one_of(json_t *list, const json_t *v)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		if (json_equal(item, (json_t *)v))
			return true;
	return false;
}

/* A keyword that combines other schemas, or says something about a value alone. */
static bool
check_keyword(const struct file *f, const char *key, json_t *arg, json_t *v, const char *where, int depth)
{
	const struct file *other = f;
	json_t *s;
	bool ok = true;
	size_t i;

	if (!strcmp(key, "type"))
		return check_type(arg, v, where);
	if (!strcmp(key, "const"))
		return json_equal(arg, v) || complain(where, "is not the constant", "");
	if (!strcmp(key, "enum"))
		return one_of(arg, v) || complain(where, "is none of the enum:", json_is_string(v) ? json_string_value(v) : "");
	if (!strcmp(key, "pattern"))
		return check_pattern(json_string_value(arg), v, where);
	if (!strcmp(key, "minimum"))
		return !json_is_number(v) || json_number_value(v) >= json_number_value(arg) || complain(where, "is too small", "");
	if (!strcmp(key, "maximum"))
		return !json_is_number(v) || json_number_value(v) <= json_number_value(arg) || complain(where, "is too large", "");
	if (!strcmp(key, "$ref")) {
		s = resolve(&other, json_string_value(arg));
		return valid(other, s, v, where, depth);
	}
	if (!strcmp(key, "allOf")) {
		json_array_foreach(arg, i, s)
			ok &= valid(f, s, v, where, depth);
		return ok;
	}
	if (!strcmp(key, "anyOf"))
		return count_valid(f, arg, v, where, depth) > 0 || complain(where, "fits none of anyOf", "");
	if (!strcmp(key, "oneOf"))
		return count_valid(f, arg, v, where, depth) == 1 || complain(where, "does not fit exactly one of oneOf", "");
	fprintf(stderr, "the schema has a keyword that is not checked: %s\n", key);
	exit(1);
}

static bool
is_plain(const char *key)
{
	static const char *const plain[] = {
		"$schema", "$id", "title", "description", "definitions", "default", "examples", "properties", "required",
		"additionalProperties", "items", "minItems", "maxItems", "$comment",
	};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(plain[i], key))
			return true;
	return false;
}

static bool
valid(const struct file *f, json_t *schema, json_t *v, const char *where, int depth)
{
	const char *key;
	json_t *arg;
	bool ok = true;

	if (depth > DEPTH_MAX)
		return complain(where, "is nested too deep", "");
	if (json_is_boolean(schema))
		return json_is_true(schema) || complain(where, "is not allowed", "");
	json_object_foreach(schema, key, arg)
		if (!is_plain(key))
			ok &= check_keyword(f, key, arg, v, where, depth + 1);
	ok &= check_object(f, schema, v, where, depth + 1);
	ok &= check_array(f, schema, v, where, depth + 1);
	return ok;
}

int
main(int argc, char **argv)
{
	json_error_t e;
	char *slash;
	struct file *f;
	json_t *v;
	bool ok;

	if (argc < 3) {
		fprintf(stderr, "usage: json-check SCHEMA DOCUMENT [EXIT_STATUS]\n");
		return 2;
	}
	snprintf(schema_dir, sizeof(schema_dir), "%s", argv[1]);
	slash = strrchr(schema_dir, '/');
	if (slash)
		slash[1] = '\0';
	else
		schema_dir[0] = '\0';
	f = load(slash ? argv[1] + (slash + 1 - schema_dir) : argv[1]);
	v = json_load_file(argv[2], JSON_REJECT_DUPLICATES, &e);
	if (!v) {
		printf("%s:%d: %s\n", argv[2], e.line, e.text);
		return 1;
	}
	ok = valid(f, f->root, v, "", 0);
	if (argc > 3 && json_integer_value(json_object_get(v, "exit_status")) != atoi(argv[3]))
		ok = complain("/exit_status", "is not the exit status", argv[3]);
	json_decref(v);
	for (size_t i = 0; i < FILES_MAX; i++)
		json_decref(files[i].root);
	return ok ? 0 : 1;
}
