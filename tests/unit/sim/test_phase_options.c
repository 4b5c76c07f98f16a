/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of wattle-sim run --phases: names, keys and files, and one sentence for each mistake. */
#define _GNU_SOURCE
#include "sim/phases/phase_options.h"

#include <math.h>
#include <unistd.h>

#include "tap.h"

static char path[] = "/tmp/wattle-phases-XXXXXX.ini";

static int parse_file(const char *content, const char *keys, struct wtl_sim_track **ret, char *why)
{
    char word[256];
    struct wattle_error err = {""};
    FILE *out = fopen(path, "w");
    if (!out)
        return -1;
    (void)fputs(content, out);
    (void)fclose(out);
    (void)snprintf(word, sizeof word, "%s%s", path, keys);
    int rc = wtl_sim_phases_parse(wtl_world_real(), word, ret, &err);
    (void)snprintf(why, sizeof err.text, "%s", err.text);
    return rc;
}

static void check_names(void)
{
    static const struct {
        int line;
        const char *text, *says; /* NULL = accepted */
    } rows[] = {
        {__LINE__, "lu", NULL},
        {__LINE__, "cg,length=0.1,run=3,node=1,seed=9,platform=4,step=50ms,noise=0.1,data=0.2",
         NULL},
        {__LINE__, "nothing", "programs are lu, is-ep, cg"},
        {__LINE__, "", "no such program"},
        {__LINE__, "lu,", "not KEY=VALUE"},
        {__LINE__, "lu,length", "not KEY=VALUE"},
        {__LINE__, "lu,length=-1", "not negative"},
        {__LINE__, "lu,run=x", "not negative"},
        {__LINE__, "lu,speed=3", "unknown key speed"},
        {__LINE__, "lu,step=1us", "1ms or more"},
        {__LINE__, "lu,length=1e9", "choose a longer step"},
        {__LINE__, "./nowhere.ini", "no such file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_sim_track *track = NULL;
        struct wattle_error err = {""};
        int rc = wtl_sim_phases_parse(wtl_world_real(), rows[i].text, &track, &err);
        tap_line = rows[i].line;
        ok(rows[i].says ? rc < 0 && strstr(err.text, rows[i].says) : rc == 0 && track, "%s: %s",
           rows[i].text, err.text);
        wtl_sim_track_destroy(track);
    }
    tap_line = 0;
}

static void check_file(void)
{
    struct wtl_sim_track *track = NULL;
    char why[sizeof(struct wattle_error)];
    int rc =
        parse_file("[world]\nprogram = rest:1 (work:2 rest:1)*2\nstatic_w = 40\nnoise = 0\n"
                   "run_cv = 0\npower_snr = 0\n[letter rest]\n[letter work]\nCPU_CYCLES = 3e10\n"
                   "[joules]\nCPU_CYCLES = 2e-9\n",
                   ",length=0.5", &track, why);
    is_int(rc, 0, "a file %s", why);
    if (rc == 0) {
        is_int(wtl_sim_track_end_ns(track), 3500000000, "seven seconds, half as long");
        is_double(wtl_sim_track_power_w(track, 100000000), 40, 1e-9, "rest");
        is_double(wtl_sim_track_power_w(track, 1000000000), 100, 1e-9, "work: 3e10 cycles of 2 nJ");
        is_double((double)wtl_sim_track_count(track, 0, 1500000000), 3e10, 1, "cycles of a second");
    }
    wtl_sim_track_destroy(track);
    static const struct {
        int line;
        const char *content, *says;
    } rows[] = {
        {__LINE__, "", "has no program"},
        {__LINE__, "[letter a]\nCPU_CYCLES = 1\n", "has no program"},
        {__LINE__, "[world]\nprogram = a:1\n", "LETTER:SECONDS"},
        {__LINE__, "[letter a]\nFLOPS = 1\n", ":2: unknown counter FLOPS"},
        {__LINE__, "[letter a]\nCPU_CYCLES = nan\n", ":2: CPU_CYCLES = nan"},
        {__LINE__, "[letter a234567890123456]\n", "more than 15 bytes"},
        {__LINE__, "[letters]\n", "unknown section [letters]"},
        {__LINE__, "[world]\ncolour = red\n", "unknown key colour"},
        {__LINE__, "program = a:1\n", "ini:1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_sim_track *none = NULL;
        tap_line = rows[i].line;
        ok(parse_file(rows[i].content, "", &none, why) < 0 && strstr(why, rows[i].says),
           "refused: %s", why);
        wtl_sim_track_destroy(none);
    }
}

int main(void)
{
    int fd = mkstemps(path, 4);
    if (fd < 0)
        return 77;
    (void)close(fd);
    check_names();
    check_file();
    (void)unlink(path);
    return done_testing();
}
