/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_heddlectl.c - whole command lines against a server with canned answers, without a server,
 * and against a hostile one.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "cli/heddlectl.h"
#include "sm/ctl/ctl.h"
#include "tests/idl/idl.h"

static char dir[64], path[96];
static char *out, *err;
static pid_t server;

#define UP \
	"{\"state\":\"master\",\"subnet\":\"up\",\"waiting\":null,\"version\":\"9.8\",\"pid\":77,\"uptime_s\":65.5," \
	"\"ca\":\"sim0\",\"port\":1,\"port_guid\":\"0x00fe1d0000000101\",\"lid\":3,\"priority\":5,\"master\":null," \
	"\"sweeping\":false,\"last_sweep\":{\"number\":12,\"reason\":\"interval\",\"took_s\":0.5,\"ended_s_ago\":3.25},\"last_reroute\":null," \
	"\"nodes\":36,\"switches\":20,\"hosts\":16,\"links\":48,\"lids\":36," \
	"\"ports\":{\"active\":96,\"armed\":0,\"init\":0,\"down\":0,\"unlinked\":2},\"engine\":\"updn\",\"held\":false," \
	"\"choice\":{\"shape\":null,\"chosen\":\"named\",\"tried\":[{\"engine\":\"updn\",\"why\":\"named\",\"refusal\":null}],\"remarks\":[\"engine updn makes no use of hop_weights_file\"]}," \
	"\"verify\":{\"ok\":true,\"scope\":\"all\",\"unreachable\":0,\"loops\":0,\"credit_loops\":0}," \
	"\"mads\":{\"sent\":1001,\"received\":1000,\"retried\":1,\"timed_out\":0,\"dropped\":0,\"unknown\":0}," \
	"\"troubles\":[],\"troubles_total\":0,\"missing\":[],\"missing_total\":0,\"flapping\":[],\"flapping_total\":0,\"sa\":{\"requests\":9,\"answered\":8,\"rows\":7,\"looked\":6,\"busy\":0,\"queue_full\":0,\"silent_not_ready\":1," \
	"\"silent_wrong_key\":0,\"silent_malformed\":0,\"silent_overload\":0,\"silent_too_long\":0,\"unacked\":0,\"bad_version\":0,\"bad_method\":0,\"bad_attribute\":0,\"denied\":0,\"unknown_source\":0,\"spoofed_gid\":0," \
	"\"invalid\":0,\"invalid_gid\":0,\"components\":0,\"no_records\":1,\"too_many\":0,\"no_resources\":0,\"index_bytes\":0}," \
	"\"strangers\":[],\"traps\":{\"received\":0,\"forged\":0,\"repeated\":0,\"reports_lost\":0}," \
	"\"cm\":{\"state\":\"off\",\"reason\":null,\"services\":[],\"open\":0,\"established\":0,\"disconnected\":0,\"resolved\":0," \
	"\"refused_requests\":0,\"unanswered\":0}," \
	"\"lid_changes\":{\"total\":0,\"last\":[]}," \
	"\"standbys\":[{\"guid\":\"0x8\",\"priority\":2,\"alive\":true,\"since_s\":300.5}," \
	"{\"guid\":\"0x9\",\"priority\":1,\"alive\":false,\"since_s\":4.5}],\"disabled_by\":null," \
	"\"keys\":{\"m_key\":\"per " \
	"port\",\"lease_s\":60,\"protected\":35,\"unprotected\":0,\"foreign\":1,\"unknown\":0," \
	"\"released\":\"no\"}," \
	"\"log\":{\"dropped\":0,\"suppressed\":0}," \
	"\"store\":{\"ok\":true,\"state\":\"ok\",\"path\":\"/s/heddle.db\",\"why\":\"\"}}"

#define PARTIAL \
	"{\"state\":\"master\",\"subnet\":\"partial\",\"sweeping\":true,\"version\":\"9.8\",\"pid\":77,\"uptime_s\":1," \
	"\"engine\":\"updn\",\"held\":true,\"verify\":{\"ok\":false,\"unreachable\":7,\"loops\":1,\"credit_loops\":2}," \
	"\"ports\":{\"active\":1,\"init\":1},\"store\":{\"ok\":false,\"path\":\"/s/heddle.db\",\"why\":\"disk full\"}," \
	"\"troubles\":[{\"guid\":\"0x1\",\"description\":\"a\\u001bb\",\"path\":\"0,1\",\"reason\":\"no answer\"}," \
	"{\"guid\":null,\"description\":null,\"path\":null,\"reason\":\"too " \
	"far\"}],\"troubles_total\":5," \
	"\"missing\":[{\"kind\":\"node\",\"guid\":\"0x5\",\"name\":\"h\\u001b5\",\"place\":\"leaf-1 port 3\",\"reason\":\"link down\"," \
	"\"since\":\"2024-05-06T07:08:09Z\",\"missing_s\":300},{\"kind\":\"link\",\"guid\":null,\"name\":\"leaf-1 port 9\"," \
	"\"place\":\"spine-1 port 1\",\"reason\":\"link " \
	"down\",\"since\":\"2024-05-06T07:08:09Z\",\"missing_s\":4}],\"missing_total\":3," \
	"\"flapping\":[{\"link\":\"leaf-1 port 8 - spine-1 port " \
	"2\",\"changes\":240,\"since\":\"2024-05-06T07:08:09Z\"," \
	"\"quiet_s\":12}],\"flapping_total\":1," \
	"\"strangers\":[{\"guid\":\"0x7\",\"priority\":9,\"state\":\"master\",\"reason\":\"has " \
	"another SM_Key\"}]," \
	"\"lid_changes\":{\"total\":12,\"last\":[{\"port\":\"host-3 port 1 " \
	"(0x9)\",\"from\":12,\"to\":40,\"live\":true," \
	"\"reason\":\"LID 12 is held by host-7 port 1 (0xa)\",\"ago_s\":3}]}}"

#define STANDBY \
	"{\"state\":\"standby\",\"subnet\":\"down\",\"waiting\":\"no InfiniBand " \
	"port\",\"master\":{\"guid\":\"0x2\"," \
	"\"lid\":1,\"priority\":9,\"state\":\"master\"}}"

#define READ_ONLY \
	"{\"state\":\"master\",\"subnet\":\"up\",\"sweeping\":false,\"version\":\"9.8\",\"pid\":77,\"uptime_s\":1," \
	"\"store\":{\"ok\":false,\"state\":\"read_only\",\"path\":\"/s/heddle.db\",\"why\":\"disk full\"}}"

#define SNAPSHOT \
	"{\"sweep\":3,\"port_guid\":\"0x3\",\"switches\":1,\"hosts\":1,\"links\":1,\"nodes\":[" \
	"{\"guid\":\"0x1\",\"type\":\"switch\",\"description\":\"leaf\",\"path\":\"0,1\",\"ports\":[" \
	"{\"port\":0,\"state\":\"active\",\"port_guid\":null,\"lid\":2,\"lmc\":0,\"peer\":null}," \
	"{\"port\":1,\"state\":\"init\",\"port_guid\":null,\"lid\":0,\"lmc\":null,\"peer\":{\"guid\":\"0x2\",\"port\":1}}]}," \
	"{\"guid\":\"0x2\",\"type\":\"ca\",\"description\":\"host\",\"path\":\"0\",\"ports\":[" \
	"{\"port\":1,\"state\":\"init\",\"port_guid\":\"0x3\",\"lid\":5,\"lmc\":0,\"peer\":{\"guid\":\"0x1\",\"port\":1}}]}]}"

#define TRACE \
	"{\"source\":{\"guid\":\"0x2\",\"port\":1,\"port_guid\":\"0x3\",\"lid\":5,\"description\":\"h1\"}," \
	"\"destination\":{\"guid\":\"0x4\",\"port\":1,\"port_guid\":\"0x5\",\"lid\":6,\"description\":\"h2\"}," \
	"\"hops\":[{\"guid\":\"0x2\",\"description\":\"h1\",\"in_port\":0,\"out_port\":1}," \
	"{\"guid\":\"0x1\",\"description\":\"leaf\",\"in_port\":1,\"out_port\":2}," \
	"{\"guid\":\"0x4\",\"description\":\"h2\",\"in_port\":1,\"out_port\":0}]," \
	"\"reached\":true,\"why\":null,\"partition\":{\"allowed\":true,\"pkey\":\"0xffff\",\"why\":null," \
	"\"source_pkeys\":[\"0xffff\"],\"destination_pkeys\":[\"0xffff\"]}}"

#define TOPOLOGY(command, links) \
	"{\"state\":\"learned\",\"held\":false,\"command\":\"" command "\"," \
	"\"unread\":null,\"root_rule\":\"tree\"," \
	"\"intended\":{\"switches\":2,\"links\":" links ",\"hosts\":9}," \
	"\"present\":{\"switches\":2,\"links\":7,\"hosts\":9}," \
	"\"missing\":[{\"kind\":\"missing link\",\"guid\":\"0x1\",\"port\":1,\"other\":\"0x2\"," \
	"\"other_port\":3,\"text\":\"leaf-1 port 1 - leaf-2 port 3\"}],\"missing_total\":1," \
	"\"pending\":[],\"pending_total\":0}"

static int
answer_text(const char *text, json_t **reply)
{
	*reply = json_loads(text, 0, NULL);
	return *reply ? 0 : -EIO;
}

/* 'arg' is the mode: which answer; "later" is down for a while, then up. */
static int
on_status(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	static unsigned asked;

	(void)peer;
	(void)params;
	if (strcmp(arg, "partial") == 0)
		return answer_text(PARTIAL, reply);
	if (strcmp(arg, "standby") == 0 || (strcmp(arg, "later") == 0 && asked++ < 3))
		return answer_text(STANDBY, reply);
	if (strcmp(arg, "read_only") == 0)
		return answer_text(READ_ONLY, reply);
	if (strcmp(arg, "empty") == 0)
		return answer_text("{}", reply);
	return answer_text(UP, reply);
}

static int
on_snapshot(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)arg;
	(void)peer;
	(void)params;
	return answer_text(SNAPSHOT, reply);
}

static unsigned adopted;                 /* calls of Topology since TopologyAdopt; 0: none */

static int
on_topology(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)arg;
	(void)peer;
	(void)params;
	if (!adopted)
		return answer_text(TOPOLOGY("none", "8"), reply);
	if (adopted++ < 3 || adopted > 99)
		return answer_text(TOPOLOGY("adopt", "8"), reply);
	return answer_text(TOPOLOGY("none", "7"), reply);
}

static int
on_topology_adopt(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)arg;
	(void)peer;
	(void)params;
	(void)reply;
	adopted = 1;
	return 0;
}

/* Its sweep never ends. */
static int
on_topology_rebalance(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	on_topology_adopt(arg, peer, params, reply);
	adopted = 0x80000000u;
	return 0;
}

static int
on_trace(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	const char *to = json_string_value(json_object_get(params, "destination"));

	(void)arg;
	(void)peer;
	if (strcmp(to, "nobody") == 0) {
		*reply = json_pack("{s:s}", "what", to);
		return -ENOENT;
	}
	if (strcmp(to, "early") == 0) {
		*reply = json_pack("{s:s}", "reason", "no sweep has ended yet");
		return -EAGAIN;
	}
	if (answer_text(TRACE, reply) == 0 && strcmp(to, "forbidden") == 0)
		json_object_set_new(*reply, "partition",
			json_pack("{s:b, s:n, s:s, s:[s, s], s:[s]}", "allowed", false, "pkey",
			"why", "both are limited members of partition 0x7fff", "source_pkeys",
			"0x7fff", "0x8001",
			"destination_pkeys", "0x7fff"));
	return *reply ? 0 : -EIO;
}

static int
on_done(void *arg, const struct ctl_peer *peer, json_t *params, json_t **reply)
{
	(void)arg;
	(void)peer;
	(void)params;
	(void)reply;
	return 0;
}

static const struct ctl_method methods[] = {
	{ "io.heddle.Manager.Status", on_status }, { "io.heddle.Manager.Snapshot", on_snapshot },
	{ "io.heddle.Manager.Topology", on_topology },
	{ "io.heddle.Manager.TopologyAdopt", on_topology_adopt },
	{ "io.heddle.Manager.TopologyRebalance", on_topology_rebalance },
	{ "io.heddle.Manager.Trace", on_trace }, { "io.heddle.Manager.Sweep", on_done },
};

/* A server in a process of its own that starts after 'after_ms'. */
static void
server_start(char *mode, unsigned after_ms)
{
	struct ctl *ctl;
	int ready[2];
	char c;

	assert_int_equal(pipe(ready), 0);
	server = fork();
	if (server == 0) {
		if (after_ms && write(ready[1], "x", 1) != 1)
			_exit(1);
		usleep(after_ms * 1000);
		if (ctl_open(path, methods, sizeof(methods) / sizeof(methods[0]), mode, NULL, &ctl) != 0)
			_exit(1);
		if (!after_ms && write(ready[1], "x", 1) != 1)
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

/* A server that sends 'bytes' to every client. */
static void
serve_lie(const char *bytes, size_t n, bool unasked)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char buf[512];

	memcpy(a.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 5), 0);
	server = fork();
	if (server == 0) {
		int k = accept(fd, NULL, NULL);

		if ((!unasked && recv(k, buf, sizeof(buf), 0) < 0) ||
			    send(k, bytes, n, MSG_NOSIGNAL) < 0)
			_exit(1);
		_exit(0);
	}
	close(fd);
}

static int
heddlectl_setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/heddle-cli-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/heddled.sock", dir);
	setenv("RUNTIME_DIRECTORY", dir, 1);
	return 0;
}

static void
end_server(void)
{
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	server = 0;
	unlink(path);
}

static int
heddlectl_teardown(void **state)
{
	(void)state;
	end_server();
	free(out);
	free(err);
	out = err = NULL;
	return rmdir(dir);
}

static int
heddlectl_call(const char *const *args)
{
	char *argv[16] = { (char *)"heddlectl" };
	size_t n;
	int argc = 1, result;
	FILE *o, *e;

	while (*args)
		argv[argc++] = (char *)*args++;
	free(out);
	free(err);
	o = open_memstream(&out, &n);
	e = open_memstream(&err, &n);
	result = heddlectl_run(argc, argv, o, e);
	fclose(o);
	fclose(e);
	return result;
}
#define RUN(...) heddlectl_call((const char *const []){ __VA_ARGS__, NULL })

static void
test_status(void **state)
{
	(void)state;
	server_start((char *)"up", 0);
	assert_int_equal(RUN("status"), 0);
	assert_string_equal(err, "");
	assert_string_equal(out,
		"Subnet         : UP\n"
		"SM State       : Master\n"
		"SM Priority    : 5\n"
		"SM Port        : sim0 port 1, 0x00fe1d0000000101, LID 3\n"
		"Fabric         : 36 nodes: 20 switches, 16 host ports; 48 links, 36 LIDs\n"
		"Ports          : 96 active, 2 unlinked\n"
		"Routing Engine : updn, verified\n"
		"Routing Options: engine updn makes no use of hop_weights_file\n"
		"Last Sweep     : number 12 (interval), took 0.50 s, ended 3.25 s ago\n"
		"MADs           : 1001 sent, 1000 received, 1 retried, 0 timed out\n"
		"Store          : ok, /s/heddle.db\n"
		"Version        : heddled 9.8, process 77, running for 66 s\n"
		"M_Key          : per port, lease 60 s: 35 ports protected, 1 protected by a "
		"foreign key\n"
		"Standby        : 0x8, priority 2, alive for 5 min\n"
		"Standby        : 0x9, priority 1, LOST for 4.50 s\n");
	assert_int_equal(RUN("wait", "up"), 0);
	assert_string_equal(out, "");
	assert_int_equal(RUN("sweep"), 0);
	assert_string_equal(out, "");
	assert_int_equal(RUN("reroute"), 255);  /* this server has no such method */
	assert_non_null(strstr(err,
		"org.varlink.service.MethodNotFound (io.heddle.Manager.Reroute)"));
}

static void
test_topology(void **state)
{
	json_t *document, *o;

	(void)state;
	server_start((char *)"up", 0);
	assert_int_equal(RUN("topology", "show"), 0);
	assert_string_equal(out,
		"Topology       : learned\n"
		"Intended       : 2 switches, 8 links between them, 9 host ports\n"
		"Present        : 2 switches, 7 links between them, 9 host ports\n"
		"Missing        : 1\n"
		"  missing link: leaf-1 port 1 - leaf-2 port 3 (0x1)\n");
	assert_int_equal(RUN("topology", "adopt"), 1);
	assert_non_null(strstr(out, "8 links"));
	assert_non_null(strstr(err, "nothing was changed; topology adopt --yes does it"));
	assert_int_equal(RUN("topology", "adopt", "--yes", "--json"), 0);
	document = json_loads(out, 0, NULL);
	assert_non_null(document);
	o = json_object_get(document, "topology");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(
		json_object_get(o, "before"), "intended"), "links")), 8);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(
		json_object_get(o, "after"), "intended"), "links")), 7);
	json_decref(document);
	assert_int_equal(RUN("topology", "rebalance", "--yes", "--timeout", "0.2"), 1);
	assert_non_null(strstr(err, "topology rebalance has not ended"));
	assert_int_equal(RUN("topology", "heal"), 2);
	assert_non_null(strstr(err, "expected: heddlectl topology show|adopt|rebalance"));
	assert_int_equal(RUN("topology"), 2);
	assert_int_equal(RUN("topology", "show", "--yes"), 2);
	assert_int_equal(RUN("status", "--yes"), 2);
	assert_non_null(strstr(err, "status takes no --yes"));
}

static void
test_status_partial(void **state)
{
	(void)state;
	server_start((char *)"partial", 0);
	assert_int_equal(RUN("--socket", path, "status"), 3);
	assert_non_null(strstr(out,
		"Subnet         : UP IN PART, see the troubles below, a sweep is under way\n"));
	assert_non_null(strstr(out,
		"Routing Engine : updn, REFUSED: 7 unreachable, 1 loops, 2 credit loops, HELD as "
		"they were found (heddlectl topology show)\n"));
	assert_non_null(strstr(out, "LID changes    : 12\n"
		"  3.00 s ago: host-3 port 1 (0x9): 12 -> 40: LID 12 is held by host-7 port 1 "
		"(0xa)\n"));
	assert_non_null(strstr(out,
		"Store          : FAILS: disk full (/s/heddle.db); LIDs are kept in memory only\n"));
	assert_non_null(strstr(out, "Missing        : 3\n"
		"  node h?5 (0x5) behind leaf-1 port 3 since 2024-05-06T07:08:09Z (5 min): link "
		"down\n"
		"  link leaf-1 port 9 - spine-1 port 1 since 2024-05-06T07:08:09Z (4.00 s): link "
		"down\n"
		"  and 1 more\n"
		"Flapping       : 1\n"
		"  link leaf-1 port 8 - spine-1 port 2: 240 changes, since 2024-05-06T07:08:09Z, "
		"quiet for 12 s\n"));
	assert_non_null(strstr(out, "Troubles       : 5\n"
		"  0x1 \"a?b\" at 0,1: no answer\n"
		"  unknown node: too far\n"
		"  and 3 more\n"));
	assert_int_equal(RUN("wait", "up", "--timeout", "0.2"), 3);
}

static void
test_status_read_only(void **state)
{
	(void)state;
	server_start((char *)"read_only", 0);
	RUN("status");
	assert_non_null(strstr(out, "Store          : READ ONLY: disk full (/s/heddle.db); changes "
		"are kept in memory only\n"));
}

static void
test_status_down(void **state)
{
	(void)state;
	server_start((char *)"standby", 0);
	assert_int_equal(RUN("status"), 1);
	assert_non_null(strstr(out, "Subnet         : NOT UP: no InfiniBand port\n"
		"SM State       : Standby of 0x2, priority 9\n"));
	assert_int_equal(RUN("wait", "up", "--timeout", "0.2"), 1);
	assert_string_equal(err, "heddlectl: the subnet is not up after 0.2 s\n");
	end_server();
	server_start((char *)"empty", 0);
	assert_int_equal(RUN("status"), 1);
}

static void
test_wait(void **state)
{
	(void)state;
	server_start((char *)"later", 0);
	assert_int_equal(RUN("wait", "up"), 0);
	end_server();
	server_start((char *)"up", 300);
	assert_int_equal(RUN("wait", "up", "--timeout=20"), 0);
	end_server();
	assert_int_equal(RUN("wait", "up", "--timeout=0.2"), 255);
}

static void
test_snapshot(void **state)
{
	(void)state;
	server_start((char *)"up", 0);
	assert_int_equal(RUN("snapshot"), 0);
	assert_string_equal(out,
		"Sweep 3: 2 nodes, 1 switch, 1 host port, 1 link; seen from 0x3\n"
		"\n"
		"switch 0x1 \"leaf\" path 0,1\n"
		"    0  active  LID 2\n"
		"    1  init  -> 0x2 \"host\" port 1\n"
		"\n"
		"ca 0x2 \"host\" path 0\n"
		"    1  init  LID 5  -> 0x1 \"leaf\" port 1\n");
}

static void
test_trace(void **state)
{
	(void)state;
	server_start((char *)"up", 0);
	assert_int_equal(RUN("trace", "h1", "h2"), 0);
	assert_string_equal(out,
		"From LID 5  0x2 \"h1\" port 1\n"
		"   0       0x2 [  1] h1\n"
		"   1 [  1] 0x1 [  2] leaf\n"
		"   2 [  1] 0x4       h2\n"
		"To   LID 6  0x4 \"h2\" port 1\n"
		"reached\n"
		"allowed by P_Key 0xffff\n");
	assert_int_equal(RUN("trace", "h1", "forbidden"), 1);
	assert_non_null(strstr(out, "\nreached\n"
		"FORBIDDEN BY PARTITIONS: both are limited members of partition 0x7fff\n"
		"  P_Keys of the source: 0x7fff 0x8001\n"
		"  P_Keys of the destination: 0x7fff\n"));
	assert_int_equal(RUN("trace", "h1", "nobody"), 2);
	assert_string_equal(err, "heddlectl: nothing is called nobody\n");
	assert_int_equal(RUN("trace", "h1", "early"), 1);
	assert_string_equal(err, "heddlectl: no sweep has ended yet\n");
	assert_int_equal(RUN("trace", "h1", "\xff"), 2);
}

static void
test_json(void **state)
{
	json_t *doc;

	(void)state;
	server_start((char *)"partial", 0);
	assert_int_equal(RUN("-j", "status"), 3);
	doc = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(doc);
	assert_string_equal(json_string_value(json_object_get(doc, "schema")), "heddle.heddlectl");
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), 3);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(doc, "status"),
		"troubles_total")), 5);
	assert_int_equal(json_array_size(json_object_get(doc, "errors")), 0);
	json_decref(doc);
	assert_int_equal(RUN("--json", "trace", "a", "nobody"), 2);
	doc = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(json_object_get(doc, "errors"), 0),
		"code")),
		"not_found");
	json_decref(doc);
	assert_int_equal(RUN("--json", "stat"), 2);
	doc = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), 2);
	json_decref(doc);
	assert_int_equal(RUN("--json", "--socket", "/nonexistent/s", "status"), 255);
	doc = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), 255);
	json_decref(doc);
}

/* The canned answers conform to the interface, so they are what heddled will send. */
static void
test_canned(void **state)
{
	static const char *const canned[][2] = { { "Status", UP }, { "Snapshot", SNAPSHOT },
		{ "Trace", TRACE }, { "Topology", TOPOLOGY("none", "8") } };
	const char *top = getenv("top_srcdir");
	static char text[65536], name[512];
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

		if (!idl_reply(text, canned[i][0], v, why, sizeof(why)))
			fail_msg("%s", why);
		json_decref(v);
	}
}

static void
test_usage(void **state)
{
	(void)state;
	assert_int_equal(RUN("staus"), 2);
	assert_string_equal(err, "heddlectl: no such command; did you mean status?\n");
	assert_int_equal(RUN("qqqqqq"), 2);
	assert_int_equal(RUN("--json"), 2);
	assert_int_equal(RUN("trace", "x"), 2);
	assert_string_equal(err, "heddlectl: expected: heddlectl trace SRC DST\n");
	assert_int_equal(RUN("wait"), 2);
	assert_int_equal(RUN("wait", "down"), 2);
	assert_int_equal(RUN("status", "x"), 2);
	assert_int_equal(RUN("status", "--timeout", "3"), 2);
	assert_int_equal(RUN("status", "--hosts"), 2);
	assert_string_equal(err, "heddlectl: status takes no --hosts\n");
	assert_int_equal(RUN("wait", "up", "--timeout", "-3"), 2);
	assert_int_equal(RUN("wait", "up", "--timeout", "nan"), 2);
	assert_int_equal(RUN("wait", "up", "--timeout", "1e99"), 2);
	assert_int_equal(RUN("--sockte", "x"), 2);
	assert_string_equal(err, "heddlectl: no option --sockte; did you mean --socket?\n");
	assert_int_equal(RUN("--help"), 0);
	assert_non_null(strstr(out, "wait up"));
	assert_int_equal(RUN("--version"), 0);
}

static void
test_nobody(void **state)
{
	char long_path[200];

	(void)state;
	assert_int_equal(RUN("status"), 255);
	assert_non_null(strstr(err, "no heddled is running (nobody listens on "));
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(RUN("--socket", long_path, "status"), 255);
	assert_non_null(strstr(err, "File name too long"));
}

static void
test_liars(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} v[] = { { "xyz", 4 }, { "[]", 3 }, { "{\"error\":1}", 12 }, { "{", 1 },
		{ "{\"error\":\"x\"}", 14 },
		{ "{\"parameters\":[]}", 18 } };

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		serve_lie(v[i].bytes, v[i].n, false);
		assert_int_equal(RUN("status"), 255);
		end_server();
	}
}

/* A server without room for a client reports that before the client sends; it may have closed
 * the connection by then. */
static void
test_refused(void **state)
{
	static const char refusal[] =
		"{\"error\":\"io.heddle.Manager.TooManyClients\",\"parameters\":{\"reason\":\"too "
		"many clients of this user\"}}";

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		serve_lie(refusal, sizeof(refusal), i);
		assert_int_equal(RUN("status"), 255);
		assert_string_equal(err, "heddlectl: too many clients of this user\n");
		end_server();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, heddlectl_setup, heddlectl_teardown)
		T(test_status), T(test_topology), T(test_status_partial), T(test_status_read_only),
			T(test_status_down), T(test_wait), T(test_snapshot),
		T(test_trace), T(test_json), T(test_canned), T(test_usage), T(test_nobody),
		T(test_liars), T(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
