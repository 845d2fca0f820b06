/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_reload.c - a configuration that is read again takes effect as a whole, or not at all; the
 * old one lives as long as a job may read it.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/daemon/daemon_int.h"
#include "sm/keys/keys.h"

static struct daemon d;
static char path[] = "/tmp/heddle-reload-XXXXXX";
static char said[512];
static unsigned lines, turns, told;
static struct job *work; /* that was given to the worker */
static const struct conf *told_conf;
static int keys_error;
static uint64_t anything; /* in the place of a manager, which nobody looks into */

/* In the place of the other files of the room. */
struct monotime
daemon_now(void)
{
	return (struct monotime){ 77 };
}

void
daemon_turn(struct daemon *x)
{
	assert_ptr_equal(x, &d);
	turns++;
}

void
daemon_put_work(struct daemon *x, struct job *j)
{
	assert_ptr_equal(x, &d);
	assert_null(work);
	work = j;
}

void
manager_set_conf(struct manager *m, const struct conf *conf, struct monotime now)
{
	assert_ptr_equal(m, d.manager);
	assert_int_equal(now.us, 77);
	told++;
	told_conf = conf;
}

/* Derives keys that are to be derived: 0xabc and 0xdef. */
int
keys_fill(struct conf *c, const struct log *log, char why[static KEYS_WHY_BYTES])
{
	(void)log;
	snprintf(why, KEYS_WHY_BYTES, "no secret");
	if (keys_error)
		return keys_error;
	c->sm_key = c->sm_key ? c->sm_key : 0xabc;
	c->sa_key = c->sa_key ? c->sa_key : 0xdef;
	return 0;
}

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	(void)arg;
	(void)level;
	lines++;
	snprintf(said, sizeof(said), "%s: %s", room, line);
}

static void
write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int
reload_setup(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;
	int fd;

	(void)state;
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	write_file("sweep_interval = 20\nlog_level = trace\n");
	d = (struct daemon){ .log = { LOG_TRACE, on_line, NULL } };
	d.manager = (struct manager *)(void *)&anything;
	assert_int_equal(
		conf_load(3, (char *[]){ (char *)"heddled", (char *)"-F", path }, &d.conf, &e), 0);
	said[0] = '\0';
	lines = turns = told = 0;
	told_conf = NULL;
	keys_error = 0;
	return 0;
}

static void
drop_work(void)
{
	if (work)
		work->drop(work);
	work = NULL;
}

static int
reload_teardown(void **state)
{
	(void)state;
	drop_work();
	conf_free(d.conf);
	return unlink(path);
}

static void
reload(void)
{
	assert_int_equal(daemon_on_reload(NULL, NULL, &d), 0);
}

static void
a_new_configuration(void **state)
{
	struct conf *old = d.conf;

	(void)state;
	write_file("sweep_interval = 40\nlog_level = notice\n");
	reload();
	assert_ptr_not_equal(d.conf, old);
	assert_int_equal(d.conf->sweep_interval_s, 40);
	assert_int_equal(d.log.max, LOG_NOTE);
	assert_int_equal(told, 1);
	assert_ptr_equal(told_conf, d.conf);
	assert_int_equal(turns, 1);
	assert_string_equal(said, "conf: configuration read again");
}

/* Jobs handed out before may still read the old one; one behind them frees it. */
static void
the_old_one_is_freed_by_a_job(void **state)
{
	struct conf *old = d.conf;

	(void)state;
	write_file("sweep_interval = 40\n");
	reload();
	assert_non_null(work);
	assert_int_equal(old->sweep_interval_s, 20); /* still there; a sanitizer sees if not */
	work->run(work); /* and drop() does not free it again */
	drop_work();
	write_file("sweep_interval = 50\n");
	reload();
	drop_work(); /* without having been run */
}

/* Everything stays, and the log says how many errors there are. */
static void
a_configuration_with_errors(void **state)
{
	struct conf *old = d.conf;

	(void)state;
	write_file("sweep_interval = x\nlog_level = error\n");
	reload();
	assert_ptr_equal(d.conf, old);
	assert_int_equal(d.conf->sweep_interval_s, 20);
	assert_int_equal(d.log.max, LOG_TRACE);
	assert_int_equal(told, 0);
	assert_null(work);
	assert_string_equal(said, "conf: the configuration stays as it was: 1 error");
	assert_int_equal(lines, 2);
	write_file("sweep_interval = x\nlmc = 9\n");
	reload();
	assert_string_equal(said, "conf: the configuration stays as it was: 2 errors");
	assert_int_equal(unlink(path), 0);
	reload();
	assert_non_null(strstr(said, "the configuration stays as it was"));
	assert_ptr_equal(d.conf, old);
	write_file("sweep_interval = 60\n"); /* the next one counts again */
	reload();
	assert_int_equal(d.conf->sweep_interval_s, 60);
	assert_int_equal(turns, 4);
}

static void
keys_that_cannot_be_derived(void **state)
{
	struct conf *old = d.conf;

	(void)state;
	write_file("sweep_interval = 40\n");
	keys_error = -EACCES;
	reload();
	assert_ptr_equal(d.conf, old);
	assert_int_equal(told, 0);
	assert_null(work);
	assert_string_equal(said, "conf: the configuration stays as it was: no secret");
}

/* Keys that were derived at the start do not change, whatever the secret is by now. */
static void
derived_keys_stay(void **state)
{
	(void)state;
	d.made_sm_key = 0x111;
	d.made_sa_key = 0x222;
	memset(d.conf->mkey_seed, 0x5a, sizeof(d.conf->mkey_seed));
	d.conf->mkey_seeded = true;
	reload();
	assert_true(d.conf->sm_key == 0x111 && d.conf->sa_key == 0x222);
	assert_true(d.made_sm_key == 0x111 && d.made_sa_key == 0x222);
	assert_true(d.conf->mkey_seeded);
	for (unsigned i = 0; i < sizeof(d.conf->mkey_seed); i++)
		assert_int_equal(d.conf->mkey_seed[i], 0x5a);
}

/* Those that the configuration had set are derived once it sets them no more, and kept then. */
static void
keys_that_become_derived(void **state)
{
	(void)state;
	write_file("sm_key = 5\nsa_key = 6\nm_key = 7\n");
	reload();
	drop_work();
	assert_true(d.conf->sm_key == 5 && d.conf->sa_key == 6);
	assert_true(d.made_sm_key == 0 && d.made_sa_key == 0);
	write_file("m_key = 7\n");
	reload();
	drop_work();
	assert_true(d.made_sm_key == d.conf->sm_key && d.made_sa_key == d.conf->sa_key);
}

static void
without_a_manager(void **state)
{
	(void)state;
	d.manager = NULL;
	write_file("sweep_interval = 40\n");
	reload();
	assert_int_equal(d.conf->sweep_interval_s, 40);
	assert_int_equal(told + turns, 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, reload_setup, reload_teardown)
	const struct CMUnitTest tests[] = {
		T(a_new_configuration),
		T(the_old_one_is_freed_by_a_job),
		T(a_configuration_with_errors),
		T(keys_that_cannot_be_derived),
		T(derived_keys_stay),
		T(keys_that_become_derived),
		T(without_a_manager),
	};

	return cmocka_run_group_tests_name("sm/daemon/reload", tests, NULL, NULL);
}
