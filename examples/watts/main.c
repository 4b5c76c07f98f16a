/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watts [SECONDS]: power per domain, a line per second, until Ctrl-C or for that long; then the
 * energy. Shows how to embed the recorder of <wattle/recorder.h> in a program.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <wattle/recorder.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* The difference of two of these gives the power in between. */
struct so_far {
    double energy_j, time_s;
};

static struct so_far ask(struct wattle_recorder *recorder, size_t channel)
{
    struct wattle_summary summary = {.size = sizeof summary};
    struct so_far so_far = {NAN, 0};
    if (wattle_recorder_summary(recorder, channel, &summary, NULL) == 0) {
        so_far.energy_j = summary.energy_j;
        so_far.time_s = (double)summary.window_ns * 1e-9;
    }
    return so_far;
}

static void print_line(struct wattle_recorder *recorder, struct so_far *last)
{
    for (size_t i = 0; i < wattle_recorder_channel_count(recorder); i++) {
        struct so_far now = ask(recorder, i);
        double watts = (now.energy_j - last[i].energy_j) / (now.time_s - last[i].time_s);
        if (now.time_s > last[i].time_s && !isnan(watts))
            printf(" %16.1f W", watts);
        else
            printf(" %18s", "-"); /* no reading in the meantime: not the same as 0 W */
        last[i] = now;
    }
    printf("\n");
    fflush(stdout);
}

/* Names above the columns, and how reliable each is. */
static void print_head(const struct wattle_recorder *recorder)
{
    size_t n = wattle_recorder_channel_count(recorder);
    for (size_t i = 0; i < n; i++)
        printf(" %18s", wattle_recorder_channel(recorder, i)->name);
    printf("\n");
    for (size_t i = 0; i < n; i++) {
        const struct wattle_channel *channel = wattle_recorder_channel(recorder, i);
        printf(" %18s", channel->flags & WATTLE_CHANNEL_SIMULATED
                            ? "simulated"
                            : wattle_quality_name(channel->quality));
    }
    printf("\n");
}

/* low and high contain the truth in 95 of 100 cases: for a sensor given its ticks, for an estimate
 * given its model. */
static void print_energy(const char *name, const struct wattle_summary *summary)
{
    if (isnan(summary->energy_j))
        printf("%-24s %10s\n", name, "unknown");
    else
        printf("%-24s %10.3f J (%.3f to %.3f) in %.3f s%s\n", name, summary->energy_j,
               summary->low_j, summary->high_j, (double)summary->window_ns * 1e-9,
               summary->unknown_ns ? ", not all of it" : "");
}

static void print_energies(struct wattle_recorder *recorder)
{
    struct wattle_summary summary = {.size = sizeof summary};
    struct wattle_error err;
    const char *contains, *excludes;
    for (size_t i = 0; i < wattle_recorder_channel_count(recorder); i++) {
        if (wattle_recorder_summary(recorder, i, &summary, &err) == 0)
            print_energy(wattle_recorder_channel(recorder, i)->name, &summary);
    }
    if (wattle_recorder_total(recorder, &summary, &contains, &excludes, &err) < 0) {
        printf("no total: %s\n", err.text);
        return;
    }
    print_energy("total", &summary);
    printf("total of %s%s%s\n", contains, excludes[0] ? "; not " : "", excludes);
}

static void sleep_until(struct timespec start, double seconds)
{
    long ns = start.tv_nsec + (long)(fmod(seconds, 1) * 1e9);
    struct timespec until = {start.tv_sec + (time_t)seconds + ns / 1000000000, ns % 1000000000};
    while (!interrupted && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static int watch(struct wattle_recorder *recorder, double seconds, struct wattle_error *err)
{
    struct timespec start;
    struct so_far *last = calloc(wattle_recorder_channel_count(recorder), sizeof *last);
    if (!last) {
        (void)snprintf(err->text, sizeof err->text, "not enough memory");
        return -ENOMEM;
    }
    print_head(recorder);
    int rc = wattle_recorder_start(recorder, err);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (double at = 1; rc == 0 && !interrupted && at - 1 < seconds; at++) {
        sleep_until(start, fmin(at, seconds));
        print_line(recorder, last);
    }
    if (rc == 0) {
        rc = wattle_recorder_stop(recorder, err);
        print_energies(recorder); /* valid even if stop reports an incomplete trace */
    }
    free(last);
    return rc;
}

int main(int argc, char **argv)
{
    struct wattle_recorder_options options = {.size = sizeof options, .wait_for_edges = 1};
    struct wattle_recorder *recorder;
    struct wattle_error err = {""};
    struct sigaction action = {.sa_handler = interrupt};
    char *end = NULL;
    double seconds = argc > 1 ? strtod(argv[1], &end) : INFINITY;
    if (argc > 2 || (end && *end) || !(seconds > 0))
        return fprintf(stderr, "usage: watts [SECONDS]\n"), 2;
    (void)sigaction(SIGINT, &action, NULL);
    int rc = wattle_recorder_create(&options, &recorder, &err);
    if (rc == 0) {
        rc = watch(recorder, seconds, &err);
        wattle_recorder_destroy(recorder);
    }
    if (rc < 0)
        fprintf(stderr, "watts: %s\n", err.text);
    return rc < 0;
}
