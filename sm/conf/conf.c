/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * conf.c - loads and reloads the configuration: defaults, then the file, then the command line.
 * Room: conf.  A loaded configuration keeps a copy of the command line, which a reload applies over
 * the file again.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/cmdline.h"
#include "sm/conf/file.h"
#include "sm/conf/text/say.h"
#include "sm/conf/table.h"
#include "util/xalloc.h"

#define DEFAULT_FILE HEDDLE_SYSCONFDIR "/heddled.conf"
#define PARTITIONS_NAME "partitions.conf"
#define QOS_POLICY_NAME "qos-policy.conf"

/* Allocated around each struct conf, which is its first member. */
struct box {
	struct conf conf;
	struct arena arena;             /* owns all text of conf */
	int argc;
	char **argv;                    /* copies, in 'arena' */
};

static struct box *
box_new(int argc, char *const *argv)
{
	struct box *b = xcalloc(1, sizeof(*b));
	char why[CONF_WHY_BYTES];

	for (size_t i = 0; i < conf_nrows; i++) {
		const struct conf_row *r = &conf_rows[i];

		if (r->key && !r->known_only && conf_set(&b->conf, &b->arena, r, r->def, why))
			bug("conf: default of %s: %s", r->key, why);
	}
	b->conf.partitions = partitions_default(&b->arena);
	b->argc = argc;
	b->argv = arena_array(&b->arena, (size_t)argc + 1, sizeof(*b->argv));
	for (int i = 0; i < argc; i++)
		b->argv[i] = arena_strdup(&b->arena, argv[i]);
	return b;
}

static void
box_free(struct box *b)
{
	struct arena a = b->arena;

	free(b);
	arena_clear(&a);
}

char *
conf_beside(const struct conf *c, const char *name)
{
	const char *file = c->file ? c->file : DEFAULT_FILE, *slash = strrchr(file, '/');

	return slash ? xasprintf("%.*s/%s", (int)(slash - file), file, name) : xstrdup(name);
}

/* The file that a key names; otherwise the file of that name beside the configuration. */
static const char *
file_of(struct box *b, const char *named, const char *name)
{
	char *path;
	const char *copy;

	if (named[0])
		return named;
	path = conf_beside(&b->conf, name);
	copy = arena_strdup(&b->arena, path);
	free(path);
	return copy;
}

/* Reads the command line from a copy, because getopt permutes it. */
static int
read_cmdline(struct box *b, struct conf_error *e)
{
	char **argv = xcalloc((size_t)b->argc + 1, sizeof(*argv));
	int err;

	if (b->argc > 0)
		memcpy(argv, b->argv, (size_t)b->argc * sizeof(*argv));
	err = conf_cmdline_read(b->argc, argv, &b->conf, &b->arena, e);
	free(argv);
	return err;
}

/* A named file must exist.  So must the file of the partitions in force: deleting it must not
 * open the subnet to every port. */
static int
read_partitions(struct box *b, const struct conf *old, struct conf_error *e)
{
	const char *named = b->conf.partition_config_file;
	const char *file = file_of(b, named, PARTITIONS_NAME);
	int err = partitions_read(file, b->conf.qos, &b->arena, &b->conf.partitions, e);

	if (err != -ENOENT)
		return err;
	if (!named[0] && !(old && old->partitions->file && !old->partition_config_file[0]))
		return 0;
	conf_say_error(e, file, 0, "%s%s", strerror(ENOENT),
		named[0] ? "" : "; the partitions in force came from a file");
	return err;
}

/* OpenSM's default keys are public, so they protect nothing. */
static void
warn_of_keys(const struct conf *c, struct conf_error *e)
{
	if (c->sm_key == 1)
		conf_say_warning(e, CONF_COMMAND_LINE, 0,
			"sm_key is 1, OpenSM's default, which everybody knows");
	if (c->sm_key && c->m_key == CONF_MKEY_AUTO)
		conf_say_warning(e, CONF_COMMAND_LINE, 0,
			"sm_key is set and m_key is auto: a manager that has this sm_key but not our "
			"secret could be handed the subnet and write no port; set m_key in both");
	if (c->sa_key == 1)
		conf_say_warning(e, CONF_COMMAND_LINE, 0,
			"sa_key is 1, OpenSM's default, which everybody knows: any host may say that it is trusted");
}

/* Reads the QoS policy if QoS is enabled.  A named file, or the file of the policy in force,
 * must exist. */
static int
read_qos_policy(struct box *b, const struct conf *old, struct conf_error *e)
{
	const char *named = b->conf.qos_policy_file;
	const char *file = file_of(b, named, QOS_POLICY_NAME);
	int err = b->conf.qos ?
		qos_policy_read(file, b->conf.partitions, &b->arena, &b->conf.qos_policy, e) :
		0;

	if (named[0] && !b->conf.qos)
		conf_say_warning(e, CONF_COMMAND_LINE, 0,
			"qos is FALSE, so that qos_policy_file %s is not read", named);
	if (err != -ENOENT)
		return err;
	if (!named[0] && !(old && old->qos_policy && !old->qos_policy_file[0]))
		return 0;
	conf_say_error(e, file, 0, "%s%s", strerror(ENOENT),
		named[0] ? "" : "; the policy in force came from a file");
	return err;
}

static int
read_routing(struct box *b, struct conf_error *e)
{
	const struct conf *c = &b->conf;
	struct routing_paths p = { .roots = c->root_guid_file,
		.compute = c->cn_guid_file,
		.io = c->io_guid_file,
		.torus = c->torus_config,
		.lfts = c->lfts_file,
		.order = c->guid_routing_order_file,
		.ids = c->ids_guid_file,
		.weights = c->hop_weights_file,
		.groups = c->routing_groups_file,
		.ports = c->port_search_ordering_file[0] ? c->port_search_ordering_file :
							   c->dimn_ports_file };

	return routing_files_read(&p, &b->arena, &b->conf.routing, e);
}

/* Reads the command line twice: first for the name of the file and for its own faults, then for
 * its values, over what the file set.  The second pass reports nothing. */
static int
conf_fill(struct box *b, const struct conf *old, struct conf_error *e)
{
	struct conf_error quiet = CONF_ERROR_INIT;
	bool named;
	int err;

	err = read_cmdline(b, e);
	if (err || b->conf.action >= CONF_HELP)
		return err;
	named = b->conf.file != NULL;
	if (!named)
		b->conf.file = DEFAULT_FILE;
	err = conf_file_read(b->conf.file, &b->conf, &b->arena, e);
	if (err == -ENOENT && !named && b->conf.action != CONF_CHECK)
		err = 0;
	else if (err == -ENOENT)
		conf_say_error(e, b->conf.file, 0, "%s", strerror(ENOENT));
	if (err)
		return err;
	b->conf.verbose = 0;
	read_cmdline(b, &quiet);
	conf_error_clear(&quiet);
	b->conf.log_level += b->conf.verbose;
	if (b->conf.log_level > LOG_TRACE)
		b->conf.log_level = LOG_TRACE;
	warn_of_keys(&b->conf, e);
	err = read_routing(b, e);
	if (!err)
		err = read_partitions(b, old, e);
	return err ? err : read_qos_policy(b, old, e);
}

/* As conf_fill(), but adds a line for a failure that has none. */
static int
fill_or_say(struct box *b, const struct conf *old, struct conf_error *e)
{
	int err = conf_fill(b, old, e);

	if (err && !e->nerrors)
		conf_say_error(e, b->conf.file ? b->conf.file : CONF_COMMAND_LINE, 0, "%s",
			strerror(-err));
	return err;
}

int
conf_load(int argc, char **argv, struct conf **out, struct conf_error *e)
{
	struct box *b = box_new(argc, argv);
	int err = fill_or_say(b, NULL, e);

	if (err) {
		box_free(b);
		return err;
	}
	*out = &b->conf;
	return 0;
}

/* Restores the values in 'to' that a running program cannot change, and warns about each. */
static void
keep_started(const struct conf *old, struct box *to, struct conf_error *e)
{
	for (size_t i = 0; i < conf_nrows; i++) {
		const struct conf_row *r = &conf_rows[i];
		char was[80], is[80];

		if (!r->key || r->known_only || r->when == CONF_LIVE ||
		    conf_same(old, &to->conf, r))
			continue;
		if (conf_is_key(r))
			conf_say_warning(e, to->conf.file, 0, "another %s needs a restart", r->key);
		else
			conf_say_warning(e, to->conf.file, 0,
				"%s: '%s' instead of '%s' needs a restart", r->key,
				conf_text(&to->conf, r, is, sizeof(is)),
				conf_text(old, r, was, sizeof(was)));
		conf_copy(&to->conf, &to->arena, old, r);
	}
}

int
conf_reload(const struct conf *old, struct conf **out, struct conf_error *e)
{
	const struct box *was = (const struct box *)old;
	struct box *b = box_new(was->argc, was->argv);
	int err = fill_or_say(b, old, e);

	if (err) {
		box_free(b);
		return err;
	}
	keep_started(old, b, e);
	*out = &b->conf;
	return 0;
}

struct conf *
conf_default(void)
{
	return &box_new(0, NULL)->conf;
}

void
conf_free(struct conf *c)
{
	if (c)
		box_free((struct box *)c);
}

/* The first directory of a colon-separated list set by systemd; in thread-local memory. */
static const char *
first_of(const char *list)
{
	static _Thread_local char first[512];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(list, ":"), list);
	return first;
}

static const char *
directory_of(const char *set, const char *variable, const char *otherwise)
{
	const char *env = getenv(variable);

	if (set[0])
		return set;
	return env && env[0] && env[0] != ':' ? first_of(env) : otherwise;
}

const char *
conf_state_dir(const struct conf *c)
{
	return directory_of(c->state_dir, "STATE_DIRECTORY", CONF_STATEDIR);
}

const char *
conf_runtime_dir(const struct conf *c)
{
	return directory_of(c->runtime_dir, "RUNTIME_DIRECTORY", CONF_RUNDIR);
}
