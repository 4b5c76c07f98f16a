/* SPDX-License-Identifier: BSD-3-Clause */
/* See gpu_shares.h. The lock is never held while something is asked or read. */
#define _GNU_SOURCE
#include "measure/gpu_shares.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account/cgroup_use.h"
#include "account/device_share.h"
#include "account/process_stat.h"
#include "account/process_trees.h"
#include "account/share.h"
#include "sensors/gpu/gpu_use.h"

enum { DRIVERS = 3, DEVICES = 64 };

/* NVIDIA's library has a new sample of a process at most once a second. */
static const uint64_t PERIOD_NS = 1000000000, ANSWER_NS = 50000000;

struct parts {
    double tree, others, idle, unattributed;
};

enum { TREE, OTHERS, CLAIMS };

/* A GPU in the total. */
struct gpu {
    size_t channel; /* of the selection */
    size_t driver;
    int device;
    double settled_j; /* of its energy, in `joules` */
    struct parts joules;
    bool known; /* what `last` is */
    struct parts last;
};

struct driver {
    const struct wtl_source *source;
    struct wtl_gpu_use use;
    uint64_t devices;
    int *owners; /* [use.count]: TREE, OTHERS, CLAIMS = unknown */
};

struct wtl_gpu_shares {
    const struct wtl_world *world;
    struct wtl_session *session;
    const struct wtl_selection *selection;
    struct wtl_tree_root root;
    char cgroup[4096]; /* "" = the tree */
    bool own_pids;     /* those of this namespace are not those of the library */
    struct wtl_process_tree tree;
    struct driver drivers[DRIVERS];
    size_t driver_count;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ends;
    bool ending;
    size_t count;
    struct gpu gpus[];
};

/* ---- whose a process is ---- */

static int owner_before(const struct wtl_gpu_shares *shares, pid_t pid)
{
    if (shares->cgroup[0])
        return wtl_cgroup_has(shares->world, shares->cgroup, pid) ? TREE : CLAIMS;
    return wtl_tree_has(&shares->tree, pid) ? TREE : CLAIMS;
}

static int owner_of(const struct wtl_gpu_shares *shares, pid_t pid)
{
    char path[40];
    (void)snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    if (owner_before(shares, pid) == TREE)
        return TREE;
    return shares->world->ops->exists(shares->world, path) ? OTHERS : CLAIMS;
}

static void scan_tree(struct wtl_gpu_shares *shares)
{
    struct wtl_process_scan *scan = NULL;
    uint64_t used_ns;
    if (!shares->cgroup[0] && wtl_process_scan(shares->world, &scan) == 0)
        (void)wtl_tree_used_ns(scan, &shares->root, &shares->tree, &used_ns);
    wtl_process_scan_free(scan);
}

/* A process may have ended since it was seen. In a container the library may show no process, or numbers of the host. */
static void find_owners(struct wtl_gpu_shares *shares)
{
    bool any = false, scanned = false;
    for (size_t d = 0; d < shares->driver_count; d++) {
        struct driver *driver = &shares->drivers[d];
        free(driver->owners);
        driver->owners = (int *)calloc(driver->use.count + 1, sizeof *driver->owners);
        if (!driver->owners) {
            driver->use.known = 0;
            continue;
        }
        for (size_t k = 0; k < driver->use.count; k++)
            driver->owners[k] = owner_before(shares, driver->use.users[k].pid);
        if (driver->use.count > 0 && !scanned)
            scan_tree(shares);
        scanned |= driver->use.count > 0;
        for (size_t k = 0; k < driver->use.count; k++) {
            if (driver->owners[k] != TREE)
                driver->owners[k] = owner_of(shares, driver->use.users[k].pid);
            any |= driver->owners[k] != CLAIMS;
        }
    }
    for (size_t d = 0; d < shares->driver_count && shares->own_pids && !any; d++)
        shares->drivers[d].use.known = 0;
}

/* ---- dividing ---- */

static bool parts_of(const struct driver *driver, int device, struct parts *ret)
{
    struct wtl_device_claim claims[CLAIMS] = {{.job = TREE}, {.job = OTHERS}};
    double parts[CLAIMS], unclaimed = 0, idle;
    if (!driver->owners || !(driver->use.known >> device & 1))
        return false;
    for (size_t k = 0; k < driver->use.count; k++) {
        const struct wtl_gpu_user *user = &driver->use.users[k];
        int owner = driver->owners[k];
        if (user->device == device)
            *(owner < CLAIMS ? &claims[owner].used : &unclaimed) += user->used;
    }
    if (wtl_device_parts(claims, CLAIMS, unclaimed, parts, &idle) == WTL_DEVICE_UNKNOWN)
        return false;
    *ret = (struct parts){.tree = parts[TREE],
                          .others = parts[OTHERS],
                          .idle = idle,
                          .unattributed = 1 - parts[TREE] - parts[OTHERS] - idle};
    return true;
}

static void add(struct parts *sum, const struct parts *parts, double joules)
{
    sum->tree += parts->tree * joules;
    sum->others += parts->others * joules;
    sum->idle += parts->idle * joules;
    sum->unattributed += parts->unattributed * joules;
}

static const struct parts of_nobody = {.unattributed = 1};

static double energy_of(const struct wtl_gpu_shares *shares, const struct gpu *gpu)
{
    struct wtl_result_channel channel = {.channel = shares->selection->channels[gpu->channel]};
    wtl_session_summary(shares->session, gpu->channel, &channel.summary);
    return wtl_result_energy(&channel).j;
}

static void divide(struct wtl_gpu_shares *shares)
{
    for (size_t i = 0; i < shares->count; i++) {
        struct gpu *gpu = &shares->gpus[i];
        const struct driver *driver = &shares->drivers[gpu->driver];
        struct parts now;
        double now_j = energy_of(shares, gpu);
        bool known = parts_of(driver, gpu->device, &now);
        if (!isfinite(now_j))
            continue; /* it waits for the next look */
        (void)pthread_mutex_lock(&shares->lock);
        gpu->known = known;
        gpu->last = known ? now : of_nobody;
        add(&gpu->joules, &gpu->last, now_j - gpu->settled_j);
        gpu->settled_j = now_j;
        (void)pthread_mutex_unlock(&shares->lock);
    }
}

/* ---- looks ---- */

/* Until then, or the end. True: go on. */
static bool rest(struct wtl_gpu_shares *shares, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                   .tv_nsec = (long)(until_ns % 1000000000)};
    int rc = 0;
    (void)pthread_mutex_lock(&shares->lock);
    while (!shares->ending && rc == 0)
        rc = pthread_cond_timedwait(&shares->ends, &shares->lock, &until);
    bool goes_on = !shares->ending;
    (void)pthread_mutex_unlock(&shares->lock);
    return goes_on;
}

/* Who uses them now; each driver is asked once. */
static void ask(struct wtl_gpu_shares *shares)
{
    for (size_t d = 0; d < shares->driver_count; d++) {
        struct driver *driver = &shares->drivers[d];
        uint64_t now_ns = 0;
        do {
            now_ns = wtl_world_monotonic(shares->world);
            wtl_gpu_use_look(&driver->use, driver->source, driver->devices, now_ns + ANSWER_NS);
        } while (wtl_gpu_use_is_waiting(&driver->use) && rest(shares, now_ns));
    }
}

/* The first answer is about the time before the window. */
static void *share_loop(void *context)
{
    struct wtl_gpu_shares *shares = context;
    uint64_t next_ns = wtl_world_monotonic(shares->world) + PERIOD_NS;
    ask(shares);
    for (; rest(shares, next_ns); next_ns += PERIOD_NS) {
        ask(shares);
        find_owners(shares);
        divide(shares);
        uint64_t now_ns = wtl_world_monotonic(shares->world);
        next_ns = next_ns + PERIOD_NS < now_ns ? now_ns : next_ns;
    }
    return NULL;
}

/* ---- start, result, end ---- */

static bool name_target(struct wtl_gpu_shares *shares, const struct wtl_target *target)
{
    const struct wtl_world *world = shares->world;
    shares->own_pids = !wtl_process_numbers_are_first(world);
    shares->root.pid = (uint32_t)target->pid;
    return !target->cgroup ||
           wtl_cgroup_name(world, target->cgroup, shares->cgroup, sizeof shares->cgroup);
}

/* The driver of a channel whose GPU can be asked about; DRIVERS = it cannot. */
static size_t driver_of(struct wtl_gpu_shares *shares, size_t channel)
{
    const struct wattle_channel *about = &shares->selection->channels[channel];
    const struct wtl_source *source = shares->selection->picks[channel].source;
    size_t d = 0;
    if (!(about->flags & WATTLE_CHANNEL_IN_TOTAL) || !wtl_share_is_of_device(about) ||
        !wtl_gpu_use_is_of(source->driver->name) || about->index < 0 || about->index >= DEVICES)
        return DRIVERS;
    while (d < shares->driver_count && shares->drivers[d].source != source)
        d++;
    if (d == shares->driver_count && d < DRIVERS)
        shares->drivers[shares->driver_count++].source = source;
    return d;
}

static void find_gpus(struct wtl_gpu_shares *shares)
{
    for (size_t i = 0; i < shares->selection->recorded_count; i++) {
        size_t d = driver_of(shares, i);
        if (d == DRIVERS)
            continue;
        int device = shares->selection->channels[i].index;
        shares->drivers[d].devices |= UINT64_C(1) << device;
        shares->gpus[shares->count++] = (struct gpu){.channel = i, .driver = d, .device = device};
    }
}

static int start_thread(struct wtl_gpu_shares *shares)
{
    pthread_condattr_t clock;
    sigset_t all, old;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&shares->ends, &clock);
    (void)pthread_condattr_destroy(&clock);
    (void)pthread_mutex_init(&shares->lock, NULL);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    int rc = pthread_create(&shares->thread, NULL, share_loop, shares);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return -rc;
}

struct wtl_gpu_shares *wtl_gpu_shares_start(const struct wtl_measurement *m)
{
    size_t most = m->session ? m->selection->recorded_count : 0;
    struct wtl_gpu_shares *shares = calloc(1, sizeof *shares + most * sizeof *shares->gpus);
    if (!shares)
        return NULL;
    shares->world = m->options.world;
    shares->session = m->session;
    shares->selection = m->selection;
    if (most > 0 && name_target(shares, &m->options.target))
        find_gpus(shares);
    if (shares->count > 0 && start_thread(shares) == 0)
        return shares;
    free(shares);
    return NULL;
}

static void add_gpu(struct wtl_gpu_shares *shares,
                    const struct wtl_result_channel *channel,
                    struct parts *sum)
{
    double joules = wtl_result_energy(channel).j;
    size_t i = 0, count = shares ? shares->count : 0;
    while (i < count && strcmp(shares->selection->channels[shares->gpus[i].channel].name,
                               channel->channel.name) != 0)
        i++;
    if (i == count) {
        add(sum, &of_nobody, joules);
        return;
    }
    const struct gpu *gpu = &shares->gpus[i];
    add(sum, gpu->known ? &gpu->last : &of_nobody, joules - gpu->settled_j);
    sum->tree += gpu->joules.tree;
    sum->others += gpu->joules.others;
    sum->idle += gpu->joules.idle;
    sum->unattributed += gpu->joules.unattributed;
}

void wtl_gpu_shares_fill(struct wtl_gpu_shares *shares, struct wtl_result *result)
{
    struct parts sum = {0};
    bool any = false;
    if (shares)
        (void)pthread_mutex_lock(&shares->lock);
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wtl_result_channel *c = &result->channels[i];
        if (!(c->channel.flags & WATTLE_CHANNEL_IN_TOTAL) || !wtl_share_is_of_device(&c->channel))
            continue;
        any = true;
        add_gpu(shares, c, &sum);
    }
    if (shares)
        (void)pthread_mutex_unlock(&shares->lock);
    if (!any)
        return;
    result->gpu_share_j = sum.tree;
    result->gpu_others_j = sum.others;
    result->gpu_idle_j = sum.idle;
    result->gpu_unattributed_j = sum.unattributed;
}

void wtl_gpu_shares_end(struct wtl_gpu_shares *shares)
{
    if (!shares)
        return;
    (void)pthread_mutex_lock(&shares->lock);
    shares->ending = true;
    (void)pthread_cond_signal(&shares->ends);
    (void)pthread_mutex_unlock(&shares->lock);
    (void)pthread_join(shares->thread, NULL);
    for (size_t d = 0; d < shares->driver_count; d++) {
        wtl_gpu_use_fini(&shares->drivers[d].use);
        free(shares->drivers[d].owners);
    }
    wtl_tree_fini(&shares->tree);
    (void)pthread_cond_destroy(&shares->ends);
    (void)pthread_mutex_destroy(&shares->lock);
    free(shares);
}
