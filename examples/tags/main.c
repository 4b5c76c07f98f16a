/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tags TRACE...: the energy of each region name, summed over any number of traces, such as those of
 * many runs or of the nodes of a job. Shows how to read traces with <wattle/trace.h>. An unreadable
 * trace is reported and skipped, one that is cut off or damaged is reported and counts as far as it
 * can be read; either makes the exit status 1.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/trace.h>

struct tag {
    char *name;
    unsigned long long count;
    double thread_time_s, inclusive_j, inclusive_variance, exclusive_j, exclusive_variance;
};

static struct tag *tags;
static size_t tag_count;

static struct tag *find_or_add(const char *name)
{
    for (size_t i = 0; i < tag_count; i++) {
        if (strcmp(tags[i].name, name) == 0)
            return &tags[i];
    }
    struct tag *larger = realloc(tags, (tag_count + 1) * sizeof *tags);
    char *copy = malloc(strlen(name) + 1);
    if (larger)
        tags = larger;
    if (!larger || !copy) {
        free(copy);
        return NULL;
    }
    memset(&tags[tag_count], 0, sizeof *tags);
    tags[tag_count].name = memcpy(copy, name, strlen(name) + 1);
    return &tags[tag_count++];
}

/* Tick errors of different traces are independent. A region whose energy is unknown in one trace is
 * unknown in the sum: not measured is not 0 J. */
static void add_energy(struct tag *tag, const struct wattle_region_energy *energy)
{
    tag->inclusive_j += energy->inclusive_j;
    tag->exclusive_j += energy->exclusive_j;
    tag->inclusive_variance += energy->inclusive_interval_j * energy->inclusive_interval_j;
    tag->exclusive_variance += energy->exclusive_interval_j * energy->exclusive_interval_j;
}

static int add_regions(const char *path, struct wattle_trace *trace, struct wattle_error *err)
{
    int n = wattle_trace_region_count(trace, err);
    if (n == 0) /* in a trace of a killed run, "wattle repair" may find some */
        fprintf(stderr, "tags: %s: no regions\n", path);
    for (int i = 0; i < n; i++) {
        struct wattle_region_summary region = {.size = sizeof region};
        struct wattle_region_energy energy = {.size = sizeof energy};
        int rc = wattle_trace_region(trace, (size_t)i, &region, err);
        if (rc == 0)
            rc = wattle_trace_region_total(trace, (size_t)i, &energy, err);
        if (rc == -ENODATA) /* nothing measured: the times are still known */
            energy.inclusive_j = energy.inclusive_interval_j = energy.exclusive_j =
                energy.exclusive_interval_j = NAN;
        else if (rc < 0)
            return rc;
        struct tag *tag = find_or_add(region.name);
        if (!tag) {
            (void)snprintf(err->text, sizeof err->text, "not enough memory");
            return -1;
        }
        tag->count += region.count;
        tag->thread_time_s += (double)region.thread_time_ns * 1e-9;
        add_energy(tag, &energy);
    }
    return n < 0 ? n : 0;
}

static int add_trace(const char *path)
{
    struct wattle_trace *trace;
    struct wattle_error err = {""};
    if (wattle_trace_open(path, &trace, &err) < 0) {
        fprintf(stderr, "tags: %s\n", err.text);
        return -1;
    }
    unsigned long long damage = wattle_trace_damage_count(trace);
    int complete = wattle_trace_is_complete(trace);
    if (!complete)
        fprintf(stderr, "tags: %s: not complete; \"wattle repair\" brings in what is missing\n",
                path);
    if (damage > 0)
        fprintf(stderr, "tags: %s: damaged in %llu places; what was there is missing\n", path,
                damage);
    int rc = add_regions(path, trace, &err);
    if (rc < 0)
        fprintf(stderr, "tags: %s\n", err.text);
    wattle_trace_close(trace);
    return rc < 0 || !complete || damage > 0 ? -1 : 0;
}

/* Programs choose names freely: do not send control characters to a terminal. */
static void print_name(const char *name)
{
    int width = 0;
    for (name = name[0] ? name : "(untagged)"; *name; name++, width++)
        putchar(iscntrl((unsigned char)*name) ? '?' : *name);
    printf("%*s", width < 20 ? 20 - width : 0, "");
}

static void print_joules(double joules)
{
    if (isnan(joules))
        printf(" %12s", "unknown");
    else
        printf(" %12.4f", joules);
}

int main(int argc, char **argv)
{
    int rc = 0;
    if (argc < 2)
        return fprintf(stderr, "usage: tags TRACE...\n"), 2;
    for (int i = 1; i < argc; i++)
        rc |= add_trace(argv[i]);
    if (tag_count > 0)
        printf("%-20s %8s %12s %12s %12s %12s %12s\n", "region", "count", "thread [s]",
               "energy [J]", "+- [J]", "own [J]", "+- [J]");
    for (size_t i = 0; i < tag_count; i++) {
        print_name(tags[i].name);
        printf(" %8llu %12.4f", tags[i].count, tags[i].thread_time_s);
        print_joules(tags[i].inclusive_j);
        print_joules(sqrt(tags[i].inclusive_variance));
        print_joules(tags[i].exclusive_j);
        print_joules(sqrt(tags[i].exclusive_variance));
        printf("\n");
        free(tags[i].name);
    }
    free(tags);
    return rc < 0;
}
