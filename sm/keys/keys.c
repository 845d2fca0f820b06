/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * keys.c - finds the secret, and derives keys from it.
 * Room: sm/keys.
 */
#include <config.h>
#include <errno.h>
#include <nettle/cmac.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "libmad/wire/wire.h"
#include "sm/keys/keys.h"
#include "util/xalloc.h"

static const uint8_t salt[] = { 'h', 'e', 'd', 'd', 'l', 'e' };

static void
mac_update(void *h, size_t bytes, const uint8_t *data)
{
	hmac_sha256_update(h, bytes, data);
}

static void
mac_digest(void *h, size_t bytes, uint8_t *out)
{
	hmac_sha256_digest(h, bytes, out);
}

static void
derive_bytes(const struct keys_secret *s, const char *purpose, uint8_t *out, size_t bytes)
{
	uint8_t prk[SHA256_DIGEST_SIZE];
	struct hmac_sha256_ctx h;

	hmac_sha256_set_key(&h, sizeof(salt), salt);
	hkdf_extract(&h, mac_update, mac_digest, sizeof(prk), sizeof(s->bytes), s->bytes, prk);
	hmac_sha256_set_key(&h, sizeof(prk), prk);
	hkdf_expand(&h, mac_update, mac_digest, sizeof(prk), strlen(purpose),
		(const uint8_t *)purpose, bytes, out);
	explicit_bzero(prk, sizeof(prk));
	explicit_bzero(&h, sizeof(h));
}

/* Never returns 0, which means "no key", or 1, which is OpenSM's public default. */
static uint64_t
key_of_bytes(const uint8_t bytes[static 8])
{
	uint64_t key = wire_get64(bytes);

	return key > 1 ? key : ~key;
}

uint64_t
keys_derive(const struct keys_secret *s, const char *purpose)
{
	uint8_t out[8];
	uint64_t key;

	derive_bytes(s, purpose, out, sizeof(out));
	key = key_of_bytes(out);
	explicit_bzero(out, sizeof(out));
	return key;
}

static uint64_t
derived_mkey(const struct mkeys *k, uint64_t port_guid)
{
	uint8_t guid[8], out[CMAC128_DIGEST_SIZE];
	struct cmac_aes128_ctx mac;

	if (!port_guid)
		return 0;
	memcpy(&mac, k->cipher, sizeof(mac));
	wire_put64(guid, port_guid);
	cmac_aes128_update(&mac, sizeof(guid), guid);
	cmac_aes128_digest(&mac, sizeof(out), out);
	return key_of_bytes(out);
}

struct mkeys
keys_mkeys(const struct conf *c)
{
	struct mkeys k = { .of = derived_mkey };
	struct cmac_aes128_ctx mac;

	_Static_assert(sizeof(mac) <= sizeof(k.cipher), "MKEYS_CIPHER_WORDS");
	if (!c->mkey_seeded)
		return (struct mkeys){ 0 };
	memset(&mac, 0, sizeof(mac));
	cmac_aes128_set_key(&mac, c->mkey_seed);
	memcpy(k.cipher, &mac, sizeof(mac));
	explicit_bzero(&mac, sizeof(mac));
	return k;
}

/* A secret of this machine, if none was found in the places 'looked' names.  It is kept in the
 * state directory, or in this process only ('*lasts' false). */
static int
own_secret(const struct conf *c, const char *looked, const struct log *log, struct keys_secret *s,
	bool *lasts, char *why)
{
	char *path = xasprintf("%s/secret", conf_state_dir(c));
	int made = keys_secret_make(path, why), err = 0;

	if (made >= 0) {
		err = keys_secret_read(path, true, s, why);
		if (!err)
			log_line(log, made ? LOG_NOTE : LOG_WARN, "keys",
				"no secret in %s: %s %s; managers that stand by for one another "
				"need the same one",
				looked, made ? "using" : "made", path);
	} else if (getrandom(s->bytes, sizeof(s->bytes), 0) != sizeof(s->bytes)) {
		err = -EIO;
		snprintf(why, KEYS_WHY_BYTES, "no random numbers");
	} else {
		*lasts = false;
		log_line(log, LOG_WARN, "keys",
			"no secret in %s, and %s: keys will last as long as this process%s", looked,
			why, c->m_key == CONF_MKEY_AUTO ? "; ports get no M_Key" : "");
	}
	free(path);
	return err;
}

static int
find_secret(
	const struct conf *c, const struct log *log, struct keys_secret *s, bool *lasts, char *why)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	char *beside;
	int err;

	if (c->secret_file[0])
		return keys_secret_read(c->secret_file, true, s, why);
	if (dir && dir[0]) {
		char *path = xasprintf("%s/%s", dir, KEYS_CREDENTIAL);

		err = keys_secret_read(path, false, s, why);
		free(path);
		if (err != -ENOENT)
			return err;
	}
	beside = conf_beside(c, KEYS_NAME);
	err = keys_secret_read(beside, true, s, why);
	if (err == -ENOENT || err == -ENOTDIR || err == -EACCES)
		err = own_secret(c, beside, log, s, lasts, why);
	free(beside);
	return err;
}

int
keys_fill(struct conf *c, const struct log *log, char why[static KEYS_WHY_BYTES])
{
	bool seed = c->m_key == CONF_MKEY_AUTO && !c->mkey_seeded, lasts = true;
	struct keys_secret s;
	int err;

	if (c->sm_key && c->sa_key && !seed)
		return 0;
	err = find_secret(c, log, &s, &lasts, why);
	if (err)
		return err;
	if (!c->sm_key)
		c->sm_key = keys_derive(&s, "SM_Key");
	if (!c->sa_key)
		c->sa_key = keys_derive(&s, "SA_Key");
	if (seed && lasts) {
		derive_bytes(&s, "M_Key", c->mkey_seed, sizeof(c->mkey_seed));
		c->mkey_seeded = true;
	}
	explicit_bzero(&s, sizeof(s));
	return 0;
}
