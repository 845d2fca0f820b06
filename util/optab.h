/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * optab.h - one const table per program yields its command line, its --help and its --version.
 * Room: util.  Built on getopt_long, whose state is global: only one iteration at a time.
 *
 * The table is the only description of a program's options, so the parser and --help cannot
 * disagree.  Messages about wrong options are returned in it.error, not printed.
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
	EXIT_FINDINGS = 1,              /* the program ran and found problems */
	EXIT_USAGE = 2,                 /* error in command line, configuration or input file */
	EXIT_PARTIAL = 3,               /* some requests failed; the result is incomplete */
	EXIT_FATAL = 255,               /* no device, no permission, or no peer to talk to */
};

/* A row of the table.  With a name: an option.  Without a name and with id 0: a heading of --help,
 * whose text is 'help'; a heading that no option follows is not shown.  Without a name and with an
 * id: ignored, so that the preprocessor can filter a longer list. */
struct optab_opt {
	/* value for the program's switch statement; unique, > 0; 0: a heading */
	int id;
	char letter;                    /* 0: none */
	const char *name;               /* long option, without dashes; NULL: no option */
	const char *arg;                /* name of its argument; NULL: takes no argument */
	/* one sentence without a full stop; '\n' starts a new line */
	const char *help;
};

struct optab {
	const char *program;            /* its name in the manual */
	/* synopsis after the program's name, one string per form; ends with NULL */
	const char *const *usage;
	const char *about;              /* one sentence: what the program does */
	const struct optab_opt *opts;
	size_t nopts;
	const char *tail;               /* printed last in --help, may be NULL */
	/* options end at the first operand, which starts a command line of its own */
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
/* Returns 1: '*o' is the option given, '*value' its argument or NULL.  0: no more options,
 * it->operand is set.  -EINVAL: it->error says why.  After 0 or an error the iterator has released
 * its memory and must not be used again. */
int optab_next(struct optab_iter *it, const struct optab_opt **o, const char **value);
/* After a failure: the sentence of it->error without the program's name and the newline, for
 * callers that add their own. */
const char *optab_fault(struct optab_iter *it);
/* Releases the memory of an iteration that the caller abandons before its end. */
void optab_end(struct optab_iter *it);

/* Writes the text of --help, at most 'width' columns wide (0: 80). */
void optab_help(FILE *f, const struct optab *tab, unsigned width);
/* Writes "program (heddle) version". */
void optab_version(FILE *f, const struct optab *tab);

#endif
