/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_export.c - exports of all paths: every byte of the files, a subnet that changes during
 * the export, directories that cannot be written.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "cli/heddlectl.h"
#include "sm/ctl/ctl.h"
#include "tests/idl/idl.h"

static char dir[64], path[96], said[512];
static pid_t server;

#define NODE(guid, type, desc, ports) \
	"{\"guid\":\"" guid "\",\"type\":\"" type "\",\"description\":\"" desc \
	"\",\"path\":\"0\",\"ports\":[" ports "]}"
#define PORT(num, guid, lid, lmc) \
	"{\"port\":" num ",\"state\":\"active\",\"port_guid\":" guid ",\"lid\":" lid \
	",\"lmc\":" lmc ",\"peer\":null}"
#define SNAPSHOT \
	"{\"sweep\":3,\"port_guid\":\"0x3\",\"switches\":1,\"hosts\":1,\"links\":1,\"nodes\":[" \
	NODE("0x1", "switch", "leaf", PORT("0", "\"0x0000000000000001\"", "2", "0") \
	"," PORT("1", "null", "null", "null")) "," \
	NODE("0x2", "ca", "n1 HCA-1", PORT("1", "\"0xfe1d0000000003\"", "300", "1") "," \
		PORT("2", "\"0xfe1d0000000004\"", "302", "1")) "," \
	NODE("0x5", "ca", "#bad", PORT("1", "\"0x0000000000000005\"", "0", "0")) "," \
	NODE("0x6", "router", "r", PORT("1", "\"0x0000000000000007\"", "6", "0")) "]}"
#define SOURCE(guid, num, port_guid, lid, paths) \
	"{\"source\":{\"guid\":\"" guid "\",\"port\":" num ",\"port_guid\":\"" port_guid \
	"\",\"lid\":" lid \
	",\"description\":\"n\"},\"paths\":[" paths "]}"
#define RANGE(sl, mtu, rate, first, last) \
	"{\"sl\":" sl ",\"mtu\":" mtu ",\"rate\":" rate ",\"first\":" first ",\"last\":" last "}"
#define PATHS(sources, next) \
	"{\"sweep\":3,\"gid_prefix\":\"0xfec0000000000001\",\"sources\":[" sources \
	"],\"next\":" next "}"

/* Three answers: two sources, none yet, the others. */
static const char *const answers[][2] = {
	{ "1", PATHS(SOURCE("0x1", "0", "0x0000000000000001", "2", RANGE("0", "4", "3", "2", "6"))
		","
		SOURCE("0x6", "1", "0x0000000000000007", "6", ""), "7") },
	{ "7", PATHS("", "300") },
	{ "300",
		PATHS(SOURCE("0x2", "1", "0x00fe1d0000000003", "300", RANGE("0", "4", "3", "2", "2")
		"," RANGE("5", "5", "17", "6", "302")) "," SOURCE("0x2", "2", "0x00fe1d0000000004",
			"302", ""), "null") },
};

static int
on_snapshot(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)arg;
	(void)peer;
	(void)params;
	*reply = json_loads(SNAPSHOT, 0, NULL);
	return 0;
}

/* An answer larger than the buffer of a file, repeated without end. */
static json_t *
endless_reply(void)
{
	json_t *reply = json_loads(answers[0][1], 0, NULL);
	json_t *ranges = json_object_get(json_array_get(json_object_get(reply, "sources"), 0),
		"paths");

	while (json_array_size(ranges) < 20000)
		json_array_append(ranges, json_array_get(ranges, 0));
	json_object_set_new(reply, "next", json_integer(2));
	return reply;
}

/* 'arg' is the mode. */
static int
on_paths(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	static unsigned asked;
	json_int_t first = json_integer_value(json_object_get(params, "first"));

	(void)peer;
	if (strcmp(arg, "lost") == 0 && asked++ == 2) {
		*reply = json_pack("{s:s}", "reason", "not now");
		return -EAGAIN;
	}
	if (strcmp(arg, "endless") == 0) {
		*reply = endless_reply();
		return 0;
	}
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (atoi(answers[i][0]) == first)
			*reply = json_loads(answers[i][1], 0, NULL);
	if (strcmp(arg, "restless") == 0 || (strcmp(arg, "once") == 0 && asked++ == 2))
		json_object_set_new(*reply, "sweep", json_integer(4));
	return 0;
}

static const struct ctl_method methods[] = {
	{ "io.heddle.Manager.Snapshot", on_snapshot }, { "io.heddle.Manager.Paths", on_paths },
};

static void
server_start(const char *mode)
{
	struct ctl *ctl;
	int ready[2];
	char c;

	assert_int_equal(pipe(ready), 0);
	server = fork();
	if (server == 0) {
		if (ctl_open(path, methods, 2, (void *)(uintptr_t)mode, NULL, &ctl) != 0 ||
			    write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;) {
			struct pollfd p = { ctl_fd(ctl), POLLIN, 0 };

			poll(&p, 1, -1);
			ctl_process(ctl, (struct monotime){ 1 });
		}
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
}

static int
export_setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/heddle-exp-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/heddled.sock", dir);
	setenv("RUNTIME_DIRECTORY", dir, 1);
	return 0;
}

static void
in_dir(char *buf, size_t len, const char *name)
{
	snprintf(buf, len, "%s/%s", dir, name);
}

static int
export_teardown(void **state)
{
	static const char *const files[] = {
		"ibacm_route.data", "ibacm_hosts.data", "paths.jsonl", ".ibacm_route.data.tmp",
		".ibacm_hosts.data.tmp",
		".paths.jsonl.tmp", "heddled.sock", "ibacm_hosts.data/x",
	};
	char name[128];

	(void)state;
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	server = 0;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		in_dir(name, sizeof(name), files[i]);
		remove(name);
	}
	rmdir(dir);
	return 0;
}

/* Runs "heddlectl export paths 'where'".  Returns the exit status; the output is in 'said'. */
static int
export_run(const char *option, const char *where)
{
	char *argv[] = {
		(char *)(uintptr_t)"heddlectl", (char *)(uintptr_t)"export",
		(char *)(uintptr_t)"paths", (char *)(uintptr_t)where, (char *)(uintptr_t)option,
		NULL,
	};
	FILE *out = tmpfile(), *both = tmpfile();
	int status = heddlectl_run(option ? 5 : 4, argv, option ? both : out, option ? out : both);

	rewind(both);
	said[fread(said, 1, sizeof(said) - 1, both)] = '\0';
	fclose(out);
	fclose(both);
	return status;
}

static void
assert_file(const char *name, const char *text)
{
	char full[128], buf[4096];
	FILE *f;

	in_dir(full, sizeof(full), name);
	f = fopen(full, "r");
	if (!text) {
		assert_null(f);
		return;
	}
	assert_non_null(f);
	buf[fread(buf, 1, sizeof(buf) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(buf, text);
}

#define ROUTES \
	"# Paths between all ports (opensm_full_v1), by heddlectl export paths\n" \
	"Switch 0x0000000000000001, base LID 2, LMC 0, port 0\n# LID : SL : MTU : RATE\n" \
	"0x0002 : 0 : 4 : 3\n0x0006 : 0 : 4 : 3\n\n" \
	"Router 0x0000000000000007, base LID 6, LMC 0, port 1\n# LID : SL : MTU : RATE\n\n" \
	"Channel Adapter 0x00fe1d0000000003, base LID 300, LMC 1, port 1\n# LID : SL : MTU : " \
	"RATE\n" \
	"0x0002 : 0 : 4 : 3\n0x0006 : 5 : 5 : 17\n0x012c : 5 : 5 : 17\n0x012e : 5 : 5 : 17\n\n" \
	"Channel Adapter 0x00fe1d0000000004, base LID 302, LMC 1, port 2\n# LID : SL : MTU : " \
	"RATE\n\n"

static void
test_files(void **state)
{
	char full[128], line[1024];
	FILE *f;

	(void)state;
	server_start("ok");
	assert_int_equal(export_run(NULL, dir), 0);
	assert_string_equal(said, "");
	assert_file("ibacm_route.data", ROUTES);
	assert_file("ibacm_hosts.data",
		"# Hosts by the first word of their description, by heddlectl export paths\n"
		"n1 fec0:0:0:1:fe:1d00:0:3\n");
	in_dir(full, sizeof(full), "paths.jsonl");
	f = fopen(full, "r");
	assert_non_null(f);
	for (unsigned i = 0; i < 4; i++) {
		json_t *v;

		assert_non_null(fgets(line, sizeof(line), f));
		v = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		assert_int_equal(json_array_size(json_object_get(v, "paths")), i == 2 ? 2 : i == 0);
		assert_string_equal(json_string_value(json_object_get(v, "gid_prefix")),
			"0xfec0000000000001");
		json_decref(v);
	}
	assert_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_int_equal(export_run("--json", dir), 0);
	assert_non_null(strstr(said, "heddle.heddlectl"));
}

/* Only paths between ports of channel adapters: ranges are cut to them, and none leads to a
 * switch. */
static void
test_hosts(void **state)
{
	char full[128], line[1024];
	json_t *v, *range;
	FILE *f;

	(void)state;
	server_start("ok");
	assert_int_equal(export_run("--hosts", dir), 0);
	assert_file("ibacm_route.data",
		"# Paths between all hosts (opensm_full_v1), by heddlectl export paths --hosts\n"
		"Channel Adapter 0x00fe1d0000000003, base LID 300, LMC 1, port 1\n# LID : SL : MTU "
		": RATE\n"
		"0x012c : 5 : 5 : 17\n0x012e : 5 : 5 : 17\n\n"
		"Channel Adapter 0x00fe1d0000000004, base LID 302, LMC 1, port 2\n# LID : SL : MTU "
		": RATE\n\n");
	in_dir(full, sizeof(full), "paths.jsonl");
	f = fopen(full, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	v = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_array_size(json_object_get(v, "paths")), 1);
	range = json_array_get(json_object_get(v, "paths"), 0);
	assert_int_equal(json_integer_value(json_object_get(range, "first")), 300);
	assert_int_equal(json_integer_value(json_object_get(range, "last")), 302);
	json_decref(v);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_non_null(strstr(line, "\"lid\":302"));
	assert_null(fgets(line, sizeof(line), f));
	fclose(f);
}

/* A full disk is reported at once, at the end or in between; old files are kept. */
static void
test_full(void **state)
{
	struct rlimit before, small;

	(void)state;
	server_start("ok");
	assert_int_equal(export_run(NULL, dir), 0);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	remove(path);
	for (unsigned i = 0; i < 2; i++) {
		int status;

		server_start(i ? "endless" : "ok");
		signal(SIGXFSZ, SIG_IGN);
		assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
		small = (struct rlimit){ i ? 100000 : 300, before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		status = export_run(NULL, dir);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_int_equal(status, 255);
		assert_non_null(strstr(said, ".ibacm_route.data.tmp: File too large"));
		assert_file(".ibacm_route.data.tmp", NULL);
		assert_file(".paths.jsonl.tmp", NULL);
		assert_file("ibacm_route.data", ROUTES);
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
		remove(path);
	}
	server = 0;
}

/* A sweep during the export: it starts again and writes nothing twice. */
static void
test_sweeps_meanwhile(void **state)
{
	(void)state;
	server_start("once");
	assert_int_equal(export_run(NULL, dir), 0);
	assert_file("ibacm_route.data", ROUTES);
}

static void
test_failures(void **state)
{
	char full[128];

	(void)state;
	assert_int_equal(export_run(NULL, dir), 255);
	assert_non_null(strstr(said, "no heddled is running"));
	server_start("restless");
	assert_int_equal(export_run(NULL, dir), 255);
	assert_string_equal(said, "heddlectl: the subnet does not rest; try again\n");
	assert_file("ibacm_route.data", NULL);
	assert_file(".ibacm_route.data.tmp", NULL);
	assert_int_equal(export_run(NULL, "/nowhere"), 255);
	assert_non_null(strstr(said, "cannot write /nowhere/.ibacm_route.data.tmp: No such file"));
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	remove(path);
	server_start("lost");
	assert_int_equal(export_run(NULL, dir), 1);
	assert_string_equal(said, "heddlectl: not now\n");
	assert_file("ibacm_hosts.data", NULL);
	in_dir(full, sizeof(full), "ibacm_hosts.data"); /* a directory in the way */
	assert_int_equal(mkdir(full, 0700), 0);
	assert_int_equal(export_run(NULL, dir), 255);
	assert_non_null(strstr(said, "cannot write"));
}

static void
test_usage(void **state)
{
	char *argv[] = { (char *)(uintptr_t)"heddlectl", (char *)(uintptr_t)"export",
		(char *)(uintptr_t)"path", dir, NULL };
	FILE *out = tmpfile();

	(void)state;
	assert_int_equal(heddlectl_run(4, argv, out, out), 2);
	assert_int_equal(heddlectl_run(2, argv, out, out), 2);
	fclose(out);
}

/* The canned answers conform to the interface. */
static void
test_canned(void **state)
{
	const char *const canned[][2] = {
		{ "Snapshot", SNAPSHOT }, { "Paths", answers[0][1] }, { "Paths", answers[1][1] },
			{ "Paths", answers[2][1] },
	};
	const char *top = getenv("top_srcdir");
	static char text[32768], name[512];
	char why[256];
	FILE *f;

	(void)state;
	snprintf(name, sizeof(name), "%s/sm/ctl/io.heddle.Manager.varlink", top ? top : ".");
	f = fopen(name, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	for (size_t i = 0; i < 4; i++) {
		json_t *v = json_loads(canned[i][1], 0, NULL);

		assert_non_null(v);
		if (!idl_reply(text, canned[i][0], v, why, sizeof(why)))
			fail_msg("%s: %s", canned[i][0], why);
		json_decref(v);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, export_setup, export_teardown)
		T(test_files), T(test_hosts), T(test_full), T(test_sweeps_meanwhile),
			T(test_failures), T(test_usage), T(test_canned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
