/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * keys.h - the secret of an installation, and the keys that are made from it.
 * Room: sm/keys.  In: a file of 64 hexadecimal digits.  Out: SM_Key, SA_Key and the M_Keys of
 * ports.  docs/security.md.  The secret is in memory while keys are derived, and no longer; neither
 * it nor a key is ever logged.
 */
#ifndef HEDDLE_SM_KEYS_KEYS_H
#define HEDDLE_SM_KEYS_KEYS_H

#include "fabric/snapshot/mkeys.h"
#include "sm/conf/conf.h"

#define KEYS_SECRET_BYTES 32
#define KEYS_WHY_BYTES 512
#define KEYS_NAME "secret"              /* of the file beside the configuration */
#define KEYS_CREDENTIAL "heddle-secret" /* its name in $CREDENTIALS_DIRECTORY */

struct keys_secret {
	uint8_t bytes[KEYS_SECRET_BYTES];
};

/*
 * Makes a secret in 'path', mode 0600, whole or not at all, and the directory of 'path' where there
 * is none.  0: made; 1: something was there, and was not touched; negative errno, with a sentence
 * in 'why'.
 */
int keys_secret_make(const char *path, char why[static KEYS_WHY_BYTES]);
/*
 * Reads it.  'ours': the file must be a regular one of root or of us, that neither group nor others
 * may read or write, else -EPERM; a credential's mode is systemd's business.  -EBADMSG: not 64
 * hexadecimal digits.  Other negative errno; with a sentence.
 */
int keys_secret_read(
	const char *path, bool ours, struct keys_secret *s, char why[static KEYS_WHY_BYTES]);
/* The key for 'purpose': 64 bits of HKDF-SHA256 (RFC 5869; salt "heddle", info 'purpose'), never 0
 * or 1. */
uint64_t keys_derive(const struct keys_secret *s, const char *purpose);

/*
 * The M_Keys of ports where m_key is auto, { 0 } if there is no secret that outlives the process.
 * Of each port: the first 64 bits of AES-CMAC (RFC 4493) over the port GUID, keyed with 128 bits of
 * HKDF-SHA256 of the secret, info "M_Key".  Never 0.
 */
struct mkeys keys_mkeys(const struct conf *c);

/*
 * Gives c->sm_key, c->sa_key and the seed of M_Keys what they are to be where they are auto.  The
 * secret comes from c->secret_file if that is set, else from systemd's credential, else from
 * KEYS_NAME beside the configuration; where there is none, or none that we may read, from the file
 * "secret" in the state directory, which is made if need be, with a word to 'log'; and where that
 * cannot be kept it lasts as long as the process: such keys protect no port, since a restart would
 * lock us out.  Negative errno, with a sentence, when a secret that is there is no good.
 */
int keys_fill(struct conf *c, const struct log *log, char why[static KEYS_WHY_BYTES]);

#endif
