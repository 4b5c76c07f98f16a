/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle characterize gpu": what the power gauge of a GPU does. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "cli/characterize/characterize.h"
#include "cli/commands.h"

static int take_time(const struct wtl_command *command, void *place, const char *value)
{
    const uint64_t most_ns = 600ull * 1000 * 1000 * 1000;
    uint64_t ns;
    if (wtl_parse_duration(value, &ns) < 0 || ns < 1000000 || ns > most_ns)
        return wtl_usage(command, "%s: expected a time from 1ms to 10m, such as 100ms", value);
    *(uint64_t *)place = ns;
    return 0;
}

enum { AGAIN = 2 };

static const struct wtl_option options[] = {
    {0, "channel", "NAME", "the gauge (default: the first one of a GPU)",
     WTL_TAKES_TEXT(struct wtl_characterize, channel)},
    {0, "load-shape", "FILE",
     "the load during RECORDING: lines \"SECONDS,LOAD\",\nthe load from there on, 0 to 1",
     WTL_TAKES_INPUT(struct wtl_characterize, load_shape)},
    {0, "device", "DEVICE",
     "run the load on this GPU: its number as its library counts,\n"
     "or its PCI address (default: that of the gauge)",
     WTL_TAKES_TEXT(struct wtl_characterize, device)},
    {0, "period", "DUR", "a guess of the gauge's period (default: what is known,\nor 100ms)",
     WTL_CALLS(struct wtl_characterize, period_ns, take_time)},
    {0, "hold", "DUR",
     "length of the long steps, which show slow filters\n(default: 15 periods, at least 1.5s)",
     WTL_CALLS(struct wtl_characterize, hold_ns, take_time)},
    {'o', "output", "FILE", "store in this file (default:\n~/.config/wattle/calibration.conf)",
     WTL_TAKES_TEXT(struct wtl_characterize, calibration)},
    {0, "no-store", NULL, "only print", WTL_SETS(struct wtl_characterize, no_store)},
    WTL_OPTION_FORMAT(struct wtl_characterize, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int parse(int argc, char **argv, struct wtl_characterize *c)
{
    const struct wtl_command *command = &wtl_characterize_command;
    struct wtl_command_line line;
    int status = wtl_command_read(command, argc, argv, c, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count == 0 || strcmp(line.words[0], "gpu") != 0)
        return wtl_usage(command, "expected \"gpu\", the only kind of device");
    if (line.count > 2)
        return wtl_usage(command, "unexpected argument \"%s\"", line.words[2]);
    c->recording = line.count == 2 ? line.words[1] : NULL;
    if (!c->recording != !c->load_shape)
        return wtl_usage(command, c->recording
                                      ? "a RECORDING requires --load-shape: what ran meanwhile"
                                      : "--load-shape requires a RECORDING");
    bool live_only = c->device || c->period_ns || c->hold_ns;
    if (c->recording && live_only)
        return wtl_usage(command, "--device, --period and --hold are not for a RECORDING");
    if (c->no_store && c->calibration)
        return wtl_usage(command, "--no-store cannot be used with --output");
    return WTL_GO_ON;
}

/* Readings and load, from a recording or from here, and what they show. */
static int identify(struct wtl_characterize *c,
                    const struct wtl_cli_settings *settings,
                    struct wattle_error *err)
{
    c->reading_count = c->step_count = 0;
    int rc =
        c->recording ? wtl_characterize_shape(c, err) : wtl_characterize_live(c, settings, err);
    rc = rc < 0 || !c->recording ? rc : wtl_characterize_recording(c, err);
    return rc < 0 ? rc
                  : wtl_gauge_identify(c->readings, c->reading_count, c->steps, c->step_count,
                                       &c->gauge, err);
}

/* On a busy machine too few readings may have come in time: then again, for longer. */
static int work(struct wtl_characterize *c,
                const struct wtl_cli_settings *settings,
                struct wattle_error *err)
{
    int rc = identify(c, settings, err);
    for (int again = 0; rc == -ENODATA && !c->recording && again < AGAIN; again++) {
        wtl_complain(&wtl_characterize_command, "%s; once more, for longer", err->text);
        c->hold_ns += c->hold_ns / 2;
        rc = identify(c, settings, err);
    }
    if (rc < 0)
        return rc;
    /* Of a file without a name nothing can be said later. */
    struct wattle_error why = {""};
    bool stores = !c->no_store && c->name[0] && c->host[0];
    int stored = stores ? wtl_characterize_store(c, &why) : 0;
    rc = wtl_characterize_print(c, stdout, err);
    return rc == 0 && stored < 0 ? wtl_fail(err, stored, "%s", why.text) : rc;
}

static int run(int argc, char **argv)
{
    struct wtl_characterize c = {.claimed_period_s = NAN, .claimed_window_s = NAN, .rated_w = NAN};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    int status = parse(argc, argv, &c);
    if (status != WTL_GO_ON)
        return status;
    int rc = wtl_cli_settings_load(&settings, wtl_world_real(), &err);
    if (rc == 0) {
        rc = work(&c, &settings, &err);
        wtl_cli_settings_fini(&settings);
    }
    if (rc < 0)
        wtl_complain(&wtl_characterize_command, "%s", err.text);
    free(c.readings);
    free(c.steps);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

const struct wtl_command wtl_characterize_command = {
    .verb = "characterize",
    .run = run,
    .operands = "gpu [RECORDING]",
    .summary = "what the power sensor of a GPU does: period, window, delay",
    .text =
        "Runs a load of known on and off times on a GPU and reads its power sensor, for half a\n"
        "minute; or takes a RECORDING (a trace, or lines \"SECONDS,WATTS\") and the shape of the\n"
        "load meanwhile. Prints the period, the averaging window, the delay and the filter of\n"
        "the sensor, each with its 95 % interval, and stores them for later runs. Nothing else\n"
        "should use the GPU.\n"
        "Exit status: 0 found; 1 failed; 2 usage error.\n",
    .options = options,
    .examples = "wattle characterize gpu\n"
                "wattle characterize gpu --channel nvml:power_instant-0 --no-store\n"
                "wattle characterize gpu --load-shape shape.csv run.wtl\n",
    .usage_exit = WTL_EXIT_USAGE,
    .takes_signals = true,
};
