/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * conf.h - the configuration of heddled: one struct that is const once it is loaded.
 * Room: conf.  In: command line, configuration file, and the files that its keys name.  Out: struct
 * conf, or sentences that name file and line.
 *
 * Every key is a row of options.def, and becomes one member of struct conf.  The command line
 * overrides the file, and the file overrides the default.  A load either succeeds as a whole or
 * returns every fault; nothing is half applied.  A reload builds a new struct; the caller replaces
 * the old one.
 *
 * Where to look next: options.def (the keys), table.h (text to value and back), partitions.h and
 * qos_policy.h (the two files with grammars of their own), sm/conf/routing/files.h (what routing
 * engines read from files), conf.c (the order of a load).
 */
#ifndef HEDDLE_SM_CONF_CONF_H
#define HEDDLE_SM_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "sm/conf/routing/files.h"
#include "sm/conf/text/error.h"
#include "sm/conf/partitions.h"
#include "sm/conf/qos_policy.h"
#include "sm/conf/qos_family.h"
#include "util/log.h"

#define CONF_STATEDIR HEDDLE_STATEDIR
#define CONF_RUNDIR HEDDLE_RUNDIR
#define CONF_ENGINES_MAX 8

/* routing_engine: names of built-in engines, in the order in which they are tried. */
struct conf_engines {
	unsigned n;                     /* at least 1 */
	const char *name[CONF_ENGINES_MAX];     /* static text */
	bool no_fallback;               /* the list ended with no_fallback */
};

/* part_enforce: what a switch port that faces a host checks against its P_Key table. */
#define CONF_ENFORCE_IN 1u
#define CONF_ENFORCE_OUT 2u

/* allowed_sm_guids. */
#define CONF_GUIDS_MAX 64
struct conf_guids {
	unsigned n;                     /* 0: all */
	uint64_t guid[CONF_GUIDS_MAX];  /* in file order */
};

/* The action that the command line selects. */
enum conf_action {
	CONF_RUN,                       /* run as a daemon, or configure once */
	/* --check-config: exit 0 if the configuration loads; the file must exist */
	CONF_CHECK,
	CONF_DUMP,                      /* --dump-config */
	CONF_MAKE_SECRET,               /* --make-secret */
	CONF_HELP, CONF_VERSION,
};

#define CONF_T_UINT     uint32_t
#define CONF_T_HEX      uint64_t
#define CONF_T_GUID     uint64_t
#define CONF_T_BOOL     bool
#define CONF_T_NAME     const char *
#define CONF_T_PATH     const char *
#define CONF_T_ENGINES  struct conf_engines
#define CONF_T_LEVEL    enum log_level
#define CONF_T_ENFORCE  unsigned        /* CONF_ENFORCE_* together */
#define CONF_T_INHERIT  int32_t         /* -1: unset */
#define CONF_T_SL2VL    struct conf_sl2vl
#define CONF_T_VLARB    struct conf_vlarb
/* 0: "auto", where the key allows it; keys_fill() (sm/keys) replaces it */
#define CONF_T_KEY      uint64_t
#define CONF_T_MKEY     uint64_t        /* CONF_MKEY_AUTO: derived per port from the secret */
#define CONF_T_GUIDS    struct conf_guids

#define CONF_MKEY_AUTO UINT64_MAX

struct conf {
#define H(text)
#define U(key)
#define N(key, why)
#define O(member, key, type, def, min, max, letter, name, reload, unit, help) CONF_T_##type member;
#include "sm/conf/options.def"
#undef H
#undef U
#undef N
#undef O
	/* Set by the command line only. */
	enum conf_action action;
	bool once;                      /* --once: configure, report, exit */
	uint8_t verbose;                /* -v: number of levels added to log_level */
	const char *report;             /* --report: a file; "-": standard output; NULL: none */
	/* path of the configuration file, even if it does not exist */
	const char *file;
	/* Contents of the files that keys name. */
	struct routing_files routing;   /* root_guid_file and its like */
	const struct partitions *partitions;    /* never NULL */
	const struct qos_policy *qos_policy;    /* NULL: no file, or qos is FALSE */
	/* For m_key = auto: keys_fill() (sm/keys) makes the seed, and the M_Keys of ports are
	 * derived from it.  Without a seed, ports get no M_Key. */
	uint8_t mkey_seed[16];
	bool mkey_seeded;
	/* Text members are never NULL, except 'report'; "" means unset.  They live as long as
	 * this struct. */
};

#define CONF_FILE_BYTES_MAX (1u << 20)  /* limit of heddled.conf */

/* Reads command line and file.  Returns 0 and '*out', which the caller owns; e->warnings may
 * hold lines.  Returns -EINVAL when something is wrong: e->text names every fault with file and
 * line, or the command line.  Any other negative errno means that the named file cannot be read;
 * e->text gives the reason.  A default file that does not exist is no fault, except with
 * --check-config.  --help and --version skip the file, so faults in it do not matter. */
int conf_load(int argc, char **argv, struct conf **out, struct conf_error *e);
/* Reads the file again under the same command line.  Returns 0 and '*out', which the caller owns
 * along with 'old'.  A changed key that needs a restart keeps its old value in '*out' and gets a
 * line in e->warnings.  Returns a negative errno as conf_load() does; then keep 'old'. */
int conf_reload(const struct conf *old, struct conf **out, struct conf_error *e);
void conf_free(struct conf *c);         /* 'c' may be NULL */
/* All defaults, without file or command line, for tools and tests.  The caller owns the result. */
struct conf *conf_default(void);

/* Performs --help, --version, --check-config or --dump-config and writes to 'f'. Returns the
 * exit status, or -1 when the action is CONF_RUN. */
int conf_act(const struct conf *c, FILE *f);
/* Writes every key with a comment that explains it.  The output parses back to the same values,
 * except for keys that are secret. */
void conf_dump(const struct conf *c, FILE *f);
/* Writes the keys as reStructuredText for the manual. */
void conf_write_rst(FILE *f);

/* QoS values of ports of that kind.  A value that the family's own keys leave unset comes from
 * the qos_* keys; a value unset there too is built in. */
struct qos_family conf_qos_family(const struct conf *c, enum qos_kind kind);

/* Whether allowed_sm_guids lets a subnet manager on the port with that GUID become master. */
bool conf_sm_allowed(const struct conf *c, uint64_t port_guid);

/* The path of 'name' in the directory of the configuration file; relative if that file's path is
 * relative.  malloc'ed. */
char *conf_beside(const struct conf *c, const char *name);
/* The directories, with $STATE_DIRECTORY and $RUNTIME_DIRECTORY taken into account.  The text is
 * static or owned by 'c'. */
const char *conf_state_dir(const struct conf *c);
const char *conf_runtime_dir(const struct conf *c);

#endif
