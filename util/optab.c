/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * optab.c - option tables on top of getopt_long.
 * Room: util.  Error messages are made here instead of by getopt_long, so that callers and tests
 * can capture them.
 */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "util/nearest.h"
#include "util/optab.h"
#include "util/xalloc.h"

#define LONG_BASE 256           /* getopt's value of row i is LONG_BASE + i; letters are below it */
#define HELP_COLUMN 30          /* column where the help text begins */

static void
make_letters(struct optab_iter *it)
{
	const struct optab *t = it->tab;
	size_t n = 0;

	if (t->stop_at_operand)
		it->letters[n++] = '+';
	it->letters[n++] = ':';
	for (size_t i = 0; i < t->nopts; i++) {
		if (!t->opts[i].letter)
			continue;
		if (n + 3 > sizeof(it->letters))
			bug("%s: too many option letters", t->program);
		it->letters[n++] = t->opts[i].letter;
		if (t->opts[i].arg)
			it->letters[n++] = ':';
	}
	it->letters[n] = '\0';
}

void
optab_begin(struct optab_iter *it, const struct optab *tab, int argc, char **argv)
{
	struct option *l;

	memset(it, 0, sizeof(*it));
	it->tab = tab;
	it->argc = argc;
	it->argv = argv;
	make_letters(it);
	it->longs = l = xcalloc(tab->nopts + 1, sizeof(*l));
	for (size_t i = 0; i < tab->nopts; i++) {
		if (!tab->opts[i].name)
			continue;
		l->name = tab->opts[i].name;
		l->has_arg = tab->opts[i].arg ? required_argument : no_argument;
		l->val = LONG_BASE + (int)i;
		l++;
	}
	optind = 0;             /* GNU: resets getopt after any earlier use */
	opterr = 0;
}

void
optab_end(struct optab_iter *it)
{
	free(it->longs);
	it->longs = NULL;
}

/* The row for getopt's value 'v', or NULL. */
static const struct optab_opt *
row_of(const struct optab *t, int v)
{
	if (v >= LONG_BASE)
		return (size_t)(v - LONG_BASE) < t->nopts ? &t->opts[v - LONG_BASE] : NULL;
	for (size_t i = 0; i < t->nopts; i++)
		if (t->opts[i].letter && t->opts[i].letter == v)
			return &t->opts[i];
	return NULL;
}

static void
say_unknown_long(struct optab_iter *it, const char *given)
{
	size_t len = strcspn(given, "=");
	char word[64];
	struct nearest near;
	unsigned hits = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), given);
	near = nearest_start(word);
	for (size_t i = 0; i < it->tab->nopts; i++) {
		if (!it->tab->opts[i].name)
			continue;
		nearest_offer(&near, it->tab->opts[i].name);
		hits += strncmp(it->tab->opts[i].name, given, len) == 0;
	}
	if (hits > 1)
		snprintf(it->error, sizeof(it->error), "%s: option --%s could be %u options\n",
			it->tab->program, word, hits);
	else if (near.best)
		snprintf(it->error, sizeof(it->error), "%s: no option --%s; did you mean --%s?\n",
			it->tab->program, word, near.best);
	else
		snprintf(it->error, sizeof(it->error), "%s: no option --%s; see %s --help\n",
			it->tab->program, word, it->tab->program);
}

static void
say_fault(struct optab_iter *it, int v)
{
	const struct optab_opt *o = row_of(it->tab, optopt);
	const char *given = it->argv[optind - 1];

	if (v == ':' && o && optopt >= LONG_BASE)
		snprintf(it->error, sizeof(it->error), "%s: option --%s needs %s\n",
			it->tab->program, o->name, o->arg);
	else if (v == ':' && o)
		snprintf(it->error, sizeof(it->error), "%s: option -%c needs %s\n",
			it->tab->program, o->letter, o->arg);
	else if (o && optopt >= LONG_BASE)
		snprintf(it->error, sizeof(it->error), "%s: option --%s takes no value\n",
			it->tab->program, o->name);
	else if (optopt)
		snprintf(it->error, sizeof(it->error), "%s: no option -%c; see %s --help\n",
			it->tab->program, optopt, it->tab->program);
	else
		say_unknown_long(it, strncmp(given, "--", 2) == 0 ? given + 2 : given);
}

int
optab_next(struct optab_iter *it, const struct optab_opt **o, const char **value)
{
	int v;

	if (!it->longs)
		return it->error[0] ? -EINVAL : 0;
	v = getopt_long(it->argc, it->argv, it->letters, it->longs, NULL);
	if (v == -1) {
		it->operand = optind;
		optab_end(it);
		return 0;
	}
	*o = v == '?' || v == ':' ? NULL : row_of(it->tab, v);
	if (!*o) {
		say_fault(it, v);
		optab_end(it);
		return -EINVAL;
	}
	*value = (*o)->arg ? optarg : NULL;
	return 1;
}

const char *
optab_fault(struct optab_iter *it)
{
	size_t n = strlen(it->tab->program);

	it->error[strcspn(it->error, "\n")] = '\0';
	return strncmp(it->error, it->tab->program, n) == 0 &&
			strncmp(it->error + n, ": ", 2) == 0 ?
		it->error + n + 2 :
		it->error;
}

/* Writes 'text', wrapped, starting at HELP_COLUMN. */
static void
put_wrapped(FILE *f, const char *text, size_t width)
{
	size_t at = HELP_COLUMN;
	bool first = true;

	while (*text) {
		size_t word = strcspn(text, " \n");

		if (!first && (at + 1 + word > width || text[-1] == '\n')) {
			fprintf(f, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		} else if (!first) {
			fputc(' ', f);
			at++;
		}
		fprintf(f, "%.*s", (int)word, text);
		at += word;
		first = false;
		text += word + (text[word] != '\0');
	}
	fputc('\n', f);
}

static void
help_row(FILE *f, const struct optab_opt *o, size_t width)
{
	char left[96];
	size_t n;

	if (o->letter)
		n = (size_t)snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter, o->name,
			o->arg ? " " : "", o->arg ? o->arg : "");
	else
		n = (size_t)snprintf(left, sizeof(left), "      --%s%s%s", o->name,
			o->arg ? " " : "", o->arg ? o->arg : "");
	if (n + 2 > HELP_COLUMN)
		fprintf(f, "%s\n%*s", left, HELP_COLUMN, "");
	else
		fprintf(f, "%-*s", HELP_COLUMN, left);
	put_wrapped(f, o->help, width);
}

void
optab_help(FILE *f, const struct optab *t, unsigned width)
{
	const char *heading = NULL;

	if (width < HELP_COLUMN + 20)
		width = 80;
	for (size_t i = 0; t->usage[i]; i++)
		fprintf(f, "%s %s %s\n", i ? "      " : "Usage:", t->program, t->usage[i]);
	fprintf(f, "%s.\n", t->about);
	for (size_t i = 0; i < t->nopts; i++) {
		if (!t->opts[i].name) {
			heading = t->opts[i].id ? heading : t->opts[i].help;
			continue;
		}
		if (heading)
			fprintf(f, "\n%s:\n", heading);
		heading = NULL;
		help_row(f, &t->opts[i], width);
	}
	if (t->tail)
		fprintf(f, "\n%s", t->tail);
}

void
optab_version(FILE *f, const struct optab *t)
{
	fprintf(f, "%s (%s) %s\n", t->program, PACKAGE_NAME, PACKAGE_VERSION);
}
