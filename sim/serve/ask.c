/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ask.c - sends one request to a server and reads its reply; the client's end of the socket "ctl".
 * Room: sim/serve.  The format of request and reply: control.h.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sim/serve/ask.h"

static int
send_request(int fd, const char *command, unsigned n, char *const *args)
{
	json_t *list = json_array(), *q;
	char *text;
	int r = 0;

	for (unsigned i = 0; i < n; i++)
		if (json_array_append_new(list, json_string(args[i]))) {
			json_decref(list);
			return -EILSEQ;
		}
	q = json_pack("{s:s,s:o}", "command", command, "arguments", list);
	text = q ? json_dumps(q, JSON_COMPACT) : NULL;
	json_decref(q);
	if (!text)
		return -EILSEQ;
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 || send(fd, "\n", 1, MSG_NOSIGNAL) < 0)
		r = -errno;
	free(text);
	return r;
}

static json_t *
read_reply(int fd)
{
	FILE *f = fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	json_t *reply = NULL;

	if (!f) {
		close(fd);
		return NULL;
	}
	if (getline(&line, &room, f) > 0)
		reply = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	free(line);
	fclose(f);
	return reply;
}

int
ask_server(const char *dir, const char *command, unsigned n, char *const *args, json_t **result,
	char why[PLACE_WHY])
{
	int fd = place_connect(dir, "ctl"), r = fd < 0 ? fd : send_request(fd, command, n, args);
	const char *error;
	json_t *reply;

	*result = NULL;
	if (r) {
		snprintf(why, PLACE_WHY, "cannot send the request to the server: %s", strerror(-r));
		if (fd >= 0)
			close(fd);
		return r == -EILSEQ ? -EINVAL : -EIO;
	}
	reply = read_reply(fd);
	if (!reply) {
		snprintf(why, PLACE_WHY, "the server closed the connection");
		return -EIO;
	}
	if (json_is_true(json_object_get(reply, "ok"))) {
		*result = json_incref(json_object_get(reply, "result"));
	} else {
		error = json_string_value(json_object_get(reply, "error"));
		snprintf(why, PLACE_WHY, "%s", error ? error : "refused");
		r = -EINVAL;
	}
	json_decref(reply);
	return r;
}
