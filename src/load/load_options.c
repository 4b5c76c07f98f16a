/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/load_options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

enum key { TIME = 1, THREADS, CPUS, WAIT, ISA, OPENMP, MPI, READY, FORMAT, LIST, HELP, VERSION };

static const struct option names[] = {
    {"time", required_argument, NULL, TIME},
    {"threads", required_argument, NULL, THREADS},
    {"cpus", required_argument, NULL, CPUS},
    {"wait", required_argument, NULL, WAIT},
    {"isa", required_argument, NULL, ISA},
    {"openmp-library", required_argument, NULL, OPENMP},
    {"mpi-library", required_argument, NULL, MPI},
    {"ready", required_argument, NULL, READY},
    {"format", required_argument, NULL, FORMAT},
    {"list", no_argument, NULL, LIST},
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0},
};

/* Those that not every kernel has, and the kernels that have them. */
enum {
    OMP = 1u << WTL_LOAD_OMP_SERIAL | 1u << WTL_LOAD_OMP_PARALLEL,
    MPIS = 1u << WTL_LOAD_MPI_SERIAL | 1u << WTL_LOAD_MPI_PARALLEL
};
static const struct {
    enum key key;
    unsigned kernels;
    const char *remedy;
} bounds[] = {
    {THREADS, ~(unsigned)MPIS, "the launcher says how many ranks there are"},
    {WAIT, 1u << WTL_LOAD_OMP_SERIAL,
     "only the team of omp_serial waits for OpenMP; how ranks wait is a setting of the MPI "
     "library"},
    {ISA, 1u << WTL_LOAD_FMA, "only fma has instruction set levels"},
    {OPENMP, OMP, "only omp_serial and omp_parallel use OpenMP"},
    {MPI, MPIS, "only mpi_serial and mpi_parallel use MPI"},
};

struct parser {
    struct wtl_load_options *options;
    const char *cpus;
    uint64_t threads;
    unsigned given; /* bit for each key */
    struct wattle_error *err;
};

static const char *option_name(enum key key)
{
    size_t i = 0;
    while (names[i].name && names[i].val != (int)key)
        i++;
    return names[i].name;
}

static int bad(struct parser *p, enum key key, const char *value, const char *remedy)
{
    return wtl_fail(p->err, -EINVAL, "--%s %s: %s", option_name(key), value, remedy);
}

static int parse_isa(struct parser *p, const char *value)
{
    struct wtl_isa_machine machine = wtl_isa_machine();
    const struct wtl_isa *isa = wtl_isa_find(value);
    char known[160] = "known are ";
    for (size_t i = 0; wtl_isa_at(i); i++) {
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                       wtl_isa_at(i)->name);
    }
    if (!isa)
        return bad(p, ISA, value, known);
    const char *refusal = wtl_isa_refusal(isa, &machine);
    if (refusal)
        return wtl_fail(p->err, -EINVAL, "--isa %s: %s; the widest level here is %s", value,
                        refusal, wtl_isa_best(&machine)->name);
    p->options->load.isa = isa;
    return 0;
}

static int parse_choice(struct parser *p,
                        enum key key,
                        const char *value,
                        const char *const words[2],
                        int *ret_number)
{
    char remedy[40];
    for (int i = 0; i < 2; i++) {
        if (strcmp(value, words[i]) == 0) {
            *ret_number = i;
            return 0;
        }
    }
    (void)snprintf(remedy, sizeof remedy, "give %s or %s", words[0], words[1]);
    return bad(p, key, value, remedy);
}

static int parse_time(struct parser *p, const char *value)
{
    const uint64_t day_ns = 86400u * 1000000000ull;
    uint64_t ns;
    if (wtl_parse_duration(value, &ns) < 0 || ns == 0 || ns > day_ns)
        return bad(p, TIME, value, "give a time up to a day, as 30s or 5m");
    p->options->load.time_ns = ns;
    return 0;
}

static int parse_ready(struct parser *p, const char *value)
{
    uint64_t fd;
    if (wtl_parse_u64(value, &fd) < 0 || fd > 1u << 20 || fcntl((int)fd, F_GETFD) < 0)
        return bad(p, READY, value,
                   "give the number of a descriptor that is open, as 3 with 3>file");
    p->options->load.fd = (int)fd;
    return 0;
}

/* Options that are checked where they stand. */
static int parse_option(struct parser *p, enum key key, const char *value)
{
    static const char *const waits[] = {"active", "passive"}, *const formats[] = {"text", "json"};
    struct wtl_load *load = &p->options->load;
    int choice = 0, rc = 0;
    switch (key) {
    case TIME:
        return parse_time(p, value);
    case READY:
        return parse_ready(p, value);
    case ISA:
        return parse_isa(p, value);
    case THREADS:
        if (wtl_parse_u64(value, &p->threads) < 0 || p->threads == 0)
            return bad(p, key, value, "give a whole number >= 1");
        return 0;
    case WAIT:
        rc = parse_choice(p, key, value, waits, &choice);
        load->wait = choice ? WTL_WAIT_PASSIVE : WTL_WAIT_ACTIVE;
        return rc;
    case FORMAT:
        rc = parse_choice(p, key, value, formats, &choice);
        load->json = choice == 1;
        return rc;
    default:
        return 0;
    }
}

/* Options that are only noted. */
static void note_option(struct parser *p, enum key key, const char *value)
{
    struct wtl_load_options *o = p->options;
    p->given |= 1u << key;
    p->cpus = key == CPUS ? value : p->cpus;
    o->load.omp_library = key == OPENMP ? value : o->load.omp_library;
    o->load.mpi_library = key == MPI ? value : o->load.mpi_library;
    o->list = o->list || key == LIST;
    o->help = o->help || key == HELP;
    o->version = o->version || key == VERSION;
}

static int parse_kernel(struct parser *p, const char *word)
{
    for (int i = 0; i < WTL_LOAD_KERNELS; i++) {
        if (strcmp(word, wtl_load_kernel_name((enum wtl_load_kernel)i)) == 0) {
            p->options->load.kernel = (enum wtl_load_kernel)i;
            return 0;
        }
    }
    return wtl_fail(p->err, -EINVAL,
                    "unknown kernel '%s'; kernels are omp_serial, omp_parallel, mpi_serial, "
                    "mpi_parallel, fma",
                    word);
}

/* What only the whole of the command line tells. */
static int check(struct parser *p, int operands, char **operand)
{
    struct wtl_load *load = &p->options->load;
    if (operands == 0)
        return wtl_fail(p->err, -EINVAL, "no kernel is named; write wattle-load KERNEL [OPTIONS]");
    int rc = parse_kernel(p, operand[0]);
    if (rc == 0 && operands > 1)
        rc = wtl_fail(p->err, -EINVAL, "unexpected '%s' behind the kernel", operand[1]);
    for (size_t i = 0; rc == 0 && i < sizeof bounds / sizeof *bounds; i++) {
        if (p->given & 1u << bounds[i].key && !(bounds[i].kernels & 1u << load->kernel))
            rc = wtl_fail(p->err, -EINVAL, "--%s: not with %s: %s", option_name(bounds[i].key),
                          operand[0], bounds[i].remedy);
    }
    if (rc == 0)
        rc = wtl_cpu_choice_allowed(&load->cpus, p->err);
    return rc ? rc : wtl_cpu_choice_narrow(&load->cpus, p->cpus, (size_t)p->threads, p->err);
}

int wtl_load_options_parse(struct wtl_load_options *options,
                           int argc,
                           char **argv,
                           struct wattle_error *err)
{
    struct wtl_isa_machine machine = wtl_isa_machine();
    struct parser p = {.options = options, .err = err};
    *options = (struct wtl_load_options){
        .load = {.time_ns = 300ull * 1000000000u, .fd = 1, .isa = wtl_isa_best(&machine)}};
    optind = 0; /* a scan anew, for tests */
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, ":h", names, NULL)) != -1;) {
        if (key == '?')
            return wtl_fail(err, -EINVAL, "unknown option %s; see wattle-load --help",
                            argv[optind - 1]);
        if (key == ':')
            return wtl_fail(err, -EINVAL, "%s: needs a value; see wattle-load --help",
                            argv[optind - 1]);
        key = key == 'h' ? HELP : key;
        note_option(&p, (enum key)key, optarg);
        int rc = parse_option(&p, (enum key)key, optarg);
        if (rc < 0)
            return rc;
    }
    if (options->help || options->version || options->list)
        return 0;
    return check(&p, argc - optind, argv + optind);
}
