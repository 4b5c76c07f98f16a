/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads every trace of a folder and compares what it says with NAME.expect beside it: the tables, the
 * summaries to nine digits, the sums over all rows, or the error. A trace of each released version of
 * the format is kept in good/ for ever, so that no later reader forgets it.
 *
 * Usage: check_traces [--update] FOLDER
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "tap.h"
#include "trace/reader.h"

static void print_channel(FILE *out, struct wtl_trace_reader *r, size_t id, bool from_footer)
{
    const struct wtl_trace_channel *channel = wtl_trace_reader_channel(r, id);
    struct wtl_summary s;
    if (!channel || wtl_trace_reader_summary(r, id, &s, NULL) < 0) {
        fprintf(out, "channel %zu: lost\n", id);
        return;
    }
    fprintf(out, "channel %s %s %s x %.9g, first raw %" PRIu64 "\n", channel->channel.name,
            wattle_quantity_name(channel->channel.quantity),
            wattle_kind_name(channel->channel.kind), channel->channel.scale, channel->first_raw);
    /* A footer's figures are the file's; computed ones may get better in their last digits. */
    if (from_footer)
        fprintf(out, "  energy %.9g +- %.6g J, mean %.9g W", s.amount, s.amount_half, s.mean_w);
    else
        fprintf(out, "  energy about %.3g J, mean about %.3g W", s.amount, s.mean_w);
    fprintf(out, ", %" PRIu64 " samples, %" PRIu64 " gaps\n", s.samples, s.gaps);
}

static void print_rows(FILE *out, struct wtl_trace_reader *r)
{
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    uint64_t rows = 0, times = 0, values = 0, missing = 0;
    if (wtl_trace_samples_open(r, &all, &samples, NULL) < 0)
        return;
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0) {
        rows += chunk.rows;
        for (size_t i = 0; i < chunk.rows; i++) {
            times += chunk.time_ns[i];
            for (size_t c = 0; c < chunk.column_count; c++) {
                values += chunk.columns[c].values[i] * (c + 1);
                missing += chunk.columns[c].missing && chunk.columns[c].missing[i];
            }
        }
    }
    wtl_trace_samples_close(samples);
    fprintf(out, "rows %" PRIu64 ", sums %" PRIx64 " %" PRIx64 ", missing %" PRIu64 "\n", rows,
            times, values, missing);
}

static void print_regions(FILE *out, struct wtl_trace_reader *r)
{
    const struct wtl_region_summary *regions;
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    uint64_t count = 0, sum = 0;
    int n = wtl_trace_reader_regions(r, &regions, NULL);
    for (int i = 0; i < n; i++)
        fprintf(out, "region \"%s\": %" PRIu64 " times, union %" PRIu64 " ns\n", regions[i].name,
                regions[i].count, regions[i].union_ns);
    if (wtl_trace_marks_open(r, WTL_ALL_THREADS, &marks, NULL) < 0)
        return;
    while (wtl_trace_marks_next(marks, &mark, NULL) > 0) {
        count++;
        sum = sum * 31 + mark.time_ns + mark.name + (uint64_t)mark.kind + mark.value;
    }
    wtl_trace_marks_close(marks);
    fprintf(out, "marks %" PRIu64 ", sum %" PRIx64 "\n", count, sum);
}

static void print_trace(FILE *out, const char *path)
{
    struct wtl_trace_reader *r;
    struct wtl_trace_reader_status status;
    struct wtl_trace_window window;
    struct wattle_error err = {""};
    const char *key, *value;
    int code = wtl_trace_reader_open(path, &r, &err);
    if (code < 0) {
        const char *name = strrchr(path, '/');
        size_t skip = (size_t)(name ? name + 1 - path : 0);
        fprintf(out, "%s\n", strncmp(err.text, path, skip) == 0 ? err.text + skip : err.text);
        return;
    }
    wtl_trace_reader_status(r, &status);
    fprintf(out, "version %u.%u, %s, %" PRIu64 " blocks, %" PRIu64 " damaged%s\n", status.major,
            status.minor, status.has_footer ? "footer" : "no footer", status.blocks, status.damaged,
            status.cut_off ? ", cut off" : "");
    for (size_t i = 0; wtl_trace_reader_meta_at(r, i, &key, &value) == 0; i++)
        fprintf(out, "%s = %s\n", key, value);
    wtl_trace_reader_window(r, &window);
    fprintf(out, "window %" PRIu64 " %" PRIu64 "\n", window.start_monotonic_ns,
            window.end_monotonic_ns);
    for (size_t i = 0; i < wtl_trace_reader_channel_count(r); i++)
        print_channel(out, r, i, status.has_footer);
    print_rows(out, r);
    print_regions(out, r);
    wtl_trace_reader_close(r);
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static void check(const char *folder, const char *name, bool update)
{
    char path[4096], expect[4096];
    char *got = NULL;
    size_t size;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)snprintf(expect, sizeof expect, "%.*s.expect", (int)strlen(path) - 4, path);
    FILE *out = open_memstream(&got, &size);
    print_trace(out, path);
    fclose(out);
    if (update) {
        FILE *file = fopen(expect, "w");
        fputs(got, file);
        fclose(file);
    }
    char *want = read_text(expect);
    is_str(got, want, "%s", name);
    free(want);
    free(got);
}

static int is_trace(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".wtl") == 0;
}

int main(int argc, char **argv)
{
    bool update = argc > 2 && strcmp(argv[1], "--update") == 0;
    const char *folder = argc > 1 ? argv[argc - 1] : ".";
    struct dirent **entries;
    int n = scandir(folder, &entries, is_trace, alphasort);
    ok(n > 0, "traces in %s", folder);
    for (int i = 0; i < n; i++) {
        check(folder, entries[i]->d_name, update);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return done_testing();
}
