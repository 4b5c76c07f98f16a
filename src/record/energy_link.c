/* SPDX-License-Identifier: BSD-3-Clause */
/* Locates an energy page: see energy_link.h. The file's content is never trusted unchecked: a
 * descriptor is first opened as a path only (O_PATH), and must be the sealed memory that the file
 * names. */
#define _GNU_SOURCE
#include "record/energy_link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#    define MFD_NOEXEC_SEAL 0x0008U /* since Linux 6.3, where it can be requested */
#endif

#ifndef F_SEAL_FUTURE_WRITE
#    define F_SEAL_FUTURE_WRITE 0x0010 /* since Linux 5.1 */
#endif

#define MAGIC "WTLELINK"

enum { VERSION = 1, SEALS = F_SEAL_SHRINK | F_SEAL_GROW };

/* The file, in the machine's byte order. */
struct place {
    char magic[8];
    uint32_t version, pid, fd, zero;
    uint64_t device, inode;
};

static int path_of(const char *folder, char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s/%s", folder, WTL_ENERGY_FILE);
    return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int map(struct wtl_energy_link *link, bool writable)
{
    int rights = PROT_READ | (writable ? PROT_WRITE : 0);
    link->at = mmap(NULL, link->size, rights, MAP_SHARED, link->fd, 0);
    if (link->at != MAP_FAILED)
        return 0;
    link->at = NULL;
    return -errno;
}

/* Mapped memory with these permissions, not yet sealed. */
static int make(size_t size, mode_t mode, struct wtl_energy_link *ret_link)
{
    struct wtl_energy_link made = {.size = size};
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    if (!wtl_file_may_have(size))
        return -EFBIG;
    int fd = memfd_create("wattle-energy", flags | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("wattle-energy", flags);
    made.fd = wtl_own_file_take(fd < 0 ? -errno : fd, &made.id);
    if (made.fd < 0)
        return made.fd;
    /* Allocate all memory before mapping: without space this fails, and no later write does. */
    int rc = -posix_fallocate(made.fd, 0, (off_t)size);
    if (rc == 0 && fchmod(made.fd, mode) < 0)
        rc = -errno;
    if (rc == 0)
        rc = map(&made, true);
    if (rc < 0)
        wtl_energy_link_close(&made);
    else
        *ret_link = made;
    return rc;
}

int wtl_energy_link_make(size_t size, struct wtl_energy_link *ret_link)
{
    int rc = make(size, 0600, ret_link);
    if (rc == 0 && fcntl(ret_link->fd, F_ADD_SEALS, SEALS) < 0) {
        rc = -errno;
        wtl_energy_link_close(ret_link);
    }
    return rc;
}

int wtl_energy_link_make_public(size_t size,
                                struct wtl_energy_link *ret_link,
                                int *ret_reading_fd,
                                bool *ret_sealed)
{
    char path[40];
    int rc = make(size, 0444, ret_link);
    if (rc < 0)
        return rc;
    *ret_sealed = fcntl(ret_link->fd, F_ADD_SEALS, SEALS | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
    if (!*ret_sealed && fcntl(ret_link->fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) < 0)
        rc = -errno;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ret_link->fd);
    *ret_reading_fd = rc < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (rc == 0 && *ret_reading_fd < 0)
        rc = -errno;
    if (rc < 0)
        wtl_energy_link_close(ret_link);
    return rc;
}

/* Written completely, then renamed. */
int wtl_energy_link_tell(const struct wtl_energy_link *link, const char *folder)
{
    struct place place = {.magic = "",
                          .version = VERSION,
                          .pid = (uint32_t)getpid(),
                          .fd = (uint32_t)link->fd,
                          .device = link->id.device,
                          .inode = link->id.inode};
    char path[PATH_MAX], fresh[PATH_MAX];
    int rc = path_of(folder, path);
    int n = snprintf(fresh, sizeof fresh, "%s/%s.%ld", folder, WTL_ENERGY_FILE, (long)getpid());
    if (rc < 0 || n < 0 || (size_t)n >= sizeof fresh)
        return -ENAMETOOLONG;
    memcpy(place.magic, MAGIC, sizeof place.magic);
    (void)unlink(fresh); /* left by an earlier process with this pid */
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    ssize_t put = write(fd, &place, sizeof place);
    rc = put == (ssize_t)sizeof place ? 0 : put < 0 ? -errno : -ENOSPC;
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(fresh, path) < 0)
        rc = -errno;
    if (rc < 0)
        (void)unlink(fresh);
    return rc;
}

static int read_place(const char *folder, struct place *ret_place)
{
    char path[PATH_MAX];
    struct stat status;
    int rc = path_of(folder, path);
    if (rc < 0)
        return rc;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ELOOP ? -EPERM : -errno;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
        rc = -EPERM;
    else if (read(fd, ret_place, sizeof *ret_place) != (ssize_t)sizeof *ret_place ||
             memcmp(ret_place->magic, MAGIC, sizeof ret_place->magic) != 0 ||
             ret_place->version != VERSION)
        rc = -EBADMSG;
    (void)close(fd); /* read only */
    return rc;
}

/* Is the opened file the memory that the file names, owned by this user and of fixed size? */
static int check(const struct place *place, struct wtl_energy_link *link)
{
    struct stat status;
    int seals = fcntl(link->fd, F_GET_SEALS);
    if (fstat(link->fd, &status) < 0 || link->id.device != place->device ||
        link->id.inode != place->inode)
        return -ENOENT;
    if (seals < 0 || (seals & SEALS) != SEALS || status.st_uid != geteuid())
        return -EPERM;
    link->size = (size_t)status.st_size;
    return link->size > 0 ? 0 : -EBADMSG;
}

int wtl_energy_link_find(const char *folder, bool writable, struct wtl_energy_link *ret_link)
{
    struct wtl_energy_link found = {.fd = -1};
    struct place place = {.pid = 0};
    struct stat status;
    char path[64], through[64];
    int rc = read_place(folder, &place);
    if (rc < 0)
        return rc;
    (void)snprintf(path, sizeof path, "/proc/%u/fd/%u", place.pid, place.fd);
    int at = open(path, O_PATH | O_CLOEXEC); /* whatever it is, this has no side effects on it */
    if (at < 0 || fstat(at, &status) < 0 || (uint64_t)status.st_dev != place.device ||
        (uint64_t)status.st_ino != place.inode) {
        if (at >= 0)
            (void)close(at); /* path only */
        return -ENOENT;
    }
    (void)snprintf(through, sizeof through, "/proc/self/fd/%d", at);
    int fd = open(through, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    found.fd = wtl_own_file_take(fd < 0 ? -errno : fd, &found.id);
    (void)close(at); /* path only */
    if (found.fd < 0)
        return found.fd;
    rc = check(&place, &found);
    rc = rc < 0 ? rc : map(&found, writable);
    if (rc < 0)
        wtl_energy_link_close(&found);
    else
        *ret_link = found;
    return rc;
}

void wtl_energy_link_hold(const char *folder, struct wtl_energy_link *link)
{
    struct wtl_energy_link found;
    struct place place = {.pid = 0};
    if (link->at && read_place(folder, &place) == 0 && place.device == link->id.device &&
        place.inode == link->id.inode)
        return;
    if (wtl_energy_link_find(folder, true, &found) < 0)
        return;
    if (link->at)
        wtl_energy_link_close(link);
    *link = found;
}

int wtl_energy_link_again(const struct wtl_energy_link *held, struct wtl_energy_link *ret_link)
{
    struct wtl_energy_link link = {.size = held->size, .fd = -1};
    if (!wtl_own_file_is(held->fd, &held->id))
        return -ENOENT; /* the program has closed it */
    int fd = fcntl(held->fd, F_DUPFD_CLOEXEC, 0);
    link.fd = wtl_own_file_take(fd < 0 ? -errno : fd, &link.id);
    int rc = link.fd < 0 ? link.fd : map(&link, true);
    if (rc < 0)
        wtl_energy_link_close(&link);
    else
        *ret_link = link;
    return rc;
}

int wtl_energy_link_pid(const char *folder, pid_t *ret_pid)
{
    struct place place = {.pid = 0};
    int rc = read_place(folder, &place);
    if (rc == 0)
        *ret_pid = (pid_t)place.pid;
    return rc;
}

void wtl_energy_link_remove_at(int folder)
{
    char magic[sizeof MAGIC - 1] = "";
    int fd =
        openat(folder, WTL_ENERGY_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    if (pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
        memcmp(magic, MAGIC, sizeof magic) == 0)
        (void)unlinkat(folder, WTL_ENERGY_FILE, 0); /* the leftover file names no process */
    (void)close(fd);                                /* read only */
}

void wtl_energy_link_remove(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    wtl_energy_link_remove_at(fd);
    (void)close(fd); /* read only */
}

void wtl_energy_link_close(struct wtl_energy_link *link)
{
    if (link->at)
        (void)munmap(link->at, link->size);
    wtl_energy_link_keep(link);
}

void wtl_energy_link_keep(struct wtl_energy_link *link)
{
    wtl_own_file_close(link->fd, &link->id);
    *link = (struct wtl_energy_link){.fd = -1};
}
