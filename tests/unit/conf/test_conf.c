/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_conf.c - files and command lines in; values, or sentences with file and line, out.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"
#include "sm/conf/text/lfts.h"
#include "util/optab.h"

static char path[] = "/tmp/heddle-conf-XXXXXX";
static struct conf_error err;
static struct conf *conf;

static int
setup(void **state)
{
	int fd;

	(void)state;
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int
teardown(void **state)
{
	(void)state;
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	return unlink(path);
}

static void
put(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int
load(const char *const *args)
{
	const char *argv[16] = { "heddled", "-F", path };
	int argc = 3;

	while (*args)
		argv[argc++] = *args++;
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	return conf_load(argc, (char **)argv, &conf, &err);
}
#define LOAD(...) load((const char *const []){ __VA_ARGS__ __VA_OPT__(,) NULL })

/* 'text' with every PATH replaced by the file's name. */
static const char *
with_path(const char *text)
{
	static char buf[4096];
	size_t n = 0;

	while (*text) {
		if (strncmp(text, "PATH", 4) == 0) {
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s", path);
			text += 4;
		} else {
			buf[n++] = *text++;
		}
	}
	buf[n] = '\0';
	return buf;
}

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
test_file(void **state)
{
	(void)state;
	put("# comment\n"
		"sweep_interval = 30\n"
		"guid = 0x0002c90300000001 // another comment\n"
		"routing_engine = \"minhop,updn,no_fallback\"\n"
		"lmc_esp0 = yes  sweep_on_trap=off\n"
		"ca = '/tmp/a b'\n"
		"subnet_timeout = 0x10\n"
		"subnet_timeout = 19\n"
		"log_level = trace\n");
	assert_int_equal(LOAD(), 0);
	assert_null(err.text);
	assert_null(err.warnings);
	assert_int_equal(conf->sweep_interval_s, 30);
	assert_true(conf->guid == 0x0002c90300000001);
	assert_int_equal(conf->engines.n, 2);
	assert_string_equal(conf->engines.name[0], "minhop");
	assert_string_equal(conf->engines.name[1], "updn");
	assert_true(conf->engines.no_fallback);
	assert_true(conf->lmc_esp0);
	assert_false(conf->sweep_on_trap);
	assert_string_equal(conf->ca, "/tmp/a b");
	assert_int_equal(conf->subnet_timeout, 19);
	assert_int_equal(conf->log_level, LOG_TRACE);
	assert_string_equal(conf->file, path);
}

static void
test_precedence(void **state)
{
	(void)state;
	put("sweep_interval = 30\nlmc = 2\n");
	assert_int_equal(LOAD("-s", "5", "-R", "minhop", "-r", "-v", "-n", "8", "--retries=7", "-p", "15", "-t",
		"90"), 0);
	assert_int_equal(conf->sweep_interval_s, 5);
	assert_int_equal(conf->lmc, 2);
	assert_string_equal(conf->engines.name[0], "minhop");
	assert_true(conf->reassign_lids);
	assert_int_equal(conf->log_level, LOG_DETAIL);
	assert_int_equal(conf->max_wire_smps, 8);
	assert_int_equal(conf->transaction_retries, 7);
	assert_int_equal(conf->sm_priority, 15);
	assert_int_equal(conf->transaction_timeout_ms, 90);
	assert_int_equal(LOAD("--set", "lmc=3", "-l", "1", "--set", "m_key = 0x12"), 0);
	assert_int_equal(conf->lmc, 1);
	assert_true(conf->m_key == 0x12);
	assert_int_equal(LOAD("--once", "--report", "-", "-C", "mlx5_0", "-P", "1", "-g", "0x12"), 0);
	assert_true(conf->once);
	assert_string_equal(conf->report, "-");
	assert_string_equal(conf->ca, "mlx5_0");
	assert_int_equal(conf->port, 1);
	assert_true(conf->guid == 0x12);
}

static void
test_bad_files(void **state)
{
	static const struct {
		const char *file, *says;
	} v[] = {
		{ "sweep_interval = abc\n", "PATH:1: error: sweep_interval: expected a number from 0 to 86400 s, got 'abc'\n" },
		{ "\n\nsweep_intreval = 5\n", "PATH:3: error: no key 'sweep_intreval'; did you mean 'sweep_interval'?\n" },
		{ "zzz = 5\n", "PATH:1: error: no key 'zzz'; see heddled.conf(5)\n" },
		{ "lmc = 8\n", "PATH:1: error: lmc: expected a number from 0 to 7, got '8'\n" },
		{ "lmc = -1\n", "PATH:1: error: lmc: expected a number from 0 to 7, got '-1'\n" },
		{ "lmc = ''\n", "PATH:1: error: lmc: expected a number from 0 to 7, got ''\n" },
		{ "lmc = 1x\n", "PATH:1: error: lmc: expected a number from 0 to 7, got '1x'\n" },
		{ "sm_key = 0x10000000000000000\n", "PATH:1: error: sm_key: expected a number from 0x1 to "
			"0xffffffffffffffff, or auto\n" },    /* without what came: it may be a key, mistyped */
		{ "sm_key = 0\n", "PATH:1: error: sm_key: expected a number from 0x1 to 0xffffffffffffffff, or auto\n" },
		{ "sa_key = 0x0\n", "PATH:1: error: sa_key: expected a number from 0x1 to 0xffffffffffffffff, or auto\n" },
		{ "m_key = 0xffffffffffffffff\n", "PATH:1: error: m_key: expected a number from 0x0 to 0xfffffffffffffffe, or auto\n" },
		{ "allowed_sm_guids = '0x10,x'\n", "PATH:1: error: allowed_sm_guids: expected a list of GUIDs, got 'x'\n" },
		{ "allowed_sm_guids = 0\n", "PATH:1: error: allowed_sm_guids: expected a list of GUIDs, got '0'\n" },
		{ "lmc_esp0 = True\n", "PATH:1: error: lmc_esp0: expected TRUE or FALSE (or yes, no, on, off, 1, 0), "
			"got 'True'\n" },
		{ "routing_engine = updnn\n", "PATH:1: error: routing_engine: no engine 'updnn'; did you mean 'updn'?\n" },
		{ "routing_engine = 'updn updn'\n", "PATH:1: error: routing_engine: engine 'updn' is named twice\n" },
		{ "routing_engine = 'no_fallback,updn'\n", "PATH:1: error: routing_engine: nothing may follow "
			"no_fallback\n" },
		{ "routing_engine = ''\n", "PATH:1: error: routing_engine: expected the name of a routing engine\n" },
		{ "log_level = loud\n", "PATH:1: error: log_level: expected error, warning, notice, detail or trace, got "
			"'loud'\n" },
		{ "ca = \"a\\nb\"\n", "PATH:1: error: ca: expected text without control characters\n" },
		/* all at once, in the order of the lines */
		{ "lmc = 9\nfoo_bar = 1\nsweep_interval = x\nlnc = 1\n",
			"PATH:1: error: lmc: expected a number from 0 to 7, got '9'\n"
			"PATH:2: error: no key 'foo_bar'; see heddled.conf(5)\n"
			"PATH:3: error: sweep_interval: expected a number from 0 to 86400 s, got 'x'\n"
			"PATH:4: error: no key 'lnc'; did you mean 'lmc'?\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		put(v[i].file);
		assert_int_equal(LOAD("--check-config"), -EINVAL);
		assert_null(conf);
		assert_string_equal(err.text, with_path(v[i].says));
	}
}

static void
test_syntax(void **state)
{
	static const char *const v[] = { "lmc 3\n", "lmc =\n", "lmc = {1, 2}\n", "lmc = \"3\n", "= 3\n", "lmc {\n}\n",
		"lmc += 1\n", "foo { lmc = 3 }\n", "}\n", "(((\n", "/* no end\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char start[64];

		put(v[i]);
		if (LOAD() != -EINVAL)
			fail_msg("accepted: %s", v[i]);
		snprintf(start, sizeof(start), "%s:", path);
		assert_non_null(err.text);
		assert_memory_equal(err.text, start, strlen(start));
		assert_non_null(strchr(err.text, '\n'));
	}
}

/* A fault is where it is, whatever comments come before it. */
static void
test_lines(void **state)
{
	static const struct {
		const char *before;
		unsigned line;
	} texts[] = {
		{ "", 1 }, { "# c\n", 2 }, { "# c\n# d\n\n", 4 }, { "// c\n", 2 }, { "/* a\n b */\n", 3 },
		{ "lmc = 1 # c\n", 2 }, { "lmc = 1 // c\nlmc = 2 /* d */\n", 3 }, { "ca = \"#a\" # '\n", 2 },
		{ "ca = '/*' # */\n", 2 }, { "ca = \"a\\\"#b\"\n", 2 }, { "state_dir = a//b\n", 2 }, { "# /*\n", 2 }, { "/* # */\n", 2 },
	};
	char text[128], want[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(text, sizeof(text), "%slmc = 9\n", texts[i].before);
		put(text);
		assert_int_equal(LOAD(), -EINVAL);
		snprintf(want, sizeof(want), "%s:%u: error: lmc: ", path, texts[i].line);
		assert_memory_equal(err.text, want, strlen(want));
	}
	put("ca = \"#a\" # 'x\nstate_dir = a//b\n");
	assert_int_equal(LOAD(), 0);
	assert_string_equal(conf->ca, "#a");
	assert_string_equal(conf->state_dir, "a//b");
}

static void
test_known_only(void **state)
{
	(void)state;
	put("lmc = 1\ncc_key = 1\n");
	assert_int_equal(LOAD("--set", "perfmgr=TRUE"), 0);
	assert_string_equal(err.warnings, with_path(
		"heddled: warning: --set: perfmgr: OpenSM has this key, heddled does not use it yet\n"
		"PATH:2: warning: cc_key: OpenSM has this key, heddled does not use it yet\n"));
	assert_int_equal(conf->lmc, 1);
}

static void
test_bad_command_lines(void **state)
{
	(void)state;
	put("");
	assert_int_equal(LOAD("-l", "9"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --lmc: expected a number from 0 to 7, got '9'\n");
	assert_int_equal(LOAD("--lmd", "9"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: no option --lmd; did you mean --lmc?\n");
	assert_int_equal(LOAD("x"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: no operand is expected, got 'x'\n");
	assert_int_equal(LOAD("--report", "x"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --report needs --once\n");
	assert_int_equal(LOAD("--set", "lmd=1"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --set: no key 'lmd'; did you mean 'lmc'?\n");
	assert_int_equal(LOAD("--set", "lmc"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --set: expected KEY=VALUE, got 'lmc'\n");
	assert_int_equal(LOAD("--set", "lmc=x"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --set: lmc: expected a number from 0 to 7, got 'x'\n");
}

static void
test_files_that_are_none(void **state)
{
	(void)state;
	put("lmc = 1\n");
	assert_int_equal(LOAD("-F", "/nonexistent/heddled.conf"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/heddled.conf: error: No such file or directory\n");
	assert_int_equal(LOAD("-F", "/tmp"), -EISDIR);
	assert_string_equal(err.text, "/tmp: error: Is a directory\n");
	put("");
	assert_int_equal(LOAD(), 0);
	put("lmc = 1\n");
	assert_int_equal(truncate(path, 100), 0);       /* zero bytes after the text */
	assert_int_equal(LOAD(), -EINVAL);
	assert_string_equal(err.text, with_path("PATH: error: not a text file\n"));
	put("lmc = 1\n");
	assert_int_equal(truncate(path, 2 << 20), 0);
	assert_int_equal(LOAD(), -EINVAL);
	assert_string_equal(err.text, with_path("PATH: error: larger than 1048576 bytes\n"));
}

static char *
dump(const struct conf *c)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	conf_dump(c, f);
	fclose(f);
	return text;
}

/* What is dumped reads back to the same, whatever the text in it. */
static void
test_dump(void **state)
{
	static const char *const odd[] = { "/a b", "\"", "\\", "${HOME}", "#x", "'", "a\\nb", "\\x41", "\303\244", "", "$",
		"//", "/* */" };
	char arg[64], *first, *second;

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		put("");
		snprintf(arg, sizeof(arg), "ca=%s", odd[i]);
		assert_int_equal(LOAD("--set", arg, "-l", "3", "-r", "-g", "0xfedcba9876543210", "-R",
			"minhop,updn,no_fallback", "-s", "0", "--log-level", "error"), 0);
		assert_string_equal(conf->ca, odd[i]);
		first = dump(conf);
		put(first);
		if (LOAD() != 0)
			fail_msg("%s", err.text);
		assert_null(err.warnings);
		assert_string_equal(conf->ca, odd[i]);
		assert_int_equal(conf->lmc, 3);
		assert_true(conf->reassign_lids);
		assert_true(conf->guid == 0xfedcba9876543210);
		assert_int_equal(conf->log_level, LOG_ERROR);
		assert_true(conf->engines.no_fallback);
		second = dump(conf);
		assert_string_equal(first, second);
		free(first);
		free(second);
	}
}

/* Keys are in no document and in no message; what OpenSM has by default is warned of. */
static void
test_secrets(void **state)
{
	char *text;
	struct conf *new = NULL;

	(void)state;
	put("sm_key = 0x5ec4e7\nsa_key = 6212391\nm_key = 0x5ec4e7\nallowed_sm_guids = '0x10, 32'\n");
	assert_int_equal(LOAD(), 0);
	assert_true(conf->sm_key == 0x5ec4e7 && conf->sa_key == 6212391 && conf->m_key == 0x5ec4e7);
	assert_true(conf_sm_allowed(conf, 0x10) && conf_sm_allowed(conf, 0x20) && !conf_sm_allowed(conf, 0x30));
	text = dump(conf);
	assert_null(strstr(text, "5ec4e7"));
	assert_null(strstr(text, "6212391"));
	assert_non_null(strstr(text, "\n# sm_key is set, and not shown\n"));
	assert_non_null(strstr(text, "\nallowed_sm_guids = \"0x0000000000000010,0x0000000000000020\"\n"));
	put(text);                              /* what is left reads back */
	free(text);
	assert_int_equal(LOAD(), 0);
	put("m_key = 0x5ec4e8\n");
	assert_int_equal(conf_reload(conf, &new, &err), 0);
	assert_string_equal(err.warnings, with_path("PATH: warning: another m_key needs a restart\n"));
	conf_free(new);
	put("sm_key = 5\n");                    /* who has it could lead, and write nothing */
	assert_int_equal(LOAD(), 0);
	assert_non_null(strstr(err.warnings, "sm_key is set and m_key is auto"));
	put("sm_key = 1\nsa_key = auto\nm_key = 5\n");
	assert_int_equal(LOAD(), 0);
	assert_string_equal(err.warnings, "heddled: warning: sm_key is 1, OpenSM's default, which everybody knows\n");
	assert_int_equal(LOAD("--set", "sm_key=auto", "--set", "sa_key=0x1"), 0);
	assert_non_null(strstr(err.warnings, "heddled: warning: sa_key is 1"));
	assert_true(conf->sm_key == 0 && conf->sa_key == 1);
	put("");
	assert_int_equal(LOAD("--set", "sm_key=5ec4e7x"), -EINVAL);
	assert_null(strstr(err.text, "5ec4e7"));
}

static void
test_reload(void **state)
{
	struct conf *new = NULL;

	(void)state;
	put("lmc = 1\nsweep_interval = 20\nlog_level = error\n");
	assert_int_equal(LOAD("-t", "300", "-v"), 0);
	put("lmc = 2\nsweep_interval = 40\ntransaction_timeout = 400\n"
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
	put("lmc = 2\nsweep_interval = 50x\n");
	assert_int_equal(conf_reload(conf, &new, &err), -EINVAL);
	assert_null(new);
	assert_int_equal(conf->sweep_interval_s, 40);
	assert_string_equal(err.text, with_path(
		"PATH:2: error: sweep_interval: expected a number from 0 to 86400 s, got '50x'\n"));
}

static void
test_actions(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;

	(void)state;
	put("lmc = 99\n");
	f = open_memstream(&text, &len);
	assert_int_equal(LOAD("--help"), 0);    /* whatever the file says */
	assert_int_equal(conf_act(conf, f), EXIT_OK);
	fclose(f);
	assert_non_null(strstr(text, "  -s, --sweep N"));
	assert_non_null(strstr(text, "(default 10 s)"));
	assert_null(strstr(text, "Links:"));    /* no key there has an option */
	free(text);
	assert_int_equal(LOAD("--version", "-l", "77"), 0);
	assert_int_equal(conf->action, CONF_VERSION);
	put("lmc = 3\n");
	assert_int_equal(LOAD(), 0);
	assert_int_equal(conf_act(conf, stdout), -1);
	f = open_memstream(&text, &len);
	assert_int_equal(LOAD("--check-config"), 0);
	assert_int_equal(conf_act(conf, f), EXIT_OK);
	fclose(f);
	assert_string_equal(text, with_path("PATH: ok\n"));
	free(text);
}

static unsigned
count_lines(const char *text, const char *with)
{
	unsigned n = 0;

	for (const char *p = text; p && *p; p = strchr(p, '\n') + 1) {
		const char *hit = strstr(p, with);

		n += hit && hit < strchr(p, '\n');
	}
	return n;
}

/* 'n' keys of OpenSM that do nothing here, then 'last'. */
static void
put_warnings(unsigned n, const char *last)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < n; i++)
		fputs("cc_key = 1\n", f);
	fputs(last, f);
	assert_int_equal(fclose(f), 0);
}

/* An error behind any number of warnings has its line, and every warning too. */
static void
test_many_warnings(void **state)
{
	(void)state;
	put_warnings(25, "lmc = 99\n");
	assert_int_equal(LOAD("--check-config"), -EINVAL);
	assert_string_equal(err.text, with_path("PATH:26: error: lmc: expected a number from 0 to 7, got '99'\n"));
	assert_int_equal(count_lines(err.warnings, ": warning: cc_key: "), 25);
	assert_int_equal(err.nerrors, 1);
	assert_int_equal(err.nwarnings, 25);
	put_warnings(25, "lcm = 9\nlmc = 1\nlcm = 8\n");
	assert_int_equal(LOAD("--check-config"), -EINVAL);
	assert_string_equal(err.text, with_path("PATH:26: error: no key 'lcm'; did you mean 'lmc'?\n"
		"PATH:28: error: no key 'lcm'; did you mean 'lmc'?\n"));
	put_warnings(25, "lmc = 1\n");
	assert_int_equal(LOAD("--check-config"), 0);
	assert_null(err.text);
	assert_int_equal(count_lines(err.warnings, path), 25);
	put_warnings(CONF_WARNINGS_MAX + 50, "lmc = 99\n");
	assert_int_equal(LOAD("--check-config"), -EINVAL);
	assert_int_equal(count_lines(err.warnings, ": warning: cc_key: "), CONF_WARNINGS_MAX);
	assert_int_equal(count_lines(err.warnings, ":10001: warning: there are more warnings, which are not shown"), 1);
	assert_int_equal(count_lines(err.warnings, ""), CONF_WARNINGS_MAX + 1);
	assert_int_equal(count_lines(err.text, ":10051: error: lmc: "), 1);
}

/* Each unknown key costs a reading of the text: behind the last that is looked into, the message says that there may be more. */
static void
test_many_unknown_keys(void **state)
{
	static char text[4096];
	size_t n = 0;

	(void)state;
	for (unsigned i = 1; i <= 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "zzz%u = 1\n", i);
	put(text);
	assert_int_equal(LOAD(), -EINVAL);
	assert_int_equal(count_lines(err.text, ": error: no key 'zzz"), 21);
	assert_non_null(strstr(err.text, with_path("PATH:21: error: no key 'zzz21'; see heddled.conf(5); with so many unknown keys, "
		"the rest of the file was not checked\n")));
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
	put("# spines\n\n0x10 # first\n  16\n0x0002c90300000002\textra\n0x3x\nabc\n-5\n0\n0x12345678901234567\n0x4#\n0x5");
	conf_free(conf);
	conf = NULL;
	assert_int_equal(conf_load(4, (char *[]){ (char *)"heddled", (char *)"-a", path, (char *)"-v" }, &conf, &err), 0);
	assert_int_equal(conf->nroot_guids, 4);
	assert_true(conf->root_guids[0] == 4);
	assert_true(conf->root_guids[1] == 5);
	assert_true(conf->root_guids[2] == 0x10);
	assert_true(conf->root_guids[3] == 0x0002c90300000002);
	assert_string_equal(err.warnings, with_path(
		"PATH:6: warning: expected a GUID, got '0x3x'; the line is passed over\n"
		"PATH:7: warning: expected a GUID, got 'abc'; the line is passed over\n"
		"PATH:8: warning: expected a GUID, got '-5'; the line is passed over\n"
		"PATH:9: warning: expected a GUID, got '0'; the line is passed over\n"
		"PATH:10: warning: expected a GUID, got '0x12345678901234567'; the line is passed over\n"));
	put("root_guid_file = /nonexistent/roots\n");
	assert_int_equal(LOAD("--check-config"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/roots: error: No such file or directory\n");
}

/* The file is at once the configuration and what routing keys name in it. */
static void
test_routing_files(void **state)
{
	(void)state;
	put("");
	assert_int_equal(LOAD(), 0);
	assert_int_equal(conf->ncn_guids + conf->nio_guids + conf->torus.ndims, 0);
	assert_null(conf->lfts);
	put("# torus\n7\n9\n");
	conf_free(conf);
	conf = NULL;
	assert_int_equal(conf_load(5, (char *[]){ (char *)"heddled", (char *)"-u", path, (char *)"-G", path }, &conf, &err), 0);
	assert_true(conf->ncn_guids == 2 && conf->cn_guids[1] == 9);
	assert_true(conf->nio_guids == 2 && conf->io_guids[0] == 7);
	put("mesh 3 4 5t\n");
	conf_free(conf);
	conf = NULL;
	assert_int_equal(conf_load(5, (char *[]){ (char *)"heddled", (char *)"--torus_config", path,
		(char *)"--lash_start_vl", (char *)"3" }, &conf, &err), 0);
	assert_true(conf->torus.ndims == 3 && conf->torus.size[1] == 4 && conf->torus.mesh[1] && !conf->torus.mesh[2]);
	assert_int_equal(conf->lash_start_vl, 3);
	assert_false(conf->avoid_throttled_links);
	put("Unicast lids of switch guid 0x5\n0x0001 7\n0xffff 1\n");
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	assert_int_equal(conf_load(3, (char *[]){ (char *)"heddled", (char *)"-U", path }, &conf, &err), 0);
	assert_int_equal(conf->lfts->line, 3);
	assert_string_equal(err.warnings, with_path(
		"PATH:3: warning: expected a LID up to 0xbfff and a port up to 255; engine file refuses these tables\n"));
	put("lfts_file = /nonexistent/lfts\n");
	assert_int_equal(LOAD("--check-config"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/lfts: error: No such file or directory\n");
	put("torus_config = /nonexistent/torus\n");
	assert_int_equal(LOAD("--check-config"), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/torus: error: No such file or directory\n");
}

static void
test_directories(void **state)
{
	(void)state;
	put("");
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
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_defaults), T(test_file), T(test_precedence), T(test_bad_files), T(test_syntax),
		T(test_lines), T(test_known_only), T(test_bad_command_lines), T(test_files_that_are_none), T(test_dump),
		T(test_secrets), T(test_reload), T(test_actions), T(test_root_guids), T(test_routing_files), T(test_directories), T(test_many_warnings),
		T(test_many_unknown_keys), T(test_log), T(test_check_nothing), T(test_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
