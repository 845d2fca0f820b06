/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * preload.c - computes LD_PRELOAD: the runtimes of sanitizers first, then the shim.
 * Room: sim/serve.  preload.h has the reason.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sim/serve/preload.h"
#include "util/xalloc.h"

#define SHIM "libheddle-umad.so"

/* Runtimes of sanitizers; MSan has no shared one. */
static const char *const runtimes[] = { "libasan.so", "libtsan.so", "liblsan.so", "libubsan.so",
	"libclang_rt.", "libhwasan.so" };

static bool
exists(const char *path)
{
	return access(path, R_OK) == 0;
}

bool
preload_find_shim(char *path, size_t room)
{
	const char *env = getenv("HEDDLE_SIM_SHIM");
	char self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (env && *env) {
		snprintf(path, room, "%s", env);
		return exists(path);
	}
	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash) {
		*slash = '\0';
		snprintf(path, room, "%s/sim/shim/.libs/" SHIM, self);
		if (exists(path))
			return true;
	}
	snprintf(path, room, HEDDLE_PKGLIBDIR "/" SHIM);
	return exists(path);
}

/* A list of libraries, separated by ':'. */
struct list {
	char *text;
};

static bool
is_runtime(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strncmp(name, runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

static bool
list_has(const struct list *l, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = l->text; p && (p = strstr(p, name)); p += n)
		if ((p == l->text || p[-1] == ':') && (p[n] == '\0' || p[n] == ':'))
			return true;
	return false;
}

static void
list_add(struct list *l, const char *name)
{
	char *longer;

	if (!*name || list_has(l, name))
		return;
	longer = l->text ? xasprintf("%s:%s", l->text, name) : xstrdup(name);
	free(l->text);
	l->text = longer;
}

static void
add_runtime(void *arg, const char *soname)
{
	if (is_runtime(soname))
		list_add(arg, soname);
}

/* Returns the path at which execvp() finds 'command', or NULL. */
static char *
command_path(const char *command)
{
	const char *path = getenv("PATH");

	if (strchr(command, '/'))
		return xstrdup(command);
	while (path && *path) {
		size_t n = strcspn(path, ":");
		char *at = xasprintf("%.*s/%s", (int)n, path, command);

		if (access(at, X_OK) == 0)
			return at;
		free(at);
		path += n + (path[n] == ':');
	}
	return NULL;
}

/* Adds the words of an earlier LD_PRELOAD that are runtimes ('wanted'), or those that are not; a
 * shim of Heddle is left out. */
static void
list_add_old(struct list *l, const char *before, bool wanted)
{
	char *copy = xstrdup(before ? before : ""), *save = NULL;

	for (char *w = strtok_r(copy, ": ", &save); w; w = strtok_r(NULL, ": ", &save)) {
		size_t n = strlen(w);
		bool ours = n >= strlen(SHIM) && !strcmp(w + n - strlen(SHIM), SHIM);

		if (!ours && is_runtime(w) == wanted)
			list_add(l, w);
	}
	free(copy);
}

char *
preload_value(const char *command, const char *shim, const char *before)
{
	struct list l = { NULL };
	char *path = command_path(command);

	list_add_old(&l, before, true);
	if (path)
		elf_each_needed(path, add_runtime, &l);
	elf_each_needed(shim, add_runtime, &l);
	list_add(&l, shim);
	list_add_old(&l, before, false);
	free(path);
	return l.text;
}

static bool
needs_runtime(const char *path)
{
	struct list l = { NULL };
	bool needs;

	elf_each_needed(path, add_runtime, &l);
	needs = l.text != NULL;
	free(l.text);
	return needs;
}

bool
preload_is_guest(const char *command, const char *shim)
{
	char *path = command_path(command);
	bool guest = path && needs_runtime(shim) && !needs_runtime(path);

	free(path);
	return guest;
}
