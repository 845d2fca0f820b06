/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_line.c - the grammar of single lines of a topology file.
 * Room: fabric/topo.  Pure.
 * In: one line of text.  Out: values, or a reason.
 * The part before '#' is grammar and is checked to the last character.  The part behind it is a
 * comment in which ibnetdiscover leaves names, LIDs and link words: there, what is known is taken
 * and the rest is passed over.  A name may hold quotes itself, so it ends at the last quote of its
 * line.
 */
#include <config.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/topo/topo_line.h"

struct cursor {
	const char *at;
	char *why;
};

/* Numbers that a line may give for a link; -1: not given. */
struct link_numbers {
	int width, speed, ext;
};

/* Values in a part of a comment; -1: none. */
struct remarks {
	long lid, lmc;
	struct topo_caps *caps;         /* in, changed by a word such as 4xHDR */
	struct link_numbers *numbers;
};

static bool __attribute__((format(printf, 2, 3)))
refuse(struct cursor *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->why, TOPO_WHY_BYTES, fmt, ap);
	va_end(ap);
	return false;
}

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

static void
skip_blanks(struct cursor *c)
{
	while (is_blank(*c->at))
		c->at++;
}

/* True when nothing but a comment is left. */
static bool
at_end(struct cursor *c)
{
	skip_blanks(c);
	return !*c->at || *c->at == '#';
}

static int
digit_value(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	if (ch >= 'A' && ch <= 'F')
		return ch - 'A' + 10;
	return 99;
}

/* Digits of 'base' (0: decimal, or 0x and hexadecimal), at most 'max'. */
static bool
take_number(struct cursor *c, int base, uint64_t max, const char *what, uint64_t *out)
{
	uint64_t v = 0;
	bool over = false;

	if (base != 10 && c->at[0] == '0' && (c->at[1] == 'x' || c->at[1] == 'X')) {
		c->at += 2;
		base = 16;
	}
	base = base ? base : 10;
	if (digit_value(*c->at) >= base)
		return refuse(c, "expected %s, found \"%.24s\"", what, c->at);
	for (; digit_value(*c->at) < base; c->at++) {
		uint64_t digit = (uint64_t)digit_value(*c->at);

		over = over || v > (UINT64_MAX - digit) / (uint64_t)base;
		v = v * (uint64_t)base + digit;
	}
	if (over || v > max)
		return refuse(c, "%s is out of range: at most %llu", what, (unsigned long long)max);
	*out = v;
	return true;
}

static bool
take_quoted(struct cursor *c, char *out, size_t size, const char *what)
{
	const char *end;

	skip_blanks(c);
	if (*c->at != '"')
		return refuse(c, "expected %s in quotes, found \"%.24s\"", what, c->at);
	end = strchr(c->at + 1, '"');
	if (!end)
		return refuse(c, "%s has no closing quote (is the file cut short?)", what);
	if (end == c->at + 1)
		return refuse(c, "%s is empty", what);
	if ((size_t)(end - c->at) > size)
		return refuse(c, "%s is longer than %zu bytes", what, size - 1);
	memcpy(out, c->at + 1, (size_t)(end - c->at) - 1);
	out[end - c->at - 1] = '\0';
	c->at = end + 1;
	return true;
}

/* `(a1b2)`: a GUID in hexadecimal without 0x, as ibnetdiscover prints port GUIDs. */
static bool
take_guid(struct cursor *c, uint64_t *out)
{
	c->at++;
	if (!take_number(c, 16, UINT64_MAX, "a GUID", out))
		return false;
	if (*c->at != ')')
		return refuse(c, "expected \")\" after a GUID, found \"%.24s\"", c->at);
	c->at++;
	return true;
}

/* Parses `[n]` and what may follow it: `[ext n]` of a chassis port, `(guid)`. */
static bool
take_port(struct cursor *c, const char *what, uint8_t *port, uint64_t *guid)
{
	uint64_t v;

	skip_blanks(c);
	if (*c->at != '[')
		return refuse(c, "expected %s in brackets, found \"%.24s\"", what, c->at);
	c->at++;
	skip_blanks(c);
	if (!take_number(c, 10, 254, what, &v))
		return false;
	skip_blanks(c);
	if (*c->at != ']')
		return refuse(c, "expected \"]\" after %s (is the file cut short?)", what);
	c->at++;
	if (v == 0)
		return refuse(c, "port 0 takes no cable");
	*port = (uint8_t)v;
	if (!strncmp(c->at, "[ext ", 5)) {
		c->at += 5;
		if (!take_number(c, 10, 254, "an external port number", &v))
			return false;
		if (*c->at++ != ']')
			return refuse(c, "expected \"]\" after an external port number");
	}
	skip_blanks(c);
	return *c->at != '(' || take_guid(c, guid);
}

/* ---- width and speed ---- */

static bool
take_link_number(struct cursor *c, char letter, struct link_numbers *out)
{
	uint64_t v;

	if (letter == 'w') {
		if (!take_number(c, 0, 31, "a width (w=)", &v))
			return false;
		if (v == 0)
			return refuse(c, "a width (w=) is out of range: 1 to 31");
		out->width = (int)v;
	} else if (letter == 's') {
		if (!take_number(c, 0, 7, "a speed (s=)", &v))
			return false;
		out->speed = v ? (int)v : 4;    /* ibsim's reading of 0 */
	} else {
		if (!take_number(c, 0, 15, "an extended speed (e=)", &v))
			return false;
		out->ext = (int)v;
	}
	return true;
}

/* `w=4 s=7 e=2` between the peer and the comment. */
static bool
take_options(struct cursor *c, struct link_numbers *out)
{
	while (!at_end(c)) {
		char letter = c->at[0];

		if (!strchr("wse", letter) || c->at[1] != '=')
			return refuse(c, "expected w=, s=, e= or a comment, found \"%.24s\"",
				c->at);
		c->at += 2;
		if (!take_link_number(c, letter, out))
			return false;
		if (!is_blank(*c->at) && !at_end(c))
			return refuse(c, "expected a blank after %c=, found \"%.24s\"", letter,
				c->at);
	}
	return true;
}

static uint8_t
width_mask(unsigned long lanes)
{
	switch (lanes) {
	case 1: return 1;
	case 2: return 16 | 1;
	case 4: return 2 | 1;
	case 8: return 4 | 2 | 1;
	case 12: return 8 | 2 | 1;
	}
	return 0;
}

/* `4xHDR`: the link ran so, hence its ends can do this and what lies below.  Unknown halves
 * (`??`) say nothing. */
static void
link_word(const char *word, size_t length, struct topo_caps *caps)
{
	static const struct {
		const char *name;
		struct topo_caps caps;
	} speeds[] = {
		{ "SDR", { 0, 1, 0, 0, false } }, { "DDR", { 0, 3, 0, 0, false } },
		{ "QDR", { 0, 7, 0, 0, false } }, { "FDR10", { 0, 7, 0, 0, true } },
		{ "FDR", { 0, 7, 1, 0, false } }, { "EDR", { 0, 7, 3, 0, false } },
		{ "HDR", { 0, 7, 7, 0, false } }, { "NDR", { 0, 7, 15, 0, false } },
		{ "XDR", { 0, 7, 15, 1, false } },
	};
	const char *x = memchr(word, 'x', length);
	size_t rest;

	if (!x || x == word || !isdigit((unsigned char)word[0]) || x - word > 2)
		return;
	if (width_mask(strtoul(word, NULL, 10)))
		caps->width = width_mask(strtoul(word, NULL, 10));
	rest = length - (size_t)(x + 1 - word);
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (strlen(speeds[i].name) == rest && !memcmp(x + 1, speeds[i].name, rest)) {
			uint8_t width = caps->width;

			*caps = speeds[i].caps;
			caps->width = width;
		}
}

static uint8_t
best_of(uint8_t mask, const uint8_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (mask & order[i])
			return order[i];
	return 0;
}

bool
topo_caps_meet(const struct topo_caps *a, const struct topo_caps *b, struct topo_caps *active)
{
	static const uint8_t widths[] = { 8, 4, 2, 16, 1 }, speeds[] = { 8, 4, 2, 1 };

	active->width = best_of(a->width & b->width, widths, sizeof(widths));
	active->speed = best_of(a->speed & b->speed, speeds, sizeof(speeds));
	active->ext2 = a->ext2 & b->ext2 & 1;
	active->ext = active->ext2 ? 0 : best_of(a->ext & b->ext, speeds, sizeof(speeds));
	active->fdr10 = a->fdr10 && b->fdr10 && active->speed == 4 && !active->ext && !active->ext2;
	return active->width && active->speed;
}

/* ---- comments ---- */

static bool
word_is(const char *word, size_t length, const char *wanted)
{
	return strlen(wanted) == length && !memcmp(word, wanted, length);
}

/* `lid 3 lmc 0 4xHDR s=4 w=2 v=8` in [from, to): takes what it knows. */
static bool
take_remarks(struct cursor *c, const char *to, struct remarks *r)
{
	while (c->at < to) {
		const char *word = c->at;
		size_t length;
		uint64_t v;

		while (c->at < to && !is_blank(*c->at))
			c->at++;
		length = (size_t)(c->at - word);
		skip_blanks(c);
		if ((word_is(word, length, "lid") || word_is(word, length, "lmc")) &&
		    isdigit((unsigned char)*c->at)) {
			bool is_lid = word[1] == 'i';

			if (!take_number(c, 0, is_lid ? 0xffff : 7, is_lid ? "a LID" : "an LMC",
			    &v))
				return false;
			*(is_lid ? &r->lid : &r->lmc) = (long)v;
			skip_blanks(c);
		} else if (length > 2 && word[1] == '=' && strchr("wse", word[0])) {
			struct cursor number = { word + 2, c->why };

			if (!take_link_number(&number, word[0], r->numbers))
				return false;
		} else if (length) {
			link_word(word, length, r->caps);
		}
	}
	return true;
}

/* Where an unquoted name ends: old tools wrote `# MT47396 Infiniscale base port 0 lid 3 lmc 0`. */
static const char *
bare_name_end(const char *s)
{
	static const char *const marks[] = { " enhanced port ", " base port ", " lid ", " lmc " };
	const char *end = s + strlen(s);

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *hit = strstr(s, marks[i]);

		if (hit && hit < end)
			end = hit;
	}
	return end;
}

static bool
take_node_comment(struct cursor *c, struct topo_node_line *out)
{
	struct topo_caps caps = { 0, 0, 0, 0, false };
	struct link_numbers numbers = { -1, -1, -1 };
	struct remarks r = { -1, -1, &caps, &numbers };
	const char *start, *end;
	size_t length;

	c->at++;
	skip_blanks(c);
	start = c->at;
	if (*start == '"') {
		start++;
		end = strrchr(start, '"');
		end = end ? end : start + strlen(start);
		c->at = *end ? end + 1 : end;
	} else {
		end = c->at = bare_name_end(start);
	}
	length = (size_t)(end - start);
	if (length >= TOPO_DESC_BYTES)
		length = TOPO_DESC_BYTES - 1;
	memcpy(out->desc, start, length);
	out->desc[length] = '\0';
	out->enhanced_port0 = strstr(c->at, "enhanced port 0") != NULL;
	skip_blanks(c);
	if (!take_remarks(c, c->at + strlen(c->at), &r))
		return false;
	out->lid = r.lid > 0 ? (uint16_t)r.lid : 0;
	out->lmc = r.lmc > 0 ? (uint8_t)r.lmc : 0;
	return true;
}

static bool
take_port_comment(struct cursor *c, bool of_switch, struct topo_port_line *out,
	struct link_numbers *numbers)
{
	const char *quote, *last, *end;
	struct remarks head = { -1, -1, &out->caps, numbers }, tail = head;

	c->at++;
	skip_blanks(c);
	end = c->at + strlen(c->at);
	quote = strchr(c->at, '"');
	last = quote ? strrchr(quote, '"') + 1 : end;
	if (!take_remarks(c, quote ? quote : end, &head))
		return false;
	c->at = last;
	skip_blanks(c);
	if (!take_remarks(c, end, &tail))
		return false;
	if (!of_switch) {
		out->lid = head.lid > 0 ? (uint16_t)head.lid : 0;
		out->lmc = head.lmc > 0 ? (uint8_t)head.lmc : 0;
	}
	out->peer_lid = tail.lid > 0 ? (uint16_t)tail.lid : 0;
	return true;
}

/* ---- whole lines ---- */

bool
topo_line_node(const char *rest, struct topo_node_line *out, char why[static TOPO_WHY_BYTES])
{
	struct cursor c = { rest, why };
	uint64_t v;

	memset(out, 0, sizeof(*out));
	skip_blanks(&c);
	if (!take_number(&c, 0, 254, "the number of ports", &v))
		return false;
	if (v == 0)
		return refuse(&c, "the number of ports is out of range: 1 to 254");
	out->nports = (uint8_t)v;
	if (!take_quoted(&c, out->id, sizeof(out->id), "the node's id"))
		return false;
	if (!at_end(&c))
		return refuse(&c,
			"expected a comment or the end of the line after the id, found \"%.24s\"",
			c.at);
	return *c.at != '#' || take_node_comment(&c, out);
}

bool
topo_line_port(const char *line, bool of_switch, const struct topo_caps *defaults,
	struct topo_port_line *out, char why[static TOPO_WHY_BYTES])
{
	struct cursor c = { line, why };
	struct link_numbers numbers = { -1, -1, -1 };

	memset(out, 0, sizeof(*out));
	out->caps = *defaults;
	out->alias = *c.at == '@';
	c.at += out->alias;
	if (!take_port(&c, "a port number", &out->port, &out->guid))
		return false;
	if (!take_quoted(&c, out->peer, sizeof(out->peer), out->alias ? "the alias" :
	    "the peer's id"))
		return false;
	out->peer_port = 1;
	skip_blanks(&c);
	if (*c.at == '[' && !take_port(&c, "the peer's port number", &out->peer_port,
	    &out->peer_guid))
		return false;
	if (!take_options(&c, &numbers))
		return false;
	if (*c.at == '#' && !take_port_comment(&c, of_switch, out, &numbers))
		return false;
	if (numbers.width >= 0)
		out->caps.width = (uint8_t)numbers.width;
	if (numbers.speed >= 0)
		out->caps.speed = (uint8_t)numbers.speed;
	if (numbers.ext >= 0) {
		out->caps.ext = (uint8_t)numbers.ext;
		out->caps.ext2 = 0;
	}
	return true;
}

bool
topo_line_setting(const char *line, struct topo_setting *out)
{
	const char *at = line;

	while (isalnum((unsigned char)*at))
		at++;
	out->word_length = (size_t)(at - line);
	while (is_blank(*at))
		at++;
	out->relative = *at == '+';
	if (!out->word_length || (*at != '=' && *at != '+'))
		return false;
	out->value = at + 1;
	return true;
}

bool
topo_line_number(const char *text, uint64_t max, uint64_t *out, uint64_t *extra,
	char why[static TOPO_WHY_BYTES])
{
	struct cursor c = { text, why };

	skip_blanks(&c);
	if (!take_number(&c, 0, max, "a number", out))
		return false;
	if (extra) {
		*extra = 0;
		if (*c.at == '(' && !take_guid(&c, extra))
			return false;
	}
	if (!at_end(&c))
		return refuse(&c, "expected the end of the line after the number, found \"%.24s\"",
			c.at);
	return true;
}

bool
topo_line_quoted(const char *text, char *out, size_t size, char why[static TOPO_WHY_BYTES])
{
	struct cursor c = { text, why };

	if (!take_quoted(&c, out, size, "the name"))
		return false;
	if (!at_end(&c))
		return refuse(&c, "expected the end of the line after the name, found \"%.24s\"",
			c.at);
	return true;
}
