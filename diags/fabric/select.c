/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * select.c - parses the expression of --select into a tree, and evaluates it for each port.
 * Room: diags/fabric.
 */
#include <config.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/fabric/select_int.h"
#include "util/xalloc.h"

#define DEPTH_MAX 100

enum kind { SEL_TEST, SEL_NOT, SEL_AND, SEL_OR };

struct tree {
	enum kind kind;
	struct tree *a, *b;
	struct select_test *test;
};

struct selection {
	const struct diag_fabric *f;
	struct diag *d;
	struct tree *root;
};

struct parser {
	struct diag *d;
	const struct diag_fabric *f;
	const char *at;
	char why[160];
	int depth;
};

static struct tree *parse_or(struct parser *p);

static void
tree_free(struct tree *t)
{
	if (!t)
		return;
	tree_free(t->a);
	tree_free(t->b);
	select_test_free(t->test);
	free(t);
}

static struct tree *
node_new(enum kind kind, struct tree *a, struct tree *b)
{
	struct tree *t = xcalloc(1, sizeof(*t));

	t->kind = kind;
	t->a = a;
	t->b = b;
	return t;
}

static void
skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

/* Consumes the word if it is the next one. */
static bool
take_word(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(p);
	if (strncmp(p->at, word, n) || (p->at[n] && !isspace((unsigned char)p->at[n]) &&
	    p->at[n] != '('))
		return false;
	p->at += n;
	return true;
}

/* Consumes a test, which ends at a blank or parenthesis outside of quotes; the quotes are
 * removed. */
static char *
take_test(struct parser *p)
{
	char *text = xcalloc(1, strlen(p->at) + 1), *to = text, quote = 0;

	for (; *p->at && (quote || (!isspace((unsigned char)*p->at) && *p->at != '(' &&
	    *p->at != ')')); p->at++) {
		if (quote ? *p->at == quote : *p->at == '"' || *p->at == '\'')
			quote = quote ? 0 : *p->at;
		else
			*to++ = *p->at;
	}
	return text;
}

static struct tree *
parse_factor(struct parser *p)
{
	struct tree *t;
	char *text;

	if (++p->depth > DEPTH_MAX) {
		snprintf(p->why, sizeof(p->why), "it is nested too deep");
		return NULL;
	}
	if (take_word(p, "not")) {
		t = parse_factor(p);
		p->depth--;
		return t ? node_new(SEL_NOT, t, NULL) : NULL;
	}
	skip_blanks(p);
	if (*p->at == '(') {
		p->at++;
		t = parse_or(p);
		skip_blanks(p);
		p->depth--;
		if (t && *p->at == ')') {
			p->at++;
			return t;
		}
		if (t)
			snprintf(p->why, sizeof(p->why), "a ')' is missing");
		tree_free(t);
		return NULL;
	}
	text = take_test(p);
	t = node_new(SEL_TEST, NULL, NULL);
	t->test = select_test_new(p->d, p->f, text, p->why);
	free(text);
	p->depth--;
	if (t->test)
		return t;
	tree_free(t);
	return NULL;
}

static struct tree *
parse_and(struct parser *p)
{
	struct tree *t = parse_factor(p), *u;
	const char *before;

	while (t) {
		skip_blanks(p);
		before = p->at;
		if (!*p->at || *p->at == ')' || take_word(p, "or")) {
			p->at = before;
			break;
		}
		take_word(p, "and");
		u = parse_factor(p);
		if (!u) {
			tree_free(t);
			return NULL;
		}
		t = node_new(SEL_AND, t, u);
	}
	return t;
}

static struct tree *
parse_or(struct parser *p)
{
	struct tree *t = parse_and(p), *u;

	while (t && take_word(p, "or")) {
		u = parse_and(p);
		if (!u) {
			tree_free(t);
			return NULL;
		}
		t = node_new(SEL_OR, t, u);
	}
	return t;
}

struct selection *
select_parse(struct diag *d, const struct diag_fabric *f, const char *text, int *status)
{
	struct parser p = { .d = d, .f = f, .at = text };
	struct tree *t = parse_or(&p);
	struct selection *s;

	*status = 0;
	if (t && *p.at) {
		snprintf(p.why, sizeof(p.why), "a ')' stands alone");
		tree_free(t);
		t = NULL;
	}
	if (!t) {
		*status = diag_fail(d, EXIT_USAGE, "usage", "cannot select '%s': %s", text, p.why);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	*s = (struct selection){ f, d, t };
	return s;
}

void
select_free(struct selection *s)
{
	if (s)
		tree_free(s->root);
	free(s);
}

static bool
tree_ask(const struct selection *s, const struct tree *t, const struct fab_port *p)
{
	switch (t->kind) {
	case SEL_TEST: return select_test_ask(t->test, s->d, s->f, p);
	case SEL_NOT: return !tree_ask(s, t->a, p);
	case SEL_AND: return tree_ask(s, t->a, p) && tree_ask(s, t->b, p);
	case SEL_OR: return tree_ask(s, t->a, p) || tree_ask(s, t->b, p);
	}
	return false;
}

bool
select_port(const struct selection *s, const struct fab_port *p)
{
	return !s || tree_ask(s, s->root, p);
}

bool
select_node(const struct selection *s, const struct fab_node *n)
{
	for (unsigned i = fab_is_switch(n) ? 0 : 1; s && i <= n->nports; i++)
		if (tree_ask(s, s->root, &s->f->s->ports[n->first_port + i]))
			return true;
	return !s;
}

bool
select_has(const char *text, const char *key)
{
	size_t n = strlen(key);
	bool begins = true;

	for (char quote = 0; *text; text++) {
		if (begins && !quote && !strncmp(text, key, n) && text[n] == ':')
			return true;
		if (quote ? *text == quote : *text == '"' || *text == '\'')
			quote = quote ? 0 : *text;
		begins = isspace((unsigned char)*text) || *text == '(';
	}
	return false;
}

int
diag_selection(struct diag *d, const struct diag_fabric *f, struct selection **s)
{
	int status = 0;

	*s = diag_settings(d)->select ? select_parse(d, f, diag_settings(d)->select, &status) :
		NULL;
	return status;
}
