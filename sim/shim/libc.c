/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * libc.c - replaces C library functions for the paths and descriptors of simulated devices.
 * Room: sim/shim.
 *
 * Some programs open or wait for umad devices without libibumad.  The library is preloaded, so the
 * functions below replace those of the C library.  Each one checks whether its path or
 * descriptor belongs to a simulated device (files.c, device.c), and otherwise calls the C library's
 * function (real.c).  Before a program waits for a device, by poll(), select() or epoll, the shim
 * sets up the doorbell (data.c), so that the real descriptor becomes readable.
 *
 * The file is compiled without fortification and large-file renaming: the names below are the
 * symbols of the library.
 */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include <config.h>
#undef _FILE_OFFSET_BITS
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "sim/shim/shim.h"

/* ---- open ---- */

static int
do_openat(int dir, const char *path, int flags, mode_t mode)
{
	int fd = files_open(path, flags);

	if (fd != FILES_NOT_OURS)
		return fd;
	return dir == AT_FDCWD ? real_libc()->open(path, flags, mode) : real_libc()->openat(dir,
		path, flags, mode);
}

#define MODE(last) \
	({ \
		mode_t m_ = 0; \
		if (flags & (O_CREAT | __O_TMPFILE)) { \
			va_list ap_; \
			va_start(ap_, last); \
			m_ = va_arg(ap_, mode_t); \
			va_end(ap_); \
		} \
		m_; \
	})

EXPORT int
open(const char *path, int flags, ...)
{
	return do_openat(AT_FDCWD, path, flags, MODE(flags));
}

EXPORT int
open64(const char *path, int flags, ...)
{
	return do_openat(AT_FDCWD, path, flags | O_LARGEFILE, MODE(flags));
}

EXPORT int
openat(int dir, const char *path, int flags, ...)
{
	return do_openat(dir, path, flags, MODE(flags));
}

EXPORT int
openat64(int dir, const char *path, int flags, ...)
{
	return do_openat(dir, path, flags | O_LARGEFILE, MODE(flags));
}

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

EXPORT int
__open_2(const char *path, int flags)
{
	return do_openat(AT_FDCWD, path, flags, 0);
}

EXPORT int
__open64_2(const char *path, int flags)
{
	return do_openat(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}

EXPORT int
__openat_2(int dir, const char *path, int flags)
{
	return do_openat(dir, path, flags, 0);
}

EXPORT int
__openat64_2(int dir, const char *path, int flags)
{
	return do_openat(dir, path, flags | O_LARGEFILE, 0);
}

/* ---- descriptors ---- */

EXPORT int
close(int fd)
{
	return device_close(fd) ? 0 : real_libc()->close(fd);
}

/* Performs read(2) of an open device.  It never waits, because libibumad opens devices with
 * O_NONBLOCK. */
static ssize_t
read_device(int fd, void *buf, size_t bytes)
{
	ssize_t n = device_read(fd, buf, bytes, READ_NOW);

	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}

EXPORT ssize_t
read(int fd, void *buf, size_t bytes)
{
	return device_is(fd) ? read_device(fd, buf, bytes) : real_libc()->read(fd, buf, bytes);
}

ssize_t __read_chk(int fd, void *buf, size_t bytes, size_t room);
void __chk_fail(void) __attribute__((noreturn));

EXPORT ssize_t
__read_chk(int fd, void *buf, size_t bytes, size_t room)
{
	if (bytes > room)
		__chk_fail();
	return device_is(fd) ? read_device(fd, buf, bytes) : real_libc()->read(fd, buf, bytes);
}

EXPORT ssize_t
write(int fd, const void *buf, size_t bytes)
{
	ssize_t n = device_is(fd) ? device_write(fd, buf, bytes) : -EBADF;

	if (n == -EBADF)
		return real_libc()->write(fd, buf, bytes);
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}

/* ---- ioctl; <infiniband/umad.h> names these structs but does not declare them ---- */

struct ib_user_mad_reg_req {
	uint32_t id;
	uint32_t method_mask[4];
	uint8_t qpn, mgmt_class, mgmt_class_version;
	uint8_t oui[3];
	uint8_t rmpp_version;
};

struct ib_user_mad_reg_req2 {
	uint32_t id, qpn;
	uint8_t mgmt_class, mgmt_class_version;
	uint16_t res;
	uint32_t flags;
	uint64_t method_mask[2];
	uint32_t oui;
	uint8_t rmpp_version, reserved[3];
};

static int
ioctl_register(struct device *d, struct ib_user_mad_reg_req *r)
{
	struct shim_request q = {
		.mgmt_class = r->mgmt_class, .class_version = r->mgmt_class_version,
		.rmpp_version = r->rmpp_version, .qpn = r->qpn,
		.oui = (uint32_t)r->oui[0] << 16 | (uint32_t)r->oui[1] << 8 | r->oui[2],
	};

	memcpy(q.methods, r->method_mask, sizeof(q.methods));
	return device_register(d, &q, &r->id);
}

static int
ioctl_register2(struct device *d, struct ib_user_mad_reg_req2 *r)
{
	struct shim_request q = {
		.mgmt_class = r->mgmt_class, .class_version = r->mgmt_class_version,
		.rmpp_version = r->rmpp_version, .qpn = (uint8_t)r->qpn,
		.user_rmpp = r->flags & UMAD_USER_RMPP ? 1 : 0,
		.oui = r->oui, .methods = { r->method_mask[0], r->method_mask[1] },
	};

	if (r->flags & ~(uint32_t)UMAD_USER_RMPP) {
		r->flags = UMAD_USER_RMPP;
		return EINVAL;
	}
	if (r->qpn > 1)
		return EINVAL;
	return device_register(d, &q, &r->id);
}

static int
ioctl_device(struct device *d, unsigned long op, void *arg)
{
	uint32_t id;

	switch (op) {
	case IB_USER_MAD_REGISTER_AGENT:
		return ioctl_register(d, arg);
	case IB_USER_MAD_REGISTER_AGENT2:
		return ioctl_register2(d, arg);
	case IB_USER_MAD_UNREGISTER_AGENT:
		memcpy(&id, arg, sizeof(id));
		return device_unregister(d, id);
	case IB_USER_MAD_ENABLE_PKEY:
		return 0;
	default:
		return ENOTTY;
	}
}

EXPORT int
ioctl(int fd, unsigned long op, ...)
{
	struct device *d = device_is(fd) ? device_get(fd) : NULL;
	va_list ap;
	void *arg;
	int r;

	va_start(ap, op);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!d)
		return real_libc()->ioctl(fd, op, arg);
	r = ioctl_device(d, op, arg);
	device_put(d);
	if (!r)
		return 0;
	errno = r;
	return -1;
}

/* ---- waiting ---- */

/* Prepares a descriptor for a wait of the program.  Returns true if it is a simulated device with
 * something to read. */
static bool
prepare(int fd)
{
	int r = device_is(fd) ? device_expose(fd) : -EBADF;

	return r && r != -EBADF;
}

/* Prepares all descriptors of a wait.  Returns true if one has something to read already. */
static bool
prepare_all(const struct pollfd *fds, nfds_t n)
{
	bool ready = false;

	for (nfds_t i = 0; i < n; i++)
		if (fds[i].events & POLLIN)
			ready |= prepare(fds[i].fd);
	return ready;
}

/* Marks devices with a message as readable: the doorbell byte of the message may not have arrived
 * yet. */
static int
mark_ready(struct pollfd *fds, nfds_t n, int r)
{
	for (nfds_t i = 0; r >= 0 && i < n; i++)
		if ((fds[i].events & POLLIN) && !(fds[i].revents & POLLIN) && prepare(fds[i].fd)) {
			r += fds[i].revents == 0;
			fds[i].revents |= POLLIN;
		}
	return r;
}

static int
do_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	if (!prepare_all(fds, n))
		return real_libc()->poll(fds, n, timeout_ms);
	return mark_ready(fds, n, real_libc()->poll(fds, n, 0));
}

static int
do_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	static const struct timespec none;

	if (!prepare_all(fds, n))
		return real_libc()->ppoll(fds, n, timeout, mask);
	return mark_ready(fds, n, real_libc()->ppoll(fds, n, &none, mask));
}

EXPORT int
poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	return do_poll(fds, n, timeout_ms);
}

EXPORT int
ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	return do_ppoll(fds, n, timeout, mask);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
	size_t room);

EXPORT int
__poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room)
{
	if (room / sizeof(*fds) < n)
		__chk_fail();
	return do_poll(fds, n, timeout_ms);
}

EXPORT int
__ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
	size_t room)
{
	if (room / sizeof(*fds) < n)
		__chk_fail();
	return do_ppoll(fds, n, timeout, mask);
}

static int
last_fd(int n)
{
	return n < FD_SETSIZE ? n : FD_SETSIZE;
}

/* Prepares the descriptors of 'in' and stores those with something to read in 'ready'.  Returns
 * their number. */
static int
prepare_set(int n, const fd_set *in, fd_set *ready)
{
	int count = 0;

	FD_ZERO(ready);
	for (int fd = 0; in && fd < last_fd(n); fd++)
		if (FD_ISSET(fd, in) && prepare(fd)) {
			FD_SET(fd, ready);
			count++;
		}
	return count;
}

static int
mark_set(int n, fd_set *in, const fd_set *ready, int r)
{
	for (int fd = 0; r >= 0 && fd < last_fd(n); fd++)
		if (FD_ISSET(fd, ready) && !FD_ISSET(fd, in)) {
			FD_SET(fd, in);
			r++;
		}
	return r;
}

EXPORT int
select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
	struct timeval none = { 0, 0 };
	fd_set ready;

	if (!prepare_set(n, in, &ready))
		return real_libc()->select(n, in, out, except, timeout);
	return mark_set(n, in, &ready, real_libc()->select(n, in, out, except, &none));
}

EXPORT int
pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
	const sigset_t *mask)
{
	static const struct timespec none;
	fd_set ready;

	if (!prepare_set(n, in, &ready))
		return real_libc()->pselect(n, in, out, except, timeout, mask);
	return mark_set(n, in, &ready, real_libc()->pselect(n, in, out, except, &none, mask));
}

EXPORT int
epoll_ctl(int ep, int op, int fd, struct epoll_event *e)
{
	if (op != EPOLL_CTL_DEL && e && e->events & EPOLLIN && device_is(fd)) {
		if (e->events & EPOLLET)
			device_edge(fd);
		prepare(fd);
	}
	return real_libc()->epoll_ctl(ep, op, fd, e);
}
