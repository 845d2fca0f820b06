/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * file.c - parses heddled.conf with libconfuse.
 * Room: conf.  In: text.  Out: members of struct conf, and faults with file and line.
 *
 * libconfuse parses the syntax, options.def checks the values: libconfuse takes every key as text,
 * and a callback passes text and line to the table.  libconfuse stops at the first unknown key.
 * This file then records the key, declares it, and parses the text again, so that the operator sees
 * all faults at once.
 */
#include <config.h>
#include <confuse.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/file.h"
#include "sm/conf/text/say.h"
#include "sm/conf/table.h"
#include "util/grow.h"
#include "util/xalloc.h"

/* maximum number of unknown keys, each of which costs another pass over the text */
#define UNKNOWN_MAX 20
#define END_KEY "heddle_end_of_file"

struct fault {
	int line;
	bool warning;
	char *text;
};

struct reader {
	struct conf *conf;
	struct arena *arena;
	/* At most one per value in the text, so the size limit of the file limits them too. */
	struct fault *faults;
	size_t nfaults, faults_room;
	unsigned errors;
	char *unknown[UNKNOWN_MAX];     /* unknown keys, declared so that parsing continues */
	unsigned nunknown;
	bool again;                     /* an unknown key was declared: parse again */
	bool at_end, end_seen;          /* END_KEY is declared; END_KEY was read */
};

/* The active reader while cfg_parse_buf() runs; libconfuse's callbacks carry no argument. */
static _Thread_local struct reader *reading;

static void
note_fault(struct reader *r, int line, bool warning, char *text)
{
	r->errors += !warning;
	GROW(r->faults, r->nfaults, r->faults_room, 16);
	r->faults[r->nfaults++] = (struct fault){ line, warning, text };
}

static void
forget_faults(struct reader *r)
{
	for (size_t i = 0; i < r->nfaults; i++)
		free(r->faults[i].text);
	r->nfaults = 0;
	r->errors = 0;
}

static void
note_unknown_key(struct reader *r, int line, const char *key, const char *more)
{
	const char *near = conf_key_near(key);

	note_fault(r, line, false,
		near ? xasprintf("no key '%.60s'; did you mean '%s'?%s", key, near, more) :
		       xasprintf("no key '%.60s'; see heddled.conf(5)%s", key, more));
}

/* Callback for a key of options.def and its value. */
static int
take_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
	const struct conf_row *row = conf_row_of(opt->name);
	char why[CONF_WHY_BYTES];

	*(const char **)result = value;
	if (!row && strcmp(opt->name, END_KEY) == 0)
		reading->end_seen = true;
	else if (!row)          /* one of r->unknown */
		note_unknown_key(reading, cfg->line, opt->name, "");
	else if (row->known_only)
		note_fault(reading, cfg->line, true, xasprintf("%s: %s", row->key, row->help));
	else if (conf_set(reading->conf, reading->arena, row, value, why))
		note_fault(reading, cfg->line, false, xasprintf("%s: %s", row->key, why));
	return 0;
}

/* Extracts KEY from libconfuse's message "no such option 'KEY'"; NULL for other messages.  The
 * caller owns the result. */
static char *
unknown_key(const char *message)
{
	static const char start[] = "no such option '";
	const char *key, *end;

	if (strncmp(message, start, strlen(start)) != 0)
		return NULL;
	key = message + strlen(start);
	end = strrchr(key, '\'');
	return end && end > key ? arena_strdup(reading->arena, message) : NULL;
}

static void
take_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	char message[512];
	char *key;

	vsnprintf(message, sizeof(message), fmt, ap);
	key = unknown_key(message);
	if (!key) {
		note_fault(reading, cfg->line, false, xstrdup(message));
		return;
	}
	key = strchr(key, '\'') + 1;
	*strrchr(key, '\'') = '\0';
	if (reading->nunknown == UNKNOWN_MAX) {
		note_unknown_key(reading, cfg->line, key,
			"; with so many unknown keys, the rest of the file was not checked");
		return;
	}
	reading->unknown[reading->nunknown++] = key;
	reading->again = true;
}

static cfg_opt_t *
make_opts(const struct reader *r)
{
	cfg_opt_t *opts = xcalloc(conf_nrows + r->nunknown + 2, sizeof(*opts));
	size_t n = 0;

	if (r->at_end)
		opts[n++] = (cfg_opt_t)CFG_STR_CB(END_KEY, NULL, CFGF_NODEFAULT, take_value);
	for (size_t i = 0; i < conf_nrows; i++)
		if (conf_rows[i].key)
			opts[n++] = (cfg_opt_t)CFG_STR_CB(
				conf_rows[i].key, NULL, CFGF_NODEFAULT, take_value);
	for (unsigned i = 0; i < r->nunknown; i++)
		opts[n++] = (cfg_opt_t)CFG_STR_CB(r->unknown[i], NULL, CFGF_NODEFAULT, take_value);
	opts[n] = (cfg_opt_t)CFG_END();
	return opts;
}

static void
read_once(struct reader *r, const char *text)
{
	cfg_opt_t *opts = make_opts(r);
	cfg_t *cfg = cfg_init(opts, CFGF_NONE);

	forget_faults(r);
	r->again = false;
	reading = r;
	cfg_set_error_function(cfg, take_error);
	if (cfg_parse_buf(cfg, text) != CFG_SUCCESS && !r->again && !r->errors)
		note_fault(r, cfg->line, false, xstrdup("syntax error"));
	reading = NULL;
	cfg_free(cfg);
	free(opts);
}

static int
by_line(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

static void
report_faults(struct reader *r, const char *path, struct conf_error *e)
{
	if (r->nfaults)
		qsort(r->faults, r->nfaults, sizeof(r->faults[0]), by_line);
	for (size_t i = 0; i < r->nfaults; i++) {
		unsigned line = (unsigned)r->faults[i].line;

		if (r->faults[i].warning)
			conf_say_warning(e, path, line, "%s", r->faults[i].text);
		else
			conf_say_error(e, path, line, "%s", r->faults[i].text);
	}
}

/* The position after the quoted text that begins at 'p'. */
static char *
skip_quoted(char *p)
{
	char quote = *p++;

	while (*p && *p != quote)
		p += *p == '\\' && p[1] ? 2 : 1;
	return *p ? p + 1 : p;
}

/* The end of the comment that begins at 'p'; NULL: no comment begins there, or it is not closed. */
static char *
comment_end(const char *text, char *p)
{
	/* otherwise the character is inside a word */
	bool starts = p == text || strchr(" \t\r\n={}()+,", p[-1]);
	char *end;

	if (*p == '#' || (starts && p[0] == '/' && p[1] == '/'))
		return p + strcspn(p, "\n");
	if (!starts || p[0] != '/' || p[1] != '*')
		return NULL;
	end = strstr(p + 2, "*/");
	return end ? end + 2 : NULL;
}

/* Replaces comments with blanks: libconfuse 3.3 counts a line that ends in a comment several
 * times. */
static void
blank_comments(char *text)
{
	for (char *p = text; *p; ) {
		char *end = comment_end(text, p);

		if (!end) {
			p = *p == '"' || *p == '\'' ? skip_quoted(p) : p + 1;
			continue;
		}
		for (; p < end; p++)
			if (*p != '\n')
				*p = ' ';
	}
}

int
conf_file_parse(const char *path, const char *text, size_t len, struct conf *c, struct arena *a,
	struct conf_error *e)
{
	struct reader r = { .conf = c, .arena = a };
	static const char end[] = "\n" END_KEY " = 1\n";
	char *copy;
	int err;

	if (memchr(text, '\0', len)) {
		conf_say_error(e, path, 0, "not a text file");
		return -EINVAL;
	}
	copy = xmalloc(len + sizeof(end));
	memcpy(copy, text, len);
	memcpy(copy + len, "\n", 2);    /* libconfuse rejects an empty buffer */
	blank_comments(copy);
	do
		read_once(&r, copy);
	while (r.again);
	if (!r.errors) {
		/* An unclosed comment silently swallows the rest of the file.  The appended
		 * END_KEY shows whether libconfuse reads to the end. */
		memcpy(copy + len, end, sizeof(end));
		r.at_end = true;
		read_once(&r, copy);
		if (!r.end_seen)
			note_fault(
				&r, 1, false, xstrdup("a comment that begins with /* has no end"));
	}
	report_faults(&r, path, e);
	err = r.errors ? -EINVAL : 0;
	forget_faults(&r);
	free(r.faults);
	free(copy);
	return err;
}

int
conf_file_read(const char *path, struct conf *c, struct arena *a, struct conf_error *e)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t len;
	int err;

	if (!f && errno == ENOENT)
		return -ENOENT;
	if (!f) {
		err = -errno;
		conf_say_error(e, path, 0, "%s", strerror(-err));
		return err;
	}
	text = xmalloc(CONF_FILE_BYTES_MAX + 1);
	errno = 0;
	len = fread(text, 1, CONF_FILE_BYTES_MAX + 1, f);
	if (ferror(f)) {
		err = errno ? -errno : -EIO;
		conf_say_error(e, path, 0, "%s", strerror(-err));
	} else if (len > CONF_FILE_BYTES_MAX) {
		err = -EINVAL;
		conf_say_error(e, path, 0, "larger than %u bytes", CONF_FILE_BYTES_MAX);
	} else {
		err = conf_file_parse(path, text, len, c, a, e);
	}
	free(text);
	fclose(f);
	return err;
}
