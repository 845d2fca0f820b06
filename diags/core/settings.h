/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settings.h - the settings that the command line and the configuration file make for every tool.
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
	char *ca;                        /* NULL: choose one */
	int port;                        /* -1: choose one */
	enum diag_addressing addressing; /* -L -D -G */
	int timeout_ms;                  /* -t; 0: adaptive */
	uint16_t sm_lid;                 /* -s; 0: MasterSMLID of the port */
	uint64_t mkey, sa_key;
	/* -y auto: heddled of this host provides the key of each port that is written */
	bool mkey_of_daemon;
	bool show_keys;       /* -K */
	unsigned verbose;
	bool debug;           /* -d: print each datagram on stderr */
	bool mlx_epi; /* MLX_EPI of the configuration: read the vendor's extended PortInfo */
	uint16_t pkey_index;  /* -Y */
	unsigned outstanding; /* -o; 0: the default */
	char *names_file;     /* --node-name-map */
	char *load;           /* --load */
	bool live;            /* --live */
	char *select;         /* --select */
	enum diag_format format;
	bool pretty, u64_strings;
	bool errors_on_stdout; /* --compat-stdout-errors */
};

/* Returns the settings of the run; borrowed. */
const struct diag_settings *diag_settings(const struct diag *d);
/* Returns the settings for changes: by an operand that names the device, by a key that heddled
 * reported. */
struct diag_settings *diag_settings_mut(struct diag *d);

/* config_file.c: reads ibdiag.conf into the settings. 'named': the file must exist. Returns 0 or
 * EXIT_USAGE (reported). */
int diag_config_read(struct diag *d, const char *path, bool named);

#endif
