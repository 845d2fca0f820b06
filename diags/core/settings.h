/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settings.h - what the command line and the configuration file set for all tools alike.
 * Room: diags/core.
 *
 * options.c fills the settings before the tool runs; from then on everybody reads them. Strings are
 * owned by core.
 */
#ifndef HEDDLE_DIAGS_CORE_SETTINGS_H
#define HEDDLE_DIAGS_CORE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct diag;

enum diag_format { DIAG_TEXT, DIAG_JSON, DIAG_LINES, DIAG_CSV };
enum diag_addressing { DIAG_BY_LID, DIAG_BY_PATH, DIAG_BY_GUID };

struct diag_settings {
	char *ca;                        /* NULL: choose */
	int port;                        /* -1: choose */
	enum diag_addressing addressing; /* -L -D -G */
	int timeout_ms;                  /* -t; 0: adaptive */
	uint16_t sm_lid;                 /* -s; 0: the port's */
	uint64_t mkey, sa_key;
	/* -y auto: heddled of this host tells the key of each port that is written */
	bool mkey_of_daemon;
	bool show_keys;       /* -K */
	unsigned verbose;
	bool debug;           /* -d: each datagram is printed on stderr */
	bool mlx_epi;         /* MLX_EPI of the configuration: ask for vendor extended port info */
	uint16_t pkey_index;  /* -Y */
	unsigned outstanding; /* -o; 0: default */
	char *names_file;     /* --node-name-map */
	char *load;           /* --load */
	bool live;            /* --live */
	char *select;         /* --select */
	enum diag_format format;
	bool pretty, u64_strings;
	bool errors_on_stdout; /* --compat-stdout-errors */
};

const struct diag_settings *diag_settings(const struct diag *d);
/* For what changes the settings itself: an operand that names the device, a key that heddled
 * reported. */
struct diag_settings *diag_settings_mut(struct diag *d);

/* config_file.c: reads ibdiag.conf into the settings.  'named': it must exist.  0 or EXIT_USAGE,
 * reported. */
int diag_config_read(struct diag *d, const char *path, bool named);

#endif
