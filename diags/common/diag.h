/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diag.h - what a diagnostics tool is, and all that it may call.
 * Room: diags (prefix diag_).  How to write a tool: HACKING.md; a small one to look at: diags/sminfo.c.
 *
 * A tool is one file that defines 'diag_tool': a table of options, a table of operations, and functions that ask and
 * show.  main(), the parsing, --help, the addresses, the device, retries, the JSON document and the exit status are
 * common to all.  In each mode both outputs may be made: text is dropped in JSON mode, and JSON in text mode.
 */
#ifndef HEDDLE_DIAGS_COMMON_DIAG_H
#define HEDDLE_DIAGS_COMMON_DIAG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/io/io.h"
#include "libmad/mad/dgram.h"
#include "util/optab.h"         /* enum exit_status */

struct diag;
struct diag_addr;

/* ---- a tool ---- */

/* A row of the option table.  'id' is the letter, or for a long name alone DIAG_LONG + n. */
struct diag_option {
	int id;
	const char *name;               /* without dashes; NULL ends a table */
	const char *arg;                /* "<file>"; NULL: takes no argument; "[=x]" : may follow after '=' */
	const char *help;
};
#define DIAG_LONG 256

/* A row of the table of operations ("smpquery OPERATION ADDRESS ..."); matched without case, by name or alias. */
struct diag_op {
	const char *name, *alias;       /* name NULL ends the table */
	const char *operands;           /* after the name in --help, "<addr> [<portnum>]" */
	/* 'argv' are the operands behind the address.  Returns an exit status; diag_fail() makes one. */
	int (*run)(struct diag *d, const struct diag_addr *to, int argc, char **argv);
};

enum diag_tool_flags {
	DIAG_FABRIC = 1,                /* looks at the whole fabric: --node-name-map, -o, --load, --live, --select */
	DIAG_NAMES = 2,                 /* shows names: --node-name-map */
	DIAG_REPLAY = 8,                /* asks for no more than a capture has: --load (which DIAG_FABRIC has too) */
	DIAG_NO_PORT = 4,               /* never opens a port: device options are masked by the tool itself */
};

struct diag_tool {
	const char *name;
	const char *operands;           /* after "[options]" in --help */
	const char *about;              /* one sentence, for the manual */
	const char *const *examples;    /* what follows the program's name; NULL at the end; or NULL */
	const char *masked;             /* letters of common options that this tool does not have, or gives another meaning */
	const struct diag_option *options;      /* of this tool; may be NULL */
	const struct diag_op *ops;      /* NULL: 'run' gets all operands */
	unsigned flags;                 /* enum diag_tool_flags */
	const char *rows;               /* the document's main array: what --csv and --ndjson print; NULL: none */
	/* Takes one of 'options'; 'value' NULL if it has no argument.  0, or diag_usage(). */
	int (*option)(struct diag *d, int id, const char *value);
	int (*run)(struct diag *d, int argc, char **argv);      /* returns an exit status; NULL with 'ops' */
	/* With 'ops': reads the address, argv[0] and maybe more, and says how many operands it took.  NULL: diag_address(). */
	int (*address)(struct diag *d, int argc, char **argv, struct diag_addr *to, int *taken);
};

/* Each program defines it. */
extern const struct diag_tool diag_tool;

/* ---- what the command line and the configuration said ---- */

enum diag_format { DIAG_TEXT, DIAG_JSON, DIAG_LINES, DIAG_CSV };
enum diag_addressing { DIAG_BY_LID, DIAG_BY_PATH, DIAG_BY_GUID };

struct diag_settings {
	char *ca;                       /* NULL: choose */
	int port;                       /* -1: choose */
	enum diag_addressing addressing;        /* -L -D -G */
	int timeout_ms;                 /* -t; 0: adaptive */
	uint16_t sm_lid;                /* -s; 0: the port's */
	uint64_t mkey, sa_key;
	bool mkey_of_daemon;            /* -y auto: the key of each port that is written comes from the heddled of this host */
	bool show_keys;                 /* -K */
	unsigned verbose;
	bool debug;                     /* -d: each datagram is told on stderr */
	bool mlx_epi;                   /* MLX_EPI of the configuration: ask for vendor extended port info */
	uint16_t pkey_index;            /* -Y */
	unsigned outstanding;           /* -o; 0: default */
	char *names_file;               /* --node-name-map */
	char *load;                     /* --load */
	bool live;                      /* --live */
	char *select;                   /* --select */
	enum diag_format format;
	bool pretty, u64_strings;
	bool errors_on_stdout;          /* --compat-stdout-errors */
};

/* ---- addresses ---- */

enum diag_addr_kind { DIAG_ADDR_LID, DIAG_ADDR_PATH, DIAG_ADDR_COMBINED };
struct diag_addr {
	enum diag_addr_kind kind;
	uint16_t lid;                   /* LID, COMBINED: where the LID-routed part ends */
	uint8_t sl;
	uint16_t dr_slid, dr_dlid;      /* as shown; PATH 65535, COMBINED: our LID and 65535 */
	uint8_t hop_count;
	uint8_t path[DGRAM_PATH_BYTES]; /* path[0] = 0, hop_count more */
	bool grh;
	uint8_t gid[16];
	uint64_t guid;                  /* the GUID it was found by, else 0 */
};

/* Reads an operand as -L, -D or -G say.  A word that is no number, or "node:NAME", is a name of the node name map or a
 * description that the SA knows.
 * 0, or the exit status of a failure that is already reported. */
int diag_address(struct diag *d, const char *text, struct diag_addr *a);
/* "LID" and "0,1,4": a route that begins at that LID (smpquery -c). */
int diag_address_combined(struct diag *d, const char *lid, const char *path, struct diag_addr *a);
struct diag_addr diag_addr_lid(uint16_t lid);
struct diag_addr diag_addr_path(const uint8_t *path, uint8_t hop_count);
struct diag_addr diag_addr_self(void);          /* path "0" */
/* The subnet manager: -s, else what our port says.  0 or the status of a reported failure. */
int diag_addr_sm(struct diag *d, struct diag_addr *a);
/* Asks the SA for the LID of a port GUID.  0, -ENOENT (not there), or another negative errno (reported). */
int diag_addr_guid(struct diag *d, uint64_t port_guid, struct diag_addr *a);
/* "Lid 5", "DR path slid 65535; dlid 65535; 0,1": as all tools print it. */
#define DIAG_LABEL_BYTES 400
const char *diag_label(const struct diag_addr *a, char buf[static DIAG_LABEL_BYTES]);
json_t *diag_json_addr(const struct diag_addr *a);
/* Strict readers of operands.  False: not a number, or out of range; nothing is reported. */
bool diag_number(const char *text, uint64_t max, uint64_t *v);
bool diag_path(const char *text, uint8_t path[static DGRAM_PATH_BYTES], uint8_t *hop_count);

/* ---- asking ---- */

struct diag_request {
	const struct diag_addr *to;
	uint8_t mgmt_class;             /* 0: SMP, by the address */
	uint8_t method;                 /* 0: Get */
	uint16_t attr_id;
	uint32_t modifier;
	const uint8_t *payload;         /* SMP 64 bytes; SA from its data on; CC and vendor range 1 from
	                                 * byte 24 on, with their key; others from byte 64 on; NULL: zeros */
	size_t payload_bytes;
	uint64_t comp_mask;             /* SA */
	uint32_t oui;                   /* vendor range 2; 0: OpenIB's */
	bool quiet;                     /* a failure is not reported: the caller does */
};

enum diag_end {
	DIAG_OK, DIAG_TIMEOUT, DIAG_STATUS,
	DIAG_ABSENT,                    /* --load: the file does not have it */
	DIAG_FAILED,
};
/* Why there is no answer: "timeout", "not in the capture", "cannot send", and the stable word for errors[]. */
const char *diag_end_text(const struct diag *d, enum diag_end end);
const char *diag_end_code(enum diag_end end);

struct diag_reply {
	enum diag_end end;
	uint16_t status;                /* DIAG_STATUS */
	const uint8_t *mad;             /* OK, STATUS: the answer from its first byte, else NULL */
	const uint8_t *data;            /* behind the class header: SMP, GMP byte 64, SA byte 56, vendor range 2 byte 40,
	                                 * CC and vendor range 1 byte 24 */
	size_t bytes;                   /* there */
	size_t stride;                  /* SA tables: bytes from record to record, 0 none */
	int64_t rtt_us;                 /* from diag_submit() to the answer */
};

/*
 * One question and its answer.  0: '*r' is filled.  Else -ETIMEDOUT (in a file, too), -EPROTO (a status), -EIO; unless 'quiet'
 * the failure is told on stderr and in errors[], and the exit status becomes 3.  '*r' is valid until the next question.
 */
int diag_query(struct diag *d, const struct diag_request *q, struct diag_reply *r);
/* What the last diag_query() answered, '*r' its reply, stays: the caller's to free(). */
uint8_t *diag_reply_take(struct diag_reply *r);
/* The usual: Get or Set of 64 bytes by SMP, 192 by GMP; 'data' is replaced by the answer's. */
int diag_get(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier, uint8_t data[static 64]);
int diag_set(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier, uint8_t data[static 64]);
int diag_gmp(struct diag *d, const struct diag_addr *to, uint8_t mgmt_class, uint8_t method, uint16_t attr_id,
	uint32_t modifier, uint8_t data[static 192]);
/* SA: Get or GetTable to the subnet manager; walk with SA_RECORD(). */
int diag_sa(struct diag *d, uint8_t method, uint16_t attr_id, uint64_t comp_mask, const uint8_t *record, size_t bytes,
	struct diag_reply *r);
#define DIAG_SA_RECORDS(r) ((r)->stride ? (r)->bytes / (r)->stride : 0)
#define DIAG_SA_RECORD(r, i) ((r)->data + (size_t)(i) * (r)->stride)

/*
 * Many questions at once: each is queued, diag_run() sends them, a window's worth at a time and few per target, and
 * calls 'done' as the answers come, in their order; 'done' may queue more.  'q' and its payload are copied.
 * diag_run() returns when all have ended: 0, -EIO when the device is gone, -EINTR after a signal (both reported; what was open
 * has ended as DIAG_FAILED).
 */
typedef void diag_done(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r);
void diag_submit(struct diag *d, const struct diag_request *q, diag_done *done, void *arg);
int diag_run(struct diag *d);
/* The same where many places are asked and some may be mute: less patience with each, and one that is late holds up no other. */
int diag_run_many(struct diag *d);
/* Opens the port now (each question does so by itself); 0 or the status of a reported failure. */
int diag_open(struct diag *d);
/* False with --load when the file has no answers (ibnetdiscover --capture): what is not in the snapshot cannot be known. */
bool diag_can_ask(const struct diag *d);
/* Our port, once open. */
const struct io_port *diag_port(struct diag *d);
/* The open end, for tools that answer or send by themselves (ibping -S). */
struct io *diag_io(struct diag *d);
/* Registers a class; diag_query() does so by itself. 0 or the status of a reported failure. */
int diag_class(struct diag *d, const struct io_class *c);
/* INT and TERM end the questions, not the program, from now on; in JSON modes always. A second one, half a second later or
 * more, ends it (signals.h). */
void diag_catch_signals(void);
bool diag_interrupted(void);
/* The same where a signal is how the program is meant to end: what it interrupts is no failure, and nothing is told. */
void diag_signals_end(struct diag *d);
/* A clock in microseconds, and for what should appear as progress: a line on a terminal, after a second. */
int64_t diag_now_us(void);
void diag_progress(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- programs that answer ---- */

/* Writes what answers 'request' (256 bytes) into 'data', at most 'room' bytes, and says how many. */
typedef size_t diag_answer(struct diag *d, const uint8_t *request, uint8_t *data, size_t room);
/*
 * Answers each Get of a class of vendor range 2 until INT or TERM; what is longer than a datagram goes as RMPP where 'c' says
 * that the class has it.  Each request is a row of "requests" with --ndjson; summary.requests counts them.  The exit status.
 */
int diag_serve(struct diag *d, struct io_class c, diag_answer *answer);
/* This machine's name, with its domain if it has one; NUL-terminated. */
void diag_host_name(char *buf, size_t room);

/* ---- showing ---- */

/* printf, in text mode only. */
void diag_text(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* 'n' bytes of text that is made already, in text mode only. */
void diag_write(struct diag *d, const char *text, size_t n);
bool diag_is_text(const struct diag *d);
/* The tool's part of the document: set keys here; borrowed. */
json_t *diag_doc(struct diag *d);
json_t *diag_summary(struct diag *d);
/* Adds 'row' (taken) to the array 'key'; with --ndjson and for the tool's rows it is printed at once. */
void diag_row(struct diag *d, const char *key, json_t *row);
/* "Name:......value", the value in column 34. */
void diag_dotted(struct diag *d, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* All rows of an attribute as dotted lines, as the tools of old print them; the object for JSON is returned. */
json_t *diag_attr(struct diag *d, const struct attr_desc *desc, const uint8_t *image);
/* The same for single rows, in the order of 'names' (members of the .def file, NULL at the end), after 'indent' tabs. */
void diag_fields(struct diag *d, const struct attr_desc *desc, const uint8_t *image, const char *const *names, unsigned tabs);
/* PortInfo's lines in their traditional order. */
void diag_port_info_text(struct diag *d, const uint8_t *image, unsigned tabs);
json_t *diag_json_guid(uint64_t guid);          /* "0x%016x" */
/* What an operator typed, or a file holds: each byte that is no UTF-8 becomes U+FFFD. */
json_t *diag_json_text(const char *text);
json_t *diag_json_hex(uint64_t v, unsigned digits);
json_t *diag_json_gid(const uint8_t gid[16]);

/* ---- names ---- */

#define DIAG_NAME_BYTES 257
/* The name of a node: the map's, else the description with blanks for what cannot be printed. */
const char *diag_name(struct diag *d, uint64_t node_guid, const uint8_t desc[64], char buf[static DIAG_NAME_BYTES]);
/* The node GUID that the map gives to a name; 0 none. */
uint64_t diag_name_guid(struct diag *d, const char *name);

/* ---- what goes wrong ---- */

/* Where a failure happened, for errors[]; all may be NULL or 0. */
struct diag_where {
	const struct diag_addr *addr;
	uint64_t node_guid, port_guid;
	int port;                       /* -1: none */
	const char *name;
	const char *attribute;
	uint32_t modifier;
	uint16_t mad_status;
};
#define DIAG_NOWHERE ((struct diag_where){ .port = -1 })

/*
 * Tells that something failed: "PROGRAM: iberror: failed: TEXT" on stderr, an entry in errors[], and the exit status is
 * at least 'status' (255 before 2 before 3 before 1 before 0).  'code' is a stable word: timeout mad_status rejected bad_reply
 * unsupported not_found config usage no_device io internal.  Returns 'status', for "return diag_fail(...)".
 */
int diag_fail(struct diag *d, int status, const char *code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The same line for a failure that a question has reported already: nothing is added to errors[].  Returns the status. */
int diag_give_up(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for an operation: "operation WORD: WHAT", WORD as it was typed. */
int diag_op_failed(struct diag *d, const char *what);
const char *diag_word(const struct diag *d);    /* the operation as it was typed */
/* A warning: "PROGRAM: TEXT" on stderr, an entry in errors[]; the status becomes at least 'status' (0: stays). */
void diag_warn(struct diag *d, int status, const char *code, const struct diag_where *w, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* A finding: an entry in findings[], the status at least 1 for severity warning and error.  'object' names what it is
 * about (GUID and port): the stable id comes from it.  'detail' (taken, may be NULL) has ends, value, expected. */
void diag_finding(struct diag *d, const char *severity, const char *code, const char *object, json_t *detail,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The id of that finding: the same in every run. */
uint64_t diag_finding_id(const char *code, const char *object);
/* A bad command line: the sentence, then --help's text as of old; returns EXIT_USAGE. */
int diag_usage(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* For tools that go on and on.  While hushed, warnings are not printed on stderr, only kept in errors[], and there
 * is no progress. */
void diag_hush(struct diag *d, bool hushed);
/* What errors[] holds, handed over; it is empty afterwards.  Statuses and "incomplete" stay. */
json_t *diag_errors_take(struct diag *d);
/* Part of the answer is missing: "incomplete" and exit status 3. */
void diag_incomplete(struct diag *d);

const struct diag_settings *diag_settings(const struct diag *d);
/* For tools that change what the options said (an operand names the device). */
struct diag_settings *diag_settings_mut(struct diag *d);

#endif
