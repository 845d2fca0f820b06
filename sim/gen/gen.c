/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gen.c - checks a SPEC against the table of families, and calls the family to build it.
 * Room: sim/gen.  Pure (gen_or_read excepted).
 *
 * In: "family:item,item,...".  Out: a topology, or a sentence that names the item and what was
 * expected.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "sim/gen/family.h"
#include "sim/gen/gen.h"
#include "util/xalloc.h"

static const struct gen_family *const families[] = {
	&gen_fattree, &gen_xgft, &gen_torus, &gen_mesh, &gen_hyperx, &gen_hypercube,
	&gen_dragonfly, &gen_dragonfly_plus, &gen_random,
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

/* ---- the parser ---- */

/* Digits only, whole of [s, end). */
static bool
number(const char *s, const char *end, uint64_t *out)
{
	uint64_t v = 0;

	if (s == end)
		return false;
	for (; s < end; s++) {
		uint64_t digit = (uint64_t)(*s - '0');

		if (*s < '0' || *s > '9' || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

static int
refuse_value(struct gen *g, const struct gen_key *k, const char *s, const char *end)
{
	const char *form = k->kind == GEN_NUMBER ? "a number" : k->kind == GEN_LIST ?
		"numbers like 4/4/2, each" : "sizes like 4x4x2, each";
	const char *name = k->kind == GEN_DIMS ? "the size" : k->name;

	if (k->max == UINT64_MAX)
		return gen_refuse(g, "%s is \"%.*s\", expected %s from %" PRIu64,
			name, (int)(end - s > 40 ? 40 : end - s), s, form, k->min);
	return gen_refuse(g, "%s is \"%.*s\", expected %s from %" PRIu64 " to %" PRIu64,
		name, (int)(end - s > 40 ? 40 : end - s), s, form, k->min, k->max);
}

static int
take_value(struct gen *g, const struct gen_key *k, const char *s, const char *end,
	struct gen_value *v)
{
	char between = k->kind == GEN_DIMS ? 'x' : '/';
	const char *from = s;

	v->given = true;
	if (k->kind == GEN_NUMBER)
		return number(s, end, &v->n) && v->n >= k->min && v->n <= k->max ? 0 :
			refuse_value(g, k, s, end);
	for (;;) {
		const char *stop = memchr(from, between, (size_t)(end - from));
		uint64_t n;

		if (!number(from, stop ? stop : end, &n) || n < k->min || n > k->max)
			return refuse_value(g, k, s, end);
		if (v->count == GEN_LIST_MAX)
			return gen_refuse(g, "%s has more than %d numbers",
				k->kind == GEN_DIMS ? "the size" : k->name, GEN_LIST_MAX);
		v->list[v->count++] = (uint32_t)n;
		if (!stop)
			return 0;
		from = stop + 1;
	}
}

static int
take_item(struct gen *g, const struct gen_family *f, const char *s, const char *end,
	struct gen_value *values)
{
	const char *equals = memchr(s, '=', (size_t)(end - s));
	size_t length = (size_t)((equals ? equals : end) - s);

	for (const struct gen_key *k = f->keys; k->name; k++) {
		struct gen_value *v = &values[k - f->keys];

		if (k->kind == GEN_DIMS ? equals != NULL || v->given ||
		    !isdigit((unsigned char)*s) :
		    strlen(k->name) != length || memcmp(k->name, s, length))
			continue;
		if (v->given)
			return gen_refuse(g, "%s is given twice", k->name);
		if (k->kind == GEN_DIMS)
			return take_value(g, k, s, end, v);
		if (!equals)
			return gen_refuse(g, "%s has no value, expected %s=", k->name, k->name);
		return take_value(g, k, equals + 1, end, v);
	}
	return gen_refuse(g, "unknown key \"%.*s\", expected %s", (int)(length > 40 ? 40 : length),
		s, f->usage);
}

static int
take_items(struct gen *g, const struct gen_family *f, const char *s, struct gen_value *values)
{
	int rc = 0;

	while (*s && !rc) {
		const char *end = s + strcspn(s, ",");

		rc = take_item(g, f, s, end, values);
		if (!rc && *end && !end[1])
			return gen_refuse(g, "nothing follows the last comma, expected %s",
				f->usage);
		s = *end ? end + 1 : end;
	}
	for (const struct gen_key *k = f->keys; k->name && !rc; k++) {
		struct gen_value *v = &values[k - f->keys];

		if (!v->given && k->required)
			rc = gen_refuse(g, "%s is missing, expected %s",
				k->kind == GEN_DIMS ? "the size" : k->name, f->usage);
		if (!v->given)
			v->n = k->otherwise;
	}
	return rc;
}

static const struct gen_family *
find_family(const char *spec)
{
	size_t length = strcspn(spec, ":");

	for (size_t i = 0; i < FAMILIES; i++)
		if (strlen(families[i]->name) == length && !memcmp(families[i]->name, spec, length))
			return families[i];
	return NULL;
}

static int
refuse_family(const char *spec, struct topo_error *e)
{
	int n = snprintf(e->text, sizeof(e->text),
		"unknown topology \"%.40s\", expected FAMILY:KEY=VALUE,... with one of",
		spec);

	for (size_t i = 0; i < FAMILIES && (size_t)n < sizeof(e->text); i++)
		n += snprintf(e->text + n, sizeof(e->text) - (size_t)n, "%s %s", i ? "," : "",
			families[i]->name);
	return -EINVAL;
}

/* The family's last key is its radix; fattree fills in a default of its own. */
static uint8_t
radix_of(const struct gen_family *f, const struct gen_value *values)
{
	uint32_t i = 0;

	while (f->keys[i + 1].name)
		i++;
	return (uint8_t)values[i].n;
}

int
gen_topology(const char *spec, struct topo *t, struct topo_error *e)
{
	const struct gen_family *f = find_family(spec);
	struct gen_value values[GEN_KEYS_MAX];
	struct gen g = { .e = e, .v = values };
	int rc;

	memset(t, 0, sizeof(*t));
	memset(values, 0, sizeof(values));
	e->text[0] = '\0';
	if (!f || !strchr(spec, ':'))
		return refuse_family(spec, e);
	g.family = f->name;
	rc = take_items(&g, f, strchr(spec, ':') + 1, values);
	if (rc)
		return rc;
	g.radix = radix_of(f, values);
	g.b = topo_builder_new();
	rc = f->build(&g);
	if (rc) {
		topo_builder_free(g.b);
		return rc;
	}
	if (topo_builder_take(g.b, t))
		bug("%s: two nodes of one id or GUID", f->name);
	return 0;
}

int
gen_or_read(const char *spec_or_path, struct topo *t, struct topo_error *e)
{
	size_t word = strspn(spec_or_path, "abcdefghijklmnopqrstuvwxyz+");

	if (word && spec_or_path[word] == ':' && access(spec_or_path, F_OK))
		return gen_topology(spec_or_path, t, e);
	return topo_read_file(spec_or_path, t, e);
}

const char *
gen_usage(unsigned int i)
{
	return i < FAMILIES ? families[i]->usage : NULL;
}
