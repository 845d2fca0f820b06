/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * msg.c - see msg.h.
 * Room: verbs/meas/control.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/meas/control/msg.h"

static const uint8_t magic[4] = { 'H', 'V', 'T', '1' }, packet_magic[4] = { 'H', 'V', 'T', 'P' };

void
meas_framer_clear(struct meas_framer *f)
{
	free(f->bytes);
	memset(f, 0, sizeof(*f));
}

/* Length of the body according to the header; 0: the header is incomplete. */
static size_t
body_bytes(const struct meas_framer *f)
{
	const uint8_t *b = f->bytes;

	if (f->have < MEAS_HEADER_BYTES)
		return 0;
	return (size_t)b[4] << 24 | (size_t)b[5] << 16 | (size_t)b[6] << 8 | b[7];
}

static bool
is_packet(const struct meas_framer *f)
{
	return f->have >= sizeof(packet_magic) &&
		!memcmp(f->bytes, packet_magic, sizeof(packet_magic));
}

static int
header_wrong(const struct meas_framer *f)
{
	size_t n = f->have < sizeof(magic) ? f->have : sizeof(magic), body = body_bytes(f);

	if (n && memcmp(f->bytes, magic, n) && memcmp(f->bytes, packet_magic, n))
		return -EPROTO;
	if (f->have >= MEAS_HEADER_BYTES &&
		    (!body || body > (is_packet(f) ? MEAS_PACKET_MAX : MEAS_BODY_MAX)))
		return -EMSGSIZE;
	return 0;
}

size_t
meas_framer_feed(struct meas_framer *f, const uint8_t *bytes, size_t n)
{
	size_t taken = 0;

	while (taken < n && !f->failed && !header_wrong(f)) {
		size_t body = body_bytes(f), want = f->have < MEAS_HEADER_BYTES ?
			MEAS_HEADER_BYTES : MEAS_HEADER_BYTES + body, m;

		if (f->have == want)
			/* Complete: the next message is read after this one is taken out. */
			break;
		if (want > f->room) {
			f->bytes = xrealloc(f->bytes, want);
			f->room = want;
		}
		m = want - f->have < n - taken ? want - f->have : n - taken;
		memcpy(f->bytes + f->have, bytes + taken, m);
		f->have += m;
		taken += m;
	}
	return taken;
}

int
meas_framer_next(struct meas_framer *f, json_t **out)
{
	size_t body;
	int r = header_wrong(f);
	json_t *o;

	if (f->failed)
		return -EBADMSG;
	if (r)
		return r;
	body = body_bytes(f);
	if (!body || f->have < MEAS_HEADER_BYTES + body)
		return 0;
	if (is_packet(f)) {
		f->packet = f->bytes + MEAS_HEADER_BYTES;
		f->packet_bytes = body;
		f->have = 0;
		return 2;
	}
	o = json_loadb((const char *)f->bytes + MEAS_HEADER_BYTES, body, JSON_REJECT_DUPLICATES,
		NULL);
	f->have = 0;
	if (!json_is_string(json_object_get(o, "msg"))) {
		json_decref(o);
		f->failed = true;
		return -EBADMSG;
	}
	*out = o;
	return 1;
}

uint8_t *
meas_frame(const json_t *o, size_t *n)
{
	size_t body = json_dumpb(o, NULL, 0, JSON_COMPACT);
	uint8_t *b;

	if (!body || body > MEAS_BODY_MAX)
		return NULL;
	b = xmalloc(MEAS_HEADER_BYTES + body);
	memcpy(b, magic, sizeof(magic));
	for (int i = 0; i < 4; i++)
		b[4 + i] = (uint8_t)(body >> (24 - 8 * i));
	json_dumpb(o, (char *)b + MEAS_HEADER_BYTES, body, JSON_COMPACT);
	*n = MEAS_HEADER_BYTES + body;
	return b;
}

void
meas_packet_header(uint8_t header[static MEAS_HEADER_BYTES], size_t bytes)
{
	memcpy(header, packet_magic, sizeof(packet_magic));
	for (int i = 0; i < 4; i++)
		header[4 + i] = (uint8_t)(bytes >> (24 - 8 * i));
}

struct meas_reader
meas_reader(const json_t *o)
{
	return (struct meas_reader){ .object = o };
}

void
meas_reader_bad(struct meas_reader *r, const char *key)
{
	if (!r->bad)
		r->bad = key;
}

uint64_t
meas_read_int(struct meas_reader *r, const char *key, uint64_t min, uint64_t max)
{
	const json_t *v = json_object_get(r->object, key);
	json_int_t i = json_integer_value(v);

	if (json_is_integer(v) && i >= 0 && (uint64_t)i >= min && (uint64_t)i <= max)
		return (uint64_t)i;
	meas_reader_bad(r, key);
	return min;
}

uint64_t
meas_read_hex(struct meas_reader *r, const char *key, uint64_t max)
{
	const char *s = json_string_value(json_object_get(r->object, key));
	size_t n = s ? strlen(s) : 0;
	uint64_t v;

	if (n < 3 || n > 18 || s[0] != '0' || s[1] != 'x' ||
		    strspn(s + 2, "0123456789abcdef") != n - 2 || (v = strtoull(s + 2, NULL, 16)) >
		    max) {
		meas_reader_bad(r, key);
		return 0;
	}
	return v;
}

bool
meas_read_bool(struct meas_reader *r, const char *key)
{
	const json_t *v = json_object_get(r->object, key);

	if (!json_is_boolean(v))
		meas_reader_bad(r, key);
	return json_is_true(v);
}

int
meas_read_word(struct meas_reader *r, const char *key, const char *const *words, int n)
{
	const char *s = json_string_value(json_object_get(r->object, key));

	for (int i = 0; s && i < n; i++)
		if (!strcmp(s, words[i]))
			return i;
	meas_reader_bad(r, key);
	return 0;
}

void
meas_read_text(struct meas_reader *r, const char *key, char *text, size_t bytes)
{
	const char *s = json_string_value(json_object_get(r->object, key));

	if (!s) {
		meas_reader_bad(r, key);
		s = "";
	}
	snprintf(text, bytes, "%s", s);
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

double
meas_read_number(struct meas_reader *r, const char *key)
{
	const json_t *v = json_object_get(r->object, key);

	if (json_is_number(v) && isfinite(json_number_value(v)) && json_number_value(v) >= 0)
		return json_number_value(v);
	meas_reader_bad(r, key);
	return 0;
}

json_t *
meas_hex(uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	return json_string(text);
}
