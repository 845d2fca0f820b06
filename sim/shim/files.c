/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * files.c - paths that programs open: umad and issm devices, and the sysfs files of the CA.
 * Room: sim/shim.
 *
 * libc.c passes every path that a program opens to files_open().  For a path of the simulated CA it
 * returns a descriptor: of device_open() for an umad device, of a connection to the server for an
 * issm device, and of a memory file with the present value for a sysfs file.  For every other path
 * it returns FILES_NOT_OURS, and libc.c opens the file as usual.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "libmad/attr/sm_attr.h"
#include "sim/shim/shim.h"

#define ISSM_RETRY_MS 20

static const char *const states[] = { "NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER" };
static const char *const phys_states[] = {
	"", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp",
	"LinkErrorRecovery", "Phy Test",
};

/* Returns a descriptor from which the program reads 'text', or -1 with errno. */
static int
text_fd(const char *text)
{
	int fd = memfd_create("sysfs", MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (real_libc()->write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET)) {
		real_libc()->close(fd);
		return -1;
	}
	return fd;
}

static void
put_guid(char *text, size_t room, uint64_t g)
{
	snprintf(text, room, "%04x:%04x:%04x:%04x\n", (unsigned)(g >> 48),
		(unsigned)(g >> 32 & 0xffff),
		(unsigned)(g >> 16 & 0xffff), (unsigned)(g & 0xffff));
}

static bool
ca_text(const char *file, char *text, size_t room)
{
	struct shim_ca ca;

	if (info_ca(&ca))
		return false;
	if (!strcmp(file, SYS_NODE_TYPE))
		snprintf(text, room, "%u: %s\n", ca.node_type, ca.node_type == 2 ? "SW" :
			ca.node_type == 3 ? "RT" : "CA");
	else if (!strcmp(file, SYS_CA_HW_VERS))
		snprintf(text, room, "%x\n", ca.revision);
	else if (!strcmp(file, SYS_CA_FW_VERS))
		snprintf(text, room, "%s\n", PACKAGE_VERSION);
	else if (!strcmp(file, SYS_CA_TYPE))
		snprintf(text, room, "heddle-sim\n");
	else if (!strcmp(file, SYS_CA_NODE_GUID))
		put_guid(text, room, ca.node_guid);
	else if (!strcmp(file, SYS_CA_SYS_GUID))
		put_guid(text, room, ca.sys_guid);
	else
		return false;
	return true;
}

static void
gid_text(const struct shim_port *p, char *text, size_t room)
{
	uint64_t prefix = ATTR_GET(port_info, gid_prefix, p->info);
	size_t n;

	put_guid(text, room, prefix);
	n = strlen(text) - 1;
	text[n] = ':';
	put_guid(text + n + 1, room - n - 1, p->guid);
}

static bool
port_text(const struct shim_port *p, const char *file, char *text, size_t room)
{
	unsigned state = (unsigned)ATTR_GET(port_info, state, p->info);
	unsigned phys = (unsigned)ATTR_GET(port_info, phys_state, p->info);
	char *end;

	if (!strcmp(file, SYS_PORT_RATE)) {
		info_rate_text(p->info, text, room - 1);
		strcat(text, "\n");
	} else if (!strcmp(file, SYS_PORT_STATE)) {
		snprintf(text, room, "%u: %s\n", state, state < 6 ? states[state] : "UNKNOWN");
	} else if (!strcmp(file, SYS_PORT_PHY_STATE)) {
		snprintf(text, room, "%u: %s\n", phys, phys > 0 && phys < 8 ? phys_states[phys] :
			"<unknown>");
	} else if (!strcmp(file, SYS_PORT_LID)) {
		snprintf(text, room, "0x%x\n", (unsigned)ATTR_GET(port_info, lid, p->info));
	} else if (!strcmp(file, SYS_PORT_LMC)) {
		snprintf(text, room, "%u\n", (unsigned)ATTR_GET(port_info, lmc, p->info));
	} else if (!strcmp(file, SYS_PORT_SMLID)) {
		snprintf(text, room, "0x%x\n", (unsigned)ATTR_GET(port_info, master_sm_lid,
			p->info));
	} else if (!strcmp(file, SYS_PORT_SMSL)) {
		snprintf(text, room, "%u\n", (unsigned)ATTR_GET(port_info, master_sm_sl, p->info));
	} else if (!strcmp(file, SYS_PORT_CAPMASK)) {
		snprintf(text, room, "0x%08x\n", (unsigned)ATTR_GET(port_info, capability_mask,
			p->info));
	} else if (!strcmp(file, SYS_PORT_LINK_LAYER)) {
		snprintf(text, room, "InfiniBand\n");
	} else if (!strcmp(file, SYS_PORT_GID)) {
		gid_text(p, text, room);
	} else if (!strncmp(file, "pkeys/", 6) && strtoul(file + 6, &end, 10) < p->npkeys &&
	    end > file + 6 && !*end) {
		snprintf(text, room, "0x%04x\n", p->pkeys[strtoul(file + 6, NULL, 10)]);
	} else {
		return false;
	}
	return true;
}

/* Opens the file 'rest' below "/sys/class/infiniband/CA/". */
static int
open_sysfs(const char *rest)
{
	struct shim_port p;
	char text[128], *end;
	unsigned long port;
	bool known;

	if (strncmp(rest, SYS_CA_PORTS_DIR "/", strlen(SYS_CA_PORTS_DIR "/"))) {
		known = ca_text(rest, text, sizeof(text));
	} else {
		port = strtoul(rest + strlen(SYS_CA_PORTS_DIR "/"), &end, 10);
		known = *end == '/' && port < SHIM_PORTS && !info_port((uint8_t)port, &p) &&
			port_text(&p, end + 1, text, sizeof(text));
	}
	if (known)
		return text_fd(text);
	errno = ENOENT;
	return -1;
}

/* Opens an issm device.  The descriptor is the connection itself, so the device is closed when the
 * last process with the descriptor closes it. */
static int
open_issm(uint8_t port, int flags)
{
	struct timespec pause = { 0, ISSM_RETRY_MS * 1000000 };
	struct shim_request q = { .op = SHIM_ISSM, .port = port };
	struct shim_reply a;
	unsigned unused;
	int conn, r;

	if (!conn_node(&q.node, &unused) || (conn = conn_open()) < 0) {
		errno = EIO;
		return -1;
	}
	while ((r = conn_request(conn, &q, &a, NULL)) == -EAGAIN && !(flags & O_NONBLOCK))
		if (nanosleep(&pause, NULL)) {
			r = -EINTR;
			break;
		}
	if (!r)
		return conn;
	real_libc()->close(conn);
	errno = -r;
	return -1;
}

/* Returns the port of "/dev/infiniband/STEM-CA-PORT", or -1 for another path. */
static int
device_port(const char *path, const char *stem)
{
	char start[64];
	int n = snprintf(start, sizeof(start), "/dev/infiniband/%s-%s-", stem, info_ca_name());

	if (strncmp(path, start, (size_t)n) || path[n] < '0' || path[n] > '9' || path[n + 1])
		return -1;
	return path[n] - '0';
}

int
files_open(const char *path, int flags)
{
	char sys[64];
	int n, port;

	if (!path || (strncmp(path, "/dev/infiniband/", 16) && strncmp(path, SYS_INFINIBAND "/",
	    sizeof(SYS_INFINIBAND))))
		return FILES_NOT_OURS;
	n = snprintf(sys, sizeof(sys), SYS_INFINIBAND "/%s/", info_ca_name());
	if (!strncmp(path, sys, (size_t)n))
		return open_sysfs(path + n);
	port = device_port(path, "issm");
	if (port >= 0)
		return open_issm((uint8_t)port, flags);
	port = device_port(path, "umad");
	if (port < 0)
		return FILES_NOT_OURS;
	n = device_open((uint8_t)port);
	if (n >= 0)
		return n;
	errno = -n;
	return -1;
}
