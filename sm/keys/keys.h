/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * keys.h - the shared secret, and the keys derived from it.
 * Room: sm/keys.  In: a file of 64 hexadecimal digits.  Out: SM_Key, SA_Key and the M_Keys of
 * ports.  docs/security.md.
 *
 * Managers with the same secret derive the same keys, so a standby can take over.  The secret is in
 * memory only while keys are derived.  Neither the secret nor a key is ever logged.
 */
#ifndef HEDDLE_SM_KEYS_KEYS_H
#define HEDDLE_SM_KEYS_KEYS_H

#include "fabric/snapshot/mkeys.h"
#include "sm/conf/conf.h"

#define KEYS_SECRET_BYTES 32
#define KEYS_WHY_BYTES 512
#define KEYS_NAME "secret"              /* name of the file beside the configuration */
#define KEYS_CREDENTIAL "heddle-secret" /* name of the file in $CREDENTIALS_DIRECTORY */

struct keys_secret {
	uint8_t bytes[KEYS_SECRET_BYTES];
};

/*
 * Creates a secret in 'path', mode 0600, atomically; creates the directory of 'path' if it is
 * missing. Returns 0 if the secret was created; 1 if something exists there, which is left
 * unchanged; a negative errno with a sentence in 'why'.
 */
int keys_secret_make(const char *path, char why[static KEYS_WHY_BYTES]);
/*
 * Reads the secret.  'ours': the file must be a regular file of root or of this user that neither
 * group nor others may read or write, otherwise -EPERM.  Without 'ours' the mode is not checked:
 * systemd sets that of a credential.  -EBADMSG: the file is not 64 hexadecimal digits.  Every
 * negative errno comes with a sentence in 'why'.
 */
int keys_secret_read(
	const char *path, bool ours, struct keys_secret *s, char why[static KEYS_WHY_BYTES]);
/* The key for 'purpose': 64 bits of HKDF-SHA256 (RFC 5869; salt "heddle", info 'purpose'), never 0
 * or 1. */
uint64_t keys_derive(const struct keys_secret *s, const char *purpose);

/*
 * The M_Keys of ports if m_key is auto; { 0 } if there is no secret that survives a restart.  The
 * key of a port is the first 64 bits of AES-CMAC (RFC 4493) over the port GUID, keyed with 128 bits
 * of HKDF-SHA256 of the secret, info "M_Key".  Never 0.
 */
struct mkeys keys_mkeys(const struct conf *c);

/*
 * Sets c->sm_key, c->sa_key and the seed of M_Keys where they are auto.  The secret comes from the
 * first of these sources: c->secret_file if it is set; systemd's credential; KEYS_NAME beside the
 * configuration.  If there is none, or none that may be read, it comes from the file "secret" in
 * the state directory; heddled creates that file if necessary and logs it.  If the file cannot be
 * written, the secret lasts as long as the process.  Such a secret sets no M_Keys on ports, because
 * a restart would lock the manager out.  Returns a negative errno, with a sentence, when an
 * existing secret is invalid.
 */
int keys_fill(struct conf *c, const struct log *log, char why[static KEYS_WHY_BYTES]);

#endif
