/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diag_int.h - what the files of diags/common know of one another.
 * Room: diags.
 */
#ifndef HEDDLE_DIAGS_COMMON_DIAG_INT_H
#define HEDDLE_DIAGS_COMMON_DIAG_INT_H

#include "diags/common/diag.h"
#include "libmad/txn/txn.h"

struct names;
struct engine;
struct out_rows;

struct diag {
	const struct diag_tool *tool;
	const char *program;            /* argv[0], as messages have it */
	const char *word;               /* the operation as it was typed */
	struct diag_settings set;
	int status;                     /* the exit status so far */
	bool incomplete;
	int64_t start_us;
	json_t *doc, *summary, *errors, *findings, *options;
	json_t *printed;                /* members of the document that are out already: true by name */
	const char *open_rows;          /* the array that is being written, NULL */
	struct out_rows *rows;          /* rows of the document that are text already */
	bool header_out;
	const char *source;             /* "live", "daemon", "file" */
	struct engine *engine;
	struct names *names;
	bool answers;                   /* --load named a file that has answers too */
	bool names_read;
	bool hushed;
	bool progress_shown, told_interrupted;
	bool signals_end;               /* INT and TERM are no failure */
	int64_t progress_us;
};

/* status.c */
/* The worse of two: 255, 2, 3, 1, 0. */
int diag_worse(int a, int b);
void diag_status(struct diag *d, int status);

/* options*.c: 0, or an exit status with everything said; 1 << 8 added: stop, the status is 0 (--version). */
#define DIAG_STOP 0x100
int options_parse(struct diag *d, int argc, char **argv, int *operand);
void options_guess_format(struct diag *d, int argc, char **argv);
void options_usage(struct diag *d, FILE *f);
/* The tables as lines "letter TAB name TAB argument TAB help TAB own|common", for the manual, the completion, the table of tests. */
void options_dump(const struct diag_tool *t, FILE *f);

/* config.c: reads ibdiag.conf.  'named': it must exist.  0 or EXIT_USAGE, reported. */
int config_read(struct diag *d, const char *path, bool named);

/* mkey.c: takes the M_Key of the heddled of this host from its configuration, 'path' or (NULL, "") where that is by default.
 * 0, or EXIT_USAGE, reported; where it is not 'needed' there is only a warning. */
int mkey_auto(struct diag *d, const char *path, bool needed);
/* With -y auto and keys of ports: gets that of 'to' for the Set that follows.  0, or a negative errno, reported. */
int mkey_for_set(struct diag *d, const struct diag_addr *to);
/* daemon.c: where the heddled of this host listens. */
void daemon_socket(char *path, size_t len);

/* out.c */
void out_begin(struct diag *d);
/* Prints the document; nothing in text mode. */
void out_end(struct diag *d);
void out_clear(struct diag *d);
/*
 * Where a member of the document that is large may be written as compact JSON at once; it ends the array of the tool's rows.  NULL: the
 * document is not written so, it is to be set in diag_doc().
 */
FILE *out_member(struct diag *d, const char *key);
void out_lines_header(struct diag *d);
void out_line(json_t *o, const struct diag *d);
/* csv.c: the rows (objects) of an array as a table. */
void csv_print(FILE *f, json_t *rows);

/* tool.c: what is written next begins on an empty line, not behind a line of progress. */
void progress_clear(struct diag *d);

/* engine_open.c, engine.c */
void engine_close(struct diag *d);
/* Works over 'io' (taken), which may be no device, from now on; 'port' NULL: as it says. */
void engine_open(struct diag *d, struct io *io, const struct io_port *port);
json_t *engine_json_mads(const struct diag *d);
json_t *engine_json_local(const struct diag *d);
/* For discovery: the engine's transactions, and one turn of its loop; ends with a cookie whose top byte is not 0 go to
 * 'take'. */
struct txn *engine_txn(struct diag *d);
uint32_t engine_target_base(struct diag *d);
enum engine_patience { ENGINE_SINGLE, ENGINE_SWEEP, ENGINE_SA };
void engine_conf(struct diag *d, unsigned window, enum engine_patience how);
/* Tells why engine_turn() returned 'r' and gives all requests up; the exit status. */
int engine_failed(struct diag *d, int r);
int engine_turn(struct diag *d, void (*take)(void *arg, const struct txn_end *e), void (*give)(void *arg), void *arg);

/* query.c */
void query_report(struct diag *d, const struct diag_request *q, const struct diag_reply *r);
/* combined.c: a question along a route that begins at a LID, which no transaction of libmad/txn has. */
int combined_query(struct diag *d, const struct diag_request *q, struct diag_reply *r, uint8_t mad[static DGRAM_BYTES]);

/* names.c: reads the node name map, if that was not done; 0, or the status of a failure that is reported: a named file must be there. */
int names_load(struct diag *d);
void names_free(struct names *n);

#endif
