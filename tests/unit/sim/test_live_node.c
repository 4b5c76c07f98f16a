/* SPDX-License-Identifier: BSD-3-Clause */
/* The node in real time: its requests, their effects, and that refused ones change nothing. */
#include "sim/live_node.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

struct rig {
    struct wtl_live live;
    struct wtl_tree *tree;
    struct wtl_expression *watts;
    struct wtl_node_config config;
};

static void rig_open(struct rig *rig)
{
    struct wtl_tree_config tree = wtl_tree_config_init();
    struct wattle_error err = {""};
    (void)wtl_expression_compile("100+50*load", wtl_power_variables, WTL_POWER_VARIABLES,
                                 &rig->watts, &err);
    rig->config = wtl_node_config_init(0);
    for (int i = 0; i < 2; i++)
        rig->config.domains[i] = wtl_node_domain_init(WATTLE_DOMAIN_PACKAGE, i, rig->watts, 1);
    rig->config.domain_count = 2;
    if (wtl_tree_create(&tree, &rig->config, &rig->tree, &err) < 0)
        diag("%s", err.text);
    wtl_live_init(&rig->live, rig->tree);
}

static void rig_close(struct rig *rig)
{
    wtl_live_fini(&rig->live);
    wtl_tree_destroy(rig->tree);
    wtl_expression_destroy(rig->watts);
}

/* The answer; static storage. */
static const char *asked(struct rig *rig, const char *request)
{
    static char text[65536];
    char *answer = NULL;
    ssize_t n = wtl_live_request(&rig->live, request, &answer);
    snprintf(text, sizeof text, "%s", n >= 0 ? answer : "(none)");
    free(answer);
    return text;
}

static void check_requests(struct rig *rig)
{
    static const struct {
        int line;
        const char *request, *says; /* the answer's beginning */
    } rows[] = {
        {__LINE__, "set\npackage=120", "ok "},
        {__LINE__, "set\npackage-1=80+20*load\nload=0.5\nf=2", "ok "},
        {__LINE__, "set\npackage = 3", "error unknown domain 'package '"},
        {__LINE__, "set\ndram=3",
         "error unknown domain 'dram'; this node has package-0, package-1"},
        {__LINE__, "set\npackage-2=3", "error unknown domain"},
        {__LINE__, "set\npackage=1+", "error \"1+\": column 3"},
        {__LINE__, "set\npackage=7\nload=2", "error load=2: must be 0 to 1"},
        {__LINE__, "set\nf=0", "error f=0"},
        {__LINE__, "set\npackage", "error \"package\": write NAME=VALUE"},
        {__LINE__, "set", "error nothing to set"},
        {__LINE__, "energy", "ok "},
        {__LINE__, "energy\n5", "error from 5 is before"},
        {__LINE__, "energy\n0\n18000000000000000000",
         "error to 18000000000000000000 must be between"},
        {__LINE__, "energy\nx", "error \"x\": must be CLOCK_MONOTONIC"},
        {__LINE__, "energy\n0\n0\n0", "error"},
        {__LINE__, "log", "ok\n"},
        {__LINE__, "explode", "error unknown request 'explode'"},
        {__LINE__, "", "error unknown request ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        const char *answer = asked(rig, rows[i].request);
        if (!ok(strncmp(answer, rows[i].says, strlen(rows[i].says)) == 0, "answer to row %zu: %s",
                i, rows[i].says))
            diag("%s", answer);
    }
    tap_line = 0;
}

/* A step takes effect at the instant in its answer, and is in the log. */
static void check_step(struct rig *rig)
{
    char request[80];
    uint64_t at = strtoull(asked(rig, "set\npackage-0=10\nload=1") + 3, NULL, 10), end;
    do {
        end = wtl_live_now();
    } while (end < at + 1000000);
    snprintf(request, sizeof request, "energy\n%" PRIu64 "\n%" PRIu64, at, at + 1000000);
    const char *answer = asked(rig, request);
    const char *joules = strstr(answer, "package-0 ");
    is_double(joules ? strtod(joules + 10, NULL) : NAN, 0.01, 1e-12, "10 W for 1 ms");
    joules = strstr(answer, "package-1 ");
    is_double(joules ? strtod(joules + 10, NULL) : NAN, 0.1, 1e-12, "80+20*load at load 1");
    snprintf(request, sizeof request, "%" PRIu64 "\tpackage-0\t10\n", at);
    ok(strstr(asked(rig, "log"), request) != NULL, "the step is in the log");
}

static void check_load(struct rig *rig)
{
    wtl_live_load(&rig->live, 0.25);
    is_double(wtl_node_influence(rig->live.node).load, 1, 0, "a load that was set stays");
    (void)asked(rig, "set\nload=auto");
    wtl_live_load(&rig->live, 0.25);
    is_double(wtl_node_influence(rig->live.node).load, 0.25, 0, "until it is measured again");
    is_int(wtl_live_frequency(&rig->live, 1.5), 0, "a frequency");
    is_double(wtl_node_influence(rig->live.node).f, 1.5, 0, "is set");
    is_int(wtl_live_frequency(&rig->live, 0), -EINVAL, "0 GHz is not");
}

int main(void)
{
    struct rig rig;
    char buf[WTL_TREE_TEXT];
    const char *text;
    uint64_t value;
    rig_open(&rig);
    int entry = wtl_tree_find(rig.tree, "/sys/class/powercap/intel-rapl:0/energy_uj", true);
    is_int(wtl_live_text(&rig.live, entry, buf, &text), -EAGAIN, "nothing before the start");
    ok(strncmp(asked(&rig, "log"), "error", 5) == 0, "no request either");
    is_int(wtl_live_start(&rig.live, &rig.config, NULL), 0, "it starts");
    ok(wtl_live_text(&rig.live, entry, buf, &text) > 1, "and shows its energy");
    is_int(wtl_live_msr(&rig.live, 0, 0x611, &value), 0, "in registers, too");
    check_requests(&rig);
    check_step(&rig);
    check_load(&rig);
    rig_close(&rig);
    return done_testing();
}
