/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * api.c - libibumad's functions for ports, MADs and agents.
 * Room: sim/shim.
 *
 * Each function behaves as libibumad's function of the same name: arguments, return values and
 * errno are the same, including its inconsistencies.  A function checks its arguments and calls
 * device.c (devices and agents), data.c (MADs) or info.c (the choice of a port).  cas.c has
 * libibumad's functions for CAs, text.c those for names.  heddle-umad.map lists what the library
 * exports.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmad/wire/wire.h"
#include "sim/shim/shim.h"

#define OUI_OPENIB 0x001405u

static _Atomic int debug_level;
/* A port was opened.  Only then libibumad's header has a P_Key index, which moves the MAD. */
static _Atomic bool opened;

/* ---- buffers ---- */

/* The shim calls these functions and not the exported ones: the dynamic linker can resolve an
 * exported name to a function of the program. */
static size_t
head_bytes(void)
{
	return atomic_load_explicit(&opened, memory_order_relaxed) ? sizeof(struct ib_user_mad) :
		offsetof(struct ib_user_mad, addr.pkey_index);
}

static ib_mad_addr_t *
addr_of(void *umad)
{
	return &((struct ib_user_mad *)umad)->addr;
}

static int
set_addr(ib_mad_addr_t *a, __be16 dlid, __be32 dqp, int sl, __be32 qkey)
{
	a->qpn = dqp;
	a->lid = dlid;
	a->qkey = qkey;
	a->sl = (uint8_t)sl;
	return 0;
}

EXPORT size_t
umad_size(void)
{
	return head_bytes();
}

EXPORT void *
umad_get_mad(void *umad)
{
	return (char *)umad + head_bytes();
}

EXPORT ib_mad_addr_t *
umad_get_mad_addr(void *umad)
{
	return addr_of(umad);
}

EXPORT int
umad_status(void *umad)
{
	return (int)((struct ib_user_mad *)umad)->status;
}

EXPORT int
umad_set_addr_net(void *umad, __be16 dlid, __be32 dqp, int sl, __be32 qkey)
{
	return set_addr(addr_of(umad), dlid, dqp, sl, qkey);
}

EXPORT int
umad_set_addr(void *umad, int dlid, int dqp, int sl, int qkey)
{
	return set_addr(addr_of(umad), wire_order16((uint16_t)dlid), wire_order32((uint32_t)dqp),
		sl, wire_order32((uint32_t)qkey));
}

EXPORT int
umad_set_grh(void *umad, void *mad_addr)
{
	ib_mad_addr_t *a = addr_of(umad);
	const ib_mad_addr_t *from = mad_addr;

	a->grh_present = from != NULL;
	if (!from)
		return 0;
	memcpy(a->gid, from->gid, sizeof(a->gid));
	/* here, libibumad expects the flow label in host order */
	a->flow_label = wire_order32(from->flow_label);
	a->hop_limit = from->hop_limit;
	a->traffic_class = from->traffic_class;
	return 0;
}

EXPORT int
umad_set_pkey(void *umad, int pkey_index)
{
	addr_of(umad)->pkey_index = (uint16_t)pkey_index;
	return 0;
}

EXPORT int
umad_get_pkey(void *umad)
{
	return addr_of(umad)->pkey_index;
}

/* ---- open and close ---- */

EXPORT int
umad_init(void)
{
	return 0;
}

EXPORT int
umad_done(void)
{
	return 0;
}

EXPORT int
umad_open_port(const char *ca_name, int portnum)
{
	if (info_resolve(ca_name, &portnum))
		return -ENODEV;
	if ((ca_name && strcmp(ca_name, info_ca_name())) || portnum < 0 || portnum >= SHIM_PORTS)
		return -EINVAL;
	portnum = device_open((uint8_t)portnum);
	if (portnum >= 0)
		atomic_store(&opened, true);
	return portnum;
}

EXPORT int
umad_close_port(int fd)
{
	device_close(fd);
	return 0;
}

EXPORT int
umad_get_fd(int fd)
{
	device_expose(fd);
	return fd;
}

EXPORT int
umad_get_issm_path(const char *ca_name, int portnum, char path[], int max)
{
	if (info_resolve(ca_name, &portnum))
		return -ENODEV;
	if (!info_has_port(ca_name, portnum))
		return -EINVAL;
	snprintf(path, (size_t)max, "/dev/infiniband/issm-%s-%d", info_ca_name(), portnum);
	return 0;
}

/* ---- MADs ---- */

EXPORT int
umad_send(int fd, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	struct ib_user_mad *u = umad;
	ssize_t n;

	errno = 0;
	u->timeout_ms = (uint32_t)timeout_ms;
	u->retries = (uint32_t)retries;
	u->agent_id = (uint32_t)agentid;
	if (atomic_load_explicit(&debug_level, memory_order_relaxed) > 1)
		umad_dump(umad);
	n = device_write(fd, u, length > 0 ? (size_t)length + sizeof(*u) : 0);
	if (n >= 0)
		return 0;
	errno = (int)-n;
	return -EIO;
}

static ssize_t
receive(int fd, struct ib_user_mad *u, const int *length, int timeout_ms)
{
	return device_read(fd, u, sizeof(*u) + (size_t)(*length > 0 ? *length : 0), timeout_ms ?
		READ_SPIN : READ_NOW);
}

/* Waits for a message and receives it.  Returns what umad_recv() returns. */
RING_SELDOM static int
wait_and_receive(int fd, struct ib_user_mad *u, int *length, int timeout_ms)
{
	ssize_t n = -EAGAIN;

	while (n == -EAGAIN && timeout_ms) {
		int r = device_wait(fd, timeout_ms);

		if (r < 0) {
			if (!errno)
				errno = -r;
			return r;
		}
		n = receive(fd, u, length, timeout_ms);
	}
	*length = (int)((n < 0 ? u->length : (size_t)n) - sizeof(*u));
	if (n >= 0)
		return (int)u->agent_id;
	errno = (int)-n;
	return (int)n;
}

EXPORT int
umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
	struct ib_user_mad *u = umad;
	ssize_t n;

	errno = 0;
	if (!umad || !length) {
		errno = EINVAL;
		return -EINVAL;
	}
	n = receive(fd, u, length, timeout_ms);
	if (n == -EAGAIN)
		return wait_and_receive(fd, u, length, timeout_ms);
	*length = (int)((n < 0 ? u->length : (size_t)n) - sizeof(*u));
	if (n >= 0)
		return (int)u->agent_id;
	errno = (int)-n;
	return (int)n;
}

EXPORT int
umad_poll(int fd, int timeout_ms)
{
	return device_wait(fd, timeout_ms);
}

/* ---- agents ---- */

static int
class_qp(int mgmt_class)
{
	return mgmt_class == 0x01 || mgmt_class == 0x81 ? 0 : 1;
}

/* Registers an agent.  Returns its id, or -EPERM for any failure; errno has the reason. */
static int
register_v1(int fd, struct shim_request *q, const long *method_mask)
{
	struct device *d = device_get(fd);
	uint32_t id;
	int r = EBADF;

	if (method_mask)
		memcpy(q->methods, method_mask, sizeof(q->methods));
	if (d) {
		r = device_register(d, q, &id);
		device_put(d);
	}
	if (!r)
		return (int)id;
	errno = r;
	return -EPERM;
}

EXPORT int
umad_register(int fd, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
	long method_mask[16 / sizeof(long)])
{
	struct shim_request q = {
		.mgmt_class = (uint8_t)mgmt_class, .class_version = (uint8_t)mgmt_version,
		.rmpp_version = rmpp_version, .qpn = (uint8_t)class_qp(mgmt_class),
		.oui = OUI_OPENIB,
	};

	return register_v1(fd, &q, method_mask);
}

EXPORT int
umad_register_oui(int fd, int mgmt_class, uint8_t rmpp_version, uint8_t oui[3],
	long method_mask[16 / sizeof(long)])
{
	struct shim_request q = {
		.mgmt_class = (uint8_t)mgmt_class, .class_version = 1, .rmpp_version = rmpp_version,
			.qpn = 1,
	};

	if (mgmt_class < 0x30 || mgmt_class > 0x4f)
		return -EINVAL;
	q.oui = (uint32_t)oui[0] << 16 | (uint32_t)oui[1] << 8 | oui[2];
	return register_v1(fd, &q, method_mask);
}

EXPORT int
umad_register2(int fd, struct umad_reg_attr *attr, uint32_t *agent_id)
{
	struct shim_request q;
	struct device *d;
	int r = EBADF;

	if (!attr || !agent_id)
		return EINVAL;
	if (attr->mgmt_class >= 0x30 && attr->mgmt_class <= 0x4f && (!(attr->oui & 0xffffff) ||
	    attr->oui & 0xff000000))
		return EINVAL;
	if (attr->flags & ~(uint32_t)UMAD_USER_RMPP) {
		attr->flags = 0;        /* as libibumad does for any answer of the kernel */
		return EINVAL;
	}
	q = (struct shim_request){
		.mgmt_class = attr->mgmt_class, .class_version = attr->mgmt_class_version,
		.rmpp_version = attr->rmpp_version, .qpn = (uint8_t)class_qp(attr->mgmt_class),
		.user_rmpp = attr->flags & UMAD_USER_RMPP ? 1 : 0, .oui = attr->oui,
		.methods = { attr->method_mask[0], attr->method_mask[1] },
	};
	d = device_get(fd);
	if (d) {
		r = device_register(d, &q, agent_id);
		device_put(d);
	}
	if (r == EINVAL)
		attr->flags = 0;
	return r;
}

EXPORT int
umad_unregister(int fd, int agentid)
{
	struct device *d = device_get(fd);
	int r = EBADF;

	if (d) {
		r = device_unregister(d, (uint32_t)agentid);
		device_put(d);
	}
	if (!r)
		return 0;
	errno = r;
	return -1;
}

/* ---- debug output ---- */

EXPORT int
umad_debug(int level)
{
	if (level >= 0)
		atomic_store(&debug_level, level);
	return atomic_load(&debug_level);
}

EXPORT void
umad_addr_dump(ib_mad_addr_t *a)
{
	char gid[33];

	for (size_t i = 0; i < sizeof(a->gid); i++)
		snprintf(gid + 2 * i, 3, "%02x", a->gid[i]);
	fprintf(stderr,
		"ibwarn: [%d] umad_addr_dump: qpn %d qkey 0x%x lid %u sl %d\n"
		"grh_present %d gid_index %d hop_limit %d traffic_class %d flow_label 0x%x pkey_index 0x%x\nGid 0x%s\n",
		getpid(), wire_order32(a->qpn), wire_order32(a->qkey), wire_order16(a->lid), a->sl,
		a->grh_present, a->gid_index, a->hop_limit, a->traffic_class, a->flow_label,
		a->pkey_index, gid);
}

EXPORT void
umad_dump(void *umad)
{
	struct ib_user_mad *u = umad;

	fprintf(stderr, "ibwarn: [%d] umad_dump: agent id %d status %x timeout %d\n", getpid(),
		u->agent_id, u->status,
		u->timeout_ms);
	umad_addr_dump(&u->addr);
}
