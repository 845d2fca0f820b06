/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_vca.c - the carrier of virtual adapters, with this test at the other end of the device: a
 * socket.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sim/serve/vca.h"
#include "sim/serve/vca_wire.h"
#include "tests/unit/hw/rig.h"

struct bench {
	struct rig rig;
	struct server server;
	char dir[64], path[96];
	int listener, device;
};

struct monotime
server_now(void)
{
	static struct monotime now;

	now.us += 1000;
	return now;
}

static int
vca_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char why[VCA_WHY];

	snprintf(b->dir, sizeof(b->dir), "/tmp/vca-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->path, sizeof(b->path), "%s/wire", b->dir);
	memcpy(a.sun_path, b->path, strlen(b->path));
	b->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(b->listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(b->listener, 4), 0);
	rig_make(&b->rig, &(struct hw_conf){ .seed = 1 });
	b->server.hw = b->rig.h;
	rig_bring_up(&b->rig);
	assert_true(sd_event_new(&b->server.event) >= 0);
	assert_int_equal(vca_add(&b->server, b->path, "H-a0", why), 0);
	assert_int_equal(vca_start(&b->server), 0);
	b->device = accept4(b->listener, NULL, NULL, SOCK_NONBLOCK);
	assert_true(b->device >= 0);
	*state = b;
	return 0;
}

static int
vca_teardown(void **state)
{
	struct bench *b = *state;

	vca_close_all(&b->server);
	sd_event_unref(b->server.event);
	hw_free(b->rig.h);
	if (b->device >= 0)
		close(b->device);
	close(b->listener);
	unlink(b->path);
	rmdir(b->dir);
	free(b);
	return 0;
}

static void
vca_server_run(struct bench *b)
{
	vca_flush(&b->server);
	while (sd_event_run(b->server.event, 0) > 0)
		vca_flush(&b->server);
}

static bool
frame_read(struct bench *b, struct vca_frame *f)
{
	uint8_t w[VCA_FRAME_BYTES + 1];
	ssize_t n = recv(b->device, w, sizeof(w), 0);

	return n > 0 && !vca_frame_decode(w, (size_t)n, f);
}

static void
read_birth(struct bench *b)
{
	struct vca_create c;
	struct vca_frame f;

	assert_int_equal(recv(b->device, &c, sizeof(c), 0), sizeof(c));
	assert_int_equal(c.version, VCA_VERSION);
	assert_int_equal(c.nports, 1);
	assert_int_equal(c.port_guid[0], GUID_A + 1);
	assert_int_equal(c.node_info[3], 1);
	assert_memory_equal(c.node_desc, "host a", 7);
	assert_true(frame_read(b, &f));
	assert_int_equal(f.kind, VCA_LINK);
	assert_int_equal(f.port, 1);
	assert_int_equal(f.life, hw_link_life(b->rig.h, A, 1));
}

static uint64_t
counted(struct bench *b, const char *name)
{
	json_t *all = vca_json(&b->server);
	json_int_t n = json_integer_value(json_object_get(json_object_get(all, "H-a0"), name));

	json_decref(all);
	return (uint64_t)n;
}

static void
ping(struct bench *b, uint64_t tid)
{
	rig_lid_make(&b->rig, CLASS_PING, METHOD_GET, 0, 0, 4, 1);
	wire_put64(b->rig.p.mad + 8, tid);
	hw_send(b->rig.h, B, 1, &b->rig.p, b->rig.now);
}

static void
born_with_its_images(void **state)
{
	struct bench *b = *state;

	read_birth(b);
	assert_int_equal(counted(b, "open"), 1);
}

static void
packets_both_ways(void **state)
{
	struct bench *b = *state;
	struct vca_frame f;
	struct hw_packet p = { 0 };
	uint8_t w[VCA_FRAME_BYTES];

	read_birth(b);
	ping(b, 7);
	vca_server_run(b);
	assert_true(frame_read(b, &f));
	assert_int_equal(f.kind, VCA_MAD);
	assert_int_equal(dgram_tid(f.packet.mad), 7);
	assert_int_equal(f.packet.slid, 4);
	f.packet.dlid = 4;
	f.packet.slid = 1;
	f.packet.mad[3] |= METHOD_RESP;
	vca_frame_encode(w, &f);
	assert_int_equal(send(b->device, w, sizeof(w), 0), sizeof(w));
	vca_server_run(b);
	assert_true(rig_delivered(&b->rig, B, 1, &p));
	assert_int_equal(dgram_tid(p.mad), 7);
	assert_int_equal(counted(b, "frames_in"), 1);
}

/* More than a socket holds: all of them, in order, once they are read. */
static void
what_is_not_taken_waits(void **state)
{
	struct bench *b = *state;
	struct vca_frame f;
	uint64_t next = 1;

	read_birth(b);
	for (uint64_t i = 1; i <= 6000; i++)
		ping(b, i);
	vca_server_run(b);
	assert_true(counted(b, "frames_out") < 6000);
	while (next <= 6000 && frame_read(b, &f)) {
		assert_int_equal(dgram_tid(f.packet.mad), next++);
		if (next % 16 == 0)
			vca_server_run(b);
	}
	assert_int_equal(next, 6001);
	assert_int_equal(counted(b, "lost"), 0);
	assert_int_equal(counted(b, "frames_out"), 6001);
}

static void
too_much_is_lost(void **state)
{
	struct bench *b = *state;
	struct vca_frame f;
	uint64_t got = 0, last = 0;

	read_birth(b);
	for (uint64_t i = 1; i <= 12000; i++)
		ping(b, i);
	vca_server_run(b);
	assert_true(counted(b, "lost") > 0);
	for (; frame_read(b, &f); vca_server_run(b)) {
		assert_true(dgram_tid(f.packet.mad) > last);
		last = dgram_tid(f.packet.mad);
		got++;
	}
	assert_int_equal(got + counted(b, "lost"), 12000);
}

static void
frames_that_make_no_sense(void **state)
{
	struct bench *b = *state;
	struct vca_frame f = { .kind = VCA_MAD, .port = 1 };
	uint8_t w[VCA_FRAME_BYTES + 1] = { 0 };

	read_birth(b);
	vca_frame_encode(w, &f);
	assert_true(send(b->device, w, VCA_FRAME_BYTES - 1, 0) > 0);
	assert_true(send(b->device, w, VCA_FRAME_BYTES + 1, 0) > 0);
	w[VCA_AT_PORT] = 2;
	assert_true(send(b->device, w, VCA_FRAME_BYTES, 0) > 0);
	w[VCA_AT_PORT] = 0;
	assert_true(send(b->device, w, VCA_FRAME_BYTES, 0) > 0);
	w[VCA_AT_PORT] = 1;
	w[VCA_AT_KIND] = VCA_LINK;
	assert_true(send(b->device, w, VCA_FRAME_BYTES, 0) > 0);
	w[VCA_AT_KIND] = VCA_SET;
	assert_true(send(b->device, w, VCA_FRAME_BYTES, 0) > 0);        /* of no attribute */
	vca_server_run(b);
	assert_int_equal(counted(b, "refused"), 6);
	assert_int_equal(counted(b, "frames_in"), 0);
	assert_int_equal(counted(b, "open"), 1);
}

static void
links_are_told_of(void **state)
{
	struct bench *b = *state;
	struct vca_frame f;
	uint32_t life;

	read_birth(b);
	life = hw_link_life(b->rig.h, A, 1);
	hw_cable_pull(b->rig.h, A, 1, b->rig.now);
	vca_server_run(b);
	assert_true(frame_read(b, &f));
	assert_int_equal(f.kind, VCA_LINK);
	assert_int_equal(f.life, life + 1);
	assert_int_equal(f.data[32] & 15, 1);
	hw_cable_plug(b->rig.h, A, 1, S1, 1, b->rig.now);
	rig_wait(&b->rig, 1000000);
	vca_server_run(b);
	assert_true(frame_read(b, &f));
	assert_int_equal(f.life, life + 2);
	assert_int_equal(f.data[32] & 15, 2);
}

static void
power_is_the_plug(void **state)
{
	struct bench *b = *state;
	uint8_t byte;

	read_birth(b);
	hw_node_power(b->rig.h, A, false, b->rig.now);
	vca_server_run(b);
	assert_int_equal(recv(b->device, &byte, 1, 0), 0);
	close(b->device);
	assert_int_equal(counted(b, "open"), 0);
	hw_node_power(b->rig.h, A, true, b->rig.now);
	vca_server_run(b);
	b->device = accept4(b->listener, NULL, NULL, SOCK_NONBLOCK);
	assert_true(b->device >= 0);
	read_birth(b);
	/* and the other way: the device goes, its node is off */
	close(b->device);
	vca_server_run(b);
	assert_int_equal(hw_node_life(b->rig.h, A), 0);
	assert_int_equal(counted(b, "open"), 0);
	close(b->listener);
	hw_node_power(b->rig.h, A, true, b->rig.now);
	vca_server_run(b);
	assert_int_equal(hw_node_life(b->rig.h, A), 0); /* nobody listens */
	b->device = -1;
	b->listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, vca_setup, vca_teardown)
	const struct CMUnitTest tests[] = {
		T(born_with_its_images), T(packets_both_ways), T(what_is_not_taken_waits), T(too_much_is_lost), T(frames_that_make_no_sense),
		T(links_are_told_of), T(power_is_the_plug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
