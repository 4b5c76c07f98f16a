/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy page of a node: memory in which wattled publishes what each energy and power channel
 * has used since boot, for everybody whom the site allows to read it. A read makes no system call.
 * This header and page_layout.h are all that a program needs: they depend on libc alone, and nothing
 * is linked.
 *
 *     struct wattle_page page;
 *     char why[WATTLE_PAGE_TEXT];
 *     if (wattle_page_open(&page, why, sizeof why) < 0)
 *         ... why says what is missing and what to do ...
 *     struct wattle_page_now before, after;
 *     wattle_page_read(&page, 0, &before);
 *     work();
 *     wattle_page_read(&page, 0, &after);
 *     if (after.unknown_ns == before.unknown_ns)
 *         printf("%s: %g J\n", wattle_page_channel_at(&page, 0)->name, after.energy_j - before.energy_j);
 *     wattle_page_close(&page);
 *
 * The layout (docs/format/page.md) is the same for the page of a run, which "wattle run" and
 * wattle_profiler_init() publish for the processes they measure.
 *
 * Each channel has a slot with one writer. The slot holds two copies of the newest values, and a
 * sequence whose lowest bit says which of them is complete (a latch). The writer changes the other
 * one. A reader therefore never waits, even if the writer died in the middle of an update; a writer
 * that is gone shows as age. Memory is sealed: no process can shrink it, and no reader can write.
 *
 * Thread rule: open and close from one thread at a time; the other calls from any thread.
 */
#ifndef WATTLE_PAGE_H
#define WATTLE_PAGE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <wattle/page_layout.h>

#ifndef CLOCK_MONOTONIC
#    error "compile with -std=gnu11, or define _POSIX_C_SOURCE 200809L before the first include"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define WATTLE_PAGE_SOCKET "/run/wattle/socket" /* WATTLE_SOCKET in the environment replaces it */
#define WATTLE_PAGE_TEXT   256                  /* size of the texts that explain an error */
#ifndef WATTLE_PAGE_PATIENCE_MS                 /* define it before the include for less patience */
#    define WATTLE_PAGE_PATIENCE_MS 2000        /* limit of each wait for wattled */
#endif

struct wattle_page {
    const struct wattle_page_header *header; /* mapped; NULL = closed */
    size_t size;
    int socket; /* open = this process counts as a reader; -1 = none */
};

static inline uint64_t wattle_page_load_(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline double wattle_page_load_double_(const double *at)
{
    uint64_t bits = wattle_page_load_((const uint64_t *)(const void *)at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Number of channels: by the size of the memory, which is fixed, whatever its bytes say
 * later. */
static inline size_t wattle_page_count(const struct wattle_page *page)
{
    const size_t each = sizeof(struct wattle_page_channel) + sizeof(struct wattle_page_slot);
    return page->header ? (page->size - sizeof *page->header) / each : 0;
}

/* Channel number i, borrowed until the page is closed; NULL when out of range. */
static inline const struct wattle_page_channel *wattle_page_channel_at(
    const struct wattle_page *page,
    size_t i)
{
    return i < wattle_page_count(page) ? (const struct wattle_page_channel *)(page->header + 1) + i
                                       : NULL;
}

/* Its slot; NULL when out of range. */
static inline const struct wattle_page_slot *wattle_page_slot_at(const struct wattle_page *page,
                                                                 size_t i)
{
    size_t count = wattle_page_count(page);
    if (i >= count)
        return NULL;
    const struct wattle_page_channel *table =
        (const struct wattle_page_channel *)(page->header + 1);
    return (const struct wattle_page_slot *)(const void *)(table + count) + i;
}

/* enum wattle_page_state at present. */
static inline uint32_t wattle_page_state(const struct wattle_page *page)
{
    return page->header ? __atomic_load_n(&page->header->state, __ATOMIC_ACQUIRE)
                        : (uint32_t)WATTLE_PAGE_ENDED;
}

/* How long ago the writer last read its sensors, in ns. Far more than header->interval_ns: it was
 * killed or hangs. */
static inline uint64_t wattle_page_age_ns(const struct wattle_page *page)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    uint64_t beat_ns = wattle_page_load_(&page->header->beat_ns);
    return now_ns > beat_ns ? now_ns - beat_ns : 0;
}

/* One complete copy of a slot. Returns 0; -EAGAIN if the slot changed during each of 64 looks, which
 * a writer of at most 1 MHz cannot cause. */
static inline int wattle_page_copy_(const struct wattle_page_slot *slot,
                                    struct wattle_page_now *ret_now)
{
    for (int looks = 0; looks < 64; looks++) {
        uint64_t sequence = wattle_page_load_(&slot->sequence);
        const struct wattle_page_now *now = &slot->now[sequence & 1];
        ret_now->time_ns = wattle_page_load_(&now->time_ns);
        ret_now->energy_j = wattle_page_load_double_(&now->energy_j);
        ret_now->variance_j2 = wattle_page_load_double_(&now->variance_j2);
        ret_now->unknown_ns = wattle_page_load_(&now->unknown_ns);
        ret_now->changed_ns = wattle_page_load_(&now->changed_ns);
        ret_now->before_ns = wattle_page_load_(&now->before_ns);
        ret_now->power_w = wattle_page_load_double_(&now->power_w);
        ret_now->power_ns = wattle_page_load_(&now->power_ns);
        ret_now->count = wattle_page_load_(&now->count);
        ret_now->raw = wattle_page_load_(&now->raw);
        ret_now->raw_ns = wattle_page_load_(&now->raw_ns);
        ret_now->ticks = wattle_page_load_(&now->ticks);
        ret_now->since_ns = wattle_page_load_(&now->since_ns);
        ret_now->half_ns = wattle_page_load_(&now->half_ns);
        ret_now->off_w = wattle_page_load_double_(&now->off_w);
        ret_now->status = __atomic_load_n(&now->status, __ATOMIC_ACQUIRE);
        ret_now->quality = __atomic_load_n(&now->quality, __ATOMIC_ACQUIRE);
        if (wattle_page_load_(&slot->sequence) == sequence)
            return 0;
    }
    return -EAGAIN;
}

/*
 * What channel i shows now, a few tens of nanoseconds. Returns 0; -EINVAL when out of range; -ENODATA
 * before its first sample; -ESTALE when the page is retired (close it and open again: the joules of
 * a channel continue, unless since_ns differs) or ended, the last values being in *ret_now all the
 * same; -EAGAIN as above.
 */
static inline int wattle_page_read(const struct wattle_page *page,
                                   size_t i,
                                   struct wattle_page_now *ret_now)
{
    const struct wattle_page_slot *slot = wattle_page_slot_at(page, i);
    if (!slot)
        return -EINVAL;
    int rc = wattle_page_copy_(slot, ret_now);
    if (rc < 0)
        return rc;
    if (ret_now->time_ns == 0)
        return -ENODATA;
    return wattle_page_state(page) == WATTLE_PAGE_LIVE ? 0 : -ESTALE;
}

/* ---- finding and mapping it ---- */

/* Does a header describe a page of this version that fills a mapping of this size? 0 or -EBADMSG. */
static inline int wattle_page_check_(const struct wattle_page_header *head, size_t size)
{
    if (size < sizeof *head || memcmp(head->magic, WATTLE_PAGE_MAGIC, sizeof head->magic) != 0 ||
        head->version != WATTLE_PAGE_VERSION || head->header_size != sizeof *head ||
        head->channel_size != sizeof(struct wattle_page_channel) ||
        head->slot_size != sizeof(struct wattle_page_slot) || head->levels != WATTLE_PAGE_LEVELS ||
        head->ring != WATTLE_PAGE_RING || head->channel_count == 0 ||
        head->channel_count > WATTLE_PAGE_CHANNELS_MAX)
        return -EBADMSG;
    size_t each = sizeof(struct wattle_page_channel) + sizeof(struct wattle_page_slot);
    return size == sizeof *head + head->channel_count * each ? 0 : -EBADMSG;
}

/* The largest page. */
#define WATTLE_PAGE_SIZE_MAX_            \
    (sizeof(struct wattle_page_header) + \
     WATTLE_PAGE_CHANNELS_MAX *          \
         (sizeof(struct wattle_page_channel) + sizeof(struct wattle_page_slot)))

/* Map memory for reading, if no process can change its size (so that reading it is safe). The
 * mapping stays when fd is closed. 0, or -EBADMSG, -errno. */
static inline int wattle_page_map_(int fd, const void **ret_at, size_t *ret_size)
{
    const int seals = 2 | 4; /* F_SEAL_SHRINK, F_SEAL_GROW: not declared without _GNU_SOURCE */
    const int get_seals = 1024 + 10; /* F_GET_SEALS */
    struct stat st;
    *ret_at = NULL;
    *ret_size = 0;
    int found = fcntl(fd, get_seals);
    if (found < 0 || (found & seals) != seals || fstat(fd, &st) < 0 || st.st_size <= 0 ||
        (uint64_t)st.st_size > WATTLE_PAGE_SIZE_MAX_)
        return -EBADMSG;
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return -errno;
    *ret_at = at;
    *ret_size = (size_t)st.st_size;
    return 0;
}

/* Use mapped memory as the page, which then owns it. 0; -EBADMSG: it is none, and is unmapped. */
static inline int wattle_page_use_(struct wattle_page *page, const void *at, size_t size)
{
    int rc = wattle_page_check_((const struct wattle_page_header *)at, size);
    if (rc < 0) {
        (void)munmap((void *)(uintptr_t)at, size);
        return rc;
    }
    page->header = (const struct wattle_page_header *)at;
    page->size = size;
    return 0;
}

/* Connect to a path. Returns a SOCK_SEQPACKET socket with timeouts, or -errno. */
static inline int wattle_page_connect_(const char *path)
{
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    struct timeval patience = {WATTLE_PAGE_PATIENCE_MS / 1000,
                               WATTLE_PAGE_PATIENCE_MS % 1000 * 1000};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)(const void *)&address, sizeof address) < 0) {
        int rc = -errno;
        (void)close(fd);
        return rc;
    }
    return fd;
}

/*
 * Receive a reply: its text, terminated, in reply[n], and the descriptor that came with it in
 * *ret_fd (the caller closes it), -1 = none. Returns its length; 0 = the other end closed; -errno,
 * -ETIMEDOUT after WATTLE_PAGE_PATIENCE_MS.
 */
static inline ssize_t wattle_page_receive_(int socket, char *reply, size_t n, int *ret_fd)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part;
    struct msghdr message;
    memset(&message, 0, sizeof message);
    memset(&control, 0, sizeof control);
    part.iov_base = reply;
    part.iov_len = n - 1;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    *ret_fd = -1;
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    reply[got > 0 ? got : 0] = '\0';
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) { /* padding has room for more than one */
            int fd;
            memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            if (i == 0)
                *ret_fd = fd;
            else
                (void)close(fd);
        }
    }
    return got;
}

/*
 * Connect to wattled (path NULL: where it is on this node), send a request and receive its reply,
 * "ok ..." or "no REASON SENTENCE" (docs/format/page.md). Returns the socket, which the caller
 * closes; -ECONNREFUSED, -ENOENT: there is no wattled; -ETIMEDOUT; other errors of the socket.
 */
static inline int wattle_page_ask(const char *path,
                                  const char *request,
                                  char *reply,
                                  size_t n,
                                  int *ret_fd)
{
    const char *set = path ? path : getenv("WATTLE_SOCKET");
    int fd = wattle_page_connect_(set && set[0] ? set : WATTLE_PAGE_SOCKET);
    *ret_fd = -1;
    if (fd < 0)
        return fd;
    ssize_t rc = send(fd, request, strlen(request), MSG_NOSIGNAL);
    rc = rc < 0 ? -errno : wattle_page_receive_(fd, reply, n, ret_fd);
    if (rc > 0)
        return fd;
    (void)close(fd);
    return rc == 0 ? -ECONNRESET : (int)rc;
}

/* What a reply to "page 2" means: 0: it comes with the page; -EACCES, -ENODEV, -EBUSY with a
 * sentence in *ret_text; -EBADMSG. */
static inline int wattle_page_verdict_(const char *reply, const char **ret_text)
{
    static const struct {
        const char *word;
        int rc;
    } reasons[] = {{"no denied ", -EACCES},
                   {"no sensors ", -ENODEV},
                   {"no busy ", -EBUSY},
                   {"no version ", -EBADMSG}};
    *ret_text = "";
    if (strncmp(reply, "ok ", 3) == 0)
        return 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (strncmp(reply, reasons[i].word, strlen(reasons[i].word)) == 0) {
            *ret_text = reply + strlen(reasons[i].word);
            return reasons[i].rc;
        }
    }
    return -EBADMSG;
}

/* A sentence of the other end as it may be shown: one line of printable ASCII. */
static inline void wattle_page_clean_(char *why, size_t n, const char *text)
{
    size_t i = 0;
    for (; n > 0 && i + 1 < n && text[i] != '\0'; i++)
        why[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    if (n > 0)
        why[i] = '\0';
}

/* Why a page cannot be opened, in one sentence with the remedy. */
static inline int wattle_page_refuse_(char *why, size_t n, int rc, const char *text)
{
    if (text[0])
        wattle_page_clean_(why, n, text);
    else if (rc == -ENOENT || rc == -ECONNREFUSED || rc == -ENOTDIR)
        (void)snprintf(why, n,
                       "wattled is not running on this node; ask the administrator to start it");
    else if (rc == -EBADMSG)
        (void)snprintf(why, n,
                       "the program on wattled's socket is not this version of wattled; install "
                       "the same version of wattle and wattled");
    else
        (void)snprintf(why, n, "cannot ask wattled for its energy page: %s", strerror(-rc));
    return rc;
}

/* Give the page back. Accepts a closed one. */
static inline void wattle_page_close(struct wattle_page *page)
{
    if (page->header)
        (void)munmap((void *)(uintptr_t)page->header, page->size);
    if (page->socket >= 0)
        (void)close(page->socket);
    page->header = NULL;
    page->socket = -1;
}

/*
 * Open the page of this node. On success the caller closes it with wattle_page_close(); while it is
 * open, wattled samples at the rate that the site has set for readers. Returns 0; -ENOENT,
 * -ECONNREFUSED: there is no wattled; -EACCES: this user may not read it; -ENODEV: it has no sensor;
 * -EBUSY: it has too many readers; -EBADMSG: another version; -ETIMEDOUT and other errors. why[n]
 * then holds one sentence.
 */
static inline int wattle_page_open(struct wattle_page *page, char *why, size_t n)
{
    char reply[WATTLE_PAGE_TEXT + 32] = "";
    const char *text = "";
    const void *at;
    size_t size;
    int fd;
    page->header = NULL;
    page->size = 0;
    page->socket = wattle_page_ask(NULL, "page 2", reply, sizeof reply, &fd);
    int rc = page->socket < 0 ? page->socket : wattle_page_verdict_(reply, &text);
    if (rc == 0)
        rc = fd < 0 ? -EBADMSG : wattle_page_map_(fd, &at, &size);
    if (rc == 0)
        rc = wattle_page_use_(page, at, size);
    if (fd >= 0)
        (void)close(fd);
    if (rc == 0)
        return 0;
    wattle_page_close(page);
    return wattle_page_refuse_(why, n, rc, text);
}

#ifdef __cplusplus
}
#endif
#endif
