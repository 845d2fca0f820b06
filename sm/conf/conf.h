/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * conf.h - what heddled was told, as one struct that is const once it is loaded.
 * Room: conf.  In: command line, configuration file.  Out: struct conf, or sentences that name file
 * and line.  Every key is a row of options.def.  Command line over file over default.
 */
#ifndef HEDDLE_SM_CONF_CONF_H
#define HEDDLE_SM_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "sm/conf/text/error.h"
#include "sm/conf/partitions.h"
#include "sm/conf/qos_policy.h"
#include "sm/conf/qos_family.h"
#include "util/log.h"

#define CONF_STATEDIR HEDDLE_STATEDIR
#define CONF_RUNDIR HEDDLE_RUNDIR
#define CONF_ENGINES_MAX 8

/* routing_engine: names that are built in, in the order they are tried. */
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
	uint64_t guid[CONF_GUIDS_MAX];  /* in the order of the file */
};

/* What the command line asks for. */
enum conf_action {
	CONF_RUN,                       /* be a daemon, or configure once */
	/* --check-config: loaded, so it is right: exit 0; the file must exist */
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
/* 0: "auto" where that may be said; whoever has the secret replaces it (sm/keys) */
#define CONF_T_KEY      uint64_t
#define CONF_T_MKEY     uint64_t        /* CONF_MKEY_AUTO: derived for each port from the secret */
#define CONF_T_GUIDS    struct conf_guids

#define CONF_MKEY_AUTO UINT64_MAX

struct conf {
#define H(text)
#define U(key)
#define O(member, key, type, def, min, max, letter, name, reload, unit, help) CONF_T_##type member;
#include "sm/conf/options.def"
#undef H
#undef U
#undef O
	/* What only the command line says. */
	enum conf_action action;
	bool once;                      /* --once: configure, report, exit */
	uint8_t verbose;                /* -v: levels that were added to log_level */
	const char *report;             /* --report: a file, "-" is standard output, NULL none */
	const char *file;               /* the configuration file, also when it does not exist */
	/* What the files that keys name hold. */
	const uint64_t *root_guids;     /* root_guid_file, sorted, each once */
	size_t nroot_guids;
	const struct partitions *partitions;    /* never NULL */
	const struct qos_policy *qos_policy;    /* NULL: no file, or qos is FALSE */
	/* m_key = auto: what the keys of ports are derived from, made by sm/keys; without it ports
	 * get no key. */
	uint8_t mkey_seed[16];
	bool mkey_seeded;
	/* Text members are never NULL (but report); "" is unset.  They live as long as this
	 * struct. */
};

#define CONF_FILE_BYTES_MAX (1u << 20)  /* of heddled.conf */

/* Reads command line and file.  0: '*out' is the caller's; e->warnings may hold lines.  -EINVAL:
 * e->text names every fault with file and line, or the command line.  Other negative errno: the
 * named file cannot be read; e->text says so.  A default file that does not exist is no fault,
 * unless it is to be checked.  --help and --version win over faults in the file: it is not read
 * then. */
int conf_load(int argc, char **argv, struct conf **out, struct conf_error *e);
/* Reads the file again, under the same command line.  0: '*out' is new and the caller's, 'old'
 * remains the caller's.  A changed key that needs a restart keeps its old value in '*out' and has a
 * line in e->warnings.  Negative errno: as conf_load; keep 'old'. */
int conf_reload(const struct conf *old, struct conf **out, struct conf_error *e);
void conf_free(struct conf *c);         /* NULL is fine */
/* All defaults, no file, no command line: for tools and tests.  The caller's. */
struct conf *conf_default(void);

/* Does what --help, --version, --check-config or --dump-config ask for, on 'f'.
 * The exit status, or -1 when the action is CONF_RUN. */
int conf_act(const struct conf *c, FILE *f);
/* Writes every key with a comment that explains it; what is written parses back to the same, but
 * for keys that are secret. */
void conf_dump(const struct conf *c, FILE *f);
/* Writes the keys as reStructuredText, for the manual. */
void conf_write_rst(FILE *f);

/* The family of such ports: what it leaves open is as in qos_*, what that leaves open is built
 * in. */
struct qos_family conf_qos_family(const struct conf *c, enum qos_kind kind);

/* Whether a subnet manager on the port with that GUID may lead: allowed_sm_guids. */
bool conf_sm_allowed(const struct conf *c, uint64_t port_guid);

/* The path of 'name' in the directory of the configuration file, relative when that file's path is;
 * malloc'ed. */
char *conf_beside(const struct conf *c, const char *name);
/* The directories after the environment had its say; static or conf's own memory. */
const char *conf_state_dir(const struct conf *c);
const char *conf_runtime_dir(const struct conf *c);

#endif
