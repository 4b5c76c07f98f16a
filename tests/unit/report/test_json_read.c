/* SPDX-License-Identifier: BSD-3-Clause */
/* Results converted to their document and back; invalid documents. */
#define _GNU_SOURCE
#include "report/json_read.h"

#include <errno.h>
#include <unistd.h>

#include "../sample_result.h"
#include "analysis/traces/results.h"
#include "report/result/json_result.h"
#include "tap.h"

static char path[] = "/tmp/wattle-json-XXXXXX";

static void put(const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(1);
}

static void test_round_trip(size_t count)
{
    struct wtl_result results[3] = {sample_result(1), sample_result(1.1), sample_result(1.2)};
    struct wattle_error err = {""};
    struct wtl_result *back = NULL;
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        results[i].host = "n\"1";
        results[i].governor = "performance";
        results[i].turbo = 0;
        results[i].min_khz = 800000;
        (void)wtl_result_total(&results[i]);
        (void)wtl_result_flag(&results[i], "THROTTLED", "hot");
    }
    FILE *file = fopen(path, "w");
    if (!file || wtl_json_results(file, results, count) < 0 || fclose(file) != 0)
        exit(1);
    is_int(wtl_json_results_read(path, &back, &n, &err), 0, "read %s", err.text);
    is_int(n, count, "as many runs");
    for (size_t i = 0; i < n; i++) {
        const struct wtl_result *a = &results[i], *b = &back[i];
        is_str(b->host, a->host, "node");
        is_str(b->command, a->command, "command");
        is_str(b->governor, "performance", "governor");
        ok(!b->epp && b->turbo == 0 && b->min_khz == 800000 && b->max_khz == 0, "frequencies");
        is_double(b->wall_time_s, a->wall_time_s, 1e-12, "time");
        is_double(b->energy.j, a->energy.j, 1e-9, "energy");
        is_double(b->total_w, a->total_w, 1e-9, "power");
        is_int(b->total.quality, a->total.quality, "quality");
        is_str(b->total.contains, a->total.contains, "content");
        is_int(b->energy_count, a->energy_count, "channels");
        ok(b->energy_count > 0 && wtl_result_find(b, a->channels[0].channel.name)->summary.amount ==
                                      a->channels[0].summary.amount,
           "with their energy");
        ok(b->flag_count > 0 && strcmp(b->flags[b->flag_count - 1].text, "hot") == 0, "flags");
    }
    wtl_run_results_free(back, n);
    for (int i = 0; i < 3; i++)
        wtl_result_fini(&results[i]);
}

static void test_refused(void)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "[]",
                                        "{}",
                                        "{\"schema\": 7}",
                                        "{\"schema\": \"wattle.ab/1\"}",
                                        "{\"schema\": \"wattle.run/1\", \"runs\": []}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wattle_error err = {""};
        struct wtl_result *back = NULL;
        size_t n = 0;
        put(texts[i]);
        is_int(wtl_json_results_read(path, &back, &n, &err), -EBADMSG, "\"%s\": %s", texts[i],
               err.text);
        ok(!back && n == 0 && strstr(err.text, path), "names the file, and gives nothing");
    }
    struct wattle_error err = {""};
    struct wtl_result *back = NULL;
    size_t n = 0;
    is_int(wtl_json_results_read("/nosuch", &back, &n, &err), -ENOENT, "%s", err.text);
}

/* Wrong types are unknown. */
static void test_wrong_types(void)
{
    struct wattle_error err = {""};
    struct wtl_result *back = NULL;
    size_t n = 0;
    put("{\"schema\": \"wattle.run/1\", \"host\": 5, \"wall_time_s\": \"x\", \"total\": [1], "
        "\"channels\": {\"a\": 1}, \"activity\": [3, null], \"frequency\": \"y\", "
        "\"flag_texts\": {\"F\": 3}}");
    is_int(wtl_json_results_read(path, &back, &n, &err), 0, "read %s", err.text);
    if (ok(n == 1, "one run")) {
        ok(!back->host && isnan(back->wall_time_s) && isnan(back->energy.j), "unknown");
        ok(back->total.count == 0 && back->channel_count == 0 && back->turbo == -1, "and nothing");
        is_int(back->flag_count, 1, "a flag without a text");
    }
    wtl_run_results_free(back, n);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    (void)close(fd);
    test_round_trip(1);
    test_round_trip(3);
    test_refused();
    test_wrong_types();
    (void)unlink(path);
    return done_testing();
}
