/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of "wattle-sim run": the node they describe, and each error with its remedy. */
#define _GNU_SOURCE
#include "sim/sim_options.h"

#include <errno.h>

#include "tap.h"

enum { WORDS = 40 };

/* Parse a line of words; the command is "true". */
static int parse(struct wtl_sim_options *options, const char *line, struct wattle_error *err)
{
    static char text[512];
    static char *argv[WORDS + 1];
    char *rest = text;
    int argc = 0;
    memset(argv, 0, sizeof argv);
    snprintf(text, sizeof text, "run %s", line);
    for (char *word; argc < WORDS && (word = strsep(&rest, " "));) {
        if (*word)
            argv[argc++] = word;
    }
    return wtl_sim_options_parse(options, argc, argv, 4, err);
}

static const struct wtl_node_domain *domain(const struct wtl_sim_options *o,
                                            enum wattle_domain domain,
                                            int index)
{
    for (size_t i = 0; i < o->node.domain_count; i++) {
        if (o->node.domains[i].domain == domain && o->node.domains[i].index == index)
            return &o->node.domains[i];
    }
    return NULL;
}

static void check_defaults(void)
{
    struct wtl_sim_options o;
    struct wattle_error err = {""};
    is_int(parse(&o, "true", &err), 0, "no option at all");
    is_int(o.node.domain_count, 3, "package, core, dram");
    is_int(o.tree.views, WTL_VIEW_POWERCAP | WTL_VIEW_MSR | WTL_VIEW_CPUINFO,
           "powercap and msr, and a processor");
    is_str(o.tree.model->name, "skylake-sp", "which is always the same, whatever the real one");
    is_int(o.node.domains[0].tick_ns, 976562, "a tick of 1/1024 s");
    wtl_sim_options_fini(&o);
}

static void check_node(void)
{
    struct wtl_sim_options o;
    struct wattle_error err = {""};
    is_int(parse(&o,
                 "--power package-1=150 --power package=60+40*load --power dram=8 --power psys=200 "
                 "--sockets 2 --cpu skylake-sp --tick-us package-1=500 --tick-us 1000 "
                 "--tick-us package=2000 --wander dram=3:50ms true arg --seed",
                 &err),
           0, "a node of two sockets: %s", err.text);
    is_int(o.node.domain_count, 5, "2 packages, 2 drams, psys");
    const struct wtl_node_domain *p0 = domain(&o, WATTLE_DOMAIN_PACKAGE, 0),
                                 *p1 = domain(&o, WATTLE_DOMAIN_PACKAGE, 1),
                                 *d1 = domain(&o, WATTLE_DOMAIN_DRAM, 1);
    if (ok(p0 && p1 && d1, "they are there")) {
        is_str(wtl_expression_text(p0->power), "60+40*load", "power of package-0");
        is_str(wtl_expression_text(p1->power), "150", "power of package-1 is its own");
        is_int(p1->tick_ns, 500000, "its tick too, whatever the order");
        is_int(p0->tick_ns, 2000000, "package's");
        is_int(d1->tick_ns, 1000000, "everyone's");
        is_int(d1->unit_exp, 16, "memory's unit on this processor");
        is_double(d1->wander_tau_s, 0.05, 1e-12, "memory wanders");
        is_double(p0->wander_w, 0, 0, "packages do not");
    }
    is_str(o.tree.model->name, "skylake-sp", "the processor");
    is_str(o.command[0], "true", "the command");
    is_str(o.command[2], "--seed", "keeps its options");
    wtl_sim_options_fini(&o);
}

static void check_rest(void)
{
    struct wtl_sim_options o;
    struct wattle_error err = {""};
    is_int(
        parse(&o,
              "--view hwmon,cray --unknown-msr zero --jitter-kind normal --jitter-us 5.5 "
              "--unit-exp dram=16 --range-bits 24 --raw0 7 --t0 123 --grid-us 50 --frequency 3.1 "
              "--fault eio:dram,rate=0.5 --fault stall@1s -- true",
              &err),
        0, "the other options: %s", err.text);
    is_int(o.tree.views, WTL_VIEW_HWMON | WTL_VIEW_CRAY | WTL_VIEW_CPUINFO, "views");
    ok(o.tree.msr_zero && o.node.domains[0].jitter_normal, "choices");
    is_double(o.node.domains[0].jitter_ns, 5500, 0, "jitter");
    is_int(o.node.domains[0].range_bits, 24, "range");
    is_int(o.node.domains[2].unit_exp, 16, "unit");
    is_int(o.node.domains[1].raw0, 7, "raw0");
    is_int(o.node.t0_ns, 123, "t0");
    is_int(o.node.grid_ns, 50000, "grid");
    is_double(o.node.f, 3.1, 0, "frequency");
    is_int(o.node.fault_count, 2, "faults");
    wtl_sim_options_fini(&o);
    is_int(parse(&o, "--help", &err), 0, "help needs no command");
    ok(o.help, "and is asked for");
    wtl_sim_options_fini(&o);
}

static void check_refusals(void)
{
    static const struct {
        int line;
        const char *text, *says;
    } rows[] = {
        {__LINE__, "", "no command"},
        {__LINE__, "--bogus true", "unknown option --bogus"},
        {__LINE__, "--power", "--power requires a value"},
        {__LINE__, "--power 60 true", "write DOMAIN=EXPRESSION"},
        {__LINE__, "--power pakage=60 true", "unknown domain 'pakage'"},
        {__LINE__, "--power package=60+ true", "column 4: missing value"},
        {__LINE__, "--power package=60*lod true",
         "unknown name 'lod'; known names are t, load, f, socket"},
        {__LINE__, "--power package-1=60 true", "this node has 1 socket; see --sockets"},
        {__LINE__, "--sockets 5 true", "must be a number from 1 to 4"},
        {__LINE__, "--tick-us 0 true", "must be a number from 1"},
        {__LINE__, "--tick-us uncore=5 true", "no such domain"},
        {__LINE__, "--range-bits 64 true", "must be a number from 8 to 48"},
        {__LINE__, "--wander 3 true", "must be W:TIME"},
        {__LINE__, "--wander 3:0 true", "correlation time"},
        {__LINE__, "--view acpi true", "views are powercap"},
        {__LINE__, "--cpu 8086 true", "known are goldmont"},
        {__LINE__, "--unknown-msr maybe true", "give eio or zero"},
        {__LINE__, "--seed -1 true", "whole number"},
        {__LINE__, "--fault explode true", "unknown kind"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_sim_options o;
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(parse(&o, rows[i].text, &err), -EINVAL, "\"%s\" is refused", rows[i].text);
        if (!ok(strstr(err.text, rows[i].says) != NULL, "it says: %s", rows[i].says))
            diag("%s", err.text);
        wtl_sim_options_fini(&o);
    }
    tap_line = 0;
}

static void check_frequency(void)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"--frequency 2.3-1.2 true", "must be a number from 2.3"},
        {"--frequency 1.2-2.3:x true", "must be a number"},
        {"--turbo fast true", "must be a number"},
        {"--scaling-driver acpi true", "drivers are acpi-cpufreq"},
        {"--cpus-per-policy 0 true", "must be a number"},
        {"--speed ghz true", "linpack, network, memory"},
    };
    struct wtl_sim_options o;
    struct wattle_error err = {""};
    is_int(parse(&o,
                 "--frequency 1.2-2.3:0.05 --turbo 2.8 --cpus-per-policy 2 --scaling-driver "
                 "intel_pstate --tdp 90 --speed network true",
                 &err),
           0, "frequencies %s", err.text);
    is_double(o.node.f, 2.3, 0, "the nominal one");
    is_double(o.node.knobs.low_ghz, 1.2, 0, "the lowest");
    is_double(o.node.knobs.step_ghz, 0.05, 0, "the step");
    is_double(o.node.knobs.turbo_ghz, 2.8, 0, "turbo");
    is_double(o.node.knobs.tdp_w, 90, 0, "the limit");
    is_int(o.node.knobs.cpus_per_policy, 2, "policies");
    is_int(o.node.knobs.cpus, 4, "of all CPUs");
    is_int(o.node.knobs.driver, WTL_SCALING_INTEL, "the driver");
    ok(o.speed != NULL, "a speed");
    wtl_sim_options_fini(&o);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is_int(parse(&o, rows[i].line, &err), -EINVAL, "%s", rows[i].line);
        ok(strstr(err.text, rows[i].says) != NULL, "says why: %s", err.text);
        wtl_sim_options_fini(&o);
    }
}

int main(void)
{
    check_frequency();
    check_defaults();
    check_node();
    check_rest();
    check_refusals();
    return done_testing();
}
