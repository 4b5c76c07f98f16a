/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings and the order of a sweep, and the file that makes it resumable. */
#define _GNU_SOURCE
#include "tuning/sweep_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"
#include "tuning/sweep_file.h"

/* Labels of a plan, joined by ";"; the error if there is none. */
static const char *plan(const char *freq,
                        const char *threads,
                        const char *limits,
                        enum wtl_sweep_turbo turbo)
{
    static char text[4096];
    struct wtl_sweep_setting *settings = NULL;
    struct wattle_error err = {""};
    size_t n = 0, used = 0;
    int rc =
        wtl_sweep_plan(&(struct wtl_sweep_wish){freq, threads, limits, turbo}, &settings, &n, &err);
    text[0] = '\0';
    if (rc < 0)
        (void)snprintf(text, sizeof text, "%s", err.text);
    for (size_t i = 0; rc == 0 && i < n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ";" : "",
                                 settings[i].label);
    free(settings);
    return text;
}

static void check_settings(void)
{
    is_str(plan("1.2-1.5GHz:0.1", NULL, NULL, WTL_SWEEP_TURBO_LEAVE),
           "1.2 GHz;1.3 GHz;1.4 GHz;1.5 GHz", "a range");
    is_str(plan("1.2-2.3GHz:0.5", NULL, NULL, WTL_SWEEP_TURBO_LEAVE), "1.2 GHz;1.7 GHz;2.2 GHz",
           "a range ends where its last step does");
    is_str(plan("1200-1400MHz:100MHz,2100000", NULL, NULL, WTL_SWEEP_TURBO_LEAVE),
           "1.2 GHz;1.3 GHz;1.4 GHz;2.1 GHz", "MHz, and kHz as cpufreq writes them");
    is_str(plan("min,1.8GHz,max", NULL, NULL, WTL_SWEEP_TURBO_BOTH), "min;1.8 GHz;max;turbo",
           "words, and turbo as one more setting");
    is_str(plan("2GHz", "1,4", "80-120W:40", WTL_SWEEP_TURBO_OFF),
           "2 GHz, 1 thread, 80 W;2 GHz, 1 thread, 120 W;2 GHz, 4 threads, 80 W;2 GHz, 4 threads, "
           "120 W",
           "all combinations");
    is_str(plan(NULL, NULL, "90W", WTL_SWEEP_TURBO_LEAVE), "90 W", "limits alone");
    is_str(plan(NULL, NULL, NULL, WTL_SWEEP_TURBO_BOTH), "no turbo;turbo", "turbo alone");
    is_str(plan("1200000-1400000:100000", NULL, NULL, WTL_SWEEP_TURBO_LEAVE),
           "1.2 GHz;1.3 GHz;1.4 GHz", "a range in kHz");
}

static void check_refused(void)
{
    static const struct {
        const char *freq, *threads, *limits, *says;
    } rows[] = {
        {"1.2-2.3GHz", NULL, NULL, "give the step"},
        {"2.3-1.2GHz:0.1", NULL, NULL, "write a list"},
        {"1.2GHz,,2", NULL, NULL, "write a list"},
        {"", NULL, NULL, "write a list"},
        {"fast", NULL, NULL, "write a list"},
        {"1-2GHz:0", NULL, NULL, "write a list"},
        {"1-2GHz:0.0001", NULL, NULL, "more than 256"},
        {"1.2GHz,1.2", NULL, NULL, "given twice"},
        {"-1GHz", NULL, NULL, "write a list"},
        {"1e9", NULL, NULL, "write a list"},
        {"1GHz", "0", NULL, "write a list"},
        {"1GHz", "1.5", NULL, "write a list"},
        {"1GHz", NULL, "80J", "write a list"},
        {"1-2GHz:0.01", "1,2,4", NULL, "vary less"},
        {"1.2GHzz", NULL, NULL, "write a list"},
        {"2100", NULL, NULL, "is the unit missing"},
        {"1200-2300:100", NULL, NULL, "is the unit missing"},
        {"2100000MHz", NULL, NULL, "is not a frequency"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text =
            plan(rows[i].freq, rows[i].threads, rows[i].limits, WTL_SWEEP_TURBO_LEAVE);
        ok(strstr(text, rows[i].says) != NULL, "%s: %s", rows[i].freq, text);
    }
}

/* Each block has each setting once; every setting is first about equally often. */
static void check_order(void)
{
    enum { SETTINGS = 5, BLOCKS = 2000 };
    size_t first[SETTINGS] = {0}, order[SETTINGS], again[SETTINGS], whole = 0;
    for (size_t b = 0; b < BLOCKS; b++) {
        unsigned seen = 0;
        wtl_sweep_order(7, b, SETTINGS, order);
        wtl_sweep_order(7, b, SETTINGS, again);
        for (size_t i = 0; i < SETTINGS; i++)
            seen |= 1u << order[i];
        whole += seen == 31 && memcmp(order, again, sizeof order) == 0;
        first[order[0]]++;
    }
    is_int((long)whole, BLOCKS, "every block has every setting once, always in the same order");
    for (size_t i = 0; i < SETTINGS; i++)
        ok(first[i] > 330 && first[i] < 470, "setting %zu is first in %zu of 2000", i, first[i]);
}

static void check_request(void)
{
    struct wtl_sweep_setting setting = {.frequency = "1.8GHz", .limit_w = 90, .turbo = -1};
    struct wtl_hold_request request = {0};
    is_int(wtl_sweep_request(&setting, &request, NULL), 0, "a request");
    is_double(request.frequency.low_hz, 1.8e9, 1, "its frequency");
    is_double(request.limit_w, 90, 1e-9, "its limit");
    is_int(request.turbo, -1, "turbo off");
    setting = (struct wtl_sweep_setting){.limit_w = NAN, .threads = 4};
    request = (struct wtl_hold_request){0};
    is_int(wtl_sweep_request(&setting, &request, NULL), 0, "threads alone");
    ok(!wtl_hold_asks(&request), "ask nothing of the machine");
}

static void check_file(void)
{
    char place[] = "/tmp/wattle-sweep-XXXXXX", path[64];
    struct wtl_sweep_order_form form = {.seed = UINT64_MAX,
                                        .blocks = 7,
                                        .slowdown = 0.1,
                                        .interval_ns = 5,
                                        .turbo = WTL_SWEEP_TURBO_BOTH},
                                back;
    struct wattle_error err = {""};
    ok(mkdtemp(place) != NULL, "a folder");
    (void)wtl_sweep_form_text(&form.frequencies, "1.2-2.3GHz:0.1");
    (void)wtl_sweep_form_word(&form, "./prog");
    (void)wtl_sweep_form_word(&form, "");
    (void)wtl_sweep_form_word(&form, "a b\nword %41 \x01");
    is_int(wtl_sweep_file_write(place, &form, &err), 0, "written %s", err.text);
    is_int(wtl_sweep_file_read(place, &back, &err), 0, "and read %s", err.text);
    ok(back.seed == UINT64_MAX && back.blocks == 7 && back.turbo == WTL_SWEEP_TURBO_BOTH,
       "numbers");
    is_double(back.slowdown, 0.1, 0, "exactly");
    is_int((long)back.word_count, 3, "words");
    is_str(back.words[1], "", "an empty one");
    is_str(back.words[2], form.words[2], "and one with everything in it");
    is_str(back.frequencies, form.frequencies, "texts");
    ok(back.metric == NULL, "and none");
    wtl_sweep_form_fini(&form);
    wtl_sweep_form_fini(&back);
    (void)snprintf(path, sizeof path, "%s/" WTL_SWEEP_FILE, place);
    (void)unlink(path);
    is_int(wtl_sweep_file_read(place, &back, &err), -ENOENT, "no plan: %s", err.text);
    wtl_sweep_form_fini(&back);
    (void)rmdir(place);
}

static void check_hostile(void)
{
    static const char *const texts[] = {
        "",
        "wattle-sweep 2\nword a\nblocks 1\nend\n",
        "wattle-sweep 1\nword a\nblocks 1\n",
        "wattle-sweep 1\nblocks 1\nend\n",
        "wattle-sweep 1\nword a\nend\n",
        "wattle-sweep 1\nword a\nblocks 0\nend\n",
        "wattle-sweep 1\nword a\nblocks 99999999999999999999\nend\n",
        "wattle-sweep 1\nword %0\nblocks 1\nend\n",
        "wattle-sweep 1\nword %00\nblocks 1\nend\n",
        "wattle-sweep 1\nword %zz\nblocks 1\nend\n",
        "wattle-sweep 1\nword\nblocks 1\nend\n",
        "wattle-sweep 1\nslowdown nan\nword a\nblocks 1\nend\n",
        "wattle-sweep 1\nslowdown -1\nword a\nblocks 1\nend\n",
        "wattle-sweep 1\nturbo maybe\nword a\nblocks 1\nend\n",
        "wattle-sweep 1\ninterval-ns 0\nword a\nblocks 1\nend\n",
        "wattle-sweep 1\nevil 1\nword a\nblocks 1\nend\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wtl_sweep_order_form form;
        struct wattle_error err = {""};
        is_int(wtl_sweep_file_parse(texts[i], strlen(texts[i]), &form, &err), -EBADMSG,
               "refused: %s", err.text);
        wtl_sweep_form_fini(&form);
    }
}

int main(void)
{
    check_settings();
    check_refused();
    check_order();
    check_request();
    check_file();
    check_hostile();
    return done_testing();
}
