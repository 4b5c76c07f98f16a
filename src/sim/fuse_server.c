/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves the node's files over FUSE (fuse_server.h) with the low-level interface: the tree is
 * fixed, so an inode is the index of an entry plus one. Files bypass the page cache (direct_io):
 * each read is the node's answer at that instant. As in sysfs, an open file keeps the text of its
 * last read from offset 0 for subsequent reads.
 */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 314
#include "sim/fuse_server.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/parse.h"
#include "sim/phases/live_phases.h"

enum { REQUEST_MAX = 65536, MSR_READS = 512 };

struct wtl_fuse {
    struct fuse_session *session;
    struct wtl_live *live;
    const struct wtl_tree *tree;
    double timeout; /* how long the kernel may cache names, s */
    pthread_t thread;
    bool running;
    uint64_t opened;        /* last event opened */
    struct handle *handles; /* open handles: the kernel may never release them */
};

/* An open file. */
struct handle {
    char made[WTL_TREE_TEXT];
    const char *text; /* text of the last read from offset 0; NULL = none yet */
    ssize_t length;
    char *answer;                /* answer, for the request file */
    struct handle *next, **from; /* in the list of open handles; what points here */
};

static void keep_handle(struct wtl_fuse *fuse, struct handle *handle)
{
    handle->next = fuse->handles;
    handle->from = &fuse->handles;
    if (handle->next)
        handle->next->from = &handle->next;
    fuse->handles = handle;
}

static void drop_handle(struct handle *handle)
{
    *handle->from = handle->next;
    if (handle->next)
        handle->next->from = handle->from;
    free(handle->answer);
    free(handle);
}

static struct wtl_fuse *fuse_of(fuse_req_t request)
{
    return fuse_req_userdata(request);
}

/* The request file follows the tree. */
static bool is_request_file(const struct wtl_fuse *fuse, fuse_ino_t inode)
{
    return inode == (fuse_ino_t)wtl_tree_count(fuse->tree) + 1;
}

static const struct wtl_entry *entry_of(const struct wtl_fuse *fuse, fuse_ino_t inode)
{
    return wtl_tree_entry(fuse->tree, (int)inode - 1);
}

/* Knobs are written by root, as on a machine, or by the user whose node it is: in both cases user 0 of the mount's user
 * namespace. Others only read. */
static bool may_write(fuse_req_t request)
{
    return fuse_req_ctx(request)->uid == 0;
}

static struct stat stat_of(const struct wtl_fuse *fuse, fuse_ino_t inode)
{
    struct stat about = {.st_ino = inode, .st_nlink = 1, .st_size = 4096};
    if (wtl_live_event_of(inode) > 0) {
        about.st_mode = S_IFREG | 0600;
        return about;
    }
    if (is_request_file(fuse, inode)) {
        about.st_mode = S_IFREG | 0666;
        return about;
    }
    const struct wtl_entry *e = entry_of(fuse, inode);
    switch (e->kind) {
    case WTL_ENTRY_FOLDER:
        about.st_mode = S_IFDIR | 0555;
        about.st_nlink = 2;
        break;
    case WTL_ENTRY_LINK:
        about.st_mode = S_IFLNK | 0777;
        about.st_size = (off_t)strlen(e->text);
        break;
    default:
        about.st_mode = S_IFREG | (wtl_tree_writable(e) ? 0644 : 0444);
        if (e->content == WTL_CONTENT_MSR)
            about.st_size = 0;
    }
    return about;
}

/* Inode of an event that is open, or 0. */
static fuse_ino_t find_event(struct wtl_fuse *fuse, const char *name)
{
    uint64_t id;
    size_t n = strlen(WTL_LIVE_EVENT);
    if (strncmp(name, WTL_LIVE_EVENT, n) != 0 || wtl_parse_u64(name + n, &id) < 0 || id == 0 ||
        id >= WTL_LIVE_EVENT_INODES || !wtl_live_event_exists(fuse->live, id))
        return 0;
    return WTL_LIVE_EVENT_INODES + id;
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct wtl_fuse *fuse = fuse_of(request);
    fuse_ino_t inode;
    if (parent == FUSE_ROOT_ID && strcmp(name, WTL_FUSE_REQUEST_FILE) == 0) {
        inode = (fuse_ino_t)wtl_tree_count(fuse->tree) + 1;
    } else if (parent == FUSE_ROOT_ID && (inode = find_event(fuse, name)) != 0) {
        struct fuse_entry_param event = {.ino = inode, .attr = stat_of(fuse, inode)};
        (void)fuse_reply_entry(request, &event);
        return;
    } else {
        int entry = wtl_tree_child(fuse->tree, (int)parent - 1, name);
        if (entry < 0 || wtl_live_open(fuse->live, entry) == -ENOENT) {
            (void)fuse_reply_err(request, ENOENT);
            return;
        }
        inode = (fuse_ino_t)entry + 1;
    }
    struct fuse_entry_param found = {.ino = inode,
                                     .attr = stat_of(fuse, inode),
                                     .attr_timeout = fuse->timeout,
                                     .entry_timeout = fuse->timeout};
    (void)fuse_reply_entry(request, &found);
}

static void on_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct stat about = stat_of(fuse_of(request), inode);
    (void)info;
    (void)fuse_reply_attr(request, &about, fuse_of(request)->timeout);
}

/* For shells that truncate what they write to. */
static void on_setattr(fuse_req_t request,
                       fuse_ino_t inode,
                       struct stat *wanted,
                       int which,
                       struct fuse_file_info *info)
{
    (void)wanted;
    if (which & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
        (void)fuse_reply_err(request, EPERM);
    else
        on_getattr(request, inode, info);
}

static void on_readlink(fuse_req_t request, fuse_ino_t inode)
{
    (void)fuse_reply_readlink(request, entry_of(fuse_of(request), inode)->text);
}

static void on_access(fuse_req_t request, fuse_ino_t inode, int mask)
{
    struct wtl_fuse *fuse = fuse_of(request);
    if (wtl_live_event_of(inode) > 0) {
        (void)fuse_reply_err(request, 0);
        return;
    }
    int rc = is_request_file(fuse, inode) ? 0 : wtl_live_open(fuse->live, (int)inode - 1);
    if (rc == 0 && mask & W_OK && !is_request_file(fuse, inode) &&
        (!wtl_tree_writable(entry_of(fuse, inode)) || !may_write(request)))
        rc = -EACCES;
    (void)fuse_reply_err(request, -rc);
}

static void on_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct wtl_fuse *fuse = fuse_of(request);
    bool writes = (info->flags & O_ACCMODE) != O_RDONLY;
    int rc = 0;
    uint64_t event = wtl_live_event_of(inode);
    if (event > 0) {
        rc = event > fuse->opened ? 0 : -ENXIO; /* as the kernel's: once, by who created it */
        fuse->opened = rc == 0 ? event : fuse->opened;
    } else if (!is_request_file(fuse, inode)) {
        rc = wtl_live_open(fuse->live, (int)inode - 1);
        if (rc == 0 && writes && (!wtl_tree_writable(entry_of(fuse, inode)) || !may_write(request)))
            rc = -EACCES;
    }
    struct handle *handle = rc == 0 ? calloc(1, sizeof *handle) : NULL;
    if (!handle) {
        (void)fuse_reply_err(request, rc < 0 ? -rc : ENOMEM);
        return;
    }
    keep_handle(fuse, handle);
    info->fh = (uint64_t)(uintptr_t)handle;
    info->direct_io = 1;
    if (fuse_reply_open(request, info) < 0) {
        if (event > 0)
            wtl_live_event_close(fuse->live, event);
        drop_handle(handle); /* the opener is gone, no release will come */
    }
}

static void on_release(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *info)
{
    struct handle *handle = (struct handle *)(uintptr_t)info->fh;
    uint64_t event = wtl_live_event_of(inode);
    if (event > 0)
        wtl_live_event_close(fuse_of(request)->live, event);
    drop_handle(handle);
    (void)fuse_reply_err(request, 0);
}

/* The only way to answer a read that hangs. */
static void on_interrupt(fuse_req_t request, void *data)
{
    (void)data;
    (void)fuse_reply_err(request, EINTR);
}

/* Like the kernel's msr driver: returns the register once for every 8 bytes requested. */
static void read_msr(fuse_req_t request, int cpu, size_t size, off_t offset)
{
    uint64_t values[MSR_READS];
    size_t n = size / sizeof *values;
    int rc = size % sizeof *values || n == 0 || n > MSR_READS ? -EINVAL : 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = wtl_live_msr(fuse_of(request)->live, cpu, (uint32_t)offset, &values[i]);
    if (rc == -ETIMEDOUT)
        fuse_req_interrupt_func(request, on_interrupt, NULL);
    else if (rc < 0)
        (void)fuse_reply_err(request, -rc);
    else
        (void)fuse_reply_buf(request, (char *)values, size);
}

static void read_event(fuse_req_t request, uint64_t event, size_t size)
{
    size = size < WTL_SIM_EVENT_BYTES ? size : WTL_SIM_EVENT_BYTES;
    char *buf = malloc(size > 0 ? size : 1);
    ssize_t n = buf ? wtl_live_event_read(fuse_of(request)->live, event, buf, size) : -ENOMEM;
    if (n < 0)
        (void)fuse_reply_err(request, (int)-n);
    else
        (void)fuse_reply_buf(request, buf, (size_t)n);
    free(buf);
}

/* Requests of other files are unknown. */
static void on_ioctl(fuse_req_t request,
                     fuse_ino_t inode,
                     unsigned command,
                     void *argument,
                     struct fuse_file_info *info,
                     unsigned flags,
                     const void *in,
                     size_t in_size,
                     size_t out_size)
{
    uint64_t event = wtl_live_event_of(inode), id = 0;
    (void)info, (void)flags, (void)in, (void)in_size;
    int rc = event == 0 ? -ENOTTY
                        : wtl_live_event_ioctl(fuse_of(request)->live, event, command,
                                               (uint64_t)(uintptr_t)argument, &id);
    if (rc < 0)
        (void)fuse_reply_err(request, -rc);
    else
        (void)fuse_reply_ioctl(request, 0, &id, out_size < sizeof id ? out_size : sizeof id);
}

static void on_read(fuse_req_t request,
                    fuse_ino_t inode,
                    size_t size,
                    off_t offset,
                    struct fuse_file_info *info)
{
    struct wtl_fuse *fuse = fuse_of(request);
    struct handle *handle = (struct handle *)(uintptr_t)info->fh;
    if (wtl_live_event_of(inode) > 0) {
        read_event(request, wtl_live_event_of(inode), size);
        return;
    }
    if (!is_request_file(fuse, inode)) {
        const struct wtl_entry *e = entry_of(fuse, inode);
        if (e->content == WTL_CONTENT_MSR) {
            read_msr(request, e->cpu, size, offset);
            return;
        }
        if (offset == 0 || !handle->text)
            handle->length = wtl_live_text(fuse->live, (int)inode - 1, handle->made, &handle->text);
    } else if (!handle->answer) {
        handle->length = 0;
    }
    if (handle->length == -ETIMEDOUT) {
        fuse_req_interrupt_func(request, on_interrupt, NULL);
        return;
    }
    if (handle->length < 0) {
        (void)fuse_reply_err(request, (int)-handle->length);
        return;
    }
    size_t rest = offset < handle->length ? (size_t)(handle->length - offset) : 0;
    if (rest == 0)
        (void)fuse_reply_buf(request, NULL, 0);
    else
        (void)fuse_reply_buf(request, handle->text + offset, rest < size ? rest : size);
}

static int write_request(struct wtl_live *live, struct handle *handle, const char *buf, size_t size)
{
    char *text = size <= REQUEST_MAX ? strndup(buf, size) : NULL;
    char *answer;
    if (!text)
        return size > REQUEST_MAX ? -EFBIG : -ENOMEM;
    ssize_t n = wtl_live_request(live, text, &answer);
    free(text);
    if (n < 0)
        return (int)n;
    free(handle->answer);
    handle->text = handle->answer = answer;
    handle->length = n;
    return 0;
}

static void on_write(fuse_req_t request,
                     fuse_ino_t inode,
                     const char *buf,
                     size_t size,
                     off_t offset,
                     struct fuse_file_info *info)
{
    struct wtl_fuse *fuse = fuse_of(request);
    struct handle *handle = (struct handle *)(uintptr_t)info->fh;
    (void)offset;
    int rc;
    if (wtl_live_event_of(inode) > 0)
        rc = -EINVAL;
    else if (is_request_file(fuse, inode))
        rc = write_request(fuse->live, handle, buf, size);
    else
        rc = wtl_live_write(fuse->live, (int)inode - 1, buf, size);
    if (rc < 0)
        (void)fuse_reply_err(request, -rc);
    else
        (void)fuse_reply_write(request, size);
}

/* Name number `at` of a folder: ".", "..", the entries, and at the root the request file. */
static const char *name_at(const struct wtl_fuse *fuse,
                           fuse_ino_t folder,
                           off_t at,
                           fuse_ino_t *ret_inode)
{
    *ret_inode = folder;
    if (at < 2)
        return at == 0 ? "." : "..";
    int entry = entry_of(fuse, folder)->child;
    off_t left = at - 2;
    for (; entry >= 0 && left > 0; left--)
        entry = wtl_tree_entry(fuse->tree, entry)->next;
    if (entry >= 0) {
        *ret_inode = (fuse_ino_t)entry + 1;
        return wtl_tree_entry(fuse->tree, entry)->name;
    }
    *ret_inode = (fuse_ino_t)wtl_tree_count(fuse->tree) + 1;
    return folder == FUSE_ROOT_ID && left == 0 ? WTL_FUSE_REQUEST_FILE : NULL;
}

static void on_readdir(fuse_req_t request,
                       fuse_ino_t folder,
                       size_t size,
                       off_t at,
                       struct fuse_file_info *info)
{
    struct wtl_fuse *fuse = fuse_of(request);
    char *buf = malloc(size);
    size_t used = 0;
    fuse_ino_t inode;
    const char *name;
    (void)info;
    if (!buf) {
        (void)fuse_reply_err(request, ENOMEM);
        return;
    }
    for (; (name = name_at(fuse, folder, at, &inode)); at++) {
        struct stat about = stat_of(fuse, inode);
        size_t n = fuse_add_direntry(request, buf + used, size - used, name, &about, at + 1);
        if (n > size - used)
            break;
        used += n;
    }
    (void)fuse_reply_buf(request, buf, used);
    free(buf);
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = on_lookup,
    .getattr = on_getattr,
    .setattr = on_setattr,
    .readlink = on_readlink,
    .access = on_access,
    .open = on_open,
    .release = on_release,
    .read = on_read,
    .ioctl = on_ioctl,
    .write = on_write,
    .readdir = on_readdir,
};

static void *serve(void *argument)
{
    struct wtl_fuse *fuse = argument;
    (void)fuse_session_loop(fuse->session); /* ends when asked to, or when the mount is gone */
    return NULL;
}

static void be_silent(enum fuse_log_level level, const char *format, va_list args)
{
    (void)level, (void)format, (void)args; /* stderr belongs to the command */
}

static void on_wake(int signal)
{
    (void)signal; /* only interrupts the thread's read of the device */
}

int wtl_fuse_start(struct wtl_live *live,
                   const struct wtl_tree *tree,
                   bool fixed_names,
                   int fd,
                   struct wtl_fuse **ret_fuse,
                   struct wattle_error *err)
{
    char program[] = "wattle-sim", *arguments[] = {program, NULL}, place[32];
    struct fuse_args args = FUSE_ARGS_INIT(1, arguments);
    struct wtl_fuse *fuse = calloc(1, sizeof *fuse);
    if (!fuse) {
        (void)close(fd);
        return wtl_fail(err, -ENOMEM, "out of memory");
    }
    *fuse = (struct wtl_fuse){.live = live, .tree = tree, .timeout = fixed_names ? 3600 : 0};
    (void)snprintf(place, sizeof place, "/dev/fd/%d", fd); /* the way to pass an fd to libfuse */
    fuse_set_log_func(be_silent);
    fuse->session = fuse_session_new(&args, &operations, sizeof operations, fuse);
    fuse_opt_free_args(&args);
    if (!fuse->session || fuse_session_mount(fuse->session, place) != 0) {
        (void)close(fd);
        wtl_fuse_stop(fuse);
        return wtl_fail(err, -EIO, "FUSE: cannot start the session (libfuse %s)",
                        fuse_pkgversion());
    }
    struct sigaction wake = {.sa_handler = on_wake};
    (void)sigaction(SIGUSR1, &wake, NULL); /* cannot fail for a valid signal */
    if (pthread_create(&fuse->thread, NULL, serve, fuse) != 0) {
        wtl_fuse_stop(fuse);
        return wtl_fail(err, -ENOMEM, "cannot create a thread for FUSE");
    }
    fuse->running = true;
    *ret_fuse = fuse;
    return 0;
}

void wtl_fuse_stop(struct wtl_fuse *fuse)
{
    if (!fuse)
        return;
    if (fuse->running) {
        struct timespec soon;
        fuse_session_exit(fuse->session);
        do { /* the first wake-up may come between its check of the flag and its read */
            (void)pthread_kill(fuse->thread, SIGUSR1);
            (void)clock_gettime(CLOCK_REALTIME, &soon);
            soon.tv_nsec += 1000000;
            if (soon.tv_nsec >= 1000000000) {
                soon.tv_nsec -= 1000000000;
                soon.tv_sec++;
            }
        } while (pthread_timedjoin_np(fuse->thread, NULL, &soon) == ETIMEDOUT);
    }
    if (fuse->session)
        fuse_session_destroy(fuse->session);
    for (struct handle *handle = fuse->handles, *next; handle; handle = next) {
        next = handle->next;
        free(handle->answer);
        free(handle);
    }
    free(fuse);
}
