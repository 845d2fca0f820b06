/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * script.c - reads a timeline of commands.
 * Room: sim/script.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/script/script.h"
#include "util/xalloc.h"

#define DAYS_100_S 8640000.0            /* nobody waits longer */

int
script_words(char *line, const char **words, unsigned max)
{
	char *to = line;
	unsigned n = 0;

	for (;;) {
		bool quoted = false;

		line += strspn(line, " \t\r");
		if (!*line || *line == '#')
			return (int)n;
		if (n == max)
			return -EINVAL;
		words[n++] = to;
		for (; *line && (quoted || !strchr(" \t\r", *line)); line++) {
			if (*line == '"')
				quoted = !quoted;
			else
				*to++ = *line;
		}
		if (quoted)
			return -EINVAL;
		line += *line != '\0';
		*to++ = '\0';
	}
}

/* "2.5", or "+2.5" after 'before_us'. */
static int
read_time(const char *word, int64_t before_us, int64_t *at_us)
{
	bool after = *word == '+';
	char *end;
	double v = strtod(word + after, &end);

	if (end == word + after || *end || !(v >= 0 && v <= DAYS_100_S) || word[after] == '+' ||
	    word[after] == '-')
		return -EINVAL;
	*at_us = (after ? before_us : 0) + (int64_t)(v * 1e6 + 0.5);
	return 0;
}

static int
read_line(char *line, struct script_step *step, int64_t before_us, char why[SCRIPT_WHY])
{
	const char *words[SCRIPT_WORDS + 1];
	int n = script_words(line, words, SCRIPT_WORDS + 1);

	step->nwords = 0;
	if (n == 0)
		return 0;
	if (n < 0)
		snprintf(why, SCRIPT_WHY, "line %u: too many words, or a quotation mark is missing",
			step->line);
	else if (read_time(words[0], before_us, &step->at_us))
		snprintf(why, SCRIPT_WHY, "line %u: '%.40s' is no time in seconds", step->line,
			words[0]);
	else if (n == 1)
		snprintf(why, SCRIPT_WHY, "line %u: a command is missing behind the time",
			step->line);
	else {
		step->nwords = (unsigned)n - 1;
		memcpy(step->words, words + 1, step->nwords * sizeof(words[0]));
		return 0;
	}
	return -EINVAL;
}

static int
by_time(const void *a, const void *b)
{
	const struct script_step *x = a, *y = b;

	if (x->at_us != y->at_us)
		return x->at_us < y->at_us ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

int
script_parse(const char *text, struct script *s, char why[SCRIPT_WHY])
{
	int64_t before_us = 0;
	unsigned line = 0;
	char *at;

	*s = (struct script){ .text = xstrdup(text) };
	for (at = s->text; *at; ) {
		struct script_step step = { .line = ++line };
		char *end = at + strcspn(at, "\n"), *next = *end ? end + 1 : end;

		*end = '\0';
		if (read_line(at, &step, before_us, why)) {
			script_clear(s);
			return -EINVAL;
		}
		at = next;
		if (!step.nwords)
			continue;
		before_us = step.at_us;
		s->steps = xreallocarray(s->steps, s->nsteps + 1u, sizeof(*s->steps));
		s->steps[s->nsteps++] = step;
	}
	if (s->nsteps)
		qsort(s->steps, s->nsteps, sizeof(*s->steps), by_time);
	return 0;
}

void
script_clear(struct script *s)
{
	free(s->steps);
	free(s->text);
	*s = (struct script){ 0 };
}
