/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fake.c - tools that run in a child process, and small fabrics without a device.
 */
#include <config.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fabric/snapshot/snapshot.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/fake.h"

#define ARGS_MAX 32

static char *
whole_file(FILE *f)
{
	long n;
	char *text;

	fseek(f, 0, SEEK_END);
	n = ftell(f);
	assert_true(n >= 0);
	rewind(f);
	text = calloc(1, (size_t)n + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)n, f), n);
	fclose(f);
	return text;
}

struct outcome
fake_run(const struct diag_tool *tool, const char *args)
{
	char *copy = strdup(args), *argv[ARGS_MAX + 2] = { (char *)(uintptr_t)"tool" }, *save = NULL;
	FILE *out = tmpfile(), *err = tmpfile();
	struct outcome o = { .status = -1 };
	int argc = 1, status;
	pid_t pid;

	for (char *p = strtok_r(copy, " ", &save); p && argc < ARGS_MAX; p = strtok_r(NULL, " ", &save))
		argv[argc++] = p;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		status = diag_main(tool, NULL, argc, argv);
		fflush(NULL);
		_exit(status);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		o.status = WEXITSTATUS(status);
	o.out = whole_file(out);
	o.err = whole_file(err);
	free(copy);
	return o;
}

void
outcome_clear(struct outcome *o)
{
	free(o->out);
	free(o->err);
}

json_t *
outcome_document(const struct outcome *o)
{
	json_t *doc = json_loads(o->out, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(doc);
	return doc;
}

char *
fake_file(const char *text)
{
	const char *dir = getenv("TMPDIR");
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/heddle-test-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return strdup(path);
}

struct snapshot *
fake_snapshot(void)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t leaf = topo_builder_node(b, TOPO_SWITCH, 4, 0x100, "leaf-0");
	uint32_t host0 = topo_builder_node(b, TOPO_CA, 1, 0x200, "host-0");
	uint32_t host1 = topo_builder_node(b, TOPO_CA, 1, 0x300, "host-1");
	uint32_t spine = topo_builder_node(b, TOPO_SWITCH, 4, 0x400, "spine-0");
	uint32_t twin = topo_builder_node(b, TOPO_CA, 1, 0x500, "host-1");
	struct snapshot *s;
	struct topo t;
	uint16_t lid = 0;

	assert_int_equal(topo_builder_cable(b, host0, 1, leaf, 1), 0);
	assert_int_equal(topo_builder_cable(b, host1, 1, leaf, 2), 0);
	assert_int_equal(topo_builder_cable(b, leaf, 4, spine, 4), 0);
	assert_int_equal(topo_builder_cable(b, twin, 1, spine, 1), 0);
	assert_int_equal(topo_builder_take(b, &t), 0);
	assert_int_equal(topo_to_snapshot(&t, host0, PORT_STATE_ACTIVE, &s), 0);
	topo_clear(&t);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *n = &s->nodes[i];
		struct fab_port *p = &s->ports[n->first_port + (fab_is_switch(n) ? 0u : 1u)];

		wire_bits_put(p->info, port_info_at_lid, port_info_bits_lid, ++lid);
		p->flags |= FAB_PORT_INFO;
	}
	return s;
}
