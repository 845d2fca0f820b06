/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * optab.h - one const table per program yields its command line, its --help and its --version.
 * Room: util.  On top of getopt_long; one iteration at a time (getopt's state is the process's).
 *
 *	struct optab_iter it;
 *	optab_begin(&it, &table, argc, argv);
 *	while ((r = optab_next(&it, &o, &value)) > 0)
 *		switch (o->id) { ... }
 *	if (r < 0)
 *		fputs(it.error, stderr), exit status 2;
 *	operands: argv[it.operand] .. argv[argc - 1]
 */
#ifndef HEDDLE_UTIL_OPTAB_H
#define HEDDLE_UTIL_OPTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The exit statuses of every program. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_FINDINGS = 1,              /* it ran, and what it looked at is not right */
	EXIT_USAGE = 2,                 /* command line, configuration or input file */
	EXIT_PARTIAL = 3,               /* some of it could not be done */
	EXIT_FATAL = 255,               /* no device, no permission, nobody to talk to */
};

/* A row: an option, or, without a name, a heading of --help ('help' is its text; not shown when no
 * option follows).  A row without a name but with an id is nothing: so that the preprocessor can
 * filter a longer list. */
struct optab_opt {
	/* what the program's switch sees; unique, > 0; 0: a heading */
	int id;
	char letter;                    /* 0: none */
	const char *name;               /* long option, without dashes; NULL: no option */
	const char *arg;                /* name of its argument, NULL: takes none */
	/* one sentence without a full stop; '\n' starts a new line */
	const char *help;
};

struct optab {
	const char *program;            /* as the manual calls it */
	/* what follows the program's name, one form a row, ends with NULL */
	const char *const *usage;
	const char *about;              /* one sentence: what the program does */
	const struct optab_opt *opts;
	size_t nopts;
	const char *tail;               /* printed last in --help, may be NULL */
	/* options end at the first operand (it starts a command line) */
	bool stop_at_operand;
};

struct optab_iter {
	const struct optab *tab;
	int argc;
	char **argv;
	int operand;                    /* after the end: index of the first operand */
	char error[256];                /* after a failure: a sentence with a newline */
	char letters[128];              /* private */
	void *longs;                    /* private */
};

void optab_begin(struct optab_iter *it, const struct optab *tab, int argc, char **argv);
/* 1: '*o' is the option given, '*value' its argument or NULL.  0: the end, it->operand is set.
 * -EINVAL: it->error says why.  The iterator is spent after 0 and after an error. */
int optab_next(struct optab_iter *it, const struct optab_opt **o, const char **value);
/* After a failure: the sentence of it->error without the program's name and the newline, for a
 * caller that adds its own. */
const char *optab_fault(struct optab_iter *it);
/* Gives back what an iteration holds that is left before its end. */
void optab_end(struct optab_iter *it);

/* Writes the text of --help, at most 'width' columns wide (0: 80). */
void optab_help(FILE *f, const struct optab *tab, unsigned width);
/* Writes "program (heddle) version". */
void optab_version(FILE *f, const struct optab *tab);

#endif
