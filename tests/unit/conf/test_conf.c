/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_conf.c - loading and reloading: defaults, secrets, files that keys name, directories.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"
#include "sm/conf/routing/lfts.h"
#include "sm/conf/routing/lines.h"
#include "util/optab.h"
#include "tests/unit/conf/conf_rig.h"

static void
test_defaults(void **state)
{
	(void)state;
	conf = conf_default();
	assert_int_equal(conf->sweep_interval_s, 10);
	assert_int_equal(conf->transaction_timeout_ms, 200);
	assert_int_equal(conf->packet_life_time, 0x12);
	assert_true(conf->subnet_prefix == 0xfe80000000000000);
	assert_true(conf->sm_key == 0 && conf->sa_key == 0);    /* auto */
	assert_true(conf_sm_allowed(conf, 5));
	assert_int_equal(conf->engines.n, 1);
	assert_string_equal(conf->engines.name[0], "auto");
	assert_false(conf->engines.no_fallback);
	assert_string_equal(conf->root_guid_file, "");
	assert_int_equal(conf->log_level, LOG_NOTE);
	assert_int_equal(conf->action, CONF_RUN);
	assert_null(conf->report);
}

static void
test_known_only(void **state)
{
	(void)state;
	conf_write("lmc = 1\ncc_key = 1\n");
	assert_int_equal(LOAD("--set", "perfmgr=TRUE"), 0);
	assert_string_equal(err.warnings, with_path(
		"heddled: warning: --set: perfmgr: OpenSM has this key, heddled does not use it yet\n"
		"PATH:2: warning: cc_key: OpenSM has this key, heddled does not use it yet\n"));
	assert_int_equal(conf->lmc, 1);
	conf_write("max_reverse_hops = 2\nquasi_ftree_indexing = TRUE\n");
	assert_int_equal(LOAD("--set", "connect_roots=TRUE"), 0);
	assert_string_equal(err.warnings, with_path(
		"heddled: warning: --set: connect_roots: heddled always joins the roots by detours that it proves free of credit loops\n"
		"PATH:1: warning: max_reverse_hops: heddled needs no such limit: what has no up/down path is joined by a proved detour wherever there is a link\n"
		"PATH:2: warning: quasi_ftree_indexing: the formula of heddled's ftree has no such index: it counts hosts along the cabling\n"));
}

/* Keys are in no document and in no message; what OpenSM has by default is warned of. */
static void
test_secrets(void **state)
{
	char *text;
	struct conf *new = NULL;

	(void)state;
	conf_write(
		"sm_key = 0x5ec4e7\nsa_key = 6212391\nm_key = 0x5ec4e7\nallowed_sm_guids = '0x10, 32'\n");
	assert_int_equal(LOAD(), 0);
	assert_true(conf->sm_key == 0x5ec4e7 && conf->sa_key == 6212391 && conf->m_key == 0x5ec4e7);
	assert_true(conf_sm_allowed(conf, 0x10) && conf_sm_allowed(conf, 0x20) && !conf_sm_allowed(conf, 0x30));
	text = dump(conf);
	assert_null(strstr(text, "5ec4e7"));
	assert_null(strstr(text, "6212391"));
	assert_non_null(strstr(text, "\n# sm_key is set, and not shown\n"));
	assert_non_null(strstr(text, "\nallowed_sm_guids = \"0x0000000000000010,0x0000000000000020\"\n"));
	conf_write(text);                              /* what is left reads back */
	free(text);
	assert_int_equal(LOAD(), 0);
	conf_write("m_key = 0x5ec4e8\n");
	assert_int_equal(conf_reload(conf, &new, &err), 0);
	assert_string_equal(err.warnings, with_path("PATH: warning: another m_key needs a restart\n"));
	conf_free(new);
	conf_write("sm_key = 5\n"); /* who has it could lead, and write nothing */
	assert_int_equal(LOAD(), 0);
	assert_non_null(strstr(err.warnings, "sm_key is set and m_key is auto"));
	conf_write("sm_key = 1\nsa_key = auto\nm_key = 5\n");
	assert_int_equal(LOAD(), 0);
	assert_string_equal(err.warnings, "heddled: warning: sm_key is 1, OpenSM's default, which everybody knows\n");
	assert_int_equal(LOAD("--set", "sm_key=auto", "--set", "sa_key=0x1"), 0);
	assert_non_null(strstr(err.warnings, "heddled: warning: sa_key is 1"));
	assert_true(conf->sm_key == 0 && conf->sa_key == 1);
	conf_write("");
	assert_int_equal(LOAD("--set", "sm_key=5ec4e7x"), -EINVAL);
	assert_null(strstr(err.text, "5ec4e7"));
}

static void
test_reload(void **state)
{
	struct conf *new = NULL;

	(void)state;
	conf_write("lmc = 1\nsweep_interval = 20\nlog_level = error\n");
	assert_int_equal(LOAD("-t", "300", "-v"), 0);
	conf_write("lmc = 2\nsweep_interval = 40\ntransaction_timeout = 400\n"
		"log_level = notice\n");
	assert_int_equal(conf_reload(conf, &new, &err), 0);
	assert_int_equal(new->sweep_interval_s, 40);
	assert_int_equal(new->transaction_timeout_ms, 300);     /* the command line still counts more */
	assert_int_equal(new->lmc, 1);
	assert_int_equal(new->log_level, LOG_DETAIL);
	assert_string_equal(err.warnings, with_path("PATH: warning: lmc: '2' instead of '1' needs a restart\n"));
	conf_free(conf);
	conf = new;
	new = NULL;
	conf_error_clear(&err);
	conf_write("lmc = 2\nsweep_interval = 50x\n");
	assert_int_equal(conf_reload(conf, &new, &err), -EINVAL);
	assert_null(new);
	assert_int_equal(conf->sweep_interval_s, 40);
	assert_string_equal(err.text, with_path(
		"PATH:2: error: sweep_interval: expected a number from 0 to 86400 s, got '50x'\n"));
}

static char logged[1 << 16];

static void
keep_logged(void *arg, enum log_level level, const char *room, const char *line)
{
	size_t n = strlen(logged);

	(void)arg;
	snprintf(logged + n, sizeof(logged) - n, "<%d>%s: %s\n", (int)level, room, line);
}

/* In a log every warning and every error is a line, and nothing stands in the place of a line's end. */
static void
test_log(void **state)
{
	static const struct log l = { LOG_TRACE, keep_logged, NULL };

	(void)state;
	logged[0] = '\0';
	conf_error_log(&err, &l);
	assert_string_equal(logged, "");
	put_warnings(25, "lmc = 99\nlmc = 98\n");
	assert_int_equal(LOAD(), -EINVAL);
	conf_error_log(&err, &l);
	assert_int_equal(count_lines(logged, "<4>conf: "), 25);
	assert_int_equal(count_lines(logged, "<3>conf: "), 2);
	assert_null(strchr(logged, '?'));
	assert_null(strstr(logged, "(null)"));
}

/* A file that is to be checked must be there, the default one too. */
static void
test_check_nothing(void **state)
{
	static const char file[] = HEDDLE_SYSCONFDIR "/heddled.conf";

	(void)state;
	if (access(file, F_OK) == 0)
		skip();
	assert_int_equal(conf_load(2, (char *[]){ (char *)"heddled", (char *)"--check-config" }, &conf, &err), -ENOENT);
	assert_int_equal(count_lines(err.text, HEDDLE_SYSCONFDIR "/heddled.conf: error: No such file or directory"), 1);
	conf_error_clear(&err);
	assert_int_equal(conf_load(1, (char *[]){ (char *)"heddled" }, &conf, &err), 0);       /* it need not, to run */
}

static void
put_at(const char *dir, const char *name, const char *text)
{
	char file[160];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static bool
is_in(const char *file, const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return strncmp(file, dir, n) == 0 && file[n] == '/' && strcmp(file + n + 1, name) == 0;
}

/* What is beside the configuration is beside the file of -F, also when that is named from its own directory. */
static void
test_beside(void **state)
{
	static const char *const names[] = { "c.conf", "partitions.conf", "qos-policy.conf" };
	char dir[] = "/tmp/heddle-beside-XXXXXX", file[64], was[512], *text = NULL, *secret;
	size_t len;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_non_null(getcwd(was, sizeof(was)));
	put_at(dir, names[0], "qos = TRUE\n");
	put_at(dir, names[1], "Default=0x7fff: ALL=full;\nA=5: ALL=full;\n");
	put_at(dir, names[2], "qos-ulps\ndefault: 3\nend-qos-ulps\n");
	snprintf(file, sizeof(file), "%s/c.conf", dir);
	assert_int_equal(LOAD("-F", file, "--check-config"), 0);
	assert_non_null(conf->partitions->file);
	assert_true(is_in(conf->partitions->file, dir, names[1]));
	assert_int_equal(conf->partitions->n, 2);
	assert_non_null(conf->qos_policy);
	assert_true(is_in(conf->qos_policy->file, dir, names[2]));
	f = open_memstream(&text, &len);
	assert_int_equal(conf_act(conf, f), EXIT_OK);
	fclose(f);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(count_lines(text, names[i]), 1);
	free(text);
	secret = conf_beside(conf, "secret");
	assert_true(is_in(secret, dir, "secret"));
	free(secret);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(LOAD("-F", "c.conf"), 0);
	assert_string_equal(conf->partitions->file, "partitions.conf");
	assert_string_equal(conf->qos_policy->file, "qos-policy.conf");
	assert_int_equal(chdir(was), 0);
	assert_int_equal(LOAD("-F", file, "--Pconfig", "/dev/null"), 0);        /* what is named is not looked for */
	assert_string_equal(conf->partitions->file, "/dev/null");
	for (size_t i = 0; i < 3; i++) {
		snprintf(file, sizeof(file), "%s/%s", dir, names[i]);
		assert_int_equal(unlink(file), 0);
	}
	assert_int_equal(rmdir(dir), 0);
	conf_free(conf);
	conf = conf_default();
	secret = conf_beside(conf, "secret");
	assert_string_equal(secret, HEDDLE_SYSCONFDIR "/secret");
	free(secret);
}

static void
test_root_guids(void **state)
{
	(void)state;
	conf_write(
		"# spines\n\n0x10 # first\n  16\n0x0002c90300000002\textra\n0x3x\nabc\n-5\n0\n0x12345678901234567\n0x4#\n0x5");
	conf_free(conf);
	conf = NULL;
	assert_int_equal(conf_load(4, (char *[]){ (char *)"heddled", (char *)"-a", path, (char *)"-v" }, &conf, &err), 0);
	assert_int_equal(conf->routing.nroots, 4);
	assert_true(conf->routing.roots[0] == 4);
	assert_true(conf->routing.roots[1] == 5);
	assert_true(conf->routing.roots[2] == 0x10);
	assert_true(conf->routing.roots[3] == 0x0002c90300000002);
	assert_string_equal(err.warnings, with_path(
		"PATH:6: warning: expected a GUID, got '0x3x'; the line is passed over\n"
		"PATH:7: warning: expected a GUID, got 'abc'; the line is passed over\n"
		"PATH:8: warning: expected a GUID, got '-5'; the line is passed over\n"
		"PATH:9: warning: expected a GUID, got '0'; the line is passed over\n"
		"PATH:10: warning: expected a GUID, got '0x12345678901234567'; the line is passed over\n"));
	conf_write("root_guid_file = /nonexistent/roots\n");
	assert_int_equal(LOAD("--check-config"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/roots: error: No such file or directory\n");
}

/* A bad line of groups is an error, so that the configuration before it stays in force. */
static void
test_routing_groups(void **state)
{
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "routing_groups_file = %s-groups\n", path);
	conf_write(text);
	assert_int_equal(LOAD(), -ENOENT);
	assert_non_null(strstr(err.text, "-groups: error: No such file or directory\n"));
	conf_error_clear(&err);
	snprintf(text, sizeof(text), "# routing_groups_file\nrouting_groups_file = %s\n", path);
	conf_write(text);
	assert_int_equal(LOAD(), -EINVAL);
	assert_string_equal(err.text, with_path(
		"PATH:2: error: expected 'group NAME ENGINE' or the GUID of a switch, "
		"got 'routing_groups_file'\n"));
	assert_null(conf);
}

/* The file is at once the configuration and what routing keys name in it. */
static void
test_routing_files(void **state)
{
	(void)state;
	conf_write("");
	assert_int_equal(LOAD(), 0);
	assert_int_equal(conf->routing.ncompute + conf->routing.nio + conf->routing.torus.ndims, 0);
	assert_null(conf->routing.lfts);
	conf_write("# torus\n7\n9\n");
	conf_free(conf);
	conf = NULL;
	assert_int_equal(conf_load(5, (char *[]){ (char *)"heddled", (char *)"-u", path, (char *)"-G", path }, &conf, &err), 0);
	assert_true(conf->routing.ncompute == 2 && conf->routing.compute[1] == 9);
	assert_true(conf->routing.nio == 2 && conf->routing.io[0] == 7);
	conf_write("mesh 3 4 5t\n");
	conf_free(conf);
	conf = NULL;
	assert_int_equal(conf_load(5, (char *[]){ (char *)"heddled", (char *)"--torus_config", path,
		(char *)"--lash_start_vl", (char *)"3" }, &conf, &err), 0);
	assert_true(conf->routing.torus.ndims == 3 && conf->routing.torus.size[1] == 4 && conf->routing.torus.mesh[1] && !conf->routing.torus.mesh[2]);
	assert_int_equal(conf->lash_start_vl, 3);
	assert_false(conf->avoid_throttled_links);
	conf_write("Unicast lids of switch guid 0x5\n0x0001 7\n0xffff 1\n");
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	assert_int_equal(conf_load(3, (char *[]){ (char *)"heddled", (char *)"-U", path }, &conf, &err), 0);
	assert_int_equal(conf->routing.lfts->line, 3);
	assert_string_equal(err.warnings, with_path(
		"PATH:3: warning: expected a LID up to 0xbfff and a port up to 255; engine file refuses these tables\n"));
	conf_write("0x5 1 2\n0x6\n");
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	assert_int_equal(conf_load(12, (char *[]){ (char *)"heddled", (char *)"-X", path, (char *)"-m", path, (char *)"-w", path, (char *)"-O", path,
		(char *)"--port-shifting", (char *)"--scatter-ports", (char *)"7" }, &conf, &err), 0);
	assert_true(conf->routing.order->n == 1 && conf->routing.order->line[0].guid == 6);
	assert_true(conf->routing.ids->n == 0 && conf->routing.weights->n == 1 && conf->routing.ports->n == 1);
	assert_true(conf->port_shifting && conf->scatter_ports == 7);
	assert_non_null(strstr(err.warnings, with_path("PATH:2: warning: expected a GUID and ports from 1 to 254, got '0x6'")));
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	assert_int_equal(conf_load(3, (char *[]){ (char *)"heddled", (char *)"--dimn_ports_file", path }, &conf, &err), 0);
	assert_true(conf->routing.ports->n == 1 && conf->routing.ports->line[0].n == 2);
	conf_write(
		"dimn_ports_file = /nonexistent/old\nport_search_ordering_file = /nonexistent/ports\n");
	assert_int_equal(LOAD("--check-config"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/ports: error: No such file or directory\n");
	conf_write("lfts_file = /nonexistent/lfts\n");
	assert_int_equal(LOAD("--check-config"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/lfts: error: No such file or directory\n");
	conf_write("torus_config = /nonexistent/torus\n");
	assert_int_equal(LOAD("--check-config"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/torus: error: No such file or directory\n");
}

static void
test_directories(void **state)
{
	(void)state;
	conf_write("");
	unsetenv("STATE_DIRECTORY");
	assert_int_equal(LOAD(), 0);
	assert_string_equal(conf_state_dir(conf), HEDDLE_STATEDIR);
	setenv("STATE_DIRECTORY", "/var/x:/var/y", 1);
	setenv("RUNTIME_DIRECTORY", "/run/x", 1);
	assert_string_equal(conf_state_dir(conf), "/var/x");
	assert_string_equal(conf_runtime_dir(conf), "/run/x");
	assert_int_equal(LOAD("--state-dir", "/s", "--runtime-dir", "/r"), 0);
	assert_string_equal(conf_state_dir(conf), "/s");
	assert_string_equal(conf_runtime_dir(conf), "/r");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
		T(test_defaults), T(test_known_only), T(test_secrets), T(test_reload),
		T(test_routing_groups),
		T(test_root_guids), T(test_routing_files), T(test_directories), T(test_log),
		T(test_check_nothing), T(test_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
