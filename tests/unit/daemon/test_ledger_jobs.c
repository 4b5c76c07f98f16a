/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of wattled: their joules and unknown time, over restarts and boots, and files that are damaged at any byte. */
#define _GNU_SOURCE
#include "daemon/ledger_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/health.h"
#include "daemon/ledger_job_file.h"
#include "folder_world.h"
#include "record/energy_page.h"
#include "tap.h"

#define BOOT "11111111-2222-3333-4444-555555555555"

static struct wattle_channel channel = {.name = "powercap:package-0",
                                        .domain = WATTLE_DOMAIN_PACKAGE,
                                        .quantity = WATTLE_ENERGY,
                                        .kind = WATTLE_COUNTER,
                                        .quality = WATTLE_MEASURED,
                                        .flags = WATTLE_CHANNEL_IN_TOTAL,
                                        .scale = 1e-6,
                                        .max_w = 1e6,
                                        .refresh_ns = 1000};
static struct wtl_energy_writer *writer;
static struct wattle_page page;
static uint64_t raw = 1000000;

/* A reading now, so many microjoules later; or one that fails. */
static void publish(uint64_t more, int status)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    raw += more;
    wtl_energy_page_publish(writer, 0, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
                            raw, status);
}

static struct wtl_ledger_jobs *open_jobs(const char *boot)
{
    struct wtl_ledger_jobs *jobs = NULL;
    struct wattle_error err = {""};
    ok(wtl_ledger_jobs_open(run_dir, run_dir, boot, &folder_world, &jobs, &err) == 0, "open%s",
       err.text);
    return jobs;
}

static const char *text_of(const char *id)
{
    static char text[4096];
    char path[200];
    (void)snprintf(path, sizeof path, "%s/jobs/%s.job", run_dir, id);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        (void)close(fd);
    return text;
}

static void test_energy(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    is_int(wtl_ledger_jobs_begin(jobs, "a", NULL, &page, &err), 0, "begin");
    is_int(wtl_ledger_jobs_begin(jobs, "a", NULL, &page, &err), -EEXIST, "twice: %s", err.text);
    is_int(wtl_ledger_jobs_end(jobs, "b", &page, &job, &err), -ENOENT, "another: %s", err.text);
    publish(2500000, 0);
    wtl_ledger_jobs_checkpoint(jobs, &page);
    wtl_ledger_jobs_flush(jobs);
    is_int(wtl_ledger_jobs_error(jobs), 0, "checkpoint");
    ok(strstr(text_of("a"), "state = open") && strstr(text_of("a"), "energy_j = 2.5\n"),
       "is in its file");
    wtl_ledger_jobs_close(jobs);
    jobs = open_jobs(BOOT);
    is_int((int)wtl_ledger_jobs_count(jobs), 1, "open after a restart");
    publish(500000, 0);
    is_int(wtl_ledger_jobs_end(jobs, "a", &page, &job, &err), 0, "end");
    is_double(job->channels[0].until_j - job->channels[0].begin_j, 3, 1e-9, "3 J");
    ok(job->channels[0].until_unknown_ns == job->channels[0].begin_unknown_ns,
       "nothing is unknown");
    is_str(job->channels[0].quality, "measured", "measured");
    ok(strstr(text_of("a"), "state = ended"), "its file says that it has ended");
    is_int((int)wtl_ledger_jobs_count(jobs), 0, "none is open");
    is_int(wtl_ledger_jobs_begin(jobs, "a", NULL, &page, &err), 0, "the ID may be used again");
    is_int(wtl_ledger_jobs_end(jobs, "a", &page, &job, &err), 0, "end");
    wtl_ledger_jobs_close(jobs);
}

/* A sample of a read that took 2 s may be as old as its call: that is in the interval. */
static void test_long_read(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    publish(1000, 0);
    (void)wtl_ledger_jobs_begin(jobs, "slow", NULL, &page, &err);
    wtl_energy_page_blur(writer, 0, 1000000000);
    publish(1000, 0);
    wtl_energy_page_blur(writer, 0, 0);
    is_int(wtl_ledger_jobs_end(jobs, "slow", &page, &job, &err), 0, "end after a long read");
    ok(job->channels[0].resolution_j >= channel.max_w / 2,
       "%g J of 1 s at half the greatest power are in doubt", job->channels[0].resolution_j);
    publish(1000, 0);
    wtl_ledger_jobs_close(jobs);
}

static void test_unknown(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    (void)wtl_ledger_jobs_begin(jobs, "fails", NULL, &page, &err);
    publish(1000, 0);
    publish(0, -EIO);
    (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    publish(0, -EIO);
    is_int(wtl_ledger_jobs_end(jobs, "fails", &page, &job, &err), 0, "end while reads fail");
    ok(job->channels[0].until_unknown_ns - job->channels[0].begin_unknown_ns >= 20000000,
       "that time is unknown");
    publish(1000, 0);
    wtl_ledger_jobs_close(jobs);
}

static void test_boots(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    (void)wtl_ledger_jobs_begin(jobs, "crash", NULL, &page, &err);
    publish(4000000, 0);
    wtl_ledger_jobs_checkpoint(jobs, &page);
    publish(4000000, 0); /* the node crashes after this */
    wtl_ledger_jobs_close(jobs);
    jobs = open_jobs("another boot");
    is_int((int)wtl_ledger_jobs_count(jobs), 0, "not open after another boot");
    is_int(wtl_ledger_jobs_end(jobs, "crash", &page, &job, &err), -ENOENT, "so it cannot end: %s",
           err.text);
    ok(strstr(text_of("crash"), "state = cut") && strstr(text_of("crash"), "energy_j = 4\n"),
       "it ends at its last checkpoint, and says so");
    wtl_ledger_jobs_close(jobs);
}

/* A page of a wattled that has lost its ledger: its energies count anew. */
static void start_anew(void)
{
    static const struct wtl_energy_page_options options = {.channels = &channel,
                                                           .count = 1,
                                                           .interval_ns = 1000000,
                                                           .public = true,
                                                           .generation = 1,
                                                           .boot_id = BOOT};
    wtl_energy_page_close_writer(writer);
    if (wtl_energy_page_open_writer(&options, &writer) < 0)
        exit(1);
    page.header = wtl_energy_page_lend(writer, &page.size);
}

static void test_lost(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    (void)wtl_ledger_jobs_begin(jobs, "lost", NULL, &page, &err);
    (void)wtl_ledger_jobs_begin(jobs, "all", NULL, &page, &err);
    publish(4000000, 0);
    wtl_ledger_jobs_checkpoint(jobs, &page);
    wtl_ledger_jobs_close(jobs);
    jobs = open_jobs(BOOT);
    start_anew();
    publish(0, 0);
    publish(900000000, 0); /* past the joules at the begin */
    (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    is_int(wtl_ledger_jobs_end(jobs, "lost", &page, &job, &err), 0,
           "end after the ledger was lost");
    is_double(wtl_ledger_job_energy_j(job, job->channels), 4, 1e-9,
              "the energy until the last checkpoint");
    ok(wtl_ledger_job_unknown_ns(job, job->channels) >= 10000000, "the time since is unknown");
    ok(wtl_ledger_job_unknown_ns(job, job->channels) < job->until_ns - job->begin_ns,
       "but not all of it");
    wtl_ledger_jobs_checkpoint(jobs, &page);
    (void)wtl_ledger_jobs_end(jobs, "all", &page, &job, &err);
    ok(strstr(text_of("all"), "energy_j = 4\n"), "also after another checkpoint");
    (void)wtl_ledger_jobs_begin(jobs, "fresh", NULL, &page, &err);
    start_anew();
    publish(0, 0);
    (void)wtl_ledger_jobs_end(jobs, "fresh", &page, &job, &err);
    ok(isnan(wtl_ledger_job_energy_j(job, job->channels)), "without a checkpoint, all is unknown");
    ok(wtl_ledger_job_unknown_ns(job, job->channels) == job->until_ns - job->begin_ns,
       "for all of its time");
    wtl_ledger_jobs_close(jobs);
}

/* No value at the begin; no power that bounds what passes between samples. */
static void test_no_value(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    start_anew();
    (void)wtl_ledger_jobs_begin(jobs, "silent", NULL, &page, &err);
    publish(0, 0);
    publish(5000000, 0);
    wtl_ledger_jobs_checkpoint(jobs, &page);
    wtl_ledger_jobs_close(jobs);
    jobs = open_jobs(BOOT);
    is_int(wtl_ledger_jobs_end(jobs, "silent", &page, &job, &err), 0, "end");
    is_int((int)job->channel_count, 1, "a channel without a value is in the job");
    ok(job->channels[0].in_total && isnan(wtl_ledger_job_energy_j(job, job->channels)),
       "as unknown");
    ok(!strstr(text_of("silent"), "energy_j"), "and in its file");

    channel.max_w = 0;
    start_anew();
    publish(0, 0);
    (void)wtl_ledger_jobs_begin(jobs, "unbounded", NULL, &page, &err);
    (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* no more than 500 W */
    publish(5000000, 0);
    (void)wtl_ledger_jobs_end(jobs, "unbounded", &page, &job, &err);
    is_double(wtl_ledger_job_energy_j(job, job->channels), 5, 1e-9, "without a greatest power");
    ok(job->channels[0].resolution_j > 0, "its own power bounds what was before it: +- %g J",
       job->channels[0].resolution_j);
    ok(strstr(text_of("unbounded"), "resolution_j"), "also in its file");
    start_anew();
    publish(0, 0);
    (void)wtl_ledger_jobs_begin(jobs, "unseen", NULL, &page, &err);
    (void)wtl_ledger_jobs_end(jobs, "unseen", &page, &job, &err);
    ok(isnan(job->channels[0].resolution_j), "without any power no interval is known");
    ok(!strstr(text_of("unseen"), "resolution_j"), "nor in its file");
    channel.max_w = 1e6;
    start_anew();
    publish(0, 0);
    wtl_ledger_jobs_close(jobs);
}

/* A gauge that sees a quarter of the time: the rest is open up to its maximum. */
static void test_part_time(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    const struct wattle_channel counter = channel;
    channel.kind = WATTLE_WINDOW_AVERAGE;
    channel.quantity = WATTLE_POWER;
    channel.refresh_ns = 4000;
    channel.window_ns = 1000;
    channel.max_w = 1e5;
    start_anew();
    publish(0, 0);
    (void)wtl_ledger_jobs_begin(jobs, "gauge", NULL, &page, &err);
    for (int i = 0; i < 10; i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        publish(0, 0);
    }
    (void)wtl_ledger_jobs_end(jobs, "gauge", &page, &job, &err);
    ok(job->channels[0].resolution_j >= 0.75 * 0.05 * 9e4, "what it does not see is open: +- %g J",
       job->channels[0].resolution_j);
    channel = counter;
    start_anew();
    publish(0, 0);
    wtl_ledger_jobs_close(jobs);
}

/* A node that gets busy just before the job ends: what passes between the last sample and the end is of the new power. */
static void test_doubt(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    channel.max_w = 1000;
    start_anew();
    publish(0, 0);
    for (int i = 0; i < 5; i++) { /* about 10 W */
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        publish(50000, 0);
    }
    (void)wtl_ledger_jobs_begin(jobs, "burst", NULL, &page, &err);
    publish(50000, 0);
    (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* 400 W: 20 J not seen */
    (void)wtl_ledger_jobs_end(jobs, "burst", &page, &job, &err);
    ok(job->channels[0].resolution_j >= 0.05 * 400, "the interval holds it: +- %g J",
       job->channels[0].resolution_j);
    channel.max_w = 1e6;
    start_anew();
    publish(0, 0);
    wtl_ledger_jobs_close(jobs);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* A counter that stands still while one job ends and another begins: what it adds when it moves again may be of either. */
static void test_stands(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    channel.max_w = 1000;
    start_anew();
    publish(0, 0);
    (void)wtl_ledger_jobs_begin(jobs, "first", NULL, &page, &err);
    publish(1000, 0);
    uint64_t counted_ns = now_ns();
    wait_ms(20);
    publish(1000, 0); /* it stopped at any time since the last reading */
    ok(wtl_health_proof_ns(&page) > 0, "another reading shows whether it counts");
    wait_ms(1);
    publish(0, 0);
    is_int(wtl_ledger_jobs_end(jobs, "first", &page, &job, &err), 0, "end while it stands still");
    ok(wtl_ledger_job_unknown_ns(job, job->channels) >= 20000000,
       "%llu ns are unknown: since it was seen counting",
       (unsigned long long)wtl_ledger_job_unknown_ns(job, job->channels));
    (void)wtl_ledger_jobs_begin(jobs, "second", NULL, &page, &err);
    uint64_t begin_ns = now_ns();
    wait_ms(1);
    publish(400 * (begin_ns - counted_ns) / 1000, 0); /* 400 W of the time before */
    double before_j = 400e-9 * (double)(begin_ns - counted_ns);
    publish(1000, 0);
    is_int(wtl_ledger_jobs_end(jobs, "second", &page, &job, &err), 0, "end of the next one");
    ok(job->channels[0].resolution_j >= before_j, "+- %g J: what it began with is not its own",
       job->channels[0].resolution_j);
    ok(wtl_ledger_job_unknown_ns(job, job->channels) == 0, "its own time is known");
    channel.max_w = 1e6;
    start_anew();
    publish(0, 0);
    wtl_ledger_jobs_close(jobs);
}

/* A counter that restarts, which the last reading of a job is the first to show: that time is unknown. */
static void test_reset(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    channel.max_w = 1000;
    start_anew();
    publish(0, 0);
    (void)wtl_ledger_jobs_begin(jobs, "reset", NULL, &page, &err);
    for (int i = 0; i < 5; i++) {
        wait_ms(2);
        publish(200000, 0);
    }
    wait_ms(20);
    raw = 100;
    publish(0, 0);
    is_int(wtl_ledger_jobs_end(jobs, "reset", &page, &job, &err), 0, "end at a reset");
    ok(wtl_ledger_job_unknown_ns(job, job->channels) >= 20000000, "since the reading before");
    is_double(wtl_ledger_job_energy_j(job, job->channels), 1, 1e-9, "and 1 J is known");
    channel.max_w = 1e6;
    start_anew();
    publish(0, 0);
    wtl_ledger_jobs_close(jobs);
}

/* Its epilog found no wattled, and others have run since: it has what was stored before. */
static void test_late(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    (void)wtl_ledger_jobs_begin(jobs, "late", NULL, &page, &err);
    publish(4000000, 0);
    wtl_ledger_jobs_checkpoint(jobs, &page);
    wtl_ledger_jobs_flush(jobs);
    wtl_ledger_jobs_close(jobs);
    wait_ms(5);
    uint64_t ended_ns = now_ns();
    wait_ms(5);
    jobs = open_jobs(BOOT);
    publish(90000000, 0);
    wtl_ledger_jobs_checkpoint(jobs, &page);
    is_int(wtl_ledger_jobs_end_late(jobs, "late", ended_ns, &page, &job, &err), 0, "end, too late");
    ok(job->until_ns == ended_ns, "until it ended");
    is_double(wtl_ledger_job_energy_j(job, job->channels), 4, 1e-9,
              "with what was stored until then");
    ok(wtl_ledger_job_unknown_ns(job, job->channels) >= 5000000, "the time since is unknown");
    ok(strstr(text_of("late"), "energy_j = 4\n"), "as in its file");

    (void)wtl_ledger_jobs_begin(jobs, "seen", NULL, &page, &err);
    publish(1000000, 0);
    wait_ms(5);
    ended_ns = now_ns();
    wait_ms(15);
    publish(90000000, 0);
    wtl_ledger_jobs_checkpoint(jobs, &page);
    is_int(wtl_ledger_jobs_end_late(jobs, "seen", ended_ns, &page, &job, &err), 0, "another");
    ok(wtl_ledger_job_energy_j(job, job->channels) - job->channels[0].resolution_j <= 1,
       "what others may have used is in its interval: +- %g J", job->channels[0].resolution_j);
    wtl_ledger_jobs_close(jobs);
}

/* A job of a clock that is ahead, as in another time namespace: no time has passed since. */
static void test_ahead(void)
{
    char path[200];
    struct wattle_error err = {""};
    struct wtl_ledger_job *ahead = NULL;
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    (void)wtl_ledger_jobs_begin(jobs, "ahead", NULL, &page, &err);
    wtl_ledger_jobs_close(jobs);
    (void)snprintf(path, sizeof path, "%s/jobs", run_dir);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    is_int(wtl_ledger_job_load(folder, "ahead.job", &ahead), 0, "its file");
    (void)close(folder);
    ahead->begin_ns += 1000000000000;
    ahead->until_ns += 1001000000000;
    (void)snprintf(path, sizeof path, "%s/jobs/ahead.job", run_dir);
    (void)unlink(path);
    is_int(wtl_ledger_job_write(path, ahead, false), 0, "as of another clock");
    wtl_ledger_job_free(ahead);
    jobs = open_jobs(BOOT);
    is_int(wtl_ledger_jobs_end(jobs, "ahead", &page, &job, &err), -ENOENT, "it cannot end: %s",
           err.text);
    ok(strstr(text_of("ahead"), "state = cut"), "it was cut");
    wtl_ledger_jobs_close(jobs);
    (void)snprintf(path, sizeof path, "%s/jobs", run_dir);
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    is_int(wtl_ledger_job_load(folder, "ahead.job", &ahead), 0, "its file");
    (void)close(folder);
    ok(ahead->until_ns - ahead->begin_ns < 10000000000 &&
           ahead->channels[0].until_unknown_ns - ahead->channels[0].begin_unknown_ns < 10000000000,
       "no time went below zero: %.1f s, of which %.1f unknown",
       1e-9 * (double)(ahead->until_ns - ahead->begin_ns),
       1e-9 * (double)(ahead->channels[0].until_unknown_ns - ahead->channels[0].begin_unknown_ns));
    wtl_ledger_job_free(ahead);
}

static size_t count_files(const char *state)
{
    char id[20];
    size_t count = 0;
    for (int i = 0; i < 10; i++) {
        (void)snprintf(id, sizeof id, "e%d", i);
        count += strstr(text_of(id), state) != NULL;
    }
    return count;
}

static void test_kept(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    char id[20];
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    for (int i = 0; i < 10; i++) {
        (void)snprintf(id, sizeof id, "e%d", i);
        (void)wtl_ledger_jobs_begin(jobs, id, NULL, &page, &err);
    }
    for (int i = 9; i >= 4; i--) {
        (void)snprintf(id, sizeof id, "e%d", i);
        (void)wtl_ledger_jobs_end(jobs, id, &page, &job, &err);
        wtl_ledger_jobs_flush(jobs);
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* ticks of mtime */
    }
    wtl_ledger_jobs_keep(jobs, 2);
    is_int((int)count_files("state = ended"), 2, "two ended jobs are kept");
    ok(text_of("e4")[0] && text_of("e5")[0], "the newest");
    is_int((int)count_files("state = open"), 4, "and all that are open");
    wtl_ledger_jobs_keep(jobs, 0);
    is_int((int)count_files("state = ended"), 0, "or none");
    for (int i = 0; i < 200; i++) {
        (void)wtl_ledger_jobs_begin(jobs, "again", NULL, &page, &err);
        (void)wtl_ledger_jobs_end(jobs, "again", &page, &job, &err);
    }
    wtl_ledger_jobs_close(jobs);
    jobs = open_jobs(BOOT);
    is_int((int)wtl_ledger_jobs_count(jobs), 4, "open jobs are still open");
    for (int i = 0; i < 4; i++) {
        (void)snprintf(id, sizeof id, "e%d", i);
        (void)wtl_ledger_jobs_end(jobs, id, &page, &job, &err);
    }
    wtl_ledger_jobs_close(jobs);
}

/* With each byte of its file damaged: a job of these values, or none. */
static void test_damaged(void)
{
    struct wattle_error err = {""};
    char path[200], whole[4096], copy[4096];
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    (void)wtl_ledger_jobs_begin(jobs, "d", NULL, &page, &err);
    wtl_ledger_jobs_close(jobs);
    (void)snprintf(path, sizeof path, "%s/jobs/d.job", run_dir);
    (void)snprintf(whole, sizeof whole, "%s", text_of("d"));
    size_t n = strlen(whole);
    int bad = 0;
    for (size_t at = 0; at < 2 * n; at += 1 + at % 3) {
        memcpy(copy, whole, n);
        copy[at % n] ^= 0x10;
        FILE *out = fopen(path, "w");
        if (!out)
            break;
        (void)fwrite(at < n ? copy : whole, 1, at < n ? n : at - n, out);
        (void)fclose(out);
        if (wtl_ledger_jobs_open(run_dir, run_dir, BOOT, &folder_world, &jobs, &err) < 0) {
            bad++;
            continue;
        }
        bad += wtl_ledger_jobs_count(jobs) > 1;
        wtl_ledger_jobs_close(jobs);
    }
    is_int(bad, 0, "each file is a job, or none");
    FILE *out = fopen(path, "w");
    if (out) {
        (void)fputs("[job]\nid = other\n", out);
        (void)fclose(out);
    }
    struct wtl_ledger_job *job = NULL;
    jobs = open_jobs(BOOT);
    is_int(wtl_ledger_jobs_load(jobs, "d", &job, &err), -EBADMSG, "damaged: %s", err.text);
    wtl_ledger_jobs_close(jobs);
    (void)unlink(path);
}

/* A folder that cannot be read says nothing of its jobs: not that there are none. */
static void test_unreadable(void)
{
    struct wattle_error err = {""};
    struct wtl_ledger_job *job = NULL;
    char path[200], away[200];
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    (void)snprintf(path, sizeof path, "%s/jobs", run_dir);
    (void)snprintf(away, sizeof away, "%s/away", run_dir);
    is_int(wtl_ledger_jobs_load(jobs, "none", &job, &err), -ENOENT, "no job: %s", err.text);
    bool moved = rename(path, away) == 0;
    FILE *in_its_place = fopen(path, "w");
    if (ok(moved && in_its_place, "the folder is a file"))
        (void)fclose(in_its_place);
    is_int(wtl_ledger_jobs_load(jobs, "none", &job, &err), -ENOTDIR, "no folder: %s", err.text);
    ok(unlink(path) == 0 && rename(away, path) == 0, "the folder is back");
    wtl_ledger_jobs_close(jobs);
}

/* Readings of 100 W, of which two are 30 J too high: no job has these 30 J in the end but one that has ended by then. */
static void test_too_high(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    const struct wattle_channel counter = channel;
    channel.max_w = 1e4;
    start_anew();
    const uint64_t began_ns = now_ns(), raw_began = raw;
    uint64_t begin_ns = 0, late_ns = 0;
    for (int i = 0; i < 90; i++) {
        uint64_t at_ns = now_ns();
        if (i == 10 && wtl_ledger_jobs_begin(jobs, "all", NULL, &page, &err) == 0)
            begin_ns = at_ns;
        if (i == 21 && wtl_ledger_jobs_begin(jobs, "late", NULL, &page, &err) == 0)
            late_ns = at_ns;
        raw = raw_began + (at_ns - began_ns) / 10 + (i == 20 || i == 21 ? 30000000 : 0);
        wtl_energy_page_publish(writer, 0, at_ns, raw, 0);
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    (void)wtl_ledger_jobs_end(jobs, "all", &page, &job, &err);
    double true_j = (double)(job->until_ns - begin_ns) * 100e-9,
           unknown_s = (double)wtl_ledger_job_unknown_ns(job, job->channels) * 1e-9,
           energy_j = wtl_ledger_job_energy_j(job, job->channels);
    ok(unknown_s > 0.02 && energy_j <= true_j && energy_j >= true_j - 100 * unknown_s - 3,
       "all: %g J, %g s are unknown, of %g J", energy_j, unknown_s, true_j);
    (void)wtl_ledger_jobs_end(jobs, "late", &page, &job, &err);
    true_j = (double)(job->until_ns - late_ns) * 100e-9;
    unknown_s = (double)wtl_ledger_job_unknown_ns(job, job->channels) * 1e-9;
    energy_j = wtl_ledger_job_energy_j(job, job->channels);
    ok(unknown_s > 0.02 && energy_j <= true_j && energy_j >= true_j - 100 * unknown_s - 3,
       "begun meanwhile: %g J, %g s are unknown, of %g J", energy_j, unknown_s, true_j);
    channel = counter;
    start_anew();
    publish(0, 0);
    wtl_ledger_jobs_close(jobs);
}

/* A gauge in steps of 25 W that has shown one of them, and then others. */
static void test_steps(void)
{
    struct wattle_error err = {""};
    const struct wtl_ledger_job *job;
    struct wtl_ledger_jobs *jobs = open_jobs(BOOT);
    const struct wattle_channel counter = channel;
    const uint64_t raw_before = raw;
    channel.kind = WATTLE_GAUGE;
    channel.quantity = WATTLE_POWER;
    channel.refresh_ns = 0;
    start_anew();
    raw = 25000000;
    for (int i = 0; i < 4; i++)
        publish(i < 3 ? 25000000 : 0, 0);
    (void)wtl_ledger_jobs_begin(jobs, "steps", NULL, &page, &err);
    for (int i = 0; i < 100; i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        publish(0, 0);
    }
    (void)wtl_ledger_jobs_end(jobs, "steps", &page, &job, &err);
    double seconds = (double)(job->until_ns - job->begin_ns) * 1e-9;
    ok(job->channels[0].resolution_j >= 12.5 * seconds,
       "half a step is in its interval: +- %g J of %g s", job->channels[0].resolution_j, seconds);
    channel = counter;
    raw = raw_before;
    start_anew();
    publish(0, 0);
    wtl_ledger_jobs_close(jobs);
}

int main(void)
{
    make_world();
    start_anew();
    page.socket = -1;
    publish(0, 0);
    test_energy();
    test_long_read();
    test_unknown();
    test_boots();
    test_lost();
    test_no_value();
    test_doubt();
    test_stands();
    test_reset();
    test_late();
    test_ahead();
    test_part_time();
    test_too_high();
    test_steps();
    test_kept();
    test_damaged();
    test_unreadable();
    wtl_energy_page_close_writer(writer);
    remove_world();
    return done_testing();
}
