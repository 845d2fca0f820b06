/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_text.c - the scanner of qos-policy.conf: words, numbers and lists.
 * Room: conf.  Pure.
 *
 * The file consists of words that open and close blocks, and of lines "keyword: value".  '#' begins
 * a comment, except between quotes.  Lists may continue after a comma at the end of a line.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "sm/conf/qos_text.h"
#include "sm/conf/text/say.h"

#define SHOWN 40                        /* letters of a bad word that a message repeats */
#define EXPECTED_BYTES 300

static const char blanks[] = " \t\r\v\f";

/* ---- messages ---- */

int
qos_expected(struct qos_reader *r, const char *what, struct qos_slice got)
{
	conf_say_error(r->e, r->file, r->line, "expected %s, got '%.*s%s'", what,
		(int)(got.n < SHOWN ? got.n : SHOWN), got.p, got.n > SHOWN ? "..." : "");
	return -EINVAL;
}

static bool
is_blank(char c)
{
	return c && strchr(blanks, c);
}

static void
skip_blanks(struct qos_reader *r)
{
	while (r->p < r->end && is_blank(*r->p))
		r->p++;
}

static bool
at_line_end(const struct qos_reader *r)
{
	return r->p == r->end || *r->p == '\n' || *r->p == '#';
}

int
qos_expected_here(struct qos_reader *r, const char *what)
{
	const char *p;

	skip_blanks(r);
	if (at_line_end(r))
		return qos_expected(r, what, (struct qos_slice){ "the end of the line", 19 });
	for (p = r->p;
		p < r->end && *p != '\n' && *p != '#' && *p != ',' && (p == r->p || !is_blank(*p));
		p++)
		;
	return qos_expected(r, what, (struct qos_slice){ r->p, p > r->p ? (size_t)(p - r->p) : 1 });
}

void
qos_warn(struct qos_reader *r, unsigned line, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	conf_say_warning(r->e, r->file, line, "%s", text);
}

/* ---- words ---- */

/* Skips blanks, comments and line ends. */
static void
skip_lines(struct qos_reader *r)
{
	for (; r->p < r->end; r->p++) {
		if (*r->p == '#')
			while (r->p + 1 < r->end && r->p[1] != '\n')
				r->p++;
		else if (*r->p == '\n')
			r->line++;
		else if (!is_blank(*r->p))
			return;
	}
}

struct qos_slice
qos_word(struct qos_reader *r)
{
	struct qos_slice s;

	skip_lines(r);
	s.p = r->p;
	while (!at_line_end(r) && !is_blank(*r->p) && *r->p != ':' && *r->p != ',')
		r->p++;
	if (r->p == s.p && r->p < r->end)
		/* A colon or comma with nothing before it is no keyword; returning it lets the
		 * message show it. */
		r->p++;
	s.n = (size_t)(r->p - s.p);
	return s;
}

bool
qos_is(struct qos_slice s, const char *word)
{
	return strlen(word) == s.n && memcmp(s.p, word, s.n) == 0;
}

bool
qos_is_any_case(struct qos_slice s, const char *word)
{
	return strlen(word) == s.n && strncasecmp(s.p, word, s.n) == 0;
}

bool
qos_took(struct qos_reader *r, char c)
{
	skip_blanks(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

int
qos_end_of_line(struct qos_reader *r)
{
	skip_blanks(r);
	return at_line_end(r) ? 0 : qos_expected_here(r, "nothing more on this line");
}

bool
qos_more(struct qos_reader *r)
{
	if (!qos_took(r, ','))
		return false;
	skip_blanks(r);
	if (at_line_end(r))
		skip_lines(r);
	return true;
}

/* ---- numbers ---- */

static bool
is_letter(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int
qos_number(struct qos_reader *r, uint64_t max, const char *what, uint64_t *v)
{
	char buf[32], *stop;
	size_t n = 0;

	skip_blanks(r);
	while (r->p + n < r->end && is_letter(r->p[n]))
		n++;
	if (!n || n >= sizeof(buf) || *r->p < '0' || *r->p > '9')
		return qos_expected_here(r, what);
	memcpy(buf, r->p, n);
	buf[n] = '\0';
	errno = 0;
	*v = strtoull(buf, &stop, 0);
	if (*stop || errno || *v > max)
		return qos_expected(r, what, (struct qos_slice){ r->p, n });
	r->p += n;
	return 0;
}

int
qos_single(struct qos_reader *r, uint64_t max, const char *what, uint64_t *v)
{
	int err = qos_number(r, max, what, v);

	return err ? err : qos_end_of_line(r);
}

int
qos_range_list(struct qos_reader *r, uint64_t max, const char *what, struct qos_range_list *l)
{
	do {
		struct qos_range one;
		int err = qos_number(r, max, what, &one.first);

		one.last = one.first;
		if (!err && qos_took(r, '-'))
			err = qos_number(r, max, what, &one.last);
		if (err)
			return err;
		if (one.last < one.first) {
			qos_warn(r, r->line, "0x%llx-0x%llx is written backwards",
				(unsigned long long)one.first, (unsigned long long)one.last);
			one = (struct qos_range){ one.last, one.first };
		}
		*QOS_ADD(r, l) = one;
	} while (qos_more(r));
	return 0;
}

static int
by_first(const void *a, const void *b)
{
	const struct qos_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

struct qos_ranges
qos_ranges_of(struct qos_range_list *l)
{
	uint32_t n = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_first);
	for (uint32_t i = 0; i < l->n; i++) {
		if (n &&
		    (l->v[n - 1].last == UINT64_MAX || l->v[i].first <= l->v[n - 1].last + 1)) {
			if (l->v[i].last > l->v[n - 1].last)
				l->v[n - 1].last = l->v[i].last;
		} else {
			l->v[n++] = l->v[i];
		}
	}
	return (struct qos_ranges){ l->v, n };
}

int
qos_pkeys(struct qos_reader *r, struct qos_range_list *l)
{
	uint32_t had = l->n, given;
	int err = qos_range_list(r, 0xffff, "P_Keys, as in 0x1,0x10-0x1f", l);

	given = l->n;
	for (uint32_t i = had; i < given; i++) {
		struct qos_range k = l->v[i];
		bool over = k.first <= PKEY_DEFAULT_LIMITED && k.last > PKEY_DEFAULT_LIMITED;

		if (over && k.last - k.first >= PKEY_DEFAULT_LIMITED) {
			l->v[i] = (struct qos_range){ 0, PKEY_DEFAULT_LIMITED };
			continue;
		}
		l->v[i] = (struct qos_range){ k.first & PKEY_BASE_MASK,
			over ? PKEY_DEFAULT_LIMITED : k.last & PKEY_BASE_MASK };
		/* a range across the membership bit: the end of the limited keys, and the
		 * beginning of the full ones */
		if (over)
			*QOS_ADD(r, l) = (struct qos_range){ 0, k.last & PKEY_BASE_MASK };
	}
	return err;
}

/* ---- text ---- */

/* Copies the text up to a comma (if 'list'), a comment or the line end into the arena.  False: a
 * quote is not closed. */
static bool
read_text(struct qos_reader *r, bool list, char **out)
{
	const char *p = r->p;
	bool quoted = false;
	size_t n = 0;

	for (; p < r->end && *p != '\n' && (quoted || (*p != '#' && !(list && *p == ','))); p++)
		quoted ^= *p == '"';
	*out = arena_alloc(r->a, (size_t)(p - r->p) + 1);
	for (; r->p < p; r->p++)
		if (*r->p != '"')
			(*out)[n++] = *r->p;
	while (n && is_blank((*out)[n - 1]))
		n--;
	(*out)[n] = '\0';
	*out += strspn(*out, blanks);
	return !quoted;
}

int
qos_string(struct qos_reader *r, const char *what, bool list, const char **s)
{
	char *t;

	skip_blanks(r);
	if (!read_text(r, true, &t))
		return qos_expected_here(r, "a closing quote on the same line");
	if (!*t)
		return qos_expected_here(r, what);
	*s = t;
	return list ? 0 : qos_end_of_line(r);
}

int
qos_description(struct qos_reader *r)
{
	char *t;

	read_text(r, false, &t);
	return 0;
}

int
qos_name_list(struct qos_reader *r, const char *what, struct qos_name_list *l)
{
	do {
		struct qos_name one = { NULL, r->line };
		int err = qos_string(r, what, true, &one.text);

		if (err)
			return err;
		*QOS_ADD(r, l) = one;
	} while (qos_more(r));
	return 0;
}

bool
qos_same_name(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, blanks);
		b += strspn(b, blanks);
		if (!*a || !*b)
			return *a == *b;
		if (strncasecmp(a++, b++, 1) != 0)
			return false;
	}
}

/* ---- blocks ---- */

/* The words that may follow, as a sentence. */
static void
list_words(char *buf, size_t room, const char *block, const struct qos_key *keys, size_t n)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n && at < room; i++)
		at += (size_t)snprintf(buf + at, room - at, "%s%s%s",
			i ? (block || i + 1 < n ? ", " : " or ") : "", keys[i].word,
			keys[i].has_value ? ":" : "");
	if (block && at < room)
		snprintf(buf + at, room - at, " or end-%s", block);
}

int
qos_entry(struct qos_reader *r, const char *block, const struct qos_key *keys, size_t n,
	struct qos_slice word, void *arg)
{
	char words[EXPECTED_BYTES];
	int err;

	for (size_t i = 0; i < n; i++) {
		if (!qos_is(word, keys[i].word))
			continue;
		if (keys[i].has_value && !qos_took(r, ':'))
			return qos_expected_here(r, "':' behind the keyword");
		err = keys[i].read(r, arg);
		if (!err && keys[i].has_value)
			err = qos_end_of_line(r);
		return err;
	}
	list_words(words, sizeof(words), block, keys, n);
	return qos_expected(r, words, word);
}

int
qos_block(struct qos_reader *r, const char *name, const struct qos_key *keys, size_t n, void *arg)
{
	unsigned begins = r->line;
	int err = 0;

	while (!err) {
		struct qos_slice word = qos_word(r);

		if (word.n > 4 && !memcmp(word.p, "end-", 4) && strlen(name) == word.n - 4 &&
		    !memcmp(word.p + 4, name, word.n - 4))
			return 0;
		if (!word.n) {
			conf_say_error(r->e, r->file, r->line,
				"expected end-%s, got the end of the file; the %s begins in line %u",
				name, name, begins);
			return -EINVAL;
		}
		err = qos_entry(r, name, keys, n, word, arg);
	}
	return err;
}
