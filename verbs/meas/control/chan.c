/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chan.c - see chan.h.
 * Room: verbs/meas/control.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "util/grow.h"
#include "verbs/meas/control/chan.h"

#define ALIVE_NS UINT64_C(400000000)
#define MS_NS UINT64_C(1000000)
#define OUT_MAX (4u * MEAS_BODY_MAX)
#define PACKETS_MAX (16u << 20)        /* bytes */
/* a peer that sends without end is read in turns with others */
#define TURN_BYTES (1 << 20)
#define FRAME_COST_BYTES 1024           /* work that each frame costs in addition to its bytes */

static int __attribute__((format(printf, 3, 4)))
chan_fail(struct meas_chan *c, int error, const char *fmt, ...)
{
	va_list ap;

	if (!c->error) {
		c->error = error;
		va_start(ap, fmt);
		vsnprintf(c->why, sizeof(c->why), fmt, ap);
		va_end(ap);
	}
	return c->error;
}

void
meas_chan_open(struct meas_chan *c, int fd, const char *peer, uint64_t now_ns, uint32_t silence_ms)
{
	int flags = fcntl(fd, F_GETFL);

	memset(c, 0, sizeof(*c));
	c->fd = fd;
	snprintf(c->peer, sizeof(c->peer), "%s", peer);
	c->heard_ns = c->said_ns = now_ns;
	c->silence_ns = silence_ms * MS_NS;
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		chan_fail(c, -errno, "%s: %s", c->peer, strerror(errno));
}

void
meas_chan_close(struct meas_chan *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	meas_framer_clear(&c->in);
	free(c->out);
	c->out = NULL;
	c->out_have = c->out_at = c->out_room = 0;
}

static void
bytes_send(struct meas_chan *c)
{
	while (c->out_at < c->out_have && !c->error) {
		ssize_t n = send(c->fd, c->out + c->out_at, c->out_have - c->out_at,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		/* the connection was never established */
		if (n < 0 && errno != EPIPE && errno != ECONNRESET) {
			chan_fail(c, -errno, "%s: %s%s", c->peer, strerror(errno),
				errno == ECONNREFUSED ? " (is ibhcatest waiting there?)" : "");
			return;
		}
		/* Data that the peer sent before it closed may still be readable. */
		if (n < 0) {
			c->out_have = c->out_at = 0;
			return;
		}
		c->out_at += (size_t)n;
	}
	/* Removes sent bytes to make room, rarely. */
	if (c->out_at > OUT_MAX) {
		memmove(c->out, c->out + c->out_at, c->out_have - c->out_at);
		c->out_have -= c->out_at;
		c->out_at = 0;
	}
	if (c->out_at == c->out_have)
		c->out_have = c->out_at = 0;
}

static void
bytes_append(struct meas_chan *c, const uint8_t *b, size_t n)
{
	GROW_TO(c->out, c->out_have + n, c->out_room, 4096);
	memcpy(c->out + c->out_have, b, n);
	c->out_have += n;
}

void
meas_chan_packet(struct meas_chan *c, const uint8_t *b, size_t bytes, uint64_t now_ns)
{
	uint8_t header[MEAS_HEADER_BYTES];

	if (c->error || bytes > MEAS_PACKET_MAX || c->out_have - c->out_at > PACKETS_MAX)
		return;
	meas_packet_header(header, bytes);
	bytes_append(c, header, sizeof(header));
	bytes_append(c, b, bytes);
	c->said_ns = now_ns;
}

void
meas_chan_send(struct meas_chan *c, json_t *o, uint64_t now_ns)
{
	size_t n = 0;
	uint8_t *b = meas_frame(o, &n);

	json_decref(o);
	if (!b)
		bug("a control message of more than %u bytes", MEAS_BODY_MAX);
	if (!c->error && c->out_have - c->out_at + n > OUT_MAX + (c->packet ? PACKETS_MAX : 0))
		chan_fail(c, -ETIMEDOUT, "%s takes in nothing", c->peer);
	if (!c->error) {
		bytes_append(c, b, n);
		c->said_ns = now_ns;
		bytes_send(c);
	}
	free(b);
}

static const char *
frame_problem(int r)
{
	return r == -EMSGSIZE ? "sent a message of an impossible length" :
		r == -EBADMSG ? "sent a message that cannot be read" :
		"does not speak ibhcatest's protocol";
}

/* Reads until a message is complete or '*budget' is used up. */
static int
bytes_receive(struct meas_chan *c, uint64_t now_ns, json_t **o, int *budget)
{
	uint8_t b[16384];

	for (;;) {
		int r = meas_framer_next(&c->in, o);
		ssize_t n;

		if (r < 0)
			return chan_fail(c, -EPROTO, "%s %s", c->peer, frame_problem(r));
		if (r > 0)
			*budget -= FRAME_COST_BYTES;
		if (r == 1)
			return 1;
		if (r == 2 && !c->packet)
			return chan_fail(c, -EPROTO, "%s sent packets that nobody asked for",
				c->peer);
		if (r == 2) {
			c->packet(c->packet_arg, c->in.packet, c->in.packet_bytes);
			continue;
		}
		if (*budget <= 0)
			return 0;
		/* Reads no further than the frame: the rest stays in the socket. */
		n = recv(c->fd, b, sizeof(b), MSG_PEEK | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0)
			return chan_fail(c, -ECONNRESET, "%s: the control connection broke: %s",
				c->peer, strerror(errno));
		if (n == 0)
			return chan_fail(c, -ECONNRESET,
				"%s: the other end is gone (it closed the control connection)",
				c->peer);
		c->heard_ns = now_ns;
		n = (ssize_t)meas_framer_feed(&c->in, b, (size_t)n);
		if (n > 0 && recv(c->fd, b, (size_t)n, MSG_DONTWAIT) != n)
			return chan_fail(c, -EIO, "%s: the control connection lost bytes", c->peer);
		*budget -= (int)n;
	}
}

void
meas_chan_busy(struct meas_chan *c, uint32_t ms, uint64_t now_ns)
{
	if (!c->error)
		meas_chan_send(c, json_pack("{s:s,s:I}", "msg", "busy", "ms", (json_int_t)ms),
			now_ns);
}

/* Handles signs of life.  True: 'o' was one. */
static bool
is_life(struct meas_chan *c, const json_t *o)
{
	const char *msg = json_string_value(json_object_get(o, "msg"));
	json_int_t ms = json_integer_value(json_object_get(o, "ms"));

	c->patience_ns = 0;
	if (!strcmp(msg, "alive"))
		return true;
	if (strcmp(msg, "busy"))
		return false;
	c->patience_ns = (ms < 0 ? 0 : ms > MEAS_BUSY_MAX_MS ? MEAS_BUSY_MAX_MS : (uint64_t)ms) *
		MS_NS;
	return true;
}

int
meas_chan_turn(struct meas_chan *c, uint64_t now_ns, json_t **o)
{
	int budget = TURN_BYTES, r;

	for (;;) {
		if (c->error)
			return c->error;
		bytes_send(c);
		r = bytes_receive(c, now_ns, o, &budget);
		if (r < 0)
			return r;
		if (r == 1 && !is_life(c, *o))
			return 1;
		if (r == 0)
			break;
		json_decref(*o);
	}
	if (now_ns > c->heard_ns && now_ns - c->heard_ns > c->silence_ns + c->patience_ns)
		return chan_fail(c, -ETIMEDOUT, "%s: the other end has said nothing for %.1f s",
			c->peer, (double)(c->silence_ns + c->patience_ns) / 1e9);
	if (now_ns > c->said_ns && now_ns - c->said_ns > ALIVE_NS)
		meas_chan_send(c, json_pack("{s:s}", "msg", "alive"), now_ns);
	return c->error;
}

int
meas_chan_wait_ms(const struct meas_chan *c, uint64_t now_ns)
{
	uint64_t at = c->said_ns + ALIVE_NS;

	if (c->heard_ns + c->silence_ns + c->patience_ns < at)
		at = c->heard_ns + c->silence_ns + c->patience_ns;
	return at <= now_ns ? 1 : (int)((at - now_ns) / MS_NS) + 1;
}

bool
meas_chan_full(const struct meas_chan *c)
{
	return c->out_have > 0;
}

static int64_t
clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
meas_chan_flush(struct meas_chan *c, int ms)
{
	struct pollfd p = { .fd = c->fd, .events = POLLOUT };
	int64_t until = clock_ms() + ms, left = ms;

	bytes_send(c);
	while (meas_chan_full(c) && !c->error && left > 0 && poll(&p, 1, (int)left) > 0) {
		bytes_send(c);
		left = until - clock_ms();      /* the peer may read byte by byte */
	}
}
