/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.c - the rows of options.def, and the conversion of values from and to text.
 * Room: conf.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "sm/conf/table.h"
#include "util/nearest.h"

#define TEXT_MAX 4000
#define SHOWN 40                /* letters of a bad value that a message repeats */

const struct conf_row conf_rows[] = {
#define H(text) { .heading = text },
#define U(name) { .key = name, .known_only = true, \
	.help = "OpenSM has this key, heddled does not use it yet" },
#define N(name, why) { .key = name, .known_only = true, .needless = true, .help = why },
#define O(member, name, type_, def_, min_, max_, letter, longname, reload, unit_, help_) { \
	.key = name, .type = CONF_##type_, .when = CONF_##reload, \
	.offset = offsetof(struct conf, member), \
	.def = def_, .min = min_, .max = max_, .unit = unit_, .help = help_ },
#include "sm/conf/options.def"
#undef H
#undef U
#undef N
#undef O
};
const size_t conf_nrows = sizeof(conf_rows) / sizeof(conf_rows[0]);

static const struct {
	const char *name;
	bool built;
} engines[] = {
#define E(name, built) { name, built },
#include "sm/conf/routing/engines.def"
#undef E
};
#define NENGINES (sizeof(engines) / sizeof(engines[0]))

static const struct {
	const char *name;
	enum log_level level;
} levels[] = {
	{ "error", LOG_ERROR },
	{ "warning", LOG_WARN },
	{ "notice", LOG_NOTE },
	{ "detail", LOG_DETAIL },
	{ "trace", LOG_TRACE },
};
#define NLEVELS (sizeof(levels) / sizeof(levels[0]))

static const struct {
	const char *name;
	bool value;
} bools[] = {
	{ "TRUE", true }, { "FALSE", false }, { "true", true }, { "false", false }, { "yes", true },
	{ "no", false }, { "on", true }, { "off", false }, { "1", true }, { "0", false },
};
static const struct {
	const char *name;
	unsigned value;
} enforces[] = {
	{ "both", CONF_ENFORCE_IN | CONF_ENFORCE_OUT },
	{ "in", CONF_ENFORCE_IN },
	{ "out", CONF_ENFORCE_OUT },
	{ "off", 0 },
};
#define NENFORCES (sizeof(enforces) / sizeof(enforces[0]))
#define NBOOLS (sizeof(bools) / sizeof(bools[0]))

static void *
member_of(struct conf *c, const struct conf_row *r)
{
	return (char *)c + r->offset;
}

static const void *
const_member(const struct conf *c, const struct conf_row *r)
{
	return (const char *)c + r->offset;
}

const struct conf_row *
conf_row_of(const char *key)
{
	for (size_t i = 0; i < conf_nrows; i++)
		if (conf_rows[i].key && strcmp(conf_rows[i].key, key) == 0)
			return &conf_rows[i];
	return NULL;
}

const char *
conf_key_near(const char *word)
{
	struct nearest n = nearest_start(word);

	for (size_t i = 0; i < conf_nrows; i++)
		if (conf_rows[i].key && !conf_rows[i].known_only)
			nearest_offer(&n, conf_rows[i].key);
	return n.best;
}

bool
conf_is_key(const struct conf_row *r)
{
	return r->type == CONF_KEY || r->type == CONF_MKEY;
}

const char *
conf_range(const struct conf_row *r, char *buf, size_t len)
{
	buf[0] = '\0';
	if (r->type == CONF_INHERIT)
		snprintf(buf, len, "-1, %" PRIu64 " to %" PRIu64, r->min, r->max);
	else if (r->type == CONF_UINT)
		snprintf(buf, len, "%" PRIu64 " to %" PRIu64, r->min, r->max);
	else if (r->type == CONF_HEX || r->type == CONF_GUID)
		snprintf(buf, len, "0x%" PRIx64 " to 0x%" PRIx64, r->min, r->max);
	else if (conf_is_key(r))
		snprintf(buf, len, "0x%" PRIx64 " to 0x%" PRIx64 ", or auto", r->min, r->max);
	return buf;
}

/* The value that means "auto" in the member of such a row. */
static uint64_t
key_auto(const struct conf_row *r)
{
	return r->type == CONF_MKEY ? CONF_MKEY_AUTO : 0;
}

bool
conf_hidden(const struct conf *c, const struct conf_row *r)
{
	uint64_t v;

	if (!conf_is_key(r))
		return false;
	v = *(const uint64_t *)const_member(c, r);
	return v && v != key_auto(r);
}

/* Parses a secret key: a number, or "auto".  The message does not repeat a bad value, which may
 * be a mistyped key. */
static int
set_key(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	char range[80], *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (strcmp(text, "auto") == 0) {
		v = key_auto(r);
	} else if (text[0] < '0' || text[0] > '9' || *end || errno || v < r->min || v > r->max) {
		snprintf(why, CONF_WHY_BYTES, "expected a number from %s",
			conf_range(r, range, sizeof(range)));
		return -EINVAL;
	}
	*(uint64_t *)member_of(c, r) = v;
	return 0;
}

static int
set_guids(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	struct conf_guids g = { 0 };

	while (*(text += strspn(text, ", \t"))) {
		char *end;
		uint64_t v;

		errno = 0;
		v = strtoull(text, &end, 0);
		if (text[0] < '0' || text[0] > '9' || errno || !v || !strchr(", \t", *end)) {
			snprintf(why, CONF_WHY_BYTES, "expected a list of GUIDs, got '%.*s'", SHOWN,
				text);
			return -EINVAL;
		}
		if (g.n == CONF_GUIDS_MAX) {
			snprintf(why, CONF_WHY_BYTES, "expected at most %d GUIDs", CONF_GUIDS_MAX);
			return -EINVAL;
		}
		g.guid[g.n++] = v;
		text = end;
	}
	*(struct conf_guids *)member_of(c, r) = g;
	return 0;
}

static int
set_number(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	char range[64], *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 0);
	/* strtoull() accepts blanks and signs; a number must begin with a digit. */
	if (text[0] < '0' || text[0] > '9' || *end || errno || v < r->min || v > r->max) {
		snprintf(why, CONF_WHY_BYTES, "expected a number from %s%s, got '%.*s'",
			conf_range(r, range, sizeof(range)), r->unit, SHOWN, text);
		return -EINVAL;
	}
	if (r->type == CONF_UINT)
		*(uint32_t *)member_of(c, r) = (uint32_t)v;
	else
		*(uint64_t *)member_of(c, r) = v;
	return 0;
}

static int
set_bool(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	for (size_t i = 0; i < NBOOLS; i++) {
		if (strcmp(bools[i].name, text) == 0) {
			*(bool *)member_of(c, r) = bools[i].value;
			return 0;
		}
	}
	snprintf(why, CONF_WHY_BYTES,
		"expected TRUE or FALSE (or yes, no, on, off, 1, 0), got '%.*s'", SHOWN, text);
	return -EINVAL;
}

static int
set_text(struct conf *c, struct arena *a, const struct conf_row *r, const char *text, char *why)
{
	if (strlen(text) > TEXT_MAX) {
		snprintf(why, CONF_WHY_BYTES, "expected at most %d bytes, got %zu", TEXT_MAX,
			strlen(text));
		return -EINVAL;
	}
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p < 32 || *p == 127) {
			snprintf(why, CONF_WHY_BYTES, "expected text without control characters");
			return -EINVAL;
		}
	}
	*(const char **)member_of(c, r) = arena_strdup(a, text);
	return 0;
}

static int
set_level(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	for (size_t i = 0; i < NLEVELS; i++) {
		if (strcmp(levels[i].name, text) == 0) {
			*(enum log_level *)member_of(c, r) = levels[i].level;
			return 0;
		}
	}
	snprintf(why, CONF_WHY_BYTES,
		"expected error, warning, notice, detail or trace, got '%.*s'", SHOWN, text);
	return -EINVAL;
}

static int
set_enforce(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	for (size_t i = 0; i < NENFORCES; i++) {
		if (strcmp(enforces[i].name, text) == 0) {
			*(unsigned *)member_of(c, r) = enforces[i].value;
			return 0;
		}
	}
	snprintf(why, CONF_WHY_BYTES, "expected both, in, out or off, got '%.*s'", SHOWN, text);
	return -EINVAL;
}

/* A number, or -1 for "unset". */
static int
set_inherit(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	unsigned long v;
	char *end;

	if (strcmp(text, "-1") == 0) {
		*(int32_t *)member_of(c, r) = -1;
		return 0;
	}
	v = strtoul(text, &end, 0);
	if (text[0] < '0' || text[0] > '9' || *end || v < r->min || v > r->max) {
		snprintf(why, CONF_WHY_BYTES,
			"expected a number from %" PRIu64 " to %" PRIu64 ", or -1, got '%.*s'",
			r->min, r->max, SHOWN, text);
		return -EINVAL;
	}
	*(int32_t *)member_of(c, r) = (int32_t)v;
	return 0;
}

/* The index of an engine's name of 'len' letters; NENGINES when there is none. */
static size_t
engine_of(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NENGINES; i++)
		if (strlen(engines[i].name) == len && strncasecmp(engines[i].name, name, len) == 0)
			break;
	return i;
}

static void
say_engine(const char *name, size_t len, bool known, char *why)
{
	char have[128] = "", word[64];
	struct nearest near;
	size_t n = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(len < SHOWN ? len : SHOWN), name);
	near = nearest_start(word);
	for (size_t i = 0; i < NENGINES; i++) {
		if (!engines[i].built)
			continue;
		nearest_offer(&near, engines[i].name);
		n += (size_t)snprintf(
			have + n, sizeof(have) - n, "%s%s", n ? ", " : "", engines[i].name);
	}
	if (known)
		snprintf(why, CONF_WHY_BYTES, "this version has no engine '%s'; it has %s", word,
			have);
	else if (near.best)
		snprintf(
			why, CONF_WHY_BYTES, "no engine '%s'; did you mean '%s'?", word, near.best);
	else
		snprintf(why, CONF_WHY_BYTES, "no engine '%s'; there are %s", word, have);
}

static int
add_engine(struct conf_engines *e, const char *name, size_t len, char *why)
{
	size_t k = engine_of(name, len);

	if (e->no_fallback) {
		snprintf(why, CONF_WHY_BYTES, "nothing may follow no_fallback");
		return -EINVAL;
	}
	if (len == strlen("no_fallback") && strncmp(name, "no_fallback", len) == 0) {
		e->no_fallback = true;
		return 0;
	}
	if (k == NENGINES || !engines[k].built) {
		say_engine(name, len, k < NENGINES, why);
		return -EINVAL;
	}
	for (unsigned i = 0; i < e->n; i++) {
		if (e->name[i] == engines[k].name) {
			snprintf(
				why, CONF_WHY_BYTES, "engine '%s' is named twice", engines[k].name);
			return -EINVAL;
		}
	}
	if (e->n == CONF_ENGINES_MAX) {
		snprintf(why, CONF_WHY_BYTES, "expected at most %d engines", CONF_ENGINES_MAX);
		return -EINVAL;
	}
	e->name[e->n++] = engines[k].name;
	return 0;
}

static int
set_engines(struct conf *c, const struct conf_row *r, const char *text, char *why)
{
	struct conf_engines e = { 0 };
	int err;

	while (*(text += strspn(text, ", \t"))) {
		size_t len = strcspn(text, ", \t");

		err = add_engine(&e, text, len, why);
		if (err)
			return err;
		text += len;
	}
	if (e.n == 0) {
		snprintf(why, CONF_WHY_BYTES, "expected the name of a routing engine");
		return -EINVAL;
	}
	*(struct conf_engines *)member_of(c, r) = e;
	return 0;
}

int
conf_set(struct conf *c, struct arena *a, const struct conf_row *r, const char *text,
	char why[static CONF_WHY_BYTES])
{
	switch (r->type) {
	case CONF_UINT:
	case CONF_HEX:
	case CONF_GUID:
		return set_number(c, r, text, why);
	case CONF_BOOL:
		return set_bool(c, r, text, why);
	case CONF_NAME:
	case CONF_PATH:
		return set_text(c, a, r, text, why);
	case CONF_ENGINES:
		return set_engines(c, r, text, why);
	case CONF_LEVEL:
		return set_level(c, r, text, why);
	case CONF_ENFORCE:
		return set_enforce(c, r, text, why);
	case CONF_INHERIT:
		return set_inherit(c, r, text, why);
	case CONF_SL2VL:
		return conf_sl2vl_parse(text, member_of(c, r), why, CONF_WHY_BYTES);
	case CONF_VLARB:
		return conf_vlarb_parse(text, member_of(c, r), why, CONF_WHY_BYTES);
	case CONF_KEY:
	case CONF_MKEY:
		return set_key(c, r, text, why);
	case CONF_GUIDS:
		return set_guids(c, r, text, why);
	}
	return -EINVAL;
}

static void
engines_text(const struct conf_engines *e, char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < e->n && n < len; i++)
		n += (size_t)snprintf(buf + n, len - n, "%s%s", i ? "," : "", e->name[i]);
	if (e->no_fallback && n < len)
		snprintf(buf + n, len - n, ",no_fallback");
}

static void
guids_text(const struct conf_guids *g, char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < g->n && n < len; i++)
		n += (size_t)snprintf(
			buf + n, len - n, "%s0x%016" PRIx64, i ? "," : "", g->guid[i]);
}

const char *
conf_text(const struct conf *c, const struct conf_row *r, char *buf, size_t len)
{
	const void *m = const_member(c, r);

	switch (r->type) {
	case CONF_UINT:
		snprintf(buf, len, "%" PRIu32, *(const uint32_t *)m);
		break;
	case CONF_HEX:
		snprintf(buf, len, "0x%" PRIx64, *(const uint64_t *)m);
		break;
	case CONF_GUID:
		snprintf(buf, len, "0x%016" PRIx64, *(const uint64_t *)m);
		break;
	case CONF_BOOL:
		snprintf(buf, len, "%s", *(const bool *)m ? "TRUE" : "FALSE");
		break;
	case CONF_NAME:
	case CONF_PATH:
		snprintf(buf, len, "%s", *(const char *const *)m);
		break;
	case CONF_ENGINES:
		engines_text(m, buf, len);
		break;
	case CONF_LEVEL:
		for (size_t i = 0; i < NLEVELS; i++)
			if (levels[i].level == *(const enum log_level *)m)
				snprintf(buf, len, "%s", levels[i].name);
		break;
	case CONF_ENFORCE:
		for (size_t i = 0; i < NENFORCES; i++)
			if (enforces[i].value == *(const unsigned *)m)
				snprintf(buf, len, "%s", enforces[i].name);
		break;
	case CONF_INHERIT:
		snprintf(buf, len, "%" PRId32, *(const int32_t *)m);
		break;
	case CONF_SL2VL:
		conf_sl2vl_text(m, buf, len);
		break;
	case CONF_VLARB:
		conf_vlarb_text(m, buf, len);
		break;
	case CONF_KEY:
	case CONF_MKEY:
		if (*(const uint64_t *)m == key_auto(r))
			snprintf(buf, len, "auto");
		else
			snprintf(buf, len, "0x%" PRIx64, *(const uint64_t *)m);
		break;
	case CONF_GUIDS:
		guids_text(m, buf, len);
		break;
	}
	return buf;
}

bool
conf_same(const struct conf *a, const struct conf *b, const struct conf_row *r)
{
	char x[TEXT_MAX + 1], y[TEXT_MAX + 1];

	return strcmp(conf_text(a, r, x, sizeof(x)), conf_text(b, r, y, sizeof(y))) == 0;
}

void
conf_copy(struct conf *to, struct arena *a, const struct conf *from, const struct conf_row *r)
{
	char text[TEXT_MAX + 1], why[CONF_WHY_BYTES];

	/* conf_set() accepts any text that conf_text() writes, so this cannot fail. */
	conf_set(to, a, r, conf_text(from, r, text, sizeof(text)), why);
}
