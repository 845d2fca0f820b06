/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump.c - writes the configuration: as a file that parses back, as a chapter of the manual, and as
 * help.
 * Room: conf.
 */
#include <config.h>
#include <string.h>
#include "sm/conf/cmdline.h"
#include "sm/conf/table.h"

#define TEXT_BYTES 4096
#define COLUMNS 96

/* A value as libconfuse reads it: bare where possible, otherwise in double quotes. */
static void
put_value(FILE *f, const struct conf_row *r, const char *text)
{
	if (r->type != CONF_NAME && r->type != CONF_PATH && r->type != CONF_ENGINES &&
	    r->type != CONF_SL2VL && r->type != CONF_VLARB && r->type != CONF_GUIDS) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		/* libconfuse would expand "${" as an environment variable. */
		if (*text == '"' || *text == '\\' || *text == '$')
			fputc('\\', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

/* Writes a comment, wrapped at COLUMNS. */
static void
put_comment(FILE *f, const char *text)
{
	size_t at = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (at + 1 + word > COLUMNS) {
			fputc('\n', f);
			at = 0;
		}
		fprintf(f, "%s %.*s", at ? "" : "#", (int)word, text);
		at += word + (at ? 1 : 2);
		text += word + (text[word] != '\0');
	}
	fputc('\n', f);
}

static void
put_key(FILE *f, const struct conf *c, const struct conf_row *r)
{
	char text[TEXT_BYTES], range[64], line[TEXT_BYTES];

	conf_range(r, range, sizeof(range));
	snprintf(line, sizeof(line), "%s. %s%s%s%sDefault %s%s%s.", r->help,
		range[0] ? "Range " : "", range, range[0] ? r->unit : "", range[0] ? ". " : "",
		r->def[0] ? r->def : "unset", range[0] ? r->unit : "",
		r->when == CONF_START ? "; a change needs a restart" : "");
	fputc('\n', f);
	put_comment(f, line);
	if (conf_hidden(c, r)) {
		fprintf(f, "# %s is set, and not shown\n", r->key);
		return;
	}
	fprintf(f, "%s = ", r->key);
	put_value(f, r, conf_text(c, r, text, sizeof(text)));
	fputc('\n', f);
}

void
conf_dump(const struct conf *c, FILE *f)
{
	fputs("# heddled.conf - configuration of heddled(8); heddled.conf(5) explains it.\n"
		"# Check a changed file with: heddled --check-config -F FILE\n", f);
	for (size_t i = 0; i < conf_nrows; i++) {
		if (conf_rows[i].heading)
			fprintf(f, "\n## %s\n", conf_rows[i].heading);
		else if (!conf_rows[i].known_only)
			put_key(f, c, &conf_rows[i]);
	}
}

static void
rst_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("*`|\\_", *text))
			fputc('\\', f);
		fputc(*text, f);
	}
}

static void
rst_key(FILE *f, const struct conf_row *r)
{
	char range[64];

	fprintf(f, "\n**%s**\n    ", r->key);
	rst_text(f, r->help);
	conf_range(r, range, sizeof(range));
	if (range[0])
		fprintf(f, ".\n    Range: %s%s", range, r->unit);
	fprintf(f, ".\n    Default: %s%s%s.\n", r->def[0] ? r->def : "unset",
		range[0] ? r->unit : "", r->when == CONF_START ? "; a change needs a restart" : "");
}

/* Keys that are accepted because nothing depends on them. */
static void
rst_needless(FILE *f)
{
	fputs("\nKeys of OpenSM that heddled does not need\n"
		"-----------------------------------------\n\n"
		"They are accepted with a warning that says why:\n", f);
	for (size_t i = 0; i < conf_nrows; i++)
		if (conf_rows[i].needless) {
			fprintf(f, "\n**%s**\n    ", conf_rows[i].key);
			rst_text(f, conf_rows[i].help);
			fputs(".\n", f);
		}
}

void
conf_write_rst(FILE *f)
{
	bool known = false;

	for (size_t i = 0; i < conf_nrows; i++) {
		const struct conf_row *r = &conf_rows[i];

		if (r->heading) {
			fprintf(f, "\n%s\n", r->heading);
			for (size_t n = strlen(r->heading); n; n--)
				fputc('-', f);
			fputc('\n', f);
		} else if (!r->known_only) {
			rst_key(f, r);
		}
	}
	rst_needless(f);
	fputs("\nKeys of OpenSM that do nothing yet\n----------------------------------\n\n"
		"They are accepted with a warning, so that a file may keep them:\n", f);
	for (size_t i = 0; i < conf_nrows; i++) {
		if (!conf_rows[i].known_only || conf_rows[i].needless)
			continue;
		fprintf(f, "%s``%s``", known ? ",\n" : "", conf_rows[i].key);
		known = true;
	}
	fputs(".\n", f);
}

int
conf_act(const struct conf *c, FILE *f)
{
	switch (c->action) {
	case CONF_RUN:
		return -1;
	case CONF_CHECK:
		fprintf(f, "%s: ok\n", c->file);
		if (c->partitions->file)
			fprintf(f, "%s: ok\n", c->partitions->file);
		if (c->qos_policy)
			fprintf(f, "%s: ok\n", c->qos_policy->file);
		break;
	case CONF_DUMP:
		conf_dump(c, f);
		break;
	case CONF_MAKE_SECRET:
		return -1;
	case CONF_HELP:
		optab_help(f, &conf_optab, 0);
		break;
	case CONF_VERSION:
		optab_version(f, &conf_optab);
		break;
	}
	return fflush(f) || ferror(f) ? EXIT_FATAL : EXIT_OK;
}
