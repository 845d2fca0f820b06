/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * timeline.c - executes a script of faults at its times.
 * Room: sim/serve.  sim/script parses the script; its commands are those of `heddle-sim ctl`.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/script/script.h"
#include "sim/serve/timeline.h"
#include "util/xalloc.h"

#define SCRIPT_BYTES_MAX (16 << 20)

struct timeline {
	char *file;
	struct script script;
	unsigned next;
	bool started;
	int64_t start_us;
};

static int
read_file(const char *file, char **text)
{
	size_t n = 0, room = 0;
	FILE *f = fopen(file, "re");

	*text = NULL;
	if (!f)
		return -errno;
	do {
		room = room ? 2 * room : 4096;
		*text = xrealloc(*text, room + 1);
		n += fread(*text + n, 1, room - n, f);
	} while (n == room && room < SCRIPT_BYTES_MAX);
	(*text)[n] = '\0';
	if (ferror(f) || n == room || strlen(*text) != n) {
		int error = ferror(f) ? -EIO : -EINVAL;

		fclose(f);
		free(*text);
		return error;
	}
	fclose(f);
	return 0;
}

static int
check_commands(const struct timeline *t, char why[CONTROL_WHY])
{
	for (unsigned i = 0; i < t->script.nsteps; i++) {
		const struct script_step *s = &t->script.steps[i];
		const struct control_command *c = control_command_find(s->words[0]);

		if (c && s->nwords - 1 >= c->min_args && s->nwords - 1 <= c->max_args)
			continue;
		if (c)
			snprintf(why, CONTROL_WHY, "%.80s: line %u: usage: %s %s", t->file, s->line,
				c->name, c->usage);
		else
			snprintf(why, CONTROL_WHY, "%.80s: line %u: no command '%.40s'", t->file,
				s->line, s->words[0]);
		return -EINVAL;
	}
	return 0;
}

int
timeline_read(const char *file, struct timeline **t, char why[CONTROL_WHY])
{
	char *text, what[SCRIPT_WHY];
	int r = read_file(file, &text);

	*t = NULL;
	if (r) {
		snprintf(why, CONTROL_WHY, "%.100s: %s", file, r == -EINVAL ?
			"not a text, or too long" : strerror(-r));
		return r;
	}
	*t = xcalloc(1, sizeof(**t));
	(*t)->file = xstrdup(file);
	r = script_parse(text, &(*t)->script, what);
	free(text);
	if (r)
		snprintf(why, CONTROL_WHY, "%.80s: %s", file, what);
	else
		r = check_commands(*t, why);
	if (r) {
		timeline_free(*t);
		*t = NULL;
	}
	return r;
}

void
timeline_free(struct timeline *t)
{
	if (!t)
		return;
	script_clear(&t->script);
	free(t->file);
	free(t);
}

void
timeline_run(struct server *s, struct monotime now)
{
	struct timeline *t = s->timeline;

	if (!t)
		return;
	if (!t->started) {
		t->started = true;
		t->start_us = now.us;
	}
	while (t->next < t->script.nsteps && t->script.steps[t->next].at_us <= now.us -
	    t->start_us) {
		const struct script_step *x = &t->script.steps[t->next++];
		char why[CONTROL_WHY] = "";
		json_t *result = NULL;

		if (control_run(s, x->words[0], x->nwords - 1, x->words + 1, &result, why))
			fprintf(stderr, "heddle-sim serve: %s: line %u: %s\n", t->file, x->line,
				why);
		json_decref(result);
	}
}

bool
timeline_deadline(const struct server *s, struct monotime *at)
{
	const struct timeline *t = s->timeline;

	if (!t || t->next >= t->script.nsteps)
		return false;
	at->us = t->start_us + t->script.steps[t->next].at_us;
	return true;
}
