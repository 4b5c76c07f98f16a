/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/load_options.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* Parsed options. */
struct request {
    uint64_t time_ns;
    unsigned threads, wait, format;
    const char *cpus, *isa, *omp_library, *mpi_library, *device, *shape;
    int fd;
    bool list, version;
};

static int take_time(const struct wtl_command *command, void *place, const char *value)
{
    const uint64_t day_ns = 86400u * 1000000000ull;
    uint64_t ns;
    if (wtl_parse_duration(value, &ns) < 0 || ns == 0 || ns > day_ns)
        return wtl_usage(command, "--time %s: expected a time up to a day, such as 30s or 5m",
                         value);
    *(uint64_t *)place = ns;
    return 0;
}

static int take_ready(const struct wtl_command *command, void *place, const char *value)
{
    uint64_t fd;
    if (wtl_parse_u64(value, &fd) < 0 || fd > 1u << 20 || fcntl((int)fd, F_GETFD) < 0)
        return wtl_usage(
            command, "--ready %s: expected the number of an open descriptor, such as 3 with 3>file",
            value);
    *(int *)place = (int)fd;
    return 0;
}

static const char *const waits[] = {"active", "passive", NULL}, *const formats[] = {"text", "json",
                                                                                    NULL};

static const struct wtl_option rows[] = {
    {0, "time", "DUR", "run for this time: 90s, 5m (default 5m)",
     WTL_CALLS(struct request, time_ns, take_time)},
    {0, "threads", "N", "number of threads, one per CPU (default: all usable\nCPUs)",
     WTL_TAKES_UNSIGNED(struct request, threads, 1, UINT32_MAX)},
    {0, "cpus", "LIST", "use these CPUs: 0-3,8", WTL_TAKES_TEXT(struct request, cpus)},
    {0, "wait", "HOW",
     "how the team of omp_serial waits: active (spinning)\nor passive (sleeping) (default: that of "
     "the OpenMP\nruntime or OMP_WAIT_POLICY)",
     WTL_TAKES_CHOICE(struct request, wait, waits)},
    {0, "isa", "NAME", "instruction set of fma (default: the widest\nsupported)",
     WTL_TAKES_TEXT(struct request, isa)},
    {0, "openmp-library", "NAME",
     "OpenMP runtime: a path or a name such as\nlibomp.so.5 (default: libgomp, libomp or libiomp5)",
     WTL_TAKES_TEXT(struct request, omp_library)},
    {0, "mpi-library", "NAME", "MPI library (default: that of the launcher)",
     WTL_TAKES_TEXT(struct request, mpi_library)},
    {0, "device", "DEVICE",
     "GPU of the kernel gpu: its number as its library\ncounts, or its PCI address (default: the "
     "first "
     "one)",
     WTL_TAKES_TEXT(struct request, device)},
    {0, "shape", "FILE",
     "on and off times of the kernel gpu: lines \"SECONDS\nLOAD\", the last one ends it (default: "
     "on for\n--time)",
     WTL_TAKES_TEXT(struct request, shape)},
    {0, "ready", "FD", "print the ready and done lines to descriptor FD\n(default 1)",
     WTL_CALLS(struct request, fd, take_ready)},
    {0, "format", "FORMAT", "format of these lines and of --list: text or json\n(default text)",
     WTL_TAKES_CHOICE(struct request, format, formats)},
    {0, "list", NULL, "list kernels and instruction sets, and why some\ncannot run",
     WTL_SETS(struct request, list)},
    WTL_OPTION_HELP,
    {0, "version", NULL, "show the version and exit", WTL_SETS(struct request, version)},
    WTL_OPTIONS_END,
};

const struct wtl_command wtl_load_command = {
    .verb = "load",
    .program = "wattle-load",
    .operands = "KERNEL",
    .summary =
        "Load the machine in a known way, to measure its minimum and maximum power when busy.",
    .text =
        "Kernels for minimum power (one instruction that jumps to itself):\n  omp_serial    "
        "the master of an OpenMP team jumps, the others wait for work\n  omp_parallel  all "
        "threads of an OpenMP team jump\n  mpi_serial    rank 0 jumps, the other ranks wait in "
        "a barrier (start with mpirun, srun)\n  mpi_parallel  all ranks jump (start with "
        "mpirun, srun)\nKernel for maximum power:\n  fma           multiply-add units, all "
        "caches and memory at once\n  gpu           multiply-add on a GPU (CUDA, HIP, Level Zero), "
        "on and off at known moments\n\nA load ends after its time, on TERM, INT or HUP, or with "
        "the process that started it.\nExit status: 0 the time is over, 1 the load could not "
        "run, 2 usage error; a signal that\nends the load kills it.\n",
    .options = rows,
    .examples = "wattle-load fma --time 30s\n"
                "wattle run -- wattle-load omp_parallel --time 30s\n"
                "wattle-load omp_serial --wait passive --openmp-library libomp.so.5\n"
                "mpirun -n 24 wattle-load mpi_serial --time 1m\n"
                "wattle-load --list --format json\n",
    .usage_exit = 2,
};

static const struct wtl_command *const command = &wtl_load_command;

/* Options that not every kernel supports, and the kernels that do. */
static int check_kernel(const struct wtl_command_line *line, enum wtl_load_kernel kernel)
{
    enum {
        OMP = 1u << WTL_LOAD_OMP_SERIAL | 1u << WTL_LOAD_OMP_PARALLEL,
        MPI = 1u << WTL_LOAD_MPI_SERIAL | 1u << WTL_LOAD_MPI_PARALLEL
    };
    static const struct {
        const char *name;
        unsigned kernels;
        const char *remedy;
    } bounds[] = {
        {"threads", ~(unsigned)(MPI | 1u << WTL_LOAD_GPU),
         "the launcher sets the number of ranks, and a GPU has its own threads"},
        {"wait", 1u << WTL_LOAD_OMP_SERIAL,
         "only the team of omp_serial waits for OpenMP; how ranks wait is a setting of the MPI "
         "library"},
        {"isa", 1u << WTL_LOAD_FMA, "only fma has instruction set levels"},
        {"openmp-library", OMP, "only omp_serial and omp_parallel use OpenMP"},
        {"device", 1u << WTL_LOAD_GPU, "only gpu uses a GPU"},
        {"shape", 1u << WTL_LOAD_GPU, "only gpu is switched on and off"},
        {"cpus", ~(1u << WTL_LOAD_GPU), "gpu runs on a GPU"},
        {"mpi-library", MPI, "only mpi_serial and mpi_parallel use MPI"},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        if (wtl_option_given(command, line, bounds[i].name) && !(bounds[i].kernels & 1u << kernel))
            return wtl_usage(command, "--%s: not with %s: %s", bounds[i].name,
                             wtl_load_kernel_name(kernel), bounds[i].remedy);
    }
    return 0;
}

static int find_isa(const char *name, const struct wtl_isa **ret_isa)
{
    struct wtl_isa_machine machine = wtl_isa_machine();
    char known[160] = "";
    *ret_isa = name ? wtl_isa_find(name) : wtl_isa_best(&machine);
    for (size_t i = 0; !*ret_isa && wtl_isa_at(i); i++) {
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                       wtl_isa_at(i)->name);
    }
    if (!*ret_isa)
        return wtl_usage(command, "--isa %s: unknown; levels are %s", name, known);
    const char *refusal = wtl_isa_refusal(*ret_isa, &machine);
    return refusal ? wtl_usage(command, "--isa %s: %s; the widest level here is %s", name, refusal,
                               wtl_isa_best(&machine)->name)
                   : 0;
}

static int find_kernel(const struct wtl_command_line *line, enum wtl_load_kernel *ret_kernel)
{
    if (line->count == 0)
        return wtl_usage(command, "no kernel given; use wattle-load KERNEL [OPTIONS]");
    if (line->count > 1)
        return wtl_usage(command, "unexpected argument \"%s\" after the kernel", line->words[1]);
    for (int i = 0; i < WTL_LOAD_KERNELS; i++) {
        *ret_kernel = (enum wtl_load_kernel)i;
        if (strcmp(line->words[0], wtl_load_kernel_name(*ret_kernel)) == 0)
            return 0;
    }
    return wtl_usage(command,
                     "unknown kernel \"%s\"; kernels are omp_serial, omp_parallel, mpi_serial, "
                     "mpi_parallel, fma, gpu",
                     line->words[0]);
}

static int find_cpus(const struct request *request, struct wtl_cpu_choice *choice)
{
    struct wattle_error err = {""};
    int rc = wtl_cpu_choice_allowed(choice, &err);
    rc = rc < 0 ? rc : wtl_cpu_choice_narrow(choice, request->cpus, request->threads, &err);
    return rc < 0 ? wtl_usage(command, "%s", err.text) : 0;
}

int wtl_load_options_read(struct wtl_load_options *options, int argc, char **argv)
{
    struct request request = {.time_ns = 300ull * 1000000000u, .fd = 1};
    struct wtl_load *load = &options->load;
    struct wtl_command_line line;
    int status = wtl_options_read(command, argc, argv, &request, NULL, &line);
    if (status != WTL_GO_ON)
        return status;
    *options = (struct wtl_load_options){.list = request.list, .version = request.version};
    *load = (struct wtl_load){.time_ns = request.time_ns,
                              .omp_library = request.omp_library,
                              .mpi_library = request.mpi_library,
                              .device = request.device,
                              .shape = request.shape,
                              .fd = request.fd,
                              .json = request.format == 1};
    if (wtl_option_given(command, &line, "wait"))
        load->wait = request.wait ? WTL_WAIT_PASSIVE : WTL_WAIT_ACTIVE;
    if (options->list || options->version)
        return WTL_GO_ON;
    status = find_kernel(&line, &load->kernel);
    status = status ? status : check_kernel(&line, load->kernel);
    status = status ? status : find_isa(request.isa, &load->isa);
    status = status ? status : find_cpus(&request, &load->cpus);
    return status ? status : WTL_GO_ON;
}
