/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampler, ledger, pages and health of wattled, with threads and in real time: energies of the page are exact, also over a
 * restart from the ledger; pages are renewed under readers; sensors that fail are seen. No time is asserted.
 */
#define _GNU_SOURCE
#include "daemon/sampler.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "daemon/health.h"
#include "daemon/pages.h"
#include "folder_world.h"
#include "tap.h"

#define MS   UINT64_C(1000000)
#define BOOT "11111111-2222-3333-4444-555555555555"

static struct wtl_daemon_settings settings = {.interval_ns = MS,
                                              .idle_interval_ns = 1000 * MS,
                                              .coarse_interval_ns = 100 * MS,
                                              .coarse_resolution_j = 0.25,
                                              .sensors = "powercap"};

static void nap(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static struct wattle_page_now read_now(const struct wtl_sampler *sampler)
{
    struct wattle_page_now now = {0};
    (void)wattle_page_read(wtl_sampler_page(sampler), 0, &now);
    return now;
}

static int map_page(int fd, struct wattle_page *page)
{
    const void *at;
    size_t size;
    int rc = wattle_page_map_(fd, &at, &size);
    return rc < 0 ? rc : wattle_page_use_(page, at, size);
}

static bool open_all(struct wtl_sampler **sampler, struct wtl_ledger **ledger)
{
    struct wattle_error err = {""};
    bool created;
    int rc = wtl_sampler_open(&folder_world, &settings, sampler, &err);
    rc = rc < 0 ? rc : wtl_ledger_open(run_dir, BOOT, ledger, &created, &err);
    rc = rc < 0 ? rc : wtl_sampler_start(*sampler, *ledger, BOOT, &err);
    return ok(rc == 0, "starts%s", err.text);
}

/* From one run to the next, and within each: joules are those of the counter. */
static void test_restart(void)
{
    struct wattle_page_now first = {0}, last = {0};
    uint64_t generation = 0;
    for (int run = 0; run < 3; run++) {
        struct wtl_sampler *sampler;
        struct wtl_ledger *ledger;
        if (!open_all(&sampler, &ledger))
            return;
        is_int(wtl_sampler_now(sampler), 0, "a sample");
        struct wattle_page_now now = read_now(sampler);
        ok(now.time_ns > last.time_ns && now.status == 0, "is new");
        if (run == 0)
            first = now;
        double truth = (double)(now.raw - first.raw) * 1e-6, seen = now.energy_j - first.energy_j;
        ok(fabs(seen - truth) < 1e-5, "run %d: %g J, truth %g J", run, seen, truth);
        is_int((int)now.unknown_ns, 0, "nothing is unknown");
        uint64_t is = wtl_sampler_page(sampler)->header->generation;
        ok(is > generation, "generation %d", (int)is);
        generation = is;
        last = now;
        wtl_sampler_close(sampler);
        wtl_ledger_close(ledger);
        nap();
    }
}

static void test_intervals(void)
{
    struct wtl_sampler *sampler;
    struct wtl_ledger *ledger;
    if (!open_all(&sampler, &ledger))
        return;
    is_int((int)(wtl_sampler_idle_ns(sampler, 1000 * MS) / MS), 1000,
           "the idle interval that is wanted");
    wtl_sampler_pace(sampler, 1000 * MS);
    is_int((int)(wtl_sampler_page(sampler)->header->interval_ns / MS), 1000, "is in the page");
    uint64_t before_ns = read_now(sampler).time_ns;
    is_int(wtl_sampler_now(sampler), 0, "a sample now");
    ok(read_now(sampler).time_ns > before_ns, "is in the page at once");
    wtl_sampler_close(sampler);
    wtl_ledger_close(ledger);
}

struct reading {
    const struct wattle_page *page;
    atomic_bool stop;
    int bad;
};

/* Energies of a page never fall, whatever happens to the page. */
static void *read_on(void *context)
{
    struct reading *reading = context;
    double last_j = 0;
    while (!atomic_load(&reading->stop)) {
        struct wattle_page_now now;
        int rc = wattle_page_read(reading->page, 0, &now);
        if ((rc == 0 || rc == -ESTALE) && now.energy_j < last_j)
            reading->bad++;
        if (rc == 0 || rc == -ESTALE)
            last_j = now.energy_j;
    }
    return NULL;
}

static void test_renew(void)
{
    struct wtl_sampler *sampler;
    struct wtl_ledger *ledger;
    bool sealed;
    if (!open_all(&sampler, &ledger))
        return;
    (void)wtl_sampler_now(sampler);
    for (int turn = 0; turn < 5; turn++) {
        struct wattle_page mine = {.socket = -1};
        pthread_t thread;
        double before_j = read_now(sampler).energy_j;
        is_int(map_page(wtl_sampler_page_fd(sampler, &sealed), &mine), 0, "a reader");
        struct reading reading = {.page = &mine};
        if (pthread_create(&thread, NULL, read_on, &reading) != 0)
            return;
        wtl_sampler_pace(sampler, turn % 2 ? 1000 * MS : MS); /* idle, or not */
        is_int(wtl_sampler_renew(sampler), 0, "renewed");
        is_int((int)wattle_page_state(&mine), WATTLE_PAGE_RETIRED, "the reader's page is retired");
        (void)wtl_sampler_now(sampler);
        ok(read_now(sampler).energy_j >= before_j && read_now(sampler).unknown_ns == 0,
           "the new one continues: %g J", read_now(sampler).energy_j);
        atomic_store(&reading.stop, true);
        (void)pthread_join(thread, NULL);
        is_int(reading.bad, 0, "energies never fall");
        wattle_page_close(&mine);
    }
    wtl_sampler_close(sampler);
    wtl_ledger_close(ledger);
}

static void test_failing(void)
{
    struct wtl_sampler *sampler;
    struct wtl_ledger *ledger;
    if (!open_all(&sampler, &ledger))
        return;
    const struct wattle_page *page = wtl_sampler_page(sampler);
    (void)wtl_sampler_now(sampler);
    uint64_t now_ns = wtl_world_monotonic(&folder_world);
    struct wtl_health *health = wtl_health_create(wattle_page_count(page), now_ns);
    is_int((int)wtl_health_look(health, page, now_ns), 0, "all work");
    is_int((int)wtl_health_look(health, page, now_ns + 60000 * MS), 1,
           "a sample that is a minute old");
    is_int(wtl_health_of(health, 0), -ETIMEDOUT, "means that it hangs");
    atomic_store(&counter_error, -EIO);
    (void)wtl_sampler_now(sampler);
    now_ns = wtl_world_monotonic(&folder_world);
    is_int((int)wtl_health_look(health, page, now_ns), 1, "reads fail");
    is_int(wtl_health_of(health, 0), -EIO, "as its error says");
    is_int(wtl_health_of(health, 99), 0, "a channel that there is not");
    struct wattle_page_now now = read_now(sampler);
    ok(wtl_health_unknown_ns(page, 0, &now, now.time_ns + 5) == 5,
       "unknown since the last good reading");
    atomic_store(&counter_error, 0);
    (void)wtl_sampler_now(sampler);
    is_int((int)wtl_health_look(health, page, wtl_world_monotonic(&folder_world)), 0,
           "works again");
    wtl_health_destroy(health);
    wtl_sampler_close(sampler);
    wtl_ledger_close(ledger);
}

static const char *ask(struct wtl_pages *pages,
                       const struct wtl_policy *policy,
                       uid_t uid,
                       struct wtl_reply *reply)
{
    *reply = (struct wtl_reply){.fd = -1};
    wtl_pages_lend(pages, policy, uid, reply);
    return reply->text;
}

/* Who gets which page, and which pages end when rights change. */
static void test_pages(void)
{
    struct wtl_sampler *sampler;
    struct wtl_ledger *ledger;
    struct wtl_pages *pages;
    struct wtl_policy *policy;
    static struct wtl_reply reply;
    struct wattle_page full = {.socket = -1}, coarse = {.socket = -1};
    struct wattle_page_now now;
    (void)snprintf(settings.run_dir, sizeof settings.run_dir, "%s", run_dir);
    if (!open_all(&sampler, &ledger) ||
        !ok(wtl_pages_create(sampler, ledger, &settings, &pages) == 0 &&
                wtl_policy_create(&folder_world, &settings, &policy) == 0,
            "pages and policy"))
        return;
    (void)wtl_sampler_now(sampler);
    ok(strncmp(ask(pages, policy, 7, &reply), "no denied ", 10) == 0 && reply.fd < 0,
       "a user without a job");
    is_str(ask(pages, policy, 0, &reply), "ok full", "root");
    is_int(reply.presence, WTL_READS_FULL, "counts as a reader");
    ok(wtl_pages_publish(pages, 1, false) == UINT64_MAX, "no coarse page yet");
    (void)wtl_policy_allow(policy, 7);
    is_str(ask(pages, policy, 7, &reply), "ok full", "a user with a job");
    is_int(map_page(reply.fd, &full), 0, "gets a page");
    is_int(wtl_pages_review(pages, policy), 0, "nothing has changed");
    is_int((int)wattle_page_state(&full), WATTLE_PAGE_LIVE, "so the page stays");
    (void)wtl_policy_allow(policy, 8);
    is_int(wtl_pages_review(pages, policy), 0, "another user comes");
    is_int((int)wattle_page_state(&full), WATTLE_PAGE_RETIRED, "it is retired");
    is_str(ask(pages, policy, 8, &reply), "ok coarse", "each gets the coarse page");
    is_int(reply.presence, WTL_READS_COARSE, "and counts as a reader of it");
    is_int(map_page(reply.fd, &coarse), 0, "which is a page");
    is_int((int)coarse.header->detail, WATTLE_PAGE_COARSE, "and says what it is");
    uint64_t time_ns = wtl_world_monotonic(&folder_world),
             next_ns = wtl_pages_publish(pages, time_ns, true);
    ok(next_ns > time_ns && next_ns % (100 * MS) == 0, "published at multiples of its interval");
    is_int(wattle_page_read(&coarse, 0, &now), 0, "has values");
    double units = now.energy_j / 0.25;
    ok(fabs(units - round(units)) < 1e-9 && now.time_ns % (100 * MS) == 0, "that are rounded: %g J",
       now.energy_j);
    ok(now.energy_j <= read_now(sampler).energy_j, "down");
    (void)wtl_policy_deny(policy, 7);
    (void)wtl_pages_review(pages, policy);
    is_int((int)wattle_page_state(&coarse), WATTLE_PAGE_LIVE,
           "a user that does not hold it leaves: it stays");
    (void)wtl_policy_deny(policy, 8);
    (void)wtl_pages_review(pages, policy);
    is_int((int)wattle_page_state(&coarse), WATTLE_PAGE_RETIRED,
           "its holder leaves: it is retired");
    wattle_page_close(&full);
    wattle_page_close(&coarse);
    wtl_pages_destroy(pages);
    wtl_policy_destroy(policy);
    wtl_sampler_close(sampler);
    wtl_ledger_close(ledger);
}

int main(void)
{
    make_world();
    test_restart();
    test_intervals();
    test_renew();
    test_failing();
    test_pages();
    remove_world();
    return done_testing();
}
