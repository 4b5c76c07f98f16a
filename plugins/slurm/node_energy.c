/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads wattled's page for Slurm: see node_energy.h. A connection per reading, not one that stays: wattled
 * samples at the rate of readers only while there is one, and Slurm looks once in seconds.
 */
#define _GNU_SOURCE
#define WATTLE_PAGE_PATIENCE_MS 500
#include "node_energy.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <wattle/channel.h>
#include <wattle/page.h>

static const uint64_t FRESH_NS = 1000000000;      /* to wait for a sample taken after the call */
static const uint64_t REST_NS = 3000000000;       /* without asking, after wattled did not answer */
static const uint64_t MARK_NS = 3000000000;       /* likewise, for the others of the node */
static const uint64_t HANG_MARK_NS = 10000000000; /* after a wait: those who would wait, too */
static const uint64_t WAIT_NS = 4000000000;       /* for an answer without which a number is lost */
static const struct timespec STEP = {0, 1000000}; /* between looks */
static const struct timespec PAUSE = {0, 250000000};

/* Until when this process leaves wattled alone. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t rest_until_ns;

static uint64_t monotonic(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- not asking again and again what does not answer ---- */

/*
 * A job has a slurmstepd for each step, and each has two plugins: if each waited by itself, a hanging wattled would delay a
 * job several times. So whoever has waited tells the others of this node: it sets the modification time of the socket ahead
 * of now. A wattled that is restarted makes a new socket.
 *
 * One that is only late, on a busy node, is left alone in the same way, but those without whose answer a number is lost still wait: until
 * one of them has waited in vain, which sets the time further ahead.
 */
static const char *socket_path(void)
{
    const char *set = secure_getenv("WATTLE_SOCKET");
    return set && set[0] ? set : WATTLE_PAGE_SOCKET;
}

static struct timespec wall_clock(uint64_t later_ns)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
    uint64_t ns = (uint64_t)now.tv_nsec + later_ns;
    now.tv_sec += (time_t)(ns / 1000000000u);
    now.tv_nsec = (long)(ns % 1000000000u);
    return now;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* More than so far ahead, and no further than we set it: otherwise the clock was set back. */
static bool is_marked(uint64_t ahead_ns)
{
    struct timespec least = wall_clock(ahead_ns), most = wall_clock(HANG_MARK_NS);
    struct stat st;
    return lstat(socket_path(), &st) == 0 && S_ISSOCK(st.st_mode) &&
           is_before(&least, &st.st_mtim) && !is_before(&most, &st.st_mtim);
}

/* Never less than another has set it. */
static void mark(uint64_t ahead_ns)
{
    const struct timespec times[2] = {{0, UTIME_OMIT}, wall_clock(ahead_ns)};
    struct stat st;
    if (!is_marked(ahead_ns) && lstat(socket_path(), &st) == 0 && S_ISSOCK(st.st_mode))
        (void)utimensat(AT_FDCWD, socket_path(), times, AT_SYMLINK_NOFOLLOW);
}

static bool is_resting(void)
{
    (void)pthread_mutex_lock(&lock);
    bool resting = monotonic() < rest_until_ns;
    (void)pthread_mutex_unlock(&lock);
    return resting || is_marked(0);
}

static void rest_for(uint64_t rest_ns)
{
    (void)pthread_mutex_lock(&lock);
    rest_until_ns = rest_ns > 0 ? monotonic() + rest_ns : 0;
    (void)pthread_mutex_unlock(&lock);
}

static int rest_after(int rc)
{
    if (rc == -ETIMEDOUT || rc == -EAGAIN) {
        mark(MARK_NS);
        rest_for(REST_NS);
        return -ETIMEDOUT;
    }
    return rc;
}

int slurm_wattled_ask(const char *request, char *reply, size_t n)
{
    int fd = -1;
    reply[0] = '\0';
    if (is_resting())
        return -ETIMEDOUT;
    int socket = wattle_page_ask(NULL, request, reply, n, &fd);
    if (fd >= 0)
        (void)close(fd);
    if (socket < 0)
        return rest_after(socket);
    (void)close(socket);
    return strncmp(reply, "ok", 2) == 0 ? 0 : -ECANCELED;
}

uint64_t slurm_wattled_until(void)
{
    return monotonic() + WAIT_NS;
}

bool slurm_wattled_may_wait(uint64_t until_ns)
{
    if (monotonic() + (uint64_t)PAUSE.tv_nsec >= until_ns)
        return false;
    (void)nanosleep(&PAUSE, NULL);
    return true;
}

/* On one connection: a request that is given up and made again is more work for a wattled that is late. */
static int ask_until(const char *request, char *reply, size_t n, uint64_t until_ns)
{
    uint64_t now_ns = monotonic(), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    struct timeval patience = {(time_t)(left_ns / 1000000000u),
                               (suseconds_t)(left_ns % 1000000000u / 1000u)};
    int fd = -1;
    if (left_ns < 1000000)
        return -ETIMEDOUT;
    int socket = wattle_page_connect_(socket_path());
    if (socket < 0)
        return socket;
    (void)setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t rc = send(socket, request, strlen(request), MSG_NOSIGNAL);
    rc = rc < 0 ? -errno : wattle_page_receive_(socket, reply, n, &fd);
    if (fd >= 0)
        (void)close(fd);
    (void)close(socket);
    return rc == 0 ? -ECONNRESET : rc < 0 ? (int)rc : 0;
}

int slurm_wattled_wait(const char *request, char *reply, size_t n, uint64_t until_ns)
{
    reply[0] = '\0';
    if (is_marked(MARK_NS))
        return -ETIMEDOUT;
    int rc = ask_until(request, reply, n, until_ns);
    if (rc == -ETIMEDOUT || rc == -EAGAIN) {
        mark(HANG_MARK_NS);
        rest_for(REST_NS);
        return -ETIMEDOUT;
    }
    if (rc < 0)
        return rc;
    rest_for(0);
    return strncmp(reply, "ok", 2) == 0 ? 0 : -ECANCELED;
}

bool slurm_wattled_hangs(void)
{
    char reply[WATTLE_PAGE_TEXT];
    return slurm_wattled_ask("status", reply, sizeof reply) == -ETIMEDOUT;
}

/* ---- one reading ---- */

/* FNV-1a: which channels, and since when they count. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}

static int fail(char *why, int rc, const char *what, const char *name)
{
    char clean[WATTLE_NAME_MAX];
    wattle_page_clean_(clean, sizeof clean, name);
    (void)snprintf(why, SLURM_WHY, "%s %s", clean, what);
    return rc;
}

/* A sample of channel i that was taken after from_ns, or why none is available. */
static int read_fresh(const struct wattle_page *page,
                      size_t i,
                      uint64_t from_ns,
                      struct wattle_page_now *now,
                      char *why)
{
    const char *name = wattle_page_channel_at(page, i)->name;
    for (;;) {
        int rc = wattle_page_read(page, i, now);
        if (rc == 0 && now->status)
            return fail(why, -EIO, "cannot be read by wattled", name);
        if (rc == 0 && now->time_ns >= from_ns)
            return 0;
        if (rc < 0 && rc != -ENODATA && rc != -EAGAIN)
            return fail(why, rc, "is on a page that wattled has just replaced", name);
        if (monotonic() - from_ns > FRESH_NS)
            return fail(why, -EIO, "does not answer wattled: its sensor hangs", name);
        (void)nanosleep(&STEP, NULL);
    }
}

static int add_channel(const struct wattle_page *page,
                       size_t i,
                       bool estimates,
                       uint64_t from_ns,
                       struct slurm_node_energy *sum,
                       char *why)
{
    struct wattle_page_channel row = *wattle_page_channel_at(page, i); /* the writer owns it */
    struct wattle_page_now now;
    row.name[sizeof row.name - 1] = '\0';
    int rc = read_fresh(page, i, from_ns, &now, why);
    if (rc < 0)
        return rc;
    if (now.quality == WATTLE_ESTIMATED && !estimates)
        return fail(why, -ENODATA, "is only an estimate; [slurm] estimate = yes accepts it",
                    row.name);
    if (!isfinite(now.energy_j) || now.energy_j < 0)
        return fail(why, -EBADMSG, "has no valid energy", row.name);
    sum->energy_j += now.energy_j;
    sum->power_w += now.power_w;
    sum->unknown_ns += now.unknown_ns;
    sum->identity = mix(sum->identity, row.name, strlen(row.name) + 1);
    sum->identity = mix(sum->identity, &now.since_ns, sizeof now.since_ns);
    return 0;
}

static int read_total(const struct wattle_page *page,
                      bool estimates,
                      struct slurm_node_energy *sum,
                      char *why)
{
    uint64_t from_ns = monotonic();
    size_t found = 0;
    *sum = (struct slurm_node_energy){.identity = UINT64_C(14695981039346656037)};
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        if (!(wattle_page_channel_at(page, i)->flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        int rc = add_channel(page, i, estimates, from_ns, sum, why);
        if (rc < 0)
            return rc;
        found++;
    }
    if (found == 0) {
        (void)snprintf(why, SLURM_WHY, "wattled has no sensor whose energy is part of a total");
        return -ENODEV;
    }
    return 0;
}

int slurm_node_energy_read(bool estimates, struct slurm_node_energy *ret_energy, char *why)
{
    struct wattle_page page;
    struct slurm_node_energy sum;
    char text[WATTLE_PAGE_TEXT];
    int rc = -ESTALE;
    why[0] = '\0';
    if (is_resting()) {
        (void)snprintf(why, SLURM_WHY, "wattled does not answer");
        return -ETIMEDOUT;
    }
    for (int tries = 0; tries < 2 && rc == -ESTALE; tries++) {
        rc = wattle_page_open(&page, text, sizeof text);
        if (rc < 0) {
            (void)snprintf(why, SLURM_WHY, "%s", text);
            return rest_after(rc);
        }
        rc = read_total(&page, estimates, &sum, why);
        wattle_page_close(&page);
    }
    if (rc == 0)
        *ret_energy = sum;
    return rc;
}
