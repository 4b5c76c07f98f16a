/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/load_options.h"

#include "said.h"
#include "tap.h"

static struct wtl_load_options o;

static int parse(const char *line)
{
    static char text[512], *argv[33];
    char *rest = text;
    int argc = 0;
    memset(argv, 0, sizeof argv);
    snprintf(text, sizeof text, "wattle-load %s", line);
    for (char *word; argc < 32 && (word = strsep(&rest, " "));) {
        if (*word)
            argv[argc++] = word;
    }
    return wtl_load_options_read(&o, argc, argv);
}

/* A command line that is refused, and words of the message. */
static const struct {
    const char *line, *words;
} refused[] = {
    {"", "no kernel given"},
    {"burn", "unknown kernel \"burn\"; kernels are omp_serial"},
    {"fma fma", "unexpected argument \"fma\""},
    {"fma --bogus", "unknown option \"--bogus\""},
    {"fma --time", "--time requires an argument"},
    {"fma --time 0", "--time 0: expected a time"},
    {"fma --time -3", "expected a time"},
    {"fma --time 25h", "up to a day"},
    {"fma --time nan", "expected a time"},
    {"fma --threads 0", "--threads: 0 is less than 1"},
    {"fma --threads 1.5", "--threads: \"1.5\" is not a whole number"},
    {"fma --threads 100000", "more threads than the"},
    {"fma --cpus 8000", "CPU 8000 cannot be used"},
    {"omp_serial --wait never", "one of active or passive"},
    {"omp_parallel --wait active", "--wait: not with omp_parallel"},
    {"mpi_serial --wait active", "--wait: not with mpi_serial"},
    {"mpi_parallel --threads 2", "--threads: not with mpi_parallel: the launcher"},
    {"omp_serial --isa generic", "--isa: not with omp_serial"},
    {"fma --isa mmx", "levels are "},
    {"fma --device 0", "--device: not with fma"},
    {"fma --shape f", "only gpu is switched"},
    {"gpu --threads 2", "--threads: not with gpu"},
    {"gpu --cpus 0", "--cpus: not with gpu"},
    {"fma --openmp-library x", "--openmp-library: not with fma"},
    {"omp_serial --mpi-library x", "--mpi-library: not with omp_serial"},
    {"fma --ready 77", "an open descriptor"},
    {"fma --ready -1", "an open descriptor"},
    {"fma --format csv", "one of text or json"},
};

int main(void)
{
    struct wattle_error err = {""};
    struct wtl_cpu_choice all;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        said_begin();
        int status = parse(refused[i].line);
        const char *said = said_end();
        is_int(status, 2, "refused: '%s'", refused[i].line);
        ok(strstr(said, refused[i].words), "%s", said);
    }
    is_int(parse("fma"), WTL_GO_ON, "a kernel is enough");
    struct wtl_isa_machine machine = wtl_isa_machine();
    is_int(o.load.kernel, WTL_LOAD_FMA, "that one");
    ok(o.load.isa == wtl_isa_best(&machine), "at its best");
    is_int((intmax_t)o.load.time_ns, 300000000000, "five minutes");
    is_int(o.load.fd, 1, "lines to stdout");
    ok(!o.load.json, "as text");
    is_int(wtl_cpu_choice_allowed(&all, &err), 0, "CPUs");
    is_int(o.load.cpus.count, all.count, "on all of them");
    is_int(parse("omp_serial --time 1.5s --wait passive --threads 1 --ready 2 --format json "
                 "--openmp-library libomp.so.5"),
           WTL_GO_ON, "options");
    is_int((intmax_t)o.load.time_ns, 1500000000, "time");
    is_int(o.load.wait, WTL_WAIT_PASSIVE, "wait");
    is_int(o.load.cpus.count, 1, "threads");
    is_int(o.load.fd, 2, "descriptor");
    is_str(o.load.omp_library, "libomp.so.5", "library");
    ok(o.load.json, "json");
    is_int(parse("--time 2 mpi_parallel --mpi-library /x"), WTL_GO_ON, "options first");
    is_str(o.load.mpi_library, "/x", "MPI library");
    is_int(parse("fma --isa generic"), WTL_GO_ON, "a level");
    is_str(o.load.isa->name, "generic", "of that name");
    is_int(parse("--list --format json"), WTL_GO_ON, "no kernel for the list");
    ok(o.list && o.load.json, "list as json");
    return done_testing();
}
