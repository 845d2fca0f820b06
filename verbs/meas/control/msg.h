/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * msg.h - messages of the control connection: JSON objects in frames.
 * Room: verbs/meas/control.  Pure.
 *
 * A frame is "HVT1", a length (4 bytes, big-endian, 1 to MEAS_BODY_MAX), and a JSON object with
 * a member "msg".  "HVTP", a length and that many bytes are a packet of a software adapter (4 to
 * MEAS_PACKET_MAX).  The framer takes bytes and returns messages; the reader takes members out
 * of an object and remembers the first bad one.  Neither trusts the peer: hostile bytes cost no
 * more memory than one frame.
 */
#ifndef HEDDLE_VERBS_MEAS_CONTROL_MSG_H
#define HEDDLE_VERBS_MEAS_CONTROL_MSG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* incremented when ends of different versions cannot work together */
#define MEAS_PROTOCOL 1
#define MEAS_HEADER_BYTES 8u
#define MEAS_BODY_MAX 262144u           /* enough for 1024 queue pairs */
#define MEAS_PACKET_MAX 8192u

/* ---- frames ---- */

struct meas_framer {
	uint8_t *bytes;                 /* the part of a frame received so far */
	size_t have, room;
	const uint8_t *packet;
	size_t packet_bytes;
	bool failed;                    /* a frame was malformed: no more messages come out */
};

/* A zeroed framer is empty. */
void meas_framer_clear(struct meas_framer *f);
/* Consumes as many of 'bytes' as belong to the current frame.  Returns their number. */
size_t meas_framer_feed(struct meas_framer *f, const uint8_t *bytes, size_t n);
/* 1: '*o' is a whole message that the caller frees with json_decref().  2: a packet; f->packet
 * and f->packet_bytes are valid until the next feed.  0: more bytes are needed. -EPROTO: not the
 * protocol. -EMSGSIZE: too long.  -EBADMSG: not a JSON object with "msg".  Errors are permanent. */
int meas_framer_next(struct meas_framer *f, json_t **o);

/* The frame of 'o' (malloc'ed) of '*n' bytes.  NULL: it would be too long. */
uint8_t *meas_frame(const json_t *o, size_t *n);
/* Writes the header of a packet of 'bytes'. */
void meas_packet_header(uint8_t header[static MEAS_HEADER_BYTES], size_t bytes);

/* ---- reading members; the first one that is missing or out of range is recorded ---- */

struct meas_reader {
	const json_t *object;
	const char *bad;                /* key of the first bad member; NULL: none */
};

struct meas_reader meas_reader(const json_t *o);
void meas_reader_bad(struct meas_reader *r, const char *key);
/* Returns 'min' for a bad member. */
uint64_t meas_read_int(struct meas_reader *r, const char *key, uint64_t min, uint64_t max);
/* Reads "0x...", for numbers that JSON readers may round.  0 for a bad member. */
uint64_t meas_read_hex(struct meas_reader *r, const char *key, uint64_t max);
bool meas_read_bool(struct meas_reader *r, const char *key);
/* Returns an index among 'n' words; 0 for a bad member. */
int meas_read_word(struct meas_reader *r, const char *key, const char *const *words, int n);
/* Reads a string of at most 'bytes' - 1 bytes, with '?' for anything but printable ASCII.  ""
 * for a bad member. */
void meas_read_text(struct meas_reader *r, const char *key, char *text, size_t bytes);
/* Reads a finite number >= 0.  0 for a bad member. */
double meas_read_number(struct meas_reader *r, const char *key);

json_t *meas_hex(uint64_t v);

#endif
