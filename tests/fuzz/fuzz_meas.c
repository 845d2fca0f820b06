/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_meas.c - the other end of a bandwidth test, or somebody who says to be that.
 *
 * The first byte says which end we are: 'c' is the client.  Then come lines: one that begins with '{' is sent as a message, 'P' and bytes as a packet of
 * a software adapter, and anything else as it is.  However it goes, the session is over when nobody says anything any more.
 */
#include <config.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/fuzz/fuzz.h"
#include "verbs/meas/session.h"
#include "verbs/soft/soft.h"

#define MS_NS UINT64_C(1000000)
#define BEGIN_NS (UINT64_C(1000) * 1000 * MS_NS)

static void
throw_away(int fd)
{
	char b[4096];

	while (recv(fd, b, sizeof(b), MSG_DONTWAIT) > 0)
		;
}

static void
say(int fd, const uint8_t *line, size_t n)
{
	uint8_t header[8] = { 'H', 'V', 'T', '1', (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n };

	if (n && line[0] == 'P') {
		line++;
		meas_packet_header(header, --n);
	}
	if (n && (line[0] == '{' || header[3] == 'P') && send(fd, header, sizeof(header), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
	if (n)
		send(fd, line, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
play(struct meas_session *s, int fd, const uint8_t *data, size_t size)
{
	uint64_t now = BEGIN_NS;

	while (size && s->state != MEAS_OVER) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t n = end ? (size_t)(end - data) : size;

		say(fd, data, n);
		data += end ? n + 1 : n;
		size -= end ? n + 1 : n;
		for (int i = 0; i < 4; i++, now += MS_NS)
			meas_session_turn(s, now);
		throw_away(fd);
	}
	for (int i = 0; i < 1000 && s->state != MEAS_OVER; i++, now += 1000 * MS_NS) {
		meas_session_turn(s, now);
		throw_away(fd);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct meas_limits limits = { .memory_bytes = 1 << 20, .run_ms = 1000, .session_s = 600 };
	struct verbs_world *world;
	struct meas_session *s;
	int fds[2];

	if (!size)
		return 0;
	s = calloc(1, sizeof(*s));
	FUZZ_CHECK(s && !socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	world = soft_world_new(NULL);
	s->choice.world = world;
	s->gid_index = -1;
	s->client = data[0] == 'c';
	s->limits = s->client ? NULL : &limits;
	s->test = meas_test_default(MEAS_BW);
	s->test.sizes[0] = 64;
	s->test.iterations = s->test.tx_depth = s->test.rx_depth = 4;
	s->test.memory_bytes = 1 << 16;
	meas_session_begin(s, fds[0], "peer", BEGIN_NS, 2000);
	play(s, fds[1], data + 1, size - 1);
	FUZZ_CHECK(s->state == MEAS_OVER);
	FUZZ_CHECK(s->nresults <= MEAS_SIZES_MAX && (s->status == EXIT_OK || s->why[0]));
	close(fds[1]);
	meas_session_end(s);
	meas_session_free_results(s);
	free(s);
	world->ops->world_free(world);
	return 0;
}
