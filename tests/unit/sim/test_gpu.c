/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs of a node: their options, what they show of a power that is known, and kernels that step it at exact instants. */
#include "sim/gpu/gpu.h"

#include <errno.h>

#include "sim/gpu/gpu_kernels.h"
#include "sim/live_node.h"
#include "sim/sim_options.h"
#include "tap.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static const struct {
    int line;
    const char *text, *power; /* NULL: refused */
    size_t count;
} rows[] = {
    {__LINE__, "model=h100", "70+500*gpu", 1},
    {__LINE__, "model=a100,count=4,power=60+300*gpu", "60+300*gpu", 4},
    {__LINE__, "power=50+square(t,0.1,0.3)*90,period=20ms,window=10ms", "50+square(t,0.1,0.3)*90",
     1},
    {__LINE__, "tau=80ms,delay=5ms,quantum=1,gain=0.05,offset=-3,noise=2,jitter=1ms,phase=7ms",
     "70+500*gpu", 1},
    {__LINE__, "no=energy,no=utilization,mig=3,numa=1,limit=300,library=old,energy-quantum=0.1",
     "70+500*gpu", 1},
    {__LINE__, "model=h999", NULL, 0},
    {__LINE__, "period=0", NULL, 0},
    {__LINE__, "power=", NULL, 0},
    {__LINE__, "power", NULL, 0},
    {__LINE__, "=3", NULL, 0},
    {__LINE__, "colour=green", NULL, 0},
    {__LINE__, "no=fun", NULL, 0},
    {__LINE__, "library=newest", NULL, 0},
    {__LINE__, "count=17", NULL, 0},
    {__LINE__, "count=0", NULL, 0},
    {__LINE__, "mig=8", NULL, 0},
    {__LINE__, "gain=x", NULL, 0},
};

static void test_parse(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_sim_gpus gpus = {.count = 0};
        struct wattle_error err = {""};
        const char *power = "";
        size_t n = 0;
        tap_line = rows[i].line;
        int rc = wtl_sim_gpu_parse(&gpus, rows[i].text, &power, &n, &err);
        is_int(rc, rows[i].power ? 0 : -EINVAL, "%s%s", rows[i].text, err.text);
        is_int(gpus.count, rows[i].count, "GPUs");
        if (rows[i].power)
            ok(strlen(rows[i].power) == n && strncmp(power, rows[i].power, n) == 0, "power");
        else
            ok(err.text[0] != '\0', "refused with a sentence");
    }
    tap_line = 0;
}

static const char *show(const struct wtl_sim_options *o,
                        struct wtl_node *node,
                        enum wtl_sim_gpu_field field,
                        uint64_t time_ns)
{
    static char text[WTL_TREE_TEXT];
    ssize_t n = wtl_sim_gpu_show(&o->gpus.list[0], node, field, time_ns, text, sizeof text);
    if (n < 0)
        (void)snprintf(text, sizeof text, "%zd", n);
    return text;
}

/* 100 W, 300 W while kernels run, from 1 to 2 s. */
static void test_show(void)
{
    const char *argv[] = {"run",
                          "--gpu",
                          "model=a100,power=100+200*gpu,limit=250",
                          "--fault",
                          "mig:gpu-0@3s",
                          "--fault",
                          "vanish:gpu-0@4s",
                          "--power",
                          "package=10",
                          "--tick-us",
                          "gpu=1000",
                          "--jitter-us",
                          "0",
                          "--phase-us",
                          "0",
                          "--raw0",
                          "0",
                          "true",
                          NULL};
    struct wtl_sim_options o;
    struct wattle_error err = {""};
    struct wtl_node *node = NULL;
    is_int(wtl_sim_options_parse(&o, 18, (char **)argv, 2, &err), 0, "options%s", err.text);
    o.node.start_ns = o.node.t0_ns = 5 * S;
    is_int(wtl_node_create(&o.node, &node, &err), 0, "node%s", err.text);
    is_int(wtl_node_count(node), 2, "GPU and package");
    is_int(wtl_node_set_gpu(node, 6 * S, 0, 1), 0, "a kernel begins");
    is_int(wtl_node_set_gpu(node, 7 * S, 0, 0), 0, "and ends");
    is_double(wtl_node_energy_j(node, 0, 5 * S, 8 * S), 500, 1e-9, "its energy");
    is_double(wtl_node_energy_j(node, 1, 5 * S, 8 * S), 30, 1e-9, "and no other");
    is_str(show(&o, node, WTL_SIM_GPU_ENERGY, 6500 * MS), "250000\n", "the counter");
    is_str(show(&o, node, WTL_SIM_GPU_POWER, 6050 * MS), "100000\n", "the gauge has not seen it");
    is_str(show(&o, node, WTL_SIM_GPU_POWER, 6100 * MS), "300000\n", "now it has");
    is_str(show(&o, node, WTL_SIM_GPU_AVERAGE, 6500 * MS), "200000\n", "the mean of a second");
    is_str(show(&o, node, WTL_SIM_GPU_UTILIZATION, 5900 * MS), "0\n", "not used");
    is_str(show(&o, node, WTL_SIM_GPU_UTILIZATION, 6500 * MS), "100\n", "used");
    is_str(show(&o, node, WTL_SIM_GPU_REASONS, 6500 * MS), "4\n", "above the limit: capped");
    is_str(show(&o, node, WTL_SIM_GPU_REASONS, 5500 * MS), "1\n", "idle");
    is_str(show(&o, node, WTL_SIM_GPU_MIG, 7900 * MS), "0\n", "no MIG");
    is_str(show(&o, node, WTL_SIM_GPU_MIG, 8 * S), "2\n", "switched on");
    is_str(show(&o, node, WTL_SIM_GPU_POWER, 9 * S), "-19", "lost (ENODEV)");
    wtl_node_destroy(node);
    wtl_sim_options_fini(&o);
}

struct steps {
    uint64_t at[16];
    double level[16];
    size_t count;
};

static void note(void *context, uint64_t time_ns, int gpu, double level)
{
    struct steps *steps = context;
    if (steps->count < 16) {
        steps->at[steps->count] = time_ns + (uint64_t)gpu;
        steps->level[steps->count++] = level;
    }
}

static void test_kernels(void)
{
    struct wtl_sim_kernels kernels = {.count = 0};
    struct steps steps = {.count = 0};
    const struct wtl_sim_kernel list[] = {
        {100, 200, 0.5, 0}, {150, 300, 0.7, 0}, {200, 250, 0.25, 3}};
    char text[WTL_TREE_TEXT];
    for (size_t i = 0; i < 3; i++)
        is_int(wtl_sim_kernels_add(&kernels, &list[i], 7 + (long)(i / 2)), 0, "kernel");
    wtl_sim_kernels_until(&kernels, 160, note, &steps);
    is_int(steps.count, 2, "two have begun");
    ok(steps.at[1] == 150 && steps.level[1] == 1, "together they use all of it");
    wtl_sim_kernels_until(&kernels, 1000, note, &steps);
    is_int(steps.count, 6, "an end, a begin at the same instant, two ends");
    ok(steps.at[2] == 200 && steps.level[2] == 0.7 && steps.at[3] == 203 && steps.level[3] == 0.25,
       "of each GPU");
    ok(steps.at[5] == 300 && steps.level[5] == 0, "then idle");
    is_int(kernels.count, 0, "nothing is kept");
    (void)wtl_sim_kernels_show(&kernels, 0, text, sizeof text);
    is_str(text, "7 250\n", "its processes");
    is_int(wtl_sim_kernels_show(&kernels, 3, text, 3), 0, "cut at a line");
    wtl_sim_kernels_fini(&kernels);
}

/* A kernel of a live node: what was announced is what was drawn, whenever it is asked. */
static void test_live(void)
{
    const char *argv[] = {"run", "--gpu", "power=100+200*gpu", "true", NULL};
    char *answer = NULL;
    struct wtl_sim_options o;
    struct wattle_error err = {""};
    struct wtl_tree *tree = NULL;
    struct wtl_live live;
    unsigned long long from = 0, until = 0;
    is_int(wtl_sim_options_parse(&o, 4, (char **)argv, 2, &err), 0, "options%s", err.text);
    is_int(wtl_tree_create(&o.tree, &o.node, &tree, &err), 0, "tree%s", err.text);
    wtl_live_init(&live, tree);
    is_int(wtl_live_start(&live, &o.node, &err), 0, "start%s", err.text);
    ok(wtl_live_request(&live, "kernel\n0\n3000000\n1\n42", &answer) > 0, "%s", answer);
    is_int(sscanf(answer, "ok %llu %llu", &from, &until), 2, "from and until");
    is_int(until - from, 3000000, "as long as it said");
    free(answer);
    while (wtl_live_now() <= until)
        continue;
    ok(wtl_live_request(&live, "energy", &answer) > 0, "asked afterwards");
    free(answer);
    int gpu = wtl_node_find(live.node, WATTLE_DOMAIN_GPU, 0);
    is_double(wtl_node_energy_j(live.node, (size_t)gpu, from, until), 0.9, 1e-12, "300 W for 3 ms");
    is_double(wtl_node_power_w(live.node, (size_t)gpu, until), 100, 1e-12, "then idle");
    ok(wtl_live_request(&live, "kernel\n1\n3000000\n1\n42", &answer) > 0, "another GPU");
    ok(strncmp(answer, "error", 5) == 0, "%s", answer);
    free(answer);
    ok(wtl_live_request(&live, "kernel\n0\n3000000\n2\n42", &answer) > 0, "more than all of it");
    ok(strncmp(answer, "error", 5) == 0, "%s", answer);
    free(answer);
    wtl_live_fini(&live);
    wtl_tree_destroy(tree);
    wtl_sim_options_fini(&o);
}

int main(void)
{
    test_parse();
    test_show();
    test_kernels();
    test_live();
    return done_testing();
}
