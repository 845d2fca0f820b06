/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * script.h - a timeline of commands: what happens to a simulated fabric, and when.
 * Room: sim/script.  Pure.  The commands are another's matter; here they are words.
 *
 * A line is a time and a command with its arguments: "2.5 pull leaf-0-0:3".  The time is in seconds
 * from the beginning; with a plus sign, from the line before.  Words are separated by blanks; "…"
 * keeps blanks together.  '#' begins a comment.
 */
#ifndef HEDDLE_SIM_SCRIPT_SCRIPT_H
#define HEDDLE_SIM_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#define SCRIPT_WORDS 40                 /* of a line, the command among them */
#define SCRIPT_WHY 160

struct script_step {
	int64_t at_us;
	unsigned line;                  /* in the text, from 1 */
	unsigned nwords;                /* at least 1 */
	const char *words[SCRIPT_WORDS];
};

struct script {
	char *text;                     /* the words stand in it */
	struct script_step *steps;      /* by time; those of one time in their order */
	unsigned nsteps;
};

/* Reads a whole text.  0, or -EINVAL and a sentence with the line's number; then '*s' is empty. */
int script_parse(const char *text, struct script *s, char why[SCRIPT_WHY]);
void script_clear(struct script *s);
/* Cuts a line into words, in place.  How many there are, or -EINVAL: more than 'max', or a quote
 * that does not end. */
int script_words(char *line, const char **words, unsigned max);

#endif
