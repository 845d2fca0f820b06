/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * varlink.h - Varlink's wire protocol: JSON objects, each terminated by a zero byte.
 * Room: ctlproto.  Pure: bytes go in, messages come out.  Both ends use it (sm/ctl, ctlclient).
 *
 *   call    {"method": "a.b.C", "parameters": {...}, "oneway": bool, "more": bool,
 *            "upgrade": bool}
 *   reply   {"parameters": {...}, "continues": bool}
 *           or {"error": "a.b.E", "parameters": {...}}
 *
 * The peer is not trusted: the size of messages is limited, each must be one JSON object in
 * UTF-8 without duplicate keys, and members of the wrong type are refused.  After a refusal the
 * stream is out of step: close it.
 */
#ifndef HEDDLE_CTLPROTO_VARLINK_H
#define HEDDLE_CTLPROTO_VARLINK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Received bytes that are not yet a whole message. */
struct varlink_in {
	char *buf;
	size_t len, room;               /* bytes held, bytes allocated */
	/* start of the first message; how far its end was searched */
	size_t start, seen;
	size_t max;                     /* size limit of a message, with its zero byte */
};

void varlink_in_init(struct varlink_in *in, size_t max_bytes);
void varlink_in_clear(struct varlink_in *in);
/* Copies bytes in.  Take all messages out before the next call.  -EMSGSIZE: an unterminated
 * message exceeds the limit. */
int varlink_in_put(struct varlink_in *in, const void *bytes, size_t n);
/* 1: '*msg' is the next message, an object that the caller owns.  0: no message is complete yet.
 * -EPROTO: not a JSON object. */
int varlink_in_next(struct varlink_in *in, json_t **msg);

enum varlink_call_flags { VARLINK_ONEWAY = 1, VARLINK_MORE = 2, VARLINK_UPGRADE = 4 };

/* A call, with pointers into the message it was read from. */
struct varlink_call {
	const char *method;             /* "interface.Method": both parts are well-formed names */
	json_t *params;                 /* an object or NULL */
	unsigned flags;                 /* enum varlink_call_flags */
};

/* A reply, likewise. */
struct varlink_reply {
	const char *error;              /* name of the error; NULL: success */
	json_t *params;                 /* an object or NULL */
	bool continues;                 /* more replies to the same call follow */
};

/* 0, or -EPROTO: not a call, not a reply. */
int varlink_call_read(json_t *msg, struct varlink_call *c);
int varlink_reply_read(json_t *msg, struct varlink_reply *r);

/* Messages as bytes to send: malloc'ed, '*len' includes the zero byte.  'params' is borrowed,
 * NULL for none. */
char *varlink_call_write(const char *method, json_t *params, unsigned flags, size_t *len);
char *varlink_reply_write(json_t *params, bool continues, size_t *len);
char *varlink_error_write(const char *error, json_t *params, size_t *len);

/* Length of the interface's name in "io.heddle.Manager.Status".  0 when 'method' is malformed
 * (it must be two or more lower-level names, then a method that begins with a capital). */
size_t varlink_interface_len(const char *method);

#endif
