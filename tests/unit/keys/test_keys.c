/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_keys.c - the file of the secret: made once, never open to others; keys as another program derives them.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/keys/keys.h"

static char dir[] = "/tmp/heddle-keys-XXXXXX", path[128], why[KEYS_WHY_BYTES], logged[1024];

static int
keys_setup(void **state)
{
	(void)state;
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/sub/secret", dir);
	logged[0] = '\0';
	setenv("STATE_DIRECTORY", dir, 1);
	unsetenv("CREDENTIALS_DIRECTORY");
	return 0;
}

static int
keys_teardown(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static void
emit(void *arg, enum log_level level, const char *room, const char *line)
{
	size_t n = strlen(logged);

	(void)arg;
	(void)level;
	snprintf(logged + n, sizeof(logged) - n, "%s: %s\n", room, line);
}
static const struct log sink = { LOG_TRACE, emit, NULL };

static void
key_file_write(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(name, mode), 0);
}

static void
key_file_read(const char *name, char text[static 128])
{
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	memset(text, 0, 128);
	assert_true(fread(text, 1, 127, f) > 0);
	fclose(f);
}

static unsigned
files_in(const char *name)
{
	char command[160], n[16] = "";
	FILE *f;

	snprintf(command, sizeof(command), "ls -A '%s' | wc -l", name);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(n, sizeof(n), f));
	pclose(f);
	return (unsigned)atoi(n);
}

static void
made_once(void **state)
{
	char first[128], second[128], sub[128];
	struct keys_secret s;
	struct stat st;

	(void)state;
	assert_int_equal(keys_secret_make(path, why), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	key_file_read(path, first);
	assert_int_equal(strlen(first), 65);
	assert_int_equal(strspn(first, "0123456789abcdef"), 64);
	assert_int_equal(keys_secret_read(path, true, &s, why), 0);
	assert_int_equal(keys_secret_make(path, why), 1);       /* and again: it stays */
	key_file_read(path, second);
	assert_string_equal(first, second);
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	assert_int_equal(files_in(sub), 1);                     /* nothing lies beside it */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(keys_secret_make(path, why), 0);
	key_file_read(path, second);
	assert_string_not_equal(first, second);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/nonexistent/x", path), 0);   /* not even that is replaced */
	assert_int_equal(keys_secret_make(path, why), 1);
	assert_int_equal(keys_secret_make("/nonexistent/a/b", why), -ENOENT);
	assert_string_equal(why, "cannot make the secret /nonexistent/a/b: No such file or directory");
}

#define SECRET "000102030405060708090a0b0c0d0e0f101112131415161718191a1B1C1D1E1F"

static void
read_with_care(void **state)
{
	static const char *const bad[] = { "", "00", SECRET "0\n", "x" SECRET, SECRET "\nx", SECRET "                    " };
	static const mode_t open_to_others[] = { 0640, 0604, 0620, 0602, 0644, 0660, 0610, 0601, 0777 };
	struct keys_secret s;
	char name[140];

	(void)state;
	snprintf(name, sizeof(name), "%s/s", dir);
	key_file_write(name, SECRET "\r\n", 0600);
	assert_int_equal(keys_secret_read(name, true, &s, why), 0);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(s.bytes[i], i);
	for (size_t i = 0; i < sizeof(open_to_others) / sizeof(open_to_others[0]); i++) {
		assert_int_equal(chmod(name, open_to_others[i]), 0);
		assert_int_equal(keys_secret_read(name, true, &s, why), -EPERM);
		assert_non_null(strstr(why, "is open to others"));
	}
	assert_int_equal(chmod(name, 0600), 0);
	if (geteuid() == 0) {                   /* else it cannot be given away */
		assert_int_equal(chown(name, 12345, 12345), 0);
		assert_int_equal(keys_secret_read(name, true, &s, why), -EPERM);
		assert_non_null(strstr(why, "belongs to another user (12345)"));
	}
	assert_int_equal(chmod(name, 0440), 0);
	assert_int_equal(keys_secret_read(name, false, &s, why), 0);    /* a credential, with an access list */
	assert_int_equal(keys_secret_read(dir, true, &s, why), -EPERM);
	assert_non_null(strstr(why, "no regular file"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		unlink(name);
		key_file_write(name, bad[i], 0400);
		assert_int_equal(keys_secret_read(name, true, &s, why), -EBADMSG);
		assert_null(strstr(why, "0001"));
	}
	assert_int_equal(keys_secret_read("/nonexistent/x", true, &s, why), -ENOENT);
}

/* openssl kdf -keylen 8 -kdfopt digest:SHA256 -kdfopt hexkey:... -kdfopt salt:heddle -kdfopt info:SM_Key HKDF */
static void
derived_as_others_do(void **state)
{
	struct keys_secret s;

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		s.bytes[i] = (uint8_t)i;
	assert_true(keys_derive(&s, "SM_Key") == 0xc70e06eca6833a8a);
	assert_true(keys_derive(&s, "SA_Key") == 0x514bd0f1c73a0dc6);
}

/* printf GUID | openssl mac -cipher AES-128-CBC -macopt hexkey:... CMAC, the first 64 bits */
static void
mkeys_as_others_do(void **state)
{
	static const uint8_t seed[] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
		0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c };
	struct conf *c = conf_default();
	struct mkeys k = keys_mkeys(c), copy;

	(void)state;
	assert_null(k.of);                                      /* no seed, no keys */
	memcpy(c->mkey_seed, seed, sizeof(c->mkey_seed));
	c->mkey_seeded = true;
	k = keys_mkeys(c);
	conf_free(c);
	copy = k;
	memset(&k, 0, sizeof(k));
	for (unsigned i = 0; i < 2; i++) {      /* one call leaves nothing for the next */
		assert_true(mkeys_of(&copy, 0x0002c90300123456) == 0x69556176c2f87e51);
		assert_true(mkeys_of(&copy, 0x0002c90300123457) == 0x912694f498520b4b);
	}
	assert_true(mkeys_of(&copy, 0) == 0);
}

static void
found(void **state)
{
	char named[140], credential[140], conf_file[160], text[128];
	struct conf *c = conf_default();
	uint64_t sm;

	(void)state;
	snprintf(named, sizeof(named), "%s/named", dir);
	key_file_write(named, SECRET "\n", 0600);
	c->secret_file = named;
	c->sm_key = 5;
	assert_int_equal(keys_fill(c, &sink, why), 0);
	assert_true(c->sm_key == 5 && c->sa_key == 0x514bd0f1c73a0dc6);         /* what was set stays */
	c->sm_key = c->sa_key = 0;
	assert_int_equal(chmod(named, 0644), 0);
	assert_int_equal(keys_fill(c, &sink, why), -EPERM);                      /* no other one is looked for */
	assert_true(c->sm_key == 0 && c->sa_key == 0);
	c->secret_file = "";
	snprintf(credential, sizeof(credential), "%s/heddle-secret", dir);
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	key_file_write(credential, SECRET, 0440);
	assert_int_equal(keys_fill(c, &sink, why), 0);
	assert_true(c->sm_key == 0xc70e06eca6833a8a);
	key_file_write(credential, "nothing", 0440);
	c->sm_key = 0;
	assert_int_equal(keys_fill(c, &sink, why), -EBADMSG);
	assert_string_equal(logged, "");
	unlink(credential);
	/* Beside the configuration, wherever that is. */
	snprintf(conf_file, sizeof(conf_file), "%s/conf/heddled.conf", dir);
	snprintf(credential, sizeof(credential), "%s/conf", dir);
	assert_int_equal(mkdir(credential, 0700), 0);
	snprintf(credential, sizeof(credential), "%s/conf/secret", dir);
	key_file_write(credential, SECRET, 0400);
	c->file = conf_file;
	c->sm_key = c->sa_key = 0;
	assert_int_equal(keys_fill(c, &sink, why), 0);
	assert_true(c->sm_key == 0xc70e06eca6833a8a);
	unlink(credential);
	snprintf(credential, sizeof(credential), "%s/conf", dir);
	rmdir(credential);
	c->file = NULL;
	/* None anywhere: one is made where the state is, and found again. */
	c->sm_key = c->sa_key = 0;
	if (access(HEDDLE_SYSCONFDIR "/" KEYS_NAME, F_OK) == 0) {
		conf_free(c);
		skip();
	}
	assert_int_equal(keys_fill(c, &sink, why), 0);
	assert_non_null(strstr(logged, "managers that stand by for one another"));
	snprintf(credential, sizeof(credential), "%s/secret", dir);
	key_file_read(credential, text);
	text[8] = '\0';
	assert_null(strstr(logged, text));
	sm = c->sm_key;
	c->sm_key = c->sa_key = 0;
	assert_int_equal(keys_fill(c, &sink, why), 0);
	assert_true(c->sm_key == sm && c->sa_key != sm && sm > 1);
	setenv("STATE_DIRECTORY", "/nonexistent/state", 1);
	c->sm_key = c->sa_key = 0;
	assert_int_equal(keys_fill(c, &sink, why), 0);
	assert_true(c->sm_key > 1 && c->sm_key != sm);
	assert_non_null(strstr(logged, "as long as this process"));
	conf_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, keys_setup, keys_teardown)
		T(made_once), T(read_with_care), T(derived_as_others_do), T(mkeys_as_others_do),
		T(found),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
