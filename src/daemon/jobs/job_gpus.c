/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs of jobs: see job_gpus.h. */
#define _GNU_SOURCE
#include "daemon/jobs/job_gpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "account/cgroup_use.h"
#include "account/share.h"
#include "base/parse.h"

enum { DEVICES = 64 };

void wtl_job_gpus_watch(struct wtl_job_gpus *gpus, const struct wtl_selection *selection)
{
    for (size_t i = 0; i < selection->offer_count && gpus->count < WTL_GPU_DRIVERS; i++) {
        const struct wtl_offer *offer = &selection->offers[i];
        if (offer->status == 0 && wtl_gpu_use_is_of(offer->source.driver->name))
            gpus->list[gpus->count++] = (struct wtl_job_gpu_driver){.source = &offer->source};
    }
}

void wtl_job_gpus_rest(struct wtl_job_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++)
        wtl_gpu_use_fini(&gpus->list[i].use);
}

void wtl_job_gpus_fini(struct wtl_job_gpus *gpus)
{
    wtl_job_gpus_rest(gpus);
    for (size_t i = 0; i < gpus->count; i++)
        free(gpus->list[i].owners);
    *gpus = (struct wtl_job_gpus){.count = 0};
}

/* ---- lists ---- */

/* Is a word among those of "pci 0000:65:00.0, node 1, GPU-5f1a, call"? */
static bool is_at(const char *location, const char *word, size_t n)
{
    while (*location) {
        size_t length = strcspn(location, ",");
        const char *part = strncmp(location, "pci ", 4) == 0 ? location + 4 : location;
        if (length - (size_t)(part - location) == n && strncasecmp(part, word, n) == 0)
            return true;
        location += length;
        location += strspn(location, ", ");
    }
    return false;
}

static bool is_word_of(const char *word, size_t n, const struct wattle_page_channel *channel)
{
    char name[64], location[sizeof channel->location + 1];
    bool numbered =
        wtl_gpu_use_is_of(channel->sensor); /* else its index is not that of the vendor */
    (void)snprintf(name, sizeof name, "%.15s:gpu-%d", channel->sensor, channel->index);
    (void)snprintf(location, sizeof location, "%.*s", (int)sizeof channel->location,
                   channel->location);
    uint64_t number;
    if (n == 0)
        return false;
    if (strspn(word, "0123456789") == n)
        return numbered && wtl_scan_u64(word, n, &number) == (int)n &&
               number == (uint64_t)channel->index;
    return (strlen(name) == n && strncmp(word, name, n) == 0) || is_at(location, word, n);
}

bool wtl_job_gpus_has(const char *list, const struct wattle_page_channel *channel)
{
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (is_word_of(list, n, channel))
            return true;
    }
    return false;
}

bool wtl_job_gpus_are_here(const char *list, const struct wtl_page_values *values)
{
    for (size_t n; *list; list += n + (list[n] == ',')) {
        bool here = (n = strcspn(list, ",")) == 0;
        for (size_t i = 0; !here && i < values->count; i++)
            here = is_word_of(list, n, wtl_page_values_channel(values, i));
        if (!here)
            return false;
    }
    return true;
}

/* ---- looks ---- */

/* Those that no job has for itself, as far as they are in the page. */
static uint64_t without_owner(const struct wtl_job_gpus *gpus,
                              const struct wtl_job_gpu_driver *driver,
                              const struct wtl_page_values *values,
                              const struct wtl_job_set *set,
                              struct wtl_device_claim *claims)
{
    uint64_t devices = 0;
    bool soon;
    for (size_t i = 0; i < values->count; i++) {
        const struct wattle_page_channel *channel = wtl_page_values_channel(values, i);
        const struct wattle_channel about = {.domain = (enum wattle_domain)channel->domain};
        if (!wtl_share_is_of_device(&about) || channel->index < 0 || channel->index >= DEVICES ||
            strcmp(channel->sensor, driver->source->driver->name) != 0)
            continue;
        (void)wtl_job_gpus_claims(gpus, channel, set, claims, &soon);
        if (!wtl_device_has_owner(claims, set->count))
            devices |= UINT64_C(1) << channel->index;
    }
    return devices;
}

/* The job of a process, or its step. */
static size_t job_of_process(const struct wtl_world *world,
                             const struct wtl_job_set *set,
                             pid_t pid)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < set->count; i++) {
        const struct wtl_ledger_job *job = set->jobs[i];
        bool is_step = set->job_of[i] != i;
        if (set->job_of[i] == SIZE_MAX || (found != SIZE_MAX && !is_step))
            continue;
        if (wtl_tree_has(&job->tree, pid) || wtl_cgroup_has(world, job->terms.cgroup, pid))
            found = i;
        if (found == i && is_step)
            break;
    }
    return found;
}

static void find_owners(struct wtl_job_gpu_driver *driver,
                        const struct wtl_world *world,
                        const struct wtl_job_set *set)
{
    free(driver->owners);
    driver->owners = (size_t *)calloc(driver->use.count + 1, sizeof *driver->owners);
    if (!driver->owners)
        driver->use.known = 0;
    for (size_t i = 0; driver->owners && i < driver->use.count; i++)
        driver->owners[i] = job_of_process(world, set, driver->use.users[i].pid);
}

void wtl_job_gpus_look(struct wtl_job_gpus *gpus,
                       const struct wtl_world *world,
                       const struct wtl_page_values *values,
                       const struct wtl_job_set *set,
                       uint64_t until_ns)
{
    struct wtl_device_claim *claims = calloc(set->count + 1, sizeof *claims);
    bool divided = false;
    for (size_t i = 0; i < set->count; i++)
        divided |= set->jobs[i]->terms.given && !set->gone[i];
    for (size_t d = 0; d < gpus->count; d++) {
        struct wtl_job_gpu_driver *driver = &gpus->list[d];
        uint64_t devices = divided && claims ? without_owner(gpus, driver, values, set, claims) : 0;
        wtl_gpu_use_look(&driver->use, driver->source, devices, until_ns);
        find_owners(driver, world, set);
    }
    free(claims);
}

static const struct wtl_job_gpu_driver *driver_of(const struct wtl_job_gpus *gpus,
                                                  const struct wattle_page_channel *channel)
{
    for (size_t d = 0; d < gpus->count; d++) {
        if (strncmp(gpus->list[d].source->driver->name, channel->sensor, sizeof channel->sensor) ==
            0)
            return &gpus->list[d];
    }
    return NULL;
}

/* Add what the processes on a device have used to their jobs' claims. Returns what those of no job have. */
static double add_use(const struct wtl_job_gpu_driver *driver,
                      int device,
                      const struct wtl_job_set *set,
                      struct wtl_device_claim *claims)
{
    double others = 0;
    for (size_t k = 0; k < driver->use.count; k++) {
        const struct wtl_gpu_user *user = &driver->use.users[k];
        if (user->device == device)
            *(driver->owners[k] < set->count ? &claims[driver->owners[k]].used : &others) +=
                user->used;
    }
    return others;
}

double wtl_job_gpus_claims(const struct wtl_job_gpus *gpus,
                           const struct wattle_page_channel *channel,
                           const struct wtl_job_set *set,
                           struct wtl_device_claim *claims,
                           bool *ret_soon)
{
    const struct wtl_job_gpu_driver *driver = driver_of(gpus, channel);
    for (size_t i = 0; i < set->count; i++) {
        const struct wtl_ledger_job *job = set->jobs[i];
        claims[i] = (struct wtl_device_claim){
            .job = set->job_of[i] < set->count ? set->job_of[i] : i,
            .reserved =
                job == set->alone || (!set->gone[i] && wtl_job_gpus_has(job->terms.gpus, channel))};
    }
    bool known = driver && driver->owners && channel->index >= 0 && channel->index < DEVICES &&
                 driver->use.known >> channel->index & 1;
    *ret_soon = driver && !known && wtl_gpu_use_is_starting(&driver->use);
    return known ? add_use(driver, channel->index, set, claims) : (double)NAN;
}
