/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * varlink.c - Varlink's wire protocol: JSON objects, each terminated by a zero byte.
 * Room: ctlproto.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "ctlproto/varlink.h"
#include "util/grow.h"

void
varlink_in_init(struct varlink_in *in, size_t max_bytes)
{
	*in = (struct varlink_in){ .max = max_bytes };
}

void
varlink_in_clear(struct varlink_in *in)
{
	free(in->buf);
	*in = (struct varlink_in){ .max = in->max };
}

/* Moves the first message to the front of the buffer. */
static void
buffer_shift(struct varlink_in *in)
{
	if (in->start == 0)
		return;
	in->len -= in->start;
	in->seen -= in->start;
	if (in->len)
		memmove(in->buf, in->buf + in->start, in->len);
	in->start = 0;
}

int
varlink_in_put(struct varlink_in *in, const void *bytes, size_t n)
{
	const char *last = n ? memrchr(bytes, 0, n) : NULL;
	size_t tail = last ? n - (size_t)(last + 1 - (const char *)bytes) : n;

	buffer_shift(in);
	/* The bytes without a terminator yet: the tail of these, preceded by the buffered ones
	 * if the tail contains no terminator. */
	if (tail >= in->max || (!last && in->len > in->max - tail))
		return -EMSGSIZE;
	if (n > SIZE_MAX / 2 - in->len)
		return -EMSGSIZE;
	GROW_TO(in->buf, in->len + n, in->room, 1024);
	if (n)
		memcpy(in->buf + in->len, bytes, n);
	in->len += n;
	return 0;
}

int
varlink_in_next(struct varlink_in *in, json_t **msg)
{
	const char *end, *first = in->buf + in->start;
	size_t len;

	*msg = NULL;
	if (in->seen == in->len)
		return 0;
	end = memchr(in->buf + in->seen, 0, in->len - in->seen);
	if (!end) {
		in->seen = in->len;
		return 0;
	}
	len = (size_t)(end - first);
	in->start = in->seen = (size_t)(end + 1 - in->buf);
	if (len < in->max)
		*msg = json_loadb(first, len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(*msg)) {
		json_decref(*msg);
		*msg = NULL;
		return -EPROTO;
	}
	return 1;
}

/* A member that is absent, null or an object. */
static int
params_read(json_t *msg, json_t **params)
{
	json_t *p = json_object_get(msg, "parameters");

	*params = json_is_object(p) ? p : NULL;
	return !p || json_is_null(p) || json_is_object(p) ? 0 : -EPROTO;
}

/* A member that is absent, null or a boolean. */
static int
flag_read(json_t *msg, const char *name, bool *value)
{
	json_t *f = json_object_get(msg, name);

	*value = json_is_true(f);
	return !f || json_is_null(f) || json_is_boolean(f) ? 0 : -EPROTO;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_part(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

size_t
varlink_interface_len(const char *method)
{
	const char *dot = strrchr(method, '.'), *p;
	unsigned dots = 0;

	if (!dot || !is_letter(method[0]) || dot[1] < 'A' || dot[1] > 'Z')
		return 0;
	for (p = dot + 1; *p; p++)
		if (!is_part(*p) || *p == '-')
			return 0;
	for (p = method; p < dot; p++) {
		if (*p != '.' && !is_part(*p))
			return 0;
		if (*p == '.' && p[1] == '.')
			return 0;
		dots += *p == '.';
	}
	return dots && dot[-1] != '.' ? (size_t)(dot - method) : 0;
}

int
varlink_call_read(json_t *msg, struct varlink_call *c)
{
	json_t *method = json_object_get(msg, "method");
	bool oneway, more, upgrade;

	*c = (struct varlink_call){ .method = json_string_value(method) };
	if (!c->method || strlen(c->method) != json_string_length(method) ||
		    !varlink_interface_len(c->method))
		return -EPROTO;
	if (params_read(msg, &c->params) || flag_read(msg, "oneway", &oneway) ||
		    flag_read(msg, "more", &more) ||
	    flag_read(msg, "upgrade", &upgrade))
		return -EPROTO;
	c->flags = (oneway ? VARLINK_ONEWAY : 0u) | (more ? VARLINK_MORE : 0u) |
		(upgrade ? VARLINK_UPGRADE : 0u);
	return 0;
}

int
varlink_reply_read(json_t *msg, struct varlink_reply *r)
{
	json_t *error = json_object_get(msg, "error");

	*r = (struct varlink_reply){ .error = json_string_value(error) };
	if (error && !json_is_null(error) &&
	    (!r->error || strlen(r->error) != json_string_length(error) ||
	    !varlink_interface_len(r->error)))
		return -EPROTO;
	if (params_read(msg, &r->params) || flag_read(msg, "continues", &r->continues))
		return -EPROTO;
	return r->error && r->continues ? -EPROTO : 0;
}

/* Serializes 'msg' and releases it. */
static char *
message_dump(json_t *msg, json_t *params, size_t *len)
{
	char *text;

	if (params)
		json_object_set(msg, "parameters", params);
	text = json_dumps(msg, JSON_COMPACT);
	if (!text)
		bug("ctlproto: a message that is no JSON");
	json_decref(msg);
	*len = strlen(text) + 1;
	return text;
}

char *
varlink_call_write(const char *method, json_t *params, unsigned flags, size_t *len)
{
	json_t *msg = json_object();

	json_object_set_new(msg, "method", json_string(method));
	if (flags & VARLINK_ONEWAY)
		json_object_set_new(msg, "oneway", json_true());
	if (flags & VARLINK_MORE)
		json_object_set_new(msg, "more", json_true());
	if (flags & VARLINK_UPGRADE)
		json_object_set_new(msg, "upgrade", json_true());
	return message_dump(msg, params, len);
}

char *
varlink_reply_write(json_t *params, bool continues, size_t *len)
{
	json_t *msg = json_object();

	if (!params)
		json_object_set_new(msg, "parameters", json_object());
	if (continues)
		json_object_set_new(msg, "continues", json_true());
	return message_dump(msg, params, len);
}

char *
varlink_error_write(const char *error, json_t *params, size_t *len)
{
	json_t *msg = json_object();

	json_object_set_new(msg, "error", json_string(error));
	return message_dump(msg, params, len);
}
