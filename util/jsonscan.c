/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * jsonscan.c - parses JSON text for its syntax and the offsets of members, without building values.
 * Room: util.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "util/jsonscan.h"
#include "util/xalloc.h"

#define DEPTH_MAX 2048          /* jansson's limit */
/* Size of a top-level member's name.  A longer name, or one with escapes, matches no lookup. */
#define NAME_BYTES 64
#define MEMBERS_MAX 4096u

struct input {
	FILE *f;
	off_t base;                     /* of buf[0] in the file */
	size_t at, n;
	unsigned line;
	unsigned char buf[65536];
};

static int __attribute__((format(printf, 2, 3)))
refuse_value(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, JSONSCAN_WHY_BYTES, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int
peek_more(struct input *in)
{
	in->base += (off_t)in->n;
	in->at = 0;
	in->n = fread(in->buf, 1, sizeof(in->buf), in->f);
	return in->n ? in->buf[0] : EOF;
}

static inline int
input_peek(struct input *in)
{
	return in->at < in->n ? in->buf[in->at] : peek_more(in);
}

static inline int
input_next(struct input *in)
{
	int c = input_peek(in);

	if (c == EOF)
		return c;
	in->at++;
	in->line += c == '\n';
	return c;
}

/* Consumes and returns the first character that is not white space. */
static int
next_word(struct input *in)
{
	int c;

	do
		c = input_next(in);
	while (c == ' ' || c == '\n' || c == '\t' || c == '\r');
	return c;
}

/* ---- values; the caller has already consumed the first character of each ---- */

static bool
skip_escape(struct input *in)
{
	int c = input_next(in);

	if (c != 'u')
		return c > 0 && strchr("\"\\/bfnrt", c);
	for (unsigned i = 0; i < 4; i++) {
		c = input_next(in);
		if (c <= 0 || !strchr("0123456789abcdefABCDEF", c))
			return false;
	}
	return true;
}

/* Copies the text between the quotes to 'name' unless that is NULL; 'name' is empty if the text is
 * too long or has escapes. */
static bool
skip_string(struct input *in, char *name)
{
	bool plain = true;
	size_t n = 0;
	int c;

	while ((c = input_next(in)) != '"') {
		if (c < ' ' || (c == '\\' && !skip_escape(in)))
			return false;
		plain = plain && c != '\\' && n < NAME_BYTES - 1;
		if (name && plain)
			name[n++] = (char)c;
	}
	if (name)
		name[plain ? n : 0] = '\0';
	return true;
}

static bool
skip_word(struct input *in, const char *rest)
{
	for (; *rest; rest++)
		if (input_next(in) != *rest)
			return false;
	return true;
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool
skip_digits(struct input *in)
{
	if (!is_digit(input_peek(in)))
		return false;
	while (is_digit(input_peek(in)))
		input_next(in);
	return true;
}

static bool
skip_number(struct input *in, int c)
{
	if (c == '-')
		c = input_next(in);
	if (!is_digit(c) || (c == '0' && is_digit(input_peek(in))))
		return false;
	while (is_digit(input_peek(in)))
		input_next(in);
	if (input_peek(in) == '.') {
		input_next(in);
		if (!skip_digits(in))
			return false;
	}
	if (input_peek(in) != 'e' && input_peek(in) != 'E')
		return true;
	input_next(in);
	if (input_peek(in) == '+' || input_peek(in) == '-')
		input_next(in);
	return skip_digits(in);
}

static bool skip_value(struct input *in, int c, unsigned depth);

static bool
skip_array(struct input *in, unsigned depth)
{
	int c = next_word(in);

	if (c == ']')
		return true;
	for (;; c = next_word(in)) {
		if (!skip_value(in, c, depth))
			return false;
		c = next_word(in);
		if (c != ',')
			return c == ']';
	}
}

static bool
skip_object(struct input *in, unsigned depth)
{
	int c = next_word(in);

	if (c == '}')
		return true;
	for (;; c = next_word(in)) {
		if (c != '"' || !skip_string(in, NULL) || next_word(in) != ':' ||
		    !skip_value(in, next_word(in), depth))
			return false;
		c = next_word(in);
		if (c != ',')
			return c == '}';
	}
}

static bool
skip_value(struct input *in, int c, unsigned depth)
{
	switch (c) {
	case '{': return depth < DEPTH_MAX && skip_object(in, depth + 1);
	case '[': return depth < DEPTH_MAX && skip_array(in, depth + 1);
	case '"': return skip_string(in, NULL);
	case 't': return skip_word(in, "rue");
	case 'f': return skip_word(in, "alse");
	case 'n': return skip_word(in, "ull");
	}
	return skip_number(in, c);
}

/* ---- the members ---- */

static bool
add_member(struct jsonscan *s, const char *name, const struct input *in, int first)
{
	if (!*name)
		return true;
	if (jsonscan_find(s, name) || s->n == MEMBERS_MAX)
		return false;
	if (!(s->n & (s->n - 1)))
		s->v = xreallocarray(s->v, s->n ? s->n * 2 : 1, sizeof(*s->v));
	s->v[s->n++] = (struct jsonscan_member){
		.name = xstrdup(name),
		.offset = in->base + (off_t)in->at - 1,
		.line = in->line,
		.array = first == '[',
	};
	return true;
}

static bool
scan_members(struct jsonscan *s, struct input *in)
{
	char name[NAME_BYTES];
	int c;

	if (next_word(in) != '{')
		return false;
	c = next_word(in);
	while (c != '}') {
		if (c != '"' || !skip_string(in, name) || next_word(in) != ':')
			return false;
		c = next_word(in);
		if (!add_member(s, name, in, c) || !skip_value(in, c, 1))
			return false;
		c = next_word(in);
		if (c == '}')
			break;
		if (c != ',' || (c = next_word(in)) == '}')
			return false;
	}
	return next_word(in) == EOF;
}

static struct input *
input_at(FILE *f, off_t offset, unsigned line)
{
	struct input *in = xmalloc(sizeof(*in));

	in->f = f;
	in->base = offset;
	in->at = in->n = 0;
	in->line = line;
	fseeko(f, offset, SEEK_SET);
	return in;
}

int
jsonscan_open(struct jsonscan *s, FILE *f, char why[static JSONSCAN_WHY_BYTES])
{
	struct input *in = input_at(f, 0, 1);
	bool good;

	*s = (struct jsonscan){ .f = f };
	good = scan_members(s, in);
	if (ferror(f))
		refuse_value(why, "cannot be read: %s", strerror(errno));
	else if (!good)
		refuse_value(why, "line %u: this is not one JSON object, or a name is there twice",
			in->line);
	free(in);
	if (good && !ferror(f))
		return 0;
	jsonscan_clear(s);
	return ferror(f) ? -EIO : -EINVAL;
}

void
jsonscan_clear(struct jsonscan *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	free(s->v);
	*s = (struct jsonscan){ .f = NULL };
}

const struct jsonscan_member *
jsonscan_find(const struct jsonscan *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, name))
			return &s->v[i];
	return NULL;
}

/* ---- their values ---- */

/* Gives jansson one character at a time, so that it reads no further than the value. */
static size_t
on_character(void *to, size_t room, void *arg)
{
	int c = room ? input_next(arg) : EOF;

	if (c == EOF)
		return 0;
	*(char *)to = (char)c;
	return 1;
}

static json_t *
read_value(struct input *in, char *why)
{
	unsigned line = in->line;
	json_error_t e;
	json_t *v = json_load_callback(on_character, in,
		JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &e);

	if (!v)
		refuse_value(
			why, "line %u: %s", line + (unsigned)(e.line > 0 ? e.line - 1 : 0), e.text);
	return v;
}

json_t *
jsonscan_value(const struct jsonscan *s, const struct jsonscan_member *m,
	char why[static JSONSCAN_WHY_BYTES])
{
	struct input *in = input_at(s->f, m->offset, m->line);
	json_t *v = read_value(in, why);

	free(in);
	return v;
}

static int
read_elements(struct input *in, int (*take)(void *arg, size_t i, const json_t *element), void *arg,
	char *why)
{
	size_t i = 0;
	json_t *v;
	int c, r;

	input_next(in);               /* jsonscan_open() has already checked the commas */
	for (;;) {
		while ((c = input_peek(in)) == ' ' || c == '\n' || c == '\t' || c == '\r' ||
		    c == ',')
			input_next(in);
		if (c == ']')
			return 0;
		if (c != '{')
			return refuse_value(why,
				"line %u: the array has something else than objects", in->line);
		v = read_value(in, why);
		if (!v)
			return -EINVAL;
		r = take(arg, i++, v);
		json_decref(v);
		if (r)
			return r;
	}
}

int
jsonscan_each(const struct jsonscan *s, const struct jsonscan_member *m,
	int (*take)(void *arg, size_t i, const json_t *element), void *arg,
	char why[static JSONSCAN_WHY_BYTES])
{
	struct input *in;
	int r;

	if (!m->array)
		return refuse_value(why, "\"%s\" is no array", m->name);
	in = input_at(s->f, m->offset, m->line);
	r = read_elements(in, take, arg, why);
	free(in);
	return r;
}
