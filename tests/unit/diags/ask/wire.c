/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * wire.c - a port whose other end is the test.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "diags/core/settings.h"
#include "tests/unit/diags/ask/wire.h"

static const struct diag_tool tool = { .name = "test" };

static int
wire_port(struct io *io, struct io_port *p)
{
	*p = ((struct wire *)io)->port;
	return 0;
}

static int
wire_add_class(struct io *io, const struct io_class *c, char *why)
{
	struct wire *w = (struct wire *)io;

	w->classes++;
	if (!w->refuses)
		return 0;
	snprintf(why, IO_WHY_BYTES, "class 0x%02x is somebody else's", c->mgmt_class);
	return -EBUSY;
}

static int
wire_send(struct io *io, struct dgram *g, int timeout_ms)
{
	struct wire *w = (struct wire *)io;

	assert_true(w->nsent < WIRE_SENT_MAX);
	w->sent[w->nsent++] = *g;
	return w->on_send ? w->on_send(w, g, timeout_ms) : 0;
}

static int
wire_recv(struct io *io, struct dgram *g)
{
	struct wire *w = (struct wire *)io;

	if (!w->n)
		return w->gone ? -EIO : 0;
	*g = w->queue[w->first];
	w->first = (w->first + 1) % WIRE_QUEUE_MAX;
	w->n--;
	return 1;
}

static int
wire_fd(struct io *io)
{
	(void)io;
	return -1;
}

static int
wire_wait(struct io *io, int timeout_ms)
{
	struct wire *w = (struct wire *)io;

	(void)timeout_ms;
	if (!w->n) {
		assert_non_null(w->idle);
		w->idle(w);
	}
	return w->n ? 0 : -ETIMEDOUT;
}

static int
wire_issm(struct io *io, bool on, char *why)
{
	(void)io;
	(void)on;
	(void)why;
	return -ENODEV;
}

static void
wire_close(struct io *io)
{
	((struct wire *)io)->closed++;
}

int
wire_begin(void **state)
{
	static const struct io_ops ops = {
		.port = wire_port,
		.add_class = wire_add_class,
		.send = wire_send,
		.recv = wire_recv,
		.fd = wire_fd,
		.wait = wire_wait,
		.issm = wire_issm,
		.close = wire_close,
	};
	struct wire *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->io.ops = &ops;
	w->port = (struct io_port){ .ca_name = "wire0",
		.port = 1,
		.infiniband = true,
		.lid = 7,
		.sm_lid = 3,
		.port_guid = 0x77 };
	diag_begin(&w->d, &tool, &diag_asking_ports, "test");
	diag_hush(&w->d, true);
	engine_open(&w->d, &w->io, NULL);
	*state = w;
	return 0;
}

int
wire_end(void **state)
{
	struct wire *w = *state;

	diag_clear(&w->d);
	for (; w->n; w->n--, w->first = (w->first + 1) % WIRE_QUEUE_MAX)
		free(w->queue[w->first].more);
	free(w);
	return 0;
}

void
wire_arrive(struct wire *w, const struct dgram *g)
{
	assert_true(w->n < WIRE_QUEUE_MAX);
	w->queue[(w->first + w->n++) % WIRE_QUEUE_MAX] = *g;
}

void
wire_answer(struct wire *w, const struct dgram *g, uint16_t status, const uint8_t *data)
{
	struct dgram a = *g;

	dgram_set_method(a.mad, METHOD_GET_RESP);
	if (dgram_class(a.mad) == CLASS_SM_DR)
		dgram_set_direction(a.mad);
	dgram_set_status(a.mad, status);
	if (data)
		memcpy(dgram_smp_data(a.mad), data, DGRAM_SMP_DATA_BYTES);
	a.bytes = DGRAM_BYTES;
	wire_arrive(w, &a);
}

void
wire_return(struct wire *w, const struct dgram *g)
{
	struct dgram a = *g;

	a.status = ETIMEDOUT;
	wire_arrive(w, &a);
}

static void
nap(struct wire *w)
{
	(void)w;
	usleep(1000);
}

void
wire_hasten(struct wire *w)
{
	diag_settings_mut(&w->d)->timeout_ms = 1;
	engine_conf(&w->d, 0, RETRY_TOOL_SINGLE);
	w->idle = nap;
}
