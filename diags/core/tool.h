/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tool.h - what a diagnostics tool is, and the program around it.
 * Room: diags/core (prefix diag_). How to write a tool: HACKING.md; a small one to look at:
 * diags/tools/sminfo.c.
 *
 * A tool is one file that defines 'diag_tool': a table of options, a table of operations, and
 * functions that ask and show. main(), the parsing, --help, the addresses, the device, retries, the
 * JSON document and the exit status are common to all. A tool makes both outputs in each mode, text
 * and JSON; core drops the one that was not asked for.
 *
 * A tool has no file statics. Its state is one structure: core allocates 'state_bytes' zeroed bytes
 * before it reads the command line, calls 'init' for what is not zero, hands the state out by
 * diag_state() and frees it at the end.
 *
 * Where to look next: status.h (what goes wrong), out.h and show.h (what is printed),
 * diags/ask/query.h (requests), diags/fabric/fabric.h (the whole fabric).
 */
#ifndef HEDDLE_DIAGS_CORE_TOOL_H
#define HEDDLE_DIAGS_CORE_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/optab.h" /* enum exit_status */

struct diag;
struct diag_addr;

/* A row of the option table.  'id' is the letter, or DIAG_LONG + n of an option that has only a
 * long name. */
struct diag_option {
	int id;
	const char *name; /* without dashes; NULL ends a table */
	const char *arg;  /* "<file>"; NULL: takes no argument; "[=x]": may follow after '=' */
	const char *help;
};
#define DIAG_LONG 256

/* A row of the table of operations ("smpquery OPERATION ADDRESS ..."); matched without case, by
 * name or alias. */
struct diag_op {
	const char *name, *alias; /* name NULL ends the table */
	const char *operands;     /* after the name in --help, "<addr> [<portnum>]" */
	/* 'argv' are the operands behind the address.  Returns an exit status; diag_fail() makes
	 * one. */
	int (*run)(struct diag *d, const struct diag_addr *to, int argc, char **argv);
};

enum diag_tool_flags {
	DIAG_FABRIC = 1, /* reads the whole fabric: --node-name-map, -o, --load, --live, --select */
	DIAG_NAMES = 2,   /* shows names: --node-name-map */
	DIAG_REPLAY = 8,  /* needs no more than a capture has: --load (which DIAG_FABRIC has too) */
	DIAG_NO_PORT = 4, /* never opens a port: the tool itself masks the device options */
};

struct diag_tool {
	const char *name;
	const char *operands;        /* after "[options]" in --help */
	const char *about;           /* one sentence, for the manual */
	const char *const *examples; /* what follows the program's name; NULL at the end; or NULL */
	/* letters of common options that the tool lacks, or gives another meaning */
	const char *masked;
	const struct diag_option *options; /* of this tool; may be NULL */
	const struct diag_op *ops;         /* NULL: 'run' gets all operands */
	unsigned flags;                    /* enum diag_tool_flags */
	const char *rows; /* the document's main array: what --csv and --ndjson print; NULL: none */
	size_t state_bytes; /* of the tool's state, diag_state(); 0: it has none */
	void (*init)(void *state);         /* sets what does not begin as zero; may be NULL */
	void (*clear)(void *state);        /* frees what the state owns; may be NULL */
	/* Takes one of 'options'; 'value' NULL if it has no argument.  0, or diag_usage(). */
	int (*option)(struct diag *d, int id, const char *value);
	int (*run)(struct diag *d, int argc, char **argv); /* an exit status; NULL with 'ops' */
	/* With 'ops': reads the address, argv[0] and maybe more, and says how many operands it
	 * took.  NULL: one operand. */
	int (*address)(struct diag *d, int argc, char **argv, struct diag_addr *to, int *taken);
};

/* Each program defines it. */
extern const struct diag_tool diag_tool;

/*
 * What core needs of the room above it, which sends requests. diags/ask/asking.h has the table;
 * main() hands it in, so core includes nothing of that room.
 */
struct diag_asking {
	size_t state_bytes; /* zeroed bytes that core keeps for it: diag_asking_state() */
	int (*open)(struct diag *d);
	int (*address)(struct diag *d, const char *text, struct diag_addr *a);
	/* -y auto: 0 or an exit status, reported. */
	int (*mkey_auto)(struct diag *d, const char *path, bool needed);
	json_t *(*json_local)(const struct diag *d);
	json_t *(*json_mads)(const struct diag *d);
	void (*close)(struct diag *d);
};

/* Does all that 'tool' does for a command line; returns the exit status.  'asking' NULL: it cannot
 * send requests. */
int diag_main(const struct diag_tool *tool, const struct diag_asking *asking, int argc,
	char **argv);

/* The tool's state, 'state_bytes' of it; owned by core. */
void *diag_state(const struct diag *d);
void *diag_asking_state(const struct diag *d);

#endif
