/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * umad.c - the libibumad back end: a port of a real adapter, or a simulated one of heddle-sim or
 * ibsim.
 * Room: libmad/io.  The only file of the libraries that includes <infiniband/umad.h>.
 *
 * The library reports some failures in errno only, and a failed umad_recv() leaves its length
 * argument unchanged.  So this file checks the return value first, and uses the length only after
 * success or ENOSPC.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libmad/io/io.h"
#include "util/xalloc.h"

#define RMPP_RETRIES 3          /* retries of a segment without ACK, made by the kernel */
/* size of the memory into which a too long message is read and discarded */
#define DISCARD_BYTES (1 << 20)

struct umad_end {
	struct io io;           /* first: the handle is the end */
	char ca[IO_NAME_BYTES];
	int port;
	int portid;             /* libibumad's port ID; -1: none */
	int issm_fd;
	int agents[256];        /* by class; -1: not added */
	uint8_t rmpp[256];
	uint32_t receive_max[256];
	/* size of the umad header, which is in dgram.front directly before the MAD */
	size_t head_bytes;
};

static int __attribute__((format(printf, 3, 4)))
error_say(char *why, int err, const char *fmt, ...)
{
	va_list ap;

	if (why) {
		va_start(ap, fmt);
		vsnprintf(why, IO_WHY_BYTES, fmt, ap);
		va_end(ap);
	}
	return err;
}

static struct umad_end *
end_of(struct io *io)
{
	return (struct umad_end *)io;
}

static bool
is_infiniband(const umad_port_t *p)
{
	return !strcmp(p->link_layer, "InfiniBand") || !strcmp(p->link_layer, "IB");
}

static struct io_port
port_from(const umad_port_t *p)
{
	struct io_port o = {
		.port = (uint8_t)p->portnum, .infiniband = is_infiniband(p),
		.state = (uint8_t)p->state, .phys_state = (uint8_t)p->phys_state,
		.lmc = (uint8_t)p->lmc, .sm_sl = (uint8_t)p->sm_sl,
		.lid = (uint16_t)p->base_lid, .sm_lid = (uint16_t)p->sm_lid,
		.cap_mask = ntohl(p->capmask),
		.port_guid = be64toh(p->port_guid), .gid_prefix = be64toh(p->gid_prefix),
	};

	snprintf(o.ca_name, sizeof o.ca_name, "%s", p->ca_name);
	return o;
}

static void
add_ca(struct io_port *o, const umad_ca_t *ca)
{
	o->node_type = (uint8_t)ca->node_type;
	o->node_guid = be64toh(ca->node_guid);
}

static int
umad_port_of(struct io *io, struct io_port *o)
{
	struct umad_end *e = end_of(io);
	umad_port_t p;
	umad_ca_t ca;

	if (umad_get_port(e->ca, e->port, &p) < 0)
		return -EIO;
	*o = port_from(&p);
	umad_release_port(&p);
	if (umad_get_ca(e->ca, &ca) == 0) {
		add_ca(o, &ca);
		umad_release_ca(&ca);
	}
	return 0;
}

int
io_umad_list(struct io_port *ports, int max, char *why)
{
	char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	int n, found = 0, seen = 0;
	umad_ca_t ca;

	umad_init();
	n = umad_get_cas_names(names, UMAD_MAX_DEVICES);
	for (int i = 0; i < n; i++) {
		if (umad_get_ca(names[i], &ca) < 0)
			continue;
		for (int k = 0; k < UMAD_CA_MAX_PORTS; k++) {
			if (!ca.ports[k] || ++seen == 0 || !is_infiniband(ca.ports[k]) ||
			    found >= max)
				continue;
			ports[found] = port_from(ca.ports[k]);
			add_ca(&ports[found++], &ca);
		}
		umad_release_ca(&ca);
	}
	if (seen && !found && max > 0)
		return error_say(why, -EPROTONOSUPPORT,
			"there is no InfiniBand port: all %d ports found have another link layer",
			seen);
	if (!seen)
		return error_say(why, -ENODEV, "there is no InfiniBand device on this machine");
	return found;
}

static unsigned long
method_word(const uint64_t methods[2], unsigned word)
{
	unsigned bits = sizeof(long) * CHAR_BIT;
	unsigned long v = 0;

	for (unsigned b = 0; b < bits; b++) {
		unsigned m = word * bits + b;

		if (methods[m / 64] >> (m % 64) & 1)
			v |= 1ul << b;
	}
	return v;
}

static int
umad_add_class(struct io *io, const struct io_class *c, char *why)
{
	struct umad_end *e = end_of(io);
	long mask[16 / sizeof(long)];
	uint8_t oui[3] = { (uint8_t)(c->oui >> 16), (uint8_t)(c->oui >> 8), (uint8_t)c->oui };
	bool range2 = c->mgmt_class >= CLASS_VENDOR2_FIRST && c->mgmt_class <= CLASS_VENDOR2_LAST;
	bool asks = c->methods[0] || c->methods[1];
	int id;

	if (e->agents[c->mgmt_class] >= 0)
		return error_say(why, -EEXIST, "class 0x%02x is registered already", c->mgmt_class);
	for (unsigned i = 0; i < 16 / sizeof(long); i++)
		mask[i] = (long)method_word(c->methods, i);
	errno = 0;
	if (range2)
		id = umad_register_oui(
			e->portid, c->mgmt_class, c->rmpp_version, oui, asks ? mask : NULL);
	else
		id = umad_register(e->portid, c->mgmt_class, c->class_version, c->rmpp_version,
			asks ? mask : NULL);
	if (id < 0 && (errno == EIO || errno == ENODEV))
		return error_say(why, -EIO, "device %s is gone", e->ca);
	if (id < 0)
		return error_say(why, -EBUSY,
			"the kernel refused management class 0x%02x on %s port %d: another program "
			"(a subnet manager?) has it, or the port does not offer it",
			c->mgmt_class, e->ca, e->port);
	e->agents[c->mgmt_class] = id;
	e->rmpp[c->mgmt_class] = c->rmpp_version;
	e->receive_max[c->mgmt_class] = c->receive_max;
	return 0;
}

static void
put_addr(void *umad, size_t head_bytes, const struct dgram_addr *a)
{
	ib_mad_addr_t *o = &((ib_user_mad_t *)umad)->addr;

	memset(umad, 0, head_bytes);
	o->qpn = htonl(a->qpn);
	o->qkey = htonl(a->qpn ? QKEY_GSI : 0);
	o->lid = htons(a->lid);
	o->sl = a->sl;
	o->path_bits = a->path_bits;
	o->grh_present = a->grh;
	o->pkey_index = a->pkey_index;
	if (!a->grh)
		return;
	o->gid_index = a->gid_index;
	o->hop_limit = a->hop_limit;
	o->traffic_class = a->traffic_class;
	o->flow_label = htonl(a->flow_label);
	memcpy(o->gid, a->gid, sizeof a->gid);
}

static void
get_addr(const void *umad, struct dgram_addr *a)
{
	const ib_mad_addr_t *i = &((const ib_user_mad_t *)umad)->addr;

	memset(a, 0, sizeof *a);
	a->lid = ntohs(i->lid);
	a->pkey_index = i->pkey_index;
	a->qpn = ntohl(i->qpn);
	a->sl = i->sl;
	a->path_bits = i->path_bits;
	a->grh = i->grh_present;
	if (!a->grh)
		return;
	a->gid_index = i->gid_index;
	a->hop_limit = i->hop_limit;
	a->traffic_class = i->traffic_class;
	a->flow_label = ntohl(i->flow_label);
	memcpy(a->gid, i->gid, sizeof a->gid);
}

static void *
front_of(const struct umad_end *e, struct dgram *d)
{
	return d->front + DGRAM_FRONT_BYTES - e->head_bytes;
}

static int
umad_send_dgram(struct io *io, struct dgram *d, int timeout_ms)
{
	struct umad_end *e = end_of(io);
	uint8_t mgmt_class = dgram_class(d->mad);
	int agent = e->agents[mgmt_class], r, err;
	bool rmpp = e->rmpp[mgmt_class] && dgram_rmpp_active(d->mad);
	void *buf = front_of(e, d);

	if (agent < 0 ||
	    (d->bytes > DGRAM_BYTES && (!rmpp || !d->more || d->bytes > INT_MAX - 256)))
		return -EINVAL;
	if (d->bytes > DGRAM_BYTES) {
		buf = xcalloc(1, e->head_bytes + d->bytes);
		memcpy(umad_get_mad(buf), d->more, d->bytes);
	}
	put_addr(buf, e->head_bytes, &d->addr);
	errno = 0;
	r = umad_send(e->portid, agent, buf, rmpp ? (int)d->bytes : DGRAM_BYTES, timeout_ms,
		rmpp ? RMPP_RETRIES : 0);
	err = errno;
	if (d->bytes > DGRAM_BYTES)
		free(buf);
	if (r >= 0)
		return 0;
	return err == EINVAL || err == EAGAIN || err == ENOMEM || err == ENOBUFS ? -err : -EIO;
}

/* What was read into 'buf', 'n' bytes behind its header, the first of which are in d->mad. */
static void
dgram_fill(struct dgram *d, const void *buf, int n)
{
	uint32_t bytes = n < 0 ? 0 : (uint32_t)n;

	get_addr(buf, &d->addr);
	d->status = (int)((const ib_user_mad_t *)buf)->status;
	d->more = NULL;
	if (d->status)
		bytes = 24;             /* a send that came back: only its MAD header */
	d->bytes = bytes;
	if (bytes < DGRAM_BYTES)
		memset(d->mad + bytes, 0, DGRAM_BYTES - bytes);
}

/*
 * Address space for 'bytes' that are written and never read: after the first DISCARD_BYTES, the
 * same memory is mapped repeatedly.
 */
static char *
map_sink(size_t bytes)
{
	int fd = memfd_create("heddle-discard", MFD_CLOEXEC);
	int rw = PROT_READ | PROT_WRITE;
	char *base = mmap(NULL, bytes, rw, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fd >= 0 && ftruncate(fd, DISCARD_BYTES) == 0 && base != MAP_FAILED)
		for (size_t at = DISCARD_BYTES; at + DISCARD_BYTES <= bytes; at += DISCARD_BYTES)
			if (mmap(base + at, DISCARD_BYTES, rw, MAP_SHARED | MAP_FIXED, fd, 0) ==
			    MAP_FAILED)
				break;  /* the rest keeps separate memory */
	if (fd >= 0)
		close(fd);
	return base;
}

/*
 * Drops the device's first message, which is longer than the limit.  The kernel removes it only
 * when a read has room for all of it.  Its beginning is already in 'd'.
 */
static int
discard_long(struct umad_end *e, struct dgram *d, int n)
{
	size_t bytes =
		(e->head_bytes + (size_t)n + DISCARD_BYTES - 1) & ~(size_t)(DISCARD_BYTES - 1);
	char *sink = map_sink(bytes);
	int r, got = n;

	if (sink == MAP_FAILED)
		return -EIO;
	errno = 0;
	r = umad_recv(e->portid, sink, &got, 0);
	munmap(sink, bytes);
	if (r == -EAGAIN || r == -EWOULDBLOCK)
		return 0;
	if (r < 0)
		return -EIO;
	get_addr(front_of(e, d), &d->addr);
	d->status = EMSGSIZE;
	d->bytes = (uint32_t)n;
	d->more = NULL;
	return 1;
}

/* Reads the device's first message of 'n' bytes; its header and first 256 bytes are in 'd'. */
static int
receive_long(struct umad_end *e, struct dgram *d, int n)
{
	char *buf;
	int r, want = n;

	/* sizes of 2 GiB and more are negative, and cannot be read */
	if (n <= DGRAM_BYTES)
		return -EIO;
	if ((uint32_t)n > e->receive_max[dgram_class(d->mad)])
		return discard_long(e, d, n);
	buf = xcalloc(1, e->head_bytes + (size_t)n);
	errno = 0;
	r = umad_recv(e->portid, buf, &n, 0);
	if (r < 0 || n < DGRAM_BYTES || n > want) {
		free(buf);
		return r == -EAGAIN || r == -EWOULDBLOCK ? 0 : -EIO;
	}
	memcpy(d->mad, umad_get_mad(buf), DGRAM_BYTES);
	dgram_fill(d, buf, n);
	if (d->bytes > DGRAM_BYTES) {
		/* The message keeps the buffer it was read into. */
		memmove(buf, umad_get_mad(buf), d->bytes);
		d->more = (uint8_t *)buf;
		return 1;
	}
	free(buf);
	return 1;
}

static int
umad_recv_dgram(struct io *io, struct dgram *d)
{
	struct umad_end *e = end_of(io);
	int n = DGRAM_BYTES, r;

	r = umad_recv(e->portid, front_of(e, d), &n, 0);
	if (r >= 0) {
		dgram_fill(d, front_of(e, d), n > DGRAM_BYTES ? DGRAM_BYTES : n);
		return 1;
	}
	if (r == -ENOSPC)
		return receive_long(e, d, n);
	if (r == -EAGAIN || r == -EWOULDBLOCK || r == -ETIMEDOUT || r == -EINTR)
		return 0;
	return -EIO;
}

static int
umad_fd(struct io *io)
{
	return umad_get_fd(end_of(io)->portid);
}

static int
umad_wait(struct io *io, int timeout_ms)
{
	return umad_poll(end_of(io)->portid, timeout_ms);
}

static int
umad_issm(struct io *io, bool on, char *why)
{
	struct umad_end *e = end_of(io);
	char path[PATH_MAX];
	int err;

	if (!on) {
		if (e->issm_fd >= 0)
			close(e->issm_fd);
		e->issm_fd = -1;
		return 0;
	}
	if (e->issm_fd >= 0)
		return 0;
	if (umad_get_issm_path(e->ca, e->port, path, sizeof path) < 0)
		return error_say(why, -ENODEV, "%s port %d has no issm device", e->ca, e->port);
	e->issm_fd = open(path, O_NONBLOCK | O_CLOEXEC);
	if (e->issm_fd >= 0)
		return 0;
	err = errno;
	if (err == EAGAIN || err == EBUSY)
		return error_say(
			why, -EBUSY, "another subnet manager of this machine holds %s", path);
	if (err == EACCES || err == EPERM)
		return error_say(why, -EACCES, "no permission to open %s", path);
	return error_say(why, -ENODEV, "cannot open %s: %s", path, strerror(err));
}

static void
umad_close_end(struct io *io)
{
	struct umad_end *e = end_of(io);

	umad_issm(io, false, NULL);
	if (e->portid >= 0)
		umad_close_port(e->portid);
	free(e);
}

static const struct io_ops umad_ops = {
	.port = umad_port_of, .add_class = umad_add_class, .send = umad_send_dgram,
	.recv = umad_recv_dgram,
	.fd = umad_fd, .wait = umad_wait, .issm = umad_issm, .close = umad_close_end,
};

/* Rank of a port when none is named: ACTIVE before linked before not disabled. */
static int
port_rank(const struct io_port *p)
{
	return p->state == PORT_STATE_ACTIVE ? 3 : p->phys_state == PHYS_STATE_LINK_UP ? 2 :
		p->phys_state != PHYS_STATE_DISABLED;
}

/*
 * While no port is ACTIVE, as before a subnet manager has run, the library chooses the first port
 * that is not disabled, even if its link layer is Ethernet.  This function repeats the choice among
 * InfiniBand ports only, those of 'ca' if it is named.
 */
static int
choose_infiniband(const char *ca, umad_port_t *p, char *why)
{
	struct io_port all[UMAD_MAX_DEVICES];
	const struct io_port *best = NULL;
	int n = io_umad_list(all, UMAD_MAX_DEVICES, why);

	for (int i = 0; i < n; i++)
		if ((!ca || !strcmp(all[i].ca_name, ca)) &&
		    (!best || port_rank(&all[i]) > port_rank(best)))
			best = &all[i];
	if (best && umad_get_port(best->ca_name, best->port, p) >= 0)
		return 0;
	if (ca)
		return error_say(why, -EPROTONOSUPPORT, "device '%s' has no InfiniBand port", ca);
	return error_say(why, -ENODEV, "no port of this machine is an InfiniBand port");
}

/* Resolves 'ca' and 'port'; the library chooses if none is named. */
static int
port_choose(const char *ca, int port, umad_port_t *p, char *why)
{
	char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	umad_ca_t any;
	int n;

	if (umad_get_port(ca, port < 0 ? UMAD_ANY_PORT : port, p) >= 0) {
		if (port >= 0 || is_infiniband(p))
			return 0;
		umad_release_port(p);
		return choose_infiniband(ca, p, why);
	}
	if (ca && port >= 0)
		return error_say(why, -ENODEV, "there is no port %d of a device '%s'", port, ca);
	if (ca)
		return error_say(why, -ENODEV,
			"there is no device '%s', or it has no usable InfiniBand port", ca);
	n = umad_get_cas_names(names, UMAD_MAX_DEVICES);
	if (n > 0 && umad_get_ca(names[0], &any) == 0) {
		umad_release_ca(&any);
		return error_say(
			why, -ENODEV, "no port of this machine is a usable InfiniBand port");
	}
	return error_say(why, -ENODEV, "there is no InfiniBand device on this machine");
}

static int
open_port(const char *ca, int port)
{
	errno = 0;
#ifdef HAVE_UMAD_OPEN_SMI_PORT
	/* On adapters split into planes only one device of a port has QP0.  If this fails, only
	 * QP1 is available. */
	int id = umad_open_smi_port(ca, port);

	if (id >= 0)
		return id;
	errno = 0;
#endif
	return umad_open_port(ca, port);
}

int
io_umad_open(const char *ca, int port, struct io **io, char *why)
{
	struct io_port id;

	return io_umad_open_port(ca, port, io, &id, why);
}

int
io_umad_open_port(const char *ca, int port, struct io **io, struct io_port *opened, char *why)
{
	struct umad_end *e;
	struct io_port id;
	umad_port_t p;
	int portid, r;

	*io = NULL;
	umad_init();
	if (ca && !*ca)
		ca = NULL;
	r = port_choose(ca, port, &p, why);
	if (r < 0)
		return r;
	id = port_from(&p);
	umad_release_port(&p);
	if (!id.infiniband)
		return error_say(why, -EPROTONOSUPPORT, "%s port %d is not an InfiniBand port",
			id.ca_name, id.port);
	portid = open_port(id.ca_name, id.port);
	if (portid >= 0 && umad_size() > DGRAM_FRONT_BYTES) {
		umad_close_port(portid);
		return error_say(why, -EIO,
			"libibumad puts %zu bytes before a MAD, more than this program knows of",
			umad_size());
	}
	if (portid < 0 && (errno == EACCES || errno == EPERM))
		return error_say(why, -EACCES,
			"no permission to open the management device of %s port %d "
			"(/dev/infiniband/umad*)",
			id.ca_name, id.port);
	if (portid < 0)
		return error_say(why, -EIO, "cannot open %s port %d: %s", id.ca_name, id.port,
			strerror(errno ? errno : -portid));
	e = xcalloc(1, sizeof *e);
	e->io.ops = &umad_ops;
	memcpy(e->ca, id.ca_name, sizeof e->ca);
	e->port = id.port;
	e->portid = portid;
	e->issm_fd = -1;
	for (unsigned i = 0; i < 256; i++)
		e->agents[i] = -1;
	e->head_bytes = umad_size();
	*io = &e->io;
	*opened = id;
	return 0;
}
